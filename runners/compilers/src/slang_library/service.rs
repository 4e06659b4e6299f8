//! Processes of `layoutproof slang-library` that live for the run: each answers one request after the other.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::frame::{receive, send};
use crate::child::{ProcessEnd, ProcessOutput, end_of};
use crate::compile_service::CompileService;
use crate::compiler::Compiler;
use crate::own_program::{SLANG_LIBRARY, own_program};

/// Processes that hold slangc's library: as many as were asked at once.
#[derive(Debug)]
pub struct SlangService {
    driver: PathBuf,
    library: PathBuf,
    idle: Mutex<Vec<SlangProcess>>,
}

#[derive(Debug)]
struct SlangProcess {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Vec<String>>,
}

impl SlangService {
    /// The processes that answer for this slangc; `None` where its library, or our program that loads it, is missing or
    /// is of another version.
    pub fn of(slangc: &Compiler) -> Option<Self> {
        Self::start(own_program()?, library_beside(slangc.program())?, slangc.version())
    }

    /// The service of `library` through the program `driver`, if it answers with the version `version`.
    pub fn start(driver: PathBuf, library: PathBuf, version: &str) -> Option<Self> {
        let service = Self { driver, library, idle: Mutex::new(Vec::new()) };
        let process = service.spawn().ok()?;
        let hello = process.answers.recv_timeout(START_LIMIT).ok()?;
        if hello != [version] {
            process.end(Duration::ZERO);
            return None;
        }
        service.put_back(process);
        Some(service)
    }

    /// Does what `slangc ARGUMENTS` would do in `folder`.
    ///
    /// # Errors
    /// The process could not be started.
    pub fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut process = match idle {
            Some(process) => process,
            None => self.greeted()?,
        };

        let folder = std::path::absolute(folder)?.display().to_string();
        let request: Vec<String> = [folder].into_iter().chain(arguments.iter().map(|word| (*word).into())).collect();
        // Sending fails if the process is dead; then it does not answer either, which is handled below.
        let _ = send(&mut process.requests, &request);

        match process.answers.recv_timeout(limit).as_deref() {
            Ok([end, said]) => {
                let end = ProcessEnd::Exited(i32::from(end != "ok"));
                self.put_back(process);
                Ok(ProcessOutput { end, stdout: String::new(), stderr: said.clone() })
            }
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Ok(process.end(DEATH_LIMIT)),
            Err(RecvTimeoutError::Timeout) => {
                process.end(Duration::ZERO);
                Ok(ProcessOutput { end: ProcessEnd::TimedOut(limit), stdout: String::new(), stderr: String::new() })
            }
        }
    }

    /// Starts a process and waits for its greeting, the version.
    fn greeted(&self) -> io::Result<SlangProcess> {
        let process = self.spawn()?;
        match process.answers.recv_timeout(START_LIMIT) {
            Ok(_) => Ok(process),
            Err(_) => Err(io::Error::other("layoutproof slang-library did not start")),
        }
    }

    fn spawn(&self) -> io::Result<SlangProcess> {
        let mut command = Command::new(&self.driver);
        command.args([SLANG_LIBRARY, "--library"]).arg(&self.library);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(requests), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };

        // A thread of its own, because reading a pipe has no time limit. It ends with the process.
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(answer)) = receive(&mut stdout) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        Ok(SlangProcess { child, requests, answers })
    }

    fn put_back(&self, process: SlangProcess) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(process);
        }
    }
}

impl CompileService for SlangService {
    fn run(&self, folder: &Path, arguments: &[&str], limit: Duration) -> io::Result<ProcessOutput> {
        Self::run(self, folder, arguments, limit)
    }
}

impl Drop for SlangService {
    fn drop(&mut self) {
        for process in self.idle.lock().map(|mut idle| std::mem::take(&mut *idle)).unwrap_or_default() {
            process.end(Duration::ZERO);
        }
    }
}

/// How long a process may take to load the library.
const START_LIMIT: Duration = Duration::from_secs(60);

/// How long a process that closed its pipe may take to end.
const DEATH_LIMIT: Duration = Duration::from_secs(5);

impl SlangProcess {
    /// Waits for the process to end, then ends it.
    fn end(mut self, limit: Duration) -> ProcessOutput {
        use wait_timeout::ChildExt;
        let ended = self.child.wait_timeout(limit).ok().flatten();
        let end = ended.map_or(ProcessEnd::Exited(-1), end_of);

        if ended.is_none() {
            // It may be gone by itself meanwhile.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        ProcessOutput { end, stdout: String::new(), stderr: "layoutproof-slang hung up".to_owned() }
    }
}

/// The compiler library that belongs to a `slangc` program: in its folder, or in the `lib` folder beside that.
pub fn library_beside(slangc: &Path) -> Option<PathBuf> {
    let program = slangc.canonicalize().ok()?;
    let own = program.parent()?;
    let folders = [own.to_owned(), own.parent()?.join("lib")];
    folders.iter().find_map(|folder| {
        let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
        let is_library = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
            ["libslang-compiler.so", "libslang-compiler.dylib"].iter().any(|start| name.starts_with(start))
        };
        entries.filter(is_library).min()
    })
}
