//! The text about checks that failed: grouped by how they failed, each with a table, a picture and a verdict.

pub(super) mod block;
mod byte_map;
pub(super) mod cause;
pub(super) mod group;
mod located;
mod squeeze;
mod table;
mod witness;
