//! `#if` and its kin: which lines are left out, and what `defined` answers.
//!
//! Source: ISO C11, 6.10.1 "Conditional inclusion".

use layoutproof_layout::Span;

use super::Preprocessor;
use super::evaluate::value;
use crate::lexer::{Token, TokenKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A condition whose `#endif` is still to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    /// Its `#if`.
    pub(super) span: Span,
    pub(super) state: BranchState,
    pub(super) has_else: bool,
}

/// Which of a condition's branches is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchState {
    /// This one.
    Taken,
    /// A later one, perhaps.
    Waiting,
    /// None that is still to come.
    Done,
}

impl Condition {
    /// True if the lines here are read.
    pub(super) fn is_taken(self) -> bool {
        self.state == BranchState::Taken
    }
}

impl<'a> Preprocessor<'a> {
    /// True if the expression of an `#if` holds; one that is wrong is reported, and nothing behind it is certain.
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

    /// The answer to `defined X` or `__has_include("x")`.
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
