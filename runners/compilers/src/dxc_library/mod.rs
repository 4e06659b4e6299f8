//! Calls a bare `libdxcompiler`, without its `dxc` program.
//!
//! It accepts the program's arguments and compiles the same way. The COM method tables are declared
//! here by hand (`com`), in both forms that the library has had on Linux ([`Abi`]). DXC crashes on
//! some inputs, so only processes of `layoutproof dxc-library` call this module; no other code
//! should.
//!
//! Source of the interfaces: `dxcapi.h` and `WinAdapter.h` of `DirectXShaderCompiler`.

mod com;
mod command;
mod service;
mod session;

pub use com::Abi;
pub use command::compile_and_exit;
pub(crate) use service::DxcService;
pub use session::{DxcCompilation, DxcLibrary};

/// An error of the library, or of a call to it. Errors in a source do not belong here.
#[derive(Debug, thiserror::Error)]
pub enum DxcLibraryError {
    /// The library is missing, or lacks DXC's entry point.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The path as the user gave it.
        path: String,
        /// The loader's message.
        reason: String,
    },
    /// DXC itself rejected a call.
    #[error("{call} returned HRESULT {code:#010x}")]
    Refused { call: &'static str, code: i32 },
    /// A call succeeded without returning an object.
    #[error("{call} succeeded without returning an object")]
    Nothing { call: &'static str },
    /// More than 2^32 - 1 arguments.
    #[error("more arguments than DXC can count")]
    TooManyArguments,
}
