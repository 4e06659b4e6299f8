//! Places a job's buffer in a device's memory, in the same way for every runner.
//!
//! Builds the memory to upload, and splits memory that was read back into [`BufferAfter`]. The
//! runners handle descriptors and the memory itself.
//!
//! The range is bound at exactly one multiple of the minimum alignment, an odd number, so that
//! over-alignment cannot hide a wrong offset.

use crate::{BufferAfter, JobBuffer, RunnerError};

/// Bytes of a word. Ranges and guards consist of whole words.
const WORD: u32 = 4;

/// The offsets of a buffer's parts, in bytes from the start of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPlacement {
    /// Offset of the bound range: the device's minimum offset alignment, or one word if that is
    /// larger.
    pub offset: u32,
    pub size: u32,
    /// Size of the memory: the bytes before the range, the range, and the guard after it.
    pub total: u32,
}

impl BufferPlacement {
    /// Places `buffer` on a device whose minimum offset alignment for its kind is `alignment` bytes.
    ///
    /// # Errors
    /// `Api` if the range is empty, if the range or the guard is not a multiple of 4 bytes, or if
    /// the memory would have 2^32 bytes or more.
    pub fn of(buffer: &JobBuffer, alignment: u32) -> Result<Self, RunnerError> {
        let refuse = |reason: &str| RunnerError::Api {
            call: format!("buffer at set {} binding {}", buffer.set, buffer.binding),
            reason: reason.to_owned(),
        };
        let words = |bytes: &[u8]| {
            u32::try_from(bytes.len()).ok().filter(|size| size % WORD == 0).ok_or_else(|| {
                refuse(&format!("{} bytes are not a whole number of 32-bit words below 2^32 bytes", bytes.len()))
            })
        };

        let size = words(&buffer.bytes)?;
        let after = words(&buffer.after)?;
        if size == 0 {
            return Err(refuse("a bound range has at least 4 bytes"));
        }

        let offset = alignment.max(WORD);
        let total = offset.checked_add(size).and_then(|end| end.checked_add(after));
        Ok(Self { offset, size, total: total.ok_or_else(|| refuse("its memory takes 2^32 bytes or more"))? })
    }

    /// The memory before the dispatch, `total` bytes long. Words are little-endian.
    pub fn image(&self, buffer: &JobBuffer) -> Vec<u8> {
        let mut memory = Vec::with_capacity(self.total as usize);
        for _ in 0..self.offset / WORD {
            memory.extend_from_slice(&buffer.before_word.to_le_bytes());
        }
        memory.extend_from_slice(&buffer.bytes);
        memory.extend_from_slice(&buffer.after);
        memory
    }

    /// Splits the memory after the dispatch into its parts.
    ///
    /// # Panics
    /// If `memory` is not `total` bytes long.
    pub fn split(&self, memory: &[u8]) -> BufferAfter {
        assert_eq!(memory.len(), self.total as usize, "a read-back is as long as what was uploaded");
        let (before, rest) = memory.split_at(self.offset as usize);
        let (bytes, after) = rest.split_at(self.size as usize);
        BufferAfter { before: before.to_vec(), bytes: bytes.to_vec(), after: after.to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BufferKind;

    fn buffer(bytes: &[u8], after: &[u8]) -> JobBuffer {
        let (bytes, after) = (bytes.to_vec(), after.to_vec());
        JobBuffer { set: 0, binding: 3, element: 0, kind: BufferKind::Storage, bytes, after, before_word: 0x0403_0201 }
    }

    #[test]
    fn the_range_starts_at_one_multiple_of_the_minimum_alignment() {
        let cases = [(1, 4), (4, 4), (16, 16), (64, 64), (256, 256)];
        for (alignment, offset) in cases {
            let placement = BufferPlacement::of(&buffer(&[9; 8], &[7; 4]), alignment).unwrap();
            assert_eq!(placement, BufferPlacement { offset, size: 8, total: offset + 12 }, "alignment {alignment}");
        }
    }

    #[test]
    fn the_image_holds_the_fill_the_range_and_the_guard() {
        let buffer = buffer(&[9, 9, 9, 8], &[7, 7, 7, 6]);
        let placement = BufferPlacement::of(&buffer, 8).unwrap();
        let image = placement.image(&buffer);
        assert_eq!(image, [1, 2, 3, 4, 1, 2, 3, 4, 9, 9, 9, 8, 7, 7, 7, 6]);
        let parts = placement.split(&image);
        assert_eq!(parts.before, [1, 2, 3, 4, 1, 2, 3, 4]);
        assert_eq!(parts.bytes, [9, 9, 9, 8]);
        assert_eq!(parts.after, [7, 7, 7, 6]);
    }

    #[test]
    fn broken_words_and_empty_ranges_are_refused() {
        for (buffer, reason) in [
            (buffer(&[0; 6], &[]), "6 bytes are not a whole number of 32-bit words below 2^32 bytes"),
            (buffer(&[0; 4], &[0; 3]), "3 bytes are not a whole number of 32-bit words below 2^32 bytes"),
            (buffer(&[], &[0; 4]), "a bound range has at least 4 bytes"),
        ] {
            let error = BufferPlacement::of(&buffer, 16).unwrap_err();
            assert_eq!(error.to_string(), format!("buffer at set 0 binding 3: {reason}"));
        }
    }
}
