//! The builds of glslang on this machine, and the one that reads the user's GLSL.
//!
//! The newest reads, because each version takes extensions that earlier ones refuse; `run` asks all of them. The build
//! that the variable GLSLANG names comes before newer ones, and what `--compiler` names comes before both.

use std::ffi::OsStr;
use std::sync::Arc;

use anyhow::Context;
use layoutproof_compilers::compiler::{Compiler, NoCompiler};
use layoutproof_core::results::frozen::manifest::dotted_version;
use layoutproof_layout::ShaderCompiler;
use layoutproof_show::front_ends::NewerBuild;

use super::find_compiler;
use crate::compiler_builds::{CompilerBuild, CompilerBuilds};
use crate::named_compiler::NamedCompiler;

/// The variable that names a build.
const VARIABLE: &str = "GLSLANG";

#[derive(Debug)]
pub(super) struct GlslangBuilds {
    builds: CompilerBuilds,
    /// Why the usual one is not here.
    absent: Option<Arc<NoCompiler>>,
    /// True if the variable names the usual one.
    has_variable: bool,
}

/// A build, and the newest one if that is another.
type ChosenBuild = (Compiler, Option<NewerBuild>);

impl GlslangBuilds {
    /// # Errors
    /// The folder of tools is misnamed.
    pub(super) fn find() -> anyhow::Result<Self> {
        let builds = CompilerBuilds::find(ShaderCompiler::Glslang)?;
        // The search has the answer.
        let absent = find_compiler(ShaderCompiler::Glslang.as_str())?.err();
        let has_variable = std::env::var_os(VARIABLE).as_deref().is_some_and(|value| value != OsStr::new(""));
        Ok(Self { builds, absent, has_variable })
    }

    /// The build that reads, and the newest one if that is another. The inner error says why none is here.
    ///
    /// # Errors
    /// The user names a build that is not here.
    pub(super) fn chosen_by(self, named: &[NamedCompiler]) -> anyhow::Result<Result<ChosenBuild, Arc<NoCompiler>>> {
        let found = &self.builds.found;
        let of_user = named.iter().find(|named| named.name.compiler == ShaderCompiler::Glslang);
        let file = of_user.and_then(|named| named.file.as_ref());
        let version = of_user.and_then(|named| named.name.version.as_deref()).filter(|_| file.is_none());
        let chosen = match (file, version) {
            (Some(file), _) => {
                let compiler = Compiler::of_file(ShaderCompiler::Glslang.as_str(), file)
                    .with_context(|| format!("compiler `glslang={}`", file.display()))?;
                Some(CompilerBuild { version: dotted_version(compiler.version()), compiler })
            }
            (None, Some(version)) => Some(self.builds.of_version(version)?.clone()),
            (None, None) => {
                let of_variable = found.iter().find(|build| self.has_variable && build.compiler.name() == "glslang");
                // What the variable names must not be replaced, even if it does not work.
                of_variable.or_else(|| found.first().filter(|_| !self.has_variable)).cloned()
            }
        };
        let Some(chosen) = chosen else {
            return Ok(Err(self.absent.unwrap_or_else(|| Arc::new(NoCompiler::Absent("glslang")))));
        };
        let newer = self.builds.newer_than(&chosen.version);
        Ok(Ok((chosen.compiler, newer)))
    }
}
