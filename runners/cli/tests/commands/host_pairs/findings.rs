//! What holds for many shaders is written once, and what cannot be read hides nothing else.

use std::fmt::Write as _;

use super::super::folder::Folder;
use super::super::host_check::compiles;
use super::{folder_of, one_line, pairs};

/// GCC puts `size` at byte 12. D3D packing starts a vector that would cross 16 bytes at the next register, so
/// the shaders read it at 16, and all later members 4 bytes further on.
#[test]
fn a_fault_in_many_shaders_is_one_finding() {
    let frame = "cbuffer Frame {\n float3 eye; float2 size; float a, b, c, d, e, f, g, h, i, j; };";
    let host = "struct Frame {\n float eye[3];\n float size[2];\n float a, b, c, d, e, f, g, h, i, j; } frame;";
    let Some(folder) = folder_of(("a.hlsl", frame), host) else { return };
    for name in ["b.hlsl", "c.hlsl", "d.hlsl", "e.hlsl"] {
        folder.write(name, format!("// Another line.\n{frame}").as_bytes());
    }
    let inputs = "a.hlsl b.hlsl c.hlsl d.hlsl e.hlsl host.o";
    let answer = folder.run(&format!("check {inputs}")).exits(1);
    let words = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "also in 4 shaders: b.hlsl, c.hlsl, d.hlsl and 1 more",
        "offset moved: the shader has `size` at byte 16, the host at byte 12; 10 later members move with it",
        "--- host.cpp: Frame, 60 bytes +++ a.hlsl: cbuffer Frame, 64 bytes 0 12 float3 eye - 12 8 float size[2] \
         + 16 8 float2 size ! offset moved",
        "at shader a.hlsl:2 · host host.cpp:3 . … 10 more members that are 4 bytes earlier in the host",
        "Summary 5 of 5 blocks differ from the host in 1 way; first: Frame.size, host.cpp:3",
    ] {
        assert!(words.contains(part), "{part}: {answer}");
    }
    assert_eq!(answer.out.matches("offset moved").count(), 1, "{answer}");

    let answer = folder.run(&format!("check {inputs} --format github")).exits(1);
    let also = "%0Aat: shader a.hlsl:2 · host host.cpp:3%0Aalso in 4 shaders: b.hlsl, c.hlsl, d.hlsl and 1 more\n";
    assert!(answer.out.starts_with("::error title=layoutproof check::5 of 5 blocks differ from the host"), "{answer}");
    assert!(answer.out.contains("\n::error file=host.cpp,line=3,") && answer.out.ends_with(also), "{answer}");
    assert_eq!(answer.out.lines().count(), 2, "{answer}");

    let answer = folder.run(&format!("check {inputs} --format junit")).exits(1);
    assert!(answer.out.contains(r#"tests="5" skipped="4" failures="1""#), "{answer}");

    let answer = folder.run(&format!("check {inputs} --format json")).exits(1).json();
    assert_eq!(answer["findings"].as_array().unwrap().len(), 1);
    assert_eq!(answer["findings"][0]["pairs"], serde_json::json!([0, 1, 2, 3, 4]));
}

/// GitHub reads annotations from the output of a step, and its summary from a file that several steps share.
#[test]
fn a_check_on_github_reports_by_itself() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Frame { float a, b; };"), "struct Frame { float b, a; } f;")
    else {
        return;
    };
    folder.write("s.md", b"of another program\n");
    let folder = folder.with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", "s.md");
    let headline = "1 of 1 block differs from the host; first: Frame.a, host.cpp:1";
    let answer = folder.run("check a.hlsl host.o").exits(1);
    assert!(
        answer.out.contains(&format!("Summary {headline}\n::error title=layoutproof check::{headline}\n")),
        "{answer}"
    );
    let start = format!(
        "of another program\n**layoutproof check:** {headline}\n\n| block | host struct | difference | fix |\n"
    );
    let summary = folder.read("s.md");
    assert!(summary.starts_with(&start), "{summary}");
    assert!(summary.ends_with("| exchange `a` and `b` in the host |\n"), "{summary}");

    folder.write("host.cpp", b"struct Frame { float a, b; } f;");
    folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(folder.read("s.md"), summary);
}

/// Both members are wrong for reasons of their own: the summary for GitHub has both, and the first is that at the lowest
/// offset. D3D packing starts `jitter` at the next register (16) and gives elements of arrays 16 bytes.
#[test]
fn every_wrong_member_is_told_in_the_order_of_the_block() {
    let shader = "cbuffer Frame { float3 sun; float2 jitter; float splits[4]; };";
    let host = "struct Frame {\n float sun[3];\n float jitter[2];\n float splits[4];\n} frame;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let first = "1 of 1 block differs from the host; first: Frame.jitter, host.cpp:3";
    // The build folder of a part of a repository.
    let root = folder.path("").canonicalize().unwrap();
    let name = root.file_name().unwrap().to_string_lossy().into_owned();
    let workspace = root.parent().unwrap().display().to_string();
    let folder = folder.with_variable("GITHUB_STEP_SUMMARY", "s.md").with_variable("GITHUB_WORKSPACE", workspace);
    let answer = folder.run("check a.hlsl host.o --format github").exits(1);
    let lines: Vec<&str> = answer.out.lines().map(|line| line.split(",title").next().unwrap()).collect();
    let places = [3, 4].map(|line| format!("::error file={name}/host.cpp,line={line}"));
    assert_eq!(lines[1..], places, "{answer}");
    let summary = folder.read("s.md");
    assert!(summary.contains(first) && summary.matches("Frame of a.hlsl").count() == 2, "{summary}");

    let sarif = folder.run("check a.hlsl host.o --format sarif").exits(1).json();
    let run = &sarif["runs"][0];
    // The check did its work.
    assert_eq!(run["invocations"][0]["executionSuccessful"], true, "{sarif}");
    let results = run["results"].as_array().unwrap().iter();
    let found: Vec<_> = results.map(|result| (result["ruleId"].as_str().unwrap(), result["level"].as_str())).collect();
    assert_eq!(found, [("offset-moved", Some("error")), ("stride-differs", Some("error"))]);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap());
    assert_eq!(rules.collect::<Vec<_>>(), ["offset-moved", "stride-differs"]);
}

/// A check that cannot begin has its problems at their lines.
#[test]
fn a_broken_shader_is_told_to_ci() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Frame {\n float a\n float b; };"), "struct Frame { float a; } f;")
    else {
        return;
    };
    let answer = folder.run("check a.hlsl host.o --format github").exits(2);
    answer.prints("::error file=a.hlsl,line=2::a.hlsl:2:9: expected `;`, found `float`");
    let sarif = folder.run("check a.hlsl host.o --format sarif").exits(2).json();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 2, "{sarif}");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{sarif}");
    let junit = folder.run("check a.hlsl host.o --format junit").exits(2);
    assert!(junit.out.contains("errors=\"1\""), "{junit}");

    // Next to another shader, too.
    folder.write("b.hlsl", b"cbuffer Frame { float a; };");
    let answer = folder.run("check b.hlsl a.hlsl host.o --format github").exits(2);
    answer.prints("::error file=a.hlsl,line=2::a.hlsl:2:9: expected `;`, found `float`");
}

/// Another fault of the same struct is another finding, and right blocks are one line.
#[test]
fn only_the_same_result_is_one_finding() {
    let (right, wrong) = ("cbuffer Frame { float a, b; };", "cbuffer Frame { float b, a; };");
    let Some(folder) = folder_of(("a.hlsl", right), "struct Frame { float a, b; } frame;") else { return };
    folder.write("b.hlsl", wrong.as_bytes());
    folder.write("c.hlsl", right.as_bytes());
    folder.write("d.hlsl", b"cbuffer Frame { float a; uint b; };");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o").exits(1);
    let answer =
        answer.prints("Mirrors 4 mirrors of `Frame`, 2 differ; a.hlsl, c.hlsl agree").prints("! swapped names");
    let answer = answer.prints("Summary 2 of 4 blocks differ from the host; first: Frame.b, host.cpp:1");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (0, 2), "{answer}");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o -v").exits(1).prints("also in 1 shader: c.hlsl");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (1, 2), "{answer}");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o -q").exits(1);
    assert_eq!(answer.out.lines().count(), 1, "{answer}");
}

/// What cannot be read is one line each and exit code 2, and everything else is compared.
#[test]
fn unreadable_files_do_not_hide_the_others() {
    let shader = "cbuffer Frame { float a, b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float b, a; } frame;") else { return };
    folder.write("broken.hlsl", b"cbuffer Broken { flot a; };\ncbuffer More { flot b; };");
    folder.write("damaged.o", b"\x7fELF and nothing else");
    folder.write("strange.txt", b"text");
    let inputs = "a.hlsl broken.hlsl host.o damaged.o strange.txt absent.hlsl";
    let answer = folder.run(&format!("check {inputs}")).exits(2);
    let answer =
        answer.prints("! swapped names").prints("Summary 1 of 1 block differs from the host, 4 files not read; first:");
    for line in [
        "error: broken.hlsl:1:18: ",
        "error: damaged.o: ",
        "error: strange.txt is neither a shader",
        "error: reading absent.hlsl: ",
    ] {
        assert_eq!(answer.err.lines().filter(|found| found.starts_with(line)).count(), 1, "{line}: {answer}");
    }
    let answer = folder.run(&format!("check {inputs} --format json")).exits(2).json();
    let files: Vec<&str> =
        answer["unread"].as_array().unwrap().iter().map(|unread| unread["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["strange.txt", "absent.hlsl", "broken.hlsl", "damaged.o"]);
    assert_eq!(answer["pairs"][0]["outcome"], "differ");
    let answer = folder.run(&format!("check {inputs} --format junit")).exits(2);
    assert_eq!((answer.out.matches("<failure").count(), answer.out.matches("<error").count()), (1, 4), "{answer}");
    let answer = folder.run(&format!("check {inputs} --format github")).exits(2);
    assert_eq!(answer.out.lines().count(), 6, "{answer}");
}

/// Files that include a faulty one share its line, with the macros that any of them asks for.
#[test]
fn a_fault_of_an_included_file_is_one_line() {
    let shader = "cbuffer Frame { float a, b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a, b; } frame;") else { return };
    folder.write("common.hlsli", b"#ifndef COUNT\n#error COUNT is not defined\n#endif\n");
    folder.write("b.hlsl", b"#include \"common.hlsli\"\ncbuffer B { float a; };\n");
    folder.write("rate.hlsli", b"#ifndef RATE\n#error RATE is not defined\n#endif\n");
    folder.write("c.hlsl", b"#include \"common.hlsli\"\n#include \"rate.hlsli\"\ncbuffer C { float a; };\n");
    folder.write("d.hlsl", b"#include \"absent.hlsli\"\ncbuffer D { float a; };\n");
    let inputs = "a.hlsl b.hlsl c.hlsl d.hlsl host.o";
    let answer = folder.run(&format!("check {inputs}")).exits(2);
    let text = one_line(&answer);
    assert_eq!(text.matches("Not read ").count(), 2, "{text}");
    let fault = "Not read b.hlsl: common.hlsli:2:1: #error: COUNT is not defined (give the values that your program \
                 defines: -D COUNT=VALUE -D RATE=VALUE) also in 1 file: c.hlsl";
    assert!(text.contains(fault), "{text}");
    let absent = "Not read d.hlsl:1:1: included file `absent.hlsli` not found (name its folder with -I or `include`)";
    assert!(text.contains(absent), "{text}");
    assert!(text.contains("3 files not read"), "{text}");
    assert_eq!(answer.err.lines().filter(|line| line.starts_with("error: ")).count(), 2, "{}", answer.err);

    assert_eq!(one_line(&folder.run(&format!("check {inputs} -v")).exits(2)).matches("Not read ").count(), 3);
    let answer = folder.run(&format!("check {inputs} --format json")).exits(2).json();
    assert_eq!(answer["unread"].as_array().unwrap().len(), 3);
    let answer = folder.run(&format!("check {inputs} --format junit")).exits(2);
    let count = |words: &str| answer.out.matches(words).count();
    assert_eq!((count("<error"), count("cannot be read for the same reason as b.hlsl")), (2, 1), "{answer}");
    let answer = folder.run(&format!("check {inputs} --format github")).exits(2);
    assert_eq!(answer.out.lines().count(), 3, "{answer}");
}

/// What holds for most blocks is written once, and blocks about which there is nothing else to say are counted.
#[test]
fn many_blocks_fit_on_a_screen() {
    let (mut shader, mut host) = (String::new(), String::new());
    for block in 0..24 {
        writeln!(shader, "cbuffer Frame{block} {{ float4x4 view{block}; float4 tint{block}; }};").unwrap();
        writeln!(host, "struct Frame{block} {{ float view{block}[16], tint{block}[4]; }} frame{block};").unwrap();
        writeln!(shader, "cbuffer Lost{block} {{ float4 sun{block}; }};").unwrap();
    }
    for block in 0..8 {
        writeln!(shader, "cbuffer Cloud{block} {{ float density{block}; float height{block}; }};").unwrap();
        writeln!(host, "struct Weather{block} {{ float density{block}, height{block}; }} weather{block};").unwrap();
    }
    host += "struct Nimbus0 { float density0, height0; } nimbus0;\n";
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    for file in 0..12 {
        folder.write(&format!("broken{file:02}.hlsl"), b"cbuffer Broken { flot a; };\n");
    }
    let broken: Vec<String> = (0..12).map(|file| format!("broken{file:02}.hlsl")).collect();
    let inputs = format!("check a.hlsl host.o {}", broken.join(" "));

    let answer = folder.run(&inputs).exits(2);
    for (line, count) in [
        ("     Agree Frame", 20),
        ("     Agree 11 more blocks; `--verbose` lists them", 1),
        ("is transposed", 0),
        (
            "      note 7 blocks matched by members: no struct has their names, and only one\n           has all of their members\n",
            1,
        ),
        ("      note whether matrices are transposed is not checked in 24 blocks: debug\n", 1),
        ("  No match Lost", 20),
        ("  No match 4 more blocks; `--verbose` lists them", 1),
        ("     maybe `Nimbus0`", 1),
        ("  Not read broken09.hlsl:1:", 1),
        ("  Not read broken10.hlsl", 0),
        ("  Not read 2 more files; `--verbose` lists them", 1),
    ] {
        assert_eq!(answer.out.matches(line).count(), count, "{line}: {answer}");
    }
    assert!(answer.err.contains("error: 12 files could not be read\n"), "{answer}");
    assert!(!answer.err.contains("broken00.hlsl"), "{answer}");

    let answer = folder.run(&format!("{inputs} --verbose")).exits(2);
    for (line, count) in
        [("     Agree ", 31), ("is transposed", 24), ("  No match Lost", 24), ("  Not read broken", 12), ("more", 0)]
    {
        assert_eq!(answer.out.matches(line).count(), count, "{line}: {answer}");
    }
}

#[test]
fn a_warning_about_an_included_file_is_written_once() {
    let shader = "#include \"ext.slang\"\nConstantBuffer<Frame> frame;";
    let Some(folder) = folder_of(("a.slang", shader), "struct Frame { float a[4], b[4]; } f;") else { return };
    folder.write("b.slang", shader.as_bytes());
    folder
        .write("ext.slang", b"struct Frame { float4 a; float4 b; };\nextension Frame { float one() { return 1; } }\n");
    let answer = folder.run("check a.slang b.slang host.o").exits(0);
    assert_eq!(answer.err.matches("an extension adds no members").count(), 1, "{answer}");
}

#[test]
fn a_shader_without_a_buffer_is_no_error() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Frame { float a; };"), "struct Frame { float a; } f;") else {
        return;
    };
    for name in ["b.vert", "c.vert", "d.vert", "e.vert"] {
        folder.write(name, b"#version 450\nvoid main() { gl_Position = vec4(0); }\n");
    }
    assert_eq!(pairs(&folder.run("check a.hlsl b.vert host.o --format json").exits(0)), ["Frame Frame agree"]);
    let answer = folder.run("check a.hlsl b.vert c.vert d.vert e.vert host.o").exits(0);
    answer
        .prints("Summary 1 block agrees with the host")
        .warns("warning: 4 shaders have no buffer: b.vert, c.vert, d.vert and 1 more");
}

/// Each side is written in its own language.
#[test]
fn members_are_shown_in_the_words_of_their_side() {
    let rust = "#[repr(C)] pub struct Light { pub position: [f32; 3], pub color: [f32; 3], pub world: [[f32; 4]; 3] }\n\
                #[no_mangle] pub static LIGHT: Light = Light { position: [0.; 3], color: [0.; 3], world: [[0.; 4]; 3] };";
    let wgsl = "struct Light { position: vec3f, color: vec3f, world: array<vec4f, 3> }\n@group(0) @binding(0) var<uniform> light: Light;";
    let glsl = "#version 450\nlayout(binding = 0) uniform Light { vec3 position; vec3 color; vec4 world[3]; } light;\nvoid main() {}";
    let folder = Folder::with(&[("host.rs", rust), ("a.wgsl", wgsl), ("a.frag", glsl)]);
    if !compiles(&folder, "rustc", "--edition 2021 -g -A warnings --crate-type lib --emit obj host.rs -o host.o") {
        return;
    }
    for (file, shader) in
        [("a.wgsl", ["color: vec3<f32>", "world: array<vec4<f32>, 3>"]), ("a.frag", ["vec3 color", "vec4 world[3]"])]
    {
        let text = folder.run(&format!("check {file} host.o")).exits(1).out;
        let has = |mark: char, words: &str| text.lines().any(|line| line.starts_with(mark) && line.contains(words));
        assert!(has('-', "color: [f32; 3]") && has('+', shader[0]), "{text}");
        let page = folder.run(&format!("check {file} host.o --html page.html"));
        assert_eq!(page.code(), 1);
        let page = folder.read("page.html");
        assert!(page.contains("world: [[f32; 4]; 3]"), "{page}");
        assert!(page.contains(&shader[1].replace('<', "&lt;").replace('>', "&gt;")), "{page}");
    }
}

/// bytemuck 1.25's `Pod` refuses a struct with bytes that no member has: after `x` end 38 of the 48 bytes that the array's
/// stride needs (WGSL, 14.4.1).
#[test]
fn padding_at_the_end_of_a_rust_struct_is_a_member() {
    let rust = "#[repr(C)] pub struct P { pub pos: [f32; 3], pub size: f32, pub vel: [f32; 3], pub age: f32, pub x: [u16; 3] }\n\
                #[no_mangle] pub static P: P = P { pos: [0.; 3], size: 0., vel: [0.; 3], age: 0., x: [0; 3] };";
    let wgsl = "enable f16;\nstruct P { pos: vec3f, size: f32, vel: vec3f, age: f32, x: vec3<f16> }\n\
                @group(0) @binding(0) var<storage> p: array<P>;\n@compute @workgroup_size(1) fn main() { _ = p[0].size; }\n";
    let folder = Folder::with(&[("host.rs", rust), ("a.wgsl", wgsl)]);
    let build = "--edition 2021 -g -A warnings --crate-type lib --emit obj host.rs -o host.o";
    if !compiles(&folder, "rustc", build) {
        return;
    }
    let answer = folder.run("check a.wgsl host.o").exits(1);
    assert!(answer.unwrapped().contains("fix insert 10 bytes at the end of `host::P`"), "{answer}");
    assert!(!answer.out.contains("align(16)"), "{answer}");
    folder.write(
        "host.rs",
        rust.replace("[u16; 3] }\n", "[u16; 3], pub _pad: [u8; 10] }\n")
            .replace("x: [0; 3] }", "x: [0; 3], _pad: [0; 10] }")
            .as_bytes(),
    );
    assert!(compiles(&folder, "rustc", build));
    folder.run("check a.wgsl host.o").exits(0);
}
