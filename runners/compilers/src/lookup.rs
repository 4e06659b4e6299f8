//! Where compilers are looked for.
//!
//! The environment can name one (`DXC`, `SLANGC` ...); then come the `PATH`, without its relative entries, and what
//! `ci/setup.sh` fetched into the tools folder, in this order, and the first that answers is it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::compiler::{Compiler, Invocation, ProgramOrigin, answering};
use crate::family::CLANG_QUESTION;
use crate::search_path::{named, on_path};
use crate::tint;
use crate::tools_folder::{ToolsFolder, Untrusted};
use crate::wine::{self, WindowsCompiler};

/// Where a compiler is looked for.
struct Lookup {
    name: &'static str,
    /// Environment variable that names the program, and its name on the `PATH`.
    plain: Option<(&'static str, &'static str)>,
    fetched: Fetched,
    /// Option of `ci/setup.sh` that fetches it, where it does so on request.
    option: Option<&'static str>,
    /// Arguments that make it print its version.
    question: &'static [&'static str],
}

/// What `ci/setup.sh` fetches, by its path below the tools folder: `tools`, a folder for the tool, and so on.
enum Fetched {
    Nothing,
    Program(&'static str),
    /// A program of ours, and the library that it loads.
    Driven(&'static str, &'static str),
    /// A library of DXC, with the arguments of our driver that come before its path.
    Library(&'static str, &'static [&'static str]),
    /// One of Microsoft's compilers for Windows.
    Windows(WindowsCompiler),
}

const LOOKUPS: [Lookup; 10] = [
    Lookup {
        name: "dxc",
        plain: Some(("DXC", "dxc")),
        fetched: Fetched::Library("tools/dxc-lib/libdxcompiler.so", &["--library"]),
        option: None,
        question: &["--version"],
    },
    Lookup {
        name: "dxc-old",
        plain: Some(("DXC_OLD", "dxc-old")),
        fetched: Fetched::Library("tools/dxc-lib-old/libdxcompiler.so", &["--abi", "old", "--library"]),
        option: Some("--second-dxc"),
        question: &["--version"],
    },
    Lookup {
        name: "dxc-1.9",
        plain: None,
        fetched: Fetched::Windows(WindowsCompiler { name: "dxc", folder: "tools/dxc-1.9", library: "dxcompiler.dll" }),
        option: Some("--wine"),
        question: &["--version"],
    },
    Lookup {
        name: "dxc-dev",
        plain: None,
        fetched: Fetched::Windows(WindowsCompiler { name: "dxc", folder: "tools/d3d", library: "dxcompiler.dll" }),
        option: Some("--wine"),
        question: &["--version"],
    },
    Lookup {
        name: "fxc",
        plain: None,
        fetched: Fetched::Windows(WindowsCompiler { name: "fxc", folder: "tools/d3d", library: "d3dcompiler_47.dll" }),
        option: Some("--wine"),
        question: &["--version"],
    },
    Lookup {
        name: "vkd3d",
        plain: Some(("VKD3D_COMPILER", "vkd3d-compiler")),
        fetched: Fetched::Nothing,
        option: None,
        question: &["--version"],
    },
    Lookup {
        name: "slangc",
        plain: Some(("SLANGC", "slangc")),
        fetched: Fetched::Program("tools/slang/bin/slangc"),
        option: None,
        question: &["-v"],
    },
    Lookup {
        name: "glslang",
        plain: Some(("GLSLANG", "glslangValidator")),
        fetched: Fetched::Nothing,
        option: None,
        question: &["--version"],
    },
    Lookup {
        name: "clang-dxc",
        plain: Some(("CLANG_DXC", "clang-dxc")),
        fetched: Fetched::Program("tools/clang/clang-dxc"),
        option: Some("--clang"),
        question: CLANG_QUESTION,
    },
    Lookup {
        name: tint::NAME,
        plain: Some(("TINT", "tint")),
        fetched: Fetched::Driven("tools/tint/tint", "tools/tint/dawn.node"),
        option: Some("--tint"),
        question: &["--version"],
    },
];

/// What came of looking for one compiler.
#[derive(Clone, Debug)]
pub struct CompilerSearch {
    /// The compiler, or why it is not here.
    pub compiler: Result<Compiler, String>,
    /// What the user should know, a sentence each: about a variable that names no compiler, and about something in the
    /// tools folder that is not loaded or that belongs to somebody else.
    pub notes: Vec<String>,
}

impl Compiler {
    /// Every compiler that is there, and what the user should know of the others ([`CompilerSearch::notes`]).
    pub fn look(tools: Option<&ToolsFolder>) -> (Vec<Self>, Vec<String>) {
        let (mut found, mut notes) = (Vec::new(), Vec::new());
        for search in LOOKUPS.iter().map(|lookup| lookup.find(tools)) {
            found.extend(search.compiler);
            // What is wrong with the whole folder is wrong with each tool in it.
            for note in search.notes {
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        (found, notes)
    }

    /// The names of all compilers that are looked for, each with the way to get it where it is not found.
    pub fn known() -> impl Iterator<Item = (&'static str, String)> {
        LOOKUPS.iter().map(|lookup| (lookup.name, lookup.advice()))
    }

    /// Looks for the compiler of a name in [`Compiler::known`].
    pub fn named(name: &str, tools: Option<&ToolsFolder>) -> CompilerSearch {
        match LOOKUPS.iter().find(|lookup| lookup.name == name) {
            Some(lookup) => lookup.find(tools),
            None => CompilerSearch { compiler: Err(format!("no compiler is called `{name}`")), notes: Vec::new() },
        }
    }
}

impl Lookup {
    /// What the variable names, and nothing else where it is set; else what is on the `PATH`, then what was fetched.
    fn find(&self, tools: Option<&ToolsFolder>) -> CompilerSearch {
        if let Some((variable, program)) = self.plain.and_then(|(name, _)| Some((name, std::env::var_os(name)?))) {
            let compiler = self.named_program(variable, &program);
            let note = compiler.as_ref().err().map(|reason| format!("{variable} names no compiler: {reason}"));
            return CompilerSearch { compiler, notes: note.into_iter().collect() };
        }

        let mut search = CompilerSearch { compiler: Err(format!("no `{}` is here", self.name)), notes: Vec::new() };
        if let Some(program) = self.plain.and_then(|(_, program)| on_path(program)) {
            search.compiler = self.ask(Invocation::of(program, ProgramOrigin::SearchPath));
        }
        if search.compiler.is_err() {
            self.find_fetched(tools, &mut search);
        }
        search
    }

    fn named_program(&self, variable: &'static str, program: &OsStr) -> Result<Compiler, String> {
        let missing = || format!("no `{}` is on the PATH", program.to_string_lossy());
        self.ask(Invocation::of(named(program).ok_or_else(missing)?, ProgramOrigin::Variable(variable)))
    }

    /// Looks in the tools folder, where nothing is run that others can change.
    fn find_fetched(&self, tools: Option<&ToolsFolder>, search: &mut CompilerSearch) {
        let Some((tools, invocation)) = tools.and_then(|tools| Some((tools, self.fetched.invocation(tools.path())?)))
        else {
            return;
        };
        match self.fetched.inspect(tools) {
            Ok(warnings) => {
                search.notes.extend(warnings);
                search.compiler = self.ask(Invocation { origin: ProgramOrigin::ToolsFolder, ..invocation });
            }
            Err(untrusted) => {
                search.compiler = Err(untrusted.to_string());
                search.notes.push(untrusted.to_string());
            }
        }
    }

    /// The compiler that is started so, or why it is none.
    fn ask(&self, invocation: Invocation) -> Result<Compiler, String> {
        match self.name {
            tint::NAME => tint::answering(invocation),
            name => answering(name, invocation, self.question),
        }
    }

    fn advice(&self) -> String {
        let named = self.plain.map(|(variable, _)| format!("set {variable} to the program to name one"));
        let fetched = self.option.map(|option| format!("`ci/setup.sh {option}` fetches it"));
        named.into_iter().chain(fetched).collect::<Vec<_>>().join("; ")
    }
}

impl Fetched {
    /// How it is started, where it is there.
    fn invocation(&self, folder: &Path) -> Option<Invocation> {
        let found = |path: &str| Some(folder.join(path)).filter(|path| path.is_file());
        match self {
            Self::Nothing => None,
            Self::Program(path) => Some(Invocation::program(found(path)?)),
            Self::Driven(program, library) => {
                Some(Invocation { library: Some(found(library)?), ..Invocation::program(found(program)?) })
            }
            Self::Library(path, arguments) => {
                let library = found(path)?;
                let leading = arguments.iter().map(OsString::from).chain([library.clone().into_os_string()]);
                let leading = leading.collect();
                Some(Invocation { leading, library: Some(library), ..Invocation::program(driver("layoutproof-dxc")?) })
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
            Self::Program(path) | Self::Library(path, _) => vec![tools.inspect(folder_of_tool(path))?],
            // Dawn writes for a Vulkan driver that was fetched, too.
            Self::Driven(path, _) => {
                let mut warnings = vec![tools.inspect(folder_of_tool(path))?];
                for part in tint::DRIVER {
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
pub(crate) fn driver(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    let beside = this.parent()?;
    let is_of_test = beside.file_name().is_some_and(|folder| folder == "deps");
    let above = beside.parent().filter(|_| is_of_test);
    [Some(beside), above].into_iter().flatten().map(|folder| folder.join(&name)).find(|path| path.is_file())
}
