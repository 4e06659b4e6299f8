//! Explains an answer that is no word of an image: bytes of the upload from an odd place, half of a
//! word, a value of another buffer.

use layoutproof_device::JobBuffer;

use super::checked_answer::{CheckedAnswer, word_at};
use crate::image::encoding::{DIGITS, Half, Ink, Plane, Salt, WordCode, assemble};
use crate::image::{BEFORE_WORD, DecodedWord, decode};

/// Words of a block that are compared with an answer. It may be one of them after a shift.
const SHIFTED_WORDS: usize = 1 << 14;

/// What an answer of 32 bits is, as the rest of a sentence; `word` has lost its dispatch's salt. It
/// is `nothing that was uploaded` only if no buffer of the dispatches contains these four bytes, and
/// no word contains them as a half or after a shift.
pub(super) fn stray_word(word: u32, views: &[CheckedAnswer<'_>]) -> String {
    for view in views.iter().filter(|view| view.run.ink == Ink::Words(Half::Low)) {
        let memory = BlockMemory::of(view);
        let word = view.run.salt.turn(word);
        if let Some(place) = memory.place_of(word) {
            return memory.sentence(place);
        }
        if let Some(place) = memory.place_of(!word) {
            return format!("the complement of {}", memory.sentence(place));
        }
        if let Some(half) = memory.half(word) {
            return half;
        }
        if let Some(shifted) = memory.shifted(word) {
            return shifted;
        }
        if let Some(place) = place_outside(word, view) {
            return place;
        }
    }

    let uploaded = views.iter().flat_map(uploads).any(|bytes| bytes.windows(4).any(|four| four == word.to_le_bytes()));
    if uploaded {
        return "bytes that another dispatch of the probe uploaded".to_owned();
    }
    if word.to_le_bytes().iter().all(|byte| DIGITS.contains(byte)) {
        return "bytes that a dispatch for narrow numbers uploads".to_owned();
    }
    "nothing that was uploaded".to_owned()
}

/// What the answers for one unit in all planes are, if together they name no byte.
pub(super) fn stray_unit(code: WordCode, units: &[(Plane, &[u8])], views: &[CheckedAnswer<'_>]) -> String {
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
    let of_planes_before = units.iter().zip(&units[1..]).map(|((plane, _), (_, unit))| (*plane, *unit));
    if let Some((offset, _)) = assemble(of_planes_before) {
        return format!("what the plane before had at byte {offset}");
    }
    if units.iter().all(|(_, unit)| is_digit(unit, false)) {
        return "digits of several bytes, which together name none".to_owned();
    }
    if units.iter().all(|(_, unit)| is_digit(unit, true)) {
        return "the complement of what was uploaded".to_owned();
    }
    let is_uploaded = |unit: &[u8]| {
        views.iter().flat_map(uploads).any(|bytes| bytes.windows(unit.len()).any(|window| window == unit))
    };
    if units.iter().all(|(_, unit)| is_uploaded(unit)) {
        return "bytes that were uploaded, which together name no place".to_owned();
    }
    "nothing that was uploaded".to_owned()
}

/// All bytes that a dispatch uploads.
fn uploads<'a>(view: &CheckedAnswer<'a>) -> impl Iterator<Item = &'a [u8]> {
    let job = &view.run.job;
    job.buffers.iter().flat_map(|buffer| [&buffer.bytes[..], &buffer.after]).chain([&job.push_constants[..]])
}

/// The memory of the block, from its first byte on, as it was uploaded.
struct BlockMemory {
    bytes: Vec<u8>,
    salt: Salt,
}

impl BlockMemory {
    fn of(view: &CheckedAnswer<'_>) -> Self {
        let bytes = match view.block {
            Some((job, _)) => [&job.bytes[..], &job.after].concat(),
            None => view.run.job.push_constants.clone(),
        };
        Self { bytes, salt: view.run.salt }
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

    /// Recognizes a word that was shifted by whole bytes.
    fn shifted(&self, word: u32) -> Option<String> {
        let words = (0..).step_by(4).zip(self.bytes.chunks_exact(4)).take(SHIFTED_WORDS);
        let mut shifts = words.flat_map(|(byte, own)| {
            let own = u32::from_le_bytes([own[0], own[1], own[2], own[3]]);
            let right = (1..=3).map(move |bytes| (own >> (8 * bytes), "right", bytes));
            let left = (1..=3).map(move |bytes| (own << (8 * bytes), "left", bytes));
            right.chain(left).map(move |(shifted, side, bytes)| (shifted, byte, side, bytes))
        });
        let (_, byte, side, bytes) = shifts.find(|(shifted, ..)| *shifted == word && word != 0)?;
        let unit = if bytes == 1 { "byte" } else { "bytes" };
        Some(format!("the word of byte {byte}, shifted {side} by {bytes} {unit}"))
    }

    /// Recognizes half a word above or below zeros or copies of the sign.
    fn half(&self, word: u32) -> Option<String> {
        let (low, high) = (word & 0xFFFF, word >> 16);
        if high != 0 && high != 0xFFFF {
            return None;
        }
        match decode(self.salt.turn(low << 16)) {
            DecodedWord::Data(_) => return Some("the upper half of a word of data".to_owned()),
            DecodedWord::Padding(_) => return Some("the upper half of a word of padding".to_owned()),
            DecodedWord::Guard(_) => return Some("the upper half of a guard".to_owned()),
            _ => {}
        }
        let is_offset = high == 0 && low % 4 == 0 && (low as usize) < self.bytes.len();
        is_offset.then(|| format!("which the lower half of the word of byte {low} would be"))
    }
}

/// Names the place of four bytes in the buffers other than the block.
fn place_outside(word: u32, view: &CheckedAnswer<'_>) -> Option<String> {
    let element = |job: &JobBuffer| format!("array's element {}", job.element);
    let elements = view.elements.iter().map(|(job, _)| (element(job), *job));
    let copy = view.copy.map(|(job, _)| ("copy's".to_owned(), job));
    let own = [("input".to_owned(), view.input_job), ("output".to_owned(), view.output_job)];
    own.into_iter().chain(elements).chain(copy).find_map(|(name, job)| {
        let mut starts = 0..job.bytes.len().saturating_sub(3);
        let start = starts.find(|start| word_at(&job.bytes, *start) == word)?;
        Some(format!("the bytes from byte {start} of the {name} buffer on"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> BlockMemory {
        let words = [0xC0DE_0000_u32, 0xBADD_0004, 0xC0DE_0008, 0xCAFE_000C];
        BlockMemory { bytes: words.into_iter().flat_map(u32::to_le_bytes).collect(), salt: Salt::default() }
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
    fn a_shifted_word_is_named() {
        let shifted = |word| memory().shifted(word);
        assert_eq!(shifted(0x00C0_DE00).as_deref(), Some("the word of byte 0, shifted right by 1 byte"));
        assert_eq!(shifted(0xDE00_0800).as_deref(), Some("the word of byte 8, shifted left by 1 byte"));
        assert_eq!([shifted(0), shifted(0x1234_5678)], [None, None]);
    }

    /// A device that returns the answers of the dispatch before.
    #[test]
    fn a_plane_that_is_late_by_a_dispatch_is_named() {
        let planes = WordCode::Bytes.planes(64);
        let units: Vec<[u8; 1]> = (0..planes.len())
            .map(|index| [planes[index.checked_sub(1).unwrap_or(planes.len() - 1)].byte(44, true)])
            .collect();
        let units: Vec<(Plane, &[u8])> = planes.iter().copied().zip(units.iter().map(|unit| &unit[..])).collect();
        assert_eq!(assemble(units.iter().copied()), None);
        assert_eq!(stray_unit(WordCode::Bytes, &units, &[]), "what the plane before had at byte 44");
    }

    #[test]
    fn planes_that_name_no_byte_say_why() {
        let planes = WordCode::Bytes.planes(4);
        let said = |byte: fn(usize) -> u8| {
            let units: Vec<[u8; 1]> = (0..planes.len()).map(|index| [byte(index)]).collect();
            let units: Vec<(Plane, &[u8])> = planes.iter().copied().zip(units.iter().map(|unit| &unit[..])).collect();
            stray_unit(WordCode::Bytes, &units, &[])
        };
        assert_eq!(said(|_| 0x35), "the same value in every image, whatever was uploaded");
        assert_eq!(said(|index| DIGITS[usize::from(index > 1)]), "digits of several bytes, which together name none");
        assert_eq!(said(|index| !DIGITS[index % 2]), "the complement of what was uploaded");
        assert_eq!(said(|index| [0x35, 7][index % 2]), "nothing that was uploaded");
    }
}
