//! Which other rule set explains what a device or a shader did.

use crate::case::Numbers;
use crate::check::subject::Subject;
use crate::layout::{lay_out, table};
use crate::record::{Row, Value, What};

/// The first bare rule set under which every probed leaf lies where the code or the device put it, if there is one and
/// it is not the subject's own.
pub(super) fn explaining(subject: &Subject, rows: &[Row]) -> Option<&'static str> {
    let used: Vec<(&str, u32)> = rows.iter().filter_map(used_offset).collect();
    if used.is_empty() {
        return None;
    }
    let explains =
        |numbers: &Numbers| used.iter().all(|(path, offset)| numbers.get(What::Offset, path) == Some(*offset));
    let others = table().iter().filter(|rules| rules.is_bare() && rules.name != subject.rules.name);
    let mut explaining = others.filter(|rules| {
        let blocks = &subject.source.module.blocks;
        let layouts: Vec<_> = blocks.iter().map(|block| lay_out(block, rules, subject.source.options)).collect();
        explains(&Numbers::of_layouts(&layouts))
    });
    explaining.next().map(|rules| rules.name)
}

fn used_offset(row: &Row) -> Option<(&str, u32)> {
    match (row.what, row.space, row.compiled.as_ref().or(row.observed.as_ref())) {
        (What::Offset, Some(_), Some(Value::Number(offset))) => Some((&row.path, *offset)),
        (_, _, _) => None,
    }
}
