//! Planted faults: each way in which a device can misread a block, so that the harness can prove it notices.
//!
//! [`MISREADINGS`] in `catalogue` names them. `plant` changes the decorations before the module runs, as a compiler or
//! driver with the same mistake would; `disturb` changes stores, buffers and the dispatch itself; `rewire` swaps
//! descriptors of a binding probe. The probe's output and input are left alone, but for the faults that are about them.

mod catalogue;
mod disturb;
mod plant;
mod rewire;

use layoutproof_device::{BufferKind, Job};
use rspirv::spirv::StorageClass;

use crate::inspect::spirv::types::SpirvVariable;
use crate::probe::{self, AddressSpace};

pub use catalogue::{BINDING_MISREADINGS, MISREADINGS};
pub(super) use disturb::Disturbance;

/// Set and binding of the probe's output.
pub(super) const OUTPUT: (u32, u32) = (0, 1);

/// A fault of the model device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misreading {
    /// Name on the command line.
    pub name: &'static str,
    /// A sentence that says how the device behaves.
    pub summary: &'static str,
    /// The only space whose blocks it concerns; `None` for all.
    space: Option<AddressSpace>,
    fault: ModelFault,
}

/// Where a fault acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ModelFault {
    /// On the layout that the module declares.
    Layout(LayoutFault),
    /// While the module runs.
    Run(RunFault),
    /// On the descriptors of a binding probe.
    Descriptors(DescriptorFault),
}

/// Which two descriptors of one kind change places: the first two that differ in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DescriptorFault {
    /// Two bindings of one set.
    Bindings,
    /// Two sets.
    Sets,
    /// Two elements of one array.
    Elements,
}

/// A fault of offsets, strides and orders. Numbers are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LayoutFault {
    /// The block starts this many bytes late.
    Shifted(u32),
    /// Strides of arrays.
    ArrayStride(ArrayLevel, WrongStride),
    /// Strides of matrices.
    MatrixStride(WrongStride),
    /// `RowMajor` and `ColMajor` are swapped.
    Majorness(FaultyMatrices),
    /// Two neighbouring members of every struct have each other's offset.
    NeighboursSwapped(ListEnd),
    /// The last member of the block ends where its last 16 bytes end.
    LastAtEnd,
    /// Members move, and those behind them with them.
    Moved(Move),
    /// Structs stand at the start of what is around them.
    StructsAtStart,
}

/// Which dimensions of arrays of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayLevel {
    All,
    /// Arrays whose elements are arrays.
    Outer,
    /// Arrays that are elements of arrays.
    Inner,
}

/// The stride that takes the place of a declared one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WrongStride {
    /// This many bytes.
    Bytes(u32),
    /// As long as the data of an element.
    Tight,
    /// The stride itself, rounded up to this many bytes.
    RoundedTo(u32),
    /// Twice the stride.
    Doubled,
}

/// Which matrices.
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

/// Which members move, and where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Behind the four components that a vector of three is taken for.
    BehindVectorOfThree,
    /// To the next 16 bytes behind an array.
    BehindArray,
    /// To the next 16 bytes behind a matrix.
    BehindMatrix,
    /// To the next 16 bytes behind a struct.
    BehindStruct,
    /// Structs, to the next 16 bytes.
    StructUp,
    /// Structs, to the end of the data before them.
    StructDown,
}

/// A fault beside the layout. Numbers are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunFault {
    /// The dispatch does nothing.
    Idle,
    /// Nothing is stored but the nonce.
    NonceOnly,
    /// The dispatch does nothing, and the output is that of the dispatch before.
    StaleOutput,
    /// Stores to the block are lost.
    StoresLost(Stores),
    /// Stores to the block go this far behind their place.
    StoresShifted(u32),
    /// Every store to the block clears the word beside what it stores.
    WordTouched(NeighbourSide),
    /// The dispatch clears the word beside the bound range of the block.
    RangeTouched(NeighbourSide),
    /// The bound range of the block ends this much earlier: reads give 0 there, writes are lost.
    RangeShort(u32),
    /// The block's bytes are not there: reads give 0.
    BlockZero,
    /// Every element of an array of buffers has the bytes of the first one.
    FirstElement,
    /// Arrays without a length have one element more than there is room for.
    LengthPlusOne,
    /// Indices into the block that come from memory.
    IndicesWrong(Indices),
}

/// The value that is used for an index that comes from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indices {
    /// It is taken for 0.
    Zero,
    /// It is that of the first lane in every lane.
    OfFirstLane,
}

/// Which stores to the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stores {
    First,
    Last,
    /// The second, fourth and so on.
    EverySecond,
}

/// Which neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NeighbourSide {
    Before,
    Behind,
}

impl Misreading {
    /// The fault of this name.
    pub fn find(name: &str) -> Option<Self> {
        MISREADINGS.iter().chain(BINDING_MISREADINGS).find(|misreading| misreading.name == name).copied()
    }

    /// Returns true if the fault shows in `job`.
    pub(super) fn concerns(&self, job: &Job) -> bool {
        let is_binding_probe = job.entry == probe::binding::ENTRY;
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

/// Where the block under test lives in a probe's job; elements of arrays of buffers count as buffers.
fn space_of(job: &Job) -> AddressSpace {
    let block = job.buffers.iter().find(|buffer| is_block(Some(buffer.set), Some(buffer.binding)));
    match block.map(|block| block.kind) {
        Some(BufferKind::Uniform) => AddressSpace::Uniform,
        Some(BufferKind::Storage | BufferKind::StorageRead) => AddressSpace::Storage,
        Some(BufferKind::Address { .. }) => AddressSpace::Address,
        None => AddressSpace::PushConstant,
    }
}

/// Returns true if a variable is a block under test: not the probe's output or input.
fn is_tested(variable: &SpirvVariable) -> bool {
    match variable.class {
        StorageClass::PushConstant => true,
        StorageClass::Uniform | StorageClass::StorageBuffer => is_block(variable.set, variable.binding),
        _ => false,
    }
}

fn is_block(set: Option<u32>, binding: Option<u32>) -> bool {
    !matches!((set, binding), (Some(0), Some(1..=3)))
}
