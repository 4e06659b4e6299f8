//! `layoutproof run` on the model device: agreement, wrong cases, planted faults, and the reported
//! culprits.

use layoutproof_layout::table;

use super::folder::Folder;

const FILE: &str = "cbuffer S { float3 a; float b[2]; float c; float2 d; };";

/// OpenGL 4.6, 7.6.2.2: b has a stride of 16 bytes, so c is at 16 + 2 * 16 = 48.
const WRONG: &str = r#"schema = 1
summary = "c is said to be four bytes behind where it is"
declare = """
cbuffer S { float3 a; float b[2]; float c; };
"""

[expect.std140]
authority = { spec = "OpenGL 4.6, 7.6.2.2" }
offsets = { "S.a" = 0, "S.b" = 16, "S.c" = 52 }
strides = { "S.b" = 16 }
sizes = { "S" = 64 }
"#;

/// Misreadings of the model, with a case and a rule set that show each.
const MISREADINGS: [(&str, &str); 9] = [
    ("shifted", "vectors/four_component_vector_behind_a_scalar --rules std140"),
    ("array-stride-four", "arrays/scalar_packs_behind_the_last_element --rules std140"),
    ("array-stride-sixteen", "arrays/scalar_packs_behind_the_last_element --rules scalar"),
    ("matrix-stride-tight", "matrices/square_of_three_leaves_a_word --rules std140"),
    ("majorness-swapped", "matrices/square_of_four_columns --rules std140"),
    ("neighbours-swapped", "vectors/two_pairs_fill_a_register --rules std140"),
    ("write-lost", "vectors/two_pairs_fill_a_register --rules std140"),
    ("padding-touched", "vectors/three_component_vector_behind_a_scalar --rules std140"),
    ("idle", "vectors/two_pairs_fill_a_register --rules std140"),
];

#[test]
fn a_file_agrees_and_the_summary_says_what_that_proves() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let answer = folder.run("run a.hlsl --rules std140 --device model -v").exits(0);
    let answer = answer.prints("Devices 1 model").prints("Cases 1, 1 rule set, 1 producer (rspirv): 1 check");
    let answer = answer.prints("note: only the CPU model ran").prints("note: no compiler was run for a.hlsl:");
    assert!(!answer.out.contains("Proved"), "the model proves nothing about devices: {answer}");
    answer.prints("ok 1 of 1 block compared, 1 check agrees");
}

#[test]
fn a_file_is_checked_under_every_bare_rule_set_that_takes_it() {
    let bare = table().iter().filter(|rules| rules.is_bare()).count();
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float4 a; float4 b[2]; };")]);
    folder
        .run("run a.hlsl --all --device model -v")
        .exits(0)
        .prints(&format!("Cases 1, {bare} rule sets, 1 producer (rspirv): {bare} checks"));
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let some = folder
        .run("run a.hlsl --all --device model -v")
        .exits(0)
        .prints(&format!("ok 1 of 1 block compared, {} checks agree on the CPU model (1 skipped", bare - 1));
    assert!(some.out.contains("wgsl-uniform forbids it"), "{some}");
    folder.run("run a.hlsl --rules wgsl-uniform --device model").exits(2).warns("error: wgsl-uniform forbids `S.b`");
}

/// The rule sets are those of the columns of `show`. No compiler's code runs on the model.
#[test]
fn a_file_is_checked_as_it_ships() {
    let folder = Folder::with(&[("a.hlsl", FILE), ("a.slang", FILE)]);
    let rules = |file: &str| {
        folder.run(&format!("run {file} --device model --json r.jsonl")).exits(0);
        let records = folder.read("r.jsonl");
        let names = ["hlsl-cbuffer", "relaxed140", "slang-cbuffer", "std140", "std140@slang", "scalar"];
        names.into_iter().filter(|name| records.contains(&format!("\"rules\":\"{name}\""))).collect::<Vec<_>>()
    };
    assert_eq!(rules("a.hlsl"), ["hlsl-cbuffer", "relaxed140", "std140@slang"]);
    assert_eq!(rules("a.slang"), ["slang-cbuffer", "std140@slang"]);
    folder.run("run a.hlsl --all --rules std140").exits(2).warns("error: the argument '--all' cannot be used with");
}

#[test]
fn a_wrong_case_is_blamed_on_case_or_rules() {
    let answer = Folder::with(&[("wrong.toml", WRONG)]).run("run wrong.toml --device model").exits(1);
    let answer = answer.prints("Disagree wrong.toml · std140 · rspirv · model via model");
    // Expected by the case, computed by the rules, addressed by the code, read by the device.
    let answer = answer.prints("48 4 float c ! 52 ! 48 48 48").prints("16 32 float b[2] stride 16 16 16 16 16");
    let answer = answer.prints("verdict case-or-rules: the case and our rules differ");
    answer.prints("again layoutproof run wrong.toml --rules std140").prints("FAIL 1 differs; 0 checks agree");
}

/// The command in a failure's report fails again in the same way.
#[test]
fn the_command_to_run_again_runs_the_same_check() {
    let folder = Folder::with(&[("wrong.toml", WRONG)]);
    let first = folder.run("run wrong.toml --device model").exits(1);
    let line = first.out.lines().find_map(|line| line.trim().strip_prefix("again ")).unwrap();
    let words = line.trim().strip_prefix("layoutproof ").unwrap();
    folder.run(words).exits(1).prints("Disagree wrong.toml · std140 · rspirv · model via model");
}

#[test]
fn a_case_of_ones_own_replaces_the_built_in_one() {
    let folder = Folder::with(&[]);
    std::fs::create_dir_all(folder.path("cases/arrays")).unwrap();
    folder.write("cases/arrays/scalar_packs_behind_the_last_element.toml", WRONG.as_bytes());
    let words = "run arrays/scalar_packs_behind_the_last_element --rules std140 --device model";
    folder.run(words).exits(0);
    let replaced = folder.run(&format!("{words} --cases cases")).exits(1);
    replaced.prints("C is said to be four bytes behind where it is.");
}

/// `harness/tests/mutants.rs` plants all misreadings; these are one of each kind.
#[test]
fn misreadings_are_blamed_on_the_device() {
    let folder = Folder::with(&[]);
    folder.run("run --plant-misreading nosuch").exits(2);
    for (name, case) in MISREADINGS {
        folder.run(&format!("run {case} --device model")).exits(0).prints("ok 1 check agrees");
        let planted = folder.run(&format!("run {case} --device model --plant-misreading {name}")).exits(1);
        planted.prints("verdict device: case, rules and shader agree").prints("FAIL 1 differs; 0 checks agree");
    }
}

/// The code's offsets equal those of hlsl-cbuffer too, but that does not explain what this device
/// did.
#[test]
fn a_hint_explains_what_the_culprit_did() {
    let (name, case) = MISREADINGS[0];
    let planted = Folder::with(&[]).run(&format!("run {case} --device model --plant-misreading {name}")).exits(1);
    assert!(!planted.out.contains("  hint"), "{planted}");
}

/// The shader uses std430's offsets although std140 is checked.
#[test]
fn a_module_for_other_rules_is_blamed_on_the_module() {
    let words = "run arrays/scalar_packs_behind_the_last_element --rules std140 --device model --plant-rules std430";
    let answer = Folder::with(&[]).run(words).exits(1);
    // Expected and computed under std140, addressed and read under std430: OpenGL 4.6, 7.6.2.2.
    let answer = answer.prints("48 4 float c 48 48 ! 20 ! 20").prints("56 8 float2 d 56 56 ! 24 ! 24");
    answer.prints("verdict module: case and rules agree").prints("hint these offsets equal rule set");
}

#[test]
fn verbose_has_a_line_for_every_check() {
    let words = "run arrays/scalar_packs_behind_the_last_element --rules std140,scalar --device model -v";
    let answer = Folder::with(&[]).run(words).exits(0);
    for rules in ["std140", "scalar"] {
        let line = format!("arrays/scalar_packs_behind_the_last_element · {rules} · rspirv · model via model");
        assert!(answer.out.contains(&line), "{answer}");
    }
}

#[test]
fn forms_of_access_can_be_chosen() {
    let folder = Folder::with(&[("a.hlsl", FILE)]);
    let forms = |flags: &str| {
        folder.run(&format!("run a.hlsl --rules std140 --device model --json r.jsonl{flags}")).exits(0);
        let text = folder.read("r.jsonl");
        ["leaf", "vector", "whole"].map(|form| text.contains(&format!("\"form\":\"{form}\"")))
    };
    assert_eq!(forms(""), [true, true, true]);
    assert_eq!(forms(" --form leaf,whole"), [true, false, true]);
}

/// Only terminals get colour by default; options can request it elsewhere.
#[test]
fn colour_only_where_it_is_wanted() {
    let folder = Folder::with(&[("wrong.toml", WRONG)]);
    assert!(!folder.run("run wrong.toml --device model").exits(1).out.contains('\u{1B}'));
    assert!(folder.run("run wrong.toml --device model --color always").exits(1).out.contains('\u{1B}'));
}
