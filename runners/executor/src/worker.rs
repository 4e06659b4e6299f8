//! The parent's side of worker processes: starts them, sends requests, and replaces workers that
//! end.
//!
//! The worker itself runs [`serve`](crate::serve). A worker that crashes or hangs takes nothing
//! down with it: the parent learns how it died and what it printed last.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use layoutproof_device::{RunnerError, RunnerKind};
use layoutproof_events::FaultCause;

use crate::connection::{Offer, Stream};
use crate::current_lavapipe::CurrentLavapipe;
use crate::device_apis;
use crate::drivers::Setting;
use crate::interrupt::Interrupt;
use crate::launch::Launch;
use crate::protocol::{WorkerAnswer, WorkerRequest, receive, send};

/// Interval at which a wait for an answer checks if the user has interrupted the run.
const LOOK_UP: Duration = Duration::from_millis(100);
/// Most bytes of a worker's standard error that are kept.
const KEPT_OUTPUT: usize = 4096;
/// A worker is replaced after this many jobs. Drivers keep memory for each pipeline, lavapipe some
/// KiB.
const JOBS_OF_A_WORKER: u32 = 8192;
/// Time limit for reading the last output of a dead worker. A process that the worker started may
/// still hold the pipe open.
const OUTPUT_LIMIT: Duration = Duration::from_secs(1);

/// The end of a worker that has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerDeath {
    /// The worker did not answer in time.
    Hung(Duration),
    /// The process ended: how, and what it printed last.
    Died(String),
    /// The user interrupted the run.
    Interrupted,
}

impl WorkerDeath {
    /// The fault; `None` if the user ended the run.
    pub fn fault(&self) -> Option<FaultCause> {
        match self {
            Self::Hung(_) => Some(FaultCause::TimedOut { message: self.clone().error().to_string() }),
            Self::Died(how) => Some(FaultCause::WorkerDied { how: how.clone() }),
            Self::Interrupted => None,
        }
    }

    /// The error of the job that the worker was running.
    pub fn error(self) -> RunnerError {
        match self {
            Self::Hung(limit) => RunnerError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)),
            Self::Died(how) => RunnerError::DeviceLost(how),
            Self::Interrupted => RunnerError::DeviceLost("the run was interrupted".to_owned()),
        }
    }
}

#[derive(Debug)]
pub struct Worker {
    child: Child,
    stream: BufReader<Stream>,
    output: KeptOutput,
    interrupt: Interrupt,
    /// Number of answered jobs.
    jobs: u32,
}

impl Worker {
    /// Starts a worker for devices of this API, with `settings` in its environment. It loads
    /// `lavapipe` instead of the system's drivers, if there is one.
    pub fn start(
        launch: &Launch,
        api: RunnerKind,
        lavapipe: Option<&CurrentLavapipe>,
        settings: &[Setting],
    ) -> io::Result<Self> {
        let mut command = command(launch, api, lavapipe);
        command.arg("worker");
        command.envs(launch.settings.iter().chain(settings).copied());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        leave_working_folder(&mut command, &launch.program);

        let offer = Offer::new(&mut command)?;
        let mut child = command.spawn()?;
        // The command holds the worker's end of the connection, which must not outlive the worker.
        drop(command);

        let output = KeptOutput::of(&mut child);
        match offer.accept(&mut child) {
            Ok(stream) => {
                let interrupt = launch.interrupt.clone();
                Ok(Self { child, stream: BufReader::new(stream), output, interrupt, jobs: 0 })
            }
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Sends a request.
    pub fn ask(&mut self, request: &WorkerRequest) -> Result<(), WorkerDeath> {
        send(self.stream.get_mut(), request).map_err(|_| self.death())
    }

    /// Waits for an answer.
    ///
    /// # Errors
    /// The end of the worker, which is killed if it takes longer than `limit`.
    pub fn answer(&mut self, limit: Duration) -> Result<WorkerAnswer, WorkerDeath> {
        self.wait_for_answer(limit)?;
        let _ = self.stream.get_ref().set_read_timeout(Some(limit));
        let answer = receive(&mut self.stream)
            .map_err(|error| if is_timeout(&error) { self.hung(limit) } else { self.death() })?;
        match answer {
            WorkerAnswer::Job(_) => self.jobs += 1,
            WorkerAnswer::Devices(_) | WorkerAnswer::Opened(_) => {}
        }
        Ok(answer)
    }

    /// True once the worker has answered so many jobs that a fresh one would save memory.
    pub fn is_worn_out(&self) -> bool {
        self.jobs >= JOBS_OF_A_WORKER
    }

    pub fn ask_and_wait(&mut self, request: &WorkerRequest, limit: Duration) -> Result<WorkerAnswer, WorkerDeath> {
        self.ask(request)?;
        self.answer(limit)
    }

    /// Waits until there is something to read, or the connection ends.
    fn wait_for_answer(&mut self, limit: Duration) -> Result<(), WorkerDeath> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // A timeout of zero is an error.
            let _ = self.stream.get_ref().set_read_timeout(Some(left.clamp(Duration::from_millis(1), LOOK_UP)));
            match self.stream.fill_buf() {
                Ok(_) => return Ok(()),
                Err(error) if !is_timeout(&error) => return Err(self.death()),
                Err(_) if self.interrupt.is_set() => return Err(WorkerDeath::Interrupted),
                Err(_) if left.is_zero() => return Err(self.hung(limit)),
                Err(_) => {}
            }
        }
    }

    /// Kills the process without waiting for it to exit, which takes a while if a driver holds much
    /// memory.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Ends the process, and returns what it printed to standard error.
    pub fn end(mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        telling(&self.output.to_the_end())
    }

    fn hung(&mut self, limit: Duration) -> WorkerDeath {
        let _ = self.child.kill();
        WorkerDeath::Hung(limit)
    }

    /// Waits for the process, which has closed its end of the connection, and reports how it ended.
    fn death(&mut self) -> WorkerDeath {
        let deadline = Instant::now() + Duration::from_secs(5);
        let how = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break describe(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                Ok(None) | Err(_) => {
                    let _ = self.child.kill();
                    break "closed its connection".to_owned();
                }
            }
        };

        let last = telling(&self.output.to_the_end());
        WorkerDeath::Died(if last.is_empty() {
            format!("worker {how}")
        } else {
            format!("worker {how}; last output: {last}")
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // The end of a driver's process takes a while, and the user waits for that of the run.
        if !self.interrupt.is_set() {
            let _ = self.child.wait();
        }
    }
}

/// True if a read returned no data and may be retried.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// The command that starts a worker. A fetched vkd3d runs through its own loader, since the
/// system's loader cannot load it.
fn command(launch: &Launch, api: RunnerKind, lavapipe: Option<&CurrentLavapipe>) -> Command {
    if let Some(lavapipe) = lavapipe {
        return lavapipe.command(&launch.program);
    }
    let mut command = match &launch.vkd3d {
        Some(vkd3d) if device_apis::of(api).loads_vkd3d() => vkd3d.command(&launch.program),
        Some(_) | None => Command::new(&launch.program),
    };
    command.envs(launch.drivers.environment());
    if api == RunnerKind::WebGpu {
        command.env(layoutproof_webgpu::BROWSERS, &launch.browsers);
        command.envs(launch.page.as_ref().map(|page| (layoutproof_webgpu::PAGE, page)));
        if let Some(library) = launch.dawn.as_ref().filter(|_| std::env::var_os(layoutproof_webgpu::DAWN).is_none()) {
            command.env(layoutproof_webgpu::DAWN, library);
        }
    }
    command
}

/// Windows searches the working folder for libraries, too, and any user may be able to write there.
/// It searches the program's own folder in any case.
fn leave_working_folder(command: &mut Command, program: &Path) {
    if cfg!(windows) {
        if let Some(folder) = program.parent().filter(|folder| folder.is_absolute()) {
            command.current_dir(folder);
        }
    }
}

/// The end of a worker's standard error. A separate thread reads it.
#[derive(Debug)]
struct KeptOutput {
    bytes: Arc<Mutex<Vec<u8>>>,
    /// `None` if nothing is read.
    reader: Option<JoinHandle<()>>,
}

impl KeptOutput {
    fn of(child: &mut Child) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&bytes);
        let reader = child.stderr.take().map(|stderr| thread::spawn(move || keep(stderr, &shared)));
        Self { bytes, reader }
    }

    /// Waits for the last output of a dead worker, and returns everything that was kept.
    fn to_the_end(&self) -> String {
        let deadline = Instant::now() + OUTPUT_LIMIT;
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        self.bytes.lock().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }
}

/// Reads to the end of the stream, and keeps the last [`KEPT_OUTPUT`] bytes.
fn keep(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stderr.read(&mut buffer) {
        let Ok(mut bytes) = kept.lock() else { break };
        bytes.extend_from_slice(&buffer[..length]);
        let surplus = bytes.len().saturating_sub(KEPT_OUTPUT);
        bytes.drain(..surplus);
    }
}

/// The output of a worker without the lines that Mesa prints on every machine without a desktop.
/// Those lines explain nothing.
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
        Some(9) => "died of SIGKILL, which the kernel sends when memory runs out".to_owned(),
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

    /// Mesa 22.3 prints the first line on a machine without a login session.
    #[test]
    fn what_mesa_always_prints_is_not_the_last_word_of_a_worker() {
        let mesa = "error: XDG_RUNTIME_DIR is invalid or not set in the environment.\n";
        assert_eq!(telling(mesa), "");
        assert_eq!(telling(&format!("{mesa}LLVM ERROR: Cannot select\n{mesa}")), "LLVM ERROR: Cannot select");
    }
}
