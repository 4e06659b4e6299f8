//! The compilers of this machine: where each is, its version, and what it says of a source.
//!
//! A compiler is looked for where the environment names it (`DXC`, `SLANGC` ...), on the `PATH`, and among what
//! `ci/setup.sh` fetched, in this order. One that does not answer with its version is not there.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child::{End, Finished, TIME_LIMIT, run};
use crate::slang_library::{SlangService, library_beside};
use crate::wine;

/// A compiler that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    name: &'static str,
    invocation: Invocation,
    version: String,
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
        LOOKUPS.iter().filter_map(|lookup| lookup.find(fetched)).collect()
    }

    /// The names of all compilers that are looked for, each with the way to get it where it is not found.
    pub fn known() -> impl Iterator<Item = (&'static str, String)> {
        LOOKUPS.iter().map(|lookup| (lookup.name, lookup.advice()))
    }

    /// The compiler of a name in [`Compiler::known`], if it is there.
    pub fn named(name: &str, fetched: Option<&Path>) -> Option<Self> {
        LOOKUPS.iter().find(|lookup| lookup.name == name)?.find(fetched)
    }

    /// Short name.
    pub fn name(&self) -> &'static str {
        self.name
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
        self.answer(run(self.command().args(arguments).current_dir(folder), TIME_LIMIT))
    }

    /// A shell script in a compiler's place.
    #[cfg(test)]
    pub(crate) fn script(name: &'static str, text: &str) -> Self {
        let leading = vec!["-c".into(), text.into()];
        Self { name, invocation: Invocation { leading, ..Invocation::program("sh".into()) }, version: String::new() }
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
                End::Signalled(signal) => Answer::Broken(format!("{} ended with signal {signal}", self.name)),
                End::TimedOut(limit) => Answer::Broken(format!("{} gave no answer in {limit:?}", self.name)),
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

impl Lookup {
    fn find(&self, fetched: Option<&Path>) -> Option<Compiler> {
        let plain = self.plain.and_then(|(variable, program)| {
            std::env::var_os(variable).map(PathBuf::from).or_else(|| on_path(program)).map(Invocation::program)
        });
        let invocation = plain.or_else(|| self.fetched.invocation(fetched?))?;
        let finished = run(invocation.command().arg(self.question), TIME_LIMIT).ok()?;
        // slangc answers on standard error.
        let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
        let version = said.lines().next()?.trim().to_owned();
        let name = self.name;
        (finished.end == End::Exited(0)).then_some(Compiler { name, invocation, version })
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

/// The program of this name in the first folder of `PATH` that has one.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}
