//! Names for types that have none in their scope: those local to a function get the function's
//! name in front (`Renderer::prefilter::PushBlock`), and unnamed structs the name of the variable
//! or member that has them (`Example::uboVS`).

use gimli::{AttributeValue, UnitOffset};

use super::Slice;
use super::unit::OpenUnit;
use crate::IndexedKind;
use crate::index::NameTable;
use crate::index::UnitNames;
use crate::index::{EntryKind, UnitEntry};

/// Maximum length of a chain of declarations and abstract instances of one function.
const MAX_ORIGINS: u32 = 4;

/// The entries that a namespace or record encloses.
#[derive(Debug)]
pub(super) struct ScopeRange {
    /// Offset of the scope's own entry.
    pub(super) start: u32,
    /// Offset of the entry after the last one inside.
    pub(super) end: u32,
    /// The qualified name; empty for an unnamed record.
    pub(super) name: String,
}

/// A type local to a function, with the name that it has without the function.
#[derive(Debug)]
pub(super) struct LocalType {
    pub(super) entry: u32,
    pub(super) function: u32,
    /// Length of the prefix of the scopes around the function.
    pub(super) outer_length: usize,
}

/// The types without a name of their own that the walk over a unit met.
#[derive(Debug, Default)]
pub(super) struct InnerTypes {
    pub(super) scopes: Vec<ScopeRange>,
    pub(super) locals: Vec<LocalType>,
    /// Offsets of unnamed structs, ascending.
    pub(super) unnamed: Vec<u32>,
}

/// Completes the names in `found`, whose entries ascend.
pub(super) fn name_inner_types<'a>(
    inner: &mut InnerTypes,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    names: &mut NameTable,
    found: &mut UnitNames,
) -> gimli::Result<()> {
    // The innermost scope of an entry is the last of those that begin before it.
    inner.scopes.sort_by_key(|scope| scope.start);
    for local in &inner.locals {
        let Ok(position) = found.entries.binary_search_by_key(&local.entry, |entry| entry.entry) else { continue };
        let name = names.name(found.entries[position].name);
        let Some((outer, own)) = name.split_at_checked(local.outer_length) else { continue };
        let Some(function) = function_name(inner, dwarf, unit, local.function, outer) else { continue };
        let full = format!("{function}::{own}");
        found.entries[position].name = names.number(&full).unwrap_or(found.entries[position].name);
    }
    if inner.unnamed.is_empty() { Ok(()) } else { name_by_variables(inner, dwarf, unit, names, found) }
}

/// The qualified name of a function. `outer` is the prefix of the scopes around its entry.
pub(super) fn function_name<'a>(
    inner: &InnerTypes,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    function: u32,
    outer: &str,
) -> Option<String> {
    let (mut offset, mut prefix) = (function, outer.to_owned());
    for _ in 0..MAX_ORIGINS {
        let entry = unit.entry(UnitOffset(offset as usize)).ok()?;
        if let Some(name) = entry.name.as_ref().and_then(|name| unit.string(dwarf, name)) {
            return Some(format!("{prefix}{name}"));
        }
        // The definition of a member function is outside of its class.
        let Some(AttributeValue::UnitRef(target)) = entry.specification else { return None };
        offset = u32::try_from(target.0).ok()?;
        prefix = inner.prefix_at(offset)?;
    }
    None
}

impl InnerTypes {
    /// The names of the scopes around an entry, each followed by `::`; `None` inside an unnamed one.
    fn prefix_at(&self, offset: u32) -> Option<String> {
        let before = self.scopes.partition_point(|scope| scope.start < offset);
        match self.scopes[..before].iter().rev().find(|scope| scope.end > offset) {
            None => Some(String::new()),
            Some(scope) if scope.name.is_empty() => None,
            Some(scope) => Some(format!("{}::", scope.name)),
        }
    }
}

/// Names unnamed structs by the variables and members that have them. Most units have no such
/// structs, so that few are read again for it.
fn name_by_variables<'a>(
    inner: &InnerTypes,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    names: &mut NameTable,
    found: &mut UnitNames,
) -> gimli::Result<()> {
    let mut functions: Vec<(isize, u32)> = Vec::new();
    let mut by_variable: Vec<UnitEntry> = Vec::new();
    let mut entries = unit.header.entries_raw(&unit.abbreviations, None)?;
    while !entries.is_empty() {
        let (offset, depth) = (entries.next_offset(), entries.next_depth());
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        let Ok(offset) = u32::try_from(offset.0) else { break };
        while functions.pop_if(|(start, _)| *start >= depth).is_some() {}
        let tag = abbreviation.tag();
        if tag == gimli::DW_TAG_subprogram && abbreviation.has_children() {
            functions.push((depth, offset));
        }
        if tag != gimli::DW_TAG_member && tag != gimli::DW_TAG_variable {
            entries.skip_attributes(abbreviation.attributes())?;
            continue;
        }

        let entry = super::entry::Entry::read(abbreviation, &mut entries, unit.header.encoding())?;
        let Some(AttributeValue::UnitRef(target)) = entry.ty else { continue };
        let Ok(target) = u32::try_from(target.0) else { continue };
        let is_known = by_variable.iter().any(|known| known.entry == target);
        if is_known || inner.unnamed.binary_search(&target).is_err() {
            continue;
        }
        let Some(name) = entry.name.as_ref().and_then(|name| unit.string(dwarf, name)) else { continue };
        let Some(mut prefix) = inner.prefix_at(offset) else { continue };
        if let (gimli::DW_TAG_variable, Some((_, function))) = (tag, functions.last()) {
            let Some(function) = function_name(inner, dwarf, unit, *function, &prefix) else { continue };
            prefix = format!("{function}::");
        }
        if let Some(name) = names.number(&format!("{prefix}{name}")) {
            let kind = EntryKind { kind: IndexedKind::ByVariable, is_declaration: false };
            by_variable.push(UnitEntry { entry: target, name, kind });
        }
    }
    found.entries.extend(by_variable);
    found.entries.sort_by_key(|entry| entry.entry);
    Ok(())
}
