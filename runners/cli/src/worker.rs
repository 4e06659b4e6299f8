//! Worker processes as their parent sees them: started, asked, and replaced when they end.
//!
//! What runs in the process itself is [`serve`](crate::serve). A worker that crashes or hangs takes nothing down with it:
//! the parent learns how it died and what it printed last.

use std::hash::BuildHasher;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use layoutproof::runner::RunnerError;

use crate::drivers::{self, Setting};
use crate::interrupt::Interrupt;
use crate::protocol::{Answer, Request, TOKEN, receive, send};

/// How long a worker may take to start and to say hello.
const START_LIMIT: Duration = Duration::from_secs(60);
/// How often a wait for an answer looks up whether the user has interrupted the run.
const LOOK_UP: Duration = Duration::from_millis(100);
/// How much of a worker's standard error is kept, in bytes.
const KEPT_OUTPUT: usize = 4096;

/// How a worker ended before it answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// No answer in time.
    Hung(Duration),
    /// The process ended; how, and what it printed last.
    Died(String),
    /// The user has interrupted the run.
    Interrupted,
}

impl Death {
    /// The error of the job that the worker was busy with.
    pub(crate) fn error(self) -> RunnerError {
        match self {
            Self::Hung(limit) => RunnerError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            Self::Died(how) => RunnerError::DeviceLost(how),
            Self::Interrupted => RunnerError::DeviceLost("the run was interrupted".to_owned()),
        }
    }
}

/// A worker process as its parent sees it.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    stream: TcpStream,
    output: Arc<Mutex<Vec<u8>>>,
    interrupt: Interrupt,
}

impl Worker {
    /// Starts a worker; `program` is the `layoutproof` command.
    ///
    /// It finds `settings` in its environment.
    pub(crate) fn start(program: &Path, settings: &[Setting], interrupt: &Interrupt) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let token = token();
        let mut command = Command::new(program);
        command.arg("worker").arg("--connect").arg(listener.local_addr()?.to_string());
        command.env(TOKEN, &token).envs(drivers::environment()).envs(settings.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let output = keep_output(&mut child);
        match accept(&listener, &token, &mut child) {
            Ok(stream) => Ok(Self { child, stream, output, interrupt: interrupt.clone() }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// The process, as the system numbers it.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<(), Death> {
        send(&mut self.stream, request).map_err(|_| self.death())
    }

    /// Waits for an answer.
    pub(crate) fn answer(&mut self, limit: Duration) -> Result<Answer, Death> {
        self.wait_for_answer(limit)?;
        let _ = self.stream.set_read_timeout(Some(limit));
        receive(&mut self.stream).map_err(|error| if is_timeout(&error) { self.hung(limit) } else { self.death() })
    }

    /// Waits until there is something to read, or the end of it.
    fn wait_for_answer(&mut self, limit: Duration) -> Result<(), Death> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // A wait of no time is an error.
            let _ = self.stream.set_read_timeout(Some(left.clamp(Duration::from_millis(1), LOOK_UP)));
            match self.stream.peek(&mut [0]) {
                Ok(_) => return Ok(()),
                Err(error) if !is_timeout(&error) => return Err(self.death()),
                Err(_) if self.interrupt.is_set() => return Err(Death::Interrupted),
                Err(_) if left.is_zero() => return Err(self.hung(limit)),
                Err(_) => {}
            }
        }
    }

    fn hung(&mut self, limit: Duration) -> Death {
        let _ = self.child.kill();
        Death::Hung(limit)
    }

    /// Waits for the process, which has closed its end, and says how it ended.
    fn death(&mut self) -> Death {
        let deadline = Instant::now() + Duration::from_secs(5);
        let how = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break describe(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
                Ok(None) | Err(_) => {
                    let _ = self.child.kill();
                    break "closed its connection".to_owned();
                }
            }
        };
        let kept = self.output.lock().map(|bytes| telling(&String::from_utf8_lossy(&bytes)));
        match kept {
            Ok(last) if !last.is_empty() => Death::Died(format!("worker {how}; last output: {last}")),
            Ok(_) | Err(_) => Death::Died(format!("worker {how}")),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// A word that nobody else on the machine can guess.
fn token() -> String {
    let half = || std::collections::hash_map::RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

fn accept(listener: &TcpListener, token: &str, child: &mut Child) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let deadline = Instant::now() + START_LIMIT;
    while Instant::now() < deadline {
        match listener.accept() {
            Ok((mut stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(START_LIMIT))?;
                if matches!(receive(&mut stream), Ok(Answer::Hello(given)) if given == token) {
                    return Ok(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if let Some(status) = child.try_wait()? {
                    return Err(io::Error::other(format!("worker {} before it answered", describe(status))));
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "worker did not start"))
}

/// Reads the worker's standard error on a thread of its own and keeps the end of it.
fn keep_output(child: &mut Child) -> Arc<Mutex<Vec<u8>>> {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let Some(mut stderr) = child.stderr.take() else { return kept };
    let shared = Arc::clone(&kept);
    std::thread::spawn(move || {
        let mut buffer = [0; 1024];
        while let Ok(length @ 1..) = stderr.read(&mut buffer) {
            let Ok(mut bytes) = shared.lock() else { break };
            bytes.extend_from_slice(&buffer[..length]);
            let surplus = bytes.len().saturating_sub(KEPT_OUTPUT);
            bytes.drain(..surplus);
        }
    });
    kept
}

/// What a dead worker printed, without the lines that Mesa prints on every machine without a desktop: they say nothing of
/// the death.
fn telling(output: &str) -> String {
    let lines = output.lines().filter(|line| !line.contains("XDG_RUNTIME_DIR"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(unix)]
fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(4) => "died of SIGILL".to_owned(),
        Some(6) => "died of SIGABRT".to_owned(),
        Some(7) => "died of SIGBUS".to_owned(),
        Some(8) => "died of SIGFPE".to_owned(),
        Some(9) => "died of SIGKILL, which the kernel sends where memory runs out".to_owned(),
        Some(11) => "died of SIGSEGV".to_owned(),
        Some(other) => format!("died of signal {other}"),
        None => format!("ended with {status}"),
    }
}

#[cfg(not(unix))]
fn describe(status: ExitStatus) -> String {
    format!("ended with {status}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line is Mesa 22.3's on a machine where nobody is logged in.
    #[test]
    fn what_mesa_always_prints_is_not_the_last_word_of_a_worker() {
        let mesa = "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n";
        assert_eq!(telling(mesa), "");
        assert_eq!(telling(&format!("{mesa}LLVM ERROR: Cannot select\n{mesa}")), "LLVM ERROR: Cannot select");
    }
}
