//! Arrays of types that take registers: each field of an array of structs becomes its own array.
//!
//! `Pair gPairs[8]` takes `t0` to `t15`, and its field `b` is at `t8`. In an unsized array every
//! resource at the end of a path of fields gets a register space.
//!
//! Source: Slang user guide, Parameter Layout Rules, Splitting of Arrays. Nested and unsized arrays
//! were measured with Slang 2026.14.1, whose code then binds some nested fields at a different
//! place than its reflection reports.

use std::sync::Arc;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Usage};

use super::settings::SlangSettings;
use super::units::is_register;
use crate::tree::{TypeLayout, TypeParts, UnitOffset, VariableLayout};

/// An array without its bytes.
#[derive(Debug)]
pub(super) struct SpreadArray {
    /// The element with its fields spread.
    pub(super) element: Arc<TypeLayout>,
    /// The units of the whole array.
    pub(super) usage: Usage,
    /// The distance from one element to the next, as Slang reports it.
    pub(super) stride: Usage,
}

/// Lays out `count` elements. Returns `None` for an element that slangc cannot spread: a constant
/// buffer with registers inside.
pub(super) fn in_array(element: &Arc<TypeLayout>, count: Count, settings: &SlangSettings) -> Option<SpreadArray> {
    let mut spaces = 0;
    let spread = spread(element, count, &mut spaces)?;
    let is_spread = !Arc::ptr_eq(&spread, element);

    let mut array = SpreadArray { element: spread, usage: Usage::default(), stride: Usage::default() };
    for (unit, one) in element.usage.iter().filter(|(unit, _)| *unit != LayoutUnit::Bytes) {
        match (settings.multiplies(unit), count) {
            (false, _) => array.usage.add(unit, one),
            (true, Count::Finite(count)) => array.usage.add(unit, one.times(Count::Finite(count))),
            // Spread fields have spaces instead.
            (true, Count::Unbounded) if is_spread => {}
            (true, Count::Unbounded) => array.usage.add(unit, Count::Unbounded),
        }
        if settings.multiplies(unit) {
            // The guide puts one register between neighbours; slangc reports all registers of an
            // element.
            array.stride.add(unit, if settings.documented { Count::Finite(1) } else { one });
        }
    }

    if is_spread {
        array.usage.add(LayoutUnit::Space, Count::Finite(spaces));
    }
    Some(array)
}

/// Returns the same layout with its fields moved apart for `count` elements. `spaces` counts the
/// resources that get a space.
fn spread(layout: &Arc<TypeLayout>, count: Count, spaces: &mut u32) -> Option<Arc<TypeLayout>> {
    if !layout.usage.iter().any(|(unit, _)| is_register(unit)) {
        return Some(Arc::clone(layout));
    }

    let parts = match &layout.parts {
        TypeParts::Elements { element, stride } => {
            let spread = spread(element, count, spaces)?;
            if Arc::ptr_eq(&spread, element) {
                return Some(Arc::clone(layout));
            }
            TypeParts::Elements { element: spread, stride: stride.clone() }
        }
        TypeParts::Fields(fields) => {
            let fields: Option<Vec<_>> = fields.iter().map(|field| spread_field(field, count, spaces)).collect();
            TypeParts::Fields(fields?)
        }
        TypeParts::Contained { element, .. } => {
            let holds_registers = element.layout.usage.iter().any(|(unit, _)| is_register(unit));
            return (!holds_registers).then(|| Arc::clone(layout));
        }
        TypeParts::None | TypeParts::Memory(_) | TypeParts::Stream(_) | TypeParts::Patch(_) => {
            *spaces += u32::from(count == Count::Unbounded);
            return Some(Arc::clone(layout));
        }
    };
    Some(Arc::new(TypeLayout { parts, ..TypeLayout::clone(layout) }))
}

fn spread_field(field: &VariableLayout, count: Count, spaces: &mut u32) -> Option<VariableLayout> {
    let (first, mut inner) = (*spaces, 0);
    let layout = spread(&field.layout, count, &mut inner)?;
    *spaces += inner;
    let moved = |at: &UnitOffset| match (is_register(at.unit), count) {
        (false, _) => *at,
        (true, Count::Finite(count)) => UnitOffset { offset: at.offset.saturating_mul(count), ..*at },
        (true, Count::Unbounded) => UnitOffset { space: first, offset: 0, ..*at },
    };
    Some(VariableLayout { layout, offsets: field.offsets.iter().map(moved).collect(), ..field.clone() })
}
