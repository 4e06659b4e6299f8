//! Runs on the drivers of this machine: a fault in a worker breaks its case alone, and lavapipe compiles fast where nobody
//! minds.
//!
//! A trial whose driver is not there is ignored, with the reason.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

#[expect(dead_code, reason = "the tests of commands use the rest")]
#[path = "../commands/folder.rs"]
mod folder;
#[path = "../commands/outcomes.rs"]
mod outcomes;

use folder::Folder;
use outcomes::outcomes;

const CASE: &str = "arrays/scalar_packs_behind_the_last_element";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let listed = Folder::with(&[]).with_drivers().run("devices --format json").json();
    let has = |id: Option<&str>| {
        let devices = listed["devices"].as_array().into_iter().flatten();
        devices.filter(|device| device["runner"] == "ash").any(|device| id.is_none_or(|id| device["id"] == id))
    };
    let no_device = (!has(None)).then_some("no Vulkan device is there");
    let no_words = cfg!(not(unix)).then_some("how a process died is told in words of Unix");
    let no_lavapipe = (!has(Some("lavapipe"))).then_some("lavapipe is not there");
    let trials = vec![
        trial("a_fault_breaks_its_case_alone", no_words.or(no_device), a_fault_breaks_its_case_alone),
        trial("lavapipe_compiles_fast_but_for_the_share", no_lavapipe, lavapipe_compiles_fast_but_for_the_share),
        trial("lavapipe_compiles_as_the_user_says", no_lavapipe, lavapipe_compiles_as_the_user_says),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, lacking: Option<&'static str>, test: fn()) -> Trial {
    match lacking {
        None => Trial::test(name, move || {
            test();
            Ok(())
        }),
        // Who runs ignored trials, too, is told the same and gets no pass.
        Some(reason) => Trial::test(name, move || Err(Failed::from(reason))).with_ignored_flag(true).with_kind(reason),
    }
}

fn a_fault_breaks_its_case_alone() {
    let folder = Folder::with(&[]).with_drivers();
    let words = "run scalar_packs vectors/two_pairs --rules std140 --space push-constant --runner ash --json r.jsonl";
    let before = folder.run(words).exits(0);
    let undisturbed = outcomes(&folder.read("r.jsonl"));
    assert!(undisturbed.iter().any(|ended| ended.0 == CASE), "{before}");
    for (fault, word) in [("crash", "broken"), ("hang", "broken"), ("garbage", "differ"), ("oom", "broken")] {
        let words = format!("{words} --plant-fault {fault}@scalar_packs --time-limit 2");
        let answer = folder.run(&words).exits(1);
        let after = outcomes(&folder.read("r.jsonl"));
        assert_eq!(after.len(), undisturbed.len(), "{before}{answer}");
        for (before, after) in undisturbed.iter().zip(&after) {
            let expected = if before.0 == CASE { word } else { &before.1 };
            assert_eq!(after.1, expected, "{after:?} in {answer}");
        }
    }
}

/// The value of `fast` in the one record that a run on lavapipe with these words writes.
fn fast(folder: &Folder, words: &str) -> Value {
    let run = format!("run {CASE} --rules std140 --producer rspirv --form leaf --device lavapipe --runner ash");
    folder.run(&format!("{run} {words} --json a.jsonl")).exits(0);
    let text = folder.read("a.jsonl");
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let checks: Vec<&Value> = records.iter().filter(|record| record["type"] == "check").collect();
    let [check] = checks[..] else { panic!("one check in {text}") };
    check["fast"].clone()
}

/// Of two rotations one at least is not the check's turn.
const ROTATIONS: [&str; 2] = ["--rotation 0", "--rotation 1"];

fn lavapipe_compiles_fast_but_for_the_share() {
    let folder = Folder::with(&[]).with_drivers();
    assert_eq!(fast(&folder, "--no-fuse"), Value::Null);
    assert!(ROTATIONS.iter().any(|words| fast(&folder, words) == Value::Bool(true)));
}

fn lavapipe_compiles_as_the_user_says() {
    let folder = Folder::with(&[]).with_drivers().with_variable("GALLIVM_PERF", "no_brilinear");
    assert!(ROTATIONS.iter().all(|words| fast(&folder, words) == Value::Null));
}
