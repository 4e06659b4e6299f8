//! Finds records that contradict themselves, by computing outcome, culprit and counts again from
//! the rows.
//!
//! The command line audits every record that it reads. The audit trusts the witnesses' numbers.

use std::collections::BTreeSet;

use layoutproof_layout::Quantity;
use thiserror::Error;

use crate::check::verdict::{CodeOrigin, Verdict, Writer, judge};
use layoutproof_events::check_id::ShaderMaker;
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, Culprit, Outcome, OutcomeKind, Proves, Row};

/// A statement of a record that does not follow from the rest of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AuditError {
    #[error("`{producer}` proves `{}` here, not `{}`", can.as_str(), said.as_str())]
    Proof { producer: ShaderMaker, can: Proves, said: Proves },
    #[error("its outcome is `{}`, but its rows {}", said.as_str(), if *rows_differ { "differ" } else { "agree" })]
    Outcome { said: OutcomeKind, rows_differ: bool },
    #[error("its culprit is `{}`, but its rows name `{}`", said.map_or("none", Culprit::as_str), found.as_str())]
    Culprit { said: Option<Culprit>, found: Culprit },
    #[error("it agrees, but its device returned nothing")]
    AgreesWithoutResults,
    #[error("it is skipped, but its device returned results")]
    SkippedWithResults,
    #[error("it counts {said} leaves, but has rows for {found}")]
    Leaves { said: u32, found: usize },
    #[error("it counts leaves, but is about bindings")]
    LeavesOfBindings,
    #[error("it counts {said} resources as read, but has rows for {found}")]
    Resources { said: u32, found: usize },
}

/// Checks that the outcome and the counts of a record follow from the rest of it.
pub fn audit(check: &CheckRecord) -> Result<(), AuditError> {
    audit_without_rows(check)?;
    audit_counts(check)
}

/// The same for a file that leaves out the rows of the check, so that nothing confirms its counts.
pub fn audit_without_rows(check: &CheckRecord) -> Result<(), AuditError> {
    let code = code(check)?;
    let verdict = judge(&check.rows, &check.validation, code);
    audit_outcome(check, &verdict)
}

/// Returns the writer of the code and what the code proves. Our own shaders check placements,
/// whichever compiler they go through.
fn code(check: &CheckRecord) -> Result<CodeOrigin, AuditError> {
    let is_placement = check.bound.is_some();
    let (can, writer) = match (check.id.producer.producer(), &check.id.device) {
        // For registers, the proof is the compiler's own binding.
        (Some(producer @ Producer::Compiler(_)), Some(device)) if is_placement => {
            (producer.can_prove(check.id.rules.as_str(), device.runner), Writer::Compiler)
        }
        (Some(Producer::Compiler(_)), None) => (&[Proves::Compiler][..], Writer::Compiler),
        (_, None) => (&[Proves::Decorations][..], Writer::Generator),
        (_, Some(_)) if is_placement => (&[Proves::Decorations][..], Writer::Generator),
        (Some(producer), Some(device)) => {
            (producer.can_prove(check.id.rules.as_str(), device.runner), producer.writer())
        }
        // Another version of this program may know this compiler.
        (None, Some(_)) => (std::slice::from_ref(&check.proves), Writer::Compiler),
    };
    if !can.contains(&check.proves) {
        let producer = check.id.producer.clone();
        return Err(AuditError::Proof { producer, can: can[0], said: check.proves });
    }
    Ok(CodeOrigin { proves: check.proves, writer })
}

fn audit_outcome(check: &CheckRecord, verdict: &Verdict) -> Result<(), AuditError> {
    let found = verdict.culprit();
    let follows = match &check.outcome {
        Outcome::Agrees | Outcome::Stale(_) | Outcome::Skipped { .. } | Outcome::Broken { .. } => found.is_none(),
        Outcome::Differs { .. } => found.is_some(),
        // A known difference either differs or breaks.
        Outcome::Known { broke, .. } => found.is_some() || broke.is_some(),
    };
    if !follows {
        return Err(AuditError::Outcome { said: check.outcome.kind(), rows_differ: found.is_some() });
    }
    let said = check.outcome.culprit();
    if let Some(found) = found.filter(|found| said != Some(*found)) {
        return Err(AuditError::Culprit { said, found });
    }

    match &check.outcome {
        Outcome::Agrees | Outcome::Stale(_) if check.id.device.is_some() && !is_answered(check) => {
            Err(AuditError::AgreesWithoutResults)
        }
        Outcome::Skipped { .. } if is_answered(check) => Err(AuditError::SkippedWithResults),
        _ => Ok(()),
    }
}

/// Compares the counts with the rows. Leaves must match exactly; for resources the rows give a
/// lower bound.
fn audit_counts(check: &CheckRecord) -> Result<(), AuditError> {
    let Some(bound) = &check.bound else {
        let leaves = check.rows.iter().filter(|row| is_leaf(row));
        let paths: BTreeSet<&str> = leaves.map(|row| row.path.as_str()).collect();
        let (said, found) = (check.leaves, paths.len());
        return if found == said as usize { Ok(()) } else { Err(AuditError::Leaves { said, found }) };
    };
    if check.leaves > 0 {
        return Err(AuditError::LeavesOfBindings);
    }
    let (said, found) = (bound.read, check.rows.iter().filter(|row| row.witnesses.observed.is_some()).count());
    if (said as usize) < found { Err(AuditError::Resources { said, found }) } else { Ok(()) }
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
    use layoutproof_events::{BoundCount, KnownEntry, Reason, SkipKind};

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
        assert_eq!(audit(&record).err().map(|error| error.to_string()).unwrap_or_default(), expected);
    }

    fn observe(record: &mut CheckRecord, byte: u32) {
        record.rows[0].witnesses.observed = Some(layoutproof_events::RecordValue::Number(byte));
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
        KnownEntry {
            file: "known.toml".to_owned(),
            line: 1,
            bug: None,
            reason: "so it is".to_owned(),
            link: None,
            untried: false,
        }
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
        check(|record| observe(record, 8), "its outcome is `agree`, but its rows differ");
        let differ = |record: &mut CheckRecord| record.outcome = differs(Culprit::Device);
        check(differ, "its outcome is `differ`, but its rows agree");
        let known = |record: &mut CheckRecord| record.outcome = differs(Culprit::Device).explained_by(entry());
        check(known, "its outcome is `known`, but its rows agree");
        check(|record| record.outcome = skipped(None), "it is skipped, but its device returned results");
        let skipped_as_different = |record: &mut CheckRecord| {
            record.outcome = skipped(None);
            observe(record, 8);
        };
        check(skipped_as_different, "its outcome is `skipped`, but its rows differ");
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
