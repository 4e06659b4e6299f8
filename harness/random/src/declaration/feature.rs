//! Features that random declarations may have in addition to scalars.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::MatrixOrder;
use strum::{IntoStaticStr, VariantArray};

/// A feature that a declaration may have in addition to scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum DeclarationFeature {
    /// `float2` to `float4`.
    Vector,
    /// `float1`.
    OneVector,
    /// `float2x2` to `float4x4`.
    Matrix,
    /// Matrices with one row or one column.
    OneDimensionalMatrix,
    /// `row_major` and `column_major`.
    MatrixOrder,
    /// Matrices of `int` and `bool` with contiguous rows.
    IntegerMatrix,
    /// Matrices of `int` and `bool` with contiguous columns.
    ColumnIntegerMatrix,
    Array,
    /// Arrays with two dimensions.
    NestedArray,
    /// Structs as members.
    Struct,
    /// Structs without members.
    EmptyStruct,
    /// Arrays of structs that contain only empty structs.
    EmptyStructArray,
    BaseStruct,
    Enum,
    TypedEnum,
    BitField,
    /// `packoffset` on all members of a buffer, in ascending order.
    PackOffset,
    /// `packoffset` on all members of a buffer, in any order.
    PackOffsetAnyOrder,
    /// `packoffset` on some members only.
    PackOffsetMixed,
    /// `[[vk::offset]]` on members of structs, in ascending order.
    VkOffset,
}

impl DeclarationFeature {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Returns the feature that matrices need in addition to [`DeclarationFeature::Matrix`], by scalar
/// and order.
pub(super) fn matrix_feature(scalar: Scalar, order: MatrixOrder) -> Option<DeclarationFeature> {
    match order {
        MatrixOrder::Row | MatrixOrder::Column if scalar.is_float() => None,
        MatrixOrder::Row => Some(DeclarationFeature::IntegerMatrix),
        MatrixOrder::Column => Some(DeclarationFeature::ColumnIntegerMatrix),
    }
}
