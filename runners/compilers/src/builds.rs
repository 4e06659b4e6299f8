//! Builds of compilers that the user names by their files: `dxc=build/lib/libdxcompiler.so`.
//!
//! A build takes part under the name of the table's toolchains for its version, so that known
//! differences and rule sets of that version apply to it.

use std::path::Path;

use layoutproof_core::results::frozen::manifest::dotted_version;
use layoutproof_layout::ShaderCompiler;

use crate::compiler::{Compiler, NoCompiler};
use crate::drivers::{CompilerDriver, driver_named};
use crate::lookup::CompilersOfMachine;
use crate::toolchains::Toolchains;

/// A compiler as the user named it.
#[derive(Clone, Debug)]
pub struct NamedBuild {
    /// The user's word, `dxc=PATH`.
    pub word: String,
    pub compiler: Compiler,
}

/// Why builds cannot take part together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` ({version}) has no place beside the other builds: in one command, {compiler} can take part {places}")]
pub struct NoPlace {
    word: String,
    version: String,
    compiler: &'static str,
    places: &'static str,
}

impl Compiler {
    /// Opens a file as the compiler of this name: a program, or for DXC also a library.
    pub fn of_file(name: &str, path: &Path) -> Result<Self, NoCompiler> {
        let driver = ShaderCompiler::named(name).and_then(|compiler| driver_named(compiler.as_str()));
        let driver = driver.ok_or_else(|| NoCompiler::UnknownName(name.to_owned()))?;
        Self::at_driver(path, driver)
    }
}

impl Toolchains {
    /// These builds in place of the compilers of this machine that have their names.
    pub fn with_builds(self, mut builds: Vec<NamedBuild>) -> Result<Self, NoPlace> {
        if builds.is_empty() {
            return Ok(self);
        }
        // The newest of several builds gets the usual name.
        builds.sort_by_key(|build| std::cmp::Reverse(numbers(build.compiler.version())));
        let (mut compilers, mut named): (Vec<Compiler>, Vec<(String, &'static str)>) = (Vec::new(), Vec::new());
        for NamedBuild { word, compiler } in builds {
            let is_free = |name: &&'static str| compilers.iter().all(|other| other.name() != *name);
            let driver = driver_named(compiler.name());
            let names = driver.map(|driver| driver.build_names(&numbers(compiler.version()))).unwrap_or_default();
            let Some(name) = names.into_iter().find(is_free) else {
                let (version, compiler) = (compiler.version().to_owned(), compiler.name());
                let places = driver.map_or("with no build", CompilerDriver::most_builds);
                return Err(NoPlace { word, version, compiler, places });
            };
            compilers.push(compiler.with_name(name));
            named.push((word, name));
        }
        let others = self.compilers().iter().filter(|other| compilers.iter().all(|own| own.name() != other.name()));
        let compilers: Vec<Compiler> = others.cloned().chain(compilers.iter().cloned()).collect();
        // A build of the user's takes the place of a broken one of its name.
        let is_replaced = |name: &str| compilers.iter().any(|compiler| compiler.name() == name);
        let broken = self.broken().iter().filter(|broken| !is_replaced(broken.name)).cloned().collect();
        let notes = self.notes().to_vec();
        Ok(Self::of(CompilersOfMachine { compilers, broken, notes }).naming(named))
    }
}

/// The numbers of what a compiler prints: `[1, 7, 4006]` of `libdxcompiler: 1.7 (4006, 69e54e29)`.
fn numbers(version: &str) -> Vec<u32> {
    dotted_version(version).split('.').map_while(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What DXC's builds print: the library of a release, a program for Windows, the oldest library.
    #[test]
    fn versions_order_builds() {
        let versions = [
            "libdxcompiler: 1.7 (3435, d55d0d4e)",
            "libdxcompiler: 1.7 (4006, 69e54e29)",
            "dxcompiler.dll: 1.9 - 1.9.2602.17",
        ];
        let numbers = versions.map(numbers);
        assert!(numbers.is_sorted() && numbers[1] < vec![1, 9] && numbers[2] >= vec![1, 9], "{numbers:?}");
    }
}
