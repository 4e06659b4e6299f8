//! Built-in types with their generic arguments: `vector<float, 3>`, `StructuredBuffer<S>`, `Ptr<T>`.

use std::sync::Arc;

use layoutproof_layout::resource::{DataLayout, Resource, ResourceKind};
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{
    Count, EnumType, LONGEST_SHORT_VECTOR, LONGEST_VECTOR, Member, OPTIONAL_MEMBERS, PointerPromise, StructType, Type,
};
use layoutproof_layout::{Annotations, Span};

use super::builtin::{Builtin, Element};
use super::lookup::{LookupContext, written};
use super::{Elaborator, NamedType, builtin};
use crate::ast::{GenericArgument, PathPart, TypeExpression, TypeKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

impl<'t> Elaborator<'t> {
    /// Returns the type for a built-in name with its arguments.
    pub(super) fn built_in(
        &mut self,
        found: Builtin,
        part: &PathPart<'t>,
        span: Span,
        context: &LookupContext,
    ) -> Option<Type> {
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
            (Builtin::Atomic, [element]) => match self.argument_type(element, context)? {
                Type::Scalar(scalar) => Some(Type::Enum(Arc::new(EnumType::atomic(scalar)))),
                other => Some(other),
            },
            (Builtin::Pointer, [GenericArgument::Type(pointee), rest @ ..]) => {
                let is_read_only = rest.first().is_some_and(|access| last_name(access) != Some("ReadWrite"));
                self.slang_pointer(pointee, rest.get(2), is_read_only, span, context)
            }
            (Builtin::ImmutablePointer, [GenericArgument::Type(pointee), rest @ ..]) => {
                self.slang_pointer(pointee, rest.get(1), true, span, context)
            }
            (Builtin::LayoutPointer, [GenericArgument::Type(pointee), layout, ..]) => {
                self.slang_pointer(pointee, Some(layout), false, span, context)
            }
            (Builtin::Struct(members), []) if part.arguments.is_none() => self.built_in_struct(part, members, span),
            (Builtin::PointerStruct, [GenericArgument::Type(pointee), ..]) => {
                let named = self.named(pointee, None, context)?;
                self.pointer_struct("ConstBufferPointer", named, span)
            }
            (Builtin::Tuple, elements) => {
                let elements: Option<Vec<Type>> =
                    elements.iter().map(|element| self.argument_type(element, context)).collect();
                self.tuple(elements?, span)
            }
            (Builtin::Optional, [value]) => {
                let value = self.argument_type(value, context)?;
                self.optional(value, span)
            }
            (Builtin::Conditional, [value, condition]) => {
                let value = self.argument_type(value, context)?;
                if self.argument_integer(condition, context)? != 0 {
                    return Some(value);
                }
                let (name, members) = (part.name.text.to_owned(), Vec::new());
                let ty = Arc::new(StructType { name, base: None, members, span, is_open: false });
                self.measure_struct(&ty, span)?;
                Some(Type::Struct(ty))
            }
            (Builtin::Object, _) => {
                let message = format!("a shader cannot read a value of type `{}`", part.name.text);
                self.problems.refuse(Diagnostic::error(Code::Unsupported, span, message))
            }
            (Builtin::Local, _) => self.built_in_struct(part, &[], span),
            (Builtin::Handle, [resource]) => {
                let resource = self.argument_type(resource, context)?;
                self.handle(&resource, span)
            }
            (Builtin::Resource(kind, element), _) => {
                self.resource(kind, element, part, span, context).map(Type::Resource)
            }
            (Builtin::Unsupported(why), _) => {
                let message = format!("`{}` is not supported: {why}", part.name.text);
                self.problems.refuse(Diagnostic::error(Code::Unsupported, span, message))
            }
            _ => self.bad_arguments(part, span),
        }
    }

    fn built_in_struct(&mut self, part: &PathPart<'t>, declared: &[(&str, &str)], span: Span) -> Option<Type> {
        let member = |(ty, name): &(&str, &str)| {
            let (name, annotations) = ((*name).to_owned(), Annotations::default());
            Some(Member { name, ty: builtin::numeric(ty)?, bit_width: None, annotations, span })
        };
        let members: Vec<Member> = declared.iter().filter_map(member).collect();
        let ty = Arc::new(StructType { name: part.name.text.to_owned(), base: None, members, span, is_open: false });
        self.measure_struct(&ty, span)?;
        Some(Type::Struct(ty))
    }

    /// `Tuple<A, B>`: Slang lays it out as a struct with members that code calls `_0`, `_1` ... (slangc 2026.14.1).
    fn tuple(&mut self, elements: Vec<Type>, span: Span) -> Option<Type> {
        let spelled: Vec<String> = elements.iter().map(written).collect();
        let members = elements.into_iter().enumerate().map(|(index, ty)| (format!("_{index}"), ty));
        self.tuple_of(format!("Tuple<{}>", spelled.join(", ")), members.collect(), span).map(Type::Struct)
    }

    fn tuple_of(&mut self, name: String, members: Vec<(String, Type)>, span: Span) -> Option<Arc<StructType>> {
        let member = |(name, ty)| Member { name, ty, bit_width: None, annotations: Annotations::default(), span };
        let members = members.into_iter().map(member).collect();
        let ty = Arc::new(StructType { name, base: None, members, span, is_open: false });
        self.measure_struct(&ty, span)?;
        Some(ty)
    }

    /// `Optional<T>`: slangc 2026.14.1 reflects a tuple of `T` and a `bool`, which code calls `value` and `hasValue`. For a
    /// pointer or an interface, whose value can itself be none, it reflects only the value. It rejects resources (its error
    /// E30902).
    fn optional(&mut self, value: Type, span: Span) -> Option<Type> {
        if matches!(value, Type::Pointer { .. } | Type::Interface { .. }) {
            return Some(value);
        }
        if self.measure(&value).resources {
            let message = format!("`Optional` cannot hold `{value}`, which is or contains a resource");
            return self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message));
        }
        if matches!(&value, Type::Struct(tuple) if self.optionals.iter().any(|known| Arc::ptr_eq(known, tuple))) {
            let message = "Slang's reflection merges nested `Optional`s into one, but its code keeps both";
            return self.problems.refuse(Diagnostic::error(Code::Unsupported, span, message));
        }
        let name = format!("Optional<{}>", written(&value));
        let [value_name, flag_name] = OPTIONAL_MEMBERS.map(str::to_owned);
        let members = vec![(value_name, value), (flag_name, Type::Scalar(Scalar::Bool))];
        let optional = self.tuple_of(name, members, span)?;
        self.optionals.push(Arc::clone(&optional));
        Some(Type::Struct(optional))
    }

    /// `Ptr<T, Access.Read, AddressSpace.Device, CDataLayout>` and its short forms.
    fn slang_pointer(
        &mut self,
        pointee: &TypeExpression<'t>,
        layout: Option<&GenericArgument<'t>>,
        is_read_only: bool,
        span: Span,
        context: &LookupContext,
    ) -> Option<Type> {
        let data_layout = match layout {
            Some(layout) => Some(self.data_layout(layout)?),
            None => None,
        };
        let named = self.named(pointee, None, context)?;
        let pointer = self.pointer(named, span)?;
        Some(pointer.promising(PointerPromise { data_layout, is_read_only, ..PointerPromise::default() }))
    }

    /// `ConstBufferPointer<T>`, `vk::BufferPointer<T>`: a struct around a pointer, as slangc 2026.14.1 reflects it.
    pub(super) fn pointer_struct(&mut self, name: &str, pointee: NamedType, span: Span) -> Option<Type> {
        let name = format!("{name}<{}>", pointee.written());
        let ty = self.pointer(pointee, span)?;
        let annotations = Annotations::default();
        let member = Member { name: "_ptr".to_owned(), ty, bit_width: None, annotations, span };
        let ty = Arc::new(StructType { name, base: None, members: vec![member], span, is_open: false });
        self.measure_struct(&ty, span)?;
        Some(Type::Struct(ty))
    }

    /// `DescriptorHandle<T>`: the index of a descriptor.
    pub(super) fn handle(&mut self, resource: &Type, span: Span) -> Option<Type> {
        if let Type::Resource(resource) = resource {
            return Some(Type::Handle { resource: Box::new(resource.clone()) });
        }
        let message = format!("`{resource}` is not a resource type, so it has no descriptor handle");
        self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message))
    }

    fn bad_arguments<T>(&mut self, part: &PathPart<'t>, span: Span) -> Option<T> {
        let count = part.arguments.as_ref().map_or(0, Vec::len);
        let message = format!("`{}` does not take {count} generic arguments", part.name.text);
        self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message))
    }

    /// A plain `vector` is `vector<float, 4>`.
    fn vector(&mut self, arguments: &[GenericArgument<'t>], span: Span, context: &LookupContext) -> Option<Type> {
        let scalar = self.component(arguments.first(), span, context)?;
        if let Some(argument) = arguments.get(1).filter(|_| !self.is_slang) {
            let length = self.argument_count(argument, context)?;
            if (LONGEST_SHORT_VECTOR + 1..=LONGEST_VECTOR).contains(&length) {
                let message = "vectors of more than four components need shader model 6.9, which DXC has since 1.9";
                self.problems.report(Diagnostic::warning(Code::Ignored, span, message));
                return Some(Type::Vector { scalar, length });
            }
        }
        let length = self.extent(arguments.get(1), context)?;
        Some(Type::Vector { scalar, length })
    }

    /// A plain `matrix` is `matrix<float, 4, 4>`.
    fn matrix(&mut self, arguments: &[GenericArgument<'t>], span: Span, context: &LookupContext) -> Option<Type> {
        let scalar = self.component(arguments.first(), span, context)?;
        let rows = self.extent(arguments.get(1), context)?;
        let columns = self.extent(arguments.get(2), context)?;
        Some(Type::Matrix { scalar, rows, columns, order: None })
    }

    fn component(
        &mut self,
        argument: Option<&GenericArgument<'t>>,
        span: Span,
        context: &LookupContext,
    ) -> Option<Scalar> {
        let Some(argument) = argument else { return Some(Scalar::Float32) };
        match self.argument_type(argument, context)? {
            Type::Scalar(scalar) => Some(scalar),
            other => {
                let message = format!("components are scalars, not `{other}`");
                self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message))
            }
        }
    }

    /// Returns a number of components, rows or columns: 1 to 4.
    fn extent(&mut self, argument: Option<&GenericArgument<'t>>, context: &LookupContext) -> Option<u32> {
        let Some(argument) = argument else { return Some(4) };
        let value = self.argument_count(argument, context)?;
        if value <= 4 {
            return Some(value);
        }
        let message = format!("the dimensions of vectors and matrices are from 1 to 4, not {value}");
        self.problems.refuse(Diagnostic::error(Code::GenericArguments, span_of(argument), message))
    }

    /// Returns a number of elements: at least 1.
    fn argument_count(&mut self, argument: &GenericArgument<'t>, context: &LookupContext) -> Option<u32> {
        let value = self.argument_integer(argument, context)?;
        let count = u32::try_from(value).ok().filter(|count| *count > 0);
        if count.is_none() {
            let message = format!("a number of elements must be from 1 to 2^32 - 1, not {value}");
            self.problems.report(Diagnostic::error(Code::BadArrayLength, span_of(argument), message));
        }
        count
    }

    fn resource(
        &mut self,
        kind: ResourceKind,
        rule: Element,
        part: &PathPart<'t>,
        span: Span,
        context: &LookupContext,
    ) -> Option<Resource> {
        let arguments = part.arguments.as_deref().unwrap_or_default();
        let (element, data_layout) = match (rule, arguments) {
            // A depth texture has a scalar element, which only reflection shows (Slang 2026.14.1).
            (Element::Optional, []) if is_depth_texture(part.name.text) => (Some(Type::Scalar(Scalar::Float32)), None),
            (Element::None | Element::Optional, []) => (None, None),
            (Element::Word, [argument]) => (feedback_kind(argument), None),
            (Element::Required, [element]) | (Element::Optional, [element, ..]) => {
                (Some(self.argument_type(element, context)?), None)
            }
            (Element::Required, [element, layout]) => {
                let element = self.argument_type(element, context)?;
                (Some(element), Some(self.data_layout(layout)?))
            }
            (Element::Required | Element::None | Element::Word, _) => return self.bad_arguments(part, span),
        };

        if let Some(element) = &element {
            self.refuse_empty(element, span)?;
            if let Some(message) = self.refused_texel(kind, element) {
                return self.problems.refuse(Diagnostic::error(Code::GenericArguments, span, message));
            }
            let is_word = matches!(rule, Element::Word);
            if !self.is_slang && !is_word && !is_texel_of_dxil(kind, element) {
                let message =
                    "DXC refuses this resource where code uses it: elements of textures and typed buffers are numbers";
                let warning = Diagnostic::warning(Code::CompilerLimit, span, message);
                self.problems.report(warning.with_help("DXC 1.7.2308: `Invalid resource return type`; use `uint`"));
            }
        }
        if element.as_ref().is_some_and(|element| self.has_no_end(kind, element)) {
            let message = "an element cannot end in an unsized array";
            return self.problems.refuse(Diagnostic::error(Code::UnsizedNotLast, span, message));
        }
        Some(Resource { kind, element: element.map(Box::new), data_layout })
    }

    /// Says why a texture or a typed buffer cannot have this element. DXC 1.7.2308 takes small structs of one scalar type in
    /// buffers; slangc 2026.14.1 takes no struct (E38029).
    fn refused_texel(&self, kind: ResourceKind, element: &Type) -> Option<&'static str> {
        match (kind, element) {
            (ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_), Type::Struct(_) | Type::Matrix { .. }) => {
                Some("the element of a texture must be a scalar or a vector")
            }
            (
                ResourceKind::Texture(_) | ResourceKind::CombinedSampler(_) | ResourceKind::Buffer(_),
                Type::Resource(_),
            ) => Some("the element of a texture or a typed buffer cannot be a resource"),
            (ResourceKind::Buffer(_), Type::Struct(_)) if self.is_slang => {
                Some("the element of a typed buffer must be a scalar or a vector")
            }
            (ResourceKind::Buffer(_), Type::Struct(_)) => {
                let mut words = Vec::new();
                scalar_words(element, &mut words);
                let is_large = words.len() > 4;
                let is_mixed = words.iter().any(|scalar| *scalar != words[0]);
                match (is_large, is_mixed) {
                    _ if words.is_empty() => Some("the element of a typed buffer must have at least one value"),
                    (true, _) => Some("the element of a typed buffer must fit in four 32-bit values"),
                    (false, true) => Some("all components of the element of a typed buffer must have the same type"),
                    (false, false) => None,
                }
            }
            _ => None,
        }
    }

    /// Returns true if `element` has an unsized end that `kind` cannot contain. Buffers with one
    /// element may end in an unsized array of resources, because those are bound separately (Slang
    /// 2026.14.1 accepts them in `ParameterBlock` and `ConstantBuffer`).
    fn has_no_end(&self, kind: ResourceKind, element: &Type) -> bool {
        let holds_one = matches!(kind, ResourceKind::ConstantBuffer | ResourceKind::ParameterBlock);
        self.measure(element).unbounded && !(holds_one && self.ends_in_resources(element))
    }

    /// Returns true if the unsized array at the end of `ty` contains no data.
    fn ends_in_resources(&self, ty: &Type) -> bool {
        match ty {
            Type::Array { element, count: Count::Unbounded } => !self.measure(element).data,
            Type::Array { element, count: Count::Finite(_) } => self.ends_in_resources(element),
            Type::Struct(structure) => match structure.members.last() {
                Some(last) => self.ends_in_resources(&last.ty),
                None => {
                    structure.base.as_ref().is_some_and(|base| self.ends_in_resources(&Type::Struct(Arc::clone(base))))
                }
            },
            _ => false,
        }
    }

    fn data_layout(&mut self, argument: &GenericArgument<'t>) -> Option<DataLayout> {
        let found = last_name(argument).and_then(builtin::data_layout);
        if found.is_none() {
            let message = "expected a data layout such as `Std430DataLayout`";
            self.problems.report(Diagnostic::error(Code::GenericArguments, span_of(argument), message));
        }
        found
    }
}

/// Appends the scalar of each 32-bit word of `ty`, as a typed buffer counts them; stops above four.
/// False for an element that DXC's validator refuses (1.7.2308, measured): a `bool`, an enum, or a struct with one.
fn is_texel_of_dxil(kind: ResourceKind, element: &Type) -> bool {
    match (kind, element) {
        (_, Type::Scalar(scalar) | Type::Vector { scalar, .. }) => {
            *scalar != Scalar::Bool || !matches!(kind, ResourceKind::Texture(_) | ResourceKind::Buffer(_))
        }
        (ResourceKind::Texture(_) | ResourceKind::Buffer(_), Type::Enum(_)) => false,
        (ResourceKind::Texture(_) | ResourceKind::Buffer(_), Type::Array { element, .. }) => {
            is_texel_of_dxil(kind, element)
        }
        (ResourceKind::Texture(_) | ResourceKind::Buffer(_), Type::Struct(structure)) => {
            structure.members.iter().all(|member| is_texel_of_dxil(kind, &member.ty))
        }
        _ => true,
    }
}

fn scalar_words(ty: &Type, words: &mut Vec<Scalar>) {
    const MOST: usize = 5;
    let mut repeat = |ty: &Type, count: u32| {
        for _ in 0..count {
            let before = words.len();
            if before >= MOST {
                return;
            }
            scalar_words(ty, words);
            if words.len() == before {
                return;
            }
        }
    };
    match ty {
        Type::Scalar(scalar) => {
            let is_long = scalar.size(SixteenBit::On, 4) == 8;
            words.extend(std::iter::repeat_n(*scalar, if is_long { 2 } else { 1 }));
        }
        Type::Vector { scalar, length } => repeat(&Type::Scalar(*scalar), *length),
        Type::Matrix { scalar, rows, columns, .. } => repeat(&Type::Scalar(*scalar), rows * columns),
        Type::Array { element, count: Count::Finite(count) } => repeat(element, *count),
        Type::Struct(ty) => {
            if let Some(base) = &ty.base {
                repeat(&Type::Struct(Arc::clone(base)), 1);
            }
            ty.members.iter().for_each(|member| repeat(&member.ty, 1));
        }
        _ => {}
    }
}

/// Returns the last name of a path: `Read` of `Access.Read`.
fn last_name<'t>(argument: &GenericArgument<'t>) -> Option<&'t str> {
    match argument {
        GenericArgument::Type(TypeExpression { kind: TypeKind::Path(path), .. }) => {
            path.parts.last().map(|part| part.name.text)
        }
        GenericArgument::Type(_) | GenericArgument::Value(_) => None,
    }
}

fn span_of(argument: &GenericArgument<'_>) -> Span {
    match argument {
        GenericArgument::Type(ty) => ty.span,
        GenericArgument::Value(expression) => expression.span,
    }
}

/// Returns true for Slang's `DepthTexture2D`, `Sampler2DShadow` and the like.
fn is_depth_texture(name: &str) -> bool {
    name.contains("DepthTexture") || (name.starts_with("Sampler") && name.ends_with("Shadow"))
}

/// `SAMPLER_FEEDBACK_MIN_MIP` or `SAMPLER_FEEDBACK_MIP_REGION_USED`: enumerators in HLSL, types in Slang.
fn feedback_kind(argument: &GenericArgument<'_>) -> Option<Type> {
    let GenericArgument::Type(TypeExpression { kind: TypeKind::Path(path), .. }) = argument else { return None };
    let name = path.parts.last()?.name.text.to_owned();
    Some(Type::Enum(Arc::new(EnumType { name, underlying: Scalar::Uint32 })))
}
