//! What function bodies mention: access paths in the order of the text, calls, and what stands in `if (false)`.
//!
//! Bodies are not parsed. A name counts as a local variable, and is left out, from where it looks like a declaration
//! (two names side by side) to the end of its block.

use std::collections::HashMap;
use std::ops::Range;

use super::Elaborator;
use super::builtin;
use super::entry::Declared;
use super::generic::Context;
use crate::declare::lexer::TokenKind;
use crate::declare::parser::{Parser, Place, Source, generic_arguments_end};
use crate::module::{Function, Step, Use};

/// Words after which a name is no declaration.
const NO_TYPE: [&str; 12] =
    ["return", "else", "case", "in", "out", "inout", "new", "throw", "discard", "is", "as", "const"];

/// Words that are no uses.
const WORDS: [&str; 22] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "continue", "discard", "const",
    "static", "struct", "true", "false", "in", "out", "inout", "this", "precise",
];

/// A statement without braces is followed this far (tokens), which keeps the walk linear.
const STATEMENT_TOKENS: usize = 256;

/// The walk over one body.
#[derive(Debug)]
struct Body<'e, 't> {
    elaborator: &'e mut Elaborator<'t>,
    source: &'t Source<'t>,
    context: Context,
    /// Names that the parameters and each open block declare.
    blocks: Vec<Vec<&'t str>>,
    /// How many open blocks declare a name.
    locals: HashMap<&'t str, usize>,
    /// What stands before this token is dead.
    dead_until: usize,
    /// Ranges of tokens that are dead once the walk gets there, the next one last.
    dead_later: Vec<(usize, usize)>,
    uses: Vec<Use>,
}

impl<'t> Elaborator<'t> {
    /// What each function with a body mentions.
    pub(super) fn bodies(&mut self, functions: &[Declared<'t>]) {
        for (function, scope) in functions {
            let Some(body) = function.body.clone() else { continue };
            let mut walk = Body {
                source: self.source,
                context: Context::plain(*scope),
                elaborator: self,
                blocks: vec![Vec::new()],
                locals: HashMap::new(),
                dead_until: 0,
                dead_later: Vec::new(),
                uses: Vec::new(),
            };
            for parameter in function.parameters.as_deref().unwrap_or_default() {
                walk.declare_local(parameter.declarator.name.text);
            }
            walk.run(body);
            let uses = walk.uses;
            let name = self.symbols.qualified(*scope, function.name.text);
            self.module.functions.push(Function { name, uses, span: function.name.span });
        }
    }
}

impl<'t> Body<'_, 't> {
    fn run(&mut self, body: Range<usize>) {
        let mut at = body.start;
        while at < body.end {
            while let Some((_, end)) = self.dead_later.pop_if(|(start, _)| *start <= at) {
                self.dead_until = self.dead_until.max(end);
            }
            let kind = self.source.token(at).kind;
            match kind {
                TokenKind::LeftBrace => self.blocks.push(Vec::new()),
                TokenKind::RightBrace => self.close_block(),
                // `[unroll]` before a statement, not an index behind a value.
                TokenKind::LeftBracket if self.starts_statement(at) => at = self.source.closer(at),
                TokenKind::Identifier => self.word(at),
                _ => {}
            }
            at += 1;
        }
    }

    fn declare_local(&mut self, name: &'t str) {
        *self.locals.entry(name).or_default() += 1;
        if let Some(block) = self.blocks.last_mut() {
            block.push(name);
        }
    }

    fn close_block(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            if let Some(count) = self.locals.get_mut(name) {
                *count -= 1;
            }
        }
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.get(name).is_some_and(|count| *count > 0)
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
        let is_part = matches!(before.kind, TokenKind::Dot | TokenKind::ColonColon | TokenKind::Arrow);
        if is_part || WORDS.contains(&token.text) {
            return;
        }
        let follows_type = before.kind == TokenKind::Identifier && !NO_TYPE.contains(&before.text);
        let follows_arguments =
            before.kind == TokenKind::Greater && self.source.token(at + 1).kind == TokenKind::Assign;
        if follows_type || follows_arguments {
            self.declare_local(token.text);
        } else if builtin::builtin(token.text).is_none() {
            self.path(at);
        }
    }

    /// Marks what follows a condition that is always false, and the `else` of one that is always true.
    fn condition(&mut self, open: usize) {
        if open < self.dead_until {
            return;
        }
        let close = self.source.closer(open);
        let Some(constant) = self.constant(open + 1, close) else { return };
        let first = statement_end(self.source, close + 1);
        if constant == 0 {
            self.dead_later.push((close + 1, first));
        } else if self.source.token(first).text == "else" {
            self.dead_later.push((first + 1, statement_end(self.source, first + 1)));
        }
    }

    /// The value of the tokens from `start` to `end`, if they are an integer constant.
    fn constant(&mut self, start: usize, end: usize) -> Option<i64> {
        let mut parser = Parser::new(self.source, start);
        let expression = parser.expression(Place::Free).ok().filter(|_| parser.position() == end)?;
        let constant = self.elaborator.evaluate(&expression, &self.context).ok()?;
        Some(constant.value)
    }

    /// Records the access path that begins at `at`, unless it is a type or a local variable.
    fn path(&mut self, at: usize) {
        let start = self.source.token(at);
        let kind = |index: usize| self.source.token(index).kind;
        let mut name = start.text.to_owned();
        let mut next = at + 1;
        while kind(next) == TokenKind::ColonColon && kind(next + 1) == TokenKind::Identifier {
            name = format!("{name}::{}", self.source.token(next + 1).text);
            next += 2;
        }
        let is_local = self.is_local(&name);
        let mut path = vec![Step::Name(self.qualified(&name))];
        next = self.steps(next, &mut path);
        let behind = generic_arguments_end(self.source, next).unwrap_or(next);
        let after = self.source.token(behind).kind;
        if !is_local && after != TokenKind::Identifier {
            let call = after == TokenKind::LeftParenthesis;
            self.uses.push(Use { path, call, dead: at < self.dead_until, span: start.span });
        }
    }

    /// Appends `.member` and `[index]` from `next` on; the walk itself comes to what stands in the brackets.
    fn steps(&mut self, mut next: usize, path: &mut Vec<Step>) -> usize {
        loop {
            let (token, following) = (self.source.token(next), self.source.token(next + 1));
            if token.kind == TokenKind::Dot && following.kind == TokenKind::Identifier {
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

    /// The qualified name of what a body calls by a shorter one.
    fn qualified(&self, name: &str) -> String {
        let symbols = &self.elaborator.symbols;
        let scope = self.context.scope;
        let found = match name.split_once("::") {
            Some((first, _)) => symbols.outwards(scope).find(|outer| symbols.namespace(*outer, first).is_some()),
            None => symbols.mentioned(scope, name),
        };
        found.map_or_else(|| name.to_owned(), |outer| symbols.qualified(outer, name))
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
