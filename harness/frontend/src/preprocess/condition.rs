//! `#if` and related directives: decides which lines to skip, and evaluates `defined`.
//!
//! Source: ISO C11, 6.10.1 "Conditional inclusion".

use layoutproof_layout::Span;

use super::Preprocessor;
use super::evaluate::value;
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A condition without its `#endif` yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// The place of its `#if`.
    pub(super) span: Span,
    pub(super) state: BranchState,
    pub(super) has_else: bool,
}

/// Tells which branch of a condition is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchState {
    /// The current one.
    Taken,
    /// Possibly a later one.
    Waiting,
    /// None of the remaining ones.
    Done,
}

impl Condition {
    /// Returns true if the lines here are read.
    pub(super) fn is_taken(self) -> bool {
        self.state == BranchState::Taken
    }
}

impl<'a> Preprocessor<'a> {
    /// Evaluates the expression of an `#if`. Reports an invalid one; everything after it is then uncertain.
    pub(super) fn holds(&mut self, directive: Span, tokens: Vec<Token<'a>>) -> bool {
        self.in_condition = true;
        let expanded = self.expand_alone(tokens);
        self.in_condition = false;
        match value(&expanded, directive) {
            Ok(value) => value != 0,
            Err(problem) => {
                self.report_incomplete(problem);
                false
            }
        }
    }

    /// Evaluates `defined X` or `__has_include("x")`.
    pub(super) fn question(&mut self, token: Token<'a>) -> Option<Token<'a>> {
        let holds = match token.text {
            "defined" => self.is_defined(token),
            "__has_include" => self.has_include(token),
            _ => return None,
        };
        let text = if holds { "1" } else { "0" };
        Some(Token { kind: TokenKind::Integer, text, ..token })
    }

    fn is_defined(&mut self, question: Token<'a>) -> bool {
        let first = self.raw();
        let bracketed = first.is_some_and(|token| token.kind == TokenKind::LeftParenthesis);
        let name = if bracketed { self.raw() } else { first };
        let closed = !bracketed || self.raw().is_some_and(|token| token.kind == TokenKind::RightParenthesis);
        match name {
            Some(name) if name.kind == TokenKind::Identifier && closed => self.macros.contains_key(name.text),
            Some(_) | None => {
                let message = "`defined` needs the name of a macro";
                self.report_incomplete(Diagnostic::error(Code::Preprocessor, question.span, message));
                false
            }
        }
    }
}
