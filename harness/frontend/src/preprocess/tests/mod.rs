//! Compares sources with their preprocessed text.

mod directives;
mod hostile;
mod includes;
mod macros;
mod modules;

use std::sync::Arc;

use bumpalo::Bump;
use layoutproof_layout::Span;

use super::preprocess;
use crate::problems::ProblemList;
use crate::{DeclareOptions, declare};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::{ReadRefusal, SourceMap, Sources};

/// Files in memory.
#[derive(Clone, Debug, Default)]
struct Memory(Vec<(String, String)>);

impl Memory {
    fn of(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
    }

    fn options(&self, folders: &[&str]) -> DeclareOptions {
        DeclareOptions {
            include_paths: folders.iter().map(|folder| (*folder).to_owned()).collect(),
            files: Arc::new(self.clone()),
            ..DeclareOptions::default()
        }
    }
}

impl Sources for Memory {
    fn read(&self, path: &str) -> Result<String, ReadRefusal> {
        let found = self.0.iter().find(|(name, _)| name == path);
        found.map(|(_, text)| text.clone()).ok_or(ReadRefusal::NotFound)
    }

    fn in_another_case(&self, path: &str) -> Option<String> {
        self.0.iter().map(|(name, _)| name).find(|name| name.eq_ignore_ascii_case(path)).cloned()
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

/// Returns every problem of the declarations in `source`, as `file:line:column message (help)`.
fn said(source: &str, options: &DeclareOptions) -> Vec<String> {
    let (mut sources, span) = one_file("a/main.hlsl", source);
    let found = match declare(&mut sources, span, options) {
        Ok(module) => module.warnings,
        Err(found) => found,
    };
    let line = |problem: &Diagnostic| {
        let (place, file) = (sources.position(problem.span()), &sources.file(problem.span().file).name);
        let help = problem.help.as_ref().map(|help| format!(" ({})", help.replace('\n', "; "))).unwrap_or_default();
        format!("{file}:{}:{} {}{help}", place.line, place.column, problem.message)
    };
    found.iter().map(line).collect()
}
