//! Compares pairs that differ under other targets and with the other order of matrices. A project that names none may
//! ship for another target than the usual one of its language, or compile with another order, and its blocks then
//! differ although nothing is wrong with them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use layoutproof_hostcheck::{Comparison, block_parts};
use layoutproof_inputs::declare::MatrixArg;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::rule_set::rule_choice;
use layoutproof_layout::native::Native;
use layoutproof_layout::{Block, BlockLayout, LayoutOptions, MatrixOrder};
use layoutproof_report::host_check::{CheckedPair, OtherLayout, OtherLayouts, PairOutcome};
use layoutproof_show::{shipping, usual_compiler};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::pairing::{PairPartners, PairRules, Pairing, compare_pair};
use crate::shader_blocks::{BlockSource, OpenChoices, ShaderJob, TargetBlock, lay_out_under, read};

/// Records the alternative targets and orders of matrices with which each pair agrees, if they are not configured. Pairs
/// that agree are only compared with those that some pair needs. `may_ask` tells whether there is time to ask compilers about
/// blocks that only they can lay out.
pub fn note_other_layouts(
    pairing: &mut Pairing,
    blocks: &[TargetBlock],
    rules: PairRules<'_>,
    may_ask: impl Fn() -> bool,
) {
    let mut trials = LayoutTrials { rules, may_ask, agreement: HashMap::new(), answers: HashMap::new() };
    let mut needed: HashSet<(ShaderLanguage, OtherLayout)> = HashSet::new();
    let Pairing { check, partners } = pairing;
    for is_agreeing in [false, true] {
        for (pair, partner) in check.pairs.iter_mut().zip(&*partners) {
            let block = &blocks[partner.block];
            let is_tried = is_agreeing == (pair.outcome() != PairOutcome::Differ);
            let Some(open) = block.open.filter(|_| is_tried) else { continue };
            let mut agreeing = Vec::new();
            for trial in trials_of(open) {
                let key = (open.language, trial.layout());
                if (!is_agreeing || needed.contains(&key)) && trials.agrees(trial, pair, partner, block) {
                    agreeing.push(trial.layout());
                    needed.insert(key);
                }
            }
            pair.other_layouts = Some(OtherLayouts {
                language: open.language,
                is_target_open: open.target,
                is_order_open: open.order,
                matrices: open.matrices,
                agreeing,
            });
        }
    }
}

/// Another target, the other order of matrices, or both.
#[derive(Clone, Copy, Debug)]
struct LayoutTrial {
    /// `None` for the compared target.
    native: Option<&'static Native>,
    matrices: MatrixOrder,
}

impl LayoutTrial {
    fn layout(self) -> OtherLayout {
        OtherLayout { column: self.native.map(|native| native.column), matrices: self.matrices }
    }
}

/// What nothing decides for a block: the targets that programs in its language ship for, each with its usual compiler,
/// and the orders of matrices.
fn trials_of(open: OpenChoices) -> Vec<LayoutTrial> {
    let usual = LayoutSelection::usual(Some(open.language)).targets;
    let others = shipping(open.language).filter(|native| {
        let column = native.column;
        open.target
            && column.compiler == Some(usual_compiler(column.target, Some(open.language)))
            && !usual.contains(&column.choice())
    });
    let orders: &[MatrixOrder] =
        if open.order { &[open.matrices, open.matrices.transposed()] } else { &[open.matrices] };
    let all = std::iter::once(None).chain(others.map(Some));
    let all = all.flat_map(|native| orders.iter().map(move |matrices| LayoutTrial { native, matrices: *matrices }));
    all.filter(|trial| trial.native.is_some() || trial.matrices != open.matrices).collect()
}

/// The trials so far.
struct LayoutTrials<'a, MayAsk> {
    rules: PairRules<'a>,
    may_ask: MayAsk,
    /// By the comparison of the pair, which shaders that include one block share, and by the target with the order.
    /// Targets with the same layout share a comparison, too, but may differ in the other order.
    agreement: HashMap<(*const Comparison, String, MatrixOrder), bool>,
    /// The blocks of files that only compilers read, by the file's source, target and order.
    answers: HashMap<(*const ShaderJob, String, MatrixOrder), Vec<BlockLayout>>,
}

impl<MayAsk: Fn() -> bool> LayoutTrials<'_, MayAsk> {
    fn agrees(&mut self, trial: LayoutTrial, pair: &CheckedPair, partner: &PairPartners, block: &TargetBlock) -> bool {
        let target = trial.native.map_or(block.target.as_str(), |native| native.name);
        let key = (Arc::as_ptr(&pair.comparison), target.to_owned(), trial.matrices);
        if let Some(known) = self.agreement.get(&key) {
            return *known;
        }
        let layout = match block.source.as_ref() {
            BlockSource::Declared(source) => {
                let options = LayoutOptions { matrix: trial.matrices, ..source.options };
                declared_layout(block, target, source.module.blocks.as_slice(), options)
            }
            BlockSource::Compiled { job, .. } => self.compiled_layout(block, target, trial, job),
            BlockSource::Module { .. } => None,
        };
        let agrees = layout.is_some_and(|layout| {
            let Ok(root) = &layout.result else { return false };
            let parts = block_parts(&layout, root);
            let Some(part) = parts.iter().find(|part| part.path == pair.part) else { return false };
            let other = TargetBlock { target: target.to_owned(), layout: layout.clone(), ..block.clone() };
            compare_pair(&other, part, &partner.host, self.rules).outcome() != PairOutcome::Differ
        });
        self.agreement.insert(key, agrees);
        agrees
    }

    /// The block as a compiler lays it out; `None` if it does not answer or time is up.
    fn compiled_layout(
        &mut self,
        block: &TargetBlock,
        target: &str,
        trial: LayoutTrial,
        job: &Arc<ShaderJob>,
    ) -> Option<BlockLayout> {
        let key = (Arc::as_ptr(job), target.to_owned(), trial.matrices);
        if !self.answers.contains_key(&key) {
            if !(self.may_ask)() {
                return None;
            }
            let mut job = ShaderJob::clone(job);
            job.named.rules = vec![target.to_owned()];
            job.declare.matrix = Some(match trial.matrices {
                MatrixOrder::Row => MatrixArg::Row,
                MatrixOrder::Column => MatrixArg::Column,
            });
            let read = read(&job, &mut SourceMap::default()).ok().and_then(Result::ok).unwrap_or_default();
            self.answers.insert(key.clone(), read.blocks.into_iter().map(|block| block.layout).collect());
        }
        let is_own = |other: &&BlockLayout| other.name == block.layout.name && other.kind == block.layout.kind;
        self.answers[&key].iter().find(is_own).cloned()
    }
}

fn declared_layout(
    block: &TargetBlock,
    target: &str,
    declared: &[Block],
    options: LayoutOptions,
) -> Option<BlockLayout> {
    let choice = rule_choice(target).ok()?;
    let mut own = declared.iter().filter_map(|declared| choice.block(declared));
    let own = own.find(|declared| declared.name == block.layout.name)?;
    Some(lay_out_under(&own, choice, options))
}
