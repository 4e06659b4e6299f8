//! Writes the cases as test vectors that other layout code can run: `vectors.json`, `rules.json`
//! with the rule table, their JSON Schema, and Rust, npm and Python packages that carry them.
//!
//! [`mod@format`] has the types and is, word for word, the source of the Rust package, so it depends on
//! serde alone. Numbers come from the cases' authorities; [`Unsettled`] refuses a case whose numbers
//! layoutproof itself does not reproduce, because images and alignments would then contradict them.
#![forbid(unsafe_code)]

pub mod format;
mod image;
mod of_case;
mod packages;
mod rules;

pub use of_case::{Unsettled, vector};
pub use packages::{PackageFile, packages};
pub use rules::{rules, rules_json};

use format::{Vector, Vectors};

/// Version of the format of `vectors.json` and `rules.json`.
pub const SCHEMA: u32 = 1;

/// The JSON Schema of `vectors.json` and `rules.json`.
pub const VECTORS_SCHEMA: &str = include_str!("vectors.schema.json");

/// The text of `vectors.json`: one line per vector, so that two versions compare line by line.
pub fn vectors_json(mut vectors: Vec<Vector>) -> serde_json::Result<String> {
    vectors.sort_by(|one, other| one.id.cmp(&other.id));
    let head = Vectors { schema: SCHEMA, layoutproof: VERSION.to_owned(), vectors: Vec::new() };
    let head = serde_json::to_string(&head)?;
    let lines = vectors.iter().map(serde_json::to_string).collect::<serde_json::Result<Vec<_>>>()?;
    Ok(head.replace("\"vectors\":[]", &format!("\"vectors\":[\n{}\n]", lines.join(",\n"))) + "\n")
}

/// Version of layoutproof, and of the packages.
const VERSION: &str = env!("CARGO_PKG_VERSION");
