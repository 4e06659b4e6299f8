//! What Slang's reflection says: the JSON that `slangc -reflection-json` writes.
//!
//! JSON text in; out come, apart from each other, where parameters are bound (`bindings`) and where the members of a block
//! are (`layouts`). Formats 1.0 and 1.1 are read; keys that are not known are passed over. Source: Slang user guide,
//! Using the Reflection API; slangc 2026.14.1.

mod amount;
mod bindings;
mod layouts;

pub use bindings::{ReflectedBinding, parameters};
pub use layouts::layout_numbers;
