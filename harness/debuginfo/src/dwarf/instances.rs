//! Generic functions with the structs that they are instantiated with: `upload<GpuLight>`, `bytemuck::bytes_of::<Light>`.

use std::collections::BTreeMap;

use gimli::{AttributeValue, UnitOffset};

use super::Slice;
use super::inner_names::{InnerTypes, function_name};
use super::unit::OpenUnit;
use crate::index::{FunctionInstance, NameTable, UnitNames};

/// Maximum length of a chain of qualifiers, pointers and typedefs around an argument.
const MAX_LINKS: u32 = 4;

/// A template parameter of a function that the walk over a unit met.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) function: u32,
    /// The prefix of the scopes around the function.
    pub(super) outer: String,
    pub(super) argument: u32,
}

/// True for the names of C++'s and Rust's standard libraries, and of what is in their namespaces.
pub(super) fn is_of_standard_library(name: &str) -> bool {
    ["std", "__gnu_cxx", "core", "alloc"].iter().any(|library| name.split("::").next() == Some(library))
}

/// Adds the instances whose argument is a record of the unit to `found`. Its entries ascend, and their names are complete.
pub(super) fn name_instances<'a>(
    instances: &[Instance],
    inner: &InnerTypes,
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    names: &mut NameTable,
    found: &mut UnitNames,
) {
    let mut functions: BTreeMap<u32, Option<u32>> = BTreeMap::new();
    for instance in instances {
        let Some(argument) = record_name(instance.argument, unit, found) else { continue };
        let function = *functions.entry(instance.function).or_insert_with(|| {
            let name = function_name(inner, dwarf, unit, instance.function, &instance.outer)?;
            let bare = name.split('<').next().unwrap_or_default();
            if is_of_standard_library(bare) { None } else { names.number(bare) }
        });
        found.instances.extend(function.map(|function| FunctionInstance { function, argument }));
    }
}

/// The number of the name of the record that a type is, or points to.
fn record_name(ty: u32, unit: &OpenUnit<'_>, found: &UnitNames) -> Option<u32> {
    let mut ty = ty;
    for _ in 0..MAX_LINKS {
        if let Ok(position) = found.entries.binary_search_by_key(&ty, |entry| entry.entry) {
            return Some(found.entries[position].name);
        }
        let entry = unit.entry(UnitOffset(ty as usize)).ok()?;
        let is_link = matches!(
            entry.tag,
            gimli::DW_TAG_const_type
                | gimli::DW_TAG_pointer_type
                | gimli::DW_TAG_reference_type
                | gimli::DW_TAG_array_type
        );
        let Some(AttributeValue::UnitRef(target)) = entry.ty.filter(|_| is_link) else { return None };
        ty = u32::try_from(target.0).ok()?;
    }
    None
}
