//! Describes where to look for programs: the variable, the name on the `PATH`, the place in the tools
//! folder, and for libraries the program of ours that loads them.
//!
//! Drivers list their programs as rows of [`ProgramLookup`]; [`lookup`](crate::lookup) goes through
//! them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::compiler::{Invocation, ProgramOrigin};
use crate::private_root::{LIBRARIES, LOADER, is_usable};
use crate::search_path::on_path;
use crate::tools_folder::{ToolsFolder, Untrusted};

/// Path of the prefix that the set-up makes for Wine, relative to the tools folder. The user's own
/// prefix stays untouched.
const WINE_PREFIX: &str = "tools/wine-prefix";

/// The variable with which Wine finds its prefix.
pub(crate) const WINE_PREFIX_VARIABLE: &str = "WINEPREFIX";

/// A file in the prefix with the date of the Wine that last updated it.
const WINE_UPDATED: &str = ".update-timestamp";

const OWN_PROGRAM: &str = "layoutproof";

/// Describes where to look for a compiler or for a program that one needs.
#[derive(Debug)]
pub struct ProgramLookup {
    pub name: &'static str,
    /// The names under which the user may provide it; `None` for a program that only the set-up
    /// provides.
    pub named: Option<ProgramName>,
    /// The program in the tools folder.
    pub(crate) fetched: FetchedProgram,
    /// Its name in `layoutproof setup`, or the name of the set-up item that contains it.
    pub setup_name: &'static str,
}

/// The names under which a user may provide a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramName {
    /// The environment variable that points to it.
    pub variable: &'static str,
    pub program: &'static str,
}

/// A program that `ci/setup.sh` fetches. Paths are relative to the tools folder: `tools`, a folder
/// for the tool, and so on.
#[derive(Debug)]
pub(crate) enum FetchedProgram {
    Nothing,
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
    /// A program of a newer Debian, in a folder with the libraries that it needs.
    Rooted(PrivateProgram),
    /// One of Microsoft's compilers for Windows, in a folder with our program that calls it.
    Windows(WindowsCompiler),
}

impl ProgramLookup {
    /// Advice to the user on how to install a missing program.
    pub fn advice(&self) -> String {
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
        let fetched = self.parts().iter().map(|part| folder.join(part)).collect();
        match self {
            Self::Nothing => None,
            Self::Program(path) => Some(Invocation { fetched, ..Invocation::program(found(path)?) }),
            Self::Driven { program, library, .. } => Some(Invocation {
                library: Some(found(library)?),
                fetched,
                serves_lines: true,
                ..Invocation::program(found(program)?)
            }),
            Self::Library { path, leading } => {
                let library = found(path)?;
                let leading = leading.iter().map(OsString::from).chain([library.clone().into_os_string()]).collect();
                Some(Invocation { leading, library: Some(library), fetched, ..Invocation::program(own_program()?) })
            }
            Self::Rooted(program) => program.invocation(folder),
            Self::Windows(compiler) => compiler.invocation(folder),
        }
    }

    /// Checks everything in the tool's folder, since programs load files from their own folder.
    /// Returns warnings.
    pub(crate) fn inspect(&self, tools: &ToolsFolder) -> Result<Vec<String>, Untrusted> {
        let mut warnings = Vec::new();
        for part in self.parts() {
            warnings.extend(tools.inspect(part)?);
        }
        if let Self::Windows(_) = self {
            // Wine manages the prefix. It has thousands of files, some of which link to the whole
            // file system.
            warnings.extend(tools.inspect_alone(WINE_PREFIX)?);
        }
        warnings.dedup();
        Ok(warnings)
    }

    /// The folder of its tool, and what else it loads from the tools folder.
    fn parts(&self) -> Vec<PathBuf> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Program(path) | Self::Library { path, .. } => vec![folder_of_tool(path)],
            Self::Driven { program, also_loads, .. } => {
                [folder_of_tool(program)].into_iter().chain(also_loads.iter().map(PathBuf::from)).collect()
            }
            Self::Rooted(program) => vec![program.root.into()],
            Self::Windows(compiler) => vec![compiler.folder.into()],
        }
    }
}

/// The folder of the tool that this file belongs to: `tools` and the next component.
fn folder_of_tool(path: &str) -> PathBuf {
    Path::new(path).components().take(2).collect()
}

/// A program in a [`PrivateRoot`](crate::private_root::PrivateRoot).
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrivateProgram {
    /// Relative to the tools folder.
    pub(crate) root: &'static str,
    /// Relative to the root.
    pub(crate) program: &'static str,
}

impl PrivateProgram {
    /// The invocation of the program through the root's loader; `None` if it is not there.
    pub(crate) fn invocation(&self, fetched: &Path) -> Option<Invocation> {
        let root = fetched.join(self.root);
        let (loader, program) = (root.join(LOADER), root.join(self.program));
        if !is_usable(&root) || !program.is_file() {
            return None;
        }
        let libraries = root.join(LIBRARIES);
        let leading = vec!["--library-path".into(), libraries.into_os_string(), program.clone().into_os_string()];
        let origin = ProgramOrigin::ToolsFolder;
        Some(Invocation { leading, started: Some(program), fetched: vec![root], ..Invocation::of(loader, origin) })
    }
}

/// A compiler for Windows. Wine's own `d3dcompiler_47` is a different compiler, so an override selects
/// Microsoft's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowsCompiler {
    /// Its name in `layoutproof-d3d.exe`.
    pub(crate) name: &'static str,
    pub(crate) folder: &'static str,
    /// Its library in that folder.
    pub(crate) library: &'static str,
}

impl WindowsCompiler {
    /// The invocation of `layoutproof-d3d.exe` for it; `None` if Wine or a part of the set-up is
    /// missing.
    pub(crate) fn invocation(&self, fetched: &Path) -> Option<Invocation> {
        let wine = on_path("wine")?;
        // Wine accepts only absolute prefixes.
        let fetched = fetched.canonicalize().ok()?;
        let (folder, prefix) = (fetched.join(self.folder), fetched.join(WINE_PREFIX));
        let (program, library) = (folder.join("layoutproof-d3d.exe"), folder.join(self.library));

        let environment = vec![
            (WINE_PREFIX_VARIABLE, prefix.clone().into_os_string()),
            ("WINEDEBUG", "-all".into()),
            // Without the first two, Wine offers to download Mono and Gecko.
            ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=;d3dcompiler_47=n".into()),
        ];
        // Wine writes the second file when a new version of it first uses the prefix.
        let fetched = vec![folder.clone(), prefix.join(WINE_UPDATED)];
        let leading = vec![program.clone().into_os_string(), self.name.into()];
        let is_complete = program.is_file() && library.is_file() && prefix.is_dir();
        is_complete.then_some(Invocation {
            program: wine,
            leading,
            environment,
            library: Some(library),
            fetched,
            serves_lines: true,
            origin: ProgramOrigin::ToolsFolder,
            ..Invocation::default()
        })
    }
}

/// Finds our own program, whose hidden commands load a compiler's library in a separate process:
/// the running program if it is `layoutproof`; else the `layoutproof` in the same folder, or for a
/// test in cargo's `deps` the one in the folder above. `None` if there is none, for example when
/// another program uses this crate.
pub(crate) fn own_program() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let beside = this.parent()?;
    let is_of_test = beside.file_name().is_some_and(|folder| folder == "deps");
    if !is_of_test && this.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with(OWN_PROGRAM)) {
        return Some(this);
    }

    let folder = if is_of_test { beside.parent()? } else { beside };
    Some(folder.join(format!("{OWN_PROGRAM}{}", std::env::consts::EXE_SUFFIX))).filter(|path| path.is_file())
}
