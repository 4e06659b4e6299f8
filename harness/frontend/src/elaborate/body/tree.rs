//! Reads a body into a tree of statements, for analyses that follow values ([`crate::module::code`]).
//!
//! Runs before the walk over the tokens, for which it finds the functions that calls run. A body with an unsupported
//! statement (a local struct, a declaration in a condition) has no tree, but all its expressions are read.

use std::collections::HashMap;
use std::ops::Range;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, Type};

use super::calls::Calls;
use super::expression::{DEEPEST, Reading};
use super::path::LocalMeaning;
use super::{BodyWalk, order};
use crate::elaborate::lookup::LookupContext;
use crate::elaborate::{Elaborator, resolve};
use crate::module::code::{
    Code, CodeParameter, Expression, Literal, PrefixOperator, Statement, StaticVariable, SwitchCase, Unrolling,
};
use crate::module::{Function, Static};
use crate::parser::generic_arguments_end;
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_source::words::words;

/// Modifiers before the type of a local variable.
const MODIFIERS: [&str; 14] = words(
    "
    const static precise uniform row_major column_major unorm snorm linear centroid nointerpolation noperspective
    sample groupshared
    ",
);

#[derive(Clone, Debug)]
pub(super) enum LocalVariable {
    Slot(usize),
    /// A `static` variable, which is one of the module with this name.
    Static(String),
}

/// Reads one body, or one expression outside of bodies.
pub(super) struct BodyReader<'w, 'e, 't> {
    pub(super) walk: &'w mut BodyWalk<'e, 't>,
    /// Local names, innermost last.
    pub(super) names: Vec<(&'t str, LocalVariable)>,
    slots: usize,
    /// Nesting of the current statement and expression.
    pub(super) depth: u32,
    /// The first token that nests too deep in the current expression.
    pub(super) cut: Option<usize>,
    /// What `[unroll]` before the next statement says.
    unrolling: Unrolling,
    /// False after code that has no tree.
    pub(super) is_understood: bool,
}

impl<'e, 't> BodyWalk<'e, 't> {
    pub(super) fn reader(&mut self) -> BodyReader<'_, 'e, 't> {
        BodyReader {
            walk: self,
            names: Vec::new(),
            slots: 0,
            depth: 0,
            cut: None,
            unrolling: Unrolling::Compiler,
            is_understood: true,
        }
    }

    pub(super) fn tree(&mut self, function: usize) -> Option<Code> {
        let declared = self.calls.functions[function].declaration;
        let context = self.context.clone();
        let order = resolve::order(&declared.prefix);
        let result = declared.result.as_ref();
        let result =
            result.and_then(|ty| self.elaborator.quietly(|elaborator| elaborator.resolve(ty, order, &context)));

        self.locals.open();
        let mut reader = self.reader();
        let mut parameters = Vec::new();
        reader.is_understood = declared.parameters.is_ok();
        for (index, parameter) in declared.parameters.as_deref().unwrap_or_default().iter().enumerate() {
            let default = reader.walk.calls.default_of(function, index);
            let default = default.map(|parameter| reader.default_argument(parameter.declarator.initialised.clone()));
            let ty = reader.walk.elaborator.parameter_type(parameter, &context);
            let has = |word| parameter.prefix.has(word);
            let (is_in, is_out) = (has("in") || has("inout") || !has("out"), has("out") || has("inout"));
            reader.declare(parameter.declarator.name.text, ty.clone());
            parameters.push(CodeParameter { ty, is_in, is_out, default });
        }
        let clip_planes = reader.expressions(super::clip_planes(declared));
        let body = reader.statements(declared.body.clone()?);
        let (slots, is_understood) = (reader.slots, reader.is_understood);
        self.locals.close();
        is_understood.then_some(Code { parameters, slots, result, clip_planes, body })
    }
}

impl<'t> Elaborator<'t> {
    /// Reads the `static` and `groupshared` variables into the module.
    pub(super) fn static_variables(&mut self, calls: &mut Calls<'t>) {
        let comparisons = std::collections::HashMap::new();
        for (scope, name, variable) in calls.catalogue.lasting() {
            let (declaration, declarator) = (variable.declaration, variable.declarator);
            let context = LookupContext::plain(scope);
            let order = resolve::order(&declaration.prefix);
            let ty = self.quietly(|elaborator| elaborator.declared(&declaration.ty, order, declarator, &context));
            let tokens = declarator.initialised.clone();
            let mut walk = BodyWalk::new(self, calls, &comparisons, context, None);
            let mut reader = walk.reader();
            let initial = if tokens.is_empty() { None } else { Some(reader.whole(tokens)) };
            let is_understood = reader.is_understood;
            let initial = initial.filter(|_| is_understood);
            let is_shared = declaration.prefix.has("groupshared");
            let name = self.symbols.qualified(scope, name);
            self.module.variables.push(StaticVariable { name, ty, is_shared, initial, is_understood });
        }
        self.module.variables.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

impl<'t> BodyReader<'_, '_, 't> {
    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.walk.source.token(at).kind
    }

    pub(super) fn text(&self, at: usize) -> &'t str {
        self.walk.source.token(at).text
    }

    pub(super) fn closer(&self, at: usize) -> usize {
        self.walk.source.closer(at)
    }

    fn declare(&mut self, name: &'t str, ty: Option<Type>) -> usize {
        self.walk.locals.declare(name, LocalMeaning::Variable, ty);
        let slot = self.new_slot();
        self.names.push((name, LocalVariable::Slot(slot)));
        slot
    }

    fn new_slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// Reads a default argument. The caller evaluates it, so its calls belong to another function.
    fn default_argument(&mut self, range: Range<usize>) -> Expression {
        let value = self.whole(range.clone());
        self.walk.unplaced.retain(|at, _| !range.contains(at));
        value
    }

    /// Reads expressions that commas separate.
    fn expressions(&mut self, range: Range<usize>) -> Vec<Expression> {
        let (mut found, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let read = self.expression(at, 0);
            at = read.end.max(at) + 1;
            found.push(read.tree);
        }
        found
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.names.len();
        self.walk.locals.open();
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        self.walk.locals.close();
        self.names.truncate(outer);
        found
    }

    fn statements(&mut self, range: Range<usize>) -> Vec<Statement> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            at = self.statement(at, &mut found).max(at + 1);
        }
        found
    }

    /// Reads one statement as a separate block. Also returns the token after it.
    fn branch(&mut self, at: usize) -> (Vec<Statement>, usize) {
        self.scoped(|reader| {
            let mut found = Vec::new();
            let end = reader.statement(at, &mut found);
            (found, end)
        })
    }

    /// Reads the statement at `at`. Returns the token after it.
    fn statement(&mut self, at: usize, found: &mut Vec<Statement>) -> usize {
        if self.depth >= DEEPEST {
            return self.skip(at, at);
        }
        match self.kind(at) {
            TokenKind::LeftBracket => {
                if self.text(at + 1) == "unroll" {
                    self.unrolling = self.unrolling_at(at + 2);
                }
                let start = self.closer(at) + 1;
                self.depth += 1;
                let end = self.statement(start, found);
                self.depth -= 1;
                return end;
            }
            TokenKind::LeftBrace => {
                let close = self.closer(at);
                found.push(Statement::Block(self.scoped(|reader| reader.statements(at + 1..close))));
                return close + 1;
            }
            TokenKind::Semicolon => return at + 1,
            TokenKind::End | TokenKind::RightBrace => {
                self.is_understood = false;
                return at;
            }
            _ => {}
        }

        let unrolling = std::mem::take(&mut self.unrolling);
        let close = self.closer(at + 1);
        let has_header = self.kind(at + 1) == TokenKind::LeftParenthesis;
        let (before, step) = (Vec::new(), Vec::new());
        match self.text(at) {
            "if" if has_header => {
                let condition = self.whole(at + 2..close);
                let (then, end) = self.branch(close + 1);
                let (otherwise, end) = if self.text(end) == "else" { self.branch(end + 1) } else { (Vec::new(), end) };
                found.push(Statement::If { condition, then, otherwise });
                end
            }
            "while" if has_header => {
                let condition = Some(self.whole(at + 2..close));
                let (body, end) = self.branch(close + 1);
                found.push(Statement::Loop { before, condition, step, body, tests_first: true, unrolling });
                end
            }
            "do" => {
                let (body, end) = self.branch(at + 1);
                if self.text(end) != "while" {
                    return self.skip(at, end);
                }
                let close = self.closer(end + 1);
                let condition = Some(self.whole(end + 2..close));
                found.push(Statement::Loop { before, condition, step, body, tests_first: false, unrolling });
                close + 2
            }
            "for" if has_header => {
                let (statement, end) = self.scoped(|reader| reader.counted(at + 1, unrolling));
                found.push(statement);
                end
            }
            "switch" if has_header && self.kind(close + 1) == TokenKind::LeftBrace => {
                let value = self.whole(at + 2..close);
                let cases = self.scoped(|reader| reader.cases(close + 1));
                found.push(Statement::Switch { value, cases });
                self.closer(close + 1) + 1
            }
            "return" if self.kind(at + 1) == TokenKind::Semicolon => {
                found.push(Statement::Return(None));
                at + 2
            }
            "return" => {
                let value = self.sequence(at + 1);
                found.push(Statement::Return(Some(value.tree)));
                self.semicolon(at, value.end)
            }
            "break" => {
                found.push(Statement::Break);
                self.semicolon(at, at + 1)
            }
            "continue" => {
                found.push(Statement::Continue);
                self.semicolon(at, at + 1)
            }
            "discard" => {
                found.push(Statement::Discard);
                self.semicolon(at, at + 1)
            }
            "struct" | "typedef" | "using" | "enum" | "case" | "default" | "else" | "template" | "if" | "while"
            | "for" | "switch" => self.skip(at, at),
            _ => {
                let end = self.declarations(at, found).unwrap_or_else(|| {
                    let Reading { end, tree, .. } = self.sequence(at);
                    found.push(Statement::Expression(tree));
                    end
                });
                self.semicolon(at, end)
            }
        }
    }

    /// The argument of `[unroll(3)]`.
    fn unrolling_at(&mut self, open: usize) -> Unrolling {
        if self.kind(open) != TokenKind::LeftParenthesis {
            return Unrolling::All;
        }
        let rounds = self.walk.constant(open + 1, self.closer(open)).and_then(|rounds| u32::try_from(rounds).ok());
        self.is_understood &= rounds.is_some();
        Unrolling::Rounds(rounds.unwrap_or(0))
    }

    /// Returns the token after the `;` at `end`, which ends the statement at `start`.
    fn semicolon(&mut self, start: usize, end: usize) -> usize {
        if self.kind(end) == TokenKind::Semicolon { end + 1 } else { self.skip(start, end) }
    }

    /// Reads the expressions from `from` to the end of the statement at `start`, which is not understood.
    fn skip(&mut self, start: usize, from: usize) -> usize {
        self.is_understood = false;
        let from = self.cut.take().map_or(from, |cut| cut.min(from)).max(start);
        let mut end = from;
        loop {
            match self.kind(end) {
                TokenKind::Semicolon => break end += 1,
                TokenKind::RightBrace | TokenKind::End => break,
                TokenKind::LeftBrace => break end = self.closer(end) + 1,
                _ => end = self.closer(end) + 1,
            }
        }
        self.scan(from, end);
        end
    }

    /// The `for` whose `(` is at `open`, and the token behind it.
    fn counted(&mut self, open: usize, unrolling: Unrolling) -> (Statement, usize) {
        let close = self.closer(open);
        let mut before = Vec::new();
        let second = self.statement(open + 1, &mut before);
        let mut condition = None;
        let mut third = second;
        if self.kind(second) != TokenKind::Semicolon {
            let Reading { end, tree, .. } = self.sequence(second);
            (condition, third) = (Some(tree), end);
        }
        self.is_understood &= self.kind(third) == TokenKind::Semicolon;
        let mut step = Vec::new();
        if third + 1 < close {
            let read = self.sequence(third + 1);
            step.push(self.finished(read, close));
        }
        let (body, end) = self.branch(close + 1);
        (Statement::Loop { before, condition, step, body, tests_first: true, unrolling }, end)
    }

    /// Reads the cases of the `switch` with its `{` at `open`.
    fn cases(&mut self, open: usize) -> Vec<SwitchCase> {
        let close = self.closer(open);
        let mut cases: Vec<SwitchCase> = Vec::new();
        let mut at = open + 1;
        while at < close {
            let label = match self.text(at) {
                "default" => {
                    at += 1;
                    Some(None)
                }
                "case" => {
                    let Reading { end, tree, .. } = self.expression(at + 1, 0);
                    at = end;
                    Some(Some(tree))
                }
                _ => None,
            };
            if let Some(label) = label {
                self.is_understood &= self.kind(at) == TokenKind::Colon;
                at += 1;
                match cases.last_mut() {
                    Some(case) if case.body.is_empty() => case.labels.push(label),
                    _ => cases.push(SwitchCase { labels: vec![label], body: Vec::new() }),
                }
                continue;
            }
            let mut found = Vec::new();
            at = self.statement(at, &mut found).max(at + 1);
            match cases.last_mut() {
                Some(case) => case.body.extend(found),
                None => self.is_understood = false,
            }
        }
        cases
    }

    /// Reads the declaration of local variables at `at`, if there is one. Returns the token after it.
    fn declarations(&mut self, at: usize, found: &mut Vec<Statement>) -> Option<usize> {
        let mut first = at;
        while MODIFIERS.contains(&self.text(first)) {
            first += 1;
        }
        if self.kind(first) != TokenKind::Identifier {
            return None;
        }

        let (ty, name) = if self.walk.is_type_name(first) {
            self.walk.written_type(first)?
        } else {
            // Two names in a row declare the second one, whatever the first one is.
            (None, generic_arguments_end(self.walk.source, first + 1).unwrap_or(first + 1))
        };
        if self.kind(name) != TokenKind::Identifier {
            return None;
        }
        let has = |word| (at..first).any(|index| self.text(index) == word);
        let lifetime = match (has("static"), has("const")) {
            (true, is_const) => Lifetime::Program { is_const },
            (false, _) => Lifetime::Block,
        };
        Some(self.declarators(ty.as_ref(), lifetime, name, found))
    }

    fn declarators(
        &mut self,
        ty: Option<&Type>,
        lifetime: Lifetime,
        first: usize,
        found: &mut Vec<Statement>,
    ) -> usize {
        let mut at = first;
        loop {
            let name = self.text(at);
            if self.kind(at) != TokenKind::Identifier {
                return at;
            }
            at += 1;
            let mut lengths = Vec::new();
            while self.kind(at) == TokenKind::LeftBracket {
                let close = self.closer(at);
                let length = self.walk.constant(at + 1, close).and_then(|length| u32::try_from(length).ok());
                lengths.push(length.map_or(Count::Unbounded, Count::Finite));
                at = close + 1;
            }
            let array = |ty, count| Type::Array { element: Box::new(ty), count };
            let own = ty.cloned().map(|ty| lengths.iter().rev().fold(ty, |ty, count| array(ty, *count)));

            let mut initial = None;
            if self.kind(at) == TokenKind::Assign {
                let Reading { end, tree, .. } = self.initialiser(at + 1);
                (initial, at) = (Some(tree), end);
            }
            let is_constant = initial.as_ref().is_none_or(is_constant);
            match lifetime {
                Lifetime::Program { is_const } if !is_const || !is_constant => {
                    self.declare_static(name, own, initial, found);
                }
                Lifetime::Program { .. } | Lifetime::Block => {
                    let slot = self.declare(name, own.clone());
                    found.push(Statement::Local { slot, ty: own, initial });
                }
            }
            if self.kind(at) != TokenKind::Comma {
                return at;
            }
            at += 1;
        }
    }

    /// Declares a `static` local variable as one of the module. As in C++, its initialiser runs the first time that the
    /// code comes to it, unless it is a constant (measured with DXC 1.7.2308, `-T cs_6_6`).
    fn declare_static(
        &mut self,
        name: &'t str,
        ty: Option<Type>,
        initial: Option<Expression>,
        found: &mut Vec<Statement>,
    ) {
        let (initial, constant) =
            if initial.as_ref().is_some_and(is_constant) { (None, initial) } else { (initial, None) };
        self.walk.locals.declare(name, LocalMeaning::Variable, ty.clone());
        let variable = self.module_variable(name, ty.clone(), constant);
        self.names.push((name, LocalVariable::Static(variable.clone())));

        let Some(initial) = initial else { return };
        let literal = |value| Expression::Constant(Literal::Boolean(value));
        let is_made = self.module_variable(name, Some(Type::Scalar(Scalar::Bool)), Some(literal(false)));
        let is_made = || Expression::Global(is_made.clone());
        let assign = |target, value| {
            Statement::Expression(Expression::Assign {
                operator: None,
                target: Box::new(target),
                value: Box::new(value),
            })
        };
        let slot = self.new_slot();
        let then = vec![
            assign(is_made(), literal(true)),
            Statement::Local { slot, ty, initial: Some(initial) },
            assign(Expression::Global(variable), Expression::Local(slot)),
        ];
        let condition = Expression::Unary(PrefixOperator::Not, Box::new(is_made()));
        found.push(Statement::If { condition, then, otherwise: Vec::new() });
    }

    /// Adds a variable for a `static` local one. Returns its name, which no name in a source equals.
    fn module_variable(&mut self, name: &str, ty: Option<Type>, initial: Option<Expression>) -> String {
        let variables = &mut self.walk.elaborator.module.variables;
        let name = format!("{name}#{}", variables.len());
        variables.push(StaticVariable { name: name.clone(), ty, is_shared: false, initial, is_understood: true });
        name
    }
}

/// How long a local variable lives.
#[derive(Clone, Copy, Debug)]
enum Lifetime {
    Block,
    /// From its first use to the end of the program.
    Program {
        is_const: bool,
    },
}

/// True for an initialiser that needs no code.
fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Constant(_) => true,
        Expression::Unary(_, operand) | Expression::Cast(_, operand) => is_constant(operand),
        Expression::Binary(_, left, right) => is_constant(left) && is_constant(right),
        Expression::Construct(_, operands) | Expression::List(operands) => operands.iter().all(is_constant),
        _ => false,
    }
}

impl<'t> Elaborator<'t> {
    /// Reads the initialisers of `static` globals, except those that mention no name.
    pub(super) fn initialisers(&mut self, calls: &mut Calls<'t>) {
        let comparisons = HashMap::new();
        for (declarator, scope) in std::mem::take(&mut self.statics) {
            let tokens = declarator.initialised.clone();
            let mut walk = BodyWalk::new(self, calls, &comparisons, LookupContext::plain(scope), None);
            let path = walk.whole_path(tokens.start, tokens.end);
            walk.reader().whole(tokens.clone());
            walk.run(tokens);

            let (uses, _) = order::evaluated(walk.drafts, walk.swaps);
            if uses.is_empty() {
                continue;
            }

            let name = self.symbols.qualified(scope, declarator.name.text);
            let copied = (0..uses.len()).collect();
            let initialiser = Function { name, uses, copied, code: None, exported: false, span: declarator.name.span };
            self.module.statics.push(Static { path, initialiser });
        }
    }
}
