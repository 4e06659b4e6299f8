//! Shapes of members that a compiler is known to get wrong, found in a block.
//!
//! The lists of known differences say which compiler gets a shape wrong, how, and in which buffers.
//! Each of their entries names the case that pins it.

use std::collections::BTreeSet;

use layoutproof_layout::shape::{MatrixOrder, StructType, Type};
use layoutproof_layout::{Block, BlockKind, Count, LayoutOptions, Member, Scalar, join};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::shape_entry::ShapeAt;

/// A shape of a member. Lists of known differences refer to it by a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    /// A matrix by columns with two rows, in a struct that is a member of a struct.
    TwoRowMatrixInANestedStruct,
    /// A matrix of floats by rows, of several rows and columns.
    MatrixByRows,
    NestedArray,
    MatrixInAnArray,
    MatrixInANestedArray,
    BoolMatrix,
    TwoByteMatrix,
    /// A matrix of 2-byte elements in a uniform block of WGSL or GLSL, with vectors of three or four elements.
    TwoByteMatrixInAUniformBlock,
    EightByteMatrix,
    EightByteMatrixInAnArray,
    /// A matrix of 8-byte elements with several vectors of one or two elements each.
    EightBytePairMatrix,
    /// A matrix with a single element of 8 bytes.
    EightByteCell,
    EightByteEnum,
    TwoByteEnum,
    /// An array of matrices of integers or bools with an explicit order.
    OrderedIntegerMatrixInAnArray,
    /// The struct of the block, if it has a base.
    DerivedBlock,
    /// The struct of a `ConstantBuffer` or of push constants, if it has bit-fields.
    BitFieldBlock,
    PushConstants,
    /// A bool, or a vector or matrix of bools, as the element of a structured buffer.
    BoolElement,
    IntegerMatrixElement,
    MatrixElementByRows,
    /// A struct with scalars of different sizes, whose end may not be a multiple of its alignment.
    MixedStruct,
    BitFieldStruct,
    /// A vector of two or four components.
    EvenVector,
    /// A vector of three components in a struct.
    ThreeVectorInAStruct,
    StructMember,
    /// An array of structs that contain, directly or in nested structs, an array of matrices in one
    /// order and a matrix in the other.
    ArrayOfStructsOfBothOrders,
    /// A struct or an array with packoffset at an odd register, of vectors or matrices that Vulkan
    /// aligns to 32 bytes.
    WideMemberAtAnOddRegister,
    /// A struct member that contains a vector of several components, or a matrix of one row or one
    /// column, which compilers turn into a vector.
    StructWithAVector,
    /// An array of one number, or of one vector of two or four numbers. Bools and 16-bit integers do
    /// not count.
    ArrayOfOneNumber,
    /// The element of a structured buffer, if the first member that a SPIR-V module declares is not
    /// at its start: a bit-field, which no module declares, comes before it, or it has a
    /// `vk::offset`.
    FirstMemberNotAtStart,
    /// The last member of a block, if it is a vector of three or four components of 8 bytes, or an
    /// array of such vectors.
    EightByteVectorAtEnd,
}

impl MemberShape {
    /// The word in lists.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

const REGISTER: u32 = 16;

/// The shapes of all members and structs of a block with their paths, which start with the block's
/// name and have no indices.
pub fn shapes_of_block(block: &Block, options: LayoutOptions) -> Vec<ShapeAt> {
    let (innermost, _) = block.element.dimensions();
    let is_direct = block.kind.has_direct_members();
    let mut finder = ShapeFinder {
        block,
        options,
        is_element: block.kind == BlockKind::StructuredElement && !matches!(innermost, Type::Struct(_)),
        found: Vec::new(),
    };
    match innermost {
        Type::Struct(structure) => {
            finder.visit(structure, &block.name, !is_direct);
            finder.visit_end(structure, &block.name);
        }
        // An element without members is visited as a member without a name.
        _ => {
            let holder = StructType::new("", [Member::new("", block.element.clone())]);
            finder.visit(&holder, &block.name, !is_direct);
        }
    }
    finder.found
}

struct ShapeFinder<'a> {
    block: &'a Block,
    options: LayoutOptions,
    /// True for a structured buffer whose elements are not structs.
    is_element: bool,
    found: Vec<ShapeAt>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts about one member")]
struct MemberContext<'a> {
    member: &'a Member,
    /// The type without dimensions.
    ty: &'a Type,
    dimensions: Vec<Count>,
    /// True if another member of its struct, or of a base, comes before it.
    is_behind: bool,
    /// True if another member comes after it.
    is_before: bool,
    /// True if a member of its struct has a packoffset.
    is_among_placed: bool,
    /// True if it is in a struct and not in a buffer itself.
    in_struct: bool,
    /// True if that struct is a member.
    is_nested: bool,
}

impl MemberContext<'_> {
    fn is_array(&self) -> bool {
        !self.dimensions.is_empty()
    }

    /// True if a member that fits into a register with others may follow some of them there.
    fn may_begin_inside_a_register(&self) -> bool {
        !self.is_array() && (self.is_behind || self.is_among_placed)
    }

    fn is_at_odd_register(&self) -> bool {
        self.member.annotations.packoffset.is_some_and(|place| place.register % 2 == 1)
    }
}

impl ShapeFinder<'_> {
    /// Adds the shapes of a struct at `path` and of its contents.
    fn visit(&mut self, holder: &StructType, path: &str, in_struct: bool) {
        if in_struct && !self.is_element {
            self.add(path, &self.shapes_of_struct(holder));
        }
        if path == self.block.name {
            self.add(path, &self.shapes_of_whole(holder));
        }
        if let Some(base) = &holder.base {
            self.visit(base, path, true);
        }

        let before = holder.base.as_deref().map_or(0, |base| base.all_members().filter(|it| has_bytes(it)).count());
        let members: Vec<&Member> = holder.members.iter().filter(|member| has_bytes(member)).collect();
        let is_among_placed = members.iter().any(|member| member.annotations.packoffset.is_some());
        for (index, member) in members.iter().enumerate() {
            let (ty, dimensions) = member.ty.dimensions();
            let context = MemberContext {
                member,
                ty,
                dimensions,
                is_behind: before + index > 0,
                is_before: index + 1 < members.len(),
                is_among_placed,
                in_struct,
                is_nested: path != self.block.name,
            };
            let path = if member.name.is_empty() { path.to_owned() } else { join(path, &member.name) };
            self.add(&path, &self.shapes_of_member(&context));
            if let Type::Struct(inner) = ty {
                self.visit(inner, &path, true);
            }
        }
    }

    /// Adds the last member of a block if it is a wide vector.
    fn visit_end(&mut self, holder: &StructType, path: &str) {
        let Some(last) = holder.all_members().filter(|member| has_bytes(member)).last() else { return };
        let path = join(path, &last.name);
        match last.ty.dimensions().0 {
            Type::Struct(inner) => self.visit_end(inner, &path),
            Type::Vector { scalar, length: 3.. } if self.bytes(*scalar) == 8 => {
                self.add(&path, &[(MemberShape::EightByteVectorAtEnd, true)]);
            }
            _ => {}
        }
    }

    fn add(&mut self, path: &str, shapes: &[(MemberShape, bool)]) {
        let there = shapes.iter().filter(|(_, is_there)| *is_there);
        self.found.extend(there.map(|(shape, _)| (path.to_owned(), *shape)));
    }

    fn bytes(&self, scalar: Scalar) -> u32 {
        scalar.size(self.options.sixteen_bit, 4)
    }

    fn shapes_of_struct(&self, structure: &StructType) -> Vec<(MemberShape, bool)> {
        let mut sizes = BTreeSet::new();
        for member in members_within(structure) {
            let ty = member.ty.dimensions().0;
            sizes.extend(scalar_of(ty).map(|scalar| self.bytes(scalar)));
            // Some compilers use four bytes for every enum.
            sizes.extend(matches!(ty, Type::Enum(_)).then_some(4));
        }
        vec![(MemberShape::MixedStruct, sizes.len() > 1), (MemberShape::BitFieldStruct, has_bits(structure))]
    }

    /// The shapes of the block's own struct, or of a base of it.
    fn shapes_of_whole(&self, structure: &StructType) -> Vec<(MemberShape, bool)> {
        let kind = self.block.kind;
        let is_constant = !kind.has_direct_members() && kind != BlockKind::StructuredElement;
        vec![
            (MemberShape::DerivedBlock, structure.base.is_some()),
            (MemberShape::BitFieldBlock, is_constant && has_bits(structure)),
            (MemberShape::PushConstants, kind == BlockKind::PushConstant),
            (MemberShape::FirstMemberNotAtStart, kind == BlockKind::StructuredElement && starts_late(structure)),
        ]
    }

    fn shapes_of_member(&self, context: &MemberContext<'_>) -> Vec<(MemberShape, bool)> {
        let mut shapes = self.shapes_of_type(context);
        let is_bool = scalar_of(context.ty) == Some(Scalar::Bool);
        let is_wide = context.is_at_odd_register() && self.has_wide_vectors(context);
        shapes.extend([
            (MemberShape::NestedArray, context.dimensions.len() > 1),
            (MemberShape::BoolElement, self.is_element && is_bool),
            (MemberShape::WideMemberAtAnOddRegister, is_wide),
            (MemberShape::ArrayOfOneNumber, context.dimensions == [Count::Finite(1)] && self.is_number(context.ty)),
        ]);
        shapes
    }

    fn shapes_of_type(&self, context: &MemberContext<'_>) -> Vec<(MemberShape, bool)> {
        match context.ty {
            Type::Matrix { scalar, rows, columns, order } => {
                self.shapes_of_matrix(context, *scalar, *rows, *columns, *order)
            }
            Type::Enum(declared) if !declared.is_atomic() => {
                let bytes = self.bytes(declared.underlying);
                vec![
                    (MemberShape::EightByteEnum, context.in_struct && bytes == 8),
                    (MemberShape::TwoByteEnum, context.in_struct && bytes == 2),
                ]
            }
            Type::Vector { length, .. } => self.shapes_of_vector(context, *length),
            // A handle is two numbers.
            Type::Handle { .. } => self.shapes_of_vector(context, 2),
            Type::Struct(inner) => {
                let within = members_within(inner);
                let has_vector = within.iter().any(|member| is_vector(member.ty.dimensions().0));
                let has_other_order = context.is_array() && self.has_array_of_other_order(&within);
                vec![
                    (MemberShape::StructMember, true),
                    (MemberShape::ArrayOfStructsOfBothOrders, has_other_order),
                    (MemberShape::StructWithAVector, has_vector),
                ]
            }
            _ => Vec::new(),
        }
    }

    fn shapes_of_vector(&self, context: &MemberContext<'_>, length: u32) -> Vec<(MemberShape, bool)> {
        vec![
            (MemberShape::EvenVector, length.is_multiple_of(2)),
            (MemberShape::ThreeVectorInAStruct, length == 3 && context.in_struct && !self.is_element),
        ]
    }

    fn shapes_of_matrix(
        &self,
        context: &MemberContext<'_>,
        scalar: Scalar,
        rows: u32,
        columns: u32,
        declared: Option<MatrixOrder>,
    ) -> Vec<(MemberShape, bool)> {
        let bytes = self.bytes(scalar);
        let order = declared.unwrap_or(self.options.matrix);
        let (vectors, length) = order.vectors_and_length(rows, columns);
        let is_array = context.is_array();
        let is_flat = rows == 1 || columns == 1;
        // Some compilers use the default order in arrays.
        let may_be_by = |wanted| order == wanted || (is_array && self.options.matrix == wanted);
        let has_tail = !(bytes * columns).is_multiple_of(REGISTER);
        let is_wide = bytes == 8;
        let is_uniform = self.block.kind == BlockKind::UniformBlock;
        vec![
            (MemberShape::FlatMatrix, is_flat),
            (MemberShape::FlatMatrixBehindAMember, is_flat && context.may_begin_inside_a_register()),
            (MemberShape::FlatMatrixOfOtherOrder, is_flat && context.in_struct && order != self.options.matrix),
            (MemberShape::TwoRowMatrixInANestedStruct, context.is_nested && vectors > 1 && length == 2),
            (MemberShape::TallMatrix, may_be_by(MatrixOrder::Column) && rows > columns),
            (MemberShape::RowsBeforeAMember, may_be_by(MatrixOrder::Row) && has_tail && context.is_before),
            (MemberShape::MatrixByRows, may_be_by(MatrixOrder::Row) && scalar.is_float() && !is_flat),
            (MemberShape::IntegerMatrixElement, self.is_element && !scalar.is_float()),
            (MemberShape::MatrixElementByRows, self.is_element && order == MatrixOrder::Row),
            (MemberShape::MatrixInAnArray, is_array),
            (MemberShape::MatrixInANestedArray, context.dimensions.len() > 1),
            (MemberShape::BoolMatrix, scalar == Scalar::Bool),
            (MemberShape::TwoByteMatrix, bytes == 2),
            (MemberShape::TwoByteMatrixInAUniformBlock, bytes == 2 && length > 2 && is_uniform),
            (MemberShape::EightByteMatrix, is_wide),
            (MemberShape::EightByteMatrixInAnArray, is_wide && is_array),
            (MemberShape::EightBytePairMatrix, is_wide && vectors > 1 && length <= 2),
            (MemberShape::OrderedIntegerMatrixInAnArray, !scalar.is_float() && declared.is_some() && is_array),
            (MemberShape::EightByteCell, is_wide && rows == 1 && columns == 1),
        ]
    }

    /// True for a number, or for a vector of two or four. Bools and 16-bit integers do not count.
    fn is_number(&self, ty: &Type) -> bool {
        let counts = |scalar: Scalar| scalar != Scalar::Bool && (scalar.is_float() || self.bytes(scalar) >= 4);
        match ty {
            Type::Scalar(scalar) | Type::Vector { scalar, length: 1 | 2 | 4 } => counts(*scalar),
            Type::Enum(declared) => counts(declared.underlying),
            _ => false,
        }
    }

    /// True if a member is a struct or an array with vectors, or matrices of them, that Vulkan
    /// aligns to 32 bytes. A vector on its own only needs the alignment of its component.
    fn has_wide_vectors(&self, context: &MemberContext<'_>) -> bool {
        let is_wide = |ty: &Type| match ty {
            Type::Vector { scalar, length } => self.bytes(*scalar) == 8 && *length > 2,
            Type::Matrix { scalar, rows, columns, .. } => self.bytes(*scalar) == 8 && *rows.max(columns) > 2,
            _ => false,
        };
        match context.ty {
            Type::Struct(inner) => members_within(inner).iter().any(|member| is_wide(member.ty.dimensions().0)),
            Type::Vector { .. } => context.is_array() && is_wide(context.ty),
            ty => is_wide(ty),
        }
    }

    /// True if an array of matrices may have another order than another matrix among the members.
    /// Some compilers use the default order in arrays.
    fn has_array_of_other_order(&self, members: &[&Member]) -> bool {
        let matrices: Vec<(MatrixOrder, bool)> = members
            .iter()
            .filter_map(|member| match member.ty.dimensions() {
                (Type::Matrix { order, .. }, dimensions) => {
                    Some((order.unwrap_or(self.options.matrix), !dimensions.is_empty()))
                }
                _ => None,
            })
            .collect();
        matrices.iter().enumerate().any(|(place, (order, is_array))| {
            let mut others = matrices.iter().enumerate().filter(|(other, _)| *other != place);
            *is_array && others.any(|(_, (other, _))| other != order || *other != self.options.matrix)
        })
    }
}

/// Resources take no bytes. No list mentions values of an interface.
fn has_bytes(member: &Member) -> bool {
    !matches!(member.ty.dimensions().0, Type::Resource(_) | Type::Interface { .. })
}

fn members_within(structure: &StructType) -> Vec<&Member> {
    let mut found = structure.base.as_deref().map(members_within).unwrap_or_default();
    for member in structure.members.iter().filter(|member| has_bytes(member)) {
        found.push(member);
        if let Type::Struct(inner) = member.ty.dimensions().0 {
            found.extend(members_within(inner));
        }
    }
    found
}

/// True if the first member that a SPIR-V module declares is not at the start of the struct.
fn starts_late(structure: &StructType) -> bool {
    let mut members = structure.all_members().filter(|member| has_bytes(member));
    members.next().is_some_and(|first| {
        let is_moved = first.bit_width.is_some() || first.annotations.vk_offset().is_some_and(|offset| offset > 0);
        let inner = first.ty.dimensions().0;
        is_moved || matches!(inner, Type::Struct(inner) if starts_late(inner))
    })
}

fn has_bits(structure: &StructType) -> bool {
    structure.members.iter().any(|member| member.bit_width.is_some())
}

/// True for a vector of several components, and for a matrix that compilers turn into one.
fn is_vector(ty: &Type) -> bool {
    match ty {
        Type::Vector { length, .. } => *length > 1,
        Type::Matrix { rows, columns, .. } => (*rows == 1) != (*columns == 1),
        Type::Handle { .. } => true,
        _ => false,
    }
}

/// The numbers that a type is made of.
fn scalar_of(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(*scalar),
        Type::Enum(declared) => Some(declared.underlying),
        Type::Pointer { .. } => Some(Scalar::Uint64),
        Type::Handle { .. } => Some(Scalar::Uint32),
        Type::Struct(_) | Type::Array { .. } | Type::Resource(_) | Type::Interface { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::Span;
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// The shapes in the only block of an HLSL text.
    fn shapes(text: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("shapes.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        let [block] = module.blocks.as_slice() else { panic!("one block: {text}") };
        let found = shapes_of_block(block, LayoutOptions::default());
        found.iter().map(|(path, shape)| format!("{path} {}", shape.as_str())).collect()
    }

    /// The paths of members of this shape.
    fn members_of(shape: MemberShape, text: &str) -> Vec<String> {
        let end = format!(" {}", shape.as_str());
        shapes(text).iter().filter_map(|found| found.strip_suffix(&end)).map(str::to_owned).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn paths_go_through_structs_and_bases() {
        let types = "enum E : uint64_t { A }; struct Base { float a; }; struct D : Base { half2x3 b; E c; };";
        let inner = [
            "B.d struct-member",
            "B.d mixed-struct",
            "B.d.b two-row-matrix-in-a-nested-struct",
            "B.d.b two-byte-matrix",
            "B.d.c eight-byte-enum",
        ];
        assert_eq!(shapes(&format!("{types} cbuffer B {{ E e; D d[2]; }};")), inner);
        let all = [&["B mixed-struct", "B.e eight-byte-enum"], &inner[..]].concat();
        assert_eq!(shapes(&format!("{types} struct S {{ E e; D d[2]; }}; ConstantBuffer<S> B;")), all);
    }

    #[test]
    fn a_flat_matrix_is_behind_a_member_unless_it_is_the_first_or_an_array() {
        let all = [
            "B.a flat-matrix",
            "B.a tall-matrix",
            "B.b flat-matrix",
            "B.b tall-matrix",
            "B.b matrix-in-an-array",
            "B.c flat-matrix",
            "B.c flat-matrix-behind-a-member",
            "B.c tall-matrix",
        ];
        assert_eq!(shapes("cbuffer B { float3x1 a; float3x1 b[2]; float3x1 c; };"), all);
    }

    /// naga 30.0.1 splits a matrix of two rows in the struct of a uniform block, and not one in a struct inside it.
    #[test]
    fn matrices_of_two_rows_are_told_in_nested_structs() {
        let types = "struct T { float2x3 m; row_major float2x3 r; };";
        let told = shapes(&format!("{types} cbuffer B {{ float2x3 m; T t; }};"));
        let wanted: Vec<&String> = told.iter().filter(|told| told.contains("two-row")).collect();
        assert_eq!(wanted, ["B.t.m two-row-matrix-in-a-nested-struct"]);
    }

    /// spirv-val 2026.4 refuses what naga 30.0.1 makes of half matrices with three or four rows in uniform blocks, not of
    /// those with two, and none in storage blocks.
    #[test]
    fn half_matrices_are_told_in_uniform_blocks() {
        let inner = StructType::new("N", [Member::new("k", Type::matrix(Scalar::Float16, 4, 2))]);
        let array = Type::Array { element: Box::new(Type::matrix(Scalar::Float16, 3, 4)), count: Count::Finite(2) };
        let members = [
            Member::new("a", Type::matrix(Scalar::Float16, 3, 2)),
            Member::new("two_rows", Type::matrix(Scalar::Float16, 2, 4)),
            Member::new("float", Type::matrix(Scalar::Float32, 3, 2)),
            Member::new("vector", Type::vector(Scalar::Float16, 3)),
            Member::new("n", inner),
            Member::new("b", array),
        ];
        let element = StructType::new("G", members);
        let told = |block: &Block| -> Vec<String> {
            let found = shapes_of_block(block, LayoutOptions::default()).into_iter();
            let is_meant = |(_, shape): &ShapeAt| *shape == MemberShape::TwoByteMatrixInAUniformBlock;
            found.filter(is_meant).map(|(path, _)| path).collect()
        };
        assert_eq!(told(&Block::uniform("g", element.clone())), ["g.a", "g.n.k", "g.b"]);
        assert!(told(&Block::storage("g", element)).is_empty());
    }

    /// DXC 1.7.2308 puts the matrix of `float1x1 a; float b : packoffset(c2)` at byte 36, and reads
    /// it at 32.
    #[test]
    fn a_flat_matrix_is_behind_members_that_have_a_place() {
        let told = shapes("cbuffer B { float1x1 a; float b : packoffset(c2); };");
        assert_eq!(told, ["B.a flat-matrix", "B.a flat-matrix-behind-a-member"]);
        assert_eq!(shapes("cbuffer B { float1x1 a; };"), ["B.a flat-matrix"]);
    }

    #[test]
    fn arrays_of_arrays_and_matrices_in_arrays_are_told() {
        let told = shapes("cbuffer B { float a[2]; float b[3][2]; float2x2 c; float2x2 d[1]; };");
        assert_eq!(told, ["B.b nested-array", "B.d matrix-in-an-array"]);
    }

    #[test]
    fn an_array_of_structs_is_told_where_an_array_in_it_has_another_order() {
        let text = "
            struct Both { float2x3 columns[1]; row_major float2x2 rows; };
            struct Columns { float2x3 columns[1]; };
            struct Nested { Columns columns; row_major float2x2 rows; };
            struct Rows { row_major float2x2 first[1]; row_major float2x2 second; };
            struct OneArray { row_major float2x2 rows[1]; };
            struct NoArray { float2x3 columns; row_major float2x2 rows; };
            struct SameOrder { float2x3 first[1]; float2x3 second; };
            cbuffer B { Both a; Both b[2]; Nested c[2]; Rows d[2]; OneArray e[2]; NoArray f[2]; SameOrder g[2]; };";
        assert_eq!(members_of(MemberShape::ArrayOfStructsOfBothOrders, text), ["B.b", "B.c", "B.d"]);
    }

    #[test]
    fn a_struct_is_told_where_it_has_a_vector_of_several_components() {
        let text = "
            struct One { float1 v; };
            struct Two { float2 v; };
            struct Cell { half1x1 m; };
            struct Column { half3x1 m; };
            struct Row { half1x2 m; };
            struct Square { half2x2 m; };
            cbuffer B { One a; Two b; Cell c; Column d; Row e; Square f; };";
        assert_eq!(members_of(MemberShape::StructWithAVector, text), ["B.b", "B.d", "B.e"]);
    }

    #[test]
    fn vectors_of_three_are_told_in_structs_and_others_everywhere() {
        let members = "float1 a; float2 b; float3 c; float4 d;";
        let even = ["B.b even-vector", "B.d even-vector"];
        assert_eq!(shapes(&format!("cbuffer B {{ {members} }};")), even);
        let text = format!("struct S {{ {members} }}; StructuredBuffer<S> B;");
        assert_eq!(shapes(&text), [even[0], "B.c three-vector-in-a-struct", even[1]]);
        assert_eq!(shapes("StructuredBuffer<float3> B;"), NONE);
    }

    #[test]
    fn structs_and_arrays_of_wide_vectors_are_told_at_odd_registers() {
        let text = "
            struct Wide { double3 v; };
            cbuffer B {
                double3 a[1] : packoffset(c1);
                Wide b : packoffset(c3);
                Wide c : packoffset(c6);
                double3 d : packoffset(c9);
            };";
        assert_eq!(members_of(MemberShape::WideMemberAtAnOddRegister, text), ["B.a", "B.b"]);
    }

    #[test]
    fn an_element_is_the_block() {
        assert_eq!(shapes("StructuredBuffer<double3x3> B;"), ["B eight-byte-matrix"]);
        assert_eq!(shapes("StructuredBuffer<float3x2> B;"), ["B tall-matrix"]);
        let all = ["B integer-matrix-element", "B matrix-element-by-rows", "B bool-matrix", "B bool-element"];
        assert_eq!(shapes("StructuredBuffer<row_major bool2x2> B;"), all);
    }

    /// The same as in the entries of `ci/known/nvidia.toml` about local copies.
    #[test]
    fn arrays_of_one_number_have_a_shape() {
        let text = "
            enum E : int64_t { A };
            struct Inner { uint v[1]; };
            cbuffer B {
                float a[1]; float b[2]; float c[1][1]; bool d[1]; float2 e[1]; float3 f[1]; float4 g[1]; double h[1];
                E i[1]; Inner j; float2x2 k[1]; float l;
            };";
        assert_eq!(members_of(MemberShape::ArrayOfOneNumber, text), ["B.a", "B.e", "B.g", "B.h", "B.i", "B.j.v"]);
    }

    #[test]
    fn elements_whose_first_member_is_not_at_their_start_have_a_shape() {
        let of = |members: &str| {
            let text =
                format!("struct In {{ [[vk::offset(4)]] uint u; }}; struct S {{ {members} }}; StructuredBuffer<S> B;");
            !members_of(MemberShape::FirstMemberNotAtStart, &text).is_empty()
        };
        assert!(
            of("uint a : 3; float b;") && of("[[vk::offset(8)]] float a; [[vk::offset(0)]] float b;") && of("In a;")
        );
        assert!(!of("float a; uint b : 3;") && !of("[[vk::offset(0)]] float a; [[vk::offset(8)]] float b;"));
        assert!(!of("float a; In b;"));
    }

    #[test]
    fn blocks_that_end_in_a_wide_vector_have_a_shape() {
        let of = |members: &str| {
            let types = format!("struct In {{ float a; double3 v; }}; struct P {{ {members} }};");
            let text = format!("{types} [[vk::push_constant]] ConstantBuffer<P> B;");
            members_of(MemberShape::EightByteVectorAtEnd, &text)
        };
        assert_eq!(of("float4 a; uint64_t4 b;"), ["B.b"]);
        assert_eq!(of("float4 a; double3 b[2];"), ["B.b"]);
        assert_eq!(of("float4 a; In b;"), ["B.b.v"]);
        assert_eq!(of("uint64_t4 a; float b;"), NONE);
        assert_eq!(of("float4 a; double2 b;"), NONE);
        assert_eq!(members_of(MemberShape::EightByteVectorAtEnd, "cbuffer B { float4 a; double4 b; };"), ["B.b"]);
    }

    #[test]
    fn push_constants_have_a_shape_of_their_own() {
        let types = "struct P { float a; };";
        assert_eq!(shapes(&format!("{types} [[vk::push_constant]] ConstantBuffer<P> B;")), ["B push-constants"]);
        assert_eq!(shapes(&format!("{types} ConstantBuffer<P> B;")), NONE);
    }
}
