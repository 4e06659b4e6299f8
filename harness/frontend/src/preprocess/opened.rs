//! An open file: its pieces, its conditions, its line numbers.

use layoutproof_layout::{FileId, Span};

use super::condition::Condition;
use crate::lexer::SourcePieces;

#[derive(Debug)]
pub(super) struct OpenSource<'a> {
    pub(super) file: FileId,
    pub(super) pieces: SourcePieces<'a>,
    /// Name with the folder that `#include` searches first.
    pub(super) path: String,
    /// Unclosed conditions.
    pub(super) conditions: Vec<Condition>,
    lines: LineCounter<'a>,
    /// File name and line number set by `#line`.
    presumed: Option<PresumedLine>,
}

/// File name and line number set by `#line`.
#[derive(Debug)]
struct PresumedLine {
    name: Option<String>,
    /// Difference from the real number.
    shift: i64,
}

impl<'a> OpenSource<'a> {
    /// Opens `text`, which begins at byte `start` of the file.
    pub(super) fn new(text: &'a str, file: FileId, start: u32, path: String) -> Self {
        let lines = LineCounter { text, start, at: 0, line: 1 };
        Self { file, pieces: SourcePieces::new(text, file, start), path, conditions: Vec::new(), lines, presumed: None }
    }

    /// Returns true if a condition excludes the text here.
    pub(super) fn is_skipping(&self) -> bool {
        self.conditions.last().is_some_and(|condition| !condition.is_taken())
    }

    /// Returns the line at which `span` starts, adjusted by `#line`; from 1.
    pub(super) fn line(&mut self, span: Span) -> i64 {
        self.lines.line_of(span) + self.presumed.as_ref().map_or(0, |presumed| presumed.shift)
    }

    /// Returns the name, adjusted by `#line`.
    pub(super) fn name(&self) -> &str {
        self.presumed.as_ref().and_then(|presumed| presumed.name.as_deref()).unwrap_or(&self.path)
    }

    /// `#line default`: returns to the real name and numbers.
    pub(super) fn presume_nothing(&mut self) {
        self.presumed = None;
    }

    /// `#line`: gives the line after the one of `span` the number `next`.
    pub(super) fn presume(&mut self, span: Span, next: i64, name: Option<String>) {
        let shift = next - self.lines.line_of(span) - 1;
        let name = name.or_else(|| self.presumed.take().and_then(|presumed| presumed.name));
        self.presumed = Some(PresumedLine { name, shift });
    }
}

/// Counts lines while the text is read, so that a file full of `__LINE__` is scanned once.
#[derive(Debug)]
struct LineCounter<'a> {
    text: &'a str,
    start: u32,
    at: usize,
    line: i64,
}

impl LineCounter<'_> {
    /// Returns the line at which `span` starts, or the last returned line if that is later.
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
