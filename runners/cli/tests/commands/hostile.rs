//! Files that no compiler would accept: each is refused with exit code 2 and a message, without a
//! panic and in time.
//!
//! All commands of these tests run with a time limit, and their output is searched for panics.

use std::time::Duration;

use super::folder::Folder;

/// A module from glslang 12.
const MODULE: &[u8] = include_bytes!("../../../../harness/tests/frozen/std140_matrices.spv");

/// Size unit of the large files in bytes.
const MEGABYTE: usize = 1 << 20;

/// The commands that read one file.
fn commands(name: &str) -> [String; 4] {
    [
        format!("show {name}"),
        format!("show {name} --format json --rules std140,scalar"),
        format!("diff {name} std140 scalar"),
        format!("run {name} --rules std140 --device model"),
    ]
}

#[track_caller]
fn refuses(name: &str, bytes: &[u8], message: &str) {
    let folder = Folder::with(&[]);
    folder.write(name, bytes);
    for words in commands(name) {
        let answer = folder.run(&words).exits(2);
        assert!(answer.err.contains(message), "no `{message}` in {answer}");
        assert!(answer.err.len() < 64 << 10, "{} bytes of diagnostics", answer.err.len());
    }
}

/// Asserts that `show` refuses the file with this message, and that `diff` and `run` refuse it too.
#[track_caller]
fn does_not_show(name: &str, bytes: &[u8], message: &str) {
    // Without glslang, naga reads GLSL.
    let folder = Folder::with(&[]).with_variable("GLSLANG", "none");
    folder.write(name, bytes);
    let answer = folder.run(&format!("show {name}")).exits(2);
    assert!(answer.err.contains(message), "no `{message}` in {answer}");
    folder.run(&format!("diff {name} std140 scalar")).exits(2);
    folder.run(&format!("run {name} --device model")).exits(2);
}

#[test]
fn brackets_without_end() {
    for bracket in ["{", "<", "}([{"] {
        refuses("a.hlsl", bracket.repeat(MEGABYTE / bracket.len()).as_bytes(), "a.hlsl:1:1");
    }
}

#[test]
fn brackets_inside_a_declaration() {
    let inside = format!("cbuffer S {{ float a[{}1", "(".repeat(MEGABYTE));
    refuses("a.hlsl", inside.as_bytes(), "never closed");
    let closed = format!("cbuffer S {{ float a[{}1{}]; }};", "(".repeat(MEGABYTE / 2), ")".repeat(MEGABYTE / 2));
    refuses("a.slang", closed.as_bytes(), "too-deep");
}

#[test]
fn generics_and_structs_without_bottom() {
    let generic = "template<typename T> struct G { G<G<T> >* next; G<G<T> > deep; }; cbuffer S { G<int> g; };";
    let folder = Folder::with(&[("a.hlsl", generic)]);
    folder.run("show a.hlsl").exits(2);
    let levels: String = (1..3000).fold("struct S0 { float a; };\n".to_owned(), |text, level| {
        text + &format!("struct S{level} {{ S{} a, b; }};\n", level - 1)
    });
    refuses("b.hlsl", format!("{levels}cbuffer C {{ S2999 s; }};").as_bytes(), "members at all depths, more than 2^16");
}

#[test]
fn text_that_is_no_text() {
    refuses("a.hlsl", b"cbuffer S { float \xFF\xFE; };", "a.hlsl: line 1, column 19: byte 0xFF is not valid UTF-8");
    refuses("a.toml", b"schema = \xFF", "a.toml: not UTF-8 text");
    does_not_show("a.wgsl", b"\xFF", "a.wgsl: line 1, column 1: byte 0xFF is not valid UTF-8");
}

#[test]
fn files_that_do_not_exist() {
    let folder = Folder::with(&[]);
    for words in ["a.hlsl", "a.slang", "a.toml"].iter().flat_map(|name| commands(name)) {
        folder.run(&words).exits(2).warns("error: reading a.");
    }
    for name in ["a.spv", "a.wgsl", "a.glsl"] {
        folder.run(&format!("show {name}")).exits(2).warns(&format!("error: reading {name}:"));
    }
}

#[test]
fn a_folder_in_place_of_a_file() {
    let folder = Folder::with(&[]);
    std::fs::create_dir(folder.path("a.hlsl")).unwrap();
    folder.run("show a.hlsl").exits(2).warns("error: reading a.hlsl:");
}

#[test]
fn binary_and_empty_files() {
    refuses("empty.hlsl", b"", "nothing to lay out");
    refuses("empty.toml", b"", "`schema` is missing");
    refuses("nul.hlsl", &[0; 4096], "unexpected-token");
    refuses("module.hlsl", b"\x03\x02\x23\x07 and so on", "unexpected-token");
    does_not_show("empty.glsl", b"", "bad-module");
}

/// SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction": a truncated module
/// is never valid.
#[test]
fn modules_that_are_cut_short() {
    let folder = Folder::with(&[]);
    folder.write("whole.spv", MODULE);
    folder.run("show whole.spv").exits(0).prints("storage-block i runtime-sized, as o");
    for length in [0, 3, 4, 19, 20, 200, 203, 1000, MODULE.len() / 2, MODULE.len() - 4, MODULE.len() - 1] {
        folder.write("cut.spv", &MODULE[..length]);
        let cut = folder.run("show cut.spv").exits(2);
        assert!(cut.err.contains("[bad-module]"), "{cut}");
    }
}

#[test]
fn modules_that_are_none() {
    does_not_show("a.spv", b"this is no module at all", "magic number is 0x73696874, not 0x07230203");
    let mut unbounded = MODULE.to_vec();
    // The length of the first instruction, after the header of 20 bytes.
    unbounded[22..24].copy_from_slice(&[0xFF, 0xFF]);
    does_not_show("b.spv", &unbounded, "an instruction of 65535 words");
    unbounded[22..24].copy_from_slice(&[0, 0]);
    does_not_show("b.spv", &unbounded, "an instruction of 0 words");
}

/// A module in the other byte order is valid too.
#[test]
fn a_module_of_the_other_byte_order_is_read() {
    let folder = Folder::with(&[]);
    let swapped: Vec<u8> = MODULE.chunks_exact(4).flat_map(|word| word.iter().rev().copied()).collect();
    folder.write("little.spv", MODULE);
    folder.write("big.spv", &swapped);
    let [little, big] = ["little", "big"].map(|name| folder.run(&format!("show {name}.spv")).exits(0).out);
    assert_eq!(little, big);
}

/// Offsets and strides that no compiler writes: the validator may refuse the resulting shaders, but
/// nothing may panic.
#[test]
fn a_module_with_impossible_decorations_is_run_to_its_end() {
    /// Opcodes with their decorations, and the word of the number: SPIR-V, 3.20 Decoration and 3.52.3 Annotation
    /// Instructions.
    const NUMBERS: [(u32, usize, [u32; 2]); 2] = [(71, 2, [6, 6]), (72, 3, [35, 7])];
    let words: Vec<u32> = MODULE.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let mut places = Vec::new();
    let mut place = 5;
    while place < words.len() {
        let (opcode, length) = (words[place] & 0xFFFF, (words[place] >> 16) as usize);
        let is_number = |(op, at, kinds): &(u32, usize, [u32; 2])| *op == opcode && kinds.contains(&words[place + at]);
        places.extend(NUMBERS.iter().filter(|number| is_number(number)).map(|(_, at, _)| place + at + 1));
        place += length;
    }
    assert!(places.len() > 10, "{places:?}");
    let folder = Folder::with(&[]);
    for value in [0, 3, 0x7FFF_FFFC, 0xFFFF_FFFF] {
        let mut words = words.clone();
        for place in &places {
            words[*place] = value;
        }
        folder.write("a.spv", &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
        folder.run("show a.spv").exits(0);
        let answer = folder.run("run a.spv --device model");
        assert!(answer.out.contains(" check"), "{answer}");
    }
}

/// GLSL with these lines before a block that can be shown.
fn glsl(lines: &str) -> String {
    format!("#version 450\n{lines}\nlayout(std140, binding=0) uniform U {{ float a; }} u; void main() {{}}\n")
}

/// WGSL with these lines before a variable that can be shown.
fn wgsl(lines: &str) -> String {
    format!("{lines}\n@group(0) @binding(0) var<uniform> u: f32;\n")
}

/// `#define`s, each of which doubles the previous one, up to 2^20 tokens.
fn doubling() -> String {
    let define = |level: u32| format!("#define A{level} A{0}+A{0}\n", level - 1);
    format!("#define A0 1\n{}", (1..=20).map(define).collect::<String>())
}

/// Texts a little beyond our limits, which keep larger ones from naga's readers: those overflow the stack, fill the
/// memory or take minutes there.
#[test]
fn texts_beyond_our_limits_are_refused_at_their_place() {
    let (many, sum) = (1_002, vec!["1"; 8_194].join("+"));
    let nested = |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(many), close.repeat(many));
    let main = |body: &str| glsl("").replace("main() {}", &format!("main() {{ {body} }}"));
    let [long, deep] = ["limit-exceeded", "too-deep"];

    let huge = "#version 450\nlayout(binding=0) uniform U { float l[16384][16385]; } u; void main(){}\n";
    does_not_show("a.glsl", huge.as_bytes(), long);
    does_not_show("a.glsl", glsl(&format!("{}const int n = A20;", doubling())).as_bytes(), long);
    does_not_show("a.glsl", glsl(&format!("const int n = {sum};")).as_bytes(), "error: a.glsl:2:16398");
    does_not_show("a.glsl", glsl(&format!("const int n = {};", nested("(", "1", ")"))).as_bytes(), deep);
    does_not_show("a.glsl", main(&nested("{", "", "}")).as_bytes(), deep);
    does_not_show("a.glsl", main(&nested("if (true) {} else ", "{}", "")).as_bytes(), long);
    does_not_show("a.glsl", main(&nested("if (true) ", ";", "")).as_bytes(), deep);
    does_not_show("a.glsl", main(&format!("float x = u{};", ".a".repeat(8_193))).as_bytes(), long);
    for directive in ["pragma", "define Q", "error", "line"] {
        let quotes = format!("#{directive} {}", "\"".repeat(65));
        does_not_show("a.glsl", glsl(&quotes).as_bytes(), long);
    }

    does_not_show("a.wgsl", wgsl(&format!("const n = {sum};")).as_bytes(), long);
    does_not_show("a.wgsl", wgsl(&format!("const n = {};", nested("(", "1", ")"))).as_bytes(), deep);
    does_not_show("a.wgsl", wgsl(&format!("fn f() {{ {} }}", nested("{", "", "}"))).as_bytes(), deep);
    let elses = format!("fn f() {{ {} }}", nested("if true {} else ", "{}", ""));
    does_not_show("a.wgsl", wgsl(&elses).as_bytes(), long);
    does_not_show("a.wgsl", wgsl(&format!("fn f() {{ let x = u{}; }}", ".a".repeat(8_193))).as_bytes(), long);
    let arrays = format!("alias A = {};", nested("array<", "f32", ", 1>"));
    does_not_show("a.wgsl", wgsl(&arrays).as_bytes(), deep);
    let levels = format!("layout(binding=1) buffer B {{ float b{}; }};", "[1]".repeat(65));
    does_not_show("a.glsl", glsl(&levels).as_bytes(), "is nested more than 64 ");
}

#[test]
fn modules_that_are_huge() {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 100, 0];
    // OpCapability Matrix a hundred thousand times: rspirv keeps each, and the module has nothing
    // else.
    words.extend([0x0002_0011, 0].repeat(100_000));
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    does_not_show("a.spv", &bytes(&words), "no memory model");
    words.resize((1 << 22) + 1, 0);
    does_not_show("b.spv", &bytes(&words), "the module has 4194305 words, more than 4194304");
}

/// Our own readers get the same texts.
#[test]
fn long_and_deep_texts_are_refused_or_read_in_hlsl_and_slang() {
    let (many, sum) = (10_000, vec!["1"; 10_000].join("+"));
    let nested = |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(many), close.repeat(many));
    for lines in [
        "cbuffer V { float l[1<<30][2]; };".to_owned(),
        format!("{}static const int n = A20; float m[n];", doubling()),
        format!("static const int n = {sum}; float m[n];"),
        format!("static const int n = {}; float m[n];", nested("(", "1", ")")),
        format!("void f() {{ {} }}", nested("{", "", "}")),
        format!("void f() {{ {} }}", nested("if (true) {} else ", "{}", "")),
        format!("void f() {{ {} }}", nested("if (true) ", ";", "")),
        format!("float f() {{ return u{}; }}", ".a".repeat(many)),
        format!("#pragma {}", "\"".repeat(100_000)),
        format!("#define Q {}", "\"".repeat(100_000)),
        format!("cbuffer V {{ float l{}; }};", "[1]".repeat(many)),
    ] {
        for name in ["a.hlsl", "a.slang"] {
            let folder = Folder::with(&[]);
            folder.write(name, format!("{lines}\ncbuffer S {{ float a; }};\n").as_bytes());
            let answer = folder.run(&format!("show {name} --rules std140"));
            assert!([0, 2].contains(&answer.code()), "{answer}");
            assert!(answer.err.len() < 64 << 10, "{} bytes of diagnostics", answer.err.len());
        }
    }
}

/// A case that agrees under std140.
const CASE: &str = "schema = 1\nsummary = \"a float is at byte 0\"\ndeclare = \"cbuffer S { float a; };\"\n\
    [expect.std140]\nauthority = { spec = \"OpenGL 4.6, 7.6.2.2\" }\npartial = true\noffsets = { \"S.a\" = 0 }\n";

/// A control character that a terminal obeys; tests look for it in everything that is printed.
const ESCAPE: char = '\u{1b}';

#[cfg(unix)]
fn make_pipe(folder: &Folder, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(folder.path(name)).status().unwrap();
    assert!(made.success());
}

/// Wherever a user can name a file, a pipe is refused at once, without waiting for a writer.
#[cfg(unix)]
#[test]
fn pipes_are_no_files() {
    let folder = Folder::with(&[("good.hlsl", "#include \"pipe.h\"\n"), ("good.toml", CASE)]);
    for name in ["a.hlsl", "a.toml", "a.spv", "a.wgsl", "a.glsl", "list", "pipe.h"] {
        make_pipe(&folder, name);
    }
    for words in ["show a.hlsl", "run a.hlsl", "show a.toml", "show a.spv", "show a.wgsl", "show a.glsl", "report list"]
    {
        folder.run(words).exits(2).warns("error: reading ");
    }
    for list in ["--known list", "--floors list", "--caselist list", "--cases list", "--resume list"] {
        let answer = folder.run(&format!("run good.toml --device model {list}")).exits(2);
        assert!(answer.err.contains("reading list: a pipe is not a regular file"), "{answer}");
    }
    let answer = folder.run("show good.hlsl").exits(2);
    assert!(answer.err.contains("cannot read `pipe.h`: a pipe is not a regular file"), "{answer}");

    // A pipe in a folder of cases or of lists.
    std::fs::create_dir(folder.path("folder")).unwrap();
    make_pipe(&folder, "folder/a.toml");
    for words in ["list --cases folder", "run good.toml --device model --known folder"] {
        let answer = folder.run(words).exits(2);
        assert!(answer.err.contains("reading folder/a.toml: a pipe is not a regular file"), "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_kernel_makes_up_is_no_file() {
    let include = "#include \"/proc/self/environ\"\ncbuffer S { float a; };";
    let folder = Folder::with(&[("a.hlsl", include)]).with_variable("LAYOUTPROOF_SECRET", "swordfish");
    for words in ["show a.hlsl", "show a.hlsl -I /proc", "show a.hlsl --format json"] {
        let answer = folder.run(words).exits(2);
        assert!(!answer.err.contains("swordfish") && !answer.out.contains("swordfish"), "{answer}");
        assert!(answer.err.contains("a.hlsl:1:"), "{answer}");
    }
    let answer = folder.run("show a.hlsl -I /proc").exits(2);
    assert!(answer.err.contains("made up by the kernel (procfs)"), "{answer}");

    for (name, target) in [("b.hlsl", "/proc/self/environ"), ("b.toml", "/proc/self/pagemap"), ("b.spv", "/dev/zero")] {
        std::os::unix::fs::symlink(target, folder.path(name)).unwrap();
        folder.run(&format!("show {name}")).exits(2).warns(&format!("error: reading {name}:"));
    }
    folder.run("report /dev/zero").exits(2).warns("error: reading /dev/zero: a device is not a regular file");
}

/// Files next to the shader, in its project and in folders of `-I` are included; the refusal of
/// others names the `-I` that would allow them.
#[test]
fn files_of_the_project_are_included_and_no_others() {
    let user = "#include \"../common/a.h\"\ncbuffer S { A a; };";
    let outside = "#include \"../../secret.h\"\ncbuffer S { A a; };";
    let module = "import \"../../secret\";\ncbuffer S { float a; };";
    let folder = Folder::with(&[("secret.h", "struct A { float secret; };"), ("secret.slang", "int secret;")]);
    for name in ["project/.git", "project/shaders", "project/common"] {
        std::fs::create_dir_all(folder.path(name)).unwrap();
    }
    folder.write("project/common/a.h", b"struct A { float a; };");
    folder.write("project/shaders/a.hlsl", user.as_bytes());
    folder.write("project/shaders/b.hlsl", outside.as_bytes());
    folder.write("project/shaders/c.slang", module.as_bytes());

    folder.run("show project/shaders/a.hlsl --rules std140").exits(0);
    for name in ["b.hlsl", "c.slang"] {
        let answer = folder.run(&format!("show project/shaders/{name} --rules std140")).exits(2);
        let words: String = answer.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.contains("it is outside of the project") && words.contains("allows it"), "{answer}");
        assert!(words.contains(&format!("{name}:1:1")) && words.contains("-I "), "{answer}");
    }
    folder.run("show project/shaders/b.hlsl --rules std140 -I .").exits(0);
    // Without a project, the working folder counts as one.
    std::fs::remove_dir(folder.path("project/.git")).unwrap();
    folder.run("show project/shaders/b.hlsl --rules std140").exits(0);
}

#[cfg(unix)]
#[test]
fn folders_that_hold_themselves_are_searched_once() {
    let folder = Folder::with(&[]);
    std::fs::create_dir_all(folder.path("mine/inner")).unwrap();
    folder.write("mine/inner/one.toml", CASE.as_bytes());
    for (name, target) in [("mine/a", ".."), ("mine/loop", "."), ("mine/inner/up", "../../mine")] {
        std::os::unix::fs::symlink(target, folder.path(name)).unwrap();
    }
    let answer = folder.run("list one --cases mine").exits(0);
    assert_eq!(answer.out.matches("inner/one").count(), 1, "{answer}");

    let deep = folder.path("deep").join("d/".repeat(80));
    std::fs::create_dir_all(deep).unwrap();
    let answer = folder.run("list one --cases deep").exits(2);
    assert!(answer.err.contains("nested more than 64 deep"), "{answer}");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = Folder::with(&[]);
    let warning = "#warning \u{1b}]0;x\u{7}\u{202e}\ncbuffer S { float a; };";
    folder.write("a.hlsl", warning.as_bytes());
    folder.write("b.hlsl", "cbuffer S { nope\u{1b}[2J a; };".as_bytes());
    folder.write("c.toml", format!("{CASE}\"\\u001b]0;x\" = 1\n").as_bytes());
    for (words, code) in [("show a.hlsl", 0), ("show b.hlsl", 2), ("show c.toml", 2), ("show a.hlsl --color always", 0)]
    {
        let answer = folder.run(words).exits(code);
        let foreign = answer.err.replace("\u{1b}[", "");
        let text = if words.contains("color") { &foreign } else { &answer.err };
        assert!(!text.contains([ESCAPE, '\u{7}', '\u{202e}']), "{:?}", answer.err);
        assert!(answer.err.contains("\\u{1b}"), "{answer}");
    }
    let answer = folder.run("show a.hlsl --format json --rules std140").exits(0);
    assert!(!answer.out.contains(['\u{7f}', '\u{202e}']), "{:?}", answer.out);
    assert!(answer.json()["warnings"][0]["message"].as_str().unwrap().contains('\u{202e}'));
}

#[cfg(unix)]
#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let folder = Folder::with(&[]);
    for (name, text) in [("\u{1b}]0;x.hlsl", "cbuffer S { nope a; };"), ("\u{1b}[2J.toml", CASE)] {
        folder.write(name, text.as_bytes());
    }
    for words in [
        "show \u{1b}]0;x.hlsl",
        "show \u{1b}]0;none.hlsl",
        "run \u{1b}[2J.toml --device model -v --json r.jsonl",
        "report r.jsonl -v",
        "list J --cases .",
    ] {
        let answer = folder.run(words);
        assert!(!answer.err.contains(ESCAPE) && !answer.out.contains(ESCAPE), "{words:?}: {:?}", answer.out);
    }
}

/// `count` lines, made from their index.
fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// Each of these took from half a minute to hours, because every problem cost as much as the whole
/// file.
#[test]
fn files_full_of_problems() {
    let folder = Folder::with(&[]).within(Duration::from_secs(60));
    let broken = repeated(200_000, |index| format!("a{index}, "));
    let unknown = repeated(300_000, |index| format!("k{index} = 1\n"));
    let rejects = repeated(50_000, |index| format!("[[reject]]\ncode = \"x{index}\"\n"));
    for (name, text, more) in [
        ("inline.toml", format!("{CASE}x = {{ {broken} }}\n"), "more problems"),
        ("unknown.toml", format!("{unknown}{CASE}"), "and 299980 more problems not shown"),
        ("rejects.toml", format!("{CASE}{rejects}"), "and 49980 more problems not shown"),
    ] {
        folder.write(name, text.as_bytes());
        let answer = folder.run(&format!("show {name} --rules std140")).exits(2);
        assert!(answer.err.contains(more), "no `{more}` in {answer}");
        assert!(answer.err.len() < 64 << 10, "{} bytes of diagnostics", answer.err.len());
    }
    let answer = folder.run("show unknown.toml --format json").exits(2).json();
    assert_eq!(answer["errors"].as_array().unwrap().len(), 1000);
    assert_eq!(answer["left_out"], 299_000);
}

/// The table of several rule sets once searched all members for each member.
#[test]
fn blocks_of_many_members() {
    let members = repeated(30_000, |index| format!("float4x4 m{index};\n"));
    let folder = Folder::with(&[]).within(Duration::from_secs(60));
    folder.write("a.hlsl", format!("cbuffer S {{ {members} }};").as_bytes());
    folder.run("show a.hlsl").exits(0);
}

#[test]
fn lists_of_many_lines() {
    let folder = Folder::with(&[("a.toml", CASE)]).within(Duration::from_secs(60));
    let known = repeated(20_000, |index| format!("[[known]]\ncase = \"x/{index}\"\nreason = \"r\"\n"));
    let trials = repeated(100_000, |index| format!("x::{index}::std140::naga::model::model\n"));
    folder.write("known.toml", known.as_bytes());
    folder.write("trials", trials.as_bytes());
    folder.run("run a.toml --device model --known known.toml").exits(0);
    let answer = folder.run("run a.toml --device model --caselist trials").exits(2);
    assert!(answer.err.contains("and 99980 more"), "{answer}");
}
