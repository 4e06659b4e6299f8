//! A slangc that stays: `layoutproof slang-library --library PATH` loads Slang's compiler library once and says its version.
//!
//! Then it answers requests as [`library_service`](crate::library_service) asks them; files are written where slangc would
//! write them. It ends when stdin does. A process of its own because Slang crashes on some inputs.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::{SlangLibrary, SlangLibraryError};
use crate::library_service::{LibraryAnswer, serve};

/// Why the process ended before stdin did.
#[derive(Debug, thiserror::Error)]
enum SlangDriverError {
    #[error("usage: layoutproof slang-library --library PATH")]
    Usage,
    #[error(transparent)]
    Library(#[from] SlangLibraryError),
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

/// Carries out the command with these arguments: answers requests until standard input ends.
pub fn serve_requests(arguments: &[String]) -> ExitCode {
    match run(arguments.iter().cloned()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell if stderr is closed.
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
