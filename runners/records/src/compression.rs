//! Compresses records files whose name ends in `.zst`. Each batch of records is one Zstandard
//! frame, so a killed run loses nothing that it has written.
//!
//! Any Zstandard program can read them (`zstd -dc r.jsonl.zst`). layoutproof recognises them by
//! their first bytes.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use anyhow::{anyhow, bail, ensure};
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

/// The text of a file that may be compressed.
///
/// # Errors
/// It is cut short or damaged, unpacks to too much, or is not UTF-8.
pub fn unpacked(bytes: &[u8]) -> anyhow::Result<String> {
    let mut frames = FrameTexts::new(bytes, UnpackLimits::default());
    let texts: Vec<Cow<'_, [u8]>> = frames.by_ref().collect::<anyhow::Result<_>>()?;
    ensure!(!frames.is_damaged, "it is damaged or cut short");
    String::from_utf8(texts.concat()).map_err(|_| anyhow!("not UTF-8 text"))
}

/// Limits on the text of a compressed file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnpackLimits {
    pub(crate) bytes: u64,
    /// Bytes of text for each byte of the file, if the text has more than `any_ratio`.
    pub(crate) ratio: u64,
    /// Bytes that may have any ratio.
    pub(crate) any_ratio: u64,
    /// Bytes of one line.
    pub(crate) line: u64,
}

impl Default for UnpackLimits {
    /// Real records have ratios of 20 to 150, and lines of some hundred kilobytes.
    fn default() -> Self {
        Self { bytes: 1 << 30, ratio: 1000, any_ratio: 64 << 20, line: 64 << 20 }
    }
}

/// The texts of a records file, one after the other: each frame of a compressed file, else the whole
/// file. Ends before an incomplete or damaged frame, as after a kill.
pub(crate) struct FrameTexts<'a> {
    rest: &'a [u8],
    is_compressed: bool,
    /// Most bytes of all texts.
    limit: u64,
    limits: UnpackLimits,
    /// Bytes of the texts so far.
    unpacked: u64,
    /// Bytes of the line that has not ended yet.
    line: u64,
    /// True if a frame was not whole.
    is_damaged: bool,
}

impl<'a> FrameTexts<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: UnpackLimits) -> Self {
        let plausible = (bytes.len() as u64).saturating_mul(limits.ratio).max(limits.any_ratio);
        let (is_compressed, limit) = (bytes.starts_with(&MAGIC), plausible.min(limits.bytes));
        Self { rest: bytes, is_compressed, limit, limits, unpacked: 0, line: 0, is_damaged: false }
    }

    /// The text of the next frame; `None` if it is not whole.
    fn frame(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let Ok(mut decoder) = StreamingDecoder::new(&mut self.rest) else { return Ok(None) };
        let (mut text, mut part) = (Vec::new(), vec![0; PART]);
        loop {
            let Ok(length) = decoder.read(&mut part) else { return Ok(None) };
            let read = &part[..length];
            self.unpacked += length as u64;
            self.line = match read.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => (length - last - 1) as u64,
                None => self.line + length as u64,
            };
            if self.unpacked > self.limit {
                bail!("it unpacks to more than {} bytes, the most that is read of such a file", self.limit);
            }
            if self.line > self.limits.line {
                bail!("a line unpacks to more than {} bytes", self.limits.line);
            }
            if length == 0 {
                break;
            }
            text.extend_from_slice(read);
        }
        let said = decoder.decoder.get_checksum_from_data();
        Ok((said.is_none() || said == decoder.decoder.get_calculated_checksum()).then_some(text))
    }
}

/// Bytes that are unpacked at once.
const PART: usize = 1 << 16;

impl<'a> Iterator for FrameTexts<'a> {
    type Item = anyhow::Result<Cow<'a, [u8]>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        if !self.is_compressed {
            return Some(Ok(Cow::Borrowed(std::mem::take(&mut self.rest))));
        }
        let frame = self.frame().transpose().map(|text| text.map(Cow::Owned));
        if !matches!(frame, Some(Ok(_))) {
            self.is_damaged = frame.is_none();
            self.rest = &[];
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_within(bytes: &[u8], limits: UnpackLimits) -> anyhow::Result<String> {
        let texts: anyhow::Result<Vec<_>> = FrameTexts::new(bytes, limits).collect();
        Ok(String::from_utf8(texts?.concat()).unwrap())
    }

    fn read(bytes: &[u8]) -> String {
        read_within(bytes, UnpackLimits::default()).unwrap()
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

    /// 64 KiB of text in some dozen bytes, as one frame and as many.
    #[test]
    fn a_small_file_cannot_fill_the_memory() {
        let limits = UnpackLimits { bytes: 1 << 20, ratio: 100, any_ratio: 1 << 14, line: 1 << 18 };
        let one = frame(&"0\n".repeat(1 << 15));
        let many = frame(&"0\n".repeat(1 << 8)).repeat(1 << 13);
        let long = frame(&"0".repeat(1 << 19));
        let told = |bytes: &[u8], limits| read_within(bytes, limits).unwrap_err().to_string();
        assert!(told(&one, limits).starts_with("it unpacks to more than 16384 bytes"), "{}", told(&one, limits));
        assert!(told(&many, limits).starts_with("it unpacks to more than 1048576 bytes"), "{}", told(&many, limits));
        let limits = UnpackLimits { ratio: 1 << 20, ..limits };
        assert_eq!(told(&long, limits), "a line unpacks to more than 262144 bytes");
        assert_eq!(read_within(&one, limits).unwrap().len(), 1 << 16);
    }
}
