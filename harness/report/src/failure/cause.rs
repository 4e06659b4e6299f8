//! Groups failures by their cause: a bug that shows in many cases is printed once, with the number
//! of other failures.
//!
//! Checks with the same cause have the same culprit, differ in the same way and come from the same
//! producer or device. Groups are numbered in the order of the records, so `report --group N` finds
//! the group that a run printed.

use std::collections::{BTreeSet, HashMap};

use indexmap::{IndexMap, IndexSet};
use layoutproof_events::producer::Producer;
use layoutproof_events::shell::shell_word;
use layoutproof_events::{CheckDevice, CheckId, CheckRecord, CheckRules, Culprit, Outcome, OutcomeKind, ShaderMaker};
use layoutproof_layout::Quantity;
use layoutproof_show::style::{Style, TextLines, counted, grouped, one_line};

use super::block::{block, heading, short_block};
use super::witness::is_wrong;
use crate::reasons::without_details;

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

/// Failures to print in full, one for each cause.
const FULL_BLOCKS: usize = 10;
/// Further causes that get one line each.
const HEADINGS: usize = 20;

#[derive(Clone, Debug)]
pub struct FailureCause<'a> {
    /// From 1, in the order of the records.
    pub number: usize,
    /// The distinct failures, each with its devices; at least one.
    pub failures: Vec<FailureGroup<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CauseKey {
    outcome: OutcomeKind,
    culprit: Option<Culprit>,
    /// The compiler, or the producer or device in its place.
    whose: String,
    /// The message without sizes and names.
    message: String,
    /// The kinds of wrong numbers.
    quantities: BTreeSet<Quantity>,
}

impl CauseKey {
    fn of(failure: &FailureGroup<'_>) -> Self {
        let CheckRecord { id: CheckId { producer, rules, .. }, outcome, .. } = failure.record;
        let culprit = outcome.culprit();
        let is_compiler = matches!(producer.producer(), Some(Producer::Compiler(_)));
        let whose = match culprit {
            Some(Culprit::Case | Culprit::Rules | Culprit::CaseOrRules) => rules.to_string(),
            Some(Culprit::Device) => failure.devices.join("; "),
            // The output of our generators becomes different code for each API.
            Some(Culprit::Compiler | Culprit::Report | Culprit::Module | Culprit::Unclear) | None if !is_compiler => {
                format!("{producer} {}", failure.devices.join("; "))
            }
            Some(Culprit::Compiler | Culprit::Report | Culprit::Module | Culprit::Unclear) | None => {
                producer.to_string()
            }
        };

        let message = match outcome {
            Outcome::Broken { reasons, .. } => reasons.without_first_probes(),
            _ => {
                let story = outcome.story();
                story.map(|story| story.hint.clone().unwrap_or_else(|| story.verdict.clone())).unwrap_or_default()
            }
        };
        let wrong = failure.record.rows.iter().filter(|row| is_wrong(row, culprit));
        Self {
            outcome: outcome.kind(),
            culprit,
            whose,
            message: without_details(&message),
            quantities: wrong.map(|row| row.what).collect(),
        }
    }
}

/// The causes of all failures. Those that differ come before those that broke.
pub fn causes(checks: &[CheckRecord]) -> Vec<FailureCause<'_>> {
    by_cause(failures(checks))
}

/// The causes of known differences in the selected cases, for a user's own files.
pub fn known_causes(checks: &[CheckRecord], is_meant: impl Fn(&CheckRecord) -> bool) -> Vec<FailureCause<'_>> {
    by_cause(failures_of(checks, |check| check.outcome.kind() == OutcomeKind::Known && is_meant(check)))
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
    /// The failure that is printed in full.
    pub fn first(&self) -> &FailureGroup<'_> {
        &self.failures[0]
    }

    /// A line with the number of further failures and the command that lists them.
    fn others(&self, records_file: Option<&str>) -> Option<String> {
        let more = self.failures.len() - 1;
        let number = self.number;
        (more > 0).then(|| match records_file {
            Some(file) => format!(
                "and {} like it (list: `layoutproof report {} --group {number}`)",
                grouped(more as u64),
                shell_word(file)
            ),
            None => format!(
                "and {} like it (list: run with `--json FILE`, then `layoutproof report FILE --group {number}`)",
                grouped(more as u64)
            ),
        })
    }

    /// A line with the command that writes the shader and the buffers of the first failure.
    fn repro(&self, records_file: Option<&str>) -> Option<String> {
        let command = repro_command(&self.first().record.id, records_file?)?;
        Some(format!("  {:<8} {command}\n", "repro"))
    }

    /// The whole block of the first failure, and how many are like it.
    pub fn text(&self, records_file: Option<&str>, style: Style) -> String {
        let others = self.others(records_file).map(|others| format!("  {:<8} {others}\n", "like it"));
        block(self.first(), style) + &self.repro(records_file).unwrap_or_default() + &others.unwrap_or_default()
    }

    /// The first failure without its table, and how many are like it.
    pub(crate) fn short_text(&self) -> String {
        let others = self.others(None).map(|others| format!("\n  {:<8} {others}", "like it"));
        short_block(self.first()) + &others.unwrap_or_default()
    }

    /// The block of the first failure, and one line for each of the others.
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

/// The command that writes the shader and the buffers of a check; `None` for a check without a device.
pub(crate) fn repro_command(id: &CheckId, records_file: &str) -> Option<String> {
    let name = one_line(&id.to_string());
    let name = if name.contains(' ') { format!("'{name}'") } else { name };
    id.device.is_some().then(|| format!("layoutproof report {records_file} --repro {name}"))
}

/// One failure per cause: ten in full, twenty more as one line each, the rest as a count.
/// `records_file` is the file that has all of them, if one was written.
pub(crate) fn causes_text(causes: &[FailureCause<'_>], records_file: Option<&str>, style: Style) -> String {
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
