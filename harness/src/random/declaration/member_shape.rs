//! Shapes of members that a compiler is known to get wrong, where they are in a declaration.
//!
//! What becomes of them, by which compiler and in which buffers, is the business of the lists of known differences
//! ([`crate::known::shape`]), each of whose entries names the case that pins it.

use super::shape::{Declaration, Member, MemberType, Struct};
use crate::scalar::Scalar;
use crate::shape::MatrixOrder;

/// A shape of a member, with the word in lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemberShape {
    /// A matrix with one row or one column.
    FlatMatrix,
    /// The same, no array and not the first member of its struct, so that it may begin inside a register.
    FlatMatrixBehindAMember,
    /// A matrix by columns with more rows than columns.
    TallMatrix,
    /// A matrix whose elements have 8 bytes.
    EightByteMatrix,
    /// A matrix whose elements have 2 bytes.
    TwoByteMatrix,
    /// An enum of 8 bytes in a struct.
    EightByteEnum,
}

impl MemberShape {
    /// All shapes.
    pub const ALL: [Self; 6] = [
        Self::FlatMatrix,
        Self::FlatMatrixBehindAMember,
        Self::TallMatrix,
        Self::EightByteMatrix,
        Self::TwoByteMatrix,
        Self::EightByteEnum,
    ];

    /// The word in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FlatMatrix => "flat-matrix",
            Self::FlatMatrixBehindAMember => "flat-matrix-behind-a-member",
            Self::TallMatrix => "tall-matrix",
            Self::EightByteMatrix => "eight-byte-matrix",
            Self::TwoByteMatrix => "two-byte-matrix",
            Self::EightByteEnum => "eight-byte-enum",
        }
    }
}

/// A member with what stands around it.
struct Spot<'a> {
    member: &'a Member,
    /// Whether a member of its struct, or of a base, stands before it.
    is_behind: bool,
    /// Whether it is in a struct and not in a buffer itself.
    in_struct: bool,
}

impl Declaration {
    /// The shapes of all members, each with its path: block name first, no indices.
    pub fn shapes(&self) -> Vec<(String, MemberShape)> {
        let mut found = Vec::new();
        self.visit_spots((&self.content, Self::BLOCK), !self.block.is_direct(), &mut found);
        found
    }

    /// Shapes in a struct at `path`.
    fn visit_spots(&self, (holder, path): (&Struct, &str), in_struct: bool, found: &mut Vec<(String, MemberShape)>) {
        let first = holder.width() - holder.members.len();
        if let Some(base) = &holder.base {
            self.visit_spots((base, path), true, found);
        }
        for (number, member) in (first..).zip(&holder.members) {
            // The element of a structured buffer is the buffer's own.
            let path = if self.is_element() { path.to_owned() } else { format!("{path}.m{number}") };
            let spot = Spot { member, is_behind: number > 0, in_struct };
            found.extend(self.shapes_of(&spot).into_iter().map(|shape| (path.clone(), shape)));
            if let Some(inner) = member.ty.structure() {
                self.visit_spots((inner, &path), true, found);
            }
        }
    }

    fn shapes_of(&self, spot: &Spot<'_>) -> Vec<MemberShape> {
        let bytes = |scalar: Scalar| scalar.size(self.options.sixteen_bit, 4);
        let shapes = match &spot.member.ty {
            MemberType::Matrix { scalar, rows, columns, order } => {
                let is_flat = *rows == 1 || *columns == 1;
                let is_inside = is_flat && spot.is_behind && spot.member.dimensions.is_empty();
                let by_columns = self.order(*order) == MatrixOrder::Column;
                vec![
                    is_flat.then_some(MemberShape::FlatMatrix),
                    is_inside.then_some(MemberShape::FlatMatrixBehindAMember),
                    (by_columns && rows > columns).then_some(MemberShape::TallMatrix),
                    (bytes(*scalar) == 8).then_some(MemberShape::EightByteMatrix),
                    (bytes(*scalar) == 2).then_some(MemberShape::TwoByteMatrix),
                ]
            }
            MemberType::Enum(Some(underlying)) => {
                vec![(spot.in_struct && bytes(*underlying) == 8).then_some(MemberShape::EightByteEnum)]
            }
            MemberType::Scalar(_) | MemberType::Vector { .. } | MemberType::Enum(None) | MemberType::Struct(_) => {
                Vec::new()
            }
        };
        shapes.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LayoutOptions;
    use crate::random::declaration::BlockForm;

    fn matrix(scalar: Scalar, rows: u32, columns: u32) -> Member {
        Member::plain(MemberType::Matrix { scalar, rows, columns, order: None })
    }

    /// The shapes of the members of a block as text.
    fn shapes(block: BlockForm, content: Struct) -> Vec<String> {
        let declaration = Declaration { options: LayoutOptions::default(), block, content };
        let found = declaration.shapes();
        found.iter().map(|(path, shape)| format!("{path} {}", shape.as_str())).collect()
    }

    #[test]
    fn paths_go_through_structs_and_bases() {
        let float = Member::plain(MemberType::FLOAT);
        let big = Member::plain(MemberType::Enum(Some(Scalar::Uint64)));
        let base = Struct { base: None, members: vec![float] };
        let derived = Struct { base: Some(Box::new(base)), members: vec![matrix(Scalar::Half, 2, 3), big.clone()] };
        let held = Member::plain(MemberType::Struct(Box::new(derived))).array(2);
        let content = Struct { base: None, members: vec![big, held] };
        let inner = ["B.m1.m1 two-byte-matrix", "B.m1.m2 eight-byte-enum"];
        assert_eq!(shapes(BlockForm::Cbuffer, content.clone()), inner);
        let all = ["B.m0 eight-byte-enum", inner[0], inner[1]];
        assert_eq!(shapes(BlockForm::ConstantBuffer, content), all);
    }

    #[test]
    fn a_flat_matrix_is_behind_a_member_unless_it_is_the_first_or_an_array() {
        let column = matrix(Scalar::Float32, 3, 1);
        let content = Struct { base: None, members: vec![column.clone(), column.clone().array(2), column] };
        let flat = |member| [format!("{member} flat-matrix"), format!("{member} tall-matrix")];
        let [[a, b], [c, d], [e, f]] = ["B.m0", "B.m1", "B.m2"].map(flat);
        let behind = "B.m2 flat-matrix-behind-a-member".to_owned();
        assert_eq!(shapes(BlockForm::Cbuffer, content), [a, b, c, d, e, behind, f]);
    }

    #[test]
    fn an_element_is_the_block() {
        let content = Struct { base: None, members: vec![matrix(Scalar::Float64, 2, 2)] };
        assert_eq!(shapes(BlockForm::StructuredElement, content), ["B eight-byte-matrix"]);
    }
}
