//! A file that is being read: its pieces, its conditions, its line numbers.

use layoutproof_layout::{FileId, Span};

use super::condition::Condition;
use crate::lexer::SourcePieces;

/// An open file.
#[derive(Debug)]
pub(super) struct OpenSource<'a> {
    pub(super) file: FileId,
    pub(super) pieces: SourcePieces<'a>,
    /// Name with the folder in which `#include` looks first.
    pub(super) path: String,
    /// Conditions that are not closed yet.
    pub(super) conditions: Vec<Condition>,
    lines: LineCounter<'a>,
    /// File name and line number that `#line` sets.
    presumed: Option<PresumedLine>,
}

/// The name and number that `#line` gives.
#[derive(Debug)]
struct PresumedLine {
    name: Option<String>,
    /// Difference to the real number.
    shift: i64,
}

impl<'a> OpenSource<'a> {
    /// Opens `text`, which begins at byte `start` of the file.
    pub(super) fn new(text: &'a str, file: FileId, start: u32, path: String) -> Self {
        let lines = LineCounter { text, start, at: 0, line: 1 };
        Self { file, pieces: SourcePieces::new(text, file, start), path, conditions: Vec::new(), lines, presumed: None }
    }

    /// True if the text here is left out by a condition.
    pub(super) fn is_skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| !condition.is_taken())
    }

    /// The line at which `span` starts, as `#line` counts; from 1.
    pub(super) fn line(&mut self, span: Span) -> i64 {
        self.lines.line_of(span) + self.presumed.as_ref().map_or(0, |presumed| presumed.shift)
    }

    /// The name as `#line` gives it.
    pub(super) fn name(&self) -> &str {
        self.presumed.as_ref().and_then(|presumed| presumed.name.as_deref()).unwrap_or(&self.path)
    }

    /// `#line default`: the file's own lines count again.
    pub(super) fn presume_nothing(&mut self) {
        self.presumed = None;
    }

    /// `#line`: the line behind the one of `span` has the number `next`.
    pub(super) fn presume(&mut self, span: Span, next: i64, name: Option<String>) {
        let shift = next - self.lines.line_of(span) - 1;
        let name = name.or_else(|| self.presumed.take().and_then(|presumed| presumed.name));
        self.presumed = Some(PresumedLine { name, shift });
    }
}

/// Counts lines as the text is read, so that a file full of `__LINE__` is read once.
#[derive(Debug)]
struct LineCounter<'a> {
    text: &'a str,
    start: u32,
    at: usize,
    line: i64,
}

impl LineCounter<'_> {
    /// The line at which `span` starts, or the last one asked for, where that is later.
    fn line_of(&mut self, span: Span) -> i64 {
        let to = (span.start.saturating_sub(self.start) as usize).min(self.text.len());
        if to > self.at {
            let newlines = self.text.as_bytes()[self.at..to].split(|byte| *byte == b'\n').count() - 1;
            self.line += i64::try_from(newlines).unwrap_or(i64::MAX);
            self.at = to;
        }
        self.line
    }
}
