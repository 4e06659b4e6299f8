//! A compiler that serves lines, kept running: started by the first line, and again behind one that ended it.
//!
//! `batch` and `service` send it command lines and read the files that it writes.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::session::{LineSession, SessionDeath};
use crate::child::OUTPUT_LIMIT;
use crate::compiler::Compiler;
use crate::regular_file;

/// The compiler with its process, once it has one.
#[derive(Debug)]
pub(crate) struct Server {
    compiler: Compiler,
    session: Option<LineSession>,
}

impl Server {
    /// Nothing is started yet.
    pub(crate) fn new(compiler: Compiler) -> Self {
        Self { compiler, session: None }
    }

    /// The compiler.
    pub(crate) fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Sends `line`. Returns the answer, a line, or how the process died. A process that has to be started runs in `folder`.
    ///
    /// # Errors
    /// The process cannot be started.
    pub(crate) fn ask(
        &mut self,
        line: &str,
        folder: &Path,
        limit: Duration,
    ) -> io::Result<Result<String, SessionDeath>> {
        // A process that was there before may have been ended by somebody else: a second one decides.
        let attempts = if self.session.is_some() { 2 } else { 1 };
        let mut answer = Err(SessionDeath::Ended);

        for _ in 0..attempts {
            let mut session = match self.session.take() {
                Some(session) => session,
                None => LineSession::start(self.compiler.command().current_dir(folder))?,
            };
            answer = session.ask(line, limit);
            // After nonsense, nobody knows which answer belongs to which source.
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

/// The line that stands for a command line: its arguments with tabs between them.
///
/// # Errors
/// An argument does not fit into a line.
pub(crate) fn command_line(arguments: &[&str]) -> io::Result<String> {
    match arguments.iter().find(|argument| argument.contains(['\t', '\n', '\r'])) {
        Some(wrong) => Err(io::Error::other(format!("no argument has tabs or lines: {wrong:?}"))),
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
