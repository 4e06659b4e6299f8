//! The axes along which a leaf is probed: where its block lives, which way bytes go, how the shader reaches it, in which stage.

use serde::{Deserialize, Serialize};

/// Where the block lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddressSpace {
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

impl AddressSpace {
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

    /// Returns true if records leave the stage out.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_compute(&self) -> bool {
        *self == Self::Compute
    }
}

/// The way in which bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The shader reads the block.
    Read,
    /// The shader writes the block.
    Write,
}

/// The way in which the shader reaches a leaf.
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
