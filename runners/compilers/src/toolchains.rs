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
    CodeTarget, CompileOutcome, CompileRequest, Compilers, SourceProfile, SourceText, Toolchain, toolchains,
};
use layoutproof_core::probe::Stage;
use layoutproof_layout::LayoutOptions;

use crate::child::ProcessOutput;
use crate::compile_service::{CompileService, CompileServices};
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::{
    CommandLine, CompileMethod, CompilerDriver, DRIVERS, DirectCompiler, Translation, driver_named, driver_of,
    first_error,
};
use crate::family::Family;
use crate::lookup::CompilersOfMachine;
use crate::scratch::ScratchFolder;
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

    fn of(machine: CompilersOfMachine) -> Self {
        let CompilersOfMachine { compilers, notes } = machine;
        let direct = direct_compilers(&compilers);
        let services = Arc::new(CompileServices::new(service_of));
        Self { compilers, direct, notes, kept: None, services, reader: None }
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
            let digest = compiler.digest().unwrap_or_else(|error| format!("of a file that cannot be read: {error}"));
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

    fn ask(&self, request: &CompileRequest<'_>) -> io::Result<CompileOutcome> {
        let scratch;
        let folder = if let Some(kept) = &self.kept {
            let folder = below(kept, request.name);
            fs::create_dir_all(&folder)?;
            // An earlier run may have left command lines here.
            fs::write(folder.join(COMMAND), "")?;
            folder
        } else {
            scratch = ScratchFolder::new()?;
            scratch.path().to_owned()
        };

        let driver = driver_of(request.toolchain);
        match (driver.method(), self.direct.get(driver.name())) {
            (CompileMethod::CommandLine(command_line), _) => {
                let compiler = request.toolchain.compiler;
                self.ask_program(request.toolchain, &folder, &command_line(request), compiler, &request.source.text)
            }
            (CompileMethod::Translates(translate), _) => match translate(request, self.reader()) {
                Ok(translation) => self.ask_second(request, &folder, &translation),
                Err(answer) => Ok(answer),
            },
            (CompileMethod::Calls(_), Some(compiler)) => compiler.compile(request, &folder),
            (CompileMethod::Calls(_), None) => Ok(CompileOutcome::Failed(absent(driver.name()))),
        }
    }

    /// Asks the compiler that goes on with what another one wrote.
    fn ask_second(
        &self,
        request: &CompileRequest<'_>,
        folder: &Path,
        translation: &Translation,
    ) -> io::Result<CompileOutcome> {
        let Some(compiler) = request.toolchain.second_compiler else {
            return Ok(CompileOutcome::Failed(format!("{} has no second compiler", request.toolchain)));
        };
        fs::write(folder.join(&translation.source), &request.source.text)?;
        self.ask_program(request.toolchain, folder, &translation.second, compiler, &translation.text)
    }

    /// Asks `compiler`, which `toolchain` starts with this command line, about `text`.
    fn ask_program(
        &self,
        toolchain: &'static Toolchain,
        folder: &Path,
        line: &CommandLine,
        mut compiler: &'static str,
        text: &str,
    ) -> io::Result<CompileOutcome> {
        fs::write(folder.join(&line.source), text)?;
        if let Some(header) = line.header {
            let path = folder.join(header.path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, header.text)?;
        }

        let mut answer = self.run(compiler, folder, &line.arguments)?;
        if let (CompilerAnswer::Accepted(_), Some(second)) = (&answer, &line.second) {
            compiler = second.compiler;
            answer = self.run(compiler, folder, &second.arguments)?;
        }

        let compilation = match answer {
            CompilerAnswer::Accepted(finished) => (line.read)(folder, &finished),
            CompilerAnswer::Refused(finished) => Ok(refusal(compiler, &finished)),
            CompilerAnswer::Broken(sentence) => Ok(CompileOutcome::Failed(sentence)),
        };
        compilation.or_else(|reason| Ok(CompileOutcome::Failed(format!("{toolchain}: {reason}"))))
    }

    /// Runs the compiler `name`; command and output are kept where sources are.
    fn run(&self, name: &str, folder: &Path, arguments: &[String]) -> io::Result<CompilerAnswer> {
        let Some(compiler) = self.compiler(name) else { return Ok(CompilerAnswer::Broken(absent(name))) };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = match self.services.run(compiler, folder, &arguments) {
            Some(finished) => compiler.answer(finished),
            None => compiler.ask(folder, &arguments),
        };

        if self.kept.is_some() {
            let command = format!("{} {}\n", compiler.program().display(), arguments.join(" "));
            fs::OpenOptions::new().append(true).open(folder.join(COMMAND))?.write_all(command.as_bytes())?;
            if let CompilerAnswer::Accepted(finished) = &answer {
                fs::write(folder.join("stdout"), &finished.stdout)?;
            }
        }
        Ok(answer)
    }
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

    fn compile(&self, request: &CompileRequest<'_>) -> CompileOutcome {
        self.ask(request).unwrap_or_else(|error| CompileOutcome::Failed(format!("{}: {error}", request.toolchain)))
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
mod tests {
    use super::*;

    /// FXC is asked by calls, through an object that is made before the limit is known.
    #[cfg(unix)]
    #[test]
    fn a_limit_reaches_compilers_that_are_asked_by_calls() {
        let hangs = |name| Compiler::script(name, "read -r line; exec sleep 1000");
        let compilers = vec![hangs("fxc"), hangs("vkd3d")];
        let machine = CompilersOfMachine { compilers, notes: Vec::new() };
        let asked = Toolchains::of(machine).limit(Duration::from_millis(200));
        let toolchain = toolchains().iter().find(|toolchain| toolchain.compiler == "fxc").unwrap();

        let request = CompileRequest {
            toolchain,
            name: "a",
            source: SourceText::default(),
            entry: "main",
            stage: Stage::Compute,
            options: LayoutOptions::default(),
            target: CodeTarget::Newest,
            profile: SourceProfile::Newest,
            extra: Vec::new(),
        };
        assert_eq!(asked.compile(&request), CompileOutcome::Failed("fxc gave no answer in 200ms".to_owned()));
    }

    #[test]
    fn what_is_kept_is_below_the_folder() {
        for name in ["a/my.hlsl/dxc/S", "/a/my.hlsl/dxc/S", "../a/./my.hlsl/dxc/S"] {
            assert_eq!(below(Path::new("kept"), name), Path::new("kept/a/my.hlsl/dxc/S"));
        }
    }
}
