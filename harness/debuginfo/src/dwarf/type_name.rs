//! Spells a type as C++ does, for targets of pointers and arguments of templates.

use super::entry::Entry;
use super::type_key::{TypeKey, unit_offset};
use super::type_reader::{TypeReader, UnitInUse};
use crate::ElementCount;

/// Maximum number of pointers, qualifiers and array types that a name spells out.
const MAX_DEPTH: u32 = 16;

impl<'a> TypeReader<'a, '_> {
    /// Returns the spelling of a type; empty if the type has no name.
    pub(crate) fn type_name(&self, key: TypeKey, depth: u32) -> String {
        if let Some(name) = self.known_name(key) {
            return name.to_owned();
        }
        if depth >= MAX_DEPTH {
            return "...".to_owned();
        }
        let Ok(in_use) = self.unit(key.unit) else { return String::new() };
        let Ok(entry) = in_use.unit.entry(unit_offset(key.entry)) else { return String::new() };
        if let Some(name) = entry.name.as_ref().and_then(|name| self.string(&in_use, name)) {
            return name;
        }

        let target = || self.target_name(key, &entry, depth);
        match entry.tag {
            gimli::DW_TAG_pointer_type => format!("{}*", target()),
            gimli::DW_TAG_reference_type => format!("{}&", target()),
            gimli::DW_TAG_rvalue_reference_type => format!("{}&&", target()),
            gimli::DW_TAG_const_type => format!("const {}", target()),
            gimli::DW_TAG_volatile_type => format!("volatile {}", target()),
            gimli::DW_TAG_restrict_type | gimli::DW_TAG_packed_type => target(),
            gimli::DW_TAG_array_type => format!("{}{}", target(), self.dimensions_text(&in_use, key)),
            gimli::DW_TAG_subroutine_type => format!("{}(...)", target()),
            _ => String::new(),
        }
    }

    fn target_name(&self, key: TypeKey, entry: &Entry<'a>, depth: u32) -> String {
        match entry.ty.as_ref().map(|target| self.resolve(key.unit, target)) {
            None => "void".to_owned(),
            Some(Some(target)) => self.type_name(target, depth + 1),
            Some(None) => String::new(),
        }
    }

    fn dimensions_text(&self, in_use: &UnitInUse<'a>, key: TypeKey) -> String {
        let counts = self.dimensions(in_use, key).unwrap_or_default();
        let texts = counts.iter().map(|count| match count {
            ElementCount::Finite(count) => format!("[{count}]"),
            ElementCount::Unstated => "[]".to_owned(),
        });
        texts.collect()
    }
}
