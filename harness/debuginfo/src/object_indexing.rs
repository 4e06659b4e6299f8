//! First pass over one object: collects the names of its types, and the places of further debug
//! information.

use object::Object;

use crate::DebugInfoError;
use crate::codeview;
use crate::debug_input::DebugInput;
use crate::dwarf::{DebugSections, DwarfObject, DwarfStorage, SkeletonLink, UnitNames, walk_unit};
use crate::index::NoTypesReason;
use crate::name_table::NameTable;
use crate::object_source::{FileOrigin, ObjectFormat, ObjectSource};
use crate::parallel::{Numbered, ParallelResults, map_in_parallel};

/// The result for one object.
#[derive(Default)]
pub(crate) struct IndexedObject {
    /// Entries of each unit, with the number of the thread whose table has their names.
    pub(crate) units: Vec<IndexedUnit>,
    /// Other files with debug information of this object.
    pub(crate) elsewhere: Vec<FileOrigin>,
    /// Skeleton units, if their types are in other files.
    pub(crate) skeletons: Vec<SkeletonLink>,
    pub(crate) problems: Vec<DebugInfoError>,
    pub(crate) reason: Option<NoTypesReason>,
    pub(crate) section_bytes: u64,
}

#[derive(Default)]
pub(crate) struct IndexedUnit {
    pub(crate) thread: usize,
    pub(crate) names: UnitNames,
    pub(crate) skeleton: Option<SkeletonLink>,
    pub(crate) problem: Option<DebugInfoError>,
}

/// Indexes one object. `tables` receives the names that its units refer to, one table per thread.
pub(crate) fn index_object(
    input: &DebugInput<'_>,
    source: &ObjectSource,
    threads: u32,
    tables: &mut Vec<NameTable>,
) -> IndexedObject {
    let Some(bytes) = source.file.open(input.bytes, input.siblings, Some(source.range.clone())) else {
        let problem = DebugInfoError::SiblingMissing { object: input.name.to_owned(), sibling: source.name.clone() };
        return IndexedObject { problems: vec![problem], ..IndexedObject::default() };
    };
    let result = match source.format {
        ObjectFormat::Object => index_binary(input, source, bytes.as_slice(), threads, tables),
        ObjectFormat::Pdb => index_pdb(source, bytes.as_slice(), tables),
    };
    result.unwrap_or_else(|problem| IndexedObject { problems: vec![problem], ..IndexedObject::default() })
}

fn index_binary(
    input: &DebugInput<'_>,
    source: &ObjectSource,
    bytes: &[u8],
    threads: u32,
    tables: &mut Vec<NameTable>,
) -> Result<IndexedObject, DebugInfoError> {
    let file = object::File::parse(bytes).map_err(|error| DebugInfoError::DamagedContainer {
        object: source.name.clone(),
        container: "object file",
        message: error.to_string(),
    })?;

    let sections = DebugSections::load(&source.name, &file, false, &input.limits)?;
    if sections.describe_types() {
        let mut indexed = index_dwarf(source, sections, threads, tables);
        if let Ok(Some((name, _))) = file.gnu_debugaltlink() {
            let sibling = String::from_utf8_lossy(name).into_owned();
            indexed.problems.push(DebugInfoError::SupplementaryFile { object: source.name.clone(), sibling });
        }
        return Ok(indexed);
    }
    if let Some(types) = codeview::object_types(&source.name, &file, &input.limits)? {
        return index_codeview(&types, tables);
    }

    let elsewhere = debug_files_of(&file, &source.file);
    let is_mac = matches!(file.format(), object::BinaryFormat::MachO) && file.kind() != object::ObjectKind::Relocatable;
    let reason = if is_mac && source.file == FileOrigin::Input {
        NoTypesReason::MacDebugMap
    } else if sections.has_lines {
        NoTypesReason::LinesOnly
    } else {
        NoTypesReason::NoDebugInformation
    };
    let reason = elsewhere.is_empty().then_some(reason).or(is_mac.then_some(NoTypesReason::MacDebugMap));
    Ok(IndexedObject { elsewhere, reason, ..IndexedObject::default() })
}

/// The files with the debug information of a program that has none itself.
fn debug_files_of(file: &object::File<'_>, origin: &FileOrigin) -> Vec<FileOrigin> {
    let mut elsewhere = Vec::new();
    if let Ok(Some((name, _))) = file.gnu_debuglink() {
        elsewhere.push(FileOrigin::DebugLink { name: String::from_utf8_lossy(name).into_owned() });
    }
    if let Ok(Some(info)) = file.pdb_info() {
        elsewhere.push(FileOrigin::Pdb { path: String::from_utf8_lossy(info.path()).into_owned() });
    }
    if matches!(file.format(), object::BinaryFormat::MachO)
        && file.kind() != object::ObjectKind::Relocatable
        && *origin == FileOrigin::Input
    {
        elsewhere.push(FileOrigin::Dsym);
    }
    elsewhere
}

fn index_dwarf(
    source: &ObjectSource,
    sections: DebugSections<'_>,
    threads: u32,
    tables: &mut Vec<NameTable>,
) -> IndexedObject {
    let section_bytes = sections.size();
    let storage = DwarfStorage { name: source.name.clone(), sections };
    let object = DwarfObject::new(&storage);

    let mut problems = object.problems.clone();
    let mut units = if threads == 1 {
        let table_number = 0;
        if tables.is_empty() {
            tables.push(NameTable::default());
        }
        let table = &mut tables[table_number];
        (0..object.unit_count()).map(|unit| index_unit(&object, unit, table_number, table)).collect()
    } else {
        let ParallelResults { results, states } =
            map_in_parallel(object.unit_count(), threads, |table: &mut NameTable, numbered: Numbered| {
                index_unit(&object, numbered.work, numbered.thread, table)
            });
        *tables = states;
        results
    };

    let skeletons = units.iter_mut().filter_map(|unit: &mut IndexedUnit| unit.skeleton.take()).collect::<Vec<_>>();
    problems.extend(stale_problem(source, &object));
    let has_types = units.iter().any(|unit| unit.names.has_types || unit.problem.is_some());
    let reason = (!has_types && skeletons.is_empty()).then_some(NoTypesReason::LinesOnly);
    IndexedObject { units, elsewhere: Vec::new(), skeletons, problems, reason, section_bytes }
}

/// Compares the identity of a `.dwo` file with the one that its skeleton expects.
fn stale_problem(source: &ObjectSource, object: &DwarfObject<'_>) -> Option<DebugInfoError> {
    let expected = source.dwo_id?;
    let units = (0..).take(object.unit_count()).filter_map(|number| object.open(number).ok());
    let mut ids = units.filter_map(|unit| unit.dwo_id()).peekable();
    ids.peek()?;
    let is_other = !ids.any(|id| id == expected);
    is_other.then(|| DebugInfoError::SiblingStale { object: source.name.clone(), sibling: source.name.clone() })
}

fn index_unit(object: &DwarfObject<'_>, number: usize, thread: usize, table: &mut NameTable) -> IndexedUnit {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let failed = |problem| IndexedUnit { problem: Some(problem), thread, ..IndexedUnit::default() };
    let unit = match object.open(number) {
        Ok(unit) => unit,
        Err(problem) => return failed(problem),
    };
    let Some(dwarf) = object.dwarf(number) else { return IndexedUnit::default() };

    let mut names = UnitNames::default();
    let problem = walk_unit(object, dwarf, &unit, table, &mut names).err().map(|error| DebugInfoError::DamagedUnit {
        object: object.name.to_owned(),
        offset: object.unit_offset(number),
        message: error.to_string(),
    });
    IndexedUnit { thread, names, skeleton: unit.skeleton, problem }
}

fn index_pdb(
    source: &ObjectSource,
    bytes: &[u8],
    tables: &mut Vec<NameTable>,
) -> Result<IndexedObject, DebugInfoError> {
    let types = codeview::pdb_types(&source.name, bytes)?;
    index_codeview(&types, tables)
}

fn index_codeview(
    types: &codeview::CodeViewTypes<'_>,
    tables: &mut Vec<NameTable>,
) -> Result<IndexedObject, DebugInfoError> {
    if tables.is_empty() {
        tables.push(NameTable::default());
    }
    let entries = codeview::collect_names(types, &mut tables[0])?;
    let names = UnitNames { has_types: !entries.is_empty(), entries, bare_templates: Vec::new() };
    let reason = (!names.has_types).then_some(NoTypesReason::LinesOnly);
    let elsewhere: Vec<FileOrigin> = types.type_server().map(|path| FileOrigin::Pdb { path }).into_iter().collect();
    Ok(IndexedObject {
        units: vec![IndexedUnit { names, ..IndexedUnit::default() }],
        reason: reason.filter(|_| elsewhere.is_empty()),
        elsewhere,
        section_bytes: types.size(),
        ..IndexedObject::default()
    })
}
