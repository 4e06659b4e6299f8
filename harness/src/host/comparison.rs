//! What a comparison of a host struct with a block returns.

use super::mismatch::{Mismatch, Remark};
use super::program_struct::LinePlace;

/// A host struct beside a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Members of the block by offset, each with what the host has for it; of arrays the first element only.
    pub rows: Vec<ComparedRow>,
    /// The bytes of the block's members.
    pub shader_members: Vec<SideMember>,
    /// The bytes of the host's.
    pub host_members: Vec<SideMember>,
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

/// A member of one side that is no struct, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideMember {
    /// Path: `lights[].color` in the first element of an array, `lights[1].color` behind it.
    pub path: String,
    /// Type as that side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Bytes; `None` for an array without end.
    pub size: Option<u32>,
    /// Its scalars, by offset.
    pub runs: Vec<ByteRun>,
}

/// Neighbouring scalars of a vector, or a scalar of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRun {
    /// The vector or scalar: `weights[1]`.
    pub label: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    /// Bytes of each scalar.
    pub step: u32,
    /// True if the other side has it at other bytes, or does not have it.
    pub differs: bool,
}

impl ByteRun {
    /// One past the last byte.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(self.size)
    }
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

    /// True if the host struct has only what comes before the elements of an array without end.
    pub fn is_header(&self) -> bool {
        self.remarks.iter().any(|remark| matches!(remark, Remark::HeaderOnly { .. }))
    }
}
