//! Lists the parts of a struct that C or LLVM would place: its members and its bases', ascending,
//! with bit-fields gathered into their units.
//!
//! Members without bytes (resources, empty structs) are not listed.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LaidOut, LaidOutMember, LaidOutShape};

/// A member, or the storage unit of several bit-fields.
#[derive(Clone, Debug)]
pub(crate) struct HostSlot<'a> {
    /// Name in the shader.
    pub name: String,
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// For a storage unit, the type that all its bit-fields share.
    pub layout: &'a LaidOut,
    /// The bit-fields of a storage unit, `flags: bits 0 to 2`.
    pub bits: Option<String>,
}

impl HostSlot<'_> {
    /// One past the last byte that holds a value.
    pub(crate) fn end(&self) -> u32 {
        let size = if self.bits.is_some() { self.layout.size.finite().unwrap_or(0) } else { touched(self.layout) };
        self.offset.saturating_add(size)
    }
}

/// The slots of `members`, by ascending offset.
pub(crate) fn slots(members: &[LaidOutMember]) -> Vec<HostSlot<'_>> {
    let mut slots = in_declared_order(members);
    slots.sort_by_key(|slot| slot.offset);
    slots
}

/// The slots of `members` in declaration order. `packoffset` may have put a later one before an
/// earlier one.
pub(crate) fn in_declared_order(members: &[LaidOutMember]) -> Vec<HostSlot<'_>> {
    let mut slots = Vec::new();
    collect(members, 0, &mut slots);
    slots
}

fn collect<'a>(members: &'a [LaidOutMember], start: u32, slots: &mut Vec<HostSlot<'a>>) {
    for member in members {
        let offset = start.saturating_add(member.offset);
        match (&member.layout.shape, member.bits) {
            (LaidOutShape::Struct(inherited), None) if member.is_base => collect(inherited, offset, slots),
            (_, None) if touched(&member.layout) > 0 || has_no_end(&member.layout) => {
                slots.push(HostSlot { name: member.name.clone(), offset, layout: &member.layout, bits: None });
            }
            (_, None) => {}
            (_, Some(_)) => gather(member, offset, slots),
        }
    }
}

/// Adds a bit-field to its unit, which an earlier bit-field may have started.
fn gather<'a>(member: &'a LaidOutMember, offset: u32, slots: &mut Vec<HostSlot<'a>>) {
    let Some(bits) = member.bits.filter(|bits| bits.width > 0 && !member.name.is_empty()) else { return };
    let last = bits.offset.saturating_add(bits.width) - 1;
    let text = format!("{}: bits {} to {last}", member.name, bits.offset);
    if let Some(fields) = slots.last_mut().filter(|slot| slot.offset == offset).and_then(|slot| slot.bits.as_mut()) {
        *fields = format!("{fields}, {text}");
    } else {
        let name = format!("{}_bits", member.name);
        slots.push(HostSlot { name, offset, layout: &member.layout, bits: Some(text) });
    }
}

pub(crate) fn has_no_end(layout: &LaidOut) -> bool {
    matches!(layout.shape, LaidOutShape::Array { count: Count::Unbounded, .. })
}

/// Bytes up to the last one that holds a value, without tail padding; 0 for unbounded types.
pub(crate) fn touched(layout: &LaidOut) -> u32 {
    match &layout.shape {
        LaidOutShape::Scalar(component) => component.size,
        LaidOutShape::Vector { component, length } => component.size * length,
        LaidOutShape::Matrix { component, rows, columns, order, stride } => {
            let (vectors, length) = order.vectors_and_length(*rows, *columns);
            repeated(vectors, *stride, component.size * length)
        }
        LaidOutShape::Array { element, count, stride } => match count {
            Count::Finite(count) => repeated(*count, *stride, touched(element)),
            Count::Unbounded => 0,
        },
        LaidOutShape::Struct(members) => {
            let end = |member: &LaidOutMember| match touched(&member.layout) {
                0 => 0,
                size => member.offset.saturating_add(size),
            };
            members.iter().map(end).max().unwrap_or(0)
        }
        LaidOutShape::Pointer { .. } => layout.size.finite().unwrap_or(0),
        LaidOutShape::Resource => 0,
    }
}

fn repeated(count: u32, stride: u32, element: u32) -> u32 {
    if count == 0 || element == 0 { 0 } else { (count - 1).saturating_mul(stride).saturating_add(element) }
}
