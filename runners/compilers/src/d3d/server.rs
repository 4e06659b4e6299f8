//! A compiler that serves lines, kept running: started by the first line, and again behind one that ended it.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::session::{LineSession, SessionDeath};
use crate::compiler::Compiler;

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

    /// The line that the process answers `line` with, or how it died. A process that has to be started is so in `folder`.
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
