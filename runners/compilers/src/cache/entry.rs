//! The format of a cache file: a mark, a checksum, and the content as a Zstandard frame.
//!
//! The checksum is SHA-256 of the key and the frame. It rejects a file that was truncated, changed
//! in one bit or moved to another key's place.

use std::io::Read;

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use sha2::{Digest, Sha256};

use super::key::CacheKey;

/// The first bytes of an entry. The digit is the version of the format.
const MARK: &[u8; 8] = b"lpcache1";

/// Bytes before the frame.
const HEAD: usize = MARK.len() + 32;

/// Longest content, in bytes. Listings of the largest probes have some hundred thousand bytes.
pub(super) const LONGEST: usize = 16 << 20;

/// The bytes of the file that holds `content` under `key`.
pub(super) fn encode(key: &CacheKey, content: &[u8]) -> Vec<u8> {
    let frame = compress_to_vec(content, CompressionLevel::Fastest);
    [&MARK[..], &checksum(key, &frame), &frame].concat()
}

/// The content of a file under `key`; `None` if it is damaged.
pub(super) fn decode(key: &CacheKey, bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, frame) = bytes.split_at_checked(HEAD)?;
    let (mark, sum) = head.split_at(MARK.len());
    if mark != MARK || sum != checksum(key, frame) {
        return None;
    }

    let mut content = Vec::new();
    let mut decoder = StreamingDecoder::new(frame).ok()?.take(LONGEST as u64 + 1);
    decoder.read_to_end(&mut content).ok()?;
    (content.len() <= LONGEST).then_some(content)
}

fn checksum(key: &CacheKey, frame: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key.bytes()).chain_update(frame).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::super::key::KeyParts;
    use super::*;

    fn key(name: &str) -> CacheKey {
        KeyParts::of_kind(name).key()
    }

    #[test]
    fn a_content_comes_back_under_its_key_alone() {
        for content in [Vec::new(), b"listing".to_vec(), vec![7; 100_000]] {
            let file = encode(&key("a"), &content);
            assert_eq!(decode(&key("a"), &file), Some(content));
            assert_eq!(decode(&key("b"), &file), None);
        }
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let file = encode(&key("a"), b"offset 16, offset 32, offset 48");
        for length in 0..file.len() {
            assert_eq!(decode(&key("a"), &file[..length]), None, "cut to {length} bytes");
        }
        for bit in 0..file.len() * 8 {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&key("a"), &damaged), None, "bit {bit}");
        }
    }
}
