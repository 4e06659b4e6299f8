//! The end of a library service that holds the library: reads requests from stdin, and answers on stdout.

use std::io;
use std::path::Path;

use super::frame::{receive, send};

/// What the compiler's own program would have printed, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LibraryAnswer {
    /// 0 where the source was accepted.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Says `version`, for which whoever started this process waits, and answers requests by `compile` until stdin ends. Each
/// names a folder, which becomes the working folder, and the compiler's arguments.
///
/// # Errors
/// A pipe fails, a folder is not there, or the library could not be called.
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
