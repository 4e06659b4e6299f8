//! Tells from the headers of a file whether it may have debug information, without reading that.

use std::io::{Read, Seek};

use object::read::archive::ArchiveFile;
use object::read::{Object, ReadCache, ReadRef};
use object::{FileKind, ObjectKind};

use crate::container::PDB_MAGIC;

/// Most members of a library to look at.
const MOST_MEMBERS: usize = 64;

/// The kind of a file with machine code or debug information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostFileKind {
    /// An executable or a shared library.
    Program,
    /// The debug information of a Windows program.
    Pdb,
    Library,
    Object,
    /// A library that only names the functions of another file.
    ImportLibrary,
}

/// The facts in the headers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostFileSummary {
    pub kind: HostFileKind,
    /// True if it has sections of debug information. A program whose debug information is in another
    /// file has none.
    pub has_debug_sections: bool,
}

/// Looks at the headers of a file; `None` if it is of no kind that can have debug information.
pub fn summarize(file: impl Read + Seek) -> Option<HostFileSummary> {
    let cache = ReadCache::new(file);
    let data = &cache;
    let length = u64::try_from(PDB_MAGIC.len()).ok()?;
    if data.read_bytes_at(0, length).is_ok_and(|start| start == PDB_MAGIC) {
        return Some(HostFileSummary { kind: HostFileKind::Pdb, has_debug_sections: true });
    }
    match FileKind::parse(data).ok()? {
        FileKind::Archive => summarize_library(data),
        FileKind::MachOFat32 | FileKind::MachOFat64 => {
            Some(HostFileSummary { kind: HostFileKind::Program, has_debug_sections: true })
        }
        _ => summarize_object(data),
    }
}

fn summarize_library<'data>(data: impl ReadRef<'data>) -> Option<HostFileSummary> {
    let archive = ArchiveFile::parse(data).ok()?;
    let (mut has_objects, mut has_debug_sections) = (false, false);
    for member in archive.members().take(MOST_MEMBERS) {
        let bytes = member.ok()?.data(data).ok()?;
        if let Some(inner) = summarize_object(bytes) {
            has_objects = true;
            has_debug_sections |= inner.has_debug_sections;
        }
    }
    let kind = if has_objects { HostFileKind::Library } else { HostFileKind::ImportLibrary };
    Some(HostFileSummary { kind, has_debug_sections })
}

fn summarize_object<'data>(data: impl ReadRef<'data>) -> Option<HostFileSummary> {
    let object = object::File::parse(data).ok()?;
    let kind = match object.kind() {
        ObjectKind::Executable | ObjectKind::Dynamic => HostFileKind::Program,
        ObjectKind::Relocatable => HostFileKind::Object,
        _ => return None,
    };
    // DWARF, and the types of CodeView in objects.
    let names = [".debug_info", ".debug$T"];
    let has_debug_sections = names.iter().any(|name| object.section_by_name(name).is_some());
    Some(HostFileSummary { kind, has_debug_sections })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn kind(bytes: &[u8]) -> Option<HostFileKind> {
        summarize(Cursor::new(bytes)).map(|summary| summary.kind)
    }

    /// A library with one member, by the header that `ar` writes.
    fn library(member: &[u8]) -> Vec<u8> {
        let length = member.len();
        let header = format!("!<arch>\n{:<16}{:<12}{:<6}{:<6}{:<8}{length:<10}`\n", "a.dll/", 0, 0, 0, 644);
        [header.as_bytes(), member].concat()
    }

    #[test]
    fn files_of_other_kinds_are_no_host_files() {
        assert_eq!(kind(b"# a mesh\nv 0 0 0\nf 1 2 3\n"), None);
        assert_eq!(kind(b"\x7fELF and nothing else"), None);
        assert_eq!(kind(b""), None);
        // The short import header of "PE Format", section "Import Header": two signatures, a version, a machine.
        let import = b"\0\0\xff\xff\0\0\x64\x86\0\0\0\0\x08\0\0\0\0\0\x04\0f\0a.dll\0";
        assert_eq!(kind(&library(import)), Some(HostFileKind::ImportLibrary));
    }
}
