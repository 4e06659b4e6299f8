//! A struct of either side as a list of members and a list of lanes, the scalars with their bytes.

use std::collections::HashMap;

use super::program_struct::{LaneClass, LinePlace, ProgramBits};

/// Most lanes of one side. What lies behind them is not compared.
pub(super) const MAX_LANES: usize = 1 << 16;

/// Most bytes of one lane.
const MAX_LANE_BYTES: u32 = 16;

/// A struct without nesting.
#[derive(Clone, Debug, Default)]
pub(super) struct FlatStruct {
    /// Members of every level, parents before children, in declaration order.
    pub members: Vec<FlatMember>,
    /// By offset.
    pub lanes: Vec<Lane>,
    /// Whether there were more lanes than are kept.
    pub is_truncated: bool,
    by_path: HashMap<String, Vec<usize>>,
    by_key: HashMap<String, Vec<usize>>,
}

/// A member at any depth; arrays of structs have their members once for each element.
#[derive(Clone, Debug)]
pub(super) struct FlatMember {
    /// Path with indices: `lights[1].color`.
    pub path: String,
    /// The same with normalised names.
    pub key: String,
    /// Type as its side spells it.
    pub type_name: String,
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Bytes; `None` for an array without end.
    pub size: Option<u32>,
    /// Dimensions, outermost first.
    pub arrays: Vec<FlatArray>,
    /// Contiguous vectors, if it is or holds a matrix.
    pub vectors: Option<FlatVectors>,
    /// Whether it has members of its own.
    pub has_members: bool,
    /// The scalar it is made of, for one without members.
    pub scalar: Option<FlatScalar>,
    /// Bits from the start of the whole, if it is a bit-field.
    pub bits: Option<ProgramBits>,
    /// Where it was declared.
    pub place: Option<LinePlace>,
    /// The member that it is a part of.
    pub parent: Option<usize>,
    /// Whether it stands in the first elements of arrays only.
    pub is_first_element: bool,
}

/// One dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatArray {
    /// Elements; `None` for one without end.
    pub count: Option<u32>,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// Vectors of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatVectors {
    /// Vectors.
    pub count: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// A scalar of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FlatScalar {
    pub class: LaneClass,
    /// Bytes.
    pub size: u32,
    pub is_enum: bool,
}

/// Bytes of one scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    /// Bytes from the start of the whole.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
    pub class: LaneClass,
    /// Index of the member that it belongs to.
    pub member: usize,
}

impl Lane {
    /// One past the last byte.
    pub(super) fn end(self) -> u32 {
        self.offset.saturating_add(self.size)
    }
}

impl FlatMember {
    /// One past the last byte; the start for an array without end.
    pub(super) fn end(&self) -> u32 {
        self.offset.saturating_add(self.size.unwrap_or(0))
    }

    /// Bytes from one element, or else from one vector of a matrix, to the next.
    pub(super) fn outer_stride(&self) -> Option<u32> {
        self.arrays.first().map(|array| array.stride).or(self.vectors.map(|vectors| vectors.stride))
    }
}

impl FlatStruct {
    /// Adds a lane, unless there are enough. Large opaque lanes are cut into pieces.
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

    /// Brings lanes into the order by which they are looked up.
    pub(super) fn finish(mut self) -> Self {
        self.lanes.sort_by_key(|lane| lane.offset);
        for (index, member) in self.members.iter().enumerate() {
            self.by_path.entry(member.path.clone()).or_default().push(index);
            self.by_key.entry(member.key.clone()).or_default().push(index);
        }
        self
    }

    /// Members of a path, in declaration order.
    pub(super) fn with_path(&self, path: &str) -> &[usize] {
        self.by_path.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// Members whose normalised path is this one, in declaration order; none for an empty one.
    pub(super) fn with_key(&self, key: &str) -> &[usize] {
        let found = self.by_key.get(key).filter(|_| !key.is_empty());
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// Lanes that share bytes with a range, by offset.
    pub(super) fn lanes_in(&self, start: u32, end: u32) -> impl Iterator<Item = Lane> + '_ {
        let first = self.lanes.partition_point(|lane| lane.offset.saturating_add(MAX_LANE_BYTES) <= start);
        let lanes = self.lanes[first..].iter().copied().take_while(move |lane| lane.offset < end);
        lanes.filter(move |lane| lane.end() > start)
    }

    /// The lanes of one member, those of its own members included.
    pub(super) fn lanes_of(&self, member: usize) -> Vec<Lane> {
        self.lanes.iter().copied().filter(|lane| self.is_within(lane.member, member)).collect()
    }

    /// Whether a member is another one or a part of it.
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
