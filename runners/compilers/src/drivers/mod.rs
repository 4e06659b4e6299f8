//! One file per compiler, with everything that is specific to it.
//!
//! Each file implements `CompilerDriver`, whose documentation explains how to add a compiler, and
//! is in the list of `registry`. `lookup`, `family` and `toolchains` use that list; no other code
//! depends on a compiler's name.

mod clang;
mod command_line;
mod driver;
mod dxc;
mod fxc;
mod glslang;
mod naga;
mod naga_hlsl;
mod registry;
mod slang;
mod tint;

pub(crate) use command_line::{CommandLine, StandInHeader, first_error};
pub(crate) use driver::{CompileMethod, CompilerDriver, DirectCompiler, FamilyName, Translation};
pub(crate) use registry::{DRIVERS, driver_named, driver_of};
pub use registry::{full_type_space, type_space};
