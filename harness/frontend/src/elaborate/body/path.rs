//! Reads access paths: splits `s.B[2].Load(i)` into steps and arguments, and knows the local names that they may begin
//! with, which hide global ones or are aliases of a path.

use std::collections::HashMap;

use layoutproof_layout::Span;

use super::order::{EvaluationSwap, UseDraft};
use super::value::ValueType;
use super::{BodyWalk, STATEMENT_TOKENS};
use crate::module::{Alias, Step, Use};
use crate::parser::generic_arguments_end;
use layoutproof_preprocess::lexer::TokenKind;

#[derive(Clone, Debug)]
pub(super) enum LocalMeaning {
    Variable,
    /// The function's parameter with this index, which may be a resource or contain some.
    Parameter(usize),
    /// An alias of this path, with the place of its declaration.
    Alias(Vec<Step>, Span),
}

#[derive(Clone, Debug)]
pub(super) struct LocalName {
    pub(super) local: LocalMeaning,
    pub(super) ty: ValueType,
}

/// The names declared by the parameters and by each open block.
#[derive(Debug, Default)]
pub(super) struct Locals<'t> {
    blocks: Vec<Vec<&'t str>>,
    /// The meanings of each name, the innermost block's last.
    names: HashMap<&'t str, Vec<LocalName>>,
}

impl<'t> Locals<'t> {
    pub(super) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            self.names.entry(name).or_default().pop();
        }
    }

    /// Declares `name` until the end of the innermost block.
    pub(super) fn declare(&mut self, name: &'t str, local: LocalMeaning, ty: ValueType) {
        self.names.entry(name).or_default().push(LocalName { local, ty });
        if let Some(block) = self.blocks.last_mut() {
            block.push(name);
        }
    }

    /// Returns the meaning of `name` here, or `None` if it is not a local name.
    pub(super) fn find(&self, name: &str) -> Option<&LocalName> {
        self.names.get(name)?.last()
    }
}

#[derive(Debug)]
struct AccessPathReading {
    steps: Vec<Step>,
    alias: Option<Alias>,
    /// The token after the path.
    end: usize,
    /// True if the path begins with a local variable.
    own: bool,
}

impl BodyWalk<'_, '_> {
    /// Records the access path that begins at `at`, unless it is a type or a local variable. Returns its end.
    pub(super) fn path(&mut self, at: usize) -> usize {
        let AccessPathReading { steps, alias, end, own } = self.reading(at);
        let behind = generic_arguments_end(self.source, end).unwrap_or(end);
        let after = self.source.token(behind).kind;
        if after == TokenKind::Identifier || self.renamed == Some(at) {
            return end;
        }
        let call = after == TokenKind::LeftParenthesis;
        let callees = self.callees.remove(&at).filter(|_| call).unwrap_or_default();
        // A local variable is not recorded, but calls of its methods are.
        let path = match (own, callees.first(), steps.as_slice()) {
            (false, Some(first), [name @ Step::Name(_)]) => self.calls.bare_path(first, name.clone()),
            (false, ..) => steps,
            (true, Some(method), _) => vec![Step::Name(self.calls.name(method).to_owned())],
            (true, None, _) => return end,
        };

        let arguments = if call { self.arguments(behind) } else { Vec::new() };
        let end = if call { self.source.closer(behind) + 1 } else { end };
        let (life, span) = (self.life(at), self.source.token(at).span);
        let used = Use { path, alias, call, callees, arguments: Vec::new(), life, span };
        self.drafts.push(UseDraft { used, at, end, arguments });
        end
    }

    fn reading(&mut self, at: usize) -> AccessPathReading {
        let start = self.source.token(at).text;
        if start == "this" {
            let mut steps = vec![Step::This];
            let end = self.steps(at + 1, &mut steps);
            return AccessPathReading { steps, alias: None, end, own: false };
        }
        let kind = |index: usize| self.source.token(index).kind;

        let mut name = start.to_owned();
        let mut next = at + 1;
        while kind(next) == TokenKind::ColonColon && kind(next + 1) == TokenKind::Identifier {
            name = format!("{name}::{}", self.source.token(next + 1).text);
            next += 2;
        }

        let mut alias = None;
        let is_member = || self.this.as_ref().is_some_and(|this| this.member(&name).is_some());
        let (mut steps, own) = match self.locals.find(&name).map(|found| &found.local) {
            Some(LocalMeaning::Variable) => (Vec::new(), true),
            Some(LocalMeaning::Parameter(index)) => (vec![Step::Parameter(*index)], false),
            Some(LocalMeaning::Alias(path, span)) => {
                alias = Some(Alias { steps: path.len(), span: *span });
                (path.clone(), false)
            }
            None if is_member() => (vec![Step::This, Step::Name(name)], false),
            None => (vec![Step::Name(self.qualified(&name))], false),
        };

        let end = self.steps(next, &mut steps);
        AccessPathReading { steps, alias, end, own }
    }

    /// Appends `.member` and `[index]` steps from `next` on. The walk visits the code inside the brackets later.
    fn steps(&mut self, mut next: usize, path: &mut Vec<Step>) -> usize {
        loop {
            let (token, following) = (self.source.token(next), self.source.token(next + 1));
            let is_template = following.text == "template" && self.source.token(next + 2).kind == TokenKind::Identifier;
            if token.kind == TokenKind::Dot && is_template {
                path.push(Step::Name(self.source.token(next + 2).text.to_owned()));
                next += 3;
            } else if token.kind == TokenKind::Dot && following.kind == TokenKind::Identifier {
                path.push(Step::Name(following.text.to_owned()));
                next += 2;
            } else if token.kind == TokenKind::LeftBracket {
                let close = self.source.closer(next);
                let index = self.constant(next + 1, close).and_then(|value| u32::try_from(value).ok());
                path.push(index.map_or(Step::DynamicIndex, Step::Index));
                next = close + 1;
            } else {
                return next;
            }
        }
    }

    /// For each argument of the call that opens at `open`, returns the first token if the argument
    /// is a path. Also notes that the last argument is evaluated first.
    pub(super) fn arguments(&mut self, open: usize) -> Vec<Option<usize>> {
        let close = self.source.closer(open);
        let mut arguments = Vec::new();
        let mut start = open + 1;

        for _ in 0..STATEMENT_TOKENS {
            if start >= close {
                break;
            }
            let end = self.expression_end(start).min(close);
            arguments.push(self.whole_path(start, end).map(|_| start));
            // One swap per argument reverses their order.
            self.swaps.push(EvaluationSwap { start, middle: end, end: close });
            start = end + 1;
        }

        arguments
    }

    /// Returns the steps if the tokens from `start` to `end` form exactly one path.
    pub(super) fn whole_path(&mut self, start: usize, end: usize) -> Option<Vec<Step>> {
        if self.source.token(start).kind != TokenKind::Identifier {
            return None;
        }
        let reading = self.reading(start);
        (reading.end == end && !reading.own).then_some(reading.steps)
    }

    /// Returns the index of the `,`, `;` or closing bracket that ends the expression which begins at `start`.
    pub(super) fn expression_end(&self, start: usize) -> usize {
        let mut at = start;
        for _ in 0..STATEMENT_TOKENS {
            match self.source.token(at).kind {
                TokenKind::Comma
                | TokenKind::Semicolon
                | TokenKind::RightParenthesis
                | TokenKind::RightBracket
                | TokenKind::RightBrace
                | TokenKind::End => break,
                _ => at = self.source.closer(at) + 1,
            }
        }
        at
    }

    pub(super) fn qualified(&self, name: &str) -> String {
        let symbols = &self.elaborator.symbols;
        let scope = self.context.scope;
        let found = match name.split_once("::") {
            Some((first, _)) => symbols.outwards(scope).find(|outer| symbols.namespace(*outer, first).is_some()),
            None => symbols.mentioned(scope, name),
        };
        found.map_or_else(|| name.to_owned(), |outer| symbols.qualified(outer, name))
    }
}
