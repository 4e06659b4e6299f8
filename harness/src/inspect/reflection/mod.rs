//! Reads Slang's reflection: the JSON that `slangc -reflection-json` writes.
//!
//! `bindings` finds where parameters are bound, `layouts` where the members of a block are. Formats 1.0 and 1.1 are
//! read; unknown keys are ignored.
//!
//! Source: Slang user guide, Using the Reflection API; slangc 2026.14.1.

mod amount;
mod bindings;
mod layouts;

pub use bindings::{ReflectedBinding, parameters};
pub use layouts::layout_numbers;
