//! Lists the resources and constant buffers that need registers on D3D12, in the order of DXC's lists.
//!
//! Makes the [`RegisterClaim`]s that `registers` places. Sources: wg-hlsl 0024, implicit resource
//! binding; DXC 1.7.2308 where that document is silent.

use std::collections::BTreeSet;

use layoutproof_layout::resource::ResourceKind;
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Register, RegisterClass, Span};

use super::order::split_off;
use layoutproof_frontend::module::{Module, Parameter, ParameterKind, Step};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::ResourceUse;
use layoutproof_usage::location::{
    Location, buffer_members, content, holds_resources, is_struct, register_class, variable_class,
};

/// A used resource or constant buffer, with the registers that its declaration gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegisterClaim {
    /// The path of the command-line contract.
    pub(crate) path: String,
    /// DXC's name, for messages.
    pub(crate) name: String,
    /// `b`, `t`, `u` or `s`.
    pub(crate) unit: LayoutUnit,
    pub(crate) count: Count,
    pub(crate) register: Option<u32>,
    pub(crate) space: Option<u32>,
    pub(crate) origin: ClaimOrigin,
    pub(crate) span: Span,
}

/// The kind of declaration behind a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimOrigin {
    Globals,
    /// A variable or a `cbuffer`.
    Variable,
    /// A `tbuffer` or `TextureBuffer<T>`.
    TextureBuffer,
    /// A resource in a struct or a cbuffer.
    SplitOff,
}

/// Returns the product of an array's dimensions; 1 for a type that is not an array. A product
/// beyond 2^32 saturates.
pub(crate) fn elements(ty: &Type) -> Count {
    ty.dimensions().1.into_iter().fold(Count::Finite(1), Count::times)
}

/// Returns the number and space that `register` gives for `unit` in DXIL. The last of several
/// registers counts, and a space alone leaves the number as it is (measured with DXC 1.7.2308).
pub(crate) fn annotated(annotations: &Annotations, unit: LayoutUnit) -> (Option<u32>, Option<u32>) {
    registers_of(annotations, unit).fold((None, None), |(index, _), register| match register.class {
        Some(_) => (register.index, register.space),
        None => (index, register.space),
    })
}

/// Returns the number and space that `register` gives for `unit` in SPIR-V. The first of several
/// registers counts.
pub(crate) fn annotated_first(annotations: &Annotations, unit: LayoutUnit) -> (Option<u32>, Option<u32>) {
    let first = registers_of(annotations, unit).next();
    first.map_or((None, None), |register| (register.index, register.space))
}

/// Returns the registers of the class `unit`, and the spaces without a register.
fn registers_of(annotations: &Annotations, unit: LayoutUnit) -> impl Iterator<Item = &Register> {
    let is_own = move |class: RegisterClass| class == RegisterClass::Unit(unit);
    annotations.registers.iter().filter(move |register| register.class.is_none_or(is_own))
}

/// Returns DXC's errors for two registers of one class that differ although they apply to the same
/// profile.
pub(super) fn conflicting_registers(module: &Module) -> Vec<Diagnostic> {
    let conflicts = |one: &Register, other: &Register| {
        let share_profile = one.profile.is_none() || other.profile.is_none() || one.profile == other.profile;
        let differ = (one.index, one.space) != (other.index, other.space);
        share_profile && one.class.is_some() && one.class == other.class && differ
    };
    let mut problems = Vec::new();
    for Parameter { annotations, .. } in &module.parameters {
        for (at, register) in annotations.registers.iter().enumerate() {
            if let Some(other) = annotations.registers[..at].iter().find(|other| conflicts(register, other)) {
                let problem = Diagnostic::error(Code::BadRegister, register.span, "conflicting register semantics");
                problems.push(problem.with_label(other.span, "the other one"));
            }
        }
    }

    problems
}

/// Returns the claims of all used parameters: `$Globals` first, variables in declaration order,
/// split-off resources last.
pub(super) fn claims<'m>(module: &'m Module, reached: &[ResourceUse<'m>]) -> Vec<RegisterClaim> {
    let used: BTreeSet<usize> =
        reached.iter().filter(|used| !used.location.is_split_off(module)).map(|used| used.location.parameter).collect();
    let globals = used.iter().map(|index| &module.parameters[*index]).find(|used| variable_class(used).is_none());
    let variables = used.iter().filter_map(|index| variable(&module.parameters[*index]));
    let types = reached.iter().filter_map(|used| resource_type(used.location.ty)).collect();
    let context = SplitOffUses { buffers: BufferUses::new(module, reached), types };
    let split = split_off(module, reached);
    let split = split.iter().map(|location| member(module, location, &context));
    globals.map(globals_claim).into_iter().chain(variables).chain(split).collect()
}

/// Returns the claim of `$Globals`. `first` is a loose global or a struct that holds data.
pub(crate) fn globals_claim(first: &Parameter) -> RegisterClaim {
    RegisterClaim {
        path: "$Globals".to_owned(),
        name: "$Globals".to_owned(),
        unit: LayoutUnit::ConstantBuffer,
        count: Count::Finite(1),
        register: None,
        space: None,
        origin: ClaimOrigin::Globals,
        span: first.span,
    }
}

/// Returns the claim of a variable or a buffer that is bound as a whole.
pub(crate) fn variable(parameter: &Parameter) -> Option<RegisterClaim> {
    let unit = variable_class(parameter)?;
    let (register, space) = annotated(&parameter.annotations, unit);
    let is_texture_buffer = parameter.kind == ParameterKind::Tbuffer
        || matches!(parameter.ty.dimensions().0, Type::Resource(resource) if resource.kind == ResourceKind::TextureBuffer);

    Some(RegisterClaim {
        path: parameter.name.clone(),
        name: parameter.name.clone(),
        unit,
        count: elements(&parameter.ty),
        register,
        space,
        origin: if is_texture_buffer { ClaimOrigin::TextureBuffer } else { ClaimOrigin::Variable },
        span: parameter.span,
    })
}

#[derive(Debug)]
struct SplitOffUses<'m> {
    buffers: BufferUses<'m>,
    /// The resource types that the code uses somewhere.
    types: BTreeSet<String>,
}

/// Returns the spelling of a resource type with its default element.
fn resource_type(ty: &Type) -> Option<String> {
    let Type::Resource(resource) = ty.dimensions().0 else { return None };
    let default = if resource.element.is_none() { "<float4>" } else { "" };
    Some(format!("{resource}{default}"))
}

/// Returns the claim of a resource in a struct or a cbuffer. Its register counts up from that of
/// the variable or member.
fn member<'m>(module: &'m Module, location: &Location<'m>, uses: &SplitOffUses<'m>) -> RegisterClaim {
    let parameter = &module.parameters[location.parameter];
    let unit = class_of(location).unwrap_or(LayoutUnit::ShaderResource);
    let annotations = match location.member {
        Some(_) => uses.buffers.annotations(location),
        // The register of a `ConstantBuffer<T>` is its own.
        None => Some(&parameter.annotations).filter(|_| variable_class(parameter).is_none()),
    };
    let first = annotations.and_then(|annotations| annotated(annotations, unit).0);
    let register = first.map(|first| first.saturating_add(place_in_class(module, location, unit, uses)));

    RegisterClaim {
        path: location.path(module),
        name: location.dxc_name(module),
        unit,
        count: elements(location.ty),
        register,
        space: Some(0),
        origin: ClaimOrigin::SplitOff,
        span: parameter.span,
    }
}

fn class_of(location: &Location<'_>) -> Option<LayoutUnit> {
    location.ty.dimensions().0.resource().map(|resource| register_class(resource.kind))
}

/// Returns the number of resources of the class `unit` that the variable has before this one. DXC
/// does not count those of a type that the code uses nowhere.
fn place_in_class<'m>(module: &'m Module, location: &Location<'m>, unit: LayoutUnit, uses: &SplitOffUses<'m>) -> u32 {
    let whole = location.whole(module).resources();
    let before = whole.iter().take_while(|leaf| leaf.steps != location.steps);
    let is_used = |leaf: &&Location<'_>| resource_type(leaf.ty).is_some_and(|ty| uses.types.contains(&ty));
    let counted = before.filter(|leaf| class_of(leaf) == Some(unit)).filter(is_used);
    u32::try_from(counted.count()).unwrap_or(u32::MAX)
}

/// Returns DXC's errors for declarations and uses of structs with resources.
pub(super) fn refused(module: &Module, reached: &[ResourceUse<'_>]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for parameter in module.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Variable) {
        let (ty, dimensions) = parameter.ty.dimensions();
        if is_struct(content(ty)) {
            let spaced = parameter.annotations.registers.iter().find(|register| register.space.is_some());
            problems.extend(spaced.filter(|_| is_struct(ty)).map(|register| {
                let message = "register space cannot be specified on global constants.";
                Diagnostic::error(Code::BadRegister, register.span, message)
            }));
            if !is_struct(ty) && !dimensions.is_empty() && holds_resources(content(ty)) {
                let message = "object types not supported in cbuffer/tbuffer view arrays.";
                problems.push(Diagnostic::error(Code::Unsupported, parameter.span, message));
            }
            let mut registers = Vec::new();
            registers_of_members(content(ty), &mut registers);
            problems.extend(registers.into_iter().map(|span| {
                Diagnostic::error(Code::BadRegister, span, "location semantics cannot be specified on members.")
            }));
        }
    }

    for used in reached.iter().filter(|used| used.location.is_split_off(module)) {
        if used.location.steps.contains(&Step::DynamicIndex) {
            let message = "Index for resource array inside cbuffer must be a literal expression";
            problems.push(Diagnostic::error(Code::DynamicResourceIndex, used.span, message));
        }
    }

    problems
}

fn registers_of_members(ty: &Type, found: &mut Vec<Span>) {
    let Type::Struct(ty) = ty.dimensions().0 else { return };
    for member in &ty.members {
        found.extend(member.annotations.registers.iter().map(|register| register.span));
        registers_of_members(&member.ty, found);
    }
}

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
