//! The scalar types of SPIR-V, and the type of each laid-out component.

use layoutproof_layout::Component;
use layoutproof_layout::scalar::Scalar;

/// The meaning of a scalar's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScalarMeaning {
    Uint,
    Int,
    Float,
    /// An unsigned integer in memory whose nonzero values are true, since SPIR-V's own `bool` has
    /// no bytes.
    Bool,
}

/// A scalar type of SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ScalarKind {
    pub(super) numeric: ScalarMeaning,
    /// 8, 16, 32 or 64.
    pub(super) bits: u32,
}

impl ScalarKind {
    /// The type of the probe's own words.
    pub(super) const WORD: Self = Self { numeric: ScalarMeaning::Uint, bits: 32 };

    /// Returns the kind of a component; `None` for sizes without a SPIR-V type.
    pub(super) fn of(component: Component) -> Option<Self> {
        let numeric = match component.scalar {
            Scalar::Bool => ScalarMeaning::Bool,
            Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Min16Uint => ScalarMeaning::Uint,
            Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 | Scalar::Min16Int | Scalar::Min12Int => {
                ScalarMeaning::Int
            }
            Scalar::Float16
            | Scalar::Half
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Min16Float
            | Scalar::Min10Float => ScalarMeaning::Float,
        };

        let least = if numeric == ScalarMeaning::Float { 2 } else { 1 };
        let has_type = component.size.is_power_of_two() && (least..=8).contains(&component.size);
        has_type.then(|| Self { numeric, bits: component.size * 8 })
    }

    pub(super) fn size(self) -> u32 {
        self.bits / 8
    }

    /// Returns how many words of the probe's buffers a value needs.
    pub(super) fn words(self) -> u32 {
        self.bits.div_ceil(32)
    }
}
