//! Explicit places of a parameter: `register`, `[[vk::binding]]`, `layout(binding = ...)`,
//! `constant_id`.
//!
//! Returns the slots that a declaration names, in units that its layout takes. Source: Slang user
//! guide, Parameter Layout Rules, Processing Explicit Binding Modifiers; measurements of slangc
//! 2026.14.1 for registers on Vulkan and WebGPU (which become bindings one to one) and on Metal.

use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::{Annotations, Argument, Attribute, LayoutUnit, Register, RegisterClass, Span};

use super::settings::SlangSettings;
use super::units::is_combined;
use crate::Target;
use crate::tree::TypeLayout;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A slot that a declaration names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FixedSlot {
    pub(super) unit: LayoutUnit,
    /// Register space, set or group; `None` if the source names none, which means 0.
    pub(super) space: Option<u32>,
    pub(super) index: u32,
    /// The number of slots; `None` for as many as the parameter needs.
    pub(super) count: Option<u32>,
    pub(super) span: Span,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ExplicitParameter<'m> {
    pub(super) name: &'m str,
    pub(super) layout: &'m TypeLayout,
    /// Attributes, register and modifiers of the declaration.
    pub(super) annotations: &'m Annotations,
}

impl ExplicitParameter<'_> {
    /// Returns the kind of a parameter that is a resource or an array of resources.
    fn kind(&self) -> Option<ResourceKind> {
        self.layout.ty.dimensions().0.resource().map(|resource| resource.kind)
    }
}

impl SlangSettings {
    /// Returns the explicit slots of a global parameter, and adds their errors to `problems`.
    pub(super) fn fixed(&self, asking: ExplicitParameter<'_>, problems: &mut Vec<Diagnostic>) -> Vec<FixedSlot> {
        problems.extend(self.unknown_registers(asking));
        let mut fixed = match self.target {
            Target::D3d12 => self.registers(asking),
            Target::Metal => self.registers(asking).into_iter().chain(self.metal_binding(asking)).collect(),
            Target::Vulkan | Target::Webgpu => self.bindings(asking, problems),
        };
        fixed.extend(numbered(asking, "constant_id", LayoutUnit::ConstantId));
        fixed.extend(numbered(asking, "input_attachment_index", LayoutUnit::InputAttachment));
        fixed
    }

    /// Returns Slang's errors E39007 and E31222.
    fn unknown_registers(&self, asking: ExplicitParameter<'_>) -> Vec<Diagnostic> {
        let is_plain = asking.kind().is_some_and(|kind| kind != ResourceKind::ParameterBlock);
        let problem = |register: &Register| {
            let message = match register.class {
                _ if register.profile.is_some() => "Slang does not accept a register with a profile".to_owned(),
                Some(class @ (RegisterClass::Constant | RegisterClass::Integer)) => {
                    format!("Slang has no register class `{class}`")
                }
                Some(_) if register.only_dxc => "Slang does not accept this form of register".to_owned(),
                None if is_plain && !self.speaks_spirv() => {
                    "only a parameter block can have a space without a register".to_owned()
                }
                Some(_) | None => return None,
            };
            Some(Diagnostic::error(Code::BadRegister, register.span, message))
        };

        asking.annotations.registers.iter().filter_map(problem).chain(self.conflict(asking)).collect()
    }

    /// Returns Slang's error E39000: two registers of one class. On Vulkan and WebGPU only the
    /// first register counts.
    fn conflict(&self, asking: ExplicitParameter<'_>) -> Option<Diagnostic> {
        let registers = &asking.annotations.registers;
        let conflicts = |register: &Register, other: &Register| {
            register.class == other.class && (register.index, register.space) != (other.index, other.space)
        };
        let mut later = registers.iter().enumerate();
        let (at, register) =
            later.find(|(at, register)| registers[..*at].iter().any(|other| conflicts(register, other)))?;
        let message = format!("conflicting explicit bindings of `{}`", asking.name);
        let problem = Diagnostic::error(Code::BindingOverlap, register.span, message);
        let other = registers[..at].iter().find(|other| conflicts(register, other))?;
        (!self.speaks_spirv()).then(|| problem.with_label(other.span, "the other one"))
    }

    /// Returns the registers that D3D and Metal use: those of classes that the parameter takes.
    fn registers(&self, asking: ExplicitParameter<'_>) -> Vec<FixedSlot> {
        if self.documented && self.target == Target::Metal {
            return Vec::new();
        }

        let slot = |register: &Register| {
            let (unit, space, index) = match (register.class, register.index) {
                (Some(class), Some(index)) => (self.register_unit(class.unit()?, asking)?, register.space, index),
                (None, _) => (LayoutUnit::Space, None, register.space?),
                (Some(_), None) => return None,
            };
            if self.target == Target::Metal && unit == LayoutUnit::Space {
                // The block has no space there, but Slang gives that space to nothing else.
                return Some(FixedSlot { unit, space, index, count: Some(1), span: register.span });
            }
            asking.layout.takes(unit).then_some(FixedSlot { unit, space, index, count: None, span: register.span })
        };
        asking.annotations.registers.iter().filter_map(slot).collect()
    }

    /// Returns the binding that Slang 2026.14.1 makes of a register on Metal, as it does on Vulkan.
    /// Reflection shows both, although Metal has no bindings.
    fn metal_binding(&self, asking: ExplicitParameter<'_>) -> Option<FixedSlot> {
        let register =
            asking.annotations.registers.first().filter(|register| !self.documented && !register.only_dxc)?;
        if vulkan_binding(asking.annotations).is_some() {
            return other_letter(register, asking);
        }
        let is_combined = asking.layout.ty.resource().is_some_and(|resource| is_combined(resource.kind));
        let index = register.index.filter(|_| register.class.is_some() && !is_combined)?;
        let (unit, space) = (LayoutUnit::Binding, register.space);
        Some(FixedSlot { unit, space, index, count: Some(1), span: register.span })
    }

    /// Returns the unit of a register. On Metal buffers of any access are buffers, and the `u`
    /// register of a texture is lost.
    fn register_unit(&self, register: LayoutUnit, asking: ExplicitParameter<'_>) -> Option<LayoutUnit> {
        let metal: &[LayoutUnit] = match register {
            LayoutUnit::ShaderResource => &[LayoutUnit::MetalTexture, LayoutUnit::MetalBuffer],
            LayoutUnit::Sampler => &[LayoutUnit::MetalSampler],
            _ => &[LayoutUnit::MetalBuffer],
        };
        match self.target {
            Target::Metal => metal.iter().copied().find(|unit| asking.layout.takes(*unit)),
            Target::D3d12 | Target::Vulkan | Target::Webgpu => Some(register),
        }
    }

    /// Returns the bindings that Vulkan and WebGPU use.
    fn bindings(&self, asking: ExplicitParameter<'_>, problems: &mut Vec<Diagnostic>) -> Vec<FixedSlot> {
        if let Some(binding) = vulkan_binding(asking.annotations) {
            if asking.layout.takes(LayoutUnit::Bytes) {
                problems.push(ignored_for_bytes(asking.name, binding.span));
            }
            if asking.layout.takes(LayoutUnit::Binding) {
                return vec![binding];
            }
            if asking.layout.takes(LayoutUnit::Space) {
                return whole_set(asking, binding, problems).into_iter().collect();
            }
        }

        let Some(register) = asking.annotations.registers.first() else { return Vec::new() };
        if self.documented || register.only_dxc {
            return Vec::new();
        }
        let fixed = if self.shifts.is_empty() {
            self.register_as_binding(register, asking, problems)
        } else {
            self.shifted_register(register, asking)
        };
        fixed.into_iter().collect()
    }

    /// Returns binding 3 of set 1 for `register(t3, space1)`, whatever the class (Slang's warnings
    /// E39029 and E39013).
    fn register_as_binding(
        &self,
        register: &Register,
        asking: ExplicitParameter<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<FixedSlot> {
        // In an array of combined samplers the register counts.
        let is_combined = asking.layout.ty.resource().is_some_and(|resource| is_combined(resource.kind));
        let counts = !is_combined && asking.layout.takes(LayoutUnit::Binding);
        let message = if counts {
            format!("the register number of `{}` becomes its binding; the letter is ignored", asking.name)
        } else {
            format!("the register of `{}` has no effect on {}", asking.name, self.target)
        };
        let help = "declare a [[vk::binding]] for it";
        problems.push(Diagnostic::warning(Code::RegisterAsBinding, register.span, message).with_help(help));
        let index = register.index.filter(|_| !is_combined)?;
        let (unit, space) = (LayoutUnit::Binding, register.space);
        // Slang reserves one binding, even if the parameter has none or several.
        Some(FixedSlot { unit, space, index, count: Some(1), span: register.span })
    }

    /// With shifts, only registers of the shifted classes and spaces count.
    fn shifted_register(&self, register: &Register, asking: ExplicitParameter<'_>) -> Option<FixedSlot> {
        let (unit, index, space) = (register.class?.unit()?, register.index?, register.space);
        let fits =
            asking.kind().is_none_or(|kind| kind.register_classes().contains(&unit)) && asking.layout.takes(unit);
        self.shift_of(unit, space.unwrap_or(0)).filter(|_| fits)?;
        Some(FixedSlot { unit, space, index, count: None, span: register.span })
    }
}

/// Returns Slang's warning E39071: the bytes of a loose parameter are in the default constant
/// buffer, which has its own binding. Resources in the same parameter do get the binding.
fn ignored_for_bytes(name: &str, span: Span) -> Diagnostic {
    let message = format!("the binding does not move the bytes of `{name}`: they are in the default constant buffer");
    Diagnostic::warning(Code::Ignored, span, message).with_help("declare it as ConstantBuffer<T>")
}

/// With a `[[vk::binding]]`, a register is not a binding on Metal. A register of a class that the
/// parameter does not have there still counts as 0 of that class (Slang 2026.14.1).
fn other_letter(register: &Register, asking: ExplicitParameter<'_>) -> Option<FixedSlot> {
    let unit = register.class?.unit()?;
    let is_other = match unit {
        LayoutUnit::UnorderedAccess => true,
        LayoutUnit::ShaderResource => !asking.layout.takes(LayoutUnit::MetalTexture),
        _ => false,
    };
    is_other.then_some(FixedSlot { unit, space: None, index: 0, count: Some(0), span: register.span })
}

/// Returns the set of a parameter block. Its binding can only be 0 (Slang's error E39015).
pub(super) fn whole_set(
    asking: ExplicitParameter<'_>,
    binding: FixedSlot,
    problems: &mut Vec<Diagnostic>,
) -> Option<FixedSlot> {
    if binding.index != 0 {
        let message =
            format!("`{}` takes a whole descriptor set: its binding must be 0, not {}", asking.name, binding.index);
        problems.push(Diagnostic::error(Code::BadAttribute, binding.span, message));
        return None;
    }
    let index = binding.space.unwrap_or(0);
    Some(FixedSlot { unit: LayoutUnit::Space, space: None, index, count: None, span: binding.span })
}

/// Returns the place in `[[vk::binding(2, 1)]]`, its other spellings, or `layout(binding = 2, set =
/// 1)`. Missing numbers are 0.
pub(super) fn vulkan_binding(annotations: &Annotations) -> Option<FixedSlot> {
    let fixed = |(index, space), span| FixedSlot { unit: LayoutUnit::Binding, space, index, count: None, span };
    let spellings = [(Some("vk"), "binding"), (Some("gl"), "binding"), (None, "vk_binding"), (None, "gl_binding")];
    let attribute = spellings.into_iter().find_map(|(namespace, name)| annotations.attribute(namespace, name));
    if let Some(attribute) = attribute {
        return Some(fixed((number(attribute, 0)?, number(attribute, 1)), attribute.span));
    }

    let qualifier = |name| {
        let found = annotations.layout.iter().find(|qualifier| qualifier.name == name)?;
        Some((u32::try_from(found.value?).ok()?, found.span))
    };
    let (binding, set) = (qualifier("binding"), qualifier("set"));
    let span = binding.or(set)?.1;
    Some(fixed((binding.map_or(0, |found| found.0), set.map(|found| found.0)), span))
}

/// Returns `N` of `[[vk::NAME(N)]]` or `layout(NAME = N)`.
pub(super) fn vulkan_number(annotations: &Annotations, name: &str) -> Option<(u32, Span)> {
    let attribute = annotations.attribute(Some("vk"), name).and_then(|found| Some((number(found, 0)?, found.span)));
    let qualifier = || {
        let found = annotations.layout.iter().find(|qualifier| qualifier.name == name)?;
        Some((u32::try_from(found.value?).ok()?, found.span))
    };
    attribute.or_else(qualifier)
}

fn numbered(asking: ExplicitParameter<'_>, name: &str, unit: LayoutUnit) -> Option<FixedSlot> {
    let (index, span) = vulkan_number(asking.annotations, name)?;
    asking.layout.takes(unit).then_some(FixedSlot { unit, space: None, index, count: None, span })
}

fn number(attribute: &Attribute, at: usize) -> Option<u32> {
    match attribute.arguments.get(at)? {
        Argument::Integer(number) => u32::try_from(*number).ok(),
        Argument::Text(_) | Argument::Other(_) => None,
    }
}
