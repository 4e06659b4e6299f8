//! slangc without its start-up: `libslang-compiler`, called with slangc's own arguments.
//!
//! slangc spends nine tenths of a small compilation on loading its core module. A process of `layoutproof slang-library` pays for
//! that once ([`SlangLibrary`], called in no other process, because Slang crashes on some inputs); [`SlangService`] is the
//! end of it that asks. The process writes the files that slangc would write.
//!
//! Source of the calls: `slang-deprecated.h` of Slang, and `main.cpp` of its slangc.

mod command;
pub mod frame;
mod service;
mod session;

pub use command::serve_requests;
pub use service::{SlangService, library_beside};
pub use session::{SlangLibrary, SlangLibraryError};
