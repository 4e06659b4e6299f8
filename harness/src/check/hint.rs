//! Finds another rule set that explains a device, a shader or a compiler's report.

use layoutproof_layout::{Numbers, Quantity, lay_out, table};

use crate::check::subject::Subject;
use crate::results::record::{Culprit, RecordValue, Row};

/// Returns the first bare rule set, other than the subject's own, that puts every probed leaf where
/// the culprit (device, report or code) put it.
pub(super) fn explaining(subject: &Subject, rows: &[Row], culprit: Option<Culprit>) -> Option<&'static str> {
    let by_device = culprit == Some(Culprit::Device);
    let computed = subject.computed();
    let mut used = Vec::new();
    for row in rows.iter().filter(|row| row.what == Quantity::Offset && row.access.is_some()) {
        match put(row, culprit) {
            // Layouts have numbers only for the block's own leaves, so skip leaves in later
            // elements.
            Some(RecordValue::Number(_)) if computed.get(Quantity::Offset, &row.path).is_none() => {}
            Some(RecordValue::Number(offset)) => used.push((row.path.as_str(), *offset)),
            // A device that returned no offset follows no rule set.
            Some(RecordValue::Text(_)) | None if by_device => return None,
            Some(RecordValue::Text(_)) | None => {}
        }
    }
    if used.is_empty() {
        return None;
    }

    let explains =
        |numbers: &Numbers| used.iter().all(|(path, offset)| numbers.get(Quantity::Offset, path) == Some(*offset));
    let others = table().iter().filter(|rules| rules.is_bare() && rules.name != subject.rules);
    let mut explaining = others.filter(|rules| {
        let blocks = &subject.source.module.blocks;
        let layouts: Vec<_> = blocks.iter().map(|block| lay_out(block, rules, subject.source.options)).collect();
        explains(&Numbers::of_layouts(&layouts))
    });
    explaining.next().map(|rules| rules.name)
}

/// Returns the place that the culprit used for the leaf of a row.
fn put(row: &Row, culprit: Option<Culprit>) -> Option<&RecordValue> {
    match culprit {
        Some(Culprit::Device) => row.witnesses.observed.as_ref(),
        Some(Culprit::Report) => row.witnesses.reported.as_ref(),
        None
        | Some(
            Culprit::CaseOrRules
            | Culprit::Case
            | Culprit::Rules
            | Culprit::Compiler
            | Culprit::Module
            | Culprit::Unclear,
        ) => row.witnesses.compiled.as_ref().or(row.witnesses.observed.as_ref()),
    }
}
