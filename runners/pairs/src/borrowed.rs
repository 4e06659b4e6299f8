//! Withdraws pairs with a struct that another shader's program declares.
//!
//! Each sample of a repository has its own `UBO` or `Particle`, and maybe not all were built. The struct of a sample that was
//! built then has the name of blocks of the others, and differs from them although nothing is wrong.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use layoutproof_hostcheck::matching::is_generic;
use layoutproof_hostcheck::{MemberSketch, ProgramStruct, block_parts};
use layoutproof_layout::BlockKind;
use layoutproof_report::host_check::{CheckedPair, HostProposal, UnmatchedBlock, UnmatchedReason};

use crate::nearness::{folded, names_of};
use crate::pairing::{PairPartners, PairRules, Pairing, unmatched};
use crate::shader_blocks::TargetBlock;

/// Shortest name of a block that another block has only if it is a copy, in letters.
const SHORTEST_NAME: usize = 4;

/// How near the struct of a pair is to its shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairNearness {
    /// The number of folders that the struct has in common with the shader.
    pub folders: usize,
    /// True if all structs are equally near, so that none is known to be of the shader's own program.
    pub is_without_program: bool,
}

/// Turns a pair that differs into a proposal if the user named no struct, and the struct was found by its members and agrees
/// with blocks of other names alone, or has a common name and agrees with a shader that is nearer to it, or is of a sample
/// that has shaders of its own.
pub(crate) fn withdraw_borrowed(
    pairing: &mut Pairing,
    blocks: &[TargetBlock],
    nearness: &[PairNearness],
    folders: &ShaderFolders<'_>,
    rules: PairRules<'_>,
) {
    let mut nearest: HashMap<(&str, &str), usize> = HashMap::new();
    for (pair, nearness) in pairing.check.pairs.iter().zip(nearness) {
        if pair.comparison.agrees() {
            let own = nearest.entry((&pair.host, &pair.host_file)).or_default();
            *own = (*own).max(nearness.folders);
        }
    }
    let mut agreeing: HashMap<(&str, &str), HashSet<&str>> = HashMap::new();
    for pair in pairing.check.pairs.iter().filter(|pair| pair.comparison.agrees()) {
        agreeing.entry((&pair.host, &pair.host_file)).or_default().insert(&pair.block);
    }
    let reason_for = |((pair, partner), nearness): ((&CheckedPair, &PairPartners), &PairNearness)| {
        let differs = !pair.comparison.agrees() && pair.known.is_empty();
        if !differs || blocks[partner.block].names.stated_for_all().is_some() {
            return None;
        }
        if pair.by_members.is_some() {
            let of_host = agreeing.get(&(pair.host.as_str(), pair.host_file.as_str()));
            // A copy of the block that was not kept the same is a mistake. Push constants are each shader's own.
            let has_own_name = pair.block.len() >= SHORTEST_NAME && !is_generic(&pair.block);
            let may_be_copy = has_own_name && pair.kind != BlockKind::PushConstant;
            let is_copy = |blocks: &HashSet<&str>| may_be_copy && blocks.contains(pair.block.as_str());
            let is_of_other = of_host.is_some_and(|blocks| !is_copy(blocks));
            return is_of_other.then(|| UnmatchedReason::OfOtherBlock(pair.host.clone()));
        }
        let own = nearest.get(&(pair.host.as_str(), pair.host_file.as_str()));
        if is_generic(&pair.host) && own.is_some_and(|own| *own > nearness.folders) {
            return Some(UnmatchedReason::OfNearerShader(pair.host.clone()));
        }
        let is_of_sample = nearness.is_without_program && folders.has_sample_of(&pair.shader, &partner.host);
        is_of_sample.then(|| UnmatchedReason::OfOtherSamples(vec![pair.host.clone()]))
    };
    let pairs = pairing.check.pairs.iter().zip(&pairing.partners).zip(nearness);
    let reasons: Vec<Option<UnmatchedReason>> = pairs.map(reason_for).collect();

    let (pairs, partners) = (std::mem::take(&mut pairing.check.pairs), std::mem::take(&mut pairing.partners));
    for ((pair, partner), reason) in pairs.into_iter().zip(partners).zip(reasons) {
        if let Some(reason) = reason {
            pairing.check.unmatched.push(withdrawn(&blocks[partner.block], &pair, &partner, reason, rules));
        } else {
            pairing.check.pairs.push(pair);
            pairing.partners.push(partner);
        }
    }
}

/// The block of a pair that is only proposed.
fn withdrawn(
    block: &TargetBlock,
    pair: &CheckedPair,
    partner: &PairPartners,
    reason: UnmatchedReason,
    rules: PairRules<'_>,
) -> UnmatchedBlock {
    let root = block.layout.result.as_ref().ok();
    let parts = root.map(|root| block_parts(&block.layout, root)).unwrap_or_default();
    let sketch = parts.get(partner.part).and_then(|part| MemberSketch::new(part.root));
    let fit = sketch.map(|sketch| sketch.fit_of(&partner.host, rules.comparisons.vector_types));
    let proposal = fit.filter(|fit| fit.is_near()).map(|fit| HostProposal {
        host: pair.host.clone(),
        fit,
        difference: pair.comparison.mismatches.first().map(ToString::to_string),
    });
    let proposals = proposal.into_iter().collect();
    UnmatchedBlock { proposals, ..unmatched(block, pair.shader_name(), reason) }
}

/// The folders of all shaders.
pub(crate) struct ShaderFolders<'a> {
    /// The folders in each folder, by their folded names.
    inner: HashMap<&'a Path, BTreeSet<String>>,
}

impl<'a> ShaderFolders<'a> {
    pub(crate) fn new(blocks: &'a [TargetBlock]) -> Self {
        let mut inner: HashMap<&Path, BTreeSet<String>> = HashMap::new();
        let shaders: BTreeSet<&str> = blocks.iter().map(|block| block.shader.as_str()).collect();
        for (outer, name) in shaders.into_iter().flat_map(steps) {
            inner.entry(outer).or_default().insert(name);
        }
        Self { inner }
    }

    /// True if shaders and programs are two trees with the same folders, as `shaders/bloom` and `examples/bloom` are, and
    /// the struct is of another sample than the shader, which has shaders of its own.
    pub(crate) fn has_sample_of(&self, shader: &str, host: &ProgramStruct) -> bool {
        let of_host = names_of(host);
        steps(shader).any(|(outer, own)| {
            let is_other_tree =
                outer.file_name().is_some_and(|outer| !of_host.contains(&folded(&outer.to_string_lossy())));
            is_other_tree
                && !of_host.contains(&own)
                && self.inner.get(outer).is_some_and(|inner| !inner.is_disjoint(&of_host))
        })
    }
}

/// The folders on the way to a shader: each with the folded name of the next.
fn steps(shader: &str) -> impl Iterator<Item = (&Path, String)> {
    let folders = Path::new(shader).parent().into_iter().flat_map(Path::ancestors);
    folders.filter_map(|folder| Some((folder.parent()?, folded(&folder.file_name()?.to_string_lossy()))))
}
