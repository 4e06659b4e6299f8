//! Compares pairs that differ under other targets. A project that names no target may ship for another one than
//! the usual one of its language, and its blocks then differ although nothing is wrong with them.

use std::collections::BTreeSet;

use layoutproof_hostcheck::block_parts;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_layout::native::Native;
use layoutproof_report::host_check::{CheckedPair, OtherTargets, PairOutcome};
use layoutproof_show::{RuleChoice, shipping, usual_compiler};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::pairing::{PairPartners, PairRules, Pairing, compare_pair};
use crate::shader_blocks::{BlockSource, TargetBlock, lay_out_under};

/// Notes for each pair whose target nothing names the other targets for which it agrees. Pairs that agree are
/// only compared for targets that some pair needs.
pub fn note_other_targets(pairing: &mut Pairing, blocks: &[TargetBlock], rules: PairRules<'_>) {
    let mut needed: BTreeSet<(ShaderLanguage, &str)> = BTreeSet::new();
    let Pairing { check, partners } = pairing;
    for is_agreeing in [false, true] {
        for (pair, partner) in check.pairs.iter_mut().zip(&*partners) {
            let block = &blocks[partner.block];
            let Some(language) = block.usual_of.filter(|_| is_agreeing == (pair.outcome() != PairOutcome::Differ))
            else {
                continue;
            };
            let others =
                other_targets(language).filter(|native| !is_agreeing || needed.contains(&(language, native.name)));
            let agreeing: Vec<&Native> =
                others.filter(|native| agrees_for(native, pair, partner, block, rules)).collect();
            if !is_agreeing {
                needed.extend(agreeing.iter().map(|native| (language, native.name)));
            }
            pair.other_targets =
                Some(OtherTargets { language, agreeing: agreeing.iter().map(|native| native.column).collect() });
        }
    }
}

/// The targets that programs in a language ship for, each with its usual compiler, apart from the usual one.
fn other_targets(language: ShaderLanguage) -> impl Iterator<Item = &'static Native> {
    let usual = LayoutSelection::usual(Some(language)).targets;
    shipping(language).filter(move |native| {
        let column = native.column;
        column.compiler == Some(usual_compiler(column.target, Some(language))) && !usual.contains(&column.choice())
    })
}

fn agrees_for(
    native: &'static Native,
    pair: &CheckedPair,
    partner: &PairPartners,
    block: &TargetBlock,
    rules: PairRules<'_>,
) -> bool {
    let BlockSource::Declared(source) = block.source.as_ref() else { return false };
    let choice = RuleChoice::Native(native);
    let mut declared = source.module.blocks.iter().filter_map(|declared| choice.block(declared));
    let Some(declared) = declared.find(|declared| declared.name == block.layout.name) else { return false };
    let layout = lay_out_under(&declared, choice, source.options);
    let Ok(root) = &layout.result else { return false };
    let parts = block_parts(&layout, root);
    let Some(part) = parts.iter().find(|part| part.path == pair.part) else { return false };
    let other = TargetBlock { target: native.name.to_owned(), layout: layout.clone(), ..block.clone() };
    compare_pair(&other, part, &partner.host, rules).outcome() != PairOutcome::Differ
}
