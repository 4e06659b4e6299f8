//! The container of a PDB (multi-stream file). The bytes of a stream are spread over blocks of the
//! file.
//!
//! A stream in consecutive blocks is borrowed from the file; linkers write most streams this way.
//! Other streams are copied.
//!
//! Source: <https://llvm.org/docs/PDB/MsfFile.html>.

use std::borrow::Cow;

use super::{read_u16, read_u32};
use crate::DebugInfoError;
use crate::container::PDB_MAGIC;

pub(super) struct MsfFile<'a> {
    name: &'a str,
    bytes: &'a [u8],
    block_size: usize,
    streams: Vec<StreamBlocks>,
}

/// The blocks of one stream.
struct StreamBlocks {
    size: usize,
    blocks: Vec<u32>,
}

/// Size of a stream that does not exist.
const NIL_SIZE: u32 = u32::MAX;

impl<'a> MsfFile<'a> {
    /// Reads the stream directory.
    pub(super) fn open(name: &'a str, bytes: &'a [u8]) -> Result<Self, DebugInfoError> {
        let mut file = Self { name, bytes, block_size: 0, streams: Vec::new() };
        let header = PDB_MAGIC.len();
        let block_size = read_u32(bytes, header).unwrap_or(0);
        if !block_size.is_power_of_two() || !(512..=1 << 16).contains(&block_size) {
            return Err(file.damaged(format!("blocks of {block_size} bytes")));
        }
        file.block_size = block_size as usize;

        let directory = file.read_directory(header)?;
        file.streams = file.read_streams(&directory)?;
        Ok(file)
    }

    /// Returns the bytes of a stream; empty if there is no such stream.
    pub(super) fn stream(&self, number: u32) -> Result<Cow<'a, [u8]>, DebugInfoError> {
        match self.streams.get(number as usize) {
            Some(stream) => self.gather(stream),
            None => Ok(Cow::Borrowed(&[])),
        }
    }

    /// Finds a stream's number by its name, in the table of the information stream.
    ///
    /// Source: <https://llvm.org/docs/PDB/PdbStream.html>.
    pub(super) fn find_named(&self, name: &str) -> Option<u32> {
        let information = self.stream(1).ok()?;
        let texts_length = read_u32(&information, 28)? as usize;
        let texts = information.get(32..32usize.checked_add(texts_length)?)?;

        let mut offset = 32usize.checked_add(texts_length)?;
        let count = read_u32(&information, offset)?;
        offset += 8;
        // Two bit sets, of used and of deleted entries, precede the entries.
        for _ in 0..2 {
            let words = read_u32(&information, offset)? as usize;
            offset = offset.checked_add(words.checked_mul(4)?.checked_add(4)?)?;
        }
        for _ in 0..count {
            let text = super::read_text(texts, read_u32(&information, offset)? as usize)?;
            if text == name {
                return read_u32(&information, offset + 4);
            }
            offset += 8;
        }
        None
    }

    /// The number of the stream with the global symbols.
    pub(super) fn symbol_stream(&self) -> Option<u32> {
        let modules = self.stream(3).ok()?;
        read_u16(&modules, 20).filter(|&number| number != u16::MAX).map(u32::from)
    }

    fn read_directory(&self, header: usize) -> Result<Cow<'a, [u8]>, DebugInfoError> {
        let (Some(size), Some(map)) = (read_u32(self.bytes, header + 12), read_u32(self.bytes, header + 20)) else {
            return Err(self.damaged("it ends in its header"));
        };
        let count = (size as usize).div_ceil(self.block_size);
        let start = (map as usize).checked_mul(self.block_size);
        let blocks = start.and_then(|start| read_numbers(self.bytes, start, count));
        let blocks = blocks.ok_or_else(|| self.damaged("its directory is past its end"))?;
        self.gather(&StreamBlocks { size: size as usize, blocks })
    }

    fn read_streams(&self, directory: &[u8]) -> Result<Vec<StreamBlocks>, DebugInfoError> {
        let damaged = || self.damaged("its directory of streams ends too early");
        let count = read_u32(directory, 0).ok_or_else(damaged)? as usize;
        let sizes = read_numbers(directory, 4, count).ok_or_else(damaged)?;

        let mut offset = 4 + 4 * count;
        let mut streams = Vec::with_capacity(count);
        for size in sizes {
            let size = if size == NIL_SIZE { 0 } else { size as usize };
            let blocks = size.div_ceil(self.block_size);
            let numbers = read_numbers(directory, offset, blocks).ok_or_else(damaged)?;
            offset += 4 * blocks;
            streams.push(StreamBlocks { size, blocks: numbers });
        }
        Ok(streams)
    }

    fn gather(&self, stream: &StreamBlocks) -> Result<Cow<'a, [u8]>, DebugInfoError> {
        let (size, blocks) = (stream.size, &stream.blocks);
        let Some(&first) = blocks.first() else { return Ok(Cow::Borrowed(&[])) };
        // No block belongs to two streams, so a stream cannot be longer than the file.
        if size > self.bytes.len() {
            return Err(self.damaged(format!("a stream of {size} bytes in a file of {}", self.bytes.len())));
        }

        if blocks.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) {
            let start = (first as usize).checked_mul(self.block_size);
            let range = start.and_then(|start| Some(start..start.checked_add(size)?));
            let bytes = range.and_then(|range| self.bytes.get(range));
            return bytes.map(Cow::Borrowed).ok_or_else(|| self.damaged("a stream is past its end"));
        }

        let mut bytes = Vec::with_capacity(size);
        for &block in blocks {
            let length = self.block_size.min(size - bytes.len());
            let start = (block as usize).checked_mul(self.block_size);
            let range = start.and_then(|start| Some(start..start.checked_add(length)?));
            let part = range.and_then(|range| self.bytes.get(range));
            bytes.extend_from_slice(part.ok_or_else(|| self.damaged("a block is past its end"))?);
        }
        Ok(Cow::Owned(bytes))
    }

    fn damaged(&self, message: impl Into<String>) -> DebugInfoError {
        DebugInfoError::DamagedContainer { object: self.name.to_owned(), container: "PDB", message: message.into() }
    }
}

fn read_numbers(bytes: &[u8], start: usize, count: usize) -> Option<Vec<u32>> {
    let end = start.checked_add(count.checked_mul(4)?)?;
    let fields = bytes.get(start..end)?.chunks_exact(4);
    Some(fields.map(|field| u32::from_le_bytes([field[0], field[1], field[2], field[3]])).collect())
}
