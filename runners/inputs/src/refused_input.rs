//! The error for input that the user has to fix: its problems, with the texts that they refer to.

use std::{fmt, slice};

use layoutproof_render::render;

use layoutproof_source::diagnostics::{Code, Diagnostic, ReadingAdvice, Severity};
use layoutproof_source::sources::{LinePlace, SourceMap};

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

impl RefusedInput {
    /// Each error at its line.
    pub fn errors(&self) -> Vec<FirstProblem> {
        let one = |problem: &Diagnostic| {
            let file = self.sources.files().get(problem.span().file.0 as usize).map_or("", |file| &file.name);
            first_problem(file, slice::from_ref(problem), &self.sources)
        };
        errors(&self.diagnostics).map(one).collect()
    }
}

impl fmt::Display for RefusedInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems in the input", self.diagnostics.len())
    }
}

impl std::error::Error for RefusedInput {}

/// The first error of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstProblem {
    /// The file, the place of the error, and its message, with the number of the other errors.
    pub text: String,
    /// The message alone, with the number of the other errors.
    pub message: String,
    /// What files with the same fault have in common: the place and the message, or the file that is not there.
    pub cause: String,
    /// `None` if no problem is an error.
    pub place: Option<LinePlace>,
}

/// The first error of a file in one line.
pub fn first_problem(file: &str, problems: &[Diagnostic], sources: &SourceMap) -> FirstProblem {
    let Some(first) = first_error(problems) else {
        let text = format!("{file}: refused");
        return FirstProblem { message: "refused".to_owned(), cause: text.clone(), text, place: None };
    };
    let span = first.span();
    let name = sources.files().get(span.file.0 as usize).map_or(file, |file| &file.name);
    let place = sources.position(span);
    let more = match errors(problems).count().saturating_sub(1) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let whole = if name == file { String::new() } else { format!("{file}: ") };
    let problem = format!("{name}:{}:{}: {}", place.line, place.column, first.message);
    let text = format!("{whole}{problem}{more}");
    // Several files may include one that is not there.
    let cause = if first.missing_file().is_some() { first.message.clone() } else { problem };
    let place = Some(LinePlace { file: name.to_owned(), line: Some(place.line) });
    FirstProblem { text, message: format!("{}{more}", first.message), cause, place }
}

/// What may help with the problems of a shader, if it is short.
pub fn advice_on(problems: &[Diagnostic]) -> ReadingAdvice {
    let help = first_error(problems).and_then(|first| match first.missing {
        // Another help than that for one file: a project lists folders.
        Some(_) if first.missing_file().is_some() => Some("name its folder with -I or `include`".to_owned()),
        // The macros of all problems follow.
        Some(_) => None,
        None => first.help.as_ref().filter(|help| help.len() < LONGEST_HELP).map(|help| help.replace('\n', "; ")),
    });
    ReadingAdvice {
        help: help.unwrap_or_default(),
        macros: problems.iter().flat_map(Diagnostic::missing_macros).cloned().collect(),
    }
}

/// The first error, or the first problem if none is an error.
fn first_error(problems: &[Diagnostic]) -> Option<&Diagnostic> {
    errors(problems).next().or(problems.first())
}

/// The errors of a file, except the one that it has nothing to lay out.
pub fn reading_errors(problems: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    errors(problems).filter(|problem| problem.code != Code::NothingDeclared)
}

fn errors(problems: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    problems.iter().filter(|problem| problem.severity == Severity::Error)
}
