//! The error for input that the user has to fix: its problems, with the texts that they refer to.

use std::collections::BTreeSet;
use std::fmt;

use layoutproof_source::diagnostics::{Diagnostic, macro_advice, render};
use layoutproof_source::sources::SourceMap;

/// Longest advice to print after a problem in one line, in bytes.
const LONGEST_HELP: usize = 150;

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

/// The first problem of a shader in one line, with the number of the others.
pub fn first_problem(file: &str, problems: &[Diagnostic], sources: &SourceMap) -> String {
    let Some(first) = problems.first() else { return format!("{file}: refused") };
    let span = first.span();
    let name = sources.files().get(span.file.0 as usize).map_or(file, |file| &file.name);
    let place = sources.position(span);
    let more = match problems.len() {
        1 => String::new(),
        all => format!(" (and {} more)", all - 1),
    };
    let whole = if name == file { String::new() } else { format!("{file}: ") };
    format!("{whole}{name}:{}:{}: {}{more}", place.line, place.column, first.message)
}

/// Advice on the problems of a shader in brackets; empty if there is none that is short. The macros that a
/// shader misses are all named, because each of its files asks for some.
pub fn short_advice(problems: &[Diagnostic]) -> String {
    let macros: BTreeSet<&str> = problems.iter().flat_map(Diagnostic::missing_macros).map(String::as_str).collect();
    if !macros.is_empty() {
        return format!(" ({})", macro_advice(macros.into_iter()));
    }
    let help = problems.first().and_then(|first| first.help.as_ref()).filter(|help| help.len() < LONGEST_HELP);
    help.map_or_else(String::new, |help| format!(" ({})", help.replace('\n', "; ")))
}
