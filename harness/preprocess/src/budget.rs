//! Limits that stop hostile sources from filling the memory or running forever. No real file comes near them.

use layoutproof_layout::Span;

use super::{Preprocessor, SourceProgress};
use layoutproof_source::diagnostics::{Code, Diagnostic};

pub(super) const TOKENS: usize = 1 << 21;

/// Maximum number of tokens made by macros, and maximum number of macro uses.
const MACRO_TOKENS: usize = 1 << 19;

/// Maximum number of bytes made by `#` and `##`.
const MADE_BYTES: usize = 1 << 24;

/// Maximum number of bytes read from files. A file counts each time it is included.
const READ_BYTES: usize = 1 << 26;

/// Extra cost of opening a file in bytes, which limits the number of inclusions.
const OPENING: usize = 1 << 12;

/// Maximum nesting of included files, the same as Clang's.
pub(super) const DEEPEST_INCLUDE: usize = 200;

/// Maximum nesting of macros in arguments of macros, and of expressions in an `#if`.
pub(super) const DEEPEST: u32 = 64;

/// The remaining amounts.
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
    /// Counts tokens made by a macro. Returns `None` beyond the limit.
    pub(super) fn spend_tokens(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.macro_tokens, count).is_none() {
            self.give_up(span, "macros expand to more than 2^19 tokens");
            return None;
        }
        Some(())
    }

    /// Counts the bytes of a new token.
    pub(super) fn spend_bytes(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.made_bytes, count).is_none() {
            self.give_up(span, "`#` and `##` make more than 16 MiB of text");
            return None;
        }
        Some(())
    }

    /// Counts the bytes of an opened file.
    pub(super) fn spend_file(&mut self, count: usize, span: Span) -> Option<()> {
        if take(&mut self.budget.read_bytes, count.saturating_add(OPENING)).is_none() {
            self.give_up(span, "files are included more than 2^14 times, or have more than 64 MiB in total");
            return None;
        }
        Some(())
    }

    /// Reports an exceeded limit and stops reading.
    pub(super) fn give_up(&mut self, span: Span, message: impl Into<String>) {
        self.report_incomplete(Diagnostic::error(Code::TooLarge, span, message));
        self.progress = SourceProgress::Stopped;
    }
}

fn take(left: &mut usize, count: usize) -> Option<()> {
    *left = left.checked_sub(count)?;
    Some(())
}
