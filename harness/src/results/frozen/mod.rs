//! Frozen decisions: what a compiler decided, kept as text, and compared with another build of it.
//!
//! [`decide()`] asks a compiler about one source and reads what it decided as [`answer`]s: whether it takes the source, where
//! members are by its report and by its code, where parameters are bound. [`text`] writes and reads them, [`manifest`] says
//! whose they are, [`compare()`] sets two builds side by side, [`accepted`] knows which changes are intended. No device takes
//! part, and no rule of ours is believed: our layouts only say which leaves there are.

pub mod accepted;
pub mod answer;
pub mod compare;
pub mod decide;
mod facts;
pub mod manifest;
pub mod text;

pub use accepted::{IntendedChanges, accept};
pub use answer::{CaseAnswers, CaseDecisions, Fact, Facts, FrozenAnswer};
pub use compare::{BuildComparison, BuildDifference, compare};
pub use decide::{case_digest, decide};
pub use manifest::{FrozenToolchain, Manifest};
