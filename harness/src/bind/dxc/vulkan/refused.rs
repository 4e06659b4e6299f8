//! Globals that DXC has no SPIR-V for, with its messages.

use std::sync::Arc;

use crate::bind::dxc::location::is_struct;
use crate::diagnostics::{Code, Diagnostic};
use crate::module::{Module, ParameterKind};
use crate::resource::{Access, ResourceKind};
use crate::shape::Type;

/// Every global that DXC refuses.
pub(super) fn refused(module: &Module) -> Vec<Diagnostic> {
    let variables = module.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Variable);
    let problems = variables.filter_map(|parameter| {
        let message = message(&parameter.ty)?;
        Some(Diagnostic::error(Code::Unsupported, parameter.span, message))
    });
    problems.collect()
}

fn message(ty: &Type) -> Option<&'static str> {
    let (innermost, counts) = ty.dimensions();
    let parts = Parts::of(ty);
    if is_struct(innermost) && parts.resources && parts.data {
        Some("global structures containing both resources and non-resources are not supported")
    } else if is_struct(innermost) && parts.buffers {
        Some("global structures containing buffers are not supported")
    } else if !counts.is_empty() && is_written_structured(innermost) {
        Some("arrays of RW/append/consume structured buffers unsupported")
    } else {
        None
    }
}

fn is_written_structured(ty: &Type) -> bool {
    let written = [Access::ReadWrite, Access::Append, Access::Consume];
    matches!(ty, Type::Resource(resource)
        if matches!(resource.kind, ResourceKind::StructuredBuffer(access) if written.contains(&access)))
}

/// What a struct is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    data: bool,
    resources: bool,
    /// Constant, texture, structured and byte-address buffers.
    buffers: bool,
}

impl Parts {
    fn of(ty: &Type) -> Self {
        match ty.dimensions().0 {
            Type::Struct(ty) => {
                let base = ty.base.as_ref().map(|base| Self::of(&Type::Struct(Arc::clone(base))));
                let members = ty.members.iter().map(|member| Self::of(&member.ty));
                base.into_iter().chain(members).fold(Self::default(), Self::and)
            }
            Type::Resource(resource) => Self { resources: true, buffers: is_buffer(resource.kind), ..Self::default() },
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Enum(_)
            | Type::Pointer { .. } => Self { data: true, ..Self::default() },
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            data: self.data || other.data,
            resources: self.resources || other.resources,
            buffers: self.buffers || other.buffers,
        }
    }
}

fn is_buffer(kind: ResourceKind) -> bool {
    match kind {
        ResourceKind::ConstantBuffer
        | ResourceKind::TextureBuffer
        | ResourceKind::ParameterBlock
        | ResourceKind::StructuredBuffer(_)
        | ResourceKind::ByteAddressBuffer(_) => true,
        ResourceKind::Buffer(_)
        | ResourceKind::Texture(_)
        | ResourceKind::CombinedSampler(_)
        | ResourceKind::Sampler
        | ResourceKind::SamplerComparison
        | ResourceKind::AccelerationStructure
        | ResourceKind::SubpassInput { .. } => false,
    }
}
