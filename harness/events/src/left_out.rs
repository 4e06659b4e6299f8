//! Summarises the checks that a filtered records file omits, with everything that reports need from
//! them.

use std::collections::BTreeMap;

use crate::check_id::{CheckDevice, CheckRules, ShaderMaker};
use crate::seen_cases::SeenCases;
use crate::{
    BoundCount, CheckRecord, LeftOutCases, LeftOutChecks, Outcome, OutcomeKind, Proves, Reason, ReasonKind, Reasons,
    RecordsFilter, RerunCommand, RunEnd, RunHeader, SkipKind,
};

/// The fields that all checks of one group share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CommonKey<'a> {
    device: Option<&'a CheckDevice>,
    producer: &'a ShaderMaker,
    rules: &'a CheckRules,
    proves: Proves,
    outcome: OutcomeKind,
    skip_kind: Option<SkipKind>,
    skip_reason: Option<ReasonKind>,
}

/// The omitted checks as totals, one per group of checks with equal fields.
pub fn left_out(checks: &[CheckRecord], filter: RecordsFilter) -> Vec<LeftOutChecks> {
    let mut groups: BTreeMap<CommonKey<'_>, LeftOutChecks> = BTreeMap::new();
    for check in checks.iter().filter(|check| !check.is_kept_by(filter)) {
        let key = CommonKey::of(check);
        groups.entry(key.clone()).or_insert_with(|| key.group()).add(check);
    }
    groups.into_values().collect()
}

pub fn left_out_cases(checks: &[CheckRecord], filter: RecordsFilter) -> LeftOutCases {
    let left_out = || checks.iter().filter(|check| !check.is_kept_by(filter));
    let seen = SeenCases::of(left_out());
    let owned = |cases: std::collections::BTreeSet<&str>| cases.into_iter().map(str::to_owned).collect();
    LeftOutCases {
        all: left_out().map(|check| check.id.case.clone()).collect(),
        ran: owned(seen.all),
        by_compiler: owned(seen.by_compiler),
    }
}

/// The results of a run's devices, for a collection of such files: the checks that they got wrong,
/// without shaders, and totals of all others.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceResults {
    pub run: RunHeader,
    pub checks: Vec<CheckRecord>,
    pub end: RunEnd,
}

impl DeviceResults {
    /// The results in the records of a run, which may leave out checks themselves. Without the
    /// paths of this machine.
    pub fn of(run: &RunHeader, checks: &[CheckRecord], end: &RunEnd) -> Self {
        let filter = RecordsFilter::Devices;
        let mut kept: Vec<CheckRecord> = checks.iter().filter(|check| check.is_kept_by(filter)).cloned().collect();
        for check in &mut kept {
            if let Some(story) = check.outcome.story_mut() {
                story.shaders.clear();
                // A command may have paths of this machine, and the id names the check.
                story.again = RerunCommand::default();
            }
            if let Outcome::Known { entry, .. } | Outcome::Stale(entry) = &mut check.outcome {
                entry.file = without_folder(&entry.file);
            }
        }
        let others = left_out(checks, filter);
        let end = RunEnd {
            left_out: end.left_out.iter().cloned().chain(others).collect(),
            left_out_cases: LeftOutCases::default(),
            cells: Vec::new(),
            sources: Vec::new(),
            seen: Vec::new(),
            // It is about the user's own files.
            account: None,
            ..end.clone()
        };
        let arguments = run
            .arguments
            .iter()
            .map(|(option, values)| (option.clone(), values.iter().map(|value| without_folder(value)).collect()));
        let run =
            RunHeader { records: filter, environment: BTreeMap::new(), arguments: arguments.collect(), ..run.clone() };
        Self { run, checks: kept, end }
    }
}

/// Replaces an absolute path in an argument by its file name: `dxc=libdxcompiler.so`. Folders may contain
/// the user's name.
fn without_folder(argument: &str) -> String {
    let (option, path) = argument.split_once('=').map_or(("", argument), |(option, path)| (option, path));
    let is_absolute = path.starts_with('/') || path.contains('\\') || path.chars().nth(1) == Some(':');
    let name = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().filter(|_| is_absolute);
    match name {
        Some(name) if option.is_empty() => name.to_owned(),
        Some(name) => format!("{option}={name}"),
        None => argument.to_owned(),
    }
}

impl<'a> CommonKey<'a> {
    fn of(check: &'a CheckRecord) -> Self {
        Self {
            device: check.id.device.as_ref(),
            producer: &check.id.producer,
            rules: &check.id.rules,
            proves: check.proves,
            outcome: check.outcome.kind(),
            skip_kind: check.outcome.skip_kind(),
            skip_reason: check.outcome.reasons().map(Reasons::kind),
        }
    }

    /// The group that this key describes, with no checks in it yet.
    fn group(self) -> LeftOutChecks {
        LeftOutChecks {
            rules: self.rules.clone(),
            producer: self.producer.clone(),
            device: self.device.cloned(),
            proves: self.proves,
            outcome: self.outcome,
            skip_kind: self.skip_kind,
            skip_reason: self.skip_reason,
            checks: 0,
            ms: 0,
            leaves: 0,
            leaves_not_probed: 0,
            bound: None,
            partly: 0,
            not_checked: BTreeMap::new(),
        }
    }
}

impl LeftOutChecks {
    fn add(&mut self, check: &CheckRecord) {
        self.checks += 1;
        self.ms = self.ms.saturating_add(check.ms);
        self.leaves = self.leaves.saturating_add(check.leaves);
        self.leaves_not_probed = self.leaves_not_probed.saturating_add(check.leaves_not_probed);

        if let Some(bound) = &check.bound {
            let total = self.bound.get_or_insert_with(BoundCount::default);
            total.read = total.read.saturating_add(bound.read);
            for (reason, count) in &bound.not_read {
                let of_reason = total.not_read.entry(reason.clone()).or_default();
                *of_reason = of_reason.saturating_add(*count);
            }
        }

        self.partly += u32::from(!check.not_checked.is_empty());
        for kind in check.kinds_not_checked() {
            *self.not_checked.entry(kind).or_default() += 1;
        }
    }
}

impl CheckRecord {
    /// The kinds of reasons why parts of the check were left out, each once.
    pub fn kinds_not_checked(&self) -> std::collections::BTreeSet<ReasonKind> {
        self.not_checked.iter().map(Reason::kind).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_the_names_of_files_without_their_folders() {
        for (argument, kept) in [
            ("/home/anna/known.toml", "known.toml"),
            ("/home/anna/lists/", "lists"),
            ("dxc=/home/anna/lib/libdxcompiler.so", "dxc=libdxcompiler.so"),
            (r"C:\Users\Anna\dxc.exe", "dxc.exe"),
            ("arrays/arrays_of_one", "arrays/arrays_of_one"),
            ("dxc@1.9", "dxc@1.9"),
            ("std140", "std140"),
        ] {
            assert_eq!(without_folder(argument), kept, "{argument}");
        }
    }
}
