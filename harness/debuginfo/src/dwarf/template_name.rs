//! Restores the arguments of templates whose names omit them (Clang's `-gsimple-template-names`).
//!
//! Without them, all instances of a template would look like one type with several layouts.

use gimli::AttributeValue;

use super::Slice;
use super::entry::Entry;
use super::object::unit_offset;
use super::unit::OpenUnit;
use crate::index::NameTable;
use crate::index::UnitNames;

/// Maximum depth of templates, pointers and qualifiers in arguments.
const MAX_DEPTH: u32 = 16;

/// Maximum number of arguments of a template.
const MAX_ARGUMENTS: u32 = 1000;

/// Completes the names of templates in `found`, and of the types declared inside them.
pub(super) fn complete_template_names<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &OpenUnit<'a>,
    names: &mut NameTable,
    found: &mut UnitNames,
) {
    let templates = TemplateNamer { dwarf, unit, names, found };
    let completed: Vec<CompletedName> =
        found.bare_templates.iter().filter_map(|&template| templates.complete(template)).collect();

    for CompletedName { position, bare, full } in completed {
        let inner_prefix = format!("{bare}::");
        let Some(number) = names.number(&full) else { continue };
        found.entries[position].name = number;
        // The types declared in a record follow it.
        for entry in &mut found.entries[position + 1..] {
            let Some(rest) = names.name(entry.name).strip_prefix(&inner_prefix) else { break };
            let inner = format!("{full}::{rest}");
            entry.name = names.number(&inner).unwrap_or(entry.name);
        }
    }
}

struct TemplateNamer<'a, 'namer> {
    dwarf: &'namer gimli::Dwarf<Slice<'a>>,
    unit: &'namer OpenUnit<'a>,
    names: &'namer NameTable,
    found: &'namer UnitNames,
}

struct CompletedName {
    /// The position of the template among the unit's entries.
    position: usize,
    bare: String,
    full: String,
}

impl TemplateNamer<'_, '_> {
    fn complete(&self, template: u32) -> Option<CompletedName> {
        let position = self.found.entries.binary_search_by_key(&template, |entry| entry.entry).ok()?;
        let bare = self.names.name(self.found.entries[position].name).to_owned();
        let full = self.type_name(template, 0);
        Some(CompletedName { position, bare, full })
    }

    fn type_name(&self, offset: u32, depth: u32) -> String {
        if depth >= MAX_DEPTH {
            return "...".to_owned();
        }
        let known = self.found.entries.binary_search_by_key(&offset, |entry| entry.entry).ok();
        if let Some(position) = known {
            let name = self.names.name(self.found.entries[position].name);
            let is_bare = self.found.bare_templates.binary_search(&offset).is_ok();
            return if is_bare { format!("{name}<{}>", self.arguments(offset, depth)) } else { name.to_owned() };
        }

        let Ok(entry) = self.unit.entry(unit_offset(offset)) else { return String::new() };
        if let Some(name) = entry.name.as_ref().and_then(|name| self.unit.string(self.dwarf, name)) {
            return name.into_owned();
        }
        let target = self.target_name(&entry, depth);
        match entry.tag {
            gimli::DW_TAG_pointer_type => format!("{target} *"),
            gimli::DW_TAG_reference_type => format!("{target} &"),
            gimli::DW_TAG_rvalue_reference_type => format!("{target} &&"),
            gimli::DW_TAG_const_type => format!("const {target}"),
            gimli::DW_TAG_array_type => format!("{target}[]"),
            _ => target,
        }
    }

    fn arguments(&self, template: u32, depth: u32) -> String {
        let is_argument =
            |tag| matches!(tag, gimli::DW_TAG_template_type_parameter | gimli::DW_TAG_template_value_parameter);
        let children = self.unit.children(unit_offset(template), MAX_ARGUMENTS, is_argument);
        let children = children.map(|children| children.entries).unwrap_or_default();

        let arguments = children.iter().map(|argument| {
            let type_name = self.target_name(argument, depth);
            match (argument.tag, argument.constant) {
                (gimli::DW_TAG_template_type_parameter, _) => type_name,
                (_, Some(value)) if type_name == "bool" => (value != 0).to_string(),
                (_, Some(value)) => value.to_string(),
                (_, None) => "?".to_owned(),
            }
        });
        arguments.collect::<Vec<_>>().join(", ")
    }

    fn target_name(&self, entry: &Entry<'_>, depth: u32) -> String {
        match entry.ty {
            None => "void".to_owned(),
            Some(AttributeValue::UnitRef(target)) => {
                u32::try_from(target.0).map(|target| self.type_name(target, depth + 1)).unwrap_or_default()
            }
            Some(_) => "?".to_owned(),
        }
    }
}
