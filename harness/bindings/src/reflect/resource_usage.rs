//! The units that a type or a variable takes, in the order in which reflection lists them.
//!
//! A struct lists the units of its fields in the order of their first use, then its bytes. An array
//! lists its bytes first. A container lists its own units, then those that its element leaks.
//! Measured with Slang 2026.14.1.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::{Count, Type};

use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};

pub(super) fn sizes(layout: &TypeLayout) -> Vec<(LayoutUnit, Count)> {
    order(layout).into_iter().map(|unit| (unit, layout.usage.get(unit))).collect()
}

pub(super) fn offsets(variable: &VariableLayout) -> Vec<UnitOffset> {
    let order = order(&variable.layout);
    let mut offsets = variable.offsets.clone();
    offsets.sort_by_key(|offset| order.iter().position(|unit| *unit == offset.unit).unwrap_or(order.len()));
    offsets
}

/// Returns every unit that `layout` takes, each once.
fn order(layout: &TypeLayout) -> Vec<LayoutUnit> {
    let mut order = Vec::new();
    let taken = || layout.usage.iter().map(|(unit, _)| unit);
    // A subpass input lists its attachment last. Next to a Metal index a binding comes last, too.
    let has_index = taken()
        .any(|unit| matches!(unit, LayoutUnit::MetalBuffer | LayoutUnit::MetalTexture | LayoutUnit::MetalSampler));
    let is_last = |unit| unit == LayoutUnit::InputAttachment || (has_index && unit == LayoutUnit::Binding);
    let own = taken().filter(|unit| !is_last(*unit)).chain(taken());
    for unit in first_uses(layout).into_iter().chain(own) {
        if !order.contains(&unit) && layout.takes(unit) {
            order.push(unit);
        }
    }
    order
}

/// Returns the units of the parts of `layout`, in order.
fn first_uses(layout: &TypeLayout) -> Vec<LayoutUnit> {
    match &layout.parts {
        TypeParts::None | TypeParts::Memory(_) => Vec::new(),
        TypeParts::Fields(fields) => {
            // In an argument buffer data and resources are arguments, which slangc counts in order.
            let is_argument_buffer = layout.takes(LayoutUnit::MetalArgument);
            let units = fields.iter().flat_map(|field| {
                let counts = is_argument_buffer && is_argument(&field.layout);
                let argument = counts.then_some(LayoutUnit::MetalArgument);
                argument.into_iter().chain(order(&field.layout)).collect::<Vec<_>>()
            });
            units
                .filter(|unit| *unit != LayoutUnit::Bytes)
                .chain([LayoutUnit::MetalArgument, LayoutUnit::Bytes])
                .collect()
        }
        TypeParts::Stream(element) | TypeParts::Patch(element) => order(element),
        TypeParts::Elements { element, .. } => [vec![LayoutUnit::Bytes], order(element)].concat(),
        TypeParts::Contained { container, element } => [order(&container.layout), order(&element.layout)].concat(),
    }
}

/// True if `layout` is or holds an argument of Metal's argument buffers: data and resources, but no
/// pointers, interface values or buffers with resources inside.
fn is_argument(layout: &TypeLayout) -> bool {
    match &layout.parts {
        TypeParts::None => !matches!(layout.ty, Type::Pointer { .. } | Type::Interface { .. } | Type::Handle { .. }),
        TypeParts::Memory(_) => true,
        TypeParts::Fields(fields) => fields.iter().any(|field| is_argument(&field.layout)),
        TypeParts::Elements { element, .. } => is_argument(element),
        TypeParts::Contained { .. } => layout.usage.iter().all(|(unit, _)| unit == LayoutUnit::Bytes),
        TypeParts::Stream(_) | TypeParts::Patch(_) => false,
    }
}
