//! Renders records and laid-out blocks for people and other programs: text, JSON, `JUnit`, CSV.
//!
//! The command calls this at the end of a run, and for `show`, `diff`, `list` and their kin. Nothing here calls the engine or prints, so that a saved records file can
//! be rendered later and on another machine.

pub mod asserts;
pub mod bench_table;
pub mod bindings_text;
mod byte_map;
pub mod coverage_table;
pub mod deqp_csv;
pub mod diff_text;
mod failure_block;
mod failure_table;
mod failures;
pub mod github;
pub mod json_lines;
pub mod junit;
pub mod listing;
pub mod llvm_types;
mod located;
pub mod matrix;
mod member_tree;
pub mod mutant_table;
mod numeric;
pub mod padding_text;
pub mod regression;
pub mod seen_table;
pub mod show_json;
mod side_by_side;
mod slots;
mod squeeze;
pub mod struct_text;
mod style;
pub mod summary;
pub mod tally_table;
pub mod terminal;
pub mod upstream;
mod witness;

pub use failure_block::{block, heading};
pub use failures::{FailureGroup, failures, is_failure};
pub use style::{Style, counted, grouped, one_line};
