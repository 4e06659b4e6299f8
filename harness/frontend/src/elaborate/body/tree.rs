//! Reads a body into a tree of statements, for analyses that follow values ([`crate::module::code`]).
//!
//! Runs after the walk over the tokens, which has resolved the calls. A body with an unsupported
//! statement (a local struct, a declaration in a condition) has no tree.

use std::ops::Range;

use layoutproof_layout::shape::{Count, Type};

use super::BodyWalk;
use crate::ast::{Expression as ExpressionSyntax, Identifier, NamePath, Operation, PathPart};
use crate::elaborate::lookup_context::LookupContext;
use crate::elaborate::{Elaborator, builtin, resolve};
use crate::module::Callees;
use crate::module::code::{
    BinaryOperator, CallExpression, Code, CodeParameter, Expression, Literal, PrefixOperator, Statement,
    StaticVariable, SwitchCase, Unrolling,
};
use crate::parser::generic_arguments_end;
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_preprocess::operator;

use super::calls::Calls;
use super::candidates::QualifiedName;
use super::locals::LocalMeaning;

/// Maximum nesting of expressions and statements, which keeps the stack small.
const DEEPEST: u32 = 160;

/// Precedence of `?`, the same as in `typed`.
const CONDITIONAL: u8 = 1;

/// Modifiers before the type of a local variable.
const MODIFIERS: [&str; 14] = [
    "const",
    "static",
    "precise",
    "uniform",
    "row_major",
    "column_major",
    "unorm",
    "snorm",
    "linear",
    "centroid",
    "nointerpolation",
    "noperspective",
    "sample",
    "groupshared",
];

/// Reads one body.
struct TreeReader<'w, 'e, 't> {
    walk: &'w mut BodyWalk<'e, 't>,
    /// Local names with their slots, innermost last.
    names: Vec<(&'t str, usize)>,
    slots: usize,
    depth: u32,
    /// What `[unroll]` before the next statement says.
    unrolling: Unrolling,
}

impl BodyWalk<'_, '_> {
    /// Reads the body of this function.
    pub(super) fn tree(&mut self, function: usize) -> Option<Code> {
        let declared = self.calls.functions[function].declaration;
        let context = self.context.clone();
        let order = resolve::order(&declared.prefix);
        let result = declared.result.as_ref();
        let result =
            result.and_then(|ty| self.elaborator.quietly(|elaborator| elaborator.resolve(ty, order, &context)));

        let mut reader =
            TreeReader { walk: self, names: Vec::new(), slots: 0, depth: 0, unrolling: Unrolling::Compiler };
        let mut parameters = Vec::new();
        for (index, parameter) in declared.parameters.as_deref().ok()?.iter().enumerate() {
            let default = reader.walk.calls.default_of(function, index);
            let default = default.map(|parameter| parameter.declarator.initialised.clone());
            let default = match default {
                Some(range) => {
                    reader.walk.find_callees(range.clone());
                    Some(reader.whole(range)?)
                }
                None => None,
            };
            let ty = reader.walk.elaborator.parameter_type(parameter, &context);
            let has = |word| parameter.prefix.has(word);
            let (is_in, is_out) = (has("in") || has("inout") || !has("out"), has("out") || has("inout"));
            reader.declare(parameter.declarator.name.text, ty.clone());
            parameters.push(CodeParameter { ty, is_in, is_out, default });
        }
        let clip_planes = reader.expressions(super::clip_planes(declared))?;
        let body = reader.statements(declared.body.clone()?)?;
        Some(Code { parameters, slots: reader.slots, result, clip_planes, body })
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
            let is_initialised = !tokens.is_empty();
            let mut walk = BodyWalk::new(self, calls, &comparisons, context, None);
            walk.run(tokens.clone());
            let mut reader =
                TreeReader { walk: &mut walk, names: Vec::new(), slots: 0, depth: 0, unrolling: Unrolling::Compiler };
            let initial = if is_initialised { reader.whole(tokens) } else { None };
            let is_understood = initial.is_some() == is_initialised;
            let is_shared = declaration.prefix.has("groupshared");
            let name = self.symbols.qualified(scope, name);
            self.module.variables.push(StaticVariable { name, ty, is_shared, initial, is_understood });
        }
        self.module.variables.sort_by(|one, other| one.name.cmp(&other.name));
    }
}

impl<'t> TreeReader<'_, '_, 't> {
    fn kind(&self, at: usize) -> TokenKind {
        self.walk.source.token(at).kind
    }

    fn text(&self, at: usize) -> &'t str {
        self.walk.source.token(at).text
    }

    fn closer(&self, at: usize) -> usize {
        self.walk.source.closer(at)
    }

    fn declare(&mut self, name: &'t str, ty: Option<Type>) -> usize {
        self.walk.locals.declare(name, LocalMeaning::Variable, ty);
        self.names.push((name, self.slots));
        self.slots += 1;
        self.slots - 1
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let outer = self.names.len();
        self.walk.locals.open();
        self.depth += 1;
        let found = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        self.walk.locals.close();
        self.names.truncate(outer);
        found
    }

    fn statements(&mut self, range: Range<usize>) -> Option<Vec<Statement>> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            at = self.statement(at, &mut found)?;
        }
        Some(found)
    }

    /// Reads one statement as a separate block. Also returns the token after it.
    fn branch(&mut self, at: usize) -> Option<(Vec<Statement>, usize)> {
        self.scoped(|reader| {
            let mut found = Vec::new();
            let end = reader.statement(at, &mut found)?;
            Some((found, end))
        })
    }

    /// Reads the statement at `at`. Returns the token after it.
    fn statement(&mut self, at: usize, found: &mut Vec<Statement>) -> Option<usize> {
        match self.kind(at) {
            TokenKind::LeftBracket => {
                if self.text(at + 1) == "unroll" {
                    self.unrolling = self.unrolling_at(at + 2)?;
                }
                return self.statement(self.closer(at) + 1, found);
            }
            TokenKind::LeftBrace => {
                let close = self.closer(at);
                found.push(Statement::Block(self.scoped(|reader| reader.statements(at + 1..close))?));
                return Some(close + 1);
            }
            TokenKind::Semicolon => return Some(at + 1),
            TokenKind::End | TokenKind::RightBrace => return None,
            _ => {}
        }

        let unrolling = std::mem::take(&mut self.unrolling);
        let close = self.closer(at + 1);
        match self.text(at) {
            "if" => {
                let condition = self.whole(at + 2..close)?;
                let (then, end) = self.branch(close + 1)?;
                let (otherwise, end) = if self.text(end) == "else" { self.branch(end + 1)? } else { (Vec::new(), end) };
                found.push(Statement::If { condition, then, otherwise });
                Some(end)
            }
            "while" => {
                let condition = Some(self.whole(at + 2..close)?);
                let (body, end) = self.branch(close + 1)?;
                let (before, step) = (Vec::new(), Vec::new());
                found.push(Statement::Loop { before, condition, step, body, tests_first: true, unrolling });
                Some(end)
            }
            "do" => {
                let (body, end) = self.branch(at + 1)?;
                if self.text(end) != "while" {
                    return None;
                }
                let close = self.closer(end + 1);
                let condition = Some(self.whole(end + 2..close)?);
                let (before, step) = (Vec::new(), Vec::new());
                found.push(Statement::Loop { before, condition, step, body, tests_first: false, unrolling });
                Some(close + 2)
            }
            "for" => {
                let (statement, end) = self.scoped(|reader| reader.counted(at + 1, unrolling))?;
                found.push(statement);
                Some(end)
            }
            "switch" => {
                let value = self.whole(at + 2..close)?;
                let cases = self.scoped(|reader| reader.cases(close + 1))?;
                found.push(Statement::Switch { value, cases });
                Some(self.closer(close + 1) + 1)
            }
            "return" if self.kind(at + 1) == TokenKind::Semicolon => {
                found.push(Statement::Return(None));
                Some(at + 2)
            }
            "return" => {
                let (value, end) = self.sequence(at + 1)?;
                found.push(Statement::Return(Some(value)));
                self.semicolon(end)
            }
            "break" => {
                found.push(Statement::Break);
                self.semicolon(at + 1)
            }
            "continue" => {
                found.push(Statement::Continue);
                self.semicolon(at + 1)
            }
            "discard" => {
                found.push(Statement::Discard);
                self.semicolon(at + 1)
            }
            "struct" | "typedef" | "using" | "enum" | "case" | "default" | "else" | "template" => None,
            _ => {
                let end = if let Some(end) = self.declarations(at, found) {
                    end?
                } else {
                    let (value, end) = self.sequence(at)?;
                    found.push(Statement::Expression(value));
                    end
                };
                self.semicolon(end)
            }
        }
    }

    /// The argument of `[unroll(3)]`.
    fn unrolling_at(&mut self, open: usize) -> Option<Unrolling> {
        if self.kind(open) != TokenKind::LeftParenthesis {
            return Some(Unrolling::All);
        }
        let rounds = self.walk.constant(open + 1, self.closer(open))?;
        Some(Unrolling::Rounds(u32::try_from(rounds).ok()?))
    }

    fn semicolon(&self, at: usize) -> Option<usize> {
        (self.kind(at) == TokenKind::Semicolon).then_some(at + 1)
    }

    /// The `for` whose `(` is at `open`, and the token behind it.
    fn counted(&mut self, open: usize, unrolling: Unrolling) -> Option<(Statement, usize)> {
        let close = self.closer(open);
        let mut before = Vec::new();
        let second = self.statement(open + 1, &mut before)?;
        let (condition, step) = if self.kind(second) == TokenKind::Semicolon {
            (None, second + 1)
        } else {
            let (condition, end) = self.sequence(second)?;
            (Some(condition), self.semicolon(end)?)
        };
        let step = if step < close { vec![self.whole_sequence(step..close)?] } else { Vec::new() };
        let (body, end) = self.branch(close + 1)?;
        Some((Statement::Loop { before, condition, step, body, tests_first: true, unrolling }, end))
    }

    /// Reads the cases of the `switch` with its `{` at `open`.
    fn cases(&mut self, open: usize) -> Option<Vec<SwitchCase>> {
        let close = self.closer(open);
        if self.kind(open) != TokenKind::LeftBrace {
            return None;
        }

        let mut cases: Vec<SwitchCase> = Vec::new();
        let mut at = open + 1;
        while at < close {
            let label = match self.text(at) {
                "default" => {
                    at += 1;
                    Some(None)
                }
                "case" => {
                    let (value, end) = self.expression(at + 1, 0)?;
                    at = end;
                    Some(Some(value))
                }
                _ => None,
            };
            if let Some(label) = label {
                if self.kind(at) != TokenKind::Colon {
                    return None;
                }
                at += 1;
                match cases.last_mut() {
                    Some(case) if case.body.is_empty() => case.labels.push(label),
                    _ => cases.push(SwitchCase { labels: vec![label], body: Vec::new() }),
                }
                continue;
            }
            let mut found = Vec::new();
            at = self.statement(at, &mut found)?;
            cases.last_mut()?.body.extend(found);
        }
        Some(cases)
    }

    /// Reads the declaration of local variables at `at`, if there is one. Returns the token after it.
    #[expect(clippy::option_option, reason = "a declaration that is not understood is no expression either")]
    fn declarations(&mut self, at: usize, found: &mut Vec<Statement>) -> Option<Option<usize>> {
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
        let is_static = self.walk.source.token(at).text == "static" && self.text(at + 1) != "const";
        Some(if is_static { None } else { self.declarators(ty.as_ref(), name, found) })
    }

    fn declarators(&mut self, ty: Option<&Type>, first: usize, found: &mut Vec<Statement>) -> Option<usize> {
        let mut at = first;
        loop {
            let name = self.text(at);
            if self.kind(at) != TokenKind::Identifier {
                return None;
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
                let (value, end) = self.initialiser(at + 1)?;
                (initial, at) = (Some(value), end);
            }
            let slot = self.declare(name, own.clone());
            found.push(Statement::Local { slot, ty: own, initial });
            if self.kind(at) != TokenKind::Comma {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Reads the expression or list at `at`.
    fn initialiser(&mut self, at: usize) -> Option<(Expression, usize)> {
        if self.kind(at) != TokenKind::LeftBrace {
            return self.expression(at, 0);
        }
        let close = self.closer(at);
        let mut values = Vec::new();
        let mut next = at + 1;
        while next < close {
            let (value, end) = self.deeper(|reader| reader.initialiser(next))?;
            values.push(value);
            next = end + usize::from(self.kind(end) == TokenKind::Comma);
            if end == next && end < close {
                return None;
            }
        }
        Some((Expression::List(values), close + 1))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        found
    }

    /// Reads the expression that fills `range` exactly.
    fn whole(&mut self, range: Range<usize>) -> Option<Expression> {
        let (value, end) = self.initialiser(range.start)?;
        (end == range.end).then_some(value)
    }

    fn whole_sequence(&mut self, range: Range<usize>) -> Option<Expression> {
        let (value, end) = self.sequence(range.start)?;
        (end == range.end).then_some(value)
    }

    /// Reads expressions that commas separate.
    fn expressions(&mut self, range: Range<usize>) -> Option<Vec<Expression>> {
        let (mut found, mut at) = (Vec::new(), range.start);
        while at < range.end {
            let (value, end) = self.expression(at, 0)?;
            found.push(value);
            at = end + 1;
        }
        Some(found)
    }

    /// `a, b`.
    fn sequence(&mut self, at: usize) -> Option<(Expression, usize)> {
        let (first, mut end) = self.expression(at, 0)?;
        if self.kind(end) != TokenKind::Comma {
            return Some((first, end));
        }
        let mut values = vec![first];
        while self.kind(end) == TokenKind::Comma {
            let (next, behind) = self.expression(end + 1, 0)?;
            values.push(next);
            end = behind;
        }
        Some((Expression::Sequence(values), end))
    }

    fn expression(&mut self, at: usize, least: u8) -> Option<(Expression, usize)> {
        self.deeper(|reader| reader.binary(at, least))
    }

    fn binary(&mut self, at: usize, least: u8) -> Option<(Expression, usize)> {
        let (mut left, mut end) = self.unary(at)?;
        let outer = self.depth;
        while let Some(operator) = self.walk.operator(end).filter(|operator| operator.precedence >= least) {
            let start = end + operator.tokens;
            self.link()?;
            if operator.symbol == "?" {
                let (first, colon) = self.expression(start, 0)?;
                if self.kind(colon) != TokenKind::Colon {
                    return None;
                }
                let (second, behind) = self.expression(colon + 1, CONDITIONAL)?;
                left = Expression::Select(Box::new([left, first, second]));
                end = behind;
                continue;
            }
            let precedence = operator.precedence + u8::from(operator.symbol != "=");
            let (right, behind) = if operator.symbol == "=" && self.kind(start) == TokenKind::LeftBrace {
                self.initialiser(start)?
            } else {
                self.expression(start, precedence)?
            };
            left = if let Some(callees) = self.walk.runs.get(&end).cloned() {
                let span = self.walk.source.token(end).span;
                let name = String::new();
                let call = CallExpression { name, callees, object: Some(left), arguments: vec![right], span };
                Expression::Call(Box::new(call))
            } else if operator.symbol == "=" {
                let text = if operator.tokens == 2 { ">>=" } else { self.text(end) };
                let operator = match text.strip_suffix('=')? {
                    "" => None,
                    symbol => Some(BinaryOperator::of_symbol(symbol)?),
                };
                Expression::Assign { operator, target: Box::new(left), value: Box::new(right) }
            } else {
                Expression::Binary(BinaryOperator::of_symbol(operator.symbol)?, Box::new(left), Box::new(right))
            };
            end = behind;
        }
        self.depth = outer;
        Some((left, end))
    }

    /// Counts one more nesting level: each operand of a chain contains those before it.
    fn link(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())
    }

    fn unary(&mut self, at: usize) -> Option<(Expression, usize)> {
        let prefixed = |operator, (operand, end)| (Expression::Unary(operator, Box::new(operand)), end);
        match self.kind(at) {
            TokenKind::Plus => self.operand(at + 1),
            TokenKind::Minus => Some(prefixed(PrefixOperator::Minus, self.operand(at + 1)?)),
            TokenKind::Tilde => Some(prefixed(PrefixOperator::Complement, self.operand(at + 1)?)),
            TokenKind::Bang => Some(prefixed(PrefixOperator::Not, self.operand(at + 1)?)),
            TokenKind::Other if matches!(self.text(at), "++" | "--") => {
                let down = self.text(at) == "--";
                let (target, end) = self.operand(at + 1)?;
                Some((Expression::Step { target: Box::new(target), down, postfix: false }, end))
            }
            TokenKind::LeftParenthesis => match self.walk.cast(at) {
                Some((ty, operand)) => {
                    let (value, end) = self.operand(operand)?;
                    Some((Expression::Cast(ty, Box::new(value)), end))
                }
                None if self.is_cast_to_unknown(at) => {
                    let (value, end) = self.operand(self.closer(at) + 1)?;
                    Some((Expression::Cast(None, Box::new(value)), end))
                }
                None => self.postfix(at),
            },
            _ => self.postfix(at),
        }
    }

    /// True for `(T)value` and `(T[2])value`, where `T` may be a parameter of a template: nothing else has a value after
    /// a bracket.
    fn is_cast_to_unknown(&self, at: usize) -> bool {
        let close = self.closer(at);
        let is_array = self.kind(at + 2) == TokenKind::LeftBracket && self.closer(at + 2) + 1 == close;
        (close == at + 2 || is_array)
            && self.kind(at + 1) == TokenKind::Identifier
            && matches!(self.kind(close + 1), TokenKind::Identifier | TokenKind::Integer | TokenKind::Float)
    }

    fn operand(&mut self, at: usize) -> Option<(Expression, usize)> {
        self.deeper(|reader| reader.unary(at))
    }

    fn postfix(&mut self, at: usize) -> Option<(Expression, usize)> {
        let (mut value, mut end) = self.primary(at)?;
        let outer = self.depth;
        loop {
            self.link()?;
            match self.kind(end) {
                TokenKind::Dot if self.kind(end + 1) == TokenKind::Identifier => {
                    let name = self.text(end + 1);
                    let open = generic_arguments_end(self.walk.source, end + 2)
                        .filter(|open| self.kind(*open) == TokenKind::LeftParenthesis)
                        .unwrap_or(end + 2);
                    // In `l.P::f()`, `P` names a base.
                    if self.kind(open) == TokenKind::ColonColon {
                        return None;
                    }
                    if self.kind(open) == TokenKind::LeftParenthesis {
                        value = self.call(name.to_owned(), Some(value), open)?;
                        end = self.closer(open) + 1;
                    } else {
                        value = Expression::Member(Box::new(value), name.to_owned());
                        end += 2;
                    }
                }
                TokenKind::LeftBracket => {
                    let close = self.closer(end);
                    if self.walk.runs.contains_key(&end) {
                        value = self.call(String::new(), Some(value), end)?;
                    } else {
                        let index = self.whole_sequence(end + 1..close)?;
                        value = Expression::Index(Box::new(value), Box::new(index));
                    }
                    end = close + 1;
                }
                TokenKind::LeftParenthesis if self.walk.runs.contains_key(&end) => {
                    value = self.call(String::new(), Some(value), end)?;
                    end = self.closer(end) + 1;
                }
                TokenKind::Other if matches!(self.text(end), "++" | "--") => {
                    let down = self.text(end) == "--";
                    value = Expression::Step { target: Box::new(value), down, postfix: true };
                    end += 1;
                }
                _ => {
                    self.depth = outer;
                    return Some((value, end));
                }
            }
        }
    }

    /// Reads the call with its opening bracket at `open`.
    fn call(&mut self, name: String, object: Option<Expression>, open: usize) -> Option<Expression> {
        let arguments = self.arguments(open)?;
        let callees = self.walk.runs.get(&open).cloned().unwrap_or(Callees::Named);
        let span = self.walk.source.token(open).span;
        Some(Expression::Call(Box::new(CallExpression { name, callees, object, arguments, span })))
    }

    fn arguments(&mut self, open: usize) -> Option<Vec<Expression>> {
        let close = self.closer(open);
        let mut arguments = Vec::new();
        let mut at = open + 1;
        while at < close {
            let (argument, end) = self.expression(at, 0)?;
            arguments.push(argument);
            match self.kind(end) {
                TokenKind::Comma => at = end + 1,
                _ if end == close => at = end,
                _ => return None,
            }
        }
        Some(arguments)
    }

    fn primary(&mut self, at: usize) -> Option<(Expression, usize)> {
        let text = self.text(at);
        match self.kind(at) {
            TokenKind::LeftParenthesis => {
                let close = self.closer(at);
                Some((self.whole_sequence(at + 1..close)?, close + 1))
            }
            TokenKind::Integer => Some((Expression::Constant(integer(text)?), at + 1)),
            // `1.#INF`, which no analysis here computes with.
            TokenKind::Float if text.contains('#') => Some((Expression::Opaque, at + 1)),
            TokenKind::Float => {
                let digits = text.trim_end_matches(|end: char| end.is_ascii_alphabetic());
                Some((Expression::Constant(Literal::Float(digits.parse().ok()?)), at + 1))
            }
            TokenKind::Text => Some((Expression::Opaque, at + 1)),
            TokenKind::Identifier => match text {
                "true" | "false" => Some((Expression::Constant(Literal::Boolean(text == "true")), at + 1)),
                "sizeof" => Some((Expression::Opaque, self.closer(at + 1) + 1)),
                "this" => Some((Expression::This, at + 1)),
                _ => self.named(at),
            },
            _ => None,
        }
    }

    /// Returns the value of an enumerator, a generic argument or a constant. Ignores the tokens
    /// after the name, which keeps long expressions linear.
    fn constant_named(&mut self, at: usize, name: &QualifiedName<'t>) -> Option<i64> {
        let span = self.walk.source.token(at).span;
        let last = PathPart { name: Identifier { text: name.name, span }, arguments: None };
        let parts = name.outer.iter().cloned().chain([last]).collect();
        let operation = Operation::Name(NamePath { is_rooted: false, parts, span });
        let expression = ExpressionSyntax { operations: vec![(operation, span)], span };
        let constant = self.walk.elaborator.evaluate(&expression, &self.walk.context).ok()?;
        Some(constant.value)
    }

    /// Reads a name that is called, constructed or read.
    fn named(&mut self, at: usize) -> Option<(Expression, usize)> {
        let local = self.names.iter().rev().find(|(name, _)| *name == self.text(at)).map(|(_, slot)| *slot);
        if let Some(slot) = local.filter(|_| self.kind(at + 1) != TokenKind::ColonColon) {
            return Some((Expression::Local(slot), at + 1));
        }

        let name = self.walk.qualified_name(at);
        let written: Vec<&str> = name.outer.iter().map(|part| part.name.text).chain([name.name]).collect();
        let written = written.join("::");
        if self.kind(name.end) == TokenKind::LeftParenthesis {
            let is_function = self.walk.runs.contains_key(&name.end)
                || (name.outer.is_empty() && !self.walk.candidates(name.name).is_empty());
            if !is_function && self.walk.is_type_name(at) {
                // A namespace before a function looks like the beginning of a type.
                if let Some((Some(ty), open)) = self.walk.written_type(at).filter(|(_, open)| *open == name.end) {
                    let arguments = self.arguments(open)?;
                    return Some((Expression::Construct(ty, arguments), self.closer(open) + 1));
                }
            }
            // A method called without an object belongs to `this`; `runs` tells which one.
            let call = self.call(self.walk.qualified(&written), None, name.end)?;
            return Some((call, self.closer(name.end) + 1));
        }
        // A variable may be named like a type: `Texture2D Texture;`.
        let is_builtin = builtin::builtin(name.name).is_some() || name.name == "unsigned";
        if is_builtin && name.outer.is_empty() && self.walk.is_type_name(at) {
            let (ty, open) = self.walk.written_type(at)?;
            if self.kind(open) != TokenKind::LeftParenthesis {
                return None;
            }
            let arguments = self.arguments(open)?;
            return Some((Expression::Construct(ty?, arguments), self.closer(open) + 1));
        }

        let is_member = self.walk.this.as_ref().is_some_and(|this| this.member(name.name).is_some());
        if name.outer.is_empty() && is_member {
            let this = Box::new(Expression::This);
            return Some((Expression::Member(this, name.name.to_owned()), name.end));
        }
        let qualified = self.walk.qualified(&written);
        let scope = self.walk.elaborator.symbols.mentioned(self.walk.context.scope, name.name);
        let is_variable = name.outer.is_empty()
            && scope.is_some_and(|scope| self.walk.calls.catalogue.variable(scope, name.name).is_some());
        if !is_variable {
            if let Some(value) = self.constant_named(at, &name) {
                return Some((Expression::Constant(Literal::Integer { value, unsigned: false }), name.end));
            }
        }
        Some((Expression::Global(qualified), name.end))
    }
}

fn integer(text: &str) -> Option<Literal> {
    let (value, unsigned) = operator::integer(text)?;
    Some(Literal::Integer { value: i64::try_from(value).ok()?, unsigned })
}
