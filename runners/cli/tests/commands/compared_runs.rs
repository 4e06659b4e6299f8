//! `layoutproof compare` with the records of two runs. A misreading that is planted in the model stands for what a driver changed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::folder::Folder;

const RUN: &str =
    "run arrays/scalar_packs_behind_the_last_element --rules std140,scalar --form leaf --device model --no-known";

fn run(folder: &Folder, more: &str, file: &str, exit: i32) {
    folder.run(format!("{RUN} --json {file} {more}").trim_end()).exits(exit);
}

fn counts(answer: &Value) -> BTreeMap<&str, u64> {
    let counts = answer["counts"].as_object().unwrap().iter();
    counts.filter_map(|(kind, count)| Some((kind.as_str(), count.as_u64()?))).filter(|(_, count)| *count > 0).collect()
}

/// The model with this misreading puts elements 16 bytes apart: under `scalar` they are not.
#[test]
fn what_became_wrong_and_what_became_right_is_told() {
    let folder = Folder::with(&[]);
    run(&folder, "", "old.jsonl", 0);
    run(&folder, "--plant-misreading array-stride-sixteen", "new.jsonl.zst", 1);

    let answer = folder.run("compare old.jsonl new.jsonl.zst").exits(1);
    answer.prints("1 new, 1 right in both").prints("agree -> differ (device)");
    let json = folder.run("compare old.jsonl new.jsonl.zst --format json").exits(1).json();
    assert_eq!((counts(&json), &json["right_in_both"]), (BTreeMap::from([("new", 1)]), &json!(1)));
    let change = &json["changes"][0];
    assert!(change["check"].as_str().unwrap().contains("::scalar::"), "{change}");
    assert_eq!((&change["old"]["outcome"], &change["new"]["culprit"]), (&json!("agree"), &json!("device")));
    let markdown = folder.run("compare old.jsonl new.jsonl.zst --format markdown").exits(1);
    let row =
        r"arrays::scalar\_packs\_behind\_the\_last\_element::scalar::rspirv::model::model | agree | differ (device) |";
    markdown.prints("### 1 new, 1 right in both").prints(&format!("| {row}"));
    let junit = folder.run("compare old.jsonl new.jsonl.zst --format junit").exits(1);
    let counts_of = r#"<testsuite name="old.jsonl to new.jsonl.zst" tests="2" skipped="0" errors="0" failures="1">"#;
    let junit = junit.prints(counts_of).prints(r#"<testcase name="1 check right in both""#);
    assert!(junit.out.contains(r#"<failure message="agree -&gt; differ (device)"#), "{junit}");
    folder.run("run vectors/two_pairs_fill_a_register --rules std140 --device model --json other.jsonl").exits(0);
    let nothing = folder.run("compare old.jsonl other.jsonl --format junit").exits(4);
    assert!(nothing.out.contains(r#"<testcase name="the runs have no check in common">"#), "{nothing}");

    let back = folder.run("compare new.jsonl.zst old.jsonl --format json").exits(0).json();
    assert_eq!(counts(&back), BTreeMap::from([("gone", 1)]));
    let same = folder.run("compare new.jsonl.zst new.jsonl.zst --format json").exits(0).json();
    assert_eq!(counts(&same), BTreeMap::from([("still", 1)]));
}

/// Both misreadings fail under `scalar`, with other numbers.
#[test]
fn numbers_that_moved_and_checks_that_are_missing_fail() {
    let folder = Folder::with(&[]);
    run(&folder, "--plant-misreading array-stride-sixteen", "old.jsonl", 1);
    run(&folder, "--plant-misreading neighbours-swapped", "new.jsonl", 1);
    let json = folder.run("compare old.jsonl new.jsonl --format json").exits(1).json();
    let moved = json["changes"].as_array().unwrap().iter().find(|change| change["change"] == "moved");
    assert!(moved.is_some_and(|moved| moved["check"].as_str().unwrap().contains("::scalar::")), "{json}");

    let part = RUN.replace("std140,scalar", "std140");
    folder.run(&format!("{part} --json part.jsonl")).exits(0);
    let answer = folder.run("compare old.jsonl part.jsonl").exits(1);
    answer.prints("1 no longer checked, 1 right in both").prints("differ (device) -> not in these records");
}

/// A file of the run of another device: the same checks, one of which has a record of its own.
#[test]
fn devices_are_paired_by_their_ids_and_drivers_are_told() {
    let folder = Folder::with(&[]);
    run(&folder, "", "old.jsonl", 0);
    let text = folder.read("old.jsonl");
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let driver = header["devices"][0]["driver"].as_str().unwrap();
    folder.write("new.jsonl", text.replace(&format!("\"driver\":\"{driver}\""), "\"driver\":\"next 2.0\"").as_bytes());
    let answer = folder.run("compare old.jsonl new.jsonl").exits(0);
    assert!(answer.out.contains(&format!("{driver} -> next 2.0")), "{answer}");
    answer.prints("2 right in both");

    // Another GPU is no newer driver of this one.
    let name = header["devices"][0]["name"].as_str().unwrap();
    let renamed = text.replace(&format!("\"name\":\"{name}\""), "\"name\":\"Other\"");
    // OpenGL has the GPU under the same name, and it is no newer driver of Vulkan's either.
    for (file, other) in [("other.jsonl", &renamed), ("gl.jsonl", &text)] {
        let other = other.replace("\"id\":\"model\"", "\"id\":\"other\"").replace("::model::", "::other::");
        folder.write(file, other.replace("\"device\":\"model\"", "\"device\":\"other\"").as_bytes());
        let answer = folder.run(&format!("compare old.jsonl {file}")).exits(4);
        assert!(answer.out.contains("in the new run alone") && answer.out.contains("in the old run alone"), "{answer}");
        answer.prints("2 no longer checked, 2 checked now");
    }
}

#[test]
fn runs_that_cannot_be_compared_are_refused() {
    let folder = Folder::with(&[("cut.jsonl", ""), ("records/notes.txt", "none")]);
    run(&folder, "--records failures", "part.jsonl", 0);
    run(&folder, "", "whole.jsonl", 0);
    let refusals = [
        ("compare whole.jsonl", "name the records of the run to compare whole.jsonl with"),
        ("compare whole.jsonl records", "records has none: name two runs"),
        ("compare whole.jsonl part.jsonl", "part.jsonl leaves out the checks that agreed"),
        ("compare whole.jsonl cut.jsonl", "cut.jsonl has no first line"),
        ("compare whole.jsonl whole.jsonl arrays/", "name no file and no case"),
    ];
    for (words, reason) in refusals {
        let answer = folder.run(words).exits(2);
        assert!(answer.err.contains(reason), "{answer}");
    }
}
