//! The columns of a rule set: one struct, one field per rule.
//!
//! A rule set is a row of [`mod@super::table`]; [`super::lay_out`] applies it. Every field selects
//! one of several named alternatives, so that a row can be read, compared with another row, and
//! mutated one field at a time.
//!
//! Sources: Slang user guide, Parameter Layout Rules; wg-hlsl, Types with explicit layouts in DXIL
//! and SPIR-V; OpenGL 4.6, 7.6.2.2; GLSL `GL_EXT_scalar_block_layout`; WGSL, Memory Layout;
//! measured with DXC 1.7.2308 and Slang 2026.12. Each row of the table names its own source.

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

use super::alignment::Alignment;
use super::block_rules::BlockRules;

/// The name for layouts that a module declares itself, through its decorations or its compiler's
/// types. The table has no row for it: no layout is computed under this name.
pub const DECLARED: &str = "declared";

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleSet {
    /// Full name, dialect included: `std140`, `scalar@slang`.
    pub name: &'static str,
    pub summary: &'static str,
    /// The document that defines the rule set, or the compiler and version that it was measured
    /// with.
    pub source: &'static str,
    /// A declaration that shows how the rule set differs from others.
    pub example: Example,
    /// Compiler versions that follow the rule set; `None` for all versions seen.
    pub versions: Option<Versions>,

    /// The kind of buffer that the rule set is made for: uniform buffers if arrays are aligned to
    /// 16 bytes (D3D's constant buffers, `std140`, DXC's `relaxed140`) or the specification says so
    /// (`wgsl-uniform`).
    pub home: HomeBuffer,
    /// GLSL's layout qualifier for the rule set; `None` if GLSL has none, as for all dialects of
    /// HLSL compilers.
    pub glsl: Option<GlslQualifier>,
    /// The only platform whose compilers apply the rule set.
    pub platform: Platform,
    /// True if reports also count such a block in 16-byte registers (`c0.x`): D3D's constant
    /// buffers, and DXC's `-fvk-use-dx-layout`, which imitates them.
    pub has_registers: bool,

    /// Size of `bool`, in bytes.
    pub bool_size: u32,
    pub vectors: VectorAlignment,
    /// Minimum alignment of arrays, and therefore minimum stride.
    pub array_alignment: Alignment,
    pub array_stride: ArrayStride,
    /// True if the last element is padded to the stride.
    pub pad_arrays: bool,
    pub unsized_arrays: UnsizedArrays,
    pub struct_alignment: Alignment,
    /// Decides whether the size of a struct is a multiple of its alignment.
    pub pad_structs: StructPadding,
    pub matrices: Matrices,
    /// Matrices with one row or one column.
    pub one_dimensional: OneDimensional,
    /// Decides whether `row_major` and `column_major` apply to a member that is an array of
    /// matrices.
    pub array_order: ArrayOrder,
    /// Decides whether they apply to a matrix, or an array of matrices, that is the whole element
    /// of a block.
    pub element_order: ElementOrder,
    pub enums: Enums,
    /// Size and alignment of pointers in bytes; 0 if they take no bytes of the block.
    pub pointer_size: u32,
    pub bit_fields: BitFields,

    pub members: Placement,
    /// The placement of members declared directly in `cbuffer`, `tbuffer` or `$Globals`, if it
    /// differs.
    pub direct: Option<Placement>,

    pub packoffset: PackOffsetRule,
    pub vk_offset: VkOffset,
    /// `register(c4)` on a loose global.
    pub global_register: GlobalRegister,
    /// The level of Vulkan's rules that the compiler's option for this rule set promises, even if a
    /// particular block would satisfy a stricter one.
    pub block_rules: BlockRules,
    /// Declarations and layouts that the rule set does not allow.
    pub forbids: &'static [Forbid],
}

impl RuleSet {
    /// True if the name has no dialect. A bare name means the specification; for `hlsl-*`, `dx-*`
    /// and `relaxed*` it means DXC up to 1.8.
    pub fn is_bare(&self) -> bool {
        !self.name.contains('@')
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// HLSL. The last struct is the element of a buffer.
    pub declaration: &'static str,
    /// Offsets of the members in bytes, in declaration order.
    pub offsets: &'static [u32],
    /// Size of the whole in bytes.
    pub size: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HomeBuffer {
    /// Uniform buffers, including D3D's constant buffers.
    Uniform,
    /// Storage buffers, including D3D's structured buffers, and memory behind pointers.
    Storage,
}

/// The only platform whose compilers apply a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// Direct3D: DXC's and Slang's rules for DXIL. Clang's target types for them are called `dx`.
    Direct3d,
    /// WebGPU: every WGSL compiler applies the rules itself (WGSL, 14.4 Memory Layout), so WGSL
    /// text declares the members plainly. Under any other rule set the text needs `@size` and
    /// wrapper structs to move them.
    Webgpu,
    /// No single platform: SPIR-V with its decorations, C, Metal, CUDA.
    Other,
}

/// GLSL's layout qualifier for a rule set.
///
/// Source: The OpenGL Shading Language 4.60, 4.4.5 Uniform and Shader Storage Block Layout Qualifiers;
/// `GL_EXT_scalar_block_layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GlslQualifier {
    /// The extension that the qualifier needs; `None` for core GLSL.
    pub extension: Option<&'static str>,
    /// True if the qualifier is allowed on uniform blocks. Core GLSL allows `std430` only on
    /// storage blocks and push constants.
    pub in_uniform_blocks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Versions {
    /// The compiler's command, for example `dxc`.
    pub compiler: &'static str,
    /// First version that follows the rule set.
    pub from: Option<&'static str>,
    /// First version that no longer follows it.
    pub before: Option<&'static str>,
}

/// Alignment of a vector of `n` components of `e` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum VectorAlignment {
    /// `e`.
    Component,
    /// `n * e` rounded up to a power of two: `float3` is 12 bytes at multiples of 16 (OpenGL 4.6,
    /// 7.6.2.2, rules 2 and 3).
    PowerOfTwo,
    /// As `PowerOfTwo`, with the size rounded up too: `float3` takes 16 bytes (Metal).
    PaddedPowerOfTwo,
    /// CUDA's vector types: `n * e` up to 16, but `e` for three components. `half3` and `half4` are
    /// 8 bytes at multiples of 4.
    Cuda,
}

/// Distance from one array element to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ArrayStride {
    /// The element size rounded up to the array's alignment.
    Rounded,
    /// The element size, even if that misaligns the next element (DXC's `-fvk-use-scalar-layout` up
    /// to 1.8).
    Packed,
}

/// The meaning of `float a[]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnsizedArrays {
    /// Elements up to the end of the buffer.
    InPlace,
    /// A pointer, followed by a count if `size` is 16; aligned to 8.
    Pointer {
        /// Bytes of the pointer, including the count.
        size: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum StructPadding {
    /// The size ends with the last member, so the next member may use the tail.
    None,
    /// The size is a multiple of the alignment.
    Padded,
    /// Padded, except for the struct made of an entry point's parameters.
    PaddedExceptEntryUniforms,
}

/// Matrices with more than one contiguous vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Matrices {
    /// Laid out as an array of their contiguous vectors.
    ArrayOfVectors,
    /// D3D constant buffers: a vector per 16-byte register (two registers for more than two 64-bit
    /// components). The size counts 16-bit components of the last vector as 4 bytes each, so that
    /// `half3x3` takes 44 bytes.
    Registers,
    /// DXC's `-fvk-use-dx-layout`: vectors are at multiples of their own alignment, at least 16,
    /// but the size counts 16 bytes for each vector before the last, so that a member after
    /// `double3x3` overlaps it.
    DxSpirv,
}

/// Matrices with one row or one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OneDimensional {
    /// Like any other matrix.
    Matrix,
    /// A vector (a scalar for 1x1), whatever the order.
    Vector,
    /// A vector if the order makes it one contiguous vector, a matrix otherwise.
    VectorIfContiguous,
}

/// The order of matrices in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ArrayOrder {
    /// The order declared on the member.
    Declared,
    /// The default in force; the declared order is ignored (Slang).
    Default,
}

/// The order of a matrix, or of an array's matrices, that is the whole element of a block and not a
/// member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ElementOrder {
    /// The declared order: `StructuredBuffer<row_major float2x3>`.
    Declared,
    /// The default in force; the declared order and `#pragma pack_matrix` are ignored (DXC to
    /// DXIL).
    Default,
}

/// The type of an enum in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Enums {
    Underlying,
    /// A 32-bit integer, whatever the declaration says.
    Int32,
}

/// Selects the bit-fields that share a storage unit. Bits fill a unit from the least significant
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum BitFields {
    /// Neighbours whose types have the same size, as long as they fit; width zero ends the unit
    /// (DXC to DXIL).
    SameSize,
    /// Neighbours of the same type, as long as they fit (DXC to SPIR-V since 1.7.2212).
    SameType,
    /// Any neighbours, as long as they fit into the widest type among them, which becomes the type
    /// of the unit (Slang).
    Widening,
}

/// The rules that place a member after the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Placement {
    /// Members that must not straddle a 16-byte register.
    pub straddle: Straddle,
    /// The size of a matrix that the straddle test uses.
    pub straddle_size: StraddleSize,
    /// The order that decides whether a matrix has more than one vector and therefore starts a
    /// register.
    pub matrix_start: MatrixStart,
    /// True if a matrix of one vector is aligned to its component.
    pub align_single_vectors: bool,
    /// Alignment of every enum, if it is not that of its type.
    pub enum_alignment: Option<Alignment>,
    /// Members without bytes.
    pub empty: EmptyMembers,
    /// True if a change from normal to minimum precision, or back, starts a register. This applies
    /// only with 16-bit types off; matrices of bools count as minimum precision.
    pub minimum_precision_rows: bool,
    /// Minimum alignment of scalars, vectors and matrices of a minimum-precision type, whatever
    /// their size.
    pub minimum_precision_alignment: Alignment,
}

/// Members that must not straddle a 16-byte register, and move to the next one instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Straddle {
    /// Every member may straddle.
    Allowed,
    /// Vectors must not straddle. In exchange, a vector of components up to 4 bytes is placed at
    /// its component's alignment, though the structs and arrays around it keep its full alignment.
    NoVector,
    NoMember,
}

/// Size of a matrix in the straddle test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum StraddleSize {
    /// The size that the matrix takes.
    Own,
    /// Rows times columns times component size.
    Natural,
}

/// The order that the test for a new register uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum MatrixStart {
    /// The order of the matrix.
    DeclaredOrder,
    /// The default in force; `row_major` and `column_major` on the member have no effect.
    DefaultOrder,
}

/// Placement of members without bytes: empty structs, resources, and structs and arrays of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum EmptyMembers {
    /// They do not move the next member.
    Nothing,
    /// A struct or array without bytes starts a 16-byte register; a single resource does not.
    StartRegister,
    /// They are placed at their alignment, which is 1 for an empty struct. If arrays have a minimum
    /// alignment, each element of an array of empty structs takes that many bytes.
    Aligned,
}

/// The effect of `packoffset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PackOffsetRule {
    /// In any order; members without a `packoffset` follow the highest end.
    RestBehindHighest,
    /// Never below the end of the previous member; members without a `packoffset` follow the
    /// previous member.
    Ascending,
    /// The rule set refuses `packoffset`.
    Refused,
}

/// The effect of `[[vk::offset(N)]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum VkOffset {
    /// No effect; a warning tells the user.
    Ignored,
    /// The member is at this offset and the next members follow it. The struct ends where the last
    /// declared member ends, so a struct with reordered members gets too small a stride (DXC and
    /// Slang alike).
    Honoured,
    /// The same, at the next multiple of the member's alignment (slangc: `[[vk::offset(6)]] float` is at 8).
    Aligned,
}

/// The effect of `register(...)` on a loose global.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum GlobalRegister {
    /// Any letter selects the 16-byte register; globals without one follow the highest end.
    AnyLetter,
    /// As `AnyLetter`, but only the letter c counts.
    LetterC,
    /// No effect on bytes, whatever the letter.
    Ignored,
    /// The rule set refuses the letter c; other letters have no effect on bytes.
    Refused,
}

/// A declaration or a layout that a rule set forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray, Serialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Forbid {
    /// Types that WGSL lacks or does not share with the host: `bool`, 8-bit, 16-bit and 64-bit
    /// integers, vectors of one component, matrices of integers or with one row or column,
    /// pointers, bit-fields, empty structs and arrays (WGSL, Host-shareable Types).
    NotWgsl,
    Unsized,
    /// Layouts that violate the constraints on WGSL's uniform address space (WGSL, Address Space
    /// Layout Constraints): array strides, and offsets of structs and arrays, are multiples of 16;
    /// the next member starts at least at a struct's size rounded up to 16.
    WgslUniform,
    /// Column-major matrices of integers or `bool` (DXC to SPIR-V).
    ColumnMajorIntegers,
    /// `[[vk::offset]]` on a member declared directly in `cbuffer` or `tbuffer` (DXC to SPIR-V).
    VkOffsetInCbuffer,
    /// Pointers, `vk::BufferPointer` included, which DXC has for SPIR-V alone.
    Pointers,
    /// Vectors of more than four components. DXC 1.9.2602 has them in structured and byte-address
    /// buffers of D3D alone: it refuses them in constant buffers, and its SPIR-V with them is invalid.
    LongVectors,
}
