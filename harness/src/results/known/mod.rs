//! Known differences: which checks may differ, why, and for which driver versions.
//!
//! An entry whose checks ran and of which none differs any more is stale, and that is a failure: the entry must go. Where it
//! is about several builds of a compiler, it is stale for each that agrees. Each entry says which checks it is about, and why,
//! and, of compilers, the newest build that was seen to differ; one that excuses a check that broke names the words that the
//! check says, and one that excuses a module that needs more than was promised what the validator makes of it.
//! Entries that name a shape of members are about random declarations, see [`shape`].

pub mod shape;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use layoutproof_device::DeviceInfo;
use layoutproof_device::planted::{PlantedBug, is_planted};
use layoutproof_layout::FileId;
use wildmatch::WildMatch;

use self::shape::ShapeEntry;
use crate::check::verdict::Validation;
use crate::input::diagnostics::{Code, Diagnostic};
use crate::input::sources::SourceMap;
use crate::input::toml_table::{FileProblems, TomlTable, parse, string};
use crate::inspect::toolchain::toolchains;
use crate::results::record::{CheckRecord, Culprit, KnownEntry, Outcome, SeenEntry};
use crate::version::VersionRange;

/// One `[[known]]` entry.
#[derive(Clone, Debug)]
pub struct KnownFailure {
    /// Patterns (`*` and `?`); what is left out matches everything.
    case: CasePattern,
    /// Left out it matches every rule set, but no placement on a device: an entry on bytes says nothing of bindings.
    rules: Option<WildMatch>,
    producers: Vec<WildMatch>,
    device: WildMatch,
    runner: WildMatch,
    driver: VersionRange,
    culprit: Option<String>,
    /// What a check that broke says; an entry that has this is about such checks alone.
    says: Option<WildMatch>,
    /// What is said of a module that needs more of a device than was promised; an entry that has this is about such modules
    /// alone.
    validation: Option<WildMatch>,
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
    /// The list and the line of the entry.
    pub file: String,
    /// Line of the entry, from 1, or of the case in an entry about several.
    pub line: u32,
    scope: RunScope,
}

/// Which cases an entry is about.
#[derive(Clone, Debug)]
enum CasePattern {
    /// The one of this id.
    Id(String),
    /// Those that match.
    Pattern(WildMatch),
}

impl CasePattern {
    fn of(pattern: &str) -> Self {
        if pattern.contains(['*', '?']) { Self::Pattern(WildMatch::new(pattern)) } else { Self::Id(pattern.to_owned()) }
    }

    fn matches(&self, case: &str) -> bool {
        match self {
            Self::Id(id) => id == case,
            Self::Pattern(pattern) => pattern.matches(case),
        }
    }
}

/// Checks by case, so that a list of many entries about one case each is not held against every check.
struct ByCase<'a> {
    all: Vec<&'a CheckRecord>,
    of_case: HashMap<&'a str, Vec<&'a CheckRecord>>,
}

impl<'a> ByCase<'a> {
    fn new(checks: &'a [CheckRecord]) -> Self {
        let mut of_case: HashMap<&str, Vec<&CheckRecord>> = HashMap::new();
        for check in checks {
            of_case.entry(&check.case).or_default().push(check);
        }
        Self { all: checks.iter().collect(), of_case }
    }

    /// The checks that an entry with this pattern may be about.
    fn of(&self, case: &CasePattern) -> &[&'a CheckRecord] {
        match case {
            CasePattern::Id(id) => self.of_case.get(id.as_str()).map_or(&[], Vec::as_slice),
            CasePattern::Pattern(_) => &self.all,
        }
    }
}

/// What of the checks that an entry is about takes part in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunScope {
    /// All: that they agree is a failure.
    Whole,
    /// Those of one shard: only all shards together can say that the entry is stale.
    Shard,
    /// Some: that they agree says nothing.
    Narrowed,
}

/// Reads a list of known differences.
///
/// # Errors
/// Every problem of the file.
pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<KnownFailure>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let entries = table.tables("known", &mut problems);
    let known: Vec<KnownFailure> =
        entries.into_iter().flat_map(|entry| entries_of(entry, sources, &mut problems)).collect();
    table.finish(&mut problems);
    if found.is_empty() { Ok(known) } else { Err(found) }
}

/// One entry for each case that a table names, so that each of them can be stale.
fn entries_of(mut entry: TomlTable<'_, '_>, sources: &SourceMap, problems: &mut FileProblems<'_>) -> Vec<KnownFailure> {
    let cases = cases(&mut entry, problems);
    let producers = entry.strings("producer", problems);
    let [rules, device, runner, driver, says, validation] =
        ["rules", "device", "runner", "driver", "says", "validation"].map(|key| entry.string(key, problems));

    let patterns = [&rules, &device, &runner, &driver, &says, &validation].into_iter().flatten();
    let is_narrowed = patterns.chain(&producers).any(|pattern| narrows(pattern)) || entry.value("shape").is_some();
    if !is_narrowed && cases.iter().any(|(_, case)| !narrows(case)) {
        let message = "the entry is about every check: `case`, `rules`, `producer`, `device`, `runner`, `driver`, `says`, \
                       `validation` or `shape` says which it is about";
        problems.report(entry.range(), message);
    }

    if says.as_ref().is_some_and(|says| !says.chars().any(char::is_alphanumeric)) {
        problems.report(entry.range(), "`says` needs a word of the message of the checks that broke");
    }

    let driver = match driver.map(|range| range.parse()) {
        None => VersionRange::default(),
        Some(Ok(range)) => range,
        Some(Err(error)) => {
            problems.report(entry.range(), format!("{error}"));
            VersionRange::default()
        }
    };

    let culprit = entry.string("culprit", problems);
    let shape = ShapeEntry::read(&mut entry, problems);
    let reason = entry.required("reason", problems).and_then(|value| {
        let reason = string(value, problems)?;
        if reason.trim().is_empty() {
            problems.report(value.span(), "`reason` says why the checks may differ; it is blank");
        }
        Some(reason)
    });

    let [seen, gone, link] = ["seen", "gone", "link"].map(|key| entry.string(key, problems));
    if gone.is_some() && seen.is_none() {
        problems.report(entry.range(), "`gone` needs `seen`: the newest build that was seen to differ");
    }

    let file = sources.file(problems.span(entry.range()).file).name.clone();
    entry.finish(problems);
    let reason = reason.unwrap_or_default();
    let pattern_or_all = |pattern: Option<String>| WildMatch::new(pattern.as_deref().unwrap_or("*"));

    let whole = KnownFailure {
        case: CasePattern::of("*"),
        rules: rules.map(|rules| WildMatch::new(&rules)),
        producers: producers.iter().map(|pattern| WildMatch::new(pattern)).collect(),
        device: pattern_or_all(device),
        runner: pattern_or_all(runner),
        driver,
        culprit,
        says: says.map(|says| WildMatch::new(&says)),
        validation: validation.map(|validation| WildMatch::new(&validation)),
        shape,
        reason,
        seen,
        gone,
        link,
        file,
        line: 0,
        scope: RunScope::Whole,
    };

    let of_case = |(place, case): (Range<usize>, String)| {
        let start = sources.position(problems.span(place));
        KnownFailure { case: CasePattern::of(&case), line: start.line, ..whole.clone() }
    };
    cases.into_iter().map(of_case).collect()
}

/// Whether a pattern does not match everything.
fn narrows(pattern: &str) -> bool {
    pattern.chars().any(|c| c != '*')
}

/// The patterns of cases with the place of each: that of the whole table where it names one or none.
fn cases(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Vec<(Range<usize>, String)> {
    let whole = entry.range();
    let all = |case: Option<String>| vec![(whole.clone(), case.unwrap_or_else(|| "*".to_owned()))];
    let Some(value) = entry.value("case") else { return all(None) };
    let Some(array) = value.get_ref().as_array() else { return all(string(value, problems)) };
    if array.is_empty() {
        problems.report(value.span(), "`case` is an empty list; name a case or leave `case` out");
    }
    array.iter().filter_map(|item| Some((item.span(), string(item, problems)?))).collect()
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

    /// Whether the entry is about what this producer makes, a toolchain for one.
    pub fn is_about_producer(&self, producer: &str) -> bool {
        self.producers.is_empty() || self.producers.iter().any(|pattern| pattern.matches(producer))
    }

    /// Whether the entry is about such checks, whatever is declared.
    fn covers(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        self.shape.is_none() && self.matches(check, devices)
    }

    fn matches(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        // The case comes first: most entries are about other cases.
        if !self.case.matches(&check.case) {
            return false;
        }
        let device = devices.iter().find(|device| device.id == check.device && device.runner == check.runner);
        let driver = device.map_or("", |device| device.driver.as_str());
        self.rules.as_ref().map_or(check.bound.is_none(), |rules| rules.matches(&check.rules))
            && self.is_about_producer(&check.producer)
            && self.device.matches(&check.device)
            && self.runner.matches(check.runner.as_str())
            && (self.driver.contains(driver) || is_planted(PlantedBug::KnownForEveryDriver))
    }

    fn entry(&self) -> KnownEntry {
        KnownEntry { file: self.file.clone(), line: self.line, reason: self.reason.clone() }
    }

    /// What the checks say of the entry, for each compiler apart.
    fn seen(&self, checks: &ByCase<'_>, devices: &[DeviceInfo]) -> Vec<SeenEntry> {
        let covered = checks.of(&self.case).iter().copied().filter(|check| self.covers(check, devices));
        let mut by_compiler: BTreeMap<&str, Vec<&CheckRecord>> = BTreeMap::new();
        for check in covered {
            by_compiler.entry(compiler_of(&check.producer)).or_default().push(check);
        }
        let of_compiler = |(compiler, checks): (&str, Vec<&CheckRecord>)| {
            let differs = checks.iter().any(|check| check.outcome == Outcome::Known && self.explains(check));
            let agreeing = checks.iter().filter(|check| !differs && check.outcome == Outcome::Agree);
            let agreeing = agreeing.map(|check| check.name()).collect();
            SeenEntry { entry: self.entry(), compiler: compiler.to_owned(), differs, agreeing }
        };
        by_compiler.into_iter().map(of_compiler).collect()
    }

    fn explains(&self, check: &CheckRecord) -> bool {
        // A check that broke keeps its reason once it is known.
        let is_meant = match (&self.says, check.outcome) {
            (Some(_), Outcome::Broken | Outcome::Known) => self.is_about_break(check),
            (None, outcome) => outcome != Outcome::Broken,
            (Some(_), Outcome::Agree | Outcome::Differ | Outcome::Stale | Outcome::Skipped) => false,
        };
        let is_any = is_planted(PlantedBug::KnownForEveryCulprit);
        is_meant
            && self.is_about_module(check)
            && (is_any || self.culprit.as_deref().is_none_or(|name| check.culprit.map(Culprit::as_str) == Some(name)))
    }

    /// Whether the entry names what is said of a module that needs more than was promised: no other excuses that.
    fn is_about_module(&self, check: &CheckRecord) -> bool {
        match Validation::of_text(&check.validation) {
            Validation::ValidOnlyWith { .. } => {
                self.validation.as_ref().is_some_and(|it| it.matches(&check.validation))
            }
            Validation::Valid | Validation::NotRun(_) | Validation::Invalid(_) => self.validation.is_none(),
        }
    }

    /// Whether the entry names what a check says that broke, in the whole of it or in a part.
    fn is_about_break(&self, check: &CheckRecord) -> bool {
        self.says.as_ref().zip(check.skip_reason.as_deref()).is_some_and(|(says, reason)| says.matches(reason))
    }
}

/// The compiler of a producer, where it is the toolchain of one: `dxc-1.9` of `dxc-1.9-spirv-dx`.
fn compiler_of(producer: &str) -> &str {
    toolchains().iter().find(|toolchain| toolchain.name == producer).map_or(producer, |toolchain| toolchain.compiler)
}

/// Marks known differences as `Known` and the checks of stale entries as `Stale`.
pub fn apply(known: &[KnownFailure], checks: &mut [CheckRecord], devices: &[DeviceInfo]) {
    for check in checks.iter_mut() {
        explain(known, check, devices);
    }
    mark_stale(known, checks, devices);
}

/// Marks a known difference as `Known`: all that can be said of a check while others are still to come.
pub fn explain(known: &[KnownFailure], check: &mut CheckRecord, devices: &[DeviceInfo]) {
    if !matches!(check.outcome, Outcome::Differ | Outcome::Broken) {
        return;
    }
    // Where a part of it broke as well, that needs an entry of its own.
    let broke_too = check.outcome == Outcome::Differ && check.skip_reason.is_some();
    if broke_too && !known.iter().any(|entry| entry.covers(check, devices) && entry.is_about_break(check)) {
        return;
    }
    if let Some(entry) = known.iter().find(|entry| entry.covers(check, devices) && entry.explains(check)) {
        check.outcome = Outcome::Known;
        check.known = Some(entry.entry());
    }
}

/// Marks the checks of stale entries as `Stale`, once all checks of the run are there and explained. Whether one was
/// marked.
pub fn mark_stale(known: &[KnownFailure], checks: &mut [CheckRecord], devices: &[DeviceInfo]) -> bool {
    let whole = known.iter().filter(|entry| entry.scope == RunScope::Whole);
    let by_case = ByCase::new(checks);
    let seen: Vec<SeenEntry> = whole.flat_map(|entry| entry.seen(&by_case, devices)).collect();
    mark_seen(&seen, checks)
}

/// What a shard has seen of each entry that may be stale.
pub fn seen_in_shard(known: &[KnownFailure], checks: &[CheckRecord], devices: &[DeviceInfo]) -> Vec<SeenEntry> {
    let by_case = ByCase::new(checks);
    let of_shard = known.iter().filter(|entry| entry.scope == RunScope::Shard);
    let seen = of_shard.flat_map(|entry| entry.seen(&by_case, devices));
    seen.filter(|seen| seen.differs || !seen.agreeing.is_empty()).collect()
}

/// Marks the checks of stale entries as `Stale`, by what all shards of a run have seen of them. Whether one was marked.
pub fn mark_seen(seen: &[SeenEntry], checks: &mut [CheckRecord]) -> bool {
    let subject = |seen: &SeenEntry| (seen.entry.clone(), seen.compiler.clone());
    let differing: BTreeSet<_> = seen.iter().filter(|seen| seen.differs).map(subject).collect();

    let mut stale: BTreeMap<&str, &KnownEntry> = BTreeMap::new();
    for seen in seen.iter().filter(|seen| !differing.contains(&subject(seen))) {
        for name in &seen.agreeing {
            stale.entry(name).or_insert(&seen.entry);
        }
    }

    if is_planted(PlantedBug::StaleEntriesKept) {
        return false;
    }

    for check in checks.iter_mut().filter(|check| check.outcome == Outcome::Agree) {
        if let Some(entry) = stale.get(check.name().as_str()) {
            check.outcome = Outcome::Stale;
            check.known = Some((*entry).clone());
        }
    }

    !stale.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::record::{Proves, SCHEMA};
    use layoutproof_device::RunnerKind;

    fn agreeing_check() -> CheckRecord {
        CheckRecord {
            schema: SCHEMA,
            case: "arrays/a".to_owned(),
            rules: "std140".to_owned(),
            producer: "naga".to_owned(),
            device: "llvmpipe-gl".to_owned(),
            runner: RunnerKind::Wgpu,
            proves: Proves::Decorations,
            outcome: Outcome::Agree,
            culprit: None,
            validation: "valid".to_owned(),
            skip_reason: None,
            skip_kind: None,
            not_checked: Vec::new(),
            known: None,
            fast: false,
            ms: 1,
            leaves: 1,
            leaves_not_probed: 0,
            bound: None,
            rows: Vec::new(),
            story: None,
        }
    }

    #[test]
    fn an_entry_with_words_is_about_checks_that_broke_with_them() {
        let text = "[[known]]\nsays = \"* signal 11\"\nreason = \"it crashes\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let broken = |reason: &str| CheckRecord {
            outcome: Outcome::Broken,
            skip_reason: Some(reason.to_owned()),
            ..agreeing_check()
        };
        let differing = CheckRecord { outcome: Outcome::Differ, ..agreeing_check() };
        let mut checks = [broken("slangc ended with signal 11"), broken("slangc gave no answer"), differing];
        apply(&known, &mut checks, &[]);
        let outcomes = checks.map(|check| check.outcome);
        assert_eq!(outcomes, [Outcome::Known, Outcome::Broken, Outcome::Differ]);
    }

    /// That a compiler places a member elsewhere does not excuse that it crashes on another form of access.
    #[test]
    fn a_difference_that_broke_as_well_needs_an_entry_for_either() {
        let difference = "[[known]]\nproducer = \"naga\"\nculprit = \"report\"\nreason = \"its listing is wrong\"\n";
        let crash = "[[known]]\nsays = \"*SIGSEGV*\"\nreason = \"it crashes\"\n";
        let both = format!("{crash}{difference}");
        for (text, expected) in
            [(difference, Outcome::Differ), (crash, Outcome::Differ), (both.as_str(), Outcome::Known)]
        {
            let mut sources = SourceMap::default();
            let file = sources.add("known.toml", text);
            let known = read(file, &sources).unwrap();
            let mut checks = [CheckRecord {
                outcome: Outcome::Differ,
                culprit: Some(Culprit::Report),
                skip_reason: Some("dxc died of SIGSEGV (not with fewer forms of access)".to_owned()),
                ..agreeing_check()
            }];
            apply(&known, &mut checks, &[]);
            assert_eq!(checks[0].outcome, expected, "{text}");
        }
    }

    /// A difference that is known is no word on why a compiler crashes.
    #[test]
    fn an_entry_without_words_excuses_no_check_that_broke() {
        for text in ["", "culprit = \"compiler\"\n"] {
            let text = format!("[[known]]\ncase = \"arrays/*\"\n{text}reason = \"it moves them\"\n");
            let mut sources = SourceMap::default();
            let file = sources.add("known.toml", text);
            let known = read(file, &sources).unwrap();
            let mut checks = [CheckRecord {
                outcome: Outcome::Broken,
                culprit: Some(Culprit::Compiler),
                skip_reason: Some("dxc died of SIGSEGV".to_owned()),
                ..agreeing_check()
            }];
            apply(&known, &mut checks, &[]);
            assert_eq!(checks[0].outcome, Outcome::Broken);
        }
    }

    #[test]
    fn an_entry_says_which_checks_it_is_about_and_why() {
        let problem = |entry: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("known.toml", format!("# Ours.\n[[known]]\n{entry}\n"));
            let found = read(file, &sources).err().unwrap_or_default();
            let told = found.iter().map(|it| format!("{}: {}", sources.position(it.span()).line, it.message));
            told.collect::<Vec<_>>().join("; ")
        };
        let reason = "reason = \"so it is\"";
        let everything = "2: the entry is about every check: ";
        for entry in [
            "",
            "case = \"*\"",
            "culprit = \"compiler\"",
            "device = \"*\"\nproducer = [\"*\"]",
            "case = [\"a\", \"*\"]",
        ] {
            let told = problem(&format!("{entry}\n{reason}"));
            assert!(told.starts_with(everything), "{entry}: {told}");
        }
        for entry in [
            "case = \"a*\"",
            "rules = \"std140\"",
            "driver = \">= 22\"",
            "says = \"*signal 11*\"",
            "case = [\"a\", \"*\"]\nrunner = \"ash\"",
        ] {
            assert_eq!(problem(&format!("{entry}\n{reason}")), "", "{entry}");
        }
        assert!(
            problem("case = \"a\"\nreason = \" \"").starts_with("4: `reason` says why"),
            "{}",
            problem("reason = \"\"")
        );
        assert!(problem(&format!("says = \"*\"\ncase = \"a\"\n{reason}")).contains("`says` needs a word"));
    }

    /// That a compiler places a member elsewhere does not excuse a module that its option does not allow.
    #[test]
    fn a_module_beyond_its_promise_needs_an_entry_of_its_own() {
        let beyond = "valid only with scalarBlockLayout: error: line 4: no";
        let plain = "[[known]]\nproducer = \"naga\"\nculprit = \"compiler\"\nreason = \"it moves them\"\n";
        let own = plain.replace("reason", "validation = \"valid only with scalarBlockLayout: *\"\nreason");
        let other = own.replace("scalarBlock", "uniformBufferStandard");
        for (text, validation, outcome) in [
            (plain, "valid", Outcome::Known),
            (plain, beyond, Outcome::Differ),
            (own.as_str(), beyond, Outcome::Known),
            (own.as_str(), "valid", Outcome::Differ),
            (other.as_str(), beyond, Outcome::Differ),
        ] {
            let mut sources = SourceMap::default();
            let file = sources.add("known.toml", text);
            let known = read(file, &sources).unwrap();
            let mut checks = [CheckRecord {
                outcome: Outcome::Differ,
                culprit: Some(Culprit::Compiler),
                validation: validation.to_owned(),
                ..agreeing_check()
            }];
            apply(&known, &mut checks, &[]);
            assert_eq!(checks[0].outcome, outcome, "{validation}: {text}");
        }
    }

    /// Of several cases each must still differ; the line says which one does not.
    #[test]
    fn each_case_of_an_entry_can_be_stale() {
        let cases = "case = [\n  \"arrays/a\",\n  \"arrays/b\",\n]";
        let text = format!("[[known]]\n{cases}\nproducer = [\"rspirv\", \"naga\"]\nreason = \"it moves them\"\n");
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let differing = CheckRecord { outcome: Outcome::Differ, case: "arrays/b".to_owned(), ..agreeing_check() };
        let of_another = CheckRecord { producer: "dxc-spirv".to_owned(), ..agreeing_check() };
        let mut checks = [agreeing_check(), differing, of_another];
        apply(&known, &mut checks, &[]);
        let lines = checks.clone().map(|check| check.known.map(|entry| entry.line));
        assert_eq!(checks.map(|check| check.outcome), [Outcome::Stale, Outcome::Known, Outcome::Agree]);
        assert_eq!(lines, [Some(3), Some(4), None]);
    }

    /// What one version of a driver does wrong is no word on the next one.
    #[test]
    fn an_entry_is_about_its_drivers_and_its_culprit_alone() {
        let entry =
            "[[known]]\nrunner = \"wgpu\"\ndriver = \">= 22, < 25\"\nculprit = \"device\"\nreason = \"it moves\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", entry);
        let known = read(file, &sources).unwrap();
        for (driver, culprit, outcome) in [
            ("Mesa 22.3.6", Culprit::Device, Outcome::Known),
            ("Mesa 25.0.7", Culprit::Device, Outcome::Differ),
            ("Mesa 22.3.6", Culprit::Compiler, Outcome::Differ),
        ] {
            let device = DeviceInfo {
                id: "llvmpipe-gl".to_owned(),
                runner: RunnerKind::Wgpu,
                driver: driver.to_owned(),
                ..layoutproof_device::Runner::device(&crate::model::Model::new()).clone()
            };
            let mut checks = [CheckRecord { outcome: Outcome::Differ, culprit: Some(culprit), ..agreeing_check() }];
            apply(&known, &mut checks, &[device]);
            assert_eq!(checks[0].outcome, outcome, "{driver} {culprit:?}");
        }
    }

    #[test]
    fn an_entry_is_stale_only_in_a_run_of_all_that_it_is_about() {
        let text = "[[known]]\ndevice = \"*-gl\"\nreason = \"naga drops @size\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let whole = read(file, &sources).unwrap();
        let narrowed: Vec<KnownFailure> = whole.iter().cloned().map(KnownFailure::of_narrowed_run).collect();
        for (known, expected) in [(whole, Outcome::Stale), (narrowed, Outcome::Agree)] {
            let mut checks = [agreeing_check()];
            apply(&known, &mut checks, &[]);
            assert_eq!(checks[0].outcome, expected);
        }
    }

    /// That one build of a compiler still differs does not excuse an entry about another one.
    #[test]
    fn an_entry_is_stale_for_each_build_of_a_compiler() {
        let text = "[[known]]\ncase = \"arrays/a\"\nproducer = \"dxc*-spirv\"\nreason = \"it moves them\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let of = |producer: &str, outcome| CheckRecord { producer: producer.to_owned(), outcome, ..agreeing_check() };
        let mut checks = [of("dxc-spirv", Outcome::Differ), of("dxc-1.9-spirv", Outcome::Agree)];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks.map(|check| check.outcome), [Outcome::Known, Outcome::Stale]);
    }

    /// What one shard sees of an entry says nothing; what all see of it is what the whole run sees.
    #[test]
    fn shards_together_know_what_is_stale() {
        let text = "[[known]]\ndevice = \"*-gl\"\nreason = \"naga drops @size\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let whole = read(file, &sources).unwrap();
        let shard: Vec<KnownFailure> = whole.iter().cloned().map(KnownFailure::of_shard).collect();
        let other = CheckRecord { case: "arrays/b".to_owned(), ..agreeing_check() };
        for (outcome, expected) in [(Outcome::Agree, Outcome::Stale), (Outcome::Differ, Outcome::Agree)] {
            let mut shards = [[agreeing_check()], [CheckRecord { outcome, ..other.clone() }]];
            let mut seen = Vec::new();
            for checks in &mut shards {
                apply(&shard, checks, &[]);
                seen.extend(seen_in_shard(&shard, checks, &[]));
            }
            let mut merged = shards.concat();
            assert_eq!(merged[0].outcome, Outcome::Agree);
            mark_seen(&seen, &mut merged);
            assert_eq!(merged[0].outcome, expected);
            let mut undivided = [agreeing_check(), CheckRecord { outcome, ..other.clone() }];
            apply(&whole, &mut undivided, &[]);
            assert_eq!(merged, undivided);
        }
    }
}
