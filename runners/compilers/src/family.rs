//! Families of compilers: those that take the same command lines, whatever their version and where they lie.
//!
//! `freeze` and `regress` ask any build of a family, also one that the user names by its file. A driver that has a family
//! names it.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::compiler::Compiler;
use crate::drivers::{CompilerDriver, DRIVERS, FamilyName, driver_named};

/// Compilers that take the same command lines.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    name: FamilyName,
    driver: &'static dyn CompilerDriver,
}

/// The name of a file does not tell its family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing in the name says whether it is {}; --family says so", one_of(&all_names()))]
pub struct UnknownFamily;

/// A file cannot be run as a compiler of a family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct NoCompiler {
    /// The file.
    pub path: PathBuf,
    /// Why, as a fragment.
    pub reason: String,
}

impl Family {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        DRIVERS.iter().filter_map(|driver| Self::of_driver(*driver))
    }

    fn of_driver(driver: &'static dyn CompilerDriver) -> Option<Self> {
        Some(Self { name: driver.family()?, driver })
    }

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        self.name.name
    }

    /// The compiler, for `--help`.
    pub fn summary(self) -> &'static str {
        self.name.summary
    }

    /// The name under which toolchains know its compiler.
    pub fn compiler(self) -> &'static str {
        self.driver.name()
    }

    /// The family of this name on the command line.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|family| family.as_str() == name)
    }

    /// The family of the compiler of this name, whatever its version: `dxc-old` and `dxc-1.9` are a dxc each.
    pub fn of_compiler(name: &str) -> Option<Self> {
        Self::of_driver(driver_named(name)?)
    }

    /// The family that a file's name tells: `dxc`, `dxc-3.7`, `libdxcompiler.so`, `slangc`, `clang-dxc`, `clang-22`.
    ///
    /// # Errors
    /// The name tells no family, or more than one.
    pub fn of_file(path: &Path) -> Result<Self, UnknownFamily> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let told: Vec<Self> = Self::all().filter(|family| name.contains(family.as_str())).collect();
        match (told.iter().find(|family| family.name.decides_file), told.as_slice()) {
            (Some(family), _) | (None, [family]) => Ok(*family),
            (None, _) => Err(UnknownFamily),
        }
    }
}

impl Compiler {
    /// The compiler of this family that this file is: a program, or, for DXC, a library.
    ///
    /// # Errors
    /// There is no such file, or it does not answer with its version.
    pub fn at(path: &Path, family: Family) -> Result<Self, NoCompiler> {
        let no_compiler = |reason: String| NoCompiler { path: path.to_owned(), reason };
        let file = std::path::absolute(path).map_err(|error| no_compiler(error.to_string()))?;
        if !file.is_file() {
            return Err(no_compiler("no such file".to_owned()));
        }

        let driver = family.driver;
        let invocations = driver.invocations(&file).map_err(no_compiler)?;
        let mut answers = invocations.into_iter().map(|invocation| driver.identify(driver.name(), invocation));
        let question = || no_compiler(format!("it does not answer `{}`", driver.version_arguments().join(" ")));
        answers.find_map(Result::ok).ok_or_else(question)
    }

    /// The same compiler under the name of its family, as which toolchains know it.
    #[must_use]
    pub fn of_family(self, family: Family) -> Self {
        self.with_name(family.compiler())
    }
}

fn all_names() -> Vec<&'static str> {
    Family::all().map(Family::as_str).collect()
}

/// `a, b or c`.
fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Family {}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_families() {
        let of = |name: &str| Family::of_file(Path::new(name)).map(Family::as_str);
        assert_eq!(of("/opt/bin/dxc-3.7"), Ok("dxc"));
        assert_eq!(of("libdxcompiler.so.3.7"), Ok("dxc"));
        assert_eq!(of("build/Release/bin/slangc"), Ok("slang"));
        assert_eq!(of("/usr/lib/llvm-22/bin/clang-dxc"), Ok("clang"));
        assert_eq!(of("dxc-and-slangc"), Err(UnknownFamily));
        assert_eq!(of("a.out"), Err(UnknownFamily));

        let of_compiler = |name: &str| Family::of_compiler(name).map(Family::as_str);
        assert_eq!(of_compiler("dxc-old"), Some("dxc"));
        assert_eq!(of_compiler("dxc-1.9"), Some("dxc"));
        assert_eq!(of_compiler("clang-dxc"), Some("clang"));
        assert_eq!(of_compiler("glslang"), None);
    }

    #[test]
    fn a_family_is_known_by_its_own_name() {
        let names: Vec<&str> = Family::all().map(Family::as_str).collect();
        assert_eq!(names, ["dxc", "slang", "clang"]);
        assert!(Family::all().all(|family| Family::named(family.as_str()) == Some(family)));
        assert!(UnknownFamily.to_string().contains("whether it is dxc, slang or clang;"));
    }
}
