//! Draws a block as inline SVG: rows of 16 bytes, a hue for each outermost member, hatched padding.
//!
//! Nothing depends on colour alone: every piece shows its name, padding is hatched, and each member's
//! title has its numbers. The first member that differs has a thick edge and `≠`, later ones `·`. `byte_map.css` defines the
//! classes; a page includes it once, and a stand-alone picture embeds it. Elements are written with
//! an end tag, so the text is valid as HTML and as XML.
//!
//! Hues: Okabe and Ito, "Color Universal Design": eight colours that people with any colour vision
//! can distinguish.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use layoutproof_layout::MemberRow;
use maud::{Markup, html};

use super::byte_pieces::{BytePiece, BytePieces, PieceDifference, PieceMember, UndrawnRest};
use super::witness_layers::WitnessLayer;
use layoutproof_hostcheck::SideMember;
use layoutproof_show::layout_text::declaration_words::declaration;
use layoutproof_show::layout_text::struct_lines::note;
use layoutproof_show::style::{grouped, one_line, width};
use layoutproof_source::shader_language::ShaderLanguage;

/// Bytes per row: one register of a D3D constant buffer.
const ROW_BYTES: u32 = 16;
/// Longer blocks leave out rows that repeat.
const MAX_ROWS: u32 = 24;
/// Most rows that one map draws.
const MOST_DRAWN: usize = 512;
/// Longest repeating pattern to detect, in rows: an element of 512 bytes.
const LONGEST_PATTERN: u32 = 32;
/// Rows whose numbers all maps share.
const SHARED_ROWS: u32 = 24;
/// Most rows of a block to consider: 64 KiB, the limit of constant buffers.
const MAX_LOOKED_AT: u32 = 4096;
/// Number of hues. Further members start again with the first hue.
const HUES: usize = 7;

/// Width of one byte. This and all lengths below are in pixels.
const BYTE_WIDTH: u32 = 20;
const PIECE_HEIGHT: u32 = 24;
/// Height of the strip below a row that shows one witness's layer.
const LAYER_HEIGHT: u32 = 14;
/// Space between rows.
const ROW_GAP: u32 = 3;
/// Height of the numbers above the first row.
const HEAD_HEIGHT: u32 = 16;
/// Width of the numbers before a row, and of register names before them.
const OFFSET_WIDTH: u32 = 40;
const REGISTER_WIDTH: u32 = 34;
/// Width of one letter of a label in tenths of a pixel.
const LETTER_TENTHS: u32 = 66;

/// Parts that all maps refer to: the pattern of padding, and the numbers above and before rows
/// until the first gap. A page or sheet contains them once.
pub(super) fn shared_parts() -> Markup {
    let rows = (1..).zip(0..SHARED_ROWS);
    html! {
        defs {
            pattern id="bm-hatch" width="6" height="6" patternUnits="userSpaceOnUse" {
                path class="bm-stripe" d="M-1 1l2-2M0 6l6-6M5 7l2-2" {}
            }
            g id="bm-0" {
                @for word in 0..4 { text.a x=(word * 4 * BYTE_WIDTH + 2) y="11" { (word * 4) } }
            }
            @for (count, row) in rows {
                g id=(format!("bm-{count}")) {
                    use href=(format!("#bm-{row}")) {}
                    (row_offset(row, RowEdge { left: 0, top: HEAD_HEIGHT + row * (PIECE_HEIGHT + ROW_GAP) }))
                }
            }
        }
    }
}

/// Left and top edge of a row, in pixels.
#[derive(Clone, Copy)]
struct RowEdge {
    left: u32,
    top: u32,
}

/// The offset of a row's first byte, before the row.
fn row_offset(row: u32, edge: RowEdge) -> Markup {
    let y = edge.top + PIECE_HEIGHT / 2 + 4;
    let x = i64::from(edge.left) - 6;
    html! { text.a text-anchor="end" x=(x) y=(y) { (row.saturating_mul(ROW_BYTES)) } }
}

#[derive(Clone, Debug)]
pub(super) struct ByteMap<'a> {
    /// Text for screen readers.
    pub label: String,
    pub pieces: BytePieces<'a>,
    /// The bytes at which witnesses found the values that differ; empty outside of failures.
    pub layers: Vec<WitnessLayer>,
    /// Label the rows as D3D registers, `c0`, `c1` ...
    pub registers: bool,
    pub language: ShaderLanguage,
    /// Rows that repeat earlier ones and are not drawn.
    pub left_out: BTreeSet<u32>,
}

/// The content of one row without the indices of elements. Rows with equal patterns look alike.
type RowPattern<'a> = Vec<PatternPart<'a>>;

/// The bytes of a row that one member owns.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PatternPart<'a> {
    path: &'a str,
    start: u32,
    end: u32,
    step: u32,
    difference: PieceDifference,
    overlaps: bool,
}

/// Leaves out the rows that repeat in all of `maps`. The maps are shown side by side, so all leave
/// out the same rows.
pub(super) fn leave_out_repetitions(maps: &mut [ByteMap<'_>]) {
    let ends: Vec<u32> = maps.iter().map(ByteMap::row_count).collect();
    let repeated: Vec<BTreeSet<u32>> = maps.iter().map(ByteMap::repetitions).collect();
    let is_repeated = |row: &u32| repeated.iter().zip(&ends).all(|(rows, end)| rows.contains(row) || row >= end);
    let longest = ends.iter().copied().max().unwrap_or(0);
    let left_out: BTreeSet<u32> = (0..longest).filter(is_repeated).collect();
    for map in maps {
        map.left_out.clone_from(&left_out);
    }
}

/// A picture with its size in pixels.
#[derive(Clone, Debug)]
pub(super) struct MapPicture {
    pub width: u32,
    pub height: u32,
    /// The elements inside the `svg` element.
    pub body: Markup,
}

/// The positions of a map's rows, in pixels.
struct MapGrid {
    /// Left edge of byte 0 of each row.
    left: u32,
    /// Top edge of each drawn row, by row number.
    tops: BTreeMap<u32, u32>,
    /// Lines in place of the rows that are left out.
    gaps: Vec<LeftOutRows>,
    height: u32,
}

struct LeftOutRows {
    top: u32,
    text: String,
}

/// The part of a piece in one row; edges in pixels.
struct RowPart {
    row: u32,
    start: u32,
    end: u32,
    left: u32,
    top: u32,
    width: u32,
}

impl ByteMap<'_> {
    /// The picture as an element of a page.
    pub(super) fn inline(&self) -> Markup {
        let MapPicture { width, height, body } = self.picture();
        html! {
            svg.bm width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(self.label) {
                (body)
            }
        }
    }

    pub(super) fn picture(&self) -> MapPicture {
        let grid = self.grid();
        let width = grid.left + ROW_BYTES * BYTE_WIDTH + 2;
        if self.pieces.end == 0 && self.layers.is_empty() {
            let body = html! { text.a x="4" y="13" { "no bytes" } };
            return MapPicture { width, height: HEAD_HEIGHT + 4, body };
        }

        let body = html! {
            (self.heads(&grid))
            (self.padding(&grid))
            @for member in self.members() { (self.member(&member, &grid)) }
            (self.ticks(&grid))
            @for (lane, layer) in (0_u32..).zip(&self.layers) { (layer_strip(layer, lane, &grid)) }
        };
        MapPicture { width, height: grid.height, body }
    }

    fn row_count(&self) -> u32 {
        self.pieces.end.div_ceil(ROW_BYTES).min(MAX_LOOKED_AT)
    }

    fn found_rows(&self) -> BTreeSet<u32> {
        let runs = self.layers.iter().flat_map(|layer| &layer.runs);
        runs.flat_map(|run| rows_of(run.start, run.end)).collect()
    }

    fn patterns(&self) -> Vec<RowPattern<'_>> {
        let mut patterns: Vec<RowPattern<'_>> = vec![Vec::new(); self.row_count() as usize];
        for piece in &self.pieces.pieces {
            for row in rows_of(piece.start, piece.end) {
                let Some(pattern) = patterns.get_mut(row as usize) else { break };
                let first = row * ROW_BYTES;
                pattern.push(PatternPart {
                    path: piece.member.path(),
                    start: piece.start.saturating_sub(first),
                    end: (piece.end - first).min(ROW_BYTES),
                    step: piece.step,
                    difference: piece.difference,
                    overlaps: piece.overlaps,
                });
            }
        }
        patterns
    }

    /// Rows in the middle of a pattern that repeats at least four times, if the block is too long
    /// to draw in full. The first and the last repetition are kept.
    fn repetitions(&self) -> BTreeSet<u32> {
        let patterns = self.patterns();
        let count = self.row_count();
        let mut repeated = BTreeSet::new();
        if count <= MAX_ROWS {
            return repeated;
        }
        let is_alike = |row: u32, other: u32| patterns[row as usize] == patterns[other as usize];
        let mut row = 0;
        while row < count {
            let repetition = (1..=LONGEST_PATTERN.min(count - row)).find_map(|length| {
                let alike = (row + length..count).take_while(|next| is_alike(*next, *next - length)).count();
                let alike = length + u32::try_from(alike).unwrap_or(0);
                (alike / length >= 4).then(|| (length, row + alike / length * length))
            });
            match repetition {
                Some((length, end)) => {
                    repeated.extend(row + length..end - length);
                    row = end;
                }
                None => row += 1,
            }
        }
        let found = self.found_rows();
        repeated.retain(|row| !found.contains(row));
        repeated
    }

    fn grid(&self) -> MapGrid {
        let BytePieces { end, rest, .. } = &self.pieces;
        let found = self.found_rows();
        let rows: BTreeSet<u32> = (0..self.row_count()).chain(found.iter().copied()).collect();

        let layers = u32::try_from(self.layers.len()).unwrap_or(u32::MAX);
        let pitch = |row: &u32| {
            let lanes = if found.contains(row) { layers } else { 0 };
            PIECE_HEIGHT + lanes.saturating_mul(LAYER_HEIGHT) + ROW_GAP
        };
        let left = OFFSET_WIDTH + if self.registers { REGISTER_WIDTH } else { 0 };
        let mut grid = MapGrid { left, tops: BTreeMap::new(), gaps: Vec::new(), height: HEAD_HEIGHT };
        let mut repeated = 0_u64;
        let mut more = 0_u64;
        for row in &rows {
            if self.left_out.contains(row) && !found.contains(row) {
                repeated += 1;
                continue;
            }
            grid.leave_out_repeated(&mut repeated);
            if grid.tops.len() < MOST_DRAWN {
                grid.tops.insert(*row, grid.height);
                grid.height += pitch(row);
            } else {
                more += 1;
            }
        }
        grid.leave_out_repeated(&mut repeated);
        if more > 0 {
            grid.leave_out(format!("… {} more rows", grouped(more)));
        }

        match rest {
            Some(UndrawnRest::Unbounded) => grid.leave_out("… and so on, without end".to_owned()),
            Some(UndrawnRest::TooLarge) => {
                grid.leave_out(format!("… bytes from {} on are not drawn", grouped((*end).into())));
            }
            None => {}
        }
        grid
    }

    /// The numbers above and before the rows.
    fn heads(&self, grid: &MapGrid) -> Markup {
        let shared = if self.layers.is_empty() { grid.rows_without_gap() } else { 0 };
        html! {
            use href=(format!("#bm-{shared}")) x=(grid.left) {}
            @for (row, top) in &grid.tops {
                @if *row >= shared { (row_offset(*row, RowEdge { left: grid.left, top: *top })) }
                @if self.registers { text.a x="2" y=(top + PIECE_HEIGHT / 2 + 4) { "c" (row) } }
            }
            @for LeftOutRows { top, text } in &grid.gaps {
                text.a x=(grid.left + 2) y=(top + 12) { (text) }
            }
        }
    }

    fn padding(&self, grid: &MapGrid) -> Markup {
        let mut outline = String::new();
        for hole in &self.pieces.padding {
            for RowPart { left, top, width, .. } in grid.parts(hole.start, hole.end) {
                // Writing to a string does not fail.
                let _ = write!(outline, "M{left} {top}h{width}v{PIECE_HEIGHT}h-{width}z");
            }
        }
        html! { @if !outline.is_empty() { path.p d=(outline) {} } }
    }

    /// Pieces by member, in the order of each member's first piece.
    fn members(&self) -> Vec<Vec<&BytePiece<'_>>> {
        let mut members: Vec<Vec<&BytePiece<'_>>> = Vec::new();
        let mut places: BTreeMap<*const str, usize> = BTreeMap::new();
        for piece in &self.pieces.pieces {
            // Two members may have the same path.
            let place = *places.entry(std::ptr::from_ref(piece.member.path())).or_insert(members.len());
            match members.get_mut(place) {
                Some(pieces) => pieces.push(piece),
                None => members.push(vec![piece]),
            }
        }
        members
    }

    fn member(&self, pieces: &[&BytePiece<'_>], grid: &MapGrid) -> Markup {
        let Some(first) = pieces.first() else { return html! {} };
        html! {
            g class=(format!("h{}", first.outermost % HUES)) data-m=(one_line(first.member.path())) {
                title { (self.title(first.member)) }
                @for (look, outline) in outlines(pieces, grid) { path class=[look.class()] d=(outline) {} }
                @for piece in pieces {
                    @for part in grid.parts(piece.start, piece.end) { (piece_label(piece, &part)) }
                }
            }
        }
    }

    /// `float b[2] · offset 16 · size 20 · align 16 · stride 16`.
    fn title(&self, member: PieceMember<'_>) -> String {
        match member {
            PieceMember::Row(row) => self.title_of_row(row),
            PieceMember::Side(SideMember { path, type_name, offset, size, .. }) => {
                let size = size.map_or_else(|| "without end".to_owned(), |size| format!("size {size}"));
                one_line(&format!("{type_name} {path} · offset {offset} · {size}"))
            }
        }
    }

    fn title_of_row(&self, member: &MemberRow) -> String {
        let size = member.size.map_or_else(|| "without end".to_owned(), |size| format!("size {size}"));
        let mut parts = vec![
            declaration(self.language, member, 0),
            format!("offset {}", member.offset),
            size,
            format!("align {}", member.alignment),
        ];
        parts.extend(Some(note(member)).filter(|note| !note.is_empty()));
        parts.join(" · ")
    }

    /// Lines between the components of vectors.
    fn ticks(&self, grid: &MapGrid) -> Markup {
        let mut lines = String::new();
        for piece in self.pieces.pieces.iter().filter(|piece| piece.step > 0 && piece.end - piece.start > piece.step) {
            for RowPart { row, start, end, left, top, .. } in grid.parts(piece.start, piece.end) {
                let inner = (piece.start..end).step_by(piece.step as usize).filter(|byte| *byte > start);
                for byte in inner.filter(|byte| byte / ROW_BYTES == row) {
                    let x = left + (byte - start) * BYTE_WIDTH;
                    let _ = write!(lines, "M{x} {}v5", top + PIECE_HEIGHT - 5);
                }
            }
        }
        html! { @if !lines.is_empty() { path.t d=(lines) {} } }
    }
}

impl MapGrid {
    /// Adds a line for the rows that repeat earlier ones, and resets their count.
    fn leave_out_repeated(&mut self, rows: &mut u64) {
        if *rows > 0 {
            let plural = if *rows == 1 { "" } else { "s" };
            self.leave_out(format!("… {} repeated row{plural}", grouped(*rows)));
        }
        *rows = 0;
    }

    fn leave_out(&mut self, text: String) {
        self.gaps.push(LeftOutRows { top: self.height, text });
        self.height += HEAD_HEIGHT + ROW_GAP;
    }

    /// Number of rows before the first gap, as far as all maps share their numbers.
    fn rows_without_gap(&self) -> u32 {
        let rows = (0..SHARED_ROWS).zip(self.tops.keys());
        rows.take_while(|(index, row)| index == *row).map(|(index, _)| index + 1).max().unwrap_or(0)
    }

    /// The parts of a byte range in the rows that are drawn.
    fn parts(&self, start: u32, end: u32) -> impl Iterator<Item = RowPart> {
        let rows = if end > start { start / ROW_BYTES..(end - 1) / ROW_BYTES + 1 } else { 0..0 };
        self.tops.range(rows).map(move |(row, top)| {
            let row_start = row * ROW_BYTES;
            let start = start.max(row_start);
            let end = end.min(row_start.saturating_add(ROW_BYTES));
            let left = self.left + (start - row_start) * BYTE_WIDTH;
            RowPart { row: *row, start, end, left, top: *top, width: (end - start) * BYTE_WIDTH }
        })
    }
}

fn rows_of(start: u32, end: u32) -> std::ops::Range<u32> {
    start / ROW_BYTES..end.div_ceil(ROW_BYTES).min(start / ROW_BYTES + MAX_LOOKED_AT)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PieceLook {
    difference: PieceDifference,
    is_odd: bool,
}

impl PieceLook {
    fn class(self) -> Option<&'static str> {
        match (self.is_odd, self.difference) {
            (false, PieceDifference::None) => None,
            (true, PieceDifference::None) => Some("o"),
            (false, PieceDifference::First) => Some("d"),
            (true, PieceDifference::First) => Some("o d"),
            (false, PieceDifference::Later) => Some("f"),
            (true, PieceDifference::Later) => Some("o f"),
        }
    }
}

/// Merges pieces that look alike into one outline.
fn outlines(pieces: &[&BytePiece<'_>], grid: &MapGrid) -> BTreeMap<PieceLook, String> {
    let mut outlines: BTreeMap<PieceLook, String> = BTreeMap::new();
    for piece in pieces {
        let look = PieceLook { difference: piece.difference, is_odd: piece.number % 2 == 1 };
        let outline = outlines.entry(look).or_default();
        for part in grid.parts(piece.start, piece.end) {
            let VerticalRange { top, height } = vertical_range(piece, &part);
            let inset = u32::from(piece.difference == PieceDifference::First);
            let (left, top) = (part.left + inset, top + inset);
            let (width, height) = (part.width - 2 * inset, height - 2 * inset);
            // Writing to a string does not fail.
            let _ = write!(outline, "M{left} {top}h{width}v{height}h-{width}z");
        }
    }
    outlines
}

struct VerticalRange {
    top: u32,
    height: u32,
}

/// A piece that shares bytes with an earlier one is drawn over its lower half.
fn vertical_range(piece: &BytePiece<'_>, part: &RowPart) -> VerticalRange {
    if piece.overlaps {
        VerticalRange { top: part.top + PIECE_HEIGHT / 2, height: PIECE_HEIGHT / 2 }
    } else {
        VerticalRange { top: part.top, height: PIECE_HEIGHT }
    }
}

fn piece_label(piece: &BytePiece<'_>, part: &RowPart) -> Markup {
    let VerticalRange { top, height } = vertical_range(piece, part);
    let label = fitting_label(&piece.label, part.width, piece.difference);
    html! { @if !label.is_empty() { text x=(part.left + 4) y=(top + height / 2 + 4) { (label) } } }
}

/// The beginning of the label, as much as fits, followed by a mark if it differs.
fn fitting_label(label: &str, pixels: u32, difference: PieceDifference) -> String {
    let letters = (pixels.saturating_sub(6) * 10 / LETTER_TENTHS) as usize;
    let mark = match difference {
        PieceDifference::None => "",
        PieceDifference::First => "≠",
        PieceDifference::Later => "·",
    };
    let room = letters.saturating_sub(width(mark) * 2);
    match (width(label) <= room, room, mark) {
        (true, _, "") => label.to_owned(),
        (true, _, _) => format!("{label} {mark}"),
        (false, 0..=1, _) => mark.to_owned(),
        (false, _, _) => {
            let beginning: String = label.chars().take(room - 1).collect();
            format!("{beginning}…{mark}")
        }
    }
}

/// The bytes at which one witness found the values that differ, in a separate strip below each
/// row.
fn layer_strip(layer: &WitnessLayer, lane: u32, grid: &MapGrid) -> Markup {
    let below = PIECE_HEIGHT + lane * LAYER_HEIGHT + 1;
    html! {
        g class=(format!("w w-{}", layer.witness.as_str())) {
            @for run in &layer.runs {
                @for part in grid.parts(run.start, run.end) {
                    rect x=(part.left) y=(part.top + below) width=(part.width) height=(LAYER_HEIGHT - 2) {}
                    text x=(part.left + 4) y=(part.top + below + 10) { (fitting_label(&run.label, part.width, PieceDifference::None)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(path: &str, type_name: &str, offset: u32, size: u32, stride: Option<u32>) -> MemberRow {
        MemberRow {
            path: path.into(),
            type_name: type_name.into(),
            offset,
            size: Some(size),
            alignment: 4,
            array_stride: stride,
            ..MemberRow::default()
        }
    }

    fn map(members: &[MemberRow], size: u32) -> ByteMap<'_> {
        ByteMap {
            label: String::new(),
            pieces: BytePieces::of(Some(size), members, None),
            layers: Vec::new(),
            registers: false,
            language: ShaderLanguage::Hlsl,
            left_out: BTreeSet::new(),
        }
    }

    /// Forty vectors of one array repeat, forty members do not.
    #[test]
    fn only_rows_that_repeat_are_left_out() {
        let array = [row("a", "float4[40]", 0, 640, Some(16)), row("b", "float4", 640, 16, None)];
        let members: Vec<MemberRow> =
            (0..40).map(|number| row(&format!("m{number}"), "float4", number * 16, 16, None)).collect();
        let mut alone = [map(&array, 656)];
        leave_out_repetitions(&mut alone);
        assert_eq!(alone[0].left_out, (1..39).collect::<BTreeSet<_>>());
        let mut alone = [map(&members, 640)];
        leave_out_repetitions(&mut alone);
        assert_eq!(alone[0].left_out, BTreeSet::new());
    }

    /// Elements of two rows repeat as pairs, and maps that are side by side leave out the same rows
    /// or none.
    #[test]
    fn maps_beside_each_other_leave_out_the_same_rows() {
        let structs = [
            row("s", "S[20]", 0, 640, Some(32)),
            row("s[].a", "float4", 0, 16, None),
            row("s[].b", "float2", 16, 8, None),
        ];
        let members: Vec<MemberRow> =
            (0..30).map(|number| row(&format!("m{number}"), "float4", number * 16, 16, None)).collect();
        let mut alike = [map(&structs, 640), map(&structs, 640)];
        leave_out_repetitions(&mut alike);
        assert_eq!(alike[0].left_out, (2..38).collect::<BTreeSet<_>>());
        assert_eq!(alike[0].left_out, alike[1].left_out);
        let mut other = [map(&structs, 640), map(&members, 480)];
        leave_out_repetitions(&mut other);
        assert_eq!(other[0].left_out, (30..38).collect::<BTreeSet<_>>());
        assert!(other[0].inline().into_string().contains("… 8 repeated rows"));
    }
}
