//! The answer to a request of the page.

use layoutproof_render::render;
use layoutproof_report::html::{bindings_part, map_sections, offset_sections, padding_part};
use layoutproof_show::layout_text::shown_columns::MergedBlock;
use layoutproof_show::{ReorderedText, RuleSetLayouts, ShowInput};
use layoutproof_source::diagnostics::{Diagnostic, Severity};
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
    /// Number of blocks in the text.
    pub blocks: usize,
    /// Number of those that have several layouts.
    pub differing: usize,
    /// HTML: for each block, a section with the offsets of its members.
    pub offsets: String,
    /// HTML: for each block, a section with byte maps.
    pub maps: String,
    /// HTML: the bindings; empty if no convention is requested or the text declares its own.
    pub bindings: String,
}

/// The padding of a text. Finding better orders takes longer than everything else, so the page asks
/// for it separately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PaddingAnswer {
    /// HTML: for each block, a section with its padding and better orders of members. Empty if the
    /// text could not be laid out.
    pub padding: String,
    /// The orders that can be applied to the text; the HTML has their indices.
    pub orders: Vec<TextEdit>,
}

/// A change of the text, in UTF-16 units like offsets of JavaScript strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextEdit {
    pub start: usize,
    /// Exclusive.
    pub end: usize,
    /// What to write in place of the range.
    pub text: String,
}

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
            blocks: 0,
            differing: 0,
            offsets: String::new(),
            maps: String::new(),
            bindings: String::new(),
        },
        Ok(input) => laid_out(&read, input),
    }
}

/// Parses the text and looks for better orders of its members.
pub fn padding(request: &ExploreRequest) -> PaddingAnswer {
    let read = ExploreReading::of(request);
    let Ok(input) = &read.input else { return PaddingAnswer { padding: String::new(), orders: Vec::new() } };
    let blocks = input.padded_blocks(&input.layouts(&read.rules), &read.sources);
    let edits = blocks.iter().flat_map(|block| &block.better).filter_map(|better| better.edit.as_ref());
    let edit = |edit: &ReorderedText| TextEdit {
        start: units(&request.text, edit.body.start),
        end: units(&request.text, edit.body.end),
        text: edit.text.clone(),
    };
    PaddingAnswer { padding: padding_part(&blocks).into_string(), orders: edits.map(edit).collect() }
}

fn laid_out(read: &ExploreReading, input: &ShowInput) -> ExploreAnswer {
    let layouts = input.layouts(&read.rules);
    let columns: Vec<_> = layouts.iter().map(RuleSetLayouts::column).collect();
    let placements = input.placements(&read.bindings);

    let mut problems = input.warnings(&layouts);
    problems.extend(placements.warnings());
    problems.extend(placements.refused.iter().cloned());
    let merged = MergedBlock::all(&columns);
    let has_bindings = !placements.columns.is_empty();
    ExploreAnswer {
        is_read: true,
        problems: marked(&problems, &read.sources),
        rendered: render(&problems, &read.sources, false),
        blocks: merged.len(),
        differing: merged.iter().filter(|block| block.differs()).count(),
        offsets: offset_sections(&columns, input.written_language()).into_string(),
        maps: map_sections(&columns, input.written_language()).into_string(),
        bindings: if has_bindings { bindings_part(&placements.columns).into_string() } else { String::new() },
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
    let place = sources.position(span);
    ExploreProblem {
        severity: problem.severity,
        start: units(text, span.start as usize),
        end: units(text, span.end as usize),
        line: place.line,
        column: place.column,
        code: problem.code.to_string(),
        message: problem.message.clone(),
        help: problem.help.clone(),
    }
}

/// UTF-16 units before a byte of the text.
fn units(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| before.encode_utf16().count())
}
