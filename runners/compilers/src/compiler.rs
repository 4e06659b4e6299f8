//! The compilers of this machine: where each is, its version, and what it says of a source.
//!
//! A compiler is looked for where the environment names it (`DXC`, `SLANGC`), on the `PATH`, and among what
//! `ci/setup.sh` fetched, in this order.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::child::{End, Finished, TIME_LIMIT, run};

/// A compiler that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    name: &'static str,
    program: PathBuf,
    leading: Vec<OsString>,
    version: String,
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

/// Where `ci/setup.sh` puts compilers, below the folder of the project.
const FETCHED: &str = "target/layoutproof/tools";

impl Compiler {
    /// DXC: the executable, or this project's driver with the library that `ci/setup.sh` fetched.
    pub fn dxc(root: &Path) -> Option<Self> {
        let plain = named("DXC", "dxc").map(|program| (program, Vec::new()));
        let driven = || {
            let library = root.join(FETCHED).join("dxc-lib/libdxcompiler.so");
            let driver = std::env::current_exe().ok()?;
            // A test's executable is in a folder below that of the programs.
            let driver =
                driver.ancestors().take(3).map(|folder| folder.join("layoutproof-dxc")).find(|p| p.is_file())?;
            library.is_file().then(|| (driver, vec!["--library".into(), library.into_os_string()]))
        };
        let (program, leading) = plain.or_else(driven)?;
        Self::asked("dxc", program, leading, "--version")
    }

    /// slangc.
    pub fn slangc(root: &Path) -> Option<Self> {
        let fetched = root.join(FETCHED).join("slang/bin/slangc");
        let program = named("SLANGC", "slangc").or_else(|| fetched.is_file().then_some(fetched))?;
        Self::asked("slangc", program, Vec::new(), "-v")
    }

    /// The compiler if it answers with a version; slangc does so on standard error.
    fn asked(name: &'static str, program: PathBuf, leading: Vec<OsString>, question: &str) -> Option<Self> {
        let finished = run(Command::new(&program).args(&leading).arg(question), TIME_LIMIT).ok()?;
        let said = if finished.stdout.trim().is_empty() { &finished.stderr } else { &finished.stdout };
        let version = said.lines().next()?.trim().to_owned();
        (finished.end == End::Exited(0)).then_some(Self { name, program, leading, version })
    }

    /// Short name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the compiler prints about itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs the compiler with `arguments` in `folder`.
    pub fn ask(&self, folder: &Path, arguments: &[&str]) -> Answer {
        let mut command = Command::new(&self.program);
        command.args(&self.leading).args(arguments).current_dir(folder);
        self.answer(run(&mut command, TIME_LIMIT))
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

/// The program that a variable names, or the one on the `PATH`.
fn named(variable: &str, name: &str) -> Option<PathBuf> {
    if let Some(program) = std::env::var_os(variable) {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}
