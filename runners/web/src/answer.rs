//! What the page shows of a request.

use layoutproof_core::input::diagnostics::{Diagnostic, Severity, render};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::report::html::{bindings_part, layout_sections, padding_part};
use layoutproof_core::show::{RuleSetLayouts, ShowInput};
use serde::Serialize;

use crate::reading::ExploreReading;
use crate::request::ExploreRequest;

/// Problems that are marked in the text; the rendered ones end with the number of the others.
const MARKED: usize = 50;

/// The answer to an [`ExploreRequest`]. What is HTML is escaped where it holds texts of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExploreAnswer {
    /// True if the text is laid out.
    pub is_read: bool,
    /// The first problems, with their places in the text.
    pub problems: Vec<ExploreProblem>,
    /// The problems as the command prints them, each with its line and a caret.
    pub rendered: String,
    /// HTML: a section with table and byte maps for each block.
    pub layouts: String,
    /// HTML: where padding is, and better orders.
    pub padding: String,
    /// HTML: where parameters are bound; empty where no convention was asked or the text says it itself.
    pub bindings: String,
}

/// A problem with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExploreProblem {
    /// Its weight.
    pub severity: Severity,
    /// First place, in the units of JavaScript's strings.
    pub start: usize,
    /// One past the last place.
    pub end: usize,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
    /// In kebab case.
    pub code: String,
    /// Sentence.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

/// Reads the text and draws what it declares.
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
        layouts: layout_sections(&columns, input.words()),
        padding: padding_part(&input.padding(&layouts)),
        bindings: if has_bindings { bindings_part(&placements.columns) } else { String::new() },
    }
}

/// The first problems, errors before warnings.
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
