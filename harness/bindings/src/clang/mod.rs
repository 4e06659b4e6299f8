//! The convention `clang`: the placement that is proposed for Clang, which departs from DXC's.
//!
//! It places resources in structs in declaration order and arrays in structs as whole ranges.
//! Register 2^32 - 1 is an ordinary register, and an unbounded array takes the last free range if
//! that reaches the end. On Vulkan every resource takes one binding of its set, and its counter
//! takes the next one. Only used resources take numbers.
//!
//! Sources: wg-hlsl 0024, implicit resource binding, "Proposed solution"; wg-hlsl 0030, SPIR-V register bindings; the
//! messages are those of LLVM's DirectX target.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::{Count, Type};

use crate::dxc::claim::{ClaimOrigin, RegisterClaim, annotated, elements, globals_claim, variable};
use crate::dxc::doubt::{DoubtfulPlacement, settle};
use crate::dxc::usage_request;
use crate::dxc::vulkan::descriptors::{BindingAttributes, descriptors};
use crate::options::BindingOptions;
use crate::slots::SlotLine;
use crate::{Binding, BindingRequest, BoundModule, Target};
use layoutproof_frontend::module::{Module, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::location::{Location, buffer_members, register_class};
use layoutproof_usage::{CallPolicy, ResourceUse, Usage, reach};

/// A number line: a register class (on Vulkan all classes share one line) and a space.
type NumberLine = (LayoutUnit, u32);

type NumberLines = BTreeMap<NumberLine, SlotLine<()>>;

/// Limit on the overlaps to report, because each of many ranges can overlap all others.
const MOST_OVERLAPS: usize = 100;

pub(super) fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    match request.target {
        Target::D3d12 | Target::Vulkan => {}
        Target::Webgpu | Target::Metal => return Err(vec![super::dxc::no_target(request)]),
    }
    settle(|following| follow(module, request, following))
}

/// Places the resources that are used if calls are followed by the policy `following`.
fn follow(
    module: &Module,
    request: &BindingRequest,
    following: CallPolicy,
) -> Result<DoubtfulPlacement, Vec<Diagnostic>> {
    let options = BindingOptions::parse(&request.options)?;
    let Usage { reached, doubts } = reach(module, &usage_request(request, &options, following))?;
    let items = items(module, &reached, request.target);

    let mut lines = NumberLines::new();
    for item in &items {
        if let Some((line, place)) = written(item) {
            lines.entry(line).or_default().reserve(place, taken(item), ());
        }
    }

    let problems = match request.target {
        Target::D3d12 if !request.may_overlap => overlaps(&items),
        Target::D3d12 | Target::Vulkan | Target::Webgpu | Target::Metal => Vec::new(),
    };
    place(&items, &mut lines, &options, problems).map(|bound| DoubtfulPlacement {
        bound,
        doubts,
        fixed: BTreeSet::new(),
    })
}

/// Places all items in order: each at the register in the source, else in the first free range.
fn place(
    items: &[RegisterClaim],
    lines: &mut NumberLines,
    options: &BindingOptions,
    mut problems: Vec<Diagnostic>,
) -> Result<BoundModule, Vec<Diagnostic>> {
    let mut bindings = Vec::new();
    for item in items {
        let place = written(item).or_else(|| first_free(item, lines, options));
        if let Some(((unit, space), index)) = place {
            let RegisterClaim { path, count, span, .. } = item.clone();
            bindings.push(Binding { path, unit, space, index, count, span });
        } else {
            let problem = Diagnostic::error(Code::BindingNotAllocated, item.span, "resource cannot be allocated");
            problems.push(problem.with_help(format!("the resource is `{}`", item.path)));
        }
    }

    if problems.is_empty() { Ok(BoundModule { bindings, ..BoundModule::default() }) } else { Err(problems) }
}

/// Takes the first free range of the item's line, or the last one for an unbounded array.
fn first_free(item: &RegisterClaim, lines: &mut NumberLines, options: &BindingOptions) -> Option<(NumberLine, u32)> {
    let line = (item.unit, item.space.or(options.auto_space).unwrap_or(0));
    let slots = lines.entry(line).or_default();
    let first = match taken(item) {
        Count::Finite(_) => slots.first_fit(taken(item), 0)?,
        Count::Unbounded => slots.behind_all()?,
    };
    slots.reserve(first, taken(item), ());
    Some((line, first))
}

/// Returns the number of slots that an item takes. On Vulkan an array takes one binding.
fn taken(item: &RegisterClaim) -> Count {
    if item.unit == LayoutUnit::Binding { Count::Finite(1) } else { item.count }
}

/// Returns the line and the first slot that the source gives to an item.
fn written(item: &RegisterClaim) -> Option<(NumberLine, u32)> {
    item.register.map(|register| ((item.unit, item.space.unwrap_or(0)), register))
}

/// Returns the errors for ranges in the source that overlap, in the order of their registers.
fn overlaps(items: &[RegisterClaim]) -> Vec<Diagnostic> {
    let mut sorted: Vec<(&RegisterClaim, (NumberLine, u32))> =
        items.iter().filter_map(|item| Some((item, written(item)?))).collect();
    sorted.sort_by_key(|(_, place)| *place);

    let mut problems = Vec::new();
    'items: for (index, (item, (line, first))) in sorted.iter().enumerate() {
        let last = SlotLine::<()>::last(*first, item.count);
        let overlapping =
            |(_, (other, start)): &&(&RegisterClaim, _)| other == line && last.is_some_and(|last| *start <= last);
        for (other, (_, start)) in sorted[index + 1..].iter().take_while(overlapping) {
            let message = format!(
                "resource {} at register {first} overlaps with resource {} at register {start} in space {}",
                item.path, other.path, line.1
            );
            let problem = Diagnostic::error(Code::BindingOverlap, other.span, message);
            problems.push(problem.with_label(item.span, "the other one"));
            if problems.len() >= MOST_OVERLAPS {
                break 'items;
            }
        }
    }

    problems
}

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
