//! The convention `clang`: the placement that is proposed for Clang, which departs from DXC's.
//!
//! It places resources in structs in declaration order and arrays in structs as whole ranges.
//! Register 2^32 - 1 is an ordinary register, and an unbounded array takes the last free range if
//! that reaches the end. On Vulkan every resource takes one binding of its set, and its counter
//! takes the next one. Only used resources take numbers.
//!
//! Sources: wg-hlsl 0024, implicit resource binding, "Proposed solution"; wg-hlsl 0030, SPIR-V register bindings; the
//! messages are those of LLVM's DirectX target.

mod item;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use item::items;
use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

use super::dxc::claim::RegisterClaim;
use super::dxc::doubt::{DoubtfulPlacement, settle};
use super::dxc::usage_request;
use super::options::BindingOptions;
use super::slots::SlotLine;
use super::{Binding, BindingRequest, BoundModule, Target};
use layoutproof_frontend::module::Module;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::{CallPolicy, Usage, reach};

/// A number line: a register class (on Vulkan all classes share one line) and a space.
type NumberLine = (LayoutUnit, u32);

type NumberLines = BTreeMap<NumberLine, SlotLine<()>>;

/// Limit on the overlaps to report, because each of many ranges can overlap all others.
const MOST_OVERLAPS: usize = 100;

/// Places the parameters of `module`.
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
        Target::D3d12 => overlaps(&items),
        Target::Vulkan | Target::Webgpu | Target::Metal => Vec::new(),
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
