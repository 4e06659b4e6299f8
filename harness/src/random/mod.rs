//! Random input for compilers: programs that bind parameters, declarations whose bytes are laid out.
//!
//! A [`proptest`] strategy makes a [`Program`], declarations of parameters with an entry point that uses some of them;
//! [`Program::text`] writes it as HLSL that both DXC and Slang read. What the compilers do not have in common is chosen by
//! [`Dialect`]. [`declaration`] does the same for blocks of members, where each compiler's lacks are a type space; [`blocks`] makes
//! blocks of data alone, quickly.

pub mod blocks;
pub mod declaration;
mod form;
mod program;
mod text;

pub use form::UseForm;
pub use program::{Annotation, Dialect, Kind, Parameter, Program, StructType, programs};
