//! A process that answers one line with one line, until it dies.

use std::fmt;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The process. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct LineSession {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

/// The reason why the process will not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionDeath {
    /// It ended.
    Ended,
    /// It did not answer within this time.
    Hung(Duration),
}

impl LineSession {
    /// Starts the process. Discards its standard error.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (questions, output) = (child.stdin.take(), child.stdout.take());
        let (sender, answers) = channel();
        let output = output.expect("stdout is piped");
        // A separate thread, because reading from a pipe has no time limit. It ends with the
        // process.
        thread::spawn(move || {
            BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { child, questions: questions.expect("stdin is piped"), answers })
    }

    /// Sends a line and waits for its answer, which is returned without the line's end.
    pub(crate) fn ask(&mut self, line: &str, limit: Duration) -> Result<String, SessionDeath> {
        writeln!(self.questions, "{line}").map_err(|_| SessionDeath::Ended)?;
        self.answers.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => SessionDeath::Hung(limit),
            RecvTimeoutError::Disconnected => SessionDeath::Ended,
        })
    }
}

impl Drop for LineSession {
    fn drop(&mut self) {
        // It may have ended by itself already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Display for SessionDeath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => write!(f, "ended without an answer"),
            Self::Hung(limit) => write!(f, "gave no answer in {limit:?}"),
        }
    }
}
