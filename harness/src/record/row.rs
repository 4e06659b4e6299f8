//! One measured thing of a check: of what, where, how it was reached, and what each witness says.

use serde::{Deserialize, Serialize};

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
    /// Whether the device answered in a module that many checks share, where it was right. That says nothing of exact
    /// ranges, and where a hash of the words that were read was all the answer, nothing of padding and guards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fused: bool,
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
    /// Each scalar of an element that is loaded from, or stored to, a byte-address buffer at once (`Load<T>`, `Store<T>`).
    #[serde(rename = "byte-address")]
    ByteAddress,
    /// Each scalar out of a copy of the block in memory of the invocation's own, by an index from memory where it has one.
    Private,
    /// The same with a copy in memory that the workgroup shares.
    Workgroup,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 11] = [
        Self::Leaf,
        Self::Vector,
        Self::Whole,
        Self::Parameter,
        Self::Indexed,
        Self::Divergent,
        Self::Copied,
        Self::Length,
        Self::ByteAddress,
        Self::Private,
        Self::Workgroup,
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
            Self::ByteAddress => "byte-address",
            Self::Private => "private",
            Self::Workgroup => "workgroup",
        }
    }
}
