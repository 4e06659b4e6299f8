//! Places a struct's members one after the other.
//!
//! [`super::slots`] measures the members first. The walk turns the result into the struct's size and alignment.

use super::alignment::{Alignment, TooLarge, add};
use super::explicit::ExplicitPlace;
use super::rules::{EmptyMembers, Placement};
use super::slots::{self, MemberSlot, Precision};
use super::tree::{Extent, LaidOutMember, LaidOutShape};
use super::walk_state::{Level, Stop, WalkState};
use crate::scalar::SixteenBit;
use crate::shape::StructType;

#[derive(Debug)]
pub(super) struct PlacedMembers {
    pub members: Vec<LaidOutMember>,
    /// End of the members, without tail padding.
    pub size: Extent,
    /// Largest alignment of all members with bytes.
    pub alignment: Alignment,
}

/// Measures and places the members of `ty`.
pub(super) fn members(
    walk: &mut WalkState<'_>,
    ty: &StructType,
    placement: &Placement,
    level: Level,
) -> Result<PlacedMembers, Stop> {
    let slots = slots::of(walk, ty, placement, level)?;

    let mut cursor = Cursor::new(placement, walk.options.sixteen_bit);
    let mut offsets = vec![0; slots.len()];
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..slots.len()).partition(|index| slots[*index].is_first());
    let mut failed = false;
    for index in first.into_iter().chain(rest) {
        let slot = &slots[index];
        match walk.inside(&slot.name, |walk| cursor.place(walk, slot)) {
            Ok(offset) => offsets[index] = offset,
            Err(_) => failed = true,
        }
    }
    if failed {
        return Err(Stop::Reported);
    }

    let reordered = slots.iter().any(|slot| matches!(slot.explicit, Some(ExplicitPlace::InOrder(_))));
    let alignment = slots.iter().filter(|slot| !slot.is_empty()).map(|slot| slot.measured.alignment).max();
    Ok(PlacedMembers {
        size: cursor.size(reordered),
        alignment: alignment.unwrap_or(Alignment::ONE),
        members: slots.into_iter().zip(offsets).flat_map(|(slot, offset)| slot.into_members(offset)).collect(),
    })
}

#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    placement: &'a Placement,
    rows: bool,
    row: Precision,
    next: u32,
    highest: u32,
    unbounded: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(placement: &'a Placement, sixteen_bit: SixteenBit) -> Self {
        let rows = placement.minimum_precision_rows && sixteen_bit == SixteenBit::Off;
        Self { placement, rows, row: Precision::Normal, next: 0, highest: 0, unbounded: false }
    }

    fn place(&mut self, walk: &mut WalkState<'_>, slot: &MemberSlot) -> Result<u32, Stop> {
        if self.unbounded && !slot.is_empty() {
            return Err(walk.refuse("follows an array without end"));
        }

        let offset = match slot.explicit {
            Some(ExplicitPlace::Ascending(offset)) if offset < self.next => {
                let end = self.next;
                return Err(walk.refuse(format!("packoffset {offset} is before the end of the previous member, {end}")));
            }
            Some(ExplicitPlace::First(offset) | ExplicitPlace::InOrder(offset) | ExplicitPlace::Ascending(offset)) => {
                offset
            }
            None => self.fit(slot)?,
        };
        let end = match slot.extent() {
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

    /// Places a member with a size and without an explicit offset; its offset. [`super::reorder`]
    /// tries orders with it, without a walk.
    pub(super) fn push(&mut self, slot: &MemberSlot) -> Result<u32, TooLarge> {
        let offset = self.fit(slot)?;
        let end = add(offset, slot.extent().finite().unwrap_or(0))?;
        self.highest = self.highest.max(end);
        self.next = end;
        Ok(offset)
    }

    /// Where the next member may start.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// The same position in another struct, `next` bytes from its start.
    pub(super) fn at(&self, next: u32) -> Self {
        Self { next, highest: next, ..self.clone() }
    }

    /// True if the current 16-byte row holds minimum-precision values.
    pub(super) fn is_in_minimum_row(&self) -> bool {
        self.row == Precision::Minimum
    }

    /// The first valid offset after the previous member.
    fn fit(&mut self, slot: &MemberSlot) -> Result<u32, TooLarge> {
        if slot.is_empty() {
            return self.fit_empty(slot);
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

    fn fit_empty(&self, slot: &MemberSlot) -> Result<u32, TooLarge> {
        let aggregate = match slot.measured.layout.shape {
            LaidOutShape::Struct(_) | LaidOutShape::Array { .. } => !slot.is_base,
            _ => false,
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
