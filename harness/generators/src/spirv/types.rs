//! SPIR-V types, constants and their decorations, through rspirv's builder.
//!
//! This module keeps the ids of scalars, vectors, constants and pointers, because the builder would
//! search for equal ones each time. Arrays and structs always get a new id: the builder would merge
//! two structs with equal members and different offsets.

use std::collections::BTreeMap;

use layoutproof_layout::shape::{Count, MatrixOrder};
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::block::{SpirvField, SpirvNode};
use super::heap::HeapDeclarations;
use super::kind::{ScalarKind, ScalarMeaning};

/// A type with its id and the types of its parts.
#[derive(Clone, Debug)]
pub(super) struct EmittedType {
    pub(super) id: Word,
    /// The members of a struct, or the single type of all elements, columns or components. Empty
    /// for a scalar.
    pub(super) parts: Vec<EmittedType>,
    pub(super) form: TypedForm,
    /// True for a matrix, whose parts are columns.
    pub(super) is_matrix: bool,
}

/// The kind of an [`EmittedType`], as far as access needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypedForm {
    Scalar(ScalarKind),
    Vector {
        length: u32,
    },
    /// Matrices, arrays and structs; `count` is `None` for an unsized array.
    Aggregate {
        count: Option<u32>,
    },
}

impl EmittedType {
    /// Returns the type at the end of `indices`.
    ///
    /// # Panics
    ///
    /// If the indices do not fit the type. They come from [`super::block::SpirvBlock::way`].
    pub(super) fn at(&self, indices: &[u32]) -> &EmittedType {
        indices.iter().fold(self, |typed, index| typed.part(*index))
    }

    /// Returns the type of the elements of a block whose only member is an array.
    pub(super) fn elements(&self) -> &EmittedType {
        self.part(0).part(0)
    }

    /// Returns the bytes of the largest scalar in the type.
    pub(super) fn largest_scalar(&self) -> u32 {
        match self.form {
            TypedForm::Scalar(kind) => kind.size(),
            TypedForm::Vector { .. } | TypedForm::Aggregate { .. } => {
                self.parts.iter().map(Self::largest_scalar).max().unwrap_or(1)
            }
        }
    }

    pub(super) fn part(&self, index: u32) -> &EmittedType {
        if self.parts.len() == 1 { &self.parts[0] } else { &self.parts[index as usize] }
    }
}

/// The constants that are lengths of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayLengths {
    Fixed,
    /// Specialization constants, each with its value as number.
    Specialized,
}

/// A module under construction, with its types so far.
pub(super) struct TypeEmitter {
    pub(super) builder: Builder,
    /// Where the addresses of blocks are.
    pub(super) holder: StorageClass,
    scalars: BTreeMap<ScalarKind, Word>,
    /// By component type and length.
    vectors: BTreeMap<(Word, u32), Word>,
    /// Specialization constants by number.
    specialized: BTreeMap<u32, Word>,
    /// By type and value.
    constants: BTreeMap<(Word, u32), Word>,
    pointers: BTreeMap<(u32, Word), Word>,
    /// By storage class.
    untyped_pointers: BTreeMap<u32, Word>,
    pub(super) heap: HeapDeclarations,
}

impl TypeEmitter {
    /// Starts an empty module. The builder's `Default` would start with id 0, which SPIR-V does not
    /// allow.
    pub(super) fn new() -> Self {
        Self {
            builder: Builder::new(),
            holder: StorageClass::PushConstant,
            scalars: BTreeMap::new(),
            vectors: BTreeMap::new(),
            specialized: BTreeMap::new(),
            constants: BTreeMap::new(),
            pointers: BTreeMap::new(),
            untyped_pointers: BTreeMap::new(),
            heap: HeapDeclarations::default(),
        }
    }

    /// Returns the id of a scalar type.
    pub(super) fn scalar(&mut self, kind: ScalarKind) -> Word {
        // Uint and bool share a type, since SPIR-V forbids declaring the same type twice.
        let numeric = match kind.numeric {
            ScalarMeaning::Uint | ScalarMeaning::Bool => ScalarMeaning::Uint,
            ScalarMeaning::Int => ScalarMeaning::Int,
            ScalarMeaning::Float => ScalarMeaning::Float,
        };
        let Self { builder, scalars, .. } = self;
        *scalars.entry(ScalarKind { numeric, ..kind }).or_insert_with(|| {
            let id = builder.id();
            match numeric {
                ScalarMeaning::Uint | ScalarMeaning::Bool => builder.type_int_id(Some(id), kind.bits, 0),
                ScalarMeaning::Int => builder.type_int_id(Some(id), kind.bits, 1),
                ScalarMeaning::Float => builder.type_float_id(Some(id), kind.bits, None),
            }
        })
    }

    /// Returns the id of a `uint` constant.
    pub(super) fn constant(&mut self, value: u32) -> Word {
        self.small_constant(ScalarKind::WORD, value)
    }

    /// Returns the id of the specialization constant with this number, whose default is 1.
    fn specialized(&mut self, number: u32) -> Word {
        let ty = self.scalar(ScalarKind::WORD);
        let Self { builder, specialized, .. } = self;
        *specialized.entry(number).or_insert_with(|| {
            let constant = builder.spec_constant_bit32(ty, 1);
            builder.decorate(constant, Decoration::SpecId, [Operand::LiteralBit32(number)]);
            constant
        })
    }

    /// Returns the id of a constant of an integer type of up to 32 bits. The value must fit.
    pub(super) fn small_constant(&mut self, kind: ScalarKind, value: u32) -> Word {
        let ty = self.scalar(kind);
        let Self { builder, constants, .. } = self;
        *constants.entry((ty, value)).or_insert_with(|| builder.constant_bit32(ty, value))
    }

    /// Returns the id of a vector type.
    pub(super) fn vector(&mut self, kind: ScalarKind, length: u32) -> Word {
        self.typed_vector(kind, length).id
    }

    /// Returns the id of a pointer type.
    pub(super) fn pointer(&mut self, class: StorageClass, pointee: Word) -> Word {
        let Self { builder, pointers, .. } = self;
        *pointers.entry((class as u32, pointee)).or_insert_with(|| {
            let id = builder.id();
            builder.type_pointer(Some(id), class, pointee)
        })
    }

    /// Returns the id of the type of untyped pointers.
    pub(super) fn untyped_pointer(&mut self, class: StorageClass) -> Word {
        let Self { builder, untyped_pointers, .. } = self;
        *untyped_pointers.entry(class as u32).or_insert_with(|| builder.type_untyped_pointer_khr(class))
    }

    /// Emits a node's type with its decorations and names.
    pub(super) fn emit(&mut self, node: &SpirvNode) -> EmittedType {
        match node {
            SpirvNode::Scalar(kind) => self.typed_scalar(*kind),
            SpirvNode::Vector { kind, length } => self.typed_vector(*kind, *length),
            SpirvNode::Matrix { kind, rows, columns, .. } => {
                let column = self.typed_vector(*kind, *rows);
                let id = self.builder.type_matrix(column.id, *columns);
                EmittedType {
                    id,
                    parts: vec![column],
                    form: TypedForm::Aggregate { count: Some(*columns) },
                    is_matrix: true,
                }
            }
            SpirvNode::Array { element, count, stride } => self.emit_array(element, *count, *stride),
            SpirvNode::Struct { name, fields } => self.emit_struct(name, fields),
        }
    }

    /// Emits a node's type for memory without a layout: the same parts, without decorations.
    pub(super) fn emit_without_layout(&mut self, node: &SpirvNode, lengths: ArrayLengths) -> EmittedType {
        match node {
            SpirvNode::Scalar(_) | SpirvNode::Vector { .. } | SpirvNode::Matrix { .. } => self.emit(node),
            SpirvNode::Array { element, count, .. } => {
                let element = self.emit_without_layout(element, lengths);
                self.array_of(element, *count, lengths)
            }
            SpirvNode::Struct { name, fields } => {
                let parts = fields.iter().map(|field| self.emit_without_layout(&field.node, lengths)).collect();
                self.struct_of(name, parts)
            }
        }
    }

    fn typed_scalar(&mut self, kind: ScalarKind) -> EmittedType {
        EmittedType { id: self.scalar(kind), parts: Vec::new(), form: TypedForm::Scalar(kind), is_matrix: false }
    }

    fn typed_vector(&mut self, kind: ScalarKind, length: u32) -> EmittedType {
        let scalar = self.typed_scalar(kind);
        let Self { builder, vectors, .. } = self;
        let id = *vectors.entry((scalar.id, length)).or_insert_with(|| {
            let id = builder.id();
            builder.type_vector_id(Some(id), scalar.id, length)
        });
        EmittedType { id, parts: vec![scalar], form: TypedForm::Vector { length }, is_matrix: false }
    }

    fn emit_array(&mut self, element: &SpirvNode, count: Count, stride: u32) -> EmittedType {
        let element = self.emit(element);
        let array = self.array_of(element, count, ArrayLengths::Fixed);
        self.builder.decorate(array.id, Decoration::ArrayStride, [Operand::LiteralBit32(stride)]);
        array
    }

    fn array_of(&mut self, element: EmittedType, count: Count, lengths: ArrayLengths) -> EmittedType {
        let id = self.builder.id();
        let count = match count {
            Count::Finite(count) => {
                let length = match lengths {
                    ArrayLengths::Fixed => self.constant(count),
                    ArrayLengths::Specialized => self.specialized(count),
                };
                self.builder.type_array_id(Some(id), element.id, length);
                Some(count)
            }
            Count::Unbounded => {
                self.builder.type_runtime_array_id(Some(id), element.id);
                None
            }
        };

        EmittedType { id, parts: vec![element], form: TypedForm::Aggregate { count }, is_matrix: false }
    }

    fn emit_struct(&mut self, name: &str, fields: &[SpirvField]) -> EmittedType {
        let parts = fields.iter().map(|field| self.emit(&field.node)).collect();
        let structure = self.struct_of(name, parts);

        let id = structure.id;
        for (index, field) in (0..).zip(fields) {
            self.builder.member_name(id, index, &*field.name);
            self.builder.member_decorate(id, index, Decoration::Offset, [Operand::LiteralBit32(field.offset)]);
            if let Some((order, stride)) = matrix_decorations(&field.node) {
                let order = match order {
                    MatrixOrder::Row => Decoration::RowMajor,
                    MatrixOrder::Column => Decoration::ColMajor,
                };
                self.builder.member_decorate(id, index, order, []);
                self.builder.member_decorate(id, index, Decoration::MatrixStride, [Operand::LiteralBit32(stride)]);
            }
        }
        structure
    }

    fn struct_of(&mut self, name: &str, parts: Vec<EmittedType>) -> EmittedType {
        let id = self.builder.id();
        self.builder.type_struct_id(Some(id), parts.iter().map(|part| part.id));
        self.builder.name(id, name);
        let count = u32::try_from(parts.len()).expect("a struct of 2^32 members does not fit in memory");
        EmittedType { id, parts, form: TypedForm::Aggregate { count: Some(count) }, is_matrix: false }
    }
}

/// Returns order and stride of a member's matrices. SPIR-V requires them on the struct member, even
/// for arrays of matrices.
fn matrix_decorations(node: &SpirvNode) -> Option<(MatrixOrder, u32)> {
    match node {
        SpirvNode::Matrix { order, stride, .. } => Some((*order, *stride)),
        SpirvNode::Array { element, .. } => matrix_decorations(element),
        SpirvNode::Scalar(_) | SpirvNode::Vector { .. } | SpirvNode::Struct { .. } => None,
    }
}
