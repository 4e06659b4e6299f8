//! Vulkan's rules for explicit layouts, by the device feature that each of them needs.

/// The rules of Vulkan that the offsets and strides of a block keep; each allows what the one before allows.
///
/// Source: Vulkan specification, "Offset and Stride Assignment".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockRules {
    /// The layouts that Vulkan 1.1 allows everywhere, relaxed block layout included.
    Relaxed,
    /// `uniformBufferStandardLayout`: uniform blocks as storage blocks.
    UniformStandard,
    /// `scalarBlockLayout`: every offset a multiple of the component size.
    Scalar,
}

impl BlockRules {
    /// All of them, the strictest first.
    pub const ALL: [Self; 3] = [Self::Relaxed, Self::UniformStandard, Self::Scalar];

    /// The option that makes `spirv-val` apply these rules.
    pub fn spirv_val_flag(self) -> Option<&'static str> {
        match self {
            Self::Relaxed => None,
            Self::UniformStandard => Some("--uniform-buffer-standard-layout"),
            Self::Scalar => Some("--scalar-block-layout"),
        }
    }
}
