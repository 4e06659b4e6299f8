//! The types of a module with their explicit layout, and what else decorations say.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass, Word};

use super::specialization::Specialized;

/// Types nested deeper than this are refused, so that walks over them may recurse.
const MAX_DEPTH: u32 = 64;

/// Types of more parts (members of members, arrays counted once) are refused, so that walks over them end.
const MAX_PARTS: u64 = 1 << 16;

/// A type by its id, as the module declares it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SpirvType {
    Void,
    Bool,
    Int { bits: u32, signed: bool },
    Float { bits: u32 },
    Vector { component: Word, length: u32 },
    Matrix { column: Word, columns: u32 },
    Array { element: Word, length: u32, stride: Option<u32> },
    RuntimeArray { element: Word, stride: Option<u32> },
    Struct(Vec<SpirvMember>),
    Pointer { class: StorageClass, pointee: Word },
    Other,
}

/// A struct member. Offsets and strides in bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SpirvMember {
    pub(crate) ty: Word,
    pub(crate) name: Option<String>,
    pub(crate) offset: Option<u32>,
    pub(crate) matrix: Option<MatrixLayout>,
}

/// How a member's matrices lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixLayout {
    pub(crate) stride: u32,
    pub(crate) row_major: bool,
}

/// A variable in memory of its own: buffer, push constants, private.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpirvVariable {
    pub(crate) class: StorageClass,
    pub(crate) pointee: Word,
    pub(crate) set: Option<u32>,
    pub(crate) binding: Option<u32>,
    pub(crate) name: Option<String>,
    /// What the device keeps in it.
    pub(crate) builtin: Option<BuiltIn>,
    /// The constant that it begins with.
    pub(crate) initializer: Option<Word>,
}

/// How large a type is to walk over.
#[derive(Clone, Copy, Debug, Default)]
struct Extents {
    depth: u32,
    /// Members of members, arrays counted once.
    parts: u64,
    /// Scalars in a value.
    scalars: u64,
}

/// The declarations of a module outside its functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpirvTypes {
    by_id: BTreeMap<Word, SpirvType>,
    extents: BTreeMap<Word, Extents>,
    /// Pointers of which only `OpTypeForwardPointer` was seen yet.
    forward: BTreeSet<Word>,
    pub(crate) names: BTreeMap<Word, String>,
    pub(crate) variables: BTreeMap<Word, SpirvVariable>,
    /// Bits of integer and float constants; of what a pipeline may change, those of the defaults.
    pub(crate) constants: BTreeMap<Word, u64>,
    /// The constants among them that a pipeline may change.
    pub(super) specialized: BTreeMap<Word, Specialized>,
    /// The constants that are the lengths of arrays, by the array's id.
    pub(super) lengths: BTreeMap<Word, Word>,
    /// Structs decorated `Block`.
    pub(crate) blocks: BTreeSet<Word>,
    /// Structs decorated `BufferBlock`: storage blocks of SPIR-V 1.0.
    pub(crate) buffer_blocks: BTreeSet<Word>,
    pub(crate) builtins: BTreeSet<Word>,
}

impl SpirvTypes {
    /// Reads types, constants, global variables and their decorations. The reason for a failure is a lowercase
    /// fragment that names the id.
    pub(crate) fn read(module: &Module) -> Result<Self, String> {
        let decorations = Decorations::read(module);
        let mut types = Self { names: decorations.names.clone(), ..Self::default() };
        for instruction in &module.types_global_values {
            let ops = Operands(instruction);
            if instruction.class.opcode == Op::TypeForwardPointer {
                let id = ops.id(0).ok_or("a forward pointer without a type")?;
                types.add_forward(id)?;
            }
            let Some(id) = instruction.result_id else { continue };
            match instruction.class.opcode {
                Op::Constant => {
                    types.constants.insert(id, ops.literal(0).unwrap_or(0));
                }
                Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstantOp => {
                    types.add_specialization(id, instruction, &decorations);
                }
                Op::Variable => types.add_variable(id, instruction, &decorations)?,
                opcode if opcode.is_type() => {
                    let ty =
                        types.type_of(instruction, &decorations).ok_or_else(|| format!("type %{id} is malformed"))?;
                    types.add(id, ty)?;
                    if let (Op::TypeArray, Some(length)) = (opcode, ops.id(1)) {
                        types.lengths.insert(id, length);
                    }
                }
                _ => {}
            }
        }
        for (id, all) in &decorations.of {
            for (decoration, _) in all {
                match decoration {
                    Decoration::Block => types.blocks.insert(*id),
                    Decoration::BufferBlock => types.buffer_blocks.insert(*id),
                    Decoration::BuiltIn => types.builtins.insert(*id),
                    _ => false,
                };
            }
        }
        Ok(types)
    }

    /// The type of an id; [`SpirvType::Other`] for ids that are no types.
    pub(crate) fn get(&self, id: Word) -> &SpirvType {
        self.by_id.get(&id).unwrap_or(&SpirvType::Other)
    }

    /// The type of an id, to change its layout.
    pub(crate) fn get_mut(&mut self, id: Word) -> Option<&mut SpirvType> {
        self.by_id.get_mut(&id)
    }

    /// Number of scalars in a value of the type.
    pub(crate) fn scalars(&self, id: Word) -> u64 {
        self.extents.get(&id).map_or(0, |extents| extents.scalars)
    }

    /// The ids that a type is made of; pointers lead nowhere.
    pub(crate) fn parts(&self, id: Word) -> Vec<Word> {
        match self.get(id) {
            SpirvType::Vector { component, .. } => vec![*component],
            SpirvType::Matrix { column, .. } => vec![*column],
            SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => vec![*element],
            SpirvType::Struct(members) => members.iter().map(|member| member.ty).collect(),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::Other => Vec::new(),
        }
    }

    /// The type of part `index` of a composite.
    pub(crate) fn part(&self, id: Word, index: u32) -> Option<Word> {
        match self.get(id) {
            SpirvType::Vector { component: part, .. }
            | SpirvType::Matrix { column: part, .. }
            | SpirvType::Array { element: part, .. }
            | SpirvType::RuntimeArray { element: part, .. } => Some(*part),
            SpirvType::Struct(members) => members.get(index as usize).map(|member| member.ty),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::Other => None,
        }
    }

    /// Number of parts of a composite; `None` for scalars and unsized arrays.
    pub(crate) fn part_count(&self, id: Word) -> Option<u32> {
        match self.get(id) {
            SpirvType::Vector { length, .. } | SpirvType::Array { length, .. } => Some(*length),
            SpirvType::Matrix { columns, .. } => Some(*columns),
            SpirvType::Struct(members) => u32::try_from(members.len()).ok(),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::RuntimeArray { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::Other => None,
        }
    }

    /// Whether the type is an array, sized or not.
    pub(crate) fn is_array(&self, id: Word) -> bool {
        matches!(self.get(id), SpirvType::Array { .. } | SpirvType::RuntimeArray { .. })
    }

    /// Adds a pointer to a type that is declared later.
    fn add_forward(&mut self, id: Word) -> Result<(), String> {
        self.add(id, SpirvType::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee: 0 })?;
        self.forward.insert(id);
        Ok(())
    }

    fn add(&mut self, id: Word, ty: SpirvType) -> Result<(), String> {
        let is_announced = self.forward.remove(&id) && matches!(ty, SpirvType::Pointer { .. });
        if self.by_id.insert(id, ty).is_some() && !is_announced {
            return Err(format!("type %{id} is declared twice"));
        }
        let parts = self.parts(id);
        // A part that is not declared yet would allow a type that contains itself.
        if let Some(part) = parts.iter().find(|part| !self.extents.contains_key(part)) {
            return Err(format!("type %{id} is made of %{part}, which is not declared before"));
        }
        let inner =
            parts.iter().filter_map(|part| self.extents.get(part)).fold(Extents::default(), |sum, part| Extents {
                depth: sum.depth.max(part.depth),
                parts: sum.parts.saturating_add(part.parts),
                scalars: sum.scalars.saturating_add(part.scalars),
            });
        let scalars = match self.get(id) {
            SpirvType::Vector { length, .. } | SpirvType::Array { length, .. } => {
                inner.scalars.saturating_mul((*length).into())
            }
            SpirvType::Matrix { columns, .. } => inner.scalars.saturating_mul((*columns).into()),
            SpirvType::RuntimeArray { .. } => u64::MAX,
            // An empty struct counts as well, or an array of them would be free.
            SpirvType::Struct(_) => inner.scalars.max(1),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::Pointer { .. }
            | SpirvType::Other => 1,
        };
        if inner.depth >= MAX_DEPTH || inner.parts >= MAX_PARTS {
            return Err(format!("type %{id} is nested more than {MAX_DEPTH} deep or has more than {MAX_PARTS} parts"));
        }
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
            Op::TypeArray => match self.constants.get(&ops.id(1)?) {
                Some(length) => {
                    SpirvType::Array { element: ops.id(0)?, length: u32::try_from(*length).ok()?, stride: stride() }
                }
                // A length that is computed from specialization constants in a way that is not followed.
                None => SpirvType::Other,
            },
            Op::TypeRuntimeArray => SpirvType::RuntimeArray { element: ops.id(0)?, stride: stride() },
            Op::TypeStruct => {
                let members = (0..).zip(&instruction.operands).map(|(index, operand)| match operand {
                    Operand::IdRef(ty) => Some(decorations.member(id, index, *ty)),
                    _ => None,
                });
                SpirvType::Struct(members.collect::<Option<_>>()?)
            }
            Op::TypePointer => match ops.0.operands.first()? {
                Operand::StorageClass(class) => SpirvType::Pointer { class: *class, pointee: ops.id(1)? },
                _ => return None,
            },
            _ => SpirvType::Other,
        })
    }

    fn add_variable(&mut self, id: Word, instruction: &Instruction, decorations: &Decorations) -> Result<(), String> {
        let Some(ty) = instruction.result_type else { return Ok(()) };
        let &SpirvType::Pointer { class, pointee } = self.get(ty) else { return Ok(()) };
        let variable = SpirvVariable {
            class,
            pointee,
            set: decorations.number(id, Decoration::DescriptorSet),
            binding: decorations.number(id, Decoration::Binding),
            name: decorations.names.get(&id).filter(|name| !name.is_empty()).cloned(),
            builtin: decorations.number(id, Decoration::BuiltIn).and_then(BuiltIn::from_u32),
            initializer: Operands(instruction).id(1),
        };
        match self.variables.insert(id, variable) {
            // It would be listed once for each declaration, with a name that stands in the module once.
            Some(_) => Err(format!("variable %{id} is declared twice")),
            None => Ok(()),
        }
    }
}

/// Typed access to an instruction's operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands<'a>(pub(crate) &'a Instruction);

impl Operands<'_> {
    pub(crate) fn id(self, index: usize) -> Option<Word> {
        match self.0.operands.get(index)? {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn number(self, index: usize) -> Option<u32> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn literal(self, index: usize) -> Option<u64> {
        match self.0.operands.get(index)? {
            Operand::LiteralBit32(number) => Some((*number).into()),
            Operand::LiteralBit64(number) => Some(*number),
            _ => None,
        }
    }
}

type DecorationList = Vec<(Decoration, Option<u32>)>;

/// Decorations and names as written; the first number of each.
#[derive(Debug, Default)]
pub(super) struct Decorations {
    of: BTreeMap<Word, DecorationList>,
    of_member: BTreeMap<(Word, u32), DecorationList>,
    names: BTreeMap<Word, String>,
    member_names: BTreeMap<(Word, u32), String>,
}

impl Decorations {
    fn read(module: &Module) -> Self {
        let mut all = Self::default();
        for instruction in module.annotations.iter().chain(&module.debug_names) {
            let ops = Operands(instruction);
            let Some(target) = ops.id(0) else { continue };
            match (instruction.class.opcode, &instruction.operands[1..]) {
                (Op::Decorate, [Operand::Decoration(decoration), rest @ ..]) => {
                    all.of.entry(target).or_default().push((*decoration, first_number(rest)));
                }
                (Op::MemberDecorate, [Operand::LiteralBit32(member), Operand::Decoration(decoration), rest @ ..]) => {
                    let decorated = all.of_member.entry((target, *member)).or_default();
                    decorated.push((*decoration, first_number(rest)));
                }
                (Op::Name, [Operand::LiteralString(name), ..]) => {
                    all.names.insert(target, name.clone());
                }
                (Op::MemberName, [Operand::LiteralBit32(member), Operand::LiteralString(name), ..]) => {
                    all.member_names.insert((target, *member), name.clone());
                }
                _ => {}
            }
        }
        all
    }

    pub(super) fn number(&self, id: Word, decoration: Decoration) -> Option<u32> {
        number(self.of.get(&id)?, decoration)
    }

    fn member(&self, id: Word, index: u32, ty: Word) -> SpirvMember {
        let none = DecorationList::new();
        let decorated = self.of_member.get(&(id, index)).unwrap_or(&none);
        let row_major = has(decorated, Decoration::RowMajor);
        let stride = number(decorated, Decoration::MatrixStride);
        SpirvMember {
            ty,
            name: self.member_names.get(&(id, index)).filter(|name| !name.is_empty()).cloned(),
            offset: number(decorated, Decoration::Offset),
            matrix: stride.map(|stride| MatrixLayout { stride, row_major }),
        }
    }
}

fn has(decorated: &DecorationList, decoration: Decoration) -> bool {
    decorated.iter().any(|(found, _)| *found == decoration)
}

fn number(decorated: &DecorationList, decoration: Decoration) -> Option<u32> {
    decorated.iter().find(|(found, _)| *found == decoration)?.1
}

fn first_number(operands: &[Operand]) -> Option<u32> {
    match operands.first()? {
        Operand::LiteralBit32(number) => Some(*number),
        Operand::BuiltIn(builtin) => Some(*builtin as u32),
        _ => None,
    }
}
