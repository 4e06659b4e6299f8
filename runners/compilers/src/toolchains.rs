//! Provides the compilers of this machine as [`Compilers`] to the checks, which know toolchains but
//! no processes.
//!
//! Each source is compiled in a separate folder, which stays after [`Toolchains::keep`]. The
//! [`drivers`](crate::drivers) know how to run each compiler.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use layoutproof_events::ToolBuild;
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_readers::toolchain::{
    AnswerOrigin, Compilation, CompileOutcome, CompileRequest, Compilers, Toolchain, toolchains,
};

use crate::cache::{AnswerCache, AnswerOfProgram, CacheSlot, EntryKind, ProgramQuestion};
use crate::child::{ProcessEnd, ProcessOutput, TIME_LIMIT, is_ending};
use crate::compile_folder::CompileFolder;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::{
    CommandLine, CompileMethod, CompilerDriver, DRIVERS, DirectCompiler, Translation, deciding_files, driver_named,
    driver_of, first_error,
};
use crate::family::Family;
use crate::lookup::{BrokenCompiler, CompilersOfMachine};
use crate::service::{CompileService, CompileServices};
use crate::tools_folder::ToolsFolder;

/// Name of the file with the command lines.
const COMMAND: &str = "command";

/// A compilation that failed without an answer and was repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileFailure {
    /// The name of the toolchain.
    pub toolchain: &'static str,
    pub sentence: String,
    /// True if the repeat had an answer, so that no check shows the failure.
    pub absorbed: bool,
}

#[derive(Clone, Debug)]
pub struct Toolchains {
    compilers: Vec<Compiler>,
    /// The compilers that are called directly and not by command lines, by their drivers' names.
    direct: BTreeMap<&'static str, Arc<dyn DirectCompiler>>,
    broken: Vec<BrokenCompiler>,
    notes: Vec<String>,
    kept: Option<PathBuf>,
    services: Arc<CompileServices>,
    /// Reads compiler output; `None` to do that in this process.
    reader: Option<Arc<dyn ModuleReader>>,
    cache: Option<Arc<AnswerCache>>,
    /// The compilations that failed without an answer and were repeated.
    failures: Arc<Mutex<Vec<CompileFailure>>>,
    /// The user's words for builds, `dxc=PATH`, with the compilers whose names they have here.
    builds: Vec<(String, &'static str)>,
}

impl Default for Toolchains {
    /// Only the built-in compilers.
    fn default() -> Self {
        Self::of(CompilersOfMachine::default())
    }
}

impl Toolchains {
    pub fn find(tools: Option<&ToolsFolder>) -> Self {
        Self::of(Compiler::look(tools))
    }

    /// Finds the compilers that these toolchains need.
    pub fn find_for(tools: Option<&ToolsFolder>, wanted: &[&'static Toolchain]) -> Self {
        Self::of(Compiler::look_for(tools, wanted))
    }

    pub(crate) fn of(machine: CompilersOfMachine) -> Self {
        let CompilersOfMachine { compilers, broken, notes } = machine;
        let direct = direct_compilers(&compilers);
        let services = Arc::new(CompileServices::new(service_of));
        Self {
            compilers,
            direct,
            broken,
            notes,
            kept: None,
            services,
            reader: None,
            cache: None,
            failures: Arc::default(),
            builds: Vec::new(),
        }
    }

    /// With the user's words for builds.
    #[must_use]
    pub(crate) fn naming(self, builds: Vec<(String, &'static str)>) -> Self {
        Self { builds, ..self }
    }

    /// The compilers that are here but do not work.
    pub fn broken(&self) -> &[BrokenCompiler] {
        &self.broken
    }

    /// Sentences for the user about programs that are not used, or that are used although another
    /// user owns them.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub fn only(compiler: Compiler, family: Family) -> Self {
        Self::of(CompilersOfMachine { compilers: vec![compiler.of_family(family)], ..CompilersOfMachine::default() })
    }

    /// The command line for a source without extra options, with `program` as the compiler.
    pub fn command_line(program: &str, toolchain: &'static Toolchain) -> String {
        let request = CompileRequest::of_text(toolchain, "");
        let arguments = match driver_of(toolchain).method() {
            CompileMethod::CommandLine(command_line) => command_line(&request).arguments,
            CompileMethod::Translates(_) | CompileMethod::Calls(_) => Vec::new(),
        };
        format!("{program} {}", arguments.join(" "))
    }

    /// Keeps sources and results below this folder, in one folder per compilation.
    #[must_use]
    pub fn keep(self, folder: Option<PathBuf>) -> Self {
        Self { kept: folder, ..self }
    }

    /// Gives every compiler this time limit for each source.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        let compilers = self.compilers.into_iter().map(|compiler| compiler.with_limit(limit));
        let compilers: Vec<Compiler> = compilers.collect();
        // Directly called compilers hold copies with their own limits, so they are made again.
        let direct = direct_compilers(&compilers);
        Self { compilers, direct, ..self }
    }

    /// Sets the reader for compiler output that only third-party code can read.
    #[must_use]
    pub fn with_reader(self, reader: Arc<dyn ModuleReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Takes answers from this cache, and keeps new answers in it. If files are kept for the user
    /// ([`Toolchains::keep`]), the compilers run all the same, because the user wants the files and
    /// command lines that they leave.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<AnswerCache>>) -> Self {
        Self { cache, ..self }
    }

    /// The compilations so far that failed without an answer and were repeated.
    pub fn failures(&self) -> Vec<CompileFailure> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The compilers, in the order of listings.
    pub fn compilers(&self) -> &[Compiler] {
        &self.compilers
    }

    /// The toolchains for a name: one toolchain, all toolchains of a compiler, or `all` that are
    /// available. Leaves out a toolchain whose second compiler is missing.
    pub fn named(&self, name: &str) -> Vec<&'static Toolchain> {
        let name = self.builds.iter().find(|(word, _)| word == name).map_or(name, |(_, own)| own);
        let of = |toolchain: &&Toolchain| match name {
            "all" => self.has(toolchain),
            name => {
                let whole = self.has(toolchain) || self.compiler(name).is_none();
                toolchain.name == name || (toolchain.compiler == name && whole)
            }
        };
        toolchains().iter().filter(of).collect()
    }

    /// The compilers that `asked` need, by name: version and SHA-256 of each, so that another build
    /// shows.
    pub fn builds(&self, asked: &[&'static Toolchain]) -> BTreeMap<String, ToolBuild> {
        let names = asked.iter().flat_map(|toolchain| [Some(toolchain.compiler), toolchain.second_compiler()]);
        let needed = names.flatten().filter_map(|name| self.compiler(name));
        let build = |compiler: &Compiler| {
            let remembered = self.cache.as_ref().and_then(|cache| cache.file_digest(compiler.file()).ok());
            let digest = remembered.map_or_else(|| compiler.digest(), Ok);
            (compiler.name().to_owned(), ToolBuild { version: compiler.version().to_owned(), sha256: digest.ok() })
        };
        needed.map(build).collect()
    }

    fn compiler(&self, name: &str) -> Option<&Compiler> {
        self.compilers.iter().find(|compiler| compiler.name() == name)
    }

    /// The first compiler of a toolchain that is not here.
    pub fn missing(&self, toolchain: &Toolchain) -> Option<&'static str> {
        let mut needed = [toolchain.compiler].into_iter().chain(toolchain.second_compiler());
        needed.find(|compiler| !self.has_compiler(compiler))
    }

    fn has_compiler(&self, name: &str) -> bool {
        driver_named(name).is_some_and(|driver| match driver.method() {
            CompileMethod::CommandLine(_) => self.compiler(name).is_some(),
            CompileMethod::Translates(_) => true,
            CompileMethod::Calls(_) => self.direct.contains_key(driver.name()),
        })
    }

    fn ask(&self, request: &CompileRequest<'_>) -> io::Result<Compilation> {
        let mut folder = CompileFolder::new(self.kept.as_ref().map(|kept| (kept.clone(), folder_name(request.name))));
        if self.kept.is_some() {
            // An earlier run may have left command lines here.
            fs::write(folder.path()?.join(COMMAND), "")?;
        }

        let driver = driver_of(request.toolchain);
        match (driver.method(), self.direct.get(driver.name())) {
            (CompileMethod::CommandLine(command_line), _) => {
                let asked = ProgramRequest {
                    toolchain: request.toolchain,
                    compiler: request.toolchain.compiler,
                    line: &command_line(request),
                    input: &request.input(),
                };
                self.ask_program(asked, &mut folder)
            }
            (CompileMethod::Translates(translate), _) => match translate(request, self.reader()) {
                Ok(translation) => self.ask_second(request, &mut folder, &translation),
                Err(answer) => Ok(answer.into()),
            },
            (CompileMethod::Calls(_), Some(compiler)) => Ok(compiler.compile(request, folder.path()?)?.into()),
            (CompileMethod::Calls(_), None) => Ok(CompileOutcome::Failed(absent(driver.name())).into()),
        }
    }

    /// Runs the compiler that processes another one's output.
    fn ask_second(
        &self,
        request: &CompileRequest<'_>,
        folder: &mut CompileFolder,
        translation: &Translation,
    ) -> io::Result<Compilation> {
        let toolchain = request.toolchain;
        let Some(compiler) = toolchain.second_compiler() else {
            return Ok(CompileOutcome::Failed(format!("{toolchain} has no second compiler")).into());
        };
        if self.kept.is_some() {
            folder.add(&translation.source, request.input())?;
        }
        let asked =
            ProgramRequest { toolchain, compiler, line: &translation.second, input: translation.text.as_bytes() };
        self.ask_program(asked, folder)
    }

    /// Runs a program, or two in a row, unless the cache has their answers. Asks again if a cached
    /// answer turns out to be unusable.
    fn ask_program(&self, asked: ProgramRequest<'_>, folder: &mut CompileFolder) -> io::Result<Compilation> {
        folder.add(&asked.line.source, asked.input.to_vec())?;
        for header in asked.line.headers {
            folder.add(header.path, header.text.as_bytes().to_vec())?;
        }

        let mut step = self.run(asked.compiler, folder, &asked.line.arguments)?;
        let (mut compiler, mut origin, mut recalled) = (asked.compiler, step.origin, Vec::new());
        if let (CompilerAnswer::Accepted(_), Some(second)) = (&step.answer, &asked.line.second) {
            step.keep();
            recalled.extend(step.recalled.take());
            compiler = second.compiler;
            step = self.run(compiler, folder, &second.arguments)?;
            origin = origin.and(step.origin);
        }
        recalled.extend(step.recalled.take());

        let outcome = match &step.answer {
            CompilerAnswer::Accepted(finished) => (asked.line.read)(folder, finished)
                .unwrap_or_else(|reason| CompileOutcome::Failed(format!("{}: {reason}", asked.toolchain))),
            CompilerAnswer::Refused(finished) => refusal(compiler, finished),
            CompilerAnswer::Broken(sentence) => CompileOutcome::Failed(sentence.clone()),
        };

        match &outcome {
            CompileOutcome::Compiled(_) | CompileOutcome::Rejected(_) => step.keep(),
            CompileOutcome::Failed(_) if recalled.is_empty() => {}
            CompileOutcome::Failed(_) => {
                recalled.iter().for_each(CacheSlot::forget);
                let without_cache = Self { cache: None, ..self.clone() };
                return without_cache.ask_program(asked, &mut CompileFolder::new(None));
            }
        }
        Ok(Compilation { outcome, origin })
    }

    /// Runs the compiler `name`, or takes its answer from the cache. If sources are kept, command
    /// line and output are kept, too.
    fn run(&self, name: &'static str, folder: &mut CompileFolder, arguments: &[String]) -> io::Result<CompileStep<'_>> {
        let Some(compiler) = self.compiler(name) else {
            return Ok(CompileStep::asked(CompilerAnswer::Broken(absent(name))));
        };

        let slot = self.slot_of_answer(compiler, folder, arguments);
        let known = slot.as_ref().and_then(CacheSlot::recall);
        if let Some((AnswerOfProgram { status, stdout, stderr, files }, origin)) = known {
            for (file, content) in files {
                folder.add(&file, content)?;
            }
            let finished = ProcessOutput { end: ProcessEnd::Exited(status), stdout, stderr };
            let answer = compiler.answer(Ok(finished));
            return Ok(CompileStep { origin, recalled: slot, ..CompileStep::asked(answer) });
        }
        if let Some(cache) = &self.cache {
            cache.note_asked(EntryKind::Compilation, slot.as_ref());
        }

        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let path = folder.path()?;
        let answer = match self.services.run(compiler, path, &words) {
            Some(finished) => compiler.answer(finished),
            None => compiler.ask(path, &words),
        };

        if self.kept.is_some() {
            let command = format!("{} {}\n", compiler.program().display(), words.join(" "));
            fs::OpenOptions::new().append(true).open(path.join(COMMAND))?.write_all(command.as_bytes())?;
            if let CompilerAnswer::Accepted(finished) = &answer {
                fs::write(path.join("stdout"), &finished.stdout)?;
            }
        }
        let to_keep = slot.and_then(|slot| to_keep(name, &answer, folder).map(|answer| (slot, answer)));
        Ok(CompileStep { to_keep, ..CompileStep::asked(answer) })
    }

    /// The place of an answer in the cache; `None` if the cache is not used, or must not be used
    /// for this question.
    fn slot_of_answer(
        &self,
        compiler: &Compiler,
        folder: &CompileFolder,
        arguments: &[String],
    ) -> Option<CacheSlot<'_>> {
        let cache = self.cache.as_deref().filter(|_| self.kept.is_none())?;
        let files = folder.known_files()?;
        let program = &deciding_files(compiler)?;
        let kind = EntryKind::Compilation;
        cache.slot(&ProgramQuestion { kind, program, arguments, files, input: b"" })
    }
}

/// The input of a program, and optionally for a second one that follows.
#[derive(Clone, Copy)]
struct ProgramRequest<'a> {
    toolchain: &'static Toolchain,
    compiler: &'static str,
    line: &'a CommandLine,
    input: &'a [u8],
}

struct CompileStep<'a> {
    answer: CompilerAnswer,
    origin: AnswerOrigin,
    recalled: Option<CacheSlot<'a>>,
    /// The answer in the form that the cache keeps, if it may be kept.
    to_keep: Option<(CacheSlot<'a>, AnswerOfProgram)>,
}

impl CompileStep<'_> {
    fn asked(answer: CompilerAnswer) -> Self {
        Self { answer, origin: AnswerOrigin::Asked, recalled: None, to_keep: None }
    }

    fn keep(&self) {
        if let Some((slot, answer)) = &self.to_keep {
            slot.keep(answer);
        }
    }
}

/// The answer of a compiler and its files in the form that the cache keeps. `None` for results that
/// may change next time: a crash, a time-out, a failure that is not about the source, and output
/// that is not files.
fn to_keep(name: &str, answer: &CompilerAnswer, folder: &mut CompileFolder) -> Option<AnswerOfProgram> {
    let driver = driver_named(name)?;
    let written = folder.take_up()?;
    let (finished, files) = match answer {
        CompilerAnswer::Accepted(finished) => (finished, written),
        CompilerAnswer::Refused(finished) => (finished, BTreeMap::new()),
        CompilerAnswer::Broken(_) => return None,
    };

    let ProcessEnd::Exited(status) = finished.end else { return None };
    let (stdout, stderr) = (finished.stdout.clone(), finished.stderr.clone());
    (status == 0 || driver.is_refusal(status)).then_some(AnswerOfProgram { status, stdout, stderr, files })
}

/// Prepares the directly called compilers from the programs that were found, by the names of their
/// drivers.
fn direct_compilers(compilers: &[Compiler]) -> BTreeMap<&'static str, Arc<dyn DirectCompiler>> {
    let prepared = |driver: &&dyn CompilerDriver| match driver.method() {
        CompileMethod::CommandLine(_) | CompileMethod::Translates(_) => None,
        CompileMethod::Calls(prepare) => Some((driver.name(), prepare(compilers)?)),
    };
    DRIVERS.iter().filter_map(prepared).collect()
}

impl Compilers for Toolchains {
    fn has(&self, toolchain: &Toolchain) -> bool {
        self.missing(toolchain).is_none()
    }

    fn version(&self, toolchain: &Toolchain) -> Option<&str> {
        self.compiler(toolchain.compiler).map(Compiler::version)
    }

    /// Asks once more if the compiler fails without an answer. A time limit that passed would only pass
    /// again.
    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        let ask = || {
            self.ask(request)
                .unwrap_or_else(|error| CompileOutcome::Failed(format!("{}: {error}", request.toolchain)).into())
        };
        let started = Instant::now();
        let first = ask();
        let CompileOutcome::Failed(sentence) = &first.outcome else { return first };
        let limit = self.compiler(request.toolchain.compiler).map_or(TIME_LIMIT, Compiler::limit);
        if started.elapsed() >= limit || is_ending() {
            return first;
        }
        let again = ask();
        let absorbed = !matches!(again.outcome, CompileOutcome::Failed(_));
        let failure = CompileFailure { toolchain: request.toolchain.name, sentence: sentence.clone(), absorbed };
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
        again
    }

    fn reader(&self) -> &dyn ModuleReader {
        self.reader.as_deref().unwrap_or(&InProcessReader)
    }
}

/// The processes that answer for a compiler, started by its driver; `None` if it has no service.
fn service_of(compiler: &Compiler) -> Option<Box<dyn CompileService>> {
    driver_named(compiler.name())?.service(compiler)
}

/// The folder for a name that may contain a user's path; drops the parts that lead elsewhere.
fn folder_name(name: &str) -> PathBuf {
    let down = |part: &Component<'_>| matches!(part, Component::Normal(_));
    Path::new(name).components().filter(down).collect()
}

/// Distinguishes a refusal of the source from a crash that the compiler catches itself.
fn refusal(compiler: &str, finished: &ProcessOutput) -> CompileOutcome {
    let words = first_error(&finished.stderr, &finished.stdout);
    let crash = driver_named(compiler).and_then(|driver| driver.caught_crash(compiler, &finished.stderr, &words));
    crash.map_or(CompileOutcome::Rejected(words), CompileOutcome::Failed)
}

fn absent(compiler: &str) -> String {
    format!("{compiler} is not on this machine")
}

#[cfg(test)]
mod tests;
