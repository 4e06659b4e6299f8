//! Numbers of a container, whose bytes begin with the lowest.

/// The little-endian number at a byte.
pub(super) fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}
