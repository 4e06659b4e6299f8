//! Prints checks that failed: grouped by how they failed, each with a table, a byte map and a
//! verdict.

pub mod block;
pub(super) mod byte_map;
pub mod cause;
pub(super) mod located;
pub(super) mod table;
pub(super) mod witness;
