//! A slangc that keeps running: `layoutproof slang-library --library PATH` loads Slang's compiler
//! library once and sends its version.
//!
//! Then it answers the requests of [`library_service`](crate::library_service), and writes files
//! where slangc would write them. It ends when stdin does. This is a separate process because Slang
//! crashes on some inputs.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::{SlangLibrary, SlangLibraryError};
use crate::library_service::{LibraryAnswer, serve};

/// The reason why the process ended before stdin did.
#[derive(Debug, thiserror::Error)]
enum SlangDriverError {
    #[error("usage: layoutproof slang-library --library PATH")]
    Usage,
    #[error(transparent)]
    Library(#[from] SlangLibraryError),
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

/// Runs the command with these arguments: answers requests until standard input ends.
pub fn serve_requests(arguments: &[String]) -> ExitCode {
    match run(arguments.iter().cloned()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If stderr is closed, the error is lost.
            let _ = writeln!(io::stderr(), "layoutproof slang-library: error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), SlangDriverError> {
    let (Some("--library"), Some(path)) = (arguments.next().as_deref(), arguments.next()) else {
        return Err(SlangDriverError::Usage);
    };
    let library = SlangLibrary::open(&PathBuf::from(path))?;

    serve(library.version()?, |arguments| {
        let said = library.compile(arguments)?;
        let status = i32::from(!said.succeeded);
        Ok(LibraryAnswer { status, stdout: String::new(), stderr: said.diagnostics })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_named() {
        let message = |line: &str| run(line.split_whitespace().map(str::to_owned)).unwrap_err().to_string();
        assert_eq!(message(""), "usage: layoutproof slang-library --library PATH");
        assert!(message("--library no/such.so").starts_with("cannot load no/such.so: "));
    }
}
