//! Limits of compilers and APIs on blocks that a rule set can lay out: sizes, and types that a
//! compiler rejects.
//!
//! A block that exceeds a limit keeps its layout, because the rule set defines it; [`exceeded`]
//! names the compilers and APIs that reject the block. A [`Forbid`](crate::rules::Forbid) of the
//! rule set covers declarations whose layout is undefined.
//!
//! Source: each row names its own. The compilers ran as `dxc -T cs_6_6`, `dxc -T cs_6_6 -spirv`,
//! `slangc -target hlsl`, `-target spirv -O0`, `-target wgsl` and `-target metal`; spirv-val 2023.1
//! checked Slang's SPIR-V.

use super::native::Native;
use super::rules::RuleSet;
use super::tree::{BlockLayout, Extent, LaidOut, LaidOutShape};
use super::views::join;
use super::{BlockRules, find};
use crate::resource::ResourceKind;
use crate::scalar::Scalar;
use crate::shape::{Count, MatrixOrder, Member, StructType, Type};
use crate::{Block, BlockKind, Reach, Span};
use BlockKind::{
    Cbuffer, ConstantBuffer, EntryUniforms, Globals, ParameterBlock, PushConstant, ShaderRecord, StructuredElement,
    Tbuffer, TextureBuffer, UniformBlock,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub subject: LimitSubject,
    /// Prefixes of the names of the [`Native`]s with this limit.
    pub natives: &'static [&'static str],
    /// The end of a sentence about the block: the API that sets the limit, or the compiler's
    /// reaction.
    pub says: &'static str,
    /// The compiler's message with its version, or a clause.
    pub source: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LimitSubject {
    /// Blocks of these kinds with more than `most` bytes. Another row covers sizes above `up_to`.
    Bytes {
        kinds: &'static [BlockKind],
        /// The largest size within the limit, in bytes.
        most: u32,
        /// The largest size that this row covers, in bytes.
        up_to: u32,
    },
    /// Stride of a structured buffer, in bytes.
    Stride(u32),
    /// Blocks of these kinds whose element is not a struct, and arrays of push-constant blocks.
    NoStruct(&'static [BlockKind]),
    /// Blocks of these kinds that hold such a type. An empty list means all kinds.
    Holds(&'static [BlockKind], HeldType),
    /// Types of loads and stores at a constant address of bytes that are or hold such a type.
    AtConstant(HeldType),
    Kind(&'static [BlockKind]),
    /// Push constants with a `[[vk::binding]]`.
    BoundPushConstant,
    /// Push constants in a `cbuffer` declaration.
    PushConstantCbuffer,
    SecondPushConstant,
    /// A `[[vk::offset]]` without the alignment that Vulkan's relaxed block layout requires: a vector
    /// is at a multiple of its component and does not straddle 16 bytes; everything else is at its
    /// alignment under the rule set.
    MisalignedOffset,
    /// A `[[vk::offset]]` that affects only the alignment in the code, so that the member and those
    /// after it have smaller offsets.
    OffsetAsAlignment,
    /// A matrix by rows, or an array of such, with the next member in the padding of the last row.
    MemberInLastRow,
    /// A member of a constant buffer that the code reads from other bytes than the compiler lists.
    ReadElsewhere(Misread),
    /// A parameter that is an array of arrays of resources.
    ArrayOfArrays {
        /// True to cover only arrays whose outermost dimension is unbounded.
        only_unbounded: bool,
    },
    /// A parameter that is an array of resources other than constant buffers.
    ArrayOfResources,
}

/// What DXC's code for Direct3D reads from other bytes of a constant buffer than DXC lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misread {
    /// A matrix with one row or one column inside a register: from the start of the register.
    OneVector,
    /// A matrix of 8-byte components whose vectors are listed 16 bytes apart: 32 bytes apart.
    EightByteVectors,
    /// 8 bytes at an odd word: from the multiple of 8 before it.
    OddWord,
    /// An array inside a register: from the start of the register.
    Array,
}

/// A type that a compiler or target rejects inside a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldType {
    /// A texture, a sampler, a buffer.
    Resource,
    UnsizedArray,
    Pointer,
    /// A matrix with one row or one column.
    OneDimensionalMatrix,
    /// A vector of three components, or a matrix that has some.
    Triple,
    /// Scalars, vectors and matrices of these types.
    Scalars(&'static [Scalar]),
}

/// A block, or a part of it, that exceeds a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceededLimit {
    pub limit: &'static Limit,
    /// The path in the block; empty for the block itself.
    pub path: String,
    /// A sentence without its subject.
    pub message: String,
    /// The declaration of the member or block.
    pub span: Span,
}

const D3D: &[&str] = &["native:dxc-dxil", "native:clang-dxil", "native:fxc", "native:slang-d3d12"];
const DXC: &[&str] = &["native:dxc-"];
const DXC_DXIL: &[&str] = &["native:dxc-dxil"];
const DXC_SPIRV: &[&str] = &["native:dxc-spirv", "native:dxc-1.9-spirv"];
const SLANG: &[&str] = &["native:slang-"];
const SLANG_VULKAN: &[&str] = &["native:slang-vulkan"];
const SLANG_WGSL: &[&str] = &["native:slang-webgpu"];
const VULKAN: &[&str] =
    &["native:dxc-spirv", "native:dxc-1.9-spirv", "native:clang-vulkan", "native:slang-vulkan", "native:glsl"];
const WEBGPU: &[&str] = &["native:slang-webgpu", "native:wgsl"];

const D3D_CONSTANTS: &[BlockKind] =
    &[Cbuffer, ConstantBuffer, Globals, ParameterBlock, PushConstant, EntryUniforms, ShaderRecord];
/// Blocks that DXC's code for Direct3D reads by registers.
const D3D_REGISTERS: &[BlockKind] =
    &[Cbuffer, ConstantBuffer, Globals, PushConstant, ShaderRecord, Tbuffer, TextureBuffer];
const UNIFORMS: &[BlockKind] = &[Cbuffer, ConstantBuffer, Globals, ParameterBlock, UniformBlock];
const ALL: &[BlockKind] = &[];

const NOT_IN_WGSL: &[Scalar] = &[Scalar::Float64, Scalar::Int8, Scalar::Uint8, Scalar::Int16, Scalar::Uint16];
const MINIMUM_PRECISION: &[Scalar] =
    &[Scalar::Min16Float, Scalar::Min16Int, Scalar::Min16Uint, Scalar::Min10Float, Scalar::Min12Int];

pub const LIMITS: &[Limit] = &[
    Limit {
        subject: LimitSubject::Bytes { kinds: D3D_CONSTANTS, most: 65_536, up_to: u32::MAX },
        natives: D3D,
        says: "that a Direct3D shader may use of a constant buffer",
        source: "DXC 1.7.2308: `CBuffer size is 65540 bytes, exceeding maximum of 65536 bytes`",
    },
    Limit {
        subject: LimitSubject::Bytes { kinds: UNIFORMS, most: 65_536, up_to: u32::MAX },
        natives: VULKAN,
        says: "that Vulkan 1.4 guarantees for a uniform buffer",
        source: "Vulkan, Required Limits: maxUniformBufferRange; ask the device",
    },
    Limit {
        subject: LimitSubject::Bytes { kinds: UNIFORMS, most: 16_384, up_to: 65_536 },
        natives: VULKAN,
        says: "that Vulkan before 1.4 guarantees for a uniform buffer",
        source: "Vulkan, Required Limits: maxUniformBufferRange; most devices have 65536",
    },
    Limit {
        subject: LimitSubject::Bytes { kinds: UNIFORMS, most: 65_536, up_to: u32::MAX },
        natives: WEBGPU,
        says: "that WebGPU guarantees for a uniform buffer",
        source: "WebGPU, Limits: maxUniformBufferBindingSize",
    },
    Limit {
        subject: LimitSubject::Bytes { kinds: &[PushConstant, EntryUniforms], most: 256, up_to: u32::MAX },
        natives: VULKAN,
        says: "of push constants that Vulkan 1.4 guarantees",
        source: "Vulkan, Required Limits: maxPushConstantsSize; ask the device",
    },
    Limit {
        subject: LimitSubject::Bytes { kinds: &[PushConstant, EntryUniforms], most: 128, up_to: 256 },
        natives: VULKAN,
        says: "of push constants that Vulkan before 1.4 guarantees",
        source: "Vulkan, Required Limits: maxPushConstantsSize; ask the device",
    },
    Limit {
        subject: LimitSubject::Stride(2048),
        natives: D3D,
        says: "that Direct3D allows for an element of a structured buffer",
        source: "DXC 1.7.2308: `structured buffer elements cannot be larger than 2048 bytes (actual size 2052 bytes)`",
    },
    Limit {
        subject: LimitSubject::NoStruct(&[ConstantBuffer, TextureBuffer]),
        natives: DXC,
        says: "is not a struct, and DXC refuses it",
        source: "DXC 1.7.2308: `'float' cannot be used as a type parameter where a struct/class is required`",
    },
    Limit {
        subject: LimitSubject::NoStruct(&[PushConstant]),
        natives: DXC_SPIRV,
        says: "is not a single struct, and DXC refuses it",
        source: "DXC 1.7.2308: `'push_constant' attribute only applies to global variables of struct type`",
    },
    Limit {
        subject: LimitSubject::PushConstantCbuffer,
        natives: DXC_SPIRV,
        says: "is a cbuffer, and DXC refuses push constants in one",
        source: "DXC 1.7.2308: `'push_constant' attribute only applies to global variables of struct type`",
    },
    Limit {
        subject: LimitSubject::BoundPushConstant,
        natives: DXC_SPIRV,
        says: "has a binding, and DXC refuses it on push constants",
        source: "DXC 1.7.2308: `vk::push_constant attribute cannot be used together with vk::binding attribute`",
    },
    Limit {
        subject: LimitSubject::SecondPushConstant,
        natives: DXC_SPIRV,
        says: "is a second block of push constants, and DXC refuses it",
        source: "DXC 1.7.2308: `cannot have more than one push constant block`, used or not",
    },
    Limit {
        subject: LimitSubject::SecondPushConstant,
        natives: SLANG_VULKAN,
        says: "is a second block of push constants: Vulkan refuses an entry point that uses both",
        source: "slangc 2026.14.1 writes both; spirv-val: `uses more than one PushConstant interface` (VUID 06674)",
    },
    Limit {
        subject: LimitSubject::Holds(&[StructuredElement], HeldType::Resource),
        natives: DXC,
        says: "is a resource in an element of a structured buffer, and DXC refuses it",
        source: "DXC 1.7.2308: `'Texture2D' is an object and cannot be used as a type parameter`",
    },
    Limit {
        subject: LimitSubject::Holds(&[StructuredElement], HeldType::Resource),
        natives: &["native:slang-d3d12", "native:slang-vulkan", "native:slang-webgpu"],
        says: "is a resource in an element of a structured buffer, and slangc refuses it",
        source: "slangc 2026.14.1, E38204: `must not be a resource type or contain an opaque handle type`",
    },
    Limit {
        subject: LimitSubject::Holds(&[ConstantBuffer, TextureBuffer, PushConstant], HeldType::Resource),
        natives: DXC_SPIRV,
        says: "is a resource in a buffer's struct: DXC writes an invalid module",
        source: "DXC 1.7.2308: `In Vulkan, OpTypeStruct must not contain an opaque type` (VUID 04667)",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::UnsizedArray),
        natives: DXC,
        says: "has no length, and DXC refuses it",
        source: "DXC 1.7.2308: `definition of variable with array type needs an explicit size or an initializer`, in structs \
                 `array dimensions of struct/class members must be explicit`",
    },
    Limit {
        subject: LimitSubject::Holds(
            &[Cbuffer, ConstantBuffer, ParameterBlock, PushConstant, StructuredElement],
            HeldType::UnsizedArray,
        ),
        natives: SLANG,
        says: "has no length, and slangc refuses it here",
        source: "slangc 2026.14.1, E31215: `cannot use unsized type 'float[]' in a constant buffer`; E30031 in structured \
                 buffers",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Pointer),
        natives: DXC,
        says: "is a pointer, and DXC refuses it",
        source: "DXC 1.7.2308: `pointers are unsupported in HLSL`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Pointer),
        natives: &["native:slang-d3d12"],
        says: "is a pointer: slangc writes HLSL that no compiler accepts",
        source: "slangc 2026.14.1 -target hlsl writes the type `Ptr<float, ...>`, which HLSL does not have",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Pointer),
        natives: SLANG_WGSL,
        says: "is a pointer: slangc writes WGSL that no compiler accepts",
        source: "slangc 2026.14.1 -target wgsl writes the type `ptr<, f32>`, which is not WGSL",
    },
    Limit {
        subject: LimitSubject::MemberInLastRow,
        natives: &["native:dxc-spirv-dx"],
        says: "has the next member in the padding of its last row, and DXC refuses its own module",
        source: "DXC 1.7.2308: `generated SPIR-V is invalid`, `member 1 at offset 44 overlaps previous member ending at offset \
                 47` for `row_major float3x3 m; float s;`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(MINIMUM_PRECISION)),
        natives: SLANG,
        says: "has a minimum-precision type, which slangc does not know",
        source: "slangc 2026.14.1, E30015: `undefined identifier 'min16float'`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(&[Scalar::Int8, Scalar::Uint8])),
        natives: DXC,
        says: "has an 8-bit type, which DXC does not know",
        source: "DXC 1.7.2308: `unknown type name 'int8_t'`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(&[Scalar::Int8, Scalar::Uint8])),
        natives: &["native:slang-d3d12"],
        says: "has an 8-bit type: slangc writes HLSL that DXC refuses",
        source: "slangc 2026.14.1 -target hlsl writes `uint8_t`; DXC 1.7.2308: `unknown type name 'uint8_t'`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(NOT_IN_WGSL)),
        natives: SLANG_WGSL,
        says: "has a type that WGSL lacks, and slangc refuses it",
        source: "slangc 2026.14.1: E99997 `'double' type emitted`, `8 bit integer type emitted`, E56103 `16-bit integers not \
                 supported in WGSL`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(&[Scalar::Int64, Scalar::Uint64])),
        natives: SLANG_WGSL,
        says: "has a 64-bit integer: slangc writes `i64` or `u64`, which WGSL lacks",
        source: "slangc 2026.14.1 -target wgsl; WGSL, Scalar Types (naga accepts it as an extension)",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(&[Scalar::Bool])),
        natives: SLANG_WGSL,
        says: "has a bool: slangc writes `bool`, which WGSL does not allow in buffers",
        source: "slangc 2026.14.1 -target wgsl; WGSL, Host-shareable Types",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::Scalars(&[Scalar::Float64])),
        natives: &["native:slang-metal"],
        says: "has a double, which Metal lacks, and slangc refuses it",
        source: "slangc 2026.14.1 -target metal, E99997: `'double' type emitted`",
    },
    Limit {
        subject: LimitSubject::Holds(ALL, HeldType::OneDimensionalMatrix),
        natives: &["native:slang-vulkan", "native:slang-webgpu", "native:slang-metal"],
        says: "is a matrix with one row or column, and slangc refuses it",
        source: "slangc 2026.14.1, E39999: `matrices with 1 column or row are not supported by the current code generation \
                 target`",
    },
    Limit {
        subject: LimitSubject::Kind(&[Tbuffer, TextureBuffer]),
        natives: SLANG_VULKAN,
        says: "is a texture buffer, which slangc cannot compile",
        source: "slangc 2026.14.1 -target spirv, E99997: `Unhandled global inst in spirv-emit: TextureBuffer`",
    },
    Limit {
        subject: LimitSubject::AtConstant(HeldType::Triple),
        natives: SLANG_VULKAN,
        says: "has three components: slangc reads and writes them elsewhere if their address is a multiple of their size",
        source: "slangc 2026.14.1 -target glsl: `Store3(24, v)` is `_data[2U] = v` in an array of `uvec3` under std430, 32 bytes \
                 from its start",
    },
    Limit {
        subject: LimitSubject::MisalignedOffset,
        natives: DXC_SPIRV,
        says: "is not aligned as Vulkan requires: DXC writes an invalid module",
        source: "DXC 1.7.2308: `must follow relaxed storage buffer layout rules: member 1 at offset 6 is not aligned to 4`",
    },
    // What the code reads: DXC 1.7.4006, by the loads in its DXIL and by vkd3d.
    Limit {
        subject: LimitSubject::ReadElsewhere(Misread::OneVector),
        natives: DXC_DXIL,
        says: "a matrix with one row or one column is read from the start of its register",
        source: "microsoft/DirectXShaderCompiler#7253, DXC 1.7.2308 to 1.9.0.5517: declare a vector in place of the matrix",
    },
    Limit {
        subject: LimitSubject::ReadElsewhere(Misread::EightByteVectors),
        natives: DXC_DXIL,
        says: "the vectors of such a matrix of 8-byte components are read 32 bytes apart",
        source: "DXC 1.7.2308 to 1.9.0.5517: declare an array of vectors in place of the matrix",
    },
    Limit {
        subject: LimitSubject::ReadElsewhere(Misread::OddWord),
        natives: DXC_DXIL,
        says: "8 bytes are read from a multiple of 8",
        source: "DXC 1.7.2308 to 1.9.0.5517: put the member at a multiple of 8 bytes",
    },
    Limit {
        subject: LimitSubject::ReadElsewhere(Misread::Array),
        natives: DXC_DXIL,
        says: "an array is read from the start of its register",
        source: "microsoft/DirectXShaderCompiler#3724: DXC 1.7.2308; from 1.8.2405 on it refuses the packoffset",
    },
    Limit {
        subject: LimitSubject::OffsetAsAlignment,
        natives: SLANG_WGSL,
        says: "the code has the alignment of the offset for `[[vk::offset]]`, which WGSL does not have",
        source: "slangc 2026.14.1 -target wgsl: `float a; [[vk::offset(40)]] float b;` is `@align(8) b_0 : f32`, which \
                 is at 8",
    },
    Limit {
        subject: LimitSubject::ArrayOfArrays { only_unbounded: true },
        natives: DXC_DXIL,
        says: "is an unbounded array of arrays: DXC 1.7.0.3435 (2022) refuses it, 1.7.2308 reads it as one \
               unbounded array",
        source: "DXC 1.7.2308 and 1.7.0.3435, -T cs_6_6",
    },
    Limit {
        subject: LimitSubject::ArrayOfArrays { only_unbounded: false },
        natives: DXC_SPIRV,
        says: "is an array of arrays, which Vulkan does not have: DXC writes an invalid module",
        source: "DXC 1.7.2308: `UniformConstant OpVariable has illegal type` (VUID 04655)",
    },
    Limit {
        subject: LimitSubject::ArrayOfArrays { only_unbounded: false },
        natives: SLANG_VULKAN,
        says: "is an array of arrays, which Vulkan does not have: slangc writes an invalid module",
        source: "slangc 2026.14.1; spirv-val: `UniformConstant OpVariable has illegal type` (VUID 04655)",
    },
    Limit {
        subject: LimitSubject::ArrayOfResources,
        natives: SLANG_WGSL,
        says: "is an array of resources, which WGSL does not have: slangc refuses it or writes a text that WebGPU rejects",
        source: "slangc 2026.14.1 -target wgsl: `array<texture_2d<f32>, i32(4)>`, error E56105 for buffers",
    },
    Limit {
        subject: LimitSubject::Kind(&[PushConstant]),
        natives: SLANG_WGSL,
        says: "is a uniform buffer without a group and a binding in slangc's WGSL, which WebGPU rejects",
        source: "slangc 2026.14.1 -target wgsl: `var<uniform> pc_0`; WGSL, Resource Interface of a Shader",
    },
];

impl Limit {
    /// True if the compiler and target of `native` have this limit.
    pub fn is_of(&self, native: &Native) -> bool {
        self.natives.iter().any(|beginning| native.name.starts_with(beginning))
    }

    /// True if the compiler takes the block, and its code has other bytes than the layout.
    pub fn is_misread(&self) -> bool {
        match self.subject {
            LimitSubject::AtConstant(_) | LimitSubject::OffsetAsAlignment | LimitSubject::ReadElsewhere(_) => true,
            LimitSubject::Bytes { .. }
            | LimitSubject::Stride(_)
            | LimitSubject::NoStruct(_)
            | LimitSubject::Holds(..)
            | LimitSubject::Kind(_)
            | LimitSubject::BoundPushConstant
            | LimitSubject::PushConstantCbuffer
            | LimitSubject::SecondPushConstant
            | LimitSubject::MisalignedOffset
            | LimitSubject::MemberInLastRow
            | LimitSubject::ArrayOfArrays { .. }
            | LimitSubject::ArrayOfResources => false,
        }
    }
}

/// The limits of `native` that `block`, laid out as `layout`, exceeds. `has_earlier_push_constants`
/// is true if the source declares another push-constant block for this compiler before it.
pub fn exceeded(
    native: &Native,
    block: &Block,
    layout: &BlockLayout,
    has_earlier_push_constants: bool,
) -> Vec<ExceededLimit> {
    let Ok(root) = &layout.result else { return Vec::new() };
    let mut found = Vec::new();
    for limit in LIMITS.iter().filter(|limit| limit.is_of(native)) {
        let of_block = |message: String| ExceededLimit { limit, path: String::new(), message, span: block.span };
        let says = || limit.says.to_owned();
        let is_of = |kinds: &[BlockKind]| kinds.is_empty() || kinds.contains(&block.kind);
        let is_push_constant = block.kind == BlockKind::PushConstant;

        let exceeded = match limit.subject {
            LimitSubject::Bytes { kinds, most, up_to } => {
                let is_limited = kinds.contains(&block.kind) && !block.has_entry_record();
                bytes_message(limit, layout, is_limited, most..=up_to).map(of_block)
            }
            LimitSubject::Stride(most) => stride_message(limit, layout, most).map(of_block),
            LimitSubject::NoStruct(kinds) => {
                let is_array = is_push_constant && block.count != Count::Finite(1);
                let is_struct = matches!(block.element, Type::Struct(_)) && !is_array;
                (kinds.contains(&block.kind) && !is_struct).then(says).map(of_block)
            }
            LimitSubject::Kind(kinds) => is_of(kinds).then(says).map(of_block),
            LimitSubject::PushConstantCbuffer => {
                // The members of a cbuffer form a struct with the span of the cbuffer.
                let is_cbuffer = matches!(&block.element, Type::Struct(ty) if ty.span == block.span);
                (is_push_constant && is_cbuffer).then(says).map(of_block)
            }
            LimitSubject::BoundPushConstant => {
                let is_bound = block.annotations.attribute(Some("vk"), "binding").is_some();
                (is_push_constant && is_bound).then(says).map(of_block)
            }
            LimitSubject::SecondPushConstant => {
                // Uniform parameters of an entry point of Slang, unless they are a record of rays.
                let is_pushed = block.kind == EntryUniforms && !block.has_entry_record();
                ((is_push_constant || is_pushed) && has_earlier_push_constants).then(says).map(of_block)
            }
            LimitSubject::Holds(kinds, held) if is_of(kinds) => {
                let place = held.first_in(&block.element, String::new(), block.span);
                place.map(|(path, span)| ExceededLimit { limit, path, message: says(), span })
            }
            LimitSubject::AtConstant(held) if block.reach == (Reach::RawAccess { at_constant: true }) => {
                let place = held.first_in(&block.element, String::new(), block.span);
                place.map(|(path, span)| ExceededLimit { limit, path, message: says(), span })
            }
            LimitSubject::OffsetAsAlignment => {
                let mut moved = Vec::new();
                code_size(&block.element, root, "", &mut moved);
                found.extend(moved.into_iter().map(|MovedMember { path, span, offset, place }| {
                    let message = format!("is at {place} in slangc's WGSL, not at {offset}: {}", limit.says);
                    ExceededLimit { limit, path, message, span }
                }));
                None
            }
            LimitSubject::ReadElsewhere(misread) => {
                found.extend(misread.in_block(block, root).into_iter().map(
                    |MovedMember { path, span, offset, place }| {
                        let says = limit.says;
                        let message = match misread {
                            Misread::EightByteVectors => {
                                format!(
                                    "has its second vector at {offset}, and DXC's code reads that at {place}: {says}"
                                )
                            }
                            _ => format!("is at {offset}, and DXC's code reads it at {place}: {says}"),
                        };
                        ExceededLimit { limit, path, message, span }
                    },
                ));
                None
            }
            LimitSubject::MisalignedOffset => {
                let Some(rules) = find(&layout.rules) else { continue };
                let place = first_misaligned(&block.element, root, rules, String::new());
                place.map(|(path, span, offset)| {
                    let message = format!("[[vk::offset({offset})]] {}", limit.says);
                    ExceededLimit { limit, path, message, span }
                })
            }
            LimitSubject::MemberInLastRow => {
                let place = first_with_member_in_last_row(&block.element, root, String::new());
                place.map(|(path, span)| ExceededLimit { limit, path, message: says(), span })
            }
            LimitSubject::Holds(..)
            | LimitSubject::AtConstant(_)
            | LimitSubject::ArrayOfArrays { .. }
            | LimitSubject::ArrayOfResources => None,
        };
        found.extend(exceeded);
    }
    found
}

/// Why code of `native` may read or write other bytes than the layout has; `None` if it has those of the layout.
pub fn misread(native: &Native, block: &Block, layout: &BlockLayout) -> Option<String> {
    let found = exceeded(native, block, layout, false);
    let misread = found.into_iter().find(|exceeded| exceeded.limit.is_misread())?;
    Some(format!("`{}` {}", misread.path, misread.message))
}

/// The members that the code of `native` has at other bytes than the layout.
pub fn moved_members(native: &Native, block: &Block, layout: &BlockLayout) -> Vec<MovedMember> {
    let Ok(root) = &layout.result else { return Vec::new() };
    let limits = LIMITS.iter().filter(|limit| limit.is_of(native));
    let moved = limits.flat_map(|limit| match limit.subject {
        // It has an offset that is right.
        LimitSubject::ReadElsewhere(Misread::EightByteVectors) => Vec::new(),
        LimitSubject::ReadElsewhere(misread) => misread.in_block(block, root),
        LimitSubject::OffsetAsAlignment => {
            let mut moved = Vec::new();
            code_size(&block.element, root, "", &mut moved);
            moved
        }
        _ => Vec::new(),
    });
    moved.collect()
}

/// The size and stride limits of `native` that a block with declared offsets exceeds.
pub fn exceeded_numbers(native: &Native, layout: &BlockLayout) -> Vec<ExceededLimit> {
    let limits = LIMITS.iter().filter(|limit| limit.is_of(native));
    let exceeded = limits.filter_map(|limit| {
        let message = match limit.subject {
            LimitSubject::Bytes { kinds, most, up_to } => {
                bytes_message(limit, layout, kinds.contains(&layout.kind), most..=up_to)
            }
            LimitSubject::Stride(most) => stride_message(limit, layout, most),
            _ => None,
        };
        Some(ExceededLimit { limit, path: String::new(), message: message?, span: Span::default() })
    });
    exceeded.collect()
}

/// The limits of `native` that the type `ty` of a parameter exceeds, apart from those on its
/// blocks.
pub fn exceeded_by_parameter(native: &Native, ty: &Type, span: Span) -> Vec<ExceededLimit> {
    let (innermost, counts) = ty.dimensions();
    let is_array_of_arrays = counts.len() > 1 && matches!(innermost, Type::Resource(_));
    let is_unbounded = counts.first() == Some(&Count::Unbounded);

    let limits = LIMITS.iter().filter(|limit| limit.is_of(native));
    let exceeded = limits.filter(|limit| match limit.subject {
        LimitSubject::ArrayOfArrays { only_unbounded } => is_array_of_arrays && (is_unbounded || !only_unbounded),
        LimitSubject::ArrayOfResources => {
            let is_constant = |kind| matches!(kind, ResourceKind::ConstantBuffer | ResourceKind::ParameterBlock);
            !counts.is_empty() && matches!(innermost, Type::Resource(resource) if !is_constant(resource.kind))
        }
        _ => false,
    });
    exceeded.map(|limit| ExceededLimit { limit, path: String::new(), message: limit.says.to_owned(), span }).collect()
}

fn bytes_message(
    limit: &Limit,
    layout: &BlockLayout,
    is_limited: bool,
    within: std::ops::RangeInclusive<u32>,
) -> Option<String> {
    let size = layout.result.as_ref().ok()?.size.finite()?;
    let (most, up_to) = within.into_inner();
    (is_limited && size > most && size <= up_to)
        .then(|| format!("{size} bytes are more than the {most} {}", limit.says))
}

fn stride_message(limit: &Limit, layout: &BlockLayout, most: u32) -> Option<String> {
    let stride = layout.stride.filter(|stride| *stride > most)?;
    Some(format!("a stride of {stride} bytes is more than the {most} {}", limit.says))
}

impl HeldType {
    /// The first occurrence of such a type in `ty`, in declaration order.
    fn first_in(self, ty: &Type, path: String, span: Span) -> Option<(String, Span)> {
        let is_held = match (self, ty) {
            (Self::Resource, Type::Resource(_))
            | (Self::UnsizedArray, Type::Array { count: Count::Unbounded, .. })
            | (Self::Pointer, Type::Pointer { .. }) => true,
            (Self::OneDimensionalMatrix, Type::Matrix { rows, columns, .. }) => *rows == 1 || *columns == 1,
            (Self::Triple, Type::Vector { length, .. }) => *length == 3,
            (Self::Triple, Type::Matrix { rows, columns, .. }) => *rows == 3 || *columns == 3,
            (
                Self::Scalars(wanted),
                Type::Scalar(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. },
            ) => wanted.contains(scalar),
            (Self::Scalars(wanted), Type::Enum(ty)) => ty.is_atomic() && wanted.contains(&ty.underlying),
            _ => false,
        };
        if is_held {
            return Some((path, span));
        }
        match ty {
            // An unsized array of something without bytes is an array of resources.
            Type::Array { element, .. } => self.first_in(element, path, span),
            Type::Struct(structure) => self.first_member(structure, &path),
            _ => None,
        }
    }

    fn first_member(self, structure: &StructType, path: &str) -> Option<(String, Span)> {
        let in_base = structure.base.as_deref().and_then(|base| self.first_member(base, path));
        in_base.or_else(|| {
            structure.members.iter().find_map(|member| self.first_in(&member.ty, join(path, &member.name), member.span))
        })
    }
}

/// The first member whose `[[vk::offset]]` is not aligned, with the offset.
fn first_misaligned(ty: &Type, layout: &LaidOut, rules: &RuleSet, path: String) -> Option<(String, Span, u32)> {
    match (ty, &layout.shape) {
        (Type::Array { element, .. }, LaidOutShape::Array { element: inner, .. }) => {
            first_misaligned(element, inner, rules, path)
        }
        (Type::Struct(structure), LaidOutShape::Struct(laid_out)) => structure.members.iter().find_map(|member| {
            let placed = laid_out.iter().find(|placed| placed.name == member.name)?;
            let path = join(&path, &member.name);
            let own = misaligned(member, &placed.layout, rules).map(|offset| (path.clone(), member.span, offset));
            own.or_else(|| first_misaligned(&member.ty, &placed.layout, rules, path))
        }),
        _ => None,
    }
}

fn misaligned(member: &Member, layout: &LaidOut, rules: &RuleSet) -> Option<u32> {
    let offset = member.annotations.vk_offset()?;
    let is_misaligned = match &layout.shape {
        LaidOutShape::Vector { component, length } => {
            let size = component.size * length;
            let straddles = if size > 16 { offset % 16 != 0 } else { offset % 16 + size > 16 };
            offset % component.size.max(1) != 0 || (straddles && rules.block_rules != BlockRules::Scalar)
        }
        _ => offset % layout.alignment.max(1) != 0,
    };
    (is_misaligned && layout.size != Extent::Finite(0)).then_some(offset)
}

/// The first matrix, or array of matrices, with the next member in the padding of its last row.
fn first_with_member_in_last_row(ty: &Type, layout: &LaidOut, path: String) -> Option<(String, Span)> {
    match (ty, &layout.shape) {
        (Type::Array { element, .. }, LaidOutShape::Array { element: inner, .. }) => {
            first_with_member_in_last_row(element, inner, path)
        }
        (Type::Struct(structure), LaidOutShape::Struct(laid_out)) => structure.members.iter().find_map(|member| {
            let index = laid_out.iter().position(|placed| placed.name == member.name)?;
            let (placed, next) = (&laid_out[index], laid_out.get(index + 1));
            let path = join(&path, &member.name);
            let end = end_of_rows(&placed.layout).map(|end| placed.offset.saturating_add(end));
            let is_before = end.zip(next).is_some_and(|(end, next)| next.offset < end);
            let own = is_before.then(|| (path.clone(), member.span));
            own.or_else(|| first_with_member_in_last_row(&member.ty, &placed.layout, path))
        }),
        _ => None,
    }
}

/// The size of a matrix by rows with the padding of the last row; `None` for other types.
fn end_of_rows(layout: &LaidOut) -> Option<u32> {
    match &layout.shape {
        LaidOutShape::Matrix { rows, order: MatrixOrder::Row, stride, .. } => rows.checked_mul(*stride),
        LaidOutShape::Array { element, count: Count::Finite(count), stride } => {
            count.checked_sub(1)?.checked_mul(*stride)?.checked_add(end_of_rows(element)?)
        }
        _ => None,
    }
}

/// A member that the code has elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedMember {
    /// As [`MemberRow`](crate::MemberRow) has it: `lights[].position`.
    pub path: String,
    pub span: Span,
    /// Where the layout has it, in bytes from the start of the block.
    pub offset: u32,
    /// Where the code has it.
    pub place: u32,
}

impl Misread {
    /// What is read elsewhere in a block, the first element of each array.
    fn in_block(self, block: &Block, root: &LaidOut) -> Vec<MovedMember> {
        let mut found = Vec::new();
        if D3D_REGISTERS.contains(&block.kind) {
            self.find(root, 0, String::new(), &mut |path, offset, place| {
                let span = block.place_of(&path);
                found.push(MovedMember { path, span, offset, place });
            });
        }
        found
    }

    fn find(self, layout: &LaidOut, start: u32, path: String, found: &mut dyn FnMut(String, u32, u32)) {
        let register = start - start % 16;
        match &layout.shape {
            LaidOutShape::Struct(members) => {
                for member in members {
                    let path = if member.is_base { path.clone() } else { join(&path, &member.name) };
                    self.find(&member.layout, start.saturating_add(member.offset), path, found);
                }
            }
            LaidOutShape::Array { .. } if start != register => {
                if self == Self::Array {
                    found(path, start, register);
                }
            }
            LaidOutShape::Array { element, .. } => self.find(element, start, path + "[]", found),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let vectors = if *order == MatrixOrder::Row { *rows } else { *columns };
                let is_inside = start != register && (*rows == 1 || *columns == 1);
                let is_wide = component.size == 8 && vectors > 1 && *stride == 16;
                match self {
                    Self::OneVector if is_inside => found(path, start, register),
                    Self::EightByteVectors if is_wide && !is_inside => {
                        found(path, start.saturating_add(16), start.saturating_add(32));
                    }
                    _ => {}
                }
            }
            LaidOutShape::Scalar(component)
                if self == Self::OddWord && component.size == 8 && !start.is_multiple_of(8) =>
            {
                found(path, start, start - start % 8);
            }
            LaidOutShape::Scalar(_)
            | LaidOutShape::Vector { .. }
            | LaidOutShape::Pointer { .. }
            | LaidOutShape::Resource => {}
        }
    }
}

/// The size of `ty` in code that has `@align` for offsets, as slangc's WGSL: the largest power of two in the offset, up to
/// the alignment of the struct. Members that stand elsewhere there are added to `moved`.
fn code_size(ty: &Type, layout: &LaidOut, path: &str, moved: &mut Vec<MovedMember>) -> Option<u32> {
    match (ty, &layout.shape) {
        (Type::Array { element, count }, LaidOutShape::Array { element: inner, .. }) => {
            let before = moved.len();
            let size = code_size(element, inner, path, moved)?;
            if moved.len() == before {
                return layout.size.finite();
            }
            let Count::Finite(count) = count else { return None };
            size.next_multiple_of(inner.alignment.max(1)).checked_mul(*count)
        }
        (Type::Struct(structure), LaidOutShape::Struct(laid_out)) => {
            let (before, most) = (moved.len(), layout.alignment.max(1));
            let mut end: u32 = 0;
            let mut unit = None;
            for placed in laid_out {
                let offset = placed.offset;
                // The bit-fields of one storage unit are one variable in the code.
                let own_unit = placed.bits.map(|_| offset);
                if own_unit.is_some() && std::mem::replace(&mut unit, own_unit) == own_unit {
                    continue;
                }
                unit = own_unit;
                let alignment = if offset == 0 { most } else { most.min(1 << offset.trailing_zeros()) };
                let place = end.checked_next_multiple_of(alignment)?;
                let member = structure.members.iter().find(|member| member.name == placed.name);
                let path = join(path, &placed.name);
                let span = member.map_or(structure.span, |member| member.span);
                if place != offset {
                    moved.push(MovedMember { path: path.clone(), span, offset, place });
                }
                let size = match member {
                    Some(member) => code_size(&member.ty, &placed.layout, &path, moved),
                    None => placed.layout.size.finite(),
                };
                end = place.checked_add(size?)?;
            }
            if moved.len() == before { layout.size.finite() } else { end.checked_next_multiple_of(most) }
        }
        _ => layout.size.finite(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::{find_native, natives};
    use crate::{Annotations, Argument, Attribute};

    #[test]
    fn every_limit_is_one_of_a_compiler_that_is_known() {
        for limit in LIMITS {
            assert!(!limit.says.is_empty() && !limit.source.is_empty());
            for beginning in limit.natives {
                assert!(natives().iter().any(|native| native.name.starts_with(beginning)), "{beginning}");
            }
        }
    }

    fn messages(native: &str, block: &Block) -> Vec<String> {
        let native = find_native(native).unwrap();
        let layout = crate::lay_out(block, native.rules(block).unwrap(), crate::LayoutOptions::default());
        let exceeded = exceeded(native, block, &layout, false);
        exceeded.into_iter().map(|it| format!("{}: {}", it.path, it.message)).collect()
    }

    fn floats(count: u32) -> Type {
        StructType::new("S", [Member::new("a", Type::array(Type::vector(Scalar::Float32, 4), count))]).into()
    }

    // DXC 1.7.2308, dxc -T cs_6_6: float4 a[4096] in a cbuffer is accepted, `CBuffer size is 65540 bytes` with a float more;
    // a structured buffer of float4[128] is accepted, one of float4[128] and a float refused.
    #[test]
    fn sizes_are_limited_where_the_compiler_says_so() {
        let cbuffer = |count| Block::new("C", BlockKind::Cbuffer, floats(count));
        assert_eq!(messages("native:dxc-dxil", &cbuffer(4096)), Vec::<String>::new());
        let found = messages("native:dxc-dxil", &cbuffer(4097));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(": 65552 bytes are more than the 65536 that"), "{}", found[0]);

        let element = |count| Block::new("s", BlockKind::StructuredElement, floats(count));
        assert_eq!(messages("native:dxc-dxil", &element(128)), Vec::<String>::new());
        assert!(messages("native:dxc-dxil", &element(129))[0].contains("2064 bytes is more than the 2048"));
        assert_eq!(messages("native:dxc-spirv", &element(129)), Vec::<String>::new());
    }

    // slangc 2026.14.1 -target glsl, `Store<Q>(64, q)` with `struct Q { float2 a; float3 b; }`: `vec3 _data[]` under std430,
    // element 6 for byte 72.
    #[test]
    fn slang_takes_triples_of_bytes_from_elsewhere() {
        let holding = |length| {
            let members = [
                Member::new("a", Type::vector(Scalar::Float32, 2)),
                Member::new("b", Type::vector(Scalar::Float32, length)),
            ];
            Block::new("Q", BlockKind::StructuredElement, Type::from(StructType::new("Q", members)))
        };
        let at = |at_constant, length| Block { reach: Reach::RawAccess { at_constant }, ..holding(length) };
        let raw = |length| at(true, length);
        assert_eq!(messages("native:slang-vulkan", &at(false, 3)), Vec::<String>::new());
        assert!(messages("native:slang-vulkan", &raw(3))[0].starts_with("b: has three components"));
        assert_eq!(messages("native:slang-vulkan", &raw(4)), Vec::<String>::new());
        assert_eq!(messages("native:slang-vulkan", &holding(3)), Vec::<String>::new());
        assert_eq!(messages("native:slang-d3d12", &raw(3)), Vec::<String>::new());
    }

    // DXC 1.7.2308, -T cs_6_0 -spirv -fvk-use-dx-layout: `generated SPIR-V is invalid` for the rows before a float or a float2,
    // also in an array and in a struct; it accepts columns, rows that fill registers, and a float4 after the rows.
    #[test]
    fn dxc_refuses_its_module_with_a_member_in_the_last_row() {
        let matrix = |rows, columns, order| Type::Matrix { scalar: Scalar::Float32, rows, columns, order: Some(order) };
        let rows = || matrix(3, 3, MatrixOrder::Row);
        let holding = |ty: Type, next: Type| {
            let members = [Member::new("m", ty), Member::new("s", next)];
            Type::from(StructType::new("S", members))
        };
        let float = || Type::Scalar(Scalar::Float32);
        let found = |element: Type| messages("native:dxc-spirv-dx", &Block::new("C", BlockKind::Cbuffer, element));
        for (element, path) in [
            (holding(rows(), float()), "m"),
            (holding(matrix(2, 2, MatrixOrder::Row), Type::vector(Scalar::Float32, 2)), "m"),
            (holding(Type::array(rows(), 2), float()), "m"),
            (holding(holding(rows(), float()), float()), "m.m"),
        ] {
            let found = found(element);
            assert!(found.len() == 1 && found[0].starts_with(&format!("{path}: has the next member")), "{found:?}");
        }
        for element in [
            holding(matrix(3, 3, MatrixOrder::Column), float()),
            holding(matrix(3, 4, MatrixOrder::Row), float()),
            holding(rows(), Type::vector(Scalar::Float32, 4)),
        ] {
            assert_eq!(found(element), Vec::<String>::new());
        }
    }

    fn placed(name: &str, ty: Type, offset: i64) -> Member {
        let attribute = Attribute {
            namespace: Some("vk".to_owned()),
            name: "offset".to_owned(),
            arguments: vec![Argument::Integer(offset)],
            declared: None,
            span: Span::default(),
        };
        let annotations = Annotations { attributes: vec![attribute], ..Annotations::default() };
        Member { annotations, ..Member::new(name, ty) }
    }

    // slangc 2026.14.1 -target wgsl: `@align(16) a_0 : f32, @align(8) b_0 : f32, @align(16) c_0 : vec2<f32>, @align(8) d_0 :
    // f32, @align(16) e_0 : vec3<f32>` for a struct with `vk::offset` 40 at b, 64 at c, 100 at e.
    #[test]
    fn slangs_wgsl_has_alignments_for_offsets() {
        let float = || Type::Scalar(Scalar::Float32);
        let members = [
            Member::new("a", float()),
            placed("b", float(), 40),
            placed("c", Type::vector(Scalar::Float32, 2), 64),
            Member::new("d", float()),
            placed("e", Type::vector(Scalar::Float32, 3), 100),
        ];
        let block = Block::new("C", BlockKind::ConstantBuffer, Type::from(StructType::new("S", members)));
        let found = messages("native:slang-webgpu", &block);
        let starts = ["b: is at 8 in slangc's WGSL, not at 40", "c: is at 16", "d: is at 24", "e: is at 32"];
        assert_eq!(found.len(), starts.len(), "{found:?}");
        for (message, start) in found.iter().zip(starts) {
            assert!(message.starts_with(start), "{message}");
        }
        // Where the offset is that of a multiple of its alignment, nothing moves: `@align(8) b_0` at 8.
        let members = [Member::new("a", float()), placed("b", Type::vector(Scalar::Float32, 2), 8)];
        let block = Block::new("C", BlockKind::ConstantBuffer, Type::from(StructType::new("S", members)));
        assert_eq!(messages("native:slang-webgpu", &block), Vec::<String>::new());
    }

    // slangc 2026.14.1 -target wgsl: `@align(8) x24bit_field_backing_0_0 : u32, @align(4) c_0 : f32, @align(8)
    // x24bit_field_backing_1_0 : u32, @align(8) x24bit_field_backing_2_0 : u64, @align(8) x24bit_field_backing_3_0 : u64,
    // @align(8) g_0 : f32` for `uint a : 4; uint b : 12; float c; uint d : 30; uint e : 5; uint64_t f : 40; uint64_t h : 20;
    // float g`.
    #[test]
    fn bit_fields_of_one_unit_are_one_variable() {
        let bits =
            |name: &str, scalar, width| Member { bit_width: Some(width), ..Member::new(name, Type::Scalar(scalar)) };
        let float = |name: &str| Member::new(name, Type::Scalar(Scalar::Float32));
        let members = [
            bits("a", Scalar::Uint32, 4),
            bits("b", Scalar::Uint32, 12),
            float("c"),
            bits("d", Scalar::Uint32, 30),
            bits("e", Scalar::Uint32, 5),
            bits("f", Scalar::Uint64, 40),
            bits("h", Scalar::Uint64, 20),
            float("g"),
        ];
        let block = Block::new("s", BlockKind::StructuredElement, Type::from(StructType::new("S", members)));
        let found = messages("native:slang-webgpu", &block);
        assert!(!found.is_empty() && found.iter().all(|message| message.contains("64-bit integer")), "{found:?}");
    }

    // Vulkan, Required Limits: 128 bytes of push constants before 1.4, 256 from 1.4.
    #[test]
    fn a_row_speaks_of_sizes_up_to_the_next_one() {
        // A struct with its own declaration, unlike that of a cbuffer.
        let span = Span { start: 60, end: 61, ..Span::default() };
        let block = |count| Block { span, ..Block::new("p", BlockKind::PushConstant, floats(count)) };
        let push = |count| messages("native:dxc-spirv", &block(count));
        assert_eq!(push(8), Vec::<String>::new());
        assert!(push(9).len() == 1 && push(9)[0].contains("the 128 of push constants that Vulkan before 1.4"));
        assert!(push(17).len() == 1 && push(17)[0].contains("the 256 of push constants that Vulkan 1.4"));
    }
}
