//! Parses numeric types from their HLSL spelling, because records store only names of types; also
//! the words for matrix orders.

use layoutproof_layout::scalar::Scalar;

/// The dimensions of a numeric type, read from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumericType {
    /// One value.
    Scalar,
    Vector(u32),
    /// Rows and columns.
    Matrix(u32, u32),
}

/// Parses `float3` as a vector of three floats; `None` for structs, enums and pointers.
pub(crate) fn numeric(type_name: &str) -> Option<(Scalar, NumericType)> {
    SCALARS.into_iter().find_map(|scalar| {
        let rest = type_name.strip_prefix(scalar.spelling())?;
        let digit = |text: &str| text.parse::<u32>().ok().filter(|n| (1..=4).contains(n));
        let shape = match rest.split_once('x') {
            None if rest.is_empty() => NumericType::Scalar,
            None => NumericType::Vector(digit(rest)?),
            Some((rows, columns)) => NumericType::Matrix(digit(rows)?, digit(columns)?),
        };
        Some((scalar, shape))
    })
}

const SCALARS: [Scalar; 18] = [
    Scalar::Bool,
    Scalar::Int8,
    Scalar::Uint8,
    Scalar::Int16,
    Scalar::Uint16,
    Scalar::Int32,
    Scalar::Uint32,
    Scalar::Int64,
    Scalar::Uint64,
    Scalar::Float16,
    Scalar::Half,
    Scalar::Float32,
    Scalar::Float64,
    Scalar::Min16Float,
    Scalar::Min16Int,
    Scalar::Min16Uint,
    Scalar::Min10Float,
    Scalar::Min12Int,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_types_are_told_from_names() {
        for (text, expected) in [
            ("uint16_t", Some((Scalar::Uint16, NumericType::Scalar))),
            ("uint", Some((Scalar::Uint32, NumericType::Scalar))),
            ("float16_t3", Some((Scalar::Float16, NumericType::Vector(3)))),
            ("float2x3", Some((Scalar::Float32, NumericType::Matrix(2, 3)))),
            ("float5", None),
            ("Light", None),
        ] {
            assert_eq!(numeric(text), expected, "{text}");
        }
    }
}
