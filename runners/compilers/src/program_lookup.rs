//! Describes where to look for a program: its variable, its name on the `PATH`, and its place in
//! the tools folder.
//!
//! Drivers list their programs as rows of [`ProgramLookup`]; [`lookup`](crate::lookup) goes through
//! them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::compiler::{Invocation, Service};
use crate::own_program::own_program;
use crate::tools_folder::{ToolsFolder, Untrusted};
use crate::wine::{self, WindowsCompiler};

/// Describes where to look for a compiler or for a program that one needs.
#[derive(Debug)]
pub(crate) struct ProgramLookup {
    /// Our name for it.
    pub(crate) name: &'static str,
    /// The names under which the user may provide it; `None` for a program that only the set-up
    /// provides.
    pub(crate) named: Option<ProgramName>,
    /// The program in the tools folder.
    pub(crate) fetched: FetchedProgram,
    /// Its name in `layoutproof setup`, or the name of the set-up item that contains it.
    pub(crate) setup_name: &'static str,
}

/// The names under which a user may provide a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramName {
    /// The environment variable that points to it.
    pub variable: &'static str,
    /// Its name on the `PATH`.
    pub program: &'static str,
}

/// A program that `ci/setup.sh` fetches. Paths are relative to the tools folder: `tools`, a folder
/// for the tool, and so on.
#[derive(Debug)]
pub(crate) enum FetchedProgram {
    Nothing,
    /// A program.
    Program(&'static str),
    /// A program from the set-up that serves lines, and the library that it loads.
    Driven {
        program: &'static str,
        library: &'static str,
        /// Other files of the tools folder that the library loads.
        also_loads: &'static [&'static str],
    },
    /// A library for a command of `layoutproof`.
    Library {
        path: &'static str,
        /// The command of `layoutproof` that loads it, and the arguments that precede the library's
        /// path.
        leading: &'static [&'static str],
    },
    /// One of Microsoft's compilers for Windows.
    Windows(WindowsCompiler),
}

impl ProgramLookup {
    /// Advice to the user on how to install a missing program.
    pub(crate) fn advice(&self) -> String {
        let fetched = format!("`layoutproof setup {}` installs it", self.setup_name);
        match self.named {
            Some(named) => format!("{fetched}; {} names one of your own", named.variable),
            None => fetched,
        }
    }
}

impl FetchedProgram {
    /// The invocation of the program in the tools folder `folder`; `None` if it is not there.
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

    /// Checks everything in the tool's folder, since programs load files from their own folder.
    /// Returns warnings.
    ///
    /// # Errors
    /// Other users can change some of it.
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
            // Wine manages the prefix. It has thousands of files, some of which link to the whole
            // file system.
            Self::Windows(compiler) => vec![tools.inspect(compiler.folder)?, tools.inspect_alone(wine::PREFIX)?],
        };

        let mut warnings: Vec<String> = warnings.into_iter().flatten().collect();
        warnings.dedup();
        Ok(warnings)
    }
}

/// The folder of the tool that this file belongs to: `tools` and the next component.
fn folder_of_tool(path: &str) -> PathBuf {
    Path::new(path).components().take(2).collect()
}
