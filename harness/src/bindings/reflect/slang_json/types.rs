//! The `type` objects: a kind, what belongs to the kind, and `sizes`.

use std::sync::Arc;

use layoutproof_layout::resource::{Access, Resource};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, StructType, Type};

use super::super::node::{Fields, Node};
use super::super::resource_usage;
use super::super::spelling::{self, Kind, Shape, container_kind, has_own_members, kind, simple_name};
use super::{Context, bindings, count, named, place};
use crate::bindings::tree::{Parts, TypeLayout, UnitOffset, VariableLayout};
use crate::bindings::unit::LayoutUnit;

/// A type as it is laid out.
pub(super) fn layout(layout: &TypeLayout, context: &Context<'_>) -> Fields {
    let shown = match (&layout.parts, &layout.ty) {
        (Parts::Fields(fields), ty) => structure(ty).with("fields", self::fields(fields, context)),
        (Parts::Elements { element, stride }, ty) => array(ty, element, context)
            .with_some("uniformStride", in_bytes(layout).map(|_| count(stride.get(LayoutUnit::Bytes)))),
        (Parts::Contained { container, element }, ty) => contained(ty, container, element),
        (Parts::Memory(element), ty) => {
            resource_base(ty).with("resultType", self::layout(element, &Context::OUTSIDE).into())
        }
        (Parts::None, ty) => plain(ty),
    };
    shown.with("sizes", Node::List(sizes(layout)))
}

fn sizes(layout: &TypeLayout) -> Vec<Node> {
    let size = |(unit, taken)| {
        let kind = |unit| Fields::default().with("kind", Node::Word(spelling::unit(unit).0.json));
        let (taken, alignment) = match (unit, &layout.parts) {
            (LayoutUnit::Bytes, _) => (taken, layout.alignment),
            (LayoutUnit::MetalArgument, Parts::Fields(fields)) => argument_bytes(fields),
            (unit, _) => return kind(unit).with("value", count(taken)).into(),
        };
        let bytes = kind(LayoutUnit::Bytes).with("value", count(taken));
        bytes.with("alignment", Node::Number(alignment)).into()
    };
    resource_usage::sizes(layout).into_iter().map(size).collect()
}

/// Bytes and alignment of the argument buffer that holds `fields`; slangc states these for the type of a Metal block.
fn argument_bytes(fields: &[VariableLayout]) -> (Count, u32) {
    let (mut end, mut alignment) = (0_u32, 1);
    for field in fields {
        let offset = field.offsets.iter().find(|own| own.unit == LayoutUnit::Bytes);
        let (Some(own), Some(Count::Finite(size))) = (offset, in_bytes(&field.layout)) else { continue };
        end = end.max(own.offset.saturating_add(size));
        alignment = alignment.max(field.layout.alignment);
    }
    (Count::Finite(end.div_ceil(alignment).saturating_mul(alignment)), alignment)
}

/// The bytes of a layout that takes some.
fn in_bytes(layout: &TypeLayout) -> Option<Count> {
    Some(layout.usage.get(LayoutUnit::Bytes)).filter(|bytes| *bytes != Count::Finite(0))
}

fn fields(fields: &[VariableLayout], context: &Context<'_>) -> Node {
    let mut context = context.clone();
    let mut listed = Vec::new();
    for field in fields {
        let ty = layout(&field.layout, &context.inside(field));
        listed.push(named(field).with("type", ty.into()).and(place(field, &context)).into());
        context.varying = context.varying.behind(&field.layout);
    }
    Node::List(listed)
}

fn array(ty: &Type, element: &TypeLayout, context: &Context<'_>) -> Fields {
    Fields::default()
        .with("kind", Node::Word("array"))
        .with("elementCount", Node::Number(array_length(ty)))
        .with("elementType", layout(element, context).into())
}

/// Number of elements; slangc prints 0 for an unsized array.
fn array_length(ty: &Type) -> u32 {
    match ty {
        Type::Array { count: Count::Finite(count), .. } => *count,
        Type::Array { count: Count::Unbounded, .. }
        | Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Pointer { .. }
        | Type::Handle { .. }
        | Type::Resource(_) => 0,
    }
}

/// A buffer or block. `elementType` is an older view with the element's offsets added to those of its fields.
fn contained(ty: &Type, container: &VariableLayout, element: &VariableLayout) -> Fields {
    let mut inside = TypeLayout::clone(&element.layout);
    if has_own_members(ty) {
        let span = element.span;
        inside.ty = Type::Struct(Arc::new(StructType { name: String::new(), base: None, members: Vec::new(), span }));
    }
    let shifted = shifted(&inside, &element.offsets);
    let kind = container_kind(ty, &container.layout);
    let ty = layout(&inside, &Context::OUTSIDE);
    Fields::default()
        .with("kind", Node::Word(kind.json))
        .with("elementType", layout(&shifted, &Context::OUTSIDE).into())
        .with("containerVarLayout", bindings(container).into())
        .with("elementVarLayout", Fields::default().with("type", ty.into()).and(bindings(element)).into())
}

/// `layout` with `by` added to the offsets of its fields, if it is a struct.
fn shifted(layout: &TypeLayout, by: &[UnitOffset]) -> TypeLayout {
    let mut layout = layout.clone();
    if let Parts::Fields(fields) = &mut layout.parts {
        for own in fields.iter_mut().flat_map(|field| &mut field.offsets) {
            if let Some(by) = by.iter().find(|by| by.unit == own.unit) {
                own.offset = own.offset.saturating_add(by.offset);
                own.space = own.space.saturating_add(by.space);
            }
        }
    }
    layout
}

fn structure(ty: &Type) -> Fields {
    let name = match ty {
        Type::Struct(ty) => simple_name(&ty.name),
        Type::Scalar(_)
        | Type::Vector { .. }
        | Type::Matrix { .. }
        | Type::Array { .. }
        | Type::Enum(_)
        | Type::Pointer { .. }
        | Type::Handle { .. }
        | Type::Resource(_) => None,
    };
    Fields::default().with("kind", Node::Word("struct")).with_some("name", name.map(Node::text))
}

/// A type without a layout: an element of a vector, the result of a texture.
fn plain(ty: &Type) -> Fields {
    let kind = |kind| Fields::default().with("kind", Node::Word(kind));
    match ty {
        Type::Scalar(scalar) => self::scalar(*scalar),
        Type::Enum(ty) => self::scalar(ty.underlying),
        Type::Vector { scalar, length } => {
            kind("vector").with("elementCount", Node::Number(*length)).with("elementType", self::scalar(*scalar).into())
        }
        Type::Matrix { scalar, rows, columns, .. } => kind("matrix")
            .with("rowCount", Node::Number(*rows))
            .with("columnCount", Node::Number(*columns))
            .with("elementType", self::scalar(*scalar).into()),
        Type::Array { element, .. } => kind("array")
            .with("elementCount", Node::Number(array_length(ty)))
            .with("elementType", plain(element).into()),
        Type::Struct(members) => kind("struct").with("fields", plain_fields(members)),
        Type::Pointer { pointee } => kind("pointer").with("valueType", Node::text(pointee_name(pointee))),
        Type::Handle { .. } => plain(&Type::Vector { scalar: Scalar::Uint32, length: 2 }),
        Type::Resource(resource) => plain_resource(ty, resource),
    }
}

fn plain_fields(ty: &StructType) -> Node {
    let field = |name: &str, ty: &Type| {
        let ty = plain(ty);
        Fields::default().with("name", Node::text(name)).with("type", ty.into()).into()
    };
    let base = ty.base.iter().map(|base| field("$base", &Type::Struct(base.clone())));
    Node::List(base.chain(ty.members.iter().map(|member| field(&member.name, &member.ty))).collect())
}

/// The name of what a pointer points at, without type arguments: `float3` is a `vector` to Slang, `T*` a `Ptr`.
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

fn scalar(scalar: Scalar) -> Fields {
    let kind = Fields::default().with("kind", Node::Word("scalar"));
    kind.with("scalarType", Node::Word(spelling::scalar(scalar).json))
}

fn plain_resource(ty: &Type, resource: &Resource) -> Fields {
    match kind(ty) {
        Kind::Sampler => Fields::default().with("kind", Node::Word("samplerState")),
        Kind::Container(words) => Fields::default().with("kind", Node::Word(words.json)),
        Kind::Plain | Kind::Resource(_) => {
            resource_base(ty).with_some("resultType", spelling::result(resource).map(|result| plain(&result).into()))
        }
    }
}

fn resource_base(ty: &Type) -> Fields {
    let Kind::Resource(shape) = kind(ty) else { return Fields::default() };
    let Shape { base, array, multisample, combined, access } = shape;
    let flag = |set: bool| set.then_some(Node::Bool(true));
    Fields::default()
        .with("kind", Node::Word("resource"))
        .with("baseShape", Node::Word(base.json))
        .with_some("array", flag(array))
        .with_some("multisample", flag(multisample))
        .with_some("feedback", flag(access == Access::Feedback))
        .with_some("combined", flag(combined))
        .with_some("access", (access != Access::Read).then_some(Node::Word(spelling::access(access).json)))
}
