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
    let is = |expected: bool, sentence: &str| (!expected).then(|| sentence.to_owned());
    let CheckRecord { outcome, culprit, .. } = check;
    let has_reason = check.skip_reason.as_ref().is_some_and(|reasons| !reasons.to_string().trim().is_empty());
    let differs = verdict.outcome == Outcome::Differ;
    let word = outcome.as_str();

    // First check: does the outcome follow from the witnesses?
    let follows = match outcome {
        Outcome::Agree | Outcome::Stale | Outcome::Skipped | Outcome::Broken => !differs,
        Outcome::Differ => differs,
        // A known difference either differs or breaks.
        Outcome::Known => differs || has_reason,
    };
    if !follows {
        let rows = if differs { "differ" } else { "agree" };
        return Some(format!("its outcome is `{word}`, but its witnesses {rows}"));
    }
    if differs && *culprit != verdict.culprit {
        let [said, found] = [*culprit, verdict.culprit].map(|culprit| culprit.map_or("none", |name| name.as_str()));
        return Some(format!("its culprit is `{said}`, but its rows name `{found}`"));
    }

    // Second check: do the other fields fit the outcome?
    let answered = is_answered(check);
    match outcome {
        Outcome::Agree | Outcome::Stale => is(!has_reason, "it agrees, but has a reason for not running")
            .or_else(|| is(culprit.is_none(), "it agrees, but names a culprit"))
            .or_else(|| is(answered || check.id.device.is_none(), "it agrees, but its device returned nothing")),
        Outcome::Skipped => is(has_reason, "it is skipped without a reason")
            .or_else(|| is(!answered, "it is skipped, but its device returned results")),
        Outcome::Broken => is(has_reason, "it is broken without a reason"),
        Outcome::Differ | Outcome::Known => None,
    }
    .or_else(|| match (outcome, &check.known) {
        (Outcome::Known | Outcome::Stale, None) => Some(format!("it is `{word}`, but names no known-list entry")),
        (Outcome::Agree | Outcome::Differ | Outcome::Skipped | Outcome::Broken, Some(_)) => {
            Some(format!("it is `{word}`, but names a known-list entry"))
        }
        (Outcome::Known | Outcome::Stale, Some(_))
        | (Outcome::Agree | Outcome::Differ | Outcome::Skipped | Outcome::Broken, None) => None,
    })
    .or_else(|| is(check.skip_kind.is_none() || *outcome == Outcome::Skipped, "it has a skip kind, but is not skipped"))
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

            let observed = check.rows.iter().filter(|row| row.observed.is_some()).count();
            let is_fewer = (bound.read as usize) < observed;
            is_fewer.then(|| format!("it counts {} resources as read, but has rows for {observed}", bound.read))
        }
    }
}

/// Returns true if the row holds a device's answer for a leaf.
fn is_leaf(row: &Row) -> bool {
    row.what == Quantity::Offset && row.space.is_some()
}

fn is_answered(check: &CheckRecord) -> bool {
    let read = check.bound.as_ref().map_or(0, |bound| bound.read);
    check.leaves > 0 || read > 0 || check.rows.iter().any(|row| row.observed.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::verdict::Validation;
    use crate::results::record::{BoundCount, KnownEntry, Reason, SkipKind};

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
        record.rows[0].observed = Some(crate::results::record::RecordValue::Number(byte));
    }

    fn skip(record: &mut CheckRecord) {
        record.outcome = Outcome::Skipped;
        record.skip_reason = Some(Reason::DeviceLacks("shaderFloat64".to_owned()).into());
    }

    fn entry() -> KnownEntry {
        KnownEntry { file: "known.toml".to_owned(), line: 1, reason: "so it is".to_owned(), link: None, untried: false }
    }

    #[test]
    fn what_follows_from_rows_is_believed() {
        use crate::results::record::Culprit;
        check(|_| (), "");
        let differ = |record: &mut CheckRecord| {
            observe(record, 8);
            (record.outcome, record.culprit) = (Outcome::Differ, Some(Culprit::Device));
        };
        check(differ, "");
        let known = |record: &mut CheckRecord| {
            differ(record);
            (record.outcome, record.known) = (Outcome::Known, Some(entry()));
        };
        check(known, "");
        let stale = |record: &mut CheckRecord| (record.outcome, record.known) = (Outcome::Stale, Some(entry()));
        check(stale, "");
        let invalid = |record: &mut CheckRecord| {
            record.validation = Validation::Invalid("error: line 3: no such type".to_owned());
            (record.outcome, record.culprit) = (Outcome::Differ, Some(Culprit::Module));
        };
        check(invalid, "");
        let skipped = |record: &mut CheckRecord| {
            skip(record);
            (record.leaves, record.skip_kind) = (0, Some(SkipKind::NotApplicable));
            record.rows.clear();
        };
        check(skipped, "");
        let broken = |record: &mut CheckRecord| {
            (record.outcome, record.skip_reason) = (Outcome::Broken, Some("device lost".into()));
        };
        check(broken, "");
    }

    #[test]
    fn an_outcome_that_does_not_follow_is_told() {
        use crate::results::record::Culprit;
        check(|record| observe(record, 8), "its outcome is `agree`, but its witnesses differ");
        check(|record| record.outcome = Outcome::Differ, "its outcome is `differ`, but its witnesses agree");
        check(|record| record.outcome = Outcome::Known, "its outcome is `known`, but its witnesses agree");
        check(|record| record.outcome = Outcome::Stale, "it is `stale`, but names no known-list entry");
        check(|record| record.known = Some(entry()), "it is `agree`, but names a known-list entry");
        check(|record| record.culprit = Some(Culprit::Device), "it agrees, but names a culprit");
        check(skip, "it is skipped, but its device returned results");
        check(|record| record.outcome = Outcome::Skipped, "it is skipped without a reason");
        check(|record| record.outcome = Outcome::Broken, "it is broken without a reason");
        let skipped_as_different = |record: &mut CheckRecord| {
            skip(record);
            observe(record, 8);
        };
        check(skipped_as_different, "its outcome is `skipped`, but its witnesses differ");
        let blamed = |record: &mut CheckRecord| {
            observe(record, 8);
            (record.outcome, record.culprit) = (Outcome::Differ, Some(Culprit::Case));
        };
        check(blamed, "its culprit is `case`, but its rows name `device`");
        let kind = |record: &mut CheckRecord| record.skip_kind = Some(SkipKind::NotApplicable);
        check(kind, "it has a skip kind, but is not skipped");
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
                record.rows[0] = Row { what: Quantity::Binding, space: None, ..record.rows[0].clone() };
            }
        };
        check(bound(1, 0), "");
        check(bound(0, 0), "it counts 0 resources as read, but has rows for 1");
        check(bound(1, 1), "it counts leaves, but is about bindings");
    }
}
