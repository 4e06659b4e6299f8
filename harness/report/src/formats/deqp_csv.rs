//! Results in the format that deqp-runner reads and writes, for driver developers' scripts.
//!
//! One line `name,status,seconds` per check, sorted by name, with no header line and no quotes.
//! Format and status words are those of deqp-runner 0.24 (`results.csv`, `RunnerStatus`).

use std::fmt::Write as _;

use layoutproof_device::RunnerError;
use layoutproof_events::{CheckRecord, OutcomeKind, Reason, Reasons};

use crate::reporter::{Destination, FinishedRun, Reporter};

/// The checks as a `results.csv`.
#[derive(Clone, Copy, Debug)]
pub struct DeqpCsv;

impl Reporter for DeqpCsv {
    fn destination(&self) -> Destination {
        Destination::FileOfOption { name: "csv", help: "Write the results in the format of deqp-runner" }
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let mut rows: Vec<(String, &CheckRecord)> = run.checks.iter().map(|check| (name(check), check)).collect();
        rows.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut text = String::new();
        for (name, check) in rows {
            let (seconds, thousandths) = (check.ms / 1000, check.ms % 1000);
            writeln!(text, "{name},{},{seconds}.{thousandths:03}", status(check))
                .expect("writing to a string does not fail");
        }
        // The tests of an unfinished run that have no result.
        if run.shortfalls().next().is_some() {
            text += "layoutproof::run,Missing,0.000\n";
        }
        text
    }
}

/// The name of the check. The format has no quotes, so commas and line breaks in a file's name are
/// replaced.
fn name(check: &CheckRecord) -> String {
    check.id.to_string().replace(|letter: char| letter == ',' || letter.is_control(), "_")
}

/// deqp-runner's word for an outcome.
fn status(check: &CheckRecord) -> &'static str {
    match check.outcome.kind() {
        OutcomeKind::Agree | OutcomeKind::Known if check.is_flaky() => "Flake",
        OutcomeKind::Agree => "Pass",
        OutcomeKind::Differ => "Fail",
        OutcomeKind::Known => "ExpectedFail",
        OutcomeKind::Stale => "UnexpectedImprovement(Pass)",
        OutcomeKind::Skipped => "Skip",
        OutcomeKind::Broken if timed_out(check) => "Timeout",
        OutcomeKind::Broken => "Crash",
    }
}

/// True if a device did not answer in time, and was not lost.
fn timed_out(check: &CheckRecord) -> bool {
    let reasons = check.outcome.reasons().into_iter().flat_map(Reasons::iter);
    let errors: Vec<&RunnerError> = reasons.filter_map(Reason::runner_error).collect();
    let is_timeout = |error: &&RunnerError| matches!(error, RunnerError::Timeout(_));
    errors.iter().any(is_timeout) && !errors.iter().any(|error| matches!(error, RunnerError::DeviceLost(_)))
}
