//! The builds of glslang on this machine, and the one that reads the user's GLSL.
//!
//! The newest reads, because each version takes extensions that earlier ones refuse; `run` asks all of them. The build
//! that the variable GLSLANG names comes before newer ones, and what `--compiler` names comes before both.

use std::ffi::OsStr;
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_compilers::compiler::{Compiler, NoCompiler};
use layoutproof_core::results::frozen::manifest::{dotted_version, version_order};
use layoutproof_layout::ShaderCompiler;
use layoutproof_show::front_ends::NewerBuild;
use layoutproof_source::shader_language::alternatives;

use super::find_compiler;
use crate::named_compiler::NamedCompiler;

/// The variable that names a build.
const VARIABLE: &str = "GLSLANG";

/// A build that was found, with its version.
#[derive(Clone, Debug)]
struct GlslangBuild {
    compiler: Compiler,
    version: String,
}

#[derive(Debug)]
pub(super) struct GlslangBuilds {
    /// The newest first.
    found: Vec<GlslangBuild>,
    /// Why the usual one is not here.
    absent: Option<Arc<NoCompiler>>,
    /// True if the variable names the usual one.
    has_variable: bool,
}

/// A build, and the newest one if that is another.
type ChosenBuild = (Compiler, Option<NewerBuild>);

impl GlslangBuilds {
    /// Looks for all builds at once, since each one is started for its version.
    ///
    /// # Errors
    /// The folder of tools is misnamed.
    pub(super) fn find() -> anyhow::Result<Self> {
        let names = ["glslang", "glslang-current"];
        let searches = std::thread::scope(|scope| {
            names
                .map(|name| scope.spawn(move || find_compiler(name)))
                .map(|search| search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let [usual, current] = searches;
        let (usual, current) = (usual?, current?);
        let absent = usual.as_ref().err().cloned();
        let found = usual.into_iter().chain(current);
        let has_variable = std::env::var_os(VARIABLE).as_deref().is_some_and(|value| value != OsStr::new(""));
        Ok(Self::of(found.collect(), absent, has_variable))
    }

    fn of(compilers: Vec<Compiler>, absent: Option<Arc<NoCompiler>>, has_variable: bool) -> Self {
        let build = |compiler: Compiler| GlslangBuild { version: dotted_version(compiler.version()), compiler };
        let mut found: Vec<GlslangBuild> = compilers.into_iter().map(build).collect();
        found.sort_by_key(|build| std::cmp::Reverse(version_order(&build.version)));
        Self { found, absent, has_variable }
    }

    /// The build that reads, and the newest one if that is another. The inner error says why none is here.
    ///
    /// # Errors
    /// The user names a build that is not here.
    pub(super) fn chosen_by(self, named: &[NamedCompiler]) -> anyhow::Result<Result<ChosenBuild, Arc<NoCompiler>>> {
        let of_user = named.iter().find(|named| named.name.compiler == ShaderCompiler::Glslang);
        let file = of_user.and_then(|named| named.file.as_ref());
        let version = of_user.and_then(|named| named.name.version.as_deref()).filter(|_| file.is_none());
        let chosen = match (file, version) {
            (Some(file), _) => {
                let compiler = Compiler::of_file(ShaderCompiler::Glslang.as_str(), file)
                    .with_context(|| format!("compiler `glslang={}`", file.display()))?;
                Some(GlslangBuild { version: dotted_version(compiler.version()), compiler })
            }
            (None, Some(version)) => Some(self.of_version(version)?.clone()),
            (None, None) => {
                let of_variable =
                    self.found.iter().find(|build| self.has_variable && build.compiler.name() == "glslang");
                // What the variable names must not be replaced, even if it does not work.
                of_variable.or_else(|| self.found.first().filter(|_| !self.has_variable)).cloned()
            }
        };
        let Some(chosen) = chosen else {
            return Ok(Err(self.absent.unwrap_or_else(|| Arc::new(NoCompiler::Absent("glslang")))));
        };
        let is_newer = |build: &&GlslangBuild| version_order(&build.version) > version_order(&chosen.version);
        let newer = self
            .found
            .iter()
            .find(is_newer)
            .map(|build| NewerBuild { name: build.compiler.name().to_owned(), version: build.version.clone() });
        Ok(Ok((chosen.compiler, newer)))
    }

    /// The newest build of a version, `12` or `16.6`, or with a name, `glslang-current`.
    fn of_version(&self, version: &str) -> anyhow::Result<&GlslangBuild> {
        let name = format!("glslang-{version}");
        let wanted = version_order(version);
        let is_it = |build: &&GlslangBuild| {
            build.compiler.name() == name
                || (version.starts_with(|first: char| first.is_ascii_digit())
                    && version_order(&build.version).starts_with(&wanted))
        };
        match self.found.iter().find(is_it) {
            Some(build) => Ok(build),
            None if self.found.is_empty() => bail!("no glslang is here: `layoutproof setup glslang` installs one"),
            None => {
                let here: Vec<&str> = self.found.iter().map(|build| build.version.as_str()).collect();
                bail!("no glslang {version} is here, only {}", alternatives(&here))
            }
        }
    }
}
