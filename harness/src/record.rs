//! What is kept of a run: JSON lines that other programs read, and all that the reporters need.
//!
//! The shape is the command-line contract's, schema 1.

use serde::{Deserialize, Serialize};

use crate::runner::{DeviceInfo, RunnerKind};

/// Version of the record format.
pub const SCHEMA: u32 = 1;

/// One line of a records file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// First line.
    Run(RunHeader),
    /// One per check.
    Check(Box<CheckRecord>),
    /// Last line.
    End(RunEnd),
}

/// Versions and settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of layoutproof.
    pub layoutproof: String,
    /// Devices, through each API.
    pub devices: Vec<DeviceInfo>,
    /// Tools by name with their version lines (`spirv-val`, `naga`, `rspirv`).
    pub tools: std::collections::BTreeMap<String, String>,
    /// Environment variables that steer drivers, where set.
    pub environment: std::collections::BTreeMap<String, String>,
    /// Number of cases selected.
    pub cases: u32,
}

/// What agreement in a check proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proves {
    /// The device obeys offsets that we wrote.
    Decorations,
    /// A compiler chose the offsets and its code uses them.
    Compiler,
    /// Native code on its native API.
    Native,
}

impl Proves {
    /// The word in records and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decorations => "decorations",
            Self::Compiler => "compiler",
            Self::Native => "native",
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the contract's words")]
pub enum Outcome {
    Agree,
    Differ,
    Known,
    Stale,
    Skipped,
    Broken,
}

/// Who stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Culprit {
    /// Expected and computed differ and no compiler breaks the tie.
    CaseOrRules,
    /// The case's number is wrong.
    Case,
    /// Our rule is wrong.
    Rules,
    /// The compiler's code addresses other bytes.
    Compiler,
    /// The compiler's report differs from its code.
    Report,
    /// The shader module is invalid or not what was asked for.
    Module,
    /// The device did something else than the shader says.
    Device,
    /// No witness stands alone.
    Unclear,
}

impl Culprit {
    /// The word in records and texts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CaseOrRules => "case-or-rules",
            Self::Case => "case",
            Self::Rules => "rules",
            Self::Compiler => "compiler",
            Self::Report => "report",
            Self::Module => "module",
            Self::Device => "device",
            Self::Unclear => "unclear",
        }
    }
}

/// What is measured of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the contract's words")]
pub enum What {
    Offset,
    ArrayStride,
    MatrixStride,
    Size,
    Alignment,
    Binding,
    Guard,
    /// Elements of the array without a length that ends a block, in the range that is bound.
    ArrayLength,
}

/// Where the block lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage,
    /// The push constants.
    PushConstant,
    /// An element of an array of uniform buffers.
    UniformElement,
    /// An element of an array of storage buffers.
    StorageElement,
    /// Memory behind a 64-bit address, which the push constants hold.
    Address,
}

impl Space {
    /// All spaces.
    pub const ALL: [Self; 6] =
        [Self::Uniform, Self::Storage, Self::PushConstant, Self::UniformElement, Self::StorageElement, Self::Address];

    /// The word in records and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Storage => "storage",
            Self::PushConstant => "push-constant",
            Self::UniformElement => "uniform-element",
            Self::StorageElement => "storage-element",
            Self::Address => "address",
        }
    }
}

/// The stage of the shader that reaches the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A dispatch.
    #[default]
    Compute,
    /// The vertex stage of a draw.
    Vertex,
    /// The fragment stage of a draw.
    Fragment,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 3] = [Self::Compute, Self::Vertex, Self::Fragment];

    /// The word in records and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
        }
    }

    /// Whether records leave the stage out.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_compute(&self) -> bool {
        *self == Self::Compute
    }
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The shader reads the block.
    Read,
    /// The shader writes the block.
    Write,
}

/// How the shader reaches a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Each scalar through its own access chain.
    Leaf,
    /// Whole vectors and matrix vectors.
    Vector,
    /// The whole struct at once.
    Whole,
    /// The whole struct, passed to a function by value.
    Parameter,
    /// Each scalar in an array or a matrix, at indices that are read from memory.
    Indexed,
    /// The same, where the lanes of a workgroup of 64 each read another element.
    Divergent,
    /// The whole struct at once, from or into a block with another layout.
    Copied,
    /// No leaf: the number of elements of the array without a length that ends the block.
    Length,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 8] = [
        Self::Leaf,
        Self::Vector,
        Self::Whole,
        Self::Parameter,
        Self::Indexed,
        Self::Divergent,
        Self::Copied,
        Self::Length,
    ];

    /// The word in records, texts and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Vector => "vector",
            Self::Whole => "whole",
            Self::Parameter => "parameter",
            Self::Indexed => "indexed",
            Self::Divergent => "divergent",
            Self::Copied => "copied",
            Self::Length => "length",
        }
    }
}

/// A witness's number, or a binding's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Bytes.
    Number(u32),
    /// A binding string.
    Text(String),
}

/// One measured thing of a check. `None` where a witness says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Path, block name first.
    pub path: String,
    /// What is measured.
    pub what: What,
    /// Where the block lived; `None` for rows that no device answers.
    pub space: Option<Space>,
    /// Which way bytes went.
    pub direction: Option<Direction>,
    /// How the shader reached it.
    pub form: Option<Form>,
    /// In which stage; left out of records for the compute stage.
    #[serde(default, skip_serializing_if = "Stage::is_compute")]
    pub stage: Stage,
    /// From the case.
    pub expected: Option<Value>,
    /// From our rules.
    pub computed: Option<Value>,
    /// From the compiler's reflection or listing.
    pub reported: Option<Value>,
    /// From the compiler's code.
    pub compiled: Option<Value>,
    /// From the device.
    pub observed: Option<Value>,
    /// What the device's answer was, in words, where it is not plainly an offset (`0xBADD0030, padding at byte 48`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Case x rule set x producer x device x runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Case id, or file name for a user's file.
    pub case: String,
    /// Rule set.
    pub rules: String,
    /// Shader producer.
    pub producer: String,
    /// Device id; `none` for a check that no device takes part in.
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    /// What agreement proves.
    pub proves: Proves,
    /// How it ended.
    pub outcome: Outcome,
    /// Who stands alone.
    pub culprit: Option<Culprit>,
    /// What the validator said: `valid`, `not run: ...`, or its message.
    pub validation: String,
    /// Why it was skipped, or why it broke.
    pub skip_reason: Option<String>,
    /// The entry of a list of known differences that covers the check; for a known or stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownEntry>,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Leaves that a device answered for.
    pub leaves: u32,
    /// Bound resources that a device was asked for; absent from checks of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundCount>,
    /// What was measured.
    pub rows: Vec<Row>,
    /// Everything a reporter needs to show a failure; absent on agreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}

/// How many bound resources a device was asked for. Elements of arrays and locations count each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCount {
    /// Read back, rightly or not.
    pub read: u32,
    /// Parameters of which some or all was not read, by the reason.
    pub not_read: std::collections::BTreeMap<String, u32>,
}

/// An entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownEntry {
    /// The list: `ci/known/lavapipe.toml`.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
    /// Why the difference is known.
    pub reason: String,
}

/// The text parts of a failure block, so that reporters never call the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// The case's summary.
    pub summary: String,
    /// `cases/a/b.toml:9`.
    pub place: String,
    /// The authority in words.
    pub authority: String,
    /// The laid-out structs as rows with the witnesses' numbers are in `CheckRecord::rows`; these are the members as
    /// declared, per block: name, size, and the member rows.
    pub blocks: Vec<StoryBlock>,
    /// A rule set that explains all rows, where there is one.
    pub hint: Option<String>,
    /// The command that runs this check again.
    pub again: String,
    /// One sentence on the culprit.
    pub verdict: String,
}

/// A block of a [`Story`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryBlock {
    /// Name.
    pub name: String,
    /// Size in bytes as computed; `None` for unbounded.
    pub size: Option<u32>,
    /// Members as computed.
    pub members: Vec<crate::layout::MemberRow>,
}

/// Totals of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// [`SCHEMA`].
    pub schema: u32,
    /// All checks.
    pub checks: u32,
    /// By outcome.
    pub agree: u32,
    /// By outcome.
    pub differ: u32,
    /// By outcome.
    pub known: u32,
    /// By outcome.
    pub stale: u32,
    /// By outcome.
    pub skipped: u32,
    /// By outcome.
    pub broken: u32,
    /// Leaves that devices answered for.
    pub leaves: u32,
    /// Devices that answered, as `id via runner`.
    pub devices: Vec<String>,
    /// Leaves by kind of proof.
    pub proves: std::collections::BTreeMap<Proves, u32>,
    /// Bound resources that were read back, by device, as `id via runner`.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub bound: std::collections::BTreeMap<String, u32>,
}
