//! Results as deqp-runner writes and reads them, for the scripts of driver developers.
//!
//! One line `name,status,seconds` per check, by name, without a first line of titles and without quotes: the shape and
//! the words are those of deqp-runner 0.24 (`results.csv`, `RunnerStatus`).

use std::fmt::Write as _;

use crate::results::record::{CheckRecord, Outcome};

/// The checks as a `results.csv`.
///
/// # Panics
/// Never: see the reason beside the call.
pub fn results(checks: &[CheckRecord]) -> String {
    let mut rows: Vec<(String, &CheckRecord)> = checks.iter().map(|check| (name(check), check)).collect();
    rows.sort_by(|(left, _), (right, _)| left.cmp(right));
    let mut text = String::new();
    for (name, check) in rows {
        let (seconds, thousandths) = (check.ms / 1000, check.ms % 1000);
        writeln!(text, "{name},{},{seconds}.{thousandths:03}", status(check))
            .expect("writing to a string does not fail");
    }
    text
}

/// The name of the trial. There are no quotes to hold a comma or a line break of a file's name.
fn name(check: &CheckRecord) -> String {
    check.name().replace(|letter: char| letter == ',' || letter.is_control(), "_")
}

/// deqp-runner's word for an outcome.
fn status(check: &CheckRecord) -> &'static str {
    match check.outcome {
        Outcome::Agree => "Pass",
        Outcome::Differ => "Fail",
        Outcome::Known => "ExpectedFail",
        Outcome::Stale => "UnexpectedImprovement(Pass)",
        Outcome::Skipped => "Skip",
        Outcome::Broken if timed_out(check) => "Timeout",
        Outcome::Broken => "Crash",
    }
}

/// True if nothing but time ran out: a reason begins with the entry point, behind which the runner's error stands.
fn timed_out(check: &CheckRecord) -> bool {
    let reason = check.skip_reason.as_deref().unwrap_or("");
    reason.contains("no answer within ") && !reason.contains("device lost: ")
}
