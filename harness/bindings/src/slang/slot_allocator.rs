//! All number lines of a program: one for each unit in each space, and one for the spaces
//! themselves.
//!
//! Source: Slang user guide, Parameter Layout Rules, Allocating Bindings to Parameters.

use std::collections::BTreeMap;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};

use super::explicit::FixedSlot;
use crate::slots::{SlotLine, SlotReservation};

/// The parameter that holds slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlotOwner<'m> {
    pub(super) name: &'m str,
    /// The declaration.
    pub(super) span: Span,
}

/// The slots and spaces that are taken so far.
#[derive(Debug)]
pub(super) struct SlotAllocator<'m> {
    /// True if an explicit slot takes its space only if it names one.
    named_spaces_only: bool,
    /// The line of each unit and space.
    slots: BTreeMap<(LayoutUnit, u32), SlotLine<SlotOwner<'m>>>,
    spaces: SlotLine<()>,
}

impl<'m> SlotAllocator<'m> {
    /// Makes an allocator without taken slots.
    pub(super) fn new(named_spaces_only: bool) -> Self {
        Self { named_spaces_only, slots: BTreeMap::new(), spaces: SlotLine::default() }
    }

    /// Takes `count` explicit slots. Returns the holder of one of them, if any.
    pub(super) fn fix(
        &mut self,
        fixed: FixedSlot,
        count: Count,
        owner: SlotOwner<'m>,
    ) -> Option<SlotReservation<SlotOwner<'m>>> {
        if fixed.unit == LayoutUnit::Space {
            // Only the first space: spaces of blocks inside are not reserved (Slang 2026.14.1).
            self.mark_space(fixed.index);
        } else if fixed.space.is_some() || !self.named_spaces_only {
            // This also holds for units without spaces: if the only explicit slot of a program is a
            // `constant_id`, space 0 is taken.
            self.mark_space(fixed.space.unwrap_or(0));
        }
        self.slots.entry((fixed.unit, fixed.space.unwrap_or(0))).or_default().reserve(fixed.index, count, owner)
    }

    /// Reserves registers of space 0. The space itself stays free (Slang 2026.14.1).
    pub(super) fn reserve_register(&mut self, unit: LayoutUnit, index: u32, count: u32, owner: SlotOwner<'m>) {
        self.slots.entry((unit, 0)).or_default().reserve(index, Count::Finite(count), owner);
    }

    /// Takes the first gap of `count` slots; `None` if no gap fits.
    pub(super) fn take(&mut self, unit: LayoutUnit, space: u32, count: Count, owner: SlotOwner<'m>) -> Option<u32> {
        let line = self.slots.entry((unit, space)).or_default();
        let first = line.first_fit(count, 0)?;
        line.reserve(first, count, owner);
        Some(first)
    }

    /// Takes the first gap of `count` whole spaces; `None` if no gap fits.
    pub(super) fn take_spaces(&mut self, count: u32) -> Option<u32> {
        let first = self.spaces.first_fit(Count::Finite(count), 0)?;
        self.spaces.reserve(first, Count::Finite(count), ());
        Some(first)
    }

    /// Marks a space as taken.
    pub(super) fn mark_space(&mut self, space: u32) {
        self.spaces.reserve(space, Count::Finite(1), ());
    }

    /// Returns the first free space at or after `from`.
    pub(super) fn free_space(&self, from: u32) -> Option<u32> {
        self.spaces.first_fit(Count::Finite(1), from)
    }
}
