//! Where compilers are looked for.
//!
//! The environment can name one (`DXC`, `SLANGC` ...); then come the `PATH` and what `ci/setup.sh` fetched, in this order, and
//! the first that answers is it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::compiler::{Compiler, Invocation, answering};
use crate::family::CLANG_QUESTION;
use crate::{tint, wine};

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

/// What `ci/setup.sh` fetches, by its path below the folder.
enum Fetched {
    Nothing,
    Program(&'static str),
    /// A program of ours, and the library that it loads.
    Driven(&'static str, &'static str),
    /// A library of DXC, with the arguments of our driver that come before its path.
    Library(&'static str, &'static [&'static str]),
    /// One of Microsoft's compilers for Windows, as `layoutproof-d3d.exe` calls it, and its library.
    Windows(&'static str, &'static str),
}

const LOOKUPS: [Lookup; 9] = [
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
        fetched: Fetched::Windows("dxc", "dxcompiler.dll"),
        option: Some("--wine"),
        question: &["--version"],
    },
    Lookup {
        name: "fxc",
        plain: None,
        fetched: Fetched::Windows("fxc", "d3dcompiler_47.dll"),
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
}

impl Lookup {
    /// The compiler, or why it is not here.
    fn find(&self, fetched: Option<&Path>) -> Result<Compiler, String> {
        let mut reason = format!("no `{}` is here", self.name);
        for invocation in self.candidates(fetched) {
            let answer = match self.name {
                tint::NAME => tint::answering(invocation),
                name => answering(name, invocation, self.question),
            };
            match answer {
                Ok(compiler) => return Ok(compiler),
                Err(no) => reason = no,
            }
        }
        Err(reason)
    }

    /// What may be it: what the variable names, and nothing else where it is set; else what is on the `PATH`, then what was
    /// fetched.
    fn candidates(&self, fetched: Option<&Path>) -> Vec<Invocation> {
        if let Some(program) = self.plain.and_then(|(variable, _)| std::env::var_os(variable)) {
            return vec![Invocation::program(named(&program))];
        }
        let on_path = self.plain.and_then(|(_, program)| on_path(program)).map(Invocation::program);
        let fetched = fetched.and_then(|folder| self.fetched.invocation(folder));
        on_path.into_iter().chain(fetched).collect()
    }

    /// A sentence about a variable that is set and names no compiler.
    fn named_in_vain(&self, reason: &str) -> Option<String> {
        let (variable, _) = self.plain.filter(|(variable, _)| std::env::var_os(variable).is_some())?;
        Some(format!("{variable} names no compiler: {reason}"))
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
            Self::Windows(name, library) => wine::invocation(folder, (name, library)),
        }
    }
}

/// A program of this project that stands between it and a compiler's library: beside the running one, or, for a test, in
/// the folder above.
pub(crate) fn driver(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// A program as the user named it, by a word for the `PATH` or by a path. That is one of the user's folder, while compilers
/// run in folders of their own.
fn named(program: &OsStr) -> PathBuf {
    let path = PathBuf::from(program);
    let found = if path.components().count() < 2 {
        program.to_str().and_then(on_path)
    } else {
        std::path::absolute(&path).ok()
    };
    found.unwrap_or(path)
}

/// The program of this name in the first folder of `PATH` that has one.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| program.is_file())
}
