//! Compares sources with their preprocessed text.

mod directives;
mod hostile;
mod includes;
mod macros;
mod modules;

use std::collections::BTreeMap;
use std::sync::Arc;

use bumpalo::Bump;
use layoutproof_layout::Span;

use super::{DeclareOptions, PreprocessedSource, preprocess};
use crate::problems::ProblemList;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// Options for a source next to `files`, with `-I` folders.
fn options(files: &[(&str, &str)], folders: &[&str]) -> DeclareOptions {
    let files: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    DeclareOptions {
        include_paths: folders.iter().map(|folder| (*folder).to_owned()).collect(),
        files: Arc::new(files),
        ..DeclareOptions::default()
    }
}

/// Returns a source map with `source` as its only file, and the place of that file.
fn one_file(name: &str, source: &str) -> (SourceMap, Span) {
    let mut sources = SourceMap::default();
    let file = sources.add(name, source);
    (sources, Span { file, start: 0, end: u32::try_from(source.len()).unwrap() })
}

/// Returns the tokens of the file `name`, separated by blanks, or the codes of its problems.
fn tokens_of(name: &str, source: &str, options: &DeclareOptions) -> Result<String, Vec<Code>> {
    let (sources, span) = one_file(name, source);
    let (mut problems, made) = (ProblemList::default(), Bump::new());
    let preprocessed = preprocess(&sources, span, options, &made, &mut problems);
    let tokens = preprocessed.prepared.map(|prepared| prepared.tokens).unwrap_or_default();
    let texts: Vec<&str> = tokens.iter().map(|token| token.text).collect();
    let texts = texts.join(" ");
    let codes: Vec<Code> = problems.finish().iter().map(|problem| problem.code).collect();
    if codes.is_empty() { Ok(texts) } else { Err(codes) }
}

fn tokens(source: &str) -> Result<String, Vec<Code>> {
    tokens_of("a/main.hlsl", source, &DeclareOptions::default())
}

#[track_caller]
fn gives(source: &str, expected: &str) {
    assert_eq!(tokens(source), Ok(expected.split_whitespace().collect::<Vec<_>>().join(" ")), "{source}");
}

#[track_caller]
fn refused(source: &str) {
    assert_eq!(tokens(source), Err(vec![Code::Preprocessor]), "{source}");
}

/// Returns every problem of `source`, as `file:line:column message (help)`.
fn said(source: &str, options: &DeclareOptions) -> Vec<String> {
    let (mut sources, span) = one_file("a/main.hlsl", source);
    let (mut problems, made) = (ProblemList::default(), Bump::new());
    let PreprocessedSource { trace, added, .. } = preprocess(&sources, span, options, &made, &mut problems);
    for file in added {
        sources.add(file.name, file.text);
    }
    let found: Vec<Diagnostic> =
        problems.finish().into_iter().map(|problem| trace.explain(problem, &sources)).collect();
    let line = |problem: &Diagnostic| {
        let (place, file) = (sources.position(problem.span()), &sources.file(problem.span().file).name);
        let help = problem.help.as_ref().map(|help| format!(" ({})", help.replace('\n', "; "))).unwrap_or_default();
        format!("{file}:{}:{} {}{help}", place.line, place.column, problem.message)
    };
    found.iter().map(line).collect()
}
