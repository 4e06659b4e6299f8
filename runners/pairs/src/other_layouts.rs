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
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, Column, LayoutOptions, LayoutVariant, MatrixOrder, ShaderCompiler, ShaderTarget,
};
use layoutproof_report::host_check::{CheckedPair, OpenChoices, OtherLayout, OtherLayouts, PairOutcome};
use layoutproof_show::{shipping, usual_compiler};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::pairing::{PairPartners, PairRules, Pairing, is_known};
use crate::shader_blocks::{BlockSource, ShaderJob, TargetBlock, lay_out_under, read};

/// Records the alternative targets and orders of matrices with which each pair agrees, if they are not configured. Pairs
/// that agree are only compared with those that some pair needs. `may_ask` tells whether to ask compilers about
/// blocks that only they can lay out. Returns the number of pairs for which there was none.
pub fn note_other_layouts(
    pairing: &mut Pairing,
    blocks: &[TargetBlock],
    rules: PairRules<'_>,
    may_ask: impl Fn() -> bool,
) -> usize {
    let mut trials = LayoutTrials { rules, may_ask, agreement: HashMap::new(), answers: HashMap::new() };
    let mut needed: HashSet<(ShaderLanguage, OtherLayout)> = HashSet::new();
    let mut untried = 0;
    let Pairing { check, partners } = pairing;
    for is_agreeing in [false, true] {
        for (pair, partner) in check.pairs.iter_mut().zip(&*partners) {
            let block = &blocks[partner.block];
            let is_tried = is_agreeing == (pair.outcome() != PairOutcome::Differ);
            let Some(open) = block.open.filter(|_| is_tried) else { continue };
            let (mut agreeing, mut is_untried) = (Vec::new(), false);
            for other in others_of(open) {
                let key = (open.language, other);
                if is_agreeing && !needed.contains(&key) {
                    continue;
                }
                match trials.agrees(other, pair, partner, block) {
                    Some(true) => {
                        agreeing.push(other);
                        needed.insert(key);
                    }
                    Some(false) => {}
                    None => is_untried = true,
                }
            }
            untried += usize::from(is_untried);
            pair.other_layouts = Some(OtherLayouts { open, agreeing });
        }
    }
    untried
}

/// slangc's `-fvk-use-scalar-layout`, with which structs are as C++ has them.
const SLANG_SCALAR: Column<'static> =
    Column::new(ShaderTarget::Vulkan, ShaderCompiler::Slang).with(LayoutVariant::Scalar);

/// The layouts besides the compared one: the targets that programs in this language ship for, each with its usual
/// compiler, Slang's scalar layout, and the orders of matrices.
fn others_of(open: OpenChoices) -> Vec<OtherLayout> {
    let usual = LayoutSelection::usual(Some(open.language)).targets;
    let scalar = Some(SLANG_SCALAR).filter(|_| open.language == ShaderLanguage::Slang);
    let targets = shipping(open.language).map(|native| native.column).chain(scalar).filter(|column| {
        open.target
            && column.compiler == Some(usual_compiler(column.target, Some(open.language)))
            && !usual.contains(&column.choice())
    });
    let orders: &[MatrixOrder] =
        if open.order { &[open.matrices, open.matrices.transposed()] } else { &[open.matrices] };
    let all = std::iter::once(None).chain(targets.map(Some));
    let all = all.flat_map(|column| orders.iter().map(move |matrices| OtherLayout { column, matrices: *matrices }));
    all.filter(|other| other.column.is_some() || other.matrices != open.matrices).collect()
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
    /// `None` if no further compiler may be asked.
    fn agrees(
        &mut self,
        other: OtherLayout,
        pair: &CheckedPair,
        partner: &PairPartners,
        block: &TargetBlock,
    ) -> Option<bool> {
        // Only Vulkan has push constants and pointers.
        let is_of_vulkan = matches!(block.layout.kind, BlockKind::PushConstant | BlockKind::Pointee);
        if is_of_vulkan && other.column.is_some_and(|column| column.target != ShaderTarget::Vulkan) {
            return Some(false);
        }
        let native = other.column.and_then(Native::of_column);
        let target = native.map_or(block.target.as_str(), |native| native.name);
        let key = (Arc::as_ptr(&pair.comparison), target.to_owned(), other.matrices);
        if let Some(known) = self.agreement.get(&key) {
            return Some(*known);
        }
        let layout = match block.source.as_ref() {
            BlockSource::Declared(source) => {
                let options = LayoutOptions { matrix: other.matrices, ..source.options };
                declared_layout(block, target, source.module.blocks.as_slice(), options)
            }
            BlockSource::Compiled { job, .. } => {
                self.compiled_blocks(job, target, other.matrices)?.iter().find(|other| is_same(other, block)).cloned()
            }
            BlockSource::Module { .. } => None,
        };
        let agrees = layout.is_some_and(|layout| {
            let Ok(root) = &layout.result else { return false };
            let parts = block_parts(&layout, root);
            let Some(part) = parts.iter().find(|part| part.path == pair.part) else { return false };
            // A size that only another API requires is no reason against its layout.
            let api = block.api.filter(|_| other.column.is_none());
            let other = TargetBlock { target: target.to_owned(), layout: layout.clone(), api, ..block.clone() };
            let comparison = self.rules.comparisons.compare_once(&other, part, &partner.host);
            comparison.agrees() || is_known(&other, &comparison, self.rules)
        });
        self.agreement.insert(key, agrees);
        Some(agrees)
    }

    /// The blocks of a file as a compiler lays them out, none if it refuses the file; `None` if it may not be asked.
    fn compiled_blocks(&mut self, job: &Arc<ShaderJob>, target: &str, matrices: MatrixOrder) -> Option<&[BlockLayout]> {
        let key = (Arc::as_ptr(job), target.to_owned(), matrices);
        if !self.answers.contains_key(&key) {
            if !(self.may_ask)() {
                return None;
            }
            let mut job = ShaderJob::clone(job);
            job.named.rules = vec![target.to_owned()];
            job.declare.matrix = Some(match matrices {
                MatrixOrder::Row => MatrixArg::Row,
                MatrixOrder::Column => MatrixArg::Column,
            });
            let read = read(&job, &mut SourceMap::default()).ok().and_then(Result::ok).unwrap_or_default();
            self.answers.insert(key.clone(), read.blocks.into_iter().map(|block| block.layout).collect());
        }
        self.answers.get(&key).map(Vec::as_slice)
    }
}

/// True if the compiler's block is this one.
fn is_same(compiled: &BlockLayout, block: &TargetBlock) -> bool {
    compiled.name == block.layout.name && compiled.kind == block.layout.kind
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
