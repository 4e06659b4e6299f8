//! Drives shader compilers and validators as child processes.
//!
//! `drivers` has one file per compiler, and explains how to add one; its `registry` lists them. The
//! modules above that list are `lookup` and `family`, which find compilers, and `toolchains`, which
//! the checks call. The modules below it do not know any driver: `compiler` starts compilers,
//! `cache` keeps the answers of programs, and `service` keeps a compiler running.

pub mod binding_answers;
pub mod builds;
pub mod cache;
pub mod child;
mod compile_folder;
pub mod compiler;
pub mod d3d;
pub mod drivers;
pub mod dxc_library;
pub mod family;
pub mod free_memory;
#[cfg(windows)]
mod job_object;
pub mod lookup;
pub mod naga_command;
pub mod output_file;
pub mod own_streams;
pub mod private_root;
pub mod process_tree;
mod programs;
pub mod regular_file;
pub mod scratch;
pub mod search_path;
mod service;
pub mod slang_library;
pub mod spirv_val;
pub mod toolchains;
pub mod tools_folder;
pub mod typed_command;
pub mod user_files;

/// Sources of the programs that the set-up builds or copies, with paths relative to
/// `runners/compilers`.
pub const SETUP_SOURCES: [SetupSource; 6] = [
    SetupSource { path: "dawn/tint.js", text: include_str!("../dawn/tint.js") },
    SetupSource { path: "wine/compiler.h", text: include_str!("../wine/compiler.h") },
    SetupSource { path: "wine/dxc.cpp", text: include_str!("../wine/dxc.cpp") },
    SetupSource { path: "wine/fxc.cpp", text: include_str!("../wine/fxc.cpp") },
    SetupSource { path: "wine/layoutproof-d3d.cpp", text: include_str!("../wine/layoutproof-d3d.cpp") },
    SetupSource { path: "wine/library.cpp", text: include_str!("../wine/library.cpp") },
];

/// A source file of a program that drives a compiler.
#[derive(Clone, Copy, Debug)]
pub struct SetupSource {
    /// Path relative to this package's folder.
    pub path: &'static str,
    pub text: &'static str,
}
