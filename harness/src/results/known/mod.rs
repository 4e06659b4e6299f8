//! Known differences: which checks may differ, why, and for which driver versions.
//!
//! An entry whose checks ran without any difference is stale. That is a failure, and the entry must
//! be removed. An entry about several builds of a compiler is stale for each build that agrees.
//! Each entry has the checks that it covers, the reason and, for compilers, the newest build with
//! the difference. An entry that excuses a check that broke has the words of its message; an entry
//! that excuses a module that needs more than promised has the validator's message. Entries with a
//! shape of members cover random declarations, users' files and new cases, see [`shape`].

mod apply;
mod baseline;
mod compiler_versions;
mod drivers;
mod entry;
mod instead;
mod member_shape;
mod named_builds;
mod read;
mod reduced_source;
pub mod shape;
mod shape_entry;
#[cfg(test)]
mod tests;

pub use apply::{FixedEntry, apply, explain, fixed_here, mark_seen, mark_stale, seen_in_shard};
pub use baseline::baseline;
pub use entry::{EntryCondition, KnownFailure};
pub use instead::Instead;
pub use member_shape::{MemberShape, shapes_of_block};
pub use named_builds::{DXC_BUILDS, NamedBuild, NamedBuilds};
pub use read::{KnownFile, read, read_file};
pub use reduced_source::ReducedSource;
