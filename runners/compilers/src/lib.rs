//! Drives shader compilers and validators as child processes.

pub mod dxc_library;
pub mod spirv_val;
