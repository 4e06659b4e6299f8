//! Specialises generic structs: each set of arguments makes a struct with its own name and members.

use layoutproof_layout::Span;
use layoutproof_layout::shape::Type;

use super::Elaborator;
use super::lookup::{GenericBinding, GenericValue, LookupContext};
use super::scope::{ScopeId, TypeEntry, TypeId};
use super::specialisation::{BestFit, TemplateFit, TemplateUse};
use crate::ast::{Expression, GenericArgument, GenericParameter, Operation, PathPart, TypeExpression, TypeKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum length of a type's name in bytes. Arguments inside arguments can double it each time; no
/// real name is this long.
const LONGEST_NAME: usize = 4096;

#[derive(Clone, Copy, Debug)]
pub(super) struct TypeUseSite<'c> {
    pub(super) span: Span,
    pub(super) written: &'c LookupContext,
    pub(super) found: &'c LookupContext,
}

impl<'c> TypeUseSite<'c> {
    /// A type looked up in the context where it is written.
    pub(super) fn here(span: Span, context: &'c LookupContext) -> Self {
        Self { span, written: context, found: context }
    }
}

/// A generic declaration with the arguments for its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct GenericUse<'u, 't> {
    pub(super) name: &'u str,
    pub(super) parameters: &'t [GenericParameter<'t>],
    pub(super) inner: ScopeId,
    pub(super) arguments: &'u [GenericArgument<'t>],
}

#[derive(Clone, Debug)]
pub(super) struct Specialisation {
    pub(super) id: TypeId,
    /// Name with arguments: `N::Pair<float, 3>`.
    pub(super) name: String,
    pub(super) context: LookupContext,
}

impl<'t> Elaborator<'t> {
    /// Returns `context` as seen from `scope`, which may be one of its scopes or an unrelated one.
    /// Keeps only the bindings of enclosing structs.
    pub(super) fn seen_from(&self, context: &LookupContext, scope: ScopeId) -> LookupContext {
        if context.bindings.is_empty() {
            return LookupContext::plain(scope);
        }
        let visible = |binding: &&GenericBinding| self.symbols.outwards(scope).any(|outer| outer == binding.scope);
        LookupContext::new(scope, context.bindings.iter().filter(visible).cloned().collect())
    }

    /// Returns the struct `id` with the arguments in `part`.
    pub(super) fn specialise(
        &mut self,
        id: TypeId,
        part: Option<&PathPart<'t>>,
        TypeUseSite { span, written, found }: TypeUseSite<'_>,
    ) -> Option<Specialisation> {
        let symbol = self.symbols.ty(id).clone();
        let TypeEntry::Struct { generics, inner, .. } = symbol.entry else { return None };
        let arguments = part.and_then(|part| part.arguments.as_deref());
        let outer = self.seen_from(found, symbol.scope);

        let Some(parameters) = generics else {
            if arguments.is_some() {
                let message = format!("`{}` takes no generic arguments", symbol.name);
                return self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message));
            }
            let context = LookupContext { scope: inner, ..outer };
            return Some(Specialisation { id, name: symbol.name, context });
        };

        let arguments = arguments.unwrap_or_default();
        let generics = GenericUse { name: &symbol.name, parameters, inner, arguments };
        let bindings = self.bindings(generics, &outer, TypeUseSite { span, written, found })?;

        let values: Vec<GenericValue> =
            bindings.iter().filter(|binding| binding.scope == inner).map(|binding| binding.value.clone()).collect();
        let written: Vec<String> = values.iter().map(GenericValue::written).collect();
        let name = format!("{}<{}>", symbol.name, written.join(", "));
        if name.len() > LONGEST_NAME {
            let message = format!("the name of this type has {} bytes, more than {LONGEST_NAME}", name.len());
            return self.problems.refuse(Diagnostic::error(Code::TooLarge, span, message));
        }

        self.instances.entry(name.clone()).or_insert_with(|| (id, values.clone()));
        let used = TemplateUse { template: id, values: &values, outer: &outer, span };
        match self.best_fit(used)? {
            BestFit::Specialisation(TemplateFit { id, inner, bindings }) => {
                Some(Specialisation { id, name, context: LookupContext::new(inner, bindings) })
            }
            BestFit::Template => Some(Specialisation { id, name, context: LookupContext::new(inner, bindings) }),
        }
    }

    /// Returns the bindings of a generic declaration's parameters, after the bindings of `outer`.
    pub(super) fn bindings(
        &mut self,
        GenericUse { name, parameters, inner, arguments }: GenericUse<'_, 't>,
        outer: &LookupContext,
        TypeUseSite { span, written, .. }: TypeUseSite<'_>,
    ) -> Option<Vec<GenericBinding>> {
        if arguments.len() > parameters.len() {
            return self.wrong_arguments(name, parameters.len(), span);
        }

        let mut bindings = outer.bindings.to_vec();
        for (index, parameter) in parameters.iter().enumerate() {
            let inside = LookupContext::new(inner, bindings.clone());
            let value = match (arguments.get(index), &parameter.default) {
                (Some(argument), _) => self.argument(parameter, argument, written)?,
                (None, Some(default)) => self.argument(parameter, default, &inside)?,
                (None, None) => return self.wrong_arguments(name, parameters.len(), span),
            };
            bindings.push(GenericBinding { scope: inner, name: parameter.name.text.to_owned(), value });
        }
        Some(bindings)
    }

    fn wrong_arguments<T>(&mut self, name: &str, wanted: usize, span: Span) -> Option<T> {
        let message = format!("`{name}` takes {wanted} generic arguments");
        self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message))
    }

    pub(super) fn argument(
        &mut self,
        parameter: &GenericParameter<'t>,
        argument: &GenericArgument<'t>,
        context: &LookupContext,
    ) -> Option<GenericValue> {
        if parameter.is_value {
            return self.argument_integer(argument, context).map(GenericValue::Integer);
        }
        self.argument_type(argument, context).map(GenericValue::Type)
    }

    pub(super) fn argument_type(&mut self, argument: &GenericArgument<'t>, context: &LookupContext) -> Option<Type> {
        match argument {
            GenericArgument::Type(ty) => self.resolve(ty, None, context),
            GenericArgument::Value(expression) => {
                let message = "expected a type, found a value";
                self.problems.refuse(Diagnostic::error(Code::GenericArguments, expression.span, message))
            }
        }
    }

    /// Returns the number in `argument`. The parser reads a lone name as a type.
    pub(super) fn argument_integer(&mut self, argument: &GenericArgument<'t>, context: &LookupContext) -> Option<i64> {
        match argument {
            GenericArgument::Value(expression) => self.integer(expression, context),
            GenericArgument::Type(TypeExpression { kind: TypeKind::Path(path), suffixes, span, .. })
                if suffixes.is_empty() =>
            {
                let operations = vec![(Operation::Name(path.clone()), *span)];
                self.integer(&Expression { operations, span: *span }, context)
            }
            GenericArgument::Type(ty) => {
                let message = "expected a value, found a type";
                self.problems.refuse(Diagnostic::error(Code::GenericArguments, ty.span, message))
            }
        }
    }
}
