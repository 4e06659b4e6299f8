//! What an editor shows about the member or block under the pointer: offsets of all columns, bytes, and where it is bound.

use std::fmt::Write as _;
use std::ops::Range;

use layoutproof_layout::{MemberRow, ViewId};
use layoutproof_show::layout_text::byte_map::byte_map;
use layoutproof_show::layout_text::holes::Holes;
use layoutproof_show::layout_text::struct_text::{self, TextOptions, register};
use layoutproof_show::shown_columns::{ColumnName, MergedBlock, MergedColumn, ShownColumn, joined};
use layoutproof_show::{Style, declaration_words};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::commands::lsp::Client;
use crate::commands::lsp::reading::{LaidOutText, Reading};

/// Lines of bytes about a member, and about a block.
const MEMBER_ROWS: u32 = 4;
const BLOCK_ROWS: u32 = 16;
/// Blocks to show of a member that more of them hold.
const MOST_BLOCKS: usize = 4;

pub(super) fn hover(reading: &Reading, at: Position, client: &Client) -> Option<Hover> {
    let text = reading.laid_out.as_ref()?;
    let byte = client.encoding.byte(reading.text(), at);
    let (range, value) = match reading.member_at(byte) {
        Some(found) => {
            let mut value = String::new();
            for member in found.members.iter().take(MOST_BLOCKS) {
                value += &about_member(text, member.view, &member.path);
            }
            if let Some(more) = found.members.len().checked_sub(MOST_BLOCKS).filter(|more| *more > 0) {
                let _ = writeln!(value, "and {more} more blocks");
            }
            (found.name, value)
        }
        None => {
            let (range, word) = reading.word_at(byte)?;
            let value = match text.view_named(word) {
                Some(view) => about_block(text, view),
                None => about_use(reading, text, &range, word)?,
            };
            (range, value)
        }
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(client.encoding.range(reading.text(), range)) })
}

/// A member that code names, after a dot or as a member of a block without a variable: those of its name, if they are
/// declared in one place.
fn about_use(reading: &Reading, text: &LaidOutText, range: &Range<usize>, word: &str) -> Option<String> {
    let mut named = text.places.iter().filter(|place| place.path.rsplit('.').next() == Some(word));
    let first = named.next()?;
    let is_after_dot = reading.text()[..range.start].trim_end().ends_with('.');
    let is_alone = named.all(|place| place.span == first.span);
    (is_alone && (is_after_dot || !first.path.contains('.'))).then(|| about_member(text, first.view, &first.path))
}

fn about_member(text: &LaidOutText, view: ViewId, path: &str) -> String {
    let merged = MergedBlock::all(&text.columns);
    let Some(block) = merged.iter().find(|block| block.block.view == view) else { return String::new() };
    let language = text.input.written_language();
    let mut value = String::new();
    for column in &block.columns {
        let shown = &column.block.shown;
        let Some(row) = shown.members.iter().find(|row| row.path == path) else { continue };
        if value.is_empty() {
            let keyword = || declaration_words::block_keyword(language, block.block.kind);
            let holder = block.declared.map_or_else(|| format!("{} {}", keyword(), block.block.name), str::to_owned);
            let words = declaration_words::declaration(language, row, 0);
            let _ = writeln!(value, "```\n{words}   in {holder}\n");
        }
        let holes = Holes::of(&shown.members, shown.stride.or(shown.size));
        let padding =
            holes.after(path).map_or(String::new(), |hole| format!(", {} bytes of padding after it", hole.size));
        let size = row.size.map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
        let _ = writeln!(value, "{}offset {}, {size}{padding}", heading(column), place(row, column));
        let bytes = row.offset..row.offset + row.size.unwrap_or(0);
        if let Some(all) = extent(column) {
            value += &byte_map(&shown.members, all, Some(&bytes), MEMBER_ROWS);
        }
    }
    if !value.is_empty() {
        let really = text.really(view, path);
        if !really.is_empty() {
            let _ = writeln!(value, "{}", really.trim_start_matches(", "));
        }
        value += "```\n";
    }
    value
}

fn about_block(text: &LaidOutText, view: ViewId) -> String {
    let own = |column: &ShownColumn| {
        let blocks = column.blocks.iter().filter(|block| block.shown.view == view).cloned().collect();
        ShownColumn { name: column.name.clone(), blocks }
    };
    let columns: Vec<ShownColumn> = text.columns.iter().map(own).collect();
    let mut value = "```\n".to_owned();
    value += &struct_text::show(&columns, text.input.written_language(), &TextOptions::plain(Style::PLAIN));
    for column in MergedBlock::all(&columns).iter().flat_map(|block| &block.columns) {
        if let Some(size) = extent(column) {
            let _ = writeln!(value, "\n{}", heading(column).trim_end());
            value += &byte_map(&column.block.shown.members, size, None, BLOCK_ROWS);
        }
    }
    value += "```\n";
    let bound = text.name_of(view).map(|name| text.bound(name)).unwrap_or_default();
    for (column, place) in bound.iter().filter(|(_, place)| !place.is_empty()) {
        let _ = writeln!(value, "- {column}: {place}");
    }
    value
}

/// The names of the columns; nothing for the only one of a file that fixes its offsets.
fn heading(column: &MergedColumn<'_>) -> String {
    match column.names.as_slice() {
        [name] if **name == ColumnName::DECLARED => String::new(),
        names => format!("{}: ", joined(names)),
    }
}

/// The bytes of a block, or of an element of a buffer without a length.
fn extent(column: &MergedColumn<'_>) -> Option<u32> {
    let shown = &column.block.shown;
    shown.size.or(shown.stride)
}

/// `64`, in a constant buffer of D3D `64 (c4)`.
fn place(row: &MemberRow, column: &MergedColumn<'_>) -> String {
    let register = if column.block.has_registers { register(row) } else { String::new() };
    if register.is_empty() { row.offset.to_string() } else { format!("{} ({register})", row.offset) }
}
