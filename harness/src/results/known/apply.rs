//! Applies known differences to the records of a run: which records they excuse, and which entries
//! are stale.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_device::DeviceInfo;
use wildmatch::WildMatch;

use super::entry::{CasePattern, KnownFailure, RunScope};
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckId, ShaderMaker};
use layoutproof_events::{CheckRecord, KnownEntry, Outcome, OutcomeKind, SeenEntry, Validation};

/// Marks known differences as `Known` and the checks of stale entries as `Stale`.
pub fn apply(known: &[KnownFailure], checks: &mut [CheckRecord], devices: &[DeviceInfo]) {
    for check in checks.iter_mut() {
        explain(known, check, devices);
    }
    mark_stale(known, checks, devices);
}

/// Marks a known difference as `Known`. Needs only this check, so it works while others are still
/// running.
pub fn explain(known: &[KnownFailure], check: &mut CheckRecord, devices: &[DeviceInfo]) {
    if !matches!(check.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken) {
        return;
    }

    // If a part of the check broke as well, that needs a separate entry.
    let broke_too = check.outcome.kind() == OutcomeKind::Differ && check.outcome.reasons().is_some();
    if broke_too && !known.iter().any(|entry| entry.covers(check, devices) && entry.is_about_break(check)) {
        return;
    }

    if let Some(entry) = known.iter().find(|entry| entry.covers(check, devices) && entry.explains(check)) {
        check.excuse(entry.entry());
        // One shader is enough to show it; a run has many checks of each known difference.
        check.outcome.story_mut().into_iter().for_each(|story| story.shaders.truncate(1));
    }
}

/// Marks the checks of stale entries as `Stale`, once all checks of the run are there and
/// explained. Returns true if it marked one.
pub fn mark_stale(known: &[KnownFailure], checks: &mut [CheckRecord], devices: &[DeviceInfo]) -> bool {
    let whole = known.iter().filter(|entry| entry.scope == RunScope::Whole);
    let by_case = ByCase::new(tried(known, checks, devices));
    let seen: Vec<SeenEntry> = whole.flat_map(|entry| seen_of(entry, &by_case, devices)).collect();
    mark_seen(&seen, checks)
}

/// An entry for which no check of a narrowed run differs. It may be fixed here, or differ in checks
/// that did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedEntry {
    pub entry: KnownEntry,
    /// Number of checks that agree.
    pub agreeing: usize,
}

/// The entries of a narrowed run whose checks all agree. From the built-in lists only entries with
/// the id of a case count, because a pattern also covers cases that did not run.
pub fn fixed_here(known: &[KnownFailure], checks: &[CheckRecord], devices: &[DeviceInfo]) -> Vec<FixedEntry> {
    let by_case = ByCase::new(checks.iter());
    let is_meant = |entry: &&KnownFailure| {
        let is_own = !entry.file.starts_with("ci/known/");
        entry.scope == RunScope::Narrowed && !entry.untried && (is_own || matches!(entry.case, CasePattern::Id(_)))
    };
    let seen = known.iter().filter(is_meant).flat_map(|entry| seen_of(entry, &by_case, devices));
    let fixed = seen.filter(|seen| !seen.differs && !seen.agreeing.is_empty());
    fixed.map(|seen| FixedEntry { agreeing: seen.agreeing.len(), entry: seen.entry }).collect()
}

/// One shard's findings about each entry that may be stale.
pub fn seen_in_shard(known: &[KnownFailure], checks: &[CheckRecord], devices: &[DeviceInfo]) -> Vec<SeenEntry> {
    let by_case = ByCase::new(tried(known, checks, devices));
    let of_shard = known.iter().filter(|entry| entry.scope == RunScope::Shard);
    let seen = of_shard.flat_map(|entry| seen_of(entry, &by_case, devices));
    seen.filter(|seen| seen.differs || !seen.agreeing.is_empty()).collect()
}

/// Marks the checks of stale entries as `Stale`, from the findings of all shards of a run. Returns
/// true if it marked one.
pub fn mark_seen(seen: &[SeenEntry], checks: &mut [CheckRecord]) -> bool {
    let subject = |seen: &SeenEntry| (seen.entry.clone(), seen.compiler.clone());
    let differing: BTreeSet<_> = seen.iter().filter(|seen| seen.differs).map(subject).collect();

    let mut stale: HashMap<&CheckId, &KnownEntry> = HashMap::new();
    for seen in seen.iter().filter(|seen| !differing.contains(&subject(seen))) {
        for check in &seen.agreeing {
            stale.entry(check).or_insert(&seen.entry);
        }
    }

    for check in checks.iter_mut().filter(|check| check.outcome.kind() == OutcomeKind::Agree) {
        if let Some(entry) = stale.get(&*check.id.as_typed()) {
            check.outcome = Outcome::Stale((*entry).clone());
        }
    }

    !stale.is_empty()
}

/// The checks that can show that an entry is stale: all but those on drivers and of compilers that
/// were not tried.
fn tried<'a>(
    known: &[KnownFailure],
    checks: &'a [CheckRecord],
    devices: &[DeviceInfo],
) -> impl Iterator<Item = &'a CheckRecord> {
    let untried: Vec<&KnownFailure> = known.iter().filter(|entry| entry.untried).collect();
    checks.iter().filter(move |check| !untried.iter().any(|entry| entry.covers(check, devices)))
}

/// The results of an entry's checks, for each compiler separately. Without a check of one of the entry's producers, as in a
/// run on a device that takes no output of it, nothing says that the entry is fixed.
fn seen_of(entry: &KnownFailure, checks: &ByCase<'_>, devices: &[DeviceInfo]) -> Vec<SeenEntry> {
    let covered = checks.of(&entry.case).iter().copied().filter(|check| entry.covers(check, devices));
    let covered: Vec<&CheckRecord> = covered.collect();
    let has_check_of = |wanted: &WildMatch| covered.iter().any(|check| wanted.matches(check.id.producer.as_str()));
    let is_of_all = entry.producers.iter().all(has_check_of);
    let mut by_compiler: BTreeMap<&str, Vec<&CheckRecord>> = BTreeMap::new();
    for check in covered {
        by_compiler.entry(compiler_of(&check.id.producer)).or_default().push(check);
    }

    let of_compiler = |(compiler, checks): (&str, Vec<&CheckRecord>)| {
        let differs = checks.iter().any(|check| check.outcome.kind() == OutcomeKind::Known && entry.explains(check));
        let is_evidence = |check: &&&CheckRecord| {
            // Nothing judged the module.
            let is_unjudged = entry.is_about_validity() && matches!(check.validation, Validation::NotRun(_));
            check.outcome.kind() == OutcomeKind::Agree && !check.lacks_a_part() && !is_unjudged
        };
        let agreeing = checks.iter().filter(|_| is_of_all && !differs).filter(is_evidence);
        let agreeing = agreeing.map(|check| check.id.as_typed().into_owned()).collect();
        SeenEntry { entry: entry.entry(), compiler: compiler.to_owned(), differs, agreeing }
    };
    by_compiler.into_iter().map(of_compiler).collect()
}

/// The compiler of a producer if it is a toolchain, else the producer: `dxc-1.9` of
/// `dxc-1.9-spirv-dx`.
fn compiler_of(producer: &ShaderMaker) -> &str {
    match producer {
        ShaderMaker::Producer(Producer::Compiler(toolchain)) => toolchain.compiler,
        ShaderMaker::Producer(Producer::Generator(_)) | ShaderMaker::NoShader | ShaderMaker::Unknown(_) => {
            producer.as_str()
        }
    }
}

/// Checks by case. Most entries are about one case, so this avoids matching each of them against
/// every check.
struct ByCase<'a> {
    all: Vec<&'a CheckRecord>,
    of_case: HashMap<&'a str, Vec<&'a CheckRecord>>,
}

impl<'a> ByCase<'a> {
    fn new(checks: impl Iterator<Item = &'a CheckRecord>) -> Self {
        let all: Vec<&CheckRecord> = checks.collect();
        let mut of_case: HashMap<&str, Vec<&CheckRecord>> = HashMap::new();
        for check in &all {
            of_case.entry(&check.id.case).or_default().push(check);
        }
        Self { all, of_case }
    }

    /// The checks that an entry with this pattern may match.
    fn of(&self, case: &CasePattern) -> &[&'a CheckRecord] {
        match case {
            CasePattern::Id(id) => self.of_case.get(id.as_str()).map_or(&[], Vec::as_slice),
            CasePattern::Pattern(_) => &self.all,
        }
    }
}
