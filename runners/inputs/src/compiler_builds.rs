//! The builds of a compiler on this machine, newest first, and the one that the user names by its version.
//!
//! One rule for all compilers: `NAME@VERSION`, `NAME-VERSION` and `NAME-current` are the newest build here of that version,
//! of any version for `current`. A build that the set-up fetches also has a name of its own, such as `dxc-1.9`.

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_layout::ShaderCompiler;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_readers::version::NAGA_VERSION;
use layoutproof_show::front_ends::NewerBuild;
use layoutproof_source::shader_language::alternatives;

use crate::named_compiler::NamedCompiler;
use crate::shader_file::find_compiler;

/// The version of the newest build here.
pub const CURRENT: &str = "current";

/// A build that was found, with its version.
#[derive(Clone, Debug)]
pub(crate) struct CompilerBuild {
    pub(crate) compiler: Compiler,
    pub(crate) version: String,
}

#[derive(Debug)]
pub(crate) struct CompilerBuilds {
    family: ShaderCompiler,
    /// The newest first.
    pub(crate) found: Vec<CompilerBuild>,
}

impl CompilerBuilds {
    /// Looks for all builds at once, since each one is started for its version.
    ///
    /// # Errors
    /// The folder of tools is misnamed.
    pub(crate) fn find(family: ShaderCompiler) -> anyhow::Result<Self> {
        let searches: Vec<_> = std::thread::scope(|scope| {
            let started: Vec<_> =
                program_names(family).into_iter().map(|name| scope.spawn(move || find_compiler(name))).collect();
            let end = |search: std::thread::ScopedJoinHandle<'_, _>| {
                search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            started.into_iter().map(end).collect()
        });
        let found: Vec<_> = searches.into_iter().collect::<Result<_, anyhow::Error>>()?;
        Ok(Self::of(family, found.into_iter().flatten().collect()))
    }

    pub(crate) fn of(family: ShaderCompiler, compilers: Vec<Compiler>) -> Self {
        let build = |compiler: Compiler| CompilerBuild { version: dotted_version(compiler.version()), compiler };
        let mut found: Vec<CompilerBuild> = compilers.into_iter().map(build).collect();
        found.sort_by_key(|build| std::cmp::Reverse(version_order(&build.version)));
        Self { family, found }
    }

    /// The newest build, if it is newer than this version.
    pub(crate) fn newer_than(&self, version: &str) -> Option<NewerBuild> {
        let newest = self.found.first()?;
        let is_newer = version_order(&newest.version) > version_order(version);
        is_newer.then(|| NewerBuild {
            compiler: self.family,
            name: newest.compiler.name().to_owned(),
            version: newest.version.clone(),
            needs_wine: newest.compiler.needs_wine(),
        })
    }

    /// The newest build of a version, `12` or `16.6`, or with a name, `glslang-current`.
    ///
    /// # Errors
    /// No such build is here.
    pub(crate) fn of_version(&self, version: &str) -> anyhow::Result<&CompilerBuild> {
        let named = self.found.iter().find(|build| has_version_in_name(build.compiler.name(), version));
        let newest = self.found.first().filter(|_| version == CURRENT);
        let wanted = version_order(version);
        let is_number = version.starts_with(|first: char| first.is_ascii_digit());
        let mut of_number = self.found.iter().filter(|_| is_number);
        let found =
            named.or(newest).or_else(|| of_number.find(|build| version_order(&build.version).starts_with(&wanted)));
        let family = self.family;
        match found {
            Some(build) => Ok(build),
            None if self.found.is_empty() => bail!("no {family} is here: `layoutproof setup {family}` installs one"),
            None => {
                let here: Vec<&str> = self.found.iter().map(|build| build.version.as_str()).collect();
                bail!("no {family} {version} is here, only {}", alternatives(&here))
            }
        }
    }
}

/// Replaces the version that the user names by the build here that has it. A build with a name of its own, and one that is
/// named by its file, stays as it is.
///
/// # Errors
/// No such build is here, or the folder of tools is misnamed.
pub fn find_build(named: &mut NamedCompiler) -> anyhow::Result<()> {
    if let Some(program) = program_of(named)? {
        named.name = program.parse()?;
    }
    Ok(())
}

/// The name of the program that has the version which the user names; `None` without a version, or with a file.
///
/// # Errors
/// No such build is here, or the folder of tools is misnamed.
pub fn program_of(named: &NamedCompiler) -> anyhow::Result<Option<&'static str>> {
    let (family, version) = named.column_part();
    let Some(version) = version.filter(|_| named.file.is_none()) else { return Ok(None) };
    if let Some(name) = program_names(family).into_iter().find(|name| has_version_in_name(name, version)) {
        return Ok(Some(name));
    }
    if family == ShaderCompiler::Naga {
        if version == CURRENT || version_order(NAGA_VERSION).starts_with(&version_order(version)) {
            return Ok(Some(family.as_str()));
        }
        bail!("no {family} {version} is here: {NAGA_VERSION} is built in");
    }
    let builds = CompilerBuilds::find(family)?;
    let name = builds.of_version(version)?.compiler.name();
    Ok(Some(name))
}

/// True for `dxc-1.9` and 1.9.
fn has_version_in_name(program: &str, version: &str) -> bool {
    program.strip_suffix(version).is_some_and(|rest| rest.ends_with('-'))
}

/// The programs of a compiler, each a build.
fn program_names(family: ShaderCompiler) -> Vec<&'static str> {
    let is_of = |toolchain: &&Toolchain| toolchain.column().is_some_and(|column| column.compiler == Some(family));
    let mut names: Vec<&'static str> = toolchains().iter().filter(is_of).map(|toolchain| toolchain.compiler).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named_compiler::named_compiler;

    #[test]
    fn names_of_builds_need_no_search() {
        let program = |word: &str| program_of(&named_compiler(word).unwrap()).unwrap();
        for (words, name) in [
            (&["dxc@1.9", "dxc-1.9"][..], Some("dxc-1.9")),
            (&["dxc@dev", "dxc-dev"], Some("dxc-dev")),
            (&["clang@23", "clang-23", "clang-dxc@23", "clang-dxc-23"], Some("clang-23")),
            (&["glslang@current", "glslang-current", "glslc@current"], Some("glslang-current")),
            (&["naga-current", "naga@current", "naga@30", "naga-30.0"], Some("naga")),
            (&["dxc", "clang", "dxc=x", "tint"], None),
        ] {
            for word in words {
                assert_eq!(program(word), name, "{word}");
            }
        }
        assert!(program_of(&named_compiler("naga@12").unwrap()).is_err());
    }
}
