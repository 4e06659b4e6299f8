//! Decides conditions on the variable of a counted loop, as an optimiser does:
//! `for (int i = 0; i < 5; i++) if (i > 6)`.
//!
//! Source: wg-hlsl 0024, implicit resource binding, example 6.1. DXC 1.7.2308 drops such code
//! unless it runs with `-Od` (no optimisation).

use std::collections::HashMap;

use super::{BodyWalk, STATEMENT_TOKENS, is_plain, statement_end};
use crate::elaborate::entry::ScopedFunction;
use crate::parser::BracketedTokens;
use layoutproof_preprocess::lexer::TokenKind;

/// The variable of a loop with its first and last value, valid until a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopRange<'t> {
    name: &'t str,
    first: i64,
    last: i64,
    until: usize,
}

/// A comparison that is the whole body of a function with one parameter. Holds the operator's
/// token; the operand ends at `end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReturnedComparison {
    operator: usize,
    end: usize,
}

/// Returns the functions whose body is `return PARAMETER < NUMBER;`, by name.
pub(super) fn comparisons<'t>(
    source: &BracketedTokens<'t>,
    functions: &[ScopedFunction<'t>],
) -> HashMap<&'t str, ReturnedComparison> {
    let mut found = HashMap::new();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for ScopedFunction { declaration: function, .. } in functions {
        *names.entry(function.name.text).or_default() += 1;
        let Ok([parameter]) = function.parameters.as_deref() else { continue };
        let Some(body) = function.body.clone().filter(|_| is_plain(parameter)) else { continue };
        let start = (body.start..body.end).find(|at| source.token(*at).kind != TokenKind::LeftBrace);
        let Some(start) = start.filter(|start| source.token(*start).text == "return") else { continue };
        let end = statement_end(source, start).saturating_sub(1);
        let is_all = (end + 1..body.end).all(|at| source.token(at).kind == TokenKind::RightBrace);
        if is_all && source.token(start + 1).text == parameter.declarator.name.text {
            found.insert(function.name.text, ReturnedComparison { operator: start + 2, end });
        }
    }

    found.retain(|name, _| names.get(name) == Some(&1));
    found
}

impl BodyWalk<'_, '_> {
    /// Remembers the variable of the `for` with its `(` at `open`, if it counts from one number to another.
    pub(super) fn counted_loop(&mut self, open: usize) {
        let close = self.source.closer(open);
        let until = statement_end(self.source, close + 1);
        let token = |at: usize| self.source.token(at);
        let name = token(open + 2).text;
        let first_end = self.expression_end(open + 4);
        let last_end = self.expression_end(first_end + 3);
        let is_step = |at: usize| matches!(token(at).text, "++" | "--");
        let is_form = token(open + 3).kind == TokenKind::Assign
            && token(first_end + 1).text == name
            && (is_step(last_end + 1) || is_step(last_end + 2));
        let operator = token(first_end + 2).kind;
        let is_up = token(last_end + 1).text == "++" || token(last_end + 2).text == "++";
        if !is_form || self.is_assigned(name, close + 1, until) {
            return;
        }
        let first = self.constant(open + 4, first_end);
        let last = self.constant(first_end + 3, last_end);
        let (Some(first), Some(last)) = (first, last) else { return };
        let range = match (operator, is_up) {
            (TokenKind::Less, true) => (first, last.saturating_sub(1)),
            (TokenKind::LessEqual, true) => (first, last),
            (TokenKind::Greater, false) => (last.saturating_add(1), first),
            (TokenKind::GreaterEqual, false) => (last, first),
            _ => return,
        };

        self.counted.push(LoopRange { name, first: range.0, last: range.1, until });
    }

    /// Returns true if the tokens between `start` and `end` may change the variable `name`.
    fn is_assigned(&self, name: &str, start: usize, end: usize) -> bool {
        let changes = |at: usize| {
            let token = self.source.token(at);
            token.kind == TokenKind::Assign || token.kind == TokenKind::Other
        };
        end - start > STATEMENT_TOKENS
            || (start..end).any(|at| self.source.token(at).text == name && (changes(at + 1) || changes(at - 1)))
    }

    /// Decides the condition from `start` to `end` if it has the same value for all values of a loop's variable.
    pub(super) fn decided(&mut self, start: usize, end: usize) -> Option<bool> {
        self.counted.retain(|counted| counted.until > start);
        if self.counted.is_empty() {
            return None;
        }
        let source = self.source;
        let comparison = self.comparisons.get(source.token(start).text).copied();
        let is_call = source.token(start + 1).kind == TokenKind::LeftParenthesis && source.closer(start + 1) + 1 == end;
        let (name, comparison) = match comparison {
            Some(comparison) if is_call && end == start + 4 => (source.token(start + 2).text, comparison),
            Some(_) | None => (source.token(start).text, ReturnedComparison { operator: start + 1, end }),
        };
        let LoopRange { first, last, .. } = *self.counted.iter().rev().find(|counted| counted.name == name)?;
        let bound = self.constant(comparison.operator + 1, comparison.end)?;
        let holds = |value: i64| match source.token(comparison.operator).kind {
            TokenKind::Less => Some(value < bound),
            TokenKind::LessEqual => Some(value <= bound),
            TokenKind::Greater => Some(value > bound),
            TokenKind::GreaterEqual => Some(value >= bound),
            _ => None,
        };

        // The result of each of these comparisons changes at most once, so equal results at both ends hold in between.
        let (at_first, at_last) = (holds(first)?, holds(last)?);
        (first <= last && at_first == at_last).then_some(at_first)
    }
}
