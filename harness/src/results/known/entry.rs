//! One entry of a list of known differences, and which checks it is about.

use layoutproof_device::DeviceInfo;
use layoutproof_device::planted::{PlantedBug, is_planted};
use wildmatch::WildMatch;

use super::shape_entry::ShapeEntry;
use crate::check::verdict::Validation;
use crate::probe::AddressSpace;
use crate::results::record::{CheckRecord, Culprit, KnownEntry, Outcome};
use crate::version::VersionRange;

/// One `[[known]]` entry.
#[derive(Clone, Debug)]
pub struct KnownFailure {
    /// Patterns (`*` and `?`); what is left out matches everything.
    pub(super) case: CasePattern,
    /// Left out it matches every rule set, but no placement on a device: an entry on bytes says nothing of bindings.
    pub(super) rules: Option<WildMatch>,
    pub(super) producers: Vec<WildMatch>,
    pub(super) device: WildMatch,
    pub(super) runner: WildMatch,
    pub(super) driver: VersionRange,
    pub(super) culprit: Option<String>,
    /// What a check that broke says; an entry that has this is about such checks alone.
    pub(super) says: Option<WildMatch>,
    /// Where the blocks live in all rows that differ.
    pub(super) space: Option<AddressSpace>,
    /// What is said of a module that needs more of a device than was promised; an entry that has this is about such modules
    /// alone.
    pub(super) validation: Option<WildMatch>,
    /// True if nobody has tried these drivers yet: whatever differs, breaks or agrees there is told, and is no failure.
    pub untried: bool,
    /// Which members of random declarations the entry is about; it says nothing of cases then.
    pub shape: Option<ShapeEntry>,
    /// Why this differs.
    pub reason: String,
    /// Of a compiler: the newest build that was seen to differ (`DXC 1.7.2308`).
    pub seen: Option<String>,
    /// The build that was seen to differ no more.
    pub gone: Option<String>,
    /// Address of the report.
    pub link: Option<String>,
    /// When the compiler's public tracker was searched, with which words, and the thread that came closest.
    pub searched: Option<String>,
    /// The list and the line of the entry.
    pub file: String,
    /// Line of the entry, from 1, or of the case in an entry about several.
    pub line: u32,
    pub(super) scope: RunScope,
}

impl KnownFailure {
    /// The same entry for a run that takes only some of the checks that it is about: that those agree says nothing.
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

    /// Returns true if the entry is about what this producer makes, a toolchain for one.
    pub fn is_about_producer(&self, producer: &str) -> bool {
        self.producers.is_empty() || self.producers.iter().any(|pattern| pattern.matches(producer))
    }

    /// Returns true if the entry is about this case, under some rule set.
    pub fn is_about_case(&self, case: &str) -> bool {
        self.shape.is_none() && self.case.matches(case)
    }

    /// Returns true if the entry says which cases it is about, by their ids or by a pattern that is not for all.
    pub fn names_cases(&self) -> bool {
        let is_of_some = match &self.case {
            CasePattern::Id(_) => true,
            CasePattern::Pattern(pattern) => {
                // To compare a pattern with a text asks whether the text matches.
                let text = pattern.to_string();
                text != "*"
            }
        };
        self.shape.is_none() && is_of_some
    }

    /// Returns true if the entry is about bytes under this rule set.
    pub fn is_about_rules(&self, rules: &str) -> bool {
        self.rules.as_ref().is_none_or(|pattern| pattern.matches(rules))
    }

    /// The witness that contradicts the others, as the list names it; `None` where the entry does not say.
    pub fn culprit(&self) -> Option<&str> {
        self.culprit.as_deref()
    }

    /// Which checks the entry is about beside its cases, as its list says it; what it leaves out is not there.
    pub fn conditions(&self) -> Vec<EntryCondition> {
        let producers: Vec<String> = self.producers.iter().map(ToString::to_string).collect();
        let driver = (self.driver != VersionRange::default()).then(|| self.driver.to_string());
        let shape = self.shape.as_ref().map(|entry| entry.shape.as_str().to_owned());
        let pattern = |pattern: Option<&WildMatch>| pattern.map(ToString::to_string);

        let all = [
            ("rules", pattern(self.rules.as_ref())),
            ("producer", Some(producers.join(", ")).filter(|names| !names.is_empty())),
            ("device", pattern(Some(&self.device)).filter(|pattern| pattern != "*")),
            ("runner", pattern(Some(&self.runner)).filter(|pattern| pattern != "*")),
            ("driver", driver),
            ("space", self.space.map(|space| space.as_str().to_owned())),
            ("culprit", self.culprit.clone()),
            ("says", pattern(self.says.as_ref())),
            ("validation", pattern(self.validation.as_ref())),
            ("shape", shape),
        ];
        all.into_iter().filter_map(|(key, patterns)| Some(EntryCondition { key, patterns: patterns? })).collect()
    }

    /// Returns true if the entry is about such checks, whatever is declared.
    pub(super) fn covers(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        self.shape.is_none() && self.matches(check, devices)
    }

    /// Returns true if all patterns of the entry match the check.
    pub(super) fn matches(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        // The case comes first: most entries are about other cases.
        if !self.case.matches(&check.case) {
            return false;
        }

        let device = devices.iter().find(|device| device.id == check.device && device.runner == check.runner);
        let driver = device.map_or("", |device| device.driver.as_str());
        self.rules.as_ref().map_or(check.bound.is_none() || self.untried, |rules| rules.matches(&check.rules))
            && self.is_about_producer(&check.producer)
            && self.device.matches(&check.device)
            && self.runner.matches(check.runner.as_str())
            && (self.driver.contains(driver) || is_planted(PlantedBug::KnownForEveryDriver))
    }

    /// The entry as records name it.
    pub(super) fn entry(&self) -> KnownEntry {
        KnownEntry {
            file: self.file.clone(),
            line: self.line,
            reason: self.reason.clone(),
            link: self.link.clone(),
            untried: self.untried,
        }
    }

    /// Returns true if the entry excuses what the check found.
    pub(super) fn explains(&self, check: &CheckRecord) -> bool {
        if self.untried {
            return true;
        }

        // A check that broke keeps its reason once it is known.
        let is_meant = match (&self.says, check.outcome) {
            (Some(_), Outcome::Broken | Outcome::Known) => self.is_about_break(check),
            (None, outcome) => outcome != Outcome::Broken,
            (Some(_), Outcome::Agree | Outcome::Differ | Outcome::Stale | Outcome::Skipped) => false,
        };

        let is_any = is_planted(PlantedBug::KnownForEveryCulprit);
        is_meant
            && self.is_about_module(check)
            && self.is_about_rows(check)
            && (is_any || self.culprit.as_deref().is_none_or(|name| check.culprit.map(Culprit::as_str) == Some(name)))
    }

    /// Returns true if the entry names what is said of a module that needs more than was promised: no other excuses that.
    pub(super) fn is_about_module(&self, check: &CheckRecord) -> bool {
        match Validation::of_text(&check.validation) {
            Validation::ValidOnlyWith { .. } => {
                self.validation.as_ref().is_some_and(|it| it.matches(&check.validation))
            }
            Validation::Valid | Validation::NotRun(_) | Validation::Invalid(_) => self.validation.is_none(),
        }
    }

    /// Returns true if all rows that differ are in the entry's space.
    fn is_about_rows(&self, check: &CheckRecord) -> bool {
        let mut differing = check.rows.iter().filter(|row| row.differs());
        self.space.is_none() || differing.all(|row| row.space == self.space)
    }

    /// Returns true if the entry names what a check says that broke, in the whole of it or in a part.
    pub(super) fn is_about_break(&self, check: &CheckRecord) -> bool {
        let says = self.says.as_ref().zip(check.skip_reason.as_deref());
        self.untried || says.is_some_and(|(says, reason)| says.matches(reason))
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

/// Which cases an entry is about.
#[derive(Clone, Debug)]
pub(super) enum CasePattern {
    /// The one of this id.
    Id(String),
    /// Those that match.
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

/// How much of what an entry is about takes part in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunScope {
    /// All: that they agree is a failure.
    Whole,
    /// Those of one shard: only all shards together can say that the entry is stale.
    Shard,
    /// Some: that they agree says nothing.
    Narrowed,
}
