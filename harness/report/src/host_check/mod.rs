//! Compares host structs with the blocks that they fill, as text, JSON, `JUnit`, SARIF and annotations.

mod annotations;
mod diff;
mod findings;
mod headline;
mod job_summary;
mod json;
mod junit;
mod map_entries;
mod other_layouts;
mod text;
mod view;

pub use annotations::{annotations, sarif_log};
pub(crate) use diff::{
    DiffPiece, SideTitle, SideWords, declaration, differences, folded_pieces, folded_words, shift, side_titles,
};
pub(crate) use findings::{Finding, also_of_pairs, also_of_unmatched, pair_findings, unmatched_findings};
pub use findings::{UnreadFinding, unread_findings};
pub use headline::{could_not_read, headline, is_failing};
pub use job_summary::job_summary;
pub use json::json;
pub use junit::junit;
pub use map_entries::{MapEntry, map_entries};
pub(crate) use other_layouts::layout_advice;
pub use other_layouts::{BetterChoice, BetterLayout, OpenChoices, OtherLayout, OtherLayouts, better_layouts};
pub use text::text;
pub(crate) use text::{mismatch_places, stray_text};
pub use view::{Amount, View};

use std::path::Path;
use std::sync::Arc;

use layoutproof_device::RunnerKind;
use layoutproof_events::{Account, Reasons};
use layoutproof_layout::native::find_native;
use layoutproof_layout::{BlockKind, Column, DECLARED};
use layoutproof_source::diagnostics::ReadingAdvice;
use layoutproof_source::shader_language::ShaderLanguage;
use thiserror::Error;

use layoutproof_hostcheck::{Arrivals, ComparedRow, Comparison, LinePlace, MemberFit, Mismatch, part_path};
use layoutproof_show::style::counted;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCheck {
    /// Blocks with their host structs.
    pub pairs: Vec<CheckedPair>,
    /// Blocks without a host struct.
    pub unmatched: Vec<UnmatchedBlock>,
    /// Inputs that could not be read; the others are compared all the same.
    pub unread: Vec<UnreadInput>,
    /// Known-difference entries that no longer match anything, as sentences.
    pub complaints: Vec<String>,
    /// Blocks that the shaders lay out in different ways, as sentences. They fail no check.
    pub conflicts: Vec<String>,
    /// Changes since `layoutproof.lock` was written, as sentences.
    pub lock_changes: Vec<String>,
    /// Treat unmatched blocks, and memory that cannot be compared, as errors.
    pub is_strict: bool,
    /// What the shaders have, and what was compared of it.
    pub account: Account,
}

/// A shader or host file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadInput {
    pub file: String,
    /// The first problem, with its place if it has one.
    pub problem: String,
    /// The first problem without the file, so that files that include a faulty one have the same.
    pub cause: String,
    /// Where the problem is, if it is at a line.
    pub place: Option<LinePlace>,
    /// What may help.
    pub advice: ReadingAdvice,
    /// The number of its blocks that need nothing of what cannot be read. They are compared.
    pub blocks_read: usize,
}

impl UnreadInput {
    /// A file with a problem of its own.
    pub fn new(file: String, problem: String) -> Self {
        let cause = problem.clone();
        Self { file, cause, problem, place: None, advice: ReadingAdvice::default(), blocks_read: 0 }
    }

    /// The file and the line of the problem: an included file may have it.
    pub(crate) fn place(&self) -> (&str, Option<u32>) {
        self.place.as_ref().map_or((&self.file, None), |place| (&place.file, place.line))
    }

    /// The problem and the advice.
    pub fn reason(&self) -> String {
        format!("{}{}{}", self.problem, others_are_compared(self.blocks_read), self.advice)
    }
}

/// The blocks of unread files that are compared nevertheless.
pub(crate) fn others_are_compared(blocks: usize) -> String {
    match blocks {
        0 => String::new(),
        1 => "; 1 block that does not need it is compared".to_owned(),
        many => format!("; {many} blocks that do not need it are compared"),
    }
}

/// Why a struct was taken that does not have the block's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByMembers {
    /// It alone has all of the block's members.
    Alone,
    /// It alone has most of them, and agrees.
    Most,
    /// Others have them as well, and it is named after the shader's file.
    NamedAfterShader,
    /// Others have them as well, and the program passes it to a buffer.
    Passed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPair {
    pub block: String,
    /// The part of the block that the host struct describes, such as `particles[]`; empty for the
    /// whole block.
    pub part: String,
    pub kind: BlockKind,
    /// Rule set, or the compiler that chose the layout: `native:dxc-dxil`.
    pub target: String,
    pub shader: String,
    pub compiled: CompiledAs,
    pub host: String,
    /// File with the debug information that defines the host struct.
    pub host_file: String,
    /// Shaders that include the same block share it.
    pub comparison: Arc<Comparison>,
    /// Why this struct was taken by its members; `None` for one with the block's name.
    pub by_members: Option<ByMembers>,
    /// Reasons of the known differences that together cover all mismatches.
    pub known: Vec<String>,
    /// `None` if the user, the project or the shader names the target and the order of matrices.
    pub other_layouts: Option<OtherLayouts>,
    /// Other host structs that may be meant: one with the block's name that differs while this one fits, or one that the
    /// program may upload instead.
    pub alternatives: Vec<HostProposal>,
    /// One entry per device, API and producer; empty if the check ran on none.
    pub proofs: Vec<PairProof>,
}

/// How a shader is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompiledAs {
    /// `None` for the output of a compiler.
    pub language: Option<ShaderLanguage>,
    /// The macros, as `NAME` or `NAME=VALUE`.
    pub defines: Arc<[String]>,
}

/// The rule set or the compiler of a pair in the words of `show`, `D3D12 · DXC`, or the language of a shader that states
/// its own offsets.
pub fn target_title(target: &str, shader: &str) -> String {
    if target == DECLARED {
        let language = ShaderLanguage::of(None, Path::new(shader));
        return language.map_or("explicit offsets", ShaderLanguage::title).to_owned();
    }
    find_native(target).map_or_else(|| target.to_owned(), |native| native.column.to_string())
}

/// The result of reading a host struct's bytes on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairProof {
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    pub producer: String,
    /// The leaves that arrived, or why the block was not read.
    pub result: Result<Arrivals, NotRead>,
}

/// Why no device read a block.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotRead {
    #[error("no shader reads this block")]
    NoShader,
    #[error("{0}")]
    Because(Reasons),
}

impl PairProof {
    /// True if a leaf reads another member although the comparison finds its member in its place.
    pub fn has_unexpected_strays(&self) -> bool {
        let arrivals = self.result.as_ref();
        arrivals.is_ok_and(|arrivals| arrivals.strays.iter().any(|stray| !stray.is_expected))
    }

    /// Number of leaves that read their own member.
    pub fn arrived(&self) -> u32 {
        self.result.as_ref().map_or(0, |arrivals| arrivals.arrived)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedBlock {
    pub block: String,
    /// Rule set, or the compiler that chose the layout.
    pub target: String,
    pub shader: String,
    pub compiled: CompiledAs,
    pub place: Option<LinePlace>,
    pub reason: UnmatchedReason,
    /// True if the user named the host type.
    pub is_stated: bool,
    /// Host structs that may be meant, the best first.
    pub proposals: Vec<HostProposal>,
}

/// A host struct that may fill a block, by its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProposal {
    pub host: String,
    /// The share of the block's members that it has under their names at their places.
    pub fit: MemberFit,
    /// The first difference of this struct and the block, with its repair.
    pub difference: Option<String>,
}

impl HostProposal {
    /// How many members of the block it has.
    pub(crate) fn evidence(&self) -> String {
        match (self.fit.placed, self.fit.of) {
            (1, 1) => "the only member has its place there".to_owned(),
            (0, _) if self.fit.named == 0 && self.difference.is_none() => {
                "its bytes agree, under other names".to_owned()
            }
            (0, _) if self.fit.named == 0 => "it is named after the shader's file".to_owned(),
            (placed, of) => format!("{placed} of {} have their place there", counted(of.into(), "member")),
        }
    }
}

impl UnmatchedBlock {
    /// The proposal that fits better than all others.
    pub fn best_proposal(&self) -> Option<&HostProposal> {
        match self.proposals.as_slice() {
            [best] => Some(best),
            [best, next, ..] => Some(best).filter(|best| best.fit > next.fit),
            [] => None,
        }
    }

    /// True if the user named a type that no host file defines, or more structs than the block holds.
    pub fn names_no_type(&self) -> bool {
        match &self.reason {
            UnmatchedReason::StatedMissing { .. } | UnmatchedReason::ExceedsBlock { .. } => true,
            UnmatchedReason::OnlyDeclared(_) | UnmatchedReason::Damaged(_) => self.is_stated,
            UnmatchedReason::NoType(_)
            | UnmatchedReason::Ambiguous(_)
            | UnmatchedReason::Forbidden(_)
            | UnmatchedReason::OtherMembers(_)
            | UnmatchedReason::FartherAway(_)
            | UnmatchedReason::OfNearerShader(_)
            | UnmatchedReason::OfOtherSamples(_)
            | UnmatchedReason::OfOtherBlock(_)
            | UnmatchedReason::WrittenBy { .. } => false,
        }
    }
}

/// Why a block has no host struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnmatchedReason {
    /// No type has the block's name. Holds the nearest names.
    NoType(Vec<String>),
    /// The user named a type that no host file defines.
    StatedMissing {
        /// The name that the user wrote.
        stated: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// Several types have the block's name, and their members do not decide.
    Ambiguous(Vec<HostPlace>),
    /// Compilation units only declare the type, so the compiler left out its members.
    OnlyDeclared(String),
    /// The type's debug information contradicts itself.
    Damaged(String),
    /// The rule set forbids the block.
    Forbidden(String),
    /// A struct has the block's name except for case and the like, or a name that many structs have, but
    /// not its members.
    OtherMembers(String),
    /// A struct has the block's name, but others are nearer to the shader by their folders, and it lacks
    /// members of the block.
    FartherAway(String),
    /// A struct has the block's name, one that many structs have, and differs; it agrees with a shader that is nearer to
    /// it by their folders.
    OfNearerShader(String),
    /// Structs of samples that have shaders of their own have the block's name. The only one differs.
    OfOtherSamples(Vec<String>),
    /// A struct has the block's members, but differs, and agrees with another block.
    OfOtherBlock(String),
    /// The user names more structs in a row than the block holds.
    ExceedsBlock {
        /// The name that the user wrote: `Light[3]`.
        stated: String,
        host_size: u64,
        block_size: u32,
    },
    /// A library writes the struct into the buffer, so that the bytes of the struct are not those
    /// that the shader reads.
    WrittenBy {
        host: String,
        library: String,
        /// The first difference of what the library writes for a struct without attributes; `None` if it
        /// has members whose bytes are not known.
        difference: Option<String>,
    },
}

/// A host struct and where the program declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPlace {
    pub name: String,
    pub place: Option<LinePlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOutcome {
    /// Every member is where the shader reads it.
    Agree,
    /// Something is wrong.
    Differ,
    /// Something is wrong, but the user's list of known differences covers it.
    Known,
}

impl HostCheck {
    /// The sentences about `layoutproof.toml` and `layoutproof.lock`.
    pub fn all_complaints(&self) -> impl Iterator<Item = &String> {
        self.complaints.iter().chain(&self.lock_changes)
    }
}

impl CheckedPair {
    /// The mismatches in the order of their members; those of the struct as a whole are first. The comparison has those
    /// of shape first, from which others often follow.
    pub(crate) fn mismatches(&self) -> Vec<&Mismatch> {
        let Comparison { mismatches, rows, .. } = &*self.comparison;
        let place = |index: usize, mismatch: &Mismatch| {
            let own = rows.iter().position(|row| row.mismatch == Some(index));
            // Later elements of an array have no row.
            let is_around = |row: &ComparedRow| {
                row.shader.as_ref().is_some_and(|side| !side.path.is_empty() && mismatch.path.starts_with(&side.path))
            };
            own.or_else(|| rows.iter().rposition(is_around))
        };
        let mut ordered: Vec<(Option<usize>, &Mismatch)> =
            mismatches.iter().enumerate().map(|(index, mismatch)| (place(index, mismatch), mismatch)).collect();
        ordered.sort_by_key(|(place, _)| *place);
        ordered.into_iter().map(|(_, mismatch)| mismatch).collect()
    }

    /// The compared block or part of a block: `Particles.particles[]`.
    pub fn shader_name(&self) -> String {
        part_path(&self.block, &self.part)
    }

    /// The other targets and orders of matrices with which a pair that differs agrees, as far as nothing names them.
    pub fn agrees_with(&self) -> &[OtherLayout] {
        // What a device reads elsewhere has no other layout as its cause.
        let differs = !self.comparison.agrees() && self.known.is_empty();
        let others = self.other_layouts.as_ref().filter(|_| differs);
        others.map(|others| others.agreeing.as_slice()).unwrap_or_default()
    }

    /// The other targets for which a pair that differs agrees with the compared order of matrices.
    pub fn agrees_for(&self) -> Vec<Column<'static>> {
        let compared = self.other_layouts.as_ref().map(|others| others.open.matrices);
        let own = self.agrees_with().iter().filter(|other| Some(other.matrices) == compared);
        own.filter_map(|other| other.column).collect()
    }

    pub fn outcome(&self) -> PairOutcome {
        // A known difference covers what follows from it, and no other wrong arrival.
        let has_strays = self.proofs.iter().any(PairProof::has_unexpected_strays);
        match (self.comparison.agrees() && !has_strays, self.known.is_empty() || has_strays) {
            (true, _) => PairOutcome::Agree,
            (false, true) => PairOutcome::Differ,
            (false, false) => PairOutcome::Known,
        }
    }
}

impl PairOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Differ => "differ",
            Self::Known => "known",
        }
    }
}

impl UnmatchedReason {
    /// True if it is an error even without `--strict`: the user named something that does not
    /// exist, or must choose.
    pub fn is_error(&self) -> bool {
        match self {
            Self::StatedMissing { .. } | Self::Ambiguous(_) | Self::Forbidden(_) | Self::ExceedsBlock { .. } => true,
            Self::NoType(_)
            | Self::OnlyDeclared(_)
            | Self::Damaged(_)
            | Self::OtherMembers(_)
            | Self::FartherAway(_)
            | Self::OfNearerShader(_)
            | Self::OfOtherSamples(_)
            | Self::OfOtherBlock(_)
            | Self::WrittenBy { .. } => false,
        }
    }
}

impl std::fmt::Display for UnmatchedReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match self {
            Self::NoType(nearest) if nearest.is_empty() => f.write_str("no host struct has its name"),
            Self::NoType(nearest) => write!(f, "no host struct has its name; nearest: {}", quoted(nearest)),
            Self::StatedMissing { stated, nearest } if nearest.is_empty() => {
                write!(f, "no host file defines `{stated}`")
            }
            Self::StatedMissing { stated, nearest } => {
                write!(f, "no host file defines `{stated}`; nearest: {}", quoted(nearest))
            }
            Self::Ambiguous(hosts) => {
                let named = |host: &HostPlace| match &host.place {
                    Some(place) => format!("`{}` ({place})", host.name),
                    None => format!("`{}`", host.name),
                };
                let named = hosts.iter().map(named).collect::<Vec<_>>().join(", ");
                write!(f, "several host structs have its name: {named}; choose one with --map BLOCK=TYPE")
            }
            Self::OnlyDeclared(name) => write!(
                f,
                "`{name}` is declared in the debug information, but not defined: compile with -fstandalone-debug (Clang) \
                 or -fno-eliminate-unused-debug-types (GCC)"
            ),
            Self::Damaged(name) => {
                write!(f, "the debug information of `{name}` contradicts itself, so nothing is compared with it")
            }
            Self::OtherMembers(host) => {
                write!(f, "`{host}` has its name or almost, but not its members; choose it with --map if it is meant")
            }
            Self::FartherAway(host) => write!(
                f,
                "`{host}` has its name, but lacks members, and the shader's folder names another program; choose it with --map \
                 if it is meant"
            ),
            Self::OfNearerShader(host) => write!(
                f,
                "`{host}` has its name, but differs, and agrees with a shader whose folder is nearer; choose it with --map if \
                 it is meant"
            ),
            Self::OfOtherSamples(hosts) => match hosts.as_slice() {
                [host] => write!(
                    f,
                    "`{host}` has its name, but differs, and its folder has shaders of its own; choose it with --map if it is \
                     meant"
                ),
                several => write!(
                    f,
                    "{} have its name, but their folders have shaders of their own; choose one with --map if it is meant",
                    quoted(several)
                ),
            },
            Self::OfOtherBlock(host) => write!(
                f,
                "`{host}` has its members, but differs, and agrees with another block; choose it with --map if it is meant"
            ),
            Self::ExceedsBlock { stated, host_size, block_size } => write!(
                f,
                "`{stated}` has {host_size} bytes, more than the {block_size} of the block; name as many structs as it holds"
            ),
            Self::WrittenBy { host, library, difference: None } => write!(
                f,
                "{library} writes `{host}` in the layout of shaders; its layout in Rust is another one and is not compared"
            ),
            Self::WrittenBy { host, library, difference: Some(difference) } => write!(
                f,
                "{library} writes `{host}` in the layout of shaders, and only attributes that debug information does not have \
                 could make it right: {difference}"
            ),
            Self::Forbidden(reason) => write!(f, "the rule set forbids it: {reason}"),
        }
    }
}
