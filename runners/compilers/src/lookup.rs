//! Looks for compilers on this machine.
//!
//! The environment can name one (`DXC`, `SLANGC` ...); then come the `PATH`, without its relative entries, and what
//! `ci/setup.sh` fetched into the tools folder, in this order, and the first that answers is it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::compiler::{Compiler, Invocation, ProgramOrigin};
use crate::drivers::{CompilerDriver, DRIVERS};
use crate::search_path::{named, on_path};
use crate::tools_folder::{ToolsFolder, Untrusted};
use crate::wine::{self, WindowsCompiler};

/// Where a compiler, or a program that one needs, is looked for.
#[derive(Debug)]
pub(crate) struct ProgramLookup {
    /// Its name here.
    pub(crate) name: &'static str,
    /// What the user may call it; `None` for a program that only the set-up provides.
    pub(crate) named: Option<ProgramName>,
    pub(crate) fetched: FetchedProgram,
    /// Option of `ci/setup.sh` that fetches it, where it does so on request.
    pub(crate) setup_option: Option<&'static str>,
}

/// What a user may call a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramName {
    /// The environment variable that names it.
    pub(crate) variable: &'static str,
    /// Its name on the `PATH`.
    pub(crate) program: &'static str,
}

/// What `ci/setup.sh` fetches, by its path below the tools folder: `tools`, a folder for the tool, and so on.
#[derive(Debug)]
pub(crate) enum FetchedProgram {
    Nothing,
    /// A program.
    Program(&'static str),
    /// A program that the set-up writes, and the library that it loads.
    Driven {
        program: &'static str,
        library: &'static str,
        /// What the library loads besides, from elsewhere in the tools folder.
        also_loads: &'static [&'static str],
    },
    /// A library for a program of this project.
    Library {
        path: &'static str,
        /// The program of this project.
        driver: &'static str,
        /// The program's arguments before the library's path.
        leading: &'static [&'static str],
    },
    /// One of Microsoft's compilers for Windows.
    Windows(WindowsCompiler),
}

/// A compiler that is looked for, whether it is there or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCompiler {
    /// Its name.
    pub name: &'static str,
    /// The way to get it where it is not found.
    pub advice: String,
    /// True if `ci/setup.sh` fetches it unasked.
    pub is_fetched_by_default: bool,
}

/// The compilers of a machine.
#[derive(Clone, Debug, Default)]
pub struct CompilersOfMachine {
    /// Those that are there, in the order in which they are listed.
    pub compilers: Vec<Compiler>,
    /// What the user should know of the others ([`CompilerSearch::notes`]).
    pub notes: Vec<String>,
}

/// The result of looking for one compiler.
#[derive(Clone, Debug)]
pub struct CompilerSearch {
    /// The compiler, or why it is not here.
    pub compiler: Result<Compiler, String>,
    /// What the user should know, a sentence each: about a variable that names no compiler, and about something in the
    /// tools folder that is not loaded or that belongs to somebody else.
    pub notes: Vec<String>,
}

impl Compiler {
    /// Looks for every compiler.
    pub fn look(tools: Option<&ToolsFolder>) -> CompilersOfMachine {
        let mut machine = CompilersOfMachine::default();
        for (driver, lookup) in lookups() {
            let search = lookup.find(driver, tools);
            machine.compilers.extend(search.compiler);
            // What is wrong with the whole folder is wrong with each tool in it.
            for note in search.notes {
                if !machine.notes.contains(&note) {
                    machine.notes.push(note);
                }
            }
        }
        machine
    }

    /// All compilers that are looked for.
    pub fn known() -> impl Iterator<Item = KnownCompiler> {
        lookups().map(|(_, lookup)| KnownCompiler {
            name: lookup.name,
            advice: lookup.advice(),
            is_fetched_by_default: lookup.is_fetched_by_default(),
        })
    }

    /// Looks for the compiler of a name in [`Compiler::known`].
    pub fn named(name: &str, tools: Option<&ToolsFolder>) -> CompilerSearch {
        match lookups().find(|(_, lookup)| lookup.name == name) {
            Some((driver, lookup)) => lookup.find(driver, tools),
            None => CompilerSearch { compiler: Err(format!("no compiler is called `{name}`")), notes: Vec::new() },
        }
    }
}

/// Each program that is looked for, with the driver that knows how to talk to it.
fn lookups() -> impl Iterator<Item = (&'static dyn CompilerDriver, &'static ProgramLookup)> {
    DRIVERS.iter().flat_map(|driver| driver.programs().iter().map(move |lookup| (*driver, lookup)))
}

impl ProgramLookup {
    /// Takes the program that the variable names, and no other where it is set; else the one on the `PATH`, then the fetched
    /// one.
    fn find(&self, driver: &dyn CompilerDriver, tools: Option<&ToolsFolder>) -> CompilerSearch {
        let variable = self.named.map(|named| named.variable);
        if let Some((variable, program)) = variable.and_then(|name| Some((name, std::env::var_os(name)?))) {
            let compiler = self.of_variable(driver, variable, &program);
            let note = compiler.as_ref().err().map(|reason| format!("{variable} names no compiler: {reason}"));
            return CompilerSearch { compiler, notes: note.into_iter().collect() };
        }

        let mut search = CompilerSearch { compiler: Err(format!("no `{}` is here", self.name)), notes: Vec::new() };
        if let Some(program) = self.named.and_then(|named| on_path(named.program)) {
            search.compiler = driver.identify(self.name, Invocation::of(program, ProgramOrigin::SearchPath));
        }
        if search.compiler.is_err() {
            self.find_fetched(driver, tools, &mut search);
        }
        search
    }

    fn of_variable(
        &self,
        driver: &dyn CompilerDriver,
        variable: &'static str,
        program: &OsStr,
    ) -> Result<Compiler, String> {
        let missing = || format!("no `{}` is on the PATH", program.to_string_lossy());
        let program = named(program).ok_or_else(missing)?;
        driver.identify(self.name, Invocation::of(program, ProgramOrigin::Variable(variable)))
    }

    /// Looks in the tools folder, where nothing is run that others can change.
    fn find_fetched(&self, driver: &dyn CompilerDriver, tools: Option<&ToolsFolder>, search: &mut CompilerSearch) {
        let Some((tools, invocation)) = tools.and_then(|tools| Some((tools, self.fetched.invocation(tools.path())?)))
        else {
            return;
        };
        match self.fetched.inspect(tools) {
            Ok(warnings) => {
                search.notes.extend(warnings);
                let invocation = Invocation { origin: ProgramOrigin::ToolsFolder, ..invocation };
                search.compiler = driver.identify(self.name, invocation);
            }
            Err(untrusted) => {
                search.compiler = Err(untrusted.to_string());
                search.notes.push(untrusted.to_string());
            }
        }
    }

    fn advice(&self) -> String {
        let named = self.named.map(|named| format!("set {} to the program to name one", named.variable));
        let fetched = self.setup_option.map(|option| format!("`ci/setup.sh {option}` fetches it"));
        named.into_iter().chain(fetched).collect::<Vec<_>>().join("; ")
    }

    fn is_fetched_by_default(&self) -> bool {
        !matches!(self.fetched, FetchedProgram::Nothing) && self.setup_option.is_none()
    }
}

impl FetchedProgram {
    /// How it is started, where it is there.
    fn invocation(&self, folder: &Path) -> Option<Invocation> {
        let found = |path: &str| Some(folder.join(path)).filter(|path| path.is_file());
        match self {
            Self::Nothing => None,
            Self::Program(path) => Some(Invocation::program(found(path)?)),
            Self::Driven { program, library, .. } => {
                Some(Invocation { library: Some(found(library)?), ..Invocation::program(found(program)?) })
            }
            Self::Library { path, driver, leading } => {
                let library = found(path)?;
                let leading = leading.iter().map(OsString::from).chain([library.clone().into_os_string()]);
                let leading = leading.collect();
                Some(Invocation { leading, library: Some(library), ..Invocation::program(own_program(driver)?) })
            }
            Self::Windows(compiler) => compiler.invocation(folder),
        }
    }

    /// Warnings about what is run or loaded: everything in the folder of the tool, since programs load what lies beside
    /// them.
    ///
    /// # Errors
    /// Others can change some of it.
    fn inspect(&self, tools: &ToolsFolder) -> Result<Vec<String>, Untrusted> {
        let folder_of_tool = |path: &str| Path::new(path).components().take(2).collect::<PathBuf>();
        let warnings = match self {
            Self::Nothing => Vec::new(),
            Self::Program(path) | Self::Library { path, .. } => vec![tools.inspect(folder_of_tool(path))?],
            Self::Driven { program, also_loads, .. } => {
                let mut warnings = vec![tools.inspect(folder_of_tool(program))?];
                for part in *also_loads {
                    warnings.push(tools.inspect(part)?);
                }
                warnings
            }
            // The prefix is Wine's own: thousands of files, among them links to all of the file system.
            Self::Windows(compiler) => vec![tools.inspect(compiler.folder)?, tools.inspect_alone(wine::PREFIX)?],
        };
        let mut warnings: Vec<String> = warnings.into_iter().flatten().collect();
        warnings.dedup();
        Ok(warnings)
    }
}

/// A program of this project that stands between it and a compiler's library: beside the running one, or, for a test in
/// cargo's `deps`, in the folder above.
pub(crate) fn own_program(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    let beside = this.parent()?;
    let is_of_test = beside.file_name().is_some_and(|folder| folder == "deps");
    let above = beside.parent().filter(|_| is_of_test);
    [Some(beside), above].into_iter().flatten().map(|folder| folder.join(&name)).find(|path| path.is_file())
}
