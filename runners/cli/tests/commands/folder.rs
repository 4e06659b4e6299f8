//! A temporary folder with files, in which tests run the command.

use std::cell::Cell;
use std::fmt;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Time limit of a command that loads no driver; after that it counts as hung.
const LIMIT: Duration = Duration::from_secs(20);

/// Variables that affect what the command finds or how it draws.
const CLEARED: [&str; 15] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "GITHUB_ACTIONS",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "NO_COLOR",
    "RUST_BACKTRACE",
    "SPIRV_VAL",
    "VK_ADD_DRIVER_FILES",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
];

/// Variables that hide all drivers from the loaders of Vulkan, EGL and Mesa on Linux.
const NO_DRIVERS: [&str; 4] =
    ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"];

/// A temporary folder to run the command in.
pub(crate) struct Folder {
    place: TempDir,
    /// Holds a separate cache of compiler answers for each command, so that none depends on
    /// another's or the user's.
    caches: TempDir,
    /// Number of commands started.
    commands: Cell<u32>,
    variables: Vec<(&'static str, String)>,
    limit: Duration,
}

impl Folder {
    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let [place, caches] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let folder = Self { place, caches, commands: Cell::new(0), variables: Vec::new(), limit: LIMIT };
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    /// Like [`Folder::with`], on a machine without drivers.
    pub(crate) fn without_drivers(files: &[(&str, &str)]) -> Self {
        Self { variables: NO_DRIVERS.map(|name| (name, "/nonexistent".to_owned())).to_vec(), ..Self::with(files) }
    }

    /// Adds an environment variable.
    pub(crate) fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Raises the time limit for commands that load this machine's drivers.
    pub(crate) fn with_drivers(self) -> Self {
        self.within(Duration::from_secs(60))
    }

    /// Sets the time limit of the commands.
    pub(crate) fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Writes a file, and makes its folder.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Reads a text file that the command wrote.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// True if a text file of this name exists and `holds` is true for it.
    pub(crate) fn has(&self, name: &str, holds: impl Fn(&str) -> bool) -> bool {
        fs::read_to_string(self.path(name)).is_ok_and(|text| holds(&text))
    }

    /// Runs `layoutproof` with these words, separated by single spaces.
    pub(crate) fn run(&self, words: &str) -> Answer {
        self.start(words).ends()
    }

    /// Runs `layoutproof` with a line in which words in double quotes are one word.
    pub(crate) fn run_quoted(&self, line: &str) -> Answer {
        // Outside quotes, spaces separate words. Words of tests have no other control characters.
        let parts = line.split('"').enumerate();
        let words: String =
            parts.map(|(at, part)| if at % 2 == 0 { part.replace(' ', "\u{1}") } else { part.into() }).collect();
        let stdout = File::create(self.path(".out")).unwrap();
        let mut command = layoutproof();
        command.args(words.split('\u{1}'));
        self.start_prepared(command, line, Streams { input: Stdio::null(), output: stdout.into() }).ends()
    }

    /// Runs `layoutproof` with these words and redirects its standard output.
    #[cfg(unix)]
    pub(crate) fn run_printing_to(&self, words: &str, stdout: impl Into<Stdio>) -> Answer {
        self.write(".out", b"");
        self.start_printing_to(words, stdout.into()).ends()
    }

    /// Runs `layoutproof` with these words and this text as its standard input.
    pub(crate) fn run_with(&self, words: &str, input: &str) -> Answer {
        fs::write(self.path(".in"), input).unwrap();
        let input = File::open(self.path(".in")).unwrap();
        let stdout = File::create(self.path(".out")).unwrap();
        self.start_command(layoutproof(), words, Streams { input: input.into(), output: stdout.into() }).ends()
    }

    /// Starts `layoutproof` with these words.
    pub(crate) fn start(&self, words: &str) -> Running<'_> {
        let stdout = File::create(self.path(".out")).unwrap();
        self.start_printing_to(words, stdout.into())
    }

    /// Starts `layoutproof` with these words, ignoring SIGHUP, through the shell.
    #[cfg(unix)]
    pub(crate) fn start_without_hangup(&self, words: &str) -> Running<'_> {
        let stdout = File::create(self.path(".out")).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_layoutproof")]);
        self.start_command(command, words, Streams { input: Stdio::null(), output: stdout.into() })
    }

    fn start_printing_to(&self, words: &str, stdout: Stdio) -> Running<'_> {
        self.start_command(layoutproof(), words, Streams { input: Stdio::null(), output: stdout })
    }

    fn start_command(&self, mut command: Command, words: &str, streams: Streams) -> Running<'_> {
        command.args(words.split(' '));
        self.start_prepared(command, words, streams)
    }

    fn start_prepared(&self, mut command: Command, words: &str, streams: Streams) -> Running<'_> {
        command.current_dir(self.place.path()).stdin(streams.input);
        for name in CLEARED {
            command.env_remove(name);
        }
        self.commands.set(self.commands.get() + 1);
        command.env("LAYOUTPROOF_CACHE", self.caches.path().join(self.commands.get().to_string()));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // Use files instead of pipes, so that the process never waits for a reader.
        let stderr = File::create(self.path(".err")).unwrap();
        let child = command.stdout(streams.output).stderr(stderr).spawn().unwrap();
        Running { folder: self, words: words.to_owned(), child }
    }
}

/// The standard input and output of a command.
struct Streams {
    input: Stdio,
    output: Stdio,
}

/// The built command.
fn layoutproof() -> Command {
    Command::new(env!("CARGO_BIN_EXE_layoutproof"))
}

/// A command that is still running.
pub(crate) struct Running<'a> {
    folder: &'a Folder,
    words: String,
    child: Child,
}

impl Running<'_> {
    /// Waits for the end of the command.
    pub(crate) fn ends(mut self) -> Answer {
        let code = self.wait();
        let Self { folder, words, .. } = self;
        let answer = Answer { words, code, out: folder.read(".out"), err: folder.read(".err") };
        assert!(!answer.err.contains("panicked"), "{answer}");
        answer
    }

    fn wait(&mut self) -> i32 {
        let (words, started) = (&self.words, Instant::now());
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or_else(|| panic!("`layoutproof {words}` ended with {status}"));
            }
            if started.elapsed() > self.folder.limit {
                self.child.kill().unwrap();
                panic!("`{words}` took more than {} s", self.folder.limit.as_secs());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits until `holds` is true.
    pub(crate) fn once(self, limit: Duration, holds: impl Fn() -> bool) -> Self {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < limit, "`{}` did not come to it within {} s", self.words, limit.as_secs());
            std::thread::sleep(Duration::from_millis(1));
        }
        self
    }

    /// Sends a Unix signal by its short name, through the shell: not every machine has `kill` as a
    /// program.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Kills the command with a signal that it cannot catch.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The results of a command.
pub(crate) struct Answer {
    words: String,
    code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, code, out, err } = self;
        write!(f, "`layoutproof {words}` (exit code {code})\n--- output\n{out}\n--- errors\n{err}")
    }
}

impl Answer {
    /// Asserts the exit code.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    /// The exit code.
    pub(crate) fn code(&self) -> i32 {
        self.code
    }

    /// Asserts that standard output has a line that begins with these words, with any spaces
    /// between them.
    pub(crate) fn prints(self, line: &str) -> Self {
        assert!(has_line(&self.out, line), "no line `{line}` in the output of {self}");
        self
    }

    /// Asserts that standard error has a line that begins with these words, with any spaces between
    /// them.
    pub(crate) fn warns(self, line: &str) -> Self {
        assert!(has_line(&self.err, line), "no line `{line}` in the errors of {self}");
        self
    }

    /// Standard output with one space between words, regardless of line breaks.
    pub(crate) fn unwrapped(&self) -> String {
        self.out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Parses standard output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self}"))
    }
}

fn has_line(text: &str, wanted: &str) -> bool {
    let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().any(|line| spaced(line).starts_with(wanted))
}

/// The keys of a JSON object, sorted.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no object"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
