//! Extracts the sections that describe types from an object file: decompresses and relocates them,
//! and joins sections with the same name.
//!
//! Unlinked objects have a `.debug_info` section for each type unit, and offsets between sections
//! that only relocations contain.

use std::borrow::Cow;
use std::collections::HashMap;

use gimli::SectionId;
use object::{
    CompressionFormat, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationFlags, RelocationKind,
    RelocationTarget, SectionIndex,
};

use crate::{DebugInfoError, DebugLimits};

pub(crate) struct DebugSections<'data> {
    sections: HashMap<SectionId, Cow<'data, [u8]>>,
    pub(crate) endian: gimli::RunTimeEndian,
    /// True for the sections of a `.dwo` or `.dwp` file.
    pub(crate) is_split: bool,
    pub(crate) has_lines: bool,
}

/// Sections that both passes need.
const TYPE_SECTIONS: [SectionId; 6] = [
    SectionId::DebugInfo,
    SectionId::DebugAbbrev,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugLineStr,
    SectionId::DebugTypes,
];

/// Indices of a `.dwp` file and the sections that they refer to. gimli reports an index that points
/// at a missing section as damaged.
const PACKAGE_SECTIONS: [SectionId; 6] = [
    SectionId::DebugCuIndex,
    SectionId::DebugTuIndex,
    SectionId::DebugLine,
    SectionId::DebugLoc,
    SectionId::DebugLocLists,
    SectionId::DebugRngLists,
];

impl<'data> DebugSections<'data> {
    /// Extracts the sections of an object. `with_lines` adds the tables with file names.
    pub(crate) fn load(
        name: &str,
        object: &object::File<'data>,
        with_lines: bool,
        limits: &DebugLimits,
    ) -> Result<Self, DebugInfoError> {
        let endian = if object.is_little_endian() { gimli::RunTimeEndian::Little } else { gimli::RunTimeEndian::Big };
        let is_split =
            object.section_by_name(".debug_info.dwo").is_some() || object.section_by_name(".debug_types.dwo").is_some();
        let has_lines = object.section_by_name(SectionId::DebugLine.name()).is_some();

        let mut wanted = TYPE_SECTIONS.to_vec();
        let is_package =
            is_split && PACKAGE_SECTIONS[..2].iter().any(|index| object.section_by_name(index.name()).is_some());
        if is_package {
            wanted.extend(PACKAGE_SECTIONS);
        } else if with_lines {
            wanted.push(SectionId::DebugLine);
        }

        let mut parts = SectionParts {
            object_name: name,
            object,
            limits,
            starts: HashMap::new(),
            parts: HashMap::new(),
            unpacked: 0,
        };
        for id in wanted {
            let section_name = if is_split { id.dwo_name() } else { Some(id.name()) };
            if let Some(section_name) = section_name {
                parts.collect(id, section_name)?;
            }
        }
        Ok(Self { sections: parts.join()?, endian, is_split, has_lines })
    }

    /// The bytes of a section; empty if the object does not have it.
    pub(crate) fn bytes(&self, id: SectionId) -> &[u8] {
        self.sections.get(&id).map_or(&[], |section| section)
    }

    pub(crate) fn describe_types(&self) -> bool {
        !self.bytes(SectionId::DebugInfo).is_empty() || !self.bytes(SectionId::DebugTypes).is_empty()
    }
}

/// The sections of an object, before equal names are joined.
struct SectionParts<'data, 'object> {
    object_name: &'object str,
    object: &'object object::File<'data>,
    limits: &'object DebugLimits,
    starts: HashMap<SectionIndex, u64>,
    parts: HashMap<SectionId, Vec<SectionPart<'data>>>,
    /// Bytes of all sections that were compressed.
    unpacked: u64,
}

/// Maximum number of bytes that compressed sections of an object unpack to for each of their own, if
/// they unpack to more than [`SMALL`]. Those of real programs have ratios below 20.
const RATIO: u64 = 200;

/// Bytes of a section that may have any ratio.
const SMALL: u64 = 16 << 20;

struct SectionPart<'data> {
    index: SectionIndex,
    bytes: Cow<'data, [u8]>,
}

impl<'data> SectionParts<'data, '_> {
    fn collect(&mut self, id: SectionId, name: &str) -> Result<(), DebugInfoError> {
        let mut start = 0u64;
        let mut parts = Vec::new();

        // Usually an object has one section of each name. Looking it up by name also finds Apple's
        // and GNU's old names.
        let is_relocatable = self.object.kind() == ObjectKind::Relocatable;
        let first = self.object.section_by_name(name);
        let first_index = first.as_ref().map(ObjectSection::index);
        let others = self
            .object
            .sections()
            .filter(|section| is_relocatable && Some(section.index()) != first_index && section.name() == Ok(name));

        for section in first.into_iter().chain(others) {
            let bytes = self.decompress(&section, name)?;
            self.starts.insert(section.index(), start);
            start = start.saturating_add(bytes.len() as u64);
            self.check_size(name, start)?;
            parts.push(SectionPart { index: section.index(), bytes });
        }
        self.parts.insert(id, parts);
        Ok(())
    }

    fn decompress(
        &mut self,
        section: &object::Section<'data, '_>,
        name: &str,
    ) -> Result<Cow<'data, [u8]>, DebugInfoError> {
        let damaged = |error: object::Error| DebugInfoError::DamagedSection {
            object: self.object_name.to_owned(),
            section: name.to_owned(),
            message: error.to_string(),
        };
        let compressed = section.compressed_data().map_err(damaged)?;
        if compressed.format == CompressionFormat::None {
            return Ok(Cow::Borrowed(compressed.data));
        }

        let size = compressed.uncompressed_size;
        let plausible = (compressed.data.len() as u64).saturating_mul(RATIO).max(SMALL);
        let left = self.limits.unpacked_bytes.saturating_sub(self.unpacked);
        if size > plausible.min(left) {
            let (object, section) = (self.object_name.to_owned(), name.to_owned());
            return Err(DebugInfoError::UnpacksTooLarge { object, section, size, limit: plausible.min(left) });
        }
        self.unpacked += size;
        compressed.decompress().map_err(damaged)
    }

    fn check_size(&self, name: &str, size: u64) -> Result<(), DebugInfoError> {
        let limit = self.limits.section_bytes;
        if size <= limit {
            return Ok(());
        }
        let (object, section) = (self.object_name.to_owned(), name.to_owned());
        Err(DebugInfoError::SectionTooLarge { object, section, size, limit })
    }

    fn join(mut self) -> Result<HashMap<SectionId, Cow<'data, [u8]>>, DebugInfoError> {
        let mut joined = HashMap::new();
        for (id, mut parts) in std::mem::take(&mut self.parts) {
            if self.object.kind() == ObjectKind::Relocatable {
                for part in &mut parts {
                    self.relocate(part)?;
                }
            }
            let bytes = match parts.len() {
                0 => Cow::Borrowed(&[][..]),
                1 => parts.remove(0).bytes,
                _ => Cow::Owned(parts.iter().flat_map(|part| part.bytes.iter().copied()).collect()),
            };
            joined.insert(id, bytes);
        }
        Ok(joined)
    }

    /// Applies relocations to a section, as the linker would.
    ///
    /// Ignores kinds of relocation that only code addresses use: types have none.
    fn relocate(&self, part: &mut SectionPart<'data>) -> Result<(), DebugInfoError> {
        let Ok(section) = self.object.section_by_index(part.index) else { return Ok(()) };
        for (offset, relocation) in section.relocations() {
            let Some(value) = self.relocated_value(&relocation) else { continue };
            let size = usize::from(relocation.size() / 8);
            let place = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(size)?));
            let field = place.and_then(|place| part.bytes.to_mut().get_mut(place));
            let Some(field) = field else {
                return Err(DebugInfoError::DamagedSection {
                    object: self.object_name.to_owned(),
                    section: section.name().unwrap_or_default().to_owned(),
                    message: format!("a relocation is at {offset:#x}, past its end"),
                });
            };
            self.write(field, value, relocation.has_implicit_addend());
        }
        Ok(())
    }

    /// Returns the value that a relocation gives a field, without the addend stored in the field.
    fn relocated_value(&self, relocation: &object::Relocation) -> Option<u64> {
        let is_plain = matches!(relocation.kind(), RelocationKind::Absolute | RelocationKind::SectionOffset);
        // Apple's tools write offsets between debug sections directly, and relocate only addresses.
        if !is_plain || matches!(relocation.flags(), RelocationFlags::MachO { .. }) {
            return None;
        }
        if !matches!(relocation.size(), 16 | 32 | 64) {
            return None;
        }

        let target = match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = self.object.symbol_by_index(index).ok()?;
                let start = symbol.section_index().and_then(|section| self.starts.get(&section));
                symbol.address().wrapping_add(start.copied().unwrap_or(0))
            }
            RelocationTarget::Section(index) => self.starts.get(&index).copied().unwrap_or(0),
            RelocationTarget::Absolute => 0,
            _ => return None,
        };
        Some(target.wrapping_add_signed(relocation.addend()))
    }

    fn write(&self, field: &mut [u8], value: u64, add_to_field: bool) {
        let little = self.object.is_little_endian();
        let mut old = [0; 8];
        for (position, byte) in field.iter().enumerate() {
            let place = if little { position } else { field.len() - 1 - position };
            old[place] = *byte;
        }

        let old = if add_to_field { u64::from_le_bytes(old) } else { 0 };
        let new = old.wrapping_add(value).to_le_bytes();
        let length = field.len();
        for (position, byte) in field.iter_mut().enumerate() {
            *byte = new[if little { position } else { length - 1 - position }];
        }
    }
}
