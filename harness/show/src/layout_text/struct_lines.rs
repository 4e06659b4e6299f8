//! The lines of an annotated struct: offset and size before each member, padding as separate lines,
//! the size at the end.
//!
//! `show` prints them unchanged; the table of a failure adds a column per witness.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{MemberRow, Reach};
use layoutproof_source::shader_language::ShaderLanguage;

use super::declaration_words::{self, base_type};
use super::member_tree::{MemberNode, member_name, split_dimensions, trees};
use crate::show_json::ShownBlock;
use crate::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};

#[derive(Clone, Debug)]
pub struct StructLine<'a> {
    pub kind: LineKind<'a>,
    /// Absolute offset in bytes; `None` on the size line of an unbounded block.
    pub offset: Option<u32>,
    /// In bytes; `None` on the size line and for unsized arrays.
    pub size: Option<u32>,
    /// The member's declaration, with its indent.
    pub text: String,
    /// Strides and bits.
    pub note: String,
}

#[derive(Clone, Copy, Debug)]
pub enum LineKind<'a> {
    Member(&'a MemberRow),
    /// Bytes that no member owns.
    Padding,
    /// The end of the block.
    Size,
}

/// Spaces between the columns of numbers and the text.
const GUTTER: &str = "  ";
/// Columns up to the end of the offset.
pub(super) const OFFSET_COLUMNS: usize = 8;
/// Columns from there to the end of the size.
pub(super) const SIZE_COLUMNS: usize = 6;

/// Columns between the text and the notes.
const NOTE_GAP: usize = 5;

/// The lines of a block of `size` bytes, ascending by offset within each struct, in the words of a language.
pub fn lines<'a>(
    language: ShaderLanguage,
    name: &str,
    size: Option<u32>,
    members: &'a [MemberRow],
) -> Vec<StructLine<'a>> {
    let mut lines = Vec::new();
    level(language, &trees(members), &ByteRange { start: 0, end: size }, 1, &mut lines);
    let text = match size {
        Some(_) => format!("size of {}", one_line(name)),
        None => format!("{} is unbounded", one_line(name)),
    };
    lines.push(StructLine { kind: LineKind::Size, offset: size, size: None, text, note: String::new() });
    lines
}

struct ByteRange {
    start: u32,
    end: Option<u32>,
}

fn level<'a>(
    language: ShaderLanguage,
    nodes: &[MemberNode<'a>],
    range: &ByteRange,
    depth: usize,
    lines: &mut Vec<StructLine<'a>>,
) {
    let mut ordered: Vec<&MemberNode<'a>> = nodes.iter().collect();
    ordered.sort_by_key(|node| node.row.offset);
    let columns = |node: &MemberNode<'_>| width(&base_type(language, split_dimensions(&node.row.type_name).0));
    let type_columns = nodes.iter().map(columns).max().unwrap_or(0);

    let mut cursor = Some(range.start);
    for node in ordered {
        lines.extend(cursor.and_then(|from| padding(from, node.row.offset, depth)));
        lines.push(member_line(language, node.row, type_columns, depth));
        if !node.children.is_empty() {
            let end = node.element_size().and_then(|size| node.row.offset.checked_add(size));
            level(language, &node.children, &ByteRange { start: node.row.offset, end }, depth + 1, lines);
        }
        cursor = cursor.and_then(|from| Some(from.max(node.end()?)));
    }

    lines.extend(cursor.zip(range.end).and_then(|(from, end)| padding(from, end, depth)));
}

fn padding<'a>(from: u32, to: u32, depth: usize) -> Option<StructLine<'a>> {
    let size = to.checked_sub(from).filter(|size| *size > 0)?;
    let text = format!("{}// padding", GUTTER.repeat(depth));
    Some(StructLine { kind: LineKind::Padding, offset: Some(from), size: Some(size), text, note: String::new() })
}

fn member_line(language: ShaderLanguage, row: &MemberRow, type_columns: usize, depth: usize) -> StructLine<'_> {
    StructLine {
        kind: LineKind::Member(row),
        offset: Some(row.offset),
        size: row.size,
        text: format!("{}{}", GUTTER.repeat(depth), declaration_words::declaration(language, row, type_columns)),
        note: note(row),
    }
}

/// `float  b[2]`, `uint a : 3`.
pub fn declaration(row: &MemberRow, type_columns: usize) -> String {
    let (base, dimensions) = split_dimensions(&row.type_name);
    let name = member_name(&row.path).trim_start_matches("[]");
    if name.is_empty() {
        return one_line(&row.type_name);
    }
    let bits = row.bit_width.map(|width| format!(" : {width}")).unwrap_or_default();
    one_line(&format!("{} {name}{dimensions}{bits}", pad(base, type_columns)))
}

/// Strides in bytes, and bits: `stride 48`, `column stride 16`, `bits 3 to 9`.
pub fn note(row: &MemberRow) -> String {
    let mut parts = Vec::new();
    if row.array_strides.len() > 1 {
        let strides: Vec<String> = row.array_strides.iter().map(ToString::to_string).collect();
        parts.push(format!("strides {}", strides.join(" ")));
    } else if let Some(stride) = row.array_stride {
        parts.push(format!("stride {stride}"));
    }

    if let (Some(stride), Some(order)) = (row.matrix_stride, row.matrix_order) {
        parts.push(format!("{} stride {stride}", order.as_str()));
    }
    if let (Some(first), Some(width)) = (row.bit_offset, row.bit_width) {
        let last = first.saturating_add(width).saturating_sub(1);
        parts.push(if width == 1 { format!("bit {first}") } else { format!("bits {first} to {last}") });
    }
    parts.join(", ")
}

/// Draws lines with equal column widths, so that more columns can follow.
#[derive(Debug)]
pub struct LineDrawing {
    style: Style,
    text_columns: usize,
    note_columns: usize,
}

impl LineDrawing {
    /// Makes columns wide enough for `lines` and for a heading.
    pub fn new(style: Style, heading: &str, lines: &[StructLine<'_>]) -> Self {
        let widest = |columns: &dyn Fn(&StructLine<'_>) -> usize| lines.iter().map(columns).max().unwrap_or(0);
        Self {
            style,
            text_columns: widest(&|line| width(&line.text)).max(width(heading)),
            note_columns: widest(&|line| width(&line.note)),
        }
    }

    /// Makes room for other texts below the lines; these may extend below the notes.
    #[must_use]
    pub fn with_room_for<'t>(mut self, texts: impl Iterator<Item = &'t str>) -> Self {
        let needed = texts.map(width).max().unwrap_or(0);
        self.text_columns += needed.saturating_sub(self.columns());
        self
    }

    /// Columns of the text and the notes together.
    fn columns(&self) -> usize {
        let notes = if self.note_columns == 0 { 0 } else { NOTE_GAP + self.note_columns };
        self.text_columns + notes
    }

    /// The heading over the columns.
    pub fn heading(&self, heading: &str) -> String {
        let numbers = format!("{}{}", pad_left("offset", OFFSET_COLUMNS), pad_left("size", SIZE_COLUMNS));
        let text = format!("{numbers}{GUTTER}{}", pad(heading, self.text_columns));
        self.style.paint(Tone::Strong, &self.with_note(text, ""))
    }

    pub fn line(&self, line: &StructLine<'_>) -> String {
        let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
        let unsized_array = matches!(line.kind, LineKind::Member(row) if row.unbounded);
        let size = if unsized_array { "[]".to_owned() } else { number(line.size) };
        let numbers = format!("{}{}", pad_left(&number(line.offset), OFFSET_COLUMNS), pad_left(&size, SIZE_COLUMNS));
        let text = format!("{numbers}{GUTTER}{}", pad(&line.text, self.text_columns));
        let tone = match line.kind {
            LineKind::Member(_) => Tone::Plain,
            LineKind::Padding => Tone::Dim,
            LineKind::Size => Tone::Strong,
        };
        self.style.paint(tone, &self.with_note(text, &line.note))
    }

    /// A line below another one, without offset and size.
    pub fn detail(&self, text: &str) -> String {
        let numbers = " ".repeat(OFFSET_COLUMNS + SIZE_COLUMNS);
        format!("{numbers}{GUTTER}{}", pad(text, self.columns()))
    }

    fn with_note(&self, text: String, note: &str) -> String {
        let gap = " ".repeat(NOTE_GAP);
        if self.note_columns == 0 { text } else { format!("{text}{gap}{}", pad(note, self.note_columns)) }
    }
}

/// `cbuffer S`, `structured-element lights`, `constant-buffer cb[4]`.
pub fn heading(block: &ShownBlock) -> String {
    named(&block.kind.to_string(), block)
}

/// A block's name after a keyword, with the length of an array of blocks.
pub(super) fn named(keyword: &str, block: &ShownBlock) -> String {
    let count = match block.count {
        Count::Finite(1) => String::new(),
        Count::Finite(_) | Count::Unbounded => format!("[{}]", block.count),
    };
    one_line(&format!("{keyword} {}{count}", block.name))
}

/// Why a rule set forbids a block, one line per reason.
pub(crate) fn refused(block: &ShownBlock, rules: &str, style: Style) -> String {
    let mut text = TextLines::default();
    if matches!(block.reach, Reach::Stage(_)) {
        for refusal in &block.errors {
            text.push(&format!("  {rules}: {}", one_line(&refusal.message)));
        }
        return text.into_text();
    }
    for refusal in block.refusals() {
        let path = if refusal.path.is_empty() { heading(block) } else { format!("{}.{}", block.name, refusal.path) };
        let path = one_line(&path);
        let verb = style.verb(Tone::Disagree, "Forbidden");
        text.push(&format!("{verb} {path} under {rules}: {}", one_line(&refusal.message)));
    }
    text.into_text()
}
