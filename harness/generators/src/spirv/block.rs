//! Chooses the SPIR-V type of a block: the emitted members and their types.
//!
//! A [`SpirvBlock`] also knows the path from a leaf to its place in the type. Members without
//! probed leaves are omitted, which Offset decorations allow without changing the others. The rest
//! are in ascending offset order.
//!
//! A `float` matrix of several rows and columns is an `OpTypeMatrix` of R-component columns in its
//! natural orientation, `RowMajor` for `row_major`. It is an array of its contiguous vectors where
//! valid SPIR-V needs that: integer matrices, matrices of one row or column, and `ColMajor`
//! matrices without room for the padding after their last column, which SPIR-V counts as part of
//! the matrix and D3D gives to the next member.

use std::collections::BTreeSet;

use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::tree::LeafStep;
use layoutproof_layout::{Component, LaidOut, LaidOutMember, LaidOutShape, Leaf};

use super::kind::{ScalarKind, ScalarMeaning};

/// A SPIR-V type with its decorations.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SpirvNode {
    Scalar(ScalarKind),
    /// `length` is 2 to 4.
    Vector {
        kind: ScalarKind,
        length: u32,
    },
    /// A float matrix with 2 to 4 rows and columns; `stride` in bytes.
    Matrix {
        kind: ScalarKind,
        rows: u32,
        columns: u32,
        order: MatrixOrder,
        stride: u32,
    },
    /// `stride` in bytes.
    Array {
        element: Box<SpirvNode>,
        count: Count,
        stride: u32,
    },
    Struct {
        name: String,
        fields: Vec<SpirvField>,
    },
}

/// A member of a [`SpirvNode::Struct`]; `offset` in bytes from the start of the struct.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpirvField {
    pub(super) name: String,
    /// Index of the member in [`LaidOutShape::Struct`].
    pub(super) index: u32,
    pub(super) offset: u32,
    pub(super) node: SpirvNode,
}

/// A block with its SPIR-V type.
#[derive(Clone, Debug)]
pub(super) struct SpirvBlock<'a> {
    laid_out: &'a LaidOut,
    /// Always a [`SpirvNode::Struct`].
    pub(super) node: SpirvNode,
}

impl<'a> SpirvBlock<'a> {
    /// Builds the block with the members that contain a leaf of `leaves`.
    pub(super) fn new(laid_out: &'a LaidOut, leaves: &[Leaf]) -> Self {
        let lowering = Lowering { kept: leaves.iter().flat_map(member_paths).collect() };
        let node = match lowering.lower(laid_out, laid_out.size.finite(), &mut Vec::new()) {
            Some(node @ SpirvNode::Struct { .. }) => node,
            Some(node) => bare(laid_out, vec![SpirvField { name: "value".into(), index: 0, offset: 0, node }]),
            None => bare(laid_out, Vec::new()),
        };
        Self { laid_out, node }
    }

    /// Returns the indices from the block to a leaf; `None` if it is not in the block.
    pub(super) fn way(&self, leaf: &Leaf) -> Option<Way> {
        let is_struct = matches!(self.laid_out.shape, LaidOutShape::Struct(_));
        let mut way = Way::default();
        if !is_struct {
            way.push(0, None);
        }

        let mut node = if is_struct { Some(&self.node) } else { self.node.part(0) };
        let mut laid_out = self.laid_out;
        let mut words = 0;
        for step in &leaf.steps {
            let here = node?;
            let (taken, next) = take_step(here, laid_out, *step)?;
            node = taken.iter().try_fold(here, |node, (index, _)| node.part(*index));
            for (index, word) in taken {
                way.push(index, word.map(|word| words + word));
            }

            words += match step {
                LeafStep::Element(_) => 1,
                LeafStep::Cell { .. } => 2,
                LeafStep::Member(_) | LeafStep::Component(_) => 0,
            };
            laid_out = next;
        }
        Some(way)
    }
}

/// The indices from a block to a leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) indices: Vec<u32>,
    /// For each index that may come from memory, its position in the leaf's tuple (see
    /// [`layoutproof_probes::Chunk::depth`]).
    pub(super) words: Vec<Option<u32>>,
}

impl Way {
    fn push(&mut self, index: u32, word: Option<u32>) {
        self.indices.push(index);
        self.words.push(word);
    }
}

/// Wraps a block whose element is not a struct in one.
fn bare(laid_out: &LaidOut, fields: Vec<SpirvField>) -> SpirvNode {
    SpirvNode::Struct { name: laid_out.type_name.clone(), fields }
}

impl SpirvNode {
    /// Returns the scalar types in the node.
    pub(super) fn kinds(&self) -> BTreeSet<ScalarKind> {
        match self {
            Self::Scalar(kind) | Self::Vector { kind, .. } | Self::Matrix { kind, .. } => BTreeSet::from([*kind]),
            Self::Array { element, .. } => element.kinds(),
            Self::Struct { fields, .. } => fields.iter().flat_map(|field| field.node.kinds()).collect(),
        }
    }

    /// Returns the type of a member or element by its index; `None` for scalars, vectors and
    /// matrices, which have no decorated parts.
    fn part(&self, index: u32) -> Option<&SpirvNode> {
        match self {
            Self::Struct { fields, .. } => fields.get(index as usize).map(|field| &field.node),
            Self::Array { element, .. } => Some(element),
            Self::Scalar(_) | Self::Vector { .. } | Self::Matrix { .. } => None,
        }
    }
}

/// An index, with its position among the indices of its step that may come from memory.
type StepIndex = (u32, Option<u32>);

/// Returns the indices of one step and the laid-out type after it (the same type for steps into
/// vectors and matrices).
fn take_step<'a>(node: &SpirvNode, laid_out: &'a LaidOut, step: LeafStep) -> Option<(Vec<StepIndex>, &'a LaidOut)> {
    match (&laid_out.shape, step) {
        (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
            let SpirvNode::Struct { fields, .. } = node else { return None };
            let field = (0..).zip(fields).find(|(_, field)| field.index == index)?.0;
            Some((vec![(field, None)], &members.get(index as usize)?.layout))
        }
        (LaidOutShape::Array { element, .. }, LeafStep::Element(index)) => Some((vec![(index, Some(0))], element)),
        (LaidOutShape::Vector { length, .. }, LeafStep::Component(index)) => {
            Some((if *length > 1 { vec![(index, None)] } else { Vec::new() }, laid_out))
        }
        (LaidOutShape::Matrix { rows, columns, order, .. }, LeafStep::Cell { row, column }) => {
            let indices = if matches!(node, SpirvNode::Matrix { .. }) {
                vec![(column, Some(1)), (row, Some(0))]
            } else {
                let (vectors, elements) =
                    order.vectors_and_length((*rows, (row, Some(0))), (*columns, (column, Some(1))));
                [vectors, elements].into_iter().filter(|(count, _)| *count > 1).map(|(_, index)| index).collect()
            };
            Some((indices, laid_out))
        }
        _ => None,
    }
}

/// Returns the member indices on the way to a leaf, without elements: every prefix once.
fn member_paths(leaf: &Leaf) -> Vec<Vec<u32>> {
    let mut path = Vec::new();
    let mut paths = Vec::new();
    for step in &leaf.steps {
        match step {
            LeafStep::Member(index) => {
                path.push(*index);
                paths.push(path.clone());
            }
            LeafStep::Element(_) | LeafStep::Cell { .. } | LeafStep::Component(_) => {}
        }
    }
    paths
}

struct Lowering {
    /// Paths of the members to emit, as [`member_paths`] returns them.
    kept: BTreeSet<Vec<u32>>,
}

impl Lowering {
    /// Returns the node of the type at `path`, which may use up to `room` bytes (`None`:
    /// unlimited). Returns `None` if no part of the type is emitted.
    fn lower(&self, laid_out: &LaidOut, room: Option<u32>, path: &mut Vec<u32>) -> Option<SpirvNode> {
        match &laid_out.shape {
            LaidOutShape::Scalar(component) => ScalarKind::of(*component).map(SpirvNode::Scalar),
            LaidOutShape::Vector { component, length } => vector(*component, *length),
            LaidOutShape::Matrix { .. } => matrix(&laid_out.shape, room),
            LaidOutShape::Array { element, count, stride } => {
                let room = match count {
                    Count::Finite(0) => return None,
                    Count::Finite(count) => {
                        room.map(|room| room.saturating_sub(stride.saturating_mul(count - 1)).min(*stride))
                    }
                    Count::Unbounded => Some(*stride),
                };
                let element = Box::new(self.lower(element, room, path)?);
                Some(SpirvNode::Array { element, count: *count, stride: *stride })
            }
            LaidOutShape::Struct(members) => self.lower_struct(&laid_out.type_name, members, room, path),
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => None,
        }
    }

    fn lower_struct(
        &self,
        name: &str,
        members: &[LaidOutMember],
        room: Option<u32>,
        path: &mut Vec<u32>,
    ) -> Option<SpirvNode> {
        let mut emitted: Vec<(u32, &LaidOutMember)> = Vec::new();
        for (index, member) in (0..).zip(members) {
            path.push(index);
            if self.kept.contains(path) {
                emitted.push((index, member));
            }
            path.pop();
        }
        emitted.sort_by_key(|(_, member)| member.offset);

        // A member has room up to the next one, the last member up to the end of the struct.
        let ends = emitted.iter().skip(1).map(|(_, next)| Some(next.offset)).chain([room]);
        let mut fields = Vec::new();
        for (&(index, member), end) in emitted.iter().zip(ends) {
            path.push(index);
            let room = end.map(|end| end.saturating_sub(member.offset));
            let node = self.lower(&member.layout, room, path);
            path.pop();
            let name = if member.is_base { "base".into() } else { member.name.clone() };
            fields.push(SpirvField { name, index, offset: member.offset, node: node? });
        }

        (!fields.is_empty()).then(|| SpirvNode::Struct { name: name.into(), fields })
    }
}

fn vector(component: Component, length: u32) -> Option<SpirvNode> {
    let kind = ScalarKind::of(component)?;
    Some(if length > 1 { SpirvNode::Vector { kind, length } } else { SpirvNode::Scalar(kind) })
}

/// Returns the node of a matrix; `None` for other shapes.
fn matrix(shape: &LaidOutShape, room: Option<u32>) -> Option<SpirvNode> {
    let LaidOutShape::Matrix { component, rows, columns, order, stride } = shape else { return None };
    let (vectors, length) = order.vectors_and_length(*rows, *columns);

    let padded_end_fits = match order {
        MatrixOrder::Row => true,
        MatrixOrder::Column => room.is_none_or(|room| vectors.saturating_mul(*stride) <= room),
    };

    let kind = ScalarKind::of(*component)?;
    if kind.numeric == ScalarMeaning::Float && *rows > 1 && *columns > 1 && padded_end_fits {
        return Some(SpirvNode::Matrix { kind, rows: *rows, columns: *columns, order: *order, stride: *stride });
    }

    // Valid SPIR-V has no such matrix, so it becomes an array of its vectors, or its only vector.
    let element = vector(*component, length)?;
    if vectors == 1 {
        return Some(element);
    }
    Some(SpirvNode::Array { element: Box::new(element), count: Count::Finite(vectors), stride: *stride })
}
