//! `layoutproof init` writes a project file with which `check` compares what is there.

use std::process::Command;

use super::{folder_of, pairs};

/// GCC makes the program, and ar the library. The mesh has the suffix of an object, and `lib.hlsl` needs the
/// defines of the file that includes it.
#[test]
fn init_looks_into_the_files() {
    let frame = "cbuffer Frame { float a; };";
    let Some(folder) = folder_of(("a.txt", ""), "struct Frame { float a; } f; int main() {}") else { return };
    for inner in ["shaders/deep", "shaders/external", "third_party", "models", "build/shaders", "include/eng"] {
        std::fs::create_dir_all(folder.path(inner)).unwrap();
    }
    let run = |words: &str| {
        let mut words = words.split(' ');
        let mut command = Command::new(words.next().unwrap());
        assert!(command.args(words).current_dir(folder.path(".")).status().unwrap().success());
    };
    folder.write("shaders/a.hlsl", frame.as_bytes());
    folder.write("shaders/deep/b.hlsl", b"#define TYPE float\n#include \"../lib.hlsl\"\n#include <eng/more.hlsli>\n");
    folder.write("include/eng/more.hlsli", b"cbuffer More { float4 b; };");
    folder.write("shaders/lib.hlsl", b"cbuffer Lib { TYPE a; };");
    folder.write("third_party/c.hlsl", b"cbuffer Frame { uint other; };");
    folder.write("shaders/external/c.hlsl", b"cbuffer Frame { uint other; };");
    folder.write("models/mesh.obj", b"# a mesh\nv 0 0 0\n");
    folder.write("build/shaders/a.hlsl", b"cbuffer Frame { uint old; };");
    run("g++ -g host.o -o build/engine");
    run("g++ host.o -s -o build/stripped");
    let answer = folder.run("init").exits(0);
    let answer = answer.prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let answer = answer.prints("left out: 1 shader that cannot be read alone: shaders/lib.hlsl: ");
    let answer = answer.prints("left out: 2 folders of other projects: shaders/external, third_party");
    answer
        .prints("left out: 1 program without debug information")
        .prints("left out: 1 object or library file next to programs");
    let written = folder.read("layoutproof.toml");
    for words in [
        "host = [\n    \"build/engine\",\n]",
        "files = [\n    \"shaders/**/*.hlsl\",\n]",
        "except = [\n    \"shaders/external/**/*\",\n    \"shaders/lib.hlsl\",\n]",
        "include = [\n    \"include\",\n]",
    ] {
        assert!(written.contains(words), "{words}: {written}");
    }
    // The file says `strict = true`: a block without a host struct is an error.
    let answer = folder.run("check --format json").exits(1);
    assert_eq!(pairs(&answer), ["Frame Frame agree"]);
    assert_eq!(answer.json()["unmatched_blocks"][0]["block"], "Lib");
}

/// As Raptor does: its program puts files before each shader, and its data lists them.
#[test]
fn init_says_how_to_list_shaders_that_are_put_together() {
    let Some(folder) = folder_of(("a.txt", ""), "struct Frame { float a; } f; int main() {}") else { return };
    folder.write("scene.h", b"#define SET 0");
    folder.write("mesh.hlsl", b"cbuffer Frame : register(b0) { float a; };");
    let data = r#"{"shaders": [{"stage": "vertex", "shader": "mesh.hlsl", "includes": ["scene.h"]}]}"#;
    folder.write("mesh.json", data.as_bytes());
    let answer = folder.run("init").exits(0);
    let said = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "left out: what 1 shader gets from files that the program puts before them, such as mesh.hlsl (mesh.json): to \
                    compare all blocks, write for each stage a file like mesh.STAGE.hlsl with the lines `#include \"scene.h\"`, \
                    `#include \"mesh.hlsl\"`, and list it with the macros that the program defines for that stage, as \
                    `defines = [\"NAME\"]`";
    assert!(said.contains(expected), "{said}");
}

/// Files with a suffix that programs in F# have, too, are listed one by one.
#[test]
fn init_lists_shaders_with_shared_suffixes() {
    let Some(folder) = folder_of(("a.txt", ""), "struct Frame { float a; } f; int main() {}") else { return };
    std::fs::create_dir_all(folder.path("shaders")).unwrap();
    folder.write("shaders/a.ps", b"cbuffer Frame : register(b0) { float a; };");
    folder.write("shaders/b.fs", b"module Program\nlet x = 1\n");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 1 shader, 1 host file");
    assert!(folder.read("layoutproof.toml").contains("files = [\n    \"shaders/a.ps\",\n]"));
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["Frame Frame agree"]);
}

/// GCC gives `Frame` 32 bytes, of which the block has 8, and `Light` 16, the stride of the buffer.
/// DXC needs the macros of the build too, or it reports the `#error`.
#[test]
fn init_takes_the_macros_of_the_build() {
    let shader = "#ifndef GPU\n#error \"for GPUs\"\n#endif\ncbuffer cbBlur { float fRadius; LANE fWeight; };";
    let host = "struct BlurConstants { float radius, weight; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    folder.write("CMakeLists.txt", b"set(ARGS -DGPU=1 -DHALF={0,1} -DCMAKE_BUILD_TYPE=Debug -DDIR=${DIR})");
    std::fs::create_dir_all(folder.path("dx")).unwrap();
    folder.write("dx/CMakeLists.txt", b"set(ARGS ${ARGS} \"-DLANE=float\")");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 1 shader, 1 host file");
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("defines = [\n    \"GPU=1\",\n    \"HALF=0\",\n    \"LANE=float\",\n]"), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["cbBlur BlurConstants agree"]);
}

/// A module of `CMake` passes the options to slangc, and a batch file to FXC. Without them, `b` of Slang is at byte 16, and the
/// matrix of HLSL has three columns.
#[test]
fn init_takes_the_layout_options_of_the_build() {
    let shader = "struct Push { float3 a; float3 b; }; ConstantBuffer<Push> push;";
    let host = "struct Push { float a[3], b[3]; } p; struct Bone { float m[2][4]; float weight; } b;";
    let Some(folder) = folder_of(("a.slang", shader), host) else { return };
    std::fs::create_dir_all(folder.path("cmake")).unwrap();
    std::fs::create_dir_all(folder.path("dx")).unwrap();
    folder.write("cmake/slang.cmake", b"set(FLAGS\n  -force-glsl-scalar-layout\n  -fvk-use-entrypoint-name)\n");
    folder.write("dx/bone.hlsl", b"cbuffer Bone { float2x4 m; float weight; };");
    folder.write("dx/build.bat", b"%FXC% /T vs_5_0 /Zpr bone.hlsl\r\n");
    let answer = folder.run("init").exits(0).prints("layouts of HLSL: dx/build.bat passes `-Zpr`");
    answer.prints("layouts of Slang: cmake/slang.cmake passes `-target spirv -force-glsl-scalar-layout`");
    let written = folder.read("layoutproof.toml");
    for lines in ["# From dx/build.bat.\nargs = \"-Zpr\"", "args = \"-target spirv -force-glsl-scalar-layout\""] {
        assert!(written.contains(lines), "{written}");
    }
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["Bone Bone agree", "push Push agree"]);
}

/// A generator has the macros of each shader in tables, and some that it computes.
#[test]
fn init_takes_the_macros_of_a_generators_tables() {
    let shader = "#version 450\n#ifndef A_TYPE\n#error A_TYPE\n#endif\nlayout(push_constant) uniform Parameters { uint count; \
                  A_TYPE scale; } p;\nvoid main() {}\n";
    let Some(folder) = folder_of(("sum.comp", shader), "struct Parameters { unsigned count; float scale[2]; } p;")
    else {
        return;
    };
    let generator = "int main() { map base = {{\"WIDE\", \"1\"}};\n\
                     compile(\"sum_f32\", \"sum.comp\", merge(base, {{\"A_TYPE\", \"vec2\"}, {key, \"1\"}})); }\n";
    folder.write("gen.cpp", generator.as_bytes());
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 1 shader, 1 host file");
    let written = folder.read("layoutproof.toml");
    assert!(
        written.contains("# GLSL, with macros of the build\n[[shader]]\nfiles = [\n    \"sum.comp\",\n]"),
        "{written}"
    );
    assert!(written.contains("defines = [\n    \"A_TYPE=vec2\",\n    \"WIDE=1\",\n]"), "{written}");
    // GLSL aligns the vector to 8 bytes, C++ to 4.
    assert_eq!(pairs(&folder.run("check --format json").exits(1)), ["p Parameters differ"]);
}

/// The generator computes a type. The push constants need nothing of it.
#[test]
fn init_lists_shaders_that_lack_types() {
    let shader = "#version 450\nlayout(push_constant) uniform Parameters { uint count; float scale; } p;\n\
                  layout(binding = 0) buffer A { A_TYPE data_a[]; };\nvoid main() { D_TYPE d; }\n";
    let Some(folder) = folder_of(("sum.comp", shader), "struct Parameters { unsigned count; float scale; } p;") else {
        return;
    };
    folder.write(
        "gen.cpp",
        b"int main() { compile(\"a\", \"a.comp\", {{\"X\", \"1\"}}); \
          compile(\"sum\", \"sum.comp\", {{\"A_TYPE\", type(0)}, {\"D_TYPE\", \"float\"}}); }\n",
    );
    // Its error names no macro.
    folder.write("a.comp", b"#version 450\nlayout(binding = 0) buffer A { float a[; };\nvoid main() {}\n");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file").warns(
        "note: 2 shaders are listed although macros are missing that the program or its build defines, such as sum.comp (A_TYPE): \
         `check` compares the blocks that need none of them; to compare all, write `defines = [\"NAME=VALUE\"]`",
    );
    assert!(folder.read("layoutproof.toml").contains("defines = [\n    \"D_TYPE=float\",\n]"));
    assert_eq!(pairs(&folder.run("check --format json").exits(2)), ["p Parameters agree"]);
}

/// Lists of passes name shaders with their macros. Without them, one shader has no block and the other an error.
#[test]
fn init_takes_the_macros_of_data() {
    let shader = "#version 450\n#ifdef SKY\nlayout(push_constant) uniform Parameters { uint count; float scale; } p;\n#endif\nvoid main() {}\n";
    let host = "struct Parameters { unsigned count; float scale; } p; struct Blur { float taps[4][4]; } b;";
    let Some(folder) = folder_of(("sky.comp", shader), host) else { return };
    let blur = "#version 450\nlayout(binding = 0) uniform Blur { vec4 taps[TAPS]; } blur;\nvoid main() {}\n";
    folder.write("blur.comp", blur.as_bytes());
    let passes = r#"{"passes": [{"shader": "shaders/sky.comp", "defines": ["SKY"]}, {"shader": "blur.comp", "macros": {"TAPS": 4}}]}"#;
    folder.write("passes.json", passes.as_bytes());
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("defines = [\n    \"SKY=1\",\n]"), "{written}");
    assert!(written.contains("defines = [\n    \"TAPS=4\",\n]"), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["p Parameters agree", "blur Blur agree"]);
}

/// A program that compiles its shaders when it runs defines their macros there.
#[test]
fn init_tries_the_macros_that_shaders_ask_for() {
    let shader = "#if !defined(GPU) || !defined(LANES)\n#error \"not set\"\n#endif\n#include \"depth.hlsli\"\n\
                  cbuffer Blur { float radius, weight; float4 rest[LANES]; };";
    let host = "struct Blur { float radius, weight, pad[2], rest[1][4]; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    folder.write("depth.hlsli", b"#ifndef DEPTH\n#error no depth\n#endif\n");
    folder.run("check a.hlsl host.o").exits(2).warns("error: #error: \"not set\"");
    let answer = folder.run("init").exits(0);
    answer.warns(
        "note: 1 shader needs macros whose values are unknown: the file sets each to 1; replace them with the values \
         that your program defines",
    );
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("defines = [\n    \"DEPTH=1\",\n    \"GPU=1\",\n    \"LANES=1\",\n]"), "{written}");
    assert!(written.contains("# HLSL, with macros that the program defines when it runs: their values are guesses"));
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["Blur Blur agree"]);
    // Without them, the line of the file names them all, next to what is compared.
    folder.write("b.hlsl", b"cbuffer Blur { float radius, weight; float4 rest[1]; };");
    std::fs::remove_file(folder.path("layoutproof.toml")).unwrap();
    let answer = folder.run("check a.hlsl b.hlsl host.o --format json").exits(2);
    let unread = answer.json()["unread"][0].to_string();
    assert!(unread.contains("give the values that your program defines: -D DEPTH=VALUE -D GPU=VALUE -D LANES=VALUE"));
}

#[test]
fn init_finds_the_folders_of_imports() {
    let shader = "import Lib.Sizes;\nstruct Frame { float4 light; float values[COUNT]; }\nConstantBuffer<Frame> frame;";
    let Some(folder) = folder_of(("a.slang", shader), "struct Frame { float light[4], values[5]; } f;") else { return };
    std::fs::create_dir_all(folder.path("src/Lib")).unwrap();
    folder.write("src/Lib/Sizes.slang", b"public static const int COUNT = 5;");
    folder.run("init").exits(0);
    assert!(folder.read("layoutproof.toml").contains("include = [\n    \"src\",\n]"));
    let answer = folder.run("check --target vulkan --format json").json();
    assert_eq!(answer["unread"].as_array().map(Vec::len), Some(0), "{answer}");
}

#[test]
fn init_finds_the_folder_of_packages() {
    let shader = "import engine::types::Frame;\n@group(0) @binding(0) var<uniform> frame: Frame;";
    let Some(folder) = folder_of(("a.wesl", shader), "struct Frame { float light[4], scale, pad[3]; } f;") else {
        return;
    };
    std::fs::create_dir_all(folder.path("crates/engine/src")).unwrap();
    folder.write("crates/engine/src/types.wesl", b"struct Frame { light: vec4f, scale: f32 }");
    folder.run("init").exits(0);
    assert!(folder.read("layoutproof.toml").contains("include = [\n    \"crates\",\n]"));
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["frame Frame agree"]);
}

/// What `init` sees and cannot list, by kind and number, with what to do.
#[test]
fn init_accounts_for_shaders_that_it_cannot_read() {
    let Some(folder) = folder_of(("a.txt", ""), "struct Frame { float a; } f;") else { return };
    std::fs::create_dir_all(folder.path("build")).unwrap();
    let wgsl = "text += R\"(@group(0) @binding(0) var<uniform> frame: Frame;)\";";
    for (name, text) in [
        ("a.wesl", "import package::b::B;\n@group(0) @binding(0) var<uniform> b: B;"),
        ("b.wesl", "struct B { a: f32 }"),
        ("a.ezShader", "[PLATFORMS]"),
        ("sky.gdshader", "shader_type sky;"),
        ("cube.glsl", "@vs vs\nuniform params { mat4 mvp; };\n@end\n@program cube vs fs\n"),
        ("a.c", wgsl),
        ("b.c", wgsl),
        ("plain.c", "// @group(0) @binding(0) is WebGPU's\nint a;"),
        ("main.rs", "const S: &str = concat!(\"#version 450\\nvoid main() { }\", env!(\"X\"));"),
        ("build/copy.wesl", ""),
        ("c.wgsl", "#include \"b.tmpl\"\nstruct C { a: f32 }"),
        ("d.wgsl", "#ifdef A\n#elif B\n#endif\nstruct D { a: f32 }"),
        ("real.wgsl", "struct Frame { a: f32 }\n@group(0) @binding(0) var<uniform> frame: Frame;"),
    ] {
        folder.write(name, text.as_bytes());
    }
    let answer = folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 4 shaders, 1 host file");
    let answer = answer.prints("left out: 1 shader file of ezEngine: a.ezShader: ");
    let answer = answer.prints("left out: 1 shader file of Godot: sky.gdshader: ");
    // ggml's preprocessor follows directives of C.
    let answer = answer.prints("left out: 2 shaders that cannot be read alone, such as c.wgsl: WESL and naga_oil have no such directive (other preprocessors");
    let answer = answer.prints("left out: 2 .c files with WGSL in strings, such as a.c: write each to a file");
    let answer = answer.prints("left out: 1 .rs file with GLSL in strings: main.rs: ");
    assert_eq!(answer.out.matches("left out").count(), 5, "{answer}");
}

/// A program puts `platform.h` before its shaders, and compiles them in the folder of the project. glslang 16.6 refuses the
/// first file without its macro.
#[test]
fn init_takes_macros_of_headers_and_includes_from_the_project_folder() {
    let shader = "#version 450\nlayout(std140, set = MATERIAL_SET, binding = 0) uniform Cloth { vec3 wind; float density; };\n\
                  void main() {}\n";
    let host = "struct Cloth { float wind[3], density; } c; struct Sky { float sun[3], size; } s;";
    let Some(folder) = folder_of(("readme.txt", ""), host) else { return };
    for inner in ["shaders", "other"] {
        std::fs::create_dir_all(folder.path(inner)).unwrap();
    }
    folder.write("shaders/cloth.comp", shader.as_bytes());
    folder.write("shaders/platform.h", b"#define GLOBAL_SET 0\n#define MATERIAL_SET 1\n");
    folder.write("shaders/sky.hlsl", b"#include \"./shaders/common.hlsli\"\ncbuffer Sky { float3 sun; float size; };");
    folder.write("shaders/common.hlsli", b"static const int LANES = 4;");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let written = folder.read("layoutproof.toml");
    for words in [
        "# GLSL, with macros of headers that the shaders do not include\n[[shader]]\nfiles = [\n    \"shaders/cloth.comp\",\n]\n\
         defines = [\n    \"MATERIAL_SET=1\",\n]",
        "include = [\n    \".\",\n]",
    ] {
        assert!(written.contains(words), "{words}: {written}");
    }
    let mut found = pairs(&folder.run("check --format json").exits(0));
    found.sort();
    assert_eq!(found, ["Cloth Cloth agree", "Sky Sky agree"]);
    // Two values are none: the macro is a guess.
    folder.write("other/platform.h", b"#define MATERIAL_SET 2\n");
    std::fs::remove_file(folder.path("layoutproof.toml")).unwrap();
    folder.run("init").exits(0);
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("their values are guesses"), "{written}");
}
