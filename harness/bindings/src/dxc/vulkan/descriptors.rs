//! Descriptors on Vulkan: lists the parameters that need bindings, all of them, used or not, in declaration order, and
//! numbers them: one number line for each descriptor set, whatever the class.
//!
//! `[[vk::binding]]` comes first, then `register` with its shift, then everything else in order,
//! each at the lowest free number. DXC never checks explicit numbers against each other. Sources: DXC's guide to SPIR-V
//! code generation, HLSL register and Vulkan binding; DXC 1.7.2308 where the guide is silent.

use std::collections::BTreeMap;

use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::shape::{Count, Member, Type};
use layoutproof_layout::{Annotations, Argument, LayoutUnit, Span};

use crate::dxc::claim::{annotated_first, elements};
use crate::options::{BindingOptions, DescriptorPlace};
use crate::release::DxcRelease;
use crate::slots::SlotLine;
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::location::{Location, buffer_members, holds_resources, is_resource, variable_class};

/// One entry of DXC's list: a variable in SPIR-V, or a struct that DXC splits into several.
#[derive(Clone, Debug)]
pub(super) struct DescriptorRequest {
    /// The paths that get consecutive numbers.
    pub(super) paths: Vec<String>,
    /// The class of the register, which a shift may move; `None` for structs and counters.
    pub(super) class: Option<LayoutUnit>,
    /// The array elements of the single path; 1 for a struct.
    pub(super) count: Count,
    /// How many consecutive numbers the entry reserves.
    pub(super) kept: u32,
    /// `[[vk::binding(N, S)]]`.
    pub(super) binding: Option<(u32, Option<u32>)>,
    pub(super) register: Option<(LayoutUnit, u32)>,
    pub(super) space: Option<u32>,
    pub(super) role: VulkanRole,
    pub(super) span: Span,
}

/// The role of an entry of DXC's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VulkanRole {
    Resource,
    /// A texture or sampler with `[[vk::combinedImageSampler]]`.
    Combined,
    Globals,
    /// The counter of the buffer at this index of the list.
    Counter(usize),
}

/// Returns the list, without the counters that the code has yet to request.
pub(super) fn wants(module: &Module, release: DxcRelease) -> Vec<DescriptorRequest> {
    let mut list = Vec::new();
    let mut has_globals = false;
    for (index, parameter) in module.parameters.iter().enumerate() {
        let Parameter { annotations, .. } = parameter;
        let is_record = annotations.is_dxc_shader_record();
        if is_push_constant(annotations) || is_record || constant_id(annotations).is_some() {
            continue;
        }
        match variable_class(parameter) {
            Some(class) => {
                for member in inner_resources(parameter) {
                    list.push(of_member(parameter, member));
                    add_counter(&mut list, &member.ty, release, &member.annotations);
                }
                // In DXC's SPIR-V `static` members are members, too, so they alone make a buffer
                // (1.7.2308).
                let has_statics = || module.buffer_statics.iter().any(|member| member.buffer == parameter.span);
                if parameter.kind == ParameterKind::Variable || has_data(&parameter.ty) || has_statics() {
                    let Parameter { name, ty, annotations, span, .. } = parameter;
                    list.push(of_resource(name, class, ty, annotations, *span));
                    add_counter(&mut list, &parameter.ty, release, &parameter.annotations);
                }
            }
            None if holds_resources(&parameter.ty) => list.push(structure(module, index)),
            None if has_globals => {}
            None => {
                has_globals = true;
                list.push(globals(parameter));
            }
        }
    }

    list
}

/// Returns `N` of `[[vk::constant_id(N)]]`.
pub(super) fn constant_id(annotations: &Annotations) -> Option<u32> {
    numbers(annotations, "constant_id").first().copied()
}

/// Returns `N` of `[[vk::input_attachment_index(N)]]`.
pub(super) fn attachment_index(annotations: &Annotations) -> Option<u32> {
    numbers(annotations, "input_attachment_index").first().copied()
}

pub(super) fn is_push_constant(annotations: &Annotations) -> bool {
    annotations.attribute(Some("vk"), "push_constant").is_some()
}

/// True if DXC makes a push constant of a parameter. Plain data that is declared before every other
/// loose global is in `$Globals` instead, if there is another loose global (measured with DXC
/// 1.7.2308, `-spirv`).
pub(super) fn is_pushed(module: &Module, parameter: &Parameter) -> bool {
    let is_loose = |other: &&Parameter| {
        let annotations = &other.annotations;
        other.kind == ParameterKind::Global && !is_push_constant(annotations) && constant_id(annotations).is_none()
    };
    let first = module.parameters.iter().find(is_loose);
    let is_lost =
        parameter.kind == ParameterKind::Global && first.is_some_and(|first| is_behind(parameter, first, module));
    is_push_constant(&parameter.annotations) && !is_lost
}

fn is_behind(parameter: &Parameter, other: &Parameter, module: &Module) -> bool {
    let place = |wanted: &Parameter| module.parameters.iter().position(|found| std::ptr::eq(found, wanted));
    place(parameter) < place(other)
}

pub(super) fn counter(list: &[DescriptorRequest], buffer: usize, annotations: &Annotations) -> DescriptorRequest {
    let of = &list[buffer];
    let set = of.binding.and_then(|(_, set)| set).or(of.space);
    DescriptorRequest {
        paths: vec![counter_path(&of.paths[0])],
        class: None,
        binding: numbers(annotations, "counter_binding").first().map(|number| (*number, set)),
        register: None,
        space: set,
        role: VulkanRole::Counter(buffer),
        ..of.clone()
    }
}

pub(super) fn counter_path(buffer: &str) -> String {
    format!("{buffer}.$counter")
}

/// Returns the arguments of an attribute `vk::NAME`.
fn numbers(annotations: &Annotations, name: &str) -> Vec<u32> {
    let attribute = annotations.attribute(Some("vk"), name);
    let arguments = attribute.map(|attribute| attribute.arguments.as_slice()).unwrap_or_default();
    let number = |argument: &Argument| match argument {
        Argument::Integer(value) => u32::try_from(*value).ok(),
        Argument::Text(_) | Argument::Other(_) => None,
    };
    arguments.iter().map_while(number).collect()
}

/// Returns the resources directly in a cbuffer. Resources inside a struct there get no number at
/// all.
fn inner_resources(parameter: &Parameter) -> Vec<&Member> {
    match parameter.kind {
        ParameterKind::Cbuffer | ParameterKind::Tbuffer => {
            buffer_members(&parameter.ty).iter().filter(|member| is_resource(member.ty.dimensions().0)).collect()
        }
        ParameterKind::Variable | ParameterKind::Global => Vec::new(),
    }
}

fn has_data(ty: &Type) -> bool {
    buffer_members(ty).iter().any(|member| !holds_resources(&member.ty))
}

/// Adds a counter that is in the list whether the code uses it or not. It comes after its buffer,
/// the last entry of the list.
fn add_counter(list: &mut Vec<DescriptorRequest>, ty: &Type, release: DxcRelease, annotations: &Annotations) {
    let Type::Resource(resource) = ty.dimensions().0 else { return };
    let ResourceKind::StructuredBuffer(access) = resource.kind else { return };
    let has_one = match access {
        Access::Append | Access::Consume => true,
        Access::ReadWrite => release.counts_everywhere(),
        Access::Read | Access::Write | Access::RasterizerOrdered | Access::Feedback => false,
    };
    if has_one {
        let counter = counter(list, list.len() - 1, annotations);
        list.push(counter);
    }
}

fn of_member(parameter: &Parameter, member: &Member) -> DescriptorRequest {
    let scope = parameter.name.rfind("::").map_or("", |end| &parameter.name[..end + 2]);
    let path = format!("{scope}{}", member.name);
    let stand_in = Parameter { kind: ParameterKind::Variable, ty: member.ty.clone(), ..parameter.clone() };
    let class = variable_class(&stand_in).unwrap_or(LayoutUnit::ShaderResource);
    of_resource(&path, class, &member.ty, &member.annotations, member.span)
}

fn of_resource(path: &str, class: LayoutUnit, ty: &Type, annotations: &Annotations, span: Span) -> DescriptorRequest {
    let (register, space) = annotated_first(annotations, class);
    let is_combined = annotations.attribute(Some("vk"), "combinedImageSampler").is_some();
    DescriptorRequest {
        paths: vec![path.to_owned()],
        class: Some(class),
        count: elements(ty),
        kept: 1,
        binding: binding(annotations),
        register: register.map(|number| (class, number)),
        space,
        role: if is_combined { VulkanRole::Combined } else { VulkanRole::Resource },
        span,
    }
}

fn binding(annotations: &Annotations) -> Option<(u32, Option<u32>)> {
    let BindingAttributes { binding, set, .. } = descriptors(annotations);
    binding.map(|binding| (binding, set))
}

/// The numbers in `[[vk::binding(N, S)]]` and `[[vk::counter_binding(M)]]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BindingAttributes {
    pub(crate) binding: Option<u32>,
    pub(crate) set: Option<u32>,
    pub(crate) counter: Option<u32>,
}

/// Returns the attributes of a declaration that place it.
pub(crate) fn descriptors(annotations: &Annotations) -> BindingAttributes {
    let place = numbers(annotations, "binding");
    BindingAttributes {
        binding: place.first().copied(),
        set: place.get(1).copied(),
        counter: numbers(annotations, "counter_binding").first().copied(),
    }
}

fn globals(first: &Parameter) -> DescriptorRequest {
    DescriptorRequest {
        paths: vec!["$Globals".to_owned()],
        class: Some(LayoutUnit::ConstantBuffer),
        count: Count::Finite(1),
        kept: 1,
        binding: None,
        register: None,
        space: None,
        role: VulkanRole::Globals,
        span: first.span,
    }
}

/// Makes the request for a struct: its resources get consecutive numbers from the first register in
/// the source, whatever its class.
fn structure(module: &Module, index: usize) -> DescriptorRequest {
    let parameter = &module.parameters[index];
    let place = Location { parameter: index, member: None, steps: Vec::new(), ty: &parameter.ty };
    let registers = &parameter.annotations.registers;
    let register = registers.iter().find_map(|register| Some((register.class?.unit()?, register.index?)));

    DescriptorRequest {
        paths: place.resources().iter().map(|leaf| leaf.path(module)).collect(),
        class: None,
        count: Count::Finite(1),
        kept: own_resources(&parameter.ty).max(1),
        binding: binding(&parameter.annotations),
        register,
        space: registers.iter().find_map(|register| register.space),
        role: VulkanRole::Resource,
        span: parameter.span,
    }
}

/// Returns the number of resources for which DXC reserves numbers. DXC forgets those of base
/// structs, so the next variable overlaps them.
fn own_resources(ty: &Type) -> u32 {
    let (innermost, counts) = ty.dimensions();
    let each = match innermost {
        Type::Struct(ty) => ty.members.iter().fold(0, |sum, member| own_resources(&member.ty).saturating_add(sum)),
        Type::Resource(_) => 1,
        _ => 0,
    };

    counts.iter().fold(each, |product, count| match count {
        Count::Finite(count) => product.saturating_mul(*count),
        Count::Unbounded => product,
    })
}

/// Places each request.
///
/// # Errors
/// Variables that `-fvk-bind-register` leaves out, and sets without a free number.
pub(super) fn number(
    wants: &[DescriptorRequest],
    options: &BindingOptions,
) -> Result<Vec<DescriptorPlace>, Vec<Diagnostic>> {
    if !options.registers.is_empty() {
        return listed(wants, options);
    }

    let mut sets: BTreeMap<u32, SlotLine<()>> = BTreeMap::new();
    let mut given: Vec<Option<DescriptorPlace>> = wants.iter().map(|want| by_attribute(want, options)).collect();
    reserve(wants, &given, &mut sets, options);

    let by_register: Vec<Option<DescriptorPlace>> =
        wants.iter().zip(&given).map(|(want, given)| by_register(want, options).filter(|_| given.is_none())).collect();
    reserve(wants, &by_register, &mut sets, options);

    let mut problems = Vec::new();
    for ((want, given), by_register) in wants.iter().zip(&mut given).zip(by_register) {
        *given = given.or(by_register).or(options.globals.filter(|_| want.role == VulkanRole::Globals));
        if given.is_none() {
            *given = free(want, &mut sets, options);
        }
        if given.is_none() {
            let message = format!("no free binding is left for {}", want.paths.join(", "));
            problems.push(Diagnostic::error(Code::BindingNotAllocated, want.span, message));
        }
    }

    if problems.is_empty() { Ok(given.into_iter().flatten().collect()) } else { Err(problems) }
}

fn default_set(options: &BindingOptions) -> u32 {
    options.auto_space.unwrap_or(0)
}

fn by_attribute(want: &DescriptorRequest, options: &BindingOptions) -> Option<DescriptorPlace> {
    let (binding, set) = want.binding?;
    Some(DescriptorPlace { binding, set: set.unwrap_or(default_set(options)) })
}

fn by_register(want: &DescriptorRequest, options: &BindingOptions) -> Option<DescriptorPlace> {
    let (class, number) = want.register?;
    let set = want.space.unwrap_or(default_set(options));
    // A combined sampler moves like its texture, so that both meet.
    let class = if want.role == VulkanRole::Combined { layoutproof_layout::LayoutUnit::ShaderResource } else { class };
    Some(DescriptorPlace { binding: number.saturating_add(options.shift(class, set)), set })
}

/// Returns the count of numbers that a request takes.
fn taken(want: &DescriptorRequest, options: &BindingOptions) -> u32 {
    match want.count {
        Count::Finite(count) if options.flatten => count.saturating_mul(want.kept),
        Count::Finite(_) | Count::Unbounded => want.kept,
    }
}

fn reserve(
    wants: &[DescriptorRequest],
    given: &[Option<DescriptorPlace>],
    sets: &mut BTreeMap<u32, SlotLine<()>>,
    options: &BindingOptions,
) {
    for (want, given) in wants.iter().zip(given) {
        if let Some(DescriptorPlace { binding, set }) = given {
            sets.entry(*set).or_default().reserve(*binding, Count::Finite(taken(want, options)), ());
        }
    }
}

/// Returns the lowest free place. With the option for it, the search begins at the shift.
fn free(
    want: &DescriptorRequest,
    sets: &mut BTreeMap<u32, SlotLine<()>>,
    options: &BindingOptions,
) -> Option<DescriptorPlace> {
    let set = want.space.unwrap_or(default_set(options));
    let start = match want.class {
        Some(class) if options.auto_shift => options.shift(class, set),
        Some(_) | None => 0,
    };

    let (slots, count) = (sets.entry(set).or_default(), Count::Finite(taken(want, options)));
    let binding = slots.first_fit(count, start)?;
    slots.reserve(binding, count, ());
    Some(DescriptorPlace { binding, set })
}

/// Numbers the variables that `-fvk-bind-register` lists. Nothing else gets a number then.
fn listed(wants: &[DescriptorRequest], options: &BindingOptions) -> Result<Vec<DescriptorPlace>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut given = Vec::new();
    for want in wants {
        match listed_at(want, options) {
            Ok(place) => given.push(place),
            Err(message) => problems.push(Diagnostic::error(Code::BadOption, want.span, message)),
        }
    }
    if problems.is_empty() { Ok(given) } else { Err(problems) }
}

fn listed_at(want: &DescriptorRequest, options: &BindingOptions) -> Result<DescriptorPlace, &'static str> {
    if want.role == VulkanRole::Globals {
        let missing = "-fvk-bind-register requires Globals buffer to be bound with -fvk-bind-globals";
        return options.globals.ok_or(missing);
    }
    if matches!(want.role, VulkanRole::Counter(_)) {
        return Err("-fvk-bind-register for RW/Append/Consume StructuredBuffer unimplemented");
    }

    let annotated = "-fvk-bind-register requires register annotations on all resources";
    let (class, number) = want.register.ok_or(annotated)?;
    let space = want.space.unwrap_or(0);
    let is_it = |entry: &&crate::options::BoundRegister| {
        entry.class == class && entry.register == number && entry.space == space
    };
    let found = options.registers.iter().rev().find(is_it).map(|entry| entry.to);
    found.ok_or("missing -fvk-bind-register for resource")
}

/// If a class is shifted in all spaces, no other shift of it is allowed.
pub(super) fn check_shifts(options: &BindingOptions) -> Result<(), Vec<Diagnostic>> {
    let shared = options.shifts.iter().filter(|shift| shift.space.is_none());
    let mixed = shared.filter(|all| options.shifts.iter().filter(|other| other.class == all.class).count() > 1);
    let problems: Vec<Diagnostic> = mixed
        .take(1)
        .map(|shift| {
            let message = format!("setting all sets via -fvk-{}-shift argument should be used alone", shift.class);
            Diagnostic::error(Code::BadOption, Span::default(), message)
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
