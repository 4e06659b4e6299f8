//! Finds records that contradict themselves, by computing outcome, culprit and counts again from
//! the rows.
//!
//! The command line audits every record that it reads. The audit trusts the witnesses' numbers.

use std::collections::BTreeSet;

use layoutproof_layout::Quantity;

use crate::check::producer::Producer;
use crate::check::verdict::{CodeOrigin, Verdict, Writer, judge};
use crate::results::record::{CheckRecord, Outcome, Proves, Row};

/// Finds the first contradiction in a record, as a sentence; `None` if the outcome follows from the
/// rest of the record.
pub fn contradiction(check: &CheckRecord) -> Option<String> {
    let code = match code(check) {
        Ok(code) => code,
        Err(sentence) => return Some(sentence),
    };

    let verdict = judge(&check.rows, &check.validation, code);
    wrong_outcome(check, &verdict).or_else(|| wrong_count(check))
}

/// Returns the writer of the code and what the code proves. Our own shaders check placements,
/// whichever compiler they go through.
fn code(check: &CheckRecord) -> Result<CodeOrigin, String> {
    let is_placement = check.bound.is_some();
    let (can, writer) = match (check.id.producer.producer(), &check.id.device) {
        // For registers, the proof is the compiler's own binding.
        (Some(producer @ Producer::Compiler(_)), Some(device)) if is_placement => {
            (producer.can_prove(check.id.rules.as_str(), device.runner), Writer::Compiler)
        }
        (_, None) => (&[Proves::Decorations][..], Writer::Generator),
        (_, Some(_)) if is_placement => (&[Proves::Decorations][..], Writer::Generator),
        (Some(producer), Some(device)) => {
            (producer.can_prove(check.id.rules.as_str(), device.runner), producer.writer())
        }
        // Another version of this program may know this compiler.
        (None, Some(_)) => (std::slice::from_ref(&check.proves), Writer::Compiler),
    };
    if !can.contains(&check.proves) {
        let (producer, proves) = (&check.id.producer, check.proves);
        return Err(format!("`{producer}` proves `{}` here, not `{}`", can[0].as_str(), proves.as_str()));
    }
    Ok(CodeOrigin { proves: check.proves, writer })
}

fn wrong_outcome(check: &CheckRecord, verdict: &Verdict) -> Option<String> {
    let found = verdict.culprit();
    let follows = match &check.outcome {
        Outcome::Agrees | Outcome::Stale(_) | Outcome::Skipped { .. } | Outcome::Broken { .. } => found.is_none(),
        Outcome::Differs { .. } => found.is_some(),
        // A known difference either differs or breaks.
        Outcome::Known { broke, .. } => found.is_some() || broke.is_some(),
    };
    if !follows {
        let (word, rows) = (check.outcome.kind().as_str(), if found.is_some() { "differ" } else { "agree" });
        return Some(format!("its outcome is `{word}`, but its witnesses {rows}"));
    }
    let said = check.outcome.culprit();
    if found.is_some() && said != found {
        let [said, found] = [said, found].map(|culprit| culprit.map_or("none", |name| name.as_str()));
        return Some(format!("its culprit is `{said}`, but its rows name `{found}`"));
    }

    let sentence = match &check.outcome {
        Outcome::Agrees | Outcome::Stale(_) if check.id.device.is_some() && !is_answered(check) => {
            "it agrees, but its device returned nothing"
        }
        Outcome::Skipped { .. } if is_answered(check) => "it is skipped, but its device returned results",
        Outcome::Agrees
        | Outcome::Differs { .. }
        | Outcome::Known { .. }
        | Outcome::Stale(_)
        | Outcome::Skipped { .. }
        | Outcome::Broken { .. } => return None,
    };
    Some(sentence.to_owned())
}

/// Compares the counts with the rows. Leaves must match exactly; for resources the rows give a
/// lower bound.
fn wrong_count(check: &CheckRecord) -> Option<String> {
    match &check.bound {
        None => {
            let leaves = check.rows.iter().filter(|row| is_leaf(row));
            let paths: BTreeSet<&str> = leaves.map(|row| row.path.as_str()).collect();
            (paths.len() != check.leaves as usize)
                .then(|| format!("it counts {} leaves, but has rows for {}", check.leaves, paths.len()))
        }
        Some(bound) => {
            if check.leaves > 0 {
                return Some("it counts leaves, but is about bindings".to_owned());
            }

            let observed = check.rows.iter().filter(|row| row.witnesses.observed.is_some()).count();
            let is_fewer = (bound.read as usize) < observed;
            is_fewer.then(|| format!("it counts {} resources as read, but has rows for {observed}", bound.read))
        }
    }
}

/// Returns true if the row holds a device's answer for a leaf.
fn is_leaf(row: &Row) -> bool {
    row.what == Quantity::Offset && row.access.is_some()
}

fn is_answered(check: &CheckRecord) -> bool {
    let read = check.bound.as_ref().map_or(0, |bound| bound.read);
    check.leaves > 0 || read > 0 || check.rows.iter().any(|row| row.witnesses.observed.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::verdict::Validation;
    use crate::results::record::{BoundCount, Culprit, KnownEntry, Reason, SkipKind};

    /// Returns a record with one leaf at byte 4 on which all witnesses agree.
    fn agreeing() -> CheckRecord {
        let row = serde_json::json!({
            "path": "S.a", "what": "offset", "space": "storage", "direction": "read", "form": "leaf",
            "expected": 4, "computed": 4, "reported": null, "compiled": 4, "observed": 4
        });
        let line = serde_json::json!({
            "schema": 1, "case": "a/b", "rules": "std140", "producer": "rspirv", "device": "lavapipe", "runner": "ash",
            "proves": "decorations", "outcome": "agree", "culprit": null, "validation": "valid", "skip_reason": null,
            "ms": 1, "leaves": 1, "rows": [row]
        });
        serde_json::from_value(line).unwrap()
    }

    fn check(change: impl FnOnce(&mut CheckRecord), expected: &str) {
        let mut record = agreeing();
        change(&mut record);
        assert_eq!(contradiction(&record).unwrap_or_default(), expected);
    }

    fn observe(record: &mut CheckRecord, byte: u32) {
        record.rows[0].witnesses.observed = Some(crate::results::record::RecordValue::Number(byte));
    }

    fn skipped(kind: Option<SkipKind>) -> Outcome {
        Outcome::Skipped { reasons: Reason::DeviceLacks("shaderFloat64".to_owned()).into(), kind }
    }

    fn differs(culprit: Culprit) -> Outcome {
        Outcome::Differs { culprit, broke: None, story: None }
    }

    fn broken() -> Outcome {
        Outcome::Broken { reasons: "device lost".into(), culprit: None, story: None }
    }

    fn entry() -> KnownEntry {
        KnownEntry { file: "known.toml".to_owned(), line: 1, reason: "so it is".to_owned(), link: None, untried: false }
    }

    #[test]
    fn what_follows_from_rows_is_believed() {
        check(|_| (), "");
        let differ = |record: &mut CheckRecord| {
            observe(record, 8);
            record.outcome = differs(Culprit::Device);
        };
        check(differ, "");
        let known = |record: &mut CheckRecord| {
            observe(record, 8);
            record.outcome = differs(Culprit::Device).explained_by(entry());
        };
        check(known, "");
        check(|record| record.outcome = broken().explained_by(entry()), "");
        check(|record| record.outcome = Outcome::Stale(entry()), "");
        let invalid = |record: &mut CheckRecord| {
            record.validation = Validation::Invalid("error: line 3: no such type".to_owned());
            record.outcome = differs(Culprit::Module);
        };
        check(invalid, "");
        let not_applicable = |record: &mut CheckRecord| {
            record.outcome = skipped(Some(SkipKind::NotApplicable));
            record.leaves = 0;
            record.rows.clear();
        };
        check(not_applicable, "");
        check(|record| record.outcome = broken(), "");
    }

    #[test]
    fn an_outcome_that_does_not_follow_is_told() {
        check(|record| observe(record, 8), "its outcome is `agree`, but its witnesses differ");
        let differ = |record: &mut CheckRecord| record.outcome = differs(Culprit::Device);
        check(differ, "its outcome is `differ`, but its witnesses agree");
        let known = |record: &mut CheckRecord| record.outcome = differs(Culprit::Device).explained_by(entry());
        check(known, "its outcome is `known`, but its witnesses agree");
        check(|record| record.outcome = skipped(None), "it is skipped, but its device returned results");
        let skipped_as_different = |record: &mut CheckRecord| {
            record.outcome = skipped(None);
            observe(record, 8);
        };
        check(skipped_as_different, "its outcome is `skipped`, but its witnesses differ");
        let blamed = |record: &mut CheckRecord| {
            observe(record, 8);
            record.outcome = differs(Culprit::Case);
        };
        check(blamed, "its culprit is `case`, but its rows name `device`");
        let empty = |record: &mut CheckRecord| {
            record.rows.clear();
            record.leaves = 0;
        };
        check(empty, "it agrees, but its device returned nothing");
    }

    #[test]
    fn a_count_or_a_proof_that_does_not_follow_is_told() {
        check(|record| record.leaves = 9, "it counts 9 leaves, but has rows for 1");
        check(|record| record.proves = Proves::Native, "`rspirv` proves `decorations` here, not `native`");
        let bound = |read, leaves| {
            move |record: &mut CheckRecord| {
                (record.bound, record.leaves) = (Some(BoundCount { read, not_read: [].into() }), leaves);
                record.rows[0] = Row { what: Quantity::Binding, access: None, ..record.rows[0].clone() };
            }
        };
        check(bound(1, 0), "");
        check(bound(0, 0), "it counts 0 resources as read, but has rows for 1");
        check(bound(1, 1), "it counts leaves, but is about bindings");
    }
}
