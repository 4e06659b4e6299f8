//! Conversions between 32-bit words and little-endian bytes, as devices and SPIR-V files store
//! them.

pub fn word_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words in these bytes; drops up to three bytes after the last whole word.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
