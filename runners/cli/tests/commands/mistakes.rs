//! The mistakes that people make on the command line. Each is answered with one line that names the
//! nearest right word or the command to use, never with a list of everything.

use super::folder::Folder;

const SHADER: &str = "cbuffer S { float3 a; float b[2]; };\n\
    [numthreads(1, 1, 1)] void blur() {}\n\
    [numthreads(1, 1, 1)] void sharpen() {}\n";

fn folder() -> Folder {
    let folder = Folder::without_drivers(&[
        ("scene.hlsl", SHADER),
        ("empty.hlsl", ""),
        ("engine.cpp", "struct S { float a[3]; };"),
        ("probe.metallib", "MTLB"),
        ("a.usf", "float4 Color;"),
        ("a.compute", "#pragma kernel Main"),
        ("a.shader", "Shader \"A\" {}"),
        ("a.gdshader", "shader_type spatial;"),
        ("a.sc", "$input v"),
        ("a.wesl", "import package::b::C; const D = C;"),
        ("records.jsonl", "{}"),
        ("notes.txt", "text"),
    ]);
    for name in ["shaders", "cases", "no-shaders", "wrong"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("cases/mine.toml", b"schema = 1");
    folder.write("wrong/layoutproof.toml", b"schema = 1\n[[shaders]]\nfiles = []");
    folder.write("shaders/water.slang", b"ParameterBlock<float3> p;");
    folder.write("engine.obj", b"\x7fELF\x02\x01\x01");
    folder.write("binary.hlsl", b"\x00\x01\x02\xff\xfe\x80");
    folder
}

/// What the user types, and the first line of the answer after `error: `. Dots stand for a beginning or an end that
/// another test pins.
const MISTAKES: [(&str, &str); 76] = [
    // Commands
    ("shw scene.hlsl", "no command is called `shw`: did you mean `layoutproof show`?"),
    ("chek scene.hlsl engine.obj", "no command is called `chek`: did you mean `layoutproof check`?"),
    (
        "device",
        "no command, file or case is called `device`; `layoutproof -h` lists the commands, `layoutproof list` the cases",
    ),
    ("exprt", "no command is called `exprt`: did you mean `layoutproof dev export`?"),
    ("dev fuz", "`layoutproof dev` has no command `fuz`: did you mean `fuzz`?"),
    ("help shw", "no command is called `shw`: did you mean `layoutproof show`?"),
    (
        "frobnicate",
        "no command, file or case is called `frobnicate`; `layoutproof -h` lists the commands, `layoutproof list` the cases",
    ),
    // Files
    ("shaders", "shaders is a folder: name files, as `shaders/*.slang`"),
    ("show shaders/", "shaders/ is a folder: name files, as `shaders/*.slang`"),
    ("run shaders", "shaders is a folder: name files, as `shaders/*.slang`"),
    ("show cases/", "cases/ is a folder: `--cases cases` adds the cases in it"),
    ("show no-shaders", "no-shaders is a folder without shaders: name files, as `no-shaders/*.hlsl`"),
    ("scnee.hlsl", "reading scnee.hlsl: No such file or directory (os error 2): did you mean `scene.hlsl`?"),
    (
        "show shaders/watr.slang",
        "reading shaders/watr.slang: No such file or directory (os error 2): did you mean `shaders/water.slang`?",
    ),
    (
        "check scene.hls engine.obj",
        "reading scene.hls: No such file or directory (os error 2): did you mean `scene.hlsl`?",
    ),
    (
        "report record.jsonl",
        "reading record.jsonl: No such file or directory (os error 2): did you mean `records.jsonl`?",
    ),
    ("show *.hsls", "no file and no case matches `*.hsls`"),
    (
        "show engine.cpp",
        "engine.cpp is the text of a program, not a shader: `layoutproof check SHADER OBJECT` compares its structs, as \
         they are in the compiled object",
    ),
    (
        "show engine.obj",
        "engine.obj is a program, not a shader: `layoutproof check SHADER engine.obj` compares its structs",
    ),
    (
        "show probe.metallib",
        "probe.metallib is a library for Metal, which is not read: name the .metal text that it was made from",
    ),
    ("show a.usf", "a.usf is HLSL of Unreal Engine, which adds generated files and macros: --lang hlsl reads..."),
    ("show a.compute", "a.compute is HLSL of Unity, which adds include files and macros: --lang hlsl reads it..."),
    ("show a.shader", "a.shader is ShaderLab of Unity: copy the HLSL between HLSLPROGRAM and ENDHLSL..."),
    ("show a.gdshader", "a.gdshader is in Godot's own language, whose uniforms Godot places itself..."),
    ("show a.sc", "a.sc is in the language of bgfx: name the GLSL or SPIR-V that its shaderc writes"),
    ("show a.wesl", "no file is the module `package::b` [preprocessor]"),
    ("show records.jsonl", "records.jsonl is no shader: `layoutproof report records.jsonl` reads the records of runs"),
    ("show notes.txt", "the suffix of notes.txt names no language: name it with --lang hlsl, slang, glsl or wgsl"),
    ("show -", "standard input has no suffix: name its language with --lang hlsl, slang, glsl or wgsl"),
    ("show empty.hlsl", "this declares no shader parameter, so there is nothing to lay out [nothing-declared]"),
    (
        "show binary.hlsl",
        "reading binary.hlsl: line 1, column 4: byte 0xFF is not valid UTF-8 and is outside comments and strings",
    ),
    ("check --config wrong/layoutproof.toml", "unknown key `shaders`: did you mean `shader`? [bad-project]"),
    ("check scene.hlsl", "no host file is given: name objects, libraries, programs or a .pdb"),
    (
        "check scene.hlsl engine.cpp",
        "engine.cpp is the text of a program: name the object or program that the build makes of it, with debug information",
    ),
    // Cases
    (
        "show \"a scalar takes the space that an array leaves\"",
        "no file and no case is called `a scalar takes the space that an array leaves`: did you mean \
         `arrays/scalar_packs_behind_the_last_element`?",
    ),
    (
        "show arrays/scalar_packs_behind_the_last_elemant",
        "no file and no case is called `arrays/scalar_packs_behind_the_last_elemant`: did you mean \
         `arrays/scalar_packs_behind_the_last_element`?",
    ),
    (
        "show scalar_packs_behind_the_last_elemnt",
        "no file and no case is called `scalar_packs_behind_the_last_elemnt`: did you mean \
         `scalar_packs_behind_the_last_element`?",
    ),
    // Entry points
    ("show scene.hlsl --entry blurr", "no function is named `blurr`: did you mean `blur`? [unknown-path]"),
    ("show scene.hlsl --entry main", "no function is named `main`; known are blur, sharpen [unknown-path]"),
    // Rule sets
    ("show scene.hlsl --rules std_140", "unknown rule set `std_140`: did you mean `std140`?"),
    ("show scene.hlsl --rules cbuffer", "unknown rule set `cbuffer`: did you mean `hlsl-cbuffer`..."),
    ("show scene.hlsl --rules dxc-dxil", "unknown rule set `dxc-dxil`: did you mean `native:dxc-dxil`?"),
    ("show scene.hlsl --rules native:dxc-dxl", "unknown compiler `native:dxc-dxl`: did you mean `native:dxc-dxil`?"),
    ("show scene.hlsl --rules nonsense", "unknown rule set `nonsense`; `layoutproof list --rules` lists all"),
    ("diff scene.hlsl std140 std-430x", "unknown rule set `std-430x`: did you mean `std430`?"),
    ("diff scene.hlsl std140", "one input needs two ..."),
    // Targets, compilers and devices
    ("show scene.hlsl --target std140", "`--target` does not take `std140`, which is a rule set: `--rules std140`"),
    ("show scene.hlsl --target hlsl", "`--target` does not take `hlsl`, which is a language: `--lang hlsl`"),
    ("show scene.hlsl --target dxc", "`--target` does not take `dxc`, which is a compiler: `--compiler dxc`"),
    ("show scene.hlsl --target vulcan", "...: did you mean `vulkan`?"),
    ("run scene.hlsl --compiler dcx", "... `dcx`: did you mean `dxc`?"),
    ("run scene.hlsl --compiler dxc-spriv", "... `dxc-spriv`: did you mean `dxc-spirv`?"),
    ("run --runner d3d13", "... `d3d13`: did you mean `d3d12`?"),
    ("dev fuzz --compiler slagnc", "unknown compiler `slagnc`: did you mean `slangc`?"),
    ("diff scene.hlsl std140 hlsl-cbufer", "unknown rule set `hlsl-cbufer`: did you mean `hlsl-cbuffer`?"),
    ("setup dcx", "`layoutproof setup` does not take `dcx`: did you mean `dxc`?"),
    // Other values
    ("show scene.hlsl --format jsn", "`--format` does not take `jsn`: did you mean `json`?"),
    (
        "show scene.hlsl --format xml",
        "`--format` does not take `xml`; it takes text, json, markdown, csv, html, svg, rust-asserts, cpp-asserts, c-asserts, \
         ts, llvm, llvm-layout, slang-json, slang-yaml",
    ),
    ("show scene.hlsl --matrix rows", "`--matrix` does not take `rows`: did you mean `row`?"),
    ("run --form leef", "unknown form `leef`: did you mean `leaf`?"),
    ("run --stage fragmnt", "unknown stage `fragmnt`: did you mean `fragment`?"),
    ("doctor device", "`layoutproof doctor` does not take `device`: did you mean `devices`?"),
    (
        "run --shard 3/2",
        "invalid value '3/2' for '--shard <I/N|auto>': a shard is written I/N, from 1/N to N/N, or auto",
    ),
    // Options
    ("show scene.hlsl --targets vulkan", "`layoutproof show` has no option `--targets`: did you mean `--target`?"),
    ("show scene.hlsl --compilers dxc", "`layoutproof show` has no option `--compilers`: did you mean `--compiler`?"),
    ("--targt vulkan scene.hlsl", "`layoutproof show` has no option `--targt`: did you mean `--target`?"),
    ("-v run scene.hlsl", "`-v` comes after the command: `layoutproof run -v`"),
    ("-q report records.jsonl", "`-q` comes after the command: `layoutproof report -q`"),
    ("--padding", "`--padding` is an option of `layoutproof show`"),
    ("run scene.hlsl --format junit", "`layoutproof run` has no option `--format`: write `--junit FILE`"),
    ("report r.jsonl --format=sarif", "`layoutproof report` has no option `--format`: write `--sarif FILE`"),
    ("check scene.hlsl --junit out.xml", "`layoutproof check` has no option `--junit`: write `--format junit`"),
    ("check scene.hlsl --sarif", "`layoutproof check` has no option `--sarif`: write `--format sarif`"),
    ("show scene.hlsl -v", "`layoutproof show` has no option `-v`: `..."),
    ("show scene.hlsl --shard 1/2", "`layoutproof show` has no option `--shard`: `run` has it"),
    (
        "init first second",
        "`layoutproof init` takes no further argument: `second`; `layoutproof init -h` lists its options",
    ),
];

#[test]
fn a_mistake_is_answered_with_the_nearest_right_word() {
    let folder = folder();
    let mut wrong = Vec::new();
    for (line, expected) in MISTAKES {
        let answer = folder.run_quoted(line);
        let first = answer.err.lines().next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(first);
        // Windows has words of its own for this.
        let message = message.replace("The system cannot find the file specified.", "No such file or directory");
        let is_expected = match (expected.strip_prefix("..."), expected.strip_suffix("...")) {
            (Some(end), _) => message.ends_with(end),
            (None, Some(start)) => message.starts_with(start),
            (None, None) => message == expected,
        };
        if !is_expected || answer.code() != 2 || !answer.out.is_empty() {
            wrong.push(format!("{answer}\n--- expected\n{expected}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A mistyped name of a folder of cases selects nothing, which has an exit code of its own.
#[test]
fn a_filter_that_matches_nothing_comes_with_the_nearest_name() {
    let folder = folder();
    folder.run("list arays/").exits(4).warns("error: no case is called `arays/`: did you mean `arrays/`?");
    let run = folder.run("run arays/").exits(4);
    assert!(run.err.contains("(`arays/`: did you mean `arrays/`?)"), "{run}");
}

/// Ways to write an option of `show`, `diff` or `check` that are right, too.
const SPELLINGS: [&str; 40] = [
    "show scene.hlsl --target d3d12",
    "show scene.hlsl --target D3D12",
    "show scene.hlsl --target dx12",
    "show scene.hlsl --target DX12",
    "show scene.hlsl --target dx",
    "show scene.hlsl --target d3d",
    "show scene.hlsl --target dxil",
    "show scene.hlsl --target DirectX",
    "show scene.hlsl --target direct3d12",
    "show scene.hlsl --target vulkan",
    "show scene.hlsl --target Vulkan",
    "show scene.hlsl --target vk",
    "show scene.hlsl --target VK",
    "show scene.hlsl --target spirv",
    "show scene.hlsl --target spir-v",
    "show scene.hlsl --target vulkan/scalar",
    "show scene.hlsl --target Vulkan/Scalar",
    "show scene.hlsl --target vk,d3d12",
    "show shaders/water.slang --target WebGPU",
    "show shaders/water.slang --target wgsl",
    "show shaders/water.slang --target metal",
    "show shaders/water.slang --target msl",
    "show shaders/water.slang --target mtl",
    "show scene.hlsl --rules STD140",
    "show scene.hlsl --rules Scalar",
    "show scene.hlsl --format JSON",
    "show scene.hlsl --format md",
    "show scene.hlsl --format Markdown",
    "show scene.hlsl --format c++",
    "show scene.hlsl --format cpp",
    "show scene.hlsl --format cxx",
    "show scene.hlsl --format rs --rules std430",
    "show scene.hlsl --lang HLSL",
    "show scene.hlsl --matrix Row",
    "show scene.hlsl -T cs_6_0",
    "show scene.hlsl -T cs_6_0 -E blur",
    "show scene.hlsl -D X -I .",
    "show scene.hlsl -DX=1 -I.",
    "diff scene.hlsl std140 STD140",
    "diff scene.hlsl dx12 D3D12 --format Json",
];

/// Ways that belong to other programs, and what to write here.
const OTHER_SPELLINGS: [(&str, &str); 14] = [
    ("--json", "--format json"),
    ("--html", "--format html"),
    ("--csv", "--format csv"),
    ("--markdown", "--format markdown"),
    ("--std140", "--rules std140"),
    ("--scalar", "--rules scalar"),
    ("--bindings", "--target TARGET"),
    ("-o", "--output FILE"),
    ("--out", "--output FILE"),
    ("-e", "--entry NAME"),
    ("-Zpr", "--args \"-Zpr\""),
    ("-spirv", "--args \"-spirv\""),
    ("-fvk-use-dx-layout", "--args \"-fvk-use-dx-layout\""),
    ("-enable-16bit-types", "--args \"-enable-16bit-types\""),
];

#[test]
fn spellings_that_people_try() {
    let folder = folder();
    for words in SPELLINGS {
        folder.run(words).exits(0);
    }
    for (word, own) in OTHER_SPELLINGS {
        let name = word.split('=').next().unwrap();
        let told = format!("error: `layoutproof show` has no option `{name}`: write `{own}`");
        folder.run(&format!("show scene.hlsl {word}")).exits(2).warns(&told);
    }
}
