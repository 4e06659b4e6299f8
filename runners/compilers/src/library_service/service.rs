//! The client end of a library service. It keeps processes for the whole run, each of which answers
//! one request after the other.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::frame::{receive, send};
use crate::child::{ProcessEnd, ProcessOutput, end_of};
use crate::compile_service::CompileService;

/// Processes that hold a compiler's library: as many as there are concurrent requests.
#[derive(Debug)]
pub struct LibraryService {
    program: PathBuf,
    arguments: Vec<OsString>,
    idle: Mutex<Vec<LibraryProcess>>,
}

#[derive(Debug)]
struct LibraryProcess {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Vec<String>>,
}

impl LibraryService {
    /// Starts the service for the library that `program` loads with `arguments`, if it answers with
    /// the version `version`.
    pub fn start(program: PathBuf, arguments: Vec<OsString>, version: &str) -> Option<Self> {
        let service = Self { program, arguments, idle: Mutex::new(Vec::new()) };
        let process = service.spawn().ok()?;
        let hello = process.answers.recv_timeout(START_LIMIT).ok()?;
        if hello != [version] {
            process.end(Duration::ZERO);
            return None;
        }
        service.put_back(process);
        Some(service)
    }

    /// Does what the compiler's program would do with these arguments in `folder`. Discards a
    /// process that ends or hangs.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut process = match idle {
            Some(process) => process,
            None => self.greeted()?,
        };

        let folder = std::path::absolute(folder)?.display().to_string();
        let request: Vec<String> = [folder].into_iter().chain(arguments.iter().map(|word| (*word).into())).collect();
        // Sending fails if the process is dead. Then it does not answer either, which is handled
        // below.
        let _ = send(&mut process.requests, &request);

        match process.answers.recv_timeout(limit).as_deref() {
            Ok([status, stdout, stderr]) => {
                let end = ProcessEnd::Exited(status.parse().map_err(io::Error::other)?);
                self.put_back(process);
                Ok(ProcessOutput { end, stdout: stdout.clone(), stderr: stderr.clone() })
            }
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Ok(process.end(DEATH_LIMIT)),
            Err(RecvTimeoutError::Timeout) => {
                process.end(Duration::ZERO);
                Ok(ProcessOutput { end: ProcessEnd::TimedOut(limit), stdout: String::new(), stderr: String::new() })
            }
        }
    }

    /// Starts a process and waits for its greeting, which is the version.
    fn greeted(&self) -> io::Result<LibraryProcess> {
        let process = self.spawn()?;
        match process.answers.recv_timeout(START_LIMIT) {
            Ok(_) => Ok(process),
            Err(_) => Err(io::Error::other("the process that loads the library did not start")),
        }
    }

    fn spawn(&self) -> io::Result<LibraryProcess> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(requests), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };

        // A separate thread, because reading from a pipe has no time limit. It ends with the
        // process.
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(answer)) = receive(&mut stdout) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(LibraryProcess { child, requests, answers })
    }

    fn put_back(&self, process: LibraryProcess) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(process);
        }
    }
}

impl CompileService for LibraryService {
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        Self::run(self, folder, arguments, limit)
    }
}

impl Drop for LibraryService {
    fn drop(&mut self) {
        for process in self.idle.lock().map(|mut idle| std::mem::take(&mut *idle)).unwrap_or_default() {
            process.end(Duration::ZERO);
        }
    }
}

/// Time limit for a process to load the library.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Time limit for a process to end after it has closed its pipe.
const DEATH_LIMIT: Duration = Duration::from_secs(5);

impl LibraryProcess {
    /// Waits for the process to end, then kills it.
    fn end(mut self, limit: Duration) -> ProcessOutput {
        use wait_timeout::ChildExt;
        let ended = self.child.wait_timeout(limit).ok().flatten();
        let end = ended.map_or(ProcessEnd::Exited(-1), end_of);

        if ended.is_none() {
            // It may have ended by itself already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        ProcessOutput { end, stdout: String::new(), stderr: "the process that holds the library hung up".to_owned() }
    }
}
