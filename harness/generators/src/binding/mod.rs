//! Shaders of the binding probe: modules that read everything that a program binds.
//!
//! [`layoutproof_probes::binding`] describes the interface. [`spirv`] declares one variable for each
//! parameter with our computed set and binding, so its modules prove how devices treat those
//! decorations. [`wgsl`] writes the same in WGSL as far as the language allows, and [`hlsl`] writes
//! an entry point after the author's own HLSL.

mod compare;
mod draw;
mod emitter;
pub mod hlsl;
mod read;
pub mod spirv;
mod variable;
pub mod wgsl;
