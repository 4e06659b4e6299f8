//! What checks came to, kept: records of runs, lists of known differences, floors, coverage, frozen decisions of compilers.

pub mod coverage;
pub mod floors;
pub mod frozen;
pub mod known;
pub mod mutants;
pub mod record;
