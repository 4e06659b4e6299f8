//! Known differences: which checks may differ, why, and for which driver versions.
//!
//! An entry whose checks ran and of which none differs any more is stale, and that is a failure: the entry must go.

use wildmatch::WildMatch;

use crate::diagnostics::{Code, Diagnostic};
use crate::record::{CheckRecord, Culprit, KnownEntry, Outcome};
use crate::runner::DeviceInfo;
use crate::sources::{FileId, SourceMap};
use crate::toml_table::{Problems, Table, parse};
use crate::version::VersionRange;

/// One `[[known]]` entry.
#[derive(Clone, Debug)]
pub struct Known {
    /// Patterns (`*` and `?`); what is left out matches everything.
    case: WildMatch,
    /// Left out it matches every rule set, but no placement on a device: an entry on bytes says nothing of bindings.
    rules: Option<WildMatch>,
    producer: WildMatch,
    device: WildMatch,
    runner: WildMatch,
    driver: VersionRange,
    culprit: Option<String>,
    /// What a check that broke says; an entry that has this is about such checks alone.
    says: Option<WildMatch>,
    /// Why this differs.
    pub reason: String,
    /// Where it is reported.
    pub link: Option<String>,
    /// The list and the line of the entry.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
    /// Whether checks that agree are a failure.
    may_be_stale: bool,
}

/// Reads a list of known differences.
///
/// # Errors
/// Every problem of the file.
pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<Known>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = Problems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = Table::new(&root);
    let entries = table.tables("known", &mut problems);
    let known: Vec<Known> = entries.into_iter().map(|entry| entry_of(entry, sources, &mut problems)).collect();
    table.finish(&mut problems);
    if found.is_empty() { Ok(known) } else { Err(found) }
}

fn entry_of(mut entry: Table<'_, '_>, sources: &SourceMap, problems: &mut Problems<'_>) -> Known {
    let mut pattern = |key| WildMatch::new(entry.string(key, problems).as_deref().unwrap_or("*"));
    let [case, producer, device, runner] = ["case", "producer", "device", "runner"].map(&mut pattern);
    let rules = entry.string("rules", problems).map(|rules| WildMatch::new(&rules));
    let driver = match entry.string("driver", problems).map(|range| range.parse()) {
        None => VersionRange::default(),
        Some(Ok(range)) => range,
        Some(Err(error)) => {
            problems.report(entry.range(), format!("{error}"));
            VersionRange::default()
        }
    };
    let culprit = entry.string("culprit", problems);
    let says = entry.string("says", problems).map(|pattern| WildMatch::new(&pattern));
    let reason = entry.required("reason", problems).and_then(|value| crate::toml_table::string(value, problems));
    let link = entry.string("link", problems);
    let span = problems.span(entry.range());
    entry.finish(problems);
    let file = sources.file(span.file).name.clone();
    let reason = reason.unwrap_or_default();
    Known {
        case,
        rules,
        producer,
        device,
        runner,
        driver,
        culprit,
        says,
        reason,
        link,
        file,
        line: sources.position(span).line,
        may_be_stale: true,
    }
}

impl Known {
    /// The same entry for a run that takes only some of the checks that it is about: that those agree says nothing.
    #[must_use]
    pub fn of_narrowed_run(self) -> Self {
        Self { may_be_stale: false, ..self }
    }

    fn covers(&self, check: &CheckRecord, devices: &[DeviceInfo]) -> bool {
        let device = devices.iter().find(|device| device.id == check.device && device.runner == check.runner);
        let driver = device.map_or("", |device| device.driver.as_str());
        self.case.matches(&check.case)
            && self.rules.as_ref().map_or(check.bound.is_none(), |rules| rules.matches(&check.rules))
            && self.producer.matches(&check.producer)
            && self.device.matches(&check.device)
            && self.runner.matches(check.runner.as_str())
            && self.driver.contains(driver)
    }

    fn entry(&self) -> KnownEntry {
        KnownEntry { file: self.file.clone(), line: self.line, reason: self.reason.clone() }
    }

    fn explains(&self, check: &CheckRecord) -> bool {
        let reason = check.skip_reason.as_deref().filter(|_| check.outcome == Outcome::Broken);
        let said = self.says.as_ref().is_none_or(|says| reason.is_some_and(|reason| says.matches(reason)));
        said && self.culprit.as_deref().is_none_or(|name| check.culprit.map(Culprit::as_str) == Some(name))
    }
}

/// Marks known differences as `Known` and the checks of stale entries as `Stale`.
pub fn apply(known: &[Known], checks: &mut [CheckRecord], devices: &[DeviceInfo]) {
    for entry in known {
        let mut differing = false;
        let mut agreeing = Vec::new();
        for (index, check) in checks.iter_mut().enumerate().filter(|(_, check)| entry.covers(check, devices)) {
            match check.outcome {
                Outcome::Differ | Outcome::Broken if entry.explains(check) => {
                    check.outcome = Outcome::Known;
                    check.known = Some(entry.entry());
                    differing = true;
                }
                Outcome::Known => differing = true,
                Outcome::Agree => agreeing.push(index),
                Outcome::Differ | Outcome::Broken | Outcome::Stale | Outcome::Skipped => {}
            }
        }
        if !differing && entry.may_be_stale {
            for index in agreeing {
                checks[index].outcome = Outcome::Stale;
                checks[index].known = Some(entry.entry());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Proves, SCHEMA};
    use crate::runner::RunnerKind;

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
            known: None,
            ms: 1,
            leaves: 1,
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

    #[test]
    fn an_entry_is_stale_only_in_a_run_of_all_that_it_is_about() {
        let text = "[[known]]\ndevice = \"*-gl\"\nreason = \"naga drops @size\"\n";
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let whole = read(file, &sources).unwrap();
        let narrowed: Vec<Known> = whole.iter().cloned().map(Known::of_narrowed_run).collect();
        for (known, expected) in [(whole, Outcome::Stale), (narrowed, Outcome::Agree)] {
            let mut checks = [agreeing_check()];
            apply(&known, &mut checks, &[]);
            assert_eq!(checks[0].outcome, expected);
        }
    }
}
