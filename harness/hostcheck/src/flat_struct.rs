//! A struct of either side as a list of members and a list of lanes. A lane is a scalar with its
//! bytes.

use layoutproof_layout::shape::MatrixOrder;
use layoutproof_source::sources::LinePlace;

use super::program_struct::{LaneClass, ProgramBits};

/// Maximum number of lanes per side. Bytes after them are not compared.
pub(super) const MAX_LANES: usize = 1 << 16;

/// Maximum size of a lane, in bytes.
const MAX_LANE_BYTES: u32 = 16;

/// A struct without nesting.
#[derive(Clone, Debug, Default)]
pub(super) struct FlatStruct {
    /// Members of every level, parents before children, in declaration order.
    pub members: Vec<FlatMember>,
    /// By offset.
    pub lanes: Vec<Lane>,
    /// One past the last byte of all lanes; `None` without lanes.
    pub end: Option<u32>,
    /// True if the struct has more lanes than the maximum.
    pub is_truncated: bool,
}

/// A member at any depth. Arrays of structs list their members once per element.
#[derive(Clone, Debug)]
pub(super) struct FlatMember {
    /// Path with indices: `lights[1].color`.
    pub path: String,
    /// Name, as its side declares it.
    pub name: String,
    /// Type, as its side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Size in bytes; `None` for an unbounded array.
    pub size: Option<u32>,
    /// Dimensions, outermost first.
    pub arrays: Vec<FlatArray>,
    /// Contiguous vectors, if it is or holds a matrix.
    pub vectors: Option<FlatVectors>,
    pub has_members: bool,
    /// The scalar type, for a member without members.
    pub scalar: Option<FlatScalar>,
    /// Bits from the start of the whole, for a bit-field.
    pub bits: Option<ProgramBits>,
    pub place: Option<LinePlace>,
    pub parent: Option<usize>,
    /// True if it is in the first elements of all arrays around it.
    pub is_first_element: bool,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatArray {
    /// Number of elements; `None` if unbounded.
    pub count: Option<u32>,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// The contiguous vectors of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatVectors {
    pub count: u32,
    /// Components in each.
    pub length: u32,
    /// Bytes from one vector to the next.
    pub stride: u32,
    /// Whether they are rows or columns, if the shader says so.
    pub order: Option<MatrixOrder>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatScalar {
    pub class: LaneClass,
    pub size: u32,
    pub is_enum: bool,
}

/// The bytes of one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// Bytes from the start of the whole.
    pub offset: u32,
    pub size: u32,
    pub class: LaneClass,
    pub member: usize,
}

impl Lane {
    /// One past the last byte.
    pub(super) fn end(self) -> u32 {
        self.offset.saturating_add(self.size)
    }
}

impl FlatMember {
    /// One past the last byte; the start for an unbounded array.
    pub(super) fn end(&self) -> u32 {
        self.offset.saturating_add(self.size.unwrap_or(0))
    }

    /// Bytes from one element to the next, or without elements from one matrix vector to the next.
    pub(super) fn outer_stride(&self) -> Option<u32> {
        self.arrays.first().map(|array| array.stride).or(self.vectors.map(|vectors| vectors.stride))
    }
}

impl FlatStruct {
    /// Adds a lane, up to the maximum. Splits large opaque lanes.
    pub(super) fn add_lane(&mut self, lane: Lane) {
        let mut rest = lane;
        while rest.size > 0 {
            if self.lanes.len() >= MAX_LANES {
                self.is_truncated = true;
                return;
            }
            let size = rest.size.min(MAX_LANE_BYTES);
            self.lanes.push(Lane { size, ..rest });
            rest = Lane { offset: rest.offset.saturating_add(size), size: rest.size - size, ..rest };
        }
    }

    /// Sorts lanes for look-ups.
    pub(super) fn finish(mut self) -> Self {
        self.lanes.sort_by_key(|lane| lane.offset);
        self.end = self.lanes.iter().map(|lane| lane.end()).max();
        self
    }

    /// Lanes that share bytes with a range, by offset.
    pub(super) fn lanes_in(&self, start: u32, end: u32) -> impl Iterator<Item = Lane> + '_ {
        let first = self.lanes.partition_point(|lane| lane.offset.saturating_add(MAX_LANE_BYTES) <= start);
        let lanes = self.lanes[first..].iter().copied().take_while(move |lane| lane.offset < end);
        lanes.filter(move |lane| lane.end() > start)
    }

    /// The lanes of a member, including those of its own members.
    pub(super) fn lanes_of(&self, member: usize) -> Vec<Lane> {
        self.lanes.iter().copied().filter(|lane| self.is_within(lane.member, member)).collect()
    }

    /// True if a member is `outer` or a part of it.
    pub(super) fn is_within(&self, member: usize, outer: usize) -> bool {
        let mut current = Some(member);
        while let Some(index) = current {
            if index == outer {
                return true;
            }
            current = self.members.get(index).and_then(|member| member.parent);
        }
        false
    }
}
