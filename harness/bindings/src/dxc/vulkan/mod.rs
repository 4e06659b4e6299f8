//! The convention `dxc` on Vulkan.
//!
//! Before DXC removes dead code, it numbers everything that is declared. Parameters that the code
//! then does not use are not in the module. Source: DXC's guide to SPIR-V code generation;
//! measurements of DXC 1.7.2308 (`-spirv`) and, for older releases, of DXC 1.7 of commit d66bdf94
//! (2022).

pub(crate) mod descriptors;
mod varyings;

use std::collections::BTreeSet;

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::shape::{Count, Type};

use super::doubt::DoubtfulPlacement;
use super::{is_library, usage_request};
use crate::options::{BindingOptions, DescriptorPlace, UnusedResources};
use crate::release::DxcRelease;
use crate::{Binding, BindingRequest, BoundModule};
use descriptors::{DescriptorRequest, VulkanRole};
use layoutproof_frontend::module::{Function, Life, Module, Parameter, ParameterKind, Step};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::location::{holds_resources, is_struct, variable_class};
use layoutproof_usage::{CallPolicy, ResourceUse, Usage, entries, reach};

pub(super) fn bind(
    module: &Module,
    request: &BindingRequest,
    release: DxcRelease,
    following: CallPolicy,
) -> Result<DoubtfulPlacement, Vec<Diagnostic>> {
    let mut options = BindingOptions::parse(&request.options)?;
    descriptors::check_shifts(&options)?;
    // If DXC splits one struct it splits every array, so an array takes a number for each element.
    options.flatten |= module.parameters.iter().any(|parameter| {
        is_struct(parameter.ty.dimensions().0)
            && holds_resources(&parameter.ty)
            && parameter.kind == ParameterKind::Variable
    });

    let mut problems = refused(module);
    problems.extend(heap(module, request));
    if !problems.is_empty() {
        return Err(problems);
    }

    let blocks: Vec<&Parameter> =
        module.parameters.iter().filter(|parameter| descriptors::is_push_constant(&parameter.annotations)).collect();
    if let [first, second, ..] = blocks.as_slice() {
        let problem =
            Diagnostic::error(Code::BindingOverlap, second.span, "cannot have more than one push constant block");
        return Err(vec![problem.with_label(first.span, "push constant block previously defined here")]);
    }

    let Usage { reached, doubts } = reach(module, &usage_request(request, &options, following))?;
    let mut wants = descriptors::wants(module, release);
    add_counters(module, &reached, &mut wants);
    let places = descriptors::number(&wants, &options)?;
    check_combined(&wants, &places)?;
    let used = used(module, &reached);
    let keeps = options.unused == UnusedResources::Kept;

    let mut bindings: Vec<Binding> = Vec::new();
    for (want, place) in wants.iter().zip(&places) {
        let is_used = |path: &String| keeps || used.contains(path);
        rows(want, *place, &options, &is_used, &mut bindings);
    }

    let kept = module.parameters.iter().filter(|parameter| keeps || used.contains(&parameter.name));
    bindings.extend(kept.filter_map(|parameter| numberless(module, parameter)));

    let mut warnings = Vec::new();
    let compiled = entries(module, request.entry.as_deref(), is_library(request));
    for entry in module.entry_points.iter().filter(|entry| compiled.contains(&entry.name.as_str())) {
        let (rows, warning) = varyings::locations(entry, request, options.stage_order)?;
        bindings.extend(rows);
        warnings.extend(warning);
    }
    let bound = BoundModule { bindings, warnings, ..BoundModule::default() };
    Ok(DoubtfulPlacement { bound, doubts, fixed: BTreeSet::new() })
}

/// Adds the counters of `RWStructuredBuffer`s after everything else, in the order in which DXC
/// compiles the functions that count: the entry point, its callees, then their callees.
fn add_counters(module: &Module, reached: &[ResourceUse<'_>], wants: &mut Vec<DescriptorRequest>) {
    let mut counting: Vec<&ResourceUse<'_>> = reached.iter().filter(|used| used.counts()).collect();
    counting.sort_by_key(|used| used.depth);
    for used in counting {
        let path = used.location.path(module);
        let buffer = wants.iter().position(|want| want.paths == [path.as_str()]);
        let Some(buffer) = buffer else { continue };
        if !wants.iter().any(|want| want.role == VulkanRole::Counter(buffer)) {
            let counter = descriptors::counter(wants, buffer, used.location.annotations(module));
            wants.push(counter);
        }
    }
}

/// Checks that a texture and a sampler that form one variable have the same place.
fn check_combined(wants: &[DescriptorRequest], places: &[DescriptorPlace]) -> Result<(), Vec<Diagnostic>> {
    let combined = wants.iter().zip(places).filter(|(want, _)| want.role == VulkanRole::Combined);
    let is_alone = |(want, place): &(&DescriptorRequest, &DescriptorPlace)| {
        let mut others = wants.iter().zip(places);
        !others.any(|(other, at)| other.role == VulkanRole::Combined && other.class != want.class && at == *place)
    };
    let alone: Vec<(&DescriptorRequest, &DescriptorPlace)> = combined.filter(is_alone).collect();
    let problems = alone.first().map(|(want, place)| {
        let message = format!(
            "Texture or Sampler with [[vk::combinedImageSampler]] attribute is missing for descriptor set and \
             binding: {}, {}",
            place.set, place.binding
        );
        vec![Diagnostic::error(Code::BindingNotAllocated, want.span, message)]
    });

    problems.map_or(Ok(()), Err)
}

/// Returns the paths that the code uses. A buffer and `$Globals` count through their members. A
/// buffer is not used if the code uses only its counter.
fn used(module: &Module, reached: &[ResourceUse<'_>]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for found in reached {
        let parameter = &module.parameters[found.location.parameter];
        if found.counts() || found.is_whole() {
            used.insert(descriptors::counter_path(&found.location.path(module)));
        }
        if found.only_counts() {
            continue;
        }
        let is_data = variable_class(parameter).is_none() && !found.location.is_split_off(module);
        if is_data && !descriptors::is_pushed(module, parameter) {
            used.insert("$Globals".to_owned());
        }
        if !found.location.is_split_off(module) {
            used.insert(parameter.name.clone());
        }
        if found.location.steps.contains(&Step::DynamicIndex) {
            used.extend(found.location.candidates(module).iter().map(|place| place.path(module)));
        }
        used.insert(found.location.path(module));
        used.insert(found.location.whole(module).path(module));
    }

    used
}

/// Returns the rows of a request, as far as it is used. An array takes one binding unless it is
/// flattened.
fn rows(
    want: &DescriptorRequest,
    place: DescriptorPlace,
    options: &BindingOptions,
    is_used: &dyn Fn(&String) -> bool,
    bindings: &mut Vec<Binding>,
) {
    for (path, behind) in want.paths.iter().zip(0..).filter(|(path, _)| is_used(path)) {
        bindings.push(Binding {
            path: path.clone(),
            unit: LayoutUnit::Binding,
            space: place.set,
            index: place.binding.saturating_add(behind),
            count: if options.flatten { want.count } else { Count::Finite(1) },
            span: want.span,
        });
    }
}

/// Returns push constants, specialization constants and input attachments, which have no binding or
/// more than a binding.
fn numberless(module: &Module, parameter: &Parameter) -> Option<Binding> {
    let annotations = &parameter.annotations;
    let (unit, index) = if descriptors::is_pushed(module, parameter) {
        (LayoutUnit::PushConstant, 0)
    } else if annotations.is_dxc_shader_record() {
        (LayoutUnit::ShaderRecord, 0)
    } else if let Some(id) = descriptors::constant_id(annotations) {
        (LayoutUnit::ConstantId, id)
    } else {
        (LayoutUnit::InputAttachment, descriptors::attachment_index(annotations)?)
    };
    let (path, span) = (parameter.name.clone(), parameter.span);
    Some(Binding { path, unit, space: 0, index, count: Count::Finite(1), span })
}

/// Returns the errors for all globals that DXC refuses.
pub(super) fn refused(module: &Module) -> Vec<Diagnostic> {
    let variables = module.parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Variable);
    let problems = variables.filter_map(|parameter| {
        let message = message(&parameter.ty)?;
        Some(Diagnostic::error(Code::Unsupported, parameter.span, message))
    });
    problems.collect()
}

/// Returns the error for a use of a descriptor heap, for which DXC 1.7.2308, the last release whose SPIR-V was measured, has
/// no answer.
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
                    let message = format!("DXC 1.7.2308 gives no SPIR-V with `{name}`: the other bindings are unknown");
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
