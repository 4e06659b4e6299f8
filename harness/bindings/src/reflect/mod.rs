//! Prints a program's layout as reflection shows it: as the tree of the Slang user guide's
//! reflection chapter, and as slangc's JSON.
//!
//! `layoutproof show --format slang-json` prints a [`ProgramLayout`](crate::tree::ProgramLayout) and its
//! [`ParameterUses`] with this module, which places nothing itself: see [`crate`].
//! Sources: Slang user guide, Using the Reflection API; slangc 2026.14.1.

mod image_format;
mod node;
mod resource_usage;
mod slang_json;
mod spelling;
mod used;
mod varying;
mod yaml;
mod yaml_of_json;

pub use slang_json::slang_json;
pub use used::ParameterUses;
pub use yaml::yaml;
pub use yaml_of_json::{JsonError, NOT_IN_JSON, yaml_of_json};

#[cfg(test)]
mod tests;
