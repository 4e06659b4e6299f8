//! Runs slangc without its start-up: calls `libslang-compiler` with slangc's arguments.
//!
//! slangc spends nine tenths of a small compilation on loading its core module. A process of
//! `layoutproof slang-library` loads it once ([`SlangLibrary`], called in no other process, because
//! Slang crashes on some inputs); [`slang_service`] starts that process. The process writes the
//! files that slangc would write.
//!
//! Source of the calls: `slang-deprecated.h` of Slang, and `main.cpp` of its slangc.

mod command;
mod service;
mod session;

pub use command::serve_requests;
pub use service::{library_beside, slang_service};
pub use session::{SlangLibrary, SlangLibraryError};
