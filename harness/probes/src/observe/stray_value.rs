//! Explains an answer that is no word of an image: bytes of the upload from an odd place, half of a
//! word, a value of another buffer.

use std::fmt::Write as _;

use super::checked_answer::{CheckedAnswer, word_at};
use crate::image::encoding::{DIGITS, Half, Ink, Plane, WordCode};
use crate::image::{BEFORE_WORD, DecodedWord, decode};

/// What an answer of 32 bits is, as the rest of a sentence. It is `nothing that was uploaded` only
/// if no buffer of the dispatches contains these four bytes, and no word contains them as a half.
pub(super) fn stray_word(word: u32, views: &[CheckedAnswer<'_>]) -> String {
    for view in views.iter().filter(|view| view.run.ink == Ink::Words(Half::Low)) {
        let memory = BlockMemory::of(view);
        if let Some(place) = memory.place_of(word) {
            return memory.sentence(place);
        }
        if let Some(place) = memory.place_of(!word) {
            return format!("the complement of {}", memory.sentence(place));
        }
        if let Some(half) = memory.half(word) {
            return half;
        }
        if let Some((buffer, byte)) = other_place(word, view) {
            return format!("the bytes from byte {byte} of the {buffer} buffer on");
        }
    }
    "nothing that was uploaded".to_owned()
}

/// What the answers for one unit in all planes are, if together they name no byte.
pub(super) fn stray_unit(code: WordCode, units: &[(Plane, &[u8])]) -> String {
    let is_digit = |unit: &[u8], turned: bool| {
        let byte = if turned { !unit[0] } else { unit[0] };
        match code {
            WordCode::Bytes => DIGITS.contains(&byte),
            WordCode::Truth { .. } => byte <= 1 && !turned,
        }
    };
    let first = units.first().map(|(_, unit)| *unit);
    if units.iter().all(|(_, unit)| Some(*unit) == first) {
        return "the same value in every image, whatever was uploaded".to_owned();
    }
    if units.iter().all(|(_, unit)| is_digit(unit, false)) {
        return "digits of several bytes, which together name none".to_owned();
    }
    if units.iter().all(|(_, unit)| is_digit(unit, true)) {
        return "the complement of what was uploaded".to_owned();
    }
    "nothing that was uploaded".to_owned()
}

/// The memory of the block, from its first byte on, as it was uploaded.
struct BlockMemory {
    bytes: Vec<u8>,
}

impl BlockMemory {
    fn of(view: &CheckedAnswer<'_>) -> Self {
        let bytes = match view.block {
            Some((job, _)) => [&job.bytes[..], &job.after].concat(),
            None => view.run.job.push_constants.clone(),
        };
        Self { bytes }
    }

    /// The byte from which on the memory holds `word`, which is at no multiple of 4.
    ///
    /// The part of a tag says how far off the word was read, and the rest of the value names the
    /// offset, so only a few places need a look.
    fn place_of(&self, word: u32) -> Option<i64> {
        let [a, b, c, d] = word.to_le_bytes().map(u32::from);
        // One, two or three bytes of the word before `next` are missing.
        let one = (a << 8 | d.wrapping_sub(4) & 0xFF, 1);
        let two = ((d << 8 | c).wrapping_sub(4) & 0xFFFF, 2);
        let three = ((c << 8 | b).wrapping_sub(4) & 0xFFFF, 3);
        let inside = [one, two, three].map(|(start, late)| i64::from(start + late));
        inside.into_iter().chain(-3..0).find(|place| self.word(*place) == Some(word))
    }

    /// The word from a byte on; memory before the block is filled.
    fn word(&self, place: i64) -> Option<u32> {
        let byte = |at: i64| match usize::try_from(at) {
            Ok(at) => self.bytes.get(at).copied(),
            Err(_) => BEFORE_WORD.to_le_bytes().get(usize::try_from(at.rem_euclid(4)).ok()?).copied(),
        };
        let bytes = [byte(place)?, byte(place + 1)?, byte(place + 2)?, byte(place + 3)?];
        Some(u32::from_le_bytes(bytes))
    }

    /// `the word of byte 56, read one byte late`.
    fn sentence(&self, place: i64) -> String {
        let (start, how) = match place.rem_euclid(4) {
            1 => (place - 1, "one byte late"),
            2 => (place - 2, "two bytes late"),
            _ => (place + 1, "one byte early"),
        };
        let mut text = format!("the word of byte {start}, read {how}");
        if self.bytes.len() > 1 << 16 {
            text += " (offsets modulo 65536)";
        }
        text
    }

    /// Recognizes half a word above or below zeros or copies of the sign.
    fn half(&self, word: u32) -> Option<String> {
        let (low, high) = (word & 0xFFFF, word >> 16);
        if high != 0 && high != 0xFFFF {
            return None;
        }
        match decode(low << 16) {
            DecodedWord::Data(_) => return Some("the upper half of a word of data".to_owned()),
            DecodedWord::Padding(_) => return Some("the upper half of a word of padding".to_owned()),
            DecodedWord::Guard(_) => return Some("the upper half of a guard".to_owned()),
            _ => {}
        }
        let is_offset = high == 0 && low % 4 == 0 && (low as usize) < self.bytes.len();
        is_offset.then(|| format!("which the lower half of the word of byte {low} would be"))
    }
}

/// Finds four bytes in the buffers other than the block.
fn other_place(word: u32, view: &CheckedAnswer<'_>) -> Option<(String, usize)> {
    let buffers = [("input", view.input_job), ("output", view.output_job)];
    let others = buffers.map(|(name, job)| (name.to_owned(), job)).into_iter();
    let elements = view.elements.iter().map(|(job, _)| {
        let mut name = String::from("array's ");
        write!(name, "element {}", job.element).expect("a string takes every text");
        (name, *job)
    });
    let copy = view.copy.map(|(job, _)| ("copy's".to_owned(), job));
    others.chain(elements).chain(copy).find_map(|(name, job)| {
        let mut starts = 0..job.bytes.len().saturating_sub(3);
        starts.find(|start| word_at(&job.bytes, *start) == word).map(|start| (name, start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> BlockMemory {
        let words = [0xC0DE_0000_u32, 0xBADD_0004, 0xC0DE_0008, 0xCAFE_000C];
        BlockMemory { bytes: words.into_iter().flat_map(u32::to_le_bytes).collect() }
    }

    fn meaning(word: u32) -> Option<String> {
        let memory = memory();
        memory.place_of(word).map(|place| memory.sentence(place)).or_else(|| memory.half(word))
    }

    /// Every window of the memory at an odd place is recognized.
    #[test]
    fn a_word_read_too_early_or_too_late_is_named() {
        for (word, expected) in [
            (0x04C0_DE00, "the word of byte 0, read one byte late"),
            (0x0004_C0DE, "the word of byte 0, read two bytes late"),
            (0xDD00_04C0, "the word of byte 4, read one byte early"),
            (0x08BA_DD00, "the word of byte 4, read one byte late"),
            (0xFE00_0CC0, "the word of byte 12, read one byte early"),
            (0xDE00_00BE, "the word of byte 0, read one byte early"),
        ] {
            assert_eq!(meaning(word).as_deref(), Some(expected), "{word:#010X}");
        }
        for place in (1..13).filter(|place| place % 4 != 0) {
            let word = memory().word(place).unwrap();
            assert_eq!(memory().place_of(word), Some(place), "{word:#010X}");
        }
    }

    #[test]
    fn half_a_word_is_named() {
        assert_eq!(meaning(0x0000_C0DE).as_deref(), Some("the upper half of a word of data"));
        assert_eq!(meaning(0xFFFF_C0DE).as_deref(), Some("the upper half of a word of data"));
        assert_eq!(meaning(8).as_deref(), Some("which the lower half of the word of byte 8 would be"));
        assert_eq!([meaning(16), meaning(6), meaning(0x1234_5678)], [None, None, None]);
    }

    #[test]
    fn planes_that_name_no_byte_say_why() {
        let planes = WordCode::Bytes.planes(4);
        let said = |byte: fn(usize) -> u8| {
            let units: Vec<[u8; 1]> = (0..planes.len()).map(|index| [byte(index)]).collect();
            let units: Vec<(Plane, &[u8])> = planes.iter().copied().zip(units.iter().map(|unit| &unit[..])).collect();
            stray_unit(WordCode::Bytes, &units)
        };
        assert_eq!(said(|_| 0x35), "the same value in every image, whatever was uploaded");
        assert_eq!(said(|index| DIGITS[usize::from(index > 1)]), "digits of several bytes, which together name none");
        assert_eq!(said(|index| !DIGITS[index % 2]), "the complement of what was uploaded");
        assert_eq!(said(|index| [0x35, 7][index % 2]), "nothing that was uploaded");
    }
}
