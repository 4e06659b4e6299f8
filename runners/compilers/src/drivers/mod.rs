//! One file per compiler, with everything that is specific to it.
//!
//! Each file implements `CompilerDriver` and is in the list `DRIVERS`. `lookup`, `family`, `builds` and
//! `toolchains` use that list; no other code of this package depends on a compiler's name.

mod clang;
mod command_line;
mod dxc;
mod fxc;
mod glslang;
pub(crate) mod metal;
mod naga;
mod naga_hlsl;
mod naga_translator;
mod slang;
mod spirv_cross;
mod spirv_opt;
mod tint;
mod translation;

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use layoutproof_device::words_of;
use layoutproof_random::declaration::TypeSpace;
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Toolchain, toolchains, translators};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::cache::{CanaryQuestion, DecidingFiles, ProgramFiles};
use crate::compiler::{Compiler, Invocation, NoCompiler, answering};
use crate::programs::ProgramLookup;
use crate::service::{CompileService, LineService};
pub(crate) use command_line::{CommandLine, SOURCE, StandInHeader, first_error, slang_error_number};

/// All drivers, in the order of listings.
pub(crate) static DRIVERS: &[&dyn CompilerDriver] = &[
    &dxc::DxcDriver,
    &fxc::FxcDriver,
    &slang::SlangDriver,
    &glslang::GlslangDriver,
    &clang::ClangDriver,
    &tint::TintDriver,
    &naga::NagaDriver,
    &naga_hlsl::NagaHlslDriver,
    &naga_translator::NagaTranslatorDriver,
    &spirv_cross::SpirvCrossDriver,
    &spirv_opt::SpirvOptDriver,
];

/// A compiler, in all of its builds: how to find it, run it and read its output.
///
/// To add a compiler, write a file here with a unit struct that implements this trait, starting from
/// `glslang.rs`, and add it to [`DRIVERS`]. Override what differs from the defaults below: version,
/// crashes, a service, a family. Its targets and options are rows in the table of
/// `harness/readers/src/toolchain.rs`.
pub(crate) trait CompilerDriver: fmt::Debug + Sync {
    /// The name by which toolchains know the compiler, in its usual build.
    fn name(&self) -> &'static str;

    /// The programs to look for, in the order of listings: each build of the compiler, and its
    /// helpers. Empty for a built-in compiler.
    fn programs(&self) -> &'static [ProgramLookup];

    fn method(&self) -> CompileMethod;

    /// The random declarations for the toolchain, without minimum precision, so that other
    /// compilers accept many of them.
    fn type_space(&self, toolchain: &Toolchain) -> TypeSpace;

    /// True if it also gets declarations with minimum precision (`min16float`).
    fn takes_minimum_precision(&self) -> bool {
        false
    }

    /// The family of its builds; `None` if it never compiles cases as their authors wrote them.
    fn family(&self) -> Option<FamilyName> {
        None
    }

    /// The names under which a user's build of this version can take part in a command, the usual one first.
    fn build_names(&self, _version: &[u32]) -> Vec<&'static str> {
        vec![self.name()]
    }

    /// How many builds these are, after "the compiler can take part".
    fn most_builds(&self) -> &'static str {
        "with one build"
    }

    /// The arguments that make it print its version.
    fn version_arguments(&self) -> &'static [&'static str] {
        &["--version"]
    }

    /// Identifies the compiler that this invocation starts, under this name.
    fn identify(&self, name: &'static str, invocation: Invocation) -> Result<Compiler, NoCompiler> {
        answering(name, invocation, self.version_arguments())
    }

    /// The ways to start a user's file as this compiler. The first one that prints a version is
    /// used.
    fn invocations(&self, file: &Path) -> Result<Vec<Invocation>, NoCompiler> {
        Ok(vec![Invocation::program(file.to_owned())])
    }

    /// Processes that answer for `compiler` without a start for each source; `None` if it has no
    /// service.
    fn service(&self, compiler: &Compiler) -> Option<Box<dyn CompileService>> {
        LineService::of(compiler).map(|service| Box::new(service) as Box<dyn CompileService>)
    }

    /// The files that decide its answers, besides its program, the linked libraries and the files
    /// fetched with it. `None` if they are not known, so that no answer is kept.
    fn deciding_files(&self, _compiler: &Compiler) -> Option<DecidingFiles> {
        None
    }

    /// A header that some of its packages lack, for callers with their own command line; `None` if
    /// it needs none.
    fn stand_in_header(&self) -> Option<StandInHeader> {
        None
    }

    /// True if this exit status means that the compiler refuses the source. Other statuses mean
    /// that it could not do its work, and such answers are not kept.
    fn is_refusal(&self, status: i32) -> bool {
        status == 1
    }

    /// Recognises a crash that the compiler of this name catches and reports like a refusal, from its
    /// standard error and from the first error in its output. Returns a sentence about the crash.
    fn caught_crash(&self, _compiler: &str, _stderr: &str, _first_error: &str) -> Option<String> {
        None
    }
}

/// The way in which a driver compiles a source.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CompileMethod {
    /// With a command line for each source.
    CommandLine(fn(&CompileRequest<'_>) -> CommandLine),
    /// With a translation, which this reader helps to make; the toolchain's second compiler
    /// compiles its text. If there is no text, the error is the compiler's answer.
    Translates(fn(&CompileRequest<'_>, &dyn ModuleReader) -> Result<Translation, CompileOutcome>),
    /// With direct calls. The function prepares them from the programs that were found, and returns
    /// `None` if one of them is missing.
    Calls(fn(&[Compiler]) -> Option<Arc<dyn DirectCompiler>>),
}

/// The output of a compiler that writes source text for another one.
pub(crate) struct Translation {
    pub(crate) source: String,
    pub(crate) text: String,
    pub(crate) second: CommandLine,
}

/// A compiler that needs no command line.
pub(crate) trait DirectCompiler: fmt::Debug + Send + Sync {
    /// Compiles, and writes the source and the results to `folder` for users who keep them.
    fn compile(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<CompileOutcome>;
}

/// A driver's family, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyName {
    /// Its name on the command line, which is also part of its file names.
    pub(crate) name: &'static str,
    /// True if a file with this name belongs to this family even if its name also contains another
    /// family's name.
    pub(crate) decides_file: bool,
}

/// What decides the answers of a compiler: the files that its driver knows, and the answer to a
/// fixed question. `None` if not all files are known.
pub(crate) fn deciding_files(compiler: &Compiler) -> Option<ProgramFiles> {
    let driver = driver_named(compiler.name())?;
    let known = driver.deciding_files(compiler)?;
    Some(compiler.deciding_files(known, canary(driver)?))
}

/// The fixed question to a compiler: one shader with members that rule sets place differently.
fn canary(driver: &'static dyn CompilerDriver) -> Option<CanaryQuestion> {
    let CompileMethod::CommandLine(command_line) = driver.method() else { return None };
    let mut all = toolchains().iter().chain(translators());
    let toolchain = all.find(|toolchain| toolchain.compiler == driver.name())?;
    let text = match toolchain.language() {
        Some(ShaderLanguage::Hlsl | ShaderLanguage::Slang) => include_str!("canary.hlsl"),
        Some(ShaderLanguage::Glsl) => include_str!("canary.comp"),
        Some(ShaderLanguage::Wgsl) => include_str!("canary.wgsl"),
        None => "",
    };
    let words = if toolchain.reads_modules() { words_of(include_bytes!("canary.spv")) } else { Vec::new() };
    let request = CompileRequest { words: &words, ..CompileRequest::of_text(toolchain, text) };
    let CommandLine { source, arguments, headers, .. } = command_line(&request);
    let headers = headers.iter().map(|header| (header.path.to_owned(), header.text.as_bytes().to_vec()));
    let files = headers.chain([(source, request.input())]).collect();
    Some(CanaryQuestion { arguments, files })
}

/// The driver of the compiler with this name, which may be any of its builds.
pub(crate) fn driver_named(compiler: &str) -> Option<&'static dyn CompilerDriver> {
    let is_of = |driver: &&&dyn CompilerDriver| {
        driver.name() == compiler || driver.programs().iter().any(|program| program.name == compiler)
    };
    DRIVERS.iter().find(is_of).copied()
}

pub(crate) fn driver_of(toolchain: &Toolchain) -> &'static dyn CompilerDriver {
    driver_named(toolchain.compiler).expect("each toolchain's compiler has a driver, which a test checks")
}

/// The random declarations for the toolchain, without minimum precision, so that other compilers
/// accept many of them.
pub fn type_space(toolchain: &Toolchain) -> TypeSpace {
    driver_of(toolchain).type_space(toolchain)
}

/// All random declarations for the toolchain: those of [`type_space`], plus those with minimum
/// precision if the compiler supports it.
pub fn full_type_space(toolchain: &Toolchain) -> TypeSpace {
    let plain = type_space(toolchain);
    if driver_of(toolchain).takes_minimum_precision() { plain.with_minimum_precision() } else { plain }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_compiler_of_a_toolchain_has_a_driver() {
        for toolchain in toolchains().iter().chain(translators()) {
            for compiler in [toolchain.compiler].into_iter().chain(toolchain.second_compiler()) {
                assert!(driver_named(compiler).is_some(), "nothing drives `{compiler}` of {toolchain}");
            }
            full_type_space(toolchain);
        }
    }

    #[test]
    fn every_program_is_looked_for_once() {
        let names: Vec<&str> =
            DRIVERS.iter().flat_map(|driver| driver.programs()).map(|program| program.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
