//! Compares a host struct with a block: bytes before names.
//!
//! `comparer` walks over the members of the shader, `members` compares one of them, `shape` its shape and `lanes`
//! its bytes, `whole` the struct as a whole; `rows` lists the results.

mod comparer;
mod lanes;
mod members;
mod rows;
mod shape;
mod whole;

pub use comparer::{CompareOptions, ShaderBlock, compare, compare_and_advise};
pub(crate) use comparer::{Examination, display_path, examine, passed};
