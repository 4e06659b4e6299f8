//! Brings blocks and host types together, and compares them.

use std::collections::BTreeMap;

use layoutproof_core::host::matching::{TypeMatch, match_type};
use layoutproof_core::host::{CompareOptions, ProgramStruct, ShaderBlock, VectorTypes, compare};
use layoutproof_core::report::host_check::{CheckedPair, HostCheck, PairOutcome, UnmatchedBlock, UnmatchedReason};
use layoutproof_layout::LaidOutShape;

use super::debug_worker::DebugAnswer;
use super::shader_blocks::TargetBlock;
use crate::project::project_file::{KnownMismatch, ProjectMapping};

/// What a user has written about pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairRules<'a> {
    /// Host types and renamed members.
    pub mappings: &'a [ProjectMapping],
    /// Differences that are meant.
    pub known: &'a [KnownMismatch],
    /// Vector types of libraries, and those of the user's own.
    pub vector_types: &'a VectorTypes,
    /// Whether blocks without a host struct are errors.
    pub is_strict: bool,
}

impl PairRules<'_> {
    /// Names of the host's members by those of a block's, for members that are called differently.
    pub(super) fn renames(&self, block: &TargetBlock) -> BTreeMap<String, String> {
        let own = self.mappings.iter().filter(|mapping| mapping.block == block.layout.name);
        own.flat_map(|mapping| mapping.members.clone()).collect()
    }
}

/// A check with what its pairs are made of.
#[derive(Debug)]
pub(super) struct Pairing {
    /// What was compared.
    pub check: HostCheck,
    /// Block and host struct of each pair of the check, in its order.
    pub partners: Vec<PairPartners>,
}

/// The two sides of a pair.
#[derive(Debug)]
pub(super) struct PairPartners {
    /// Index of the block.
    pub block: usize,
    /// The host struct.
    pub host: ProgramStruct,
}

/// Compares each block with its host type.
pub(super) fn pair(blocks: &[TargetBlock], hosts: &[DebugAnswer], rules: PairRules<'_>) -> Pairing {
    let by_name = merge(hosts);
    let mut check = HostCheck { is_strict: rules.is_strict, ..HostCheck::default() };
    let mut partners = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        match find_host(index, block, hosts, &by_name) {
            Ok(host) => {
                if let Some(pair) = compare_pair(block, host, rules, &mut check.unmatched) {
                    check.pairs.push(pair);
                    partners.push(PairPartners { block: index, host: host.clone() });
                }
            }
            Err(reason) if is_worth_listing(block, &reason) => check.unmatched.push(unmatched(block, reason)),
            Err(_) => {}
        }
    }

    let stale = rules.known.iter().filter(|known| !is_used(known, &check));
    let complain = |known: &KnownMismatch| {
        format!("the known difference of `{}` is not there any more, remove it: {}", known.block, known.reason)
    };
    check.complaints = stale.map(complain).collect();
    Pairing { check, partners }
}

/// All types by name; a name with other bytes in another file has that among its other layouts.
fn merge(hosts: &[DebugAnswer]) -> BTreeMap<&str, ProgramStruct> {
    let mut by_name: BTreeMap<&str, ProgramStruct> = BTreeMap::new();
    for program in hosts.iter().flat_map(|host| &host.structs) {
        match by_name.get_mut(program.name.as_str()) {
            None => drop(by_name.insert(&program.name, program.clone())),
            Some(first) if first.has_same_layout(program) => {}
            Some(first) => first.other_layouts.push(format!("{} bytes in {}", program.size, program.object)),
        }
    }
    by_name
}

fn find_host<'a>(
    index: usize,
    block: &TargetBlock,
    hosts: &[DebugAnswer],
    by_name: &'a BTreeMap<&str, ProgramStruct>,
) -> Result<&'a ProgramStruct, UnmatchedReason> {
    let declared = || hosts.iter().flat_map(|host| &host.declared).map(String::as_str);
    let nearest = || {
        let mut nearest: Vec<String> = Vec::new();
        for name in hosts.iter().filter_map(|host| host.nearest.get(index)).flatten() {
            if !nearest.contains(name) && nearest.len() < 3 {
                nearest.push(name.clone());
            }
        }
        nearest
    };
    match match_type(&block.names, by_name.keys().copied()) {
        TypeMatch::Found(name) => by_name.get(name.as_str()).ok_or(UnmatchedReason::NoType(Vec::new())),
        TypeMatch::Ambiguous(names) => Err(UnmatchedReason::Ambiguous(names)),
        TypeMatch::None(_) | TypeMatch::StatedMissing { .. } => {
            match (match_type(&block.names, declared()), &block.names.stated) {
                (TypeMatch::Found(name), _) => Err(UnmatchedReason::OnlyDeclared(name)),
                (_, Some(stated)) => Err(UnmatchedReason::StatedMissing { stated: stated.clone(), nearest: nearest() }),
                (_, None) => Err(UnmatchedReason::NoType(nearest())),
            }
        }
    }
}

/// A buffer of plain vectors needs no host struct.
fn is_worth_listing(block: &TargetBlock, reason: &UnmatchedReason) -> bool {
    let is_struct = block.layout.result.as_ref().is_ok_and(|root| matches!(root.shape, LaidOutShape::Struct(_)));
    is_struct || block.layout.result.is_err() || reason.is_error()
}

fn unmatched(block: &TargetBlock, reason: UnmatchedReason) -> UnmatchedBlock {
    UnmatchedBlock {
        block: block.layout.name.clone(),
        target: block.target.clone(),
        shader: block.shader.clone(),
        place: block.places.get("").cloned(),
        reason,
        is_stated: block.names.stated.is_some(),
    }
}

fn compare_pair(
    block: &TargetBlock,
    host: &ProgramStruct,
    rules: PairRules<'_>,
    refused: &mut Vec<UnmatchedBlock>,
) -> Option<CheckedPair> {
    let root = match &block.layout.result {
        Ok(root) => root,
        Err(reasons) => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            refused.push(unmatched(block, UnmatchedReason::Forbidden(reasons.join("; "))));
            return None;
        }
    };

    let renames = rules.renames(block);
    let shader = ShaderBlock { layout: &block.layout, root, places: &block.places };
    let options = CompareOptions { renames: &renames, vector_types: rules.vector_types };
    let comparison = compare(shader, host, options);

    let reason_for = |mismatch: &layoutproof_core::host::Mismatch| {
        let entry = rules.known.iter().find(|known| covers(known, &block.layout.name, mismatch));
        entry.map(|known| known.reason.clone())
    };
    let reasons: Option<Vec<String>> = comparison.mismatches.iter().map(reason_for).collect();
    Some(CheckedPair {
        block: block.layout.name.clone(),
        kind: block.layout.kind,
        target: block.target.clone(),
        shader: block.shader.clone(),
        host: host.name.clone(),
        host_file: host.object.clone(),
        comparison,
        known: reasons.unwrap_or_default(),
        proofs: Vec::new(),
    })
}

fn covers(known: &KnownMismatch, block: &str, mismatch: &layoutproof_core::host::Mismatch) -> bool {
    known.block == block
        && known.member.as_ref().is_none_or(|member| *member == mismatch.path)
        && known.kind.as_ref().is_none_or(|kind| kind == mismatch.kind.name())
}

/// Whether a known difference is still there.
fn is_used(known: &KnownMismatch, check: &HostCheck) -> bool {
    check.pairs.iter().any(|pair| {
        pair.outcome() != PairOutcome::Agree
            && pair.comparison.mismatches.iter().any(|mismatch| covers(known, &pair.block, mismatch))
    })
}
