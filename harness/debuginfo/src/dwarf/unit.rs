//! An opened unit: its abbreviations and the attributes of its first entry.
//!
//! `gimli::Unit` also requires line and address tables, which the index does not need.

use std::sync::Arc;

use gimli::{
    AttributeValue, DebugLineOffset, DebugStrOffsetsBase, LineProgramHeader, UnitHeader, UnitOffset, UnitType,
};

use super::Slice;
use super::entry::Entry;
use crate::{DeclarationPlace, HostLanguage};

pub(crate) struct OpenUnit<'a> {
    pub(crate) header: UnitHeader<Slice<'a>>,
    pub(crate) abbreviations: Arc<gimli::Abbreviations>,
    str_offsets_base: DebugStrOffsetsBase,
    /// Source file; empty if unknown.
    pub(crate) name: String,
    /// Working folder of the compiler; empty if unknown.
    pub(crate) folder: String,
    pub(crate) producer: String,
    /// `None` if unknown, as in the partial units that dwz makes.
    pub(crate) language: Option<HostLanguage>,
    pub(crate) lines: Option<DebugLineOffset>,
    /// The place of its types, if it is a skeleton.
    pub(crate) skeleton: Option<SkeletonLink>,
}

/// A skeleton unit's reference to the file with its types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkeletonLink {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) dwo_id: Option<u64>,
}

impl<'a> OpenUnit<'a> {
    /// Reads the abbreviations and the first entry of a unit.
    pub(crate) fn open(dwarf: &gimli::Dwarf<Slice<'a>>, header: UnitHeader<Slice<'a>>) -> gimli::Result<Self> {
        let mut unit = Self {
            abbreviations: dwarf.abbreviations(&header)?,
            str_offsets_base: DebugStrOffsetsBase::default_for_encoding_and_file(header.encoding(), dwarf.file_type),
            name: String::new(),
            folder: String::new(),
            producer: String::new(),
            language: None,
            lines: None,
            skeleton: None,
            header,
        };
        unit.read_root(dwarf)?;
        Ok(unit)
    }

    fn read_root(&mut self, dwarf: &gimli::Dwarf<Slice<'a>>) -> gimli::Result<()> {
        let (mut name, mut folder, mut producer, mut dwo_name) = (None, None, None, None);
        let mut dwo_id = dwo_id(&self.header);

        let mut entries = self.header.entries_raw(&self.abbreviations, None)?;
        let Some(abbreviation) = entries.read_abbreviation()? else { return Err(gimli::Error::MissingUnitDie) };
        for specification in abbreviation.attributes() {
            let attribute = entries.read_attribute(*specification)?;
            match (attribute.name(), attribute.value()) {
                (gimli::DW_AT_name, value) => name = Some(value),
                (gimli::DW_AT_comp_dir, value) => folder = Some(value),
                (gimli::DW_AT_producer, value) => producer = Some(value),
                (gimli::DW_AT_dwo_name | gimli::DW_AT_GNU_dwo_name, value) => dwo_name = Some(value),
                (gimli::DW_AT_GNU_dwo_id, AttributeValue::DwoId(id)) => dwo_id = Some(id.0),
                (gimli::DW_AT_language, AttributeValue::Language(language)) => {
                    self.language = Some(host_language(language));
                }
                (gimli::DW_AT_stmt_list, AttributeValue::DebugLineRef(offset)) => self.lines = Some(offset),
                (gimli::DW_AT_str_offsets_base, AttributeValue::DebugStrOffsetsBase(base)) => {
                    self.str_offsets_base = base;
                }
                _ => {}
            }
        }

        // Strings may need the base, which a later attribute sets.
        self.name = self.owned_string(dwarf, name);
        self.folder = self.owned_string(dwarf, folder);
        self.producer = self.owned_string(dwarf, producer);
        if dwo_name.is_some() && dwarf.file_type == gimli::DwarfFileType::Main {
            let name = self.owned_string(dwarf, dwo_name);
            self.skeleton = Some(SkeletonLink { name, folder: self.folder.clone(), dwo_id });
        }
        Ok(())
    }

    /// The number that a `.dwo` unit shares with its skeleton.
    pub(crate) fn dwo_id(&self) -> Option<u64> {
        if let Some(id) = dwo_id(&self.header) {
            return Some(id);
        }
        let first = UnitOffset(self.header.header_size());
        let root = self.header.entry(&self.abbreviations, first).ok()?;
        match root.attr_value(gimli::DW_AT_GNU_dwo_id).ok()?? {
            AttributeValue::DwoId(id) => Some(id.0),
            _ => None,
        }
    }

    /// Returns the text of an attribute; `None` if it is in a supplementary file or damaged.
    pub(crate) fn string(
        &self,
        dwarf: &gimli::Dwarf<Slice<'a>>,
        value: &AttributeValue<Slice<'a>>,
    ) -> Option<std::borrow::Cow<'a, str>> {
        let bytes = match *value {
            AttributeValue::String(bytes) => bytes,
            AttributeValue::DebugStrRef(offset) => dwarf.debug_str.get_str(offset).ok()?,
            AttributeValue::DebugLineStrRef(offset) => dwarf.debug_line_str.get_str(offset).ok()?,
            AttributeValue::DebugStrOffsetsIndex(index) => {
                let format = self.header.format();
                let offset = dwarf.debug_str_offsets.get_str_offset(format, self.str_offsets_base, index).ok()?;
                dwarf.debug_str.get_str(offset).ok()?
            }
            _ => return None,
        };
        Some(String::from_utf8_lossy(bytes.slice()))
    }

    fn owned_string(&self, dwarf: &gimli::Dwarf<Slice<'a>>, value: Option<AttributeValue<Slice<'a>>>) -> String {
        value.and_then(|value| self.string(dwarf, &value)).map(std::borrow::Cow::into_owned).unwrap_or_default()
    }

    pub(crate) fn entry(&self, offset: UnitOffset) -> gimli::Result<Entry<'a>> {
        let mut entries = self.header.entries_raw(&self.abbreviations, Some(offset))?;
        match entries.read_abbreviation()? {
            Some(abbreviation) => Entry::read(abbreviation, &mut entries, self.header.encoding()),
            None => Err(gimli::Error::NoEntryAtGivenOffset),
        }
    }

    /// Reads at most `limit` children of an entry, those whose tags satisfy `is_wanted`.
    pub(crate) fn children(
        &self,
        offset: UnitOffset,
        limit: u32,
        is_wanted: impl Fn(gimli::DwTag) -> bool,
    ) -> gimli::Result<Children<'a>> {
        let mut children = Children { entries: Vec::new(), is_cut: false };
        let mut entries = self.header.entries_raw(&self.abbreviations, Some(offset))?;
        let Some(parent) = entries.read_abbreviation()? else { return Err(gimli::Error::NoEntryAtGivenOffset) };
        entries.skip_attributes(parent.attributes())?;

        // The parent is at depth 0; its children end when the depth returns to that.
        while entries.next_depth() > 0 && !entries.is_empty() {
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            if depth > 1 || !is_wanted(abbreviation.tag()) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            if children.entries.len() >= limit as usize {
                children.is_cut = true;
                break;
            }
            children.entries.push(Entry::read(abbreviation, &mut entries, self.header.encoding())?);
        }
        Ok(children)
    }
}

pub(crate) struct Children<'a> {
    pub(crate) entries: Vec<Entry<'a>>,
    /// True if the entry has more children than the limit.
    pub(crate) is_cut: bool,
}

fn dwo_id(header: &UnitHeader<Slice<'_>>) -> Option<u64> {
    match header.type_() {
        UnitType::Skeleton(id) | UnitType::SplitCompilation(id) => Some(id.0),
        _ => None,
    }
}

fn host_language(language: gimli::DwLang) -> HostLanguage {
    match language {
        gimli::DW_LANG_C89
        | gimli::DW_LANG_C
        | gimli::DW_LANG_C99
        | gimli::DW_LANG_C11
        | gimli::DW_LANG_C17
        | gimli::DW_LANG_ObjC => HostLanguage::C,
        gimli::DW_LANG_C_plus_plus
        | gimli::DW_LANG_C_plus_plus_03
        | gimli::DW_LANG_C_plus_plus_11
        | gimli::DW_LANG_C_plus_plus_14
        | gimli::DW_LANG_C_plus_plus_17
        | gimli::DW_LANG_C_plus_plus_20
        | gimli::DW_LANG_ObjC_plus_plus => HostLanguage::Cpp,
        gimli::DW_LANG_Rust => HostLanguage::Rust,
        gimli::DW_LANG_Zig => HostLanguage::Zig,
        _ => HostLanguage::Other,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames {
    /// By number, starting at the first one of the unit's DWARF version.
    names: Vec<String>,
    first_number: u64,
}

/// The maximum number of files read from one table.
const MAX_FILES: usize = 200_000;

impl FileNames {
    /// Reads the files in a unit's line table; none if the table is missing or damaged.
    pub(crate) fn read<'a>(dwarf: &gimli::Dwarf<Slice<'a>>, unit: &OpenUnit<'a>) -> Self {
        let Some(offset) = unit.lines else { return Self::default() };
        let size = unit.header.address_size();
        let Ok(program) = dwarf.debug_line.program(offset, size, None, None) else { return Self::default() };

        let header = program.header();
        let names = header.file_names().iter().take(MAX_FILES);
        Self {
            names: names.map(|file| file_path(dwarf, unit, header, file)).collect(),
            first_number: u64::from(header.version() < 5),
        }
    }

    pub(crate) fn place(&self, file: Option<u64>, line: Option<u64>) -> Option<DeclarationPlace> {
        let position = usize::try_from(file?.checked_sub(self.first_number)?).ok()?;
        let file = self.names.get(position).filter(|name| !name.is_empty())?.clone();
        let line = line.and_then(|line| u32::try_from(line).ok()).filter(|&line| line > 0);
        Some(DeclarationPlace { file, line })
    }

    /// The main source file, for units that do not name it.
    pub(crate) fn main_source(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }
}

fn file_path<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    header: &LineProgramHeader<Slice<'a>>,
    file: &gimli::FileEntry<Slice<'a>>,
) -> String {
    let Some(name) = unit.string(dwarf, &file.path_name()) else { return String::new() };
    let folder = file.directory(header).and_then(|folder| unit.string(dwarf, &folder)).unwrap_or_default();
    join_path(&unit.folder, &join_path(&folder, &name))
}

pub(super) fn join_path(folder: &str, path: &str) -> String {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if folder.is_empty() || path.is_empty() || has_drive || path.starts_with(['/', '\\']) {
        return path.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    if folder.ends_with(['/', '\\']) { format!("{folder}{path}") } else { format!("{folder}/{path}") }
}
