//! Reads what users name: shader files, cases, project files and compilers' arguments, each within
//! limits of size and place.
//!
//! Third-party parsers run in processes of the program that links this crate: it serves `read-worker`
//! and `run-limited` with [`shader_file::reader_process`].
#![forbid(unsafe_code)]

pub mod all_cases;
pub mod compile_args;
pub mod compiler_builds;
pub mod declare;
pub mod files;
pub mod globs;
pub mod inputs;
pub mod layout_selection;
pub mod misnamed;
pub mod named_compiler;
pub mod project_file;
pub mod refused_input;
pub mod replaced_texts;
pub mod rule_set;
pub mod shader_file;
pub mod shared_suffixes;
pub mod spirv_macro;
