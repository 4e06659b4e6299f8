//! Several rule sets side by side: one line per member, one column of offsets per rule set.
//!
//! Layouts of one source in, text out. Blocks and members are matched by name and path.

use super::show_json::{ShownBlock, ShownLayout};
use super::struct_text::{declaration, heading, refused};
use super::style::{Lines, Style, Tone, one_line, pad_left, width};
use crate::layout::MemberRow;

/// Columns that rule sets may take on one line; more rule sets go into a second table.
const TABLE_COLUMNS: usize = 100;

/// Every block once, with all rule sets: those that place it alike share a column, those that forbid it follow below.
pub(super) fn show(layouts: &[ShownLayout], style: Style) -> String {
    let mut names: Vec<&str> = Vec::new();
    for block in layouts.iter().flat_map(|layout| &layout.blocks) {
        if !names.contains(&block.name.as_str()) {
            names.push(&block.name);
        }
    }
    names.iter().map(|name| one_block(layouts, name, style)).collect::<Vec<_>>().join("\n")
}

fn one_block(layouts: &[ShownLayout], name: &str, style: Style) -> String {
    let mut columns: Vec<Column<'_>> = Vec::new();
    let mut forbidden = Lines::default();
    for layout in layouts {
        for block in layout.blocks.iter().filter(|block| block.name == name) {
            match columns.iter_mut().find(|column| column.is_alike(block)) {
                Some(_) | None if !block.errors.is_empty() => forbidden.append(&refused(block, &layout.rules, style)),
                Some(column) => column.rules.push(&layout.rules),
                None => columns.push(Column { rules: vec![&layout.rules], block }),
            }
        }
    }
    let tables = chunks(columns).into_iter().map(|chunk| table(&chunk, style));
    tables.collect::<Vec<_>>().join("\n") + &forbidden.into_text()
}

/// Rule sets that give one answer for one block.
struct Column<'a> {
    rules: Vec<&'a str>,
    block: &'a ShownBlock,
}

impl<'a> Column<'a> {
    fn columns(&self) -> usize {
        self.rules.iter().map(|rules| width(rules)).max().unwrap_or(0).max(6) + 2
    }

    fn row(&self, path: &str) -> Option<&'a MemberRow> {
        self.block.members.iter().find(|row| row.path == path)
    }

    /// Whether `block` would have the same numbers in every line.
    fn is_alike(&self, block: &ShownBlock) -> bool {
        let numbers = |row: &MemberRow| (row.path.clone(), row.offset, row.array_stride, row.matrix_stride);
        (self.block.size, self.block.stride) == (block.size, block.stride)
            && self.block.members.iter().map(numbers).eq(block.members.iter().map(numbers))
    }
}

fn chunks(columns: Vec<Column<'_>>) -> Vec<Vec<Column<'_>>> {
    let mut chunks: Vec<Vec<Column<'_>>> = Vec::new();
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

fn table(columns: &[Column<'_>], style: Style) -> String {
    let Some(first) = columns.first() else { return String::new() };
    let mut text = Lines::default();
    let name_lines = columns.iter().map(|column| column.rules.len()).max().unwrap_or(0);
    for line in 0..name_lines {
        let name = |column: &Column<'_>| column.rules.get(line).copied().unwrap_or_default().to_owned();
        let names: String = columns.iter().map(|column| pad_left(&name(column), column.columns())).collect();
        let heading = if line + 1 == name_lines { heading(first.block) } else { String::new() };
        text.push(&style.paint(Tone::Strong, &format!("{names}  {heading}")));
    }
    for row in &first.block.members {
        let depth = row.path.matches('.').count() + 1;
        let label = format!("{}{}", "  ".repeat(depth), declaration(row, 0));
        text.push(&numbers(columns, &label, style, |column| column.row(&row.path).map(|row| row.offset)));
        let stride = |column: &Column<'_>, of: fn(&MemberRow) -> Option<u32>| column.row(&row.path).and_then(of);
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
type Stride = (&'static str, fn(&MemberRow) -> Option<u32>);

const STRIDES: [Stride; 2] = [("stride", |row| row.array_stride), ("matrix stride", |row| row.matrix_stride)];

fn numbers(columns: &[Column<'_>], label: &str, style: Style, value: impl Fn(&Column<'_>) -> Option<u32>) -> String {
    let mut line = String::new();
    for column in columns {
        let text = value(column).map_or_else(|| style.dot().to_owned(), |value| value.to_string());
        line += &pad_left(&text, column.columns());
    }
    line + "  " + &one_line(label)
}
