//! The compilers of this machine as [`Compile`]: a request in, a command line for one of them, its artifact out.
//!
//! Each compilation is a child process in a folder of its own, which [`Toolchains::keep`] makes stay; FXC and slangc run on,
//! and naga is built in.

mod clang;
mod dxc;
mod fxc;
mod glslang;
mod naga;
mod slang;
mod tint;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use layoutproof_core::inspect::module_reader::{InProcessReader, ModuleReader};
use layoutproof_core::inspect::toolchain::{
    CodeTarget, Compilation, Compile, CompileRequest, Language, Made, SourceText, Toolchain, toolchains,
};
use layoutproof_layout::LayoutOptions;

use crate::child::{Finished, OUTPUT_LIMIT};
use crate::compiler::{Answer, Compiler, Service};
use crate::d3d::{Fxc, LineService};
use crate::family::Family;
use crate::regular_file;
use crate::scratch::ScratchFolder;
use crate::slang_library::SlangService;
use crate::tools_folder::ToolsFolder;

/// Name of the source in its folder, without extension.
const SOURCE: &str = "probe";

/// Name of the file with the command lines.
const COMMAND: &str = "command";

/// The compilers of this machine.
#[derive(Clone, Debug, Default)]
pub struct Toolchains {
    compilers: Vec<Compiler>,
    /// FXC with what makes its code run.
    fxc: Option<Arc<Fxc>>,
    notes: Vec<String>,
    kept: Option<PathBuf>,
    /// Processes that answer for slangc, once it is asked; `None` where only slangc itself can.
    slang: Arc<OnceLock<Option<SlangService>>>,
    /// Processes of the compilers that serve lines, by the compiler's name, once it is asked.
    serving_lines: Arc<Mutex<BTreeMap<&'static str, Arc<LineService>>>>,
    /// Reads what compilers make; `None` for this process itself.
    reader: Option<Arc<dyn ModuleReader>>,
}

impl Toolchains {
    /// Every compiler that is there.
    pub fn find(tools: Option<&ToolsFolder>) -> Self {
        let (compilers, notes) = Compiler::look(tools);
        let named = |name: &str| compilers.iter().find(|compiler| compiler.name() == name).cloned();
        let fxc = named("fxc").zip(named("vkd3d")).and_then(|(fxc, vkd3d)| Fxc::new(fxc, vkd3d).ok());
        Self { fxc: fxc.map(Arc::new), compilers, notes, ..Self::default() }
    }

    /// What the user should know of programs that are not used, or are used although somebody else owns them, in a
    /// sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// One compiler alone, as the one of its family.
    pub fn only(compiler: Compiler, family: Family) -> Self {
        Self { compilers: vec![compiler.of_family(family)], ..Self::default() }
    }

    /// The command line for a source that asks for nothing of its own, with `program` for the compiler.
    pub fn command_line(program: &str, toolchain: &'static Toolchain) -> String {
        let request = CompileRequest {
            toolchain,
            name: "",
            source: SourceText::default(),
            entry: "main",
            options: LayoutOptions::default(),
            target: CodeTarget::Newest,
            extra: Vec::new(),
        };
        format!("{program} {}", call(&request).arguments.join(" "))
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
        Self { compilers: compilers.collect(), ..self }
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
        let names = asked.iter().flat_map(|toolchain| [Some(toolchain.compiler), toolchain.second_compiler()]);
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

    fn ask(&self, request: &CompileRequest<'_>) -> io::Result<Compilation> {
        let scratch;
        let folder = if let Some(kept) = &self.kept {
            let folder = below(kept, request.name);
            fs::create_dir_all(&folder)?;
            // Of a run before this one.
            fs::write(folder.join(COMMAND), "")?;
            folder
        } else {
            scratch = ScratchFolder::new()?;
            scratch.path().to_owned()
        };
        if let ("fxc", Some(fxc)) = (request.toolchain.compiler, &self.fxc) {
            return fxc::compile(fxc, request, &folder);
        }
        if request.toolchain.compiler == naga::NAME {
            return self.ask_naga(request, &folder);
        }
        self.ask_program(request, &folder, &call(request))
    }

    fn ask_program(&self, request: &CompileRequest<'_>, folder: &Path, call: &Call) -> io::Result<Compilation> {
        fs::write(folder.join(&call.source), &request.source.text)?;
        if let Some((name, text)) = call.header {
            let header = folder.join(name);
            fs::create_dir_all(header.parent().unwrap_or(folder))?;
            fs::write(header, text)?;
        }
        let mut answer = self.run(request.toolchain.compiler, folder, &call.arguments)?;
        if let (Answer::Accepted(_), Some(second)) = (&answer, request.toolchain.second_compiler()) {
            answer = self.run(second, folder, &dxc::translated(slang::TRANSLATED, request))?;
        }
        let compilation = match answer {
            Answer::Accepted(finished) => (call.read)(folder, &finished),
            Answer::Refused(finished) => {
                let words = first_error(&finished.stderr, &finished.stdout);
                Ok(match clang::crash(&finished.stderr) {
                    Some(crash) => Compilation::Broken(crash),
                    None if slang::gave_up(&words) => Compilation::Broken(words),
                    None => Compilation::Refused(words),
                })
            }
            Answer::Broken(sentence) => Ok(Compilation::Broken(sentence)),
        };
        compilation.or_else(|reason| Ok(Compilation::Broken(format!("{}: {reason}", request.toolchain))))
    }

    /// Runs the compiler `name`; command and output are kept where sources are.
    fn run(&self, name: &str, folder: &Path, arguments: &[String]) -> io::Result<Answer> {
        let Some(compiler) = self.compiler(name) else {
            return Ok(Answer::Broken(format!("{name} is not on this machine")));
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let answer = match (compiler.service(), self.slang_service(compiler)) {
            (Service::Lines, _) => compiler.answer(self.line_service(compiler).run(folder, &arguments)),
            (Service::None, Some(service)) => compiler.answer(service.run(folder, &arguments, compiler.limit())),
            (Service::None, None) => compiler.ask(folder, &arguments),
        };
        if self.kept.is_some() {
            let command = format!("{} {}\n", compiler.program().display(), arguments.join(" "));
            fs::OpenOptions::new().append(true).open(folder.join(COMMAND))?.write_all(command.as_bytes())?;
            if let Answer::Accepted(finished) = &answer {
                fs::write(folder.join("stdout"), &finished.stdout)?;
            }
        }
        Ok(answer)
    }

    fn slang_service(&self, compiler: &Compiler) -> Option<&SlangService> {
        if compiler.name() != "slangc" {
            return None;
        }
        self.slang.get_or_init(|| compiler.slang_service()).as_ref()
    }

    /// FXC serves lines too, and is asked elsewhere.
    fn line_service(&self, compiler: &Compiler) -> Arc<LineService> {
        let mut services = self.serving_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let service = services.entry(compiler.name()).or_insert_with(|| Arc::new(LineService::new(compiler.clone())));
        Arc::clone(service)
    }

    fn ask_naga(&self, request: &CompileRequest<'_>, folder: &Path) -> io::Result<Compilation> {
        if self.kept.is_some() {
            fs::write(folder.join(format!("{SOURCE}.comp")), &request.source.text)?;
        }
        Ok(naga::compile(request))
    }
}

impl Compile for Toolchains {
    fn has(&self, toolchain: &Toolchain) -> bool {
        let mut needed = [toolchain.compiler].into_iter().chain(toolchain.second_compiler());
        let is_there = |name| name == naga::NAME || self.compiler(name).is_some();
        needed.all(is_there) && (toolchain.compiler != "fxc" || self.fxc.is_some())
    }

    fn version(&self, toolchain: &Toolchain) -> Option<&str> {
        self.compiler(toolchain.compiler).map(Compiler::version)
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        self.ask(request).unwrap_or_else(|error| Compilation::Broken(format!("{}: {error}", request.toolchain)))
    }

    fn reader(&self) -> &dyn ModuleReader {
        self.reader.as_deref().unwrap_or(&InProcessReader)
    }
}

/// The folder of this name below another one, whatever a user's path leads to: a file's name is part of it.
fn below(folder: &Path, name: &str) -> PathBuf {
    let down = |part: &Component<'_>| matches!(part, Component::Normal(_));
    folder.join(Path::new(name).components().filter(down).collect::<PathBuf>())
}

fn call(request: &CompileRequest<'_>) -> Call {
    match request.toolchain.language {
        Language::ClangHlsl => clang::call(request),
        Language::Slang => slang::call(request),
        Language::Hlsl | Language::OldHlsl => dxc::call(request),
        Language::Glsl => glslang::call(request),
        Language::Wgsl => tint::call(request),
    }
}

/// A command line, and how to read what comes of it.
struct Call {
    /// Name of the file that the source is written to.
    source: String,
    arguments: Vec<String>,
    /// A file beside the source, by its path in the folder, with its text.
    header: Option<(&'static str, &'static str)>,
    read: fn(&Path, &Finished) -> Result<Compilation, String>,
}

/// Macros and folders as all compilers here take them.
fn preprocessing(source: &SourceText) -> impl Iterator<Item = String> {
    let defines = source.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    let folders = source.include_paths.iter().flat_map(|folder| ["-I".to_owned(), absolute(folder)]);
    defines.chain(folders)
}

/// A folder that still means the same elsewhere.
fn absolute(folder: &str) -> String {
    std::path::absolute(folder).map_or(folder.to_owned(), |path| path.display().to_string())
}

/// The first error of a compiler's output, without the place: it is that of a file that is gone.
fn first_error(stderr: &str, stdout: &str) -> String {
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim);
    // glslang: `ERROR: probe.comp:4: 'm' : no such thing`.
    if let Some(line) = lines().find_map(|line| line.strip_prefix("ERROR: ")) {
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = line.splitn(3, ':').collect();
        return match parts.as_slice() {
            [_, number, words] if is_number(number) => words.trim().to_owned(),
            _ => line.to_owned(),
        };
    }
    let error = lines().find(|line| line.contains("error"));
    let line = error.or_else(|| lines().find(|line| !line.is_empty())).unwrap_or("without a word");
    line.split_once("error").map_or(line, |(_, behind)| behind.trim_start_matches([':', ' '])).to_owned()
}

/// The words of a SPIR-V file.
fn spirv(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = regular_file::read(path, OUTPUT_LIMIT).map_err(|error| match error {
        error if error.is_not_found() => "it says that it succeeded, and wrote no module".to_owned(),
        error => format!("its module cannot be read: {error}"),
    })?;
    if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return Err(format!("it wrote a module of {} bytes, which is none", bytes.len()));
    }
    let words = bytes.chunks_exact(4);
    Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn made(shader: layoutproof_device::Shader, report: layoutproof_core::inspect::toolchain::Report) -> Compilation {
    Compilation::Made(Made { shader, container: None, report })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child::End;

    #[test]
    fn what_is_kept_is_below_the_folder() {
        for name in ["a/my.hlsl/dxc/S", "/a/my.hlsl/dxc/S", "../a/./my.hlsl/dxc/S"] {
            assert_eq!(below(Path::new("kept"), name), Path::new("kept/a/my.hlsl/dxc/S"));
        }
    }

    /// Nobody writes to it: reading it as a file would wait for ever.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_module_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("probe.spv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(spirv(&pipe), Err("its module cannot be read: a pipe is no regular file".to_owned()));
    }

    #[test]
    fn the_first_error_stands_without_its_place() {
        for (said, expected) in [
            // glslangValidator 12.0.0, DXC 1.7.2308, and no word at all.
            (
                "probe.comp\nERROR: probe.comp:4: 'm' : no such thing \nERROR: 2 compilation errors.\n",
                "'m' : no such thing",
            ),
            ("probe.hlsl:3:5: error: unknown type name 'flat'\n", "unknown type name 'flat'"),
            ("ERROR: Linking compute stage: Missing entry point\n", "Linking compute stage: Missing entry point"),
            ("", "without a word"),
        ] {
            let finished = Finished { end: End::Exited(1), stdout: said.to_owned(), stderr: String::new() };
            assert_eq!(first_error(&finished.stderr, &finished.stdout), expected);
        }
    }
}
