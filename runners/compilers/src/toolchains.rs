//! The compilers of this machine as [`Compilers`], for the checks, which know toolchains but no processes.
//!
//! Each source is compiled in a folder of its own, which stays after [`Toolchains::keep`]. Its driver says how a compiler is
//! asked ([`drivers`](crate::drivers)).

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use layoutproof_core::inspect::module_reader::{InProcessReader, ModuleReader};
use layoutproof_core::inspect::toolchain::{
    AnswerOrigin, CodeTarget, Compilation, CompileOutcome, CompileRequest, Compilers, SourceProfile, SourceText,
    Toolchain, toolchains,
};
use layoutproof_core::probe::Stage;
use layoutproof_layout::LayoutOptions;

use crate::cache::{AnswerCache, AnswerKind, AnswerOfProgram, CacheSlot, ProgramQuestion, RecalledAnswer};
use crate::child::{ProcessEnd, ProcessOutput};
use crate::compile_folder::CompileFolder;
use crate::compile_service::{CompileService, CompileServices};
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::{
    CommandLine, CompileMethod, CompilerDriver, DRIVERS, DirectCompiler, Translation, driver_named, driver_of,
    first_error,
};
use crate::family::Family;
use crate::lookup::CompilersOfMachine;
use crate::tools_folder::ToolsFolder;

/// Name of the file with the command lines.
const COMMAND: &str = "command";

/// The compilers of this machine.
#[derive(Clone, Debug)]
pub struct Toolchains {
    compilers: Vec<Compiler>,
    /// The compilers that are asked by calls and not by command lines, by their drivers' names.
    direct: BTreeMap<&'static str, Arc<dyn DirectCompiler>>,
    notes: Vec<String>,
    kept: Option<PathBuf>,
    services: Arc<CompileServices>,
    /// Reads what compilers make; `None` for this process itself.
    reader: Option<Arc<dyn ModuleReader>>,
    /// Answers of earlier runs.
    cache: Option<Arc<AnswerCache>>,
}

impl Default for Toolchains {
    /// Only the compilers that are built in.
    fn default() -> Self {
        Self::of(CompilersOfMachine::default())
    }
}

impl Toolchains {
    /// Every compiler that is there.
    pub fn find(tools: Option<&ToolsFolder>) -> Self {
        Self::of(Compiler::look(tools))
    }

    /// Those that these toolchains need, where they are there.
    pub fn find_for(tools: Option<&ToolsFolder>, wanted: &[&'static Toolchain]) -> Self {
        Self::of(Compiler::look_for(tools, wanted))
    }

    fn of(machine: CompilersOfMachine) -> Self {
        let CompilersOfMachine { compilers, notes } = machine;
        let direct = direct_compilers(&compilers);
        let services = Arc::new(CompileServices::new(service_of));
        Self { compilers, direct, notes, kept: None, services, reader: None, cache: None }
    }

    /// Sentences for the user about programs that are not used, or are used although somebody else owns them.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// One compiler alone, as the one of its family.
    pub fn only(compiler: Compiler, family: Family) -> Self {
        Self::of(CompilersOfMachine { compilers: vec![compiler.of_family(family)], notes: Vec::new() })
    }

    /// The command line for a source without options of its own, with `program` for the compiler.
    pub fn command_line(program: &str, toolchain: &'static Toolchain) -> String {
        let request = CompileRequest {
            toolchain,
            name: "",
            source: SourceText::default(),
            entry: "main",
            stage: Stage::Compute,
            options: LayoutOptions::default(),
            target: CodeTarget::Newest,
            profile: SourceProfile::Newest,
            extra: Vec::new(),
        };

        let arguments = match driver_of(toolchain).method() {
            CompileMethod::CommandLine(command_line) => command_line(&request).arguments,
            CompileMethod::Translates(_) | CompileMethod::Calls(_) => Vec::new(),
        };
        format!("{program} {}", arguments.join(" "))
    }

    /// Keeps sources and artifacts below this folder, one folder for each compilation.
    #[must_use]
    pub fn keep(self, folder: Option<PathBuf>) -> Self {
        Self { kept: folder, ..self }
    }

    /// Gives every compiler this time for each source.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        let compilers = self.compilers.into_iter().map(|compiler| compiler.with_limit(limit));
        let compilers: Vec<Compiler> = compilers.collect();
        // Those that are asked by calls were made of the compilers, and have limits of their own.
        let direct = direct_compilers(&compilers);
        Self { compilers, direct, ..self }
    }

    /// Lets this reader read what compilers make and only third-party code can read.
    #[must_use]
    pub fn with_reader(self, reader: Arc<dyn ModuleReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// Asks no compiler for what this cache knows, and keeps in it what they answer. Where files are kept for the user
    /// ([`Toolchains::keep`]), compilers are asked all the same: what they wrote is theirs, and so are the command lines.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<AnswerCache>>) -> Self {
        Self { cache, ..self }
    }

    /// The compilers, in the order in which they are listed.
    pub fn compilers(&self) -> &[Compiler] {
        &self.compilers
    }

    /// The toolchains that a name stands for: one of them, all of a compiler, or `all` of those that are there. A
    /// compiler that is there goes without the toolchains whose other compiler is not.
    pub fn named(&self, name: &str) -> Vec<&'static Toolchain> {
        let of = |toolchain: &&Toolchain| match name {
            "all" => self.has(toolchain),
            name => {
                let whole = self.has(toolchain) || self.compiler(name).is_none();
                toolchain.name == name || (toolchain.compiler == name && whole)
            }
        };
        toolchains().iter().filter(of).collect()
    }

    /// The compilers that `asked` need, by name: version and SHA-256 of each, so that another build shows.
    pub fn builds(&self, asked: &[&'static Toolchain]) -> BTreeMap<String, String> {
        let names = asked.iter().flat_map(|toolchain| [Some(toolchain.compiler), toolchain.second_compiler]);
        let needed = names.flatten().filter_map(|name| self.compiler(name));
        let build = |compiler: &Compiler| {
            let remembered = self.cache.as_ref().and_then(|cache| cache.file_digest(compiler.file()).ok());
            let digest = remembered.map_or_else(|| compiler.digest(), Ok);
            let digest = digest.unwrap_or_else(|error| format!("of a file that cannot be read: {error}"));
            (compiler.name().to_owned(), format!("{}, SHA-256 {digest}", compiler.version()))
        };
        needed.map(build).collect()
    }

    fn compiler(&self, name: &str) -> Option<&Compiler> {
        self.compilers.iter().find(|compiler| compiler.name() == name)
    }

    /// True if the compiler of this name can be asked.
    fn has_compiler(&self, name: &str) -> bool {
        driver_named(name).is_some_and(|driver| match driver.method() {
            CompileMethod::CommandLine(_) => self.compiler(name).is_some(),
            CompileMethod::Translates(_) => true,
            CompileMethod::Calls(_) => self.direct.contains_key(driver.name()),
        })
    }

    fn ask(&self, request: &CompileRequest<'_>) -> io::Result<Compilation> {
        let mut folder = CompileFolder::new(self.kept.as_ref().map(|kept| below(kept, request.name)));
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
                    text: &request.source.text,
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

    /// Asks the compiler that goes on with what another one wrote.
    fn ask_second(
        &self,
        request: &CompileRequest<'_>,
        folder: &mut CompileFolder,
        translation: &Translation,
    ) -> io::Result<Compilation> {
        let toolchain = request.toolchain;
        let Some(compiler) = toolchain.second_compiler else {
            return Ok(CompileOutcome::Failed(format!("{toolchain} has no second compiler")).into());
        };
        if self.kept.is_some() {
            folder.add(&translation.source, request.source.text.as_bytes().to_vec())?;
        }
        let asked = ProgramRequest { toolchain, compiler, line: &translation.second, text: &translation.text };
        self.ask_program(asked, folder)
    }

    /// Asks a program, or two in a row, unless the cache has their answers. An answer from there that is of no use is asked
    /// for again.
    fn ask_program(&self, asked: ProgramRequest<'_>, folder: &mut CompileFolder) -> io::Result<Compilation> {
        folder.add(&asked.line.source, asked.text.as_bytes().to_vec())?;
        if let Some(header) = asked.line.header {
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

        let compilation = match &step.answer {
            CompilerAnswer::Accepted(finished) => (asked.line.read)(folder, finished),
            CompilerAnswer::Refused(finished) => Ok(refusal(compiler, finished)),
            CompilerAnswer::Broken(sentence) => Ok(CompileOutcome::Failed(sentence.clone())),
        };
        let failed = |reason| CompileOutcome::Failed(format!("{}: {reason}", asked.toolchain));
        let outcome = compilation.unwrap_or_else(failed);

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

    /// Runs the compiler `name`, or has its answer from the cache; command and output are kept where sources are.
    fn run(&self, name: &'static str, folder: &mut CompileFolder, arguments: &[String]) -> io::Result<CompileStep<'_>> {
        let Some(compiler) = self.compiler(name) else {
            return Ok(CompileStep::asked(CompilerAnswer::Broken(absent(name))));
        };

        let slot = self.slot_of_answer(compiler, folder, arguments);
        let known = slot.as_ref().and_then(CacheSlot::recall);
        if let Some(RecalledAnswer { answer, origin }) = known {
            let AnswerOfProgram { status, stdout, stderr, files } = answer;
            for (file, content) in files {
                folder.add(&file, content)?;
            }
            let finished = ProcessOutput { end: ProcessEnd::Exited(status), stdout, stderr };
            let answer = compiler.answer(Ok(finished));
            return Ok(CompileStep { origin, recalled: slot, ..CompileStep::asked(answer) });
        }
        if let Some(cache) = &self.cache {
            cache.note_asked(AnswerKind::Compilation, slot.as_ref());
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
        let to_keep = slot.and_then(|slot| to_keep(name, &answer, folder).map(|answer| AnswerToKeep { slot, answer }));
        Ok(CompileStep { to_keep, ..CompileStep::asked(answer) })
    }

    /// Where the cache has the answer to a question, or will have it; `None` where it is not used, or must not be.
    fn slot_of_answer(
        &self,
        compiler: &Compiler,
        folder: &CompileFolder,
        arguments: &[String],
    ) -> Option<CacheSlot<'_>> {
        let cache = self.cache.as_deref().filter(|_| self.kept.is_none())?;
        let files = folder.known_files()?;
        let program = &compiler.deciding_files(driver_named(compiler.name())?.deciding_files(compiler)?);
        let kind = AnswerKind::Compilation;
        cache.slot(&ProgramQuestion { kind, program, arguments, files, input: b"" })
    }
}

/// A text for a program, and perhaps for a second one behind it.
#[derive(Clone, Copy)]
struct ProgramRequest<'a> {
    toolchain: &'static Toolchain,
    /// The name of the first program.
    compiler: &'static str,
    line: &'a CommandLine,
    text: &'a str,
}

/// The answer of one program.
struct CompileStep<'a> {
    answer: CompilerAnswer,
    origin: AnswerOrigin,
    /// Where the cache had it, if that is where it comes from.
    recalled: Option<CacheSlot<'a>>,
    /// The answer as the cache takes it, if it does.
    to_keep: Option<AnswerToKeep<'a>>,
}

struct AnswerToKeep<'a> {
    slot: CacheSlot<'a>,
    answer: AnswerOfProgram,
}

impl CompileStep<'_> {
    fn asked(answer: CompilerAnswer) -> Self {
        Self { answer, origin: AnswerOrigin::Asked, recalled: None, to_keep: None }
    }

    /// Gives the answer to the cache.
    fn keep(&self) {
        if let Some(AnswerToKeep { slot, answer }) = &self.to_keep {
            slot.keep(answer);
        }
    }
}

/// What the compiler of this name answered, with what it wrote, as the cache takes it. `None` for what may be otherwise the
/// next time: a crash, a time-out, a failure that says nothing of the source, and files that are no files.
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

/// The compilers that are asked by calls, by the names of their drivers, made of the programs that are there.
fn direct_compilers(compilers: &[Compiler]) -> BTreeMap<&'static str, Arc<dyn DirectCompiler>> {
    let prepared = |driver: &&dyn CompilerDriver| match driver.method() {
        CompileMethod::CommandLine(_) | CompileMethod::Translates(_) => None,
        CompileMethod::Calls(prepare) => Some((driver.name(), prepare(compilers)?)),
    };
    DRIVERS.iter().filter_map(prepared).collect()
}

impl Compilers for Toolchains {
    fn has(&self, toolchain: &Toolchain) -> bool {
        let mut needed = [toolchain.compiler].into_iter().chain(toolchain.second_compiler);
        needed.all(|compiler| self.has_compiler(compiler))
    }

    fn version(&self, toolchain: &Toolchain) -> Option<&str> {
        self.compiler(toolchain.compiler).map(Compiler::version)
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        self.ask(request)
            .unwrap_or_else(|error| CompileOutcome::Failed(format!("{}: {error}", request.toolchain)).into())
    }

    fn reader(&self) -> &dyn ModuleReader {
        self.reader.as_deref().unwrap_or(&InProcessReader)
    }
}

/// The processes that answer for a compiler, which its driver knows how to start; `None` where it has none.
fn service_of(compiler: &Compiler) -> Option<Box<dyn CompileService>> {
    driver_named(compiler.name())?.service(compiler)
}

/// The folder of this name below another one, whatever a user's path leads to: a file's name is part of it.
fn below(folder: &Path, name: &str) -> PathBuf {
    let down = |part: &Component<'_>| matches!(part, Component::Normal(_));
    folder.join(Path::new(name).components().filter(down).collect::<PathBuf>())
}

/// Tells a refusal of the source from a crash that the compiler of this name catches itself.
fn refusal(compiler: &str, finished: &ProcessOutput) -> CompileOutcome {
    let words = first_error(&finished.stderr, &finished.stdout);
    let crash = driver_named(compiler).and_then(|driver| driver.caught_crash(&finished.stderr, &words));
    crash.map_or(CompileOutcome::Rejected(words), CompileOutcome::Failed)
}

/// The message for a compiler that was not found.
fn absent(compiler: &str) -> String {
    format!("{compiler} is not on this machine")
}

#[cfg(test)]
mod tests;
