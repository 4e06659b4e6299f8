//! A number line of slots: the reserved ranges, and the search for the first gap that is wide
//! enough.
//!
//! Each line covers one unit in one space. Sources: Slang user guide, Parameter Layout Rules,
//! Allocating Bindings to Parameters; wg-hlsl 0024, implicit resource binding.

use layoutproof_layout::shape::Count;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotReservation<T> {
    pub first: u32,
    pub last: u32,
    pub owner: T,
}

/// The reserved ranges of one number line, sorted by first slot. Ranges may overlap if a compiler
/// lets them.
#[derive(Clone, Debug)]
pub struct SlotLine<T> {
    held: Vec<SlotReservation<T>>,
}

impl<T> Default for SlotLine<T> {
    fn default() -> Self {
        Self { held: Vec::new() }
    }
}

impl<T: Copy> SlotLine<T> {
    /// Returns the last of `count` slots from `first` on, cut at the end of the line; `None` for no
    /// slots.
    pub fn last(first: u32, count: Count) -> Option<u32> {
        match count {
            Count::Finite(count) => Some(first.saturating_add(count.checked_sub(1)?)),
            Count::Unbounded => Some(u32::MAX),
        }
    }

    /// Reserves `count` slots from `first` on, overlapping or not. Returns the first older
    /// reservation that they overlap.
    pub fn reserve(&mut self, first: u32, count: Count, owner: T) -> Option<SlotReservation<T>> {
        let last = Self::last(first, count)?;
        let overlapped = self.holders(first, last).next();
        let place = self.held.partition_point(|held| held.first <= first);
        self.held.insert(place, SlotReservation { first, last, owner });
        overlapped
    }

    /// Returns the last reservation that overlaps `count` slots from `first` on.
    pub fn last_holder(&self, first: u32, count: Count) -> Option<SlotReservation<T>> {
        self.holders(first, Self::last(first, count)?).last()
    }

    fn holders(&self, first: u32, last: u32) -> impl Iterator<Item = SlotReservation<T>> {
        self.held.iter().filter(move |held| held.first <= last && first <= held.last).copied()
    }

    /// Returns the first slot of the lowest gap of `count` free slots from `start` on; `None` if no
    /// gap fits.
    pub fn first_fit(&self, count: Count, start: u32) -> Option<u32> {
        let mut first = start;
        for held in &self.held {
            let last = Self::last(first, count)?;
            if held.last < first {
                continue;
            }
            if last < held.first && !cut(first, count) {
                break;
            }
            first = held.last.checked_add(1)?;
        }
        (!cut(first, count)).then_some(first)
    }

    /// Returns the slot after the highest reserved one; `None` if that is the end of the line.
    pub fn behind_all(&self) -> Option<u32> {
        self.held.iter().map(|held| held.last).max().map_or(Some(0), |last| last.checked_add(1))
    }
}

/// True if `count` slots from `first` on run past the end of the line.
fn cut(first: u32, count: Count) -> bool {
    match count {
        Count::Finite(count) => count > 0 && first.checked_add(count - 1).is_none(),
        Count::Unbounded => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// wg-hlsl 0024, implicit resource binding, example 2.1: ranges that fit before or after
    /// reserved ones.
    #[test]
    fn ranges_take_the_lowest_gap_that_fits() {
        let mut line = SlotLine::default();
        line.reserve(2, Count::Finite(1), 'A');
        let four = line.first_fit(Count::Finite(4), 0);
        assert_eq!(four, Some(3));
        line.reserve(3, Count::Finite(4), 'B');
        assert_eq!(line.first_fit(Count::Finite(2), 0), Some(0));
        line.reserve(0, Count::Finite(2), 'C');
        assert_eq!(line.first_fit(Count::Finite(2), 0), Some(7));
    }

    /// The same document, example 3.1: an unbounded range goes after the highest slot, and nothing
    /// fits after it.
    #[test]
    fn an_unbounded_range_ends_the_line() {
        let mut line = SlotLine::default();
        line.reserve(1, Count::Finite(1), 'A');
        line.reserve(5, Count::Finite(1), 'C');
        assert_eq!(line.behind_all(), Some(6));
        line.reserve(6, Count::Unbounded, 'B');
        assert_eq!(line.first_fit(Count::Finite(3), 0), Some(2));
        assert_eq!(line.first_fit(Count::Finite(4), 0), None);
        assert_eq!(line.behind_all(), None);
    }

    #[test]
    fn an_overlap_names_the_holder() {
        let mut line = SlotLine::default();
        line.reserve(3, Count::Finite(4), 'a');
        assert_eq!(line.reserve(5, Count::Finite(1), 'm').map(|held| held.owner), Some('a'));
        assert_eq!(line.last_holder(0, Count::Unbounded).map(|held| held.owner), Some('m'));
        assert_eq!(line.last_holder(7, Count::Finite(2)), None);
    }
}
