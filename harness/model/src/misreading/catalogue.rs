//! The faults of the model device, by name.

use super::{
    ArrayLevel, DescriptorFault, FaultyMatrices, Indices, LayoutFault, ListEnd, Misreading, ModelFault, Move,
    NeighbourSide, RunFault, Stores, WrongStride,
};
use layoutproof_probes::AddressSpace;

/// The faults that binding probes must detect.
pub const BINDING_MISREADINGS: &[Misreading] = &[
    descriptors("swapped-bindings", "two bindings of one set are swapped", DescriptorFault::Bindings),
    descriptors("swapped-sets", "two bindings in different sets are swapped", DescriptorFault::Sets),
    descriptors("swapped-elements", "two elements of one array are swapped", DescriptorFault::Elements),
];

/// The faults that byte probes must detect.
pub const MISREADINGS: &[Misreading] = &[
    layout("shifted", "the block starts 4 bytes late", LayoutFault::Shifted(4)),
    layout("shifted-sixteen", "the block starts 16 bytes late", LayoutFault::Shifted(16)),
    stride("array-stride-four", "array elements are 4 bytes apart", ArrayLevel::All, WrongStride::Bytes(4)),
    stride("array-stride-eight", "array elements are 8 bytes apart", ArrayLevel::All, WrongStride::Bytes(8)),
    stride("array-stride-sixteen", "array elements are 16 bytes apart", ArrayLevel::All, WrongStride::Bytes(16)),
    stride(
        "array-stride-rounded",
        "array strides are rounded up to 16 bytes",
        ArrayLevel::All,
        WrongStride::RoundedTo(16),
    ),
    stride("array-stride-tight", "array elements adjoin", ArrayLevel::All, WrongStride::Tight),
    stride("outer-stride-tight", "the inner arrays of arrays adjoin", ArrayLevel::Outer, WrongStride::Tight),
    stride(
        "inner-stride-rounded",
        "strides of inner arrays are rounded up",
        ArrayLevel::Inner,
        WrongStride::RoundedTo(16),
    ),
    stride("inner-stride-tight", "the elements of inner arrays adjoin", ArrayLevel::Inner, WrongStride::Tight),
    layout("matrix-stride-tight", "matrix vectors adjoin", LayoutFault::MatrixStride(WrongStride::Tight)),
    layout(
        "matrix-stride-rounded",
        "matrix vectors are 16 bytes apart",
        LayoutFault::MatrixStride(WrongStride::RoundedTo(16)),
    ),
    layout("matrix-stride-doubled", "matrix strides are doubled", LayoutFault::MatrixStride(WrongStride::Doubled)),
    layout("majorness-swapped", "rows are read as columns", LayoutFault::Majorness(FaultyMatrices::All)),
    layout(
        "first-majorness-swapped",
        "rows of a struct's first matrix are read as columns",
        LayoutFault::Majorness(FaultyMatrices::First),
    ),
    layout(
        "element-majorness-swapped",
        "rows of matrices in arrays are read as columns",
        LayoutFault::Majorness(FaultyMatrices::Elements),
    ),
    layout(
        "neighbours-swapped",
        "the first two members of a struct are swapped",
        LayoutFault::NeighboursSwapped(ListEnd::First),
    ),
    layout(
        "last-neighbours-swapped",
        "the last two members of a struct are swapped",
        LayoutFault::NeighboursSwapped(ListEnd::Last),
    ),
    layout("last-member-at-end", "the last member is at the end of the block", LayoutFault::LastAtEnd),
    layout(
        "vector3-as-vector4",
        "vectors of three take as many bytes as vectors of four",
        LayoutFault::Moved(Move::BehindVectorOfThree),
    ),
    layout("array-tail-lost", "no member is in the last 16 bytes of an array", LayoutFault::Moved(Move::BehindArray)),
    layout("matrix-tail-lost", "no member is in the last 16 bytes of a matrix", LayoutFault::Moved(Move::BehindMatrix)),
    layout("struct-tail-lost", "no member is in the last 16 bytes of a struct", LayoutFault::Moved(Move::BehindStruct)),
    layout("struct-aligned-sixteen", "structs start at multiples of 16 bytes", LayoutFault::Moved(Move::StructUp)),
    layout("struct-unaligned", "structs follow without padding", LayoutFault::Moved(Move::StructDown)),
    layout("struct-offset-ignored", "structs are at the start of their parent", LayoutFault::StructsAtStart),
    only_in(
        AddressSpace::Storage,
        stride(
            "storage-as-std140",
            "array strides of storage blocks are rounded up to 16 bytes",
            ArrayLevel::All,
            WrongStride::RoundedTo(16),
        ),
    ),
    only_in(
        AddressSpace::Uniform,
        stride("uniform-as-scalar", "array elements of uniform blocks adjoin", ArrayLevel::All, WrongStride::Tight),
    ),
    only_in(
        AddressSpace::PushConstant,
        layout("push-offset-ignored", "push constants are read 16 bytes from their place", LayoutFault::Shifted(16)),
    ),
    only_in(AddressSpace::PushConstant, run("push-constants-lost", "push constants are zero", RunFault::BlockZero)),
    only_in(
        AddressSpace::ShaderRecord,
        layout(
            "record-handle-skipped-twice",
            "shader records are read 32 bytes from their place",
            LayoutFault::Shifted(32),
        ),
    ),
    only_in(
        AddressSpace::ShaderRecord,
        stride(
            "record-as-std140",
            "array strides of shader records are rounded up to 16 bytes",
            ArrayLevel::All,
            WrongStride::RoundedTo(16),
        ),
    ),
    only_in(
        AddressSpace::ShaderRecord,
        run("record-index-ignored", "every shader record is the first one of its table", RunFault::FirstElement),
    ),
    only_in(AddressSpace::ShaderRecord, run("record-lost", "shader records are zero", RunFault::BlockZero)),
    only_in(
        AddressSpace::Workgroup,
        stride(
            "workgroup-as-std140",
            "array strides of blocks in workgroup memory are rounded up to 16 bytes",
            ArrayLevel::All,
            WrongStride::RoundedTo(16),
        ),
    ),
    only_in(
        AddressSpace::Workgroup,
        layout("workgroup-offset-ignored", "blocks in workgroup memory start 16 bytes late", LayoutFault::Shifted(16)),
    ),
    only_in(
        AddressSpace::Workgroup,
        run("workgroup-blocks-apart", "blocks in workgroup memory share no bytes", RunFault::WorkgroupApart),
    ),
    run(
        "array-specialization-ignored",
        "arrays have the default lengths of specialization constants",
        RunFault::SpecializationIgnored,
    ),
    run(
        "untyped-declaration-followed",
        "untyped pointers follow the type with which the memory is declared",
        RunFault::DeclaredTypesFollowed,
    ),
    run("untyped-matrices-tight", "columns of matrices behind untyped pointers adjoin", RunFault::UntypedMatricesTight),
    run("block-zero", "the block is not bound: reads give 0", RunFault::BlockZero),
    run("write-lost", "the first store is lost", RunFault::StoresLost(Stores::First)),
    run("last-write-lost", "the last store is lost", RunFault::StoresLost(Stores::Last)),
    run("every-second-write-lost", "every second store is lost", RunFault::StoresLost(Stores::EverySecond)),
    run("write-to-neighbour", "stores go one word too far", RunFault::StoresShifted(4)),
    run("padding-touched", "a store clears the word after it", RunFault::WordTouched(NeighbourSide::Behind)),
    run("padding-touched-before", "a store clears the word before it", RunFault::WordTouched(NeighbourSide::Before)),
    run(
        "memory-behind-touched",
        "the word after the bound range is cleared",
        RunFault::RangeTouched(NeighbourSide::Behind),
    ),
    run(
        "memory-before-touched",
        "the word before the bound range is cleared",
        RunFault::RangeTouched(NeighbourSide::Before),
    ),
    run("range-short", "the last 4 bytes of the bound range read as 0 and cannot be written", RunFault::RangeShort(4)),
    only_in(
        AddressSpace::Address,
        run("address-rounded", "device addresses are rounded down to 64 bytes", RunFault::AddressRounded(64)),
    ),
    only_in(
        AddressSpace::Address,
        layout(
            "pointer-stride-tight",
            "elements behind a pointer adjoin",
            LayoutFault::PointerStride(WrongStride::Tight),
        ),
    ),
    only_in(
        AddressSpace::Address,
        layout(
            "pointer-stride-rounded",
            "elements behind a pointer are at multiples of 16 bytes",
            LayoutFault::PointerStride(WrongStride::RoundedTo(16)),
        ),
    ),
    only_in(
        AddressSpace::Address,
        layout(
            "pointer-index-ignored",
            "every element behind a pointer is the first one",
            LayoutFault::PointerStride(WrongStride::Bytes(0)),
        ),
    ),
    run("element-ignored", "every element of an array of buffers is the first one", RunFault::FirstElement),
    run("length-too-long", "arrays without a length have one element too many", RunFault::LengthPlusOne),
    run(
        "length-from-first-member",
        "the length of an array is counted from the first declared member of its element",
        RunFault::LengthFromFirstMember,
    ),
    only_in(
        AddressSpace::Uniform,
        run("uniform-array-of-one-zero", "local arrays of one number read as zero", RunFault::LocalArrayOfOneZero),
    ),
    only_in(
        AddressSpace::PushConstant,
        run("push-array-of-one-zero", "local arrays of one number read as zero", RunFault::LocalArrayOfOneZero),
    ),
    only_in(
        AddressSpace::PushConstant,
        run(
            "push-end-stale",
            "the end of a 64-bit vector that ends the push constants is an earlier dispatch's",
            RunFault::EndOfVectorStale,
        ),
    ),
    run("memory-index-ignored", "indices that come from memory are read as 0", RunFault::IndicesWrong(Indices::Zero)),
    run(
        "first-lane-index",
        "all lanes of a workgroup use the indices of the first one",
        RunFault::IndicesWrong(Indices::OfFirstLane),
    ),
    run("idle", "the dispatch does nothing", RunFault::Idle),
    run("stale-output", "the output is that of the previous dispatch", RunFault::StaleOutput),
    run("nonce-only", "only the nonce is stored", RunFault::NonceOnly),
];

const fn layout(name: &'static str, summary: &'static str, fault: LayoutFault) -> Misreading {
    Misreading { name, summary, space: None, fault: ModelFault::Layout(fault) }
}

const fn stride(name: &'static str, summary: &'static str, dimension: ArrayLevel, stride: WrongStride) -> Misreading {
    layout(name, summary, LayoutFault::ArrayStride(dimension, stride))
}

const fn run(name: &'static str, summary: &'static str, fault: RunFault) -> Misreading {
    Misreading { name, summary, space: None, fault: ModelFault::Run(fault) }
}

const fn only_in(space: AddressSpace, misreading: Misreading) -> Misreading {
    Misreading { space: Some(space), ..misreading }
}

const fn descriptors(name: &'static str, summary: &'static str, fault: DescriptorFault) -> Misreading {
    Misreading { name, summary, space: None, fault: ModelFault::Descriptors(fault) }
}
