//! Renders records and laid-out blocks for people and other programs: text, JSON, `JUnit`, CSV,
//! HTML.
//!
//! The commands call this at the end of a run, and for `show`, `diff`, `list` and similar output.
//! Nothing here lays out, binds or judges, and nothing prints, so a saved records file can be rendered later and on
//! another machine.
#![forbid(unsafe_code)]

pub mod accesses;
pub mod build_changes;
pub mod failure;
mod faults;
pub mod formats;
mod headline;
pub mod host_check;
pub mod html;
pub mod listing;
pub mod own;
pub mod reasons;
pub mod reporter;
pub mod run_changes;
pub mod run_history;
pub mod run_matrix;
pub mod source_root;
pub mod tables;
pub mod terminal;
pub mod upstream;

pub use failure::block::{block, heading};
pub use failure::cause::{FailureCause, FailureGroup, causes, failures, is_failure, known_causes};
pub use formats::{deqp_csv, github, json_lines, junit};
pub use tables::{coverage_table, found_table, fuzz_tables, matrix, suite_table};

/// The JSON schema of a records file (draft 2020-12), which the book documents.
pub const RECORDS_SCHEMA: &str = include_str!("formats/records.schema.json");
