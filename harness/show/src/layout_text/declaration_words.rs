//! Prints declarations in the language of the file: `float3 a[2]` in HLSL, `vec3 a[2]` in GLSL, `a:
//! array<vec3<f32>, 2>` in WGSL.
//!
//! The reports get types in HLSL spelling, which is also the spelling in JSON for every language.
//! Names of structs stay as they are, and so do types for which a language has no word.
//!
//! Source: GLSL 4.60, 4.1 Basic Types (a `matCxR` has C columns),
//! `GL_EXT_shader_explicit_arithmetic_types`; WGSL, 6.2 Plain Types (a `matCxR` has C columns).
//! HLSL's `floatRxC` has R rows.

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{BlockKind, MemberRow};

use super::member_tree::{member_name, split_dimensions};
use super::numeric::{NumericType, SCALARS, numeric};
use super::struct_lines;
use crate::style::one_line;
use layoutproof_source::shader_language::ShaderLanguage;

/// A type without its dimensions: `float3x4` as `mat4x3`.
pub fn base_type(language: ShaderLanguage, base: &str) -> String {
    let translated = match (language, numeric(base)) {
        (ShaderLanguage::Glsl, Some((scalar, shape))) => glsl_type(scalar, shape),
        (ShaderLanguage::Wgsl, Some((scalar, shape))) => wgsl_type(scalar, shape),
        _ => None,
    };
    translated.unwrap_or_else(|| base.to_owned())
}

/// A type with its dimensions: `float3[2]` as `vec3[2]` and `array<vec3<f32>, 2>`.
pub fn type_words(language: ShaderLanguage, type_name: &str) -> String {
    let (base, dimensions) = split_dimensions(type_name);
    let base = base_type(language, base);
    if has_type_in_front(language) { base + dimensions } else { wgsl_array(&base, dimensions) }
}

/// The HLSL spelling of a number, vector or matrix that is written in any of the languages; `None` for other types.
pub fn hlsl_spelling(words: &str) -> Option<String> {
    if numeric(words).is_some() {
        return Some(words.to_owned());
    }
    SCALARS.into_iter().find_map(|scalar| {
        let shape = NumericType::all().find(|shape| {
            let spellings = [glsl_type(scalar, *shape), wgsl_type(scalar, *shape), wgsl_alias(scalar, *shape)];
            spellings.iter().flatten().any(|spelling| spelling == words)
        })?;
        Some(scalar.spelling().to_owned() + &shape.suffix())
    })
}

/// A member's declaration. The type is padded to `type_columns` so that names line up.
pub fn declaration(language: ShaderLanguage, row: &MemberRow, type_columns: usize) -> String {
    let ty = type_words(language, &row.type_name);
    if has_type_in_front(language) {
        return struct_lines::declaration(&MemberRow { type_name: ty, ..row.clone() }, type_columns);
    }
    let name = member_name(&row.path).trim_start_matches("[]");
    one_line(&if name.is_empty() { ty } else { format!("{name}: {ty}") })
}

pub fn block_keyword(language: ShaderLanguage, kind: BlockKind) -> String {
    let keyword = match (language, kind) {
        (ShaderLanguage::Glsl, BlockKind::UniformBlock) => "uniform",
        (ShaderLanguage::Glsl, BlockKind::StorageBlock) => "buffer",
        (ShaderLanguage::Glsl, BlockKind::PushConstant) => "layout(push_constant) uniform",
        (ShaderLanguage::Glsl, BlockKind::ShaderRecord) => "layout(shaderRecordEXT) buffer",
        (ShaderLanguage::Glsl, BlockKind::Workgroup) => "shared",
        (ShaderLanguage::Wgsl, BlockKind::UniformBlock) => "var<uniform>",
        (ShaderLanguage::Wgsl, BlockKind::StorageBlock) => "var<storage>",
        (ShaderLanguage::Wgsl, BlockKind::PushConstant) => "var<immediate>",
        (ShaderLanguage::Wgsl, BlockKind::Workgroup) => "var<workgroup>",
        (_, kind) => kind.as_str(),
    };
    keyword.to_owned()
}

/// True if the type comes before the member's name.
pub fn has_type_in_front(language: ShaderLanguage) -> bool {
    language != ShaderLanguage::Wgsl
}

fn glsl_type(scalar: Scalar, shape: NumericType) -> Option<String> {
    // The word for the scalar, and the prefix of `vec` and `mat`.
    let (word, letters) = match scalar {
        Scalar::Bool => ("bool", "b"),
        Scalar::Int8 => ("int8_t", "i8"),
        Scalar::Uint8 => ("uint8_t", "u8"),
        Scalar::Int16 => ("int16_t", "i16"),
        Scalar::Uint16 => ("uint16_t", "u16"),
        Scalar::Int32 => ("int", "i"),
        Scalar::Uint32 => ("uint", "u"),
        Scalar::Int64 => ("int64_t", "i64"),
        Scalar::Uint64 => ("uint64_t", "u64"),
        Scalar::Float16 | Scalar::Half => ("float16_t", "f16"),
        Scalar::Float32 => ("float", ""),
        Scalar::Float64 => ("double", "d"),
        Scalar::Min16Float | Scalar::Min16Int | Scalar::Min16Uint | Scalar::Min10Float | Scalar::Min12Int => {
            return None;
        }
    };
    Some(match shape {
        NumericType::Scalar | NumericType::Vector(1) => word.to_owned(),
        NumericType::Vector(length) => format!("{letters}vec{length}"),
        NumericType::Matrix(rows, columns) if rows == columns => format!("{letters}mat{columns}"),
        NumericType::Matrix(rows, columns) => format!("{letters}mat{columns}x{rows}"),
    })
}

fn wgsl_type(scalar: Scalar, shape: NumericType) -> Option<String> {
    let word = match scalar {
        Scalar::Bool => "bool",
        Scalar::Int32 => "i32",
        Scalar::Uint32 => "u32",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
        Scalar::Float16 | Scalar::Half => "f16",
        Scalar::Float32 => "f32",
        Scalar::Float64 => "f64",
        _ => return None,
    };
    Some(match shape {
        NumericType::Scalar | NumericType::Vector(1) => word.to_owned(),
        NumericType::Vector(length) => format!("vec{length}<{word}>"),
        NumericType::Matrix(rows, columns) => format!("mat{columns}x{rows}<{word}>"),
    })
}

/// `vec3f` for `vec3<f32>`. Source: WGSL, 6.9 Predeclared Types and Type-Generators.
fn wgsl_alias(scalar: Scalar, shape: NumericType) -> Option<String> {
    let letter = match scalar {
        Scalar::Int32 => 'i',
        Scalar::Uint32 => 'u',
        Scalar::Float16 => 'h',
        Scalar::Float32 => 'f',
        _ => return None,
    };
    match shape {
        NumericType::Scalar => None,
        NumericType::Vector(length) => Some(format!("vec{length}{letter}")),
        NumericType::Matrix(rows, columns) => Some(format!("mat{columns}x{rows}{letter}")),
    }
}

/// `[2][]` of `f32` as `array<array<f32>, 2>`: the outermost dimension, which HLSL writes first, is outside.
pub fn wgsl_array(base: &str, dimensions: &str) -> String {
    let counts = dimensions.split(']').filter_map(|part| part.strip_prefix('['));
    let counts: Vec<&str> = counts.collect();
    counts.iter().rev().fold(base.to_owned(), |element, count| match *count {
        "" => format!("array<{element}>"),
        count => format!("array<{element}, {count}>"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_all_languages_are_read() {
        for (words, hlsl) in [
            ("float3", Some("float3")),
            ("vec3", Some("float3")),
            ("mat4x3", Some("float3x4")),
            ("mat3", Some("float3x3")),
            ("dvec2", Some("double2")),
            ("u32", Some("uint")),
            ("vec4<f16>", Some("float16_t4")),
            ("vec4h", Some("float16_t4")),
            ("mat4x3f", Some("float3x4")),
            ("Light", None),
            ("vec5", None),
        ] {
            assert_eq!(hlsl_spelling(words).as_deref(), hlsl, "{words}");
        }
    }

    #[test]
    fn members_are_declared_in_each_language() {
        for (path, type_name, glsl, wgsl) in [
            ("a", "float3", "vec3 a", "a: vec3<f32>"),
            ("s.m", "float3x4[2]", "mat4x3 m[2]", "m: array<mat4x3<f32>, 2>"),
            ("m", "float4x4", "mat4 m", "m: mat4x4<f32>"),
            ("d", "double2", "dvec2 d", "d: vec2<f64>"),
            ("n", "uint[4][3]", "uint n[4][3]", "n: array<array<u32, 3>, 4>"),
            ("h", "float16_t4", "f16vec4 h", "h: vec4<f16>"),
            ("i", "int", "int i", "i: i32"),
            ("lights", "Light[]", "Light lights[]", "lights: array<Light>"),
            ("", "Light[]", "Light[]", "array<Light>"),
        ] {
            let row = MemberRow {
                path: path.to_owned(),
                type_name: type_name.to_owned(),
                offset: 0,
                size: None,
                alignment: 4,
                ..MemberRow::default()
            };
            let declared = [ShaderLanguage::Glsl, ShaderLanguage::Wgsl].map(|language| declaration(language, &row, 0));
            assert_eq!(declared, [glsl, wgsl], "{type_name}");
        }
    }
}
