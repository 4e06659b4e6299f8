//! What is left of preprocessing: object-like definitions from the options, `#pragma pack_matrix`, `#pragma once`.
//!
//! Tokens in, tokens without directives out. A directive that could change a declaration is an error here; includes,
//! conditions and macros of the file itself are resolved before.

use std::collections::BTreeMap;

use super::lexer::{Token, TokenKind, lex};
use super::problems::Problems;
use crate::diagnostics::{Code, Diagnostic};
use crate::shape::MatrixOrder;
use crate::sources::{FileId, Span};

/// Definitions that double themselves grow without bound; no real file comes near this many tokens.
const EXPANDED: usize = 1 << 20;

/// Tokens without directives, and what the directives said.
#[derive(Debug, Default)]
pub(super) struct Prepared<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// From this token on matrices without a modifier have this order; ascending.
    pub(super) orders: Vec<(usize, Option<MatrixOrder>)>,
}

/// Removes directives and replaces defined names.
pub(super) fn prepare<'a>(
    tokens: Vec<Token<'a>>,
    defines: &'a [(String, String)],
    problems: &mut Problems,
) -> Prepared<'a> {
    let definitions = Definitions::new(defines, problems);
    let mut prepared = Prepared { tokens: Vec::with_capacity(tokens.len()), orders: Vec::new() };
    let mut budget = EXPANDED;
    for token in tokens {
        match token.kind {
            TokenKind::Directive => directive(token, &mut prepared, problems),
            TokenKind::Identifier => match definitions.expand(token, &mut prepared.tokens, &mut budget) {
                Ok(()) => {}
                Err(problem) => {
                    problems.report(problem);
                    break;
                }
            },
            _ => prepared.tokens.push(token),
        }
    }
    prepared
}

/// The definitions of the options, as tokens.
#[derive(Debug)]
struct Definitions<'a> {
    tokens: BTreeMap<&'a str, Vec<Token<'a>>>,
}

impl<'a> Definitions<'a> {
    fn new(defines: &'a [(String, String)], problems: &mut Problems) -> Self {
        let lex_value = |value: &'a str| lex(value, FileId::default(), 0, problems);
        let values: Vec<_> = defines.iter().map(|(_, value)| value.as_str()).map(lex_value).collect();
        Self { tokens: defines.iter().map(|(name, _)| name.as_str()).zip(values).collect() }
    }

    /// Appends what `token` stands for. A name inside its own definition stays as it is, as in C.
    fn expand(&self, token: Token<'a>, out: &mut Vec<Token<'a>>, budget: &mut usize) -> Result<(), Diagnostic> {
        let Some(replacement) = self.tokens.get(token.text) else {
            out.push(token);
            return Ok(());
        };
        let mut open = vec![(token.text, replacement.iter())];
        while let Some((_, rest)) = open.last_mut() {
            let Some(next) = rest.next() else {
                open.pop();
                continue;
            };
            *budget = budget.checked_sub(1).ok_or_else(|| {
                Diagnostic::error(Code::Preprocessor, token.span, "definitions expand to more than 2^20 tokens")
            })?;
            match self.tokens.get(next.text) {
                Some(inner) if open.iter().all(|(name, _)| *name != next.text) => open.push((next.text, inner.iter())),
                Some(_) | None => out.push(Token { span: token.span, ..*next }),
            }
        }
        Ok(())
    }
}

fn directive(token: Token<'_>, prepared: &mut Prepared<'_>, problems: &mut Problems) {
    let words: Vec<&str> = words(token.text);
    match words.as_slice() {
        [] | ["pragma", "once"] => {}
        ["pragma", "pack_matrix", "(", order, ")"] => match pack_order(order) {
            Ok(order) => prepared.orders.push((prepared.tokens.len(), order)),
            Err(()) => problems.report(Diagnostic::error(
                Code::Preprocessor,
                token.span,
                format!("`{order}` is no matrix order: use `row_major`, `column_major` or `default`"),
            )),
        },
        ["pragma", "pack_matrix", ..] => {
            problems.report(Diagnostic::error(Code::Preprocessor, token.span, "expected `#pragma pack_matrix(order)`"));
        }
        ["pragma" | "line" | "warning", ..] => {
            problems.report(Diagnostic::warning(Code::Preprocessor, first_line(token), "this directive is ignored"));
        }
        [name, ..] => problems.report(Diagnostic::error(
            Code::Preprocessor,
            first_line(token),
            format!("`#{name}` must be resolved before declarations are read"),
        )),
    }
}

fn pack_order(word: &str) -> Result<Option<MatrixOrder>, ()> {
    match word {
        "default" => Ok(None),
        _ => MatrixOrder::of_modifier(word).map(Some).ok_or(()),
    }
}

/// The place of a directive without the lines that a backslash joins on.
fn first_line(token: Token<'_>) -> Span {
    let length = token.text.find(['\n', '\r']).unwrap_or(token.text.len());
    Span { end: token.span.start.saturating_add(u32::try_from(length).unwrap_or(u32::MAX)), ..token.span }
}

/// The tokens of a directive behind `#`, without comments.
fn words(directive: &str) -> Vec<&str> {
    let rest = directive.strip_prefix('#').unwrap_or(directive);
    lex(rest, FileId::default(), 0, &mut Problems::default()).iter().map(|token| token.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(source: &str, defines: &[(&str, &str)]) -> Result<String, Vec<Code>> {
        let defines: Vec<_> = defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut problems = Problems::default();
        let tokens = lex(source, FileId(0), 0, &mut problems);
        let prepared = prepare(tokens, &defines, &mut problems);
        let texts: Vec<&str> = prepared.tokens.iter().map(|token| token.text).collect();
        let texts = texts.join(" ");
        let codes: Vec<Code> = problems.finish().iter().map(|problem| problem.code).collect();
        if codes.is_empty() { Ok(texts) } else { Err(codes) }
    }

    #[test]
    fn definitions_are_replaced_as_tokens() {
        assert_eq!(prepared("float a[N];", &[("N", "2 + 2")]), Ok("float a [ 2 + 2 ] ;".into()));
        assert_eq!(prepared("A", &[("A", "B 1"), ("B", "C"), ("C", "2")]), Ok("2 1".into()));
        assert_eq!(prepared("A B", &[("A", "B"), ("B", "A")]), Ok("A B".into()));
        assert_eq!(prepared("X y", &[("X", "")]), Ok("y".into()));
    }

    #[test]
    fn definitions_that_double_are_refused() {
        let doubling: Vec<_> = (0..40).map(|n| (format!("A{n}"), format!("A{} A{}", n + 1, n + 1))).collect();
        let defines: Vec<_> = doubling.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(prepared("A0", &defines), Err(vec![Code::Preprocessor]));
    }

    #[test]
    fn directives() {
        assert_eq!(prepared("#pragma once\nfloat a;", &[]), Ok("float a ;".into()));
        assert_eq!(prepared("#pragma pack_matrix( row_major ) // why\nfloat a;", &[]), Ok("float a ;".into()));
        for refused in
            ["#include \"a.h\"\n", "#if 1\n", "#define A 1\n", "#pragma pack_matrix(sideways)\n", "#line 4\n"]
        {
            assert_eq!(prepared(refused, &[]), Err(vec![Code::Preprocessor]), "{refused}");
        }
    }
}
