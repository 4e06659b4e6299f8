//! The answer to a request of the page.

use layoutproof_report::html::{bindings_part, layout_sections, padding_part};
use layoutproof_show::{RuleSetLayouts, ShowInput};
use layoutproof_source::diagnostics::{Diagnostic, Severity, render};
use layoutproof_source::sources::SourceMap;
use serde::Serialize;

use crate::reading::ExploreReading;
use crate::request::ExploreRequest;

/// Maximum number of problems that are marked in the text. The rendered text ends with the number
/// of the others.
const MARKED: usize = 50;

/// The answer to an [`ExploreRequest`]. HTML parts escape the user's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreAnswer {
    /// True if the text could be laid out.
    pub is_read: bool,
    /// The first problems, with their places in the text.
    pub problems: Vec<ExploreProblem>,
    /// The problems as the command prints them, each with its line and a caret.
    pub rendered: String,
    /// HTML: for each block, a section with a table and byte maps.
    pub layouts: String,
    /// HTML: the padding of each block, and better orders of members.
    pub padding: String,
    /// HTML: the bindings; empty if no convention is requested or the text declares its own.
    pub bindings: String,
}

/// A problem with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExploreProblem {
    /// Error or warning.
    pub severity: Severity,
    /// Start of the place, in UTF-16 units like offsets of JavaScript strings.
    pub start: usize,
    /// End of the place (exclusive), in the same units.
    pub end: usize,
    /// Line of the start, from 1.
    pub line: u32,
    /// Column of the start in characters, from 1.
    pub column: u32,
    /// The kind of problem, in kebab case.
    pub code: String,
    /// A sentence about the problem.
    pub message: String,
    /// Advice for solving it.
    pub help: Option<String>,
}

/// Parses the text and draws its declarations.
pub fn explore(request: &ExploreRequest) -> ExploreAnswer {
    let read = ExploreReading::of(request);
    match &read.input {
        Err(problems) => ExploreAnswer {
            is_read: false,
            problems: marked(problems, &read.sources),
            rendered: render(problems, &read.sources, false),
            layouts: String::new(),
            padding: String::new(),
            bindings: String::new(),
        },
        Ok(input) => laid_out(&read, input),
    }
}

fn laid_out(read: &ExploreReading, input: &ShowInput) -> ExploreAnswer {
    let layouts = input.layouts(&read.rules);
    let columns: Vec<_> = layouts.iter().map(RuleSetLayouts::column).collect();
    let placements = input.placements(&read.bindings);

    let mut problems = input.warnings(&layouts);
    problems.extend(placements.warnings());
    problems.extend(placements.refused.iter().cloned());
    let has_bindings = !placements.columns.is_empty();
    ExploreAnswer {
        is_read: true,
        problems: marked(&problems, &read.sources),
        rendered: render(&problems, &read.sources, false),
        layouts: layout_sections(&columns, input.written_language()),
        padding: padding_part(&input.padding(&layouts)),
        bindings: if has_bindings { bindings_part(&placements.columns) } else { String::new() },
    }
}

/// The first problems to mark, errors before warnings.
fn marked(problems: &[Diagnostic], sources: &SourceMap) -> Vec<ExploreProblem> {
    let of = |severity| problems.iter().filter(move |problem| problem.severity == severity);
    let shown = of(Severity::Error).chain(of(Severity::Warning)).take(MARKED);
    shown.map(|problem| marked_problem(problem, sources)).collect()
}

fn marked_problem(problem: &Diagnostic, sources: &SourceMap) -> ExploreProblem {
    let span = problem.span();
    let text = &sources.file(span.file).text;
    let units = |byte: u32| text.get(..byte as usize).map_or(0, |before| before.encode_utf16().count());
    let place = sources.position(span);
    ExploreProblem {
        severity: problem.severity,
        start: units(span.start),
        end: units(span.end),
        line: place.line,
        column: place.column,
        code: problem.code.to_string(),
        message: problem.message.clone(),
        help: problem.help.clone(),
    }
}
