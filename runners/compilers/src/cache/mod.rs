//! Answers of compilers and of spirv-val, kept on the disk, so that nobody is asked the same thing twice.
//!
//! [`AnswerCache`] is the whole of it for callers: `toolchains` keeps what compilers say, `spirv_val` what the validator
//! says. An answer stands under a key of everything that decides it (`CacheKey`): the question, and the content of the
//! programs and libraries that answer it (`identity`, `linked_libraries`). What may depend on files that are not known is
//! never kept (`self_contained`).
//!
//! `folder` says where the files are, and takes no folder that anybody else can change; `store` reads, writes and removes
//! entries there, from many processes at once; `entry` is the form of one file. Whatever is wrong with the folder or a file
//! in it, the answer is asked for again: a cache never fails a run.

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
