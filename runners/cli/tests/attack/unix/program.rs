//! The program that is attacked: one call of it, under limits, and what must be true of every end.

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

/// Processor time in seconds that one process of a call may take. Other work on the machine does not count.
const PROCESSOR_SECONDS: u64 = 10;

/// Time after which a call hangs, however busy the machine.
const TIME: Duration = Duration::from_secs(60);

/// The same for calls that load drivers or start processes again and again.
pub(crate) const LONG_TIME: Duration = Duration::from_secs(600);

/// Memory that one call may map, in KiB.
const MEMORY_KIB: u64 = 1 << 20;

/// Variables by which the loaders of Vulkan, EGL and Mesa find no driver.
const NO_DRIVERS: [&str; 4] =
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"];

/// The program outside of the repository, as if installed; the folder is removed when the value is dropped.
#[derive(Debug)]
pub(crate) struct Installed {
    _folder: TempDir,
}

/// Where [`Installed`] put the program.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

impl Installed {
    /// Puts the built program into a temporary folder. What lies beside it in the repository's `target` must not count.
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

/// One call of the program that is not started yet.
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
    /// A call with these words, which stand one space apart, in the sandbox, on a machine without drivers.
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

    /// The same with another word.
    pub(crate) fn word(mut self, word: impl Into<OsString>) -> Self {
        self.words.push(word.into());
        self
    }

    /// The same with an environment variable.
    pub(crate) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// The same with this machine's drivers, which take the memory and the time that they take.
    pub(crate) fn with_drivers(mut self) -> Self {
        self.drivers = true;
        self.long()
    }

    /// The same with the time that runs of many checks take.
    pub(crate) fn long(mut self) -> Self {
        self.processor_limit = false;
        self.time = LONG_TIME;
        self
    }

    /// The same in a folder below the sandbox.
    pub(crate) fn below(mut self, folder: &str) -> Self {
        self.folder = self.sandbox.path(folder);
        self
    }

    /// The same where no file can grow beyond this size, as on a disk that is full.
    pub(crate) fn with_files_of(mut self, kib: u64) -> Self {
        self.file_kib = Some(kib);
        self
    }

    /// The same with another standard output, instead of a file of the sandbox.
    pub(crate) fn stdout(mut self, stdout: impl Into<Stdio>) -> Self {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs the program to its end.
    pub(crate) fn run(self) -> End {
        self.start().end()
    }

    /// Starts the program.
    pub(crate) fn start(self) -> Running {
        let line = self.words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        // For whoever looks at the folder of an attack that did not hold.
        self.sandbox.write("command.txt", format!("layoutproof {line}\n"));
        let file = |name| File::create(self.sandbox.path(name)).unwrap();
        // Of an earlier call, where this one writes its output elsewhere.
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

    /// The shell's script that sets the limits and becomes the program, which is `$0`.
    fn limits(&self) -> String {
        let memory = if self.drivers { String::new() } else { format!("ulimit -S -v {MEMORY_KIB}; ") };
        let processor = if self.processor_limit { format!("ulimit -t {PROCESSOR_SECONDS}; ") } else { String::new() };
        // Without the signal, writing beyond the limit is an error, as on a full disk. POSIX counts blocks of 512 bytes.
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
        // The later one of two wins.
        variables.extend(self.variables.iter().cloned());
        variables
    }
}

/// The program at work.
pub(crate) struct Running {
    line: String,
    child: Child,
    started: Instant,
    time: Duration,
    out: PathBuf,
    err: PathBuf,
}

impl Running {
    /// Its process id, which is that of its process group.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it is over already.
    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        let _ = kill_process(pid(self.child.id()), signal);
    }

    /// Waits for its end, which it comes to by itself or at the time limit.
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

/// Whether a terminal does something else with this character than show it. The last two ranges turn the direction of
/// text.
fn steers_terminals(sign: char) -> bool {
    sign.is_control() && !matches!(sign, '\n' | '\t')
        || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn pid(id: u32) -> Pid {
    i32::try_from(id).ok().and_then(Pid::from_raw).unwrap()
}

/// Kills one process at once.
pub(crate) fn kill(id: u32) -> bool {
    kill_process(pid(id), Signal::KILL).is_ok()
}

/// How a call of the program ended.
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
    /// The exit code, `None` where it has none.
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Returns true if the process had no handler for this signal when it came.
    pub(crate) fn is_ended_by(&self, signal: Signal) -> bool {
        self.status.and_then(|status| status.signal()) == Some(signal.as_raw())
    }

    /// What it printed, on both streams.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&[self.out.as_slice(), &self.err].concat()).into_owned()
    }

    /// What must be true of every end: in time, with a code of the contract, without a panic, in characters that do
    /// nothing to a terminal.
    ///
    /// # Errors
    /// The first thing that is not, with what was printed.
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
    /// The other one, with what was printed.
    pub(crate) fn exits(self, codes: &[i32]) -> Result<Self, String> {
        let orderly = self.orderly()?;
        if orderly.code().is_some_and(|code| codes.contains(&code)) {
            return Ok(orderly);
        }
        let problem = format!("exit code {:?} instead of one of {codes:?}", orderly.code());
        Err(orderly.told(&problem))
    }

    /// A problem, with the call and the end of what was printed.
    pub(crate) fn told(&self, problem: &str) -> String {
        let tail = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let skipped = text.chars().count().saturating_sub(600);
            text.chars().skip(skipped).collect::<String>()
        };
        format!("{problem}\n  layoutproof {}\n{}{}", self.line, tail(&self.out), tail(&self.err))
    }
}
