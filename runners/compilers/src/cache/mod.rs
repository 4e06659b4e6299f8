//! Keeps the answers of compilers and of spirv-val on disk, so that each question runs a program once.
//!
//! Callers only need [`AnswerCache`]: `toolchains` keeps the answers of compilers, `spirv_val`
//! those of the validator. The key of an answer covers everything that decides it (`CacheKey`): the
//! question, and the content of the programs and libraries that answer it (`identity`,
//! `linked_libraries`). Answers that may depend on unknown files are never kept (`self_contained`).
//!
//! `folder` finds the folder, and rejects one that another user can change. `store` reads, writes
//! and removes entries there, from many processes at once. `entry` is the format of one file. If
//! the folder or a file in it is broken, the program runs again: a cache never fails a run.

mod answers;
mod entry;
mod folder;
mod identity;
mod key;
mod linked_libraries;
mod program_files;
mod self_contained;
mod store;

pub use answers::{AnswerCache, CacheUse, ProgramUse};
pub(crate) use answers::{AnswerKind, AnswerOfProgram, CacheSlot, ProgramQuestion, RecalledAnswer};
pub use folder::{CacheFolder, NoCacheFolder};
pub(crate) use program_files::{DecidingFiles, ProgramFiles, ScriptKind};
pub use store::{CacheContent, KindContent};
