//! The axes of a probe of a leaf: the block's address space, the direction of the bytes, the form
//! of access, and the stage.

use layoutproof_device::Stage;
use serde::{Deserialize, Serialize};

/// The memory that holds the block.
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
    /// Memory at a 64-bit address that the push constants hold.
    Address,
    /// The data after the group handle in a shader record of a ray-tracing pipeline.
    ShaderRecord,
    /// The memory of a workgroup, with explicit offsets. The shader fills it from a storage buffer
    /// and, if it writes the block, copies it back.
    Workgroup,
    /// A uniform block whose bytes are in the descriptor set.
    InlineUniform,
    /// A uniform buffer whose descriptor is in the heap of resources, at a number.
    HeapUniform,
    /// A storage buffer whose descriptor is in the heap of resources, at a number.
    HeapStorage,
}

impl AddressSpace {
    pub const ALL: [Self; 11] = [
        Self::Uniform,
        Self::Storage,
        Self::PushConstant,
        Self::UniformElement,
        Self::StorageElement,
        Self::Address,
        Self::ShaderRecord,
        Self::Workgroup,
        Self::InlineUniform,
        Self::HeapUniform,
        Self::HeapStorage,
    ];

    /// The word in records and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Storage => "storage",
            Self::PushConstant => "push-constant",
            Self::UniformElement => "uniform-element",
            Self::StorageElement => "storage-element",
            Self::Address => "address",
            Self::ShaderRecord => "shader-record",
            Self::Workgroup => "workgroup",
            Self::InlineUniform => "inline-uniform",
            Self::HeapUniform => "heap-uniform",
            Self::HeapStorage => "heap-storage",
        }
    }

    /// Returns the stage in which a block is probed unless the user names another one.
    pub fn usual_stage(self) -> Stage {
        match self {
            Self::ShaderRecord => Stage::RayGeneration,
            Self::Uniform
            | Self::Storage
            | Self::PushConstant
            | Self::UniformElement
            | Self::InlineUniform
            | Self::HeapUniform
            | Self::HeapStorage
            | Self::StorageElement
            | Self::Address
            | Self::Workgroup => Stage::Compute,
        }
    }
}

/// The direction in which bytes move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// The shader reads the block.
    Read,
    /// The shader writes the block.
    Write,
}

/// How the shader accesses a leaf.
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
    /// Each scalar in an array or a matrix, at indices read from memory.
    Indexed,
    /// Like `Indexed`, but each lane of a workgroup of 64 reads a different element.
    Divergent,
    /// The whole struct at once, copied from or to a block with another layout.
    Copied,
    /// Each scalar of the second element behind a pointer, through a pointer in the first element.
    Linked,
    /// No leaf: the element count of the runtime-sized array at the end of the block.
    Length,
    /// Each scalar of an element that one byte-address access loads or stores (`Load<T>`,
    /// `Store<T>`).
    #[serde(rename = "byte-address")]
    ByteAddress,
    /// Each scalar of a copy of the block in the invocation's private memory, indexed from memory
    /// where possible.
    Private,
    /// Like `Private`, but the copy is a local variable of the entry point, and only scalars in arrays
    /// and matrices are read.
    Function,
    /// Like `Private`, but the copy is in memory that the workgroup shares.
    Workgroup,
    /// Like `Workgroup`, but the pipeline sets the lengths of the copy's arrays, by specialization
    /// constants whose default is 1. Vulkan allows such arrays only in memory without a layout
    /// (`VUID-StandaloneSpirv-Function-04681`).
    Sized,
    /// Each scalar through its own untyped access chain (`SPV_KHR_untyped_pointers`), from a
    /// variable of the block's type.
    Untyped,
    /// Like `Vector`, through untyped pointers.
    #[serde(rename = "untyped-vector")]
    UntypedVector,
    /// Like `Whole`, through an untyped pointer.
    #[serde(rename = "untyped-whole")]
    UntypedWhole,
    /// Like `Length`, through an untyped pointer to a buffer that is declared as words.
    #[serde(rename = "untyped-length")]
    UntypedLength,
    /// Each member of the block at once, through untyped access chains with the block's type, to memory
    /// that is declared with another layout.
    Retyped,
}

impl Form {
    pub const ALL: [Self; 19] = [
        Self::Leaf,
        Self::Vector,
        Self::Whole,
        Self::Parameter,
        Self::Indexed,
        Self::Divergent,
        Self::Copied,
        Self::Linked,
        Self::Length,
        Self::ByteAddress,
        Self::Private,
        Self::Function,
        Self::Workgroup,
        Self::Sized,
        Self::Untyped,
        Self::UntypedVector,
        Self::UntypedWhole,
        Self::UntypedLength,
        Self::Retyped,
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
            Self::Linked => "linked",
            Self::Length => "length",
            Self::ByteAddress => "byte-address",
            Self::Private => "private",
            Self::Function => "function",
            Self::Workgroup => "workgroup",
            Self::Sized => "sized",
            Self::Untyped => "untyped",
            Self::UntypedVector => "untyped-vector",
            Self::UntypedWhole => "untyped-whole",
            Self::UntypedLength => "untyped-length",
            Self::Retyped => "retyped",
        }
    }

    /// True if the shader needs pointers without a type.
    pub fn is_untyped(self) -> bool {
        match self {
            Self::Untyped | Self::UntypedVector | Self::UntypedWhole | Self::UntypedLength | Self::Retyped => true,
            Self::Leaf
            | Self::Vector
            | Self::Whole
            | Self::Parameter
            | Self::Indexed
            | Self::Divergent
            | Self::Copied
            | Self::Linked
            | Self::Length
            | Self::ByteAddress
            | Self::Private
            | Self::Function
            | Self::Workgroup
            | Self::Sized => false,
        }
    }

    /// True if the shader queries an element count and reads no leaf.
    pub fn is_length(self) -> bool {
        matches!(self, Self::Length | Self::UntypedLength)
    }
}
