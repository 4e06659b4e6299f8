//! Where the author put a parameter: `register`, `[[vk::binding]]`, `layout(binding = ...)`, `constant_id`.
//!
//! Returns the slots that a parameter asks for, in units that its layout takes. Source: Slang user guide, Parameter
//! Layout Rules, Processing Explicit Binding Modifiers; what slangc 2026.14.1 does with registers on Vulkan and WebGPU
//! (it takes them one to one) and on Metal, measured.

use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{Annotations, Argument, Attribute, LayoutUnit, Register, Span};

use super::settings::SlangSettings;
use super::units::{class_unit, is_combined};
use crate::Target;
use crate::tree::TypeLayout;
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A slot that a parameter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FixedSlot {
    /// Unit.
    pub(super) unit: LayoutUnit,
    /// Register space, set or group; `None` where the author names none, which is 0.
    pub(super) space: Option<u32>,
    /// First slot.
    pub(super) index: u32,
    /// How many slots are taken; `None` for as many as the parameter needs.
    pub(super) count: Option<u32>,
    /// Where the author says so.
    pub(super) span: Span,
}

/// A parameter as far as its explicit slots go.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExplicitParameter<'m> {
    /// Name.
    pub(super) name: &'m str,
    /// Layout.
    pub(super) layout: &'m TypeLayout,
    /// Attributes, register and modifiers of the declaration.
    pub(super) annotations: &'m Annotations,
}

impl ExplicitParameter<'_> {
    fn takes(&self, unit: LayoutUnit) -> bool {
        self.layout.usage.get(unit) != Count::Finite(0)
    }

    /// The kind of a parameter that is a resource, or an array of one.
    fn kind(&self) -> Option<ResourceKind> {
        self.layout.ty.dimensions().0.resource().map(|resource| resource.kind)
    }
}

impl SlangSettings {
    /// The slots that a global parameter asks for; what is wrong with them goes to `problems`.
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

    /// Slang's errors E39007 and E31222.
    fn unknown_registers(&self, asking: ExplicitParameter<'_>) -> Vec<Diagnostic> {
        let is_plain = asking.kind().is_some_and(|kind| kind != ResourceKind::ParameterBlock);
        let problem = |register: &Register| {
            let message = match register.class {
                _ if register.profile.is_some() => "Slang takes no register of a profile".to_owned(),
                Some(class) if !"btus".contains(class) => format!("Slang has no register class `{class}`"),
                Some(_) if register.only_dxc => "Slang takes no register of this form".to_owned(),
                None if is_plain && !self.speaks_spirv() => {
                    "a space without a register is for parameter blocks".to_owned()
                }
                Some(_) | None => return None,
            };
            Some(Diagnostic::error(Code::BadRegister, register.span, message))
        };

        asking.annotations.registers.iter().filter_map(problem).chain(self.conflict(asking)).collect()
    }

    /// Slang's error E39000: two registers of one class. On Vulkan and WebGPU only the first register counts.
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

    /// Registers as D3D and Metal take them: those of classes that the parameter uses.
    fn registers(&self, asking: ExplicitParameter<'_>) -> Vec<FixedSlot> {
        if self.documented && self.target == Target::Metal {
            return Vec::new();
        }

        let slot = |register: &Register| {
            let (unit, space, index) = match (register.class, register.index) {
                (Some(class), Some(index)) => (self.register_unit(class, asking)?, register.space, index),
                (None, _) => (LayoutUnit::Space, None, register.space?),
                (Some(_), None) => return None,
            };
            if self.target == Target::Metal && unit == LayoutUnit::Space {
                // The block has no space there, but nothing else gets that one.
                return Some(FixedSlot { unit, space, index, count: Some(1), span: register.span });
            }
            asking.takes(unit).then_some(FixedSlot { unit, space, index, count: None, span: register.span })
        };
        asking.annotations.registers.iter().filter_map(slot).collect()
    }

    /// On Metal Slang 2026.14.1 takes a register for a binding, too, as on Vulkan: reflection shows both, though Metal has
    /// no bindings.
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

    /// The unit of a register class. On Metal buffers of any access are buffers; a `u` register of a texture is lost.
    fn register_unit(&self, class: char, asking: ExplicitParameter<'_>) -> Option<LayoutUnit> {
        let metal: &[LayoutUnit] = match class {
            't' => &[LayoutUnit::MetalTexture, LayoutUnit::MetalBuffer],
            's' => &[LayoutUnit::MetalSampler],
            _ => &[LayoutUnit::MetalBuffer],
        };
        match self.target {
            Target::Metal => metal.iter().copied().find(|unit| asking.takes(*unit)),
            Target::D3d12 | Target::Vulkan | Target::Webgpu => Some(class_unit(class)),
        }
    }

    /// Bindings as Vulkan and WebGPU take them.
    fn bindings(&self, asking: ExplicitParameter<'_>, problems: &mut Vec<Diagnostic>) -> Vec<FixedSlot> {
        if let Some(binding) = vulkan_binding(asking.annotations) {
            if asking.takes(LayoutUnit::Bytes) {
                problems.push(ignored_for_bytes(asking.name, binding.span));
            }
            if asking.takes(LayoutUnit::Binding) {
                return vec![binding];
            }
            if asking.takes(LayoutUnit::Space) {
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

    /// `register(t3, space1)` as binding 3 of set 1, whatever the class (Slang's warnings E39029 and E39013).
    fn register_as_binding(
        &self,
        register: &Register,
        asking: ExplicitParameter<'_>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<FixedSlot> {
        // Of an array of them the register counts.
        let is_combined = asking.layout.ty.resource().is_some_and(|resource| is_combined(resource.kind));
        let counts = !is_combined && asking.takes(LayoutUnit::Binding);
        let message = if counts {
            format!("the register number of `{}` becomes its binding; the letter is ignored", asking.name)
        } else {
            format!("the register of `{}` has no effect on {}", asking.name, self.target)
        };
        let help = "give it a [[vk::binding]] of its own";
        problems.push(Diagnostic::warning(Code::RegisterAsBinding, register.span, message).with_help(help));
        let index = register.index.filter(|_| !is_combined)?;
        let (unit, space) = (LayoutUnit::Binding, register.space);
        // Slang reserves one binding, however many the parameter has, and even if it has none.
        Some(FixedSlot { unit, space, index, count: Some(1), span: register.span })
    }

    /// With shifts only the registers of shifted classes and spaces count.
    fn shifted_register(&self, register: &Register, asking: ExplicitParameter<'_>) -> Option<FixedSlot> {
        let (class, index) = (register.class?, register.index?);
        let (unit, space) = (class_unit(class), register.space);
        let fits = asking.kind().is_none_or(|kind| kind.register_classes().contains(class)) && asking.takes(unit);
        self.shift_of(class, space.unwrap_or(0)).filter(|_| fits)?;
        Some(FixedSlot { unit, space, index, count: None, span: register.span })
    }
}

/// Slang's warning E39071: the bytes of a loose parameter are in the default constant buffer, which has a binding of its
/// own. Resources in the same parameter do get the binding.
fn ignored_for_bytes(name: &str, span: Span) -> Diagnostic {
    let message = format!("the binding does not move the bytes of `{name}`: they are in the default constant buffer");
    Diagnostic::warning(Code::Ignored, span, message).with_help("declare it as ConstantBuffer<T>")
}

/// With a `[[vk::binding]]` a register is no binding on Metal; one of another class than the parameter has there counts as
/// 0 of that class all the same (Slang 2026.14.1).
fn other_letter(register: &Register, asking: ExplicitParameter<'_>) -> Option<FixedSlot> {
    let unit = class_unit(register.class?);
    let is_other = match unit {
        LayoutUnit::UnorderedAccess => true,
        LayoutUnit::ShaderResource => !asking.takes(LayoutUnit::MetalTexture),
        _ => false,
    };
    is_other.then_some(FixedSlot { unit, space: None, index: 0, count: Some(0), span: register.span })
}

/// The set of a parameter block; its binding can only be 0 (Slang's error E39015).
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

/// `[[vk::binding(2, 1)]]`, its other spellings, or `layout(binding = 2, set = 1)`; what is missing is 0.
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

/// `N` of `[[vk::NAME(N)]]` or `layout(NAME = N)`.
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
    asking.takes(unit).then_some(FixedSlot { unit, space: None, index, count: None, span })
}

fn number(attribute: &Attribute, at: usize) -> Option<u32> {
    match attribute.arguments.get(at)? {
        Argument::Integer(number) => u32::try_from(*number).ok(),
        Argument::Text(_) | Argument::Other(_) => None,
    }
}
