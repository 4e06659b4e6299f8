//! Prints tables of numbers: measurements, counts, coverage.

pub mod cell_table;
pub mod coverage_table;
pub mod found_table;
pub mod matrix;
pub(super) mod run_table;
pub mod seen_table;
pub mod suite_table;
pub mod tally_table;
