//! What function bodies mention: access paths in the order of evaluation, calls, and what stands in `if (false)`.
//!
//! Bodies are not parsed. A name counts as a local variable, and is left out, from where it looks like a declaration
//! (two names side by side) to the end of its block; one that only renames a path (`S t = s;`) stands for that path.

mod flow;
mod locals;
mod object;
mod order;
mod path;
mod range;
mod statics;

use std::collections::HashMap;
use std::ops::Range;

use locals::{Local, Locals};
use order::{Draft, Swap};
use range::{Comparison, Counted};

use super::Elaborator;
use super::builtin;
use super::entry::Declared;
use super::generic::Context;
use super::scope::ScopeId;
use crate::declare::ast::{FunctionParameter, TypeKind};
use crate::declare::lexer::TokenKind;
use crate::declare::parser::{Parser, Place, Source};
use crate::module::{Function, Life};

/// Words after which a name is no declaration.
const NO_TYPE: [&str; 12] =
    ["return", "else", "case", "in", "out", "inout", "new", "throw", "discard", "is", "as", "const"];

/// Words that are no uses.
const WORDS: [&str; 21] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "discard", "const",
    "static", "struct", "true", "false", "in", "out", "inout", "precise",
];

/// A statement without braces is followed this far (tokens), which keeps the walk linear.
const STATEMENT_TOKENS: usize = 256;

/// A path of more steps has no other name, so that names of names do not grow without end.
const LONGEST_ALIAS: usize = 64;

/// The walk over one body.
#[derive(Debug)]
struct Body<'e, 't> {
    elaborator: &'e mut Elaborator<'t>,
    source: &'t Source<'t>,
    context: Context,
    locals: Locals<'t>,
    /// The path at this token is what a local variable is another name for, and no use of its own.
    renamed: Option<usize>,
    /// What stands before this token is dead.
    dead_until: usize,
    /// What stands before this token is dead to an optimiser.
    optimised_until: usize,
    /// Ranges of tokens that are dead once the walk gets there, with how dead; the next one last.
    dead_later: Vec<(usize, usize, Life)>,
    drafts: Vec<Draft>,
    swaps: Vec<Swap>,
    /// Loops with a known range around this place.
    counted: Vec<Counted<'t>>,
    comparisons: &'e HashMap<&'t str, Comparison>,
}

impl<'t> Elaborator<'t> {
    /// What each function with a body mentions.
    pub(super) fn bodies(&mut self, functions: &[Declared<'t>]) {
        let comparisons = range::comparisons(self.source, functions);
        for (function, scope) in functions {
            let Some(body) = function.body.clone() else { continue };
            let mut walk = Body::new(self, *scope, &comparisons);
            for (index, parameter) in function.parameters.as_deref().unwrap_or_default().iter().enumerate() {
                let local = if is_plain(parameter) { Local::Variable(None) } else { Local::Parameter(index) };
                walk.locals.declare(parameter.declarator.name.text, local);
            }
            walk.run(body.clone());
            let (mut uses, places) = order::evaluated(walk.drafts, walk.swaps);
            let copied: Vec<usize> = match flow::copied(self.source, body) {
                Some(ranges) => ranges.into_iter().flat_map(|range| order::within(&places, range)).collect(),
                None => (0..uses.len()).collect(),
            };
            order::kill_the_rest(&mut uses, &copied);
            let name = self.symbols.qualified(*scope, function.name.text);
            self.module.functions.push(Function { name, uses, copied, span: function.name.span });
        }
    }
}

impl<'e, 't> Body<'e, 't> {
    fn new(elaborator: &'e mut Elaborator<'t>, scope: ScopeId, comparisons: &'e HashMap<&'t str, Comparison>) -> Self {
        let mut locals = Locals::default();
        locals.open();
        Self {
            source: elaborator.source,
            context: Context::plain(scope),
            elaborator,
            locals,
            renamed: None,
            dead_until: 0,
            optimised_until: 0,
            dead_later: Vec::new(),
            drafts: Vec::new(),
            swaps: Vec::new(),
            counted: Vec::new(),
            comparisons,
        }
    }
}

impl Body<'_, '_> {
    fn run(&mut self, body: Range<usize>) {
        let mut at = body.start;
        while at < body.end {
            while let Some((_, end, life)) = self.dead_later.pop_if(|(start, ..)| *start <= at) {
                match life {
                    Life::Live => {}
                    Life::Optimised => self.optimised_until = self.optimised_until.max(end),
                    Life::Dead => self.dead_until = self.dead_until.max(end),
                }
            }
            let kind = self.source.token(at).kind;
            match kind {
                TokenKind::LeftBrace => self.locals.open(),
                TokenKind::RightBrace => self.locals.close(),
                // `[unroll]` before a statement, not an index behind a value.
                TokenKind::LeftBracket if self.starts_statement(at) => at = self.source.closer(at),
                TokenKind::Identifier => self.word(at),
                _ => {}
            }
            at += 1;
        }
    }

    fn starts_statement(&self, at: usize) -> bool {
        let before = self.source.token(at.saturating_sub(1)).kind;
        matches!(before, TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::Semicolon)
    }

    fn word(&mut self, at: usize) {
        let token = self.source.token(at);
        let before = self.source.token(at.saturating_sub(1));
        if matches!(token.text, "if" | "while") && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            return self.condition(at + 1);
        }
        if token.text == "for" && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            self.counted_loop(at + 1);
            return self.loop_step(at + 1);
        }
        let is_part = matches!(before.kind, TokenKind::Dot | TokenKind::ColonColon | TokenKind::Arrow);
        if is_part || WORDS.contains(&token.text) {
            return;
        }
        let follows_type = before.kind == TokenKind::Identifier && !NO_TYPE.contains(&before.text);
        let follows_arguments =
            before.kind == TokenKind::Greater && self.source.token(at + 1).kind == TokenKind::Assign;
        if follows_type || follows_arguments {
            self.declaration(at);
        } else if builtin::builtin(token.text).is_none() {
            let end = self.path(at);
            self.assignment(at, end);
        }
    }

    /// A local variable, whose name is at `at`. One that is initialised with an access path, and is no number, is
    /// another name for that path.
    fn declaration(&mut self, at: usize) {
        let name = self.source.token(at);
        let is_initialised = self.source.token(at + 1).kind == TokenKind::Assign;
        let path = if is_initialised && !self.is_number(at) {
            self.whole_path(at + 2, self.expression_end(at + 2)).filter(|path| path.len() <= LONGEST_ALIAS)
        } else {
            None
        };
        self.renamed = path.as_ref().map(|_| at + 2);
        let local = match path {
            Some(path) => Local::Alias(path, name.span),
            None => Local::Variable(self.declared_type(self.type_name(at))),
        };
        self.locals.declare(name.text, local);
    }

    /// Whether the variable at `at` is declared with a scalar, vector or matrix type.
    fn is_number(&self, at: usize) -> bool {
        let name = self.source.token(self.type_name(at)).text;
        builtin::numeric(name).is_some() || matches!(name, "vector" | "matrix")
    }

    /// The token that is the name of the type of the variable at `at`, without generic arguments.
    fn type_name(&self, at: usize) -> usize {
        let first = at.saturating_sub(1);
        if self.source.token(first).kind != TokenKind::Greater {
            return first;
        }
        let start = at.saturating_sub(STATEMENT_TOKENS);
        let opening = (start..at).rev().find(|index| self.source.token(*index).kind == TokenKind::Less);
        opening.unwrap_or(at).saturating_sub(1)
    }

    /// The right side of an assignment is evaluated before the left one, from `start` to `end`.
    fn assignment(&mut self, start: usize, end: usize) {
        let operator = self.source.token(end);
        let is_compound = operator.kind == TokenKind::Other && operator.text.ends_with('=');
        if is_compound || operator.kind == TokenKind::Assign {
            self.swaps.push(Swap { start, middle: end, end: self.expression_end(end + 1) });
        }
    }

    /// The step of the `for` whose `(` is at `open` is evaluated behind the body.
    fn loop_step(&mut self, open: usize) {
        let close = self.source.closer(open);
        let header = (open..close).take(STATEMENT_TOKENS);
        let mut semicolons = header.filter(|index| self.source.token(*index).kind == TokenKind::Semicolon);
        if let Some(second) = semicolons.nth(1) {
            let end = statement_end(self.source, close + 1);
            self.swaps.push(Swap { start: second, middle: close, end });
        }
    }

    /// Marks what follows a condition that is always false, and the `else` of one that is always true.
    fn condition(&mut self, open: usize) {
        if open < self.dead_until {
            return;
        }
        let close = self.source.closer(open);
        let constant = self.constant(open + 1, close).map(|value| value != 0);
        let life = if constant.is_some() { Life::Dead } else { Life::Optimised };
        let Some(holds) = constant.or_else(|| self.decided(open + 1, close)) else { return };
        let first = statement_end(self.source, close + 1);
        if !holds {
            self.dead_later.push((close + 1, first, life));
        } else if self.source.token(first).text == "else" {
            self.dead_later.push((first + 1, statement_end(self.source, first + 1), life));
        }
    }

    /// Whether the code at a token is run.
    fn life(&self, at: usize) -> Life {
        if at < self.dead_until {
            Life::Dead
        } else if at < self.optimised_until {
            Life::Optimised
        } else {
            Life::Live
        }
    }

    /// The value of the tokens from `start` to `end`, if they are an integer constant.
    fn constant(&mut self, start: usize, end: usize) -> Option<i64> {
        let mut parser = Parser::new(self.source, start);
        let expression = parser.expression(Place::Free).ok().filter(|_| parser.position() == end)?;
        let constant = self.elaborator.evaluate(&expression, &self.context).ok()?;
        Some(constant.value)
    }
}

/// Whether a parameter is a number, and so no way to a resource.
fn is_plain(parameter: &FunctionParameter<'_>) -> bool {
    match &parameter.ty.kind {
        TypeKind::Path(path) => path.parts.last().is_some_and(|part| builtin::numeric(part.name.text).is_some()),
        TypeKind::Struct(_) | TypeKind::Enum(_) => false,
    }
}

/// The index behind the statement that begins at `start`, without an `else` that belongs to an `if` before it.
fn statement_end(source: &Source<'_>, start: usize) -> usize {
    let (mut at, mut open_ifs) = (start, 0_usize);
    for _ in 0..STATEMENT_TOKENS {
        let token = source.token(at);
        let end = match token.kind {
            TokenKind::LeftBrace => source.closer(at) + 1,
            TokenKind::Semicolon => at + 1,
            TokenKind::RightBrace | TokenKind::End => return at,
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                at = source.closer(at) + 1;
                continue;
            }
            _ => {
                open_ifs += usize::from(token.text == "if");
                at += 1;
                continue;
            }
        };
        if open_ifs == 0 || source.token(end).text != "else" {
            return end;
        }
        open_ifs -= 1;
        at = end + 1;
    }
    start
}
