//! Writes laid-out blocks as types of other languages: Rust, C, C++, LLVM.

pub mod asserts;
pub mod llvm_types;
mod slots;
