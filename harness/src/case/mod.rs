//! Case files: one claim about a declaration, with the layouts that named authorities give it.
//!
//! [`mod@file`] reads the TOML; [`placement`], [`diagnosed`] and `authority` read some of its
//! tables. [`expect`] converts the numbers of a case and those of a layout into one form, so that
//! they can be compared. This module computes no layout.

mod authority;
pub mod diagnosed;
pub mod expect;
pub mod file;
mod filter;
pub mod placement;

pub use authority::Authority;
pub use diagnosed::{By, ExpectedDiagnostic};
pub use file::{Case, Expectation, ExpectedNumber};
pub use filter::matches_filter;
pub use placement::{BindExpectation, ExpectedPlaces};
