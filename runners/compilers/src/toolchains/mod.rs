//! The compilers of this machine as [`Compile`]: a request in, a command line for one of them, its artifact out.
//!
//! Each compilation is a child process in a folder of its own, which [`Toolchains::keep`] makes stay.

mod dxc;
mod slang;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use layoutproof::layout::LayoutOptions;
use layoutproof::toolchain::{Compilation, Compile, CompileRequest, Language, Made, SourceText, Toolchain, toolchains};

use crate::child::Finished;
use crate::compiler::{Answer, Compiler};
use crate::family::Family;

/// Name of the source in its folder, without extension.
const SOURCE: &str = "probe";

/// The compilers of this machine.
#[derive(Clone, Debug, Default)]
pub struct Toolchains {
    compilers: Vec<Compiler>,
    kept: Option<PathBuf>,
}

impl Toolchains {
    /// Every compiler that is there; `fetched` is the folder of `ci/setup.sh`.
    pub fn find(fetched: Option<&Path>) -> Self {
        Self { compilers: Compiler::all(fetched), kept: None }
    }

    /// One compiler alone, as the one of its family.
    pub fn only(compiler: Compiler, family: Family) -> Self {
        Self { compilers: vec![compiler.of_family(family)], kept: None }
    }

    /// The command line for a source that asks for nothing of its own, with `program` for the compiler.
    pub fn command_line(program: &str, toolchain: &'static Toolchain) -> String {
        let request = CompileRequest {
            toolchain,
            name: "",
            source: SourceText::default(),
            entry: "main",
            options: LayoutOptions::default(),
            extra: Vec::new(),
        };
        format!("{program} {}", call(&request).arguments.join(" "))
    }

    /// Keeps sources and artifacts below this folder, one folder for each compilation.
    #[must_use]
    pub fn keep(self, folder: Option<PathBuf>) -> Self {
        Self { kept: folder, ..self }
    }

    /// The compilers, in the order in which they are listed.
    pub fn compilers(&self) -> &[Compiler] {
        &self.compilers
    }

    /// The toolchains that a name stands for: one of them, all of a compiler, or `all` of those that are there.
    pub fn named(&self, name: &str) -> Vec<&'static Toolchain> {
        let of = |toolchain: &&Toolchain| match name {
            "all" => self.has(toolchain),
            name => toolchain.name == name || toolchain.compiler == name,
        };
        toolchains().iter().filter(of).collect()
    }

    fn compiler(&self, toolchain: &Toolchain) -> Option<&Compiler> {
        self.compilers.iter().find(|compiler| compiler.name() == toolchain.compiler)
    }

    fn ask(&self, request: &CompileRequest<'_>) -> io::Result<Compilation> {
        let Some(compiler) = self.compiler(request.toolchain) else {
            return Ok(Compilation::Broken(format!("{} is not on this machine", request.toolchain.compiler)));
        };
        let scratch;
        let folder = match &self.kept {
            Some(kept) => {
                let folder = kept.join(request.name);
                fs::create_dir_all(&folder)?;
                folder
            }
            None => {
                scratch = tempfile::tempdir()?;
                scratch.path().to_owned()
            }
        };
        let call = call(request);
        fs::write(folder.join(&call.source), &request.source.text)?;
        let arguments: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
        if self.kept.is_some() {
            fs::write(folder.join("command"), format!("{} {}\n", compiler.program().display(), arguments.join(" ")))?;
        }
        let answer = match compiler.ask(&folder, &arguments) {
            Answer::Accepted(finished) => (call.read)(&folder, &finished),
            Answer::Refused(finished) => Ok(Compilation::Refused(first_error(&finished))),
            Answer::Broken(sentence) => Ok(Compilation::Broken(sentence)),
        };
        answer.or_else(|reason| Ok(Compilation::Broken(format!("{}: {reason}", request.toolchain))))
    }
}

impl Compile for Toolchains {
    fn has(&self, toolchain: &Toolchain) -> bool {
        self.compiler(toolchain).is_some()
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        self.ask(request).unwrap_or_else(|error| Compilation::Broken(format!("{}: {error}", request.toolchain)))
    }
}

fn call(request: &CompileRequest<'_>) -> Call {
    match request.toolchain.language {
        Language::Slang => slang::call(request),
        Language::Hlsl => dxc::call(request),
    }
}

/// A command line, and how to read what comes of it.
struct Call {
    /// Name of the file that the source is written to.
    source: String,
    arguments: Vec<String>,
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
fn first_error(finished: &Finished) -> String {
    let lines = || finished.stderr.lines().chain(finished.stdout.lines()).map(str::trim);
    let error = lines().find(|line| line.contains("error"));
    let line = error.or_else(|| lines().find(|line| !line.is_empty())).unwrap_or("without a word");
    line.split_once("error").map_or(line, |(_, behind)| behind.trim_start_matches([':', ' '])).to_owned()
}

/// The words of a SPIR-V file.
fn spirv(path: &Path) -> Result<Vec<u32>, String> {
    let bytes = fs::read(path).map_err(|error| format!("it wrote no module: {error}"))?;
    if bytes.is_empty() || bytes.len() % 4 != 0 {
        return Err(format!("a module of {} bytes", bytes.len()));
    }
    let words = bytes.chunks_exact(4);
    Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn made(shader: layoutproof::runner::Shader, report: layoutproof::toolchain::Report) -> Compilation {
    Compilation::Made(Made { shader, report })
}
