//! Lists the used resources in declaration order, for placement by the convention `clang`.

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Annotations, LayoutUnit, Span};

use crate::Target;
use crate::dxc::claim::{annotated, elements, globals_claim, variable};
use crate::dxc::vulkan::descriptor_request::{BindingAttributes, descriptors};
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_usage::ResourceUse;
use layoutproof_usage::location::{Location, buffer_members, register_class};

/// A resource, an array of resources, or a counter.
#[derive(Clone, Debug)]
pub(super) struct ClangResource {
    pub(super) path: String,
    /// The register class; on Vulkan the unit of bindings.
    pub(super) unit: LayoutUnit,
    /// Number of slots.
    pub(super) count: Count,
    /// The register or binding in the source.
    pub(super) register: Option<u32>,
    /// The space or set in the source.
    pub(super) space: Option<u32>,
    pub(super) span: Span,
}

/// Returns the items for everything in `reached`.
pub(super) fn items(module: &Module, reached: &[ResourceUse<'_>], target: Target) -> Vec<ClangResource> {
    let mut items = Vec::new();
    let is_data = |used: &&ResourceUse<'_>| {
        variable(&module.parameters[used.location.parameter]).is_none() && !used.location.is_split_off(module)
    };
    if let Some(used) = reached.iter().find(is_data) {
        let claim = globals_claim(&module.parameters[used.location.parameter]);
        items.push(ClangResource {
            path: claim.path,
            unit: claim.unit,
            count: claim.count,
            register: None,
            space: None,
            span: claim.span,
        });
    }

    for (index, parameter) in module.parameters.iter().enumerate() {
        items.extend(ranges(module, index, reached));
        let of_this = |used: &&ResourceUse<'_>| used.location.parameter == index && !used.location.is_split_off(module);
        if reached.iter().any(|used| of_this(&used)) {
            items.extend(whole(parameter));
        }
        if target == Target::Vulkan {
            items.extend(counter(parameter, index, reached));
        }
    }

    match target {
        Target::Vulkan => items.into_iter().map(|item| on_vulkan(module, item)).collect(),
        Target::D3d12 | Target::Webgpu | Target::Metal => items,
    }
}

/// Returns a variable or a buffer as a whole.
fn whole(parameter: &Parameter) -> Option<ClangResource> {
    let claim = variable(parameter)?;
    Some(ClangResource {
        path: claim.path,
        unit: claim.unit,
        count: claim.count,
        register: claim.register,
        space: claim.space,
        span: claim.span,
    })
}

/// Returns the resources and arrays of resources in a struct or a cbuffer.
fn ranges(module: &Module, index: usize, reached: &[ResourceUse<'_>]) -> Vec<ClangResource> {
    let parameter = &module.parameters[index];
    let places: Vec<Location<'_>> = match parameter.kind {
        ParameterKind::Cbuffer | ParameterKind::Tbuffer => {
            let members = buffer_members(&parameter.ty).iter().enumerate();
            members
                .map(|(member, declared)| (Some(member), &declared.ty))
                .map(|(member, ty)| Location { parameter: index, member, steps: Vec::new(), ty })
                .collect()
        }
        ParameterKind::Variable | ParameterKind::Global => {
            vec![Location { parameter: index, member: None, steps: Vec::new(), ty: &parameter.ty }]
        }
    };

    let mut found = Vec::new();
    let mut taken = std::collections::BTreeMap::new();
    for range in places.iter().flat_map(Location::ranges).filter(|range| range.is_split_off(module)) {
        let Type::Resource(resource) = range.ty.dimensions().0 else { continue };
        let unit = register_class(resource.kind);
        let count = elements(range.ty);
        let before = taken.entry(unit).or_insert(0_u32);
        let annotations = annotations(parameter, &range);
        let (first, space) = annotated(annotations, unit);
        let register = first.map(|first| first.saturating_add(*before));
        if let Count::Finite(count) = count {
            *before = before.saturating_add(count);
        }
        if reached.iter().any(|used| used.location.is_within(&range)) {
            found.push(ClangResource { path: range.path(module), unit, count, register, space, span: parameter.span });
        }
    }

    found
}

/// Returns the annotations with the registers of `range`: those of the variable for a struct, those
/// of the member for a cbuffer.
fn annotations<'m>(parameter: &'m Parameter, range: &Location<'_>) -> &'m Annotations {
    let member = range.member.and_then(|index| buffer_members(&parameter.ty).get(index));
    member.map_or(&parameter.annotations, |member| &member.annotations)
}

/// Returns the counter of a buffer, if the code uses the counter.
fn counter(parameter: &Parameter, index: usize, reached: &[ResourceUse<'_>]) -> Option<ClangResource> {
    let counts = |used: &ResourceUse<'_>| used.location.parameter == index && used.counts();
    let item = whole(parameter).filter(|_| reached.iter().any(counts))?;
    let BindingAttributes { counter, set, .. } = descriptors(&parameter.annotations);
    Some(ClangResource {
        path: format!("{}.$counter", item.path),
        count: Count::Finite(1),
        register: counter,
        space: set.or(item.space),
        ..item
    })
}

/// Gives an item a binding instead of a register. An array takes one binding, too, and
/// `[[vk::binding]]` wins over `register`.
fn on_vulkan(module: &Module, item: ClangResource) -> ClangResource {
    let item = ClangResource { unit: LayoutUnit::Binding, ..item };
    let declared = module.parameters.iter().find(|parameter| parameter.name == item.path);
    match declared.map(|parameter| descriptors(&parameter.annotations)) {
        Some(BindingAttributes { binding: Some(binding), set, .. }) => {
            ClangResource { register: Some(binding), space: Some(set.unwrap_or(0)), ..item }
        }
        Some(_) | None => item,
    }
}
