//! What changed between two runs, as text, Markdown, `JUnit` XML and JSON: `layoutproof compare OLD.jsonl NEW.jsonl`.
//!
//! A check is the same in both runs if its case, rules, compiler and device are. A device is the same if its id and what drives
//! it are: ids have GPU and API, while OpenGL and Vulkan on one GPU have one full name. Drivers differ, which is what such a
//! comparison is for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use layoutproof_device::DeviceInfo;
use layoutproof_events::{CheckId, CheckRecord, Culprit, Outcome, OutcomeKind, Row, RunHeader, SCHEMA};
use layoutproof_show::markdown_text::escaped;
use layoutproof_show::style::{Style, Tone, counted, grouped, one_line};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

/// Changes of one kind that the text shows without `-v`.
const SHOWN: usize = 10;

/// One of the runs, maybe merged from several files.
#[derive(Clone, Copy, Debug)]
pub struct RunSide<'a> {
    /// The file or folder, as the user names it.
    pub name: &'a str,
    pub runs: &'a [RunHeader],
    pub devices: &'a [DeviceInfo],
    pub checks: &'a [CheckRecord],
}

impl RunSide<'_> {
    /// ` on rack-3, linux x86_64`; empty for records that name no host.
    fn hosts(&self) -> String {
        let hosts: BTreeSet<String> = self.runs.iter().map(|run| run.host.to_string()).collect();
        let hosts: Vec<String> = hosts.into_iter().filter(|host| !host.is_empty()).collect();
        if hosts.is_empty() { String::new() } else { format!(" on {}", one_line(&hosts.join("; "))) }
    }
}

/// What became of a check, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckChange {
    /// It was right or was not checked, and is wrong.
    New,
    /// It is wrong in another way: other numbers, another culprit, another reason.
    Moved,
    /// It was compared, and is not any more.
    NoLongerChecked,
    /// The new run got several answers.
    Flaky,
    /// It was wrong, and is right.
    Gone,
    /// It is wrong in the same way.
    Still,
    /// It is right, and was not compared before.
    CheckedNow,
}

impl CheckChange {
    const ALL: [Self; 7] =
        [Self::New, Self::Moved, Self::NoLongerChecked, Self::Flaky, Self::Gone, Self::Still, Self::CheckedNow];

    fn title(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Moved => "moved",
            Self::NoLongerChecked => "no longer checked",
            Self::Flaky => "flaky",
            Self::Gone => "gone",
            Self::Still => "still",
            Self::CheckedNow => "checked now",
        }
    }

    /// In JSON: `no-longer-checked`.
    fn word(self) -> String {
        self.title().replace(' ', "-")
    }

    fn is_failure(self) -> bool {
        match self {
            Self::New | Self::Moved | Self::NoLongerChecked | Self::Flaky => true,
            Self::Gone | Self::Still | Self::CheckedNow => false,
        }
    }
}

/// A check with what became of it.
#[derive(Clone, Copy, Debug)]
pub struct ChangedCheck<'a> {
    pub change: CheckChange,
    pub old: Option<&'a CheckRecord>,
    pub new: Option<&'a CheckRecord>,
}

/// A device with its driver in each run; `None` if it took part in one alone.
#[derive(Clone, Copy, Debug)]
pub struct ComparedDevice<'a> {
    pub old: Option<&'a DeviceInfo>,
    pub new: Option<&'a DeviceInfo>,
}

#[derive(Clone, Debug)]
pub struct RunChanges<'a> {
    old: RunSide<'a>,
    new: RunSide<'a>,
    pub devices: Vec<ComparedDevice<'a>>,
    /// By change, then in the order of the new run.
    pub changes: Vec<ChangedCheck<'a>>,
    /// Checks that are right in both.
    pub same: usize,
    /// Checks that both have, and neither compared.
    pub not_compared: usize,
}

/// The state of a check, as far as changes count it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Right,
    /// Also if a list of known differences excuses it.
    Wrong,
    NotCompared,
}

impl State {
    fn of(record: Option<&CheckRecord>) -> Self {
        match record.map(|record| record.outcome.kind()) {
            Some(OutcomeKind::Agree | OutcomeKind::Stale) => Self::Right,
            Some(OutcomeKind::Differ | OutcomeKind::Known | OutcomeKind::Broken) => Self::Wrong,
            Some(OutcomeKind::Skipped) | None => Self::NotCompared,
        }
    }
}

impl<'a> RunChanges<'a> {
    pub fn of(old: RunSide<'a>, new: RunSide<'a>) -> Self {
        let devices = compared_devices(old.devices, new.devices);
        let mut before: BTreeMap<&CheckId, &CheckRecord> =
            old.checks.iter().map(|record| (&record.id, record)).collect();
        let mut changes = Vec::new();
        let (mut same, mut not_compared) = (0, 0);
        for record in new.checks {
            let earlier = before.remove(&record.id);
            match change(earlier, Some(record)) {
                Some(change) => changes.push(ChangedCheck { change, old: earlier, new: Some(record) }),
                None if State::of(Some(record)) == State::Right => same += 1,
                None => not_compared += 1,
            }
        }
        let left = old.checks.iter().filter(|record| before.contains_key(&record.id));
        changes.extend(left.filter_map(|record| {
            Some(ChangedCheck { change: change(Some(record), None)?, old: Some(record), new: None })
        }));
        changes.sort_by_key(|found| found.change);
        Self { old, new, devices, changes, same, not_compared }
    }

    /// True if something is wrong that was not, or is no longer compared.
    pub fn is_failure(&self) -> bool {
        self.changes.iter().any(|found| found.change.is_failure())
    }

    /// True if no check of one run is in the other.
    pub fn has_nothing_in_common(&self) -> bool {
        self.same == 0 && self.changes.iter().all(|found| found.old.is_none() || found.new.is_none())
    }

    fn of_kind(&self, kind: CheckChange) -> impl Iterator<Item = &ChangedCheck<'a>> {
        self.changes.iter().filter(move |found| found.change == kind)
    }

    /// `3 new, 1 moved, 12 still, 19,690 right in both`.
    pub fn summary(&self) -> String {
        let counts = CheckChange::ALL.map(|kind| (kind, self.of_kind(kind).count()));
        let mut parts: Vec<String> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(kind, count)| format!("{} {}", grouped(*count as u64), kind.title()))
            .collect();
        parts.push(format!("{} right in both", grouped(self.same as u64)));
        if self.not_compared > 0 {
            parts.push(format!("{} compared in neither", grouped(self.not_compared as u64)));
        }
        parts.join(", ")
    }

    /// Text for people; all changes with `verbose`.
    pub fn text(&self, verbose: bool, style: Style) -> String {
        let mut text = String::new();
        for (side, name) in [("old", &self.old), ("new", &self.new)] {
            let checks = counted(name.checks.len() as u64, "check");
            let _ = writeln!(text, "{side}  {}, {checks}{}", one_line(name.name), name.hosts());
        }
        for device in &self.devices {
            let _ = writeln!(text, "     {}", one_line(&device.sentence()));
        }
        for kind in CheckChange::ALL {
            let found: Vec<_> = self.of_kind(kind).collect();
            let is_listed = verbose || !matches!(kind, CheckChange::Still | CheckChange::CheckedNow);
            if found.is_empty() || !is_listed {
                continue;
            }
            let tone = if kind.is_failure() { Tone::Disagree } else { Tone::Strong };
            let _ = writeln!(text, "\n{}", style.paint(tone, kind.title()));
            let most = if verbose { usize::MAX } else { SHOWN };
            for change in found.iter().take(most) {
                let _ =
                    writeln!(text, "  {}\n    {}", one_line(&change.id().to_string()), one_line(&change.sentence()));
            }
            if let Some(more) = found.len().checked_sub(most).filter(|more| *more > 0) {
                let _ = writeln!(text, "  and {} more: -v", grouped(more as u64));
            }
        }
        let _ = writeln!(text, "\n{}", self.summary());
        text
    }

    /// A table and lists for a pull request.
    pub fn markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.summary());
        for (side, run) in [("old", &self.old), ("new", &self.new)] {
            let _ = writeln!(text, "- {side}: {}{}", escaped(run.name), escaped(&run.hosts()));
        }
        for device in &self.devices {
            let _ = writeln!(text, "- {}", escaped(&device.sentence()));
        }
        for kind in CheckChange::ALL.into_iter().filter(|kind| *kind != CheckChange::CheckedNow) {
            let found: Vec<_> = self.of_kind(kind).collect();
            if found.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n<details><summary>{} {}</summary>\n", found.len(), kind.title());
            let _ = writeln!(text, "| check | old | new |\n|---|---|---|");
            for change in found {
                let words = [change.old, change.new].map(|record| escaped(&outcome_words(record)));
                let _ = writeln!(text, "| {} | {} | {} |", escaped(&change.id().to_string()), words[0], words[1]);
            }
            text += "\n</details>\n";
        }
        text
    }

    /// `JUnit` XML: a test for each check that changed, which fails as the exit code does, and one for all that are right in
    /// both. What could not be compared is an error or a skipped test: `gaps` says what the runs lack.
    pub fn junit<'g>(&self, gaps: impl Iterator<Item = &'g String>) -> String {
        let mut suite = TestSuite::new(one_line(&format!("{} to {}", self.old.name, self.new.name)));
        for change in &self.changes {
            let status = if change.change.is_failure() {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(change.change.word()).set_message(one_line(&change.sentence()));
                status
            } else {
                TestCaseStatus::success()
            };
            let mut case = TestCase::new(one_line(&change.id().to_string()), status);
            case.set_classname(change.change.title());
            suite.add_test_case(case);
        }
        let same = format!("{} right in both", counted(self.same as u64, "check"));
        suite.add_test_case(TestCase::new(same, TestCaseStatus::success()));
        if self.not_compared > 0 {
            let neither = format!("{} compared in neither", counted(self.not_compared as u64, "check"));
            suite.add_test_case(TestCase::new(neither, TestCaseStatus::skipped()));
        }
        let nothing = self.has_nothing_in_common().then_some("the runs have no check in common");
        for gap in nothing.into_iter().chain(gaps.map(String::as_str)) {
            suite.add_test_case(TestCase::new(one_line(gap), TestCaseStatus::non_success(NonSuccessKind::Error)));
        }
        let mut report = Report::new("layoutproof compare");
        report.add_test_suite(suite);
        report.to_string().expect("quick-junit escapes text, and writing to memory does not fail")
    }

    pub fn json(&self) -> Value {
        let device = |device: &ComparedDevice<'_>| {
            let of = |info: Option<&DeviceInfo>| {
                info.map(|info| json!({"id": info.id, "name": info.name, "driver": info.driver, "api": info.api}))
            };
            json!({"old": of(device.old), "new": of(device.new)})
        };
        let check = |found: &ChangedCheck<'_>| {
            let of = |record: Option<&CheckRecord>| {
                record.map(|record| {
                    json!({
                        "outcome": record.outcome.kind().as_str(),
                        "culprit": record.outcome.culprit().map(Culprit::as_str),
                        "says": outcome_words(Some(record)),
                    })
                })
            };
            let change = found.change.word();
            json!({"check": found.id().to_string(), "change": change, "old": of(found.old), "new": of(found.new)})
        };
        let counts: serde_json::Map<String, Value> =
            CheckChange::ALL.into_iter().map(|kind| (kind.word(), self.of_kind(kind).count().into())).collect();
        json!({
            "schema": SCHEMA,
            "old": self.old.name,
            "new": self.new.name,
            "devices": self.devices.iter().map(device).collect::<Vec<_>>(),
            "counts": counts,
            "right_in_both": self.same,
            "compared_in_neither": self.not_compared,
            "changes": self.changes.iter().map(check).collect::<Vec<_>>(),
        })
    }
}

impl ChangedCheck<'_> {
    /// As the new run names it.
    pub fn id(&self) -> &CheckId {
        match (self.new, self.old) {
            (Some(record), _) | (None, Some(record)) => &record.id,
            (None, None) => unreachable!("a change is about a check of one of the runs"),
        }
    }

    fn sentence(&self) -> String {
        let [old, new] = [self.old, self.new].map(outcome_words);
        if old == new && self.change != CheckChange::Moved { new } else { format!("{old} -> {new}") }
    }
}

impl ComparedDevice<'_> {
    fn sentence(&self) -> String {
        let full = |info: &DeviceInfo| format!("{} ({}): {}, {}", info.id, info.api, info.name, info.driver);
        match (self.old, self.new) {
            (Some(old), Some(new)) if (&old.driver, &old.name) == (&new.driver, &new.name) => full(new),
            (Some(old), Some(new)) if old.name == new.name => {
                format!("{} ({}): {}, {} -> {}", new.id, new.api, new.name, old.driver, new.driver)
            }
            (Some(old), Some(new)) => {
                format!("{} ({}): {}, {} -> {}, {}", new.id, new.api, old.name, old.driver, new.name, new.driver)
            }
            (Some(old), None) => format!("{}: in the old run alone", full(old)),
            (None, Some(new)) => format!("{}: in the new run alone", full(new)),
            (None, None) => String::new(),
        }
    }
}

/// What became of a check; `None` if it is right in both runs or compared in neither.
fn change(old: Option<&CheckRecord>, new: Option<&CheckRecord>) -> Option<CheckChange> {
    let change = match (State::of(old), State::of(new)) {
        (State::Right, State::Right) | (State::NotCompared, State::NotCompared) => None,
        (State::Right | State::NotCompared, State::Wrong) => Some(CheckChange::New),
        (State::Wrong, State::Right) => Some(CheckChange::Gone),
        (State::Wrong | State::Right, State::NotCompared) => Some(CheckChange::NoLongerChecked),
        (State::NotCompared, State::Right) => Some(CheckChange::CheckedNow),
        (State::Wrong, State::Wrong) => match old.zip(new) {
            Some((old, new)) if fault(old) == fault(new) => Some(CheckChange::Still),
            _ => Some(CheckChange::Moved),
        },
    };
    let is_failure = change.is_some_and(CheckChange::is_failure);
    if new.is_some_and(CheckRecord::is_flaky) && !is_failure { Some(CheckChange::Flaky) } else { change }
}

/// A hash of what is wrong: the culprit, the reasons, and every number, but not whether checks shared a module.
pub(crate) fn fault(record: &CheckRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.outcome.culprit().map(Culprit::as_str).hash(&mut hasher);
    record.outcome.reasons().map(ToString::to_string).hash(&mut hasher);
    for row in &record.rows {
        format!("{:?}", Row { fused: false, ..row.clone() }).hash(&mut hasher);
    }
    hasher.finish()
}

/// `differ (device)`, `known: for a row index ...`, `not in these records`.
fn outcome_words(record: Option<&CheckRecord>) -> String {
    let Some(record) = record else { return "not in these records".to_owned() };
    let kind = record.outcome.kind().as_str();
    match &record.outcome {
        Outcome::Agrees => kind.to_owned(),
        Outcome::Differs { culprit, .. } => format!("{kind} ({})", culprit.as_str()),
        Outcome::Known { entry, .. } | Outcome::Stale(entry) => format!("{kind}: {}", entry.reason),
        Outcome::Skipped { reasons, .. } | Outcome::Broken { reasons, .. } => format!("{kind}: {reasons}"),
    }
}

/// The devices of both runs, each with its like in the other.
fn compared_devices<'a>(old: &'a [DeviceInfo], new: &'a [DeviceInfo]) -> Vec<ComparedDevice<'a>> {
    let mut left: Vec<&DeviceInfo> = old.iter().collect();
    let mut take = |info: &DeviceInfo| {
        let at = left.iter().position(|old| (old.runner, &old.id) == (info.runner, &info.id))?;
        Some(left.remove(at))
    };
    let mut pairs: Vec<ComparedDevice<'a>> =
        new.iter().map(|info| ComparedDevice { old: take(info), new: Some(info) }).collect();
    pairs.extend(left.into_iter().map(|info| ComparedDevice { old: Some(info), new: None }));
    pairs
}
