//! Groups the failures of a run: checks that failed in the same way on several devices form one
//! group.
//!
//! The terminal, `JUnit` and GitHub reporters use these groups.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};
use layoutproof_events::{CheckDevice, CheckRules, ShaderMaker};
use layoutproof_events::{CheckRecord, OutcomeKind};

/// Checks that failed in the same way, and the devices on which they failed.
#[derive(Clone, Debug)]
pub struct FailureGroup<'a> {
    /// The first of these checks.
    pub record: &'a CheckRecord,
    /// `lavapipe via ash, wgpu`: one entry per device, in the order of the records.
    pub devices: Vec<String>,
}

impl<'a> FailureGroup<'a> {
    pub fn of(record: &'a CheckRecord) -> Self {
        Self { record, devices: vec![place(record.id.device.as_ref())] }
    }
}

/// True if one check with this outcome fails the run.
pub fn is_failure(outcome: OutcomeKind) -> bool {
    matches!(outcome, OutcomeKind::Differ | OutcomeKind::Broken)
}

/// The distinct failures. Those that differ come before those that broke.
pub fn failures(checks: &[CheckRecord]) -> Vec<FailureGroup<'_>> {
    failures_of(checks, |check| is_failure(check.outcome.kind()))
}

/// The distinct failures among the checks that `is_meant` selects.
pub(crate) fn failures_of(checks: &[CheckRecord], is_meant: impl Fn(&CheckRecord) -> bool) -> Vec<FailureGroup<'_>> {
    let mut groups: Vec<Vec<&CheckRecord>> = Vec::new();
    // Compare only groups with the same subject and producer, so that many failures stay fast.
    let mut of_subject: HashMap<FailureSubject<'_>, Vec<usize>> = HashMap::new();
    for check in checks.iter().filter(|check| is_meant(check)) {
        let subject = FailureSubject { case: &check.id.case, rules: &check.id.rules, producer: &check.id.producer };
        let indices = of_subject.entry(subject).or_default();
        if let Some(index) = indices.iter().find(|index| same(groups[**index][0], check)) {
            groups[*index].push(check);
        } else {
            indices.push(groups.len());
            groups.push(vec![check]);
        }
    }
    groups.sort_by_key(|group| group[0].outcome.kind());
    groups.into_iter().map(|group| FailureGroup { record: group[0], devices: devices(&group) }).collect()
}

/// The subject of a check: everything but the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FailureSubject<'a> {
    case: &'a str,
    rules: &'a CheckRules,
    producer: &'a ShaderMaker,
}

/// True if two checks with the same subject failed in the same way.
fn same(a: &CheckRecord, b: &CheckRecord) -> bool {
    (a.outcome.kind(), a.outcome.culprit()) == (b.outcome.kind(), b.outcome.culprit())
        && (&a.validation, a.outcome.reasons()) == (&b.validation, b.outcome.reasons())
        && a.rows == b.rows
}

/// Each device once, with the APIs through which it failed.
fn devices(checks: &[&CheckRecord]) -> Vec<String> {
    let mut places: IndexMap<Option<&str>, IndexSet<&str>> = IndexMap::new();
    for check in checks {
        let device = check.id.device.as_ref();
        let runners = places.entry(device.map(|device| device.id.as_str())).or_default();
        runners.extend(device.map(|device| device.runner.title()));
    }
    let text = |(device, runners): (Option<&str>, IndexSet<&str>)| match device {
        Some(device) => format!("{device} via {}", runners.into_iter().collect::<Vec<_>>().join(", ")),
        None => NO_DEVICE.to_owned(),
    };
    places.into_iter().map(text).collect()
}

const NO_DEVICE: &str = "no device";

/// `lavapipe via Vulkan`; `no device` for a check that needs none.
pub fn place(device: Option<&CheckDevice>) -> String {
    device.map_or_else(|| NO_DEVICE.to_owned(), ToString::to_string)
}
