//! Finds the possible meanings of a name in a body: functions, methods, variables.

use std::sync::Arc;

use layoutproof_layout::shape::{StructType, Type};

use super::BodyWalk;
use super::calls::FunctionCandidate;
use super::value::{INT, ValueType};
use crate::ast::{GenericArgument, Identifier, PathPart};
use crate::elaborate::lookup_context::{GenericValue, LookupContext};
use crate::elaborate::resolve::order;
use crate::elaborate::scope::ScopeId;
use crate::parser::{Parser, generic_arguments_end};
use layoutproof_preprocess::lexer::TokenKind;

/// Maximum number of nested base structs to search.
const MOST_BASES: usize = 48;

/// A qualified name with generic arguments: `N::Pair<float>::first<int>`.
#[derive(Debug)]
pub(super) struct QualifiedName<'t> {
    /// The names before the last `::`.
    pub(super) outer: Vec<PathPart<'t>>,
    pub(super) name: &'t str,
    /// Generic arguments of a call.
    pub(super) arguments: Option<Vec<GenericArgument<'t>>>,
    /// The token after the name.
    pub(super) end: usize,
}

impl<'t> BodyWalk<'_, 't> {
    /// Reads the qualified name that begins at `at`.
    pub(super) fn qualified_name(&self, at: usize) -> QualifiedName<'t> {
        let mut found = QualifiedName { outer: Vec::new(), name: "", arguments: None, end: at };
        loop {
            let token = self.source.token(found.end);
            let name = Identifier { text: token.text, span: token.span };

            // A `<` opens generic arguments only if a call or another name follows the `>`. Otherwise it compares.
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

    /// Returns the methods `name` of a struct, or else of its nearest base that has some.
    pub(super) fn methods_of(&self, ty: &Arc<StructType>, name: &str) -> Vec<FunctionCandidate> {
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

    /// Returns the functions that an unqualified `name` may refer to here: those in the nearest scope that has some.
    pub(super) fn candidates(&self, name: &str) -> Vec<FunctionCandidate> {
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
        self.plain_functions(&context, name)
    }

    /// Returns the functions that the scope of `context` itself declares, without an object.
    fn plain_functions(&self, context: &LookupContext, name: &str) -> Vec<FunctionCandidate> {
        let functions = self.calls.catalogue.functions(context.scope, name);
        let candidate =
            |function: &usize| FunctionCandidate { function: *function, context: context.clone(), this: None };
        functions.iter().map(candidate).collect()
    }

    /// Returns the functions that `outer::name` may refer to.
    pub(super) fn qualified_candidates(&mut self, outer: &[PathPart<'t>], name: &str) -> Vec<FunctionCandidate> {
        if let [part] = outer {
            let bound = self.context.bindings.iter().find(|binding| binding.name == part.name.text);
            if let Some(GenericValue::Type(Type::Struct(ty))) = bound.map(|binding| binding.value.clone()) {
                return self.methods_of(&ty, name);
            }
        }

        let Some(inside) = self.inside(outer) else { return Vec::new() };
        let own = self.calls.catalogue.structure(inside.scope);
        let ty = own.and_then(|id| self.elaborator.finished_struct(id, &inside));
        match ty {
            Some(ty) => self.methods_of(&ty, name),
            None => self.plain_functions(&inside, name),
        }
    }

    /// Returns the context inside the namespace or struct `outer`.
    fn inside(&mut self, outer: &[PathPart<'t>]) -> Option<LookupContext> {
        let span = outer.first()?.name.span;
        let context = self.context.clone();
        self.elaborator.quietly(|elaborator| elaborator.qualifier(outer, span, &context))
    }

    /// Returns the type of the variable `name`: a local, a member of `this` or a global.
    pub(super) fn variable(&mut self, name: &str) -> ValueType {
        if let Some(local) = self.locals.find(name) {
            return local.ty.clone();
        }
        if let Some(member) = self.this.as_ref().and_then(|this| this.member(name)) {
            return Some(member.ty.clone());
        }

        // For calls, constants and enumerators count as integers.
        let symbols = &self.elaborator.symbols;
        if symbols.outwards(self.context.scope).any(|scope| symbols.value_in(scope, name).is_some()) {
            return Some(INT);
        }

        let scope = symbols.mentioned(self.context.scope, name)?;
        let context = self.elaborator.seen_from(&self.context, scope);
        self.declared_variable(&context, name)
    }

    pub(super) fn qualified_variable(&mut self, outer: &[PathPart<'t>], name: &str) -> ValueType {
        let context = self.inside(outer)?;
        self.declared_variable(&context, name)
    }

    fn declared_variable(&mut self, context: &LookupContext, name: &str) -> ValueType {
        let variable = self.calls.catalogue.variable(context.scope, name)?;
        let (declaration, declarator) = (variable.declaration, variable.declarator);
        self.elaborator
            .quietly(|elaborator| elaborator.declared(&declaration.ty, order(&declaration.prefix), declarator, context))
    }
}
