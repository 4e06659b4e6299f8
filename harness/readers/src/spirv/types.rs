//! The types, constants and global variables of a module, with the explicit layout that decorations
//! give them.
//!
//! The model executes with these layouts, [`declared`](super::declared()) lists them, and a planted
//! fault changes them.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};
use rustc_hash::FxHashMap;
use thiserror::Error;

use super::decorations::Decorations;
use super::load::{BadModule, Operands};
use super::specialization::{SpecializedConstant, SpirvConstants};

/// Deeper types are rejected, so that code may recurse over types.
const MAX_DEPTH: u32 = 64;

/// Types with more parts (members of members, arrays counted once) are rejected, so that recursion
/// over them ends.
const MAX_PARTS: u64 = 1 << 16;

/// A declaration that cannot be read, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BadType {
    #[error("a forward pointer without a type")]
    Forward,
    #[error("type %{0} is malformed")]
    Malformed(Word),
    /// A type or a variable.
    #[error("{0} %{1} is declared twice")]
    Twice(&'static str, Word),
    #[error("type %{id} is made of %{part}, which is not declared before")]
    Undeclared { id: Word, part: Word },
    #[error("type %{0} is nested more than {MAX_DEPTH} deep or has more than {MAX_PARTS} parts")]
    TooLarge(Word),
}

impl From<BadType> for BadModule {
    fn from(bad: BadType) -> Self {
        Self::new(0, bad.to_string())
    }
}

/// A type as the module declares it, by its id.
#[derive(Clone, Debug, PartialEq)]
pub enum SpirvType {
    Void,
    Bool,
    Int {
        bits: u32,
        signed: bool,
    },
    Float {
        bits: u32,
    },
    Vector {
        component: Word,
        length: u32,
    },
    Matrix {
        column: Word,
        columns: u32,
    },
    Array {
        element: Word,
        length: u32,
        stride: Option<u32>,
    },
    RuntimeArray {
        element: Word,
        stride: Option<u32>,
    },
    Struct(Vec<SpirvMember>),
    /// The stride is that of `OpPtrAccessChain`.
    Pointer {
        class: StorageClass,
        pointee: Word,
        stride: Option<u32>,
    },
    /// A pointer of `SPV_KHR_untyped_pointers`.
    UntypedPointer {
        class: StorageClass,
    },
    Other,
}

/// A struct member. Offsets and strides in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpirvMember {
    pub ty: Word,
    pub(crate) name: Option<String>,
    pub offset: Option<u32>,
    pub matrix: Option<MatrixLayout>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixLayout {
    pub stride: u32,
    pub row_major: bool,
}

/// A variable with memory: buffer, push constants, private.
#[derive(Clone, Debug, PartialEq)]
pub struct SpirvVariable {
    pub class: StorageClass,
    /// The type of its content; for a variable that untyped pointers lead to its data type, and 0 if it
    /// has none.
    pub pointee: Word,
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub location: Option<u32>,
    /// The place of an atomic counter in its buffer.
    pub offset: Option<u32>,
    pub name: Option<String>,
    /// The built-in value that the device stores in it.
    pub builtin: Option<BuiltIn>,
    pub initializer: Option<Word>,
}

/// The size of a type for recursion.
#[derive(Clone, Copy, Debug, Default)]
struct Extents {
    depth: u32,
    /// Members of members, arrays counted once.
    parts: u64,
    /// Number of scalars in a value.
    scalars: u64,
}

/// The declarations of a module outside its functions.
#[derive(Clone, Debug, Default)]
pub struct SpirvTypes {
    by_id: FxHashMap<Word, SpirvType>,
    extents: FxHashMap<Word, Extents>,
    /// Pointers that are declared only by `OpTypeForwardPointer` so far.
    forward: BTreeSet<Word>,
    pub(crate) names: BTreeMap<Word, String>,
    pub variables: BTreeMap<Word, SpirvVariable>,
    pub constants: SpirvConstants,
    /// The constants that are lengths of arrays, by the array's id.
    lengths: BTreeMap<Word, Word>,
    /// Structs decorated with `Block`.
    pub(crate) blocks: BTreeSet<Word>,
    /// Structs decorated with `BufferBlock`: storage blocks of SPIR-V 1.0.
    pub(crate) buffer_blocks: BTreeSet<Word>,
}

impl SpirvTypes {
    /// Reads types, constants, global variables and their decorations.
    pub fn read(module: &Module) -> Result<Self, BadType> {
        let decorations = Decorations::read(module);
        let mut types = Self {
            names: decorations.names().clone(),
            blocks: decorations.decorated(Decoration::Block),
            buffer_blocks: decorations.decorated(Decoration::BufferBlock),
            ..Self::default()
        };

        for instruction in &module.types_global_values {
            let ops = Operands(instruction);
            if instruction.class.opcode == Op::TypeForwardPointer {
                let id = ops.id(0).ok_or(BadType::Forward)?;
                types.add_forward(id)?;
            }

            let Some(id) = instruction.result_id else { continue };
            match instruction.class.opcode {
                Op::Constant => types.constants.add(id, ops.literal(0).unwrap_or(0)),
                Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstantOp => {
                    let spec_id = decorations.number(id, Decoration::SpecId);
                    types.constants.add_specialization(id, instruction, spec_id);
                }
                Op::Variable | Op::UntypedVariableKHR => types.add_variable(id, instruction, &decorations)?,
                opcode if opcode.is_type() => {
                    let ty = types.type_of(instruction, &decorations).ok_or(BadType::Malformed(id))?;
                    types.add(id, ty)?;
                    if let (Op::TypeArray, Some(length)) = (opcode, ops.id(1)) {
                        types.lengths.insert(id, length);
                    }
                }
                _ => {}
            }
        }
        Ok(types)
    }

    /// The constant for the length of this array, if a pipeline may change it.
    pub(super) fn specialized_length(&self, array: Word) -> Option<&SpecializedConstant> {
        self.constants.specialized(*self.lengths.get(&array)?)
    }

    /// The type of an id; [`SpirvType::Other`] for an id that is not a type.
    pub fn get(&self, id: Word) -> &SpirvType {
        self.by_id.get(&id).unwrap_or(&SpirvType::Other)
    }

    /// The type of an id, to change its layout.
    pub fn get_mut(&mut self, id: Word) -> Option<&mut SpirvType> {
        self.by_id.get_mut(&id)
    }

    pub fn scalars(&self, id: Word) -> u64 {
        self.extents.get(&id).map_or(0, |extents| extents.scalars)
    }

    /// The ids that a type consists of; empty for pointers.
    pub fn parts(&self, id: Word) -> Vec<Word> {
        match self.get(id) {
            SpirvType::Vector { component, .. } => vec![*component],
            SpirvType::Matrix { column, .. } => vec![*column],
            SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => vec![*element],
            SpirvType::Struct(members) => members.iter().map(|member| member.ty).collect(),
            _ => Vec::new(),
        }
    }

    pub fn part(&self, id: Word, index: u32) -> Option<Word> {
        match self.get(id) {
            SpirvType::Vector { component: part, .. }
            | SpirvType::Matrix { column: part, .. }
            | SpirvType::Array { element: part, .. }
            | SpirvType::RuntimeArray { element: part, .. } => Some(*part),
            SpirvType::Struct(members) => members.get(index as usize).map(|member| member.ty),
            _ => None,
        }
    }

    /// Number of parts of a composite; `None` for scalars and unsized arrays.
    pub fn part_count(&self, id: Word) -> Option<u32> {
        match self.get(id) {
            SpirvType::Vector { length, .. } | SpirvType::Array { length, .. } => Some(*length),
            SpirvType::Matrix { columns, .. } => Some(*columns),
            SpirvType::Struct(members) => u32::try_from(members.len()).ok(),
            _ => None,
        }
    }

    /// True if a variable is a block with explicit layout in workgroup memory. All of these share
    /// their bytes.
    ///
    /// Source: `SPV_KHR_workgroup_memory_explicit_layout`.
    pub fn is_workgroup_block(&self, variable: &SpirvVariable) -> bool {
        variable.class == StorageClass::Workgroup && self.blocks.contains(&variable.pointee)
    }

    /// True if values of the type are addresses of memory.
    pub(super) fn is_address(&self, id: Word) -> bool {
        matches!(
            self.get(id),
            SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }
                | SpirvType::UntypedPointer { class: StorageClass::PhysicalStorageBuffer }
        )
    }

    /// The id of a type that a module declares once.
    pub(super) fn id_of(&self, ty: &SpirvType) -> Option<Word> {
        self.by_id.iter().find(|(_, known)| *known == ty).map(|(id, _)| *id)
    }

    /// True if the module has pointers to what is at an address.
    pub(super) fn has_addresses(&self) -> bool {
        self.by_id.keys().any(|id| self.is_address(*id))
    }

    /// True if the type is an array, sized or not.
    pub fn is_array(&self, id: Word) -> bool {
        matches!(self.get(id), SpirvType::Array { .. } | SpirvType::RuntimeArray { .. })
    }

    /// Adds a pointer to a type that is declared later.
    fn add_forward(&mut self, id: Word) -> Result<(), BadType> {
        self.add(id, SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee: 0, stride: None })?;
        self.forward.insert(id);
        Ok(())
    }

    fn add(&mut self, id: Word, ty: SpirvType) -> Result<(), BadType> {
        let is_announced = self.forward.remove(&id) && matches!(ty, SpirvType::Pointer { .. });
        if self.by_id.insert(id, ty).is_some() && !is_announced {
            return Err(BadType::Twice("type", id));
        }

        let parts = self.parts(id);
        // An undeclared part would allow a type that contains itself.
        if let Some(part) = parts.iter().find(|part| !self.extents.contains_key(part)) {
            return Err(BadType::Undeclared { id, part: *part });
        }

        let inner =
            parts.iter().filter_map(|part| self.extents.get(part)).fold(Extents::default(), |sum, part| Extents {
                depth: sum.depth.max(part.depth),
                parts: sum.parts.saturating_add(part.parts),
                scalars: sum.scalars.saturating_add(part.scalars),
            });
        if inner.depth >= MAX_DEPTH || inner.parts >= MAX_PARTS {
            return Err(BadType::TooLarge(id));
        }

        let scalars = match self.get(id) {
            SpirvType::Vector { length, .. } | SpirvType::Array { length, .. } => {
                inner.scalars.saturating_mul((*length).into())
            }
            SpirvType::Matrix { columns, .. } => inner.scalars.saturating_mul((*columns).into()),
            SpirvType::RuntimeArray { .. } => u64::MAX,
            // An empty struct counts too, or an array of them would be free.
            SpirvType::Struct(_) => inner.scalars.max(1),
            _ => 1,
        };
        self.extents.insert(id, Extents { depth: inner.depth + 1, parts: inner.parts + 1, scalars });
        Ok(())
    }

    fn type_of(&self, instruction: &Instruction, decorations: &Decorations) -> Option<SpirvType> {
        let ops = Operands(instruction);
        let id = instruction.result_id?;
        let stride = || decorations.number(id, Decoration::ArrayStride);
        Some(match instruction.class.opcode {
            Op::TypeVoid => SpirvType::Void,
            Op::TypeBool => SpirvType::Bool,
            Op::TypeInt => SpirvType::Int { bits: ops.number(0)?, signed: ops.number(1)? == 1 },
            Op::TypeFloat => SpirvType::Float { bits: ops.number(0)? },
            Op::TypeVector => SpirvType::Vector { component: ops.id(0)?, length: ops.number(1)? },
            Op::TypeMatrix => SpirvType::Matrix { column: ops.id(0)?, columns: ops.number(1)? },
            Op::TypeArray => match self.constants.value(ops.id(1)?) {
                Some(length) => {
                    SpirvType::Array { element: ops.id(0)?, length: u32::try_from(length).ok()?, stride: stride() }
                }
                // The length is computed from specialization constants in an unsupported way.
                None => SpirvType::Other,
            },
            Op::TypeRuntimeArray => SpirvType::RuntimeArray { element: ops.id(0)?, stride: stride() },
            Op::TypeStruct => {
                let members = (0..).zip(&instruction.operands).map(|(index, operand)| match operand {
                    Operand::IdRef(ty) => Some(member(decorations, id, index, *ty)),
                    _ => None,
                });
                SpirvType::Struct(members.collect::<Option<_>>()?)
            }
            Op::TypePointer => match ops.0.operands.first()? {
                Operand::StorageClass(class) => {
                    SpirvType::Pointer { class: *class, pointee: ops.id(1)?, stride: stride() }
                }
                _ => return None,
            },
            Op::TypeUntypedPointerKHR => match ops.0.operands.first()? {
                Operand::StorageClass(class) => SpirvType::UntypedPointer { class: *class },
                _ => return None,
            },
            _ => SpirvType::Other,
        })
    }

    fn add_variable(&mut self, id: Word, instruction: &Instruction, decorations: &Decorations) -> Result<(), BadType> {
        let Some(ty) = instruction.result_type else { return Ok(()) };
        let ops = Operands(instruction);
        let (class, pointee, initializer) = match *self.get(ty) {
            SpirvType::Pointer { class, pointee, .. } => (class, pointee, ops.id(1)),
            SpirvType::UntypedPointer { class } => (class, ops.id(1).unwrap_or(0), ops.id(2)),
            _ => return Ok(()),
        };
        let variable = SpirvVariable {
            class,
            pointee,
            set: decorations.number(id, Decoration::DescriptorSet),
            binding: decorations.number(id, Decoration::Binding),
            location: decorations.number(id, Decoration::Location),
            offset: decorations.number(id, Decoration::Offset),
            name: decorations.name(id).cloned(),
            builtin: decorations.number(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32),
            initializer,
        };
        match self.variables.insert(id, variable) {
            // It would be listed once for each declaration, although its name is in the module
            // once.
            Some(_) => Err(BadType::Twice("variable", id)),
            None => Ok(()),
        }
    }
}

/// A member of a struct with its layout. `RowMajor` alone does not determine where vectors are.
fn member(decorations: &Decorations, id: Word, index: u32, ty: Word) -> SpirvMember {
    let row_major = decorations.member_has(id, index, Decoration::RowMajor);
    let stride = decorations.member_number(id, index, Decoration::MatrixStride);
    SpirvMember {
        ty,
        name: decorations.member_name(id, index).cloned(),
        offset: decorations.member_number(id, index, Decoration::Offset),
        matrix: stride.map(|stride| MatrixLayout { stride, row_major }),
    }
}
