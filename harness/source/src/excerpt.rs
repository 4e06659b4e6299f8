//! Chooses the lines of a file that are drawn with a diagnostic, and maps places in them to places in the file.
//!
//! [`super::render`] draws them. Unsafe characters are drawn as escapes, so that the drawn text drifts apart from the
//! file's.

use std::borrow::Cow;
use std::ops::Range;

use layoutproof_layout::Span;

use crate::diagnostics::{Diagnostic, Label};
use crate::plain_text::{is_unsafe, push_escaped};
use crate::sources::SourceMap;

/// Bytes of the lines that are drawn around a place: three that people could read.
pub(super) const LONGEST_EXCERPT: usize = 3 * 4096;

/// Bytes between a second place and the main one from which on the second is named and not drawn.
pub(super) const FARTHEST_DRAWN: usize = 1 << 18;

/// The lines of a file that a diagnostic is drawn with, as they are drawn.
///
/// Drawing costs as much as these lines, however long the file is.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    /// Bytes of the file.
    range: Range<usize>,
    /// Lines before it.
    pub(super) lines_before: usize,
    /// The text with escapes in the place of unsafe characters.
    pub(super) drawn: Cow<'a, str>,
    /// Where the two texts drift apart, ascending.
    shifts: Vec<EscapeShift>,
}

/// The end of an unsafe character, in bytes from the start of an excerpt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EscapeShift {
    in_file: usize,
    in_drawn: usize,
}

impl<'a> Excerpt<'a> {
    /// The lines of all places that are drawn; `None` where the main one is in lines that nobody could read (generated,
    /// hostile).
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

    /// The place in the drawn text of a byte of the file.
    pub(super) fn to_drawn(&self, in_file: usize) -> usize {
        let inside = in_file.clamp(self.range.start, self.range.end) - self.range.start;
        let before = self.shifts.partition_point(|shift| shift.in_file <= inside);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        shift.in_drawn + (inside - shift.in_file)
    }

    /// The byte of the file that is drawn at this place.
    pub(super) fn to_file(&self, in_drawn: usize) -> usize {
        let before = self.shifts.partition_point(|shift| shift.in_drawn <= in_drawn);
        let shift = before.checked_sub(1).map_or(EscapeShift::default(), |last| self.shifts[last]);
        self.range.start + shift.in_file + (in_drawn - shift.in_drawn)
    }
}

/// The text with escapes for what is unsafe and newlines for the ends of lines, and where the two drift apart.
fn escape_excerpt(text: &str) -> (Cow<'_, str>, Vec<EscapeShift>) {
    if !text.contains(is_unsafe) {
        return (Cow::Borrowed(text), Vec::new());
    }

    let mut drawn = String::with_capacity(text.len() + 16);
    let mut shifts = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        // A line that ends in `\r\n` is drawn as one that ends in `\n`.
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

/// The places of a diagnostic that are drawn: those in its file, not far from the main one, in lines that can be read.
pub(super) fn drawn_labels<'d>(diagnostic: &'d Diagnostic, text: &str) -> impl Iterator<Item = &'d Label> {
    let main = diagnostic.span();
    let is_near = move |label: &&Label| (label.span.start.abs_diff(main.start) as usize) < FARTHEST_DRAWN;
    let in_file = diagnostic.labels.iter().filter(move |label| label.span.file == main.file).filter(is_near);
    in_file.filter(move |label| lines_around(text, label.span).is_some())
}

/// The bytes of the lines that `span` touches, of the one before and of the one behind; `None` if they are too many.
fn lines_around(text: &str, span: Span) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = (span.start as usize).min(bytes.len());
    let end = (span.end as usize).clamp(start, bytes.len());
    if end - start >= LONGEST_EXCERPT {
        return None;
    }

    let before = &bytes[start.saturating_sub(LONGEST_EXCERPT)..start];
    let behind = &bytes[end..(end + LONGEST_EXCERPT).min(bytes.len())];

    // The newline before the line before, and the one behind the line behind.
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
