//! Keeps a compiler that serves lines running. The first line starts it; after a line that ends it,
//! the next one restarts it.
//!
//! `batch` and `service` send it command lines and read the files that it writes.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::session::{LineSession, SessionDeath};
use crate::child::OUTPUT_LIMIT;
use crate::compiler::Compiler;
use crate::regular_file;

/// The compiler with its process, once one has started.
#[derive(Debug)]
pub(crate) struct Server {
    compiler: Compiler,
    session: Option<LineSession>,
}

impl Server {
    /// Starts nothing yet.
    pub(crate) fn new(compiler: Compiler) -> Self {
        Self { compiler, session: None }
    }

    pub(crate) fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Sends `line`, and returns the answer, which is a line, or how the process died. Starts a
    /// missing process in `folder`.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) fn ask(
        &mut self,
        line: &str,
        folder: &Path,
        limit: Duration,
    ) -> io::Result<Result<String, SessionDeath>> {
        // Something else may have killed an old process, so a fresh one gets a second attempt.
        let attempts = if self.session.is_some() { 2 } else { 1 };
        let mut answer = Err(SessionDeath::Ended);

        for _ in 0..attempts {
            let mut session = match self.session.take() {
                Some(session) => session,
                None => LineSession::start(self.compiler.command().current_dir(folder))?,
            };
            answer = session.ask(line, limit);
            // After an unexpected answer, it is unknown which answer belongs to which source.
            if matches!(answer.as_deref(), Ok("0" | "1")) {
                self.session = Some(session);
            }
            if answer != Err(SessionDeath::Ended) {
                break;
            }
        }
        Ok(answer)
    }
}

/// Encodes a command line as one line: its arguments with tabs between them.
///
/// # Errors
/// An argument does not fit into a line.
pub(crate) fn command_line(arguments: &[&str]) -> io::Result<String> {
    match arguments.iter().find(|argument| argument.contains(['\t', '\n', '\r'])) {
        Some(wrong) => Err(io::Error::other(format!("an argument must not contain tabs or line breaks: {wrong:?}"))),
        None => Ok(arguments.join("\t")),
    }
}

/// Reads a file that the compiler wrote to `folder`.
///
/// # Errors
/// The file is missing, is not a regular file or is too long.
pub(crate) fn read_file(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let bytes = regular_file::read(&folder.join(name), OUTPUT_LIMIT);
    bytes.map_err(|error| io::Error::other(format!("its {name}: {error}")))
}
