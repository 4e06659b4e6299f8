//! Tokens of HLSL and Slang: text in, tokens with their places out.
//!
//! Keywords are identifiers here (most are contextual), comments are dropped, a preprocessor directive is one token,
//! and `>>` is two tokens, since it also closes two lists of generic arguments.

use logos::{FilterResult, Lexer, Logos, Skip};

use super::problems::Problems;
use crate::diagnostics::{Code, Diagnostic};
use crate::sources::{FileId, Span};

/// A token with its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// What it is.
    pub(super) kind: TokenKind,
    /// As written.
    pub(super) text: &'a str,
    /// Where it stands (for a token out of a definition: where the name is used).
    pub(super) span: Span,
}

/// Why there is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LexError {
    #[default]
    Character,
    Comment,
    Text,
}

/// Kinds of tokens.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(error = LexError)]
pub(super) enum TokenKind {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Identifier,
    #[regex("0[xX][0-9a-fA-F]+[uUlL]*")]
    #[regex("[0-9]+[uUlL]*")]
    Integer,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?[fFhHlL]*")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?[fFhHlL]*")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+[fFhHlL]*")]
    #[regex("[0-9]+[fFhH]")]
    Float,
    #[token("\"", text)]
    Text,
    #[token("#", directive)]
    Directive,
    #[token("//", line_comment)]
    #[token("/*", block_comment)]
    Comment,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token("(")]
    LeftParenthesis,
    #[token(")")]
    RightParenthesis,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token(".")]
    Dot,
    #[token("=")]
    Assign,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<<")]
    ShiftLeft,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("&")]
    Ampersand,
    #[token("|")]
    Bar,
    #[token("^")]
    Caret,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("~")]
    Tilde,
    #[token("!")]
    Bang,
    #[token("?")]
    Question,
    #[token("->")]
    Arrow,
    /// An operator that no declaration and no constant needs: `+=`, `++`, `...`.
    #[regex(r"\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<=|\+\+|--|\.\.\.|@|\$|\\|'")]
    Other,
    /// Stands behind the last token.
    End,
}

fn text(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    let mut escaped = false;
    for (at, character) in lexer.remainder().char_indices() {
        match character {
            '\n' => break,
            '"' if !escaped => {
                lexer.bump(at + 1);
                return Ok(());
            }
            _ => escaped = character == '\\' && !escaped,
        }
    }
    Err(LexError::Text)
}

fn line_comment(lexer: &mut Lexer<TokenKind>) -> Skip {
    lexer.bump(line_length(lexer.remainder()));
    Skip
}

fn block_comment(lexer: &mut Lexer<TokenKind>) -> FilterResult<(), LexError> {
    if let Some(end) = lexer.remainder().find("*/") {
        lexer.bump(end + 2);
        FilterResult::Skip
    } else {
        lexer.bump(lexer.remainder().len());
        FilterResult::Error(LexError::Comment)
    }
}

fn directive(lexer: &mut Lexer<TokenKind>) {
    lexer.bump(line_length(lexer.remainder()));
}

/// Bytes up to the end of the line; a backslash joins the next line on.
fn line_length(rest: &str) -> usize {
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        end += content.len();
        if !content.ends_with('\\') || content.len() == line.len() {
            break;
        }
        end += line.len() - content.len();
    }
    end
}

/// The tokens of `text`, whose first byte is byte `start` of `file`; what is no token is reported and left out.
pub(super) fn lex<'a>(text: &'a str, file: FileId, start: u32, problems: &mut Problems) -> Vec<Token<'a>> {
    let offset = |at: usize| start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
    let mut tokens = Vec::new();
    let mut last_error = None;
    for (result, range) in TokenKind::lexer(text).spanned() {
        let span = Span { file, start: offset(range.start), end: offset(range.end) };
        match result {
            Ok(kind) => tokens.push(Token { kind, text: &text[range], span }),
            // A run of strange characters is one problem.
            Err(_) if last_error == Some(range.start) => last_error = Some(range.end),
            Err(error) => {
                last_error = Some(range.end);
                problems.report(describe(error, span, &text[range]));
            }
        }
    }
    tokens
}

fn describe(error: LexError, span: Span, text: &str) -> Diagnostic {
    match error {
        LexError::Character => Diagnostic::error(Code::UnexpectedToken, span, format!("unexpected character `{text}`")),
        LexError::Comment => {
            let opening = Span { end: span.start.saturating_add(2), ..span };
            Diagnostic::error(Code::Unterminated, opening, "this comment is never closed")
        }
        LexError::Text => Diagnostic::error(Code::Unterminated, span, "this string is never closed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        lex(source, FileId(0), 0, &mut Problems::default()).iter().map(|token| token.text).collect()
    }

    fn codes(source: &str) -> Vec<Code> {
        let mut problems = Problems::default();
        lex(source, FileId(0), 0, &mut problems);
        problems.finish().iter().map(|problem| problem.code).collect()
    }

    #[test]
    fn words_numbers_and_brackets() {
        assert_eq!(texts("float4x4 m[0x1Fu];"), ["float4x4", "m", "[", "0x1Fu", "]", ";"]);
        assert_eq!(texts("A<B<C>>"), ["A", "<", "B", "<", "C", ">", ">"]);
        assert_eq!(texts("c0.y 1.5f 1e3 .5 2h"), ["c0", ".", "y", "1.5f", "1e3", ".5", "2h"]);
        assert_eq!(texts(r#"[shader("a\"b")]"#), ["[", "shader", "(", r#""a\"b""#, ")", "]"]);
    }

    #[test]
    fn comments_and_directives_end_where_c_ends_them() {
        assert_eq!(texts("a // b\nc /* d \n e */ f"), ["a", "c", "f"]);
        assert_eq!(texts("a // b \\\nstill comment\nc"), ["a", "c"]);
        assert_eq!(texts("#define A \\\n 1\nb"), ["#define A \\\n 1", "b"]);
    }

    #[test]
    fn places_count_from_the_start_of_the_file() {
        let tokens = lex("ab cd", FileId(3), 10, &mut Problems::default());
        assert_eq!(tokens[1].span, Span { file: FileId(3), start: 13, end: 15 });
    }

    #[test]
    fn what_is_no_token_is_one_problem_each() {
        assert_eq!(codes("float a; /* open"), [Code::Unterminated]);
        assert_eq!(codes("\"open\nfloat a;"), [Code::Unterminated]);
        assert_eq!(codes("float é€€ a; ü"), [Code::UnexpectedToken, Code::UnexpectedToken]);
    }
}
