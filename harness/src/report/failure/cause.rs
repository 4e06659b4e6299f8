//! Groups failures by their cause: one bug that shows in many cases is told once, with the number of the others.
//!
//! Checks of one cause have the same culprit, differ in the same way and come from the same producer or device. The groups
//! are numbered in the order of the records, so `report --group N` finds what a run has printed.

use std::collections::BTreeSet;

use layoutproof_layout::Quantity;

use super::block::{block, heading};
use super::group::{FailureGroup, failures, failures_of};
use super::witness::is_wrong;
use crate::check::producer::Producer;
use crate::report::reasons::without_details;
use crate::report::style::{Style, TextLines, counted, grouped};
use crate::results::record::{CheckRecord, Culprit, Outcome};

/// Failures that are shown in full, one for each cause.
const FULL_BLOCKS: usize = 10;
/// Causes after those that get one line each.
const HEADINGS: usize = 20;

/// Failures that have one cause.
#[derive(Clone, Debug)]
pub struct FailureCause<'a> {
    /// From 1, in the order of the records.
    pub number: usize,
    /// The distinct failures, each with its devices; at least one.
    pub failures: Vec<FailureGroup<'a>>,
}

/// What failures of one cause have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CauseKey {
    outcome: Outcome,
    culprit: Option<Culprit>,
    /// The compiler, or what takes its place.
    whose: String,
    /// What is said of them, without sizes and names.
    message: String,
    /// The kinds of numbers that are wrong.
    quantities: BTreeSet<Quantity>,
}

impl CauseKey {
    fn of(failure: &FailureGroup<'_>) -> Self {
        let CheckRecord { outcome, culprit, producer, rules, skip_reason, story, .. } = failure.record;
        let is_compiler = matches!(Producer::named(producer), Some(Producer::Compiler(_)));
        let whose = match culprit {
            Some(Culprit::Case | Culprit::Rules | Culprit::CaseOrRules) => rules.clone(),
            Some(Culprit::Device) => failure.devices.join("; "),
            // What our generators write becomes other code for another API.
            Some(Culprit::Compiler | Culprit::Report | Culprit::Module | Culprit::Unclear) | None if !is_compiler => {
                format!("{producer} {}", failure.devices.join("; "))
            }
            Some(Culprit::Compiler | Culprit::Report | Culprit::Module | Culprit::Unclear) | None => producer.clone(),
        };

        let story = story.as_ref();
        let said = story.and_then(|story| story.hint.as_ref()).or_else(|| story.map(|story| &story.verdict));
        let message = match outcome {
            // Before the colon stands the probe.
            Outcome::Broken => skip_reason.as_deref().map(|reason| reason.split_once(": ").map_or(reason, |it| it.1)),
            Outcome::Agree | Outcome::Differ | Outcome::Known | Outcome::Stale | Outcome::Skipped => {
                said.map(String::as_str)
            }
        };
        let wrong = failure.record.rows.iter().filter(|row| is_wrong(row, *culprit));
        Self {
            outcome: *outcome,
            culprit: *culprit,
            whose,
            message: without_details(message.unwrap_or_default()),
            quantities: wrong.map(|row| row.what).collect(),
        }
    }
}

/// The causes of all failures, those that differ before those that broke.
pub fn causes(checks: &[CheckRecord]) -> Vec<FailureCause<'_>> {
    by_cause(failures(checks))
}

/// The causes of known differences in these cases: what a user's own file runs into.
pub fn known_causes(checks: &[CheckRecord], is_meant: impl Fn(&CheckRecord) -> bool) -> Vec<FailureCause<'_>> {
    by_cause(failures_of(checks, |check| check.outcome == Outcome::Known && is_meant(check)))
}

fn by_cause(failures: Vec<FailureGroup<'_>>) -> Vec<FailureCause<'_>> {
    let mut keys: Vec<CauseKey> = Vec::new();
    let mut causes: Vec<FailureCause<'_>> = Vec::new();
    for failure in failures {
        let key = CauseKey::of(&failure);
        if let Some(index) = keys.iter().position(|known| *known == key) {
            causes[index].failures.push(failure);
        } else {
            keys.push(key);
            causes.push(FailureCause { number: causes.len() + 1, failures: vec![failure] });
        }
    }
    causes
}

impl FailureCause<'_> {
    /// The failure that stands for the others.
    pub fn first(&self) -> &FailureGroup<'_> {
        &self.failures[0]
    }

    /// How many more there are, and how they are listed.
    fn others(&self, records_file: Option<&str>) -> Option<String> {
        let more = self.failures.len() - 1;
        let number = self.number;
        (more > 0).then(|| match records_file {
            Some(file) => {
                format!("and {} like it (list: `layoutproof report {file} --group {number}`)", grouped(more as u64))
            }
            None => format!(
                "and {} like it (list: run with `--json FILE`, then `layoutproof report FILE --group {number}`)",
                grouped(more as u64)
            ),
        })
    }

    /// The whole block of the first, and how many are like it.
    pub fn text(&self, records_file: Option<&str>, style: Style) -> String {
        let others = self.others(records_file).map(|others| format!("  {:<8} {others}\n", "like it"));
        block(self.first(), style) + &others.unwrap_or_default()
    }

    /// The block of the first, and a line for each of the others.
    pub fn list(&self, style: Style) -> String {
        let mut text = TextLines::default();
        text.append(&block(self.first(), style));
        text.push("");
        text.push(&format!("  group {}: {}", self.number, counted(self.failures.len() as u64, "failure")));
        for failure in &self.failures {
            text.push(&heading(failure, style));
        }
        text.into_text()
    }
}

/// One failure of each cause: ten in full, twenty more as one line each, the rest as a number. `records_file` is the file
/// that has all of them, if there is one.
pub(in crate::report) fn causes_text(causes: &[FailureCause<'_>], records_file: Option<&str>, style: Style) -> String {
    let mut text = TextLines::default();
    for cause in causes.iter().take(FULL_BLOCKS) {
        text.append(&cause.text(records_file, style));
        text.push("");
    }

    for cause in causes.iter().skip(FULL_BLOCKS).take(HEADINGS) {
        let more = cause.failures.len() - 1;
        let others = if more > 0 { format!(" (and {} like it)", grouped(more as u64)) } else { String::new() };
        text.push(&format!("{}{others}", heading(cause.first(), style)));
    }
    let more = causes.len().saturating_sub(FULL_BLOCKS + HEADINGS);
    if more > 0 {
        let place = records_file.unwrap_or("the records that --json FILE writes");
        text.push(&format!("  {} and {} in {place}", style.ellipsis(), counted(more as u64, "more cause")));
    }
    text.into_text()
}
