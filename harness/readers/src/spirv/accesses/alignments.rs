//! The alignments of addresses, compared with those that memory operands promise (`Aligned`).
//!
//! Source: SPIR-V specification, "Memory Operands"; `SPV_KHR_physical_storage_buffer`.

use std::collections::BTreeMap;
use std::fmt;

use rspirv::spirv::{BuiltIn, Word};

use super::code::Code;
use super::trace::{Memory, Origin, Trace};
use super::value::{Sum, SymbolKey};
use super::{AccessKind, ViewKind};
use crate::spirv::declarations::Declarations;
use crate::spirv::load::BadModule;
use crate::spirv::types::SpirvTypes;

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

/// The alignments of addresses, in bytes; each is a power of two.
#[derive(Clone, Copy, Debug)]
pub struct AddressAlignments {
    /// Of the address that the shader is given.
    pub block: u32,
    /// Of the addresses in the memory there; `None` if it is not known.
    pub linked: Option<u32>,
}

/// Compares the promises of a module with the alignments of the addresses that it finds in its push constants or shader
/// record, and of those in the memory there. Accesses at an address that comes from elsewhere are counted.
///
/// # Errors
/// The words are no SPIR-V module.
pub fn alignment_promises(words: &[u32], alignments: AddressAlignments) -> Result<AlignmentPromises, BadModule> {
    let declarations = Declarations::read(words)?;
    let types = SpirvTypes::read(&declarations.module)?;
    let code = Code::read(words, &types)?;
    let trace = Trace::of(&types, &code);

    let address = |memory: &Memory| {
        let Origin::Pointee(address) = memory.origin else { return None };
        let SymbolKey::Content(holder, _) = trace.symbols.key(address) else { return None };
        match trace.memory_of(*holder).kind {
            ViewKind::PushConstant | ViewKind::ShaderRecord => Some(alignments.block),
            ViewKind::Pointee => alignments.linked,
            ViewKind::Uniform | ViewKind::Storage | ViewKind::Workgroup => None,
        }
    };
    let mut promises = AlignmentPromises::default();
    for touch in &trace.touches {
        let access = match touch.kind {
            AccessKind::Load => "OpLoad",
            AccessKind::Store => "OpStore",
            AccessKind::Atomic => continue,
        };
        let Some(promised) = touch.promised else { continue };
        let memory = touch.target.as_ref().ok().map(|place| trace.memory_of(place.memory));
        if memory.is_some_and(|memory| memory.kind != ViewKind::Pointee) {
            continue;
        }
        let at = touch.target.as_ref().ok().and_then(|place| place.at.as_ref().ok());
        let Some((address, at)) = memory.and_then(address).zip(at) else {
            promises.not_followed += 1;
            continue;
        };
        let distances = at.terms.iter().map(|(_, factor)| *factor).chain([at.base]);
        let actual = distances.map(alignment_of).fold(address, u32::min);
        if promised > actual {
            promises.broken = promises.broken.or(Some(BrokenPromise { access, promised, actual }));
        }
    }
    Ok(promises)
}

/// A promise that not every address can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::spirv) struct SmallStep {
    /// The alignment that an access promises, in bytes.
    pub(in crate::spirv) promised: u32,
    /// The largest power of two that divides the step from one address to the next, in bytes.
    pub(in crate::spirv) step: u32,
}

/// The smallest step of each block behind an address, by the id of its struct.
pub(in crate::spirv) fn small_steps(words: &[u32], types: &SpirvTypes) -> Result<BTreeMap<Word, SmallStep>, BadModule> {
    let mut found = BTreeMap::new();
    if !types.has_addresses() {
        return Ok(found);
    }
    let code = Code::read(words, types)?;
    let trace = Trace::of(types, &code);
    for touch in &trace.touches {
        let (Some(promised), Ok(place)) = (touch.promised, &touch.target) else { continue };
        let Ok(at) = &place.at else { continue };
        let step = trace.step_alignment(at);
        if trace.memory_of(place.memory).kind == ViewKind::Pointee && promised > step {
            let block = trace.layouts.block(place.root);
            let small = SmallStep { promised, step };
            found.entry(block).and_modify(|known: &mut SmallStep| *known = (*known).max(small)).or_insert(small);
        }
    }
    Ok(found)
}

impl Trace<'_> {
    /// The largest power of two that divides all differences of a sum, from one invocation or iteration to another.
    ///
    /// Two of these addresses are an odd multiple of it apart, so no address of the first keeps more.
    pub(super) fn step_alignment(&self, sum: &Sum) -> u32 {
        let mut least = u32::MAX;
        // Factors of the workgroup's and the invocation's number, by component.
        let mut numbers: BTreeMap<(bool, usize), i64> = BTreeMap::new();
        let mut add = |is_local, component: usize, factor: i64| {
            let sum = numbers.entry((is_local, component)).or_default();
            *sum = sum.wrapping_add(factor);
        };
        // Which of the numbers of an invocation the sum has, if they depend on each other in a way that is not known.
        let mut dependent = Vec::new();
        for (symbol, factor) in &sum.terms {
            if !self.symbols.get(*symbol).is_free {
                continue;
            }
            let (builtin, part) = match self.symbols.key(*symbol) {
                SymbolKey::Builtin(builtin, part) => (*builtin, *part as usize),
                _ => {
                    least = least.min(alignment_of(*factor));
                    continue;
                }
            };
            let sizes = self.code.local_size;
            match (builtin, sizes) {
                (BuiltIn::WorkgroupId, Some(_)) => add(false, part, *factor),
                (BuiltIn::LocalInvocationId, Some(_)) => add(true, part, *factor),
                (BuiltIn::GlobalInvocationId, Some(sizes)) => {
                    let size = sizes.get(part).copied().unwrap_or(1);
                    add(false, part, factor.wrapping_mul(size.into()));
                    if size > 1 {
                        add(true, part, *factor);
                    }
                }
                (BuiltIn::LocalInvocationIndex, Some(sizes)) => {
                    let mut factor = *factor;
                    for (component, size) in sizes.into_iter().enumerate() {
                        if size > 1 {
                            add(true, component, factor);
                        }
                        factor = factor.wrapping_mul(size.into());
                    }
                }
                (
                    BuiltIn::WorkgroupId
                    | BuiltIn::LocalInvocationId
                    | BuiltIn::GlobalInvocationId
                    | BuiltIn::LocalInvocationIndex
                    | BuiltIn::SubgroupLocalInvocationId,
                    _,
                ) => dependent.push(*factor),
                _ => least = least.min(alignment_of(*factor)),
            }
        }
        if let ([factor], true) = (dependent.as_slice(), numbers.is_empty()) {
            least = least.min(alignment_of(*factor));
        }
        if dependent.is_empty() {
            least = numbers.values().copied().map(alignment_of).fold(least, u32::min);
        }
        least
    }
}

/// The largest power of two that divides a number of bytes; 0 is divided by all.
pub(crate) fn alignment_of(bytes: i64) -> u32 {
    1_u32.checked_shl(bytes.trailing_zeros()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use rspirv::binary::Assemble;
    use rspirv::dr::{Builder, Operand};
    use rspirv::spirv::{
        AddressingModel, Capability, Decoration, ExecutionModel, FunctionControl, MemoryAccess, MemoryModel,
        StorageClass,
    };

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
        let main = builder.begin_function(void, None, FunctionControl::NONE, signature).unwrap();
        builder.entry_point(ExecutionModel::GLCompute, main, "main", []);
        builder.begin_block(None).unwrap();
        let place = builder.access_chain(of_address, None, variable, [zero]).unwrap();
        let pointer = builder.load(address, None, place, None, []).unwrap();
        let pointer = match way {
            Way::Direct => pointer,
            Way::Element(index) => {
                let index = builder.constant_bit32(uint, index);
                builder.ptr_access_chain(address, None, pointer, index, []).unwrap()
            }
            Way::Unknown => {
                let long = builder.type_int(64, 0);
                let number = builder.convert_ptr_to_u(long, None, pointer).unwrap();
                let number = builder.not(long, None, number).unwrap();
                builder.convert_u_to_ptr(address, None, number).unwrap()
            }
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
