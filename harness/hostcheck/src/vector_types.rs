//! Vector and matrix types of libraries, as data: `vector_types.toml` next to this file, and rows
//! that users add.
//!
//! A library's type is often a nest of unions and templates. Its row gives the number of
//! components, so that it is compared as one member.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::program_struct::LaneClass;

const BUILT_IN: &str = include_str!("vector_types.toml");

const PLACEHOLDERS: [&str; 3] = ["component", "rows", "columns"];

/// The possible numbers of rows and columns in shaders.
const POSSIBLE: RangeInclusive<u32> = 1..=4;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorTypes {
    /// The types that component names refer to: `float = "float 4"`.
    #[serde(default)]
    components: BTreeMap<String, String>,
    #[serde(default, rename = "type")]
    rows: Vec<VectorTypeRow>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorTypeRow {
    /// The library's name, for readers of the table.
    #[serde(default)]
    pub library: Option<String>,
    /// The type's name, with `{component}`, `{rows}`, `{columns}` and `*`.
    pub pattern: String,
    /// Name of the component, if the pattern has none.
    pub component: Option<String>,
    /// Number of contiguous components, if the pattern has none.
    pub rows: Option<u32>,
    /// Number of vectors, if the pattern has none; default: 1.
    pub columns: Option<u32>,
    /// True if rows and columns must be equal.
    #[serde(default)]
    pub square: bool,
}

/// A vector (one column) or a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorType {
    /// The meaning of a component's bits.
    pub class: LaneClass,
    /// Size of a component, in bytes.
    pub component_size: u32,
    /// Number of contiguous components.
    pub rows: u32,
    pub columns: u32,
}

impl VectorTypes {
    /// The built-in table.
    ///
    /// # Panics
    /// Never: a test reads the table.
    pub fn built_in() -> &'static Self {
        static TABLE: OnceLock<VectorTypes> = OnceLock::new();
        TABLE.get_or_init(|| toml::from_str(BUILT_IN).expect("a test reads the built-in table"))
    }

    /// The table with additional rows of the user, which take precedence.
    #[must_use]
    pub fn with_rows(&self, rows: &[VectorTypeRow]) -> Self {
        Self { components: self.components.clone(), rows: [rows, &self.rows].concat() }
    }

    /// Explains in a sentence why no type can ever match a row; `None` if one can.
    pub fn problem(&self, row: &VectorTypeRow) -> Option<String> {
        let unknown = placeholders(&row.pattern).find(|name| !PLACEHOLDERS.contains(name));
        if let Some(name) = unknown {
            return Some(format!("`{{{name}}}` is not one of {{component}}, {{rows}} and {{columns}}"));
        }
        if row.pattern.trim_matches('*').is_empty() {
            return Some("`pattern` names no type".to_owned());
        }

        let has = |name: &str| placeholders(&row.pattern).any(|found| found == name);
        let known = || self.components.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        match &row.component {
            None if !has("component") => {
                return Some(format!(
                    "`component` is missing, and `pattern` has no {{component}}; known are {}",
                    known()
                ));
            }
            Some(name) if !self.components.contains_key(name) => {
                return Some(format!("unknown component `{name}`; known are {}", known()));
            }
            Some(_) | None => {}
        }
        if !has("rows") && row.rows.is_none() && !row.square {
            return Some("`rows` is missing, and `pattern` has no {rows}".to_owned());
        }
        let counts = [("rows", row.rows), ("columns", row.columns)];
        let wrong = counts.into_iter().find(|(_, count)| count.is_some_and(|count| !POSSIBLE.contains(&count)));
        wrong.map(|(key, _)| format!("`{key}` is a number from 1 to 4"))
    }

    /// Returns the vector type with this type name.
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
        let is_possible = POSSIBLE.contains(&rows) && POSSIBLE.contains(&columns);
        is_possible.then_some(VectorType { class, component_size: size.parse().ok()?, rows, columns })
    }
}

fn placeholders(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('{').skip(1).map(|rest| rest.split('}').next().unwrap_or(rest))
}

/// Matches a whole text against a pattern, and returns the values of its placeholders.
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
        // MSVC writes no suffix; some compilers write `3u`.
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

    #[test]
    fn rows_that_nothing_can_match_say_why() {
        let row = |pattern: &str| VectorTypeRow { pattern: pattern.to_owned(), ..VectorTypeRow::default() };
        let table = VectorTypes::built_in();
        let problem = |row: &VectorTypeRow| table.problem(row).unwrap_or_default();
        assert_eq!(problem(&row("eng::Vec<{component}, {rows}>")), "");
        assert!(problem(&row("eng::Vec{count}")).starts_with("`{count}` is not one of"));
        assert!(problem(&row("eng::Vec{rows}")).starts_with("`component` is missing"));
        assert!(problem(&row("eng::Vec<{component}>")).starts_with("`rows` is missing"));
        assert!(problem(&row("**")).starts_with("`pattern` names no type"));
        let named = |component: &str, rows| VectorTypeRow {
            component: Some(component.to_owned()),
            rows: Some(rows),
            ..row("eng::Vec3")
        };
        assert_eq!(problem(&named("float", 3)), "");
        assert!(problem(&named("single", 3)).starts_with("unknown component `single`; known are bool,"));
        assert_eq!(problem(&named("float", 5)), "`rows` is a number from 1 to 4");
        let found = table.with_rows(&[named("float", 3)]).find("eng::Vec3");
        assert_eq!(found, Some(VectorType { class: LaneClass::Float, component_size: 4, rows: 3, columns: 1 }));
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
            ("mint::vector::Vector3<f32>", "float 4 1x3"),
            ("mint::matrix::ColumnMatrix3<f32>", "float 4 3x3"),
            ("glsl_layout::vec::uvec2", "unsigned integer 4 1x2"),
            ("glsl_layout::scalar::boolean", "unsigned integer 4 1x1"),
            ("simd_float4x4", "float 4 4x4"),
        ] {
            assert_eq!(found(name).as_deref(), Some(expected), "{name}");
        }
        for name in ["engine::Vec3", "glm::vec<9, float, 0>", "glm::vec<3, engine::Half, 0>", "DirectX::XMFLOAT"] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
