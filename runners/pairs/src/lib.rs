//! Pairs the blocks of shaders with the structs of programs that fill them, for `layoutproof check` and `init`.
//!
//! [`input_kind`] sorts the inputs, [`shader_blocks`] lays the blocks out with the options of the project and the
//! command line, or takes a compiler's answer, [`debug_worker`] reads the host's types in a child process, and
//! [`pairing`] matches blocks with types. [`other_layouts`] finds the targets and orders of matrices with
//! which blocks that differ agree, and [`lock`] keeps what a reviewer has accepted. [`first_project`] writes a first
//! project file for a folder.
//!
//! Prints nothing. The program that links this crate serves `debug-worker` with [`debug_worker::serve`].
#![forbid(unsafe_code)]

mod borrowed;
pub mod comparisons;
mod debug_types;
pub mod debug_worker;
pub mod first_project;
pub mod hidden_blocks;
mod host_structs;
pub mod host_text_shaders;
pub mod input_kind;
pub mod lock;
mod nearness;
pub mod other_layouts;
pub mod pairing;
pub mod parallel;
pub mod partial_reading;
mod passed;
#[cfg(test)]
mod round_trip;
pub mod shader_blocks;
mod shared_advice;
mod source_lines;
mod writers;
