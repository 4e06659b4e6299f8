//! Limits that keep hostile sources from filling the memory or running forever; no real file comes near them.

use layoutproof_layout::Span;

use super::{Preprocessor, SourceProgress};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Most tokens that come out.
pub(super) const TOKENS: usize = 1 << 21;

/// Most tokens that macros make, and most uses of macros.
const MACRO_TOKENS: usize = 1 << 19;

/// Most bytes that `#` and `##` make.
const MADE_BYTES: usize = 1 << 24;

/// Most bytes of files that are read, a file counting each time that it is included.
const READ_BYTES: usize = 1 << 26;

/// Bytes that a file counts for beside its own, which bounds how often files are included.
const OPENING: usize = 1 << 12;

/// Deepest nesting of included files, which is Clang's.
pub(super) const DEEPEST_INCLUDE: usize = 200;

/// Deepest nesting of macros in arguments of macros, and of expressions in an `#if`.
pub(super) const DEEPEST: u32 = 64;

/// The amounts that are left.
#[derive(Debug)]
pub(super) struct PreprocessorBudget {
    macro_tokens: usize,
    made_bytes: usize,
    read_bytes: usize,
}

impl Default for PreprocessorBudget {
    fn default() -> Self {
        Self { macro_tokens: MACRO_TOKENS, made_bytes: MADE_BYTES, read_bytes: READ_BYTES }
    }
}

impl Preprocessor<'_> {
    /// Counts tokens that a macro makes; `None` where there are too many.
    pub(super) fn spend_tokens(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.macro_tokens, count).is_none() {
            self.give_up(span, "macros expand to more than 2^19 tokens");
            return None;
        }
        Some(())
    }

    /// Counts bytes of a token that is made.
    pub(super) fn spend_bytes(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.made_bytes, count).is_none() {
            self.give_up(span, "`#` and `##` make more than 16 MiB of text");
            return None;
        }
        Some(())
    }

    /// Counts bytes of a file that is opened.
    pub(super) fn spend_file(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.read_bytes, count.saturating_add(OPENING)).is_none() {
            self.give_up(span, "files are included more than 2^14 times or have more than 64 MiB");
            return None;
        }
        Some(())
    }

    /// Reports a limit and reads nothing more.
    pub(super) fn give_up(&mut self, span: Span, message: impl Into<String>) {
        self.report_incomplete(Diagnostic::error(Code::TooLarge, span, message));
        self.progress = SourceProgress::Stopped;
    }
}

fn take(left: &mut usize, count: usize) -> Option<()> {
    *left = left.checked_sub(count)?;
    Some(())
}
