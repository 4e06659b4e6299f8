//! The compilers of this machine: where each is, its version, and what it says of a source.
//!
//! A compiler is looked for where the environment names it (`DXC`, `SLANGC` ...), on the `PATH`, and among what
//! `ci/setup.sh` fetched, in this order. One that does not answer with its version is not there.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::child::{End, Finished, OUTPUT_LIMIT, TIME_LIMIT, run, signal_name};

/// Longest time that a compiler gets to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// Most characters of a dying compiler's last words.
const LAST_WORDS: usize = 200;

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
        Self::look(fetched).0
    }

    /// The same, and for each variable that names a program which is no compiler a sentence that says why.
    pub fn look(fetched: Option<&Path>) -> (Vec<Self>, Vec<String>) {
        let (mut found, mut unusable) = (Vec::new(), Vec::new());
        for lookup in &LOOKUPS {
            match lookup.find(fetched) {
                Ok(compiler) => found.push(compiler),
                Err(reason) if std::env::var_os(lookup.variable).is_some() => {
                    unusable.push(format!("{} names no compiler: {reason}", lookup.variable));
                }
                Err(_) => {}
            }
        }
        (found, unusable)
    }

    /// The names of all compilers that are looked for, each with the variable that names its program.
    pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
        LOOKUPS.iter().map(|lookup| (lookup.name, lookup.variable))
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
                End::Signalled(_) | End::TimedOut(_) | End::Flooded => {
                    Answer::Broken(format!("{} {}", self.name, death(&finished)))
                }
            },
        }
    }
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
        let plain = std::env::var_os(self.variable).map(named).or_else(|| on_path(self.program));
        let found = plain.map(|program| (program, Vec::new())).or_else(|| self.fetched(fetched?));
        let (program, leading) = found.ok_or_else(|| format!("no `{}` on the PATH", self.program))?;
        let asked = run(Command::new(&program).args(&leading).arg(self.question), VERSION_LIMIT);
        let finished = asked.map_err(|error| format!("{}: {error}", program.display()))?;
        // slangc answers on standard error.
        let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
        let version = said.lines().next().map(|line| line.trim().to_owned());
        let answer = version.filter(|_| finished.end == End::Exited(0));
        let asked = || format!("{} {}, asked for its version", program.display(), death(&finished));
        let version = answer.ok_or_else(asked)?;
        Ok(Compiler { name: self.name, program, leading, version, limit: TIME_LIMIT })
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

/// This project's program for machines that have only DXC's library: beside the running one, or, for a test, in the
/// folder above.
fn driver() -> Option<PathBuf> {
    let name = format!("layoutproof-dxc{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// A program as the user named it. A path is that of the user's folder, while compilers run in folders of their own.
fn named(program: OsString) -> PathBuf {
    let program = PathBuf::from(program);
    if program.components().count() < 2 { program } else { std::path::absolute(&program).unwrap_or(program) }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}
