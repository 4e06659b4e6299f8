//! Groups the failures of a run: checks that failed in the same way on several devices are one group.
//!
//! The terminal, `JUnit` and GitHub reporters take the groups from here.

use std::collections::HashMap;

use crate::results::record::{CheckRecord, Outcome};

/// Checks that failed in the same way, with the devices on which they did.
#[derive(Clone, Debug)]
pub struct FailureGroup<'a> {
    /// The first of them.
    pub record: &'a CheckRecord,
    /// `lavapipe via ash, wgpu`, one per device in the order of the records.
    pub devices: Vec<String>,
}

impl<'a> FailureGroup<'a> {
    /// One check on its one device.
    pub fn of(record: &'a CheckRecord) -> Self {
        Self { record, devices: vec![place(&record.device, record.runner.as_str())] }
    }
}

/// True if a check of this outcome alone fails the run.
pub fn is_failure(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Differ | Outcome::Broken => true,
        Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped => false,
    }
}

/// The distinct failures, those that differ before those that broke.
pub fn failures(checks: &[CheckRecord]) -> Vec<FailureGroup<'_>> {
    failures_of(checks, |check| is_failure(check.outcome))
}

/// The same of the checks for which `is_meant` is true.
pub(in crate::report) fn failures_of(
    checks: &[CheckRecord],
    is_meant: impl Fn(&CheckRecord) -> bool,
) -> Vec<FailureGroup<'_>> {
    let mut groups: Vec<Vec<&CheckRecord>> = Vec::new();
    // Only groups of one subject and producer are compared, however many failures there are.
    let mut of_subject: HashMap<FailureSubject<'_>, Vec<usize>> = HashMap::new();
    for check in checks.iter().filter(|check| is_meant(check)) {
        let subject = FailureSubject { case: &check.case, rules: &check.rules, producer: &check.producer };
        let indices = of_subject.entry(subject).or_default();
        if let Some(index) = indices.iter().find(|index| same(groups[**index][0], check)) {
            groups[*index].push(check);
        } else {
            indices.push(groups.len());
            groups.push(vec![check]);
        }
    }
    groups.sort_by_key(|group| group[0].outcome);
    groups.into_iter().map(|group| FailureGroup { record: group[0], devices: devices(&group) }).collect()
}

/// The subject of a check: everything but the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FailureSubject<'a> {
    case: &'a str,
    rules: &'a str,
    producer: &'a str,
}

/// True if two checks of one subject failed in the same way.
fn same(a: &CheckRecord, b: &CheckRecord) -> bool {
    (a.outcome, a.culprit) == (b.outcome, b.culprit)
        && (&a.validation, &a.skip_reason) == (&b.validation, &b.skip_reason)
        && a.rows == b.rows
}

/// Each device once, with the APIs through which it failed.
fn devices(checks: &[&CheckRecord]) -> Vec<String> {
    let mut devices: Vec<(&str, Vec<&str>)> = Vec::new();
    for check in checks {
        let runner = check.runner.as_str();
        match devices.iter_mut().find(|(device, _)| *device == check.device) {
            Some((_, runners)) if runners.contains(&runner) => {}
            Some((_, runners)) => runners.push(runner),
            None => devices.push((&check.device, vec![runner])),
        }
    }
    devices.into_iter().map(|(device, runners)| place(device, &runners.join(", "))).collect()
}

/// `lavapipe via ash`; `no device` for a check in which none takes part.
pub(in crate::report) fn place(device: &str, runners: &str) -> String {
    if device == "none" { "no device".to_owned() } else { format!("{device} via {runners}") }
}
