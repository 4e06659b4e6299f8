//! Reads Slang's reflection: the JSON that `slangc -reflection-json` writes.
//!
//! `bindings` reads the bindings of parameters, `layouts` the offsets of a block's members. Formats
//! 1.0 and 1.1 are supported; unknown keys are ignored.
//!
//! Source: Slang user guide, Using the Reflection API; slangc 2026.14.1.

mod amount;
mod bindings;
mod layouts;

pub use bindings::{ReflectedBinding, parameters};
pub use layouts::layout_numbers;
