//! Compresses records files whose name ends in `.zst`. Each batch of records is one Zstandard
//! frame, so a killed run loses nothing that it has written.
//!
//! Any Zstandard program can read them (`zstd -dc r.jsonl.zst`). layoutproof recognises them by
//! their first bytes.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use anyhow::bail;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// The first bytes of a frame (RFC 8878, 3.1.1). No JSON begins with them.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// True if the records in a file of this name are compressed.
pub(crate) fn is_meant_by(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("zst"))
}

/// Compresses the text into one frame.
pub(crate) fn frame(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

/// The text of a records file, compressed or not, of at most `limit` bytes. If the last frame is
/// incomplete, as after a kill, the text ends before it.
///
/// # Errors
/// The text is longer than `limit`.
pub(crate) fn text(bytes: &[u8], limit: u64) -> anyhow::Result<Cow<'_, [u8]>> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(Cow::Borrowed(bytes));
    }

    let (mut rest, mut text) = (bytes, Vec::new());
    while !rest.is_empty() {
        let whole = text.len();
        let left = limit.saturating_sub(whole as u64);
        if !append_frame(&mut rest, &mut text, left) {
            text.truncate(whole);
            break;
        }
        if text.len() as u64 > limit {
            bail!("it has more than {limit} bytes, the most that is read of such a file");
        }
    }
    Ok(Cow::Owned(text))
}

/// Appends the text of the next frame, at most `left` + 1 bytes. Returns false if no complete frame
/// is left.
fn append_frame(rest: &mut &[u8], text: &mut Vec<u8>, left: u64) -> bool {
    let Ok(decoder) = StreamingDecoder::new(&mut *rest) else { return false };
    let before = text.len() as u64;
    let mut limited = decoder.take(left.saturating_add(1));
    if limited.read_to_end(text).is_err() {
        return false;
    }
    if text.len() as u64 - before > left {
        // The checksum comes after the bytes that were read, so it cannot be checked.
        return true;
    }

    let decoder = &limited.get_ref().decoder;
    let said = decoder.get_checksum_from_data();
    said.is_none() || said == decoder.get_calculated_checksum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> String {
        String::from_utf8(text(bytes, 1 << 20).unwrap().into_owned()).unwrap()
    }

    /// Wherever a file is cut, the frames before the cut are read.
    #[test]
    fn a_cut_costs_the_last_frame_alone() {
        let lines = ["{\"a\":1}\n".repeat(40), "{\"b\":2}\n".repeat(3), "{\"c\":3}\n".to_owned()];
        let frames = lines.each_ref().map(|text| frame(text));
        let whole = frames.concat();
        assert_eq!(read(&whole), lines.concat());
        for length in 1..whole.len() {
            let mut expected = String::new();
            let mut end = 0;
            for (line, frame) in lines.iter().zip(&frames) {
                end += frame.len();
                if end <= length {
                    expected += line;
                }
            }
            if length >= MAGIC.len() {
                assert_eq!(read(&whole[..length]), expected, "cut at {length}");
            }
        }
    }

    #[test]
    fn damage_is_noticed_and_plain_text_is_left_alone() {
        let mut bytes = frame(&"{\"a\":1}\n".repeat(100));
        let at = bytes.len() - 1;
        bytes[at] ^= 1;
        assert_eq!(read(&bytes), "");
        assert_eq!(read(b"{}\n"), "{}\n");
    }

    #[test]
    fn a_small_file_cannot_fill_the_memory() {
        let bytes = frame(&"0".repeat(1 << 16));
        let error = text(&bytes, 1 << 10).unwrap_err().to_string();
        assert_eq!(error, "it has more than 1024 bytes, the most that is read of such a file");
    }
}
