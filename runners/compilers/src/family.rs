//! Families of compilers. The compilers of a family accept the same command lines, whatever their
//! version and location.
//!
//! `compare` runs any build of a family, also one that the user names by its file. The
//! driver of a family names it.

use std::fmt;
use std::path::Path;

use crate::compiler::{Compiler, NoCompiler};
use crate::drivers::{CompilerDriver, DRIVERS, FamilyName, driver_named};

/// Compilers that accept the same command lines.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    name: FamilyName,
    driver: &'static dyn CompilerDriver,
}

/// The file name does not show the family.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file name does not show which compiler this is")]
pub struct UnknownFamily;

impl Family {
    pub fn all() -> impl Iterator<Item = Self> {
        DRIVERS.iter().filter_map(|driver| Self::of_driver(*driver))
    }

    fn of_driver(driver: &'static dyn CompilerDriver) -> Option<Self> {
        Some(Self { name: driver.family()?, driver })
    }

    pub fn as_str(self) -> &'static str {
        self.name.name
    }

    /// The name by which toolchains know its compiler.
    pub fn compiler(self) -> &'static str {
        self.driver.name()
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|family| family.as_str() == name)
    }

    /// The family of a compiler, whatever its version: `dxc-old` and `dxc-1.9` both belong to
    /// `dxc`.
    pub fn of_compiler(name: &str) -> Option<Self> {
        Self::of_driver(driver_named(name)?)
    }

    /// Finds the family in a file name: `dxc`, `dxc-3.7`, `libdxcompiler.so`, `slangc`,
    /// `clang-dxc`, `clang-22`.
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
    /// Opens this file as a compiler of this family: a program, or for DXC also a library.
    pub fn at(path: &Path, family: Family) -> Result<Self, NoCompiler> {
        Self::at_driver(path, family.driver)
    }

    /// Opens this file with a driver.
    pub(crate) fn at_driver(path: &Path, driver: &'static dyn CompilerDriver) -> Result<Self, NoCompiler> {
        let file =
            std::path::absolute(path).map_err(|error| NoCompiler::NotStarted { program: path.to_owned(), error })?;
        if !file.is_file() {
            return Err(NoCompiler::NoFile(path.to_owned()));
        }

        let invocations = driver.invocations(&file)?;
        let mut died = None;
        for invocation in invocations {
            match driver.identify(driver.name(), invocation) {
                Ok(compiler) => return Ok(compiler),
                Err(error @ NoCompiler::NoVersion { .. }) => died = died.or(Some(error)),
                Err(_) => {}
            }
        }
        let question = driver.version_arguments().join(" ");
        Err(died.unwrap_or(NoCompiler::NotOfFamily { file: path.to_owned(), question }))
    }

    /// The same compiler under the name by which toolchains know its family.
    #[must_use]
    pub fn of_family(self, family: Family) -> Self {
        self.with_name(family.compiler())
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
    }
}
