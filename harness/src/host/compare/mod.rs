//! Compares a host struct with a block: bytes before names.
//!
//! `comparer` walks through the members of the shader; the other files have what it finds out about one of them, or about
//! the whole.

mod by_bytes;
mod byte_runs;
mod comparer;
mod lanes;
mod rows;
mod same_place;
mod strides;
mod whole;

pub use comparer::{CompareOptions, ShaderBlock, compare};
