//! Shaders of the binding probe: modules that read everything that a program binds.
//!
//! [`crate::probe::binding`] has the interface. [`spirv`] declares one variable for each parameter with set and binding
//! as they were computed, so its modules prove what devices do with those decorations. [`wgsl`] writes the same in WGSL
//! as far as the language allows, [`hlsl`] an entry point behind the author's own HLSL.

mod compare;
mod draw;
mod emitter;
pub mod hlsl;
mod read;
pub mod spirv;
mod variable;
pub mod wgsl;
