//! Case files: one claim about a declaration, with the layouts that named authorities give it.
//!
//! [`mod@file`] reads the TOML ([`placement`] and [`diagnosed`] some of its tables), [`expect`] puts what a case and what a layout say about a path into one form, so that the
//! two can be compared. Nothing here computes a layout.

pub mod diagnosed;
pub mod expect;
pub mod file;
mod filter;
pub mod placement;

pub use diagnosed::{By, Diagnosed};
pub use file::{Authority, Case, Expectation, Expected};
pub use filter::matches_filter;
pub use placement::{BindExpectation, ExpectedPlaces};
