//! The model device: runs SPIR-V on the CPU, in dispatches and in draws without targets, and
//! follows its decorations exactly.
//!
//! It needs no installation, so the harness can be tested anywhere, and it shows which bytes a
//! compiler's module addresses ([`compiled`]). It follows the module as written, so it proves
//! nothing about hardware. [`Misreading`] plants faults that real devices have.
//!
//! `program` reads a module, `descriptors` binds a job's resources, `machine` follows the control
//! flow, `execute` and `sampling` run the instructions, and `memory` applies the layouts.
#![forbid(unsafe_code)]

mod arithmetic;
mod compiled;
mod descriptors;
mod device;
mod execute;
mod frame;
mod machine;
mod memory;
mod misreading;
mod model_error;
mod program;
mod sampling;
mod value;

pub use compiled::{CompiledError, compiled};
pub use device::{Model, ModelApi};
pub use misreading::{BINDING_MISREADINGS, MISREADINGS, Misreading};
