//! Starts one compiler of this machine, and distinguishes an answer from a crash.
//!
//! This module knows no compiler by name: `lookup` and `family` find compilers, and the drivers
//! write their arguments. A compiler that does not print its version counts as absent.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use layoutproof_core::results::frozen::manifest::{UNKNOWN_VERSION, dotted_version};
use sha2::{Digest, Sha256};

use crate::cache::{Canary, CanaryQuestion, DecidingFiles, ProgramFiles};
use crate::child::{OUTPUT_LIMIT, ProcessEnd, ProcessOutput, TIME_LIMIT, run, signal_name};
use crate::drivers::{CompilerDriver, SOURCE, driver_named};
use crate::programs::{WINE_PREFIX_VARIABLE, own_program};
use crate::scratch::ScratchFolder;
use crate::search_path::keep_absolute_path;
use crate::tools_folder::Untrusted;

/// Time limit for a compiler to print its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// Longest excerpt of a dying compiler's output, in characters.
const LAST_WORDS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    name: &'static str,
    invocation: Invocation,
    version: String,
    limit: Duration,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) program: PathBuf,
    /// Arguments that precede those of the caller.
    pub(crate) leading: Vec<OsString>,
    /// Variables that it needs in addition to the inherited ones.
    pub(crate) environment: Vec<(&'static str, OsString)>,
    /// The library that the program loads, if the compiler is a library.
    pub(crate) library: Option<PathBuf>,
    /// The compiler, if the program is a loader that starts it.
    pub(crate) started: Option<PathBuf>,
    /// Files that were fetched with it, and folders with everything in them.
    pub(crate) fetched: Vec<PathBuf>,
    /// Headers that it reads in every compilation: files, and folders with everything in them. A
    /// missing header counts once it appears.
    pub(crate) headers: Vec<PathBuf>,
    /// True if the program, started without arguments, reads each line of its standard input as a
    /// command line, like `layoutproof-d3d.exe` and `dawn/tint.js`.
    pub(crate) serves_lines: bool,
    pub(crate) origin: ProgramOrigin,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramOrigin {
    /// The user named its path.
    #[default]
    Argument,
    /// The environment variable with this name points to it.
    Variable(&'static str),
    SearchPath,
    /// The set-up fetched it into the tools folder.
    ToolsFolder,
}

impl fmt::Display for ProgramOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument => f.write_str("named as an argument"),
            Self::Variable(name) => write!(f, "{name} names it"),
            Self::SearchPath => f.write_str("on the PATH"),
            Self::ToolsFolder => f.write_str("in the tools folder"),
        }
    }
}

/// The reason why no program serves as a compiler, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum NoCompiler {
    #[error("no compiler is called `{0}`")]
    UnknownName(String),
    #[error("no `{0}` is here")]
    Absent(&'static str),
    #[error("no `{0}` is on the PATH")]
    NotOnPath(String),
    #[error("{}: no such file", .0.display())]
    NoFile(PathBuf),
    #[error("{}: {error}", program.display())]
    NotStarted { program: PathBuf, error: io::Error },
    #[error("{} {end} while asked for its version", program.display())]
    NoVersion { program: PathBuf, end: String },
    /// A user's file does not answer like a compiler of its family.
    #[error("{}: it does not answer `{question}`", file.display())]
    NotOfFamily { file: PathBuf, question: String },
    #[error("{}: `layoutproof`, which drives libraries, is not built", .0.display())]
    NoOwnProgram(PathBuf),
    #[error("{} writes no SPIR-V ({formats})", program.display())]
    WritesNoSpirv { program: PathBuf, formats: String },
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
}

impl NoCompiler {
    /// True if the compiler is here but does not work.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::NotStarted { error, .. } => error.kind() != io::ErrorKind::NotFound,
            Self::NoVersion { .. } => true,
            Self::UnknownName(_)
            | Self::Absent(_)
            | Self::NotOnPath(_)
            | Self::NoFile(_)
            | Self::NotOfFamily { .. }
            | Self::NoOwnProgram(_)
            | Self::WritesNoSpirv { .. }
            | Self::Untrusted(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompilerAnswer {
    Accepted(ProcessOutput),
    /// It refused the source, with a diagnostic.
    Refused(ProcessOutput),
    /// It crashed, timed out, could not be run or ended without a diagnostic; the text is a sentence.
    Broken(String),
}

impl Compiler {
    /// A compiler that does not print its version.
    pub(crate) fn without_version(name: &'static str, invocation: Invocation) -> Self {
        Self { name, invocation, version: "prints no version".to_owned(), limit: TIME_LIMIT }
    }

    /// The same compiler with this time limit for each source.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The same compiler under another name.
    #[must_use]
    pub(crate) fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The compiler's name, without that of a build, and its version: `dxc 1.9.2602.17`.
    pub fn title(&self) -> String {
        let name = driver_named(self.name).map_or(self.name, CompilerDriver::name);
        match dotted_version(&self.version).as_str() {
            UNKNOWN_VERSION => name.to_owned(),
            version => format!("{name} {version}"),
        }
    }

    /// True if Wine runs it, which reserves more memory than a program that reads users' files may have.
    pub fn needs_wine(&self) -> bool {
        self.invocation.runs_in_wine()
    }

    /// The compiler itself: the program, the library that our driver loads, or the program that a
    /// loader starts.
    pub fn file(&self) -> &Path {
        self.invocation.file()
    }

    /// SHA-256 of [`Compiler::file`], in hexadecimal digits.
    pub fn digest(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        io::copy(&mut File::open(self.file())?, &mut digest)?;
        Ok(format!("{:x}", digest.finalize()))
    }

    /// What decides its answers, including the files that its driver knows. `canary` is its fixed
    /// question.
    pub(crate) fn deciding_files(&self, known: DecidingFiles, canary: CanaryQuestion) -> ProgramFiles {
        self.invocation.deciding_files(known, &self.version, canary)
    }

    /// The files and folders that belong to it: those of [`Invocation`], the libraries next to them, and the
    /// folders of the installation with libraries.
    pub(crate) fn own_places(&self) -> Vec<PathBuf> {
        let Invocation { program, leading, library, started, fetched, headers, .. } = &self.invocation;
        let words = leading.iter().map(Path::new).filter(|path| path.is_absolute());
        let files = [Some(program.as_path()), library.as_deref(), started.as_deref()].into_iter().flatten();
        let mut places: Vec<PathBuf> = fetched.iter().chain(headers).cloned().collect();
        for file in files.chain(words) {
            let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
            for file in [file, &real] {
                places.push(file.to_owned());
                let Some(folder) = file.parent() else { continue };
                let beside = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
                let beside = beside.map(|entry| entry.path());
                places.extend(beside.filter(|path| is_library(path)));
                if let (true, Some(installation)) = (folder.ends_with("bin"), folder.parent()) {
                    places.extend(["bin", "lib", "lib64", "libexec"].map(|part| installation.join(part)));
                }
            }
        }
        let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        places.extend(std::env::split_paths(&named).filter(|folder| folder.is_absolute()));
        places
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn limit(&self) -> Duration {
        self.limit
    }

    pub fn program(&self) -> &Path {
        &self.invocation.program
    }

    /// Headers that it reads in every compilation, as its driver found them: files and folders.
    pub(crate) fn headers(&self) -> &[PathBuf] {
        &self.invocation.headers
    }

    pub fn origin(&self) -> ProgramOrigin {
        self.invocation.origin
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn ask(&self, folder: &Path, arguments: &[&str]) -> CompilerAnswer {
        self.answer(run(self.command().args(arguments).current_dir(folder), self.limit))
    }

    /// A shell script in place of a compiler.
    #[cfg(all(test, unix))]
    pub(crate) fn script(name: &'static str, text: &str) -> Self {
        let leading = vec!["-c".into(), text.into()];
        Self {
            name,
            invocation: Invocation { leading, ..Invocation::program("/bin/sh".into()) },
            version: String::new(),
            limit: TIME_LIMIT,
        }
    }

    /// A program with these leading arguments and the path of a configuration in place of a compiler.
    #[cfg(all(test, unix))]
    pub(crate) fn launched(name: &'static str, program: PathBuf, words: &[&str], config: &Path) -> Self {
        let leading = words.iter().map(OsString::from).chain([config.into()]).collect();
        let invocation = Invocation { leading, ..Invocation::program(program) };
        Self { name, invocation, version: String::new(), limit: TIME_LIMIT }
    }

    /// The same compiler, as if it had printed this version.
    #[cfg(all(test, unix))]
    pub(crate) fn with_version(self, version: &str) -> Self {
        Self { version: version.to_owned(), ..self }
    }

    /// The command to start the compiler, without its arguments.
    pub(crate) fn command(&self) -> Command {
        self.invocation.command()
    }

    /// The arguments with which our program loads its library; `None` if the compiler is a program.
    pub(crate) fn library_arguments(&self) -> Option<&[OsString]> {
        self.invocation.library.as_ref().map(|_| self.invocation.leading.as_slice())
    }

    pub(crate) fn serves_lines(&self) -> bool {
        self.invocation.serves_lines
    }

    pub fn answer(&self, finished: io::Result<ProcessOutput>) -> CompilerAnswer {
        match finished {
            Err(error) => CompilerAnswer::Broken(format!("{}: {error}", self.invocation.program.display())),
            Ok(finished) => match finished.end {
                ProcessEnd::Exited(0) => CompilerAnswer::Accepted(finished),
                ProcessEnd::Exited(_) => match no_diagnostic(&finished) {
                    None => CompilerAnswer::Refused(finished),
                    Some(trouble) => CompilerAnswer::Broken(format!("{} {trouble}", self.name)),
                },
                ProcessEnd::Signalled(_) | ProcessEnd::TimedOut(_) | ProcessEnd::Flooded | ProcessEnd::Unanswered => {
                    CompilerAnswer::Broken(format!("{} {}", self.name, death(&finished)))
                }
            },
        }
    }
}

impl Invocation {
    pub(crate) fn program(program: PathBuf) -> Self {
        Self { program, ..Self::default() }
    }

    /// The program, the library that it loads, or the program that it starts.
    pub(crate) fn file(&self) -> &Path {
        self.library.as_ref().or(self.started.as_ref()).unwrap_or(&self.program)
    }

    /// What decides the answers of this program, which printed this version.
    pub(crate) fn deciding_files(&self, known: DecidingFiles, version: &str, question: CanaryQuestion) -> ProgramFiles {
        let Invocation { program, leading, environment, library, started: _, fetched, headers, serves_lines, origin } =
            self;
        let is_own = own_program().as_ref() == Some(program);
        let is_fetched = *origin == ProgramOrigin::ToolsFolder;
        // Wine may be a script, too; the content of the prefix decides its answers.
        let known_script = !known.started_by_script.is_empty() || *serves_lines;

        let canary =
            Canary { program: program.clone(), leading: leading.clone(), environment: environment.clone(), question };
        let variables = environment.iter().flat_map(|(name, value)| [OsString::from(name), value.clone()]);
        ProgramFiles {
            program: (!is_own).then(|| program.clone()),
            is_known_script: is_fetched && known_script,
            library: library.clone(),
            others: [&fetched[..], headers].concat(),
            opened: known.opened,
            started_by_script: known.started_by_script,
            words: leading.iter().cloned().chain(variables).collect(),
            version: version.to_owned(),
            canary: (!self.runs_in_wine() && !self.is_in_own_root()).then_some(canary),
        }
    }

    /// True for a program that the loader of a fetched root starts with the libraries of that root: its files, which are
    /// all in the root, decide its answers. It is no script, and the fixed question takes as long as a short shader.
    fn is_in_own_root(&self) -> bool {
        self.origin == ProgramOrigin::ToolsFolder && self.started.is_some()
    }

    /// True if Wine runs it. Wine's server and services go on after a program ends.
    fn runs_in_wine(&self) -> bool {
        self.environment.iter().any(|(name, _)| *name == WINE_PREFIX_VARIABLE)
    }

    /// A program that was found in this way.
    pub(crate) fn of(program: PathBuf, origin: ProgramOrigin) -> Self {
        Self { program, origin, ..Self::default() }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        keep_absolute_path(&mut command);
        command.args(&self.leading).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// True for a library: `libslang.so.1`, `dxcompiler.dll`, `libdxcompiler.dylib`.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".so", ".dll", ".dylib"].iter().any(|part| name.contains(part))
}

/// Identifies the compiler that this invocation starts: asks `question`, and expects a version.
pub(crate) fn answering(name: &'static str, invocation: Invocation, question: &[&str]) -> Result<Compiler, NoCompiler> {
    let finished = query(&invocation, question)?;
    // slangc prints its version to standard error.
    let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
    match said.lines().next() {
        Some(version) if finished.end == ProcessEnd::Exited(0) => {
            Ok(Compiler { name, version: version.trim().to_owned(), invocation, limit: TIME_LIMIT })
        }
        Some(_) | None => Err(NoCompiler::NoVersion { program: invocation.program, end: death(&finished) }),
    }
}

/// Runs a program that describes itself in a scratch folder: in the user's working folder it could
/// change or remove files.
pub(crate) fn query(invocation: &Invocation, question: &[&str]) -> Result<ProcessOutput, NoCompiler> {
    let mut command = invocation.command();
    let folder = ScratchFolder::new().map_err(|error| {
        let place = std::env::temp_dir();
        io::Error::new(error.kind(), format!("no temporary folder can be made in {}: {error}", place.display()))
    });
    let finished = folder.and_then(|folder| run(command.args(question).current_dir(folder.path()), VERSION_LIMIT));
    finished.map_err(|error| NoCompiler::NotStarted { program: invocation.program.clone(), error })
}

/// What a machine says that lacks something, and what a shell says of a program that died, in lower case.
const TROUBLES: [&str; 22] = [
    "out of memory",
    "cannot allocate memory",
    "bad_alloc",
    "no space left on device",
    "not enough space on the disk",
    "disk full",
    "disk quota exceeded",
    "file too large",
    "read-only file system",
    "too many open files",
    "resource temporarily unavailable",
    "input/output error",
    "segmentation fault",
    "bus error",
    "illegal instruction",
    "core dumped",
    "loading shared libraries",
    "internal error",
    "internal compiler error",
    "assertion failed",
    "assertion `",
    "assert failed",
];

/// The exit statuses with which a shell or a loader says that a program did not run.
const NOT_RUN: [i32; 2] = [126, 127];

/// Words of diagnostics. SPIRV-Cross refuses with "SPIRV-Cross threw an exception: ".
const DIAGNOSTICS: [&str; 2] = ["error", "spirv-cross threw an exception"];

/// The reason why a process that failed has not refused its source; `None` if it printed a diagnostic. A
/// diagnostic has one of [`DIAGNOSTICS`]. The first one counts, because the source may be quoted after it.
fn no_diagnostic(finished: &ProcessOutput) -> Option<String> {
    let lines = || finished.stderr.lines().chain(finished.stdout.lines());
    let is_trouble = |line: &str| {
        let line = line.to_lowercase();
        TROUBLES.iter().any(|trouble| line.contains(trouble))
    };
    // A name in the source may read like a trouble, but the diagnostic about it has a place in the source.
    let has_place = |line: &str| line.contains(SOURCE);
    let is_diagnostic = |line: &str| DIAGNOSTICS.iter().any(|word| line.to_lowercase().contains(word));
    match lines().find(|line| is_diagnostic(line)) {
        Some(first) if matches!(finished.end, ProcessEnd::Exited(status) if NOT_RUN.contains(&status)) => {
            Some(format!("did not run: {}", excerpt(first)))
        }
        Some(first) if !is_trouble(first) || has_place(first) => None,
        Some(first) => Some(format!("did not do its work: {}", excerpt(first))),
        None => match lines().find(|line| is_trouble(line)) {
            Some(line) => Some(format!("did not do its work: {}", excerpt(line))),
            None => Some(format!("failed without a diagnostic: it {}", death(finished))),
        },
    }
}

fn excerpt(line: &str) -> String {
    line.trim().chars().take(LAST_WORDS).collect()
}

/// Describes an untimely end of a process, with its last line: a fragment to follow its name.
fn death(finished: &ProcessOutput) -> String {
    let end = match finished.end {
        ProcessEnd::Exited(status) => format!("ended with exit status {status}"),
        ProcessEnd::Signalled(signal) => format!("died of {}", signal_name(signal)),
        ProcessEnd::TimedOut(limit) => format!("gave no answer within {limit:?}"),
        ProcessEnd::Unanswered => "ended without an answer".to_owned(),
        ProcessEnd::Flooded => return format!("printed more than {} MiB", OUTPUT_LIMIT >> 20),
    };

    let said = finished.stderr.lines().map(str::trim).rfind(|line| line.chars().any(char::is_alphanumeric));
    let words = said.map(|line| format!("; its last words: {}", excerpt(line)));
    end + &words.unwrap_or_default()
}
