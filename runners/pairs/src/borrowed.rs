//! Withdraws pairs with a struct that another shader's program declares.
//!
//! Each sample of a repository has its own `UBO`, and maybe not all were built. The `UBO` of a sample that was built then
//! has the name of blocks of the others, and differs from them although nothing is wrong.

use std::collections::HashMap;

use layoutproof_hostcheck::matching::is_generic;
use layoutproof_hostcheck::{MemberSketch, block_parts};
use layoutproof_report::host_check::{CheckedPair, HostProposal, UnmatchedBlock, UnmatchedReason};

use crate::pairing::{PairPartners, PairRules, Pairing, unmatched};
use crate::shader_blocks::TargetBlock;

/// Turns a pair that differs into a proposal if the user named no struct, and the struct has a common name and agrees with
/// a shader that is nearer to it. `nearness` is the number of folders that the shader of each pair
/// has in common with the struct.
pub(crate) fn withdraw_borrowed(
    pairing: &mut Pairing,
    blocks: &[TargetBlock],
    nearness: &[usize],
    rules: PairRules<'_>,
) {
    let mut nearest: HashMap<(&str, &str), usize> = HashMap::new();
    for (pair, nearness) in pairing.check.pairs.iter().zip(nearness) {
        if pair.comparison.agrees() {
            let own = nearest.entry((&pair.host, &pair.host_file)).or_default();
            *own = (*own).max(*nearness);
        }
    }
    let is_borrowed = |((pair, partner), nearness): ((&CheckedPair, &PairPartners), &usize)| {
        let has_nearer = nearest.get(&(pair.host.as_str(), pair.host_file.as_str())).is_some_and(|own| own > nearness);
        let differs = !pair.comparison.agrees() && pair.known.is_empty();
        let is_by_name = blocks[partner.block].names.stated.is_none() && !pair.is_by_members;
        has_nearer && differs && is_by_name && is_generic(&pair.host)
    };
    let pairs = pairing.check.pairs.iter().zip(&pairing.partners).zip(nearness);
    let is_borrowed: Vec<bool> = pairs.map(is_borrowed).collect();

    let (pairs, partners) = (std::mem::take(&mut pairing.check.pairs), std::mem::take(&mut pairing.partners));
    for ((pair, partner), is_borrowed) in pairs.into_iter().zip(partners).zip(is_borrowed) {
        if is_borrowed {
            pairing.check.unmatched.push(withdrawn(&blocks[partner.block], &pair, &partner, rules));
        } else {
            pairing.check.pairs.push(pair);
            pairing.partners.push(partner);
        }
    }
}

/// The block of a pair that is only proposed.
fn withdrawn(block: &TargetBlock, pair: &CheckedPair, partner: &PairPartners, rules: PairRules<'_>) -> UnmatchedBlock {
    let root = block.layout.result.as_ref().ok();
    let parts = root.map(|root| block_parts(&block.layout, root)).unwrap_or_default();
    let sketch = parts.get(partner.part).and_then(|part| MemberSketch::new(part.root));
    let fit = sketch.map(|sketch| sketch.fit_of(&partner.host, rules.comparisons.vector_types));
    let proposal = fit.filter(|fit| fit.is_near()).map(|fit| HostProposal {
        host: pair.host.clone(),
        fit,
        difference: pair.comparison.mismatches.first().map(ToString::to_string),
    });
    let reason = UnmatchedReason::OfNearerShader(pair.host.clone());
    let proposals = proposal.into_iter().collect();
    UnmatchedBlock { proposals, ..unmatched(block, pair.shader_name(), reason) }
}
