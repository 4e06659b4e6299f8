//! Tests that the search finds and shrinks one wrong parameter in a rule row, as it would a fault
//! of a compiler or a device.

use std::collections::BTreeSet;

use layoutproof_layout::mutate::{RuleMutant, mutants};
use layoutproof_layout::{Numbers, Quantity, RuleSet, find, lay_out};

use super::search;
use crate::declaration::{Declarations, RandomDeclaration, TypeSpace};

/// Returns the observable numbers of a declaration: the offsets of its leaves, and the strides and
/// sizes.
fn observable(declaration: &RandomDeclaration, rules: &RuleSet) -> Option<BTreeSet<(Quantity, String, u32)>> {
    let module = declaration.module().expect("random declarations are read without error");
    let layouts: Vec<_> = module.blocks.iter().map(|block| lay_out(block, rules, declaration.options)).collect();
    if layouts.iter().any(|layout| layout.result.is_err()) {
        return None;
    }
    let numbers = Numbers::of_layouts(&layouts);
    let seen = numbers.iter().filter(|(what, _, _)| *what != Quantity::Alignment);
    Some(seen.map(|(what, path, number)| (what, path.to_owned(), number)).collect())
}

/// Returns true if the mutant changes a number of a declaration that the row does not refuse.
fn moves(declaration: &RandomDeclaration, row: &RuleSet, mutant: &RuleMutant) -> bool {
    let right = observable(declaration, row);
    right.is_some() && right != observable(declaration, &mutant.rules)
}

#[test]
fn planted_faults_are_found_and_shrunk_to_two_members() {
    let sample: [(&str, &[&str]); 4] = [
        ("hlsl-cbuffer", &["direct.straddle", "members.straddle", "pad-arrays", "matrices", "members.matrix-start"]),
        ("std140", &["vectors", "array-alignment", "pad-structs", "struct-alignment", "matrices"]),
        ("relaxed430", &["members.straddle", "vectors", "one-dimensional"]),
        ("scalar", &["array-stride", "vectors", "pad-structs"]),
    ];
    let declarations = Declarations::new(TypeSpace::everything());
    for (rules, parameters) in sample {
        let row = find(rules).expect("a row of the table");
        // Random declarations have no blocks of entry point uniforms.
        let is_wanted = |mutant: &&RuleMutant| {
            parameters.contains(&mutant.parameter.as_str()) && mutant.to != "padded-except-entry-uniforms"
        };
        for mutant in mutants(row).iter().filter(is_wanted) {
            let named = format!("{rules} {} {} -> {}", mutant.parameter, mutant.from, mutant.to);
            let found = search(&declarations, 7, &mut |it| moves(it, row, mutant));
            let Some((_, found)) = found else { panic!("{named} is not found within 200 declarations") };
            let smallest = &found.smallest;
            assert!(smallest.member_count() <= 2, "{named}\n{}", smallest.text());
        }
    }
}
