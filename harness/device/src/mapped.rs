//! Copies to and from memory that a device shares with the host.
//!
//! Runners of APIs that map memory (Vulkan, Direct3D 12) borrow it as a slice while no work is in flight, and copy
//! through these functions.

use std::ops::Range;

/// Copies `bytes` into `memory`, from `start`.
///
/// # Panics
/// If `memory` is too short.
pub fn write(memory: &mut [u8], start: u64, bytes: &[u8]) {
    let range = range(memory.len(), start, bytes.len());
    memory[range].copy_from_slice(bytes);
}

/// Copies `size` bytes out of `memory`, from `start`.
///
/// # Panics
/// If `memory` is too short.
pub fn read(memory: &[u8], start: u64, size: u32) -> Vec<u8> {
    memory[range(memory.len(), start, size as usize)].to_vec()
}

fn range(length: usize, start: u64, size: usize) -> Range<usize> {
    let first = usize::try_from(start).ok();
    let range = first.and_then(|first| Some(first..first.checked_add(size)?)).filter(|range| range.end <= length);
    range.unwrap_or_else(|| panic!("{size} bytes at {start} do not fit {length} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_where_they_were_written() {
        let mut memory = [0; 8];
        write(&mut memory, 3, &[1, 2]);
        assert_eq!(memory, [0, 0, 0, 1, 2, 0, 0, 0]);
        assert_eq!(read(&memory, 4, 4), [2, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "do not fit 8 bytes")]
    fn a_read_behind_the_end_panics() {
        read(&[0; 8], 5, 4);
    }
}
