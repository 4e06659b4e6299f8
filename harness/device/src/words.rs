//! Conversions between 32-bit words and little-endian bytes, as devices and SPIR-V files store
//! them.

#[cfg(target_endian = "big")]
compile_error!(
    "the words of images, read-backs and SPIR-V are little-endian, as on every host with a GPU that we know"
);

pub fn word_bytes(words: &[u32]) -> Vec<u8> {
    bytemuck::cast_slice(words).to_vec()
}

/// The words in these bytes; drops up to three bytes after the last whole word.
pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(&bytes[..bytes.len() / 4 * 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_little_endian_and_need_no_alignment() {
        let bytes = [9, 0x78, 0x56, 0x34, 0x12, 1, 0, 0, 0, 7, 7, 7];
        assert_eq!(words_of(&bytes[1..]), [0x1234_5678, 1]);
        assert_eq!(word_bytes(&[0x1234_5678, 1]), bytes[1..9]);
    }
}
