//! Groups the failures of a run: checks that failed in the same way on several devices form one
//! group.
//!
//! The terminal, `JUnit` and GitHub reporters use these groups.

use std::collections::HashMap;

use layoutproof_core::results::record::{CheckRecord, Outcome};
use layoutproof_core::results::summary::place;

/// Checks that failed in the same way, and the devices on which they failed.
#[derive(Clone, Debug)]
pub struct FailureGroup<'a> {
    /// The first of these checks.
    pub record: &'a CheckRecord,
    /// `lavapipe via ash, wgpu`: one entry per device, in the order of the records.
    pub devices: Vec<String>,
}

impl<'a> FailureGroup<'a> {
    /// The group of one check on its one device.
    pub fn of(record: &'a CheckRecord) -> Self {
        Self { record, devices: vec![place(&record.device, record.runner.as_str())] }
    }
}

/// True if one check with this outcome fails the run.
pub fn is_failure(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Differ | Outcome::Broken => true,
        Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped => false,
    }
}

/// The distinct failures. Those that differ come before those that broke.
pub fn failures(checks: &[CheckRecord]) -> Vec<FailureGroup<'_>> {
    failures_of(checks, |check| is_failure(check.outcome))
}

/// The distinct failures among the checks that `is_meant` selects.
pub(crate) fn failures_of(checks: &[CheckRecord], is_meant: impl Fn(&CheckRecord) -> bool) -> Vec<FailureGroup<'_>> {
    let mut groups: Vec<Vec<&CheckRecord>> = Vec::new();
    // Compare only groups with the same subject and producer, so that many failures stay fast.
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

/// True if two checks with the same subject failed in the same way.
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
