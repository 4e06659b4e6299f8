//! Names of members in generated text, which no language reserves.

/// A name that no keyword or reserved word of WGSL or GLSL can equal; `index` keeps the names of a struct apart.
pub(super) fn member_name(index: u32, name: &str) -> String {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() { format!("m{index}") } else { format!("m{index}_{name}") }
}
