//! One entry of a list of known differences, and the checks that it covers.

use std::fmt;

use layoutproof_device::DeviceInfo;
use wildmatch::WildMatch;

use super::compiler_versions::CompilerVersions;
use super::drivers::Drivers;
use super::instead::{Instead, wrong_values};
use super::named_builds::NamedBuilds;
use super::shape_entry::ShapeEntry;
use crate::check::verdict::Validation;
use layoutproof_events::{CheckRecord, Culprit, KnownEntry, OutcomeKind, Row};
use layoutproof_probes::AddressSpace;
use layoutproof_readers::toolchain::Toolchain;

/// The words that device and API of an entry match for a check without a device, as in records.
const NO_DEVICE: (&str, &str) = ("none", "model");

/// One `[[known]]` entry.
#[derive(Clone, Debug)]
pub struct KnownFailure {
    /// Patterns (`*` and `?`). An omitted key matches everything.
    pub(super) case: CasePattern,
    /// If omitted, matches every rule set, but no check of bindings on a device: an entry about
    /// bytes does not cover bindings. Neither does one about all other rule sets.
    pub(super) rules: Option<RulesPattern>,
    pub(super) producers: Vec<WildMatch>,
    pub(super) versions: Option<CompilerVersions>,
    pub(super) device: WildMatch,
    pub(super) runner: WildMatch,
    pub(super) driver: Option<Drivers>,
    pub(super) culprit: Option<String>,
    /// Message of a check that broke. An entry with this key covers only such checks.
    pub(super) says: Option<WildMatch>,
    /// The address space of all rows that differ.
    pub(super) space: Option<AddressSpace>,
    /// The validator's message for a module that needs more device features than promised. An entry
    /// with this key covers only such modules.
    pub(super) validation: Option<WildMatch>,
    /// The wrong numbers that the entry excuses; `None` for all.
    pub instead: Option<Instead>,
    /// Rule sets that have the wrong numbers of a translator: those of an address space are all of one of them. Empty for
    /// any numbers.
    pub(super) numbers_of: Vec<&'static str>,
    /// True if these drivers or compilers are untested: results for them are reported, but never fail
    /// the run.
    pub untried: bool,
    /// The members of random declarations that the entry covers; such an entry covers no cases.
    pub shape: Option<ShapeEntry>,
    /// Short stable id of the bug, which several entries may share: `DXC-17`.
    pub bug: Option<String>,
    /// Why the witnesses differ.
    pub reason: String,
    /// The fault in one line, if the start of the reason does not name it.
    pub title: Option<String>,
    /// The newest build with the difference.
    pub seen: Option<NamedBuilds>,
    /// The build in which the difference was gone.
    pub gone: Option<NamedBuilds>,
    /// How a source avoids the difference.
    pub workaround: Option<String>,
    /// Address of the report.
    pub link: Option<String>,
    /// When the compiler's public tracker was searched, with which words, and the closest thread.
    pub searched: Option<String>,
    pub file: String,
    /// From 1; in an entry about several cases, the line of the case.
    pub line: u32,
    pub(super) scope: RunScope,
}

impl KnownFailure {
    /// The same entry for a run that includes only some of the checks that it covers. If those
    /// agree, this does not make it stale.
    #[must_use]
    pub fn of_narrowed_run(self) -> Self {
        Self { scope: RunScope::Narrowed, ..self }
    }

    /// The same entry for one shard of the run.
    #[must_use]
    pub fn of_shard(self) -> Self {
        match self.scope {
            RunScope::Whole => Self { scope: RunScope::Shard, ..self },
            RunScope::Shard | RunScope::Narrowed => self,
        }
    }

    /// The same entry for a run with these compilers, of which `version_of` tells the version. Until
    /// then, an entry about versions of compilers covers nothing.
    #[must_use]
    pub fn of_compilers<'a>(self, version_of: impl Fn(&Toolchain) -> Option<&'a str>) -> Self {
        Self { versions: self.versions.map(|versions| versions.of_run(version_of)), ..self }
    }

    /// True if the entry covers this producer's output; a toolchain is a producer.
    pub fn is_about_producer(&self, producer: &str) -> bool {
        self.producers.is_empty() || self.producers.iter().any(|pattern| pattern.matches(producer))
    }

    /// True if the entry covers this case under some rule set.
    pub fn is_about_case(&self, case: &str) -> bool {
        self.shape.is_none() && self.case.matches(case)
    }

    /// True if the entry names its cases, by id or with a pattern that does not match all cases.
    pub fn names_cases(&self) -> bool {
        let is_of_some = match &self.case {
            CasePattern::Id(_) => true,
            CasePattern::Pattern(pattern) => {
                // Comparing a `WildMatch` with a text would match it, so compare its text.
                let text = pattern.to_string();
                text != "*"
            }
        };
        self.shape.is_none() && is_of_some
    }

    /// The id of the entry's case; `None` if it names none or has a pattern.
    pub fn case_id(&self) -> Option<&str> {
        match &self.case {
            CasePattern::Id(id) => Some(id),
            CasePattern::Pattern(_) => None,
        }
    }

    /// True if the entry covers checks that broke: the compiler crashes, or its output cannot be
    /// read.
    pub fn is_about_breaks(&self) -> bool {
        self.says.is_some()
    }

    /// True if the entry is about modules that a validator rejects.
    pub(super) fn is_about_validity(&self) -> bool {
        self.validation.is_some() || self.culprit() == Some(Culprit::Module.as_str())
    }

    /// True if rule sets state the wrong numbers, in whatever declaration.
    pub fn has_rules_for_numbers(&self) -> bool {
        !self.numbers_of.is_empty()
    }

    /// True if the entry names cases and can excuse wrong numbers in them: it is not about checks that broke,
    /// nor about untested drivers and compilers.
    pub(super) fn excuses_numbers(&self) -> bool {
        self.names_cases() && self.says.is_none() && !self.untried
    }

    /// True if the entry is about bytes under this rule set.
    pub fn is_about_rules(&self, rules: &str) -> bool {
        self.rules.as_ref().is_none_or(|pattern| pattern.matches(rules))
    }

    /// The word in the list for the witness that contradicts the others; `None` if the entry has
    /// none.
    pub fn culprit(&self) -> Option<&str> {
        self.culprit.as_deref()
    }

    /// The entry's conditions besides its cases, as its list has them. Omitted keys are absent.
    pub fn conditions(&self) -> Vec<EntryCondition> {
        let producers: Vec<String> = self.producers.iter().map(ToString::to_string).collect();
        let driver = self.driver.as_ref().map(ToString::to_string);
        let shape = self.shape.as_ref().map(|entry| entry.shape.as_str().to_owned());
        let pattern = |pattern: Option<&WildMatch>| pattern.map(ToString::to_string);
        let numbers_of = Some(self.numbers_of.join(", ")).filter(|names| !names.is_empty());

        let all = [
            ("rules", self.rules.as_ref().map(ToString::to_string)),
            ("producer", Some(producers.join(", ")).filter(|names| !names.is_empty())),
            ("version", self.versions.as_ref().map(ToString::to_string)),
            ("device", pattern(Some(&self.device)).filter(|pattern| pattern != "*")),
            ("runner", pattern(Some(&self.runner)).filter(|pattern| pattern != "*")),
            ("driver", driver),
            ("space", self.space.map(|space| space.as_str().to_owned())),
            ("culprit", self.culprit.clone()),
            ("says", pattern(self.says.as_ref())),
            ("validation", pattern(self.validation.as_ref())),
            ("shape", shape),
            ("numbers_of", numbers_of),
        ];
        all.into_iter().filter_map(|(key, patterns)| Some(EntryCondition { key, patterns: patterns? })).collect()
    }

    /// True if the entry is limited to some devices, APIs or drivers.
    pub fn is_about_devices(&self) -> bool {
        self.conditions().iter().any(|condition| ["device", "runner", "driver"].contains(&condition.key))
    }

    /// True if the entry is about some versions of a driver, which were tried.
    pub fn is_about_drivers(&self) -> bool {
        self.driver.is_some() && !self.untried
    }

    /// True if the entry covers the check without regard to its declarations.
    pub(super) fn covers(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        self.shape.is_none() && self.matches(check, devices)
    }

    /// True if all patterns of the entry match the check.
    pub(super) fn matches(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        if !self.matches_elsewhere(check) {
            return false;
        }
        let driver = devices.iter().find(|device| check.id.is_on(device)).map_or("", |device| device.driver.as_str());
        let (device, runner) =
            check.id.device.as_ref().map_or(NO_DEVICE, |device| (device.id.as_str(), device.runner.as_str()));
        self.device.matches(device)
            && self.runner.matches(runner)
            && self.driver.as_ref().is_none_or(|drivers| drivers.contain(driver))
    }

    /// True if the patterns of the entry match the check, apart from device, API and driver.
    pub(super) fn matches_elsewhere(&self, check: &CheckRecord) -> bool {
        // The case comes first: most entries are about other cases.
        self.case.matches(&check.id.case)
            && match &self.rules {
                Some(rules @ RulesPattern::Matching(_)) => rules.matches(check.id.rules.as_str()),
                Some(rules @ RulesPattern::Other(_)) => check.bound.is_none() && rules.matches(check.id.rules.as_str()),
                None => check.bound.is_none() || self.untried,
            }
            && self.is_about_producer(check.id.producer.as_str())
            && self.versions.as_ref().is_none_or(|versions| versions.have_made(&check.id.producer))
    }

    /// The entry in the form of the records.
    pub fn entry(&self) -> KnownEntry {
        KnownEntry {
            file: self.file.clone(),
            line: self.line,
            bug: self.bug.clone(),
            reason: self.reason.clone(),
            link: self.link.clone(),
            untried: self.untried,
        }
    }

    pub(super) fn explains(&self, check: &CheckRecord) -> bool {
        if self.untried {
            return true;
        }

        // A check that broke keeps its reason once it is known.
        let is_meant = match (&self.says, check.outcome.kind()) {
            (Some(_), OutcomeKind::Broken | OutcomeKind::Known) => self.is_about_break(check),
            (None, outcome) => outcome != OutcomeKind::Broken,
            (Some(_), OutcomeKind::Agree | OutcomeKind::Differ | OutcomeKind::Stale | OutcomeKind::Skipped) => false,
        };

        is_meant
            && self.is_about_module(check)
            && self.is_about_rows(check)
            && self.instead.as_ref().is_none_or(|instead| instead.has_all(check))
            && (self.numbers_of.is_empty() || self.rules_have_all(check))
            && self.culprit.as_deref().is_none_or(|name| check.outcome.culprit().map(Culprit::as_str) == Some(name))
    }

    /// True if the entry covers this module. Only an entry with `validation` excuses one that needs more
    /// than promised, and such an entry covers nothing but modules with its message.
    pub(super) fn is_about_module(&self, check: &CheckRecord) -> bool {
        let has_message = |pattern: &WildMatch| pattern.matches(&check.validation.to_string());
        match &check.validation {
            Validation::ValidOnlyWith { .. } => self.validation.as_ref().is_some_and(has_message),
            Validation::Invalid(_) => self.validation.as_ref().is_none_or(has_message),
            Validation::Valid | Validation::NotRun(_) => self.validation.is_none(),
        }
    }

    /// True if all rows that differ are in the entry's space.
    fn is_about_rows(&self, check: &CheckRecord) -> bool {
        let mut differing = check.rows.iter().filter(|row| row.differs());
        self.space.is_none() || differing.all(|row| row.access.map(|access| access.space) == self.space)
    }

    /// True if the entry's rule sets have every wrong number of the check, and it has some unless the entry is about its
    /// module.
    fn rules_have_all(&self, check: &CheckRecord) -> bool {
        let Some(story) = check.outcome.story() else { return false };
        let has = |row: &Row| {
            let rules = row.access.and_then(|access| story.moved_by.get(&access.space));
            rules.is_some_and(|rules| self.numbers_of.iter().any(|name| rules.contains(*name)))
        };
        let mut wrong = check.rows.iter().filter(|row| !wrong_values(row).is_empty()).peekable();
        (wrong.peek().is_some() || self.validation.is_some()) && wrong.all(has)
    }

    /// True if the entry's `says` matches the message of a check that broke, in full or in part.
    pub(super) fn is_about_break(&self, check: &CheckRecord) -> bool {
        let says = self.says.as_ref().zip(check.outcome.reasons());
        self.untried || says.is_some_and(|(says, reasons)| says.matches(&reasons.to_string()))
    }
}

/// One key of an entry with its patterns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryCondition {
    /// The key: `producer`.
    pub key: &'static str,
    /// The patterns: `dxc*-dxil`.
    pub patterns: String,
}

#[derive(Clone, Debug)]
pub(super) enum RulesPattern {
    Matching(WildMatch),
    /// `!wgsl-*`: those that do not.
    Other(WildMatch),
}

impl RulesPattern {
    pub(super) fn of(text: &str) -> Self {
        match text.strip_prefix('!') {
            Some(other) => Self::Other(WildMatch::new(other)),
            None => Self::Matching(WildMatch::new(text)),
        }
    }

    fn matches(&self, rules: &str) -> bool {
        match self {
            Self::Matching(pattern) => pattern.matches(rules),
            Self::Other(pattern) => !pattern.matches(rules),
        }
    }
}

impl fmt::Display for RulesPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matching(pattern) => write!(f, "{pattern}"),
            Self::Other(pattern) => write!(f, "!{pattern}"),
        }
    }
}

/// The cases that an entry covers.
#[derive(Clone, Debug)]
pub(super) enum CasePattern {
    Id(String),
    Pattern(WildMatch),
}

impl CasePattern {
    pub(super) fn of(pattern: &str) -> Self {
        if pattern.contains(['*', '?']) { Self::Pattern(WildMatch::new(pattern)) } else { Self::Id(pattern.to_owned()) }
    }

    fn matches(&self, case: &str) -> bool {
        match self {
            Self::Id(id) => id == case,
            Self::Pattern(pattern) => pattern.matches(case),
        }
    }
}

/// The share of the checks covered by an entry that take part in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunScope {
    /// All: if they agree, the entry is stale.
    Whole,
    /// Those of one shard: only all shards together can show that the entry is stale.
    Shard,
    /// Some: if they agree, this shows nothing.
    Narrowed,
}
