//! Drives shader compilers and validators as child processes.

pub mod dxc_library;
