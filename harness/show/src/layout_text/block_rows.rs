//! Makes the rows of a block's table on a page: a declaration with its numbers in each layout,
//! padding, strides if layouts differ, the size and the total padding at the end.
//!
//! `layoutproof-report` draws them; the text of `show` has the module `compared_rows`. Layouts are
//! matched by the paths of members.

use std::collections::HashMap;

use layoutproof_layout::MemberRow;

use super::declaration_words::{base_type, declaration, has_type_in_front};
use super::holes::{HoleRange, Holes};
use super::member_tree::{MemberNode, scalar_size, split_dimensions, strides, trees};
use super::shown_columns::{PaddingShare, ShownColumnBlock};
use crate::style::{Tone, width};
use layoutproof_source::shader_language::ShaderLanguage;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct BlockRow {
    /// The declaration, with its indent.
    pub label: String,
    /// The comment after it: strides and bits.
    pub note: String,
    /// One per column of numbers; empty if a column has no number here.
    pub cells: Vec<String>,
    pub tone: Tone,
    /// What to compare, one per column of a side-by-side table: the member's offset and everything
    /// else that determines its bytes. Empty for rows that compare nothing.
    pub places: Vec<String>,
}

impl BlockRow {
    /// True if `column` has the member at different bytes than the `reference` column.
    pub fn differs_from(&self, reference: usize, column: usize) -> bool {
        self.places.get(reference) != self.places.get(column)
    }

    /// True if any two columns have the member at different bytes.
    pub fn differs(&self) -> bool {
        (0..self.places.len()).any(|column| self.differs_from(0, column))
    }
}

/// The meaning of the columns of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Offset and size of one layout.
    Single,
    /// One column of offsets per layout.
    SideBySide,
}

/// A block's layouts that share a table; at least one.
#[derive(Debug)]
pub struct BlockRows<'a> {
    layouts: Vec<IndexedLayout<'a>>,
    kind: TableKind,
    language: ShaderLanguage,
    rows: Vec<BlockRow>,
}

/// A layout with its members and holes by path.
#[derive(Debug)]
struct IndexedLayout<'a> {
    block: &'a ShownColumnBlock,
    members: HashMap<&'a str, &'a MemberRow>,
    holes: Holes<'a>,
}

impl<'a> IndexedLayout<'a> {
    fn of(block: &'a ShownColumnBlock) -> Self {
        let shown = &block.shown;
        // If two rows have the same path, the first one counts.
        let members = shown.members.iter().rev().map(|row| (row.path.as_str(), row)).collect();
        let end = shown.stride.or(shown.size);
        Self { block, members, holes: Holes::of(&shown.members, end) }
    }
}

/// Indent per level of structs.
const INDENT: &str = "  ";

impl<'a> BlockRows<'a> {
    /// The rows of `blocks`, which are the same block under several layouts.
    pub fn of(blocks: &[&'a ShownColumnBlock], kind: TableKind, language: ShaderLanguage) -> Vec<BlockRow> {
        let layouts: Vec<_> = blocks.iter().map(|block| IndexedLayout::of(block)).collect();
        let Some(first) = blocks.first() else { return Vec::new() };

        let mut rows = Self { layouts, kind, language, rows: Vec::new() };
        rows.level(&trees(&first.shown.members), None, 1);
        rows.totals();
        rows.rows
    }

    fn is_single(&self) -> bool {
        self.kind == TableKind::Single
    }

    fn level(&mut self, nodes: &[MemberNode<'a>], parent: Option<&str>, depth: usize) {
        let mut ordered: Vec<&MemberNode<'a>> = nodes.iter().collect();
        ordered.sort_by_key(|node| node.row.offset);
        let type_width =
            |node: &MemberNode<'_>| width(&base_type(self.language, split_dimensions(&node.row.type_name).0));
        let type_columns = nodes.iter().map(type_width).max().unwrap_or(0);

        for node in ordered {
            let path = node.row.path.as_str();
            self.hole(depth, |holes| holes.before(path));
            self.member(node, type_columns, depth);
            if !node.children.is_empty() {
                self.level(&node.children, Some(path), depth + 1);
            }
        }
        self.hole(depth, |holes| holes.tail(parent));
    }

    fn hole(&mut self, depth: usize, find: impl Fn(&Holes<'a>) -> Option<HoleRange>) {
        let found: Vec<Option<HoleRange>> = self.layouts.iter().map(|layout| find(&layout.holes)).collect();
        if found.iter().all(Option::is_none) {
            return;
        }

        let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let cells = if self.is_single() {
            let hole = found.first().copied().flatten();
            vec![text(hole.map(|hole| hole.start)), text(hole.map(|hole| hole.size))]
        } else {
            found.iter().map(|hole| text(hole.map(|hole| hole.size))).collect()
        };
        let words = if self.is_single() { "// padding" } else { "// bytes of padding" };
        self.comment(depth, words, cells);
    }

    fn member(&mut self, node: &MemberNode<'a>, type_columns: usize, depth: usize) {
        let row = node.row;
        let declared = declaration(self.language, row, if has_type_in_front(self.language) { type_columns } else { 0 });
        let rows: Vec<Option<&MemberRow>> =
            self.layouts.iter().map(|layout| layout.members.get(row.path.as_str()).copied()).collect();

        let number = |row: Option<&MemberRow>| row.map(|row| row.offset.to_string()).unwrap_or_default();
        let cells = if self.is_single() {
            let size = row.size.map_or_else(|| "[]".to_owned(), |size| size.to_string());
            vec![number(Some(row)), size]
        } else {
            rows.iter().map(|row| number(*row)).collect()
        };

        let SortedFacts { shared, differing } = facts(row, &rows, node.children.is_empty());
        let label = format!("{}{declared}", INDENT.repeat(depth));
        let mut places = if self.is_single() { Vec::new() } else { cells.clone() };
        for (column, place) in places.iter_mut().enumerate() {
            for fact in &differing {
                *place += " ";
                *place += &fact.values[column];
            }
        }
        self.rows.push(BlockRow { label, note: shared.join(", "), cells, tone: Tone::Plain, places });
        for MemberFact { name, values } in differing {
            self.comment(depth, &format!("// {name}"), values.clone());
            if let Some(row) = self.rows.last_mut() {
                row.places = values;
            }
        }
    }

    fn comment(&mut self, depth: usize, text: &str, cells: Vec<String>) {
        let label = format!("{}{text}", INDENT.repeat(depth));
        self.rows.push(BlockRow { label, note: String::new(), cells, tone: Tone::Dim, places: Vec::new() });
    }

    /// Size, stride and padding.
    fn totals(&mut self) {
        let blocks: Vec<&ShownColumnBlock> = self.layouts.iter().map(|layout| layout.block).collect();
        let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();

        let sizes = blocks.iter().map(|block| block.shown.size);
        let sizes: Vec<String> =
            sizes.map(|size| size.map_or_else(|| "no end".to_owned(), |size| size.to_string())).collect();
        self.total("size", sizes, Tone::Strong);
        if blocks.iter().any(|block| block.shown.stride.is_some()) {
            self.total("stride", blocks.iter().map(|block| number(block.shown.stride)).collect(), Tone::Strong);
        }

        let shares: Vec<Option<PaddingShare>> = blocks.iter().map(|block| block.padding).collect();
        if shares.iter().flatten().any(|share| share.bytes > 0) {
            let percent = shares.first().copied().flatten().filter(|_| self.is_single()).map(|share| share.percent);
            let label = percent.map_or_else(|| "padding".to_owned(), |percent| format!("padding, {percent} %"));
            let bytes = shares.iter().map(|share| number(share.map(|share| share.bytes)));
            self.total(&label, bytes.collect(), Tone::Dim);
        }
    }

    fn total(&mut self, label: &str, values: Vec<String>, tone: Tone) {
        let cells = if self.is_single() { [vec![String::new()], values].concat() } else { values };
        let label = format!("{INDENT}{label}");
        self.rows.push(BlockRow { label, note: String::new(), cells, tone, places: Vec::new() });
    }
}

/// A named property of a member besides its place.
pub(super) struct MemberFact {
    pub name: String,
    /// One per layout; empty if the layout has none.
    pub values: Vec<String>,
}

/// The properties of a member.
#[derive(Default)]
pub(super) struct SortedFacts {
    /// Equal in all layouts; shown as notes.
    pub shared: Vec<String>,
    /// Different between layouts.
    pub differing: Vec<MemberFact>,
}

/// Sorts orders, strides, sizes of scalars and bits by whether all layouts agree on them.
pub(super) fn facts(row: &MemberRow, rows: &[Option<&MemberRow>], is_leaf: bool) -> SortedFacts {
    let mut sorted = SortedFacts::default();
    for fact in all_facts(row, rows) {
        match fact.values.first() {
            Some(first) if fact.values.iter().all(|value| value == first) => {
                sorted.shared.push(format!("{} {first}", fact.name));
            }
            Some(_) | None => sorted.differing.push(fact),
        }
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
