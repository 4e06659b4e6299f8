//! Test vectors for layouts of shader parameters.
//!
//! ```
//! for vector in &layoutproof_vectors::vectors().vectors {
//!     for layout in vector.layouts.iter().filter(|layout| layout.rules == "std140") {
//!         for (path, offset) in &layout.offsets {
//!             // Compare with what your own code says about `vector.blocks`.
//!             let _ = (path, offset);
//!         }
//!     }
//! }
//! ```

mod format;

use std::sync::LazyLock;

pub use format::*;

/// The text of `vectors.json`.
pub const VECTORS_JSON: &str = include_str!("../data/vectors.json");

/// The text of `rules.json`.
pub const RULES_JSON: &str = include_str!("../data/rules.json");

/// The JSON Schema of both.
pub const VECTORS_SCHEMA: &str = include_str!("../data/vectors.schema.json");

/// All vectors, in the order of their ids.
///
/// # Panics
/// Never: a test of the package reads the text.
pub fn vectors() -> &'static Vectors {
    static VECTORS: LazyLock<Vectors> =
        LazyLock::new(|| serde_json::from_str(VECTORS_JSON).expect("the package's own vectors.json"));
    &VECTORS
}

/// All rule sets, and the compilers that apply them.
///
/// # Panics
/// Never: a test of the package reads the text.
pub fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> =
        LazyLock::new(|| serde_json::from_str(RULES_JSON).expect("the package's own rules.json"));
    &RULES
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_layout_names_a_rule_set() {
        let names: Vec<&str> = crate::rules().rules.iter().map(|rules| rules.name.as_str()).collect();
        for vector in &crate::vectors().vectors {
            assert!(vector.layouts.iter().all(|layout| names.contains(&layout.rules.as_str())), "{}", vector.id);
        }
    }
}
