//! The compilers of this machine: where each is, its version, and what it says of a source.
//!
//! A compiler is looked for where the environment names it (`DXC`, `SLANGC` ...), on the `PATH`, and among what
//! `ci/setup.sh` fetched, in this order. One that does not answer with its version is not there.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::child::{End, Finished, OUTPUT_LIMIT, TIME_LIMIT, run, signal_name};
use crate::family::Family;
use crate::slang_library::{SlangService, library_beside};
use crate::wine;

/// Longest time that a compiler gets to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// Most characters of a dying compiler's last words.
const LAST_WORDS: usize = 200;

/// A compiler that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    name: &'static str,
    invocation: Invocation,
    version: String,
    limit: Duration,
}

/// How a compiler is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) program: PathBuf,
    /// Arguments before those of the caller.
    pub(crate) leading: Vec<OsString>,
    /// Variables that it needs beside the inherited ones.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

/// What a compiler said of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It took the source.
    Accepted(Finished),
    /// It refused the source; standard error says why.
    Refused(Finished),
    /// It crashed or hung, or could not be run; in a sentence.
    Broken(String),
}

/// Where a compiler is looked for.
struct Lookup {
    name: &'static str,
    /// Environment variable that names the program, and its name on the `PATH`.
    plain: Option<(&'static str, &'static str)>,
    fetched: Fetched,
    /// Argument that makes it print its version.
    question: &'static str,
}

/// What `ci/setup.sh` fetches, by its path below the folder.
enum Fetched {
    Nothing,
    Program(&'static str),
    /// A library of DXC, with the arguments of our driver that come before its path.
    Library(&'static str, &'static [&'static str]),
    /// One of Microsoft's libraries for Windows, as `layoutproof-d3d.exe` calls it.
    Windows(&'static str),
}

const LOOKUPS: [Lookup; 9] = [
    Lookup {
        name: "dxc",
        plain: Some(("DXC", "dxc")),
        fetched: Fetched::Library("tools/dxc-lib/libdxcompiler.so", &["--library"]),
        question: "--version",
    },
    Lookup {
        name: "dxc-old",
        plain: Some(("DXC_OLD", "dxc-old")),
        fetched: Fetched::Library("tools/dxc-lib-old/libdxcompiler.so", &["--abi", "old", "--library"]),
        question: "--version",
    },
    Lookup { name: "dxc-1.9", plain: None, fetched: Fetched::Windows("dxc"), question: "--version" },
    Lookup { name: "fxc", plain: None, fetched: Fetched::Windows("fxc"), question: "--version" },
    Lookup {
        name: "vkd3d",
        plain: Some(("VKD3D_COMPILER", "vkd3d-compiler")),
        fetched: Fetched::Nothing,
        question: "--version",
    },
    Lookup {
        name: "slangc",
        plain: Some(("SLANGC", "slangc")),
        fetched: Fetched::Program("tools/slang/bin/slangc"),
        question: "-v",
    },
    Lookup {
        name: "glslang",
        plain: Some(("GLSLANG", "glslangValidator")),
        fetched: Fetched::Nothing,
        question: "--version",
    },
    Lookup {
        name: "clang-dxc",
        plain: Some(("CLANG_DXC", "clang-dxc")),
        fetched: Fetched::Nothing,
        question: "--version",
    },
    Lookup { name: "tint", plain: Some(("TINT", "tint")), fetched: Fetched::Nothing, question: "--version" },
];

impl Compiler {
    /// Every compiler that is there. `fetched` is the folder of `ci/setup.sh`.
    pub fn all(fetched: Option<&Path>) -> Vec<Self> {
        Self::look(fetched).0
    }

    /// The same, and for each variable that names a program which is no compiler a sentence that says why.
    pub fn look(fetched: Option<&Path>) -> (Vec<Self>, Vec<String>) {
        let (mut found, mut unusable) = (Vec::new(), Vec::new());
        for lookup in &LOOKUPS {
            match lookup.find(fetched) {
                Ok(compiler) => found.push(compiler),
                Err(reason) => unusable.extend(lookup.named_in_vain(&reason)),
            }
        }
        (found, unusable)
    }

    /// The names of all compilers that are looked for, each with the way to get it where it is not found.
    pub fn known() -> impl Iterator<Item = (&'static str, String)> {
        LOOKUPS.iter().map(|lookup| (lookup.name, lookup.advice()))
    }

    /// The compiler of a name in [`Compiler::known`], if it is there.
    pub fn named(name: &str, fetched: Option<&Path>) -> Option<Self> {
        LOOKUPS.iter().find(|lookup| lookup.name == name)?.find(fetched).ok()
    }

    /// The same compiler with this time for each source.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The compiler of this family that this file is: a program, or a library of DXC, of either ABI, for our driver.
    ///
    /// # Errors
    /// No file, or one that does not answer with its version.
    pub fn at(path: &Path, family: Family) -> Result<Self, NoCompiler> {
        let no = |reason: String| NoCompiler { path: path.to_owned(), reason };
        let path = &std::path::absolute(path).map_err(|error| no(error.to_string()))?;
        if !path.is_file() {
            return Err(no("no such file".to_owned()));
        }
        let ways = if is_library(path) {
            let unbuilt = || no("layoutproof-dxc, which drives libraries, is not built".to_owned());
            let driver = driver("layoutproof-dxc").ok_or_else(unbuilt)?;
            // The new ABI's driver crashes on a library of the old one, and the other way round.
            let of_abi = |abi| {
                let leading = library_arguments(abi, path);
                Invocation { leading, ..Invocation::program(driver.clone()) }
            };
            ["new", "old"].map(of_abi).into()
        } else {
            vec![Invocation::program(path.clone())]
        };
        let answers = ways.into_iter().find_map(|way| answering(family.compiler(), way, family.question()).ok());
        answers.ok_or_else(|| no(format!("it does not answer `{}`", family.question())))
    }

    /// The same compiler under the name of its family, as which toolchains know it.
    #[must_use]
    pub fn of_family(self, family: Family) -> Self {
        Self { name: family.compiler(), ..self }
    }

    /// The file that decides: the program, or the library that our driver loads.
    pub fn file(&self) -> &Path {
        self.invocation.leading.last().map_or(&self.invocation.program, Path::new)
    }

    /// SHA-256 of [`Compiler::file`], in hexadecimal digits.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn digest(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        io::copy(&mut File::open(self.file())?, &mut digest)?;
        Ok(format!("{:x}", digest.finalize()))
    }

    /// Short name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The time that it gets for a source.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.invocation.program
    }

    /// What the compiler prints about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs the compiler with `arguments` in `folder`.
    pub fn ask(&self, folder: &Path, arguments: &[&str]) -> Answer {
        self.answer(run(self.command().args(arguments).current_dir(folder), self.limit))
    }

    /// A shell script in a compiler's place.
    #[cfg(test)]
    pub(crate) fn script(name: &'static str, text: &str) -> Self {
        let leading = vec!["-c".into(), text.into()];
        Self {
            name,
            invocation: Invocation { leading, ..Invocation::program("sh".into()) },
            version: String::new(),
            limit: TIME_LIMIT,
        }
    }

    /// The compiler as a command that lacks its arguments.
    pub(crate) fn command(&self) -> Command {
        self.invocation.command()
    }

    /// The processes that answer for this compiler faster than itself, where it has such.
    pub(crate) fn service(&self) -> Option<SlangService> {
        let library = library_beside(&self.invocation.program).filter(|_| self.name == "slangc")?;
        SlangService::start(driver("layoutproof-slang")?, library, &self.version)
    }

    /// What a run of the compiler comes to.
    pub(crate) fn answer(&self, finished: io::Result<Finished>) -> Answer {
        match finished {
            Err(error) => Answer::Broken(format!("{}: {error}", self.invocation.program.display())),
            Ok(finished) => match finished.end {
                End::Exited(0) => Answer::Accepted(finished),
                End::Exited(_) => Answer::Refused(finished),
                End::Signalled(_) | End::TimedOut(_) | End::Flooded => {
                    Answer::Broken(format!("{} {}", self.name, death(&finished)))
                }
            },
        }
    }
}

impl Invocation {
    fn program(program: PathBuf) -> Self {
        Self { program, ..Self::default() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.leading).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Why a file is no compiler that can be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct NoCompiler {
    /// The file.
    pub path: PathBuf,
    /// Why, as a fragment.
    pub reason: String,
}

/// The compiler that is started so, if it answers with its version, or why it is none.
fn answering(name: &'static str, invocation: Invocation, question: &str) -> Result<Compiler, String> {
    let program = invocation.program.display();
    let finished = run(invocation.command().arg(question), VERSION_LIMIT);
    let finished = finished.map_err(|error| format!("{program}: {error}"))?;
    // slangc answers on standard error.
    let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
    let version = said.lines().next().map(|line| line.trim().to_owned());
    let answer = version.filter(|_| finished.end == End::Exited(0));
    let version = answer.ok_or_else(|| format!("{program} {}, asked for its version", death(&finished)))?;
    Ok(Compiler { name, invocation, version, limit: TIME_LIMIT })
}

/// `libdxcompiler.so`, also with a version behind it, `dxcompiler.dll`, `libdxcompiler.dylib`.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    [".so", ".dll", ".dylib"].iter().any(|ending| name.ends_with(ending)) || name.contains(".so.")
}

fn library_arguments(abi: &str, library: &Path) -> Vec<OsString> {
    let words = ["--abi", abi, "--library"].map(OsString::from);
    words.into_iter().chain([library.as_os_str().to_owned()]).collect()
}

/// How a process came to an untimely end, and the last that it said: a fragment after its name.
fn death(finished: &Finished) -> String {
    let end = match finished.end {
        End::Exited(status) => format!("ended with exit status {status}"),
        End::Signalled(signal) => format!("died of {}", signal_name(signal)),
        End::TimedOut(limit) => format!("gave no answer within {limit:?}"),
        End::Flooded => return format!("printed more than {} MiB", OUTPUT_LIMIT >> 20),
    };
    let said = finished.stderr.lines().map(str::trim).rfind(|line| line.chars().any(char::is_alphanumeric));
    let words = said.map(|line| format!("; its last words: {}", line.chars().take(LAST_WORDS).collect::<String>()));
    end + &words.unwrap_or_default()
}

impl Lookup {
    /// The compiler, or why it is not here.
    fn find(&self, fetched: Option<&Path>) -> Result<Compiler, String> {
        let plain = self.plain.and_then(|(variable, program)| {
            std::env::var_os(variable).map(named).or_else(|| on_path(program)).map(Invocation::program)
        });
        let found = plain.or_else(|| self.fetched.invocation(fetched?));
        let invocation = found.ok_or_else(|| format!("no `{}` is here", self.name))?;
        answering(self.name, invocation, self.question)
    }

    /// A sentence about a variable that is set and names no compiler.
    fn named_in_vain(&self, reason: &str) -> Option<String> {
        let (variable, _) = self.plain.filter(|(variable, _)| std::env::var_os(variable).is_some())?;
        Some(format!("{variable} names no compiler: {reason}"))
    }

    fn advice(&self) -> String {
        match self.plain {
            Some((variable, _)) => format!("set {variable} to the program to name one"),
            None => "`ci/setup.sh --wine` fetches it".to_owned(),
        }
    }
}

impl Fetched {
    /// How it is started, where it is there.
    fn invocation(&self, folder: &Path) -> Option<Invocation> {
        let found = |path: &str| Some(folder.join(path)).filter(|path| path.is_file());
        match self {
            Self::Nothing => None,
            Self::Program(path) => Some(Invocation::program(found(path)?)),
            Self::Library(path, arguments) => {
                let leading = arguments.iter().map(OsString::from).chain([found(path)?.into_os_string()]).collect();
                Some(Invocation { leading, ..Invocation::program(driver("layoutproof-dxc")?) })
            }
            Self::Windows(library) => wine::invocation(folder, library),
        }
    }
}

/// A program of this project that stands between it and a compiler's library: beside the running one, or, for a test, in
/// the folder above.
fn driver(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// A program as the user named it. A path is that of the user's folder, while compilers run in folders of their own.
fn named(program: OsString) -> PathBuf {
    let program = PathBuf::from(program);
    if program.components().count() < 2 { program } else { std::path::absolute(&program).unwrap_or(program) }
}

/// The program of this name in the first folder of `PATH` that has one.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}
