//! First pass over a file and its siblings: indexes each object, follows references to other files
//! with its debug information, and merges all names.
//!
//! A single object is spread over threads by its units, a library by its objects.

use object::Object;

use crate::container::{FileOrigin, ObjectFormat, ObjectSource, PdbBuild, list_objects, parse_object};
use crate::dwarf::{DebugSections, DwarfObject, DwarfStorage, SkeletonLink, walk_unit};
use crate::index::{
    DebugIndex, FunctionInstance, IndexEntry, NameTable, NoTypesReason, TypeLocation, UnitEntry, UnitNames,
};
use crate::input::DebugInput;
use crate::layout_file::LayoutFile;
use crate::parallel::map_in_parallel;
use crate::{DebugInfoError, codeview};

/// Maximum length of a chain of siblings: a stripped program, its debug file, the `.dwo` files of
/// that.
const MAX_ROUNDS: u32 = 4;

pub(crate) fn make_index(input: DebugInput<'_>) -> Result<DebugIndex, DebugInfoError> {
    let mut builder = IndexBuilder {
        input,
        index: DebugIndex::default(),
        entries: Vec::new(),
        reasons: Vec::new(),
        has_units: false,
    };
    let mut next = list_objects(input.name, &FileOrigin::Input, input.bytes, &input.limits)?;
    if next.is_empty() {
        builder.reasons.push(NoTypesReason::NoObjects);
    }
    for _ in 0..MAX_ROUNDS {
        if next.is_empty() {
            break;
        }
        next = builder.index_round(next)?;
    }
    Ok(builder.finish())
}

struct IndexBuilder<'data> {
    input: DebugInput<'data>,
    index: DebugIndex,
    entries: Vec<IndexEntry>,
    /// The reasons of all objects without types.
    reasons: Vec<NoTypesReason>,
    has_units: bool,
}

impl IndexBuilder<'_> {
    /// Indexes objects, and returns the objects that they refer to.
    fn index_round(&mut self, sources: Vec<ObjectSource>) -> Result<Vec<ObjectSource>, DebugInfoError> {
        let input = self.input;
        let first_number = self.index.objects.len();
        let is_single = sources.len() == 1;
        let unit_threads = if is_single { input.limits.threads } else { 1 };

        let object_threads = if is_single { 1 } else { input.limits.threads };
        let (results, states) =
            map_in_parallel(sources.len(), object_threads, |tables: &mut Vec<NameTable>, work, thread| {
                // A thread that works on whole objects has one table; the units of one object have
                // a table per thread.
                (thread, index_object(&input, &sources[work], unit_threads, tables))
            });

        self.index.objects.extend(sources);
        let renumbered: Vec<Vec<Vec<u32>>> =
            states.iter().map(|tables| tables.iter().map(|table| self.take_names(table)).collect()).collect();
        let mut next = Vec::new();
        for (position, (thread, indexed)) in results.into_iter().enumerate() {
            let number = u32::try_from(first_number + position).unwrap_or(u32::MAX);
            let tables = renumbered.get(thread).map(Vec::as_slice).unwrap_or_default();
            next.extend(self.take_object(number, indexed, tables)?);
        }
        Ok(next)
    }

    /// Assigns final numbers to the names in one thread's table.
    fn take_names(&mut self, table: &NameTable) -> Vec<u32> {
        table.names().iter().map(|name| self.index.names.number(name).unwrap_or(0)).collect()
    }

    fn take_object(
        &mut self,
        number: u32,
        object: IndexedObject,
        tables: &[Vec<u32>],
    ) -> Result<Vec<ObjectSource>, DebugInfoError> {
        self.index.problems.extend(object.problems);
        self.reasons.extend(object.reason);

        for (unit_number, unit) in (0..).zip(object.units) {
            self.has_units = true;
            self.index.problems.extend(unit.problem);
            let numbers = tables.get(unit.thread).map(Vec::as_slice).unwrap_or_default();
            let renumbered = |name: u32| numbers.get(name as usize).copied();
            self.index.instances.extend(unit.names.instances.iter().filter_map(|instance| {
                let (function, argument) = (renumbered(instance.function)?, renumbered(instance.argument)?);
                Some(FunctionInstance { function, argument })
            }));
            for UnitEntry { entry, name, kind } in unit.names.entries {
                let Some(name) = renumbered(name) else { continue };
                let location = TypeLocation { object: number, unit: unit_number, entry };
                self.entries.push(IndexEntry { location, name, kind });
            }
        }
        let limit = self.input.limits.names;
        if self.entries.len() > limit as usize {
            return Err(DebugInfoError::TooManyNames { object: self.input.name.to_owned(), limit });
        }

        let mut next = self.open_elsewhere(object.elsewhere);
        next.extend(self.open_split(number, object.skeletons));
        Ok(next)
    }

    /// Opens the files with the debug information of a stripped program.
    fn open_elsewhere(&mut self, elsewhere: Vec<FileOrigin>) -> Vec<ObjectSource> {
        let mut found = Vec::new();
        for origin in elsewhere {
            let sibling = origin.label(self.input.name);
            // Stop at a file that refers to itself.
            if self.index.objects.iter().any(|source| source.file == origin) {
                continue;
            }
            let Some(bytes) = origin.open(self.input.bytes, self.input.siblings, None) else {
                self.reasons.push(NoTypesReason::Elsewhere { sibling });
                continue;
            };
            if let FileOrigin::Pdb { build: Some(build), .. } = origin
                && codeview::pdb_build(bytes.as_slice()).is_some_and(|found| found != build)
            {
                let object = self.input.name.to_owned();
                self.index.problems.push(DebugInfoError::SiblingStale { object, sibling: sibling.clone() });
                self.reasons.push(NoTypesReason::OtherBuild { sibling });
                continue;
            }
            found.extend(self.list(&sibling, &origin, bytes.as_slice()));
        }
        found
    }

    /// Opens the files with the types of skeleton units: the package if it exists, otherwise a file
    /// for each unit.
    fn open_split(&mut self, number: u32, skeletons: Vec<SkeletonLink>) -> Vec<ObjectSource> {
        let mut found = Vec::new();
        if skeletons.is_empty() {
            return found;
        }
        let package = FileOrigin::Dwp;
        if let Some(bytes) = package.open(self.input.bytes, self.input.siblings, None) {
            let objects = self.list(&package.label(self.input.name), &package, bytes.as_slice());
            return objects.into_iter().map(|source| ObjectSource { skeleton: Some(number), ..source }).collect();
        }

        for skeleton in skeletons {
            let SkeletonLink { name, folder, dwo_id } = skeleton;
            let origin = FileOrigin::Dwo { folder, name: name.clone() };
            let Some(bytes) = origin.open(self.input.bytes, self.input.siblings, None) else {
                let object = self.index.objects[number as usize].name.clone();
                self.index.problems.push(DebugInfoError::SiblingMissing { object, sibling: name.clone() });
                self.reasons.push(NoTypesReason::Elsewhere { sibling: name });
                continue;
            };
            let objects = self.list(&name, &origin, bytes.as_slice()).into_iter();
            found.extend(objects.map(|source| ObjectSource { skeleton: Some(number), dwo_id, ..source }));
        }
        found
    }

    /// The object files in a sibling; a file that cannot be listed is a problem.
    fn list(&mut self, name: &str, origin: &FileOrigin, bytes: &[u8]) -> Vec<ObjectSource> {
        list_objects(name, origin, bytes, &self.input.limits).unwrap_or_else(|error| {
            self.index.problems.push(error);
            Vec::new()
        })
    }

    fn finish(mut self) -> DebugIndex {
        self.index.arrange(self.entries);
        if self.index.names().next().is_none() {
            self.index.absence = Some(main_reason(self.reasons, self.has_units));
        }
        self.index
    }
}

/// Selects the most helpful reason.
fn main_reason(mut reasons: Vec<NoTypesReason>, has_units: bool) -> NoTypesReason {
    if let Some(position) = reasons.iter().position(|reason| *reason != NoTypesReason::NoDebugInformation) {
        return reasons.swap_remove(position);
    }
    if has_units { NoTypesReason::NoNamedTypes } else { NoTypesReason::NoDebugInformation }
}

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
        ObjectFormat::Pdb => {
            codeview::pdb_types(&source.name, bytes.as_slice()).and_then(|types| index_codeview(&types, tables))
        }
        ObjectFormat::LayoutFile => LayoutFile::parse(&source.name, bytes.as_slice(), &input.limits)
            .map(|file| index_names(file.collect_names(first_table(tables)), Vec::new())),
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
    let file = parse_object(source, bytes)?;
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
        let build = PdbBuild { guid: info.guid(), age: info.age() };
        elsewhere.push(FileOrigin::Pdb { path: String::from_utf8_lossy(info.path()).into_owned(), build: Some(build) });
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
    let storage = DwarfStorage { name: source.name.clone(), sections };
    let object = DwarfObject::new(&storage);

    let mut problems = object.problems.clone();
    let mut units = if threads == 1 {
        let table = first_table(tables);
        (0..object.unit_count()).map(|unit| index_unit(&object, unit, 0, table)).collect()
    } else {
        let index = |table: &mut NameTable, unit, thread| index_unit(&object, unit, thread, table);
        let (units, states) = map_in_parallel(object.unit_count(), threads, index);
        *tables = states;
        units
    };

    let skeletons = units.iter_mut().filter_map(|unit: &mut IndexedUnit| unit.skeleton.take()).collect::<Vec<_>>();
    if let Some(stale) = stale_problem(source, &object) {
        problems.push(stale);
        let reason = Some(NoTypesReason::OtherBuild { sibling: source.name.clone() });
        return IndexedObject { problems, reason, ..IndexedObject::default() };
    }
    let has_types = units.iter().any(|unit| unit.names.has_types || unit.problem.is_some());
    let reason = (!has_types && skeletons.is_empty()).then_some(NoTypesReason::LinesOnly);
    IndexedObject { units, elsewhere: Vec::new(), skeletons, problems, reason }
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

fn index_codeview(
    types: &codeview::CodeViewTypes<'_>,
    tables: &mut Vec<NameTable>,
) -> Result<IndexedObject, DebugInfoError> {
    let entries = codeview::collect_names(types, first_table(tables))?;
    let elsewhere = types.type_server().map(|path| FileOrigin::Pdb { path, build: None });
    Ok(index_names(entries, elsewhere.into_iter().collect()))
}

fn first_table(tables: &mut Vec<NameTable>) -> &mut NameTable {
    if tables.is_empty() {
        tables.push(NameTable::default());
    }
    &mut tables[0]
}

/// An object with a single unit.
fn index_names(entries: Vec<UnitEntry>, elsewhere: Vec<FileOrigin>) -> IndexedObject {
    let names = UnitNames { has_types: !entries.is_empty(), entries, ..UnitNames::default() };
    let reason = (!names.has_types).then_some(NoTypesReason::LinesOnly);
    IndexedObject {
        units: vec![IndexedUnit { names, ..IndexedUnit::default() }],
        reason: reason.filter(|_| elsewhere.is_empty()),
        elsewhere,
        ..IndexedObject::default()
    }
}
