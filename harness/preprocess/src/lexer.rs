//! Splits HLSL and Slang text into tokens and preprocessor directives, each with its place, for the preprocessor.
//!
//! Keywords are identifiers here (most are contextual), and comments are dropped. `>>` is two
//! tokens, because it also closes two lists of generic arguments. A backslash at the end of a line
//! is white space, even inside a word, where C would join the halves.

use layoutproof_layout::{FileId, Span};
use logos::{FilterResult, Lexer, Logos, Skip};

use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    /// As written.
    pub text: &'a str,
    /// Place in the source. A token from a macro's definition has the place where the macro is used.
    pub span: Span,
    /// True if white space or a comment precedes it.
    pub spaced: bool,
}

/// The reason why the lexer could not read a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexError {
    #[default]
    Character,
    Comment,
    Text,
}

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip r"\\\r?\n")]
#[logos(error = LexError)]
pub enum TokenKind {
    /// May contain `$`, as in DXC (1.7.2308).
    #[regex("[A-Za-z_$][A-Za-z0-9_$]*")]
    Identifier,
    #[regex("0[xX][0-9a-fA-F]+[uUlL]*")]
    #[regex("0[bB][01]+[uUlL]*")]
    #[regex("[0-9]+[uUlL]*")]
    Integer,
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?[fFhHlL]*")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?[fFhHlL]*")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+[fFhHlL]*")]
    #[regex("[0-9]+[fFhH]")]
    // Infinity. DXC accepts it only after a whole `1.` (`1.#IND` and `1.#QNAN` are errors there), Slang also after `1`.
    #[regex(r"[0-9]+(\.[0-9]*)?#INF([fFhHlL]|hf|HF|lf|LF)?")]
    #[regex(r"0[xX][0-9a-fA-F]+(\.[0-9a-fA-F]*)?#INF([fFhHlL]|hf|HF|lf|LF)?")]
    Float,
    /// A digit followed by letters (`2D`): not a number, but `##` can paste it to a name.
    #[regex("[0-9][A-Za-z0-9_]*", priority = 1)]
    Digits,
    #[token("\"", text)]
    #[token("R\"", raw_text)]
    Text,
    #[token("#")]
    Hash,
    #[token("##")]
    HashHash,
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
    /// An operator that declarations and constants never need: `+=`, `++`, `...`.
    #[regex(r"'([^'\\\n]|\\[^\n][0-9a-fA-F]*)'")]
    #[regex(r"\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<=|\+\+|--|\.\.\.|@|\\|'")]
    Other,
    /// A name from its own definition, which is never replaced again. Exists only during macro expansion.
    Kept,
    /// Follows the last token.
    End,
}

fn text(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let length = quoted_length(rest.as_bytes());
    if !rest[..length].ends_with('"') {
        return Err(LexError::Text);
    }
    lexer.bump(length);
    Ok(())
}

/// Maximum length of a raw string's delimiter in bytes, by the rules of C++.
const LONGEST_DELIMITER: usize = 16;

/// `R"delimiter(...)delimiter"`. An unclosed one consumes the rest of the text, so that the search runs only once.
fn raw_text(lexer: &mut Lexer<TokenKind>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let opening = rest.bytes().take(LONGEST_DELIMITER + 1).position(|byte| byte == b'(').ok_or(LexError::Text)?;
    let closing = rest.get(..opening).map(|delimiter| format!("){delimiter}\"")).ok_or(LexError::Text)?;
    let end = rest.find(&closing);
    lexer.bump(end.map_or(rest.len(), |end| end + closing.len()));
    end.map(|_| ()).ok_or(LexError::Text)
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

/// Returns the bytes up to the end of the line. A backslash continues the line.
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

/// Returns the length of a directive after its `#`, in bytes: up to the end of the line. A
/// backslash or a comment continues it.
fn directive_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at += match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => return at,
            (b'/', Some(b'/')) => return at + line_length(&rest[at..]),
            (b'/', Some(b'*')) => rest[at + 2..].find("*/").map_or(bytes.len() - at, |end| end + 4),
            (b'"', _) => 1 + quoted_length(&bytes[at + 1..]),
            (b'\\', Some(b'\n')) => 2,
            (b'\\', Some(b'\r')) if bytes.get(at + 2) == Some(&b'\n') => 3,
            _ => 1,
        };
    }

    bytes.len()
}

/// Returns the length of a string after its opening quote, in bytes, including the closing quote.
/// An unclosed string ends with its line. A backslash escapes the next character, or the end of a
/// line.
fn quoted_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += match (bytes[at], bytes.get(at + 1), bytes.get(at + 2)) {
            (b'"', _, _) => return at + 1,
            (b'\\', Some(b'\r'), Some(b'\n')) => 3,
            (b'\\', Some(next), _) if next.is_ascii() => 2,
            _ => 1,
        };
    }
    at
}

/// One piece of a source text: a token, or the text of a directive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SourcePiece<'a> {
    Token(Token<'a>),
    /// A directive. Its text is the rest of the line after `#`; its place begins at the `#`.
    Directive(Token<'a>),
    /// A character sequence that is not a token.
    Problem(Diagnostic),
}

/// Iterates over the pieces of a text.
#[derive(Debug)]
pub(crate) struct SourcePieces<'a> {
    lexer: Lexer<'a, TokenKind>,
    file: FileId,
    /// Offset in the file at which the text begins.
    start: u32,
    /// End of the last piece.
    last_end: usize,
    last_error: Option<usize>,
    /// True inside the text of a directive, where `#` is an operator.
    inside_directive: bool,
}

impl<'a> SourcePieces<'a> {
    /// Splits `text`, which begins at byte `start` of `file`.
    pub(crate) fn new(text: &'a str, file: FileId, start: u32) -> Self {
        let lexer = TokenKind::lexer(text);
        Self { lexer, file, start, last_end: 0, last_error: None, inside_directive: false }
    }

    pub(crate) fn of_directive(directive: Token<'a>) -> Self {
        let length = u32::try_from(directive.text.len()).unwrap_or(u32::MAX);
        let start = directive.span.end.saturating_sub(length);
        Self { inside_directive: true, ..Self::new(directive.text, directive.span.file, start) }
    }

    fn span(&self) -> Span {
        let range = self.lexer.span();
        let offset = |at: usize| self.start.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        Span { file: self.file, start: offset(range.start), end: offset(range.end) }
    }

    fn error(&mut self, error: LexError) -> Option<SourcePiece<'a>> {
        let range = self.lexer.span();
        // A run of invalid characters is one problem.
        let told = self.last_error == Some(range.start);
        self.last_error = Some(range.end);
        (!told).then(|| SourcePiece::Problem(describe(error, self.span(), self.lexer.slice())))
    }

    fn hash(&mut self, starts_line: bool) -> SourcePiece<'a> {
        if !starts_line {
            return SourcePiece::Problem(describe(LexError::Character, self.span(), "#"));
        }
        let rest = self.lexer.remainder();
        let text = &rest[..directive_length(rest)];
        self.lexer.bump(text.len());
        SourcePiece::Directive(Token { kind: TokenKind::Hash, text, span: self.span(), spaced: true })
    }
}

impl<'a> Iterator for SourcePieces<'a> {
    type Item = SourcePiece<'a>;

    fn next(&mut self) -> Option<SourcePiece<'a>> {
        loop {
            let result = self.lexer.next()?;
            let before = &self.lexer.source()[self.last_end..self.lexer.span().start];
            let first = self.last_end == 0;

            let piece = match result {
                Ok(TokenKind::Hash) if !self.inside_directive => Some(self.hash(first || before.contains('\n'))),
                Ok(kind) => {
                    let (text, span) = (self.lexer.slice(), self.span());
                    Some(SourcePiece::Token(Token { kind, text, span, spaced: first || !before.is_empty() }))
                }
                Err(error) => self.error(error),
            };

            self.last_end = self.lexer.span().end;
            if piece.is_some() {
                return piece;
            }
        }
    }
}

/// Returns the kind of token if `text` is exactly one token.
pub(crate) fn single(text: &str) -> Option<TokenKind> {
    let mut lexer = TokenKind::lexer(text);
    let kind = lexer.next()?.ok()?;
    (lexer.slice() == text).then_some(kind)
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

    fn pieces(source: &str) -> Vec<SourcePiece<'_>> {
        SourcePieces::new(source, FileId(0), 0).collect()
    }

    fn texts(source: &str) -> Vec<&str> {
        let text = |piece| match piece {
            SourcePiece::Token(token) | SourcePiece::Directive(token) => token.text,
            SourcePiece::Problem(problem) => panic!("{}", problem.message),
        };
        pieces(source).into_iter().map(text).collect()
    }

    fn codes(source: &str) -> Vec<Code> {
        let code = |piece| match piece {
            SourcePiece::Token(_) | SourcePiece::Directive(_) => None,
            SourcePiece::Problem(problem) => Some(problem.code),
        };
        pieces(source).into_iter().filter_map(code).collect()
    }

    #[test]
    fn words_numbers_and_brackets() {
        assert_eq!(texts("float4x4 m[0x1Fu];"), ["float4x4", "m", "[", "0x1Fu", "]", ";"]);
        assert_eq!(texts("A<B<C>>"), ["A", "<", "B", "<", "C", ">", ">"]);
        assert_eq!(texts("c0.y 1.5f 1e3 .5 2h"), ["c0", ".", "y", "1.5f", "1e3", ".5", "2h"]);
        assert_eq!(texts("R\"(a\"\nb)\" c"), ["R\"(a\"\nb)\"", "c"]);
        assert_eq!(texts("2D 0x1F 12u a\\\n b"), ["2D", "0x1F", "12u", "a", "b"]);
        assert_eq!(texts(r#"[shader("a\"b")]"#), ["[", "shader", "(", r#""a\"b""#, ")", "]"]);
    }

    #[test]
    fn comments_and_directives_end_where_c_ends_them() {
        assert_eq!(texts("a // b\nc /* d \n e */ f"), ["a", "c", "f"]);
        assert_eq!(texts("a // b \\\nstill comment\nc"), ["a", "c"]);
        assert_eq!(texts("#define A \\\n 1\nb"), ["define A \\\n 1", "b"]);
        assert_eq!(texts(" # define A /* 1 \n 2 */ 3 // 4\nb"), [" define A /* 1 \n 2 */ 3 // 4", "b"]);
        assert_eq!(texts("#error \"/* open\nb"), ["error \"/* open", "b"]);
        assert_eq!(texts("#define A \"b \\\n c\" \\\n d\ne"), ["define A \"b \\\n c\" \\\n d", "e"]);
        assert_eq!(texts("\"b \\\r\n c\" d"), ["\"b \\\r\n c\"", "d"]);
        assert_eq!(codes("a # b"), [Code::UnexpectedToken]);
    }

    #[test]
    fn places_count_from_the_start_of_the_file() {
        let span = Span { file: FileId(3), start: 13, end: 15 };
        let token = Token { kind: TokenKind::Identifier, text: "cd", span, spaced: true };
        assert_eq!(SourcePieces::new("ab cd", FileId(3), 10).last(), Some(SourcePiece::Token(token)));
    }

    #[test]
    fn what_is_no_token_is_one_problem_each() {
        assert_eq!(codes("float a; /* open"), [Code::Unterminated]);
        assert_eq!(codes("\"open\nfloat a;"), [Code::Unterminated]);
        assert_eq!(codes("float é€€ a; ü"), [Code::UnexpectedToken, Code::UnexpectedToken]);
    }
}
