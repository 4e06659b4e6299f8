//! The table of rule sets. Each row repeats its family's row and states only the differences.
//!
//! [`super::rules`] documents the columns.

use super::alignment::Alignment;
use super::block_rules::BlockRules;
use super::rules::{
    ArrayOrder, ArrayStride, BitFields, ElementOrder, EmptyMembers, Enums, Example, Forbid, GlobalRegister,
    GlslQualifier, HomeBuffer, Matrices, MatrixStart, OneDimensional, PackOffsetRule, Placement, Platform, RuleSet,
    Straddle, StraddleSize, StructPadding, UnsizedArrays, VectorAlignment, Versions, VkOffset,
};

pub fn table() -> &'static [RuleSet] {
    TABLE
}

pub fn find(name: &str) -> Option<&'static RuleSet> {
    TABLE.iter().find(|rules| rules.name == name)
}

const DXC_1_7: &str = "DXC 1.7.2308, listing with -T cs_6_6 -enable-16bit-types";
const DXC_1_7_SPIRV: &str = "DXC 1.7.2308, decorations with -spirv";
const SLANG: &str = "Slang 2026.12, reflection";
const SLANG_2026_14: &str = "Slang 2026.14.1, reflection and HLSL text";
const WGSL: &str = "WGSL, Alignment and Size; Address Space Layout Constraints";

const PLAIN: Placement = Placement {
    straddle: Straddle::Allowed,
    straddle_size: StraddleSize::Own,
    matrix_start: MatrixStart::DeclaredOrder,
    align_single_vectors: true,
    enum_alignment: None,
    empty: EmptyMembers::Nothing,
    minimum_precision_rows: false,
    minimum_precision_alignment: Alignment::ONE,
};
const REGISTERS: Placement = Placement { straddle: Straddle::NoMember, ..PLAIN };
const DXC_SPIRV: Placement = Placement { empty: EmptyMembers::Aligned, ..PLAIN };
const VECTOR_REGISTERS: Placement = Placement { straddle: Straddle::NoVector, ..DXC_SPIRV };
const DXC_IN_STRUCT: Placement = Placement {
    straddle_size: StraddleSize::Natural,
    matrix_start: MatrixStart::DefaultOrder,
    enum_alignment: Some(Alignment::FOUR),
    minimum_precision_alignment: Alignment::FOUR,
    empty: EmptyMembers::StartRegister,
    ..REGISTERS
};
const DXC_DIRECT: Placement = Placement { align_single_vectors: false, minimum_precision_rows: true, ..REGISTERS };

const DXC_SPIRV_FORBIDS: &[Forbid] = &[Forbid::ColumnMajorIntegers, Forbid::VkOffsetInCbuffer, Forbid::LongVectors];

/// `scalar` as its specification defines it; every other row starts from here. The next member
/// follows "the last basic machine unit consumed" by the previous one, so it may use the tail of a
/// struct, unlike in C.
const SCALAR: RuleSet = RuleSet {
    name: "scalar",
    summary: "every type at its component's alignment; the next member may use the tail of a struct",
    source: "GL_EXT_scalar_block_layout; glslang 12",
    example: Example {
        declaration: "struct S { double d; float f; }; struct T { S s; float g; };",
        offsets: &[0, 12],
        size: 16,
    },
    versions: None,
    home: HomeBuffer::Storage,
    glsl: Some(GlslQualifier { extension: Some("GL_EXT_scalar_block_layout"), in_uniform_blocks: true }),
    platform: Platform::Other,
    has_registers: false,
    bool_size: 4,
    vectors: VectorAlignment::Component,
    array_alignment: Alignment::ONE,
    array_stride: ArrayStride::Rounded,
    pad_arrays: false,
    unsized_arrays: UnsizedArrays::InPlace,
    struct_alignment: Alignment::ONE,
    pad_structs: StructPadding::None,
    matrices: Matrices::ArrayOfVectors,
    one_dimensional: OneDimensional::Matrix,
    array_order: ArrayOrder::Declared,
    element_order: ElementOrder::Declared,
    enums: Enums::Underlying,
    pointer_size: 8,
    bit_fields: BitFields::Widening,
    members: PLAIN,
    direct: None,
    packoffset: PackOffsetRule::RestBehindHighest,
    vk_offset: VkOffset::Honoured,
    global_register: GlobalRegister::Refused,
    block_rules: BlockRules::Scalar,
    forbids: &[Forbid::LongVectors],
};

const STD430: RuleSet = RuleSet {
    name: "std430",
    summary: "vectors at powers of two; GLSL storage blocks",
    source: "OpenGL 4.6, 7.6.2.2",
    example: Example { declaration: "struct T { float3 a; float b[2]; float c; };", offsets: &[0, 12, 20], size: 32 },
    glsl: Some(GlslQualifier { extension: None, in_uniform_blocks: false }),
    vectors: VectorAlignment::PowerOfTwo,
    pad_arrays: true,
    pad_structs: StructPadding::Padded,
    block_rules: BlockRules::UniformStandard,
    ..SCALAR
};

const STD140: RuleSet = RuleSet {
    name: "std140",
    summary: "vectors at powers of two, arrays and structs in steps of 16 bytes; GLSL uniform blocks",
    example: Example { declaration: "struct T { float3 a; float b[2]; float c; };", offsets: &[0, 16, 48], size: 64 },
    home: HomeBuffer::Uniform,
    glsl: Some(GlslQualifier { extension: None, in_uniform_blocks: true }),
    array_alignment: Alignment::REGISTER,
    struct_alignment: Alignment::REGISTER,
    block_rules: BlockRules::Relaxed,
    ..STD430
};

/// The rules that all SPIR-V layouts of DXC share.
const STD430_DXC: RuleSet = RuleSet {
    name: "std430@dxc",
    summary: "std430 with DXC's -fvk-use-gl-layout: 1xN matrices are vectors, enums are 32-bit",
    source: DXC_1_7_SPIRV,
    example: Example { declaration: "struct T { float a; float1x3 b; float c; };", offsets: &[0, 16, 28], size: 32 },
    glsl: None,
    one_dimensional: OneDimensional::Vector,
    enums: Enums::Int32,
    bit_fields: BitFields::SameType,
    members: DXC_SPIRV,
    packoffset: PackOffsetRule::Ascending,
    global_register: GlobalRegister::LetterC,
    forbids: DXC_SPIRV_FORBIDS,
    ..STD430
};

const STD140_DXC: RuleSet = RuleSet {
    name: "std140@dxc",
    summary: "std140 with DXC's -fvk-use-gl-layout: 1xN matrices are vectors, enums are 32-bit",
    home: HomeBuffer::Uniform,
    array_alignment: Alignment::REGISTER,
    struct_alignment: Alignment::REGISTER,
    block_rules: BlockRules::Relaxed,
    ..STD430_DXC
};

const ARRAY_ORDER_EXAMPLE: &str = "struct T { row_major float2x3 a[2]; float b; };";

const STD430_SLANG: RuleSet = RuleSet {
    name: "std430@slang",
    summary: "std430 in Slang: arrays of matrices ignore row_major and column_major",
    source: SLANG_2026_14,
    example: Example { declaration: ARRAY_ORDER_EXAMPLE, offsets: &[0, 48], size: 56 },
    glsl: None,
    array_order: ArrayOrder::Default,
    vk_offset: VkOffset::Aligned,
    ..STD430
};

/// A D3D constant buffer as Slang lays it out. DXC's rows start from here.
const SLANG_CBUFFER: RuleSet = RuleSet {
    name: "slang-cbuffer",
    summary: "D3D constant buffers as Slang lays them out",
    source: SLANG,
    example: Example { declaration: "struct T { half3x3 a; half b; };", offsets: &[0, 38], size: 40 },
    home: HomeBuffer::Uniform,
    glsl: None,
    platform: Platform::Direct3d,
    has_registers: true,
    array_alignment: Alignment::REGISTER,
    pad_arrays: false,
    struct_alignment: Alignment::REGISTER,
    pad_structs: StructPadding::None,
    array_order: ArrayOrder::Default,
    pointer_size: 0,
    members: REGISTERS,
    vk_offset: VkOffset::Ignored,
    ..SCALAR
};

const HLSL_CBUFFER: RuleSet = RuleSet {
    name: "hlsl-cbuffer",
    summary: "D3D constant buffers as DXC lays them out, members declared directly in cbuffer included",
    source: DXC_1_7,
    example: Example { declaration: "cbuffer T { float a; double1x1 b; };", offsets: &[0, 4], size: 12 },
    matrices: Matrices::Registers,
    array_order: ArrayOrder::Declared,
    bit_fields: BitFields::SameSize,
    members: DXC_IN_STRUCT,
    direct: Some(DXC_DIRECT),
    global_register: GlobalRegister::AnyLetter,
    forbids: &[Forbid::Pointers, Forbid::LongVectors],
    ..SLANG_CBUFFER
};

const HLSL_STRUCTURED: RuleSet = RuleSet {
    name: "hlsl-structured",
    summary: "an element of a D3D structured buffer as DXC lays it out: like C, with 4-byte bool",
    source: DXC_1_7,
    example: Example { declaration: "struct T { float a; double b; float c; };", offsets: &[0, 8, 16], size: 24 },
    glsl: None,
    platform: Platform::Direct3d,
    pad_arrays: true,
    pad_structs: StructPadding::Padded,
    element_order: ElementOrder::Default,
    bit_fields: BitFields::SameSize,
    packoffset: PackOffsetRule::Refused,
    vk_offset: VkOffset::Ignored,
    forbids: &[Forbid::Pointers],
    ..SCALAR
};

const DX_CBUFFER: RuleSet = RuleSet {
    name: "dx-cbuffer",
    summary: "DXC's -fvk-use-dx-layout for constant and texture buffers; not quite hlsl-cbuffer",
    source: DXC_1_7_SPIRV,
    example: Example { declaration: "struct T { double3x3 a; float b; };", offsets: &[0, 56], size: 60 },
    home: HomeBuffer::Uniform,
    has_registers: true,
    vectors: VectorAlignment::Component,
    array_alignment: Alignment::REGISTER,
    pad_arrays: false,
    struct_alignment: Alignment::REGISTER,
    pad_structs: StructPadding::None,
    matrices: Matrices::DxSpirv,
    one_dimensional: OneDimensional::VectorIfContiguous,
    members: VECTOR_REGISTERS,
    block_rules: BlockRules::Scalar,
    ..STD430_DXC
};

const DX_STRUCTURED: RuleSet = RuleSet {
    name: "dx-structured",
    summary: "DXC's -fvk-use-dx-layout for storage buffers and push constants",
    example: Example { declaration: "struct T { float a; float3 b; double c; };", offsets: &[0, 4, 16], size: 24 },
    vectors: VectorAlignment::Component,
    packoffset: PackOffsetRule::Refused,
    block_rules: BlockRules::Scalar,
    ..STD430_DXC
};

const WGSL_STORAGE: RuleSet = RuleSet {
    name: "wgsl-storage",
    summary: "WGSL storage buffers",
    source: WGSL,
    example: Example { declaration: "struct T { float3 a; float b; float c[2]; };", offsets: &[0, 12, 16], size: 32 },
    glsl: None,
    platform: Platform::Webgpu,
    packoffset: PackOffsetRule::Refused,
    vk_offset: VkOffset::Ignored,
    block_rules: BlockRules::Relaxed,
    forbids: &[Forbid::NotWgsl, Forbid::LongVectors],
    ..STD430
};

const TABLE: &[RuleSet] = &[
    HLSL_CBUFFER,
    RuleSet {
        name: "hlsl-cbuffer-struct",
        summary: "hlsl-cbuffer with DXC's rules for ConstantBuffer<T> and nested structs applied to all members",
        example: Example { declaration: "struct T { float a; double1x1 b; };", offsets: &[0, 8], size: 16 },
        direct: None,
        ..HLSL_CBUFFER
    },
    SLANG_CBUFFER,
    HLSL_STRUCTURED,
    RuleSet {
        name: "hlsl-structured@slang",
        summary: "an element of a D3D structured buffer as Slang lays it out: structs and arrays are not padded",
        source: SLANG,
        example: Example {
            declaration: "struct S { double d; float f; }; struct T { S s; float g; };",
            offsets: &[0, 12],
            size: 16,
        },
        pad_arrays: false,
        pad_structs: StructPadding::None,
        array_order: ArrayOrder::Default,
        element_order: ElementOrder::Declared,
        bit_fields: BitFields::Widening,
        forbids: &[Forbid::LongVectors],
        ..HLSL_STRUCTURED
    },
    STD140,
    STD140_DXC,
    RuleSet {
        name: "std140@slang",
        summary: "std140 in Slang: arrays of matrices ignore row_major and column_major",
        example: Example { declaration: ARRAY_ORDER_EXAMPLE, offsets: &[0, 96], size: 112 },
        home: HomeBuffer::Uniform,
        array_alignment: Alignment::REGISTER,
        struct_alignment: Alignment::REGISTER,
        block_rules: BlockRules::Relaxed,
        ..STD430_SLANG
    },
    STD430,
    STD430_DXC,
    STD430_SLANG,
    SCALAR,
    RuleSet {
        name: "scalar@slang",
        summary: "scalar with Slang's -fvk-use-scalar-layout: arrays of matrices ignore row_major and column_major",
        source: SLANG_2026_14,
        example: Example { declaration: ARRAY_ORDER_EXAMPLE, offsets: &[0, 48], size: 52 },
        glsl: None,
        array_order: ArrayOrder::Default,
        vk_offset: VkOffset::Aligned,
        ..SCALAR
    },
    RuleSet {
        name: "scalar@dxc",
        summary: "scalar with DXC's -fvk-use-scalar-layout up to 1.8: nothing is padded, strides included",
        example: Example {
            declaration: "struct S { double d; float f; }; struct T { S s[2]; float g; };",
            offsets: &[0, 24],
            size: 28,
        },
        versions: Some(Versions { compiler: "dxc", from: None, before: Some("1.8.2502") }),
        vectors: VectorAlignment::Component,
        array_stride: ArrayStride::Packed,
        pad_structs: StructPadding::None,
        block_rules: BlockRules::Scalar,
        ..STD430_DXC
    },
    RuleSet {
        name: "scalar@dxc-1.9",
        summary: "scalar with DXC's -fvk-use-scalar-layout from 1.9: structs are padded as in C",
        source: "DXC's source since 1.9.2602: scalar layout rounds structs and strides",
        example: Example {
            declaration: "struct S { double d; float f; }; struct T { S s[2]; float g; };",
            offsets: &[0, 32],
            size: 40,
        },
        versions: Some(Versions { compiler: "dxc", from: Some("1.9.2602"), before: None }),
        vectors: VectorAlignment::Component,
        block_rules: BlockRules::Scalar,
        ..STD430_DXC
    },
    RuleSet {
        name: "relaxed140",
        summary: "DXC's SPIR-V default for constant buffers: std140, but vectors need only not straddle 16 bytes",
        example: Example { declaration: "struct T { float a; float3 b; float2 c; };", offsets: &[0, 4, 16], size: 32 },
        members: VECTOR_REGISTERS,
        ..STD140_DXC
    },
    RuleSet {
        name: "relaxed430",
        summary: "DXC's SPIR-V default for storage buffers: std430, but vectors need only not straddle 16 bytes",
        example: Example { declaration: "struct T { float a; float3 b; float2 c; };", offsets: &[0, 4, 16], size: 32 },
        members: VECTOR_REGISTERS,
        ..STD430_DXC
    },
    DX_CBUFFER,
    DX_STRUCTURED,
    RuleSet {
        name: "wgsl-uniform",
        summary: "WGSL uniform buffers: the offsets of storage buffers, with more restrictions",
        example: Example {
            declaration: "struct T { float3 a; float b; float4 c[2]; };",
            offsets: &[0, 12, 16],
            size: 48,
        },
        home: HomeBuffer::Uniform,
        forbids: &[Forbid::NotWgsl, Forbid::Unsized, Forbid::WgslUniform, Forbid::LongVectors],
        ..WGSL_STORAGE
    },
    WGSL_STORAGE,
    RuleSet {
        name: "c",
        global_register: GlobalRegister::Ignored,
        summary: "C and C++ on the CPU as Slang lays them out, Metal's structured buffers included",
        source: SLANG,
        example: Example { declaration: "struct T { bool a; float3 b; bool c; };", offsets: &[0, 4, 16], size: 20 },
        glsl: None,
        array_order: ArrayOrder::Default,
        bool_size: 1,
        unsized_arrays: UnsizedArrays::Pointer { size: 16 },
        pad_arrays: true,
        pad_structs: StructPadding::Padded,
        vk_offset: VkOffset::Ignored,
        ..SCALAR
    },
    RuleSet {
        name: "metal",
        summary: "Metal's constant buffers: three-component vectors take four components",
        source: SLANG,
        example: Example { declaration: "struct T { float3 a; float b; };", offsets: &[0, 16], size: 32 },
        glsl: None,
        array_order: ArrayOrder::Default,
        bool_size: 1,
        unsized_arrays: UnsizedArrays::Pointer { size: 16 },
        vectors: VectorAlignment::PaddedPowerOfTwo,
        vk_offset: VkOffset::Ignored,
        ..STD430
    },
    RuleSet {
        name: "cuda",
        global_register: GlobalRegister::Ignored,
        summary: "CUDA's vector types",
        source: SLANG,
        example: Example { declaration: "struct T { float a; float3 b; float4 c; };", offsets: &[0, 4, 16], size: 32 },
        glsl: None,
        array_order: ArrayOrder::Default,
        bool_size: 1,
        vectors: VectorAlignment::Cuda,
        unsized_arrays: UnsizedArrays::Pointer { size: 8 },
        pad_structs: StructPadding::PaddedExceptEntryUniforms,
        pad_arrays: true,
        vk_offset: VkOffset::Ignored,
        ..SCALAR
    },
];
