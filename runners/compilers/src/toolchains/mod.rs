//! The compilers of this machine as [`Compile`]: a request in, a command line for one of them, its artifact out.
//!
//! Each compilation is a child process in a folder of its own, which [`Toolchains::keep`] makes stay.

mod dxc;
mod slang;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use layoutproof::toolchain::{Compilation, Compile, CompileRequest, Made, SourceText, Toolchain, toolchains};

use crate::child::{Finished, OUTPUT_LIMIT};
use crate::compiler::{Answer, Compiler};

/// Name of the source in its folder, without extension.
const SOURCE: &str = "probe";

/// The compilers of this machine.
#[derive(Clone, Debug, Default)]
pub struct Toolchains {
    compilers: Vec<Compiler>,
    unusable: Vec<String>,
    kept: Option<PathBuf>,
}

impl Toolchains {
    /// Every compiler that is there; `fetched` is the folder of `ci/setup.sh`.
    pub fn find(fetched: Option<&Path>) -> Self {
        let (compilers, unusable) = Compiler::look(fetched);
        Self { compilers, unusable, kept: None }
    }

    /// Why programs that the environment names are no compilers here, in a sentence each.
    pub fn unusable(&self) -> &[String] {
        &self.unusable
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
        let call = match request.toolchain.compiler {
            "slangc" => slang::call(request),
            _ => dxc::call(request),
        };
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
    let unread = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "it says that it succeeded, and wrote no module".to_owned(),
        _ => format!("its module cannot be read: {error}"),
    };
    let length = fs::metadata(path).map_err(unread)?.len();
    if length == 0 || length % 4 != 0 || length > OUTPUT_LIMIT {
        return Err(format!("it wrote a module of {length} bytes, which is none"));
    }
    let bytes = fs::read(path).map_err(unread)?;
    let words = bytes.chunks_exact(4);
    Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn made(shader: layoutproof::runner::Shader, report: layoutproof::toolchain::Report) -> Compilation {
    Compilation::Made(Made { shader, report })
}
