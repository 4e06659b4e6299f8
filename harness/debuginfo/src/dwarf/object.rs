//! All units of one object file, numbered, and the definition of each type signature.
//!
//! A `.dwp` file has a set of sections for each unit; any other object has one set for all units.

use std::collections::HashMap;

use gimli::{DwarfFileType, EndianSlice, SectionId, UnitHeader, UnitOffset, UnitSectionOffset, UnitType};

use super::Slice;
use super::sections::DebugSections;
use super::unit::OpenUnit;
use crate::DebugInfoError;

/// Sections of an object, kept alive while its units are in use.
pub(crate) struct DwarfStorage<'data> {
    pub(crate) name: String,
    pub(crate) sections: DebugSections<'data>,
}

/// Properties that a type unit inherits from the unit that it was compiled with.
pub(crate) struct MainUnit {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) producer: String,
}

pub(crate) struct DwarfObject<'a> {
    pub(crate) name: &'a str,
    is_big_endian: bool,
    spaces: Vec<gimli::Dwarf<Slice<'a>>>,
    units: Vec<NumberedUnit<'a>>,
    signatures: HashMap<u64, TypeKey>,
    /// Parts of the object that could not be read.
    pub(crate) problems: Vec<DebugInfoError>,
}

struct NumberedUnit<'a> {
    space: usize,
    header: UnitHeader<Slice<'a>>,
}

impl<'a> DwarfObject<'a> {
    pub(crate) fn new(storage: &'a DwarfStorage<'_>) -> Self {
        let mut object = Self {
            name: &storage.name,
            is_big_endian: storage.sections.endian == gimli::RunTimeEndian::Big,
            spaces: Vec::new(),
            units: Vec::new(),
            signatures: HashMap::new(),
            problems: Vec::new(),
        };

        let sections = &storage.sections;
        let whole = whole_object(sections);
        if sections.bytes(SectionId::DebugCuIndex).is_empty() && sections.bytes(SectionId::DebugTuIndex).is_empty() {
            object.add_space(whole);
        } else if let Err(error) = object.add_package(sections, &whole) {
            object.add_problem(0, error);
        }
        object
    }

    pub(crate) fn is_big_endian(&self) -> bool {
        self.is_big_endian
    }

    pub(crate) fn unit_count(&self) -> usize {
        self.units.len()
    }

    pub(crate) fn dwarf(&self, unit: u32) -> Option<&gimli::Dwarf<Slice<'a>>> {
        self.spaces.get(self.units.get(unit as usize)?.space)
    }

    pub(crate) fn open(&self, unit: u32) -> Result<OpenUnit<'a>, DebugInfoError> {
        let (Some(numbered), Some(dwarf)) = (self.units.get(unit as usize), self.dwarf(unit)) else {
            return Err(self.problem(0, format!("there is no unit {unit}")));
        };
        OpenUnit::open(dwarf, numbered.header)
            .map_err(|error| self.problem(section_offset(&numbered.header), error.to_string()))
    }

    /// The offset of a unit in its section, for messages.
    pub(crate) fn unit_offset(&self, unit: u32) -> u64 {
        self.units.get(unit as usize).map_or(0, |numbered| section_offset(&numbered.header))
    }

    /// Units that record the compiler's working folder, by the offsets of their line tables.
    pub(crate) fn main_units(&self) -> HashMap<usize, MainUnit> {
        let mut main_units = HashMap::new();
        for number in (0..).take(self.units.len()) {
            let Ok(unit) = self.open(number) else { continue };
            if let Some(lines) = unit.lines.filter(|_| !unit.folder.is_empty()) {
                let OpenUnit { name, folder, producer, .. } = unit;
                main_units.entry(lines.0).or_insert(MainUnit { name, folder, producer });
            }
        }
        main_units
    }

    pub(crate) fn find_signature(&self, signature: u64) -> Option<TypeKey> {
        self.signatures.get(&signature).copied()
    }

    /// The name of an entry, without namespaces.
    pub(crate) fn own_name(&self, key: TypeKey) -> Option<String> {
        let unit = self.open(key.unit).ok()?;
        let entry = unit.entry(unit_offset(key.entry)).ok()?;
        unit.string(self.dwarf(key.unit)?, entry.name.as_ref()?).map(std::borrow::Cow::into_owned)
    }

    /// Finds the entry at an offset in `.debug_info`, relative to a unit.
    pub(crate) fn find_offset(&self, from: u32, offset: usize) -> Option<TypeKey> {
        let space = self.units.get(from as usize)?.space;
        let first = self.units.partition_point(|unit| unit.space < space);
        let in_space = self.units.get(first..)?;
        // Units of .debug_info precede those of .debug_types; offsets ascend within each kind.
        let behind = in_space.partition_point(|unit| {
            unit.space == space && info_offset(&unit.header).is_some_and(|start| start <= offset)
        });
        let number = first.checked_add(behind)?.checked_sub(1)?;
        let start = info_offset(&self.units.get(number)?.header)?;
        Some(TypeKey { unit: u32::try_from(number).ok()?, entry: u32::try_from(offset.checked_sub(start)?).ok()? })
    }

    fn add_package(&mut self, sections: &'a DebugSections<'_>, whole: &gimli::Dwarf<Slice<'a>>) -> gimli::Result<()> {
        let endian = sections.endian;
        let slice = |id: SectionId| EndianSlice::new(sections.bytes(id), endian);
        let package = gimli::DwarfPackage::load(|id| Ok::<_, gimli::Error>(slice(id)), EndianSlice::new(&[], endian))?;

        for row in 1..=package.cu_index.unit_count() {
            let space = package.cu_sections(row, whole)?;
            self.add_space(space);
        }
        for row in 1..=package.tu_index.unit_count() {
            let space = package.tu_sections(row, whole)?;
            self.add_space(space);
        }
        Ok(())
    }

    fn add_space(&mut self, dwarf: gimli::Dwarf<Slice<'a>>) {
        let space = self.spaces.len();
        let (mut units, mut type_units) = (dwarf.units(), dwarf.type_units());
        self.add_units(space, || units.next());
        self.add_units(space, || type_units.next());
        self.spaces.push(dwarf);
    }

    fn add_units(&mut self, space: usize, mut next: impl FnMut() -> gimli::Result<Option<UnitHeader<Slice<'a>>>>) {
        loop {
            match next() {
                Ok(Some(header)) => self.add_unit(space, header),
                Ok(None) => return,
                Err(error) => return self.add_problem(space, error),
            }
        }
    }

    fn add_unit(&mut self, space: usize, header: UnitHeader<Slice<'a>>) {
        let Ok(number) = u32::try_from(self.units.len()) else { return };
        if let UnitType::Type { type_signature, type_offset } | UnitType::SplitType { type_signature, type_offset } =
            header.type_()
            && let Ok(entry) = u32::try_from(type_offset.0)
        {
            self.signatures.entry(type_signature.0).or_insert(TypeKey { unit: number, entry });
        }
        self.units.push(NumberedUnit { space, header });
    }

    fn add_problem(&mut self, space: usize, error: gimli::Error) {
        let last = self.units.iter().rev().find(|unit| unit.space == space);
        let offset = last.map_or(0, |unit| section_offset(&unit.header));
        let problem = self.problem(offset, format!("{error}, in it or after it"));
        self.problems.push(problem);
    }

    fn problem(&self, offset: u64, message: String) -> DebugInfoError {
        DebugInfoError::DamagedUnit { object: self.name.to_owned(), offset, message }
    }
}

/// One set of sections for the whole object.
fn whole_object<'a>(sections: &'a DebugSections<'_>) -> gimli::Dwarf<Slice<'a>> {
    let slice = |id: SectionId| Ok::<_, gimli::Error>(EndianSlice::new(sections.bytes(id), sections.endian));
    let mut dwarf = gimli::Dwarf::load(slice).unwrap_or_default();
    if sections.is_split {
        dwarf.file_type = DwarfFileType::Dwo;
    }
    dwarf
}

fn section_offset(header: &UnitHeader<Slice<'_>>) -> u64 {
    match header.offset() {
        UnitSectionOffset::DebugInfoOffset(offset) => offset.0 as u64,
        UnitSectionOffset::DebugTypesOffset(offset) => offset.0 as u64,
    }
}

fn info_offset(header: &UnitHeader<Slice<'_>>) -> Option<usize> {
    match header.offset() {
        UnitSectionOffset::DebugInfoOffset(offset) => Some(offset.0),
        UnitSectionOffset::DebugTypesOffset(_) => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TypeKey {
    pub(crate) unit: u32,
    pub(crate) entry: u32,
}

pub(crate) fn unit_offset(entry: u32) -> UnitOffset {
    UnitOffset(entry as usize)
}
