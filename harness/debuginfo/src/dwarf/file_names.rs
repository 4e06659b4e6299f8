//! Names of a unit's source files, by the numbers that entries use.

use gimli::LineProgramHeader;

use super::Slice;
use super::unit::OpenUnit;
use crate::DeclarationPlace;

/// Source files of one unit.
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

    /// Makes a declaration place from the numbers in an entry.
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

/// Prepends a folder to a path that is not absolute.
pub(super) fn join_path(folder: &str, path: &str) -> String {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if folder.is_empty() || path.is_empty() || has_drive || path.starts_with(['/', '\\']) {
        return path.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    if folder.ends_with(['/', '\\']) { format!("{folder}{path}") } else { format!("{folder}/{path}") }
}
