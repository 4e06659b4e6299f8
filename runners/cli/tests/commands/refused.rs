//! Refused inputs and their messages: exit code 2, places from 1, codes of the contract.

use serde_json::{Value, json};

use super::folder::{Answer, Folder, keys};

/// Shows a file as JSON, which must be refused, and returns the errors.
#[track_caller]
fn errors(name: &str, text: &str) -> Vec<(u64, u64, String)> {
    let answer = Folder::with(&[(name, text)]).run(&format!("show {name} --format json")).exits(2);
    let shown = answer.json();
    assert_eq!(keys(&shown), ["errors", "schema", "source", "warnings"]);
    assert_eq!((&shown["schema"], &shown["source"]), (&json!(1), &json!(name)));
    let error = |error: &Value| {
        assert_eq!(keys(error), ["code", "column", "line", "message"]);
        // Standard error has the diagnostic for people, with the same place.
        let place = format!("[{name}:{}:{}]", error["line"], error["column"]);
        assert!(answer.err.contains(&place), "no {place} in {answer}");
        (error["line"].as_u64().unwrap(), error["column"].as_u64().unwrap(), error["code"].as_str().unwrap().to_owned())
    };
    shown["errors"].as_array().unwrap().iter().map(error).collect()
}

fn one(line: u64, column: u64, code: &str) -> Vec<(u64, u64, String)> {
    vec![(line, column, code.to_owned())]
}

#[test]
fn an_unknown_type() {
    assert_eq!(errors("a.hlsl", "cbuffer S {\n    Unknown u;\n};"), one(2, 5, "unknown-type"));
}

/// Columns count characters, not bytes.
#[test]
fn a_column_behind_characters_of_several_bytes() {
    assert_eq!(errors("a.hlsl", "/* äöü€𝄞 */ cbuffer S { Unknown u; };"), one(1, 25, "unknown-type"));
}

#[test]
fn a_struct_that_contains_itself_directly_or_not() {
    assert_eq!(errors("a.hlsl", "struct A { A a; }; cbuffer S { A a; };"), one(1, 12, "cyclic-struct"));
    let text = "struct B;\nstruct A { B b; };\nstruct B { A a; };\ncbuffer S { A a; };";
    let found = errors("a.slang", text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].2, "cyclic-struct");
}

#[test]
fn an_array_of_two_to_the_31_elements() {
    assert_eq!(errors("a.hlsl", "cbuffer S { float a[2147483648]; };"), one(1, 20, "too-large"));
    assert_eq!(errors("a.hlsl", "cbuffer S { float a[1u << 31]; };"), one(1, 20, "too-large"));
}

/// wg-hlsl INF-0003, packoffset: a vector may not cross a register.
#[test]
fn a_packoffset_across_a_register() {
    let text = "cbuffer S {\n  float3 a : packoffset(c0.z);\n};";
    assert_eq!(
        errors("a.hlsl", text).iter().map(|error| error.2.as_str()).collect::<Vec<_>>(),
        ["packoffset-crosses-register"]
    );
}

#[test]
fn all_errors_of_a_file_at_once() {
    let found = errors("a.hlsl", "cbuffer S { Unknown u; };\ncbuffer T { float a[N]; };\ncbuffer S2 { Other o; };");
    let places: Vec<(u64, &str)> = found.iter().map(|(line, _, code)| (*line, code.as_str())).collect();
    assert_eq!(places, [(1, "unknown-type"), (2, "unknown-constant"), (3, "unknown-type")]);
}

#[test]
fn nothing_declared() {
    assert_eq!(errors("a.hlsl", ""), one(1, 1, "nothing-declared"));
    assert_eq!(errors("a.slang", " "), one(1, 1, "nothing-declared"));
    assert_eq!(errors("a.wgsl", ""), one(1, 1, "nothing-declared"));
}

/// Nothing was read, so the place is the first one; the message is the one on standard error.
#[test]
fn what_cannot_be_read_or_laid_out_is_told_to_programs_too() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float a; };"), ("a.wgsl", "var<private> a: f32;")]);
    for (words, code) in [
        ("absent.hlsl", "unreadable"),
        ("absent.spv", "unreadable"),
        ("absent.toml", "unreadable"),
        ("absent", "unreadable"),
        ("vectors/", "unreadable"),
        ("a.hlsl --rules std141", "unknown-rules"),
        ("a.hlsl --rules declared", "unknown-rules"),
        ("a.wgsl --rules std140", "unknown-rules"),
    ] {
        let answer = folder.run(&format!("show {words} --format json")).exits(2);
        let shown = answer.json();
        assert_eq!(keys(&shown), ["errors", "schema", "source", "warnings"]);
        let [error] = shown["errors"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        assert_eq!(
            (&error["line"], &error["column"], &error["code"]),
            (&json!(1), &json!(1), &json!(code)),
            "{answer}"
        );
        assert_eq!(answer.err, format!("error: {}\n", error["message"].as_str().unwrap()));
        assert_eq!(folder.run(&format!("show {words}")).exits(2).out, "");
    }
}

/// The JSON names line and column of a byte that is in no encoding.
#[test]
fn programs_get_the_place_of_a_byte_that_is_no_text() {
    let folder = Folder::with(&[]);
    for (bytes, place) in [
        (b"float4 \xE9a;".as_slice(), (1, 8)),
        (b"// \xE9\ncbuffer C { float4 \xE9; };", (2, 20)),
        (b"\xFF\xFEc\0\n\0\x00\xD8", (2, 1)),
    ] {
        folder.write("a.hlsl", bytes);
        let shown = folder.run("show a.hlsl --format json").exits(2).json();
        let error = &shown["errors"][0];
        assert_eq!((&error["line"], &error["column"]), (&json!(place.0), &json!(place.1)), "{error}");
    }
}

/// A file with only textures declares parameters, but none that holds bytes.
#[test]
fn a_file_without_blocks_is_not_refused() {
    let shown = Folder::with(&[("a.hlsl", "Texture2D t;")]).run("show a.hlsl --format json --rules std140").exits(0);
    assert_eq!(shown.json()["layouts"], json!([{"rules": "std140", "blocks": []}]));
}

#[test]
fn wgsl_and_glsl_that_their_front_ends_refuse() {
    assert_eq!(errors("a.wgsl", "struct S { a: Unknown };"), one(1, 15, "bad-module"));
    let found = errors("a.glsl", "#version 450\nlayout(binding = 0) uniform S { unknown a; };\nvoid main() {}\n");
    assert_eq!((found[0].0, found[0].2.as_str()), (2, "bad-module"));
}

/// Six mistakes, each in a separate line of the case file.
const MISTAKEN: &str = r#"schema = 3
summary = "six mistakes at once"
colour = "red"
declare = """
cbuffer S { float3 a; float b[2]; };
"""
matrix = "diagonal"

[expect.std140]
offsets = { "S.a" = 0, "S.b" = -16 }
strides = { "S.b" = 16 }
sizes = { "S" = 48 }

[expect.scalar]
authority = { spec = "GL_EXT_scalar_block_layout" }
offsets = { "S.a" = 0, "S.b" = 12 }
strides = { "S.b" = 4 }
sizes = { "S" = 20 }
partially = true
"#;

/// Mistakes that only the layout of the declarations reveals.
const MISPLACED: &str = r#"schema = 1
summary = "numbers for what is not declared, and none for what is"
declare = """
cbuffer S { float3 a; float b[2]; };
"""

[expect.std140]
authority = { spec = "OpenGL 4.6, 7.6.2.2" }
offsets = { "S.a" = 0, "S.c" = 16 }
strides = { "S.b" = 16 }
sizes = { "S" = 48 }

[expect.std141]
authority = { spec = "OpenGL 4.6, 7.6.2.2" }
offsets = { "S.a" = 0 }
partial = true
"#;

#[test]
fn every_mistake_of_every_case_is_reported_before_anything_runs() {
    let folder = Folder::with(&[("a.toml", MISTAKEN), ("b.toml", MISPLACED)]);
    let first = folder.run("run a.toml --device model").exits(2);
    let mistakes = [
        ("1:1", "schema is 3"),
        ("3:1", "unknown key `colour`"),
        ("7:10", "`matrix` is \"row\" or \"column\""),
        ("9:9", "`std140` names no authority"),
        ("10:32", "expected a number from 0 to 4294967295, found -16"),
        ("19:1", "unknown key `partially`"),
    ];
    for (place, message) in mistakes {
        assert!(first.err.contains(&format!("[a.toml:{place}]")), "{place} in {first}");
        assert!(first.err.contains(message), "{message} in {first}");
    }
    assert_eq!(first.err.matches("error: ").count(), mistakes.len(), "{first}");
    assert_eq!(first.out, "");
    let second = folder.run("run b.toml --device model").exits(2);
    for message in ["`S.c` is not declared", "leaves out the offset of `S.b`", "no rule set is called `std141`"] {
        assert!(second.err.contains(message), "{message} in {second}");
    }
    let both = folder.run("run a.toml b.toml --device model").exits(2);
    assert_eq!(both.err.matches("error: ").count(), mistakes.len() + 3, "{both}");
}

/// A rule set does not refuse or warn although the case expects it to.
#[test]
fn an_expected_word_of_a_rule_set_that_does_not_come() {
    let case = |declare: &str, table: &str| {
        format!(
            "schema = 1\nsummary = \"what a rule set says\"\ndeclare = \"\"\"\n{declare}\n\"\"\"\n\n[expect.hlsl-cbuffer]\n\
             authority = {{ spec = \"INF-0003\" }}\noffsets = {{ \"S.a\" = 0 }}\npartial = true\n\n{table}\n"
        )
    };
    let plain = "cbuffer S { float a; };";
    let moved = "struct P { [[vk::offset(4)]] float a; };\nConstantBuffer<P> S;";
    let warn = |rules: &str, message: &str| format!("[[warn]]\nrules = \"{rules}\"\nmessage = \"{message}\"");
    let reject = "[[reject]]\nrules = \"std140\"\nmessage = \"no such\"".to_owned();
    for (declare, table, said) in [
        (plain, warn("hlsl-cbuffer", "is ignored"), "`hlsl-cbuffer` does not warn of this"),
        (plain, warn("std140", "is ignored"), "`std140` does not warn of this"),
        (moved, warn("hlsl-cbuffer", "is honoured"), "(message with \"is honoured\" expected)"),
        (plain, reject, "`std140` does not refuse this"),
    ] {
        let folder = Folder::with(&[("a.toml", &case(declare, &table))]);
        let refused = folder.run("run a.toml --device model").exits(2);
        assert!(refused.err.contains(said) && refused.err.matches("error: ").count() == 1, "{said} in {refused}");
    }
    let folder = Folder::with(&[("a.toml", &case(moved, &warn("hlsl-cbuffer", "[[vk::offset]] is ignored")))]);
    folder.run("run a.toml --device model").exits(0);
}

#[test]
fn a_mistake_in_any_case_keeps_list_from_listing() {
    let folder = Folder::with(&[("a.toml", MISTAKEN)]);
    folder.run("list --cases a.toml").exits(2).warns("error: schema is 3");
}

/// A table without a number expects nothing, and an authority without a name is not one.
#[test]
fn a_case_that_claims_nothing_is_refused() {
    let spec = "authority = { spec = \"OpenGL 4.6, 7.6.2.2\" }";
    let blank =
        |authority: &str| format!("[expect.std140]\nauthority = {authority}\nsizes = {{ S = 4 }}\npartial = true");
    for (table, line, message) in [
        (format!("[expect.std140]\n{spec}\npartial = true"), 4, "`std140` has no number, so it expects nothing"),
        (format!("[expect.std140]\n{spec}\npartial = true\noffsets = {{}}"), 4, "`std140` has no number"),
        (
            format!("[bind.d3d12.dxc]\n{spec}\npartial = true"),
            4,
            "[bind.d3d12.dxc] is partial and names no parameter, so it expects nothing",
        ),
        (blank("{ spec = \" \" }"), 5, "`spec` of an authority is blank"),
        (blank("{ document = \"\" }"), 5, "`document` of an authority is blank"),
        (blank("{ compiler = \"\", version = \"1\" }"), 5, "`compiler` of an authority is blank"),
        (blank("{ compiler = \"dxc\", version = \" \" }"), 5, "`version` of an authority is blank"),
    ] {
        let case = format!("schema = 1\nsummary = \"One float.\"\ndeclare = \"cbuffer S {{ float a; }};\"\n{table}\n");
        let answer = Folder::with(&[("a.toml", &case)]).run("run a.toml --device model").exits(2);
        assert!(
            answer.err.contains(message) && answer.err.contains(&format!("[a.toml:{line}:")),
            "{message} in {answer}"
        );
    }
}

#[test]
fn lists_of_known_differences_and_floors_are_read_as_strictly() {
    let folder = Folder::with(&[
        ("known.toml", "[[known]]\ndevise = \"model\"\n"),
        ("floors.toml", "[[floor]]\ndevice = \"model\"\nrunner = \"model\"\nproves = \"much\"\nleaves = 1\n"),
    ]);
    let words = "run scalar_packs_behind --rules std140 --device model";
    let known = folder.run(&format!("{words} --known known.toml")).exits(2).warns("error: unknown key `devise`");
    assert!(known.err.contains("[known.toml:2:1]") && known.err.contains("`reason` is missing"), "{known}");
    folder.run(&format!("{words} --floors floors.toml")).exits(2).warns("error: `proves` is one of \"decorations\"");
    folder.run(&format!("{words} --floors floors.toml")).exits(2).warns("error: `runner` is one of \"ash\", \"wgpu\"");
    folder.run(&format!("{words} --known absent.toml")).exits(2).warns("error: reading absent.toml:");
}

/// With `--format json`, a command prints JSON even if it fails: the errors with their places.
/// People get the message too.
#[test]
fn programs_are_told_why_check_and_diff_have_no_answer() {
    let folder = Folder::with(&[("bad.hlsl", "cbuffer S { flot a; };"), ("a.hlsl", "cbuffer S { float a; };")]);
    for (words, source, code) in [
        ("diff bad.hlsl std140 std430", "bad.hlsl", "unknown-type"),
        ("diff a.hlsl std140 std14", "a.hlsl", "unknown-rules"),
        ("diff none.hlsl std140 std430", "none.hlsl", "unreadable"),
        ("check bad.hlsl engine.o", "bad.hlsl", "unknown-type"),
        ("check a.hlsl engine.o", "a.hlsl", "unreadable"),
        ("check", "layoutproof.toml", "unreadable"),
    ] {
        folder.write("engine.o", b"");
        let answer = folder.run(&format!("{words} --format json")).exits(2).warns("error: ");
        let json = answer.json();
        assert_eq!((&json["schema"], &json["source"]), (&1.into(), &source.into()), "{words}: {json}");
        assert_eq!(json["errors"][0]["code"], code, "{words}: {json}");
        assert!(answer.out.ends_with("}\n") && answer.out.lines().count() == 1, "{words}: {answer}");
    }
}

/// The answer refuses the input and has these words on standard error, however its lines break.
#[track_caller]
fn says(answer: Answer, words: &str) {
    let answer = answer.exits(2);
    let said = answer.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(said.contains(words), "no `{words}` in {answer}");
}

/// Neither the folder of tools nor the PATH has a compiler that could read the files.
#[test]
fn a_compiler_that_is_missing_is_named() {
    let text = "cbuffer S { float4 a[sizeof(bool4)]; };";
    let slang = "struct Max<let A : int, let B : int> { static const int value = A > B ? A : B; }\n\
                 struct S { float4 a[Max<1, 4>.value]; }\nConstantBuffer<S> s;";
    let host = "\u{7f}ELF";
    let folder = Folder::with(&[("a.hlsl", text), ("a.slang", slang), ("host.o", host)])
        .with_variable("LAYOUTPROOF_TOOLS", "/nonexistent")
        .with_variable("PATH", "/nonexistent");
    let no_dxc = "a compiler may read the file, but no `dxc` is here; `layoutproof setup dxc` installs one";
    let no_slangc = "a compiler may read the file, but no `slangc` is here; `layoutproof setup slangc` installs one";
    for (words, reason) in [
        ("show a.hlsl", no_dxc),
        ("show a.hlsl --target vulkan", no_dxc),
        ("show a.slang", no_slangc),
        ("diff a.hlsl d3d12 vulkan", no_dxc),
        ("check a.hlsl host.o", no_dxc),
        ("check a.slang host.o --target metal", no_slangc),
    ] {
        says(folder.run(words), reason);
    }
    // What no compiler can answer, and what none would read.
    let no_target =
        "no compiler can read it instead: a compiler's answer is about its own layouts, not about a rule set";
    says(folder.run("show a.hlsl --rules std140"), no_target);
    says(folder.run("diff a.hlsl std140 std430"), no_target);
    let declarations = "no compiler can read it instead: rule sets, conventions with a version and bindings of compilers other \
                        than slangc need declarations";
    says(folder.run("show a.hlsl --all"), declarations);
    says(folder.run("show a.hlsl --target d3d12 --convention dxc"), declarations);
    says(folder.run("show a.hlsl --target d3d12 --format json"), no_dxc);
    says(folder.run("show a.hlsl --target d3d12 --format slang-json"), no_slangc);
    let broken = Folder::with(&[("a.hlsl", "#include \"b.hlsli\"\ncbuffer S { float a; };")]);
    let answer = broken.run("show a.hlsl").exits(2);
    assert!(!answer.err.contains("compiler"), "{answer}");
}

/// A file that slangc cannot open, parse or name is refused for every target, so that no other one is tried: each start
/// takes a third of a second. What its capabilities, layouts or code refuse, another target may take.
///
/// The numbers are slangc 2026.14.1's; the reflection is its answer for other declarations.
#[cfg(unix)]
#[test]
fn a_refusal_of_the_file_ends_the_targets_that_slangc_is_asked_for() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let slang = "struct Max<let A : int, let B : int> { static const int value = A > B ? A : B; }\n\
                 struct S { float4 a[Max<1, 4>.value]; }\nConstantBuffer<S> s;";
    let answer = include_str!("../../../../harness/fuzz/corpus/reflection/blocks.vulkan.json");
    for (number, status) in [
        ("00001", 2),
        ("15300", 2),
        ("20001", 2),
        ("30015", 2),
        ("00041", 0),
        ("31215", 0),
        ("36107", 0),
        ("39007", 0),
        ("41012", 0),
    ] {
        let script = format!(
            "#!/bin/sh\n\
             case \"$*\" in\n\
             -v) echo '2026.14.1'; exit 0;;\n\
             *'-target hlsl'*) echo 'error[E{number}]: no' >&2; exit 1;;\n\
             esac\n\
             cat \"$(dirname \"$0\")/answer\" >reflection.json\n"
        );
        let folder = Folder::with(&[("a.slang", slang), ("answer", answer), ("slangc", &script)]);
        let folder = folder.with_variable("SLANGC", "./slangc");
        set_permissions(folder.path("slangc"), Permissions::from_mode(0o755)).unwrap();
        let shown = folder.run("show a.slang").exits(status);
        assert!(shown.err.contains(&format!("[E{number}]: no")), "{shown}");
    }
}
