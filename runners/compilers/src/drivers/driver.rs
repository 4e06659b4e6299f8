//! The trait that each compiler implements for the rest of the program, which looks for compilers, asks and lists them.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use layoutproof_core::inspect::module_reader::ModuleReader;
use layoutproof_core::inspect::toolchain::{CompileOutcome, CompileRequest, Toolchain};
use layoutproof_core::random::declaration::TypeSpace;

use super::{CommandLine, StandInHeader};
use crate::cache::DecidingFiles;
use crate::compile_service::CompileService;
use crate::compiler::{Compiler, Invocation, answering};
use crate::line_service::LineService;
use crate::program_lookup::ProgramLookup;

/// A compiler, in all of its builds: how it is found, asked and understood.
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
/// What it needs elsewhere (its rows in the table of toolchains, the set-up, lists in tests) stands under "Where to add" in
/// `harness/ARCHITECTURE.md`.
pub(crate) trait CompilerDriver: fmt::Debug + Sync {
    /// The name under which toolchains know the compiler, in its usual build.
    fn name(&self) -> &'static str;

    /// The programs that are looked for, in the order in which they are listed: each build of the compiler, and what else
    /// it needs. Empty where it is built in.
    fn programs(&self) -> &'static [ProgramLookup];

    /// How it is asked about a source.
    fn method(&self) -> CompileMethod;

    /// The random declarations that the toolchain is given, without minimum precision, so that other compilers take much
    /// of it.
    fn type_space(&self, toolchain: &Toolchain) -> TypeSpace;

    /// True if it is given declarations with minimum precision (`min16float`), too.
    fn takes_minimum_precision(&self) -> bool {
        false
    }

    /// The family that its builds make; `None` if it never compiles cases as their authors wrote them.
    fn family(&self) -> Option<FamilyName> {
        None
    }

    /// The arguments that make it print its version.
    fn version_arguments(&self) -> &'static [&'static str] {
        &["--version"]
    }

    /// The compiler that is started so, under this name.
    ///
    /// # Errors
    /// It does not answer, or this program cannot use it; in a fragment.
    fn identify(&self, name: &'static str, invocation: Invocation) -> Result<Compiler, String> {
        answering(name, invocation, self.version_arguments())
    }

    /// The ways in which a file of the user may be started as this compiler; the first that tells a version is taken.
    ///
    /// # Errors
    /// A program that is needed to start it is missing; in a sentence.
    fn invocations(&self, file: &Path) -> Result<Vec<Invocation>, String> {
        Ok(vec![Invocation::program(file.to_owned())])
    }

    /// Processes that answer for `compiler` without its start-up for each source; `None` where it has none.
    fn service(&self, compiler: &Compiler) -> Option<Box<dyn CompileService>> {
        LineService::of(compiler).map(|service| Box::new(service) as Box<dyn CompileService>)
    }

    /// What decides its answers besides its program, the libraries that are linked to that, and what was fetched with it;
    /// `None` if that is not known, so that no answer is kept.
    fn deciding_files(&self, _compiler: &Compiler) -> Option<DecidingFiles> {
        None
    }

    /// A header that some packages of it lack, for whoever asks it by a command line of their own; `None` where it needs none.
    fn stand_in_header(&self) -> Option<StandInHeader> {
        None
    }

    /// True if this exit status says that it refuses the source, and not that it could not do its work. Other answers
    /// without success are not kept.
    fn is_refusal(&self, status: i32) -> bool {
        status == 1
    }

    /// Recognises a crash that the compiler catches and reports like a refusal, from its standard error and from the first
    /// error in its output. Returns a sentence about it.
    fn caught_crash(&self, _stderr: &str, _first_error: &str) -> Option<String> {
        None
    }
}

/// How a driver asks its compiler about a source.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CompileMethod {
    /// By a command line for each source.
    CommandLine(fn(&CompileRequest<'_>) -> CommandLine),
    /// By a translation, with the help of this reader; the toolchain's second compiler goes on with what it writes. The
    /// error is its answer where it writes nothing.
    Translates(fn(&CompileRequest<'_>, &dyn ModuleReader) -> Result<Translation, CompileOutcome>),
    /// By calls of its own. The function prepares them with the programs that were found, and returns `None` where one of
    /// them is missing.
    Calls(fn(&[Compiler]) -> Option<Arc<dyn DirectCompiler>>),
}

/// The output of a compiler that writes source text for another one.
pub(crate) struct Translation {
    /// Name of the file that its own source is kept in.
    pub(crate) source: String,
    /// What it wrote.
    pub(crate) text: String,
    /// The second compiler's command line, whose source is the text.
    pub(crate) second: CommandLine,
}

/// A compiler that is not asked by command lines.
pub(crate) trait DirectCompiler: fmt::Debug + Send + Sync {
    /// Compiles, and writes the source and what was made of it to `folder`, for users who keep that.
    ///
    /// # Errors
    /// The folder cannot be written.
    fn compile(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<CompileOutcome>;
}

/// The family of a driver, as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FamilyName {
    /// Its name on the command line, which also stands in the names of its files.
    pub(crate) name: &'static str,
    /// The compiler, for `--help`.
    pub(crate) summary: &'static str,
    /// True if a file belongs to this family whatever other family's name is in its name, too.
    pub(crate) decides_file: bool,
}
