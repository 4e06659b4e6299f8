//! Macro definitions: reads the tokens of a `#define` line.
//!
//! Source: ISO C11, 6.10.3 "Macro replacement".

use layoutproof_layout::Span;

use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Macro<'a> {
    pub(super) name: &'a str,
    /// Place of the name in its definition.
    pub(super) span: Span,
    /// Names of the parameters, or `None` for an object-like macro.
    pub(super) parameters: Option<Vec<&'a str>>,
    /// True if the last parameter accepts all further arguments.
    pub(super) variadic: bool,
    pub(super) replacement: Replacement<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Replacement<'a> {
    /// The parts from its definition.
    Parts(Vec<ReplacementPart<'a>>),
    /// `__LINE__`.
    Line,
    /// `__FILE__`.
    File,
    /// `__COUNTER__`.
    Counter,
    /// A macro of the compiler whose value the options do not determine.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ReplacementPart<'a> {
    Token(Token<'a>),
    /// The argument for the parameter with this index.
    Parameter(Token<'a>, usize),
    /// `#` and the parameter with this index.
    Stringised(Token<'a>, usize),
    /// `##`.
    Paste,
}

impl<'a> Macro<'a> {
    /// Creates a macro of the compiler.
    pub(super) fn built_in(name: &'a str, replacement: Replacement<'a>) -> Self {
        Self { name, span: Span::default(), parameters: None, variadic: false, replacement }
    }

    /// Reads the text after `#define`.
    pub(super) fn read(directive: Span, tokens: &[Token<'a>]) -> Result<Self, Diagnostic> {
        let name = definable_name(directive, tokens)?;
        let rest = &tokens[1..];

        // Only a `(` directly after the name opens parameters. After a blank, it belongs to the replacement.
        let is_function = rest.first().is_some_and(|token| token.kind == TokenKind::LeftParenthesis && !token.spaced);
        let mut parameters = MacroParameters::default();
        let body = if is_function { parameters.read(name.span, rest)? } else { rest };
        let parts = read_parts(body, is_function, &parameters.names)?;

        Ok(Self {
            name: name.text,
            span: name.span,
            parameters: is_function.then_some(parameters.names),
            variadic: parameters.variadic,
            replacement: Replacement::Parts(parts),
        })
    }

    /// Returns true if a directive defines it.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.replacement, Replacement::Parts(_))
    }

    /// Returns true if both definitions are equal, in which case C allows the repetition.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let parts = |defined: &Self| match &defined.replacement {
            Replacement::Parts(parts) => Some(parts.iter().map(ReplacementPart::text).collect::<Vec<_>>()),
            Replacement::Line | Replacement::File | Replacement::Counter | Replacement::Unknown => None,
        };
        self.parameters == other.parameters && self.variadic == other.variadic && parts(self) == parts(other)
    }
}

impl<'a> ReplacementPart<'a> {
    fn text(&self) -> (&'static str, &'a str) {
        match self {
            Self::Token(token) | Self::Parameter(token, _) => ("", token.text),
            Self::Stringised(token, _) => ("#", token.text),
            Self::Paste => ("##", ""),
        }
    }
}

/// Returns the name in a `#define` or `#undef`.
pub(super) fn definable_name<'a>(directive: Span, tokens: &[Token<'a>]) -> Result<Token<'a>, Diagnostic> {
    let bad = |span, message: String| Err(Diagnostic::error(Code::Preprocessor, span, message));
    match tokens.first() {
        None => bad(directive, "expected the name of a macro".to_owned()),
        Some(name) if name.kind != TokenKind::Identifier || name.text == "defined" => {
            bad(name.span, format!("`{}` cannot be the name of a macro", name.text))
        }
        Some(name) => Ok(*name),
    }
}

#[derive(Debug, Default)]
struct MacroParameters<'a> {
    names: Vec<&'a str>,
    variadic: bool,
}

impl<'a> MacroParameters<'a> {
    /// Reads `(a, b, ...)` at the start of `tokens`. Returns the rest.
    fn read<'t>(&mut self, name: Span, tokens: &'t [Token<'a>]) -> Result<&'t [Token<'a>], Diagnostic> {
        let bad = |span, message: &str| Diagnostic::error(Code::Preprocessor, span, message);
        let mut at = 1;
        while let Some(token) = tokens.get(at) {
            let behind = tokens.get(at + 1).map(|token| token.kind);
            match token.kind {
                TokenKind::RightParenthesis if self.names.is_empty() => return Ok(&tokens[at + 1..]),
                TokenKind::Identifier if self.names.contains(&token.text) => {
                    return Err(bad(token.span, "two parameters of this macro have the same name"));
                }
                TokenKind::Identifier => self.names.push(token.text),
                TokenKind::Other if token.text == "..." => {
                    self.names.push("__VA_ARGS__");
                    self.variadic = true;
                }
                _ => return Err(bad(token.span, "expected the name of a parameter")),
            }
            at += 1;
            // `args...` is the GNU spelling of named variable arguments.
            if !self.variadic && behind == Some(TokenKind::Other) && tokens[at].text == "..." {
                self.variadic = true;
                at += 1;
            }
            match tokens.get(at).map(|token| token.kind) {
                Some(TokenKind::RightParenthesis) => return Ok(&tokens[at + 1..]),
                Some(TokenKind::Comma) if !self.variadic => at += 1,
                _ => break,
            }
        }
        Err(bad(name, "the parameters of this macro are never closed"))
    }
}

fn read_parts<'a>(
    body: &[Token<'a>],
    is_function: bool,
    parameters: &[&'a str],
) -> Result<Vec<ReplacementPart<'a>>, Diagnostic> {
    let bad = |token: &Token<'_>, message: &str| Err(Diagnostic::error(Code::Preprocessor, token.span, message));
    let index = |token: &Token<'_>| {
        parameters.iter().position(|name| token.kind == TokenKind::Identifier && *name == token.text)
    };

    let mut parts = Vec::with_capacity(body.len());
    let mut tokens = body.iter();
    while let Some(token) = tokens.next() {
        parts.push(match (token.kind, index(token)) {
            (TokenKind::HashHash, _) if parts.is_empty() || tokens.len() == 0 => {
                return bad(token, "`##` needs an operand on both sides");
            }
            (TokenKind::HashHash, _) => ReplacementPart::Paste,
            (TokenKind::Hash, _) if is_function => match tokens.next().and_then(&index) {
                Some(index) => ReplacementPart::Stringised(*token, index),
                None => return bad(token, "`#` must precede a parameter of the macro"),
            },
            (_, Some(index)) => ReplacementPart::Parameter(*token, index),
            (_, None) => ReplacementPart::Token(*token),
        });
    }

    Ok(parts)
}
