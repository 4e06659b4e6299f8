//! Alignments, and the arithmetic on sizes and offsets that all layouts use: checked, capped at
//! 2^31 bytes.

use std::fmt;

use serde::Serialize;

/// Largest size or offset of a layout, in bytes.
pub const MAX_BYTES: u32 = 1 << 31;

/// A size or an offset beyond [`MAX_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// A power of two, in bytes, that an offset must be a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Alignment(u32);

impl Alignment {
    /// Every offset is a multiple.
    pub const ONE: Self = Self(1);
    pub const FOUR: Self = Self(4);
    pub const EIGHT: Self = Self(8);
    /// A 16-byte register of a D3D constant buffer, a `vec4` of GLSL.
    pub const REGISTER: Self = Self(16);

    /// The alignment of `bytes`, `None` unless it is a power of two up to [`MAX_BYTES`].
    pub const fn new(bytes: u32) -> Option<Self> {
        if bytes.is_power_of_two() { Some(Self(bytes)) } else { None }
    }

    /// The smallest alignment of at least `size` bytes; 1 for a size of 0.
    pub fn containing(size: u32) -> Result<Self, TooLarge> {
        size.checked_next_power_of_two().map(Self).ok_or(TooLarge)
    }

    pub const fn bytes(self) -> u32 {
        self.0
    }

    /// The first multiple at or after `offset`.
    pub fn round_up(self, offset: u32) -> Result<u32, TooLarge> {
        offset.checked_next_multiple_of(self.0).filter(|rounded| *rounded <= MAX_BYTES).ok_or(TooLarge)
    }

    pub fn divides(self, offset: u32) -> bool {
        offset.is_multiple_of(self.0)
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

pub fn add(a: u32, b: u32) -> Result<u32, TooLarge> {
    a.checked_add(b).filter(|sum| *sum <= MAX_BYTES).ok_or(TooLarge)
}

pub fn multiply(bytes: u32, count: u32) -> Result<u32, TooLarge> {
    bytes.checked_mul(count).filter(|product| *product <= MAX_BYTES).ok_or(TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_are_alignments() {
        let accepted: Vec<u32> = (0..=17).filter(|bytes| Alignment::new(*bytes).is_some()).collect();
        assert_eq!(accepted, [1, 2, 4, 8, 16]);
        assert_eq!(Alignment::new(MAX_BYTES).map(Alignment::bytes), Some(1 << 31));
    }

    #[test]
    fn rounding_goes_up_and_stays_on_multiples() {
        let rounded: Vec<u32> = [0, 1, 15, 16, 17].map(|n| Alignment::REGISTER.round_up(n).unwrap()).to_vec();
        assert_eq!(rounded, [0, 16, 16, 16, 32]);
        assert_eq!(Alignment::ONE.round_up(7), Ok(7));
    }

    #[test]
    fn nothing_passes_the_cap() {
        assert_eq!(add(MAX_BYTES - 1, 1), Ok(MAX_BYTES));
        assert_eq!(add(MAX_BYTES, 1), Err(TooLarge));
        assert_eq!(add(u32::MAX, u32::MAX), Err(TooLarge));
        assert_eq!(multiply(1 << 16, 1 << 15), Ok(MAX_BYTES));
        assert_eq!(multiply(1 << 16, 1 << 16), Err(TooLarge));
        assert_eq!(Alignment::REGISTER.round_up(MAX_BYTES + 1), Err(TooLarge));
        assert_eq!(Alignment::containing(u32::MAX), Err(TooLarge));
    }

    #[test]
    fn the_smallest_power_of_two_that_holds_a_size() {
        assert_eq!([0, 1, 3, 12, 24].map(|n| Alignment::containing(n).unwrap().bytes()), [1, 1, 4, 16, 32]);
    }
}
