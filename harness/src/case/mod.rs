//! Case files: one claim about a declaration, with the layouts that named authorities give it.
//!
//! [`mod@file`] reads the TOML, [`expect`] puts what a case and what a layout say about a path into one form, so that the
//! two can be compared. Nothing here computes a layout.

pub mod expect;
pub mod file;

pub use expect::Numbers;
pub use file::{Authority, By, Case, Diagnosed, Expectation, Expected};
