//! Runs third-party parsers in child processes: one process per file, with limits on time, memory
//! and stack.
//!
//! [`ReaderProcess`] is the parent's side: it starts this program as `layoutproof read-worker`,
//! writes the request to its standard input and reads the answer from its standard output.
//! [`serve`] is the child's side. A reader that crashes, hangs or needs too much memory affects
//! only its own process; how it ended becomes an error message.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use layoutproof_compilers::process_tree::ProcessTree;
use layoutproof_compilers::user_files::FileView;
use layoutproof_events::summary::Exit;
use layoutproof_readers::module_reader::{ModuleReader, ReadAnswer, ReadRequest, ReaderFailure, answer};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
use super::confined::confine;

/// Time limit of a reader for one file.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Stack of a reader in bytes; naga recurses as deep as the text nests.
const STACK: usize = 256 << 20;

/// Memory limit of a module reader in GiB, not counting its stack.
const MEMORY_GIB: u64 = 1;

/// Bytes of a reader's standard error that are kept for messages.
const LAST_WORDS: u64 = 4096;

/// The output of a reader.
#[derive(Serialize, Deserialize)]
enum Reply<Answer> {
    Answer(Answer),
    /// With the panic's message.
    Panicked(String),
}

/// How a reader ended without an answer, as a predicate.
#[derive(Debug, thiserror::Error)]
pub enum ReaderEnd {
    #[error("could not be started: {0}")]
    NotStarted(io::Error),
    #[error("could not be sent the request: {0}")]
    NoRequest(postcard::Error),
    #[error("could not be waited for: {0}")]
    NotWaitedFor(io::Error),
    #[error("took more than {} s", .0.as_secs_f32())]
    TookTooLong(Duration),
    #[error("gave an answer that could not be parsed: {0}")]
    BadAnswer(postcard::Error),
    #[error("ended with a panic: {0}")]
    Panicked(String),
    /// For example `ended with SIGSEGV`.
    #[error("{0}")]
    Died(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderLimits {
    /// Time for one file.
    pub time: Duration,
    /// Memory in GiB, not counting the stack and mapped files. Enforced on Unix only.
    pub memory_gib: u64,
}

/// The limits for shaders and modules.
const MODULE_LIMITS: ReaderLimits = ReaderLimits { time: TIME_LIMIT, memory_gib: MEMORY_GIB };

/// Starts a new process for each request.
#[derive(Clone, Debug)]
pub struct ReaderProcess {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: ReaderLimits,
}

impl ReaderProcess {
    /// Readers that run `layoutproof read-worker`.
    ///
    /// # Errors
    /// The system does not report the path of this program.
    pub fn of_this_program() -> anyhow::Result<Self> {
        Self::of_command("read-worker", MODULE_LIMITS)
    }

    /// Readers that run an internal command of this program; the command calls [`serve_request`].
    ///
    /// # Errors
    /// The system does not report the path of this program.
    pub fn of_command(command: &str, limits: ReaderLimits) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        Ok(Self { program, arguments: vec![command.into()], limits })
    }

    /// Returns the answer to a request.
    ///
    /// # Errors
    /// The process ended without an answer.
    pub fn answer<Request: Serialize, Answer: DeserializeOwned>(&self, request: &Request) -> Result<Answer, ReaderEnd> {
        match self.ask(request)? {
            Reply::Answer(answer) => Ok(answer),
            Reply::Panicked(words) => Err(ReaderEnd::Panicked(words)),
        }
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A Ctrl-C at the terminal reaches only the parent, and must not look like a crash.
        ProcessTree::prepare(&mut command);
        command.spawn()
    }

    fn ask<Request: Serialize, Answer: DeserializeOwned>(&self, request: &Request) -> Result<Reply<Answer>, ReaderEnd> {
        let bytes = postcard::to_stdvec(request).map_err(ReaderEnd::NoRequest)?;
        let mut child = self.start().map_err(ReaderEnd::NotStarted)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());

        std::thread::scope(|scope| {
            // One thread per pipe: neither side waits for the other to read. All end with the
            // process.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(&bytes)));
            let last_words = scope.spawn(move || stderr.map(last_words).unwrap_or_default());
            let (sender, reply) = channel();
            scope.spawn(move || {
                let mut bytes = Vec::new();
                let read = stdout.map(|mut stdout| stdout.read_to_end(&mut bytes));
                // The receiver may be gone if the reader took too long.
                let _ = sender.send(read.map(|_| bytes).unwrap_or_default());
            });

            let reply = reply.recv_timeout(self.limits.time);
            if reply.is_err() {
                let _ = child.kill();
            }
            let status = child.wait().map_err(ReaderEnd::NotWaitedFor)?;
            let last_words = last_words.join().unwrap_or_default();
            match reply {
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    Err(ReaderEnd::TookTooLong(self.limits.time))
                }
                Ok(bytes) if status.success() => postcard::from_bytes(&bytes).map_err(ReaderEnd::BadAnswer),
                Ok(_) => Err(ReaderEnd::Died(end_of(status, &last_words, self.limits.memory_gib))),
            }
        })
    }
}

impl ModuleReader for ReaderProcess {
    fn read(&self, request: &ReadRequest) -> Result<ReadAnswer, ReaderFailure> {
        self.answer(request).map_err(|end| ReaderFailure { reader: request.reader_name(), end: end.to_string() })
    }
}

/// The first bytes of a process's standard error. Reads the rest too, so that the process never
/// blocks.
fn last_words(mut stderr: impl Read) -> String {
    let mut kept = Vec::new();
    let _ = stderr.by_ref().take(LAST_WORDS).read_to_end(&mut kept);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&kept).into_owned()
}

/// How a process ended without an answer, from its status and from what Rust prints before it
/// aborts.
fn end_of(status: ExitStatus, last_words: &str, memory_gib: u64) -> String {
    let how = how(status);
    if last_words.contains("has overflowed its stack") {
        format!("ended with a stack overflow ({how})")
    } else if last_words.contains("memory allocation of") {
        memory_end(&how, memory_gib)
    } else {
        let words = last_words.lines().map(str::trim).rfind(|line| !line.is_empty());
        words.map_or_else(|| format!("ended with {how}"), |words| format!("ended with {how}: {words}"))
    }
}

#[cfg(unix)]
fn memory_end(how: &str, memory_gib: u64) -> String {
    format!("needed more than {memory_gib} GiB of memory ({how})")
}

#[cfg(not(unix))]
fn memory_end(how: &str, _memory_gib: u64) -> String {
    format!("needed more memory than there is ({how})")
}

fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return layoutproof_compilers::child::signal_name(signal);
    }
    status.to_string()
}

/// Answers the request on standard input; runs in the process that [`ReaderProcess`] starts.
///
/// # Errors
/// The request is missing, or the answer cannot be written.
pub fn serve() -> anyhow::Result<()> {
    serve_request(MODULE_LIMITS, |request: ReadRequest| {
        // Only now, because the stack and the thread's own memory must not count.
        limit_memory(MODULE_LIMITS.memory_gib)?;
        Ok(answer(&request))
    })
}

/// Answers the request on standard input with `answer`. That function calls [`limit_memory`] after
/// it has mapped its files.
///
/// # Errors
/// The request is missing, or the answer cannot be written.
pub fn serve_request<Request: DeserializeOwned, Answer: Serialize + Send + 'static>(
    limits: ReaderLimits,
    answer: impl FnOnce(Request) -> anyhow::Result<Answer> + Send + 'static,
) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("reading the request")?;
    limit_life(limits.time)?;
    // The reply contains the panic's message; a backtrace would only cost time.
    std::panic::set_hook(Box::new(|_| {}));

    let read = move || -> anyhow::Result<Answer> {
        let request: Request = postcard::from_bytes(&bytes).context("reading the request")?;
        answer(request)
    };
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(read).context("starting the reader")?;
    let reply: Reply<Answer> = match reader.join() {
        Ok(answer) => Reply::Answer(answer?),
        Err(panic) => Reply::Panicked(message_of(panic.as_ref())),
    };

    let bytes = postcard::to_stdvec(&reply).context("writing the answer")?;
    io::stdout().lock().write_all(&bytes).context("writing the answer")
}

/// The value that a panic carries.
type PanicPayload = dyn std::any::Any + Send;

fn message_of(panic: &PanicPayload) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without words").to_owned()
}

/// Wraps a command so that it runs with the limits of a reader, for readers that are separate
/// programs, and confined to the files of `view` where the system can do that. The caller limits the time.
///
/// # Errors
/// The system does not report the path of this program.
pub fn limited(command: &Command, view: FileView) -> io::Result<Command> {
    let program = std::env::current_exe()?;
    let mut limited = Command::new(program);
    limited.arg("run-limited");
    for (word, paths) in [(READABLE, view.readable), (WRITABLE, view.writable)] {
        for path in paths {
            limited.arg(word).arg(path);
        }
    }
    limited.arg(PROGRAM).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    Ok(limited)
}

/// The words that [`limited`] writes: each precedes a path.
const READABLE: &str = "readable";
const WRITABLE: &str = "writable";
const PROGRAM: &str = "program";

/// Reads the words of [`limited`]: the files, then the program with its arguments.
fn read_limited(words: &[OsString]) -> anyhow::Result<(FileView, &OsString, &[OsString])> {
    let (mut view, mut rest) = (FileView::default(), words);
    loop {
        match rest {
            [word, path, after @ ..] if word == READABLE => {
                view.readable.push(path.into());
                rest = after;
            }
            [word, path, after @ ..] if word == WRITABLE => {
                view.writable.push(path.into());
                rest = after;
            }
            [word, program, arguments @ ..] if word == PROGRAM => return Ok((view, program, arguments)),
            _ => anyhow::bail!("no program is named"),
        }
    }
}

/// Applies the limits of a reader and becomes the program of a command that [`limited`] wrapped.
///
/// # Errors
/// The program cannot be started.
#[cfg(unix)]
pub fn run_limited(words: &[OsString]) -> anyhow::Result<Exit> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let (view, program, arguments) = read_limited(words)?;
    limit_life(TIME_LIMIT)?;
    let stack = Rlimit { current: Some(STACK as u64), ..getrlimit(Resource::Stack) };
    setrlimit(Resource::Stack, stack).context("limiting the stack")?;
    let most = (MEMORY_GIB << 30) + STACK as u64;
    setrlimit(Resource::As, Rlimit { current: Some(most), maximum: Some(most) }).context("limiting the memory")?;
    #[cfg(target_os = "linux")]
    confine(&view).context("confining the program")?;
    #[cfg(not(target_os = "linux"))]
    drop(view);
    let error = std::os::unix::process::CommandExt::exec(Command::new(program).args(arguments));
    Err(anyhow::anyhow!("starting {}: {error}", program.display()))
}

/// Runs the program of a command that [`limited`] wrapped; this system has no limits for it.
///
/// # Errors
/// The program cannot be started.
#[cfg(not(unix))]
pub fn run_limited(words: &[OsString]) -> anyhow::Result<Exit> {
    let (_, program, arguments) = read_limited(words)?;
    let status = Command::new(program).args(arguments).status().context("starting the reader")?;
    Ok(if status.success() { Exit::Agree } else { Exit::CouldNotRun })
}

/// Limits the life of this process: it ends with its parent (on Linux), and after much more
/// processor time than the parent waits for.
#[cfg(unix)]
fn limit_life(time: Duration) -> anyhow::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .context("following the parent")?;
    // Several threads use the time of several processors.
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let seconds = time.as_secs().saturating_mul(2 * threads.min(8));
    setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds) }).context("limiting the time")?;
    // The parent reports the crash; a core file would fill the user's disk.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }).context("forbidding core files")
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "setting a limit may fail on Unix")]
fn limit_life(_time: Duration) -> anyhow::Result<()> {
    Ok(())
}

/// Limits the additional memory of this process to `gib` GiB.
///
/// # Errors
/// The system does not accept the limit.
#[cfg(unix)]
pub fn limit_memory(gib: u64) -> anyhow::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let most = address_space().saturating_add(gib << 30);
    let limit = Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, limit).map_err(|error| anyhow::anyhow!("limiting the memory: {error}"))
}

/// Does nothing: this system has no limits for a process.
///
/// # Errors
/// None; setting a limit may fail on Unix.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "setting a limit may fail on Unix")]
pub fn limit_memory(_gib: u64) -> anyhow::Result<()> {
    Ok(())
}

/// The address space of this process in bytes. If the system does not report it, 1 GiB for the
/// stacks and the program.
///
/// Source: proc(5), `VmSize` of `/proc/pid/status`.
#[cfg(unix)]
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"));
    size.and_then(|kib| kib.parse::<u64>().ok()).map_or(1 << 30, |kib| kib << 10)
}

#[cfg(all(test, unix))]
mod tests {
    use layoutproof_layout::FileId;

    use super::*;

    fn limits(time: Duration) -> ReaderLimits {
        ReaderLimits { time, ..MODULE_LIMITS }
    }

    /// Runs a shell script in place of a reader, with this time limit, and checks how it ended.
    #[track_caller]
    fn ends(script: &str, limit: Duration, end: &str) {
        let reader =
            ReaderProcess { program: "sh".into(), arguments: vec!["-c".into(), script.into()], limits: limits(limit) };
        let request = ReadRequest::GlslBlocks { text: String::new(), file: FileId::default() };
        let failure = reader.read(&request).expect_err("a shell is no reader");
        assert_eq!(failure.to_string(), format!("naga's GLSL reader {end}"));
    }

    #[test]
    fn every_end_of_a_reader_has_its_words() {
        ends("exec sleep 1000", Duration::from_millis(500), "took more than 0.5 s");
        for (script, end) in [
            // Prints more than is kept; the kept part ends after the word.
            ("yes out | head -c 1000000 >&2; exit 3", "ended with exit status: 3: out"),
            ("echo 'error: no' >&2; exit 2", "ended with exit status: 2: error: no"),
            ("kill -SEGV $$", "ended with SIGSEGV"),
            ("echo 'thread has overflowed its stack' >&2; kill -ABRT $$", "ended with a stack overflow (SIGABRT)"),
            (
                "echo 'memory allocation of 8 bytes failed' >&2; kill -ABRT $$",
                "needed more than 1 GiB of memory (SIGABRT)",
            ),
            ("true", "gave an answer that could not be parsed: Hit the end of buffer, expected more data"),
        ] {
            ends(script, Duration::from_secs(60), end);
        }
    }

    #[test]
    fn a_reader_that_reads_nothing_ends_too() {
        let limit = Duration::from_secs(5);
        let reader = ReaderProcess { program: "true".into(), arguments: Vec::new(), limits: limits(limit) };
        let text = "x".repeat(1 << 20);
        assert!(reader.read(&ReadRequest::WgslBindings { text }).is_err());
        let reader = ReaderProcess { program: "/no/such/program".into(), ..reader };
        let request = ReadRequest::WgslBindings { text: String::new() };
        let failure = reader.read(&request).expect_err("there is no such program");
        assert!(failure.to_string().starts_with("naga's WGSL reader could not be started: "), "{failure}");
    }
}
