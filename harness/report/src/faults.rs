//! Faults that repeats hid, as sentences: which answers changed, and how often workers, devices and
//! compilers failed.

use layoutproof_events::{CheckRecord, Fault, FaultKind, RunEnd};
use layoutproof_show::style::{Style, Tone, one_line};

/// Most flaky checks that a report lists.
const LISTED: usize = 10;

/// `2 answers differed on repeat on lavapipe via Vulkan`; `None` if no answer changed.
pub(crate) fn changed_answers(end: &RunEnd) -> Option<String> {
    let changed = end.faults.iter().filter(|fault| fault.kind == FaultKind::AnswerChanged);
    joined(changed.map(|fault| fault.sentence(fault.count)))
}

/// `3 workers died on lavapipe via Vulkan`: the faults that no outcome shows, without changed answers.
pub(crate) fn absorbed(end: &RunEnd) -> Option<String> {
    let others = end.faults.iter().filter(|fault| fault.kind != FaultKind::AnswerChanged && fault.absorbed > 0);
    joined(others.map(|fault| fault.sentence(fault.absorbed)))
}

fn joined(sentences: impl Iterator<Item = String>) -> Option<String> {
    let sentences: Vec<String> = sentences.map(|sentence| one_line(&sentence)).collect();
    (!sentences.is_empty()).then(|| sentences.join(", "))
}

/// A note about faults that the user allows, and one about what to do with those that fail the run.
pub(crate) fn note(end: &RunEnd) -> Option<String> {
    let absorbed = absorbed(end)?;
    let first = end.faults.iter().find(|fault| fault.absorbed > 0 && fault.kind != FaultKind::AnswerChanged);
    let first = first.map(|fault| format!("; the first: {}", one_line(&fault.first))).unwrap_or_default();
    let restarts = end.restarts();
    Some(if end.has_too_many_restarts() {
        format!(
            "repeated jobs had no fault, so the answers count{first}; `--allow-restarts {restarts}` accepts such faults"
        )
    } else {
        format!("{absorbed}; repeated jobs had no fault{first}")
    })
}

/// One line for each check of which an answer changed on repeat, with both answers.
pub(crate) fn flaky_report(checks: &[CheckRecord], style: Style) -> String {
    let flaky: Vec<&CheckRecord> = checks.iter().filter(|check| check.is_flaky()).collect();
    let mut text: String = flaky.iter().take(LISTED).map(|check| flaky_line(check, style)).collect();
    if let more @ 1.. = flaky.len().saturating_sub(LISTED) {
        text += &["  ", style.ellipsis(), " and ", &more.to_string(), " more; --json FILE has all\n"].concat();
    }
    text
}

fn flaky_line(check: &CheckRecord, style: Style) -> String {
    let verb = style.verb(Tone::Disagree, "Flaky");
    format!("{verb} {}: {}\n", one_line(&check.id.to_string()), one_line(&both_answers(check)))
}

/// The answers of a check that changed on repeat, first and then.
pub(crate) fn both_answers(check: &CheckRecord) -> String {
    let changed = check.faults.iter().filter(|Fault { cause, .. }| cause.kind() == FaultKind::AnswerChanged);
    changed.map(|fault| fault.cause.to_string()).collect::<Vec<_>>().join("; ")
}
