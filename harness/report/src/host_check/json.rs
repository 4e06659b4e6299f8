//! The check as JSON in the format of `cli-contract.md`.

use layoutproof_events::Account;
use layoutproof_layout::ShaderCompiler;
use layoutproof_layout::native::find_native;
use serde::Serialize;

use super::findings::{also_of_pairs, differing_findings};
use super::headline::headline;
use super::other_layouts::{BetterChoice, BetterLayout, better_layouts};
use super::{CheckedPair, HostCheck, HostProposal, PairProof, UnmatchedBlock, UnmatchedReason};
use layoutproof_hostcheck::{ComparedRow, LinePlace, Mismatch, RepairStep, RowSide, RowState};

const SCHEMA: u32 = 1;

/// Writes a check as one line of JSON, newline included.
pub fn json(check: &HostCheck) -> String {
    let (targets, orders): (Vec<BetterLayout>, Vec<BetterLayout>) =
        better_layouts(check).into_iter().partition(|better| matches!(better.choice, BetterChoice::Target { .. }));
    let answer = JsonCheck {
        schema: SCHEMA,
        headline: headline(check),
        pairs: check.pairs.iter().map(JsonPair::new).collect(),
        findings: findings(check),
        unmatched_blocks: check.unmatched.iter().map(JsonUnmatched::new).collect(),
        unmatched_hosts: check.unmatched.iter().filter_map(stated_host).collect(),
        unread: check.unread.iter().map(|unread| JsonUnread { file: &unread.file, reason: unread.reason() }).collect(),
        complaints: check.all_complaints().collect(),
        conflicts: &check.conflicts,
        better_targets: targets.iter().map(JsonBetterLayout::new).collect(),
        better_matrix_orders: orders.iter().map(JsonBetterLayout::new).collect(),
        account: &check.account,
    };
    serde_json::to_string(&answer).expect("all keys are strings, and writing to memory does not fail") + "\n"
}

#[derive(Debug, Serialize)]
struct JsonCheck<'a> {
    schema: u32,
    headline: String,
    pairs: Vec<JsonPair<'a>>,
    findings: Vec<JsonFinding<'a>>,
    unmatched_blocks: Vec<JsonUnmatched<'a>>,
    unmatched_hosts: Vec<&'a str>,
    unread: Vec<JsonUnread<'a>>,
    complaints: Vec<&'a String>,
    /// Blocks of one name that the shaders lay out in different ways.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    conflicts: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    better_targets: Vec<JsonBetterLayout>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    better_matrix_orders: Vec<JsonBetterLayout>,
    account: &'a Account,
}

/// A target or an order of matrices with which more blocks of a language agree than with the compared one.
#[derive(Debug, Serialize)]
struct JsonBetterLayout {
    language: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<&'static str>,
    /// For an order, the better target, if the blocks are counted for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Blocks that agree with it, that agree with what is compared, and for which nothing makes the choice.
    agree: u64,
    agree_now: u64,
    of: u64,
}

#[derive(Debug, Serialize)]
struct JsonUnread<'a> {
    file: &'a str,
    reason: String,
}

/// The pairs of one host struct that differ in the same way.
#[derive(Debug, Serialize)]
struct JsonFinding<'a> {
    host: &'a str,
    host_file: &'a str,
    /// The shader of the first pair.
    shader: &'a str,
    /// Indices into `pairs`.
    pairs: Vec<usize>,
    /// The other places of the finding, in words; null if there are no others.
    also: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonPair<'a> {
    block: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    part: &'a str,
    kind: &'a str,
    target: &'a str,
    #[serde(flatten)]
    column: JsonColumn,
    shader: &'a str,
    host: &'a str,
    host_file: &'a str,
    paired_by: &'a str,
    outcome: &'a str,
    known: &'a [String],
    /// Other targets for which a pair that differs agrees, if nothing names a target.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agrees_for: Vec<String>,
    /// The same with the other order of matrices, if nothing names an order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    agrees_with: Vec<JsonOtherLayout>,
    shader_size: Option<u32>,
    host_size: u32,
    /// The byte of the block with the host's first byte; `host_offset` counts from the block's start.
    #[serde(skip_serializing_if = "is_zero")]
    host_start: u32,
    /// Members that agree, and those of them without a namesake in the host.
    members_compared: u32,
    members_by_bytes: u32,
    mismatches: Vec<JsonMismatch<'a>>,
    members: Vec<JsonMember<'a>>,
    remarks: Vec<String>,
    /// Other host structs that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<JsonProposal<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<JsonProof<'a>>,
}

/// An order of matrices, and the target if it is another one too.
#[derive(Debug, Serialize)]
struct JsonOtherLayout {
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    matrix: &'static str,
}

/// The result of reading the block on a device.
#[derive(Debug, Serialize)]
struct JsonProof<'a> {
    device: &'a str,
    runner: &'a str,
    producer: &'a str,
    arrived: u32,
    without_host: u32,
    unread: u32,
    strays: Vec<JsonStray<'a>>,
    not_read: Option<String>,
}

/// A leaf that reads another member.
#[derive(Debug, Serialize)]
struct JsonStray<'a> {
    path: &'a str,
    observed: Option<u32>,
    reads: Option<&'a str>,
    host_path: Option<&'a str>,
    host_offset: Option<u32>,
    host_arrives_in: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct JsonMismatch<'a> {
    path: &'a str,
    kind: &'a str,
    message: String,
    hint: String,
    /// The changes of the host struct that the hint describes, in their order.
    #[serde(skip_serializing_if = "<[RepairStep]>::is_empty")]
    repairs: &'a [RepairStep],
    followers: u32,
    shader_at: Option<String>,
    host_at: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonMember<'a> {
    path: Option<&'a str>,
    host_path: Option<&'a str>,
    shader_type: Option<&'a str>,
    host_type: Option<&'a str>,
    shader_offset: Option<u32>,
    host_offset: Option<u32>,
    shader_size: Option<u32>,
    host_size: Option<u32>,
    shader_at: Option<String>,
    host_at: Option<String>,
    state: &'a str,
    hint: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonUnmatched<'a> {
    block: &'a str,
    target: &'a str,
    #[serde(flatten)]
    column: JsonColumn,
    shader: &'a str,
    at: Option<String>,
    reason: String,
    proposals: Vec<JsonProposal<'a>>,
}

/// The target and compiler as people call them; absent for a rule set and for a module that
/// declares its own offsets.
#[derive(Debug, Default, Serialize)]
struct JsonColumn {
    /// The title: `Vulkan · DXC (dx)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compiler: Option<ShaderCompiler>,
}

impl JsonColumn {
    fn of(target: &str) -> Self {
        let column = find_native(target).map(|native| native.column);
        Self { column: column.map(|column| column.to_string()), compiler: column.and_then(|column| column.compiler) }
    }
}

/// A host struct that has members of the block.
#[derive(Debug, Serialize)]
struct JsonProposal<'a> {
    host: &'a str,
    members_placed: u32,
    members_named: u32,
    members: u32,
    /// The first difference if this is the struct.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
}

fn findings(check: &HostCheck) -> Vec<JsonFinding<'_>> {
    let found = differing_findings(check).into_iter().map(|finding| {
        let first = &check.pairs[finding.first()];
        JsonFinding {
            host: &first.host,
            host_file: &first.host_file,
            shader: &first.shader,
            also: also_of_pairs(check, &finding),
            pairs: finding.members,
        }
    });
    found.collect()
}

impl<'a> JsonPair<'a> {
    fn new(pair: &'a CheckedPair) -> Self {
        let comparison = &pair.comparison;
        let mismatches = comparison.mismatches.iter().map(|mismatch| JsonMismatch {
            path: &mismatch.path,
            kind: mismatch.kind.name(),
            message: mismatch.to_string(),
            hint: mismatch.hint(),
            repairs: &mismatch.repairs,
            followers: mismatch.followers,
            shader_at: at(mismatch.shader_at.as_ref()),
            host_at: at(mismatch.host_at.as_ref()),
        });
        Self {
            block: &pair.block,
            part: &pair.part,
            kind: pair.kind.as_str(),
            target: &pair.target,
            column: JsonColumn::of(&pair.target),
            shader: &pair.shader,
            host: &pair.host,
            host_file: &pair.host_file,
            paired_by: if pair.by_members.is_some() { "members" } else { "name" },
            outcome: pair.outcome().as_str(),
            known: &pair.known,
            agrees_for: pair.agrees_for().iter().map(|column| column.choice().to_string()).collect(),
            agrees_with: other_orders(pair),
            shader_size: comparison.shader_size,
            host_size: comparison.host_size,
            host_start: comparison.host_start,
            members_compared: comparison.members,
            members_by_bytes: comparison.members_by_bytes,
            mismatches: mismatches.collect(),
            members: comparison.rows.iter().map(|row| JsonMember::new(row, pair)).collect(),
            remarks: comparison.remarks.iter().map(ToString::to_string).collect(),
            alternatives: pair.alternatives.iter().map(JsonProposal::new).collect(),
            proofs: pair.proofs.iter().map(JsonProof::new).collect(),
        }
    }
}

/// The layouts with another order of matrices with which a pair agrees.
fn other_orders(pair: &CheckedPair) -> Vec<JsonOtherLayout> {
    let compared = pair.other_layouts.as_ref().map(|others| others.open.matrices);
    let others = pair.agrees_with().iter().filter(|other| Some(other.matrices) != compared);
    let layouts = others.map(|other| JsonOtherLayout {
        target: other.column.map(|column| column.choice().to_string()),
        matrix: other.matrices.as_str(),
    });
    layouts.collect()
}

impl JsonBetterLayout {
    fn new(better: &BetterLayout) -> Self {
        let (matrix, column) = match &better.choice {
            BetterChoice::Target { column, .. } => (None, Some(*column)),
            BetterChoice::Order { matrices, column } => (Some(matrices.as_str()), *column),
        };
        Self {
            language: better.language.as_str(),
            matrix,
            target: column.map(|column| column.choice().to_string()),
            agree: better.agreeing,
            agree_now: better.agreeing_now,
            of: better.of,
        }
    }
}

impl<'a> JsonProof<'a> {
    fn new(proof: &'a PairProof) -> Self {
        let arrivals = proof.result.as_ref().ok();
        let strays = arrivals.iter().flat_map(|arrivals| &arrivals.strays).map(|stray| JsonStray {
            path: &stray.path,
            observed: stray.offset,
            reads: stray.reads.as_deref(),
            host_path: stray.home.as_ref().map(|home| home.path.as_str()),
            host_offset: stray.home.as_ref().map(|home| home.offset),
            host_arrives_in: stray.home.as_ref().and_then(|home| home.arrives_in.as_deref()),
        });
        Self {
            device: &proof.device,
            runner: proof.runner.as_str(),
            producer: &proof.producer,
            arrived: proof.arrived(),
            without_host: arrivals.map_or(0, |arrivals| arrivals.without_host),
            unread: arrivals.map_or(0, |arrivals| arrivals.unread),
            strays: strays.collect(),
            not_read: proof.result.as_ref().err().map(ToString::to_string),
        }
    }
}

impl<'a> JsonMember<'a> {
    fn new(row: &'a ComparedRow, pair: &'a CheckedPair) -> Self {
        let (shader, host) = (row.shader.as_ref(), row.host.as_ref());
        let place = |side: Option<&'a RowSide>| side.and_then(|side| at(side.place.as_ref()));
        let hint = row.mismatch.and_then(|index| pair.comparison.mismatches.get(index));
        Self {
            path: shader.map(|side| side.path.as_str()),
            host_path: host.map(|side| side.path.as_str()),
            shader_type: shader.map(|side| side.type_name.as_str()),
            host_type: host.map(|side| side.type_name.as_str()),
            shader_offset: shader.map(|side| side.offset),
            host_offset: host.map(|side| side.offset),
            shader_size: shader.and_then(|side| side.size),
            host_size: host.and_then(|side| side.size),
            shader_at: place(shader),
            host_at: place(host),
            state: match row.state {
                RowState::Agrees => "agree",
                RowState::Differs => "differ",
                RowState::Follows => "follow",
                RowState::OneSided => "one-sided",
            },
            hint: hint.filter(|_| row.state == RowState::Differs).map(Mismatch::hint),
        }
    }
}

impl<'a> JsonUnmatched<'a> {
    fn new(unmatched: &'a UnmatchedBlock) -> Self {
        Self {
            block: &unmatched.block,
            target: &unmatched.target,
            column: JsonColumn::of(&unmatched.target),
            shader: &unmatched.shader,
            at: at(unmatched.place.as_ref()),
            reason: unmatched.reason.to_string(),
            proposals: unmatched.proposals.iter().map(JsonProposal::new).collect(),
        }
    }
}

impl<'a> JsonProposal<'a> {
    fn new(proposal: &'a HostProposal) -> Self {
        Self {
            host: &proposal.host,
            members_placed: proposal.fit.placed,
            members_named: proposal.fit.named,
            members: proposal.fit.of,
            difference: proposal.difference.as_deref(),
        }
    }
}

/// The host type that the user named but no file defines.
fn stated_host(unmatched: &UnmatchedBlock) -> Option<&str> {
    match &unmatched.reason {
        UnmatchedReason::StatedMissing { stated, .. } => Some(stated),
        UnmatchedReason::NoType(_)
        | UnmatchedReason::Ambiguous(_)
        | UnmatchedReason::OnlyDeclared(_)
        | UnmatchedReason::Damaged(_)
        | UnmatchedReason::Forbidden(_)
        | UnmatchedReason::OtherMembers(_)
        | UnmatchedReason::FartherAway(_)
        | UnmatchedReason::OfNearerShader(_)
        | UnmatchedReason::OfOtherSamples(_)
        | UnmatchedReason::OfOtherBlock(_)
        | UnmatchedReason::ExceedsBlock { .. }
        | UnmatchedReason::WrittenBy { .. } => None,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn at(place: Option<&LinePlace>) -> Option<String> {
    place.map(ToString::to_string)
}
