//! Shaders in the strings of a program's text.

use super::super::folder::Folder;
use super::{compile, folder_of, pairs};

const HOST: &str =
    "struct Frame { float view[16]; float eye[3]; float time; } frame; struct Bloom { float strength, radius; } b;";

/// The text of a program with a shader in GLSL, whose block is on line 5, and one in WGSL, whose struct is on line 10.
const PROGRAM: &str = r##"// The "quad" of a frame
const char* quad =
    "#version 450\n"
    /* Block */
    "layout(binding = 0) uniform Bloom { float strength; float radius; } bloom;\n"
    "layout(location = 0) out vec4 color;\n"
    "void main() { color = vec4(bloom.strength + bloom.radius); }\n";
const char* mesh = R"(
@group(0) @binding(0) var<uniform> frame: Frame;
struct Frame { view: mat4x4f, eye: vec3f, time: f32 }
@vertex fn main() -> @builtin(position) vec4f { return frame.view * vec4f(frame.eye, frame.time); }
)";
"##;

#[test]
fn shaders_in_strings_are_compared_at_their_lines() {
    let Some(folder) = folder_of(("app.cpp", PROGRAM), HOST) else { return };
    let answer = folder.run("check app.cpp host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["bloom Bloom agree", "frame Frame agree"]);
    // A mistake in either is found at the line of the program, in the words of the shader's language.
    let mistaken =
        PROGRAM.replace("strength; float radius;", "radius; float strength;").replace("time: f32", "at: f32");
    folder.write("app.cpp", mistaken.replace("eye: vec3f", "more: f32, eye: vec3f").as_bytes());
    let answer = folder.run("check app.cpp host.o").exits(1);
    assert!(answer.out.contains("at shader app.cpp:5 · host host.cpp:1"), "{answer}");
    assert!(answer.out.contains("at shader app.cpp:10 · host host.cpp:1"), "{answer}");
    assert!(answer.out.contains("eye: vec3<f32>"), "{answer}");
    // What cannot be read is no agreement.
    folder.write("app.cpp", PROGRAM.replace("eye: vec3f", "eye: Vec3").as_bytes());
    let answer = folder.run("check app.cpp host.o --format json").exits(2);
    assert_eq!(pairs(&answer), ["bloom Bloom agree"]);
    assert!(answer.json()["unread"][0]["reason"].as_str().unwrap().contains("app.cpp:10"), "{answer}");
}

#[test]
fn init_lists_the_texts_of_programs_with_shaders() {
    let Some(folder) = folder_of(("readme.txt", ""), HOST) else { return };
    std::fs::create_dir_all(folder.path("src")).unwrap();
    folder.write("src/app.cpp", PROGRAM.as_bytes());
    folder.write("src/broken.cpp", PROGRAM.replace("vec3f,", "Vec3,").as_bytes());
    let answer = folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    answer.prints("left out: 1 shader that cannot be read alone: src/broken.cpp:8: ");
    let written = folder.read("layoutproof.toml");
    let listed = "# Shaders in the strings of programs\n[[shader]]\nfiles = [\n    \"src/app.cpp\",\n]\n";
    assert!(written.contains(listed), "{written}");
    let answer = folder.run("check --format json").exits(0);
    assert_eq!(pairs(&answer), ["bloom Bloom agree", "frame Frame agree"]);
    // `check` with one of the files takes the settings of the project.
    assert_eq!(pairs(&folder.run("check src/app.cpp --format json").exits(0)).len(), 2);
}

/// What a program includes is a shader of its own, whatever its suffix, unless it is no shader or outside of the project.
#[test]
fn included_shaders_are_compared() {
    let program = "const A: &str = include_str!(\"../assets/frame.txt\");\nconst B: &str = include_str!(\"../readme.txt\");\n\
                   const C: &str = include_str!(\"../frame.wgsl\");\nconst D: &[u8] = include_bytes!(\"font.bin\");\n";
    let Some(folder) = folder_of(("readme.txt", "Use var<uniform> in shaders"), HOST) else { return };
    let frame =
        "struct Frame { view: mat4x4f, eye: vec3f, time: f32 }\n@group(0) @binding(0) var<uniform> frame: Frame;\n";
    let bloom = "struct Bloom { strength: f32, radius: f32 }\n@group(0) @binding(0) var<uniform> bloom: Bloom;\n";
    for name in ["assets", "src"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    for (name, text) in [("src/main.rs", program), ("assets/frame.txt", frame), ("frame.wgsl", bloom)] {
        folder.write(name, text.as_bytes());
    }
    let answer = folder.run("check src/main.rs host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["frame Frame agree", "bloom Bloom agree"]);
    let shaders: Vec<_> =
        answer.json()["pairs"].as_array().unwrap().iter().map(|pair| pair["shader"].clone()).collect();
    assert_eq!(shaders, ["assets/frame.txt", "frame.wgsl"]);
    // Files with the suffixes of shaders are listed as such.
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("\"*.wgsl\",") && written.contains("\"src/main.rs\","), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)).len(), 2);
}

#[test]
fn shaders_that_the_program_completes_are_accounted_for() {
    let program =
        format!("{PROGRAM}auto lights = std::string(\"@group(0) @binding(1) var<uniform> light: vec4f;\") + rest;\n");
    let Some(folder) = folder_of(("app.cpp", &program), HOST) else { return };
    let answer = folder.run("check app.cpp host.o --format json").exits(0);
    let answer = answer.warns("note: app.cpp:13: the program completes this shader when it runs, so it is not read");
    let account = &answer.json()["account"];
    assert_eq!((&account["found"], &account["open"]), (&3.into(), &1.into()), "{answer}");
    // A text without a shader is a mistake of the user.
    folder.write("plain.cpp", b"int a; // var<uniform>");
    let answer = folder.run("check plain.cpp host.o").exits(2);
    assert!(answer.err.contains("plain.cpp is the text of a program: name the object or program"), "{answer}");
}

/// SPIR-V of a build stands for shaders that cannot be read, and only for those.
#[test]
fn init_lists_the_modules_of_unreadable_shaders() {
    let folder = Folder::with(&[
        ("sky.ezShader", "[PLATFORMS]"),
        ("real.wgsl", "struct Frame { a: f32 }\n@group(0) @binding(0) var<uniform> frame: Frame;"),
        ("host.cpp", "struct S { float a; } s;"),
    ]);
    if !compile(&folder, "host") {
        return;
    }
    std::fs::create_dir_all(folder.path("build")).unwrap();
    let module = include_bytes!("../../../../../harness/tests/debug_modules/glslang.spv");
    for name in ["build/sky.spv", "build/real.spv"] {
        folder.write(name, module);
    }
    folder.write("build/damaged.spv", b"no module");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let written = folder.read("layoutproof.toml");
    let listed = "# SPIR-V that the build made of shaders that cannot be read\n[[shader]]\nfiles = [\n    \"build/sky.spv\",\n]\n";
    assert!(written.contains(listed), "{written}");
    // Without such a shader, the sources are enough.
    for name in ["layoutproof.toml", "sky.ezShader"] {
        std::fs::remove_file(folder.path(name)).unwrap();
    }
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 1 shader, 1 host file");
}
