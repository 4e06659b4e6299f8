//! The model device: runs SPIR-V on the CPU, in dispatches and in draws without targets, and follows its decorations to
//! the letter.
//!
//! It needs nothing installed, so the harness is tested anywhere, and it says which bytes a compiler's module addresses
//! ([`compiled`]). It reads what is written, so it proves nothing about hardware. [`Misreading`] plants the faults that
//! devices have.
//!
//! `program` reads a module, `descriptors` binds a job's resources, `machine` follows the control flow, `execute` and
//! `sampling` the instructions, `memory` the layouts.

mod arithmetic;
mod compiled;
mod descriptors;
mod device;
mod execute;
mod frame;
mod machine;
mod memory;
mod misreading;
mod program;
mod sampling;
mod value;

pub use compiled::{CompiledError, compiled};
pub use device::Model;
pub use misreading::{BINDING_MISREADINGS, MISREADINGS, Misreading};
