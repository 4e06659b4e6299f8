//! Host structs beside the blocks that they fill, for people and programs: text, JSON, `JUnit`, annotations.

mod annotations;
mod json;
mod junit;
mod text;

pub use annotations::annotations;
pub use json::json;
pub use junit::junit;
pub use text::text;
pub(in crate::report) use text::{mismatch_places, pair_table, place_text, stray_text};

use layoutproof_layout::BlockKind;

use crate::host::{Arrivals, Comparison, LinePlace, part_path};

/// Everything that a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCheck {
    /// Blocks with their host structs.
    pub pairs: Vec<CheckedPair>,
    /// Blocks without one.
    pub unmatched: Vec<UnmatchedBlock>,
    /// Entries of known differences that fit nothing any more, in words.
    pub complaints: Vec<String>,
    /// Whether unmatched blocks are errors.
    pub is_strict: bool,
}

/// A block with its host struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPair {
    /// Name of the block.
    pub block: String,
    /// What of the block the host struct stands for: `particles[]`; empty for all of it.
    pub part: String,
    /// Kind of the block.
    pub kind: BlockKind,
    /// Rule set, or the compiler whose choice it is: `native:dxc-dxil`.
    pub target: String,
    /// Shader file.
    pub shader: String,
    /// Name of the host struct.
    pub host: String,
    /// File with its debug information.
    pub host_file: String,
    /// How they compare.
    pub comparison: Comparison,
    /// Reasons of the known differences that cover all mismatches.
    pub known: Vec<String>,
    /// What arrived on devices, one for each way; empty where none was asked.
    pub proofs: Vec<PairProof>,
}

/// What arrived of a host struct on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairProof {
    /// Device id.
    pub device: String,
    /// API.
    pub runner: String,
    /// Who made the shader.
    pub producer: String,
    /// What arrived, or why the block was not read.
    pub result: Result<Arrivals, String>,
}

impl PairProof {
    /// Whether a leaf reads another member.
    pub fn has_strays(&self) -> bool {
        self.result.as_ref().is_ok_and(|arrivals| !arrivals.strays.is_empty())
    }

    /// Leaves that read the member that belongs to them.
    pub fn arrived(&self) -> u32 {
        self.result.as_ref().map_or(0, |arrivals| arrivals.arrived)
    }
}

/// A block for which there is no host struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedBlock {
    /// Name of the block.
    pub block: String,
    /// Rule set, or the compiler whose choice it is.
    pub target: String,
    /// Shader file.
    pub shader: String,
    /// Where it is declared.
    pub place: Option<LinePlace>,
    /// Why there is none.
    pub reason: UnmatchedReason,
    /// Whether the user names the host type.
    pub is_stated: bool,
}

impl UnmatchedBlock {
    /// Whether the user names a type that no host file defines.
    pub fn names_no_type(&self) -> bool {
        match &self.reason {
            UnmatchedReason::StatedMissing { .. } => true,
            UnmatchedReason::OnlyDeclared(_) => self.is_stated,
            UnmatchedReason::NoType(_) | UnmatchedReason::Ambiguous(_) | UnmatchedReason::Forbidden(_) => false,
        }
    }
}

/// Why a block has no host struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnmatchedReason {
    /// No type has its name; the nearest names.
    NoType(Vec<String>),
    /// The user names a type that no host file defines; the nearest names.
    StatedMissing {
        /// What the user wrote.
        stated: String,
        /// Similar names.
        nearest: Vec<String>,
    },
    /// Several types have its name.
    Ambiguous(Vec<String>),
    /// Units only declare the type, so that the compiler has left out its members.
    OnlyDeclared(String),
    /// The rule set forbids the block.
    Forbidden(String),
}

/// How a pair came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOutcome {
    /// Every member is where the shader reads it.
    Agree,
    /// Something is wrong.
    Differ,
    /// Something is wrong, and the user knows.
    Known,
}

impl CheckedPair {
    /// The block, or the part of it, that is compared: `Particles.particles[]`.
    pub fn shader_name(&self) -> String {
        part_path(&self.block, &self.part)
    }

    /// How it came out.
    pub fn outcome(&self) -> PairOutcome {
        let has_strays = self.proofs.iter().any(PairProof::has_strays);
        match (self.comparison.agrees() && !has_strays, self.known.is_empty()) {
            (true, _) => PairOutcome::Agree,
            (false, true) => PairOutcome::Differ,
            (false, false) => PairOutcome::Known,
        }
    }
}

impl PairOutcome {
    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Differ => "differ",
            Self::Known => "known",
        }
    }
}

impl UnmatchedReason {
    /// Whether it is an error without `--strict`, too: the user names something that is not so, or must choose.
    pub fn is_error(&self) -> bool {
        match self {
            Self::StatedMissing { .. } | Self::Ambiguous(_) | Self::Forbidden(_) => true,
            Self::NoType(_) | Self::OnlyDeclared(_) => false,
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
            Self::Ambiguous(names) => {
                write!(f, "several host structs have its name: {}; choose one with --map BLOCK=TYPE", quoted(names))
            }
            Self::OnlyDeclared(name) => write!(
                f,
                "`{name}` is declared in the debug information, but not defined: compile with -fstandalone-debug (Clang) \
                 or -fno-eliminate-unused-debug-types (GCC)"
            ),
            Self::Forbidden(reason) => write!(f, "the rule set forbids it: {reason}"),
        }
    }
}
