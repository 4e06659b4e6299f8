//! A file that cannot be written is a separate error, reported before the work begins if possible.

use serde_json::{Value, json};

use super::folder::Folder;

/// A built-in case.
const CASE: &str = "arrays/scalar_packs_behind_the_last_element";

/// Two declarations.
const PAIR: &str = "cbuffer S { float a; float2 b; };\n";

/// linux, `full(4)`: every write fails with ENOSPC.
#[cfg_attr(not(target_os = "linux"), ignore = "there is no /dev/full")]
#[cfg(unix)]
#[test]
fn a_full_disk_under_standard_output_is_told() {
    let folder = Folder::without_drivers(&[("a.hlsl", PAIR)]);
    let run = format!("run {CASE} --rules std140 --device model --producer rspirv");
    folder.run(&format!("{run} --json r.jsonl")).exits(0);
    for words in [
        "show a.hlsl",
        "show a.hlsl --format json",
        "show a.hlsl --format cpp-asserts --rules std140",
        "show nosuch --format json",
        "diff a.hlsl std140 std430",
        "show a.hlsl --target d3d12 --convention slang --format slang-yaml",
        "list",
        "list --rules",
        "doctor compilers",
        "report r.jsonl",
        &run,
        "--help",
        "--version",
        "help run",
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let answer = folder.run_printing_to(words, full).exits(2);
        let told = "error: writing to standard output: No space left on device";
        // An earlier error is reported instead.
        assert!(answer.err.contains(told) || words.contains("nosuch"), "{answer}");
    }
}

/// As in a pipe to `head`.
#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let folder = Folder::with(&[("a.hlsl", PAIR)]);
    for words in ["show a.hlsl", "list", "--help"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let answer = folder.run_printing_to(words, writer).exits(0);
        assert_eq!(answer.err, "", "{answer}");
    }
}

/// If one file cannot be written, the report is still printed and the other files are written.
#[cfg_attr(not(target_os = "linux"), ignore = "there is no /dev/full")]
#[test]
fn one_file_that_cannot_be_written_costs_no_other() {
    let folder = Folder::without_drivers(&[]);
    let run = format!("run {CASE} --rules std140 --device model --producer rspirv");
    let answer = folder.run(&format!("{run} --junit /dev/full --csv r.csv --json r.jsonl")).exits(2);
    let answer = answer.prints("incomplete ").warns("error: writing /dev/full: No space left on device");
    assert!(folder.read("r.csv").contains("Pass"), "{answer}");
    let answer = folder.run("report r.jsonl --json /dev/full --csv s.csv").exits(2);
    answer.prints("incomplete ").warns("error: writing /dev/full: No space left on device");
    assert_eq!(folder.read("s.csv"), folder.read("r.csv"));
}

#[test]
fn a_wrong_path_is_told_before_anything_is_done() {
    let folder = Folder::without_drivers(&[("a.hlsl", PAIR), ("file", "")]);
    let run = format!("run {CASE} --rules std140 --device model");
    folder.run(&format!("{run} --json r.jsonl")).exits(0);
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (words, path) in [
        (format!("{run} --json no/such/r.jsonl"), "no/such/r.jsonl"),
        (format!("{run} --junit no/such.xml"), "no/such.xml"),
        (format!("{run} --csv folder"), "folder"),
        (format!("{run} --keep file/kept"), "file/kept"),
        ("report r.jsonl --junit file/a.xml".to_owned(), "file/a.xml"),
        ("report r.jsonl --json no/all.jsonl".to_owned(), "no/all.jsonl"),
        ("dev fuzz --count 1 --json no/f.jsonl".to_owned(), "no/f.jsonl"),
        ("dev fuzz --count 1 --out file".to_owned(), "file"),
        ("compare dxc --save file/set".to_owned(), "file/set"),
        ("compare dxc dxc --keep file".to_owned(), "file/old"),
    ] {
        let answer = folder.run(&words).exits(2);
        assert!(answer.out.is_empty(), "{answer}");
        answer.warns(&format!("error: writing {path}: "));
    }
    let folder = folder.with_variable("GITHUB_STEP_SUMMARY", "no/summary.md");
    let answer = folder.run(&run).exits(2).warns("error: writing no/summary.md: ");
    assert!(answer.out.is_empty(), "{answer}");
    assert!(!folder.path("no").exists() && !folder.path("set").exists());
}

/// Reports say why nothing was run, so that those of an earlier run do not pass for new ones. Records are kept: another
/// run may be resumed from them.
#[test]
fn a_run_that_refuses_its_arguments_says_so_in_its_reports() {
    let folder = Folder::without_drivers(&[("a.hlsl", PAIR)]);
    let files = ["r.jsonl", "r.xml", "r.csv"];
    let outputs = "--json r.jsonl --junit r.xml --csv r.csv";
    for (words, code) in [
        ("run nosuchcase --device model", 4),
        ("run a.hlsl --rules nosuch --device model", 2),
        ("run a.hlsl --device nosuch", 3),
        ("run no.hlsl --device model", 2),
        ("report no.jsonl", 2),
    ] {
        for name in files {
            folder.write(name, b"kept");
        }
        folder.run(&format!("{words} {outputs}")).exits(code);
        let [records, junit, csv] = files.map(|name| folder.read(name));
        assert_eq!(records, "kept", "{words}");
        if words.starts_with("run") {
            assert!(junit.contains("<error message="), "{words}: {junit}");
            assert_eq!(csv, "layoutproof::run,Missing,0.000\n", "{words}");
        } else {
            assert_eq!([junit, csv], ["kept", "kept"]);
        }
    }
}

/// A syntax error is what CI sees most: it is at its line in every format, and keeps no other file from being checked.
#[test]
fn a_broken_shader_is_told_at_its_line_and_the_others_run() {
    let broken = "cbuffer T {\n  float a\n  float b;\n};\n";
    let folder = Folder::without_drivers(&[("a.hlsl", PAIR), ("broken.hlsl", broken)]);
    let folder = folder.with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", "s.md");
    let outputs = "--junit r.xml --sarif r.sarif --json r.jsonl";
    let message = "expected `;`, found `float`";
    let annotation = format!("::error file=broken.hlsl,line=2::line 2: {message}");
    let is_told = |words: &str| {
        assert!(
            folder.read("r.xml").contains("<error message=\"line 2: expected"),
            "{words}: {}",
            folder.read("r.xml")
        );
        let sarif: Value = serde_json::from_str(&folder.read("r.sarif")).unwrap();
        let run = &sarif["runs"][0];
        assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{words}: {sarif}");
        let result = &run["results"][0];
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!((&result["ruleId"], &place["region"]["startLine"]), (&json!("unread-input"), &json!(2)), "{sarif}");
        assert!(folder.read("s.md").contains(message), "{words}");
        folder.write("s.md", b"");
    };

    let words = format!("run a.hlsl broken.hlsl --rules std140 --device model {outputs}");
    let answer = folder.run(&words).exits(2).prints("incomplete 1 of 1 block compared; broken.hlsl: line 2: expected");
    answer.prints(&annotation).warns("error: expected `;`, found `float`");
    is_told("a.hlsl and broken.hlsl");
    let answer = folder.run("report r.jsonl --junit r.xml --sarif r.sarif").exits(2);
    answer.prints("incomplete 1 of 1 block compared; broken.hlsl: line 2: expected").prints(&annotation);
    is_told("report");

    folder.run(&format!("run broken.hlsl --rules std140 --device model {outputs}")).exits(2).prints(&annotation);
    is_told("broken.hlsl");
}
