//! For each leaf of a block, finds the type of the innermost member that contains it, and the kind
//! of member before that one.
//!
//! For the first member of a struct this is the member before the struct, because it is the one
//! before it in memory.

use std::collections::BTreeMap;

use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, Extent, LaidOut, LaidOutMember, LaidOutShape, Leaf, LeafStep};
use serde::{Deserialize, Serialize};

/// The kind of a leaf, as coverage cells distinguish it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafKind {
    /// Type of the member: HLSL spelling with the order of matrices, without the counts of arrays.
    pub ty: String,
    /// The predecessor of the member.
    pub after: After,
}

/// The kind of a member's predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum After {
    /// None: the member is the first of the block.
    Start,
    /// A scalar or an enum.
    Scalar,
    Vector,
    Matrix,
    Array,
    /// A struct or a base struct.
    Struct,
    /// A pointer, or a member without bytes.
    Other,
}

impl After {
    pub const ALL: [Self; 7] =
        [Self::Start, Self::Scalar, Self::Vector, Self::Matrix, Self::Array, Self::Struct, Self::Other];

    /// The word in tables and floors.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Scalar => "scalar",
            Self::Vector => "vector",
            Self::Matrix => "matrix",
            Self::Array => "array",
            Self::Struct => "struct",
            Self::Other => "other",
        }
    }

    fn of(member: &LaidOutMember) -> Self {
        match &member.layout.shape {
            _ if member.layout.size == Extent::Finite(0) => Self::Other,
            LaidOutShape::Scalar(_) => Self::Scalar,
            LaidOutShape::Vector { .. } => Self::Vector,
            LaidOutShape::Matrix { .. } => Self::Matrix,
            LaidOutShape::Array { .. } => Self::Array,
            LaidOutShape::Struct(_) => Self::Struct,
            LaidOutShape::Pointer { .. } | LaidOutShape::Resource => Self::Other,
        }
    }
}

/// A kind of type, coarse enough for tables that fit a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberFamily {
    /// A scalar, an enum or a bit-field.
    Scalar,
    /// A vector; a vector of one component counts too.
    Vector,
    Matrix,
    /// An array of scalars.
    ScalarArray,
    /// An array of vectors.
    VectorArray,
    /// An array of matrices.
    MatrixArray,
}

impl MemberFamily {
    /// The family of a type in the spelling of [`LeafKind::ty`].
    pub fn of(ty: &str) -> Self {
        let element = ty.trim_end_matches("[]");
        let is_matrix = element.starts_with("row ") || element.starts_with("column ");
        let is_vector = element.ends_with(|last: char| last.is_ascii_digit());
        let family = match (is_matrix, is_vector) {
            (true, _) => Self::Matrix,
            (false, true) => Self::Vector,
            (false, false) => Self::Scalar,
        };
        if element.len() < ty.len() { family.in_array() } else { family }
    }

    /// The family of arrays of this one. An array of arrays counts as an array.
    #[must_use]
    pub fn in_array(self) -> Self {
        match self {
            Self::Scalar | Self::ScalarArray => Self::ScalarArray,
            Self::Vector | Self::VectorArray => Self::VectorArray,
            Self::Matrix | Self::MatrixArray => Self::MatrixArray,
        }
    }

    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Vector => "vector",
            Self::Matrix => "matrix",
            Self::ScalarArray => "array of scalars",
            Self::VectorArray => "array of vectors",
            Self::MatrixArray => "array of matrices",
        }
    }
}

/// The kind of every leaf of a block, by path in the block; empty for a refused block.
pub fn kinds(layout: &BlockLayout) -> BTreeMap<String, LeafKind> {
    let Ok(root) = &layout.result else { return BTreeMap::new() };
    layout.leaves().into_iter().map(|leaf| (leaf.path.clone(), kind(root, &leaf))).collect()
}

fn kind(root: &LaidOut, leaf: &Leaf) -> LeafKind {
    // The innermost member so far, and its predecessor.
    let mut member = root;
    let mut after = After::Start;

    let mut here = root;
    for step in &leaf.steps {
        let Some(next) = here.at_step(step) else { break };
        if let (LaidOutShape::Struct(members), LeafStep::Member(index)) = (&here.shape, step) {
            let before = (*index as usize).checked_sub(1).and_then(|before| members.get(before));
            after = before.map_or(after, After::of);
            member = next;
        }
        here = next;
    }

    LeafKind { ty: spelling(member), after }
}

/// `float3`, `row float2x3[]`.
fn spelling(layout: &LaidOut) -> String {
    let mut dimensions = String::new();
    let mut here = layout;
    while let LaidOutShape::Array { element, .. } = &here.shape {
        dimensions += "[]";
        here = element;
    }

    let order = match &here.shape {
        LaidOutShape::Matrix { order: MatrixOrder::Row, .. } => "row ",
        LaidOutShape::Matrix { order: MatrixOrder::Column, .. } => "column ",
        _ => "",
    };

    format!("{order}{}{dimensions}", here.type_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    fn kinds_of(text: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("test.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        let rules = find("std140").unwrap();
        let layout = lay_out(module.blocks.last().unwrap(), rules, LayoutOptions::default());
        kinds(&layout).into_iter().map(|(path, kind)| format!("{path}: {} {}", kind.ty, kind.after.as_str())).collect()
    }

    #[test]
    fn members_follow_the_member_before_them() {
        let found = kinds_of("cbuffer S { float2 a; row_major float2x2 b; uint c[2]; int d; };");
        assert_eq!(found[..2], ["a.x: float2 start", "a.y: float2 start"]);
        assert_eq!(found[2], "b[0][0]: row float2x2 vector");
        assert_eq!(found[6..], ["c[0]: uint[] matrix", "c[1]: uint[] matrix", "d: int array"]);
    }

    #[test]
    fn the_first_member_of_a_struct_follows_what_is_before_the_struct() {
        let found = kinds_of("struct T { float x; float y; }; cbuffer S { float3 a; T t; T u[1]; float b; };");
        let wanted = ["t.x: float vector", "t.y: float scalar", "u[0].x: float struct", "u[0].y: float scalar"];
        assert_eq!(found[4..], wanted.map(str::to_owned));
        assert_eq!(found[3], "b: float array");
    }
}
