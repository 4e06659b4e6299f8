//! First pass: the names of all types in a file and their places. It does not read the types.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::container::ObjectSource;
use crate::{DebugInfoError, RecordKind};

/// The names of the types in one file, with the places of their definitions.
#[derive(Debug, Default)]
pub struct DebugIndex {
    /// Objects of the input and of its sibling files, by number.
    pub(crate) objects: Vec<ObjectSource>,
    pub(crate) names: NameTable,
    /// All entries, by ascending location.
    pub(crate) entries: Vec<IndexEntry>,
    /// Positions in `entries`, grouped by name. The names are in alphabetical order.
    by_name: Vec<u32>,
    /// Names in alphabetical order.
    groups: Vec<NameGroup>,
    /// Set if the file has no types.
    pub(crate) absence: Option<NoTypesReason>,
    /// Parts that could not be read.
    pub(crate) problems: Vec<DebugInfoError>,
    pub(crate) instances: BTreeSet<FunctionInstance>,
}

/// A generic function and a struct that it is instantiated with, by the numbers of their names: `upload` and `GpuLight` for
/// `upload<GpuLight>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FunctionInstance {
    pub(crate) function: u32,
    pub(crate) argument: u32,
}

/// A named type of one unit, before units are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitEntry {
    /// Offset in its unit.
    pub(crate) entry: u32,
    pub(crate) name: u32,
    pub(crate) kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryKind {
    pub(crate) kind: IndexedKind,
    pub(crate) is_declaration: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) location: TypeLocation,
    pub(crate) name: u32,
    pub(crate) kind: EntryKind,
}

/// The place of a type's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeLocation {
    /// Number of the object among those of the index.
    pub(crate) object: u32,
    /// Number of the unit in the object; 0 in a PDB.
    pub(crate) unit: u32,
    /// Offset of the entry in its unit, or number of the type in a PDB.
    pub(crate) entry: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameGroup {
    pub(crate) name: u32,
    /// Its entries are `by_name[start..end]`.
    start: u32,
    end: u32,
    kind: IndexedKind,
    definitions: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName<'a> {
    pub name: &'a str,
    pub kind: IndexedKind,
    /// Number of units that define it; 0 if all units only declare it.
    pub definitions: u32,
    /// Number of units that only declare it.
    pub declarations: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IndexedKind {
    /// A struct, class, union or enumeration.
    Record(RecordKind),
    /// A `typedef` or `using` of one.
    Alias,
    /// An unnamed struct or class, under the name of a variable or member that has it.
    ByVariable,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTypesReason {
    #[error("no debug information; compile with `-g` (MSVC: `/Z7` or `/Zi`; Rust: `-C debuginfo=2`), and do not strip")]
    NoDebugInformation,
    /// The debug information is in a file that was not found.
    #[error("its debug information is in `{sibling}`, which was not found")]
    Elsewhere { sibling: String },
    /// The debug information is in a file that does not fit the program.
    #[error("its debug information is in `{sibling}`, which belongs to another build: build both again")]
    OtherBuild { sibling: String },
    /// The debug information only maps code to lines.
    #[error(
        "the debug information has only lines; compile with `-g` instead of `-g1` or `-gline-tables-only` (Rust: \
         `debug = true` in the profile instead of `line-tables-only`)"
    )]
    LinesOnly,
    /// A linked Mac program: its debug information is still in the object files.
    #[error(
        "a Mac program keeps its debug information in object files; run `dsymutil` on it, or name the object files"
    )]
    MacDebugMap,
    /// An archive or universal binary without any readable object file.
    #[error("no readable object files (LLVM bitcode of link-time optimisation is not read)")]
    NoObjects,
    /// The debug information has types, but none with a name that could be a struct.
    #[error(
        "no structs in its debug information; compilers leave out types that nothing uses \
         (`-fno-eliminate-unused-debug-types` keeps them)"
    )]
    NoNamedTypes,
}

impl NoTypesReason {
    /// True if a problem says the same of the same file.
    pub fn repeats(&self, problem: &DebugInfoError) -> bool {
        match (self, problem) {
            (Self::Elsewhere { sibling }, DebugInfoError::SiblingMissing { sibling: missing, .. }) => {
                sibling == missing
            }
            (Self::OtherBuild { sibling }, DebugInfoError::SiblingStale { sibling: stale, .. }) => sibling == stale,
            _ => false,
        }
    }
}

impl DebugIndex {
    /// Sorts entries for look-ups. `entries` ascend by location.
    pub(crate) fn arrange(&mut self, entries: Vec<IndexEntry>) {
        self.entries = entries;

        let mut order: Vec<u32> = (0..).take(self.names.names().len()).collect();
        order.sort_by(|&left, &right| self.names.name(left).cmp(self.names.name(right)));
        let mut ranks = vec![0u32; order.len()];
        for (rank, &name) in (0..).zip(&order) {
            ranks[name as usize] = rank;
        }

        self.by_name = (0..).take(self.entries.len()).collect();
        let entries = &self.entries;
        self.by_name.sort_by_key(|&position| ranks[entries[position as usize].name as usize]);

        self.groups.clear();
        for (position, &entry) in (0..).zip(&self.by_name) {
            let entry = self.entries[entry as usize];
            match self.groups.last_mut().filter(|group| group.name == entry.name) {
                Some(group) => group.take(position, entry.kind),
                None => self.groups.push(NameGroup::new(position, entry)),
            }
        }
    }

    pub fn names(&self) -> impl Iterator<Item = TypeName<'_>> {
        self.groups.iter().map(|group| self.type_name(group))
    }

    /// The generic functions of the program's code, without their arguments, each with a struct that it is instantiated with.
    pub fn function_instances(&self) -> impl Iterator<Item = (&str, &str)> {
        self.instances.iter().map(|instance| (self.names.name(instance.function), self.names.name(instance.argument)))
    }

    pub fn absence(&self) -> Option<&NoTypesReason> {
        self.absence.as_ref()
    }

    /// Returns the parts that could not be read. They do not affect the rest of the index.
    pub fn problems(&self) -> &[DebugInfoError] {
        &self.problems
    }

    pub(crate) fn choose(&self, is_wanted: impl Fn(&TypeName<'_>) -> bool) -> Vec<NameGroup> {
        self.groups.iter().filter(|group| is_wanted(&self.type_name(group))).copied().collect()
    }

    /// Entries of a name, by ascending location.
    pub(crate) fn entries_of(&self, group: NameGroup) -> impl Iterator<Item = IndexEntry> {
        let positions = self.by_name.get(group.start as usize..group.end as usize).unwrap_or_default();
        positions.iter().map(|&position| self.entries[position as usize])
    }

    pub(crate) fn name_at(&self, location: TypeLocation) -> Option<&str> {
        let position = self.entries.binary_search_by_key(&location, |entry| entry.location).ok()?;
        Some(self.names.name(self.entries[position].name))
    }

    pub(crate) fn definition_in(&self, name: &str, object: u32) -> Option<TypeLocation> {
        let position = self.groups.binary_search_by(|group| self.names.name(group.name).cmp(name)).ok()?;
        let mut entries = self.entries_of(self.groups[position]);
        let is_definition = |entry: &IndexEntry| {
            entry.location.object == object && !entry.kind.is_declaration && entry.kind.kind != IndexedKind::Alias
        };
        entries.find(is_definition).map(|entry| entry.location)
    }

    fn type_name(&self, group: &NameGroup) -> TypeName<'_> {
        TypeName {
            name: self.names.name(group.name),
            kind: group.kind,
            definitions: group.definitions,
            declarations: group.end - group.start - group.definitions,
        }
    }
}

impl NameGroup {
    fn new(position: u32, entry: IndexEntry) -> Self {
        let mut group =
            Self { name: entry.name, start: position, end: position, kind: entry.kind.kind, definitions: 0 };
        group.take(position, entry.kind);
        group
    }

    fn take(&mut self, position: u32, kind: EntryKind) {
        self.end = position + 1;
        self.definitions += u32::from(!kind.is_declaration);
        // `typedef struct Light Light;` declares the same type, not another one.
        if matches!(self.kind, IndexedKind::Alias) {
            self.kind = kind.kind;
        }
    }
}

/// The named types of one unit, by ascending offset.
#[derive(Debug, Default)]
pub(crate) struct UnitNames {
    pub(crate) entries: Vec<UnitEntry>,
    /// Offsets of templates whose arguments are not part of their names (Clang's `-gsimple-template-names`).
    pub(crate) bare_templates: Vec<u32>,
    pub(crate) instances: BTreeSet<FunctionInstance>,
    /// True if the unit describes types, if only numbers.
    pub(crate) has_types: bool,
}

#[derive(Debug, Default)]
pub(crate) struct NameTable {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl NameTable {
    /// Returns the number of a name, and adds the name if it is new. `None` if no numbers are left.
    pub(crate) fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = u32::try_from(self.names.len()).ok()?;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        Some(number)
    }

    /// Returns a name; empty for a number that the table does not have.
    pub(crate) fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| name)
    }

    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }
}
