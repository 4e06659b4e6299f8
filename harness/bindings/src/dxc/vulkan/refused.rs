//! Globals for which DXC has no SPIR-V, with its messages.

use std::collections::BTreeSet;

use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::shape::Type;

use crate::BindingRequest;
use layoutproof_frontend::module::{Function, Life, Module, ParameterKind, Step};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::location::is_struct;

/// Returns the errors for all globals that DXC refuses.
pub(super) fn refused(module: &Module) -> Vec<Diagnostic> {
    let variables = module.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Variable);
    let problems = variables.filter_map(|parameter| {
        let message = message(&parameter.ty)?;
        Some(Diagnostic::error(Code::Unsupported, parameter.span, message))
    });
    problems.collect()
}

/// Returns the error for a use of a descriptor heap. DXC 1.7.2308, the last release whose SPIR-V
/// was measured, crashes on each.
pub(super) fn heap(module: &Module, request: &BindingRequest) -> Option<Diagnostic> {
    let is_entry = |function: &&Function| match &request.entry {
        Some(entry) => function.name == *entry,
        None => module.entry_points.is_empty() || module.entry_points.iter().any(|entry| entry.name == function.name),
    };
    let mut waiting: Vec<&Function> = module.functions.iter().filter(is_entry).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();

    while let Some(function) = waiting.pop() {
        if !seen.insert(&function.name) {
            continue;
        }
        for used in function.uses.iter().filter(|used| used.life != Life::Dead) {
            let names = used.path.iter().filter_map(|step| match step {
                Step::Name(name) => Some(name.as_str()),
                Step::Parameter(_) | Step::This | Step::Index(_) | Step::DynamicIndex => None,
            });
            for name in names {
                if HEAPS.contains(&name) {
                    let message =
                        format!("DXC 1.7.2308 crashes on `{name}` for SPIR-V: the other bindings are unknown");
                    return Some(Diagnostic::error(Code::Unsupported, used.span, message));
                }
                let last = name.rsplit("::").next();
                waiting.extend(module.functions.iter().filter(|other| other.name.rsplit("::").next() == last));
            }
        }
    }

    None
}

/// The descriptor heaps of shader model 6.6.
const HEAPS: [&str; 2] = ["ResourceDescriptorHeap", "SamplerDescriptorHeap"];

fn message(ty: &Type) -> Option<&'static str> {
    let (innermost, counts) = ty.dimensions();
    let parts = StructContents::of(ty);
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

#[derive(Clone, Copy, Debug, Default)]
struct StructContents {
    data: bool,
    resources: bool,
    /// Constant, texture, structured and byte-address buffers.
    buffers: bool,
}

impl StructContents {
    fn of(ty: &Type) -> Self {
        match ty.dimensions().0 {
            Type::Struct(ty) => ty.all_members().map(|member| Self::of(&member.ty)).fold(Self::default(), Self::and),
            Type::Resource(resource) => Self { resources: true, buffers: is_buffer(resource.kind), ..Self::default() },
            _ => Self { data: true, ..Self::default() },
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
    matches!(
        kind,
        ResourceKind::ConstantBuffer
            | ResourceKind::TextureBuffer
            | ResourceKind::ParameterBlock
            | ResourceKind::StructuredBuffer(_)
            | ResourceKind::ByteAddressBuffer(_)
    )
}
