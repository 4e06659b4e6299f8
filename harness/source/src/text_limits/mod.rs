//! Checks WGSL and GLSL texts before naga reads them, and refuses what nests too deep or grows too large.
//!
//! One pass over the text, which knows tokens, brackets and macros and nothing else of the languages, so it can only
//! estimate: the limits are far from what people and generators write, and a text that passes may still be more than naga
//! takes. naga's recursion is as deep as brackets nest, chains of operators and `else if` are long; its preprocessor
//! expands macros without a limit, and takes time quadratic in the quotes of a directive.

mod macros;
mod shape;
mod tokens;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};

use self::macros::Macros;
use self::shape::check_shape;
use self::tokens::{LimitToken, LimitTokenKind, Tokens};
use crate::diagnostics::{Code, Diagnostic};

/// Most bytes of a text.
const MOST_BYTES: usize = 1 << 24;

/// Most tokens of a text, macros expanded.
const MOST_TOKENS: u64 = 1 << 20;

/// Deepest nesting of brackets, and of statements without brackets.
const DEEPEST: usize = 256;

/// Most `else if` of one `if`.
const MOST_ELSE_IFS: usize = 1000;

/// Most characters of operators in one expression, member accesses among them.
const MOST_OPERATORS: usize = 8192;

/// Deepest nesting of `<` behind a name, which opens a list of template arguments or compares.
const DEEPEST_TEMPLATE: usize = 1000;

/// Most elements of an array over all its dimensions. naga's types end at 2^30 bytes.
const MOST_ELEMENTS: u64 = 1 << 28;

/// Most quotes in one directive.
const MOST_QUOTES: usize = 64;

/// A language that naga reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLanguage {
    /// WGSL.
    Wgsl,
    /// GLSL, with a preprocessor.
    Glsl,
}

/// Checks the limits of a text, which is `file`.
///
/// # Errors
/// The first thing that the text has too much of, at its place.
pub fn check_text(text: &str, file: FileId, language: TextLanguage) -> Result<(), Diagnostic> {
    let place = FileText { text, file };
    if text.len() > MOST_BYTES {
        return Err(place.exceeded(0, format!("the text has {} bytes, more than {MOST_BYTES}", text.len())));
    }

    let mut macros = Macros::default();
    let mut code = Vec::new();
    for token in Tokens::new(text, language) {
        match token.kind {
            LimitTokenKind::Directive => check_directive(token, place, &mut macros)?,
            LimitTokenKind::Word | LimitTokenKind::Number | LimitTokenKind::Sign => code.push(token),
        }
    }

    check_shape(&code, place)?;
    macros.check_expansion(&code, place)
}

/// The directives of a GLSL text, in order: each from its `#` to the end of its line, with the lines that continue it.
pub fn directives(text: &str) -> impl Iterator<Item = Range<usize>> {
    let directives = Tokens::new(text, TextLanguage::Glsl).filter(|token| token.kind == LimitTokenKind::Directive);
    directives.map(|directive| directive.start..directive.start + directive.text.len())
}

/// The names and keywords of a GLSL text outside of comments and directives.
pub fn glsl_words(text: &str) -> BTreeSet<&str> {
    let words = Tokens::new(text, TextLanguage::Glsl).filter(|token| token.kind == LimitTokenKind::Word);
    words.map(|token| token.text).collect()
}

/// A text in whose bytes places count.
#[derive(Clone, Copy)]
struct FileText<'a> {
    text: &'a str,
    file: FileId,
}

impl FileText<'_> {
    fn span(self, start: usize) -> Span {
        let byte = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let length = self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        Span { file: self.file, start: byte(start), end: byte(start + length) }
    }

    fn exceeded(self, start: usize, message: String) -> Diagnostic {
        Diagnostic::error(Code::LimitExceeded, self.span(start), message)
    }

    fn too_deep(self, start: usize, what: impl Display, limit: usize) -> Diagnostic {
        let message = format!("{what} nest more than {limit} levels deep");
        Diagnostic::error(Code::TooDeep, self.span(start), message)
    }
}

/// Checks a directive, and keeps the macro that it defines.
fn check_directive<'a>(
    directive: LimitToken<'a>,
    place: FileText<'a>,
    macros: &mut Macros<'a>,
) -> Result<(), Diagnostic> {
    let mut quotes = directive.text.match_indices(['"', '\'']);
    if let Some((at, _)) = quotes.nth(MOST_QUOTES) {
        let message = format!("this directive has more than {MOST_QUOTES} quotes");
        return Err(place.exceeded(directive.start + at, message));
    }

    let body: Vec<LimitToken<'a>> = Tokens::of_directive(directive).collect();
    check_shape(&body, place)?;
    macros.define(&body);
    Ok(())
}

#[cfg(test)]
mod tests;
