//! Reads what real compilers, linkers and librarians make. Tools that are not installed are skipped with a printed
//! reason.
//!
//! Expected numbers come from the compilers: what was read goes back to them as assertions, or the program itself prints
//! where its members are.
#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test may panic, and says why it skips")]

mod cpp;
mod damaged;
mod linked;
mod support;
