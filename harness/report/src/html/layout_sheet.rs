//! Byte maps of laid-out blocks as a stand-alone picture, the output of `show --format svg`, for
//! issues and documents.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use super::byte_map::{ByteMap, MapPicture, leave_out_repetitions, shared_parts};
use super::byte_pieces::BytePieces;
use super::style_sheet::picture_style;
use layoutproof_show::layout_text::shown_columns::{MergedBlock, MergedColumn};
use layoutproof_show::layout_text::shown_columns::{ShownColumn, joined};
use layoutproof_show::layout_text::struct_text::block_heading;
use layoutproof_show::style::{one_line, width};
use layoutproof_source::shader_language::ShaderLanguage;

/// Number of maps side by side.
const MAPS_IN_A_LINE: usize = 2;
/// Space around the sheet and between maps. This and all lengths below are in pixels.
const MARGIN: u32 = 16;
const LINE_HEIGHT: u32 = 20;
/// Width of one letter in tenths of a pixel.
const LETTER_TENTHS: u32 = 73;

struct SheetPart {
    width: u32,
    height: u32,
    body: Markup,
}

/// Every block under all columns, as an SVG file. Differences from the first column are outlined.
pub fn layout_sheet(columns: &[ShownColumn], language: ShaderLanguage) -> String {
    let parts = MergedBlock::all(columns).iter().flat_map(|merged| block_parts(merged, language)).collect::<Vec<_>>();
    let sheet = below_each_other(&parts);

    let (width, height) = (sheet.width + 2 * MARGIN, sheet.height + 2 * MARGIN);
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" class="bm" width=(width) height=(height)
            viewBox=(format!("0 0 {width} {height}")) {
            style { (PreEscaped(picture_style())) }
            (shared_parts())
            rect class="bg" width=(width) height=(height) {}
            g transform=(format!("translate({MARGIN} {MARGIN})")) { (sheet.body) }
        }
    };
    drawing.into_string() + "\n"
}

/// The maps of one block, and notes about columns that have none.
fn block_parts(merged: &MergedBlock<'_>, language: ShaderLanguage) -> Vec<SheetPart> {
    if merged.columns.is_empty() && merged.forbidden.is_empty() && merged.lacking.is_empty() {
        return Vec::new();
    }

    let mut parts = vec![text_line(&block_heading(merged.block, language), "n")];
    let maps: Vec<SheetPart> = map_parts(&merged.columns, language);
    parts.extend(maps.chunks(MAPS_IN_A_LINE).map(beside_each_other));
    for columns in &merged.lacking {
        parts.push(text_line(&columns.sentence(), "a"));
    }
    for refused in &merged.forbidden {
        for reason in refused.block.refusals() {
            parts.push(text_line(&format!("forbidden under {}: {reason}", refused.name), "a"));
        }
    }
    parts
}

fn map_parts(columns: &[MergedColumn<'_>], language: ShaderLanguage) -> Vec<SheetPart> {
    let reference = columns.first().map(|column| column.block.shown.members.as_slice());
    let map = |(index, column)| column_map(column, reference.filter(|_| index > 0), language);
    let mut maps: Vec<ByteMap<'_>> = columns.iter().enumerate().map(map).collect();
    leave_out_repetitions(&mut maps);

    let part = |(column, map): (&MergedColumn<'_>, &ByteMap<'_>)| {
        let MapPicture { width, height, body } = map.picture();
        let picture = SheetPart { width, height, body };
        below_each_other(&[text_line(&map_caption(column), "c"), picture])
    };
    columns.iter().zip(&maps).map(part).collect()
}

/// `std140, std430 · 64 bytes`.
pub(super) fn map_caption(column: &MergedColumn<'_>) -> String {
    let size = column.block.shown.size.map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
    let stride = column.block.shown.stride.map_or_else(String::new, |stride| format!(" · stride {stride}"));
    one_line(&format!("{} · {size}{stride}", joined(&column.names)))
}

/// The map of a block in one column, compared with `reference`. Elements of a structured buffer are
/// drawn with the padding up to the next element.
pub(super) fn column_map<'a>(
    column: &MergedColumn<'a>,
    reference: Option<&[layoutproof_layout::MemberRow]>,
    language: ShaderLanguage,
) -> ByteMap<'a> {
    let shown = &column.block.shown;
    let pieces = BytePieces::of(shown.stride.or(shown.size), &shown.members, reference);
    let label = format!("Byte map of {}", one_line(&shown.name));
    ByteMap { label, pieces, layers: Vec::new(), registers: false, language, left_out: BTreeSet::new() }
}

fn text_line(text: &str, class: &str) -> SheetPart {
    let text = one_line(text);
    let letters = u32::try_from(width(&text)).unwrap_or(u32::MAX);
    let width = letters.saturating_mul(LETTER_TENTHS) / 10;
    SheetPart { width, height: LINE_HEIGHT, body: html! { text class=(class) x="2" y="14" { (text) } } }
}

fn below_each_other(parts: &[SheetPart]) -> SheetPart {
    let mut height = 0;
    let mut placed = Vec::new();
    for part in parts {
        placed.push(html! { g transform=(format!("translate(0 {height})")) { (part.body) } });
        height += part.height + LINE_HEIGHT / 4;
    }
    let width = parts.iter().map(|part| part.width).max().unwrap_or(0);
    SheetPart { width, height, body: html! { @for part in placed { (part) } } }
}

fn beside_each_other(parts: &[SheetPart]) -> SheetPart {
    let mut width = 0;
    let mut placed = Vec::new();
    for part in parts {
        placed.push(html! { g transform=(format!("translate({width} 0)")) { (part.body) } });
        width += part.width + MARGIN;
    }
    let height = parts.iter().map(|part| part.height).max().unwrap_or(0);
    SheetPart { width: width.saturating_sub(MARGIN), height, body: html! { @for part in placed { (part) } } }
}
