//! Several rule sets side by side: one line per member, one column of offsets per rule set.
//!
//! For `layoutproof show` with several rule sets. Blocks and members are matched by name and path.

use std::collections::HashMap;

use indexmap::IndexMap;
use layoutproof_layout::MemberRow;

use super::struct_lines::{declaration, heading, refused};
use crate::report::formats::show_json::{ShownBlock, ShownLayout};
use crate::report::style::{Style, TextLines, Tone, one_line, pad_left, width};

/// Columns that rule sets may take on one line; more rule sets go into a second table.
const TABLE_COLUMNS: usize = 100;

/// Every block once, with all rule sets: those that place it alike share a column, those that forbid it follow below.
pub(super) fn show(layouts: &[ShownLayout], style: Style) -> String {
    let mut by_name: IndexMap<&str, Vec<RuledBlock<'_>>> = IndexMap::new();
    for layout in layouts {
        for block in &layout.blocks {
            by_name.entry(&block.name).or_default().push(RuledBlock { rules: &layout.rules, block });
        }
    }
    by_name.values().map(|blocks| one_block(blocks, style)).collect::<Vec<_>>().join("\n")
}

/// A block under a rule set.
#[derive(Clone, Copy, Debug)]
struct RuledBlock<'a> {
    rules: &'a str,
    block: &'a ShownBlock,
}

/// One block under all rule sets.
fn one_block(blocks: &[RuledBlock<'_>], style: Style) -> String {
    let mut columns: Vec<RulesColumn<'_>> = Vec::new();
    let mut forbidden = TextLines::default();
    for RuledBlock { rules, block } in blocks {
        match columns.iter_mut().find(|column| column.is_alike(block)) {
            Some(_) | None if !block.errors.is_empty() => forbidden.append(&refused(block, rules, style)),
            Some(column) => column.rules.push(rules),
            None => columns.push(RulesColumn::new(rules, block)),
        }
    }
    let tables = chunks(columns).into_iter().map(|chunk| table(&chunk, style));
    tables.collect::<Vec<_>>().join("\n") + &forbidden.into_text()
}

/// Rule sets that give one answer for one block.
struct RulesColumn<'a> {
    rules: Vec<&'a str>,
    block: &'a ShownBlock,
    /// The rows of the block by path.
    rows: HashMap<&'a str, &'a MemberRow>,
}

impl<'a> RulesColumn<'a> {
    fn new(rules: &'a str, block: &'a ShownBlock) -> Self {
        // Of two rows of one path the first counts.
        let rows = block.members.iter().rev().map(|row| (row.path.as_str(), row)).collect();
        Self { rules: vec![rules], block, rows }
    }

    fn columns(&self) -> usize {
        self.rules.iter().map(|rules| width(rules)).max().unwrap_or(0).max(6) + 2
    }

    fn row(&self, path: &str) -> Option<&'a MemberRow> {
        self.rows.get(path).copied()
    }

    /// True if `block` would have the same numbers in every line.
    fn is_alike(&self, block: &ShownBlock) -> bool {
        let is_alike = |own: &MemberRow, other: &MemberRow| {
            own.path == other.path
                && (own.offset, own.array_stride, own.matrix_stride)
                    == (other.offset, other.array_stride, other.matrix_stride)
        };
        (self.block.size, self.block.stride) == (block.size, block.stride)
            && self.block.members.len() == block.members.len()
            && self.block.members.iter().zip(&block.members).all(|(own, other)| is_alike(own, other))
    }
}

/// Tables that are narrow enough, each with as many columns as fit.
fn chunks(columns: Vec<RulesColumn<'_>>) -> Vec<Vec<RulesColumn<'_>>> {
    let mut chunks: Vec<Vec<RulesColumn<'_>>> = Vec::new();
    let mut used = 0;
    for column in columns {
        used += column.columns();
        match chunks.last_mut() {
            Some(chunk) if used <= TABLE_COLUMNS => chunk.push(column),
            Some(_) | None => {
                used = column.columns();
                chunks.push(vec![column]);
            }
        }
    }
    chunks
}

fn table(columns: &[RulesColumn<'_>], style: Style) -> String {
    let Some(first) = columns.first() else { return String::new() };
    let mut text = TextLines::default();

    let name_lines = columns.iter().map(|column| column.rules.len()).max().unwrap_or(0);
    for line in 0..name_lines {
        let name = |column: &RulesColumn<'_>| column.rules.get(line).copied().unwrap_or_default().to_owned();
        let names: String = columns.iter().map(|column| pad_left(&name(column), column.columns())).collect();
        let heading = if line + 1 == name_lines { heading(first.block) } else { String::new() };
        text.push(&style.paint(Tone::Strong, &format!("{names}  {heading}")));
    }

    for row in &first.block.members {
        let depth = row.path.matches('.').count() + 1;
        let label = format!("{}{}", "  ".repeat(depth), declaration(row, 0));
        text.push(&numbers(columns, &label, style, |column| column.row(&row.path).map(|row| row.offset)));
        let stride = |column: &RulesColumn<'_>, of: fn(&MemberRow) -> Option<u32>| column.row(&row.path).and_then(of);
        for (what, of) in STRIDES {
            if columns.iter().any(|column| stride(column, of).is_some()) {
                let label = format!("{}  // {what}", "  ".repeat(depth));
                text.push(&style.paint(Tone::Dim, &numbers(columns, &label, style, |column| stride(column, of))));
            }
        }
    }

    let name = &first.block.name;
    text.push(&numbers(columns, &format!("size of {name}"), style, |column| column.block.size));
    if columns.iter().any(|column| column.block.stride.is_some()) {
        text.push(&numbers(columns, &format!("stride of {name}"), style, |column| column.block.stride));
    }
    text.into_text()
}

/// A name for a stride and where a row has it.
type NamedStride = (&'static str, fn(&MemberRow) -> Option<u32>);

const STRIDES: [NamedStride; 2] = [("stride", |row| row.array_stride), ("matrix stride", |row| row.matrix_stride)];

fn numbers(
    columns: &[RulesColumn<'_>],
    label: &str,
    style: Style,
    value: impl Fn(&RulesColumn<'_>) -> Option<u32>,
) -> String {
    let mut line = String::new();
    for column in columns {
        let text = value(column).map_or_else(|| style.dot().to_owned(), |value| value.to_string());
        line += &pad_left(&text, column.columns());
    }
    line + "  " + &one_line(label)
}
