//! A WGSL module of ours as naga's readers get it: its text, and where each leaf of a probe is in it.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgslProbe {
    /// The text: declarations of the block, the probe's buffers, the entry point.
    pub text: String,
    pub entry: String,
    /// Size of the block in WGSL in bytes, including one element of a runtime-sized array. This is
    /// the smallest size that WebGPU lets a host bind, and can exceed the layout's own size.
    pub binding_size: u32,
    /// True if the block has members of `f16`.
    pub has_halves: bool,
    /// The place of each plan leaf in the text, starting from the block's variable.
    pub paths: Vec<Vec<WgslStep>>,
}

/// One step from a WGSL value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WgslStep {
    Member {
        index: u32,
        name: String,
    },
    Element(u32),
    /// A matrix column: a contiguous vector.
    Column(u32),
    Component(u32),
}

impl fmt::Display for WgslStep {
    /// Formats the step as in an expression: `.name`, `[3]`, `.x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member { name, .. } => write!(f, ".{name}"),
            Self::Element(index) | Self::Column(index) => write!(f, "[{index}]"),
            Self::Component(index) => f.write_str([".x", ".y", ".z", ".w"].get(*index as usize).unwrap_or(&".?")),
        }
    }
}

/// Name of the block's variable in the text.
pub const BLOCK: &str = "block";

/// Bytes of immediates that naga 30 can track (one bit of 64 per 4 bytes). Its validator fails on
/// more.
pub const MAX_IMMEDIATE_SIZE: u32 = 256;
