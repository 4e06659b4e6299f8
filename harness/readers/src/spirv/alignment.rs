//! Compares the alignment that loads and stores through device addresses promise (the memory
//! operand `Aligned`) with the alignment that their addresses have.
//!
//! The place of an access follows from the offsets and strides in the module, and from the alignment
//! of the address in the push constants. An address that comes from elsewhere is not compared.
//!
//! Source: SPIR-V specification, "Memory Operands"; `SPV_KHR_physical_storage_buffer`.

use std::fmt;

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, MemoryAccess, Op, StorageClass, Word};
use rustc_hash::FxHashMap;

use super::decorations::Decorations;
use super::load::{BadModule, Operands, load};
use super::types::{MatrixLayout, SpirvType, SpirvTypes};

/// An access that promises more alignment than its address has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenPromise {
    access: &'static str,
    /// Alignment in the memory operand, in bytes.
    promised: u32,
    /// Alignment of the address, in bytes.
    actual: u32,
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { access, promised, actual } = self;
        write!(
            f,
            "an {access} through an address promises an alignment of {promised} bytes, and its place has {actual}"
        )
    }
}

/// Returns the first access that breaks its promise, if the address in the push constants is a
/// multiple of `alignment` bytes, a power of two.
pub fn broken_promise(words: &[u32], alignment: u32) -> Result<Option<BrokenPromise>, BadModule> {
    let module = load(words)?;
    let types = SpirvTypes::read(&module)?;
    let decorations = Decorations::read(&module);
    let mut addresses = Addresses { types: &types, decorations: &decorations, alignment, known: FxHashMap::default() };
    for (id, variable) in &types.variables {
        if variable.class == StorageClass::PushConstant {
            // Its pointer type is never needed.
            addresses.known.insert(*id, KnownValue { ty: variable.pointee, meaning: Meaning::PushConstants });
        }
    }

    let functions = module.functions.iter().flat_map(|function| &function.blocks);
    for instruction in functions.flat_map(|block| &block.instructions) {
        if let Some(broken) = addresses.broken_by(instruction) {
            return Ok(Some(broken));
        }
        if let (Some(id), Some(value)) = (instruction.result_id, addresses.value_of(instruction)) {
            addresses.known.insert(id, value);
        }
    }
    Ok(None)
}

/// A value with its type.
#[derive(Clone, Copy, Debug)]
struct KnownValue {
    ty: Word,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    PushConstants,
    /// A pointer into the memory behind the address, or the address as a number.
    Place(AddressedPlace),
}

/// A place in the memory behind the address.
#[derive(Clone, Copy, Debug)]
struct AddressedPlace {
    /// The largest power of two that the place is known to be a multiple of.
    alignment: u32,
    /// The layout of the matrices in the value there.
    matrix: Option<MatrixLayout>,
    /// Bytes from one component of the vector there to the next, if they do not adjoin.
    component_stride: Option<u32>,
}

impl AddressedPlace {
    fn plus(self, bytes: u32) -> Self {
        match bytes {
            0 => self,
            _ => Self { alignment: self.alignment.min(1 << bytes.trailing_zeros()), ..self },
        }
    }
}

struct Addresses<'a> {
    types: &'a SpirvTypes,
    decorations: &'a Decorations,
    alignment: u32,
    known: FxHashMap<Word, KnownValue>,
}

impl Addresses<'_> {
    /// Returns the broken promise of a load or a store.
    fn broken_by(&self, instruction: &Instruction) -> Option<BrokenPromise> {
        let access = match instruction.class.opcode {
            Op::Load => "OpLoad",
            Op::Store => "OpStore",
            _ => return None,
        };
        let Meaning::Place(place) = self.known.get(&Operands(instruction).id(0)?)?.meaning else { return None };
        let mut operands = instruction.operands.iter();
        operands.find(
            |operand| matches!(operand, Operand::MemoryAccess(access) if access.contains(MemoryAccess::ALIGNED)),
        )?;
        let Some(&Operand::LiteralBit32(promised)) = operands.next() else { return None };
        let actual = place.alignment;
        (promised > actual).then_some(BrokenPromise { access, promised, actual })
    }

    fn value_of(&self, instruction: &Instruction) -> Option<KnownValue> {
        let ops = Operands(instruction);
        let base = *self.known.get(&ops.id(0)?)?;
        let meaning = match (instruction.class.opcode, base.meaning) {
            (Op::AccessChain | Op::InBoundsAccessChain, Meaning::PushConstants) => Meaning::PushConstants,
            (Op::Load, Meaning::PushConstants) => {
                Meaning::Place(AddressedPlace { alignment: self.alignment, matrix: None, component_stride: None })
            }
            (Op::Bitcast | Op::ConvertUToPtr | Op::ConvertPtrToU | Op::CopyObject, meaning) => meaning,
            (Op::AccessChain | Op::InBoundsAccessChain, Meaning::Place(place)) => {
                Meaning::Place(self.part(instruction, 1, self.pointee(base)?, place)?)
            }
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, Meaning::Place(place)) => {
                let stride = self.decorations.number(base.ty, Decoration::ArrayStride)?;
                let element = place.plus(self.bytes(ops.id(1)?, stride));
                Meaning::Place(self.part(instruction, 2, self.pointee(base)?, element)?)
            }
            _ => return None,
        };
        Some(KnownValue { ty: instruction.result_type?, meaning })
    }

    fn pointee(&self, pointer: KnownValue) -> Option<Word> {
        match self.types.get(pointer.ty) {
            SpirvType::Pointer { pointee, .. } => Some(*pointee),
            _ => None,
        }
    }

    /// Returns the distance of the element with the index `id`, or for an index that is no constant,
    /// a distance with the alignment that all elements have.
    fn bytes(&self, id: Word, stride: u32) -> u32 {
        let index = self.types.constants.value(id).and_then(|index| u32::try_from(index).ok());
        index.map_or(stride, |index| index.wrapping_mul(stride))
    }

    /// Returns the place that the indices of an access chain lead to, from a value of type `ty`.
    fn part(
        &self,
        chain: &Instruction,
        first: usize,
        mut ty: Word,
        mut place: AddressedPlace,
    ) -> Option<AddressedPlace> {
        let ops = Operands(chain);
        for operand in first..chain.operands.len() {
            let id = ops.id(operand)?;
            (ty, place) = match self.types.get(ty) {
                SpirvType::Struct(members) => {
                    let index = self.types.constants.value(id)?;
                    let member = members.get(usize::try_from(index).ok()?)?;
                    (member.ty, AddressedPlace { matrix: member.matrix, ..place.plus(member.offset?) })
                }
                SpirvType::Array { element, stride, .. } | SpirvType::RuntimeArray { element, stride } => {
                    (*element, place.plus(self.bytes(id, (*stride)?)))
                }
                SpirvType::Matrix { column, .. } => {
                    let layout = place.matrix?;
                    let SpirvType::Vector { component, .. } = self.types.get(*column) else { return None };
                    let (between, within) = if layout.row_major {
                        (self.width(*component)?, Some(layout.stride))
                    } else {
                        (layout.stride, None)
                    };
                    (*column, AddressedPlace { component_stride: within, ..place.plus(self.bytes(id, between)) })
                }
                SpirvType::Vector { component, .. } => {
                    let stride = place.component_stride.or_else(|| self.width(*component))?;
                    (*component, AddressedPlace { component_stride: None, ..place.plus(self.bytes(id, stride)) })
                }
                _ => return None,
            };
        }
        Some(place)
    }

    /// Returns the size of a scalar, in bytes.
    fn width(&self, scalar: Word) -> Option<u32> {
        match self.types.get(scalar) {
            SpirvType::Int { bits, .. } | SpirvType::Float { bits } => Some(bits / 8),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rspirv::binary::Assemble;
    use rspirv::dr::Builder;
    use rspirv::spirv::{AddressingModel, Capability, FunctionControl, MemoryModel};

    use super::*;

    /// A module that loads the second member of `{ float a; float3 b; }`, which is at byte 4 of the
    /// struct whose address is in the push constants.
    fn module(promised: u32) -> Vec<u32> {
        let mut builder = Builder::new();
        builder.capability(Capability::Shader);
        builder.capability(Capability::PhysicalStorageBufferAddresses);
        builder.memory_model(AddressingModel::PhysicalStorageBuffer64, MemoryModel::GLSL450);
        let (void, uint, float) = (builder.type_void(), builder.type_int(32, 0), builder.type_float(32, None));
        let (zero, one) = (builder.constant_bit32(uint, 0), builder.constant_bit32(uint, 1));
        let vector = builder.type_vector(float, 3);

        let pointee = builder.type_struct([float, vector]);
        for (member, offset) in [(0, 0), (1, 4)] {
            builder.member_decorate(pointee, member, Decoration::Offset, [Operand::LiteralBit32(offset)]);
        }
        let physical = StorageClass::PhysicalStorageBuffer;
        let address = builder.type_pointer(None, physical, pointee);
        let holder = builder.type_struct([address]);
        builder.member_decorate(holder, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        let push = StorageClass::PushConstant;
        let [of_holder, of_address] = [holder, address].map(|ty| builder.type_pointer(None, push, ty));
        let of_vector = builder.type_pointer(None, physical, vector);
        let variable = builder.variable(of_holder, None, push, None);

        let signature = builder.type_function(void, []);
        builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        let place = builder.access_chain(of_address, None, variable, [zero]).unwrap();
        let pointer = builder.load(address, None, place, None, []).unwrap();
        let member = builder.access_chain(of_vector, None, pointer, [one]).unwrap();
        let aligned = Some(MemoryAccess::ALIGNED);
        builder.load(vector, None, member, aligned, [Operand::LiteralBit32(promised)]).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module().assemble()
    }

    /// DXC 1.9.2602 promises 16 bytes for such a member.
    #[test]
    fn a_member_has_the_alignment_of_its_offset() {
        assert_eq!(broken_promise(&module(4), 16).unwrap(), None);
        let broken = broken_promise(&module(16), 16).unwrap().unwrap();
        let words = "an OpLoad through an address promises an alignment of 16 bytes, and its place has 4";
        assert_eq!(broken.to_string(), words);
    }

    #[test]
    fn the_address_itself_limits_the_alignment() {
        assert_eq!(broken_promise(&module(4), 2).unwrap().unwrap().actual, 2);
    }
}
