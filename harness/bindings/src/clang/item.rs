//! Lists the used resources in declaration order, for placement by the convention `clang`.

use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::LayoutUnit;

use crate::Target;
use crate::dxc::claim::{ClaimOrigin, RegisterClaim, annotated, elements, globals_claim, variable};
use crate::dxc::vulkan::descriptor_request::{BindingAttributes, descriptors};
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_usage::ResourceUse;
use layoutproof_usage::location::{Location, buffer_members, register_class};

/// Returns the items for everything in `reached`.
pub(super) fn items(module: &Module, reached: &[ResourceUse<'_>], target: Target) -> Vec<RegisterClaim> {
    let mut items = Vec::new();
    let is_data = |used: &&ResourceUse<'_>| {
        variable(&module.parameters[used.location.parameter]).is_none() && !used.location.is_split_off(module)
    };
    if let Some(used) = reached.iter().find(is_data) {
        items.push(globals_claim(&module.parameters[used.location.parameter]));
    }

    for (index, parameter) in module.parameters.iter().enumerate() {
        items.extend(ranges(module, index, reached));
        let of_this = |used: &&ResourceUse<'_>| used.location.parameter == index && !used.location.is_split_off(module);
        if reached.iter().any(|used| of_this(&used)) {
            items.extend(variable(parameter));
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

/// Returns the resources and arrays of resources in a struct or a cbuffer.
fn ranges(module: &Module, index: usize, reached: &[ResourceUse<'_>]) -> Vec<RegisterClaim> {
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
        let (first, space) = annotated(range.annotations(module), unit);
        let register = first.map(|first| first.saturating_add(*before));
        if let Count::Finite(count) = count {
            *before = before.saturating_add(count);
        }
        if reached.iter().any(|used| used.location.is_within(&range)) {
            let (path, name) = (range.path(module), range.dxc_name(module));
            let (origin, span) = (ClaimOrigin::SplitOff, parameter.span);
            found.push(RegisterClaim { path, name, unit, count, register, space, origin, span });
        }
    }

    found
}

/// Returns the counter of a buffer, if the code uses the counter.
fn counter(parameter: &Parameter, index: usize, reached: &[ResourceUse<'_>]) -> Option<RegisterClaim> {
    let counts = |used: &ResourceUse<'_>| used.location.parameter == index && used.counts();
    let item = variable(parameter).filter(|_| reached.iter().any(counts))?;
    let BindingAttributes { counter, set, .. } = descriptors(&parameter.annotations);
    Some(RegisterClaim {
        path: format!("{}.$counter", item.path),
        count: Count::Finite(1),
        register: counter,
        space: set.or(item.space),
        ..item
    })
}

/// Gives an item a binding instead of a register. An array takes one binding, too, and
/// `[[vk::binding]]` wins over `register`.
fn on_vulkan(module: &Module, item: RegisterClaim) -> RegisterClaim {
    let item = RegisterClaim { unit: LayoutUnit::Binding, ..item };
    let declared = module.parameters.iter().find(|parameter| parameter.name == item.path);
    match declared.map(|parameter| descriptors(&parameter.annotations)) {
        Some(BindingAttributes { binding: Some(binding), set, .. }) => {
            RegisterClaim { register: Some(binding), space: Some(set.unwrap_or(0)), ..item }
        }
        Some(_) | None => item,
    }
}
