//! The error of input that the user has to mend: every problem with the texts that it is in.

use std::fmt;

use layoutproof_core::input::diagnostics::{Diagnostic, render};
use layoutproof_core::input::sources::SourceMap;

/// Problems in what the user wrote; nothing is run.
#[derive(Debug)]
pub(crate) struct RefusedInput {
    /// The problems.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they are in.
    pub sources: SourceMap,
}

impl RefusedInput {
    /// All problems with their places, for people.
    pub(crate) fn text(&self, colour: bool) -> String {
        render(&self.diagnostics, &self.sources, colour)
    }
}

impl fmt::Display for RefusedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems in the input", self.diagnostics.len())
    }
}

impl std::error::Error for RefusedInput {}
