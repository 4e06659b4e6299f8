//! Parses numeric types from their HLSL spelling, because records store only names of types; also
//! the words for matrix orders.

use layoutproof_layout::scalar::Scalar;

use super::member_tree::split_dimensions;

/// The dimensions of a numeric type, read from its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumericType {
    /// One value.
    Scalar,
    Vector(u32),
    /// Rows and columns.
    Matrix(u32, u32),
}

impl NumericType {
    /// All of them, of up to four rows, columns and components.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let matrices = (1..=4).flat_map(|rows| (1..=4).map(move |columns| Self::Matrix(rows, columns)));
        std::iter::once(Self::Scalar).chain((2..=4).map(Self::Vector)).chain(matrices)
    }

    /// What HLSL adds to the scalar: `3`, `3x4`.
    pub(crate) fn suffix(self) -> String {
        match self {
            Self::Scalar => String::new(),
            Self::Vector(length) => length.to_string(),
            Self::Matrix(rows, columns) => format!("{rows}x{columns}"),
        }
    }
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

/// True if two members hold other values. Structs are compared by their members.
pub(crate) fn is_another_type(one: &str, other: &str) -> bool {
    let numeric = |name| numeric(split_dimensions(name).0);
    one != other && (numeric(one).is_some() || numeric(other).is_some())
}

/// True if compiled code may have the type of one member for that of the other, of the same size: compilers store a
/// `bool` as a `uint` (slangc as an `int`), an enum as its integer and a matrix of one row as a vector, and write `half` as
/// `float16_t`.
pub(crate) fn may_be_compiled_to(one: &str, other: &str) -> bool {
    let class = |scalar: Scalar| match scalar {
        Scalar::Bool | Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Min16Uint => 'u',
        _ if scalar.is_float() => 'f',
        _ => 'i',
    };
    let length = |shape: NumericType| match shape {
        NumericType::Scalar => (1, 1),
        NumericType::Vector(length) => (1, length),
        NumericType::Matrix(rows, columns) => (rows.min(columns), rows.max(columns)),
    };
    let ((base, dimensions), (other, other_dimensions)) = (split_dimensions(one), split_dimensions(other));
    let is_alike = match (numeric(base), numeric(other)) {
        (Some((scalar, shape)), Some((other, other_shape))) => {
            let is_turned = matches!((shape, other_shape), (NumericType::Matrix(..), NumericType::Matrix(..)));
            let is_stored_bool = |one, other| one == Scalar::Bool && class(other) != 'f';
            let is_alike =
                class(scalar) == class(other) || is_stored_bool(scalar, other) || is_stored_bool(other, scalar);
            is_alike && if is_turned { shape == other_shape } else { length(shape) == length(other_shape) }
        }
        (None, Some((_, shape))) | (Some((_, shape)), None) => shape == NumericType::Scalar,
        (None, None) => true,
    };
    is_alike && dimensions == other_dimensions
}

pub(crate) const SCALARS: [Scalar; 18] = [
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
    fn compilers_store_bools_as_integers() {
        // DXC 1.7.2308 writes `uint`, slangc 2026.14.1 `int`.
        for (one, other) in [("bool", "uint"), ("bool", "int"), ("int2", "bool2")] {
            assert!(may_be_compiled_to(one, other), "{one} {other}");
        }
        for (one, other) in [("bool", "float"), ("uint", "int"), ("bool2", "int")] {
            assert!(!may_be_compiled_to(one, other), "{one} {other}");
        }
    }

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
