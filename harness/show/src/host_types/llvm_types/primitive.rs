//! LLVM types of numbers, vectors and addresses, which have no parts with an offset.

use layoutproof_layout::Component;
use layoutproof_layout::scalar::Scalar;

/// A number. A `bool` is an integer in memory.
pub(super) fn scalar(component: Component) -> String {
    let Component { scalar, size } = component;
    match scalar {
        Scalar::Bool
        | Scalar::Int8
        | Scalar::Uint8
        | Scalar::Int16
        | Scalar::Uint16
        | Scalar::Int32
        | Scalar::Uint32
        | Scalar::Int64
        | Scalar::Uint64
        | Scalar::Min16Int
        | Scalar::Min16Uint
        | Scalar::Min12Int => format!("i{}", size.saturating_mul(8)),
        Scalar::Float16
        | Scalar::Half
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Min16Float
        | Scalar::Min10Float => match size {
            0..=2 => "half",
            3..=4 => "float",
            5.. => "double",
        }
        .to_owned(),
    }
}

/// A vector. One component is a vector too, as in HLSL.
pub(super) fn vector(component: Component, length: u32) -> String {
    format!("<{length} x {}>", scalar(component))
}

/// An address of this many bytes.
pub(super) fn address(size: u32) -> String {
    format!("i{}", size.saturating_mul(8))
}
