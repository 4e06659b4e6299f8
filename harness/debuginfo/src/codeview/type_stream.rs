//! The type records of a PDB or of an object, by their numbers.

use std::borrow::Cow;

use ms_codeview::types::{Leaf, TypeData, TypeRecord, TypesIter};
use object::{Object, ObjectSection};

use super::msf::MsfFile;
use super::{read_text, read_u32};
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

/// Numbered records.
pub(super) struct RecordStream<'a> {
    bytes: Cow<'a, [u8]>,
    /// Offset of each record.
    starts: Vec<u32>,
    first: u32,
}

/// Size of the header of the stream of types.
const TYPE_HEADER: usize = 56;

/// Number of the first record that is not built in.
const FIRST_TYPE: u32 = 0x1000;

/// A record that names the PDB with the types; `cl /Zi` writes it.
const LF_TYPESERVER2: Leaf = Leaf(0x1515);

/// Opens the types of a PDB.
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
    /// Total size of the records, in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.records.bytes.len() as u64
    }

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

    /// All type records with their numbers.
    pub(super) fn records(&self) -> impl Iterator<Item = NumberedRecord<'_>> {
        self.records.iter()
    }

    /// All identifier records with their numbers.
    pub(super) fn identifiers(&self) -> impl Iterator<Item = NumberedRecord<'_>> {
        self.identifiers.as_ref().unwrap_or(&self.records).iter()
    }

    /// The identifier record with this number.
    pub(super) fn identifier(&self, number: u32) -> Option<TypeRecord<'_>> {
        self.identifiers.as_ref().unwrap_or(&self.records).record(number)
    }

    /// Makes an error about a type.
    pub(super) fn damaged(&self, number: u32, message: impl Into<String>) -> DebugInfoError {
        let (object, offset) = (self.name.to_owned(), u64::from(number));
        DebugInfoError::DamagedType { object, name: String::new(), offset, message: message.into() }
    }
}

pub(super) struct NumberedRecord<'a> {
    pub(super) number: u32,
    pub(super) record: TypeRecord<'a>,
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

    fn iter(&self) -> impl Iterator<Item = NumberedRecord<'_>> {
        let last = self.first.saturating_add(u32::try_from(self.starts.len()).unwrap_or(u32::MAX));
        (self.first..last).filter_map(|number| Some(NumberedRecord { number, record: self.record(number)? }))
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
