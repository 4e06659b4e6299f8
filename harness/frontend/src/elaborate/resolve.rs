//! Resolves types as written to [`Type`]: follows aliases, evaluates array lengths, and resolves
//! the elements of resources.

use std::rc::Rc;
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, DEFAULT_ANY_VALUE_SIZE, EnumType, MatrixOrder, PointerPromise, Type};

use super::builtin::Builtin;
use super::generic::{GenericUse, Specialisation, TypeUseSite};
use super::lookup::{GenericValue, LookupContext, written};
use super::scope::{TypeEntry, TypeId};
use super::{Elaborator, builtin};
use crate::ast::{
    ArrayDimension, Declarator, Expression, GenericArgument, Initialiser, NamePath, PathPart, Prefix, TypeExpression,
    TypeKind, TypeSuffix,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Maximum room for the value of an interface, in bytes. No shader uses more.
const LARGEST_ANY_VALUE: u32 = 1 << 16;

/// Maximum number of nested pointers. No real file nests them this deep.
const MOST_STARS: usize = 16;

/// A type whose members need not be known yet: a pointer may point to the struct that contains it.
#[derive(Clone, Debug)]
pub(super) enum NamedType {
    Struct(Specialisation),
    Type(Type),
}

impl NamedType {
    /// Returns the spelling with the matrix order. Equal types have equal text.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Struct(specialisation) => specialisation.name.clone(),
            Self::Type(ty) => written(ty),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum AliasState {
    InProgress,
    Done(Option<NamedType>),
}

/// Returns the order given by `row_major` or `column_major`. The last one counts.
pub(super) fn order(prefix: &Prefix<'_>) -> Option<MatrixOrder> {
    prefix.modifiers.iter().rev().find_map(|modifier| MatrixOrder::of_modifier(modifier.text))
}

impl<'t> Elaborator<'t> {
    /// Resolves the type `ty`, with the order of its modifiers.
    pub(super) fn resolve(
        &mut self,
        ty: &TypeExpression<'t>,
        order: Option<MatrixOrder>,
        context: &LookupContext,
    ) -> Option<Type> {
        let named = self.named(ty, order, context)?;
        let resolved = self.complete(named, ty.span)?;
        self.check_size(&resolved, ty.span)?;
        Some(resolved)
    }

    /// Returns the type of a declarator: `ty` with the declarator's own pointers and dimensions.
    pub(super) fn declared(
        &mut self,
        ty: &TypeExpression<'t>,
        order: Option<MatrixOrder>,
        declarator: &Declarator<'t>,
        context: &LookupContext,
    ) -> Option<Type> {
        let pointers = declarator.pointers;
        let (mut named, pointers) =
            match self.opaque_pointee(ty, context).filter(|_| pointers > 0 && ty.suffixes.is_empty()) {
                Some(pointee) => (NamedType::Type(Type::pointer(pointee)), pointers - 1),
                None => (self.named(ty, order, context)?, pointers),
            };

        for _ in 0..pointers {
            named = NamedType::Type(self.pointer(named, ty.span)?);
        }

        let mut resolved = self.complete(named, ty.span)?;
        for (index, dimension) in declarator.dimensions.iter().enumerate().rev() {
            let listed = match &declarator.initialiser {
                Some(Initialiser::List(elements)) if index == 0 && declarator.dimensions.len() == 1 => Some(*elements),
                Some(Initialiser::List(_) | Initialiser::Value(_) | Initialiser::Other) | None => None,
            };
            resolved = self.array(resolved, dimension, listed, context)?;
        }

        self.check_size(&resolved, declarator.name.span)?;
        Some(resolved)
    }

    /// Returns the name of the interface or `void` that `ty` begins with. A pointer to it has a
    /// layout, but not the type itself here.
    fn opaque_pointee(&mut self, ty: &TypeExpression<'t>, context: &LookupContext) -> Option<String> {
        let TypeKind::Path(path) = &ty.kind else { return None };
        if self.is_slang && matches!(path.parts.as_slice(), [part] if part.name.text == "void") {
            return Some("void".to_owned());
        }
        let id = self.find_type(path, context)?;
        let symbol = self.symbols.ty(id);
        matches!(symbol.entry, TypeEntry::Interface { .. }).then(|| symbol.name.clone())
    }

    /// Resolves `ty` without visiting the members of a struct. `order` is that of its declaration.
    pub(super) fn named(
        &mut self,
        ty: &TypeExpression<'t>,
        order: Option<MatrixOrder>,
        context: &LookupContext,
    ) -> Option<NamedType> {
        self.nested(ty.span, |elaborator| {
            let points = matches!(ty.suffixes.first(), Some(TypeSuffix::Pointer));
            let interface = if points { elaborator.opaque_pointee(ty, context) } else { None };
            let behind = usize::from(interface.is_some());

            let mut named = match (&ty.kind, interface) {
                (TypeKind::Path(_), Some(pointee)) => NamedType::Type(Type::pointer(pointee)),
                (TypeKind::Path(path), None) => elaborator.named_path(path, ty.packed, context)?,
                (TypeKind::Struct(_) | TypeKind::Enum(_), _) => {
                    let Some(id) = elaborator.symbols.inline(&ty.kind) else {
                        let message = "a type cannot be declared here";
                        elaborator.problems.report(Diagnostic::error(Code::Unsupported, ty.span, message));
                        return None;
                    };
                    elaborator.named_type(id, None, TypeUseSite::here(ty.span, context))?
                }
            };

            for suffix in &ty.suffixes[behind..] {
                named = NamedType::Type(match suffix {
                    TypeSuffix::Pointer => elaborator.pointer(named, ty.span)?,
                    TypeSuffix::Array(dimension) => {
                        let element = elaborator.complete(named, ty.span)?;
                        elaborator.array(element, dimension, None, context)?
                    }
                });
            }

            if let (Some(order), NamedType::Type(found)) = (order.or(ty.order), &mut named) {
                reorder(found, order);
            }
            Some(named)
        })
    }

    fn named_path(
        &mut self,
        path: &NamePath<'t>,
        pack: Option<MatrixOrder>,
        context: &LookupContext,
    ) -> Option<NamedType> {
        match self.generic(path, context) {
            Some(GenericValue::Type(ty)) => return Some(NamedType::Type(ty)),
            Some(GenericValue::Integer(_)) => {
                let message = "expected a type, found a value";
                return self.problems.refuse(Diagnostic::error(Code::GenericArguments, path.span, message));
            }
            None => {}
        }

        if let Some((id, found)) = self.find_type_in(path, context) {
            let site = TypeUseSite { span: path.span, written: context, found: &found };
            return self.named_type(id, path.parts.last(), site);
        }
        let built_in = match path.parts.as_slice() {
            [part] => builtin::builtin(part.name.text).map(|found| (found, part)),
            [namespace, pointer] if namespace.name.text == "vk" && pointer.name.text == "BufferPointer" => {
                return self.buffer_pointer(pointer, path.span, context);
            }
            [resource, handle] if handle.name.text == "Handle" && handle.arguments.is_none() => {
                if let Some(found @ Builtin::Resource(..)) = builtin::builtin(resource.name.text) {
                    let resource = self.built_in(found, resource, path.span, context)?;
                    return self.handle(&resource, path.span).map(NamedType::Type);
                }
                None
            }
            _ => None,
        };

        let Some((built_in, part)) = built_in else {
            self.unknown_type(path);
            return None;
        };
        self.built_in(built_in, part, path.span, context).map(|mut ty| {
            if let (Some(order), Type::Matrix { order: unset @ None, .. }) = (pack, &mut ty) {
                *unset = Some(order);
            }
            NamedType::Type(ty)
        })
    }

    /// `vk::BufferPointer<T, alignment>`: DXC supports it since release 1.8.2505, only for SPIR-V,
    /// with the size and alignment of a `uint64_t`. The alignment argument is that of the pointee's
    /// address.
    fn buffer_pointer(&mut self, part: &PathPart<'t>, span: Span, context: &LookupContext) -> Option<NamedType> {
        let [GenericArgument::Type(pointee), alignment @ ..] = part.arguments.as_deref().unwrap_or_default() else {
            let message = "`vk::BufferPointer` needs a pointee type, and optionally an alignment";
            return self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message));
        };
        let alignment = match alignment.first() {
            Some(alignment) => Some(self.argument_integer(alignment, context)?),
            None => None,
        };
        let named = self.named(pointee, None, context)?;
        if self.is_slang {
            return self.pointer_struct("BufferPointer", named, span).map(NamedType::Type);
        }
        let message = "DXC supports `vk::BufferPointer` only since release 1.8.2505, and only for SPIR-V";
        self.problems.report(Diagnostic::warning(Code::Ignored, span, message));
        self.members_point = true;
        // DXC refuses an alignment that is no power of two.
        let alignment = alignment.and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| bytes.is_power_of_two());
        let pointer = self.pointer(named, span)?;
        let promise = PointerPromise { alignment, is_buffer_pointer: true, ..PointerPromise::default() };
        Some(NamedType::Type(pointer.promising(promise)))
    }

    /// Returns the declared type `id` with the arguments in `part`.
    pub(super) fn named_type(
        &mut self,
        id: TypeId,
        part: Option<&PathPart<'t>>,
        site: TypeUseSite<'_>,
    ) -> Option<NamedType> {
        let symbol = self.symbols.ty(id).clone();
        match symbol.entry {
            TypeEntry::Struct { .. } => self.specialise(id, part, site).map(NamedType::Struct),
            TypeEntry::Enum(declaration) => {
                let outer = self.seen_from(site.found, symbol.scope);
                let underlying = match &declaration.underlying {
                    Some(ty) => self.underlying(ty, &outer)?,
                    None => Scalar::Int32,
                };
                Some(NamedType::Type(Type::Enum(Arc::new(EnumType { name: symbol.name, underlying }))))
            }
            TypeEntry::Alias { generics: Some((parameters, inner)), .. } => {
                let outer = self.seen_from(site.found, symbol.scope);
                let arguments = part.and_then(|part| part.arguments.as_deref()).unwrap_or_default();
                let generics = GenericUse { name: &symbol.name, parameters, inner, arguments };
                let bindings = self.bindings(generics, &outer, site)?;
                self.alias(id, site.span, &LookupContext::new(inner, bindings))
            }
            TypeEntry::Alias { generics: None, .. } => {
                let outer = self.seen_from(site.found, symbol.scope);
                self.alias(id, site.span, &outer)
            }
            TypeEntry::Unread(what) => {
                let message = format!("`{}` is {what}, which is not supported", symbol.name);
                self.problems.refuse(Diagnostic::error(Code::Unsupported, site.span, message))
            }
            TypeEntry::Interface { .. } if !self.is_slang => {
                let message = format!("`{}` is an interface, and HLSL has no interface values", symbol.name);
                self.problems.refuse(Diagnostic::error(Code::Unsupported, site.span, message))
            }
            TypeEntry::Interface { any_value_size } => {
                let context = LookupContext::plain(symbol.scope);
                let any_value_size = match any_value_size {
                    Some(written) => self.any_value_size(written, &context)?,
                    None => DEFAULT_ANY_VALUE_SIZE,
                };
                Some(NamedType::Type(Type::Interface { name: symbol.name, any_value_size }))
            }
        }
    }

    /// Evaluates `N` in `[anyValueSize(N)]`.
    fn any_value_size(&mut self, size: &Expression<'t>, context: &LookupContext) -> Option<u32> {
        let bytes = u32::try_from(self.integer(size, context)?).ok().filter(|bytes| *bytes <= LARGEST_ANY_VALUE);
        if bytes.is_none() {
            let message = format!("the size of an interface value must be from 0 to {LARGEST_ANY_VALUE}");
            self.problems.report(Diagnostic::error(Code::BadAttribute, size.span, message));
        }
        bytes
    }

    fn underlying(&mut self, ty: &TypeExpression<'t>, context: &LookupContext) -> Option<Scalar> {
        match self.resolve(ty, None, context)? {
            Type::Scalar(scalar) if !scalar.is_float() => Some(scalar),
            other => {
                let message = format!("an enum cannot be stored as `{other}`");
                self.problems.refuse(Diagnostic::error(Code::Unsupported, ty.span, message))
            }
        }
    }

    fn alias(&mut self, id: TypeId, span: Span, context: &LookupContext) -> Option<NamedType> {
        let TypeEntry::Alias { ty, declarator, order, .. } = self.symbols.ty(id).entry else { return None };
        let key = (id, Rc::clone(&context.key));
        match self.aliases.get(&key) {
            Some(AliasState::Done(named)) => {
                let named = named.clone();
                if named.is_none() {
                    self.report_again(&key);
                }
                return named;
            }
            Some(AliasState::InProgress) => {
                let message = "this alias refers to itself";
                return self.problems.refuse(Diagnostic::error(Code::CyclicStruct, span, message));
            }
            None => {}
        }

        self.aliases.insert(key.clone(), AliasState::InProgress);
        let before = self.problems.count();
        let named = match declarator {
            Some(declarator) if declarator.pointers > 0 || !declarator.dimensions.is_empty() => {
                self.declared(ty, order, declarator, context).map(NamedType::Type)
            }
            Some(_) | None => self.named(ty, order, context),
        };

        if named.is_none() {
            self.keep_problems(&key, before);
        }
        self.aliases.insert(key, AliasState::Done(named.clone()));
        named
    }

    /// Returns the whole type, members included.
    pub(super) fn complete(&mut self, named: NamedType, span: Span) -> Option<Type> {
        match named {
            NamedType::Struct(specialisation) => self.struct_type(&specialisation, span).map(Type::Struct),
            NamedType::Type(ty) => Some(ty),
        }
    }

    /// Returns a pointer. The pointee is resolved only after everything else.
    pub(super) fn pointer(&mut self, named: NamedType, span: Span) -> Option<Type> {
        let pointee = named.written();
        if let NamedType::Type(ty) = &named {
            self.refuse_empty(ty, span)?;
        }
        let stars = pointee.bytes().rev().take_while(|byte| *byte == b'*').count();
        if stars >= MOST_STARS {
            let message = format!("a pointer to a pointer, more than {MOST_STARS} levels deep");
            return self.problems.refuse(Diagnostic::error(Code::TooDeep, span, message));
        }
        self.pointees.entry(pointee.clone()).or_insert(named);
        Some(Type::pointer(pointee))
    }

    /// Wraps `element` in one dimension. `listed` is the length of its initialiser.
    fn array(
        &mut self,
        element: Type,
        dimension: &ArrayDimension<'t>,
        listed: Option<u32>,
        context: &LookupContext,
    ) -> Option<Type> {
        let bad_length = |message: String| Diagnostic::error(Code::BadArrayLength, dimension.span, message);
        if self.measure(&element).unbounded {
            let message = "only the outermost dimension of the last member may be unsized".to_owned();
            return self.problems.refuse(bad_length(message));
        }
        let count = match (&dimension.length, listed) {
            (None, Some(elements)) => Count::Finite(elements),
            (None, None) => Count::Unbounded,
            (Some(expression), _) => {
                let length = self.integer(expression, context)?;
                let is_empty = length == 0 && self.is_slang && !self.measure(&element).resources;
                if length < 1 && !is_empty {
                    return self.problems.refuse(bad_length(format!("an array cannot have {length} elements")));
                }
                let Ok(length) = u32::try_from(length) else {
                    let message = format!("an array of {length} elements is longer than 2^32 - 1");
                    return self.problems.refuse(Diagnostic::error(Code::TooLarge, dimension.span, message));
                };
                Count::Finite(length)
            }
        };

        let array = Type::Array { element: Box::new(element), count };
        self.check_size(&array, dimension.span)?;
        Some(array)
    }
}

/// Sets the order of the matrices in `ty`, including those in arrays.
fn reorder(ty: &mut Type, order: MatrixOrder) {
    let mut inner = ty;
    while let Type::Array { element, .. } = inner {
        inner = element;
    }
    if let Type::Matrix { order: found, .. } = inner {
        *found = Some(order);
    }
}
