//! Chooses the declaration of a template for given arguments: the template itself, or a
//! specialisation for certain arguments (`template<> struct S<float>`) or for a pattern
//! (`template<int N> struct S<float, N>`).
//!
//! If several patterns fit, the most specialised one counts, as in C++ (ISO C++17, 17.5.5.2; DXC 1.7.2308 follows it).

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::shape::{StructType, Type};

use super::builtin::Builtin;
use super::lookup::{GenericBinding, GenericValue, LookupContext, written};
use super::scope::{ScopeId, TypeEntry, TypeId};
use super::{Elaborator, builtin};
use crate::ast::{Expression, GenericArgument, GenericParameter, NamePath, Operation, TypeExpression, TypeKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A specialisation that fits, with the values of its own parameters.
#[derive(Clone, Debug)]
pub(super) struct TemplateFit {
    pub(super) id: TypeId,
    pub(super) inner: ScopeId,
    pub(super) bindings: Vec<GenericBinding>,
}

/// Values deduced for the parameters of a pattern, by name.
type DeducedArguments<'t> = BTreeMap<&'t str, GenericValue>;

/// The arguments of a specialisation, and the context for looking them up.
#[derive(Debug)]
struct Pattern<'t> {
    id: TypeId,
    inner: ScopeId,
    parameters: &'t [GenericParameter<'t>],
    /// The explicit arguments, then the template's defaults.
    arguments: Vec<&'t GenericArgument<'t>>,
    context: LookupContext,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TemplateUse<'u> {
    pub(super) template: TypeId,
    /// The arguments, with defaults filled in.
    pub(super) values: &'u [GenericValue],
    /// Context with the arguments of the enclosing structs.
    pub(super) outer: &'u LookupContext,
    pub(super) span: Span,
}

/// The declaration that fits the arguments of a template best.
pub(super) enum BestFit {
    Template,
    Specialisation(TemplateFit),
}

impl<'t> Elaborator<'t> {
    /// Finds the declaration that fits the arguments best. If there are several, reports that and returns `None`.
    pub(super) fn best_fit(&mut self, used: TemplateUse<'_>) -> Option<BestFit> {
        let candidates = self.symbols.specialisations(used.template).to_vec();
        let patterns: Vec<Pattern<'t>> = candidates.into_iter().filter_map(|id| self.pattern(id, used)).collect();

        let mut fits = Vec::new();
        for pattern in &patterns {
            if let Some(found) = self.fit(pattern, used.values) {
                fits.push((pattern, found));
            }
        }

        let best: Vec<usize> = (0..fits.len())
            .filter(|index| {
                let narrow = fits[*index].0;
                fits.iter().all(|(other, _)| other.id == narrow.id || self.is_narrower(narrow, other))
            })
            .collect();

        match (best.as_slice(), fits.is_empty()) {
            (_, true) => Some(BestFit::Template),
            ([only], false) => {
                let (pattern, found) = &fits[*only];
                Some(BestFit::Specialisation(fitted(pattern, found, used.outer)))
            }
            (_, false) => {
                let name = &self.symbols.ty(used.template).name;
                let message = format!("several specialisations of `{name}` fit these arguments, and none fits best");
                self.problems.refuse(Diagnostic::error(Code::GenericArguments, used.span, message))
            }
        }
    }

    /// Returns the pattern of the specialisation `id`. Reports a wrong number of arguments.
    fn pattern(&mut self, id: TypeId, used: TemplateUse<'_>) -> Option<Pattern<'t>> {
        let symbol = self.symbols.ty(id);
        let TypeEntry::Struct { declaration, generics, inner } = symbol.entry else { return None };
        let written = declaration.specialised.as_deref()?;

        let all = match self.symbols.ty(used.template).entry {
            TypeEntry::Struct { generics, .. } => generics.unwrap_or_default(),
            TypeEntry::Enum(_) | TypeEntry::Alias { .. } | TypeEntry::Interface { .. } | TypeEntry::Unread(_) => &[],
        };
        // The template's defaults fill in for arguments that the specialisation omits.
        let left_out = all.get(written.len()..).unwrap_or_default();
        let defaults = left_out.iter().filter_map(|parameter| parameter.default.as_ref());
        let arguments: Vec<&GenericArgument<'t>> = written.iter().chain(defaults).collect();
        if arguments.len() != all.len() {
            let message =
                format!("this specialisation has {} arguments, but the template has {}", written.len(), all.len());
            return self.problems.refuse(Diagnostic::error(Code::GenericArguments, declaration.name.span, message));
        }

        let context = LookupContext { scope: inner, ..used.outer.clone() };
        Some(Pattern { id, inner, parameters: generics.unwrap_or_default(), arguments, context })
    }

    /// Deduces the parameters of `pattern` from `values`. Returns `None` if the pattern does not fit.
    fn fit(&mut self, pattern: &Pattern<'t>, values: &[GenericValue]) -> Option<DeducedArguments<'t>> {
        let mut found = DeducedArguments::new();
        for (argument, value) in pattern.arguments.iter().copied().zip(values) {
            if !self.matches(argument, value, pattern, &mut found) {
                return None;
            }
        }
        (found.len() == pattern.parameters.len()).then_some(found)
    }

    /// Returns true if `wide` fits everything that `narrow` fits, but not the other way round.
    fn is_narrower(&mut self, narrow: &Pattern<'t>, wide: &Pattern<'t>) -> bool {
        let (narrow_values, wide_values) = (self.opaque(narrow), self.opaque(wide));
        let inside = narrow_values.is_some_and(|values| self.fit(wide, &values).is_some());
        inside && wide_values.is_none_or(|values| self.fit(narrow, &values).is_none())
    }

    /// Returns the arguments of `pattern`, with a unique type or number in place of each parameter.
    fn opaque(&mut self, pattern: &Pattern<'t>) -> Option<Vec<GenericValue>> {
        let unique = |(index, parameter): (usize, &GenericParameter<'t>)| {
            let name = parameter.name.text.to_owned();
            let number = i64::try_from(index).unwrap_or(i64::MAX);
            // No vector has this length, so a pattern that contains a fixed number does not fit.
            let value = if parameter.is_value {
                GenericValue::Integer(i64::MIN.saturating_add(number))
            } else {
                let span = parameter.name.span;
                let ty = StructType { name: format!("${name}"), base: None, members: Vec::new(), span, is_open: false };
                GenericValue::Type(Type::Struct(Arc::new(ty)))
            };
            GenericBinding { scope: pattern.inner, name, value }
        };

        let bindings: Vec<GenericBinding> = pattern.parameters.iter().enumerate().map(unique).collect();
        let context = LookupContext::new(pattern.inner, bindings);
        let values = pattern.arguments.iter().copied().map(|argument| match argument {
            GenericArgument::Value(expression) => self.integer(expression, &context).map(GenericValue::Integer),
            GenericArgument::Type(ty) if is_one_of(ty, pattern.parameters).is_some_and(|found| found.is_value) => {
                self.argument_integer(argument, &context).map(GenericValue::Integer)
            }
            GenericArgument::Type(ty) if mentions(ty, pattern.parameters) && lone(ty).is_none() => None,
            GenericArgument::Type(ty) => self.resolve(ty, None, &context).map(GenericValue::Type),
        });
        values.collect()
    }

    /// Returns true if `argument` of a pattern fits `value`. Records the values of the pattern's parameters.
    fn matches(
        &mut self,
        argument: &'t GenericArgument<'t>,
        value: &GenericValue,
        pattern: &Pattern<'t>,
        found: &mut DeducedArguments<'t>,
    ) -> bool {
        let ty = match argument {
            GenericArgument::Value(expression) => {
                return match value {
                    GenericValue::Integer(value) => self.integer(expression, &pattern.context) == Some(*value),
                    GenericValue::Type(_) => false,
                };
            }
            GenericArgument::Type(ty) => ty,
        };

        if let Some(parameter) = is_one_of(ty, pattern.parameters) {
            let known = found.entry(parameter.name.text).or_insert_with(|| value.clone());
            return known.written() == value.written();
        }
        match value {
            GenericValue::Integer(value) => self.argument_integer(argument, &pattern.context) == Some(*value),
            GenericValue::Type(value) if mentions(ty, pattern.parameters) => {
                self.matches_inside(ty, value, pattern, found)
            }
            GenericValue::Type(value) => {
                let own = self.resolve(ty, None, &pattern.context);
                own.is_some_and(|own| written(&own) == written(value))
            }
        }
    }

    /// `vector<T, N>`, `Pair<T, int>`, `Texture2D<T>`: matches a type whose own arguments contain
    /// parameters of the pattern.
    fn matches_inside(
        &mut self,
        ty: &'t TypeExpression<'t>,
        value: &Type,
        pattern: &Pattern<'t>,
        found: &mut DeducedArguments<'t>,
    ) -> bool {
        let path = match &ty.kind {
            TypeKind::Path(path) if ty.suffixes.is_empty() => path,
            TypeKind::Path(_) | TypeKind::Struct(_) | TypeKind::Enum(_) => return self.unknown_pattern(ty),
        };
        let Some(last) = path.parts.last() else { return false };
        let arguments = last.arguments.as_deref().unwrap_or_default();
        let values = match self.arguments_of(path, value, &pattern.context) {
            Ok(Some(values)) => values,
            Ok(None) => return false,
            Err(()) => return self.unknown_pattern(ty),
        };

        arguments.len() == values.len()
            && arguments.iter().zip(&values).all(|(argument, value)| self.matches(argument, value, pattern, found))
    }

    /// Returns the arguments that `value` was made with from the template or built-in type `path`.
    /// The inner option is `None` if it was made from another one.
    fn arguments_of(
        &mut self,
        path: &NamePath<'t>,
        value: &Type,
        context: &LookupContext,
    ) -> Result<Option<Vec<GenericValue>>, ()> {
        let number = |count: &u32| GenericValue::Integer(i64::from(*count));
        let scalar = |scalar| GenericValue::Type(Type::Scalar(scalar));
        if let Some(template) = self.find_type(path, context) {
            let Type::Struct(structure) = value else { return Ok(None) };
            let made = self.instances.get(&structure.name).filter(|(id, _)| *id == template);
            return Ok(made.map(|(_, values)| values.clone()));
        }
        let [part] = path.parts.as_slice() else { return Err(()) };

        match (builtin::builtin(part.name.text), value) {
            (Some(Builtin::Vector), Type::Vector { scalar: component, length }) => {
                Ok(Some(vec![scalar(*component), number(length)]))
            }
            (Some(Builtin::Matrix), Type::Matrix { scalar: component, rows, columns, .. }) => {
                Ok(Some(vec![scalar(*component), number(rows), number(columns)]))
            }
            (Some(Builtin::Resource(kind, _)), Type::Resource(resource)) if resource.kind == kind => {
                Ok(resource.element.as_deref().map(|element| vec![GenericValue::Type(element.clone())]))
            }
            (Some(Builtin::Vector | Builtin::Matrix | Builtin::Resource(..)), _) => Ok(None),
            (Some(_) | None, _) => Err(()),
        }
    }

    fn unknown_pattern(&mut self, ty: &TypeExpression<'t>) -> bool {
        let message = "this specialisation pattern is not supported";
        self.problems.report(Diagnostic::error(Code::Unsupported, ty.span, message));
        false
    }
}

fn fitted<'t>(pattern: &Pattern<'t>, found: &DeducedArguments<'t>, outer: &LookupContext) -> TemplateFit {
    let own = pattern.parameters.iter().filter_map(|parameter| {
        let name = parameter.name.text;
        Some(GenericBinding { scope: pattern.inner, name: name.to_owned(), value: found.get(name)?.clone() })
    });
    let bindings = outer.bindings.iter().cloned().chain(own).collect();
    TemplateFit { id: pattern.id, inner: pattern.inner, bindings }
}

/// Returns the name if `ty` is only one name.
fn lone<'t>(ty: &TypeExpression<'t>) -> Option<&'t str> {
    match &ty.kind {
        TypeKind::Path(path) if ty.suffixes.is_empty() => lone_name(path),
        TypeKind::Path(_) | TypeKind::Struct(_) | TypeKind::Enum(_) => None,
    }
}

fn lone_name<'t>(path: &NamePath<'t>) -> Option<&'t str> {
    match path.parts.as_slice() {
        [part] if part.arguments.is_none() => Some(part.name.text),
        _ => None,
    }
}

/// Returns the parameter if `ty` is only the name of one.
fn is_one_of<'p, 't>(
    ty: &TypeExpression<'t>,
    parameters: &'p [GenericParameter<'t>],
) -> Option<&'p GenericParameter<'t>> {
    let name = lone(ty)?;
    parameters.iter().find(|parameter| parameter.name.text == name)
}

/// Returns true if `ty` uses one of `parameters`.
fn mentions(ty: &TypeExpression<'_>, parameters: &[GenericParameter<'_>]) -> bool {
    match &ty.kind {
        TypeKind::Path(path) => path_mentions(path, parameters),
        TypeKind::Struct(_) | TypeKind::Enum(_) => false,
    }
}

fn path_mentions(path: &NamePath<'_>, parameters: &[GenericParameter<'_>]) -> bool {
    let is_parameter = |name: &str| parameters.iter().any(|parameter| parameter.name.text == name);
    path.parts.first().is_some_and(|first| is_parameter(first.name.text))
        || path.parts.iter().filter_map(|part| part.arguments.as_deref()).flatten().any(|argument| match argument {
            GenericArgument::Type(ty) => mentions(ty, parameters),
            GenericArgument::Value(expression) => expression_mentions(expression, parameters),
        })
}

fn expression_mentions(expression: &Expression<'_>, parameters: &[GenericParameter<'_>]) -> bool {
    expression.operations.iter().any(|(operation, _)| match operation {
        Operation::Name(path) | Operation::Cast(path) => path_mentions(path, parameters),
        _ => false,
    })
}
