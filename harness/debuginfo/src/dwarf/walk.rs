//! First pass over a unit: collects the names of its types with their namespaces, and skips
//! everything else.

use std::collections::BTreeSet;

use gimli::{Abbreviation, AttributeValue, DwTag, EntriesRaw};

use super::Slice;
use super::entry::{Entry, record_kind};
use super::inner_names::{InnerTypes, LocalType, ScopeRange, name_inner_types};
use super::instances::{Instance, is_of_standard_library, name_instances};
use super::object::DwarfObject;
use super::template_name::complete_template_names;
use super::unit::OpenUnit;
use crate::index::NameTable;
use crate::index::UnitNames;
use crate::index::{EntryKind, UnitEntry};
use crate::{IndexedKind, RecordKind};

/// A namespace or type that encloses the current entry.
struct Scope {
    depth: isize,
    /// Length of the enclosing prefix.
    outer_length: usize,
    /// The enclosing prefix, if the scope is defined outside of its parent:
    /// `struct Outer::Inner { ... };`.
    outer_prefix: Option<String>,
    /// The offset, if this is a record whose name has no template arguments.
    bare_record: Option<u32>,
    start: u32,
    kind: ScopeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Named,
    UnnamedRecord,
    /// It adds nothing to the prefix, because its name is read only if it has types.
    Function,
}

/// A typedef whose target is not resolved yet.
struct Alias {
    entry: u32,
    name: u32,
    target: u32,
}

/// Collects the names of one unit in `found`; `names` numbers them. Entries before a damaged one
/// are kept.
pub(crate) fn walk_unit<'a>(
    object: &DwarfObject<'a>,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    names: &mut NameTable,
    found: &mut UnitNames,
) -> gimli::Result<()> {
    let mut walk = Walk {
        object,
        dwarf,
        unit,
        names,
        prefix: String::new(),
        scopes: Vec::new(),
        records: Vec::new(),
        aliases: Vec::new(),
        inner: InnerTypes::default(),
        instances: Vec::new(),
        found,
    };
    let outcome = walk.run();
    walk.leave_scopes(0, u32::MAX);
    walk.keep_aliases_of_records();
    let mut inner = std::mem::take(&mut walk.inner);
    let instances = std::mem::take(&mut walk.instances);
    let outcome = outcome.and(name_inner_types(&mut inner, dwarf, unit, names, found));
    if !found.bare_templates.is_empty() {
        found.bare_templates.sort_unstable();
        complete_template_names(dwarf, unit, names, found);
    }
    name_instances(&instances, &inner, dwarf, unit, names, found);
    outcome
}

struct Walk<'a, 'walk> {
    object: &'walk DwarfObject<'a>,
    dwarf: &'walk gimli::Dwarf<Slice<'a>>,
    unit: &'walk OpenUnit<'a>,
    names: &'walk mut NameTable,
    /// Names of the enclosing scopes, each followed by `::`.
    prefix: String,
    scopes: Vec<Scope>,
    /// Offsets of all records and enumerations, named or not, ascending.
    records: Vec<u32>,
    aliases: Vec<Alias>,
    inner: InnerTypes,
    instances: Vec<Instance>,
    found: &'walk mut UnitNames,
}

impl<'a> Walk<'a, '_> {
    fn run(&mut self) -> gimli::Result<()> {
        let mut entries = self.unit.header.entries_raw(&self.unit.abbreviations, None)?;
        while !entries.is_empty() {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };

            // Any entry ends the scopes before it: the parameters of a function template do not
            // belong to an earlier struct.
            let Ok(offset) = u32::try_from(offset.0) else { break };
            self.leave_scopes(depth, offset);
            if !is_interesting(abbreviation.tag()) {
                entries.skip_attributes(abbreviation.attributes())?;
                // Debug information about lines alone has functions, and not even numbers.
                self.found.has_types |= abbreviation.tag() == gimli::DW_TAG_base_type;
                if abbreviation.tag() == gimli::DW_TAG_subprogram && abbreviation.has_children() {
                    self.enter(depth, offset, "", ScopeKind::Function);
                }
                continue;
            }
            self.take(offset, depth, abbreviation, &mut entries)?;
        }
        Ok(())
    }

    fn take(
        &mut self,
        offset: u32,
        depth: isize,
        abbreviation: &Abbreviation,
        entries: &mut EntriesRaw<'_, '_, Slice<'a>>,
    ) -> gimli::Result<()> {
        let entry = Entry::read(abbreviation, entries, self.unit.header.encoding())?;
        match entry.tag {
            gimli::DW_TAG_namespace | gimli::DW_TAG_module => {
                let name = entry.name.as_ref().and_then(|name| self.unit.string(self.dwarf, name));
                let extended = entry.specification.as_ref().and_then(|target| self.name_at(target));
                let name = name.as_deref().or(extended.as_deref()).unwrap_or("(anonymous namespace)").to_owned();
                self.enter(depth, offset, &name, ScopeKind::Named);
            }
            gimli::DW_TAG_template_type_parameter | gimli::DW_TAG_template_value_parameter => {
                self.note_bare_template(depth);
                self.note_instance(depth, &entry);
            }
            gimli::DW_TAG_typedef => self.take_alias(offset, &entry),
            _ => self.take_record(offset, depth, &entry),
        }
        Ok(())
    }

    fn take_record(&mut self, offset: u32, depth: isize, entry: &Entry<'a>) {
        self.found.has_types = true;
        self.records.push(offset);
        // A definition takes its name from the declaration that it completes, since it may be
        // outside of its namespace.
        let completed = entry.specification.as_ref().and_then(|target| self.name_at(target));
        let own = entry.name.as_ref().and_then(|name| self.unit.string(self.dwarf, name));
        let qualified = completed.or_else(|| own.map(|name| format!("{}{name}", self.prefix)));
        let Some(qualified) = qualified else {
            self.enter_unnamed(offset, depth, entry);
            return;
        };

        let is_bare = !qualified.ends_with('>') && entry.has_children;
        // An entry that refers to a type unit is neither a definition nor a mere declaration.
        if entry.signature.is_none()
            && let Some(name) = self.names.number(&qualified)
        {
            let kind = IndexedKind::Record(record_kind(entry.tag));
            let kind = EntryKind { kind, is_declaration: entry.is_declaration };
            self.found.entries.push(UnitEntry { entry: offset, name, kind });
            // A name that a compiler made, such as that of a lambda, is never looked for.
            let function = self.scopes.iter().rfind(|scope| scope.kind == ScopeKind::Function);
            if let Some(function) = function.filter(|_| !qualified.contains('<')) {
                let (function, outer_length) = (function.start, function.outer_length);
                self.inner.locals.push(LocalType { entry: offset, function, outer_length });
            }
        }
        if entry.has_children {
            self.enter_record(depth, offset, &qualified, is_bare);
        }
    }

    fn take_alias(&mut self, offset: u32, entry: &Entry<'a>) {
        let Some(name) = entry.name.as_ref().and_then(|name| self.unit.string(self.dwarf, name)) else { return };
        let target = match entry.ty {
            Some(AttributeValue::UnitRef(target)) => u32::try_from(target.0).ok(),
            // A type in another unit; the second pass resolves it.
            Some(AttributeValue::DebugTypesRef(_)) => Some(offset),
            _ => None,
        };
        let Some(target) = target else { return };
        let qualified = format!("{}{name}", self.prefix);
        if let Some(name) = self.names.number(&qualified) {
            self.aliases.push(Alias { entry: offset, name, target });
        }
    }

    /// A template parameter shows that the enclosing record is a template.
    fn note_bare_template(&mut self, depth: isize) {
        let Some(scope) = self.scopes.last_mut().filter(|scope| scope.depth + 1 == depth) else { return };
        if let Some(record) = scope.bare_record.take() {
            self.found.bare_templates.push(record);
        }
    }

    /// A template parameter of a function names a type that the function is instantiated with.
    fn note_instance(&mut self, depth: isize, parameter: &Entry<'a>) {
        let function = self.scopes.last().filter(|scope| scope.depth + 1 == depth && scope.kind == ScopeKind::Function);
        let (Some(scope), Some(AttributeValue::UnitRef(target))) = (function, &parameter.ty) else { return };
        let Ok(argument) = u32::try_from(target.0) else { return };
        // A program has more instances of functions of its standard library than of all others.
        if !is_of_standard_library(&self.prefix) {
            self.instances.push(Instance { function: scope.start, outer: self.prefix.clone(), argument });
        }
    }

    /// Enters a record that only refers to the type unit with its name, or one without any name.
    fn enter_unnamed(&mut self, offset: u32, depth: isize, entry: &Entry<'a>) {
        if let Some(AttributeValue::DebugTypesRef(signature)) = entry.signature {
            let name = self.object.find_signature(signature.0).and_then(|key| self.object.own_name(key));
            if let Some(name) = name {
                self.enter(depth, offset, &name, ScopeKind::Named);
            }
        } else if entry.has_children && !entry.is_declaration {
            if matches!(record_kind(entry.tag), RecordKind::Struct | RecordKind::Class) {
                self.inner.unnamed.push(offset);
            }
            self.enter(depth, offset, "", ScopeKind::UnnamedRecord);
        }
    }

    fn enter_record(&mut self, depth: isize, start: u32, qualified: &str, is_bare: bool) {
        let outer_length = self.prefix.len();
        let outer_prefix = (!qualified.starts_with(&self.prefix)).then(|| std::mem::take(&mut self.prefix));
        let bare_record = is_bare.then_some(start);
        self.scopes.push(Scope { depth, outer_length, outer_prefix, bare_record, start, kind: ScopeKind::Named });
        self.prefix.clear();
        self.prefix.push_str(qualified);
        self.prefix.push_str("::");
    }

    fn enter(&mut self, depth: isize, start: u32, name: &str, kind: ScopeKind) {
        let outer_length = self.prefix.len();
        self.scopes.push(Scope { depth, outer_length, outer_prefix: None, bare_record: None, start, kind });
        if !name.is_empty() {
            self.prefix.push_str(name);
            self.prefix.push_str("::");
        }
    }

    /// Leaves the scopes that the entry `end`, at a depth, is not in.
    fn leave_scopes(&mut self, depth: isize, end: u32) {
        while let Some(scope) = self.scopes.pop_if(|scope| scope.depth >= depth) {
            let name = match scope.kind {
                ScopeKind::Named => self.prefix.strip_suffix("::").unwrap_or_default(),
                ScopeKind::UnnamedRecord | ScopeKind::Function => "",
            };
            if scope.kind != ScopeKind::Function {
                self.inner.scopes.push(ScopeRange { start: scope.start, end, name: name.to_owned() });
            }
            match scope.outer_prefix {
                Some(prefix) => self.prefix = prefix,
                None => self.prefix.truncate(scope.outer_length),
            }
        }
    }

    /// The qualified name of an earlier entry of this unit.
    fn name_at(&self, target: &AttributeValue<Slice<'a>>) -> Option<String> {
        let AttributeValue::UnitRef(target) = target else { return None };
        let target = u32::try_from(target.0).ok()?;
        let position = self.found.entries.binary_search_by_key(&target, |entry| entry.entry).ok()?;
        Some(self.names.name(self.found.entries[position].name).to_owned())
    }

    /// Keeps the typedefs of records and enumerations, and typedefs of those typedefs.
    fn keep_aliases_of_records(&mut self) {
        let aliases = std::mem::take(&mut self.aliases);
        let targets: BTreeSet<u32> = aliases.iter().map(|alias| alias.target).collect();
        self.inner.unnamed.retain(|unnamed| !targets.contains(unnamed));
        let mut kept: Vec<UnitEntry> = Vec::new();
        for alias in &aliases {
            if self.leads_to_record(&aliases, alias) {
                let kind = EntryKind { kind: IndexedKind::Alias, is_declaration: false };
                kept.push(UnitEntry { entry: alias.entry, name: alias.name, kind });
            }
        }
        self.found.has_types |= !aliases.is_empty();
        self.found.entries.extend(kept);
        self.found.entries.sort_by_key(|entry| entry.entry);
    }

    fn leads_to_record(&self, aliases: &[Alias], alias: &Alias) -> bool {
        let mut target = alias.target;
        for _ in 0..MAX_ALIASES {
            if target == alias.entry || self.records.binary_search(&target).is_ok() {
                return true;
            }
            let Ok(position) = aliases.binary_search_by_key(&target, |alias| alias.entry) else { return false };
            target = aliases[position].target;
        }
        false
    }
}

/// Maximum length of a chain of typedefs in the index.
const MAX_ALIASES: u32 = 8;

fn is_interesting(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_typedef
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_module
            | gimli::DW_TAG_template_type_parameter
            | gimli::DW_TAG_template_value_parameter
    )
}
