//! Compares the alignment that loads and stores through device addresses promise (the memory
//! operand `Aligned`) with the alignment that their addresses have.
//!
//! The place of an access follows from the offsets and strides in the module, and from the alignment of the address in the
//! push constants or the shader record. Accesses at an address that comes from elsewhere are counted.
//!
//! Source: SPIR-V specification, "Memory Operands"; `SPV_KHR_physical_storage_buffer`.

use std::fmt;

use rspirv::dr::{Function, Instruction, Module, Operand};
use rspirv::spirv::{MemoryAccess, Op, StorageClass, Word};
use rustc_hash::FxHashMap;

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

/// The promises of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignmentPromises {
    /// The first access that breaks its promise.
    pub broken: Option<BrokenPromise>,
    /// How many accesses promise an alignment at a place that does not follow from the module.
    pub not_followed: u32,
}

/// Calls deeper than this are not followed. SPIR-V has no recursion.
const MAX_CALLS: usize = 32;

/// The alignments of addresses, in bytes; each is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct AddressAlignments {
    /// Of the address that the shader is given.
    pub block: u32,
    /// Of the addresses in the memory there; `None` if it is not known.
    pub linked: Option<u32>,
}

/// Compares the promises of a module with the alignments of its addresses.
///
/// # Errors
/// The words are no SPIR-V module.
pub fn alignment_promises(words: &[u32], alignments: AddressAlignments) -> Result<AlignmentPromises, BadModule> {
    let module = load(words)?;
    let types = SpirvTypes::read(&module)?;
    let mut promises = AlignmentPromises::default();
    let mut arguments = Arguments::default();
    // Each reading knows the arguments of calls one level deeper.
    for _ in 0..MAX_CALLS {
        let mut reading = Addresses { types: &types, alignments, known: FxHashMap::default() };
        let passed;
        (promises, passed) = reading.read(&module, &arguments);
        if passed == arguments {
            break;
        }
        arguments = passed;
    }
    Ok(promises)
}

/// What each parameter of a function gets in all of its calls; `None` if that does not follow from the
/// module.
type Arguments = FxHashMap<Word, Option<KnownValue>>;

/// An access that promises an alignment.
#[derive(Clone, Copy, Debug)]
struct Promise {
    access: &'static str,
    pointer: Word,
    promised: u32,
}

impl Promise {
    fn of(instruction: &Instruction) -> Option<Self> {
        let access = match instruction.class.opcode {
            Op::Load => "OpLoad",
            Op::Store => "OpStore",
            _ => return None,
        };
        let mut operands = instruction.operands.iter();
        operands.find(
            |operand| matches!(operand, Operand::MemoryAccess(access) if access.contains(MemoryAccess::ALIGNED)),
        )?;
        let Some(&Operand::LiteralBit32(promised)) = operands.next() else { return None };
        Some(Self { access, pointer: Operands(instruction).id(0)?, promised })
    }

    fn broken_at(self, place: AddressedPlace) -> Option<BrokenPromise> {
        let Self { access, promised, .. } = self;
        let actual = place.alignment;
        (promised > actual).then_some(BrokenPromise { access, promised, actual })
    }
}

/// A value with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
struct KnownValue {
    ty: Word,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// Push constants, or a shader record.
    Given,
    /// A pointer into the memory behind the address, or the address as a number.
    Place(AddressedPlace),
}

/// A place in the memory behind the address.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AddressedPlace {
    /// The largest power of two that the place is known to be a multiple of.
    alignment: u32,
    /// The layout of the matrices in the value there.
    matrix: Option<MatrixLayout>,
    /// Bytes from one component of the vector there to the next, if they do not adjoin.
    component_stride: Option<u32>,
}

impl KnownValue {
    /// Returns what is known of a value that is one or the other.
    fn or(self, other: Self) -> Option<Self> {
        match (self.meaning, other.meaning) {
            (Meaning::Place(place), Meaning::Place(same)) => {
                let alignment = place.alignment.min(same.alignment);
                let both = [place, same].map(|place| AddressedPlace { alignment, ..place });
                (both[0] == both[1]).then_some(Self { meaning: Meaning::Place(both[0]), ..self })
            }
            _ => (self == other).then_some(self),
        }
    }
}

impl AddressedPlace {
    fn aligned(alignment: u32) -> Self {
        Self { alignment, matrix: None, component_stride: None }
    }

    fn plus(self, bytes: u32) -> Self {
        match 1_u32.checked_shl(bytes.trailing_zeros()) {
            Some(of_distance) => Self { alignment: self.alignment.min(of_distance), ..self },
            // A distance of 0.
            None => self,
        }
    }
}

struct Addresses<'a> {
    types: &'a SpirvTypes,
    alignments: AddressAlignments,
    known: FxHashMap<Word, KnownValue>,
}

impl Addresses<'_> {
    /// Reads all functions, and returns also the arguments that they pass.
    fn read(&mut self, module: &Module, arguments: &Arguments) -> (AlignmentPromises, Arguments) {
        for (id, variable) in &self.types.variables {
            if let StorageClass::PushConstant | StorageClass::ShaderRecordBufferKHR = variable.class {
                // Its pointer type is never needed.
                self.known.insert(*id, KnownValue { ty: variable.pointee, meaning: Meaning::Given });
            }
        }
        self.known.extend(arguments.iter().filter_map(|(id, value)| Some((*id, (*value)?))));

        let mut promises = AlignmentPromises::default();
        let mut result_types: FxHashMap<Word, Word> = FxHashMap::default();
        let mut passed = Arguments::default();
        for instruction in module.functions.iter().flat_map(Function::all_inst_iter) {
            if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) {
                result_types.insert(id, ty);
            }
            if let Some(promise) = Promise::of(instruction) {
                let is_at_address = |id: &Word| self.types.is_address(result_types.get(id).copied().unwrap_or(0));
                match self.known.get(&promise.pointer).map(|known| known.meaning) {
                    Some(Meaning::Place(place)) => {
                        promises.broken = promises.broken.or(promise.broken_at(place));
                    }
                    None if is_at_address(&promise.pointer) => promises.not_followed += 1,
                    Some(Meaning::Given) | None => {}
                }
            }
            if instruction.class.opcode == Op::FunctionCall {
                self.pass(module, instruction, &mut passed);
            }
            if let (Some(id), Some(value)) = (instruction.result_id, self.value_of(instruction)) {
                self.known.insert(id, value);
            }
        }
        (promises, passed)
    }

    /// Adds the arguments of a call to those of other calls of the function.
    fn pass(&self, module: &Module, call: &Instruction, passed: &mut Arguments) {
        let ops = Operands(call);
        let is_called = |function: &&Function| function.def_id() == ops.id(0);
        let Some(function) = module.functions.iter().find(is_called) else { return };
        for (index, parameter) in (1..).zip(&function.parameters) {
            let Some(id) = parameter.result_id else { continue };
            let argument = ops.id(index).and_then(|argument| self.known.get(&argument)).copied();
            let all = passed.entry(id).or_insert(argument);
            *all = all.zip(argument).and_then(|(one, other)| one.or(other));
        }
    }

    fn value_of(&self, instruction: &Instruction) -> Option<KnownValue> {
        let ops = Operands(instruction);
        // An untyped access chain names the type of its base first.
        let is_untyped =
            matches!(instruction.class.opcode, Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR);
        let first = ops.id(usize::from(is_untyped))?;
        let Some(base) = self.known.get(&first).copied() else {
            return self.address_after(instruction, ops.id(1)?, first);
        };
        let meaning = match (instruction.class.opcode, base.meaning) {
            (
                Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::UntypedAccessChainKHR
                | Op::UntypedInBoundsAccessChainKHR,
                Meaning::Given,
            ) => Meaning::Given,
            (Op::Load, Meaning::Given) => Meaning::Place(AddressedPlace::aligned(self.alignments.block)),
            (Op::Load, Meaning::Place(_)) if self.types.is_address(instruction.result_type?) => {
                Meaning::Place(AddressedPlace::aligned(self.alignments.linked?))
            }
            (Op::Bitcast | Op::ConvertUToPtr | Op::ConvertPtrToU | Op::CopyObject, meaning) => meaning,
            (Op::IAdd, Meaning::Place(_)) => return self.address_after(instruction, ops.id(0)?, ops.id(1)?),
            (Op::AccessChain | Op::InBoundsAccessChain, Meaning::Place(place)) => {
                Meaning::Place(self.part(instruction, 1, self.pointee(base)?, place)?)
            }
            (Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR, Meaning::Place(place)) => {
                Meaning::Place(self.part(instruction, 2, ops.id(0)?, place)?)
            }
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, Meaning::Place(place)) => {
                let SpirvType::Pointer { stride: Some(stride), .. } = *self.types.get(base.ty) else { return None };
                let element = place.plus(self.bytes(ops.id(1)?, stride));
                Meaning::Place(self.part(instruction, 2, self.pointee(base)?, element)?)
            }
            _ => return None,
        };
        Some(KnownValue { ty: instruction.result_type?, meaning })
    }

    /// Returns the place that is a constant number of bytes after the address `base`, if the instruction
    /// adds them.
    fn address_after(&self, addition: &Instruction, base: Word, bytes: Word) -> Option<KnownValue> {
        let Meaning::Place(place) = self.known.get(&base)?.meaning else { return None };
        if addition.class.opcode != Op::IAdd {
            return None;
        }
        // The low bits decide the alignment.
        let bytes = self.types.constants.value(bytes)? & u64::from(u32::MAX);
        let place = place.plus(u32::try_from(bytes).ok()?);
        Some(KnownValue { ty: addition.result_type?, meaning: Meaning::Place(place) })
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
    use rspirv::spirv::{AddressingModel, Capability, Decoration, FunctionControl, MemoryModel};

    use super::*;

    /// How the code gets from the address that it is given to the struct.
    #[derive(Clone, Copy)]
    enum Way {
        Direct,
        /// The struct this many elements further, 16 bytes each.
        Element(u32),
        /// By arithmetic that the reader does not follow.
        Unknown,
        /// By a pointer at the address, which is given in this class of memory.
        Linked(StorageClass),
    }

    /// A module that loads the second member of `{ float a; float3 b; }`, which is at byte 4 of the
    /// struct. A function does so with the address that it gets.
    fn module(promised: u32, way: Way) -> Vec<u32> {
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
        builder.decorate(address, Decoration::ArrayStride, [Operand::LiteralBit32(16)]);
        let holder = builder.type_struct([address]);
        builder.member_decorate(holder, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        let push = if let Way::Linked(class) = way { class } else { StorageClass::PushConstant };
        let [of_holder, of_address] = [holder, address].map(|ty| builder.type_pointer(None, push, ty));
        let of_vector = builder.type_pointer(None, physical, vector);
        let variable = builder.variable(of_holder, None, push, None);

        let access = |builder: &mut Builder, pointer| {
            let member = builder.access_chain(of_vector, None, pointer, [one]).unwrap();
            let aligned = Some(MemoryAccess::ALIGNED);
            builder.load(vector, None, member, aligned, [Operand::LiteralBit32(promised)]).unwrap();
            builder.ret().unwrap();
            builder.end_function().unwrap();
        };
        let signature = builder.type_function(void, [address]);
        let called = builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
        let parameter = builder.function_parameter(address).unwrap();
        builder.begin_block(None).unwrap();
        access(&mut builder, parameter);

        let signature = builder.type_function(void, []);
        builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
        builder.begin_block(None).unwrap();
        let place = builder.access_chain(of_address, None, variable, [zero]).unwrap();
        let pointer = builder.load(address, None, place, None, []).unwrap();
        let pointer = match way {
            Way::Direct => pointer,
            Way::Element(index) => {
                let index = builder.constant_bit32(uint, index);
                builder.ptr_access_chain(address, None, pointer, index, []).unwrap()
            }
            Way::Unknown => builder.select(address, None, zero, pointer, pointer).unwrap(),
            Way::Linked(_) => {
                let to_address = builder.type_pointer(None, physical, address);
                let place = builder.bitcast(to_address, None, pointer).unwrap();
                let aligned = Some(MemoryAccess::ALIGNED);
                builder.load(address, None, place, aligned, [Operand::LiteralBit32(8)]).unwrap()
            }
        };
        builder.function_call(void, None, called, [pointer]).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        builder.module().assemble()
    }

    fn promises(promised: u32, way: Way, block: u32) -> AlignmentPromises {
        alignment_promises(&module(promised, way), AddressAlignments { block, linked: None }).unwrap()
    }

    /// DXC 1.9.2602 promises 16 bytes for such a member.
    #[test]
    fn a_member_has_the_alignment_of_its_offset() {
        assert_eq!(promises(4, Way::Direct, 16), AlignmentPromises::default());
        let broken = promises(16, Way::Direct, 16).broken.unwrap();
        let words = "an OpLoad through an address promises an alignment of 16 bytes, and its place has 4";
        assert_eq!(broken.to_string(), words);
    }

    #[test]
    fn the_address_itself_limits_the_alignment() {
        assert_eq!(promises(4, Way::Direct, 2).broken.unwrap().actual, 2);
    }

    #[test]
    fn an_element_has_the_alignment_of_its_distance() {
        assert_eq!(promises(4, Way::Element(1), 8), AlignmentPromises::default());
        let broken = promises(8, Way::Element(1), 64).broken.unwrap();
        assert_eq!(broken.actual, 4);
    }

    /// What a pointer in memory points to may be less aligned than the address that the shader is given.
    #[test]
    fn a_linked_element_has_an_alignment_of_its_own() {
        for class in [StorageClass::PushConstant, StorageClass::ShaderRecordBufferKHR] {
            let words = module(4, Way::Linked(class));
            let read = |linked| alignment_promises(&words, AddressAlignments { block: 16, linked }).unwrap();
            assert_eq!(read(Some(4)), AlignmentPromises::default());
            assert_eq!(read(Some(2)).broken.unwrap().actual, 2);
            assert_eq!(read(None), AlignmentPromises { broken: None, not_followed: 1 });
        }
    }

    #[test]
    fn accesses_at_unknown_addresses_are_counted() {
        let promises = promises(16, Way::Unknown, 16);
        assert_eq!(promises, AlignmentPromises { broken: None, not_followed: 1 });
    }
}
