//! Reads the output of real compilers, linkers and librarians. Missing tools are skipped with a
//! printed reason.
//!
//! Compilers provide the expected numbers: either the test returns the result to them as
//! assertions, or the program itself prints the offsets of its members.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and says why it skips")]

mod cpp;
mod damaged;
mod linked;
mod support;
