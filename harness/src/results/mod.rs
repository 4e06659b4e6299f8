//! Stored results: records of runs, known differences, floors, coverage, and frozen decisions of
//! compilers.

pub mod coverage;
pub mod floors;
pub mod frozen;
pub mod known;
pub mod quarantine;
