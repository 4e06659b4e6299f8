//! Vulkan's rules for explicit layouts, and the device features that relax them.

use serde::Serialize;

/// A level of Vulkan's rules for offsets and strides of a block. Each level allows everything that
/// the previous one allows.
///
/// Source: Vulkan specification, "Offset and Stride Assignment".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockRules {
    /// The layouts that Vulkan 1.1 always allows, relaxed block layout included.
    Relaxed,
    /// `uniformBufferStandardLayout`: uniform blocks follow the rules of storage blocks.
    UniformStandard,
    /// `scalarBlockLayout`: every offset is a multiple of the component size.
    Scalar,
}

impl BlockRules {
    /// All levels, the strictest first.
    pub const ALL: [Self; 3] = [Self::Relaxed, Self::UniformStandard, Self::Scalar];

    /// The options that make `spirv-val` apply this level.
    pub fn spirv_val_flags(self) -> &'static [&'static str] {
        match self {
            Self::Relaxed => &[],
            Self::UniformStandard => &["--uniform-buffer-standard-layout"],
            Self::Scalar => &["--scalar-block-layout", "--workgroup-scalar-block-layout"],
        }
    }
}
