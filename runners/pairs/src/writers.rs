//! Finds the structs that libraries such as encase write into buffers in a layout of their own. Only Rust has
//! such libraries.

use std::collections::BTreeMap;

use layoutproof_debuginfo::{DebugFile, Implementation};
use layoutproof_hostcheck::{WrittenBy, WrittenRules};

/// Traits with which libraries write structs: the crate, the trait's last name, the library's name, and its
/// rules.
const TRAITS: [(&str, &str, &str, WrittenRules); 5] = [
    ("encase", "ShaderType", "encase", WrittenRules::Natural),
    ("encase", "WriteInto", "encase", WrittenRules::Natural),
    ("crevice", "AsStd140", "crevice", WrittenRules::Std140),
    ("crevice", "AsStd430", "crevice", WrittenRules::Natural),
    ("glsl_layout", "Uniform", "glsl-layout", WrittenRules::Std140),
];

/// The libraries that write the types of a program.
#[derive(Debug)]
pub(crate) struct Writers {
    /// By the type's name without its arguments: the symbols of older compilers have `Object<M>` for all
    /// instances.
    by_type: BTreeMap<String, WrittenBy>,
}

impl Writers {
    pub(crate) fn of(file: &DebugFile<'_>) -> Self {
        let mut by_type: BTreeMap<String, WrittenBy> = BTreeMap::new();
        let crates = TRAITS.map(|(name, ..)| name);
        for Implementation { type_name, trait_name } in file.implementations(&crates) {
            let writer = TRAITS.iter().find(|(start, end, ..)| {
                trait_name.split("::").next() == Some(start) && trait_name.rsplit("::").next() == Some(end)
            });
            let Some((_, _, library, rules)) = writer else { continue };
            let new = || WrittenBy { library: (*library).to_owned(), rules: Vec::new() };
            let written_by = by_type.entry(without_arguments(&type_name).to_owned()).or_insert_with(new);
            if !written_by.rules.contains(rules) {
                written_by.rules.push(*rules);
            }
        }
        Self { by_type }
    }

    /// The library that writes a type.
    pub(crate) fn find(&self, type_name: &str) -> Option<&WrittenBy> {
        self.by_type.get(without_arguments(type_name))
    }
}

/// The name of a type without arguments at its end: `a::Object` for `a::Object<b::Pbr>`.
pub(crate) fn without_arguments(type_name: &str) -> &str {
    let mut depth = 0u32;
    let start = type_name.char_indices().rev().find_map(|(at, letter)| {
        match letter {
            '>' => depth += 1,
            '<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    match start {
        Some(start) if type_name.ends_with('>') => &type_name[..start],
        Some(_) | None => type_name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_at_the_end_are_no_part_of_the_name() {
        for (name, own) in [
            ("a::Object<b::Pbr>", "a::Object"),
            ("Object<A<B>, C<D>>", "Object"),
            ("a::Node<b::C>::Inner", "a::Node<b::C>::Inner"),
            ("Light", "Light"),
            ("Light>", "Light>"),
            ("", ""),
        ] {
            assert_eq!(without_arguments(name), own, "{name}");
        }
    }
}
