//! Registers of resources that stand in a cbuffer.
//!
//! DXC 1.7.2308 remembers them by the number of the buffer, counted over all that are declared with `$Globals` as 0,
//! and looks them up by its number among those that are used. So they are honoured where `$Globals` and every earlier
//! buffer are used; else they are lost, or go to the member at the same place of a later buffer. Spaces are never
//! looked at.

use layoutproof_layout::Annotations;
use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::shape::Type;

use super::location::{Location, buffer_members};
use super::register_class::variable_class;
use super::use_walk::ResourceUse;
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// The buffers of a module and which of them are used.
#[derive(Debug)]
pub(super) struct BufferUses<'m> {
    module: &'m Module,
    /// Indices of parameters; `None` stands for `$Globals`, which comes first.
    declared: Vec<Option<usize>>,
    used: Vec<Option<usize>>,
}

impl<'m> BufferUses<'m> {
    pub(super) fn new(module: &'m Module, reached: &[ResourceUse<'_>]) -> Self {
        let buffers = (0..module.parameters.len()).filter(|index| is_buffer(&module.parameters[*index])).map(Some);
        let declared: Vec<Option<usize>> = std::iter::once(None).chain(buffers).collect();
        let is_used = |buffer: &Option<usize>| match buffer {
            Some(index) => reached.iter().any(|used| used.location.parameter == *index),
            None => reached.iter().any(|used| variable_class(&module.parameters[used.location.parameter]).is_none()),
        };
        let used = declared.iter().copied().filter(is_used).collect();
        Self { module, declared, used }
    }

    /// The register that is written at the member that DXC confuses with `location`.
    pub(super) fn annotations(&self, location: &Location<'_>) -> Option<&'m Annotations> {
        let number = self.used.iter().position(|buffer| *buffer == Some(location.parameter))?;
        let taken = &self.module.parameters[(*self.declared.get(number)?)?];
        Some(&buffer_members(&taken.ty).get(location.member?)?.annotations)
    }

    /// Warnings for registers that are lost.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        let buffers =
            self.used.iter().enumerate().filter(|(number, buffer)| self.declared.get(*number) != Some(buffer));
        let lost = buffers.filter_map(|(_, buffer)| Some(&self.module.parameters[(*buffer)?]));
        let members = lost.flat_map(|buffer| buffer_members(&buffer.ty));
        let registers =
            members.flat_map(|member| member.annotations.registers.iter().map(move |found| (member, found)));
        registers
            .map(|(member, register)| {
                let message = format!("DXC loses the register of `{}`, as a buffer before it is not used", member.name);
                Diagnostic::warning(Code::Ignored, register.span, message)
            })
            .collect()
    }
}

/// True if DXC counts a parameter among the constant buffers.
fn is_buffer(parameter: &Parameter) -> bool {
    match (parameter.kind, parameter.ty.dimensions().0) {
        (ParameterKind::Cbuffer | ParameterKind::Tbuffer, _) => true,
        (ParameterKind::Variable | ParameterKind::Global, Type::Resource(resource)) => {
            matches!(resource.kind, ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer)
        }
        (ParameterKind::Variable | ParameterKind::Global, _) => false,
    }
}
