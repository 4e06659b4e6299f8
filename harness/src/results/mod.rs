//! Stored results: records of runs, known differences, floors, coverage, and frozen decisions of
//! compilers.

#![expect(missing_docs, reason = "some names need no docs")]

pub mod coverage;
pub mod floors;
pub mod frozen;
pub mod known;
pub mod mutants;
pub mod record;
