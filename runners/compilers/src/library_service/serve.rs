//! The server end of a library service, which holds the library. It reads requests from stdin and
//! answers on stdout.

use std::io;
use std::path::Path;

use super::frame::{receive, send};

/// The output and exit status that the compiler's own program would have had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryAnswer {
    /// 0 if the compiler accepted the source.
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Sends `version` as a greeting, then answers requests with `compile` until stdin ends. Each
/// request has a folder, which becomes the working folder, and the compiler's arguments.
///
/// # Errors
/// A pipe fails, a folder is missing, or the library cannot be called.
pub fn serve<E: From<io::Error>>(
    version: String,
    compile: impl Fn(&[String]) -> Result<LibraryAnswer, E>,
) -> Result<(), E> {
    let (mut requests, mut answers) = (io::stdin().lock(), io::stdout().lock());
    send(&mut answers, &[version])?;

    while let Some(request) = receive(&mut requests)? {
        let Some((folder, arguments)) = request.split_first() else {
            return Err(io::Error::other("a request without a folder").into());
        };
        std::env::set_current_dir(Path::new(folder))?;
        let LibraryAnswer { status, stdout, stderr } = compile(arguments)?;
        send(&mut answers, &[status.to_string(), stdout, stderr])?;
    }
    Ok(())
}
