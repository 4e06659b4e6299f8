//! Lists and measures the parts that a struct places, in declaration order: its base, its members,
//! and the storage units of its bit-fields.
//!
//! [`super::place`] calls this for each struct. [`super::bits`] decides which bit-fields share a
//! unit, and [`super::explicit`] reads a member's own placement. `measure` in [`super::walk`]
//! measures the types of members, and calls back into this module for nested structs.

use std::sync::Arc;

use super::alignment::Alignment;
use super::bits::{StorageUnit, zero_width_ends_unit};
use super::explicit::{self, ExplicitPlace};
use super::forbid;
use super::measured::MeasuredType;
use super::rules::{BitFields, Placement};
use super::tree::{BitRange, Component, Extent, LaidOut, LaidOutMember, LaidOutShape};
use super::walk_state::{Level, Stop, WalkState};
use crate::scalar::Scalar;
use crate::shape::{Member, StructType, Type};

/// One part to place: a member, a base struct, or a storage unit of bit-fields.
#[derive(Debug)]
pub(super) struct MemberSlot {
    /// Name of the member, or of the unit's first bit-field; empty for a base.
    pub name: String,
    pub is_base: bool,
    pub measured: MeasuredType,
    /// The bytes that WGSL's `@size` keeps for the member; `None` for those of its type.
    pub reserved: Option<u32>,
    pub explicit: Option<ExplicitPlace>,
    /// The member's effect on rows of minimum precision.
    pub precision: Precision,
    unit: Option<StorageUnit>,
    fields: Vec<BitField>,
}

#[derive(Debug)]
struct BitField {
    name: String,
    spelling: String,
    bits: BitRange,
}

/// The effect of a member on the kind of the current 16-byte row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// The row holds normal values from here.
    Normal,
    /// The row holds minimum-precision values from here.
    Minimum,
    /// The row keeps its kind.
    Unchanged,
}

impl Precision {
    fn of(ty: &Type) -> Self {
        match ty {
            _ if ty.is_minimum_precision() => Self::Minimum,
            // DXC 1.7.2308 counts a matrix of bools as minimum precision, though its bools have
            // four bytes.
            Type::Matrix { scalar: Scalar::Bool, .. } => Self::Minimum,
            Type::Array { .. } | Type::Resource(_) => Self::Unchanged,
            _ => Self::Normal,
        }
    }
}

impl MemberSlot {
    /// True if the slot is placed before all members without an explicit offset.
    pub(super) fn is_first(&self) -> bool {
        matches!(self.explicit, Some(ExplicitPlace::First(_)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.measured.layout.size == Extent::Finite(0)
    }

    /// The rounding before any straddle test.
    pub(super) fn start(&self) -> Alignment {
        Alignment::new(self.measured.layout.alignment).expect("layouts take it from an alignment")
    }

    /// The bytes that the member takes, before the next one may start.
    pub(super) fn extent(&self) -> Extent {
        self.reserved.map_or(self.measured.layout.size, Extent::Finite)
    }

    /// The laid-out members of a slot at `offset`: several for a unit of bit-fields.
    pub(super) fn into_members(self, offset: u32) -> Vec<LaidOutMember> {
        let Self { name, is_base, measured: MeasuredType { layout, .. }, fields, .. } = self;
        if fields.is_empty() {
            return vec![LaidOutMember { name, is_base, offset, bits: None, layout }];
        }
        let field = |BitField { name, spelling, bits }| {
            let layout = LaidOut { type_name: spelling, ..layout.clone() };
            LaidOutMember { name, is_base: false, offset, bits: Some(bits), layout }
        };
        fields.into_iter().map(field).collect()
    }
}

#[derive(Debug)]
struct SlotCollector<'a> {
    placement: &'a Placement,
    level: Level,
    found: Vec<MemberSlot>,
}

/// Measures the members of `ty`, its base first.
pub(super) fn of(
    walk: &mut WalkState<'_>,
    ty: &StructType,
    placement: &Placement,
    level: Level,
) -> Result<Vec<MemberSlot>, Stop> {
    let mut slots = SlotCollector { placement, level, found: Vec::new() };
    slots.fill(walk, ty)?;
    Ok(slots.found)
}

impl SlotCollector<'_> {
    fn fill(&mut self, walk: &mut WalkState<'_>, ty: &StructType) -> Result<(), Stop> {
        let mut failed = false;
        if let Some(base) = &ty.base {
            let base = Type::Struct(Arc::clone(base));
            failed |= walk.inside("", |walk| self.push_base(walk, &base)).is_err();
        }
        for member in &ty.members {
            failed |= walk.inside(&member.name, |walk| self.push_member(walk, member)).is_err();
        }
        if failed { Err(Stop::Reported) } else { Ok(()) }
    }

    fn push_base(&mut self, walk: &mut WalkState<'_>, base: &Type) -> Result<(), Stop> {
        let measured = walk.measure(base, self.placement)?;
        self.found.push(MemberSlot {
            name: String::new(),
            is_base: true,
            measured,
            reserved: None,
            explicit: None,
            precision: Precision::Normal,
            unit: None,
            fields: Vec::new(),
        });
        Ok(())
    }

    fn push_member(&mut self, walk: &mut WalkState<'_>, member: &Member) -> Result<(), Stop> {
        let mut measured = walk.measure(&member.ty, self.placement)?;
        let reserved = explicit::size_and_alignment(walk, member, &mut measured)?;
        let mut slot = MemberSlot {
            name: member.name.clone(),
            is_base: false,
            measured,
            reserved,
            explicit: None,
            precision: Precision::of(&member.ty),
            unit: None,
            fields: Vec::new(),
        };
        slot.explicit = explicit::of(walk, member, &slot.measured.layout, self.level)?;

        let Some(width) = member.bit_width else {
            self.found.push(slot);
            return Ok(());
        };

        let component = bit_field_component(walk, &slot.measured.layout, width)?;
        if width == 0 {
            self.end_unit(walk);
            return Ok(());
        }

        let field = |bits| BitField { name: member.name.clone(), spelling: member.ty.to_string(), bits };
        if slot.explicit.is_none() {
            if let Some(bits) = self.share(walk, component, width)? {
                self.found.last_mut().expect("only the last slot shares its unit").fields.push(field(bits));
                return Ok(());
            }
        }

        let (unit, bits) = StorageUnit::new(component, width);
        let bits = bits_of(walk, component, bits);
        slot.unit = Some(unit);
        slot.fields.push(field(bits));
        self.found.push(slot);
        Ok(())
    }

    fn end_unit(&mut self, walk: &WalkState<'_>) {
        if let Some(last) = self.found.last_mut() {
            last.unit = last.unit.filter(|_| !zero_width_ends_unit(bit_fields(walk)));
        }
    }

    /// Puts a bit-field into the unit of the last slot, if it fits there.
    fn share(&mut self, walk: &mut WalkState<'_>, component: Component, width: u32) -> Result<Option<BitRange>, Stop> {
        let Some((last, unit)) = self.found.last_mut().and_then(|last| Some((&mut last.measured, last.unit.as_mut()?)))
        else {
            return Ok(None);
        };
        let before = unit.component;
        let bits = unit.take(bit_fields(walk), component, width).map(|bits| bits_of(walk, component, bits));
        if unit.component != before {
            *last = walk.measure(&Type::Scalar(component.scalar), self.placement)?;
        }
        Ok(bits)
    }
}

/// The rule of a block's bit-fields: the row's, or that of MSVC if the user chooses it and the row is Slang's.
fn bit_fields(walk: &WalkState<'_>) -> BitFields {
    if packs_as_msvc(walk) { BitFields::SameSize } else { walk.rules.bit_fields }
}

/// The bits in the unit, which a field of MSVC takes from the top.
fn bits_of(walk: &WalkState<'_>, unit: Component, bits: BitRange) -> BitRange {
    if packs_as_msvc(walk) { BitRange { offset: unit.size * 8 - bits.offset - bits.width, ..bits } } else { bits }
}

fn packs_as_msvc(walk: &WalkState<'_>) -> bool {
    walk.options.msvc_bit_fields && walk.rules.bit_fields == BitFields::Widening
}

fn bit_field_component(walk: &mut WalkState<'_>, layout: &LaidOut, width: u32) -> Result<Component, Stop> {
    forbid::bit_field(walk);
    let LaidOutShape::Scalar(component) = layout.shape else {
        return Err(walk.refuse(format!("is a bit-field of type {}", layout.type_name)));
    };
    if width > component.size * 8 {
        return Err(walk.refuse(format!("has {width} bits of {}, which has {}", layout.type_name, component.size * 8)));
    }
    Ok(component)
}
