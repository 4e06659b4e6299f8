//! Failures of a run, in order, each distinct one once: what failed in the same way on several devices is one failure.
//!
//! Records in, groups out. The terminal, `JUnit` and GitHub reporters take the groups from here.

use crate::record::{CheckRecord, Outcome};

/// Checks that failed in the same way, with the devices on which they did.
#[derive(Clone, Debug)]
pub struct Failure<'a> {
    /// The first of them.
    pub record: &'a CheckRecord,
    /// `lavapipe via ash, wgpu`, one per device in the order of the records.
    pub devices: Vec<String>,
}

impl<'a> Failure<'a> {
    /// One check on its one device.
    pub fn of(record: &'a CheckRecord) -> Self {
        Self { record, devices: vec![place(&record.device, record.runner.as_str())] }
    }
}

/// Whether a check fails the run, by itself.
pub fn is_failure(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Differ | Outcome::Broken => true,
        Outcome::Agree | Outcome::Known | Outcome::Stale | Outcome::Skipped => false,
    }
}

/// The distinct failures, those that differ before those that broke.
pub fn failures(checks: &[CheckRecord]) -> Vec<Failure<'_>> {
    let mut groups: Vec<Vec<&CheckRecord>> = Vec::new();
    for check in checks.iter().filter(|check| is_failure(check.outcome)) {
        match groups.iter_mut().find(|group| same(group[0], check)) {
            Some(group) => group.push(check),
            None => groups.push(vec![check]),
        }
    }
    groups.sort_by_key(|group| group[0].outcome);
    groups.into_iter().map(|group| Failure { record: group[0], devices: devices(&group) }).collect()
}

fn same(a: &CheckRecord, b: &CheckRecord) -> bool {
    (&a.case, &a.rules, &a.producer) == (&b.case, &b.rules, &b.producer)
        && (a.outcome, a.culprit) == (b.outcome, b.culprit)
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
pub(super) fn place(device: &str, runners: &str) -> String {
    if device == "none" { "no device".to_owned() } else { format!("{device} via {runners}") }
}
