//! The register class of a parameter on D3D12: `b`, `t`, `u` or `s`.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::shape::Type;

use layoutproof_frontend::module::{Parameter, ParameterKind};

/// Returns the register class of a resource; for a texture with its sampler, that of the texture.
pub(crate) fn register_class(kind: ResourceKind) -> LayoutUnit {
    let first = kind.register_classes().chars().next();
    first.and_then(LayoutUnit::of_class).expect("every resource has a class, and each class is a unit")
}

/// Returns the class of a variable or a buffer that is bound as a whole; `None` for structs and
/// data.
pub(crate) fn variable_class(parameter: &Parameter) -> Option<LayoutUnit> {
    match (parameter.kind, parameter.ty.dimensions().0) {
        (ParameterKind::Cbuffer, _) => Some(LayoutUnit::ConstantBuffer),
        (ParameterKind::Tbuffer, _) => Some(LayoutUnit::ShaderResource),
        (ParameterKind::Variable | ParameterKind::Global, Type::Resource(resource)) => {
            Some(register_class(resource.kind))
        }
        (ParameterKind::Variable | ParameterKind::Global, _) => None,
    }
}
