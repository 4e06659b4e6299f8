//! The types of the expressions of a body, and what they call without naming a function: methods of objects that are no
//! parameter, operators, default arguments.
//!
//! An expression is walked when its first token is come to. What its access paths call is kept for
//! [`super::path`], what has no path gets a use of its own. Source: HLSL 2021 as DXC 1.7.2308 takes it: operators are
//! methods of their left operand.

use std::sync::Arc;

use layoutproof_layout::shape::{StructType, Type};

use super::calls::{CallChoice, FunctionCandidate, WrittenGenerics};
use super::order::UseDraft;
use super::value::{self, BOOL, FLOAT, INT, UINT, ValueType};
use super::{BodyWalk, WORDS};
use crate::declare::ast::{GenericArgument, PathPart};
use crate::declare::elaborate::builtin;
use crate::declare::elaborate::generic::{GenericValue, LookupContext};
use crate::declare::elaborate::resolve::order;
use crate::declare::elaborate::scope::ScopeId;
use crate::declare::lexer::TokenKind;
use crate::declare::parser::{Parser, generic_arguments_end, operator_name};
use crate::module::{Callees, Step, Use};

/// Expressions in expressions after which the walk begins anew, which keeps the stack small.
const DEEPEST: u32 = 48;

/// Base structs of base structs that are looked at.
const MOST_BASES: usize = 48;

/// An expression: its type and the token behind it.
#[derive(Debug)]
struct TypedExpression {
    ty: ValueType,
    end: usize,
}

/// A binary operator.
#[derive(Clone, Copy, Debug)]
struct BinarySymbol {
    symbol: &'static str,
    precedence: u8,
    /// How many tokens it has.
    tokens: usize,
}

/// Precedence of `?`.
const CONDITIONAL: u8 = 1;

impl<'t> BodyWalk<'_, 't> {
    /// True if an expression can begin at `at`.
    pub(super) fn starts_expression(&self, at: usize) -> bool {
        let token = self.source.token(at);
        match token.kind {
            TokenKind::Identifier => !WORDS.contains(&token.text) || matches!(token.text, "true" | "false"),
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

    /// Walks the expression that begins at `at`. Returns the token up to which nothing needs to be walked again.
    pub(super) fn expression(&mut self, at: usize) -> usize {
        self.depth = 0;
        self.cut = None;
        let TypedExpression { end, .. } = self.binary(at, 0);
        self.cut.unwrap_or(end).min(end).max(at + 1)
    }

    fn binary(&mut self, at: usize, least: u8) -> TypedExpression {
        if self.depth >= DEEPEST {
            self.cut = Some(self.cut.map_or(at, |cut| cut.min(at)));
            return TypedExpression { ty: None, end: self.expression_end(at) };
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

    /// The binary operator at `at`.
    fn operator(&self, at: usize) -> Option<BinarySymbol> {
        let token = self.source.token(at);
        let next = self.source.token(at + 1);
        let joined = |kind| next.kind == kind && !next.spaced;
        let (symbol, precedence, tokens) = match token.kind {
            TokenKind::Assign => ("=", 0, 1),
            TokenKind::Other if token.text.ends_with('=') => ("=", 0, 1),
            TokenKind::Question => ("?", CONDITIONAL, 1),
            TokenKind::Or => ("||", 2, 1),
            TokenKind::And => ("&&", 3, 1),
            TokenKind::Bar => ("|", 4, 1),
            TokenKind::Caret => ("^", 5, 1),
            TokenKind::Ampersand => ("&", 6, 1),
            TokenKind::Equal => ("==", 7, 1),
            TokenKind::NotEqual => ("!=", 7, 1),
            TokenKind::Less => ("<", 8, 1),
            TokenKind::LessEqual => ("<=", 8, 1),
            TokenKind::GreaterEqual => (">=", 8, 1),
            TokenKind::Greater if joined(TokenKind::GreaterEqual) => ("=", 0, 2),
            TokenKind::Greater if joined(TokenKind::Greater) => (">>", 9, 2),
            TokenKind::Greater => (">", 8, 1),
            TokenKind::ShiftLeft => ("<<", 9, 1),
            TokenKind::Plus => ("+", 10, 1),
            TokenKind::Minus => ("-", 10, 1),
            TokenKind::Star => ("*", 11, 1),
            TokenKind::Slash => ("/", 11, 1),
            TokenKind::Percent => ("%", 11, 1),
            _ => return None,
        };

        Some(BinarySymbol { symbol, precedence, tokens })
    }

    /// The value of `left` and `right` joined by the operator `symbol` at the token `at`.
    fn operation(&mut self, left: TypedExpression, at: usize, symbol: &str, right: TypedExpression) -> TypedExpression {
        let end = right.end;
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

    /// The result of the method of `object` that the operator `symbol` calls.
    fn called_operator(
        &mut self,
        object: &ValueType,
        symbol: &str,
        at: usize,
        end: usize,
        arguments: &[ValueType],
    ) -> ValueType {
        let name = operator_name(symbol)?;
        let choice = self.method(object, name, None, arguments);
        self.draft(at, end, &choice, Vec::new());
        choice.result
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

    /// The operand of a prefix operator, one level deeper.
    fn unary_operand(&mut self, at: usize) -> TypedExpression {
        if self.depth >= DEEPEST {
            self.cut = Some(self.cut.map_or(at, |cut| cut.min(at)));
            return TypedExpression { ty: None, end: self.expression_end(at) };
        }
        self.depth += 1;
        let operand = self.unary(at);
        self.depth -= 1;
        operand
    }

    /// The type of the cast whose `(` is at `at`, and where its operand begins.
    fn cast(&mut self, at: usize) -> Option<(ValueType, usize)> {
        let (close, first) = (self.source.closer(at), self.source.token(at + 1));
        let operand = self.source.token(close + 1);
        let is_operand =
            matches!(
                operand.kind,
                TokenKind::Identifier | TokenKind::Integer | TokenKind::Float | TokenKind::LeftParenthesis
            ) || matches!(operand.kind, TokenKind::Minus | TokenKind::Plus | TokenKind::Bang | TokenKind::Tilde)
                && builtin::builtin(first.text).is_some();
        if first.kind != TokenKind::Identifier || !is_operand || !self.is_type_name(at + 1) {
            return None;
        }
        let (ty, end) = self.written_type(at + 1)?;
        (end == close).then_some((ty, close + 1))
    }

    /// True if the name at `at` is that of a type and of no variable.
    pub(super) fn is_type_name(&self, at: usize) -> bool {
        let name = self.source.token(at).text;
        let symbols = &self.elaborator.symbols;
        let mut scopes = symbols.outwards(self.context.scope);
        self.locals.find(name).is_none()
            && (builtin::builtin(name).is_some()
                || self.context.bindings.iter().any(|binding| binding.name == name)
                || scopes
                    .any(|scope| symbols.type_in(scope, name).is_some() || symbols.namespace_in(scope, name).is_some()))
    }

    /// The type that is written at `at`, and the token behind it.
    pub(super) fn written_type(&mut self, at: usize) -> Option<(ValueType, usize)> {
        let mut parser = Parser::new(self.source, at);
        let ty = parser.type_expression().ok()?;
        let context = self.context.clone();
        let found = self.elaborator.quietly(|elaborator| elaborator.resolve(&ty, None, &context));
        Some((found, parser.position()))
    }

    /// A primary expression with the members, indices and calls behind it.
    fn postfix(&mut self, at: usize) -> TypedExpression {
        let token = self.source.token(at);
        match token.kind {
            TokenKind::LeftParenthesis => {
                let close = self.source.closer(at);
                let mut inner = self.binary(at + 1, 0);
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

    /// An expression that begins with a name.
    fn named(&mut self, at: usize) -> TypedExpression {
        let text = self.source.token(at).text;
        if matches!(text, "true" | "false") {
            return TypedExpression { ty: Some(BOOL), end: at + 1 };
        }
        if text == "sizeof" && self.source.token(at + 1).kind == TokenKind::LeftParenthesis {
            return TypedExpression { ty: Some(UINT), end: self.source.closer(at + 1) + 1 };
        }
        if WORDS.contains(&text) {
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

        let (types, close) = self.argument_types(end);
        let object = self.locals.find(name).filter(|_| outer.is_empty()).map(|local| local.ty.clone());
        let object = object.or_else(|| {
            let has_functions = !outer.is_empty() || !self.candidates(name).is_empty();
            if has_functions || builtin::builtin(name).is_some() { None } else { self.variable(name).map(Some) }
        });
        let ty = match object {
            Some(object) => self.called_operator(&object, "()", end, close + 1, &types),
            None => self.function(at, &outer, name, arguments.as_deref(), end, &types),
        };
        self.behind(TypedExpression { ty, end: close + 1 }, None)
    }

    /// The result of the call of `name`, whose arguments stand in the brackets that begin at the token `open`.
    fn function(
        &mut self,
        at: usize,
        outer: &[PathPart<'t>],
        name: &str,
        written: Option<&[GenericArgument<'t>]>,
        open: usize,
        arguments: &[ValueType],
    ) -> ValueType {
        let candidates = if outer.is_empty() { self.candidates(name) } else { self.qualified_candidates(outer, name) };
        if candidates.is_empty() {
            if let Some((ty, end)) = self.is_type_name(at).then(|| self.written_type(at)).flatten() {
                return ty.filter(|_| end == open);
            }
            return value::intrinsic(name, arguments);
        }

        let context = self.context.clone();
        let choice = self.elaborator.choose(
            self.calls,
            &candidates,
            WrittenGenerics { arguments: written, context: &context },
            arguments,
        );

        let close = self.source.closer(open);
        self.draft_defaults(open, close + 1, &choice);
        if outer.iter().any(|part| part.arguments.is_some()) {
            // An access path has no generic arguments, so that this call has none.
            let arguments = self.arguments(open);
            self.draft(close, close + 1, &choice, arguments);
        } else {
            self.callees.insert(at, choice.callees);
        }
        choice.result
    }

    /// Follows the steps behind a value: members, indices, calls of its methods. `path` is the first token of the access
    /// path that the value is, if it is one.
    fn behind(&mut self, mut object: TypedExpression, mut path: Option<usize>) -> TypedExpression {
        loop {
            let (token, next) = (self.source.token(object.end), self.source.token(object.end + 1));
            match token.kind {
                TokenKind::Dot | TokenKind::Arrow if next.kind == TokenKind::Identifier => {
                    let at = object.end + 1;
                    let behind = generic_arguments_end(self.source, at + 1)
                        .filter(|end| self.source.token(*end).kind == TokenKind::LeftParenthesis)
                        .unwrap_or(at + 1);
                    if self.source.token(behind).kind == TokenKind::LeftParenthesis {
                        object = self.method_call(&object.ty, at, behind, path.take());
                    } else {
                        let ty = object.ty.and_then(|ty| value::member(&ty, next.text));
                        object = TypedExpression { ty, end: at + 1 };
                    }
                }
                TokenKind::LeftBracket => {
                    let close = self.source.closer(object.end);
                    let index = self.binary(object.end + 1, 0).ty;
                    let ty = match &object.ty {
                        Some(Type::Struct(_)) | None => {
                            self.called_operator(&object.ty, "[]", object.end, close + 1, &[index])
                        }
                        Some(ty) => value::element(ty),
                    };
                    object = TypedExpression { ty, end: close + 1 };
                }
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

    /// The call of the method whose name is at `at` and whose `(` is at `open`.
    fn method_call(&mut self, object: &ValueType, at: usize, open: usize, path: Option<usize>) -> TypedExpression {
        let name = self.source.token(at).text;
        let written = if open > at + 1 { Parser::new(self.source, at + 1).generic_arguments().ok() } else { None };
        let (types, close) = self.argument_types(open);
        let choice = self.method(object, name, written.as_deref(), &types);
        self.draft_defaults(open, close + 1, &choice);
        if let Some(path) = path {
            self.callees.insert(path, choice.callees);
        } else {
            let arguments = self.arguments(open);
            self.draft(at, close + 1, &choice, arguments);
        }
        TypedExpression { ty: choice.result, end: close + 1 }
    }

    /// The method `name` of `object`; of an object whose type is not known any method of that name.
    fn method(
        &mut self,
        object: &ValueType,
        name: &str,
        written: Option<&[GenericArgument<'t>]>,
        arguments: &[ValueType],
    ) -> CallChoice {
        let object = match object {
            Some(Type::Resource(resource)) if value::is_transparent(resource) => value::element_of(resource),
            other => other.clone(),
        };
        let candidates = match &object {
            Some(Type::Struct(ty)) => self.methods_of(ty, name),
            Some(ty) => {
                let result = value::built_in_method(ty, name);
                return CallChoice { callees: Callees::BuiltIn, result, defaults: Vec::new() };
            }
            None => Vec::new(),
        };

        if !candidates.is_empty() {
            let context = self.context.clone();
            return self.elaborator.choose(
                self.calls,
                &candidates,
                WrittenGenerics { arguments: written, context: &context },
                arguments,
            );
        }

        let all = self.calls.catalogue.methods(name).to_vec();
        let plain = |function: &usize| FunctionCandidate {
            function: *function,
            context: LookupContext::plain(self.calls.functions[*function].scope),
            this: None,
        };
        let candidates: Vec<FunctionCandidate> = all.iter().map(plain).collect();
        let context = self.context.clone();
        let CallChoice { callees, defaults, result } = self.elaborator.choose(
            self.calls,
            &candidates,
            WrittenGenerics { arguments: None, context: &context },
            arguments,
        );

        let callees = match callees {
            Callees::Known(one) => Callees::Perhaps(vec![one]),
            Callees::OneOf(several) => Callees::Perhaps(several),
            Callees::Named | Callees::BuiltIn | Callees::Perhaps(_) => Callees::BuiltIn,
        };
        CallChoice { callees, defaults, result }
    }

    /// The methods `name` of a struct, or else of the nearest of its bases.
    fn methods_of(&self, ty: &Arc<StructType>, name: &str) -> Vec<FunctionCandidate> {
        let owners = std::iter::successors(Some(ty), |ty| ty.base.as_ref()).take(MOST_BASES);
        for owner in owners {
            let Some(found) = self.elaborator.specialisations.get(&Arc::as_ptr(owner)) else { continue };
            let functions = self.calls.catalogue.functions(found.context.scope, name);
            if !functions.is_empty() {
                let candidate = |function: &usize| FunctionCandidate {
                    function: *function,
                    context: found.context.clone(),
                    this: Some(Arc::clone(owner)),
                };
                return functions.iter().map(candidate).collect();
            }
        }

        Vec::new()
    }

    /// The functions that a plain `name` means here.
    fn candidates(&self, name: &str) -> Vec<FunctionCandidate> {
        let symbols = &self.elaborator.symbols;
        for scope in symbols.outwards(self.context.scope) {
            if self.calls.catalogue.structure(scope).is_some() {
                let found = self.this.as_ref().map_or_else(Vec::new, |this| self.methods_of(this, name));
                if !found.is_empty() {
                    return found;
                }
            }
            let found = self.candidates_in(scope, name);
            if !found.is_empty() {
                return found;
            }
        }

        let used = symbols.mentioned(self.context.scope, name);
        used.map_or_else(Vec::new, |scope| self.candidates_in(scope, name))
    }

    fn candidates_in(&self, scope: ScopeId, name: &str) -> Vec<FunctionCandidate> {
        let context = self.elaborator.seen_from(&self.context, scope);
        let functions = self.calls.catalogue.functions(scope, name);
        let candidate =
            |function: &usize| FunctionCandidate { function: *function, context: context.clone(), this: None };
        functions.iter().map(candidate).collect()
    }

    /// The functions that `name` behind `outer::` means.
    fn qualified_candidates(&mut self, outer: &[PathPart<'t>], name: &str) -> Vec<FunctionCandidate> {
        if let [part] = outer {
            let bound = self.context.bindings.iter().find(|binding| binding.name == part.name.text);
            if let Some(GenericValue::Type(Type::Struct(ty))) = bound.map(|binding| binding.value.clone()) {
                return self.methods_of(&ty, name);
            }
        }

        let Some(inside) = self.inside(outer) else { return Vec::new() };
        let own = self.calls.catalogue.structure(inside.scope);
        let ty = own.and_then(|id| self.elaborator.finished_struct(id, &inside));
        if let Some(ty) = ty {
            self.methods_of(&ty, name)
        } else {
            let functions = self.calls.catalogue.functions(inside.scope, name);
            let candidate =
                |function: &usize| FunctionCandidate { function: *function, context: inside.clone(), this: None };
            functions.iter().map(candidate).collect()
        }
    }

    /// The context inside the namespace or struct `outer`.
    fn inside(&mut self, outer: &[PathPart<'t>]) -> Option<LookupContext> {
        let span = outer.first()?.name.span;
        let context = self.context.clone();
        self.elaborator.quietly(|elaborator| elaborator.qualifier(outer, span, &context))
    }

    /// The type of the variable `name`: a local one, a member of `this`, a global one.
    fn variable(&mut self, name: &str) -> ValueType {
        if let Some(local) = self.locals.find(name) {
            return local.ty.clone();
        }
        if let Some(member) = self.this.as_ref().and_then(|this| this.member(name)) {
            return Some(member.ty.clone());
        }
        let symbols = &self.elaborator.symbols;
        if symbols.outwards(self.context.scope).any(|scope| symbols.value_in(scope, name).is_some()) {
            return Some(INT);
        }
        let scope = symbols.mentioned(self.context.scope, name)?;
        let context = self.elaborator.seen_from(&self.context, scope);
        self.declared_variable(&context, name)
    }

    fn qualified_variable(&mut self, outer: &[PathPart<'t>], name: &str) -> ValueType {
        let context = self.inside(outer)?;
        self.declared_variable(&context, name)
    }

    fn declared_variable(&mut self, context: &LookupContext, name: &str) -> ValueType {
        let variable = self.calls.catalogue.variable(context.scope, name)?;
        let (declaration, declarator) = (variable.declaration, variable.declarator);
        self.elaborator
            .quietly(|elaborator| elaborator.declared(&declaration.ty, order(&declaration.prefix), declarator, context))
    }

    /// The types of the arguments between the parentheses that open at `open`, and where those close.
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

    /// Records the call of a function that the text does not name.
    fn draft(&mut self, at: usize, end: usize, choice: &CallChoice, arguments: Vec<Option<usize>>) {
        let first = match &choice.callees {
            Callees::Known(index) => Some(*index),
            Callees::OneOf(indices) | Callees::Perhaps(indices) => indices.first().copied(),
            Callees::Named | Callees::BuiltIn => None,
        };
        let Some(first) = first.filter(|_| self.drafted.insert(at)) else { return };
        let path = vec![Step::Name(self.calls.name(first).to_owned())];
        let callees = choice.callees.clone();
        let (life, span) = (self.life(at), self.source.token(at).span);
        let used = Use { path, alias: None, call: true, callees, arguments: Vec::new(), life, span };
        self.drafts.push(UseDraft { used, at, end, arguments });
    }

    /// Records that default arguments are evaluated for the call whose `(` is at `open`.
    fn draft_defaults(&mut self, open: usize, end: usize, choice: &CallChoice) {
        let callees = match choice.defaults.as_slice() {
            [] => return,
            [one] if matches!(choice.callees, Callees::Known(_)) => Callees::Known(*one),
            several => Callees::Perhaps(several.to_vec()),
        };
        self.draft(open, end, &CallChoice { callees, ..CallChoice::default() }, Vec::new());
    }
}

/// `N::Pair<float>::first<int>`, as far as it is a name.
#[derive(Debug)]
struct QualifiedName<'t> {
    /// The names before the last `::`.
    outer: Vec<PathPart<'t>>,
    name: &'t str,
    /// Generic arguments of a call.
    arguments: Option<Vec<GenericArgument<'t>>>,
    /// The token behind it.
    end: usize,
}

impl<'t> BodyWalk<'_, 't> {
    /// The qualified name that begins at `at`.
    fn qualified_name(&self, at: usize) -> QualifiedName<'t> {
        let mut found = QualifiedName { outer: Vec::new(), name: "", arguments: None, end: at };
        loop {
            let token = self.source.token(found.end);
            let name = crate::declare::ast::Identifier { text: token.text, span: token.span };
            let mut end = found.end + 1;
            let mut arguments = None;
            let behind = generic_arguments_end(self.source, end);
            if let Some(behind) = behind.filter(|behind| {
                matches!(self.source.token(*behind).kind, TokenKind::LeftParenthesis | TokenKind::ColonColon)
            }) {
                arguments = Parser::new(self.source, end).generic_arguments().ok();
                end = behind;
            }
            let goes_on = self.source.token(end).kind == TokenKind::ColonColon
                && self.source.token(end + 1).kind == TokenKind::Identifier;
            if !goes_on {
                return QualifiedName { name: token.text, arguments, end, ..found };
            }
            found.outer.push(PathPart { name, arguments });
            found.end = end + 1;
        }
    }
}
