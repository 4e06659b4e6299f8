//! Types as written to [`Type`]: aliases followed, arrays sized, resources with their elements.

use std::rc::Rc;
use std::sync::Arc;

use super::Elaborator;
use super::builtin::{self, Builtin, Element};
use super::generic::{Context, GenericValue, Specialisation};
use super::scope::{TypeEntry, TypeId};
use crate::declare::ast::{
    Declarator, Dimension, GenericArgument, Initialiser, Path, PathPart, Prefix, TypeExpression, TypeKind, TypeSuffix,
};
use crate::diagnostics::{Code, Diagnostic};
use crate::resource::{DataLayout, Resource, ResourceKind};
use crate::scalar::Scalar;
use crate::shape::{Count, EnumType, MatrixOrder, Type};
use crate::sources::Span;

/// Order that a declaration's modifiers give to a matrix.
pub(super) type Order = Option<MatrixOrder>;

/// A type whose members need not be known yet: a pointer may point at the struct that holds it.
#[derive(Clone, Debug)]
pub(super) enum Named {
    Struct(Specialisation),
    Type(Type),
}

/// How far an alias has been followed.
#[derive(Clone, Debug)]
pub(super) enum AliasState {
    InProgress,
    Done(Option<Named>),
}

/// `row_major` or `column_major`, the last if both are there.
pub(super) fn order(prefix: &Prefix<'_>) -> Order {
    prefix.modifiers.iter().rev().find_map(|modifier| match modifier.text {
        "row_major" => Some(MatrixOrder::Row),
        "column_major" => Some(MatrixOrder::Column),
        _ => None,
    })
}

impl<'t> Elaborator<'t> {
    /// The type `ty`, with the order of its modifiers.
    pub(super) fn resolve(&mut self, ty: &TypeExpression<'t>, order: Order, context: &Context) -> Option<Type> {
        let named = self.named(ty, order, context)?;
        let resolved = self.complete(named, ty.span)?;
        self.check_size(&resolved, ty.span)?;
        Some(resolved)
    }

    /// The type of a declarator: its own pointers and dimensions around `ty`.
    pub(super) fn declared(
        &mut self,
        ty: &TypeExpression<'t>,
        order: Order,
        (declarator, context): (&Declarator<'t>, &Context),
    ) -> Option<Type> {
        let mut named = self.named(ty, order, context)?;
        for _ in 0..declarator.pointers.min(usize::from(u8::MAX)) {
            named = Named::Type(self.pointer(named));
        }
        let mut resolved = self.complete(named, ty.span)?;
        for (index, dimension) in declarator.dimensions.iter().enumerate().rev() {
            let listed = match &declarator.initialiser {
                Some(Initialiser::List(elements)) if index == 0 && declarator.dimensions.len() == 1 => Some(*elements),
                Some(Initialiser::List(_) | Initialiser::Value(_) | Initialiser::Other) | None => None,
            };
            resolved = self.array(resolved, (dimension, listed), context)?;
        }
        self.check_size(&resolved, declarator.name.span)?;
        Some(resolved)
    }

    /// `ty` without looking at the members of a struct.
    pub(super) fn named(&mut self, ty: &TypeExpression<'t>, order: Order, context: &Context) -> Option<Named> {
        self.nested(ty.span, |elaborator| {
            let mut named = match &ty.kind {
                TypeKind::Path(path) => elaborator.named_path(path, ty.order, context)?,
                TypeKind::Struct(_) | TypeKind::Enum(_) => {
                    let Some(id) = elaborator.symbols.inline(&ty.kind) else {
                        let message = "a type cannot be declared here";
                        elaborator.problems.report(Diagnostic::error(Code::Unsupported, ty.span, message));
                        return None;
                    };
                    elaborator.named_type(id, None, (ty.span, context))?
                }
            };
            for suffix in &ty.suffixes {
                named = Named::Type(match suffix {
                    TypeSuffix::Pointer => elaborator.pointer(named),
                    TypeSuffix::Array(dimension) => {
                        let element = elaborator.complete(named, ty.span)?;
                        elaborator.array(element, (dimension, None), context)?
                    }
                });
            }
            if let (Some(order), Named::Type(found)) = (order, &mut named) {
                reorder(found, order);
            }
            Some(named)
        })
    }

    fn named_path(&mut self, path: &Path<'t>, pack: Order, context: &Context) -> Option<Named> {
        match self.generic(path, context) {
            Some(GenericValue::Type(ty)) => return Some(Named::Type(ty)),
            Some(GenericValue::Integer(_)) => {
                let message = "expected a type, found a value";
                self.problems.report(Diagnostic::error(Code::GenericArguments, path.span, message));
                return None;
            }
            None => {}
        }
        if let Some((id, found)) = self.find_type_in(path, context) {
            // Arguments are written in `context`, a plain name is seen from where it was found.
            let from = if path.parts.len() > 1 { &found } else { context };
            return self.named_type(id, path.parts.last(), (path.span, from));
        }
        let built_in = match path.parts.as_slice() {
            [part] => builtin::builtin(part.name.text).map(|found| (found, part)),
            _ => None,
        };
        let Some((built_in, part)) = built_in else {
            self.unknown_type(path);
            return None;
        };
        self.built_in(built_in, (part, path.span), context).map(|mut ty| {
            if let (Some(order), Type::Matrix { order: unset @ None, .. }) = (pack, &mut ty) {
                *unset = Some(order);
            }
            Named::Type(ty)
        })
    }

    /// The declared type `id` with the arguments of `part`.
    pub(super) fn named_type(
        &mut self,
        id: TypeId,
        part: Option<&PathPart<'t>>,
        (span, context): (Span, &Context),
    ) -> Option<Named> {
        let symbol = self.symbols.ty(id).clone();
        match symbol.entry {
            TypeEntry::Struct { .. } => self.specialise(id, part, (span, context)).map(Named::Struct),
            TypeEntry::Enum(declaration) => {
                let outer = self.seen_from(context, symbol.scope);
                let underlying = match &declaration.underlying {
                    Some(ty) => self.underlying(ty, &outer)?,
                    None => Scalar::Int32,
                };
                Some(Named::Type(Type::Enum(Arc::new(EnumType { name: symbol.name, underlying }))))
            }
            TypeEntry::Alias { .. } => {
                let outer = self.seen_from(context, symbol.scope);
                self.alias(id, span, &outer)
            }
            TypeEntry::Interface => {
                let message = format!("`{}` is an interface: how its values are laid out is not modelled", symbol.name);
                self.problems.report(Diagnostic::error(Code::Unsupported, span, message));
                None
            }
        }
    }

    fn underlying(&mut self, ty: &TypeExpression<'t>, context: &Context) -> Option<Scalar> {
        match self.resolve(ty, None, context)? {
            Type::Scalar(scalar) if !scalar.is_float() => Some(scalar),
            other => {
                let message = format!("an enum cannot be stored as `{other}`");
                self.problems.report(Diagnostic::error(Code::Unsupported, ty.span, message));
                None
            }
        }
    }

    fn alias(&mut self, id: TypeId, span: Span, context: &Context) -> Option<Named> {
        let TypeEntry::Alias { ty, declarator, order } = self.symbols.ty(id).entry else { return None };
        let key = (id, Rc::clone(&context.key));
        match self.aliases.get(&key) {
            Some(AliasState::Done(named)) => return named.clone(),
            Some(AliasState::InProgress) => {
                let message = "this name stands for itself";
                self.problems.report(Diagnostic::error(Code::CyclicStruct, span, message));
                return None;
            }
            None => {}
        }
        self.aliases.insert(key.clone(), AliasState::InProgress);
        let named = match declarator {
            Some(declarator) if declarator.pointers > 0 || !declarator.dimensions.is_empty() => {
                self.declared(ty, order, (declarator, context)).map(Named::Type)
            }
            Some(_) | None => self.named(ty, order, context),
        };
        self.aliases.insert(key, AliasState::Done(named.clone()));
        named
    }

    /// The whole type, members included.
    pub(super) fn complete(&mut self, named: Named, span: Span) -> Option<Type> {
        match named {
            Named::Struct(specialisation) => self.struct_type(&specialisation, span).map(Type::Struct),
            Named::Type(ty) => Some(ty),
        }
    }

    /// A pointer; what it points at is looked into only after everything else.
    fn pointer(&mut self, named: Named) -> Type {
        let pointee = match &named {
            Named::Struct(specialisation) => specialisation.name.clone(),
            Named::Type(ty) => ty.to_string(),
        };
        self.pointees.entry(pointee.clone()).or_insert(named);
        Type::Pointer { pointee }
    }

    /// One dimension around `element`; `listed` is the length of its initialiser.
    fn array(
        &mut self,
        element: Type,
        (dimension, listed): (&Dimension<'t>, Option<u32>),
        context: &Context,
    ) -> Option<Type> {
        let bad_length = |message: String| Diagnostic::error(Code::BadArrayLength, dimension.span, message);
        if self.measure(&element).unbounded {
            let message = "only the outermost dimension of the last member may be unsized".to_owned();
            self.problems.report(bad_length(message));
            return None;
        }
        let count = match (&dimension.length, listed) {
            (None, Some(elements)) => Count::Finite(elements),
            (None, None) => Count::Unbounded,
            (Some(expression), _) => {
                let length = self.integer(expression, context)?;
                if length < 1 {
                    self.problems.report(bad_length(format!("an array cannot have {length} elements")));
                    return None;
                }
                let Ok(length) = u32::try_from(length) else {
                    let message = format!("an array of {length} elements is longer than 2^32 - 1");
                    self.problems.report(Diagnostic::error(Code::TooLarge, dimension.span, message));
                    return None;
                };
                Count::Finite(length)
            }
        };
        let array = Type::Array { element: Box::new(element), count };
        self.check_size(&array, dimension.span)?;
        Some(array)
    }

    fn built_in(&mut self, found: Builtin, at: (&PathPart<'t>, Span), context: &Context) -> Option<Type> {
        let (part, span) = at;
        let arguments = part.arguments.as_deref().unwrap_or_default();
        match (found, arguments) {
            (Builtin::Numeric(ty), []) if part.arguments.is_none() => Some(ty),
            (Builtin::Vector, [..]) if arguments.len() <= 2 => self.vector(arguments, span, context),
            (Builtin::Matrix, [..]) if arguments.len() <= 3 => self.matrix(arguments, span, context),
            (Builtin::Array, [element, length]) => {
                let element = self.argument_type(element, context)?;
                let count = self.argument_count(length, context)?;
                let array = Type::Array { element: Box::new(element), count: Count::Finite(count) };
                self.check_size(&array, span)?;
                Some(array)
            }
            (Builtin::Same, [element]) => self.argument_type(element, context),
            (Builtin::Pointer, [GenericArgument::Type(pointee), ..]) => {
                let named = self.named(pointee, None, context)?;
                Some(self.pointer(named))
            }
            (Builtin::Resource(kind, element), _) => self.resource((kind, element), at, context).map(Type::Resource),
            (Builtin::Unsupported(why), _) => {
                let message = format!("`{}` is not supported: {why}", part.name.text);
                self.problems.report(Diagnostic::error(Code::Unsupported, span, message));
                None
            }
            (
                Builtin::Numeric(_)
                | Builtin::Vector
                | Builtin::Matrix
                | Builtin::Array
                | Builtin::Same
                | Builtin::Pointer,
                _,
            ) => self.bad_arguments(part, span),
        }
    }

    fn bad_arguments<T>(&mut self, part: &PathPart<'t>, span: Span) -> Option<T> {
        let count = part.arguments.as_ref().map_or(0, Vec::len);
        let message = format!("`{}` does not take {count} generic arguments", part.name.text);
        self.problems.report(Diagnostic::error(Code::GenericArguments, span, message));
        None
    }

    /// `vector` is `vector<float, 4>`.
    fn vector(&mut self, arguments: &[GenericArgument<'t>], span: Span, context: &Context) -> Option<Type> {
        let scalar = self.component(arguments.first(), span, context)?;
        let length = self.extent(arguments.get(1), context)?;
        Some(Type::Vector { scalar, length })
    }

    /// `matrix` is `matrix<float, 4, 4>`.
    fn matrix(&mut self, arguments: &[GenericArgument<'t>], span: Span, context: &Context) -> Option<Type> {
        let scalar = self.component(arguments.first(), span, context)?;
        let rows = self.extent(arguments.get(1), context)?;
        let columns = self.extent(arguments.get(2), context)?;
        Some(Type::Matrix { scalar, rows, columns, order: None })
    }

    fn component(&mut self, argument: Option<&GenericArgument<'t>>, span: Span, context: &Context) -> Option<Scalar> {
        let Some(argument) = argument else { return Some(Scalar::Float32) };
        match self.argument_type(argument, context)? {
            Type::Scalar(scalar) => Some(scalar),
            other => {
                let message = format!("components are scalars, not `{other}`");
                self.problems.report(Diagnostic::error(Code::GenericArguments, span, message));
                None
            }
        }
    }

    /// A number of components, rows or columns: 1 to 4.
    fn extent(&mut self, argument: Option<&GenericArgument<'t>>, context: &Context) -> Option<u32> {
        let Some(argument) = argument else { return Some(4) };
        let value = self.argument_count(argument, context)?;
        if value <= 4 {
            return Some(value);
        }
        let message = format!("vectors and matrices have 1 to 4 components each way, not {value}");
        self.problems.report(Diagnostic::error(Code::GenericArguments, span_of(argument), message));
        None
    }

    /// A number of elements: at least 1.
    fn argument_count(&mut self, argument: &GenericArgument<'t>, context: &Context) -> Option<u32> {
        let value = self.argument_integer(argument, context)?;
        let count = u32::try_from(value).ok().filter(|count| *count > 0);
        if count.is_none() {
            let message = format!("there cannot be {value} of these");
            self.problems.report(Diagnostic::error(Code::BadArrayLength, span_of(argument), message));
        }
        count
    }

    fn resource(
        &mut self,
        (kind, rule): (ResourceKind, Element),
        (part, span): (&PathPart<'t>, Span),
        context: &Context,
    ) -> Option<Resource> {
        let arguments = part.arguments.as_deref().unwrap_or_default();
        let (element, data_layout) = match (rule, arguments) {
            (Element::None | Element::Optional, []) | (Element::Word, [_]) => (None, None),
            (Element::Required, [element]) | (Element::Optional, [element, ..]) => {
                (Some(self.argument_type(element, context)?), None)
            }
            (Element::Required, [element, layout]) => {
                let element = self.argument_type(element, context)?;
                (Some(element), Some(self.data_layout(layout)?))
            }
            (Element::Required | Element::None | Element::Word, _) => return self.bad_arguments(part, span),
        };
        if element.as_ref().is_some_and(|element| self.measure(element).unbounded) {
            let message = "an element cannot end in an unsized array";
            self.problems.report(Diagnostic::error(Code::UnsizedNotLast, span, message));
            return None;
        }
        Some(Resource { kind, element: element.map(Box::new), data_layout })
    }

    fn data_layout(&mut self, argument: &GenericArgument<'t>) -> Option<DataLayout> {
        let found = match argument {
            GenericArgument::Type(TypeExpression { kind: TypeKind::Path(path), .. }) => {
                path.parts.last().and_then(|part| builtin::data_layout(part.name.text))
            }
            GenericArgument::Type(_) | GenericArgument::Value(_) => None,
        };
        if found.is_none() {
            let message = "expected a data layout such as `Std430DataLayout`";
            self.problems.report(Diagnostic::error(Code::GenericArguments, span_of(argument), message));
        }
        found
    }
}

fn span_of(argument: &GenericArgument<'_>) -> Span {
    match argument {
        GenericArgument::Type(ty) => ty.span,
        GenericArgument::Value(expression) => expression.span,
    }
}

/// Gives the matrices of `ty`, in arrays too, this order.
fn reorder(ty: &mut Type, order: MatrixOrder) {
    let mut inner = ty;
    while let Type::Array { element, .. } = inner {
        inner = element;
    }
    if let Type::Matrix { order: found, .. } = inner {
        *found = Some(order);
    }
}
