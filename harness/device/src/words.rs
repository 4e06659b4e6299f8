//! Words of 32 bits as the bytes that devices and files of SPIR-V hold, little-endian.

/// The bytes of these words.
pub fn word_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of these bytes; up to three bytes behind the last whole word are left out.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
