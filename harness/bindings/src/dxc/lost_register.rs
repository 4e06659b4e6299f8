//! Registers of resources in a cbuffer.
//!
//! DXC 1.7.2308 stores them under the number of the buffer among all declared buffers, with
//! `$Globals` as 0, but looks them up by its number among the used buffers. It therefore honours
//! them if `$Globals` and every earlier buffer are used. Otherwise they are lost, or go to the
//! member at the same place in a later buffer. DXC never looks at spaces.

use layoutproof_layout::Annotations;
use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::shape::Type;

use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::ResourceUse;
use layoutproof_usage::location::{Location, buffer_members, variable_class};

/// The buffers of a module, and the used ones among them.
#[derive(Debug)]
pub(super) struct BufferUses<'m> {
    module: &'m Module,
    /// Indices of parameters. `None` means `$Globals`, which comes first.
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

    /// Returns the annotations of the member that DXC confuses with `location`.
    pub(super) fn annotations(&self, location: &Location<'_>) -> Option<&'m Annotations> {
        let number = self.used.iter().position(|buffer| *buffer == Some(location.parameter))?;
        let taken = &self.module.parameters[(*self.declared.get(number)?)?];
        Some(&buffer_members(&taken.ty).get(location.member?)?.annotations)
    }

    /// Returns warnings for lost registers.
    pub(super) fn warnings(&self) -> Vec<Diagnostic> {
        let buffers =
            self.used.iter().enumerate().filter(|(number, buffer)| self.declared.get(*number) != Some(buffer));
        let lost = buffers.filter_map(|(_, buffer)| Some(&self.module.parameters[(*buffer)?]));
        let members = lost.flat_map(|buffer| buffer_members(&buffer.ty));
        let registers =
            members.flat_map(|member| member.annotations.registers.iter().map(move |found| (member, found)));
        registers
            .map(|(member, register)| {
                let message =
                    format!("DXC loses the register of `{}`, because an earlier buffer is unused", member.name);
                Diagnostic::warning(Code::Ignored, register.span, message)
            })
            .collect()
    }
}

/// True if DXC counts a parameter as a constant buffer.
fn is_buffer(parameter: &Parameter) -> bool {
    match (parameter.kind, parameter.ty.dimensions().0) {
        (ParameterKind::Cbuffer | ParameterKind::Tbuffer, _) => true,
        (ParameterKind::Variable | ParameterKind::Global, Type::Resource(resource)) => {
            matches!(resource.kind, ResourceKind::ConstantBuffer | ResourceKind::TextureBuffer)
        }
        (ParameterKind::Variable | ParameterKind::Global, _) => false,
    }
}
