//! The progress lines of a run without a terminal.

use std::time::Duration;

use super::folder::Folder;

/// Every job hangs for two seconds, and once more in a fresh worker.
const HANGS: &str = "--rules std140 --device model --form leaf --stage compute --plant-fault hang#1 --time-limit 2";

const FILE: &str = "cbuffer S { float a; };";

/// The seconds at the ends of the progress lines.
fn told(errors: &str) -> Vec<u64> {
    let lines = errors.lines().filter(|line| line.starts_with("   Running "));
    let seconds = lines.map(|line| line.rsplit_once(", ").unwrap().1.strip_suffix(" s").unwrap().parse().unwrap());
    seconds.collect()
}

#[test]
fn a_file_is_told_of_before_two_seconds_have_passed() {
    let folder = Folder::with(&[("a.hlsl", FILE)]).within(Duration::from_secs(60));
    let answer = folder.run(&format!("run a.hlsl {HANGS}")).exits(3);
    let seconds = told(&answer.err);
    assert!(seconds.len() >= 4, "two jobs hang twice for two seconds each: {answer}");
    assert!(seconds[0] <= 2 && seconds.windows(2).all(|two| two[1] - two[0] <= 2), "{seconds:?}: {answer}");
    // The user sees the outcome of a check at once, before the detailed report.
    let answer = answer.warns("Running 0/1 model/model a.hlsl, ").warns("Broken a.hlsl · std140 · rspirv · model");
    assert!(!answer.out.contains("Running"), "{answer}");
}

/// The logs of runs of cases are kept, so these print less often.
#[test]
fn cases_are_not_told_of_as_often() {
    let folder = Folder::with(&[]).within(Duration::from_secs(60));
    let case = "vectors/two_pairs_fill_a_register";
    let answer = folder.run(&format!("run {case} {HANGS}")).exits(3);
    assert_eq!(told(&answer.err).len(), 1, "the first line alone: {answer}");
    answer.warns("Running 1 check, ");
}
