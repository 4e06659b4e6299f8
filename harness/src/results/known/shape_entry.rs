//! The part of an entry about random declarations: a shape of members, the form of access, and the
//! case that pins the difference.

use layoutproof_layout::{Quantity, join};
use strum::VariantArray;

use super::instead::{right_value, wrong_values};
use super::member_shape::MemberShape;
use crate::toml_table::{FileProblems, TomlTable};
use layoutproof_events::{Access, CheckRecord, Culprit, RecordValue, Row};
use layoutproof_probes::{Direction, Form};

/// The part of an entry about random declarations, in addition to producer, device, rules and
/// culprit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeEntry {
    pub shape: MemberShape,
    /// They differ when accessed in one of these forms; empty for all forms.
    pub forms: Vec<Form>,
    /// True if the members after such a member differ as well, in any form.
    pub moves: bool,
    /// The most bytes between a right number and a wrong one that the entry excuses; `None` for any number.
    pub within: Option<u32>,
    /// The case that shows the difference with an authority's numbers. An entry about checks that broke may have
    /// none, because no case ends a compiler.
    pub pinned_by: Option<String>,
}

/// A path in a declaration, block name first and without indices, and a shape of the member there.
pub type ShapeAt = (String, MemberShape);

impl ShapeEntry {
    /// Reads the entry's keys about shapes; `None` if the entry is about cases.
    pub(super) fn read(
        entry: &mut TomlTable<'_, '_>,
        is_about_breaks: bool,
        problems: &mut FileProblems<'_>,
    ) -> Option<Self> {
        let [shape, pinned_by] = ["shape", "pinned_by"].map(|key| entry.string(key, problems));
        let names_of_forms = entry.strings("form", problems);
        let moves = entry.boolean("moves", problems).unwrap_or(false);
        let within = entry.number("within", problems);

        let shape = shape?;
        let found = shape.parse::<MemberShape>().ok();
        if found.is_none() {
            let names: Vec<&str> = MemberShape::VARIANTS.iter().map(|shape| shape.as_str()).collect();
            problems.report(entry.range(), format!("unknown shape `{shape}`; known are {}", names.join(", ")));
        }

        let mut forms = Vec::new();
        for name in names_of_forms {
            match Form::ALL.into_iter().find(|form| form.as_str() == name) {
                Some(form) => forms.push(form),
                None => problems.report(entry.range(), format!("unknown form `{name}`")),
            }
        }

        if pinned_by.is_none() && !is_about_breaks {
            problems.report(entry.range(), "an entry with a shape names the case that pins it (`pinned_by`)");
        }

        Some(Self { shape: found?, forms, moves, within, pinned_by })
    }

    /// True if the entry covers this row, in a check of a declaration with these shapes.
    pub(super) fn holds(&self, row: &Row, check: &CheckRecord, shapes: &[ShapeAt]) -> bool {
        if !self.is_near(row) {
            return false;
        }
        let mut members = shapes.iter().filter(|(_, shape)| *shape == self.shape).map(|(member, _)| member);
        if self.moves {
            // All members that the rules put after the first such member may be moved.
            let first = members.filter_map(|member| begin(check, member)).min();
            return first.is_some() && computed(row) >= first;
        }
        if row.what == Quantity::Guard && row.direction() == Some(Direction::Write) {
            // A write that misses its place changes other bytes.
            let of_place =
                |row: &Row| row.access.map(|Access { space, stage, direction, .. }| (space, stage, direction));
            let mut others = check.rows.iter().filter(|other| other.what != Quantity::Guard && other.differs());
            return others.any(|other| {
                of_place(other) == of_place(row) && is_in(&other.path, &row.path) && self.holds(other, check, shapes)
            });
        }
        let is_of_form = self.forms.is_empty() || row.form().is_some_and(|form| self.forms.contains(&form));
        is_of_form && members.any(|member| is_in(&row.path, member))
    }

    /// True if each wrong number is as near to the right one as the entry says. Texts have no distance.
    fn is_near(&self, row: &Row) -> bool {
        let (Some(within), Some(RecordValue::Number(right))) = (self.within, right_value(row)) else { return true };
        wrong_values(row).iter().filter_map(RecordValue::number).all(|wrong| wrong.abs_diff(*right) <= within)
    }
}

/// True if an entry with this culprit covers a row. A listing has no numbers for the later elements
/// of arrays, so there the code can differ only from the rules.
pub(super) fn names(name: &str, row: &Row, culprit: Culprit) -> bool {
    let is_unreported = culprit == Culprit::Compiler && row.witnesses.reported.is_none();
    name == culprit.as_str() || (is_unreported && name == Culprit::Report.as_str())
}

/// True if a path with indices leads into this member.
fn is_in(path: &str, member: &str) -> bool {
    let path = without_indices(path);
    path.strip_prefix(member).is_some_and(|inner| inner.is_empty() || inner.starts_with('.'))
}

/// The member's offset according to the rules. It may have no row itself, as bit-fields do not.
fn begin(check: &CheckRecord, member: &str) -> Option<u32> {
    let of_rows = check.rows.iter().filter(|row| is_in(&row.path, member)).filter_map(computed);
    let blocks = check.outcome.story().into_iter().flat_map(|story| &story.blocks);
    let laid_out =
        blocks.flat_map(|block| block.members.iter().map(move |row| (join(&block.name, &row.path), row.offset)));
    of_rows.chain(laid_out.filter(|(path, _)| is_in(path, member)).map(|(_, offset)| offset)).min()
}

fn computed(row: &Row) -> Option<u32> {
    match &row.witnesses.computed {
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
