//! Random shader programs: declarations of parameters with an entry point that uses some of them.
//!
//! A [`proptest`] strategy makes a [`Program`], [`Program::text`] writes it as HLSL that both DXC and Slang read. What
//! the compilers do not have in common is chosen by [`Dialect`]. [`blocks`] makes blocks of data alone.

pub mod blocks;
mod program;
mod text;

pub use program::{Annotation, Dialect, Kind, Parameter, Program, StructType, programs};
