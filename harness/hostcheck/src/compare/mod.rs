//! Compares a host struct with a block: bytes before names.
//!
//! `comparer` walks over the members of the shader; the other modules compare one member, or the
//! whole.

mod by_bytes;
mod byte_runs;
mod comparer;
mod lanes;
mod rows;
mod same_place;
mod strides;
mod whole;

pub use comparer::{CompareOptions, ShaderBlock, compare};
