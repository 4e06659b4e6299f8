//! Shapes of members that a compiler is known to get wrong, found in a declaration.
//!
//! The lists of known differences say which compiler gets a
//! shape wrong, how, and in which buffers. Each of their entries names the case that pins it.

use std::collections::BTreeSet;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;

use super::shape::{BlockForm, ExplicitOffset, MemberType, RandomDeclaration, RandomMember, RandomStruct};

/// A shape of a member. Lists of known differences refer to it by a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemberShape {
    /// A matrix with one row or one column.
    FlatMatrix,
    /// A flat matrix, not in an array, that may begin inside a register: it is not the first member
    /// of its struct, or it is in a buffer with packoffsets, where even the first member may be
    /// anywhere.
    FlatMatrixBehindAMember,
    /// A flat matrix in a struct, with an order other than the default.
    FlatMatrixOfOtherOrder,
    /// A matrix by columns with more rows than columns.
    TallMatrix,
    /// A matrix by rows that do not fill registers, with another member after it.
    RowsBeforeAMember,
    /// An array of arrays.
    NestedArray,
    /// A matrix in an array, or in an array of arrays.
    MatrixInAnArray,
    /// A matrix in an array of arrays.
    MatrixInANestedArray,
    /// A matrix of bools.
    BoolMatrix,
    /// A matrix whose elements have 2 bytes.
    TwoByteMatrix,
    /// A matrix whose elements have 8 bytes.
    EightByteMatrix,
    /// A matrix in an array whose elements have 8 bytes.
    EightByteMatrixInAnArray,
    /// A matrix of 8-byte elements with several vectors of one or two elements each.
    EightBytePairMatrix,
    /// A matrix with a single element of 8 bytes.
    EightByteCell,
    /// An enum of 8 bytes in a struct.
    EightByteEnum,
    /// An enum of 2 bytes in a struct.
    TwoByteEnum,
    /// An array of matrices of integers or bools with an explicit order.
    OrderedIntegerMatrixInAnArray,
    /// A vector of one component of 8 bytes, not in an array, that is not the first member of its
    /// struct, or that is in a buffer with packoffsets, where even the first member may be
    /// anywhere.
    EightByteOneVector,
    /// The struct of the block, if it has a base.
    DerivedBlock,
    /// The struct of a `ConstantBuffer` or of push constants, if it has bit-fields.
    BitFieldBlock,
    /// A block of push constants.
    PushConstants,
    /// A bool, or a vector or matrix of bools, as the element of a structured buffer.
    BoolElement,
    /// A matrix of integers as the element of a structured buffer.
    IntegerMatrixElement,
    /// A matrix by rows as the element of a structured buffer.
    MatrixElementByRows,
    /// A struct with scalars of different sizes, whose end may not be a multiple of its alignment.
    MixedStruct,
    /// A struct with bit-fields.
    BitFieldStruct,
    /// A vector of two or four components.
    EvenVector,
    /// A vector of three components in a struct.
    ThreeVectorInAStruct,
    /// A member that is a struct.
    StructMember,
    /// An array of one struct that contains a matrix.
    ArrayOfOneStruct,
    /// An array of structs that contain, directly or in nested structs, an array of matrices in one
    /// order and a matrix in the other.
    ArrayOfStructsOfBothOrders,
    /// A struct or an array with packoffset at an odd register, of vectors or matrices that Vulkan
    /// aligns to 32 bytes.
    WideMemberAtAnOddRegister,
    /// A struct member that contains a vector of several components, or a matrix of one row or one
    /// column, which compilers turn into a vector.
    StructWithAVector,
}

impl MemberShape {
    pub const ALL: [Self; 33] = [
        Self::FlatMatrix,
        Self::FlatMatrixBehindAMember,
        Self::FlatMatrixOfOtherOrder,
        Self::TallMatrix,
        Self::RowsBeforeAMember,
        Self::NestedArray,
        Self::MatrixInAnArray,
        Self::MatrixInANestedArray,
        Self::BoolMatrix,
        Self::TwoByteMatrix,
        Self::EightByteMatrix,
        Self::EightByteMatrixInAnArray,
        Self::EightBytePairMatrix,
        Self::EightByteCell,
        Self::EightByteEnum,
        Self::TwoByteEnum,
        Self::OrderedIntegerMatrixInAnArray,
        Self::EightByteOneVector,
        Self::DerivedBlock,
        Self::BitFieldBlock,
        Self::PushConstants,
        Self::BoolElement,
        Self::IntegerMatrixElement,
        Self::MatrixElementByRows,
        Self::MixedStruct,
        Self::BitFieldStruct,
        Self::EvenVector,
        Self::ThreeVectorInAStruct,
        Self::StructMember,
        Self::ArrayOfOneStruct,
        Self::ArrayOfStructsOfBothOrders,
        Self::WideMemberAtAnOddRegister,
        Self::StructWithAVector,
    ];

    /// The word in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FlatMatrix => "flat-matrix",
            Self::FlatMatrixBehindAMember => "flat-matrix-behind-a-member",
            Self::FlatMatrixOfOtherOrder => "flat-matrix-of-other-order",
            Self::TallMatrix => "tall-matrix",
            Self::RowsBeforeAMember => "rows-before-a-member",
            Self::NestedArray => "nested-array",
            Self::MatrixInAnArray => "matrix-in-an-array",
            Self::MatrixInANestedArray => "matrix-in-a-nested-array",
            Self::BoolMatrix => "bool-matrix",
            Self::TwoByteMatrix => "two-byte-matrix",
            Self::EightByteMatrix => "eight-byte-matrix",
            Self::EightByteMatrixInAnArray => "eight-byte-matrix-in-an-array",
            Self::EightBytePairMatrix => "eight-byte-pair-matrix",
            Self::EightByteCell => "eight-byte-cell",
            Self::EightByteEnum => "eight-byte-enum",
            Self::TwoByteEnum => "two-byte-enum",
            Self::OrderedIntegerMatrixInAnArray => "ordered-integer-matrix-in-an-array",
            Self::EightByteOneVector => "eight-byte-one-vector",
            Self::DerivedBlock => "derived-block",
            Self::BitFieldBlock => "bit-field-block",
            Self::PushConstants => "push-constants",
            Self::BoolElement => "bool-element",
            Self::IntegerMatrixElement => "integer-matrix-element",
            Self::MatrixElementByRows => "matrix-element-by-rows",
            Self::MixedStruct => "mixed-struct",
            Self::BitFieldStruct => "bit-field-struct",
            Self::EvenVector => "even-vector",
            Self::ThreeVectorInAStruct => "three-vector-in-a-struct",
            Self::StructMember => "struct-member",
            Self::ArrayOfOneStruct => "array-of-one-struct",
            Self::ArrayOfStructsOfBothOrders => "array-of-structs-of-both-orders",
            Self::WideMemberAtAnOddRegister => "wide-member-at-an-odd-register",
            Self::StructWithAVector => "struct-with-a-vector",
        }
    }
}

/// Bytes of a register.
const REGISTER: u32 = 16;

/// A member with its surroundings.
struct MemberContext<'a> {
    member: &'a RandomMember,
    /// True if another member of its struct, or of a base, comes before it.
    is_behind: bool,
    /// True if another member comes after it.
    is_before: bool,
    /// The members of its struct, itself included.
    siblings: &'a [RandomMember],
    /// True if it is in a struct and not in a buffer itself.
    in_struct: bool,
}

impl MemberContext<'_> {
    /// Returns true if a member that fits into a register with others may follow some of them
    /// there.
    fn may_begin_inside_a_register(&self) -> bool {
        let is_placed = |member: &RandomMember| matches!(member.place, Some(ExplicitOffset::PackOffset { .. }));
        self.member.dimensions.is_empty() && (self.is_behind || self.siblings.iter().any(is_placed))
    }
}

impl RandomDeclaration {
    /// Returns the shapes of all members and structs with their paths, which start with the block's
    /// name and have no indices.
    pub fn shapes(&self) -> Vec<(String, MemberShape)> {
        let mut found = Vec::new();
        self.visit(&self.content, Self::BLOCK, !self.block.is_direct(), &mut found);
        found
    }

    /// Adds the shapes of a struct at `path` and of its contents.
    fn visit(&self, holder: &RandomStruct, path: &str, in_struct: bool, found: &mut Vec<(String, MemberShape)>) {
        let of_struct = in_struct && !self.is_element();
        let shapes = of_struct.then(|| self.shapes_of_struct(holder)).into_iter().flatten();
        let shapes = shapes.chain(self.shapes_of_block(holder).into_iter().filter(|_| path == Self::BLOCK));
        found.extend(shapes.map(|shape| (path.to_owned(), shape)));
        if let Some(base) = &holder.base {
            self.visit(base, path, true, found);
        }
        let (first, end) = (holder.width() - holder.members.len(), holder.width());
        let siblings = &holder.members[..];

        for (number, member) in (first..end).zip(&holder.members) {
            // A structured buffer's element has the path of the buffer itself.
            let path = if self.is_element() { path.to_owned() } else { format!("{path}.m{number}") };
            let spot =
                MemberContext { member, is_behind: number > 0, is_before: number + 1 < end, siblings, in_struct };
            let is_bool = self.is_element() && member.ty.scalar() == Some(Scalar::Bool);
            let is_misplaced = is_at_odd_register(member) && self.has_wide_vectors(member);
            let shapes = self.shapes_of_member(&spot).into_iter().chain(only_those(&[
                (MemberShape::NestedArray, member.dimensions.len() > 1),
                (MemberShape::BoolElement, is_bool),
                (MemberShape::WideMemberAtAnOddRegister, is_misplaced),
            ]));
            found.extend(shapes.map(|shape| (path.clone(), shape)));
            if let Some(inner) = member.ty.structure() {
                self.visit(inner, &path, true, found);
            }
        }
    }

    fn bytes(&self, scalar: Scalar) -> u32 {
        scalar.size(self.options.sixteen_bit, 4)
    }

    /// Returns true if a member is a struct or an array with vectors, or matrices of them, that
    /// Vulkan aligns to 32 bytes.
    fn has_wide_vectors(&self, member: &RandomMember) -> bool {
        let is_wide = |ty: &MemberType| match ty {
            MemberType::Vector { scalar, length } => self.bytes(*scalar) == 8 && *length > 2,
            MemberType::Matrix { scalar, rows, columns, .. } => self.bytes(*scalar) == 8 && *rows.max(columns) > 2,
            MemberType::Scalar(_) | MemberType::Enum(_) | MemberType::Struct(_) => false,
        };
        let mut found = is_wide(&member.ty);
        if let Some(inner) = member.ty.structure() {
            inner.visit(&mut |inner| found |= is_wide(&inner.ty));
        }

        // A vector on its own only needs the alignment of its component.
        let is_vector = matches!(member.ty, MemberType::Vector { .. }) && member.dimensions.is_empty();
        found && !is_vector
    }

    fn shapes_of_struct(&self, structure: &RandomStruct) -> impl Iterator<Item = MemberShape> + use<> {
        let mut sizes = BTreeSet::new();
        structure.visit(&mut |member| {
            // Some compilers use four bytes for every enum.
            let is_enum = matches!(member.ty, MemberType::Enum(_));
            let scalars = member.ty.scalar().into_iter().chain(is_enum.then_some(Scalar::Int32));
            sizes.extend(scalars.map(|scalar| self.bytes(scalar)));
        });
        let mixed = (sizes.len() > 1).then_some(MemberShape::MixedStruct);
        [mixed, has_bits(structure).then_some(MemberShape::BitFieldStruct)].into_iter().flatten()
    }

    fn shapes_of_block(&self, structure: &RandomStruct) -> Vec<MemberShape> {
        let is_constant = matches!(self.block, BlockForm::ConstantBuffer | BlockForm::PushConstant);
        only_those(&[
            (MemberShape::DerivedBlock, structure.base.is_some()),
            (MemberShape::BitFieldBlock, is_constant && has_bits(structure)),
            (MemberShape::PushConstants, matches!(self.block, BlockForm::PushConstant)),
        ])
    }

    fn shapes_of_member(&self, spot: &MemberContext<'_>) -> Vec<MemberShape> {
        match &spot.member.ty {
            MemberType::Matrix { scalar, rows, columns, order } => {
                self.shapes_of_matrix(spot, *scalar, *rows, *columns, *order)
            }
            MemberType::Enum(Some(underlying)) => only_those(&[
                (MemberShape::EightByteEnum, spot.in_struct && self.bytes(*underlying) == 8),
                (MemberShape::TwoByteEnum, spot.in_struct && self.bytes(*underlying) == 2),
            ]),
            MemberType::Vector { scalar, length } => self.shapes_of_vector(spot, *scalar, *length),
            MemberType::Struct(inner) => {
                let is_array = !spot.member.dimensions.is_empty();
                let is_of_one = spot.member.dimensions.contains(&1);
                only_those(&[
                    (MemberShape::StructMember, true),
                    (MemberShape::ArrayOfOneStruct, is_of_one && has_matrix(inner)),
                    (MemberShape::ArrayOfStructsOfBothOrders, is_array && self.has_array_of_other_order(inner)),
                    (MemberShape::StructWithAVector, has_vector(inner)),
                ])
            }
            MemberType::Scalar(_) | MemberType::Enum(None) => Vec::new(),
        }
    }

    /// Returns true if an array of matrices in a struct, or in its nested structs, may have another
    /// order than another matrix there. Some compilers use the default order in arrays.
    fn has_array_of_other_order(&self, structure: &RandomStruct) -> bool {
        let mut matrices = Vec::new();
        structure.visit(&mut |member| {
            if let MemberType::Matrix { order, .. } = &member.ty {
                matrices.push((self.order(*order), !member.dimensions.is_empty()));
            }
        });

        matrices.iter().enumerate().any(|(place, (order, is_array))| {
            let others = matrices.iter().enumerate().filter(|(other, _)| *other != place);
            let mut orders = others.map(|(_, (other, _))| *other);
            *is_array && orders.any(|other| other != *order || other != self.options.matrix)
        })
    }

    fn shapes_of_vector(&self, spot: &MemberContext<'_>, scalar: Scalar, length: u32) -> Vec<MemberShape> {
        let is_eight = self.bytes(scalar) == 8;
        only_those(&[
            (MemberShape::EightByteOneVector, is_eight && length == 1 && spot.may_begin_inside_a_register()),
            (MemberShape::EvenVector, length.is_multiple_of(2)),
            (MemberShape::ThreeVectorInAStruct, length == 3 && spot.in_struct && !self.is_element()),
        ])
    }

    fn shapes_of_matrix(
        &self,
        spot: &MemberContext<'_>,
        scalar: Scalar,
        rows: u32,
        columns: u32,
        declared: Option<MatrixOrder>,
    ) -> Vec<MemberShape> {
        let (bytes, order) = (self.bytes(scalar), self.order(declared));
        let (vectors, length) = order.vectors_and_length(rows, columns);
        let is_array = !spot.member.dimensions.is_empty();
        let is_flat = rows == 1 || columns == 1;
        // Some compilers use the default order in arrays.
        let may_be_by = |wanted| order == wanted || (is_array && self.options.matrix == wanted);
        let has_tail = !(bytes * columns).is_multiple_of(REGISTER);
        let is_wide = bytes == 8;
        let shapes = [
            (MemberShape::FlatMatrix, is_flat),
            (MemberShape::FlatMatrixBehindAMember, is_flat && spot.may_begin_inside_a_register()),
            (MemberShape::FlatMatrixOfOtherOrder, is_flat && spot.in_struct && order != self.options.matrix),
            (MemberShape::TallMatrix, may_be_by(MatrixOrder::Column) && rows > columns),
            (MemberShape::RowsBeforeAMember, may_be_by(MatrixOrder::Row) && has_tail && spot.is_before),
            (MemberShape::IntegerMatrixElement, self.is_element() && !scalar.is_float()),
            (MemberShape::MatrixElementByRows, self.is_element() && order == MatrixOrder::Row),
            (MemberShape::MatrixInAnArray, is_array),
            (MemberShape::MatrixInANestedArray, spot.member.dimensions.len() > 1),
            (MemberShape::BoolMatrix, scalar == Scalar::Bool),
            (MemberShape::TwoByteMatrix, bytes == 2),
            (MemberShape::EightByteMatrix, is_wide),
            (MemberShape::EightByteMatrixInAnArray, is_wide && is_array),
            (MemberShape::EightBytePairMatrix, is_wide && vectors > 1 && length <= 2),
            (MemberShape::OrderedIntegerMatrixInAnArray, !scalar.is_float() && declared.is_some() && is_array),
            (MemberShape::EightByteCell, is_wide && rows == 1 && columns == 1),
        ];

        only_those(&shapes)
    }
}

fn only_those(shapes: &[(MemberShape, bool)]) -> Vec<MemberShape> {
    shapes.iter().filter(|(_, is_there)| *is_there).map(|(shape, _)| *shape).collect()
}

fn is_at_odd_register(member: &RandomMember) -> bool {
    match member.place {
        Some(ExplicitOffset::PackOffset { register, .. }) => register % 2 == 1,
        Some(ExplicitOffset::VkOffset(_)) | None => false,
    }
}

fn has_bits(structure: &RandomStruct) -> bool {
    structure.members.iter().any(|member| member.bit_width.is_some())
}

fn has_matrix(structure: &RandomStruct) -> bool {
    let mut found = false;
    structure.visit(&mut |member| found |= matches!(member.ty, MemberType::Matrix { .. }));
    found
}

fn has_vector(structure: &RandomStruct) -> bool {
    let is_vector = |ty: &MemberType| match ty {
        MemberType::Vector { length, .. } => *length > 1,
        MemberType::Matrix { rows, columns, .. } => (*rows == 1) != (*columns == 1),
        MemberType::Scalar(_) | MemberType::Enum(_) | MemberType::Struct(_) => false,
    };
    let mut found = false;
    structure.visit(&mut |member| found |= is_vector(&member.ty));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::LayoutOptions;

    fn matrix(scalar: Scalar, rows: u32, columns: u32) -> RandomMember {
        RandomMember::plain(MemberType::Matrix { scalar, rows, columns, order: None })
    }

    /// Returns the shapes of the members of a block as text.
    fn shapes(block: BlockForm, content: RandomStruct) -> Vec<String> {
        let declaration = RandomDeclaration { options: LayoutOptions::default(), block, content };
        let found = declaration.shapes();
        found.iter().map(|(path, shape)| format!("{path} {}", shape.as_str())).collect()
    }

    #[test]
    fn paths_go_through_structs_and_bases() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let big = RandomMember::plain(MemberType::Enum(Some(Scalar::Uint64)));
        let base = RandomStruct { base: None, members: vec![float] };
        let derived =
            RandomStruct { base: Some(Box::new(base)), members: vec![matrix(Scalar::Half, 2, 3), big.clone()] };
        let held = RandomMember::plain(MemberType::Struct(Box::new(derived))).array(2);
        let content = RandomStruct { base: None, members: vec![big, held] };
        let inner = ["B.m1 struct-member", "B.m1 mixed-struct", "B.m1.m1 two-byte-matrix", "B.m1.m2 eight-byte-enum"];
        assert_eq!(shapes(BlockForm::Cbuffer, content.clone()), inner);
        let all = [&["B mixed-struct", "B.m0 eight-byte-enum"], &inner[..]].concat();
        assert_eq!(shapes(BlockForm::ConstantBuffer, content), all);
    }

    #[test]
    fn a_flat_matrix_is_behind_a_member_unless_it_is_the_first_or_an_array() {
        let column = matrix(Scalar::Float32, 3, 1);
        let content = RandomStruct { base: None, members: vec![column.clone(), column.clone().array(2), column] };
        let both = |member| ["flat-matrix", "tall-matrix"].map(|shape| format!("{member} {shape}"));
        let mut all = ["B.m0", "B.m1", "B.m2"].map(both).concat();
        all.insert(5, "B.m2 flat-matrix-behind-a-member".to_owned());
        all.insert(4, "B.m1 matrix-in-an-array".to_owned());
        assert_eq!(shapes(BlockForm::Cbuffer, content), all);
    }

    /// DXC 1.7.2308 puts the matrix of `float1x1 a; float b : packoffset(c2)` at byte 36, and reads
    /// it at 32.
    #[test]
    fn a_flat_matrix_is_behind_members_that_have_a_place() {
        let cell = matrix(Scalar::Float32, 1, 1);
        let place = Some(ExplicitOffset::PackOffset { register: 2, component: None });
        let placed = RandomMember { place, ..RandomMember::plain(MemberType::FLOAT) };
        let told = shapes(BlockForm::Cbuffer, RandomStruct { base: None, members: vec![cell.clone(), placed] });
        assert_eq!(told, ["B.m0 flat-matrix", "B.m0 flat-matrix-behind-a-member"]);
        let told = shapes(BlockForm::Cbuffer, RandomStruct { base: None, members: vec![cell] });
        assert_eq!(told, ["B.m0 flat-matrix"]);
    }

    /// DXC 1.7.2308 crashes on `double1 a : packoffset(c0.z)`. It also crashes if `double1 a` has
    /// no packoffset but another member has `packoffset(c2)`.
    #[test]
    fn an_eight_byte_vector_of_one_is_told_where_it_may_stand_inside_a_register() {
        let double = RandomMember::plain(MemberType::Vector { scalar: Scalar::Float64, length: 1 });
        let placed = |register, component| {
            let place = Some(ExplicitOffset::PackOffset { register, component });
            RandomMember { place, ..double.clone() }
        };
        let told = |members| shapes(BlockForm::Cbuffer, RandomStruct { base: None, members });
        let (first, second) = ("B.m0 eight-byte-one-vector", "B.m1 eight-byte-one-vector");
        assert_eq!(told(vec![double.clone()]), Vec::<String>::new());
        assert_eq!(told(vec![double.clone(), double.clone()]), [second]);
        assert_eq!(told(vec![placed(0, Some(2))]), [first]);
        assert_eq!(told(vec![double.clone(), placed(2, None)]), [first, second]);
    }

    #[test]
    fn arrays_of_arrays_and_matrices_in_arrays_are_told() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let square = || matrix(Scalar::Float32, 2, 2);
        let nested = RandomMember { dimensions: vec![3, 2], ..float.clone() };
        let members = vec![float.array(2), nested, square(), square().array(1)];
        let told = shapes(BlockForm::Cbuffer, RandomStruct { base: None, members });
        assert_eq!(told, ["B.m1 nested-array", "B.m3 matrix-in-an-array"]);
    }

    #[test]
    fn an_array_of_one_struct_is_told_where_the_struct_has_a_matrix() {
        let held = |member| {
            let inner = RandomStruct { base: None, members: vec![member] };
            RandomMember::plain(MemberType::Struct(Box::new(inner)))
        };
        let square = || held(matrix(Scalar::Float32, 2, 2));
        let float = held(RandomMember::plain(MemberType::FLOAT));
        let members = vec![square(), square().array(2), float.array(1), square().array(1)];
        let all = ["B.m0", "B.m1", "B.m2", "B.m3"].map(|member| format!("{member} struct-member"));
        let all = [&all[..], &["B.m3 array-of-one-struct".to_owned()]].concat();
        assert_eq!(shapes(BlockForm::Cbuffer, RandomStruct { base: None, members }), all);
    }

    #[test]
    fn an_array_of_structs_is_told_where_an_array_in_it_has_another_order() {
        let by_rows = || {
            let order = Some(MatrixOrder::Row);
            RandomMember::plain(MemberType::Matrix { scalar: Scalar::Float32, rows: 2, columns: 2, order })
        };
        let by_columns = || matrix(Scalar::Float32, 2, 3);
        let held = |members| RandomMember::plain(MemberType::Struct(Box::new(RandomStruct { base: None, members })));
        let both = || held(vec![by_columns().array(1), by_rows()]);
        let members = vec![
            both(),
            both().array(2),
            held(vec![held(vec![by_columns().array(1)]), by_rows()]).array(2),
            held(vec![by_rows().array(1), by_rows()]).array(2),
            held(vec![by_rows().array(1)]).array(2),
            held(vec![by_columns(), by_rows()]).array(2),
            held(vec![by_columns().array(1), by_columns()]).array(2),
        ];
        let told = shapes(BlockForm::Cbuffer, RandomStruct { base: None, members });
        let told: Vec<&str> =
            told.iter().filter_map(|shape| shape.strip_suffix(" array-of-structs-of-both-orders")).collect();
        assert_eq!(told, ["B.m1", "B.m2", "B.m3"]);
    }

    #[test]
    fn a_struct_is_told_where_it_has_a_vector_of_several_components() {
        let held = |member| {
            let inner = RandomStruct { base: None, members: vec![member] };
            RandomMember::plain(MemberType::Struct(Box::new(inner)))
        };
        let vector = |length| RandomMember::plain(MemberType::Vector { scalar: Scalar::Float32, length });
        let matrices = [(1, 1), (3, 1), (1, 2), (2, 2)].map(|(rows, columns)| matrix(Scalar::Half, rows, columns));
        let members = [vector(1), vector(2)].into_iter().chain(matrices).map(held).collect();
        let told = shapes(BlockForm::Cbuffer, RandomStruct { base: None, members });
        let told: Vec<&str> = told.iter().filter_map(|shape| shape.strip_suffix(" struct-with-a-vector")).collect();
        assert_eq!(told, ["B.m1", "B.m3", "B.m4"]);
    }

    #[test]
    fn vectors_of_three_are_told_in_structs_and_others_everywhere() {
        let vector = |length| RandomMember::plain(MemberType::Vector { scalar: Scalar::Float32, length });
        let content = RandomStruct { base: None, members: [1, 2, 3, 4].map(vector).into() };
        let even = ["B.m1 even-vector", "B.m3 even-vector"];
        assert_eq!(shapes(BlockForm::Cbuffer, content.clone()), even);
        assert_eq!(shapes(BlockForm::StructuredBuffer, content), [even[0], "B.m2 three-vector-in-a-struct", even[1]]);
        let element = RandomStruct { base: None, members: vec![vector(3)] };
        assert_eq!(shapes(BlockForm::StructuredElement, element), Vec::<String>::new());
    }

    #[test]
    fn structs_and_arrays_of_wide_vectors_are_told_at_odd_registers() {
        let vector = RandomMember::plain(MemberType::Vector { scalar: Scalar::Float64, length: 3 });
        let inner = RandomStruct { base: None, members: vec![vector.clone()] };
        let held = RandomMember::plain(MemberType::Struct(Box::new(inner)));
        let at = |member: RandomMember, register| {
            let place = Some(ExplicitOffset::PackOffset { register, component: None });
            RandomMember { place, ..member }
        };
        let members = vec![at(vector.clone().array(1), 1), at(held.clone(), 3), at(held, 6), at(vector, 9)];
        let content = RandomStruct { base: None, members };
        let told = shapes(BlockForm::Cbuffer, content);
        let told: Vec<&str> =
            told.iter().filter_map(|shape| shape.strip_suffix(" wide-member-at-an-odd-register")).collect();
        assert_eq!(told, ["B.m0", "B.m1"]);
    }

    #[test]
    fn an_element_is_the_block() {
        let content = RandomStruct { base: None, members: vec![matrix(Scalar::Float64, 3, 3)] };
        assert_eq!(shapes(BlockForm::StructuredElement, content), ["B eight-byte-matrix"]);
        let ty = MemberType::Matrix { scalar: Scalar::Bool, rows: 2, columns: 2, order: Some(MatrixOrder::Row) };
        let content = RandomStruct { base: None, members: vec![RandomMember::plain(ty)] };
        let all = ["B integer-matrix-element", "B matrix-element-by-rows", "B bool-matrix", "B bool-element"];
        assert_eq!(shapes(BlockForm::StructuredElement, content), all);
    }
}
