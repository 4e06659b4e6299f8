//! A hash with the same result on every machine and in every build.
//!
//! Samples, shards and comparisons between runs use it. Maps in memory need not.

/// FNV-1a of 64 bits ("The FNV Non-Cryptographic Hash Algorithm", Fowler, Noll and Vo).
///
/// Bit `n` depends only on bits 0 to `n` of every byte, so small numbers should come from the upper
/// half.
pub fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference implementation's test vectors for 64-bit FNV-1a (isthe.com, `test_fnv.c`).
    #[test]
    fn the_reference_vectors() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(stable_hash(text), hash, "{text}");
        }
    }
}
