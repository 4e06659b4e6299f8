//! Prints the `type` objects: a kind, the keys of that kind, and `sizes`.

use std::sync::Arc;

use layoutproof_frontend::module::GeneratedNames;
use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::{Access, Resource, ResourceKind};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, StructType, Type};

use super::super::node::{NodeFields, ReflectionNode};
use super::super::resource_usage;
use super::super::spelling::{self, ResourceShape, SlangTypeKind, container_kind, has_own_members, kind, simple_name};
use super::{VariableContext, bindings, declared_attributes, place};
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};

pub(super) fn layout(layout: &TypeLayout, context: &VariableContext<'_>) -> NodeFields {
    let shown = match (&layout.parts, &layout.ty) {
        (TypeParts::Fields(_), Type::Struct(ty)) if ty.is_open => NodeFields::kind("None"),
        (TypeParts::Fields(fields), ty) => {
            let has_names = !is_tuple(ty);
            structure(ty, context).with("fields", self::fields(fields, has_names, context))
        }
        (TypeParts::Elements { element, stride }, ty) => array(ty, element, context)
            .with_some("uniformStride", in_bytes(layout).map(|_| stride.get(LayoutUnit::Bytes))),
        (TypeParts::Contained { container, element }, ty) => contained(ty, container, element, context.names),
        (TypeParts::Memory(element), ty) => {
            resource_base(ty).with("resultType", self::layout(element, &VariableContext::outside(context.names)))
        }
        // slangc shows no type for these.
        (TypeParts::Patch(_), _) => NodeFields::kind("None"),
        (TypeParts::Stream(element), _) => {
            let none = NodeFields::kind("None");
            let none = none.with("sizes", ReflectionNode::List(Vec::new()));
            NodeFields::kind("outputStream")
                .with("elementType", self::layout(element, context))
                .with("containerVarLayout", NodeFields::default())
                .with("elementVarLayout", NodeFields::default().with("type", none))
        }
        // For a buffer that passes between stages slangc shows nothing of the elements.
        (TypeParts::None, ty) if holds_memory(ty) => resource_base(ty),
        // slangc shows a descriptor handle as the number that it is, unless it passes between
        // stages.
        (TypeParts::None, Type::Handle { .. }) if in_bytes(layout).is_none() => NodeFields::kind("struct")
            .with("name", ReflectionNode::text("DescriptorHandle"))
            .with("fields", ReflectionNode::List(Vec::new())),
        (TypeParts::None, ty) => plain(ty),
    };
    shown.with("sizes", ReflectionNode::List(sizes(layout)))
}

fn sizes(layout: &TypeLayout) -> Vec<ReflectionNode> {
    let size = |(unit, taken)| {
        let kind = |unit| NodeFields::kind(spelling::unit(unit).0.json);
        let value = kind(unit).with("value", taken);
        let alignment = (unit == LayoutUnit::Bytes).then_some(layout.alignment);
        value.with_some("alignment", alignment).into()
    };
    // slangc reports the bytes of an argument buffer for its type. It reports the arguments, and
    // the space that an unsized array takes, only where the buffer is bound.
    let is_argument_buffer = layout.takes(LayoutUnit::MetalArgument);
    let is_stated = |unit| match unit {
        LayoutUnit::MetalArgument => false,
        LayoutUnit::Space => !is_argument_buffer,
        _ => true,
    };
    let stated = resource_usage::sizes(layout).into_iter().filter(|(unit, _)| is_stated(*unit));
    stated.map(size).collect()
}

fn in_bytes(layout: &TypeLayout) -> Option<Count> {
    Some(layout.usage.get(LayoutUnit::Bytes)).filter(|bytes| *bytes != Count::Finite(0))
}

/// True for `StructuredBuffer<T>` and similar types.
fn holds_memory(ty: &Type) -> bool {
    ty.resource().is_some_and(|resource| matches!(resource.kind, ResourceKind::StructuredBuffer(_)))
}

/// True for Slang's built-in `Tuple`, whose members slangc lists without their names, and for `Optional`, which it calls a
/// tuple.
fn is_tuple(ty: &Type) -> bool {
    matches!(ty, Type::Struct(ty) if ty.name.starts_with("Tuple<") || ty.is_optional())
}

fn fields(fields: &[VariableLayout], has_names: bool, context: &VariableContext<'_>) -> ReflectionNode {
    let mut context = context.clone();
    let mut listed = Vec::new();
    for field in fields {
        let ty = layout(&field.layout, &context.inside(field));
        let head = if has_names { context.name(field.name.as_deref(), field.span) } else { NodeFields::default() };
        let head = head.with_some("userAttribs", declared_attributes(&field.annotations));
        listed.push(head.with("type", ty).and(place(field, &context)).into());
        context.varying = context.varying.behind(&field.layout);
    }
    ReflectionNode::List(listed)
}

fn array(ty: &Type, element: &TypeLayout, context: &VariableContext<'_>) -> NodeFields {
    NodeFields::kind("array").with("elementCount", array_length(ty)).with("elementType", layout(element, context))
}

/// Returns the number of elements. slangc prints 0 for an unsized array.
fn array_length(ty: &Type) -> u32 {
    match ty {
        Type::Array { count: Count::Finite(count), .. } => *count,
        _ => 0,
    }
}

/// Prints a buffer or block. `elementType` is an older view that adds the element's offsets to
/// those of its fields.
fn contained(ty: &Type, container: &VariableLayout, element: &VariableLayout, names: &GeneratedNames) -> NodeFields {
    let mut inside = TypeLayout::clone(&element.layout);
    if has_own_members(ty) {
        let span = element.span;
        inside.ty = Type::Struct(Arc::new(StructType {
            name: String::new(),
            base: None,
            members: Vec::new(),
            span,
            is_open: false,
        }));
    }
    // Reflection lays out an argument buffer anew, from its own start.
    let is_argument_buffer = inside.argument_pointers().is_some();
    let shifted = if is_argument_buffer { inside.clone() } else { shifted(&inside, &element.offsets) };

    let kind = container_kind(ty, &container.layout);
    let outside = VariableContext::outside(names);
    let ty = layout(&inside, &outside);
    NodeFields::kind(kind.json)
        .with("elementType", layout(&shifted, &outside))
        .with("containerVarLayout", bindings(container))
        .with("elementVarLayout", NodeFields::default().with("type", ty).and(bindings(element)))
}

/// Returns `layout` with `by` added to the offsets of its fields, if it is a struct.
fn shifted(layout: &TypeLayout, by: &[UnitOffset]) -> TypeLayout {
    let mut layout = layout.clone();
    if let TypeParts::Fields(fields) = &mut layout.parts {
        for own in fields.iter_mut().flat_map(|field| &mut field.offsets) {
            if let Some(by) = by.iter().find(|by| by.unit == own.unit) {
                own.offset = own.offset.saturating_add(by.offset);
                own.space = own.space.saturating_add(by.space);
            }
        }
    }
    layout
}

fn structure(ty: &Type, context: &VariableContext<'_>) -> NodeFields {
    let name = match ty {
        Type::Struct(ty) if ty.is_optional() => context.name(Some("Tuple"), ty.span),
        Type::Struct(ty) => context.name(Some(&ty.name), ty.span),
        _ => NodeFields::default(),
    };
    NodeFields::kind("struct").and(name)
}

/// Prints a type without a layout: an element of a vector, the result of a texture.
fn plain(ty: &Type) -> NodeFields {
    let kind = |kind| NodeFields::kind(kind);
    match ty {
        Type::Scalar(scalar) => self::scalar(*scalar),
        Type::Enum(ty) => self::scalar(ty.underlying),
        Type::Vector { scalar, length } => {
            kind("vector").with("elementCount", *length).with("elementType", self::scalar(*scalar))
        }
        Type::Matrix { scalar, rows, columns, .. } => kind("matrix")
            .with("rowCount", *rows)
            .with("columnCount", *columns)
            .with("elementType", self::scalar(*scalar)),
        Type::Array { element, .. } => {
            kind("array").with("elementCount", array_length(ty)).with("elementType", plain(element))
        }
        Type::Struct(open) if open.is_open => kind("None"),
        Type::Struct(members) => kind("struct").with("fields", plain_fields(members)),
        Type::Pointer { pointee, .. } => kind("pointer").with("valueType", ReflectionNode::text(pointee_name(pointee))),
        Type::Handle { .. } => plain(&Type::Vector { scalar: Scalar::Uint32, length: 2 }),
        // slangc 2026.14.1 spells this kind with a capital.
        Type::Interface { name, .. } => kind("Interface").with("name", ReflectionNode::text(name)),
        Type::Resource(resource) => plain_resource(ty, resource),
    }
}

fn plain_fields(ty: &StructType) -> ReflectionNode {
    let field = |name: &str, ty: &Type| {
        let ty = plain(ty);
        NodeFields::default().with("name", ReflectionNode::text(name)).with("type", ty).into()
    };
    let base = ty.base.iter().map(|base| field("$base", &Type::Struct(base.clone())));
    ReflectionNode::List(base.chain(ty.members.iter().map(|member| field(&member.name, &member.ty))).collect())
}

/// Returns the name of a pointer's target without type arguments. Slang calls `float3` a `vector`
/// and `T*` a `Ptr`.
fn pointee_name(spelling: &str) -> &str {
    if spelling.ends_with('*') {
        return "Ptr";
    }
    let digits = spelling.trim_start_matches(|c: char| c.is_ascii_lowercase());
    match digits.as_bytes() {
        [b'1'..=b'4'] => "vector",
        [b'1'..=b'4', b'x', b'1'..=b'4'] => "matrix",
        _ => simple_name(spelling).unwrap_or(spelling),
    }
}

fn scalar(scalar: Scalar) -> NodeFields {
    let kind = NodeFields::kind("scalar");
    kind.with("scalarType", spelling::scalar(scalar).json)
}

fn plain_resource(ty: &Type, resource: &Resource) -> NodeFields {
    match kind(ty) {
        SlangTypeKind::Sampler => NodeFields::kind("samplerState"),
        SlangTypeKind::Container(words) => NodeFields::kind(words.json),
        SlangTypeKind::Plain | SlangTypeKind::Resource(_) => {
            let result = |result| match (resource.kind, &result) {
                (ResourceKind::Texture(texture), Type::Enum(feedback)) if texture.access == Access::Feedback => {
                    let kind = NodeFields::kind("Feedback");
                    kind.with("name", ReflectionNode::text(&feedback.name))
                }
                _ => plain(&result),
            };
            resource_base(ty).with_some("resultType", spelling::result(resource).map(result))
        }
    }
}

fn resource_base(ty: &Type) -> NodeFields {
    let SlangTypeKind::Resource(shape) = kind(ty) else { return NodeFields::default() };
    let ResourceShape { base, array, multisample, combined, access } = shape;
    let flag = |set: bool| set.then_some(true);
    NodeFields::kind("resource")
        .with("baseShape", base.json)
        .with_some("array", flag(array))
        .with_some("multisample", flag(multisample))
        .with_some("feedback", flag(access == Access::Feedback))
        .with_some("combined", flag(combined))
        .with_some("access", (access != Access::Read).then_some(spelling::access(access).json))
}
