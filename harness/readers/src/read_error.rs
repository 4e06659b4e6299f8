//! Why the output of a compiler cannot be read.

use rspirv::spirv::Capability;
use thiserror::Error;

use crate::llvm::IrError;
use crate::module_reader::ReaderFailure;
use crate::naga_offsets::NagaError;
use crate::spirv::BadModule;

/// Why the output of a compiler cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A line of a listing.
    #[error("no {expected}: `{line}`")]
    Line { expected: &'static str, line: String },
    #[error("parameter `{parameter}` {problem} `{word}`")]
    Parameter { parameter: String, problem: &'static str, word: String },
    /// slangc wrote a word, as `unknown` for the length of an array that another module decides.
    #[error("slangc's reflection has no number for `{parameter}`, but `{word}`")]
    NoNumber { parameter: String, word: String },
    /// No supported device is known to have it.
    #[error("the code needs the capability {0:?}")]
    Capability(Capability),
    #[error("nothing here reads such code")]
    Form,
    /// The first error in WGSL that a compiler wrote.
    #[error("{0}")]
    Wgsl(String),
    #[error(transparent)]
    Naga(#[from] NagaError),
    #[error(transparent)]
    Reader(#[from] ReaderFailure),
    #[error(transparent)]
    Ir(#[from] IrError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Spirv(#[from] BadModule),
}

impl ReadError {
    pub(crate) fn line(expected: &'static str, line: &str) -> Self {
        Self::Line { expected, line: line.to_owned() }
    }
}
