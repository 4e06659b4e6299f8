//! A laid-out block: a tree of offsets, and its two flat views, member rows and leaves.
//!
//! Offsets in the tree are relative to the enclosing struct; offsets in rows and leaves are
//! absolute in the block. All are in bytes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::alignment::Alignment;
use crate::measured::{ArrayFootprint, Footprint};
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder};
use crate::table::find;
use crate::{Block, BlockKind, Reach, ViewId};

/// A size in bytes, unless the type is an unsized array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Extent {
    Finite(u32),
    /// The size of an unsized array.
    Unbounded,
}

impl Extent {
    /// The number of bytes; `None` if unbounded.
    pub fn finite(self) -> Option<u32> {
        match self {
            Self::Finite(size) => Some(size),
            Self::Unbounded => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockLayout {
    /// Name of the rule set, dialect included (`scalar@slang`).
    pub rules: String,
    pub view: ViewId,
    pub name: String,
    pub kind: BlockKind,
    pub reach: Reach,
    /// See [`Block::has_global_members`](crate::Block::has_global_members).
    pub has_global_members: bool,
    /// Elements of an array of blocks.
    pub count: Count,
    /// The layout, or all reasons why the rule set forbids the block.
    pub result: Result<LaidOut, Vec<Refusal>>,
    /// Stride of a structured buffer, in bytes; `None` for other kinds.
    pub stride: Option<u32>,
    /// Notes to the user about a valid layout, for example that an attribute is ignored.
    pub warnings: Vec<LayoutWarning>,
}

impl BlockLayout {
    /// A block that `rules`, a rule set or a compiler, has no layout for.
    pub fn refused(block: &Block, rules: &str, message: String) -> Self {
        Self::new(block, rules, Err(vec![Refusal { path: String::new(), message }]))
    }

    /// The layout of a block, without a stride and warnings.
    pub(crate) fn new(block: &Block, rules: &str, result: Result<LaidOut, Vec<Refusal>>) -> Self {
        Self {
            rules: rules.to_owned(),
            view: block.view,
            name: block.name.clone(),
            kind: block.kind,
            reach: block.reach.clone(),
            has_global_members: block.has_global_members,
            count: block.count,
            result,
            stride: None,
            warnings: Vec::new(),
        }
    }

    /// True for memory that code reaches without a declared block, if nothing states where its members are.
    pub fn has_no_offsets(&self) -> bool {
        self.reach.is_in_code() && self.result.is_err()
    }

    /// Why code that reads the block may read wrong bytes, although the layout is right.
    pub fn broken_access(&self) -> Option<&str> {
        let is_broken = |kind| matches!(kind, LayoutWarningKind::BrokenAlignment | LayoutWarningKind::OtherSteps);
        self.warnings.iter().find(|warning| is_broken(warning.kind)).map(|warning| warning.message.as_str())
    }

    /// True if a driver decides the layout, so that these numbers are not the block's.
    pub fn is_left_to_driver(&self) -> bool {
        self.warnings.iter().any(|warning| warning.kind == LayoutWarningKind::LayoutOfDriver)
    }

    /// The distance of `p[1]` from `p[0]` in bytes; `None` for blocks that no pointer points to, and for
    /// pointees without an end.
    ///
    /// It is the stride of an array of pointees. slangc 2026.14.1: 16 for a `float` under
    /// `Std140DataLayout`, 12 for a `float3` by default. glslang rounds the size of the block up to
    /// `buffer_reference_align`, which is the alignment here.
    pub fn pointer_stride(&self) -> Option<u32> {
        let pointee = self.result.as_ref().ok().filter(|_| self.kind == BlockKind::Pointee)?;
        let element = Footprint { size: pointee.size.finite()?, alignment: Alignment::new(pointee.alignment)? };
        ArrayFootprint::new(find(&self.rules)?, element, 1).ok().map(|array| array.stride)
    }

    /// True if both layouts have the same places and sizes, whatever their rule sets' names,
    /// warnings and pointers.
    pub fn places_alike(&self, other: &Self) -> bool {
        let Self { rules: _, view: _, warnings: _, reach: _, has_global_members: _, name, kind, count, result, stride } =
            self;
        let same_block = (name, kind, count) == (&other.name, &other.kind, &other.count);
        same_block && stride == &other.stride && result == &other.result
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutWarningKind {
    /// The rule set ignores an attribute.
    Ignored,
    /// Two members share bytes.
    OffsetOverlap,
    /// A module has a decoration whose number this crate does not know.
    UnknownDecoration,
    /// The bytes of a value depend on more than the declarations: they are those that a compiler's reflection gives.
    UncertainValue,
    /// A driver decides the layout of the block.
    LayoutOfDriver,
    /// Code that loads or stores an array or matrix does not step by the stride that the rule set gives.
    OtherSteps,
    /// Not every address of the block can have the alignment that an access promises.
    BrokenAlignment,
    /// The language allows this part of the block only with a feature that implementations may lack.
    NeedsFeature,
}

/// A property of a layout that its author may not expect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LayoutWarning {
    pub path: String,
    #[serde(rename = "code")]
    pub kind: LayoutWarningKind,
    /// A lowercase fragment with the relevant numbers. It does not name the rule set.
    pub message: String,
}

/// A reason why a rule set forbids a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Path of the member in the block; empty for the block itself.
    pub path: String,
    /// A lowercase fragment with the relevant numbers.
    pub message: String,
}

/// A block that its rule set does not allow, with all reasons found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rules} does not allow block `{block}`: {}", list_reasons(reasons))]
pub struct LayoutError {
    /// Name of the rule set, dialect included.
    pub rules: String,
    pub block: String,
    /// At least one reason.
    pub reasons: Vec<Refusal>,
}

fn list_reasons(reasons: &[Refusal]) -> String {
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    reasons.join("; ")
}

impl fmt::Display for Refusal {
    /// For example ``member `a.b` is a pointer``; the subject is `it` for the block itself.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message } = self;
        if path.is_empty() { write!(f, "it {message}") } else { write!(f, "member `{path}` {message}") }
    }
}

/// Collects the reasons against a block: keeps the first hundred and counts the rest.
#[derive(Debug, Default)]
pub struct Refusals {
    first: Vec<Refusal>,
    more: usize,
}

impl Refusals {
    /// The number of reasons kept.
    const KEPT: usize = 100;

    pub fn push(&mut self, path: &str, message: impl Into<String>) {
        if self.first.len() < Self::KEPT {
            self.first.push(Refusal { path: path.to_owned(), message: message.into() });
        } else {
            self.more += 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The reasons. The last entry counts those that were dropped.
    pub fn into_vec(self) -> Vec<Refusal> {
        let more = format!("{} more reasons are not listed", self.more);
        let more = (self.more > 0).then(|| Refusal { path: String::new(), message: more });
        self.first.into_iter().chain(more).collect()
    }
}

/// A type with its size, alignment and parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaidOut {
    /// HLSL spelling of the declared type.
    pub type_name: String,
    /// Size in bytes, with the tail padding that the rule set adds.
    pub size: Extent,
    /// Alignment in bytes: the rounding applied before any straddle test.
    pub alignment: u32,
    pub shape: LaidOutShape,
}

impl LaidOut {
    /// Leaves out the padding after the last member of a struct.
    pub(crate) fn leave_out_tail(&mut self) {
        if let LaidOutShape::Struct(members) = &self.shape {
            let ends = members.iter().map(|member| member.layout.size.finite().map(|size| member.offset + size));
            let end: Option<Vec<u32>> = ends.collect();
            self.size = end.map_or(self.size, |ends| Extent::Finite(ends.into_iter().max().unwrap_or(0)));
        }
    }

    /// The type that one step of a leaf's path leads to; `None` for components of vectors and cells
    /// of matrices, and for steps that this type does not have.
    pub fn at_step(&self, step: &LeafStep) -> Option<&Self> {
        match (&self.shape, step) {
            (LaidOutShape::Struct(members), LeafStep::Member(index)) => {
                members.get(*index as usize).map(|member| &member.layout)
            }
            (LaidOutShape::Array { element, .. }, LeafStep::Element(_)) => Some(element),
            _ => None,
        }
    }
}

/// A scalar type with its size under the rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Component {
    /// The declared scalar type; for an enum, the type that the rule set stores it as.
    pub scalar: Scalar,
    pub size: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LaidOutShape {
    /// A scalar or an enum.
    Scalar(Component),
    /// The components are contiguous.
    Vector { component: Component, length: u32 },
    /// Rows (order `Row`) or columns (order `Column`) are contiguous vectors, `stride` bytes apart.
    Matrix { component: Component, rows: u32, columns: u32, order: MatrixOrder, stride: u32 },
    /// One dimension, with elements `stride` bytes apart.
    Array { element: Box<LaidOut>, count: Count, stride: u32 },
    /// The base struct is its first member.
    Struct(Vec<LaidOutMember>),
    /// A pointer. It has no bytes if the rule set gives pointers none.
    Pointer {
        /// HLSL spelling of the declared pointee; `None` where a module or a reflection does not name it, and for
        /// an unsized array that the rule set stores as a pointer.
        pointee: Option<String>,
    },
    /// A resource; it has no bytes.
    Resource,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaidOutMember {
    /// Name; empty for the base struct and for unnamed bit-fields.
    pub name: String,
    /// True for the base struct, whose members count as the struct's own.
    pub is_base: bool,
    /// Bytes from the start of the enclosing struct.
    pub offset: u32,
    /// Place of a bit-field in its storage unit.
    pub bits: Option<BitRange>,
    pub layout: LaidOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BitRange {
    /// First bit, from the least significant.
    pub offset: u32,
    pub width: u32,
}

/// A line of `layoutproof show`: a member at any depth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberRow {
    /// Path in the block: `lights[].position`.
    pub path: String,
    /// HLSL spelling.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Absolute offset of element 0, in bytes.
    pub offset: u32,
    /// Size in bytes; `None` for an unsized array.
    pub size: Option<u32>,
    /// True for an unsized array.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unbounded: bool,
    pub alignment: u32,
    /// Stride of the outermost dimension, in bytes.
    pub array_stride: Option<u32>,
    /// Strides of all dimensions, outermost first; empty below two dimensions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub array_strides: Vec<u32>,
    /// Bytes between contiguous vectors of a matrix; `None` for matrices of one vector and for
    /// other types.
    pub matrix_stride: Option<u32>,
    /// Order of a matrix, or of an array's matrices; `None` for other types.
    pub matrix_order: Option<MatrixOrder>,
    /// First bit of a bit-field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit_offset: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit_width: Option<u32>,
    /// Why the row is not certain; `None` where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
}

impl MemberRow {
    /// The order of a matrix and the bytes from one contiguous vector to the next; `None` for a
    /// matrix of one vector, where both orders give the same bytes, and for other types.
    pub fn matrix_vectors(&self) -> Option<(MatrixOrder, u32)> {
        self.matrix_order.zip(self.matrix_stride)
    }
}

/// A scalar component reached by a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Path in the block: `s.m[1][2]` (row, column), `v.y`, `b[3]`.
    pub path: String,
    /// The same path as steps through the tree.
    pub steps: Vec<LeafStep>,
    pub component: Component,
    /// Absolute offset in bytes.
    pub offset: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafStep {
    /// Index into [`LaidOutShape::Struct`].
    Member(u32),
    Element(u32),
    /// Row and column of a matrix.
    Cell {
        row: u32,
        column: u32,
    },
    Component(u32),
}
