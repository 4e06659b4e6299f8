//! Makes rule mutants: copies of a row that differ from it in one parameter. The cases must detect
//! each of them.
//!
//! The alternatives of a parameter are the variants of its enum, or a table here. Columns that only describe a row (name, texts,
//! versions, its level of Vulkan's rules, its equivalents in shading languages) do not affect bytes
//! and are not mutated. A test destructures a row so that no column is forgotten.

use strum::VariantArray;

use super::alignment::Alignment;
use super::rules::{Forbid, Placement, RuleSet, UnsizedArrays};
use super::table;

#[derive(Clone, Debug, PartialEq)]
pub struct RuleMutant {
    /// The mutated row, under the name of the original.
    pub rules: RuleSet,
    /// The parameter, for example `vectors`, `members.straddle`, `direct.straddle`, `forbids`.
    pub parameter: String,
    /// The value in the original row.
    pub from: String,
    pub to: String,
}

/// A parameter of a rule set and its value in a row, both in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleParameter {
    /// Same form as [`RuleMutant::parameter`].
    pub name: String,
    pub value: String,
}

type NamedValues<T> = [(&'static str, T)];

const BOOL_SIZES: &NamedValues<u32> = &[("1", 1), ("4", 4)];
const POINTER_SIZES: &NamedValues<u32> = &[("0", 0), ("4", 4), ("8", 8)];
const SWITCH: &NamedValues<bool> = &[("no", false), ("yes", true)];
const ALIGNMENTS: &NamedValues<Alignment> =
    &[("1", Alignment::ONE), ("4", Alignment::FOUR), ("8", Alignment::EIGHT), ("16", Alignment::REGISTER)];
const ENUM_ALIGNMENTS: &NamedValues<Option<Alignment>> =
    &[("own", None), ("1", Some(Alignment::ONE)), ("4", Some(Alignment::FOUR)), ("8", Some(Alignment::EIGHT))];
const UNSIZED_ARRAYS: &NamedValues<UnsizedArrays> = &[
    ("in-place", UnsizedArrays::InPlace),
    ("pointer-8", UnsizedArrays::Pointer { size: 8 }),
    ("pointer-16", UnsizedArrays::Pointer { size: 16 }),
];

/// All mutants of `row`, in the order of its columns.
pub fn mutants(row: &RuleSet) -> Vec<RuleMutant> {
    let mut found = Mutants { row, found: Vec::new() };
    found.types();
    found.members();
    found.annotations();
    found.found
}

/// All parameters of `row` that affect bytes, in the order of its columns.
pub fn parameters(row: &RuleSet) -> Vec<RuleParameter> {
    let mut parameters: Vec<RuleParameter> = Vec::new();
    // Each parameter has at least one alternative value, so each has a mutant.
    for RuleMutant { parameter, from, .. } in mutants(row) {
        if parameters.last().is_none_or(|last| last.name != parameter) {
            parameters.push(RuleParameter { name: parameter, value: from });
        }
    }
    parameters
}

/// The mutants made so far.
struct Mutants<'a> {
    row: &'a RuleSet,
    found: Vec<RuleMutant>,
}

impl Mutants<'_> {
    /// The columns that measure types.
    fn types(&mut self) {
        self.add("bool-size", BOOL_SIZES, |row| &mut row.bool_size);
        self.add_variants("vectors", |row| &mut row.vectors);
        self.add("array-alignment", ALIGNMENTS, |row| &mut row.array_alignment);
        self.add_variants("array-stride", |row| &mut row.array_stride);
        self.add("pad-arrays", SWITCH, |row| &mut row.pad_arrays);
        self.add("unsized-arrays", UNSIZED_ARRAYS, |row| &mut row.unsized_arrays);
        self.add("struct-alignment", ALIGNMENTS, |row| &mut row.struct_alignment);
        self.add_variants("pad-structs", |row| &mut row.pad_structs);
        self.add_variants("matrices", |row| &mut row.matrices);
        self.add_variants("one-dimensional", |row| &mut row.one_dimensional);
        self.add_variants("array-order", |row| &mut row.array_order);
        self.add_variants("element-order", |row| &mut row.element_order);
        self.add_variants("enums", |row| &mut row.enums);
        self.add("pointer-size", POINTER_SIZES, |row| &mut row.pointer_size);
        self.add_variants("bit-fields", |row| &mut row.bit_fields);
    }

    /// The columns that place members. Only DXC treats members declared directly in a `cbuffer`
    /// differently.
    fn members(&mut self) {
        self.placement("members", |row| &mut row.members);
        let dxc = table().iter().find_map(|row| row.direct);
        self.add("direct", &[("none", None), ("dxc", dxc)], |row| &mut row.direct);
        if self.row.direct.is_some() {
            self.placement("direct", |row| row.direct.as_mut().expect("the row has it, and so have its copies"));
        }
    }

    fn placement(&mut self, part: &str, of: impl Fn(&mut RuleSet) -> &mut Placement) {
        let name = |parameter: &str| format!("{part}.{parameter}");
        self.add_variants(&name("straddle"), |row| &mut of(row).straddle);
        self.add_variants(&name("straddle-size"), |row| &mut of(row).straddle_size);
        self.add_variants(&name("matrix-start"), |row| &mut of(row).matrix_start);
        self.add(&name("align-single-vectors"), SWITCH, |row| &mut of(row).align_single_vectors);
        self.add(&name("enum-alignment"), ENUM_ALIGNMENTS, |row| &mut of(row).enum_alignment);
        self.add_variants(&name("empty"), |row| &mut of(row).empty);
        self.add(&name("minimum-precision-rows"), SWITCH, |row| &mut of(row).minimum_precision_rows);
        let minimum = name("minimum-precision-alignment");
        self.add(&minimum, ALIGNMENTS, |row| &mut of(row).minimum_precision_alignment);
    }

    /// The columns of annotations and of forbidden declarations.
    fn annotations(&mut self) {
        self.add_variants("packoffset", |row| &mut row.packoffset);
        self.add_variants("vk-offset", |row| &mut row.vk_offset);
        self.add_variants("global-register", |row| &mut row.global_register);
        for forbid in Forbid::VARIANTS {
            let name: &str = forbid.into();
            let forbidden = self.row.forbids.contains(forbid);
            let others = self.row.forbids.iter().copied().filter(|other| other != forbid);
            let changed: Vec<Forbid> = others.chain((!forbidden).then_some(*forbid)).collect();
            let words = |forbidden: bool| if forbidden { "forbidden" } else { "allowed" }.to_owned();
            self.found.push(RuleMutant {
                // Rows live as long as the program, so leaking the few bytes of a mutated list is
                // fine.
                rules: RuleSet { forbids: changed.leak(), ..self.row.clone() },
                parameter: format!("forbids.{name}"),
                from: words(forbidden),
                to: words(!forbidden),
            });
        }
    }

    /// Adds one mutant for each other variant of the parameter that `of` selects.
    fn add_variants<T: VariantArray + Into<&'static str> + Copy + PartialEq>(
        &mut self,
        parameter: &str,
        of: impl Fn(&mut RuleSet) -> &mut T,
    ) {
        let values: Vec<(&'static str, T)> = T::VARIANTS.iter().map(|value| ((*value).into(), *value)).collect();
        self.add(parameter, &values, of);
    }

    /// Adds one mutant for each other value of the parameter that `of` selects.
    fn add<T: Copy + PartialEq>(
        &mut self,
        parameter: &str,
        values: &NamedValues<T>,
        of: impl Fn(&mut RuleSet) -> &mut T,
    ) {
        let mut row = self.row.clone();
        let own = *of(&mut row);
        let (from, _) =
            values.iter().find(|(_, value)| *value == own).expect("the alternatives hold every row's value");

        for (to, value) in values.iter().filter(|(_, value)| *value != own) {
            *of(&mut row) = *value;
            self.found.push(RuleMutant {
                rules: row.clone(),
                parameter: parameter.to_owned(),
                from: (*from).to_owned(),
                to: (*to).to_owned(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_differ_from_their_row_in_one_parameter() {
        for row in table() {
            let mutants = mutants(row);
            for mutant in &mutants {
                assert_ne!(mutant.rules, *row, "{} {}", row.name, mutant.parameter);
                assert_eq!(mutant.rules.name, row.name);
            }
            let keys: std::collections::BTreeSet<_> = mutants.iter().map(|it| (&it.parameter, &it.to)).collect();
            assert_eq!(keys.len(), mutants.len(), "{} has a mutant twice", row.name);
            let parameters = parameters(row);
            let names: std::collections::BTreeSet<_> = mutants.iter().map(|it| &it.parameter).collect();
            assert_eq!(parameters.len(), names.len(), "{} has a parameter twice or not at all", row.name);
        }
    }

    /// Destructures a row without `..`, so that adding a column breaks the build here until its
    /// mutants are decided.
    #[test]
    fn every_column_is_mutated_or_says_nothing_about_bytes() {
        for row in table() {
            let RuleSet {
                name: _,
                summary: _,
                source: _,
                example: _,
                versions: _,
                home: _,
                glsl: _,
                platform: _,
                has_registers: _,
                block_rules: _,
                bool_size: _,
                vectors: _,
                array_alignment: _,
                array_stride: _,
                pad_arrays: _,
                unsized_arrays: _,
                struct_alignment: _,
                pad_structs: _,
                matrices: _,
                one_dimensional: _,
                array_order: _,
                element_order: _,
                enums: _,
                pointer_size: _,
                bit_fields: _,
                members: _,
                direct,
                packoffset: _,
                vk_offset: _,
                global_register: _,
                forbids: _,
            } = row;
            let Placement {
                straddle: _,
                straddle_size: _,
                matrix_start: _,
                align_single_vectors: _,
                enum_alignment: _,
                empty: _,
                minimum_precision_rows: _,
                minimum_precision_alignment: _,
            } = row.members;
            let mutants = mutants(row);
            let parameters: std::collections::BTreeSet<_> = mutants.iter().map(|it| it.parameter.as_str()).collect();
            // 15 of types, 8 of members, `direct` and its 8, 3 of annotations, 7 of what is forbidden.
            assert_eq!(parameters.len(), if direct.is_some() { 42 } else { 34 }, "{}", row.name);
        }
    }
}
