//! The program under attack: runs it with limits, and checks what must hold for every end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use crate::unix::sandbox::{HOME, Sandbox, TEMPORARY};

/// Limit of processor time in seconds per process. Other work on the machine does not count.
const PROCESSOR_SECONDS: u64 = 10;

/// Wall time after which a command counts as hung, however busy the machine.
const TIME: Duration = Duration::from_secs(60);

/// The same for commands that load drivers or start processes repeatedly.
pub(crate) const LONG_TIME: Duration = Duration::from_secs(600);

/// Memory that one command may map, in KiB.
const MEMORY_KIB: u64 = 1 << 20;

/// Variables that hide all drivers from the loaders of Vulkan, EGL and Mesa.
const NO_DRIVERS: [&str; 4] =
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"];

/// The program outside of the repository, as if installed. Dropping the value removes the folder.
#[derive(Debug)]
pub(crate) struct Installed {
    _folder: TempDir,
}

/// Where [`Installed`] put the program.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

impl Installed {
    /// Copies the built program into a temporary folder, so that the files next to it in the
    /// repository's `target` have no effect.
    pub(crate) fn new() -> Self {
        let built = env!("CARGO_BIN_EXE_layoutproof");
        let folder = tempfile::Builder::new().prefix("attacked").tempdir().unwrap();
        let program = folder.path().join("layoutproof");
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        PROGRAM.set(program).unwrap();
        Self { _folder: folder }
    }
}

/// A command that has not been started yet.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    sandbox: &'a Sandbox,
    words: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    folder: PathBuf,
    drivers: bool,
    processor_limit: bool,
    time: Duration,
    file_kib: Option<u64>,
    stdout: Option<Stdio>,
}

impl<'a> Call<'a> {
    /// A command with these words, separated by single spaces, in the sandbox, on a machine without
    /// drivers.
    pub(crate) fn new(sandbox: &'a Sandbox, words: &str) -> Self {
        Self {
            sandbox,
            words: words.split(' ').map(OsString::from).collect(),
            variables: Vec::new(),
            folder: sandbox.path(""),
            drivers: false,
            processor_limit: true,
            time: TIME,
            file_kib: None,
            stdout: None,
        }
    }

    /// Adds a word.
    pub(crate) fn word(mut self, word: impl Into<OsString>) -> Self {
        self.words.push(word.into());
        self
    }

    /// Adds an environment variable.
    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Allows this machine's drivers, and lifts the limits that they exceed.
    pub(crate) fn with_drivers(mut self) -> Self {
        self.drivers = true;
        self.long()
    }

    /// Allows the time that runs of many checks need.
    pub(crate) fn long(mut self) -> Self {
        self.processor_limit = false;
        self.time = LONG_TIME;
        self
    }

    /// Runs in a folder below the sandbox.
    pub(crate) fn below(mut self, folder: &str) -> Self {
        self.folder = self.sandbox.path(folder);
        self
    }

    /// Limits the size of files, as on a full disk.
    pub(crate) fn with_files_of(mut self, kib: u64) -> Self {
        self.file_kib = Some(kib);
        self
    }

    /// Redirects standard output, instead of writing it to a file of the sandbox.
    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs the program and waits for its end.
    pub(crate) fn run(self) -> End {
        self.start().end()
    }

    /// Starts the program.
    pub(crate) fn start(self) -> Running {
        let line = self.words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        // For people who examine the folder of a failed attack.
        self.sandbox.write("command.txt", format!("layoutproof {line}\n"));
        let file = |name| File::create(self.sandbox.path(name)).unwrap();
        // Remove an earlier command's output, in case this one writes elsewhere.
        drop(file(".out"));
        let (out, err) = (self.sandbox.path(".out"), self.sandbox.path(".err"));
        let child = Command::new("/bin/sh")
            .args(["-c", &self.limits()])
            .arg(PROGRAM.get().unwrap())
            .args(&self.words)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null())
            .stderr(file(".err"))
            .stdout(self.stdout.unwrap_or_else(|| file(".out").into()))
            .process_group(0)
            .spawn()
            .unwrap();
        Running { line, child, started: Instant::now(), time: self.time, out, err }
    }

    /// The shell script that sets the limits and then becomes the program, which is `$0`.
    fn limits(&self) -> String {
        let memory = if self.drivers { String::new() } else { format!("ulimit -S -v {MEMORY_KIB}; ") };
        let processor = if self.processor_limit { format!("ulimit -t {PROCESSOR_SECONDS}; ") } else { String::new() };
        // With the signal ignored, writing beyond the limit is an error, as on a full disk. POSIX
        // counts blocks of 512 bytes.
        let file = self.file_kib.map_or(String::new(), |kib| format!("trap '' XFSZ; ulimit -f {}; ", kib * 2));
        format!("{memory}{processor}{file}exec \"$0\" \"$@\"")
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let mut variables: Vec<(&str, OsString)> = vec![
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", self.sandbox.path(HOME).into()),
            ("TMPDIR", self.sandbox.path(TEMPORARY).into()),
        ];
        if !self.drivers {
            variables.extend(NO_DRIVERS.map(|name| (name, "/nonexistent".into())));
        }
        // If a variable has two values, the later one wins.
        variables.extend(self.variables.iter().cloned());
        variables
    }
}

/// The running program.
pub(crate) struct Running {
    line: String,
    child: Child,
    started: Instant,
    time: Duration,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    /// Its process id, which is also its process group.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// True if it has ended.
    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Sends a signal to it.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill_process(pid(self.child.id()), signal);
    }

    /// Waits for its end, at most until the time limit.
    pub(crate) fn end(mut self) -> End {
        let mut pause = Duration::from_millis(1);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break Some(status);
            }
            if self.started.elapsed() > self.time {
                let _ = kill_process_group(pid(self.child.id()), Signal::KILL);
                self.child.wait().unwrap();
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let read = |path: &PathBuf| fs::read(path).unwrap_or_default();
        End { line: self.line, status, time: self.time, out: read(&self.out), err: read(&self.err) }
    }
}

/// True if a terminal does not simply show this character. The last two ranges change the direction
/// of text.
fn steers_terminals(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\t')
        || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn pid(id: u32) -> Pid {
    i32::try_from(id).ok().and_then(Pid::from_raw).unwrap()
}

/// Kills one process.
pub(crate) fn kill(id: u32) -> bool {
    kill_process(pid(id), Signal::KILL).is_ok()
}

/// How the program ended.
#[derive(Debug)]
pub(crate) struct End {
    line: String,
    /// `None` if it did not end in time.
    status: Option<ExitStatus>,
    time: Duration,
    out: Vec<u8>,
    err: Vec<u8>,
}

impl End {
    /// The exit code; `None` if it has none.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// True if this signal ended the process, so that it had no handler when it came.
    pub(crate) fn is_ended_by(&self, signal: Signal) -> bool {
        self.status.and_then(|status| status.signal()) == Some(signal.as_raw())
    }

    /// The output on both streams.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&[self.out.as_slice(), &self.err].concat()).into_owned()
    }

    /// Checks what must hold for every end: in time, with an exit code of the contract, without a
    /// panic, and without characters that control a terminal.
    ///
    /// # Errors
    /// The first violation, with the output.
    pub(crate) fn orderly(self) -> Result<Self, String> {
        let text = self.text();
        let problem = match self.status {
            None => Some(format!("not over after {} s", self.time.as_secs())),
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => Some(format!("ended by signal {signal}")),
                (None, Some(0..=4)) => None,
                (None, code) => Some(format!("exit code {code:?}, which the contract does not have")),
            },
        };
        let panicked = text.contains("panicked at").then(|| "a panic".to_owned());
        let control = || text.chars().find(|sign| steers_terminals(*sign));
        let controls = || control().map(|sign| format!("{sign:?} was printed, which steers terminals"));
        match problem.or(panicked).or_else(controls) {
            Some(problem) => Err(self.told(&problem)),
            None => Ok(self),
        }
    }

    /// Asserts that the exit code is one of these.
    ///
    /// # Errors
    /// The actual exit code, with the output.
    pub(crate) fn exits(self, codes: &[i32]) -> Result<Self, String> {
        let orderly = self.orderly()?;
        if orderly.code().is_some_and(|code| codes.contains(&code)) {
            return Ok(orderly);
        }
        let problem = format!("exit code {:?} instead of one of {codes:?}", orderly.code());
        Err(orderly.told(&problem))
    }

    /// Describes a problem, with the command and the end of its output.
    pub(crate) fn told(&self, problem: &str) -> String {
        let tail = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let skipped = text.chars().count().saturating_sub(600);
            text.chars().skip(skipped).collect::<String>()
        };
        format!("{problem}\n  layoutproof {}\n{}{}", self.line, tail(&self.out), tail(&self.err))
    }
}
