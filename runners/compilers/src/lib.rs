//! Drives shader compilers and validators as child processes.

pub mod child;
pub mod compiler;
pub mod d3d;
pub mod dxc_library;
pub mod family;
pub mod glslang_module;
mod lookup;
pub mod regular_file;
pub mod scratch;
mod search_path;
pub mod slang_library;
pub mod spirv_val;
mod tint;
pub mod toolchains;
pub mod tools_folder;
pub mod vkd3d;
mod wine;
