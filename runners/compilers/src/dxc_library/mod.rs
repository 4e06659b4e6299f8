//! A bare `libdxcompiler` without its `dxc` program.
//!
//! Compiles as the `dxc` program does, from its arguments. The library is called through COM tables of
//! methods that are declared here by hand (`com`), in either of the two forms that it has had on Linux ([`Abi`]).
//! DXC crashes on some inputs, so only processes of `layoutproof dxc-library` call this; nothing else should.
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

/// An error of the library, or of a call to it. Errors in a source are not among them.
#[derive(Debug, thiserror::Error)]
pub enum DxcLibraryError {
    /// No such library, or one without DXC's entry point.
    #[error("cannot load {path}: {reason}")]
    Load {
        /// The library as named.
        path: String,
        /// What the loader said.
        reason: String,
    },
    /// A call that DXC itself refused.
    #[error("{call} answered HRESULT {code:#010x}")]
    Refused {
        /// The method.
        call: &'static str,
        /// The `HRESULT`.
        code: i32,
    },
    /// A call that answered success and no object.
    #[error("{call} answered success without an object")]
    Nothing {
        /// The method.
        call: &'static str,
    },
    /// More than 2^32 - 1 arguments.
    #[error("more arguments than DXC can count")]
    TooManyArguments,
}
