//! First pass over `CodeView`: the names of all records and enumerations, and typedefs of them.

use ms_codeview::types::{Leaf, TypeData};

use super::type_stream::CodeViewTypes;
use super::{read_text, read_u16, read_u32};
use crate::index::NameTable;
use crate::index::{EntryKind, UnitEntry};
use crate::{DebugInfoError, IndexedKind, RecordKind};

/// The start of the name of a struct that has only a variable.
const UNNAMED_BY_VARIABLE: &str = "<unnamed-type-";

/// A symbol that gives a type a second name.
const S_UDT: u16 = 0x1108;

/// The names in the record of a struct, class, union or enumeration.
pub(super) struct NamedRecord<'a> {
    /// The name as the compiler wrote it.
    pub(super) name: &'a [u8],
    /// The decorated name, which is the same in all units.
    pub(super) unique_name: Option<&'a [u8]>,
    pub(super) kind: RecordKind,
    pub(super) is_declaration: bool,
}

pub(crate) fn collect_names(
    types: &CodeViewTypes<'_>,
    names: &mut NameTable,
) -> Result<Vec<UnitEntry>, DebugInfoError> {
    let mut entries = Vec::new();
    for (number, record) in types.records() {
        if !is_named(record.kind) {
            continue;
        }
        let data = record.parse().map_err(|_| types.damaged(number, "its record ends too early"))?;
        let Some(user_type) = named_record(&data) else { continue };
        let Some(name) = plain_name(user_type.name) else { continue };
        if let Some(name) = names.number(&name) {
            let is_by_variable =
                user_type.name.windows(UNNAMED_BY_VARIABLE.len()).any(|text| text == UNNAMED_BY_VARIABLE.as_bytes());
            let kind = if is_by_variable { IndexedKind::ByVariable } else { IndexedKind::Record(user_type.kind) };
            let kind = EntryKind { kind, is_declaration: user_type.is_declaration };
            entries.push(UnitEntry { entry: number, name, kind });
        }
    }

    collect_typedefs(types, names, &mut entries);
    entries.sort_by_key(|entry| entry.entry);
    entries.dedup();
    Ok(entries)
}

/// Adds the typedefs that global symbols name.
fn collect_typedefs(types: &CodeViewTypes<'_>, names: &mut NameTable, entries: &mut Vec<UnitEntry>) {
    let symbols = &types.symbols;
    let mut offset = 0usize;
    while let (Some(length), Some(kind)) = (read_u16(symbols, offset), read_u16(symbols, offset + 2)) {
        let next = offset + 2 + usize::from(length);
        if kind == S_UDT
            && let (Some(number), Some(name)) = (read_u32(symbols, offset + 4), read_text(symbols, offset + 8))
        {
            entries.extend(typedef_entry(types, names, number, &name));
        }
        if length < 2 {
            break;
        }
        offset = next;
    }
}

fn typedef_entry(types: &CodeViewTypes<'_>, names: &mut NameTable, number: u32, name: &str) -> Option<UnitEntry> {
    let record = types.record(number).filter(|record| is_named(record.kind))?;
    let data = record.parse().ok()?;
    let user_type = named_record(&data)?;
    let name = plain_name(name.as_bytes())?;
    if plain_name(user_type.name).as_deref() == Some(name.as_str()) {
        return None;
    }
    let name = names.number(&name)?;
    Some(UnitEntry { entry: number, name, kind: EntryKind { kind: IndexedKind::Alias, is_declaration: false } })
}

fn is_named(kind: Leaf) -> bool {
    matches!(kind, Leaf::LF_CLASS | Leaf::LF_STRUCTURE | Leaf::LF_INTERFACE | Leaf::LF_UNION | Leaf::LF_ENUM)
}

/// Returns the names in the record of a struct, class, union or enumeration; `None` for other
/// records.
///
/// Classes are returned as structs: their records differ only in their kind.
pub(super) fn named_record<'a>(data: &TypeData<'a>) -> Option<NamedRecord<'a>> {
    let (name, unique_name, properties, kind) = match data {
        TypeData::Struct(record) => (record.name, record.unique_name, record.fixed.property.get(), RecordKind::Struct),
        TypeData::Union(record) => (record.name, record.unique_name, record.fixed.property.get(), RecordKind::Union),
        TypeData::Enum(record) => (record.name, record.unique_name, record.fixed.property.get(), RecordKind::Enum),
        _ => return None,
    };
    let unique_name = unique_name.map(|name| &**name);
    Some(NamedRecord { name, unique_name, kind, is_declaration: properties.fwdref() })
}

/// `Example::uboVS` for `Example::<unnamed-type-uboVS>`, the name of a struct that has only a
/// variable.
fn named_by_variable(name: &str) -> String {
    let mut text = name.to_owned();
    while let Some(start) = text.find(UNNAMED_BY_VARIABLE) {
        let inside = start + UNNAMED_BY_VARIABLE.len();
        let Some(length) = text[inside..].find('>') else { break };
        let variable = text[inside..inside + length].to_owned();
        text.replace_range(start..=inside + length, &variable);
    }
    text
}

/// `draw::PushBlock` for `draw::__l2::PushBlock`: the number of a block in a function.
fn without_local_scopes(name: &str) -> String {
    let is_block = |segment: &str| {
        segment
            .strip_prefix("__l")
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|digit| digit.is_ascii_digit()))
    };
    let segments: Vec<&str> = name.split("::").filter(|segment| !is_block(segment)).collect();
    segments.join("::")
}

/// Converts a name to DWARF's spelling; `None` for an unnamed type.
pub(super) fn plain_name(name: &[u8]) -> Option<String> {
    let name = String::from_utf8_lossy(name);
    if name.is_empty() || name.ends_with("-tag>") || name.ends_with("__unnamed") {
        return None;
    }
    let name = name.replace("`anonymous-namespace'", "(anonymous namespace)");
    let name = name.replace("`anonymous namespace'", "(anonymous namespace)");
    let name = without_local_scopes(&named_by_variable(&name));

    let mut spaced = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        spaced.push(character);
        if character == ',' && characters.peek() != Some(&' ') {
            spaced.push(' ');
        }
    }
    Some(spaced)
}
