//! slangc without its start-up: `libslang-compiler`, called with slangc's own arguments.
//!
//! slangc spends nine tenths of a small compilation on loading its core module. A process of `layoutproof slang-library` pays for
//! that once ([`SlangLibrary`], called in no other process, because Slang crashes on some inputs); [`slang_service`] starts
//! it. The process writes the files that slangc would write.
//!
//! Source of the calls: `slang-deprecated.h` of Slang, and `main.cpp` of its slangc.

mod command;
mod service;
mod session;

pub use command::serve_requests;
pub use service::{library_beside, slang_service};
pub use session::{SlangLibrary, SlangLibraryError};
