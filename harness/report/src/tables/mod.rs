//! Prints tables of numbers: measurements, counts, coverage.

pub mod coverage_table;
pub mod found_table;
pub mod fuzz_tables;
pub mod matrix;
pub(super) mod run_table;
pub mod suite_table;
