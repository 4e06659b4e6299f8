//! The files that runs leave: records as they grow, merged records, frozen decisions of compilers.
//!
//! Judges nothing and prints nothing: it returns messages for the user, or passes them to a function
//! of the caller.
#![forbid(unsafe_code)]

pub mod compression;
pub mod decision_rows;
pub mod frozen_set;
pub mod home;
pub mod ledger;
pub mod lock;
pub mod merge;
pub mod output_files;
pub mod participants;
pub mod recorded;
pub mod recorded_sources;
pub mod records_file;
pub mod shapes;
pub mod shard;
