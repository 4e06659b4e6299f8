//! Reads the expressions of a body: their types, their trees, and the functions that they call.
//!
//! Types decide which methods, operators and default arguments run, where the text names no function (`candidates`
//! resolves names, `callees` resolves calls). They are followed only if the source declares anything that needs them. The
//! functions that access paths call are kept for [`super::path`]; a call without a path becomes a separate use. Every
//! expression is read to its end; one that is not understood is noted, and the body then has no tree.
//!
//! Source: HLSL 2021 as DXC 1.7.2308 accepts it. Operators are methods of their left operand.

use std::ops::Range;

use layoutproof_layout::shape::Type;

use super::names::QualifiedName;
use super::tree::{BodyReader, LocalVariable};
use super::value::{BOOL, FLOAT, INT, UINT, ValueType};
use super::{BodyWalk, value};
use crate::ast::{Expression as ExpressionSyntax, Identifier, NamePath, Operation, PathPart};
use crate::elaborate::builtin;
use crate::module::Callees;
use crate::module::code::{BinaryOperator, CallExpression, Expression, Literal, PrefixOperator};
use crate::parser::{Parser, generic_arguments_end};
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_preprocess::operator;

/// Maximum nesting of expressions and statements, which keeps the stack small. Deeper expressions are read separately.
pub(super) const DEEPEST: u32 = 160;

/// Objects of shader model 6.6, which are no parameters: an index into one is no call.
const DESCRIPTOR_HEAPS: [&str; 2] = ["ResourceDescriptorHeap", "SamplerDescriptorHeap"];

/// Precedence of `?`.
const CONDITIONAL: u8 = 1;

#[derive(Debug)]
pub(super) struct Reading {
    pub(super) ty: ValueType,
    /// The token after it.
    pub(super) end: usize,
    pub(super) tree: Expression,
}

struct ArgumentList {
    types: Vec<ValueType>,
    trees: Vec<Expression>,
    close: usize,
}

/// An operator with two operands, an assignment or a `?`.
#[derive(Clone, Copy, Debug)]
struct Infix<'t> {
    /// `=` for all assignments.
    symbol: &'t str,
    precedence: u8,
    tokens: usize,
}

impl BodyWalk<'_, '_> {
    pub(super) fn starts_expression(&self, at: usize) -> bool {
        let token = self.source.token(at);
        match token.kind {
            TokenKind::Identifier => !self.is_word(at) || matches!(token.text, "true" | "false"),
            TokenKind::LeftParenthesis => {
                let before = self.source.token(at.saturating_sub(1)).text;
                !matches!(before, "if" | "for" | "while" | "switch")
            }
            TokenKind::Integer
            | TokenKind::Float
            | TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Tilde
            | TokenKind::Bang => true,
            _ => false,
        }
    }

    /// Returns the type of the cast with its `(` at `at`, and the start of its operand.
    fn cast(&mut self, at: usize) -> Option<(ValueType, usize)> {
        let (close, first) = (self.source.closer(at), self.source.token(at + 1));
        let operand = self.source.token(close + 1).kind;

        // `(a) - b` subtracts, `(int) - b` casts.
        let is_signed_operand =
            matches!(operand, TokenKind::Minus | TokenKind::Plus | TokenKind::Bang | TokenKind::Tilde)
                && (builtin::builtin(first.text).is_some() || first.text == "unsigned");
        let is_operand = is_signed_operand
            || matches!(
                operand,
                TokenKind::Identifier | TokenKind::Integer | TokenKind::Float | TokenKind::LeftParenthesis
            );
        if first.kind != TokenKind::Identifier || !is_operand || !self.is_type_name(at + 1) {
            return None;
        }

        let (ty, end) = self.written_type(at + 1)?;
        (end == close).then_some((ty, close + 1))
    }

    /// Returns true if the name at `at` is a type and not a variable.
    pub(super) fn is_type_name(&self, at: usize) -> bool {
        let name = self.source.token(at).text;
        let symbols = &self.elaborator.symbols;
        let mut scopes = symbols.outwards(self.context.scope);
        !self.is_value_name(name)
            && (builtin::builtin(name).is_some()
                || name == "unsigned"
                || self.context.bindings.iter().any(|binding| binding.name == name)
                || scopes
                    .any(|scope| symbols.type_in(scope, name).is_some() || symbols.namespace_in(scope, name).is_some()))
    }

    /// Reads the type at `at`. Also returns the token after it.
    pub(super) fn written_type(&mut self, at: usize) -> Option<(ValueType, usize)> {
        let mut parser = Parser::new(self.source, at);
        let ty = parser.type_expression().ok()?;
        let context = self.context.clone();
        let found = self.elaborator.quietly(|elaborator| elaborator.resolve(&ty, None, &context));
        Some((found, parser.position()))
    }
}

impl<'t> BodyReader<'_, '_, 't> {
    /// Resolves the calls in `from..end`, whatever stands between them, where that needs types.
    pub(super) fn scan(&mut self, from: usize, end: usize) {
        let mut at = if self.walk.calls.catalogue.needs_types { from } else { end };
        while at < end {
            if !self.walk.starts_expression(at) {
                at += 1;
                continue;
            }
            self.cut = None;
            let read = self.expression(at, 0);
            at = self.cut.unwrap_or(read.end).min(read.end).max(at + 1);
        }
    }

    /// Reads the expression at `at`, up to operators that bind less than `least`.
    pub(super) fn expression(&mut self, at: usize, least: u8) -> Reading {
        self.deeper(at, |reader| reader.binary(at, least))
    }

    /// Reads one level deeper. If that is too deep, notes to read the expression at `at` separately.
    fn deeper(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Reading) -> Reading {
        if self.depth >= DEEPEST {
            self.cut = Some(self.cut.map_or(at, |cut| cut.min(at)));
            return self.unknown(self.walk.expression_end(at));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }

    /// Notes that the code is not understood.
    fn unknown(&mut self, end: usize) -> Reading {
        self.is_understood = false;
        Reading { ty: None, end, tree: Expression::Opaque }
    }

    /// Returns a tree in place of a long chain, each operand of which contains those before it.
    fn cut_chain(&mut self) -> Expression {
        self.is_understood = false;
        Expression::Opaque
    }

    fn binary(&mut self, at: usize, least: u8) -> Reading {
        let mut left = self.unary(at);
        let mut links = self.depth;
        while let Some(infix) = self.infix(left.end).filter(|infix| infix.precedence >= least) {
            let (operator, start) = (left.end, left.end + infix.tokens);
            links += 1;
            if links > DEEPEST {
                left.tree = self.cut_chain();
            }
            let right = match infix.symbol {
                "?" => {
                    let second = self.expression(start, 0);
                    let third = self.expression(second.end + 1, CONDITIONAL);
                    self.is_understood &= self.kind(second.end) == TokenKind::Colon && third.end > start;
                    let tree = Expression::Select(Box::new([left.tree, second.tree, third.tree]));
                    left = Reading { ty: second.ty.or(third.ty), end: third.end, tree };
                    continue;
                }
                "=" => self.initialiser(start),
                _ => self.expression(start, infix.precedence + 1),
            };
            if right.end <= start {
                self.is_understood = false;
                break;
            }
            left = self.operation(left, operator, infix, right);
        }
        left
    }

    fn infix(&self, at: usize) -> Option<Infix<'t>> {
        let (token, next) = (self.walk.source.token(at), self.walk.source.token(at + 1));
        let assignment = |tokens| Some(Infix { symbol: "=", precedence: 0, tokens });
        match token.kind {
            TokenKind::Assign => return assignment(1),
            TokenKind::Other if token.text.ends_with('=') => return assignment(1),
            // `>>=`
            TokenKind::Greater if next.kind == TokenKind::GreaterEqual && !next.spaced => return assignment(2),
            TokenKind::Question => return Some(Infix { symbol: "?", precedence: CONDITIONAL, tokens: 1 }),
            _ => {}
        }
        let (operator, tokens) = BinaryOperator::read(&token, Some(&next))?;
        let symbol = if operator == BinaryOperator::ShiftRight { ">>" } else { token.text };
        Some(Infix { symbol, precedence: operator.precedence() + CONDITIONAL + 1, tokens })
    }

    /// Combines `left` and `right` with the operator at the token `at`.
    fn operation(&mut self, left: Reading, at: usize, infix: Infix<'t>, right: Reading) -> Reading {
        let end = right.end;

        // Operators on numbers are built in; operators on other types call a method.
        let ty = match (infix.symbol, &left.ty) {
            ("=", _) => left.ty,
            (symbol, Some(ty)) if value::is_number(ty) => match symbol {
                "==" | "!=" | "<" | ">" | "<=" | ">=" => value::comparison(left.ty, right.ty),
                "&&" | "||" => Some(BOOL),
                "<<" | ">>" => left.ty,
                _ => value::arithmetic(left.ty, right.ty),
            },
            (symbol, _) => self.called_operator(&left.ty, symbol, at, end, &[right.ty]),
        };
        let (left, right) = (left.tree, right.tree);
        let tree = if self.walk.runs.contains_key(&at) {
            self.call(String::new(), Some(left), at, vec![right])
        } else if infix.symbol == "=" {
            let symbol = if infix.tokens == 2 { ">>" } else { self.text(at).trim_end_matches('=') };
            let operator = BinaryOperator::of_symbol(symbol);
            Expression::Assign { operator, target: Box::new(left), value: Box::new(right) }
        } else {
            let operator = BinaryOperator::of_symbol(infix.symbol).unwrap_or(BinaryOperator::Add);
            Expression::Binary(operator, Box::new(left), Box::new(right))
        };
        Reading { ty, end, tree }
    }

    fn unary(&mut self, at: usize) -> Reading {
        match self.kind(at) {
            TokenKind::Plus => self.operand(at + 1),
            TokenKind::Minus => self.prefixed(PrefixOperator::Minus, at + 1),
            TokenKind::Tilde => self.prefixed(PrefixOperator::Complement, at + 1),
            TokenKind::Bang => Reading { ty: Some(BOOL), ..self.prefixed(PrefixOperator::Not, at + 1) },
            TokenKind::Star | TokenKind::Ampersand => {
                self.is_understood = false;
                self.operand(at + 1)
            }
            TokenKind::Other if matches!(self.text(at), "++" | "--") => {
                let down = self.text(at) == "--";
                let Reading { ty, end, tree } = self.operand(at + 1);
                Reading { ty, end, tree: Expression::Step { target: Box::new(tree), down, postfix: false } }
            }
            TokenKind::LeftParenthesis => {
                let (ty, operand) = match self.walk.cast(at) {
                    Some(cast) => cast,
                    None if self.is_cast_to_unknown(at) => (None, self.closer(at) + 1),
                    None => return self.primary(at),
                };
                let Reading { end, tree, .. } = self.operand(operand);
                Reading { ty: ty.clone(), end, tree: Expression::Cast(ty, Box::new(tree)) }
            }
            _ => self.primary(at),
        }
    }

    fn operand(&mut self, at: usize) -> Reading {
        self.deeper(at, |reader| reader.unary(at))
    }

    fn prefixed(&mut self, operator: PrefixOperator, at: usize) -> Reading {
        let Reading { ty, end, tree } = self.operand(at);
        Reading { ty, end, tree: Expression::Unary(operator, Box::new(tree)) }
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

    /// Reads a value with the members, indices and calls after it: also `0.0.xxxx`.
    fn primary(&mut self, at: usize) -> Reading {
        let is_literal = matches!(self.kind(at), TokenKind::Integer | TokenKind::Float | TokenKind::Text);
        let read = self.single(at);
        if is_literal { self.behind(read, None) } else { read }
    }

    fn single(&mut self, at: usize) -> Reading {
        let text = self.text(at);
        let constant = |ty, literal| Reading { ty: Some(ty), end: at + 1, tree: Expression::Constant(literal) };
        match self.kind(at) {
            TokenKind::LeftParenthesis => {
                let close = self.closer(at);
                let Reading { ty, end, tree } = self.sequence(at + 1);
                self.is_understood &= end == close;
                self.behind(Reading { ty, end: close + 1, tree }, None)
            }
            TokenKind::Integer => match integer(text) {
                Some(literal) => constant(if text.ends_with(['u', 'U']) { UINT } else { INT }, literal),
                None => self.unknown(at + 1),
            },
            TokenKind::Float => match text.trim_end_matches(|end: char| end.is_ascii_alphabetic()).parse() {
                Ok(value) => constant(FLOAT, Literal::Float(value)),
                // `1.#INF`, which no analysis here computes with.
                Err(_) => Reading { ty: Some(FLOAT), end: at + 1, tree: Expression::Opaque },
            },
            TokenKind::Text => Reading { ty: None, end: at + 1, tree: Expression::Opaque },
            TokenKind::Identifier => match text {
                "true" | "false" => constant(BOOL, Literal::Boolean(text == "true")),
                "sizeof" => Reading { ty: Some(UINT), end: self.closer(at + 1) + 1, tree: Expression::Opaque },
                "this" => {
                    let ty = self.walk.this.clone().map(Type::Struct);
                    self.behind(Reading { ty, end: at + 1, tree: Expression::This }, Some(at))
                }
                _ if self.walk.is_word(at) => self.unknown(at),
                _ => self.named(at),
            },
            _ => self.unknown(at),
        }
    }

    fn named(&mut self, at: usize) -> Reading {
        let name = self.walk.qualified_name(at);
        if self.kind(name.end) == TokenKind::LeftParenthesis {
            return self.called(at, &name);
        }

        // A variable may be named like a type: `Texture2D Texture;`.
        let is_builtin = builtin::builtin(name.name).is_some() || name.name == "unsigned";
        if is_builtin && name.outer.is_empty() && self.walk.is_type_name(at) {
            // `unsigned int(x)`
            let written = self.walk.written_type(at);
            let Some((ty, open)) = written.filter(|(_, open)| self.kind(*open) == TokenKind::LeftParenthesis) else {
                return self.unknown(name.end);
            };
            let ArgumentList { trees, close, .. } = self.arguments(open);
            let Some(ty) = ty else { return self.unknown(close + 1) };
            let (ty, tree) = (Some(ty.clone()), Expression::Construct(ty, trees));
            return self.behind(Reading { ty, end: close + 1, tree }, None);
        }

        let ty = match name.outer.as_slice() {
            _ if !self.walk.calls.catalogue.needs_types => None,
            [] => self.walk.variable(name.name),
            outer => self.walk.qualified_variable(outer, name.name),
        };
        let tree = self.variable_tree(at, &name);
        self.behind(Reading { ty, end: name.end, tree }, Some(at))
    }

    /// Returns the local variable whose name is at `at`.
    fn local(&self, at: usize) -> Option<Expression> {
        let local = self.names.iter().rev().find(|(name, _)| *name == self.text(at));
        let (_, variable) = local.filter(|_| self.kind(at + 1) != TokenKind::ColonColon)?;
        Some(match variable {
            LocalVariable::Slot(slot) => Expression::Local(*slot),
            LocalVariable::Static(name) => Expression::Global(name.clone()),
        })
    }

    fn variable_tree(&mut self, at: usize, name: &QualifiedName<'t>) -> Expression {
        if let Some(local) = self.local(at) {
            return local;
        }
        let is_member = self.walk.this.as_ref().is_some_and(|this| this.member(name.name).is_some());
        if name.outer.is_empty() && is_member {
            return Expression::Member(Box::new(Expression::This), name.name.to_owned());
        }
        let scope = self.walk.elaborator.symbols.mentioned(self.walk.context.scope, name.name);
        let is_variable = name.outer.is_empty()
            && scope.is_some_and(|scope| self.walk.calls.catalogue.variable(scope, name.name).is_some());
        if !is_variable {
            if let Some(value) = self.constant_named(at, name) {
                return Expression::Constant(Literal::Integer { value, unsigned: false });
            }
        }
        Expression::Global(self.walk.qualified(&name.written()))
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

    /// Reads the call of `name`: of a function, of a constructor, or of an object with an `operator()`.
    fn called(&mut self, at: usize, name: &QualifiedName<'t>) -> Reading {
        let open = name.end;
        let ArgumentList { types, trees, close } = self.arguments(open);
        let outer = name.outer.as_slice();
        let needs_types = self.walk.calls.catalogue.needs_types;
        let object = if needs_types { self.callable_object(name) } else { None };
        let ty = match object {
            _ if !needs_types => None,
            Some(object) => self.called_operator(&object, "()", open, close + 1, &types),
            None => self.walk.function(at, outer, name.name, name.arguments.as_deref(), open, &types),
        };
        let tree = self.called_tree(at, name, trees);
        self.behind(Reading { ty, end: close + 1, tree }, None)
    }

    /// Returns the type of the object that a call of `name` is made on, if `name` is no function.
    fn callable_object(&mut self, name: &QualifiedName<'t>) -> Option<ValueType> {
        if !name.outer.is_empty() {
            return None;
        }
        if let Some(local) = self.walk.locals.find(name.name) {
            return Some(local.ty.clone());
        }
        let is_conversion = builtin::builtin(name.name).is_some() && !self.walk.is_value_name(name.name);
        let is_function = is_conversion || !self.walk.candidates(name.name).is_empty();
        if is_function { None } else { self.walk.variable(name.name).map(Some) }
    }

    fn called_tree(&mut self, at: usize, name: &QualifiedName<'t>, arguments: Vec<Expression>) -> Expression {
        let open = name.end;
        let is_resolved = self.walk.runs.contains_key(&open);
        if let Some(local) = self.local(at) {
            self.is_understood &= is_resolved;
            return self.call(String::new(), Some(local), open, arguments);
        }
        let is_function = is_resolved || (name.outer.is_empty() && !self.walk.candidates(name.name).is_empty());
        if !is_function && self.walk.is_type_name(at) {
            // A namespace before a function looks like the beginning of a type.
            if let Some((Some(ty), _)) = self.walk.written_type(at).filter(|(_, end)| *end == open) {
                return Expression::Construct(ty, arguments);
            }
        }
        // A method called without an object belongs to `this`; `runs` tells which one.
        self.call(self.walk.qualified(&name.written()), None, open, arguments)
    }

    fn call(&self, name: String, object: Option<Expression>, at: usize, arguments: Vec<Expression>) -> Expression {
        let callees = self.walk.runs.get(&at).cloned().unwrap_or(Callees::Named);
        let span = self.walk.source.token(at).span;
        Expression::Call(Box::new(CallExpression { name, callees, object, arguments, span }))
    }

    /// Resolves the method of `object` that the operator `symbol` calls.
    fn called_operator(
        &mut self,
        object: &ValueType,
        symbol: &str,
        at: usize,
        end: usize,
        arguments: &[ValueType],
    ) -> ValueType {
        let needs_types = self.walk.calls.catalogue.needs_types;
        if needs_types { self.walk.called_operator(object, symbol, at, end, arguments) } else { None }
    }

    /// Follows the steps after a value: members, indices, method calls. `path` is the first token
    /// if the value is an access path.
    fn behind(&mut self, mut object: Reading, mut path: Option<usize>) -> Reading {
        let mut links = self.depth;
        loop {
            let end = object.end;
            links += 1;
            if links > DEEPEST {
                object.tree = self.cut_chain();
            }
            match self.kind(end) {
                TokenKind::Dot | TokenKind::Arrow if self.kind(end + 1) == TokenKind::Identifier => {
                    object = self.member(object, &mut path);
                }
                TokenKind::LeftBracket => object = self.indexed(object),
                TokenKind::LeftParenthesis if path.is_none() => {
                    let ArgumentList { types, trees, close } = self.arguments(end);
                    let ty = self.called_operator(&object.ty, "()", end, close + 1, &types);
                    self.is_understood &= self.walk.runs.contains_key(&end);
                    let tree = self.call(String::new(), Some(object.tree), end, trees);
                    object = Reading { ty, end: close + 1, tree };
                }
                TokenKind::Other if matches!(self.text(end), "++" | "--") => {
                    let down = self.text(end) == "--";
                    let tree = Expression::Step { target: Box::new(object.tree), down, postfix: true };
                    object = Reading { ty: object.ty, end: end + 1, tree };
                }
                _ => return object,
            }
        }
    }

    /// Reads the member or method call after the `.` that follows `object`. A method call consumes the `path`.
    fn member(&mut self, object: Reading, path: &mut Option<usize>) -> Reading {
        // `object.template method<T>()`
        let is_template = self.text(object.end + 1) == "template" && self.kind(object.end + 2) == TokenKind::Identifier;
        let at = object.end + 1 + usize::from(is_template);
        let open = generic_arguments_end(self.walk.source, at + 1)
            .filter(|end| self.kind(*end) == TokenKind::LeftParenthesis)
            .unwrap_or(at + 1);
        // `->` belongs to pointers. In `l.P::f()`, `P` names a base.
        self.is_understood &= self.kind(object.end) == TokenKind::Dot && self.kind(open) != TokenKind::ColonColon;
        let name = self.text(at);
        if self.kind(open) == TokenKind::LeftParenthesis {
            let ArgumentList { types, trees, close } = self.arguments(open);
            let ty = self.method_call(&object.ty, at, open, &types, path.take());
            let tree = self.call(name.to_owned(), Some(object.tree), open, trees);
            return Reading { ty, end: close + 1, tree };
        }

        let ty = object.ty.and_then(|ty| value::member(&ty, name));
        Reading { ty, end: at + 1, tree: Expression::Member(Box::new(object.tree), name.to_owned()) }
    }

    /// Resolves the call of the method with its name at `at` and its `(` at `open`.
    fn method_call(
        &mut self,
        object: &ValueType,
        at: usize,
        open: usize,
        arguments: &[ValueType],
        path: Option<usize>,
    ) -> ValueType {
        if !self.walk.calls.catalogue.needs_types {
            return None;
        }
        let close = self.closer(open);
        let generics =
            if open > at + 1 { Parser::new(self.walk.source, at + 1).generic_arguments().ok() } else { None };
        let choice = self.walk.method(object, self.text(at), generics.as_deref(), arguments);
        self.walk.draft_defaults(open, close + 1, &choice);
        self.walk.runs.insert(open, choice.callees.clone());
        if let Some(path) = path {
            self.walk.callees.insert(path, choice.callees);
        } else {
            self.walk.draft(at, close + 1, &choice, Some(open));
        }
        choice.result
    }

    /// Reads the element of `object` at the index that follows it.
    fn indexed(&mut self, object: Reading) -> Reading {
        let (open, close) = (object.end, self.closer(object.end));
        let index = self.sequence(open + 1);
        let is_heap = object.ty.is_none() && DESCRIPTOR_HEAPS.contains(&self.text(open - 1));
        let ty = match &object.ty {
            None if is_heap => None,
            Some(Type::Struct(_)) | None => self.called_operator(&object.ty, "[]", open, close + 1, &[index.ty]),
            Some(ty) => value::element(ty),
        };
        self.is_understood &= index.end == close;
        let tree = if self.walk.runs.contains_key(&open) {
            self.call(String::new(), Some(object.tree), open, vec![index.tree])
        } else {
            Expression::Index(Box::new(object.tree), Box::new(index.tree))
        };
        Reading { ty, end: close + 1, tree }
    }

    fn arguments(&mut self, open: usize) -> ArgumentList {
        let close = self.closer(open);
        let (mut types, mut trees) = (Vec::new(), Vec::new());
        for Reading { ty, tree, .. } in self.list(open, |reader, at| reader.expression(at, 0)) {
            types.push(ty);
            trees.push(tree);
        }
        ArgumentList { types, trees, close }
    }

    /// Reads what commas separate between the bracket at `open` and its closing one.
    fn list(&mut self, open: usize, read: fn(&mut Self, usize) -> Reading) -> Vec<Reading> {
        let close = self.closer(open);
        let (mut found, mut at) = (Vec::new(), open + 1);
        while at < close {
            let read = read(self, at);
            at = read.end;
            if at != close && self.kind(at) != TokenKind::Comma {
                self.is_understood = false;
                at = self.walk.expression_end(at);
            }
            at += 1;
            found.push(read);
        }
        found
    }

    pub(super) fn initialiser(&mut self, at: usize) -> Reading {
        if self.kind(at) != TokenKind::LeftBrace {
            return self.expression(at, 0);
        }
        let values = self.list(at, |reader, at| reader.deeper(at, |reader| reader.initialiser(at)));
        let tree = Expression::List(values.into_iter().map(|value| value.tree).collect());
        Reading { ty: None, end: self.closer(at) + 1, tree }
    }

    /// Reads `a, b`, which has the type of its last operand.
    pub(super) fn sequence(&mut self, at: usize) -> Reading {
        let mut last = self.expression(at, 0);
        let mut values = Vec::new();
        while self.kind(last.end) == TokenKind::Comma {
            let next = self.expression(last.end + 1, 0);
            values.push(std::mem::replace(&mut last, next).tree);
        }
        if !values.is_empty() {
            values.push(last.tree);
            last.tree = Expression::Sequence(values);
        }
        last
    }

    /// Reads the expression or list that fills `range` exactly.
    pub(super) fn whole(&mut self, range: Range<usize>) -> Expression {
        let read = self.initialiser(range.start);
        self.finished(read, range.end)
    }

    /// Returns the tree of an expression that ends at `end`. Reads on where it ends earlier.
    pub(super) fn finished(&mut self, read: Reading, end: usize) -> Expression {
        self.is_understood &= read.end == end;
        let from = self.cut.take().map_or(read.end, |cut| cut.min(read.end));
        self.scan(from, end);
        read.tree
    }
}

fn integer(text: &str) -> Option<Literal> {
    let (value, unsigned) = operator::integer(text)?;
    Some(Literal::Integer { value: i64::try_from(value).ok()?, unsigned })
}
