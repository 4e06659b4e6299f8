//! Rule mutants: finds the cases that detect a rule set with one wrong parameter.
//!
//! A case kills a mutant if a number that it expects changes under the mutated rule set, or if an
//! expected refusal no longer happens.

use std::sync::Arc;

use layoutproof_layout::mutate::{RuleMutant, mutants};
use layoutproof_layout::{BlockLayout, Numbers, Quantity, RuleSet, join, lay_out};

use super::equivalent::EquivalentMutant;
use super::mutant_table::{Killers, RuleLine};
use crate::case::{By, Expectation};
use crate::check::Source;

/// Tries every mutant of `rules` on the cases, and looks up the survivors in `equivalents`.
pub fn try_rules(rules: &RuleSet, cases: &[Arc<Source>], equivalents: &[EquivalentMutant]) -> Vec<RuleLine> {
    let claims: Vec<CaseClaim<'_>> = cases.iter().filter_map(|source| CaseClaim::new(source, rules)).collect();
    mutants(rules).into_iter().map(|mutant| try_mutant(mutant, &claims, equivalents)).collect()
}

fn try_mutant(mutant: RuleMutant, claims: &[CaseClaim<'_>], equivalents: &[EquivalentMutant]) -> RuleLine {
    let killers = claims.iter().filter(|claim| claim.is_broken_by(&mutant.rules)).map(|claim| claim.source.id.clone());
    let killers = Killers { cases: killers.collect(), stopped: false };
    let explanation = equivalents.iter().find(|entry| entry.explains(&mutant));
    let equivalent = explanation.filter(|_| killers.is_empty()).map(|entry| entry.because.clone());
    let RuleMutant { rules, parameter, from, to } = mutant;
    RuleLine { rules: rules.name.to_owned(), parameter, from, to, killers, equivalent }
}

/// The expectations of a case under a rule set, as far as the rule set fulfils them.
struct CaseClaim<'a> {
    source: &'a Source,
    numbers: Vec<(Quantity, String, u32)>,
    /// Fragments of refusals.
    refusals: Vec<&'a str>,
}

impl<'a> CaseClaim<'a> {
    /// `None` if the case expects nothing under these rules, or nothing that they fulfil.
    fn new(source: &'a Source, rules: &RuleSet) -> Option<Self> {
        let layouts = layouts(source, rules);
        let expectation = source.expect.iter().find(|expectation| expectation.rules == rules.name);
        let numbers = expectation.map(|expectation| fulfilled(expectation, &layouts)).unwrap_or_default();
        let expected = source.rejects.iter().filter(|reject| reject.by == By::Rules(rules.name.to_owned()));
        let fragments = expected.map(|reject| reject.message.as_deref().unwrap_or(""));
        let refusals: Vec<&str> = fragments.filter(|fragment| refuses(&layouts, fragment)).collect();
        (!numbers.is_empty() || !refusals.is_empty()).then_some(Self { source, numbers, refusals })
    }

    fn is_broken_by(&self, rules: &RuleSet) -> bool {
        let layouts = layouts(self.source, rules);
        let computed = Numbers::of_layouts(&layouts);
        self.numbers.iter().any(|(what, path, number)| computed.get(*what, path) != Some(*number))
            || self.refusals.iter().any(|fragment| !refuses(&layouts, fragment))
    }
}

fn layouts(source: &Source, rules: &RuleSet) -> Vec<BlockLayout> {
    source.module.blocks.iter().map(|block| lay_out(block, rules, source.options)).collect()
}

fn refuses(layouts: &[BlockLayout], fragment: &str) -> bool {
    let mut refusals = layouts.iter().filter_map(|layout| layout.result.as_ref().err()).flatten();
    refusals.any(|refusal| refusal.message.contains(fragment))
}

/// The numbers that the case pins, and numbers of leaves that follow from them, if the rules agree.
fn fulfilled(expectation: &Expectation, layouts: &[BlockLayout]) -> Vec<(Quantity, String, u32)> {
    let computed = Numbers::of_layouts(layouts);
    let expected = Numbers::from(expectation);
    let pinned = expected.iter().map(|(what, path, number)| (what, path.to_owned(), number));
    let leaves = layouts.iter().flat_map(|layout| layout.leaves().into_iter().map(move |leaf| (&layout.name, leaf)));
    let following = leaves.filter_map(|(block, leaf)| {
        Some((Quantity::Offset, join(block, &leaf.path), expected.leaf_offset(block, &leaf)?))
    });
    let mut numbers: Vec<_> =
        pinned.chain(following).filter(|(what, path, number)| computed.get(*what, path) == Some(*number)).collect();
    numbers.sort();
    numbers.dedup();
    numbers
}
