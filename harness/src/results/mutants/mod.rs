//! Tests the cases themselves, for `layoutproof mutants`: plants one fault at a time and collects
//! the cases that detect it.
//!
//! [`rules`] changes one parameter of a rule set and finds the cases that expect different numbers
//! then. [`devices`] makes the model device misread in one way and finds the checks whose verdict
//! names the device. A rule mutant that no case kills must be explained in a list that
//! [`equivalent`] reads; an explanation that no longer holds is stale. These tests do not decide
//! whether a case is right: cases that differ without a fault take no part.

pub mod devices;
pub mod equivalent;
mod mutant_table;
pub mod rules;

pub use mutant_table::{DeviceLine, Killers, MutantTable, RuleLine};
