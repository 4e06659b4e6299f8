//! Finds the types of the expressions in a body. They decide which methods, operators and default
//! arguments run, where the text names no function.
//!
//! The walk over the body calls this at the first token of an expression. `candidates` resolves
//! names, and `callees` resolves calls. The functions that access paths call are kept for
//! [`super::path`]; a call without a path becomes a separate use.
//!
//! Source: HLSL 2021 as DXC 1.7.2308 accepts it. Operators are methods of their left operand.

use layoutproof_layout::shape::Type;

use super::BodyWalk;
use super::candidates::QualifiedName;
use super::value::{self, BOOL, FLOAT, INT, UINT, ValueType};
use crate::elaborate::builtin;
use crate::parser::{Parser, generic_arguments_end};
use layoutproof_preprocess::lexer::TokenKind;
use layoutproof_preprocess::operator::BinaryOperator;

/// Maximum nesting of expressions, which keeps the stack small. Deeper ones are walked separately.
const DEEPEST: u32 = 48;

/// Objects of shader model 6.6, which are no parameters: an index into one is no call.
const DESCRIPTOR_HEAPS: [&str; 2] = ["ResourceDescriptorHeap", "SamplerDescriptorHeap"];

/// An expression: its type and the token behind it.
#[derive(Debug)]
struct TypedExpression {
    ty: ValueType,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BinarySymbol<'t> {
    pub(super) symbol: &'t str,
    pub(super) precedence: u8,
    /// Number of tokens.
    pub(super) tokens: usize,
}

/// Precedence of `?`.
const CONDITIONAL: u8 = 1;

impl<'t> BodyWalk<'_, 't> {
    /// Returns true if an expression can begin at `at`.
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

    /// Walks the expression that begins at `at`. Returns the token before which nothing needs another walk.
    pub(super) fn expression(&mut self, at: usize) -> usize {
        self.depth = 0;
        self.cut = None;
        let TypedExpression { end, .. } = self.binary(at, 0);
        self.cut.unwrap_or(end).min(end).max(at + 1)
    }

    fn binary(&mut self, at: usize, least: u8) -> TypedExpression {
        if let Some(unknown) = self.cut_if_deep(at) {
            return unknown;
        }
        self.depth += 1;

        let mut left = self.unary(at);
        while let Some(operator) = self.operator(left.end).filter(|operator| operator.precedence >= least) {
            let start = left.end + operator.tokens;
            let right = match operator.symbol {
                "?" => {
                    let second = self.binary(start, 0);
                    let third = self.binary(second.end + 1, CONDITIONAL);
                    TypedExpression { ty: second.ty.or(third.ty), end: third.end }
                }
                "=" => self.binary(start, operator.precedence),
                _ => self.binary(start, operator.precedence + 1),
            };
            if right.end <= start {
                break;
            }
            left = self.operation(left, start - operator.tokens, operator.symbol, right);
        }

        self.depth -= 1;
        left
    }

    /// Reads the binary operator at `at`.
    pub(super) fn operator(&self, at: usize) -> Option<BinarySymbol<'t>> {
        let token = self.source.token(at);
        let next = self.source.token(at + 1);
        let is_assignment =
            token.kind == TokenKind::Assign || (token.kind == TokenKind::Other && token.text.ends_with('='));
        if is_assignment {
            return Some(BinarySymbol { symbol: "=", precedence: 0, tokens: 1 });
        }
        if token.kind == TokenKind::Question {
            return Some(BinarySymbol { symbol: "?", precedence: CONDITIONAL, tokens: 1 });
        }
        // `>>=`
        if token.kind == TokenKind::Greater && next.kind == TokenKind::GreaterEqual && !next.spaced {
            return Some(BinarySymbol { symbol: "=", precedence: 0, tokens: 2 });
        }
        let (operator, tokens) = BinaryOperator::read(&token, Some(&next))?;
        let symbol = if operator == BinaryOperator::ShiftRight { ">>" } else { token.text };
        let precedence = operator.precedence() + CONDITIONAL + 1;
        Some(BinarySymbol { symbol, precedence, tokens })
    }

    /// Combines `left` and `right` with the operator `symbol` at the token `at`.
    fn operation(&mut self, left: TypedExpression, at: usize, symbol: &str, right: TypedExpression) -> TypedExpression {
        let end = right.end;

        // Operators on numbers are built in; operators on other types call a method.
        let ty = match (symbol, &left.ty) {
            ("?", _) => right.ty,
            ("=", _) => left.ty,
            (_, Some(ty)) if value::is_number(ty) => match symbol {
                "==" | "!=" | "<" | ">" | "<=" | ">=" => value::comparison(left.ty, right.ty),
                "&&" | "||" => Some(BOOL),
                "<<" | ">>" => left.ty,
                _ => value::arithmetic(left.ty, right.ty),
            },
            (_, _) => self.called_operator(&left.ty, symbol, at, end, &[right.ty]),
        };
        TypedExpression { ty, end }
    }

    fn unary(&mut self, at: usize) -> TypedExpression {
        let mut start = at;
        loop {
            let token = self.source.token(start);
            match token.kind {
                TokenKind::Plus | TokenKind::Minus | TokenKind::Tilde | TokenKind::Star | TokenKind::Ampersand => {
                    start += 1;
                }
                TokenKind::Other if matches!(token.text, "++" | "--") => start += 1,
                TokenKind::Bang => {
                    let TypedExpression { end, .. } = self.unary_operand(start + 1);
                    return TypedExpression { ty: Some(BOOL), end };
                }
                TokenKind::LeftParenthesis => match self.cast(start) {
                    Some((ty, operand)) => {
                        let TypedExpression { end, .. } = self.unary_operand(operand);
                        return TypedExpression { ty, end };
                    }
                    None => break,
                },
                _ => break,
            }
        }

        self.postfix(start)
    }

    /// Walks the operand of a prefix operator, one level deeper.
    fn unary_operand(&mut self, at: usize) -> TypedExpression {
        if let Some(unknown) = self.cut_if_deep(at) {
            return unknown;
        }

        self.depth += 1;
        let operand = self.unary(at);
        self.depth -= 1;
        operand
    }

    /// If the walk is too deep, returns an unknown type for the expression at `at` and notes to walk it separately.
    fn cut_if_deep(&mut self, at: usize) -> Option<TypedExpression> {
        if self.depth < DEEPEST {
            return None;
        }
        self.cut = Some(self.cut.map_or(at, |cut| cut.min(at)));
        Some(TypedExpression { ty: None, end: self.expression_end(at) })
    }

    /// Returns the type of the cast with its `(` at `at`, and the start of its operand.
    pub(super) fn cast(&mut self, at: usize) -> Option<(ValueType, usize)> {
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

    /// Walks a primary expression with the members, indices and calls after it.
    fn postfix(&mut self, at: usize) -> TypedExpression {
        let token = self.source.token(at);
        match token.kind {
            TokenKind::LeftParenthesis => {
                let close = self.source.closer(at);
                let mut inner = self.binary(at + 1, 0);
                // `(a, b)` has the type of its last operand.
                while inner.end < close && self.source.token(inner.end).kind == TokenKind::Comma {
                    inner = self.binary(inner.end + 1, 0);
                }
                self.behind(TypedExpression { ty: inner.ty, end: close + 1 }, None)
            }
            TokenKind::Integer => {
                let ty = if token.text.ends_with(['u', 'U']) { UINT } else { INT };
                TypedExpression { ty: Some(ty), end: at + 1 }
            }
            TokenKind::Float => TypedExpression { ty: Some(FLOAT), end: at + 1 },
            TokenKind::Identifier => self.named(at),
            _ => TypedExpression { ty: None, end: at },
        }
    }

    /// Walks an expression that begins with a name.
    fn named(&mut self, at: usize) -> TypedExpression {
        let text = self.source.token(at).text;
        if matches!(text, "true" | "false") {
            return TypedExpression { ty: Some(BOOL), end: at + 1 };
        }
        if text == "sizeof" && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            return TypedExpression { ty: Some(UINT), end: self.source.closer(at + 1) + 1 };
        }
        if self.is_word(at) {
            return TypedExpression { ty: None, end: at };
        }
        if text == "this" {
            let ty = self.this.clone().map(Type::Struct);
            return self.behind(TypedExpression { ty, end: at + 1 }, Some(at));
        }

        let QualifiedName { outer, name, arguments, end } = self.qualified_name(at);
        if self.source.token(end).kind != TokenKind::LeftParenthesis {
            let ty = if outer.is_empty() { self.variable(name) } else { self.qualified_variable(&outer, name) };
            return self.behind(TypedExpression { ty, end }, Some(at));
        }

        // The callee may be a function or an object with an `operator()`.
        let (types, close) = self.argument_types(end);
        let object = self.locals.find(name).filter(|_| outer.is_empty()).map(|local| local.ty.clone());
        let object = object.or_else(|| {
            let has_functions = !outer.is_empty() || !self.candidates(name).is_empty();
            let is_conversion = builtin::builtin(name).is_some() && !self.is_value_name(name);
            if has_functions || is_conversion { None } else { self.variable(name).map(Some) }
        });
        let ty = match object {
            Some(object) => self.called_operator(&object, "()", end, close + 1, &types),
            None => self.function(at, &outer, name, arguments.as_deref(), end, &types),
        };
        self.behind(TypedExpression { ty, end: close + 1 }, None)
    }

    /// Follows the steps after a value: members, indices, method calls. `path` is the first token
    /// if the value is an access path.
    fn behind(&mut self, mut object: TypedExpression, mut path: Option<usize>) -> TypedExpression {
        loop {
            let (token, next) = (self.source.token(object.end), self.source.token(object.end + 1));
            match token.kind {
                TokenKind::Dot | TokenKind::Arrow if next.kind == TokenKind::Identifier => {
                    object = self.member(object, &mut path);
                }
                TokenKind::LeftBracket => object = self.indexed(&object),
                TokenKind::LeftParenthesis if path.is_none() => {
                    let (types, close) = self.argument_types(object.end);
                    let ty = self.called_operator(&object.ty, "()", object.end, close + 1, &types);
                    object = TypedExpression { ty, end: close + 1 };
                }
                TokenKind::Other if matches!(token.text, "++" | "--") => object.end += 1,
                _ => return object,
            }
        }
    }

    /// Reads the member or method call after the `.` that follows `object`. A method call consumes the `path`.
    fn member(&mut self, object: TypedExpression, path: &mut Option<usize>) -> TypedExpression {
        let at = object.end + 1;
        let behind = generic_arguments_end(self.source, at + 1)
            .filter(|end| self.source.token(*end).kind == TokenKind::LeftParenthesis)
            .unwrap_or(at + 1);
        if self.source.token(behind).kind == TokenKind::LeftParenthesis {
            return self.method_call(&object.ty, at, behind, path.take());
        }

        let name = self.source.token(at).text;
        let ty = object.ty.and_then(|ty| value::member(&ty, name));
        TypedExpression { ty, end: at + 1 }
    }

    /// Returns the element of `object` at the index that follows it.
    fn indexed(&mut self, object: &TypedExpression) -> TypedExpression {
        let close = self.source.closer(object.end);
        let index = self.binary(object.end + 1, 0).ty;
        let is_heap = object.ty.is_none() && DESCRIPTOR_HEAPS.contains(&self.source.token(object.end - 1).text);
        let ty = match &object.ty {
            None if is_heap => None,
            Some(Type::Struct(_)) | None => self.called_operator(&object.ty, "[]", object.end, close + 1, &[index]),
            Some(ty) => value::element(ty),
        };
        TypedExpression { ty, end: close + 1 }
    }

    /// Resolves the call of the method with its name at `at` and its `(` at `open`.
    fn method_call(&mut self, object: &ValueType, at: usize, open: usize, path: Option<usize>) -> TypedExpression {
        let name = self.source.token(at).text;
        let written = if open > at + 1 { Parser::new(self.source, at + 1).generic_arguments().ok() } else { None };
        let (types, close) = self.argument_types(open);
        let choice = self.method(object, name, written.as_deref(), &types);
        self.draft_defaults(open, close + 1, &choice);
        self.runs.insert(open, choice.callees.clone());
        if let Some(path) = path {
            self.callees.insert(path, choice.callees);
        } else {
            let arguments = self.arguments(open);
            self.draft(at, close + 1, &choice, arguments);
        }
        TypedExpression { ty: choice.result, end: close + 1 }
    }

    /// Returns the types of the arguments between the parentheses at `open`, and the index of the closing one.
    fn argument_types(&mut self, open: usize) -> (Vec<ValueType>, usize) {
        let close = self.source.closer(open);
        let mut types = Vec::new();
        let mut at = open + 1;
        while at < close {
            let TypedExpression { ty, end } = self.binary(at, 0);
            types.push(ty);
            let next = if end > at { self.expression_end(end) } else { self.expression_end(at) };
            at = next.max(at) + 1;
        }
        (types, close)
    }
}
