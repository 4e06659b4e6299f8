//! What an entry on random declarations says: a shape of members, the form in which they are reached, and the case that
//! pins what happens.

use layoutproof_layout::{Quantity, join};

use crate::input::toml_table::{FileProblems, TomlTable};
use crate::probe::Form;
use crate::random::declaration::MemberShape;
use crate::results::record::{CheckRecord, Culprit, RecordValue, Row};

/// The part of an entry that is about random declarations, beside producer, device, rules and culprit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeEntry {
    /// Members of this shape differ.
    pub shape: MemberShape,
    /// Where they are reached in one of these forms; in any, where none is named.
    pub forms: Vec<Form>,
    /// True if what stands behind such a member differs with it, in any form.
    pub moves: bool,
    /// The case that shows the difference with numbers of an authority.
    pub pinned_by: String,
}

/// A path of a declaration, block name first and without indices, with a shape of what is there.
pub type ShapeAt = (String, MemberShape);

impl ShapeEntry {
    /// Reads what the entry says of shapes; `None` where it is about cases.
    pub(super) fn read(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<Self> {
        let [shape, pinned_by] = ["shape", "pinned_by"].map(|key| entry.string(key, problems));
        let names_of_forms = entry.strings("form", problems);
        let moves = entry.boolean("moves", problems).unwrap_or(false);

        let shape = shape?;
        let found = MemberShape::ALL.into_iter().find(|known| known.as_str() == shape);
        if found.is_none() {
            let names: Vec<&str> = MemberShape::ALL.iter().map(|shape| shape.as_str()).collect();
            problems.report(entry.range(), format!("unknown shape `{shape}`; known are {}", names.join(", ")));
        }

        let mut forms = Vec::new();
        for name in names_of_forms {
            match Form::ALL.into_iter().find(|form| form.as_str() == name) {
                Some(form) => forms.push(form),
                None => problems.report(entry.range(), format!("unknown form `{name}`")),
            }
        }

        if pinned_by.is_none() {
            problems.report(entry.range(), "an entry with a shape names the case that pins it (`pinned_by`)");
        }

        Some(Self { shape: found?, forms, moves, pinned_by: pinned_by? })
    }

    /// Returns true if the entry is about this row of a check of a declaration that has these shapes.
    pub(super) fn holds(&self, row: &Row, check: &CheckRecord, shapes: &[ShapeAt]) -> bool {
        let mut members = shapes.iter().filter(|(_, shape)| *shape == self.shape).map(|(member, _)| member);
        if self.moves {
            // All that rules put behind the first of such members may be elsewhere.
            let first = members.filter_map(|member| begin(check, member)).min();
            return first.is_some() && computed(row) >= first;
        }
        let is_of_form = self.forms.is_empty() || row.form.is_some_and(|form| self.forms.contains(&form));
        is_of_form && members.any(|member| is_in(&row.path, member))
    }
}

/// Returns true if an entry with this culprit is about a row. A listing says nothing of the later elements of arrays: what differs
/// from it elsewhere differs from the rules alone there.
pub(super) fn names(name: &str, row: &Row, culprit: Culprit) -> bool {
    let is_unreported = culprit == Culprit::Compiler && row.reported.is_none();
    name == culprit.as_str() || (is_unreported && name == Culprit::Report.as_str())
}

/// Returns true if a path with indices leads into this member.
fn is_in(path: &str, member: &str) -> bool {
    let path = without_indices(path);
    path.strip_prefix(member).is_some_and(|inner| inner.is_empty() || inner.starts_with('.'))
}

/// Where rules put a member. No row may say so: bit-fields have none.
fn begin(check: &CheckRecord, member: &str) -> Option<u32> {
    let of_rows = check.rows.iter().filter(|row| is_in(&row.path, member)).filter_map(computed);
    let blocks = check.story.iter().flat_map(|story| &story.blocks);
    let laid_out =
        blocks.flat_map(|block| block.members.iter().map(move |row| (join(&block.name, &row.path), row.offset)));
    of_rows.chain(laid_out.filter(|(path, _)| is_in(path, member)).map(|(_, offset)| offset)).min()
}

fn computed(row: &Row) -> Option<u32> {
    match &row.computed {
        Some(RecordValue::Number(offset)) if row.what == Quantity::Offset => Some(*offset),
        Some(RecordValue::Number(_) | RecordValue::Text(_)) | None => None,
    }
}

/// `B.m1.m0` of `B[1].m1[0][2].m0`.
fn without_indices(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(']').map_or("", |(_, rest)| rest))
}
