//! The error for input that the user has to fix: its problems, with the texts that they refer to.

use std::fmt;

use layoutproof_source::diagnostics::{Diagnostic, render};
use layoutproof_source::sources::SourceMap;

/// Problems in the user's input, because of which nothing is run.
#[derive(Debug)]
pub struct RefusedInput {
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the problems refer to.
    pub sources: SourceMap,
}

impl RefusedInput {
    /// All problems with their places, for people.
    pub fn text(&self, colour: bool) -> String {
        render(&self.diagnostics, &self.sources, colour)
    }
}

impl fmt::Display for RefusedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems in the input", self.diagnostics.len())
    }
}

impl std::error::Error for RefusedInput {}
