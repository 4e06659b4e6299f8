//! Places a struct's members one behind the other.
//!
//! In: the members, measured. Out: their offsets and the size and alignment of the whole. A run of bit-fields is placed
//! as its storage units ([`super::bits`]); what a member itself says about its place is read by [`super::explicit`].

use std::ops::Range;

use super::alignment::{Alignment, TooLarge, add};
use super::bits::{Unit, zero_width_ends_unit};
use super::explicit::{self, Explicit};
use super::forbid;
use super::measured::Measured;
use super::rules::{EmptyMembers, Placement, VkOffset};
use super::tree::{BitRange, Component, Extent, LaidOut, LaidOutMember, LaidOutShape};
use super::walk::{Level, Stop, Walk};
use crate::module::BlockKind;
use crate::scalar::SixteenBit;
use crate::shape::{Member, StructType, Type};

/// Members with their places.
#[derive(Debug)]
pub(super) struct Placed {
    /// Members in declaration order.
    pub members: Vec<LaidOutMember>,
    /// End, without tail padding.
    pub size: Extent,
    /// Largest alignment of a member with bytes.
    pub alignment: Alignment,
}

/// Whether a block's members are declared directly in it rather than in a struct type.
pub(super) fn is_direct(kind: BlockKind) -> bool {
    match kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer | BlockKind::Globals => true,
        BlockKind::ConstantBuffer
        | BlockKind::TextureBuffer
        | BlockKind::ParameterBlock
        | BlockKind::StructuredElement
        | BlockKind::PushConstant
        | BlockKind::EntryUniforms
        | BlockKind::Pointee
        | BlockKind::UniformBlock
        | BlockKind::StorageBlock => false,
    }
}

/// Measures and places the members of `ty`.
pub(super) fn members(
    walk: &mut Walk<'_>,
    ty: &StructType,
    placement: &Placement,
    level: Level,
) -> Result<Placed, Stop> {
    let mut slots = Slots { placement, level, slots: Vec::new() };
    slots.fill(walk, ty)?;
    let slots = slots.slots;
    let mut cursor = Cursor::new(placement, walk.options.sixteen_bit);
    let mut offsets = vec![0; slots.len()];
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..slots.len()).partition(|index| slots[*index].is_first());
    for index in first.into_iter().chain(rest) {
        let slot = &slots[index];
        offsets[index] = walk.inside(&slot.name, |walk| cursor.place(walk, slot))?;
    }
    if slots.iter().any(|slot| slot.explicit.is_some()) {
        let ranges: Vec<_> = slots.iter().zip(&offsets).map(|(slot, offset)| slot.range(*offset)).collect();
        explicit::warn_of_overlaps(walk, &ranges);
    }
    let reordered = slots.iter().any(|slot| matches!(slot.explicit, Some(Explicit::InOrder(_))));
    let alignment = slots.iter().filter(|slot| !slot.is_empty()).map(|slot| slot.measured.alignment).max();
    Ok(Placed {
        size: cursor.size(reordered && walk.rules.vk_offset == VkOffset::HonouredEndsWithLast),
        alignment: alignment.unwrap_or(Alignment::ONE),
        members: slots.into_iter().zip(offsets).flat_map(|(slot, offset)| slot.into_members(offset)).collect(),
    })
}

/// One thing to place: a member, a base struct, or a storage unit of bit-fields.
#[derive(Debug)]
struct Slot {
    name: String,
    is_base: bool,
    measured: Measured,
    explicit: Option<Explicit>,
    precision: Precision,
    unit: Option<Unit>,
    fields: Vec<Field>,
}

/// A bit-field of a storage unit.
#[derive(Debug)]
struct Field {
    name: String,
    type_name: String,
    bits: BitRange,
}

/// What a member does to the kind of the current 16-byte row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    Normal,
    Minimum,
    Unchanged,
}

impl Precision {
    fn of(ty: &Type) -> Self {
        match ty {
            Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. }
                if scalar.is_minimum_precision() =>
            {
                Self::Minimum
            }
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Struct(_)
            | Type::Enum(_)
            | Type::Pointer { .. } => Self::Normal,
            Type::Array { .. } | Type::Resource(_) => Self::Unchanged,
        }
    }
}

impl Slot {
    fn is_first(&self) -> bool {
        matches!(self.explicit, Some(Explicit::First(_)))
    }

    fn is_empty(&self) -> bool {
        self.measured.layout.size == Extent::Finite(0)
    }

    /// The rounding before any straddle test.
    fn start(&self) -> Alignment {
        Alignment::new(self.measured.layout.alignment).expect("layouts take it from an alignment")
    }

    fn range(&self, offset: u32) -> (&str, Range<u32>) {
        (&self.name, offset..self.measured.layout.size.finite().map_or(u32::MAX, |size| offset.saturating_add(size)))
    }

    fn into_members(self, offset: u32) -> Vec<LaidOutMember> {
        let Self { name, is_base, measured: Measured { layout, .. }, fields, .. } = self;
        if fields.is_empty() {
            return vec![LaidOutMember { name, is_base, offset, bits: None, layout }];
        }
        let field = |Field { name, type_name, bits }| {
            let layout = LaidOut { type_name, ..layout.clone() };
            LaidOutMember { name, is_base: false, offset, bits: Some(bits), layout }
        };
        fields.into_iter().map(field).collect()
    }
}

/// The slots of one struct.
#[derive(Debug)]
struct Slots<'a> {
    placement: &'a Placement,
    level: Level,
    slots: Vec<Slot>,
}

impl Slots<'_> {
    fn fill(&mut self, walk: &mut Walk<'_>, ty: &StructType) -> Result<(), Stop> {
        let mut failed = false;
        if let Some(base) = &ty.base {
            failed |= walk.inside("", |walk| self.push_base(walk, Type::Struct(base.clone()))).is_err();
        }
        for member in &ty.members {
            failed |= walk.inside(&member.name, |walk| self.push_member(walk, member)).is_err();
        }
        if failed { Err(Stop::Reported) } else { Ok(()) }
    }

    fn push_base(&mut self, walk: &mut Walk<'_>, base: Type) -> Result<(), Stop> {
        let measured = walk.measure(&base, self.placement)?;
        self.slots.push(Slot {
            name: String::new(),
            is_base: true,
            measured,
            explicit: None,
            precision: Precision::Normal,
            unit: None,
            fields: Vec::new(),
        });
        Ok(())
    }

    fn push_member(&mut self, walk: &mut Walk<'_>, member: &Member) -> Result<(), Stop> {
        let mut slot = Slot {
            name: member.name.clone(),
            is_base: false,
            measured: walk.measure(&member.ty, self.placement)?,
            explicit: explicit::of(walk, member, self.level)?,
            precision: Precision::of(&member.ty),
            unit: None,
            fields: Vec::new(),
        };
        let Some(width) = member.bit_width else {
            self.slots.push(slot);
            return Ok(());
        };
        let component = bit_field_component(walk, &slot.measured.layout, width)?;
        if width == 0 {
            self.end_unit(walk);
            return Ok(());
        }
        let field = |bits| Field { name: member.name.clone(), type_name: member.ty.to_string(), bits };
        if slot.explicit.is_none() {
            if let Some(bits) = self.share(walk, component, width)? {
                self.slots.last_mut().expect("only the last slot shares its unit").fields.push(field(bits));
                return Ok(());
            }
        }
        let (unit, bits) = Unit::new(component, width);
        slot.unit = Some(unit);
        slot.fields.push(field(bits));
        self.slots.push(slot);
        Ok(())
    }

    fn end_unit(&mut self, walk: &Walk<'_>) {
        if let Some(last) = self.slots.last_mut() {
            last.unit = last.unit.filter(|_| !zero_width_ends_unit(walk.rules.bit_fields));
        }
    }

    /// Puts a bit-field into the last slot's unit, if it takes it.
    fn share(&mut self, walk: &mut Walk<'_>, component: Component, width: u32) -> Result<Option<BitRange>, Stop> {
        let Some((last, unit)) = self.slots.last_mut().and_then(|last| Some((&mut last.measured, last.unit.as_mut()?)))
        else {
            return Ok(None);
        };
        let before = unit.component;
        let bits = unit.take(walk.rules.bit_fields, component, width);
        if unit.component != before {
            *last = walk.measure(&Type::Scalar(component.scalar), self.placement)?;
        }
        Ok(bits)
    }
}

fn bit_field_component(walk: &mut Walk<'_>, layout: &LaidOut, width: u32) -> Result<Component, Stop> {
    forbid::bit_field(walk);
    let LaidOutShape::Scalar(component) = layout.shape else {
        return Err(walk.refuse(format!("is a bit-field of type {}", layout.type_name)));
    };
    if width > component.size * 8 {
        return Err(walk.refuse(format!("has {width} bits of {}, which has {}", layout.type_name, component.size * 8)));
    }
    Ok(component)
}

/// Where the next member may stand.
#[derive(Debug)]
struct Cursor<'a> {
    placement: &'a Placement,
    rows: bool,
    row: Precision,
    next: u32,
    highest: u32,
    unbounded: bool,
}

impl<'a> Cursor<'a> {
    fn new(placement: &'a Placement, sixteen_bit: SixteenBit) -> Self {
        let rows = placement.minimum_precision_rows && sixteen_bit == SixteenBit::Off;
        Self { placement, rows, row: Precision::Normal, next: 0, highest: 0, unbounded: false }
    }

    fn place(&mut self, walk: &mut Walk<'_>, slot: &Slot) -> Result<u32, Stop> {
        if self.unbounded && !slot.is_empty() {
            return Err(walk.refuse("follows an array without end"));
        }
        let offset = match slot.explicit {
            Some(Explicit::First(offset) | Explicit::InOrder(offset)) => offset,
            Some(Explicit::Ascending(offset)) if offset < self.next => {
                let end = self.next;
                return Err(walk.refuse(format!("packoffset {offset} lies below the previous member's end {end}")));
            }
            Some(Explicit::Ascending(offset)) => offset,
            None => self.fit(slot)?,
        };
        let end = match slot.measured.layout.size {
            Extent::Finite(size) => add(offset, size)?,
            Extent::Unbounded => {
                self.unbounded = true;
                offset
            }
        };
        self.highest = self.highest.max(end);
        self.next = if slot.is_first() { self.highest } else { end };
        Ok(offset)
    }

    /// The first place behind the member before.
    fn fit(&mut self, slot: &Slot) -> Result<u32, Stop> {
        if slot.is_empty() {
            return Ok(self.fit_empty(slot)?);
        }
        let mut start = self.next;
        if self.rows && slot.precision != Precision::Unchanged {
            if slot.precision != self.row {
                start = Alignment::REGISTER.round_up(start)?;
            }
            self.row = slot.precision;
        }
        let offset = slot.start().round_up(start)?;
        let straddles = slot.measured.whole.is_some_and(|size| offset % 16 + size > 16);
        Ok(if straddles { Alignment::REGISTER.round_up(offset)? } else { offset })
    }

    fn fit_empty(&self, slot: &Slot) -> Result<u32, TooLarge> {
        let aggregate = match slot.measured.layout.shape {
            LaidOutShape::Struct(_) | LaidOutShape::Array { .. } => !slot.is_base,
            LaidOutShape::Scalar(_)
            | LaidOutShape::Vector { .. }
            | LaidOutShape::Matrix { .. }
            | LaidOutShape::Pointer
            | LaidOutShape::Resource => false,
        };
        match self.placement.empty {
            EmptyMembers::StartRegister if aggregate => Alignment::REGISTER.round_up(self.next),
            EmptyMembers::Aligned => slot.start().round_up(self.next),
            EmptyMembers::StartRegister | EmptyMembers::Nothing => Ok(self.next),
        }
    }

    fn size(&self, ends_with_last: bool) -> Extent {
        match (self.unbounded, ends_with_last) {
            (true, _) => Extent::Unbounded,
            (false, true) => Extent::Finite(self.next),
            (false, false) => Extent::Finite(self.highest),
        }
    }
}
