//! The result of comparing a host struct with a block.

use layoutproof_source::sources::LinePlace;

use super::mismatch::{Mismatch, Remark};
use super::repair::HostSyntax;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Members of the block by offset, each with the host's counterpart; only the first elements of
    /// arrays.
    pub rows: Vec<ComparedRow>,
    /// The bytes of the block's members.
    pub shader_members: Vec<SideMember>,
    pub host_members: Vec<SideMember>,
    /// The mismatches; empty if both sides agree.
    pub mismatches: Vec<Mismatch>,
    /// Further facts for the reader.
    pub remarks: Vec<Remark>,
    /// Size of the block in bytes; for a structured buffer, of one element. `None` if unbounded.
    pub shader_size: Option<u32>,
    /// Size of the host struct, in bytes.
    pub host_size: u32,
    /// How the host declares its members.
    pub host_syntax: HostSyntax,
    /// The byte of the block at which the host struct starts. Offsets of the host in `rows` and
    /// `host_members` count from the start of the block.
    pub host_start: u32,
    /// Number of the block's members that agree, without structs and padding.
    pub members: u32,
    /// Number of those for which the host has bytes of the right type, but no member of their name.
    pub members_by_bytes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedRow {
    pub shader: Option<RowSide>,
    pub host: Option<RowSide>,
    pub state: RowState,
    /// Index of the mismatch that this row causes or follows.
    pub mismatch: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSide {
    /// Path, without the indices of first elements.
    pub path: String,
    /// Type, as its side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Size in bytes; `None` for an unbounded array.
    pub size: Option<u32>,
    /// Nesting depth, from 0.
    pub depth: u32,
    pub place: Option<LinePlace>,
}

/// A member of one side that is not a struct, with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideMember {
    /// Path: `lights[].color` in the first element of an array, `lights[1].color` in later ones.
    pub path: String,
    /// Type, as its side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Size in bytes; `None` for an unbounded array.
    pub size: Option<u32>,
    /// Its scalars, by offset.
    pub runs: Vec<ByteRun>,
}

/// Neighbouring scalars of a vector, or a single scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRun {
    /// The vector or scalar, for example `weights[1]`.
    pub label: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    pub size: u32,
    /// Size of each scalar, in bytes.
    pub step: u32,
    /// True if the other side has it at other bytes or not at all.
    pub differs: bool,
}

impl ByteRun {
    /// One past the last byte.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(self.size)
    }
}

/// The result of comparing a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    /// Both sides agree.
    Agrees,
    /// The mismatch starts here.
    Differs,
    /// Displaced by an earlier mismatch.
    Follows,
    /// The other side has no such member, which is harmless.
    OneSided,
}

impl Comparison {
    /// True if the row is not wrong.
    pub fn agrees(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// True if the host struct covers only the part before the elements of an unbounded array.
    pub fn is_header(&self) -> bool {
        self.remarks.iter().any(|remark| matches!(remark, Remark::HeaderOnly { .. }))
    }
}
