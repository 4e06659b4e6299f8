//! Chooses the lines of a file to draw with a diagnostic, and maps places in them to places in the file.
//!
//! [`crate::render`] draws them. It draws unsafe characters as escapes, so offsets in the drawn
//! text differ from those in the file.

use std::borrow::Cow;
use std::ops::Range;

use layoutproof_layout::Span;
use layoutproof_source::diagnostics::{Diagnostic, Label};
use layoutproof_source::plain_text::{is_unsafe, push_escaped};
use layoutproof_source::sources::SourceMap;

/// Bytes of the lines to draw around a place: three lines that a person can still read.
pub(super) const LONGEST_EXCERPT: usize = 3 * 4096;

/// A second place at this distance (bytes) or more from the main one is named but not drawn.
pub(super) const FARTHEST_DRAWN: usize = 1 << 18;

/// The lines that a diagnostic is drawn with, in their drawn form.
///
/// The cost of drawing depends on these lines, not on the length of the file.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    /// Byte range in the file.
    range: Range<usize>,
    pub(super) lines_before: usize,
    /// The text, with escapes instead of unsafe characters.
    pub(super) drawn: Cow<'a, str>,
    /// Where the offsets of the two texts diverge, ascending.
    shifts: Vec<EscapeShift>,
}

/// The end of an unsafe character, in bytes from the start of an excerpt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EscapeShift {
    in_file: usize,
    in_drawn: usize,
}

impl<'a> Excerpt<'a> {
    /// Returns the lines of all places to draw. `None` if the main place is in lines too long to
    /// read (generated or hostile text).
    pub(super) fn around(diagnostic: &Diagnostic, sources: &'a SourceMap) -> Option<Self> {
        let main = diagnostic.span();
        let text = sources.file(main.file).text.as_str();
        let mut range = lines_around(text, main)?;
        for label in drawn_labels(diagnostic, text) {
            let lines = lines_around(text, label.span).unwrap_or(range.clone());
            range = range.start.min(lines.start)..range.end.max(lines.end);
        }

        let start = u32::try_from(range.start).ok()?;
        let lines_before = sources.position(Span { start, end: start, ..main }).line as usize - 1;
        let (drawn, shifts) = escape_excerpt(text.get(range.clone())?);
        Some(Self { range, lines_before, drawn, shifts })
    }

    /// Maps a byte of the file to its place in the drawn text.
    pub(super) fn to_drawn(&self, in_file: usize) -> usize {
        let inside = in_file.clamp(self.range.start, self.range.end) - self.range.start;
        let before = self.shifts.partition_point(|shift| shift.in_file <= inside);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        shift.in_drawn + (inside - shift.in_file)
    }

    /// Maps a place in the drawn text to the byte of the file.
    pub(super) fn to_file(&self, in_drawn: usize) -> usize {
        let before = self.shifts.partition_point(|shift| shift.in_drawn <= in_drawn);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        self.range.start + shift.in_file + (in_drawn - shift.in_drawn)
    }
}

/// Escapes unsafe characters and normalises line ends to `\n`. Also returns where the offsets of the two texts diverge.
fn escape_excerpt(text: &str) -> (Cow<'_, str>, Vec<EscapeShift>) {
    if !text.contains(is_unsafe) {
        return (Cow::Borrowed(text), Vec::new());
    }

    let mut drawn = String::with_capacity(text.len() + 16);
    let mut shifts = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        // A line that ends in `\r\n` is drawn with `\n`.
        let ends_line = letter == '\r' && letters.peek().is_some_and(|(_, next)| *next == '\n');
        if !ends_line {
            push_escaped(&mut drawn, letter);
        }
        if is_unsafe(letter) {
            shifts.push(EscapeShift { in_file: start + letter.len_utf8(), in_drawn: drawn.len() });
        }
    }

    (Cow::Owned(drawn), shifts)
}

/// Returns the places to draw: those in the diagnostic's file, near the main one, in readable lines.
pub(super) fn drawn_labels<'d>(diagnostic: &'d Diagnostic, text: &str) -> impl Iterator<Item = &'d Label> {
    let main = diagnostic.span();
    let is_near = move |label: &&Label| (label.span.start.abs_diff(main.start) as usize) < FARTHEST_DRAWN;
    let in_file = diagnostic.labels.iter().filter(move |label| label.span.file == main.file).filter(is_near);
    in_file.filter(move |label| lines_around(text, label.span).is_some())
}

/// Returns the byte range of the lines that `span` touches and of one line on either side. `None` if that is too long.
fn lines_around(text: &str, span: Span) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = (span.start as usize).min(bytes.len());
    let end = (span.end as usize).clamp(start, bytes.len());
    if end - start >= LONGEST_EXCERPT {
        return None;
    }

    let before = &bytes[start.saturating_sub(LONGEST_EXCERPT)..start];
    let behind = &bytes[end..(end + LONGEST_EXCERPT).min(bytes.len())];

    // The newline before the previous line, and the one after the next line.
    let newline_before = before.iter().rposition(|byte| *byte == b'\n').map(|own| (own, &before[..own]));
    let before_start = newline_before.and_then(|(_, line)| line.iter().rposition(|byte| *byte == b'\n'));
    let first = match before_start {
        Some(newline) => start - before.len() + newline + 1,
        None if before.len() == start => 0,
        None => return None,
    };

    let newline_behind = behind.iter().position(|byte| *byte == b'\n');
    let behind_end = newline_behind
        .and_then(|own| behind[own + 1..].iter().position(|byte| *byte == b'\n').map(|next| own + next + 2));
    let last = match behind_end {
        Some(length) => end + length,
        None if end + behind.len() == bytes.len() => bytes.len(),
        None => return None,
    };

    (last - first < LONGEST_EXCERPT).then_some(first..last)
}
