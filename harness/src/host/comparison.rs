//! What a comparison of a host struct with a block returns.

use super::mismatch::{Mismatch, Remark};
use super::program_struct::LinePlace;

/// A host struct beside a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Members of the block by offset, each with what the host has for it; of arrays the first element only.
    pub rows: Vec<ComparedRow>,
    /// Where they part; empty if they agree.
    pub mismatches: Vec<Mismatch>,
    /// What the reader should know besides.
    pub remarks: Vec<Remark>,
    /// Bytes of the block; for a structured buffer of one element. `None` without end.
    pub shader_size: Option<u32>,
    /// Bytes of the host struct.
    pub host_size: u32,
}

/// One line of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedRow {
    /// The shader's member.
    pub shader: Option<RowSide>,
    /// The host's.
    pub host: Option<RowSide>,
    /// Whether they agree.
    pub state: RowState,
    /// Index of the mismatch that this row has or follows.
    pub mismatch: Option<usize>,
}

/// A member of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSide {
    /// Path, without indices of first elements.
    pub path: String,
    /// Type as that side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Bytes; `None` for an array without end.
    pub size: Option<u32>,
    /// How deep it is nested, from 0.
    pub depth: u32,
    /// Where it was declared.
    pub place: Option<LinePlace>,
}

/// How a row compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Both sides agree.
    Agrees,
    /// This is where they part.
    Differs,
    /// It is displaced because something before it is.
    Follows,
    /// The other side has no such member, which does no harm.
    OneSided,
}

impl Comparison {
    /// True if nothing is wrong.
    pub fn agrees(&self) -> bool {
        self.mismatches.is_empty()
    }
}
