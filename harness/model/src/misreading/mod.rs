//! Planted faults: the ways in which a device can misread a block. Tests use them to prove that the
//! harness detects each.
//!
//! [`MISREADINGS`] in `catalogue` names them. `plant` changes the decorations before the module
//! runs, as a faulty compiler or driver would; `disturb` changes stores, buffers and the dispatch
//! itself; `rewire` swaps descriptors of a binding probe. The probe's output and input stay
//! unchanged, except for the faults that concern them.

mod catalogue;
mod disturb;
mod plant;
mod rewire;

use layoutproof_device::{BufferKind, Feature, Job};
use rspirv::spirv::StorageClass;

use layoutproof_probes::{self, AddressSpace};
use layoutproof_readers::spirv::types::{SpirvTypes, SpirvVariable};

pub use catalogue::{BINDING_MISREADINGS, MISREADINGS};
pub(super) use disturb::Disturbance;

/// Set and binding of the probe's output.
pub(super) const OUTPUT: (u32, u32) = (0, 1);

/// A fault of the model device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misreading {
    /// Name on the command line.
    pub name: &'static str,
    /// Describes the device's behaviour in a sentence.
    pub summary: &'static str,
    /// The only address space with affected blocks; `None` for all.
    space: Option<AddressSpace>,
    fault: ModelFault,
}

/// The part of a run that a fault changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelFault {
    /// The layout that the module declares.
    Layout(LayoutFault),
    /// The execution of the module.
    Run(RunFault),
    /// The descriptors of a binding probe.
    Descriptors(DescriptorFault),
}

/// Selects two descriptors of one kind to swap: the first two that differ in this one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescriptorFault {
    Bindings,
    Sets,
    /// Two elements of one array.
    Elements,
}

/// A fault in offsets, strides or orders. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayoutFault {
    /// The block starts this many bytes late.
    Shifted(u32),
    ArrayStride(ArrayLevel, WrongStride),
    MatrixStride(WrongStride),
    /// Elements behind a pointer (`p[1]`).
    PointerStride(WrongStride),
    /// `RowMajor` and `ColMajor` are swapped.
    Majorness(FaultyMatrices),
    /// Two neighbouring members of every struct swap their offsets.
    NeighboursSwapped(ListEnd),
    /// The last member is at the end of the block's last 16 bytes.
    LastAtEnd,
    /// Members move, and the members after them move along.
    Moved(Move),
    /// Structs are at the start of their parent.
    StructsAtStart,
}

/// Selects dimensions of arrays of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayLevel {
    All,
    /// Arrays whose elements are arrays.
    Outer,
    /// Arrays that are elements of arrays.
    Inner,
}

/// The wrong stride that replaces a declared one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrongStride {
    /// This many bytes.
    Bytes(u32),
    /// The size of an element's data.
    Tight,
    /// The declared stride, rounded up to this many bytes.
    RoundedTo(u32),
    /// Twice the declared stride.
    Doubled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultyMatrices {
    All,
    /// The first matrix member of every struct.
    First,
    /// Matrices that are elements of arrays.
    Elements,
}

/// One end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListEnd {
    First,
    Last,
}

/// Selects the members that move, and their new place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// After a vector of three, as if that had four components.
    BehindVectorOfThree,
    /// To the next 16 bytes after an array.
    BehindArray,
    /// To the next 16 bytes after a matrix.
    BehindMatrix,
    /// To the next 16 bytes after a struct.
    BehindStruct,
    /// Structs, up to the next 16 bytes.
    StructUp,
    /// Structs, down to the end of the data before them.
    StructDown,
}

/// A fault outside of the layout. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunFault {
    /// The dispatch does nothing.
    Idle,
    /// Only the nonce is stored.
    NonceOnly,
    /// The dispatch does nothing, and the output is that of the previous dispatch.
    StaleOutput,
    /// Stores to the block are lost.
    StoresLost(Stores),
    /// Stores to the block land this far after their place.
    StoresShifted(u32),
    /// Every store to the block clears the word next to it.
    WordTouched(NeighbourSide),
    /// The dispatch clears the word next to the bound range of the block.
    RangeTouched(NeighbourSide),
    /// The bound range of the block ends this much earlier: reads beyond return 0, writes are lost.
    RangeShort(u32),
    /// The block is not bound: reads return 0.
    BlockZero,
    /// Device addresses are rounded down to a multiple of this.
    AddressRounded(u32),
    /// Every element of an array of buffers reads the bytes of the first one.
    FirstElement,
    /// Arrays without a length report one element more than there is room for.
    LengthPlusOne,
    /// The length of an array without one is counted from the first declared member of its first
    /// element. NVIDIA's driver 580.159.04 does so; it was not tried with untyped pointers.
    LengthFromFirstMember,
    /// A local array of one 32-bit or 64-bit number, or half, reads as zero at an index that is no
    /// constant. NVIDIA's driver 580.159.04 does so if the copy is of a uniform buffer or of push
    /// constants.
    LocalArrayOfOneZero,
    /// Where the block ends in a vector of three or four 64-bit components at 16 modulo 32, the
    /// bytes after the vector's first 16 are those of an earlier dispatch. NVIDIA's driver
    /// 580.159.04 does so.
    EndOfVectorStale,
    /// Arrays whose length is a specialization constant have its default length: elements beyond are
    /// lost.
    SpecializationIgnored,
    /// Blocks of workgroup memory do not share their bytes.
    WorkgroupApart,
    /// Access through untyped pointers follows the type with which the memory is declared.
    DeclaredTypesFollowed,
    /// Columns of matrices that are loaded or stored through untyped pointers adjoin.
    UntypedMatricesTight,
    /// Indices into the block that come from memory are wrong.
    IndicesWrong(Indices),
}

/// The value that replaces an index from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indices {
    /// Always 0.
    Zero,
    /// The value of the first lane, in every lane.
    OfFirstLane,
}

/// Selects stores to the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stores {
    First,
    Last,
    /// The second, fourth and so on.
    EverySecond,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NeighbourSide {
    Before,
    Behind,
}

impl Misreading {
    pub fn find(name: &str) -> Option<Self> {
        MISREADINGS.iter().chain(BINDING_MISREADINGS).find(|misreading| misreading.name == name).copied()
    }

    /// True if the fault can show in `job`.
    pub(super) fn concerns(&self, job: &Job) -> bool {
        let is_binding_probe = job.entry == layoutproof_probes::binding::ENTRY;
        match self.fault {
            ModelFault::Descriptors(_) => is_binding_probe,
            ModelFault::Layout(_) | ModelFault::Run(_) => {
                !is_binding_probe && self.space.is_none_or(|space| space == space_of(job))
            }
        }
    }

    fn run_fault(self) -> Option<RunFault> {
        match self.fault {
            ModelFault::Run(fault) => Some(fault),
            ModelFault::Layout(_) | ModelFault::Descriptors(_) => None,
        }
    }
}

/// The address space of the block under test in a probe's job. Elements of arrays of buffers count
/// as buffers.
fn space_of(job: &Job) -> AddressSpace {
    if job.requires.contains(&Feature::WorkgroupLayout) {
        return AddressSpace::Workgroup;
    }
    // The block comes after the other elements of its array, and after the record with its address.
    let block = job.buffers.iter().rfind(|buffer| is_block(Some(buffer.set), Some(buffer.binding)));
    match block.map(|block| block.kind) {
        Some(BufferKind::Uniform | BufferKind::InlineUniform | BufferKind::HeapUniform) => AddressSpace::Uniform,
        Some(BufferKind::Storage | BufferKind::StorageRead | BufferKind::HeapStorage | BufferKind::Captured) => {
            AddressSpace::Storage
        }
        Some(BufferKind::Address { .. }) => AddressSpace::Address,
        Some(BufferKind::ShaderRecord) => AddressSpace::ShaderRecord,
        None => AddressSpace::PushConstant,
    }
}

/// The variables with blocks under test, without the probe's output and input. A block in workgroup
/// memory comes from a buffer of words, which is not under test.
fn tested_variables(types: &SpirvTypes) -> Vec<&SpirvVariable> {
    let has_workgroup = types.variables.values().any(|variable| types.is_workgroup_block(variable));
    let is_tested = |variable: &&SpirvVariable| match variable.class {
        StorageClass::PushConstant | StorageClass::ShaderRecordBufferKHR => true,
        StorageClass::Uniform | StorageClass::StorageBuffer => {
            !has_workgroup && is_block(variable.set, variable.binding)
        }
        StorageClass::Workgroup => types.is_workgroup_block(variable) && !is_words(variable),
        _ => false,
    };
    types.variables.values().filter(is_tested).collect()
}

/// True for the variable that fills workgroup memory.
fn is_words(variable: &SpirvVariable) -> bool {
    variable.name.as_deref() == Some(layoutproof_probes::WORKGROUP_WORDS)
}

fn is_block(set: Option<u32>, binding: Option<u32>) -> bool {
    !matches!((set, binding), (Some(0), Some(1..=3)))
}
