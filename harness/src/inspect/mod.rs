//! What compilers make, read back: modules, listings, IR and reflection, and what they say about layouts.

pub mod clang_ir;
pub mod dxil;
pub mod fxc;
mod llvm;
pub mod module_reader;
pub mod naga;
pub mod naga_glsl;
pub mod naga_offsets;
pub mod reflection;
pub mod reported;
pub mod spirv;
pub mod toolchain;
