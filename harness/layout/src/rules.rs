//! The columns of a rule set: one struct, one field per rule.
//!
//! A rule set is a row of [`mod@super::table`], applied by [`super::lay_out`]. Every field is a choice between
//! named alternatives, so that a row can be read, compared with another and mutated one field at a time.
//!
//! Sources: Slang user guide, Parameter Layout Rules; wg-hlsl: Types with explicit layouts in DXIL and SPIR-V; OpenGL
//! 4.6, 7.6.2.2; GLSL `GL_EXT_scalar_block_layout`; WGSL, Memory Layout; measured with DXC 1.7.2308 and Slang 2026.12.

use super::alignment::Alignment;
use super::block_rules::BlockRules;

/// The name for layouts that a module states itself, by its decorations or its compiler's types. It is not a row of the
/// table: nothing is laid out under it.
pub const DECLARED: &str = "declared";

/// One named set of byte layout rules.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// Full name, dialect included: `std140`, `scalar@slang`.
    pub name: &'static str,
    /// The rule set in a sentence.
    pub summary: &'static str,
    /// The document, or the compiler and its version, that says so.
    pub source: &'static str,
    /// A declaration that shows what is special about it.
    pub example: Example,
    /// Compiler versions that follow it; `None` for all that were seen.
    pub versions: Option<Versions>,

    /// The buffers that the rule set is made for: uniform ones where arrays are aligned to 16 bytes (D3D's constant
    /// buffers, `std140`, DXC's `relaxed140`) or where it says so itself (`wgsl-uniform`).
    pub home: HomeBuffer,
    /// GLSL's layout qualifier for the rule set; `None` where GLSL has none, as for every dialect of HLSL compilers.
    pub glsl: Option<GlslQualifier>,
    /// The platform whose compilers alone apply the rule set.
    pub platform: Platform,
    /// True if people count such a block in 16-byte registers (`c0.x`): D3D's constant buffers, and DXC's
    /// `-fvk-use-dx-layout`, which imitates them.
    pub has_registers: bool,

    /// Size of `bool`, in bytes.
    pub bool_size: u32,
    /// Alignment of vectors.
    pub vectors: VectorAlignment,
    /// Least alignment of arrays, hence least stride.
    pub array_alignment: Alignment,
    /// Distance between array elements.
    pub array_stride: ArrayStride,
    /// True if the last element is as long as the stride.
    pub pad_arrays: bool,
    /// Arrays without a length.
    pub unsized_arrays: UnsizedArrays,
    /// Least alignment of structs.
    pub struct_alignment: Alignment,
    /// Decides when the size of a struct is a multiple of its alignment.
    pub pad_structs: StructPadding,
    /// Matrices.
    pub matrices: Matrices,
    /// Matrices with one row or one column.
    pub one_dimensional: OneDimensional,
    /// Decides if `row_major` and `column_major` count on a member that is an array of matrices.
    pub array_order: ArrayOrder,
    /// Decides if they count on a matrix, or an array of matrices, that is the whole element of a block.
    pub element_order: ElementOrder,
    /// Enums.
    pub enums: Enums,
    /// Size and alignment of pointers in bytes; 0 where they take no bytes of the block.
    pub pointer_size: u32,
    /// Bit-fields.
    pub bit_fields: BitFields,

    /// The placement of a struct's members.
    pub members: Placement,
    /// The placement of members that are declared directly in `cbuffer`, `tbuffer` or `$Globals`, where that differs.
    pub direct: Option<Placement>,

    /// `packoffset`.
    pub packoffset: PackOffsetRule,
    /// `[[vk::offset]]`.
    pub vk_offset: VkOffset,
    /// `register(c4)` on a loose global.
    pub global_register: GlobalRegister,
    /// Vulkan's rules for explicit layouts that a compiler promises with the option for this rule set, whatever a certain
    /// block would need.
    pub block_rules: BlockRules,
    /// Declarations that are not allowed.
    pub forbids: &'static [Forbid],
}

impl RuleSet {
    /// True if the name has no dialect: the specification, or for `hlsl-*`, `dx-*` and `relaxed*` DXC up to 1.8.
    pub fn is_bare(&self) -> bool {
        !self.name.contains('@')
    }
}

/// A declaration with the layout that the rule set gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// HLSL. A struct stands for a buffer's element.
    pub declaration: &'static str,
    /// Offsets of the members in bytes, in declaration order.
    pub offsets: &'static [u32],
    /// Size of the whole in bytes.
    pub size: u32,
}

/// The kind of buffer that a rule set is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeBuffer {
    /// Uniform buffers, D3D's constant buffers among them.
    Uniform,
    /// Storage buffers, D3D's structured buffers among them, and memory behind pointers.
    Storage,
}

/// The platform whose compilers alone apply a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Direct3D: DXC's and Slang's rules for DXIL, for which Clang's target types are called `dx`.
    Direct3d,
    /// WebGPU: every WGSL compiler applies the rules by itself (WGSL, 14.4 Memory Layout), so members stand plain in WGSL
    /// text. Under any other rule set the text needs `@size` and wrapper structs to move them.
    Webgpu,
    /// No single one: SPIR-V with its decorations, C, Metal, CUDA.
    Other,
}

/// GLSL's layout qualifier for a rule set.
///
/// Source: The OpenGL Shading Language 4.60, 4.4.5 Uniform and Shader Storage Block Layout Qualifiers;
/// `GL_EXT_scalar_block_layout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlslQualifier {
    /// The extension that the qualifier needs; `None` for core GLSL.
    pub extension: Option<&'static str>,
    /// True if uniform blocks can have it. Core GLSL has `std430` for storage blocks and push constants only.
    pub in_uniform_blocks: bool,
}

/// A range of compiler versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The compiler's command.
    pub compiler: &'static str,
    /// First version.
    pub from: Option<&'static str>,
    /// First version that no longer does so.
    pub before: Option<&'static str>,
}

/// Alignment of a vector of `n` components of `e` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorAlignment {
    /// `e`.
    Component,
    /// `n * e` rounded up to a power of two: `float3` is 12 bytes at multiples of 16.
    PowerOfTwo,
    /// The same, and the size is rounded up too: `float3` takes 16 bytes (Metal).
    PaddedPowerOfTwo,
    /// CUDA's vector types: `n * e` up to 16, but `e` for three components; `half3` and `half4` are 8 bytes at multiples
    /// of 4.
    Cuda,
}

/// Distance from one array element to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayStride {
    /// Size rounded up to the array's alignment.
    Rounded,
    /// Size as it is, even where the next element is misaligned then.
    Packed,
}

/// The meaning of `float a[]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsizedArrays {
    /// Elements to the end of the buffer.
    InPlace,
    /// A pointer and, where `size` is 16, a count; aligned to 8.
    Pointer {
        /// Bytes of the pointer with its count.
        size: u32,
    },
}

/// Tail padding of structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructPadding {
    /// The size ends with the last member: what follows may use the tail.
    None,
    /// The size is a multiple of the alignment.
    Padded,
    /// Padded, but not the struct made of an entry point's parameters.
    PaddedExceptEntryUniforms,
}

/// Matrices with more than one contiguous vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrices {
    /// Laid out as an array of their contiguous vectors.
    ArrayOfVectors,
    /// D3D constant buffers: a vector per 16-byte register (two registers for more than two 64-bit components); the last
    /// vector's size counts 16-bit components as 4 bytes, so that `half3x3` takes 44 bytes.
    Registers,
    /// DXC's `-fvk-use-dx-layout`: vectors at multiples of their own alignment, at least 16, but the size counts 16 bytes
    /// for each vector before the last, so that a member behind `double3x3` overlaps it.
    DxSpirv,
}

/// Matrices with one row or one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneDimensional {
    /// As any other matrix.
    Matrix,
    /// A vector, a scalar for 1x1, whatever the order.
    Vector,
    /// A vector where the order makes it one contiguous vector, else a matrix.
    VectorIfContiguous,
}

/// Order of the matrices of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayOrder {
    /// As declared on the member.
    Declared,
    /// The default in force, whatever is declared (Slang).
    Default,
}

/// Order of a matrix, or of an array's matrices, that is the element of a block itself and no member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOrder {
    /// As declared: `StructuredBuffer<row_major float2x3>`.
    Declared,
    /// The default in force, whatever is declared, `#pragma pack_matrix` included (DXC to DXIL).
    Default,
}

/// The type of an enum in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enums {
    /// Its underlying type.
    Underlying,
    /// A 32-bit integer whatever is declared.
    Int32,
}

/// Which bit-fields share a storage unit. Bits fill a unit from the least significant one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitFields {
    /// Neighbours of types of one size, while they fit; width zero ends the unit (DXC to DXIL).
    SameSize,
    /// Neighbours of the same type, while they fit (DXC to SPIR-V since 1.7.2212).
    SameType,
    /// Any neighbours, while they fit the widest type among them, which the unit takes (Slang).
    Widening,
}

/// How a member finds its place behind the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Which members may not straddle a 16-byte register.
    pub straddle: Straddle,
    /// Which size of a matrix the straddle test takes.
    pub straddle_size: StraddleSize,
    /// Which order decides whether a matrix has more than one vector and so starts a register.
    pub matrix_start: MatrixStart,
    /// True if a matrix of one vector is aligned to its component.
    pub align_single_vectors: bool,
    /// Alignment of every enum, where it is not that of its type.
    pub enum_alignment: Option<Alignment>,
    /// Members without bytes.
    pub empty: EmptyMembers,
    /// True if going from normal to minimum precision, or back, starts a register (only with 16-bit types off); matrices of
    /// bools count as minimum precision.
    pub minimum_precision_rows: bool,
    /// Least alignment of scalars, vectors and matrices of a minimum-precision type, whatever their size.
    pub minimum_precision_alignment: Alignment,
}

/// Which members may not straddle a 16-byte register, and are moved to the next one instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Straddle {
    /// All may.
    Allowed,
    /// Vectors may not. In exchange a vector of components up to 4 bytes is placed at its component's alignment, though
    /// the structs and arrays around it keep its full alignment.
    NoVector,
    /// None may.
    NoMember,
}

/// Size of a matrix in the straddle test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StraddleSize {
    /// The size that it takes.
    Own,
    /// Rows times columns times component size.
    Natural,
}

/// Which order the test for a new register takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixStart {
    /// The matrix's own.
    DeclaredOrder,
    /// The default in force; `row_major` and `column_major` on the member are lost.
    DefaultOrder,
}

/// Members without bytes: empty structs, resources and structs and arrays of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyMembers {
    /// They move nothing.
    Nothing,
    /// A struct or array without bytes still starts a 16-byte register; a single resource does not.
    StartRegister,
    /// They are placed at their alignment, which is 1 for an empty struct; where arrays have a least alignment, each
    /// element of an array of empty structs takes that many bytes.
    Aligned,
}

/// The effect of `packoffset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackOffsetRule {
    /// In any order; members without one follow behind the highest end.
    RestBehindHighest,
    /// Never below the end of the member before; members without one follow the member before them.
    Ascending,
    /// Not possible.
    Refused,
}

/// The effect of `[[vk::offset(N)]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VkOffset {
    /// Nothing; the user is warned.
    Ignored,
    /// The member stands there and the next ones follow it. The struct ends where the last declared member ends, so that
    /// a reordered struct gets too small a stride (DXC and Slang alike).
    Honoured,
    /// The same, at the next multiple of the member's alignment (slangc: `[[vk::offset(6)]] float` stands at 8).
    Aligned,
}

/// The effect of `register(...)` on a loose global.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobalRegister {
    /// Any letter gives the 16-byte register; globals without one follow behind the highest end.
    AnyLetter,
    /// The same, but only the letter c counts.
    LetterC,
    /// No letter means anything for bytes.
    Ignored,
    /// The letter c is refused, others mean nothing for bytes.
    Refused,
}

/// A declaration or a layout that a rule set forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbid {
    /// Types that WGSL does not have or does not share with the host: `bool`, 8-bit, 64-bit and 16-bit integers, vectors
    /// of one component, matrices of integers or with one row or column, pointers, bit-fields, empty structs and arrays.
    NotWgsl,
    /// Unsized arrays.
    Unsized,
    /// The demands of WGSL on the uniform address space: array strides, and offsets of structs and arrays, in steps of 16,
    /// and at least a struct's size rounded up to 16 before the next member.
    WgslUniform,
    /// Column-major matrices of integers or `bool` (DXC to SPIR-V).
    ColumnMajorIntegers,
    /// `[[vk::offset]]` on a member that is declared directly in `cbuffer` or `tbuffer` (DXC to SPIR-V).
    VkOffsetInCbuffer,
    /// Pointers, `vk::BufferPointer` included, which DXC has for SPIR-V alone.
    Pointers,
}
