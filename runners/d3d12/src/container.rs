//! Checks that bytes are a DXBC or DXIL container, and adds the hash without which drivers refuse
//! it.
//!
//! DXC without its validator leaves the hash zero. The hash is MD5 with a different padding, which
//! stores the number of bits at both ends of the last block. This module does not read or change
//! anything else in a container.
//!
//! Source: `DxilContainer.h` and `DxilHash.cpp` of `DirectXShaderCompiler`; RFC 1321.

use layoutproof_device::RunnerError;

/// First bytes of every container.
const MAGIC: &[u8] = b"DXBC";
/// The bytes of the hash. It covers everything after them.
const HASH: std::ops::Range<usize> = 4..20;
/// Bytes in the header of a container without parts.
const HEADER: usize = 32;
/// Bytes in a block of the hash.
const BLOCK: usize = 64;

/// Returns the container with a hash; keeps the hash that it already has.
///
/// # Errors
/// `ShaderRefused` for bytes that are not a container.
pub(crate) fn signed(container: &[u8]) -> Result<Vec<u8>, RunnerError> {
    if container.len() < HEADER || !container.starts_with(MAGIC) {
        let reason = format!("{} bytes that are not a container of DXBC or DXIL", container.len());
        return Err(RunnerError::ShaderRefused(reason));
    }
    let mut signed = container.to_vec();
    if signed[HASH].iter().all(|byte| *byte == 0) {
        let hash = hash(&container[HASH.end..]);
        signed[HASH].copy_from_slice(&hash);
    }
    Ok(signed)
}

/// The hash of the bytes after the hash field.
fn hash(bytes: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301_u32, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476];
    let blocks = bytes.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for block in blocks {
        add(&mut state, block);
    }

    // The hash only uses the low 32 bits of the length.
    let bits = u32::try_from((bytes.len() as u64 * 8) & u64::from(u32::MAX)).expect("32 bits were kept");
    let (first, last) = (bits.to_le_bytes(), ((bits >> 2) | 1).to_le_bytes());

    let mut block = [0_u8; BLOCK];
    if rest.len() >= BLOCK - 8 {
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 0x80;
        add(&mut state, &block);
        block = [0; BLOCK];
        block[..4].copy_from_slice(&first);
    } else {
        block[..4].copy_from_slice(&first);
        block[4..4 + rest.len()].copy_from_slice(rest);
        block[4 + rest.len()] = 0x80;
    }
    block[BLOCK - 4..].copy_from_slice(&last);
    add(&mut state, &block);

    let mut hash = [0; 16];
    for (bytes, word) in hash.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    hash
}

/// Rotation counts of MD5's steps, four per round.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// MD5's numbers `floor(2^32 * abs(sin(i + 1)))`.
const SINES: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];

fn add(state: &mut [u32; 4], block: &[u8]) {
    let word = |index: usize| {
        let bytes = &block[4 * index..4 * index + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    };

    let [mut a, mut b, mut c, mut d] = *state;
    for step in 0..64 {
        let (mixed, index) = match step / 16 {
            0 => (b & c | !b & d, step),
            1 => (d & b | !d & c, 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let sum = mixed.wrapping_add(a).wrapping_add(SINES[step]).wrapping_add(word(index % 16));
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(ROTATIONS[step / 16][step % 4]));
    }

    for (old, new) in state.iter_mut().zip([a, b, c, d]) {
        *old = old.wrapping_add(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_container_is_refused() {
        for bytes in [&b""[..], b"DXBC", &[0; 64]] {
            let reason = format!("{} bytes that are not a container of DXBC or DXIL", bytes.len());
            assert_eq!(signed(bytes), Err(RunnerError::ShaderRefused(reason)));
        }
    }

    #[test]
    fn a_hash_that_is_there_stays() {
        let mut container = vec![0; 40];
        container[..4].copy_from_slice(MAGIC);
        container[5] = 7;
        assert_eq!(signed(&container), Ok(container.clone()));
    }
}
