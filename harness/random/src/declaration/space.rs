//! The type space that declarations come from. Each compiler gets declarations that it accepts.
//!
//! A [`TypeSpace`] lists scalars, forms of blocks and features. The presets document what each
//! compiler lacks, and the source of that fact. [`TypeSpace::common`] is the intersection of two
//! spaces.

use std::collections::BTreeSet;

use layoutproof_layout::LayoutOptions;
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::MatrixOrder;
use strum::VariantArray;

use super::feature::{DeclarationFeature, matrix_feature};
use super::shape::BlockForm;

/// The set of types and features of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeSpace {
    /// Scalar types, the simplest first; `float` is always one of them.
    pub scalars: Vec<Scalar>,
    /// Forms of blocks, the simplest first.
    pub blocks: Vec<BlockForm>,
    pub features: BTreeSet<DeclarationFeature>,
    /// Default orders of matrices.
    pub orders: Vec<MatrixOrder>,
    /// Sizes of 16-bit types. `float16_t`, `int16_t` and `uint16_t` exist only with
    /// [`SixteenBit::On`].
    pub sixteen_bit: Vec<SixteenBit>,
}

/// Scalars that need no device feature beyond Vulkan 1.0 and no compiler option.
const CORE: [Scalar; 4] = [Scalar::Float32, Scalar::Int32, Scalar::Uint32, Scalar::Bool];

const SIZED: [Scalar; 7] =
    [Scalar::Float64, Scalar::Half, Scalar::Float16, Scalar::Int16, Scalar::Uint16, Scalar::Int64, Scalar::Uint64];

/// Scalars that matrices may have.
const MATRIX_SCALARS: [Scalar; 5] = [Scalar::Float32, Scalar::Float64, Scalar::Half, Scalar::Int32, Scalar::Bool];

impl TypeSpace {
    /// Everything that our own parser accepts, except minimum precision.
    pub fn everything() -> Self {
        Self {
            scalars: [&CORE[..], &SIZED[..]].concat(),
            blocks: BlockForm::VARIANTS.to_vec(),
            features: DeclarationFeature::VARIANTS.iter().copied().collect(),
            orders: vec![MatrixOrder::Column, MatrixOrder::Row],
            sixteen_bit: vec![SixteenBit::On, SixteenBit::Off],
        }
    }

    /// DXC to DXIL.
    ///
    /// - no `[[vk::offset]]`, which it ignores with a warning;
    /// - no arrays of empty structs: in a struct in a `tbuffer` they make the compiler hang.
    ///
    /// Source: measured with DXC 1.7.2308 (`-T cs_6_6`, with and without `-enable-16bit-types`).
    pub fn dxc_dxil() -> Self {
        Self::everything().without(&[DeclarationFeature::VkOffset, DeclarationFeature::EmptyStructArray])
    }

    /// DXC to SPIR-V.
    ///
    /// - no matrices of `int` and `bool` with contiguous columns: "externally initialized
    ///   non-floating-point column-major matrices not supported yet";
    /// - packoffset in ascending order only: "packoffset caused overlap with previous members";
    /// - no empty structs: `spirv-val` refuses the members at one offset.
    ///
    /// Source: measured with DXC 1.7.2308 (`-spirv -T cs_6_6`).
    pub fn dxc_spirv() -> Self {
        Self::everything().without(&[
            DeclarationFeature::ColumnIntegerMatrix,
            DeclarationFeature::PackOffsetAnyOrder,
            DeclarationFeature::EmptyStruct,
            DeclarationFeature::EmptyStructArray,
        ])
    }

    /// Clang, to its IR for Direct3D.
    ///
    /// - neither `ConstantBuffer<T>` nor `row_major` and `column_major`, which it does not support
    ///   yet;
    /// - no other matrices either: in constant buffers, Clang puts no padding between their
    ///   vectors, which cases show;
    /// - no bit-fields, which it packs bit by bit, and no empty structs, on which it crashes;
    /// - no `[[vk::offset]]`, which it ignores.
    ///
    /// Source: measured with Clang 22.1.8 (`-T cs_6_6`, with and without `-enable-16bit-types`).
    pub fn clang() -> Self {
        let space = Self::everything().without(&[
            DeclarationFeature::Matrix,
            DeclarationFeature::OneDimensionalMatrix,
            DeclarationFeature::MatrixOrder,
            DeclarationFeature::IntegerMatrix,
            DeclarationFeature::ColumnIntegerMatrix,
            DeclarationFeature::EmptyStruct,
            DeclarationFeature::EmptyStructArray,
            DeclarationFeature::BitField,
            DeclarationFeature::VkOffset,
        ]);

        let blocks =
            vec![BlockForm::Cbuffer, BlockForm::StructuredBuffer, BlockForm::StructuredElement, BlockForm::Tbuffer];
        Self { blocks, ..space }
    }

    /// Slang, limited to what its reflection and its HLSL agree on.
    ///
    /// - no [`SixteenBit::Off`], since `half` always has 2 bytes;
    /// - no `[[vk::offset]]` and no packoffset on some members only: reflection and code disagree
    ///   about them, which separate cases show;
    /// - no matrices of `int` and `bool` with contiguous columns: the code has contiguous rows
    ///   anyway;
    /// - no empty structs: they crash it if they have a packoffset.
    ///
    /// Source: measured with Slang 2026.14.1 (`-target spirv` and `-target hlsl -profile sm_6_6`).
    pub fn slang() -> Self {
        let space = Self::everything().without(&[
            DeclarationFeature::ColumnIntegerMatrix,
            DeclarationFeature::PackOffsetMixed,
            DeclarationFeature::VkOffset,
            DeclarationFeature::EmptyStruct,
            DeclarationFeature::EmptyStructArray,
        ]);
        Self { sixteen_bit: vec![SixteenBit::On], ..space }
    }

    /// Slang to SPIR-V.
    ///
    /// - no matrices with one row or column: "not supported by the current code generation target"
    ///   (E39999);
    /// - no `tbuffer`: "Unhandled global inst in spirv-emit" (E99997).
    ///
    /// Source: measured with Slang 2026.14.1 (`-target spirv -O0`).
    pub fn slang_spirv() -> Self {
        let mut space = Self::slang().without(&[DeclarationFeature::OneDimensionalMatrix]);
        space.blocks.retain(|form| *form != BlockForm::Tbuffer);
        space
    }

    /// FXC up to shader model 5.0: no 16-bit and 64-bit integers, `half` as another name for
    /// `float`, neither `ConstantBuffer<T>` nor push constants, no enums, bit-fields, empty structs
    /// and bases.
    ///
    /// Source: Microsoft's HLSL reference, Scalar Types ("half: provided only for language
    /// compatibility") and Shader Model 5.1 (`ConstantBuffer<T>`); enums and bit-fields came with
    /// HLSL 2017 and 2021 of DXC.
    pub fn fxc() -> Self {
        let space = Self::everything().without(&[
            DeclarationFeature::Enum,
            DeclarationFeature::TypedEnum,
            DeclarationFeature::BitField,
            DeclarationFeature::EmptyStruct,
            DeclarationFeature::EmptyStructArray,
            DeclarationFeature::BaseStruct,
            DeclarationFeature::VkOffset,
        ]);

        Self {
            scalars: [&CORE[..], &[Scalar::Float64]].concat(),
            blocks: vec![
                BlockForm::Cbuffer,
                BlockForm::StructuredBuffer,
                BlockForm::StructuredElement,
                BlockForm::Tbuffer,
            ],
            sixteen_bit: vec![SixteenBit::Off],
            ..space
        }
    }

    /// The types of GLSL without extensions: matrices of `float` and `double` with 2 to 4 rows and
    /// columns, no vectors of one component, no enums, bit-fields, bases and empty structs, no
    /// packoffset. GLSL's texture buffers are not blocks.
    ///
    /// Source: GLSL 4.60, 4.1 Basic Types, 4.1.8 Structures, 4.4.5 Uniform and Shader Storage Block
    /// Layout Qualifiers.
    pub fn glsl() -> Self {
        Self {
            scalars: [&CORE[..], &[Scalar::Float64]].concat(),
            blocks: vec![
                BlockForm::Cbuffer,
                BlockForm::ConstantBuffer,
                BlockForm::StructuredBuffer,
                BlockForm::PushConstant,
            ],
            features: BTreeSet::from([
                DeclarationFeature::Vector,
                DeclarationFeature::Matrix,
                DeclarationFeature::MatrixOrder,
                DeclarationFeature::Array,
                DeclarationFeature::NestedArray,
                DeclarationFeature::Struct,
            ]),
            orders: vec![MatrixOrder::Column, MatrixOrder::Row],
            sixteen_bit: vec![SixteenBit::On],
        }
    }

    /// The types that WGSL shares with the host: no `bool` and no 64-bit types, matrices of
    /// floating point with contiguous columns. `half` is `f16`.
    ///
    /// Source: WGSL, Host-shareable Types and Memory Layout.
    pub fn wgsl() -> Self {
        let space = Self::glsl().without(&[DeclarationFeature::MatrixOrder]);
        Self {
            scalars: vec![Scalar::Float32, Scalar::Int32, Scalar::Uint32, Scalar::Half],
            blocks: vec![BlockForm::Cbuffer, BlockForm::ConstantBuffer, BlockForm::StructuredBuffer],
            orders: vec![MatrixOrder::Column],
            ..space
        }
    }

    /// Tint, which gets WGSL that we generate: only 32-bit numbers, and a matrix by rows becomes a
    /// transposed WGSL matrix.
    pub fn tint() -> Self {
        let Self { blocks, .. } = Self::wgsl();
        Self { scalars: vec![Scalar::Float32, Scalar::Int32, Scalar::Uint32], blocks, ..Self::glsl() }
    }

    /// Removes these features from the space.
    #[must_use]
    pub fn without(mut self, features: &[DeclarationFeature]) -> Self {
        self.features.retain(|feature| !features.contains(feature));
        self
    }

    /// Adds `min16float` and the other minimum-precision types, which only DXC and FXC lay out.
    #[must_use]
    pub fn with_minimum_precision(mut self) -> Self {
        self.scalars.extend([
            Scalar::Min16Float,
            Scalar::Min16Int,
            Scalar::Min16Uint,
            Scalar::Min10Float,
            Scalar::Min12Int,
        ]);
        self
    }

    /// Returns the intersection of two spaces, to compare two compilers. `None` if they share no
    /// form of block, no order or no size of 16-bit types.
    pub fn common(&self, other: &Self) -> Option<Self> {
        let space = Self {
            scalars: shared(&self.scalars, &other.scalars),
            blocks: shared(&self.blocks, &other.blocks),
            features: self.features.intersection(&other.features).copied().collect(),
            orders: shared(&self.orders, &other.orders),
            sixteen_bit: shared(&self.sixteen_bit, &other.sixteen_bit),
        };
        let is_empty = space.blocks.is_empty() || space.orders.is_empty() || space.sixteen_bit.is_empty();
        (!is_empty).then_some(space)
    }

    /// Returns true if declarations may have this feature.
    pub fn has(&self, feature: DeclarationFeature) -> bool {
        self.features.contains(&feature)
    }

    /// Returns every pair of matrix order and size of 16-bit types, the simplest first.
    pub fn options(&self) -> Vec<LayoutOptions> {
        let pairs = self.orders.iter().flat_map(|matrix| self.sixteen_bit.iter().map(move |size| (*matrix, *size)));
        pairs.map(|(matrix, sixteen_bit)| LayoutOptions { matrix, sixteen_bit, ..LayoutOptions::default() }).collect()
    }

    /// Returns the scalars that exist with 16-bit types of this size.
    pub fn scalars_with(&self, sixteen_bit: SixteenBit) -> Vec<Scalar> {
        let strict = [Scalar::Float16, Scalar::Int16, Scalar::Uint16];
        let is_there = |scalar: &Scalar| match sixteen_bit {
            SixteenBit::On => true,
            SixteenBit::Off => !strict.contains(scalar),
        };
        self.scalars.iter().copied().filter(is_there).collect()
    }

    /// Returns the scalars of matrices, each with the orders that a declaration may have.
    pub fn matrices_with(&self, options: LayoutOptions) -> Vec<(Scalar, Option<MatrixOrder>)> {
        let scalars = self.scalars_with(options.sixteen_bit).into_iter().filter(|it| MATRIX_SCALARS.contains(it));
        let written = [None, Some(MatrixOrder::Row), Some(MatrixOrder::Column)];
        let orders = if self.has(DeclarationFeature::MatrixOrder) { &written[..] } else { &written[..1] };
        let all = scalars.flat_map(|scalar| orders.iter().map(move |order| (scalar, *order)));
        all.filter(|(scalar, order)| self.has_matrix(*scalar, order.unwrap_or(options.matrix))).collect()
    }

    /// Returns true if matrices of this scalar may have this order.
    fn has_matrix(&self, scalar: Scalar, order: MatrixOrder) -> bool {
        self.has(DeclarationFeature::Matrix) && matrix_feature(scalar, order).is_none_or(|feature| self.has(feature))
    }
}

fn shared<T: Copy + PartialEq>(one: &[T], other: &[T]) -> Vec<T> {
    one.iter().copied().filter(|it| other.contains(it)).collect()
}
