//! Finds evidence for known differences: for each mechanism, the decision of a frozen build about
//! its shortest case, or the offsets of a compiler's code that the case itself pins; and the checks
//! of a recorded run.

use std::sync::Arc;

use anyhow::Context;
use layoutproof_built_in::KNOWN_EVIDENCE;
use layoutproof_core::case::Expectation;
use layoutproof_core::check::verdict::Validation;
use layoutproof_core::check::{Source, Subject};
use layoutproof_core::results::frozen::{Fact, Facts, FrozenAnswer, FrozenQuestion};
use layoutproof_core::results::known::KnownFailure;
use layoutproof_events::{CheckId, CheckRules};
use layoutproof_events::{CheckRecord, Culprit, Outcome, Proves, Reasons, RecordValue, Story, StoryBlock};
use layoutproof_layout::find;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_records::compression::unpacked;
use layoutproof_records::decision_rows::{NumberPlace, add_rows, differs, row_of};
use layoutproof_records::frozen_set::FrozenSet;
use layoutproof_site::{KnownEvidence, KnownList, mechanisms};
use serde::Deserialize;

/// A toolchain of a frozen build.
struct FrozenProducer<'a> {
    set: &'a FrozenSet,
    /// Name of its file in the set.
    name: &'a str,
    /// Its name in runs.
    producer: String,
    toolchain: &'static Toolchain,
}

/// The evidence for every mechanism that has any: differing numbers, otherwise a build's reason for
/// having none.
pub fn known_evidence(lists: &[KnownList], sources: &[Arc<Source>]) -> anyhow::Result<Vec<KnownEvidence>> {
    let sets = FrozenSet::built_in()?;
    let frozen: Vec<FrozenProducer<'_>> = sets.iter().flat_map(frozen_producers).collect();
    let mut shortest: Vec<&Arc<Source>> = sources.iter().collect();
    shortest.sort_by_key(|source| source.text.as_ref().map_or(usize::MAX, |text| text.text.len()));

    let mut found = Vec::new();
    for bug in mechanisms(lists) {
        let entries: Vec<&KnownFailure> = bug.entries.into_iter().filter(|entry| is_about_compilers(entry)).collect();
        found.extend(evidence_of(&entries, &shortest, &frozen));
    }
    Ok(found)
}

fn frozen_producers(set: &FrozenSet) -> impl Iterator<Item = FrozenProducer<'_>> {
    set.decided.keys().filter_map(move |name| {
        let producer = set.producer(name);
        let toolchain = toolchains().iter().find(|toolchain| toolchain.name == producer)?;
        Some(FrozenProducer { set, name, producer, toolchain })
    })
}

fn is_about_compilers(entry: &KnownFailure) -> bool {
    (entry.names_cases() || entry.shape.is_some()) && !entry.is_about_devices()
}

/// True if the entry names the case, or a shape of members that the case pins.
fn is_about(entry: &KnownFailure, case: &str) -> bool {
    entry.is_about_case(case) || entry.shape.as_ref().is_some_and(|shape| shape.pinned_by.as_deref() == Some(case))
}

/// The decision of the newest build about the shortest case with a differing number. Otherwise the
/// numbers of a compiler's code that a case pins, otherwise a decision without numbers.
fn evidence_of(
    entries: &[&KnownFailure],
    shortest: &[&Arc<Source>],
    frozen: &[FrozenProducer<'_>],
) -> Option<KnownEvidence> {
    let decisions = shortest.iter().flat_map(|source| {
        frozen.iter().flat_map(move |frozen| {
            let own = entries.iter().filter(|entry| is_about(entry, &source.id));
            let own = own.filter(|entry| entry.is_about_producer(&frozen.producer));
            own.filter_map(move |entry| decision(entry, source, frozen))
        })
    });

    let mut without_numbers = None;
    for evidence in decisions {
        if evidence.record.rows.iter().any(differs) {
            return Some(evidence);
        }
        if evidence.record.outcome.reasons().is_some() && without_numbers.is_none() {
            without_numbers = Some(evidence);
        }
    }
    accessed_elsewhere(entries, shortest).or(without_numbers)
}

/// The evidence of the shortest case that pins the offsets of a compiler's loads.
fn accessed_elsewhere(entries: &[&KnownFailure], shortest: &[&Arc<Source>]) -> Option<KnownEvidence> {
    shortest.iter().find_map(|source| {
        let entry = entries.iter().find(|entry| is_about(entry, &source.id))?;
        source.accessed.iter().filter(|accessed| entry.is_about_rules(&accessed.rules)).find_map(|accessed| {
            let compiler = accessed.authority.compiler.as_deref()?;
            let mut named = toolchains().iter().filter(|toolchain| toolchain.name_in_cases == compiler);
            let toolchain = named.find(|toolchain| entry.is_about_producer(toolchain.name))?;
            accessed_record(entry, source, accessed, toolchain)
        })
    })
}

fn accessed_record(
    entry: &KnownFailure,
    source: &Arc<Source>,
    accessed: &Expectation,
    toolchain: &Toolchain,
) -> Option<KnownEvidence> {
    let subject = Subject::new(Arc::clone(source), find(&accessed.rules)?);
    let computed = subject.computed();
    let mut rows = Vec::new();
    for (quantity, path, value) in subject.accessed.iter() {
        let computed = computed.get(quantity, path)?;
        let row = row_of(&mut rows, &subject, NumberPlace { quantity, path, computed });
        row.witnesses.compiled = Some(RecordValue::Number(value));
    }

    let record = CheckRecord { rows, ..empty_record(entry, &subject, toolchain.name, None) };
    let origin = format!("{}, as the case says", accessed.authority);
    Some(KnownEvidence { file: entry.file.clone(), line: entry.line, origin, record })
}

/// The decision of a build about the case, under the rule set that it uses for the first block.
fn decision(entry: &KnownFailure, source: &Arc<Source>, frozen: &FrozenProducer<'_>) -> Option<KnownEvidence> {
    let FrozenProducer { set, name, producer, toolchain } = frozen;
    let answers = set.decided.get(*name)?.get(&source.id)?;
    let rules = toolchain.rules_for(source.module.blocks.first()?);
    let rules = rules.into_iter().find(|rules| entry.is_about_rules(rules.name))?;
    let subject = Subject::new(Arc::clone(source), rules);

    let mut rows = Vec::new();
    let mut reason = None;
    let is_of_block = |question: &FrozenQuestion| matches!(question, FrozenQuestion::Block(_));
    for answer in answers.answers.iter().filter(|(question, _)| is_of_block(question)).map(|(_, it)| it) {
        match answer {
            FrozenAnswer::Accepted(facts) => {
                add_rows(facts, &subject, &mut rows);
                reason = reason.or_else(|| unread(facts));
            }
            FrozenAnswer::Refused(words) => {
                reason = reason.or_else(|| Some(format!("The compiler refuses it: {words}")));
            }
            FrozenAnswer::Broken(words) => reason = reason.or_else(|| Some(format!("The compiler breaks: {words}"))),
        }
    }

    let broke = reason.filter(|_| !rows.iter().any(differs));
    let rows = if broke.is_some() { Vec::new() } else { rows };
    let origin = format!("{} {} (frozen decisions)", set.manifest.family, set.manifest.version);
    let record = CheckRecord { rows, ..empty_record(entry, &subject, producer, broke.map(Reasons::from)) };
    Some(KnownEvidence { file: entry.file.clone(), line: entry.line, origin, record })
}

/// The reason why the compiler's output could not be read.
fn unread(facts: &Facts) -> Option<String> {
    let words = facts.iter().find(|((_, fact), _)| *fact == Fact::Unread).map(|(_, words)| words)?;
    Some(format!("What the compiler makes cannot be read: {words}"))
}

fn empty_record(entry: &KnownFailure, subject: &Subject, producer: &str, broke: Option<Reasons>) -> CheckRecord {
    let culprits = [Culprit::Compiler, Culprit::Report, Culprit::Module, Culprit::Unclear];
    let culprit = culprits.into_iter().find(|culprit| entry.culprit() == Some(culprit.as_str()));

    let id = CheckId {
        case: subject.source.id.clone(),
        rules: CheckRules::Layout(subject.rules.to_owned()),
        producer: producer.into(),
        device: None,
    };
    let outcome = Outcome::Known { entry: entry.entry(), culprit, broke, story: Some(Box::new(story(subject))) };
    CheckRecord::new(id, Proves::Compiler, Validation::NotRun("no module".to_owned()), outcome)
}

fn story(subject: &Subject) -> Story {
    let blocks = subject.layouts.iter().filter_map(|layout| {
        let size = layout.result.as_ref().ok()?.size.finite();
        Some(StoryBlock { name: layout.name.clone(), size, members: layout.rows() })
    });
    Story {
        summary: subject.source.summary.clone(),
        place: subject.source.place.clone(),
        authority: subject.authority.clone(),
        blocks: blocks.collect(),
        ..Story::default()
    }
}

/// A line of `ci/known-evidence.jsonl.zst`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptCheck {
    /// The id of the bug.
    bug: String,
    /// The producer and the device, with versions.
    origin: String,
    check: CheckRecord,
}

/// The checks that `ci/known-evidence` extracted from the records of a run, because no frozen
/// decision shows their known differences. Without those whose entries are gone.
pub fn kept_evidence(lists: &[KnownList]) -> anyhow::Result<Vec<KnownEvidence>> {
    let mut found = Vec::new();
    for KeptCheck { bug, origin, check } in kept_checks()? {
        let mut entries = lists.iter().flat_map(|known| &known.entries);
        let entry = entries.find(|entry| entry.bug.as_ref() == Some(&bug));
        found.extend(entry.map(|entry| KnownEvidence {
            file: entry.file.clone(),
            line: entry.line,
            origin: format!("{origin}, in a run that was recorded"),
            record: check,
        }));
    }
    Ok(found)
}

fn kept_checks() -> anyhow::Result<Vec<KeptCheck>> {
    let text = unpacked(KNOWN_EVIDENCE)?;
    let check = |(line, number): (&str, u32)| {
        serde_json::from_str(line).with_context(|| format!("ci/known-evidence.jsonl.zst: line {number}"))
    };
    text.lines().zip(1..).map(check).collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_core::results::known;
    use layoutproof_events::OutcomeKind;

    use super::*;
    use crate::known_lists::known_lists;

    #[test]
    fn every_kept_check_shows_an_entry_that_is_there() {
        let lists = known_lists().unwrap();
        let kept = kept_checks().unwrap();
        let lost: Vec<&str> = kept
            .iter()
            .filter(|kept| {
                let mut entries = lists.iter().flat_map(|list| &list.entries);
                !entries.any(|entry| entry.bug.as_ref() == Some(&kept.bug))
            })
            .map(|kept| kept.bug.as_str())
            .collect();
        assert_eq!(lost, Vec::<&str>::new(), "run `ci/known-evidence RECORDS` with the records of a whole run");
        assert_eq!(kept_evidence(&lists).unwrap().len(), kept.len());
    }

    /// An entry excuses the numbers that it states: with any of them 64 bytes farther, or with one more
    /// wrong number, the check differs.
    #[test]
    fn a_new_wrong_number_stays_visible() {
        // The others are too broad to state numbers, as ci/README.md says.
        let all = known_lists().unwrap().into_iter().flat_map(|list| list.entries);
        let entries: Vec<KnownFailure> = all.filter(|entry| entry.instead.is_some()).collect();
        let is_excused = |check: &CheckRecord| {
            let mut check = check.clone();
            known::explain(&entries, &mut check, &[]);
            check.outcome.kind() == OutcomeKind::Known
        };

        let mut planted = 0;
        for KeptCheck { mut check, .. } in kept_checks().unwrap() {
            let Some(culprit) = check.outcome.culprit() else { continue };
            check.outcome = Outcome::Differs { culprit, broke: None, story: None };
            if culprit == Culprit::Module || !is_excused(&check) {
                continue;
            }
            for row in 0..check.rows.len() {
                let mut moved = check.clone();
                let witnesses = &mut moved.rows[row].witnesses;
                let Some(RecordValue::Number(number)) = witnesses.compiled.clone().or(witnesses.reported.clone())
                else {
                    continue;
                };
                witnesses.compiled = Some(RecordValue::Number(number + 64));
                witnesses.observed = witnesses.compiled.clone();
                assert!(!is_excused(&moved), "{} {}", check.id, check.rows[row].path);
                planted += 1;
            }
        }
        assert!(planted >= 60, "only {planted} numbers were planted");
    }
}
