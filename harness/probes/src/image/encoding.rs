//! Inks: encodings of positions in the bytes of an image.
//!
//! A 32-bit word has room for a tag and 16 bits of its own offset, so a block beyond 64 KiB needs a
//! second image with the upper 16 bits. Narrower numbers have no room for a tag. They use one
//! image, called a plane, per binary digit of the offset, in which each byte holds that digit of
//! its offset, plus one plane that separates data from padding.
//!
//! Each plane is repeated with complemented digits, so a value that does not change with the digit
//! (a read out of bounds, a missing descriptor) is recognized as no digit. A bool only keeps its
//! truth value, so its planes hold 0 and 1.

use super::{DATA_TAG, TAG_MASK};
use layoutproof_layout::Component;
use layoutproof_layout::scalar::Scalar;

/// The bytes for the digits 0 and 1. In any combination they form normal 16-bit floats, which no
/// device changes. Neither is the complement of the other or of itself, or part of a fill.
pub(crate) const DIGITS: [u8; 2] = [0x35, 0x4A];

/// How one dispatch's bytes encode their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Each 32-bit word carries half of its offset under a tag.
    Words(Half),
    /// Each byte carries one digit of its offset.
    Plane(Plane),
}

/// The 16 bits of an offset that words carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Half {
    /// The lower bits, which are enough for blocks of up to 64 KiB.
    Low,
    /// The upper bits.
    High,
}

impl Half {
    /// Returns the halves that distinguish all offsets below `end`.
    pub fn needed(end: u32) -> &'static [Self] {
        if end <= 1 << 16 { &[Self::Low] } else { &[Self::Low, Self::High] }
    }

    /// Extracts this half of an offset.
    pub fn of(self, offset: u32) -> u32 {
        match self {
            Self::Low => offset & 0xFFFF,
            Self::High => offset >> 16,
        }
    }
}

/// Distinguishes the words of one dispatch from those of the seven dispatches before it: three bits
/// of the tag of data, and of its complement. A device that reads bytes which one of these uploaded
/// or stored thus never returns the right word. The first dispatch of a plan changes no bit.
///
/// Planes have no room for a salt and need none: a plane and the one before it never hold the same
/// digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Salt(u32);

impl Salt {
    const SHIFT: u32 = 24;
    const BITS: u32 = 7 << Self::SHIFT;

    /// The salt of dispatch `number`, which counts from 1.
    pub fn of_dispatch(number: u32) -> Self {
        Self((number.wrapping_sub(1) << Self::SHIFT) & Self::BITS)
    }

    /// Adds the salt to a word, or removes it. Words other than data stay.
    pub fn turn(self, word: u32) -> u32 {
        let is_data = [DATA_TAG, !DATA_TAG].iter().any(|tag| (word ^ tag) & TAG_MASK & !Self::BITS == 0);
        if is_data { word ^ self.0 } else { word }
    }

    /// Adds the salt to each word of an image.
    pub(crate) fn add(self, bytes: &mut [u8]) {
        for word in bytes.chunks_exact_mut(4) {
            let turned = self.turn(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            word.copy_from_slice(&turned.to_le_bytes());
        }
    }

    /// The tag of `word` if no dispatch had a salt; `None` if the word is no data.
    pub(super) fn bare_tag(word: u32) -> Option<u32> {
        [DATA_TAG, !DATA_TAG & TAG_MASK].into_iter().find(|tag| (word ^ tag) & TAG_MASK & !Self::BITS == 0)
    }
}

/// The alphabet of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordCode {
    /// Every byte carries a digit, for numbers of 8 and 16 bits.
    Bytes,
    /// Every unit of this many bytes, counted from the start of the block, is 0 or 1, for bools.
    /// Code that reads a bool from parts of two units therefore shows the later one; other values than
    /// 0 and 1 would tell, but Clang takes the lowest bit of a bool.
    Truth {
        /// Bytes of a bool.
        width: u32,
    },
}

/// The property of an offset that a plane encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digit {
    /// This binary digit, counted from the least significant one.
    Offset(u32),
    /// One bit: data or padding.
    Data,
}

/// One image of a set of planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    pub code: WordCode,
    /// The encoded property.
    pub digit: Digit,
    /// True if all digits are complemented.
    pub complemented: bool,
}

impl Ink {
    /// Returns the alphabet; `None` for words.
    pub fn code(self) -> Option<WordCode> {
        match self {
            Self::Words(_) => None,
            Self::Plane(plane) => Some(plane.code),
        }
    }
}

impl WordCode {
    /// Returns the alphabet that encodes a leaf's position; `None` if its words can carry tags.
    pub fn of(component: Component) -> Option<Self> {
        match component.scalar {
            Scalar::Bool => Some(Self::Truth { width: component.size }),
            _ if component.size < 4 => Some(Self::Bytes),
            _ => None,
        }
    }

    /// Returns the number of bytes that carry one digit.
    pub fn unit(self) -> u32 {
        match self {
            Self::Bytes => 1,
            Self::Truth { width } => width,
        }
    }

    /// Returns the planes that distinguish all offsets below `end`.
    pub fn planes(self, end: u32) -> Vec<Plane> {
        let digits = (0..u32::BITS - end.saturating_sub(1).leading_zeros()).map(Digit::Offset);
        let pairs = digits.chain([Digit::Data]).flat_map(|digit| [(digit, false), (digit, true)]);
        pairs.map(|(digit, complemented)| Plane { code: self, digit, complemented }).collect()
    }

    /// Decodes the digit of one unit; `None` if the bytes are no digit.
    fn read(self, unit: &[u8]) -> Option<bool> {
        let (first, rest) = unit.split_first()?;
        let letters = match self {
            Self::Bytes => DIGITS,
            Self::Truth { .. } => [0, 1],
        };
        let digit = letters.iter().position(|letter| letter == first)?;
        rest.iter().all(|byte| *byte == 0).then_some(digit == 1)
    }
}

impl Plane {
    /// Returns the byte at `offset`, for data or padding.
    pub fn byte(self, offset: u32, data: bool) -> u8 {
        let within = offset % self.code.unit();
        let digit = match self.digit {
            Digit::Offset(place) => ((offset - within) >> place) & 1 == 1,
            Digit::Data => data,
        };
        let digit = usize::from(digit != self.complemented);
        match self.code {
            WordCode::Bytes => DIGITS[digit],
            WordCode::Truth { .. } if within == 0 => [0, 1][digit],
            WordCode::Truth { .. } => 0,
        }
    }
}

/// Combines one unit's bytes from all planes of a set into the offset and the data flag. Returns
/// `None` if a plane holds no digit or contradicts its complement.
pub fn assemble<'a>(readings: impl IntoIterator<Item = (Plane, &'a [u8])>) -> Option<(u32, bool)> {
    let mut offset = 0;
    let mut data = false;
    let mut seen: Option<(Digit, bool)> = None;

    for (plane, unit) in readings {
        let digit = plane.code.read(unit)? != plane.complemented;
        match seen {
            Some((same, before)) if same == plane.digit && before != digit => return None,
            Some(_) | None => seen = Some((plane.digit, digit)),
        }

        match plane.digit {
            Digit::Offset(place) => offset |= u32::from(digit) << place,
            Digit::Data => data = digit,
        }
    }

    seen.map(|_| (offset, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUTH: WordCode = WordCode::Truth { width: 4 };

    /// Returns the units at `offset` in all planes.
    fn units(code: WordCode, offset: u32, end: u32) -> Vec<(Plane, Vec<u8>)> {
        let bytes = |plane: Plane| (offset..offset + code.unit()).map(|at| plane.byte(at, true)).collect();
        code.planes(end).into_iter().map(|plane| (plane, bytes(plane))).collect()
    }

    fn assembled(units: &[(Plane, Vec<u8>)]) -> Option<(u32, bool)> {
        assemble(units.iter().map(|(plane, unit)| (*plane, &unit[..])))
    }

    #[test]
    fn planes_name_every_offset() {
        assert_eq!(WordCode::Bytes.planes(256).len(), 18);
        assert_eq!(WordCode::Bytes.planes(257).len(), 20);
        for (code, offset) in
            [(WordCode::Bytes, 0), (WordCode::Bytes, 77), (WordCode::Bytes, 255), (TRUTH, 0), (TRUTH, 252)]
        {
            assert_eq!(assembled(&units(code, offset, 256)), Some((offset, true)), "{code:?}");
        }
    }

    /// Padding, guards and fills keep their words.
    #[test]
    fn salts_change_data_alone_and_are_removed_by_adding_them_again() {
        let salts: Vec<Salt> = (1..=9).map(Salt::of_dispatch).collect();
        assert_eq!((salts[0], salts[8]), (Salt::default(), Salt::default()));
        for (index, salt) in salts.iter().enumerate() {
            for word in [0xC0DE_0024, !0xC0DE_0024] {
                let turned = salt.turn(word);
                assert!(f32::from_bits(turned).is_normal(), "{turned:#010X}");
                assert_eq!(salt.turn(turned), word);
                assert_eq!(turned == word, index % 8 == 0);
            }
            for word in [0xBADD_0024, 0xCAFE_0024, 0x600D_0001, 0xBEEF_BEEF, 0xF111_F111, 0xE1E1_E1E2, 0, !0] {
                assert_eq!(salt.turn(word), word);
            }
        }
    }

    #[test]
    fn what_never_changes_names_nothing() {
        for (code, constant) in [(WordCode::Bytes, [0x35, 0, 0, 0]), (TRUTH, [0; 4]), (TRUTH, [1, 0, 0, 0])] {
            let unit = |plane| (plane, constant[..code.unit() as usize].to_vec());
            let units: Vec<_> = code.planes(16).into_iter().map(unit).collect();
            assert_eq!(assembled(&units), None, "{code:?}");
        }
        assert_eq!(assembled(&[]), None);
    }

    #[test]
    fn bytes_are_normal_halves_in_any_mix() {
        for low in DIGITS {
            for high in DIGITS {
                let exponent = high >> 2 & 0x1F;
                assert!(exponent != 0 && exponent != 0x1F, "{low:#04X} {high:#04X}");
            }
        }
        assert_ne!(DIGITS[0], !DIGITS[1]);
    }
}
