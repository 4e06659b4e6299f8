//! Says where a program is looked for: under which variable, under which name on the `PATH`, and where the set-up puts it.
//!
//! Drivers list their programs as rows of [`ProgramLookup`]; [`lookup`](crate::lookup) goes through them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::compiler::{Invocation, Service};
use crate::own_program::own_program;
use crate::tools_folder::{ToolsFolder, Untrusted};
use crate::wine::{self, WindowsCompiler};

/// Where a compiler, or a program that one needs, is looked for.
#[derive(Debug)]
pub(crate) struct ProgramLookup {
    /// Its name here.
    pub(crate) name: &'static str,
    /// What the user may call it; `None` for a program that only the set-up provides.
    pub(crate) named: Option<ProgramName>,
    /// What the set-up provides.
    pub(crate) fetched: FetchedProgram,
    /// What `layoutproof setup` calls it, or the thing that it is a part of.
    pub(crate) setup_name: &'static str,
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
    /// A program that the set-up writes, which serves lines, and the library that it loads.
    Driven {
        program: &'static str,
        library: &'static str,
        /// What the library loads besides, from elsewhere in the tools folder.
        also_loads: &'static [&'static str],
    },
    /// A library for a command of this program.
    Library {
        path: &'static str,
        /// The command of `layoutproof` that loads it, and its arguments before the library's path.
        leading: &'static [&'static str],
    },
    /// One of Microsoft's compilers for Windows.
    Windows(WindowsCompiler),
}

impl ProgramLookup {
    /// The ways to get the program where it is not found, for people.
    pub(crate) fn advice(&self) -> String {
        let fetched = format!("`layoutproof setup {}` installs it", self.setup_name);
        match self.named {
            Some(named) => format!("{fetched}; {} names one of your own", named.variable),
            None => fetched,
        }
    }
}

impl FetchedProgram {
    /// How it is started; `None` where it is not in the tools folder `folder`.
    pub(crate) fn invocation(&self, folder: &Path) -> Option<Invocation> {
        let found = |path: &str| Some(folder.join(path)).filter(|path| path.is_file());
        match self {
            Self::Nothing => None,
            Self::Program(path) => {
                let fetched = vec![folder.join(folder_of_tool(path))];
                Some(Invocation { fetched, ..Invocation::program(found(path)?) })
            }
            Self::Driven { program, library, also_loads } => {
                let fetched = [folder.join(folder_of_tool(program))];
                let fetched = fetched.into_iter().chain(also_loads.iter().map(|path| folder.join(path))).collect();
                let library = Some(found(library)?);
                Some(Invocation { library, fetched, service: Service::Lines, ..Invocation::program(found(program)?) })
            }
            Self::Library { path, leading } => {
                let library = found(path)?;
                let leading = leading.iter().map(OsString::from).chain([library.clone().into_os_string()]);
                let (leading, fetched) = (leading.collect(), vec![folder.join(folder_of_tool(path))]);
                Some(Invocation { leading, library: Some(library), fetched, ..Invocation::program(own_program()?) })
            }
            Self::Windows(compiler) => compiler.invocation(folder),
        }
    }

    /// Warnings about what is run or loaded: everything in the folder of the tool, since programs load what lies beside
    /// them.
    ///
    /// # Errors
    /// Others can change some of it.
    pub(crate) fn inspect(&self, tools: &ToolsFolder) -> Result<Vec<String>, Untrusted> {
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

/// The folder of a tool, of which this is a file: `tools` and the tool's own.
fn folder_of_tool(path: &str) -> PathBuf {
    Path::new(path).components().take(2).collect()
}
