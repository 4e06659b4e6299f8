//! The type records of a PDB or of an object, by their numbers.

use std::borrow::Cow;

use ms_codeview::types::{Leaf, TypeData, TypeRecord, TypesIter};
use object::{Object, ObjectSection};

use super::{read_text, read_u16, read_u32};
use crate::container::{PDB_MAGIC, PdbBuild};
use crate::{DebugInfoError, DebugLimits};

/// Type records of one PDB or object.
pub(crate) struct CodeViewTypes<'a> {
    /// The name of the file, for messages.
    pub(crate) name: &'a str,
    records: RecordStream<'a>,
    /// Records about functions and source lines. In an object they are among the types.
    identifiers: Option<RecordStream<'a>>,
    /// Texts that records refer to by offset.
    pub(super) texts: Cow<'a, [u8]>,
    pub(super) symbols: Cow<'a, [u8]>,
}

pub(super) struct RecordStream<'a> {
    bytes: Cow<'a, [u8]>,
    starts: Vec<u32>,
    first: u32,
}

const TYPE_HEADER: usize = 56;

/// Number of the first record that is not built in.
pub(super) const FIRST_TYPE: u32 = 0x1000;

/// A record that names the PDB with the types; `cl /Zi` writes it.
const LF_TYPESERVER2: Leaf = Leaf(0x1515);

pub(crate) fn pdb_types<'a>(name: &'a str, bytes: &'a [u8]) -> Result<CodeViewTypes<'a>, DebugInfoError> {
    let file = MsfFile::open(name, bytes)?;
    let records = RecordStream::of_pdb(name, file.stream(2)?)?;
    let identifiers = RecordStream::of_pdb(name, file.stream(4)?).ok();
    let texts = match file.find_named("/names") {
        Some(number) => text_table(file.stream(number)?),
        None => Cow::Borrowed(&[][..]),
    };
    let symbols = match file.symbol_stream() {
        Some(number) => file.stream(number)?,
        None => Cow::Borrowed(&[][..]),
    };
    Ok(CodeViewTypes { name, records, identifiers, texts, symbols })
}

/// The build of a PDB; `None` if it does not say.
///
/// The age is that of the stream of modules, which equals the program's; tools that edit a PDB later
/// count up only the one in the information stream.
///
/// Source: <https://llvm.org/docs/PDB/PdbStream.html>, <https://llvm.org/docs/PDB/DbiStream.html>.
pub(crate) fn pdb_build(bytes: &[u8]) -> Option<PdbBuild> {
    let file = MsfFile::open("", bytes).ok()?;
    let (information, modules) = (file.stream(1).ok()?, file.stream(3).ok()?);
    let guid = information.get(12..28)?.try_into().ok()?;
    Some(PdbBuild { guid, age: read_u32(&modules, 8)? })
}

/// Opens the types of a COFF object; `None` if it has none.
pub(crate) fn object_types<'a>(
    name: &'a str,
    file: &object::File<'a>,
    limits: &DebugLimits,
) -> Result<Option<CodeViewTypes<'a>>, DebugInfoError> {
    let Some(section) = file.section_by_name(".debug$T") else { return Ok(None) };
    let damaged = |message: String| DebugInfoError::DamagedSection {
        object: name.to_owned(),
        section: ".debug$T".to_owned(),
        message,
    };
    let bytes = section.data().map_err(|error| damaged(error.to_string()))?;
    if bytes.len() as u64 > limits.section_bytes {
        return Err(damaged(format!("it has {} bytes; at most {} are read", bytes.len(), limits.section_bytes)));
    }
    let version = read_u32(bytes, 0);
    if version != Some(4) {
        return Err(damaged(format!("version {version:?} of CodeView, expected 4")));
    }
    let records = RecordStream::new(Cow::Borrowed(bytes), 4, FIRST_TYPE);
    let empty = Cow::Borrowed(&[][..]);
    Ok(Some(CodeViewTypes { name, records, identifiers: None, texts: empty.clone(), symbols: empty }))
}

impl CodeViewTypes<'_> {
    /// The path of the PDB that has this object's types.
    pub(crate) fn type_server(&self) -> Option<String> {
        let record = self.record(FIRST_TYPE)?;
        // A GUID and a number precede the path.
        if record.kind == LF_TYPESERVER2 { read_text(record.data, 20) } else { None }
    }

    pub(super) fn record(&self, number: u32) -> Option<TypeRecord<'_>> {
        self.records.record(number)
    }

    pub(super) fn parse(&self, number: u32) -> Result<TypeData<'_>, DebugInfoError> {
        let record = self.record(number).ok_or_else(|| self.damaged(number, "there is no such record"))?;
        record.parse().map_err(|_| self.damaged(number, "its record ends too early"))
    }

    pub(super) fn records(&self) -> impl Iterator<Item = (u32, TypeRecord<'_>)> {
        self.records.iter()
    }

    pub(super) fn identifiers(&self) -> impl Iterator<Item = (u32, TypeRecord<'_>)> {
        self.identifiers.as_ref().unwrap_or(&self.records).iter()
    }

    pub(super) fn identifier(&self, number: u32) -> Option<TypeRecord<'_>> {
        self.identifiers.as_ref().unwrap_or(&self.records).record(number)
    }

    pub(super) fn damaged(&self, number: u32, message: impl Into<String>) -> DebugInfoError {
        let (object, offset) = (self.name.to_owned(), u64::from(number));
        DebugInfoError::DamagedType { object, name: String::new(), offset, message: message.into() }
    }
}

impl<'a> RecordStream<'a> {
    fn of_pdb(name: &str, bytes: Cow<'a, [u8]>) -> Result<Self, DebugInfoError> {
        let damaged = |message: &str| DebugInfoError::DamagedContainer {
            object: name.to_owned(),
            container: "PDB",
            message: message.to_owned(),
        };
        if bytes.is_empty() {
            return Ok(Self { bytes, starts: Vec::new(), first: FIRST_TYPE });
        }
        let (Some(header), Some(first)) = (read_u32(&bytes, 4), read_u32(&bytes, 8)) else {
            return Err(damaged("the stream of types ends in its header"));
        };
        if (header as usize) < TYPE_HEADER || header as usize > bytes.len() || first < FIRST_TYPE {
            return Err(damaged("the stream of types has a header of an unknown form"));
        }
        Ok(Self::new(bytes, header as usize, first))
    }

    /// Finds the records of a stream, up to the first damaged one.
    fn new(bytes: Cow<'a, [u8]>, header: usize, first: u32) -> Self {
        let records = bytes.get(header..).unwrap_or_default();
        let mut starts = Vec::new();
        let mut iterator = TypesIter::new(records);
        while let Ok(start) = u32::try_from(bytes.len() - iterator.rest().len()) {
            if iterator.next().is_none() {
                break;
            }
            starts.push(start);
        }
        Self { bytes, starts, first }
    }

    fn record(&self, number: u32) -> Option<TypeRecord<'_>> {
        let position = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let start = *self.starts.get(position)? as usize;
        TypesIter::new(self.bytes.get(start..)?).next()
    }

    fn iter(&self) -> impl Iterator<Item = (u32, TypeRecord<'_>)> {
        let last = self.first.saturating_add(u32::try_from(self.starts.len()).unwrap_or(u32::MAX));
        (self.first..last).filter_map(|number| Some((number, self.record(number)?)))
    }
}

/// Extracts the texts from the stream `/names`.
fn text_table(stream: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let header = 12;
    let size = read_u32(&stream, 8).unwrap_or(0) as usize;
    let end = header + size;
    match stream {
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(header..end).unwrap_or_default()),
        Cow::Owned(bytes) => Cow::Owned(bytes.get(header..end).unwrap_or_default().to_vec()),
    }
}

pub(super) struct MsfFile<'a> {
    name: &'a str,
    bytes: &'a [u8],
    block_size: usize,
    streams: Vec<StreamBlocks>,
}

struct StreamBlocks {
    size: usize,
    blocks: Vec<u32>,
}

/// Size of a stream that does not exist.
const NIL_SIZE: u32 = u32::MAX;

impl<'a> MsfFile<'a> {
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
