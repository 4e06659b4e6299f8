//! First pass over a file and its siblings: indexes each object, follows references to other files
//! with its debug information, and merges all names.
//!
//! A single object is spread over threads by its units, a library by its objects.

use crate::DebugInfoError;
use crate::container::list_objects;
use crate::debug_input::DebugInput;
use crate::dwarf::SkeletonLink;
use crate::index::{DebugIndex, IndexEntry, IndexSize, NoTypesReason, TypeLocation, UnitEntry};
use crate::name_table::NameTable;
use crate::object_indexing::{IndexedObject, index_object};
use crate::object_source::{FileOrigin, ObjectSource};
use crate::parallel::{Numbered, ParallelResults, map_in_parallel};

/// Maximum length of a chain of siblings: a stripped program, its debug file, the `.dwo` files of
/// that.
const MAX_ROUNDS: u32 = 4;

/// Makes the index of a file.
pub(crate) fn make_index(input: DebugInput<'_>) -> Result<DebugIndex, DebugInfoError> {
    let mut builder = IndexBuilder { input, index: DebugIndex::default(), entries: Vec::new(), reasons: Vec::new() };
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
}

impl IndexBuilder<'_> {
    /// Indexes objects, and returns the objects that they refer to.
    fn index_round(&mut self, sources: Vec<ObjectSource>) -> Result<Vec<ObjectSource>, DebugInfoError> {
        let input = self.input;
        let first_number = self.index.objects.len();
        let is_single = sources.len() == 1;
        let unit_threads = if is_single { input.limits.threads } else { 1 };

        let object_threads = if is_single { 1 } else { input.limits.threads };
        let ParallelResults { results, states } =
            map_in_parallel(sources.len(), object_threads, |tables: &mut Vec<NameTable>, numbered: Numbered| {
                // A thread that works on whole objects has one table; the units of one object have
                // a table per thread.
                let indexed = index_object(&input, &sources[numbered.work], unit_threads, tables);
                ThreadObject { thread: numbered.thread, indexed }
            });

        self.index.objects.extend(sources);
        let renumbered: Vec<Vec<Vec<u32>>> =
            states.iter().map(|tables| tables.iter().map(|table| self.take_names(table)).collect()).collect();
        let mut next = Vec::new();
        for (position, object) in results.into_iter().enumerate() {
            let number = u32::try_from(first_number + position).unwrap_or(u32::MAX);
            let tables = renumbered.get(object.thread).map(Vec::as_slice).unwrap_or_default();
            next.extend(self.take_object(number, object.indexed, tables)?);
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
        self.index.size.objects += u32::from(object.section_bytes > 0);
        self.index.size.section_bytes += object.section_bytes;
        self.index.problems.extend(object.problems);
        self.reasons.extend(object.reason);

        for (unit_number, unit) in (0..).zip(object.units) {
            self.index.size.units += 1;
            self.index.problems.extend(unit.problem);
            let numbers = tables.get(unit.thread).map(Vec::as_slice).unwrap_or_default();
            for UnitEntry { entry, name, kind } in unit.names.entries {
                let Some(&name) = numbers.get(name as usize) else { continue };
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
            match list_objects(&sibling, &origin, bytes.as_slice(), &self.input.limits) {
                Ok(objects) => found.extend(objects),
                Err(error) => self.index.problems.push(error),
            }
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
            match list_objects(&package.label(self.input.name), &package, bytes.as_slice(), &self.input.limits) {
                Ok(objects) => found.extend(objects),
                Err(error) => self.index.problems.push(error),
            }
            for source in &mut found {
                source.skeleton = Some(number);
            }
            return found;
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
            match list_objects(&name, &origin, bytes.as_slice(), &self.input.limits) {
                Ok(objects) => found.extend(objects.into_iter().map(|source| ObjectSource {
                    skeleton: Some(number),
                    dwo_id,
                    ..source
                })),
                Err(error) => self.index.problems.push(error),
            }
        }
        found
    }

    fn finish(mut self) -> DebugIndex {
        self.index.arrange(self.entries);
        if self.index.names().next().is_none() {
            self.index.absence = Some(main_reason(self.reasons, self.index.size));
        }
        self.index
    }
}

struct ThreadObject {
    thread: usize,
    indexed: IndexedObject,
}

/// Selects the most helpful reason.
fn main_reason(mut reasons: Vec<NoTypesReason>, size: IndexSize) -> NoTypesReason {
    if let Some(position) = reasons.iter().position(|reason| *reason != NoTypesReason::NoDebugInformation) {
        return reasons.swap_remove(position);
    }
    if size.units > 0 { NoTypesReason::NoNamedTypes } else { NoTypesReason::NoDebugInformation }
}
