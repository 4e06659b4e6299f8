//! Tests the cases themselves: plants faults one at a time and collects the cases that notice each, for
//! `layoutproof mutants`.
//!
//! [`rules`] changes one parameter of a rule row at a time and asks which cases expect other numbers then. [`devices`]
//! makes the model device misread in one way at a time and asks in which checks the verdict names the device. A rule
//! mutant that no case kills must be explained in a list that [`equivalent`] reads; an explanation that no longer holds
//! is stale. Which case is right is not decided here: cases that differ without a fault take no part.

pub mod devices;
pub mod equivalent;
mod mutant_table;
pub mod rules;

pub use mutant_table::{DeviceLine, Killers, MutantTable, RuleLine};
