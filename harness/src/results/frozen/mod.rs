//! Frozen decisions: a compiler's decisions, stored as text and compared with another build of it.
//!
//! [`decide()`] runs a compiler on one source and reads its decisions as [`answer`]s: whether it
//! accepts the source, where members are in its report and in its code, and where parameters are
//! bound. [`text`] writes and reads them, [`manifest`] names the compiler, [`compare()`] compares
//! two builds, [`accepted`] lists intended changes. No device takes part, and our rules do not
//! influence the answers: our layouts only list the leaves.

pub mod accepted;
pub mod answer;
pub mod compare;
pub mod decide;
mod facts;
pub mod manifest;
pub mod text;

pub use accepted::{IntendedChanges, accept};
pub use answer::{CaseAnswers, CaseDecisions, Fact, Facts, FrozenAnswer, FrozenQuestion};
pub use compare::{BuildComparison, BuildDifference, ChangeKind, compare};
pub use decide::{case_digest, decide};
pub use manifest::{FrozenFileError, FrozenToolchain, Manifest};
