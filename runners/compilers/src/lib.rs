//! Drives shader compilers and validators as child processes.
//!
//! `drivers` has a file for each compiler, and says how to add one. `lookup` finds them, `compiler` starts one, and
//! `toolchains` is what the checks call.

pub mod child;
mod compile_service;
pub mod compiler;
pub mod d3d;
pub mod drivers;
pub mod dxc_library;
pub mod family;
pub mod glslang_module;
mod lookup;
pub mod regular_file;
pub mod scratch;
mod search_path;
pub mod slang_library;
pub mod spirv_val;
pub mod toolchains;
pub mod tools_folder;
pub mod vkd3d;
mod wine;
