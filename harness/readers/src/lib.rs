//! Reads the output of compilers (modules, listings, IR and reflection) and the layouts and
//! bindings that it states.
//!
//! `toolchain` is the table of compilers. `check` and the drivers of compilers call the readers;
//! `evaluator` also executes the code.
#![forbid(unsafe_code)]

#[cfg(test)]
mod block_listing;
mod caught;
pub mod clang_ir;
pub mod container;
pub mod dxil;
pub mod evaluator;
pub mod fxc;
pub mod glslang;
pub mod llvm;
pub mod metal;
pub mod module_reader;
pub mod naga;
pub mod naga_glsl;
pub mod naga_hlsl;
pub mod naga_offsets;
pub mod naga_translation;
mod read_error;
pub mod reflection;
pub mod registers;
pub mod reported;
pub mod spirv;
pub mod toolchain;
pub mod version;
pub mod wgsl_probe;
pub mod wgsl_witness;

pub use caught::caught;
pub use read_error::ReadError;
