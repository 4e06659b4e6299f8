//! Scalar types of shader languages and their sizes.

use serde::{Deserialize, Serialize};

/// A scalar type as declared. `dword` is [`Scalar::Uint32`]. Minimum-precision types keep their own
/// names because their size depends on [`SixteenBit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scalar {
    Bool,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    /// `float16_t`: always two bytes.
    Float16,
    /// `half`: two bytes with 16-bit types on; the same as `float` otherwise.
    Half,
    Float32,
    Float64,
    Min16Float,
    Min16Int,
    Min16Uint,
    Min10Float,
    Min12Int,
}

/// Selects the size of `half` and of the minimum-precision types: 2 bytes (`-enable-16bit-types`)
/// or 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SixteenBit {
    #[default]
    On,
    Off,
}

impl Scalar {
    /// Size in bytes. `bool_size` is the size that the rule set gives a `bool`.
    pub fn size(self, sixteen_bit: SixteenBit, bool_size: u32) -> u32 {
        match self {
            Self::Bool => bool_size,
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 | Self::Float16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Int64 | Self::Uint64 | Self::Float64 => 8,
            Self::Half | Self::Min16Float | Self::Min16Int | Self::Min16Uint | Self::Min10Float | Self::Min12Int => {
                match sixteen_bit {
                    SixteenBit::On => 2,
                    SixteenBit::Off => 4,
                }
            }
        }
    }

    /// True for minimum-precision types (`min16float` and the like).
    pub fn is_minimum_precision(self) -> bool {
        matches!(self, Self::Min16Float | Self::Min16Int | Self::Min16Uint | Self::Min10Float | Self::Min12Int)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::Float16 | Self::Half | Self::Float32 | Self::Float64 | Self::Min16Float | Self::Min10Float)
    }

    pub fn spelling(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int8 => "int8_t",
            Self::Uint8 => "uint8_t",
            Self::Int16 => "int16_t",
            Self::Uint16 => "uint16_t",
            Self::Int32 => "int",
            Self::Uint32 => "uint",
            Self::Int64 => "int64_t",
            Self::Uint64 => "uint64_t",
            Self::Float16 => "float16_t",
            Self::Half => "half",
            Self::Float32 => "float",
            Self::Float64 => "double",
            Self::Min16Float => "min16float",
            Self::Min16Int => "min16int",
            Self::Min16Uint => "min16uint",
            Self::Min10Float => "min10float",
            Self::Min12Int => "min12int",
        }
    }
}
