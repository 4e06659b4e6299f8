//! Draws the bytes of a block in rows of 16: which member is where, and which bytes a witness used
//! instead.
//!
//! Part of the failure block. `^` marks the bytes where a wrong scalar belongs, `v` the bytes where
//! the witness found it, `.` is padding.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::Quantity;

use super::located::{LocatedRow, is_part};
use super::table::{TablePiece, squeeze};
use super::witness::{Mark, deed, mark, number, reference};
use layoutproof_events::{Culprit, StoryBlock, Witness};
use layoutproof_probes::Direction;
use layoutproof_show::layout_text::member_tree::{ScalarCell, cells};
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};

/// Bytes per row: one register of a D3D constant buffer.
const ROW_BYTES: u32 = 16;
/// Bytes per field of a row.
const WORD_BYTES: u32 = 4;
/// Maps with more rows show only those near a mark.
const MAX_ROWS: usize = 12;
/// Words drawn for one scalar. A record may claim any size for a type that this program does not
/// know.
const MAX_WORDS: usize = 16;
/// Empty rows to draw: 64 KiB, the limit of constant buffers.
const MAX_EMPTY_ROWS: u32 = 4096;
/// Columns of a label. Longer labels keep their end.
const LABEL_COLUMNS: usize = 12;

/// The block and rows that a map shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapSubject<'a> {
    pub block: &'a StoryBlock,
    /// The rows about this block.
    pub rows: &'a [LocatedRow<'a>],
    /// The witness that contradicts the others.
    pub culprit: Option<Culprit>,
    /// Label the rows as D3D registers, `c0`, `c1` ...
    pub registers: bool,
}

/// A scalar that a witness found at another offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    /// Path of the scalar in the block.
    pub path: String,
    /// Size in bytes.
    pub size: u32,
    /// Offset in bytes according to the reference.
    pub home: u32,
    /// Offset in bytes according to the witness.
    pub found: u32,
    /// Direction of the access that found it.
    pub direction: Option<Direction>,
}

/// One field of the picture.
#[derive(Clone, Debug, Default)]
struct MapWord {
    /// Paths of the members in it, each once.
    labels: Vec<String>,
    owned: bool,
    expected: bool,
    found: bool,
}

impl MapWord {
    fn label(&self) -> String {
        self.labels.join(" ")
    }
}

/// The map of the first witness that has a wrong offset (in the order device, compiled code,
/// report, rules), or an empty text.
pub(super) fn map(subject: MapSubject<'_>, style: Style) -> String {
    let witnesses = [Witness::Observed, Witness::Compiled, Witness::Reported, Witness::Computed, Witness::Expected];
    let found = witnesses.into_iter().map(|witness| (witness, strays(subject, witness)));
    let Some((witness, strays)) = found.into_iter().find(|(_, strays)| !strays.is_empty()) else {
        return String::new();
    };

    let words = words(subject.block, &strays);
    let rows = if subject.registers { "bytes, one register a row" } else { "bytes, 16 a row" };
    let directions: Vec<Option<Direction>> = strays.iter().map(|stray| stray.direction).collect();
    let legend = format!("  {rows}      ^ expected    v {}    . padding", deed(witness, &directions));

    let picture = Picture { subject, style, label_columns: label_columns(&words) };
    let mut text = TextLines::default();
    text.push(&style.paint(Tone::Strong, &legend));
    picture.draw(&words, &mut text);
    text.into_text()
}

/// Every scalar whose offset according to `witness` differs from the reference.
pub(crate) fn strays(subject: MapSubject<'_>, witness: Witness) -> Vec<Stray> {
    let cells = cells(&subject.block.members);
    let mut strays: Vec<Stray> = Vec::new();
    for located in subject.rows.iter().filter(|located| located.row.what == Quantity::Offset) {
        let places = number(reference(located.row, subject.culprit)).zip(number(located.row.witnesses.of(witness)));
        let Some((home, found)) = places.filter(|_| mark(located.row, witness, subject.culprit) == Mark::Wrong) else {
            continue;
        };

        let path = located.path.replace("[]", "[0]");
        let parts: Vec<&ScalarCell> = cells.iter().filter(|cell| is_part(&cell.path, &path)).collect();
        let Some(first) = parts.iter().map(|cell| cell.offset).min() else { continue };

        for cell in parts {
            let inner = cell.offset - first;
            strays.push(Stray {
                path: cell.path.clone(),
                size: cell.size,
                home: home.saturating_add(inner),
                found: found.saturating_add(inner),
                direction: located.row.direction(),
            });
        }
    }
    strays
}

/// The fields by index: members at their offsets, strays at both of theirs.
fn words(block: &StoryBlock, strays: &[Stray]) -> BTreeMap<u32, MapWord> {
    let mut words: BTreeMap<u32, MapWord> = BTreeMap::new();
    for cell in cells(&block.members) {
        for (part, index) in touched(cell.offset, cell.size).enumerate() {
            let word = words.entry(index).or_default();
            word.owned = true;
            add_label(word, &cell.path, part);
        }
    }

    for stray in strays {
        add_stray(&mut words, stray, stray.home, |word| word.expected = true);
        add_stray(&mut words, stray, stray.found, |word| word.found = true);
    }
    words
}

/// Marks the fields of a stray at `offset`. Fields without a member get the stray's label.
fn add_stray(words: &mut BTreeMap<u32, MapWord>, stray: &Stray, offset: u32, set_mark: impl Fn(&mut MapWord)) {
    for (part, index) in touched(offset, stray.size).enumerate() {
        let word = words.entry(index).or_default();
        set_mark(word);
        if !word.owned {
            add_label(word, &stray.path, part);
        }
    }
}

fn touched(offset: u32, size: u32) -> impl Iterator<Item = u32> {
    (offset / WORD_BYTES..offset.saturating_add(size).div_ceil(WORD_BYTES)).take(MAX_WORDS)
}

/// Adds `path`. A field after the scalar's first one shows how many bytes of it come before.
fn add_label(word: &mut MapWord, path: &str, part: usize) {
    let path = one_line(path);
    let label = if part == 0 { path } else { format!("{path}+{}", part * 4) };
    if !label.is_empty() && !word.labels.contains(&label) {
        word.labels.push(label);
    }
}

fn label_columns(words: &BTreeMap<u32, MapWord>) -> usize {
    let longest = words.values().map(|word| width(&word.label())).max().unwrap_or(0);
    longest.clamp(4, LABEL_COLUMNS)
}

struct Picture<'a> {
    subject: MapSubject<'a>,
    style: Style,
    label_columns: usize,
}

impl Picture<'_> {
    fn draw(&self, words: &BTreeMap<u32, MapWord>, text: &mut TextLines) {
        let per_row = ROW_BYTES / WORD_BYTES;
        let size = self.subject.block.size.unwrap_or(0);
        let inside = 0..size.div_ceil(ROW_BYTES).min(MAX_EMPTY_ROWS);
        let rows: BTreeSet<u32> = inside.chain(words.keys().map(|word| word / per_row)).collect();
        let rows: Vec<u32> = rows.into_iter().collect();

        let row_words = |row: u32| (row * per_row..(row + 1) * per_row).map(|index| (index, words.get(&index)));
        let is_marked = |word: Option<&MapWord>| word.is_some_and(|word| word.expected || word.found);
        let marked: Vec<bool> = rows.iter().map(|row| row_words(*row).any(|(_, word)| is_marked(word))).collect();

        let columns = self.label_columns + 7;
        let heads: String = (0..per_row).map(|word| pad(&(word * WORD_BYTES).to_string(), columns)).collect();
        text.push(&self.style.paint(Tone::Dim, &format!("{}{heads}", " ".repeat(16))));

        for piece in squeeze(&marked, MAX_ROWS) {
            text.push(&match piece {
                TablePiece::Line(index) => self.row(rows[index], row_words(rows[index])),
                TablePiece::Gap(_) => self.left_out("rows without a mark"),
                TablePiece::Rest(_) => self.left_out("more rows"),
            });
        }
    }

    fn left_out(&self, what: &str) -> String {
        self.style.paint(Tone::Dim, &format!("{}{} {what}", " ".repeat(16), self.style.ellipsis()))
    }

    fn row<'w>(&self, row: u32, words: impl Iterator<Item = (u32, Option<&'w MapWord>)>) -> String {
        let register = if self.subject.registers { format!("c{row}") } else { String::new() };
        let mut text = format!("{}{}    ", pad_left(&register, 6), pad_left(&(row * ROW_BYTES).to_string(), 6));
        let mut beyond = false;
        for (index, word) in words {
            let outside = self.subject.block.size.is_some_and(|size| index * WORD_BYTES >= size);
            beyond |= outside && word.is_some_and(|word| word.found);
            text += &self.word(word, outside);
        }
        let note =
            if beyond { format!("     beyond {} (guard)", one_line(&self.subject.block.name)) } else { String::new() };
        text + &note
    }

    fn word(&self, word: Option<&MapWord>, outside: bool) -> String {
        let columns = self.label_columns + 7;
        let Some(word) = word else {
            let dots = if outside { "" } else { ". . . ." };
            return self.style.paint(Tone::Dim, &pad(dots, columns));
        };

        let (marker, tone) = match (word.expected, word.found) {
            (false, false) => ("", Tone::Plain),
            (true, false) => ("^^^^", Tone::Agree),
            (false, true) => ("vvvv", Tone::Disagree),
            (true, true) => ("^^vv", Tone::Disagree),
        };
        let label = pad(&shortened(&word.label(), self.label_columns, self.style), self.label_columns);
        self.style.paint(tone, &pad(&format!("{label} {marker}"), columns))
    }
}

/// The end of `label`: it identifies the member better than the start.
fn shortened(label: &str, columns: usize, style: Style) -> String {
    let length = width(label);
    if length <= columns {
        return label.to_owned();
    }
    let ellipsis = if style.ascii { "~" } else { "…" };
    let tail: String = label.chars().skip(length - columns + 1).collect();
    format!("{ellipsis}{tail}")
}
