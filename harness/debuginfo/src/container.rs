//! Finds the object files in a file: the file itself, the members of a library, or the
//! architectures of a universal binary; and opens them, in the input or in a sibling file.

use std::ops::Range;

use object::FileKind;
use object::read::archive::ArchiveFile;
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};

use crate::layout_file::{LayoutFile, is_layout_file};
use crate::{DebugInfoError, DebugLimits, Sibling, SiblingBytes, SiblingFiles};

pub(crate) const PDB_MAGIC: &[u8] = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0";

const COMPRESSED_PDB_MAGIC: &[u8] = b"Microsoft MSFZ Container";

/// First bytes of LLVM bitcode, which link-time optimisation writes instead of objects.
const BITCODE_MAGICS: [&[u8]; 2] = [b"BC\xC0\xDE", b"\xDE\xC0\x17\x0B"];

/// Maximum nesting of archives in universal binaries and the like.
const MAX_NESTING: u32 = 3;

/// Lists the object files in `bytes`, the content of the file `origin`.
pub(crate) fn list_objects(
    name: &str,
    origin: &FileOrigin,
    bytes: &[u8],
    limits: &DebugLimits,
) -> Result<Vec<ObjectSource>, DebugInfoError> {
    let mut lister = ObjectLister { origin, bytes, limits, input: name, sources: Vec::new() };
    lister.list(name.to_owned(), 0..bytes.len(), 0)?;
    Ok(lister.sources)
}

struct ObjectLister<'a> {
    origin: &'a FileOrigin,
    bytes: &'a [u8],
    limits: &'a DebugLimits,
    input: &'a str,
    sources: Vec<ObjectSource>,
}

impl ObjectLister<'_> {
    fn list(&mut self, name: String, range: Range<usize>, nesting: u32) -> Result<(), DebugInfoError> {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        if bytes.starts_with(PDB_MAGIC) {
            return self.add(name, range, ObjectFormat::Pdb);
        }
        if bytes.starts_with(COMPRESSED_PDB_MAGIC) {
            return refuse(name, nesting, "a compressed PDB (MSFZ)");
        }
        if BITCODE_MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
            return refuse(name, nesting, "LLVM bitcode of link-time optimisation");
        }

        if nesting == 0 && is_layout_file(bytes) {
            LayoutFile::parse(&name, bytes, self.limits)?;
            return self.add(name, range, ObjectFormat::LayoutFile);
        }

        match FileKind::parse(bytes) {
            Ok(FileKind::Archive) if nesting < MAX_NESTING => self.list_archive(&name, range, nesting),
            Ok(FileKind::MachOFat32) if nesting < MAX_NESTING => {
                let fat = MachOFatFile32::parse(bytes).map_err(|error| damaged(&name, "universal binary", error))?;
                self.list_architectures(&name, &range, fat.arches(), nesting)
            }
            Ok(FileKind::MachOFat64) if nesting < MAX_NESTING => {
                let fat = MachOFatFile64::parse(bytes).map_err(|error| damaged(&name, "universal binary", error))?;
                self.list_architectures(&name, &range, fat.arches(), nesting)
            }
            Ok(
                FileKind::Elf32
                | FileKind::Elf64
                | FileKind::MachO32
                | FileKind::MachO64
                | FileKind::Coff
                | FileKind::CoffBig
                | FileKind::Pe32
                | FileKind::Pe64,
            ) => self.add(name, range, ObjectFormat::Object),
            // Libraries also hold indices, import stubs and texts.
            _ if nesting > 0 => Ok(()),
            _ => Err(DebugInfoError::UnknownFormat { object: name }),
        }
    }

    fn list_archive(&mut self, name: &str, range: Range<usize>, nesting: u32) -> Result<(), DebugInfoError> {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        let archive = ArchiveFile::parse(bytes).map_err(|error| damaged(name, "archive", error))?;
        if archive.is_thin() {
            let feature = "a thin archive, whose objects are other files,".to_owned();
            return Err(DebugInfoError::Unsupported { object: name.to_owned(), feature });
        }

        for member in archive.members() {
            let member = member.map_err(|error| damaged(name, "archive", error))?;
            let member_name = format!("{name}({})", String::from_utf8_lossy(member.name()));
            let member_range = inner_range(&range, member.file_range().0, member.file_range().1)
                .ok_or_else(|| damaged(name, "archive", "a member ends past the end of the file"))?;
            self.list(member_name, member_range, nesting + 1)?;
        }
        Ok(())
    }

    fn list_architectures(
        &mut self,
        name: &str,
        range: &Range<usize>,
        architectures: &[impl FatArch],
        nesting: u32,
    ) -> Result<(), DebugInfoError> {
        for architecture in architectures {
            let (offset, size) = architecture.file_range();
            let inner = inner_range(range, offset, size)
                .ok_or_else(|| damaged(name, "universal binary", "an architecture ends past the end of the file"))?;
            let label = format!("{:?}", architecture.architecture()).to_lowercase();
            self.list(format!("{name}({label})"), inner, nesting + 1)?;
        }
        Ok(())
    }

    fn add(&mut self, name: String, range: Range<usize>, format: ObjectFormat) -> Result<(), DebugInfoError> {
        let limit = self.limits.objects;
        if u32::try_from(self.sources.len()).map_or(true, |count| count >= limit) {
            return Err(DebugInfoError::TooManyObjects { object: self.input.to_owned(), limit });
        }
        let file = self.origin.clone();
        self.sources.push(ObjectSource { name, file, range, format, skeleton: None, dwo_id: None });
        Ok(())
    }
}

/// Skips an unreadable member of a library, and refuses an unreadable file.
fn refuse(name: String, nesting: u32, feature: &str) -> Result<(), DebugInfoError> {
    if nesting > 0 {
        return Ok(());
    }
    Err(DebugInfoError::Unsupported { object: name, feature: feature.to_owned() })
}

fn inner_range(outer: &Range<usize>, offset: u64, size: u64) -> Option<Range<usize>> {
    let start = outer.start.checked_add(usize::try_from(offset).ok()?)?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    (end <= outer.end).then_some(start..end)
}

pub(crate) fn parse_object<'bytes>(
    source: &ObjectSource,
    bytes: &'bytes [u8],
) -> Result<object::File<'bytes>, DebugInfoError> {
    object::File::parse(bytes).map_err(|error| damaged(&source.name, "object file", error))
}

fn damaged(object: &str, container: &'static str, error: impl std::fmt::Display) -> DebugInfoError {
    DebugInfoError::DamagedContainer { object: object.to_owned(), container, message: error.to_string() }
}

/// An object file or PDB of the input.
#[derive(Clone, Debug)]
pub(crate) struct ObjectSource {
    /// Name for messages and units.
    pub(crate) name: String,
    pub(crate) file: FileOrigin,
    /// Its bytes in that file.
    pub(crate) range: Range<usize>,
    pub(crate) format: ObjectFormat,
    /// The object whose skeleton units this one completes, by number; `None` except for split
    /// DWARF.
    pub(crate) skeleton: Option<u32>,
    /// The unit identity that a `.dwo` file must have.
    pub(crate) dwo_id: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FileOrigin {
    Input,
    Dwo { folder: String, name: String },
    Dwp,
    DebugLink { name: String },
    Pdb { path: String, build: Option<PdbBuild> },
    Dsym,
}

/// The build to which a PDB and its program belong: a new link has a new identity, an incremental one
/// another age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PdbBuild {
    pub(crate) guid: [u8; 16],
    pub(crate) age: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectFormat {
    /// ELF, Mach-O, PE or COFF.
    Object,
    Pdb,
    /// JSON that states offsets.
    LayoutFile,
}

/// The bytes of an object, borrowed from the input or held open.
pub(crate) enum ObjectBytes<'data> {
    Input(&'data [u8]),
    Sibling { bytes: SiblingBytes, range: Range<usize> },
}

impl FileOrigin {
    /// The request to the caller; `None` for the input itself.
    pub(crate) fn sibling(&self) -> Option<Sibling<'_>> {
        match self {
            Self::Input => None,
            Self::Dwo { folder, name } => Some(Sibling::Dwo { folder, name }),
            Self::Dwp => Some(Sibling::Dwp),
            Self::DebugLink { name } => Some(Sibling::DebugLink { name }),
            Self::Pdb { path, .. } => Some(Sibling::Pdb { path }),
            Self::Dsym => Some(Sibling::Dsym),
        }
    }

    /// The path or name of the file, for messages. `input` is the name of the input.
    pub(crate) fn label(&self, input: &str) -> String {
        match self {
            Self::Input => input.to_owned(),
            Self::Dwo { name, .. } | Self::DebugLink { name } => name.clone(),
            Self::Dwp => format!("{input}.dwp"),
            Self::Pdb { path, .. } => path.clone(),
            Self::Dsym => format!("{input}.dSYM"),
        }
    }

    pub(crate) fn open<'data>(
        &self,
        input: &'data [u8],
        siblings: &dyn SiblingFiles,
        range: Option<Range<usize>>,
    ) -> Option<ObjectBytes<'data>> {
        let Some(sibling) = self.sibling() else {
            let range = range.unwrap_or(0..input.len());
            return input.get(range).map(ObjectBytes::Input);
        };
        let bytes = siblings.open_sibling(&sibling)?;
        let length = (*bytes).as_ref().len();
        let range = range.unwrap_or(0..length);
        (range.end <= length && range.start <= range.end).then_some(ObjectBytes::Sibling { bytes, range })
    }
}

impl ObjectBytes<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Input(bytes) => bytes,
            Self::Sibling { bytes, range } => (**bytes).as_ref().get(range.clone()).unwrap_or_default(),
        }
    }
}
