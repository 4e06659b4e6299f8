//! Argument buffers of Metal, which slangc makes of parameter blocks.
//!
//! A resource in an argument buffer is a handle: a texture, a sampler or the address of a buffer takes 8 bytes at an
//! alignment of 8. A texture with its sampler, and a buffer with its counter, are two handles in a struct. A constant
//! buffer or a parameter block inside is the address of its own content. The members are placed by the rules of constant
//! buffers, and the host writes the handles into these bytes (argument buffers of tier 2, without `[[id(n)]]`).
//!
//! A block without arguments, such as one of pointers alone, has no handles: what it holds is bound separately.
//!
//! Source: slangc 2026.14.1, `-target metal`: `-reflection-json`, and the structs of its Metal text, such as
//! `struct Sampler2D_default { texture2d<float, access::sample> texture; sampler sampler; }`.

use std::sync::Arc;

use crate::resource::{Access, Resource, ResourceKind};
use crate::shape::{Count, MatrixOrder, Member, StructType, Type};

/// Size and alignment of a handle, in bytes.
pub const HANDLE: u32 = 8;

/// The content of an argument buffer as bytes: resources are handles. `None` where slangc's way is not known: a subpass
/// input, and unsized arrays except for one among other arguments.
pub fn content(element: &Type) -> Option<Type> {
    let is_subpass = |resource: &Resource| matches!(resource.kind, ResourceKind::SubpassInput { .. });
    let arguments = arguments(element, MatrixOrder::Row);
    let unsized_arrays = unsized_arrays(element);
    if element.holds(&is_subpass) || unsized_arrays > 1 || (unsized_arrays == 1 && arguments == 0) {
        return None;
    }
    Some(if arguments == 0 { element.clone() } else { with_handles(element) })
}

fn with_handles(ty: &Type) -> Type {
    match ty {
        Type::Resource(resource) => handle(resource),
        // `DescriptorHandle<T>` is `T` itself on Metal.
        Type::Handle { resource } => handle(resource),
        Type::Array { element, count } => Type::Array { element: Box::new(with_handles(element)), count: *count },
        Type::Struct(structure) => Type::Struct(struct_with_handles(structure)),
        _ => ty.clone(),
    }
}

fn struct_with_handles(structure: &StructType) -> Arc<StructType> {
    let base = structure.base.as_ref().map(|base| struct_with_handles(base));
    let members = structure.members.iter();
    let members = members.map(|member| Member { ty: with_handles(&member.ty), ..member.clone() }).collect();
    Arc::new(StructType { base, members, ..structure.clone() })
}

/// The bytes of a resource in an argument buffer.
pub fn handle(resource: &Resource) -> Type {
    let element = || resource.element.as_deref().map_or(String::new(), ToString::to_string);
    let parts = match resource.kind {
        ResourceKind::CombinedSampler(_) => [("texture", "texture".to_owned()), ("sampler", "sampler".to_owned())],
        ResourceKind::StructuredBuffer(Access::Append | Access::Consume) => {
            [("elements", element()), ("counter", "int".to_owned())]
        }
        _ => return Type::pointer(resource.to_string()),
    };
    let members = parts.map(|(name, pointee)| Member::new(name, Type::pointer(pointee)));
    StructType::new(resource.to_string(), members).into()
}

/// Returns the number of handles of a resource.
pub fn handles(kind: ResourceKind) -> u32 {
    match kind {
        ResourceKind::CombinedSampler(_) | ResourceKind::StructuredBuffer(Access::Append | Access::Consume) => 2,
        _ => 1,
    }
}

/// Returns the arguments that the content of an argument buffer has: one for each vector, matrix vector and resource.
/// A buffer that is the whole content is not one of them.
pub fn arguments(content: &Type, default: MatrixOrder) -> u32 {
    let is_buffer =
        |resource: &Resource| matches!(resource.kind, ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer);
    if content.resource().is_some_and(is_buffer) { 0 } else { arguments_of(content, default) }
}

fn arguments_of(ty: &Type, default: MatrixOrder) -> u32 {
    match ty {
        Type::Scalar(_) | Type::Vector { .. } | Type::Enum(_) => 1,
        Type::Matrix { rows, columns, order, .. } => order.unwrap_or(default).vectors_and_length(*rows, *columns).0,
        Type::Array { element, count: Count::Finite(count) } => arguments_of(element, default).saturating_mul(*count),
        Type::Struct(structure) => {
            structure.all_members().map(|member| arguments_of(&member.ty, default)).fold(0, u32::saturating_add)
        }
        Type::Resource(resource) => match resource.kind {
            // slangc does not count a buffer that has registers inside.
            ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer => {
                u32::from(!resource.element.as_deref().is_some_and(|element| element.holds(&|_| true)))
            }
            ResourceKind::ParameterBlock => {
                u32::from(!resource.element.as_deref().is_some_and(|element| element.holds(&has_registers)))
            }
            _ => handles(resource.kind),
        },
        Type::Handle { resource } => handles(resource.kind),
        // Unsized arrays, pointers and interface values are a pointer and a count, but not an argument.
        Type::Array { count: Count::Unbounded, .. } | Type::Pointer { .. } | Type::Interface { .. } => 0,
    }
}

/// True for a resource in an argument buffer that takes registers outside of it: a buffer with a counter, and one with
/// resources of its own that is no parameter block.
fn has_registers(resource: &Resource) -> bool {
    let holds =
        |is_wanted: &dyn Fn(&Resource) -> bool| resource.element.as_deref().is_some_and(|it| it.holds(is_wanted));
    match resource.kind {
        ResourceKind::StructuredBuffer(Access::Append | Access::Consume) => true,
        ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer => holds(&|_| true),
        ResourceKind::ParameterBlock => holds(&has_registers),
        _ => false,
    }
}

/// Returns the number of unsized arrays of resources in `ty`, without those in other buffers.
pub fn unsized_arrays(ty: &Type) -> u32 {
    match ty {
        Type::Array { element, count: Count::Unbounded } => u32::from(element.holds(&|_| true)),
        Type::Array { element, count: Count::Finite(_) } => unsized_arrays(element),
        Type::Struct(structure) => {
            structure.all_members().map(|member| unsized_arrays(&member.ty)).fold(0, u32::saturating_add)
        }
        _ => 0,
    }
}
