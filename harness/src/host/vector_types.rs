//! Vector and matrix types of libraries, as data: `vector_types.toml` beside this file, and what users add.
//!
//! A type of a library is often a nest of unions and templates. Its entry says how many components it has, so that it is
//! compared as one member.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::program_struct::LaneClass;

/// The table that is built in.
const BUILT_IN: &str = include_str!("vector_types.toml");

/// A table of vector types.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorTypes {
    /// What the names of components mean: `float = "float 4"`.
    #[serde(default)]
    components: BTreeMap<String, String>,
    #[serde(default, rename = "type")]
    rows: Vec<VectorTypeRow>,
}

/// One row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorTypeRow {
    /// For people.
    #[expect(dead_code, reason = "the rows are grouped by it for whoever reads the table")]
    library: String,
    pattern: String,
    component: Option<String>,
    rows: Option<u32>,
    columns: Option<u32>,
    /// As many rows as columns.
    #[serde(default)]
    square: bool,
}

/// A vector (one column) or a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorType {
    /// What the bits of a component mean.
    pub class: LaneClass,
    /// Bytes of a component.
    pub component_size: u32,
    /// Contiguous components.
    pub rows: u32,
    /// Vectors of that many components.
    pub columns: u32,
}

impl VectorTypes {
    /// The table that is built in.
    ///
    /// # Panics
    /// Never: a test reads the table.
    pub fn built_in() -> &'static Self {
        static TABLE: OnceLock<VectorTypes> = OnceLock::new();
        TABLE.get_or_init(|| toml::from_str(BUILT_IN).expect("a test reads the built-in table"))
    }

    /// Returns the vector type that a type name stands for.
    pub fn find(&self, type_name: &str) -> Option<VectorType> {
        self.rows.iter().find_map(|row| self.read(row, type_name))
    }

    fn read(&self, row: &VectorTypeRow, type_name: &str) -> Option<VectorType> {
        let captures = capture(&row.pattern, type_name)?;
        let number = |key: &str| captures.get(key).and_then(|text| text.parse::<u32>().ok());

        let component = captures.get("component").map(String::as_str).or(row.component.as_deref())?;
        let component = self.components.get(component)?;
        let columns = number("columns").or(row.columns).unwrap_or(1);
        let rows = if row.square { columns } else { number("rows").or(row.rows)? };

        let (class, size) = component.split_once(' ')?;
        let class = match class {
            "float" => LaneClass::Float,
            "signed" => LaneClass::Signed,
            "unsigned" => LaneClass::Unsigned,
            "bool" => LaneClass::Bool,
            _ => return None,
        };
        let is_possible = (1..=4).contains(&rows) && (1..=4).contains(&columns);
        is_possible.then_some(VectorType { class, component_size: size.parse().ok()?, rows, columns })
    }
}

/// Matches a whole text with a pattern, and returns what its `{names}` stand for.
fn capture(pattern: &str, text: &str) -> Option<BTreeMap<String, String>> {
    let Some(special) = pattern.find(['{', '*']) else {
        return (pattern == text).then(BTreeMap::new);
    };
    let rest = text.strip_prefix(&pattern[..special])?;
    let pattern = &pattern[special..];

    let (name, after) = match pattern.strip_prefix('{') {
        Some(named) => named.split_once('}')?,
        None => ("*", &pattern[1..]),
    };
    for (end, _) in rest.char_indices().chain([(rest.len(), ' ')]) {
        let value = &rest[..end];
        if !may_stand_for(name, value) {
            continue;
        }
        if let Some(mut captures) = capture(after, &rest[end..]) {
            captures.insert(name.to_owned(), value.trim_end_matches('u').to_owned());
            return Some(captures);
        }
    }
    None
}

fn may_stand_for(name: &str, value: &str) -> bool {
    match name {
        "*" => true,
        "component" => !value.is_empty() && !value.contains([',', '<', '>']),
        // MSVC writes no suffix, some compilers write `3u`.
        _ => value.trim_end_matches('u').parse::<u32>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<String> {
        let ty = VectorTypes::built_in().find(name)?;
        Some(format!("{} {} {}x{}", ty.class.noun(), ty.component_size, ty.columns, ty.rows))
    }

    /// Names as GCC 12, Clang 22 and rustc 1.87 write them.
    #[test]
    fn names_of_libraries_are_vectors_and_matrices() {
        for (name, expected) in [
            ("glm::vec<3, float, (glm::qualifier)0>", "float 4 1x3"),
            ("glm::vec<2, unsigned int, glm::packed_highp>", "unsigned integer 4 1x2"),
            ("glm::mat<4, 3, float, glm::packed_highp>", "float 4 4x3"),
            ("DirectX::XMFLOAT3", "float 4 1x3"),
            ("DirectX::XMFLOAT4X4A", "float 4 4x4"),
            ("DirectX::XMMATRIX", "float 4 4x4"),
            ("Eigen::Matrix<float, 3, 1, 0, 3, 1>", "float 4 1x3"),
            ("glam::f32::sse2::vec3a::Vec3A", "float 4 1x3"),
            ("glam::f32::sse2::mat4::Mat4", "float 4 4x4"),
            ("cgmath::matrix::Matrix3<f32>", "float 4 3x3"),
            ("simd_float4x4", "float 4 4x4"),
        ] {
            assert_eq!(found(name).as_deref(), Some(expected), "{name}");
        }
        for name in ["engine::Vec3", "glm::vec<9, float, 0>", "glm::vec<3, engine::Half, 0>", "DirectX::XMFLOAT"] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
