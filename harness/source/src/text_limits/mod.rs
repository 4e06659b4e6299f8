//! Checks WGSL and GLSL texts before naga reads them. Refuses those that nest too deep or grow too large.
//!
//! This is one pass over the text that knows only tokens, brackets and macros of the languages, so
//! it can only estimate. The limits are far above what people and generators write, and a text that
//! passes may still be too much for naga. naga's recursion depth follows the nesting of brackets
//! and the length of operator and `else if` chains. Its preprocessor expands macros without a
//! limit, and its time is quadratic in the number of quotes in a directive.

mod macros;
mod shape;
pub(crate) mod tokens;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;

use layoutproof_layout::{FileId, Span};

use self::macros::Macros;
use self::shape::check_shape;
use self::tokens::{LimitToken, LimitTokenKind, Tokens};
use crate::diagnostics::{Code, Diagnostic};
use crate::shader_language::ShaderLanguage;

/// Maximum size of a text in bytes.
const MOST_BYTES: usize = 1 << 24;

/// Maximum number of tokens in a text, after macro expansion.
const MOST_TOKENS: u64 = 1 << 20;

/// Maximum nesting depth of brackets, and of statements without braces.
const DEEPEST: usize = 256;

/// Maximum number of `else if` after one `if`.
const MOST_ELSE_IFS: usize = 1000;

/// Maximum number of operator characters in one expression, including member accesses.
const MOST_OPERATORS: usize = 8192;

/// Maximum nesting depth of `<` after a name, where it opens template arguments or compares.
const DEEPEST_TEMPLATE: usize = 1000;

/// Maximum number of elements in an array, over all dimensions. naga limits types to 2^30 bytes.
const MOST_ELEMENTS: u64 = 1 << 28;

/// Maximum number of quotes in one directive.
const MOST_QUOTES: usize = 64;

/// Checks the limits for the text of `file`.
pub fn check_text(text: &str, file: FileId, language: ShaderLanguage) -> Result<(), Diagnostic> {
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

/// Returns the directives of a GLSL text, in order. Each range goes from `#` to the end of the
/// line, including continuation lines.
pub fn directives(text: &str) -> impl Iterator<Item = Range<usize>> {
    let directives = Tokens::new(text, ShaderLanguage::Glsl).filter(|token| token.kind == LimitTokenKind::Directive);
    directives.map(|directive| directive.start..directive.start + directive.text.len())
}

/// Returns the names and keywords of a GLSL text outside comments and directives.
pub fn glsl_words(text: &str) -> BTreeSet<&str> {
    let words = Tokens::new(text, ShaderLanguage::Glsl).filter(|token| token.kind == LimitTokenKind::Word);
    words.map(|token| token.text).collect()
}

/// Returns the words, numbers and other characters of a GLSL text outside comments. A directive is one token, from its `#`
/// to the end of its last line.
pub fn glsl_tokens(text: &str) -> impl Iterator<Item = &str> + Clone {
    placed_glsl_tokens(text).map(|(_, token)| token)
}

/// The same, each with its first byte.
pub fn placed_glsl_tokens(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    Tokens::new(text, ShaderLanguage::Glsl).map(|token| (token.start, token.text))
}

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
