//! The members of a block under several layouts: where each one lies, the padding after it, and
//! whether it starts a difference or only follows an earlier one.
//!
//! [`super::struct_text`] and [`super::diff_text`] draw them. Layouts are matched by the paths of
//! members; the first layout is the reference.

use std::collections::HashMap;

use layoutproof_layout::MemberRow;
use layoutproof_source::shader_language::ShaderLanguage;

use super::declaration_words::{base_type, has_type_in_front};
use super::holes::{HoleRange, Holes};
use super::member_tree::{MemberNode, scalar_size, split_dimensions, strides, trees};
use super::numeric::{NumericType, is_another_type, numeric};
use super::shown_columns::ShownColumnBlock;
use crate::style::width;

/// Widest type after which names line up. The names after wider ones follow them, so that lines fit 80 columns.
const ALIGNED_TYPE: usize = 16;

/// A layout with the name that sentences use for it.
#[derive(Clone, Debug)]
pub(super) struct ComparedLayout<'a> {
    pub name: String,
    pub block: &'a ShownColumnBlock,
}

#[derive(Debug)]
pub(super) struct ComparedRow<'a> {
    /// 1 for the members of the block.
    pub depth: usize,
    /// The member in the first layout that has it.
    pub row: &'a MemberRow,
    /// Width of the types at this level.
    pub type_columns: usize,
    /// What all layouts agree on: strides and bits.
    pub note: String,
    /// One per layout; `None` if the layout lacks the member.
    pub places: Vec<Option<&'a MemberRow>>,
    /// Bytes after the member that no member owns, one per layout.
    pub padding: Vec<u32>,
    /// The same before the first member of a struct.
    pub padding_before: Vec<u32>,
    pub change: Change,
}

/// The relation of a member to the differences between the layouts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Change {
    /// At the same bytes everywhere.
    #[default]
    None,
    /// Moved as far as what comes before it.
    Follows,
    /// Here the layouts part.
    Starts {
        /// Short sentences, each with the layout that it is about.
        reasons: Vec<(usize, String)>,
    },
}

impl ComparedRow<'_> {
    /// Bytes from the reference's offset to that of a layout; `None` if one of them lacks the member.
    pub(super) fn moved(&self, layout: usize) -> Option<i64> {
        moved(&self.places, layout)
    }

    /// True if a layout has the member at other bytes than the reference.
    pub(super) fn differs_in(&self, layout: usize) -> bool {
        self.moved(layout) != Some(0) || self.change.is_about(layout)
    }
}

impl Change {
    /// True if this layout parts from the reference here.
    fn is_about(&self, layout: usize) -> bool {
        match self {
            Self::Starts { reasons } => reasons.iter().any(|(about, _)| *about == layout),
            Self::None | Self::Follows => false,
        }
    }
}

fn moved(places: &[Option<&MemberRow>], layout: usize) -> Option<i64> {
    let offset = |layout: usize| places.get(layout).copied().flatten().map(|row| i64::from(row.offset));
    Some(offset(layout)? - offset(0)?)
}

/// All rows of a block; `layouts` has at least one.
pub(super) fn compared_rows<'a>(layouts: &[ComparedLayout<'a>], language: ShaderLanguage) -> Vec<ComparedRow<'a>> {
    let indexed = layouts.iter().map(IndexedLayout::of).collect();
    let Some(first) = layouts.first() else { return Vec::new() };
    let mut comparison = Comparison { layouts, indexed, language, rows: Vec::new() };
    comparison.level(&trees(&first.block.shown.members), 1);
    comparison.rest();
    comparison.rows
}

/// A layout's members and holes by path.
struct IndexedLayout<'a> {
    members: HashMap<&'a str, &'a MemberRow>,
    holes: Holes<'a>,
}

impl<'a> IndexedLayout<'a> {
    fn of(layout: &ComparedLayout<'a>) -> Self {
        let shown = &layout.block.shown;
        // If two rows have the same path, the first one counts.
        let members = shown.members.iter().rev().map(|row| (row.path.as_str(), row)).collect();
        Self { members, holes: Holes::of(&shown.members, shown.stride.or(shown.size)) }
    }
}

struct Comparison<'a, 'l> {
    layouts: &'l [ComparedLayout<'a>],
    indexed: Vec<IndexedLayout<'a>>,
    language: ShaderLanguage,
    rows: Vec<ComparedRow<'a>>,
}

impl<'a> Comparison<'a, '_> {
    fn level(&mut self, nodes: &[MemberNode<'a>], depth: usize) {
        let mut ordered: Vec<&MemberNode<'a>> = nodes.iter().collect();
        ordered.sort_by_key(|node| node.row.offset);
        let type_columns = self.type_columns(nodes.iter().map(|node| node.row));

        let mut before: Option<usize> = None;
        for node in ordered {
            let path = node.row.path.as_str();
            let padding = self.holes(|holes| holes.after(path));
            let index = self.rows.len();
            self.member(node, before, padding, (type_columns, depth));
            if before.is_none() {
                self.rows[index].padding_before = self.holes(|holes| holes.before(path));
            }
            if !node.children.is_empty() {
                self.level(&node.children, depth + 1);
            }
            before = Some(index);
        }
    }

    /// Bytes of a hole in each layout.
    fn holes(&self, find: impl Fn(&Holes<'a>) -> Option<HoleRange>) -> Vec<u32> {
        self.indexed.iter().map(|layout| find(&layout.holes).map_or(0, |hole| hole.size)).collect()
    }

    /// Members that the reference lacks, each after the one before it: only layouts of two files have them.
    fn rest(&mut self) {
        for layout in &self.layouts[1..] {
            let mut next = 0;
            for row in &layout.block.shown.members {
                if let Some(known) = self.rows.iter().position(|known| known.row.path == row.path) {
                    next = known + 1;
                    continue;
                }
                let places: Vec<_> = self.indexed.iter().map(|it| it.members.get(row.path.as_str()).copied()).collect();
                let depth = row.path.matches('.').count() + 1;
                let sibling = self.rows[..next].iter().rfind(|known| known.depth == depth);
                let type_columns = sibling.map_or(0, |sibling| sibling.type_columns);
                let added = ComparedRow {
                    depth,
                    row,
                    type_columns,
                    note: String::new(),
                    padding: self.holes(|holes| holes.after(&row.path)),
                    padding_before: Vec::new(),
                    places,
                    change: Change::Starts { reasons: Vec::new() },
                };
                self.rows.insert(next, added);
                next += 1;
            }
        }
    }

    fn type_columns<'r>(&self, rows: impl Iterator<Item = &'r MemberRow>) -> usize {
        if !has_type_in_front(self.language) {
            return 0;
        }
        let widths = rows.map(|row| width(&base_type(self.language, split_dimensions(&row.type_name).0)));
        widths.filter(|columns| *columns <= ALIGNED_TYPE).max().unwrap_or(0)
    }

    fn member(
        &mut self,
        node: &MemberNode<'a>,
        before: Option<usize>,
        padding: Vec<u32>,
        (type_columns, depth): (usize, usize),
    ) {
        let row = node.row;
        let places: Vec<Option<&MemberRow>> =
            self.indexed.iter().map(|layout| layout.members.get(row.path.as_str()).copied()).collect();
        let SortedFacts { shared, differing } = facts(row, &places, node.children.is_empty(), self.language);
        let change = self.change(&places, before, &differing);
        self.rows.push(ComparedRow {
            depth,
            row,
            type_columns,
            note: shared.join(", "),
            places,
            padding,
            padding_before: Vec::new(),
            change,
        });
    }

    fn change(&self, places: &[Option<&'a MemberRow>], before: Option<usize>, differing: &[MemberFact]) -> Change {
        let moves: Vec<Option<i64>> = (0..places.len()).map(|layout| moved(places, layout)).collect();
        if differing.is_empty() && moves.iter().all(|moved| *moved == Some(0)) {
            return Change::None;
        }

        let above = self.rows.last();
        let follows = |layout: usize| {
            let is_carried = above.is_some_and(|above| above.moved(layout) == moves[layout]);
            is_carried || before.is_some_and(|before| self.is_carried_by(before, places, layout))
        };
        let mut reasons: Vec<(usize, String)> = Vec::new();
        for (layout, own) in moves.iter().enumerate().skip(1) {
            for fact in differing.iter().filter(|fact| fact.values[layout] != fact.values[0]) {
                // A member that is not there has no facts.
                let is_there = places[0].is_some() && places[layout].is_some();
                let reason = is_there.then(|| format!("{} {}", fact.name, alternatives(&fact.values)));
                reasons.push((layout, reason.unwrap_or_default()));
            }
            if *own != Some(0) && !follows(layout) {
                let before = before.map(|index| &self.rows[index]);
                reasons.push((layout, self.reason(places, before, layout).unwrap_or_default()));
            }
        }
        if reasons.is_empty() { Change::Follows } else { Change::Starts { reasons } }
    }

    /// True if a member starts where the member `before` ends, rounded up alike in both layouts, and
    /// either that member takes the same bytes or a row in it says why it does not.
    fn is_carried_by(&self, before: usize, places: &[Option<&'a MemberRow>], layout: usize) -> bool {
        let is_told = self.rows[before..].iter().any(|row| row.change.is_about(layout));
        let pair = |places: &[Option<&'a MemberRow>]| Some([places[0]?, places[layout]?]);
        let Some((ends, starts)) = pair(&self.rows[before].places).zip(pair(places)) else { return false };
        let is_next = |(end, start): (&MemberRow, &MemberRow)| {
            let end = end.size.and_then(|size| end.offset.checked_add(size));
            let next = end.and_then(|end| end.checked_next_multiple_of(start.alignment.max(1)));
            next == Some(start.offset)
        };
        (is_told || ends[0].size == ends[1].size)
            && starts[0].alignment == starts[1].alignment
            && ends.into_iter().zip(starts).all(is_next)
    }

    /// Why a layout has a member elsewhere than the reference, as far as the numbers say.
    fn reason(
        &self,
        places: &[Option<&'a MemberRow>],
        before: Option<&ComparedRow<'a>>,
        layout: usize,
    ) -> Option<String> {
        let (here, there) = (places[0]?, places[layout]?);
        let names = [0, layout].map(|index| self.layouts[index].name.as_str());
        let end = |row: Option<&MemberRow>| row.map_or(Some(0), |row| row.offset.checked_add(row.size?));
        let ends = [0, layout].map(|index| before.and_then(|before| end(before.places[index])));

        // Which one is tighter around the member before?
        if let Some(before) = before {
            let [one, other] = [0, layout].map(|index| before.places[index].and_then(|row| row.size));
            let (one, other) = (one?, other?);
            if one != other {
                let tight = if one < other { 0 } else { layout };
                let has_registers = self.layouts[tight].block.has_registers;
                let name = names[usize::from(tight != 0)];
                return Some(format!("{name} packs it into {}", tail_of(before.row, has_registers)));
            }
        }
        if here.alignment != there.alignment {
            let (name, alignment) =
                if here.alignment > there.alignment { (names[0], here.alignment) } else { (names[1], there.alignment) };
            return Some(format!("{name} aligns it to {alignment}"));
        }
        // A member that would cross 16 bytes where it could start otherwise.
        for (row, end, name) in [(here, ends[0], names[0]), (there, ends[1], names[1])] {
            let start = end?.checked_next_multiple_of(row.alignment.max(1))?;
            if row.offset > start && row.offset.is_multiple_of(16) && start % 16 + row.size?.min(16) > 16 {
                return Some(format!("{name} keeps it within 16 bytes"));
            }
        }
        None
    }
}

/// The free bytes at the end of a member: `the last element's register`.
fn tail_of(row: &MemberRow, has_registers: bool) -> String {
    let (base, dimensions) = split_dimensions(&row.type_name);
    let part = match (dimensions, numeric(base)) {
        ("", Some((_, NumericType::Matrix(..)))) => {
            format!("last {}", row.matrix_order.map_or("vector", |order| order.as_str()))
        }
        ("", None) => "last member".to_owned(),
        ("", Some(_)) => return "the space after it".to_owned(),
        (_, _) => "last element".to_owned(),
    };
    if has_registers { format!("the {part}'s register") } else { format!("the {part}'s padding") }
}

/// `16 / 4`; one value if all are alike.
pub(super) fn alternatives<T: AsRef<str>>(values: &[T]) -> String {
    let values: Vec<&str> =
        values.iter().map(|value| if value.as_ref().is_empty() { "-" } else { value.as_ref() }).collect();
    match values.first() {
        Some(first) if values.iter().all(|value| value == first) => (*first).to_owned(),
        Some(_) | None => values.join(" / "),
    }
}

/// A named property of a member besides its place.
struct MemberFact {
    name: String,
    /// One per layout; empty if the layout has none.
    values: Vec<String>,
}

#[derive(Default)]
struct SortedFacts {
    /// Equal in all layouts; shown as notes.
    shared: Vec<String>,
    /// Different between layouts.
    differing: Vec<MemberFact>,
}

/// Sorts types, orders, strides, sizes of scalars and bits by whether all layouts agree on them.
fn facts(row: &MemberRow, rows: &[Option<&MemberRow>], is_leaf: bool, language: ShaderLanguage) -> SortedFacts {
    let mut sorted = SortedFacts::default();
    for fact in all_facts(row, rows) {
        match fact.values.first() {
            Some(first) if fact.values.iter().all(|value| value == first) => {
                sorted.shared.push(format!("{} {first}", fact.name));
            }
            Some(_) | None => sorted.differing.push(fact),
        }
    }

    let types: Vec<&str> = rows.iter().flatten().map(|row| row.type_name.as_str()).collect();
    if let [first, others @ ..] = types.as_slice()
        && others.iter().any(|other| is_another_type(first, other))
    {
        let base = |row: &&MemberRow| base_type(language, split_dimensions(&row.type_name).0);
        let values = rows.iter().map(|row| row.as_ref().map(base).unwrap_or_default());
        sorted.differing.push(MemberFact { name: "type".to_owned(), values: values.collect() });
    }

    if rows.iter().flatten().any(|row| row.uncertain.is_some()) {
        sorted.shared.push("uncertain".to_owned());
    }

    // The declaration already shows a size that all layouts agree on.
    let sizes: Vec<Option<u32>> = rows.iter().map(|row| row.filter(|_| is_leaf).and_then(scalar_size)).collect();
    if sizes.iter().any(|size| *size != sizes[0]) {
        let values = sizes.iter().map(|size| size.map(|size| size.to_string()).unwrap_or_default());
        sorted.differing.push(MemberFact { name: "bytes of each scalar".to_owned(), values: values.collect() });
    }
    sorted
}

/// The orders, strides and bits that at least one layout has.
fn all_facts(row: &MemberRow, rows: &[Option<&MemberRow>]) -> Vec<MemberFact> {
    let of = |name: &str, value: &dyn Fn(&MemberRow) -> Option<String>| {
        let values = rows.iter().map(|row| row.and_then(value).unwrap_or_default());
        MemberFact { name: name.to_owned(), values: values.collect() }
    };

    let array = |row: &MemberRow| {
        let strides: Vec<String> = strides(row).iter().map(ToString::to_string).collect();
        (!strides.is_empty()).then(|| strides.join(" "))
    };
    let matrix = |row: &MemberRow| row.matrix_vectors().map(|(_, stride)| stride.to_string());
    let order = |row: &MemberRow| row.matrix_vectors().map(|(order, _)| order.as_str().to_owned());
    let bits = |row: &MemberRow| {
        let last = row.bit_offset?.saturating_add(row.bit_width?).saturating_sub(1);
        row.bit_offset.map(|first| if first == last { first.to_string() } else { format!("{first} to {last}") })
    };

    let array_word = if strides(row).len() > 1 { "strides" } else { "stride" };
    let bit_word = if row.bit_width == Some(1) { "bit" } else { "bits" };
    let mut facts = vec![of(array_word, &array)];
    // If all layouts agree, one word names the order of all vectors; otherwise a row lists the
    // order of each layout.
    let orders = of("matrix order", &order);
    let mut known = orders.values.iter().filter(|order| !order.is_empty());
    match known.next() {
        Some(only) if known.all(|order| order == only) => facts.push(of(&format!("{only} stride"), &matrix)),
        Some(_) | None => facts.extend([orders, of("matrix stride", &matrix)]),
    }
    facts.push(of(bit_word, &bits));
    facts.into_iter().filter(|fact| fact.values.iter().any(|value| !value.is_empty())).collect()
}
