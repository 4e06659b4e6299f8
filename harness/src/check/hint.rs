//! Finds another rule set that explains a device, a shader or a compiler's report.

use layoutproof_layout::{Numbers, Quantity, lay_out, table};

use crate::check::subject::Subject;
use layoutproof_events::{Culprit, RecordValue, Row};

/// Returns the first bare rule set, other than the subject's own, that puts every probed leaf where
/// the culprit (device, report or code) put it. It must explain each of the differing rows: no rule
/// set explains an answer that is no number, or a changed guard.
pub(super) fn explaining(
    subject: &Subject,
    rows: &[Row],
    differing: &[&Row],
    culprit: Option<Culprit>,
) -> Option<&'static str> {
    let differing: Vec<(&Row, u32)> =
        differing.iter().map(|row| Some((*row, put(row, culprit)?.number()?))).collect::<Option<_>>()?;
    if differing.is_empty() {
        return None;
    }

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

    let explains = |numbers: &Numbers| {
        let mut places = used.iter();
        places.all(|(path, offset)| numbers.get(Quantity::Offset, path) == Some(*offset))
            && differing.iter().all(|(row, number)| value(numbers, subject, row) == Some(*number))
    };
    let others = table().iter().filter(|rules| rules.is_bare() && rules.name != subject.rules);
    let mut explaining = others.filter(|rules| {
        let blocks = &subject.source.module.blocks;
        let layouts: Vec<_> = blocks.iter().map(|block| lay_out(block, rules, subject.source.options)).collect();
        explains(&Numbers::of_layouts(&layouts))
    });
    explaining.next().map(|rules| rules.name)
}

/// The number that a layout has for a row, also for a leaf in a later element of a structured
/// buffer (`S[1].d`).
fn value(numbers: &Numbers, subject: &Subject, row: &Row) -> Option<u32> {
    if let Some(number) = numbers.get(row.what, &row.path) {
        return Some(number);
    }
    let mut blocks = subject.layouts.iter().map(|layout| layout.name.as_str());
    let (block, rest) = blocks.find_map(|name| Some((name, row.path.strip_prefix(name)?.strip_prefix('[')?)))?;
    let (element, rest) = rest.split_once(']')?;
    let before = element.parse::<u32>().ok()?.checked_mul(numbers.get(Quantity::ArrayStride, block)?)?;
    numbers.get(row.what, &format!("{block}{rest}"))?.checked_add(before)
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
