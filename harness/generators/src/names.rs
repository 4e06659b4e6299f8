//! Names of members in generated text. No language reserves them.

/// Returns a name that differs from every keyword and reserved word of WGSL and GLSL. `index` makes
/// it unique in a struct.
pub(super) fn member_name(index: u32, name: &str) -> String {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() { format!("m{index}") } else { format!("m{index}_{name}") }
}
