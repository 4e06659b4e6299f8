//! Drives shader compilers and validators as child processes.
//!
//! `drivers` has a file for each compiler, and says how to add one; its `registry` lists them. Above that list stand
//! `lookup` and `family`, which find compilers, and `toolchains`, which the checks call. Below it stand `compiler`, which
//! starts any compiler, and the ways to keep one running: `d3d` and `slang_library`. Nothing below knows a driver.

pub mod child;
mod compile_service;
pub mod compiler;
pub mod d3d;
pub mod drivers;
pub mod dxc_library;
pub mod family;
pub mod glslang_module;
#[cfg(windows)]
mod job_object;
pub mod lookup;
pub mod mapped_file;
mod own_program;
pub mod process_tree;
mod program_lookup;
pub mod regular_file;
pub mod scratch;
mod search_path;
pub mod slang_library;
pub mod spirv_val;
pub mod toolchains;
pub mod tools_folder;
pub mod vkd3d;
mod wine;
