//! Names of declared scalars, vectors and matrices in GLSL.
//!
//! Source: The OpenGL Shading Language 4.60, 4.1 Basic Types;
//! `GL_EXT_shader_explicit_arithmetic_types`.

use layoutproof_layout::scalar::{Scalar, SixteenBit};

/// The GLSL names of a scalar type and of its vectors and matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GlslTypeNames {
    /// The scalar's name, such as `float16_t`.
    pub(super) scalar: &'static str,
    /// The prefix before `vec3`.
    vector: &'static str,
    /// The prefix before `mat2x3`; `None` if there are no such matrices.
    matrix: Option<&'static str>,
}

impl GlslTypeNames {
    /// Returns the names of `scalar`, or the reason why it has none.
    pub(super) fn of(scalar: Scalar, sixteen_bit: SixteenBit) -> Result<Self, &'static str> {
        let of = |scalar, vector, matrix| Ok(Self { scalar, vector, matrix });
        match (scalar, sixteen_bit) {
            (Scalar::Bool, _) => of("bool", "b", None),
            (Scalar::Int8, _) => of("int8_t", "i8", None),
            (Scalar::Uint8, _) => of("uint8_t", "u8", None),
            (Scalar::Int16, _) => of("int16_t", "i16", None),
            (Scalar::Uint16, _) => of("uint16_t", "u16", None),
            (Scalar::Int32, _) => of("int", "i", None),
            (Scalar::Uint32, _) => of("uint", "u", None),
            (Scalar::Int64, _) => of("int64_t", "i64", None),
            (Scalar::Uint64, _) => of("uint64_t", "u64", None),
            (Scalar::Float16, _) | (Scalar::Half, SixteenBit::On) => of("float16_t", "f16", Some("f16")),
            (Scalar::Float32, _) | (Scalar::Half, SixteenBit::Off) => of("float", "", Some("")),
            (Scalar::Float64, _) => of("double", "d", Some("d")),
            (
                Scalar::Min16Float | Scalar::Min16Int | Scalar::Min16Uint | Scalar::Min10Float | Scalar::Min12Int,
                SixteenBit::On | SixteenBit::Off,
            ) => Err("GLSL for Vulkan has no minimum precision that changes sizes"),
        }
    }

    /// Returns the name of a vector with 1 to 4 components. One component is a scalar.
    pub(super) fn vector(self, length: u32) -> String {
        if length == 1 { self.scalar.to_owned() } else { format!("{}vec{length}", self.vector) }
    }

    /// Returns the name of a matrix, in which GLSL puts the columns first; `None` if GLSL has no
    /// such matrix.
    pub(super) fn matrix(self, rows: u32, columns: u32) -> Option<String> {
        let prefix = self.matrix.filter(|_| rows > 1 && columns > 1)?;
        Some(format!("{prefix}mat{columns}x{rows}"))
    }

    /// Returns true if the names come from `GL_EXT_shader_explicit_arithmetic_types`.
    pub(super) fn is_extension(self) -> bool {
        self.scalar.ends_with("_t")
    }
}
