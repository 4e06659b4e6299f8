//! The trait that every compiler implements. The rest of the program uses it to find, run and list
//! compilers.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use layoutproof_core::random::declaration::TypeSpace;
use layoutproof_readers::module_reader::ModuleReader;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, Toolchain};

use super::{CommandLine, StandInHeader};
use crate::cache::DecidingFiles;
use crate::compiler::{Compiler, Invocation, answering};
use crate::program_lookup::ProgramLookup;
use crate::service::{CompileService, LineService};

/// A compiler, in all of its builds: how to find it, run it and read its output.
///
/// To add a compiler, in this crate:
///
/// 1. Write `drivers/NAME.rs` with a unit struct that implements this trait, and name the file in `mod.rs`.
/// 2. [`programs`](Self::programs): the variable, the name on the `PATH`, the place in the tools folder.
/// 3. [`method`](Self::method): its command line, and a function that reads what it wrote. Start from `glslang.rs`.
/// 4. [`type_space`](Self::type_space): the declarations that `layoutproof fuzz` draws for it.
/// 5. Override what differs from the defaults below: version, crashes, a service, a family.
/// 6. Add the struct to `DRIVERS` in `registry.rs`; the place there is the place in listings.
///
/// Its other places (its rows in the table of toolchains, the set-up, lists in tests) are under
/// "Where to add" in `harness/ARCHITECTURE.md`.
pub(crate) trait CompilerDriver: fmt::Debug + Sync {
    /// The name by which toolchains know the compiler, in its usual build.
    fn name(&self) -> &'static str;

    /// The programs to look for, in the order of listings: each build of the compiler, and its
    /// helpers. Empty for a built-in compiler.
    fn programs(&self) -> &'static [ProgramLookup];

    /// The way to compile a source.
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

    /// The arguments that make it print its version.
    fn version_arguments(&self) -> &'static [&'static str] {
        &["--version"]
    }

    /// Identifies the compiler that this invocation starts, under this name.
    ///
    /// # Errors
    /// It does not answer, or this program cannot use it; a fragment.
    fn identify(&self, name: &'static str, invocation: Invocation) -> Result<Compiler, String> {
        answering(name, invocation, self.version_arguments())
    }

    /// The ways to start a user's file as this compiler. The first one that prints a version is
    /// used.
    ///
    /// # Errors
    /// A program that is needed to start it is missing; a sentence.
    fn invocations(&self, file: &Path) -> Result<Vec<Invocation>, String> {
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

    /// Recognises a crash that the compiler catches and reports like a refusal, from its standard
    /// error and from the first error in its output. Returns a sentence about the crash.
    fn caught_crash(&self, _stderr: &str, _first_error: &str) -> Option<String> {
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
    /// Name of the file for its own source.
    pub(crate) source: String,
    pub(crate) text: String,
    /// The second compiler's command line for the text.
    pub(crate) second: CommandLine,
}

/// A compiler that needs no command line.
pub(crate) trait DirectCompiler: fmt::Debug + Send + Sync {
    /// Compiles, and writes the source and the results to `folder` for users who keep them.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn compile(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<CompileOutcome>;
}

/// A driver's family, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyName {
    /// Its name on the command line, which is also part of its file names.
    pub(crate) name: &'static str,
    /// Short description for `--help`.
    pub(crate) summary: &'static str,
    /// True if a file with this name belongs to this family even if its name also contains another
    /// family's name.
    pub(crate) decides_file: bool,
}
