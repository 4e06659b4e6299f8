//! The text of `layoutproof show`: a table for each block, declarations on the left, numbers on the
//! right.
//!
//! A column is a shipping target or a rule set. Columns that lay out a block the same way are
//! merged; if only one is left, it shows offset and size. Lines stay within 80 columns unless a
//! name is wider.

use super::block_rows::{BlockRow, BlockRows, TableKind};
use super::declaration_words::block_keyword;
use super::merged_block::{ForbiddenBlock, MergedBlock};
use super::shown_columns::{ShownColumn, ShownColumnBlock};
use super::struct_lines::refused;
use crate::show_json::ShownBlock;
use crate::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};
use layoutproof_layout::shape::Count;
use layoutproof_source::shader_language::ShaderLanguage;

/// The width that every terminal has.
const TERMINAL_COLUMNS: usize = 80;
/// Least width of declarations if there are many columns of numbers.
const LABEL_COLUMNS: usize = 30;
/// Columns of a number, including the space before it.
const NUMBER_COLUMNS: usize = 8;
/// Spaces between a declaration and its note.
const NOTE_GAP: usize = 2;

/// Every block under all columns.
pub fn show(columns: &[ShownColumn], language: ShaderLanguage, style: Style) -> String {
    let blocks = columns.iter().map(|column| column.blocks.len()).max().unwrap_or(0);
    let texts = (0..blocks).map(|index| BlockTable::of(columns, index, language, style).draw());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The heading of one file if several are shown.
pub fn file_heading(name: &str, is_below_another: bool, style: Style) -> String {
    let gap = if is_below_another { "\n" } else { "" };
    format!("{gap}{} {}\n", style.verb(Tone::Strong, "File"), one_line(name))
}

/// One block under all columns.
struct BlockTable<'a> {
    merged: MergedBlock<'a>,
    language: ShaderLanguage,
    style: Style,
}

impl<'a> BlockTable<'a> {
    fn of(columns: &'a [ShownColumn], index: usize, language: ShaderLanguage, style: Style) -> Self {
        Self { merged: MergedBlock::of(columns, index), language, style }
    }

    fn draw(&self) -> String {
        let MergedBlock { columns, absent, forbidden, block } = &self.merged;
        let names = |names: &[&str]| names.iter().map(|name| in_style(name, self.style)).collect::<Vec<_>>();

        let mut text = TextLines::default();
        match columns.as_slice() {
            [] => {}
            [only] => {
                let heads = [["offset".to_owned()], ["size".to_owned()]];
                let heads = heads.each_ref().map(|head| &head[..]);
                self.table(TableKind::Single, &heads, &[only.block], &mut text);
                let verb = if only.names.len() == 1 { "rules" } else { "all agree" };
                text.append(&wrapped(&format!("  {verb}: "), &names(&only.names), self.style));
            }
            several => {
                let several =
                    several.iter().map(|column| NamedColumn { names: names(&column.names), block: column.block });
                for (index, chunk) in chunks(&several.collect::<Vec<_>>()).into_iter().enumerate() {
                    if index > 0 {
                        text.push("");
                    }
                    let heads: Vec<&[String]> = chunk.iter().map(|column| column.names.as_slice()).collect();
                    let blocks: Vec<&ShownColumnBlock> = chunk.iter().map(|column| column.block).collect();
                    self.table(TableKind::SideBySide, &heads, &blocks, &mut text);
                }
            }
        }

        if let Some(block) = block.filter(|_| !absent.is_empty()) {
            if columns.is_empty() {
                text.push(&self.style.paint(Tone::Strong, &self.heading(block)));
            }
            text.append(&wrapped(&format!("  no {} in: ", block.kind), &names(absent), self.style));
        }
        for ForbiddenBlock { name, block } in forbidden {
            for line in refused(block, &in_style(name, self.style), self.style).lines() {
                text.append(&folded(line));
            }
        }
        text.into_text()
    }

    fn table(&self, kind: TableKind, heads: &[&[String]], blocks: &[&ShownColumnBlock], text: &mut TextLines) {
        let Some(first) = blocks.first() else { return };
        let rows = BlockRows::of(blocks, kind, self.language);
        let marks_differences = kind == TableKind::SideBySide;
        let grid = Grid::of(&self.heading(&first.shown), heads, &rows);

        let head_lines = heads.iter().map(|names| names.len()).max().unwrap_or(0);
        for line in 0..head_lines {
            // Names are bottom-aligned so that each is next to its numbers.
            let name = |names: &[String]| {
                (names.len() + line).checked_sub(head_lines).map(|index| names[index].clone()).unwrap_or_default()
            };
            let label = if line + 1 == head_lines { self.heading(&first.shown) } else { String::new() };
            let names: Vec<String> = heads.iter().map(|names| name(names)).collect();
            grid.push(&label, &names, self.style, Tone::Strong, text);
        }

        for row in &rows {
            let is_declaration = row.tone != Tone::Dim;
            let differs = is_declaration && row.differs();
            let label = grid.label(row, differs);
            let tone = if differs { Tone::Disagree } else { row.tone };
            let dotted = row.cells.iter().map(|cell| {
                if cell.is_empty() && marks_differences { self.style.dot().to_owned() } else { cell.clone() }
            });
            grid.push(&label, &dotted.collect::<Vec<_>>(), self.style, tone, text);
        }
    }

    fn heading(&self, block: &ShownBlock) -> String {
        block_heading(block, self.language)
    }
}

/// `cbuffer Scene`, `uniform lights[4]`.
pub fn block_heading(block: &ShownBlock, language: ShaderLanguage) -> String {
    let count = match block.count {
        Count::Finite(1) => String::new(),
        Count::Finite(_) | Count::Unbounded => format!("[{}]", block.count),
    };
    one_line(&format!("{} {}{count}", block_keyword(language, block.kind), block.name))
}

/// A column with its names in the style's characters.
struct NamedColumn<'a> {
    names: Vec<String>,
    block: &'a ShownColumnBlock,
}

/// The widths of a table.
struct Grid {
    label_columns: usize,
    note_start: usize,
    number_columns: Vec<usize>,
}

impl Grid {
    fn of(heading: &str, heads: &[&[String]], rows: &[BlockRow]) -> Self {
        let number_columns: Vec<usize> = heads.iter().map(|names| head_columns(names)).collect();
        let room = TERMINAL_COLUMNS.saturating_sub(number_columns.iter().sum());
        let noted = rows.iter().filter(|row| !row.note.is_empty()).map(|row| width(&row.label));
        let note_start = noted.filter(|columns| columns + NOTE_GAP < room).max().unwrap_or(0);

        let grid = Self { label_columns: 0, note_start, number_columns };
        let labels = rows.iter().map(|row| width(&grid.label(row, false))).chain([width(heading)]);
        let label_columns = labels.filter(|columns| *columns <= room).max().unwrap_or(room);
        Self { label_columns, ..grid }
    }

    /// The declaration with its note; `!` if columns differ.
    fn label(&self, row: &BlockRow, differs: bool) -> String {
        let label = if differs { row.label.replacen("  ", "! ", 1) } else { row.label.clone() };
        if row.note.is_empty() {
            return label;
        }
        format!("{}{}// {}", pad(&label, self.note_start), " ".repeat(NOTE_GAP), row.note)
    }

    /// Adds a line. A label that leaves no room for numbers gets a separate line.
    fn push(&self, label: &str, cells: &[String], style: Style, tone: Tone, text: &mut TextLines) {
        let numbers: String =
            cells.iter().zip(&self.number_columns).map(|(cell, columns)| pad_left(cell, *columns)).collect();
        if width(label) > self.label_columns {
            text.push(&style.paint(tone, label.trim_end()));
            text.push(&style.paint(tone, &format!("{}{}", " ".repeat(self.label_columns), numbers.trim_end())));
        } else {
            text.push(&style.paint(tone, format!("{}{numbers}", pad(label, self.label_columns)).trim_end()));
        }
    }
}

/// Width of a multi-line heading, including the space before it.
fn head_columns(names: &[String]) -> usize {
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    (widest + 2).max(NUMBER_COLUMNS)
}

/// Splits the columns into tables that fit on the screen next to the declarations.
fn chunks<'t, 'a>(columns: &'t [NamedColumn<'a>]) -> Vec<Vec<&'t NamedColumn<'a>>> {
    let mut chunks: Vec<Vec<&NamedColumn<'a>>> = Vec::new();
    let mut used = 0;
    for column in columns {
        let own = head_columns(&column.names);
        match chunks.last_mut() {
            Some(chunk) if used + own <= TERMINAL_COLUMNS - LABEL_COLUMNS => {
                used += own;
                chunk.push(column);
            }
            Some(_) | None => {
                used = own;
                chunks.push(vec![column]);
            }
        }
    }
    chunks
}

/// `start` and the names, separated by commas and wrapped.
fn wrapped(start: &str, names: &[String], style: Style) -> String {
    let mut text = TextLines::default();
    let mut line = start.to_owned();
    for (index, name) in names.iter().enumerate() {
        let comma = if index + 1 < names.len() { "," } else { "" };
        if width(&line) + width(name) + comma.len() > TERMINAL_COLUMNS && width(&line) > width(start) {
            text.push(&style.paint(Tone::Dim, line.trim_end()));
            line = " ".repeat(width(start));
        }
        line += &one_line(name);
        line += comma;
        line.push(' ');
    }
    text.push(&style.paint(Tone::Dim, line.trim_end()));
    text.into_text()
}

/// Wraps a sentence; continuation lines are indented to the first word after the verb.
fn folded(line: &str) -> String {
    const INDENT: usize = 11;
    if width(line) <= TERMINAL_COLUMNS {
        return format!("{line}\n");
    }
    let indent = line.len() - line.trim_start().len();
    let mut text = TextLines::default();
    let mut folded = " ".repeat(indent);
    for word in line.split_whitespace() {
        if width(&folded) + width(word) > TERMINAL_COLUMNS {
            text.push(&folded);
            folded = " ".repeat(INDENT);
        }
        folded += word;
        folded += " ";
    }
    text.push(&folded);
    text.into_text()
}

/// A column's name with the style's separator between its parts.
fn in_style(name: &str, style: Style) -> String {
    one_line(&name.replace('·', style.dot()))
}
