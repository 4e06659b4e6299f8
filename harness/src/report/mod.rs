//! Renders records and laid-out blocks for people and other programs: text, JSON, `JUnit`, CSV,
//! HTML.
//!
//! The commands call this at the end of a run, and for `show`, `diff`, `list` and similar output.
//! Nothing here calls the engine or prints, so a saved records file can be rendered later and on
//! another machine.

mod failure;
mod formats;
pub mod host_check;
mod host_types;
pub mod html;
mod layout_text;
mod left_out;
pub mod listing;
mod reasons;
pub mod regression;
mod seen_cases;
mod style;
pub mod summary;
mod tables;
pub mod terminal;
pub mod upstream;

pub use failure::block::{block, heading};
pub use failure::cause::{FailureCause, causes, known_causes};
pub use failure::group::{FailureGroup, failures, is_failure};
pub use formats::{deqp_csv, github, json_lines, junit, show_json};
pub use host_types::{asserts, llvm_types};
pub use layout_text::{bindings_text, declaration_words, diff_text, padding_text, shown_columns, struct_text};
pub use left_out::{left_out, left_out_cases};
pub use style::{Style, counted, grouped, one_line};
pub use tables::{cell_table, coverage_table, found_table, matrix, mutant_table, seen_table, suite_table, tally_table};
