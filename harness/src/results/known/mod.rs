//! Known differences: which checks may differ, why, and for which driver versions.
//!
//! An entry whose checks ran and of which none differs any more is stale, and that is a failure: the entry must go. Where it
//! is about several builds of a compiler, it is stale for each that agrees. Each entry says which checks it is about, and why,
//! and, of compilers, the newest build that was seen to differ; one that excuses a check that broke names the words that the
//! check says, and one that excuses a module that needs more than was promised what the validator makes of it.
//! Entries that name a shape of members are about random declarations, files of users and new cases, see [`shape`].

mod apply;
mod entry;
mod read;
mod reduced_source;
pub mod shape;
mod shape_entry;
#[cfg(test)]
mod tests;

pub use apply::{FixedEntry, apply, explain, fixed_here, mark_seen, mark_stale, seen_in_shard};
pub use entry::{EntryCondition, KnownFailure};
pub use read::{KnownFile, read, read_file};
pub use reduced_source::ReducedSource;
