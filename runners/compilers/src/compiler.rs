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

use crate::child::{End, Finished, TIME_LIMIT, run};
use crate::family::Family;

/// A compiler that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    name: &'static str,
    program: PathBuf,
    leading: Vec<OsString>,
    version: String,
    limit: Duration,
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
    /// Environment variable that names the program.
    variable: &'static str,
    /// Name on the `PATH`.
    program: &'static str,
    /// What `ci/setup.sh` fetches, below its folder: a program, or a library of DXC with the arguments of our driver.
    fetched: Option<(&'static str, &'static [&'static str])>,
    /// Argument that makes it print its version.
    question: &'static str,
}

const LOOKUPS: [Lookup; 6] = [
    Lookup {
        name: "dxc",
        variable: "DXC",
        program: "dxc",
        fetched: Some(("tools/dxc-lib/libdxcompiler.so", &["--library"])),
        question: "--version",
    },
    Lookup {
        name: "dxc-old",
        variable: "DXC_OLD",
        program: "dxc-old",
        fetched: Some(("tools/dxc-lib-old/libdxcompiler.so", &["--abi", "old", "--library"])),
        question: "--version",
    },
    Lookup {
        name: "slangc",
        variable: "SLANGC",
        program: "slangc",
        fetched: Some(("tools/slang/bin/slangc", &[])),
        question: "-v",
    },
    Lookup { name: "glslang", variable: "GLSLANG", program: "glslangValidator", fetched: None, question: "--version" },
    Lookup { name: "clang-dxc", variable: "CLANG_DXC", program: "clang-dxc", fetched: None, question: "--version" },
    Lookup { name: "tint", variable: "TINT", program: "tint", fetched: None, question: "--version" },
];

impl Compiler {
    /// Every compiler that is there. `fetched` is the folder of `ci/setup.sh`.
    pub fn all(fetched: Option<&Path>) -> Vec<Self> {
        LOOKUPS.iter().filter_map(|lookup| lookup.find(fetched)).collect()
    }

    /// The names of all compilers that are looked for, each with the variable that names its program.
    pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
        LOOKUPS.iter().map(|lookup| (lookup.name, lookup.variable))
    }

    /// The compiler of a name in [`Compiler::known`], if it is there.
    pub fn named(name: &str, fetched: Option<&Path>) -> Option<Self> {
        LOOKUPS.iter().find(|lookup| lookup.name == name)?.find(fetched)
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
            let driver =
                driver().ok_or_else(|| no("layoutproof-dxc, which drives libraries, is not built".to_owned()))?;
            // The new ABI's driver crashes on a library of the old one, and the other way round.
            ["new", "old"].map(|abi| (driver.clone(), library_arguments(abi, path))).into()
        } else {
            vec![(path.clone(), Vec::new())]
        };
        let answers = ways.into_iter().find_map(|way| answering(family.compiler(), way, family.question()));
        answers.ok_or_else(|| no(format!("it does not answer `{}`", family.question())))
    }

    /// The same compiler under the name of its family, as which toolchains know it.
    #[must_use]
    pub fn of_family(self, family: Family) -> Self {
        Self { name: family.compiler(), ..self }
    }

    /// The same compiler with another limit for one source.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The file that decides: the program, or the library that our driver loads.
    pub fn file(&self) -> &Path {
        self.leading.last().map_or(&self.program, Path::new)
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

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What the compiler prints about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs the compiler with `arguments` in `folder`.
    pub fn ask(&self, folder: &Path, arguments: &[&str]) -> Answer {
        let mut command = Command::new(&self.program);
        command.args(&self.leading).args(arguments).current_dir(folder);
        self.answer(run(&mut command, self.limit))
    }

    fn answer(&self, finished: io::Result<Finished>) -> Answer {
        match finished {
            Err(error) => Answer::Broken(format!("{}: {error}", self.program.display())),
            Ok(finished) => match finished.end {
                End::Exited(0) => Answer::Accepted(finished),
                End::Exited(_) => Answer::Refused(finished),
                End::Signalled(signal) => Answer::Broken(format!("{} ended with signal {signal}", self.name)),
                End::TimedOut(limit) => Answer::Broken(format!("{} gave no answer in {limit:?}", self.name)),
            },
        }
    }
}

impl Lookup {
    fn find(&self, fetched: Option<&Path>) -> Option<Compiler> {
        let plain = std::env::var_os(self.variable).map(PathBuf::from).or_else(|| on_path(self.program));
        let (program, leading) = match plain {
            Some(program) => (program, Vec::new()),
            None => self.fetched(fetched?)?,
        };
        answering(self.name, (program, leading), self.question)
    }

    /// Program and leading arguments.
    fn fetched(&self, folder: &Path) -> Option<(PathBuf, Vec<OsString>)> {
        let (path, arguments) = self.fetched?;
        let found = Some(folder.join(path)).filter(|path| path.is_file())?;
        if arguments.is_empty() {
            return Some((found, Vec::new()));
        }
        let leading = arguments.iter().map(OsString::from).chain([found.into_os_string()]).collect();
        Some((driver()?, leading))
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

/// The compiler of this program and these leading arguments, if it answers with its version.
fn answering(name: &'static str, (program, leading): (PathBuf, Vec<OsString>), question: &str) -> Option<Compiler> {
    let finished = run(Command::new(&program).args(&leading).arg(question), TIME_LIMIT).ok()?;
    // slangc answers on standard error.
    let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
    let version = said.lines().next()?.trim().to_owned();
    let compiler = Compiler { name, program, leading, version, limit: TIME_LIMIT };
    (finished.end == End::Exited(0)).then_some(compiler)
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

/// This project's program for machines that have only DXC's library: beside the running one, or, for a test, in the
/// folder above.
fn driver() -> Option<PathBuf> {
    let name = format!("layoutproof-dxc{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}
