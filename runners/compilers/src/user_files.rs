//! Asks DXC, glslang and slangc about a user's files, in processes that the caller limits.
//!
//! `layoutproof show`, `check` and `run` list a DXIL container, so that its reflection can be read,
//! and compile GLSL, so that its layout can be read from the SPIR-V. Includes must already be resolved
//! in the text. DXC crashes on damaged bitcode. `show` and `check` ask slangc and DXC about files that we
//! cannot read; these compilers open the file and its includes themselves,
//! as far as the caller lets them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use layoutproof_readers::glslang::{GlslAnswer, GlslCheck, GlslDialect, GlslError, GlslRequest};

use crate::cache::{AnswerCache, AnswerOfProgram, CacheSlot, EntryKind, ProgramQuestion};
use crate::child::{OUTPUT_LIMIT, ProcessEnd, ProcessOutput, run};
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::{deciding_files, first_error, metal, slang_error_number};
use crate::regular_file;
use crate::scratch::ScratchFolder;

/// The files that a compiler needs while it reads a user's file, besides the system's. The caller adds those of the
/// user, and may confine the compiler to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileView {
    /// Files, and folders with everything in them.
    pub readable: Vec<PathBuf>,
    /// Folders that it may also write to.
    pub writable: Vec<PathBuf>,
}

/// The name under which DXC gets the container.
const CONTAINER: &str = "shader.dxil";

/// The option that lists a container, both in the dxc program and in our driver of its library.
pub(crate) const LIST: &str = "-dumpbin";

/// The file name of the text for glslang, which repeats it in errors.
const SOURCE: &str = "shader.glsl";

/// The file name of a text for DXC.
const HLSL_SOURCE: &str = "shader.hlsl";

const MODULE: &str = "shader.spv";

/// The variable with settings of glibc, which other C libraries ignore.
const ALLOCATOR: &str = "GLIBC_TUNABLES";

/// The start of glslang's errors.
const ERROR: &str = "ERROR: ";

const REFLECTION: &str = "reflection.json";

/// The reason why DXC lists no container, or Clang compiles no text, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum NoListing {
    #[error("{compiler} refuses the {input}: {words}")]
    Refused { compiler: &'static str, input: &'static str, words: String },
    #[error("{0}")]
    Broken(String),
    #[error("{compiler} could not be run: {error}")]
    NotRun { compiler: &'static str, error: io::Error },
}

/// Asks DXC for its listing of `container`, within the time `limit`. `limited` may wrap the command
/// in a process with further limits.
pub fn ask_for_listing(
    dxc: &Compiler,
    container: &[u8],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> Result<String, NoListing> {
    let answer = ScratchFolder::new().and_then(|folder| {
        std::fs::write(folder.path().join(CONTAINER), container)?;
        ask(dxc, folder.path(), &[LIST, CONTAINER], limited, limit)
    });
    match answer {
        Ok(CompilerAnswer::Accepted(finished)) => Ok(finished.stdout),
        Ok(CompilerAnswer::Refused(finished)) => {
            let last = finished.stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
            let words = last.unwrap_or("without a word").to_owned();
            Err(NoListing::Refused { compiler: dxc.name(), input: "container", words })
        }
        Ok(CompilerAnswer::Broken(how)) => Err(NoListing::Broken(how)),
        Err(error) => Err(NoListing::NotRun { compiler: dxc.name(), error }),
    }
}

/// Has Clang compile a text of the Metal Shading Language with our header of Metal's types: its IR, with debug
/// information.
pub fn ask_for_metal(
    clang: &Compiler,
    text: &str,
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> Result<String, NoListing> {
    let answer = ScratchFolder::new().and_then(|folder| {
        let arguments = metal::write_inputs(folder.path(), text)?;
        let answer = ask(clang, folder.path(), &arguments, limited, limit)?;
        Ok((answer, regular_file::read(&folder.path().join(metal::MODULE), OUTPUT_LIMIT)))
    });
    let refused = |words| NoListing::Refused { compiler: "Clang", input: "text", words };
    match answer {
        Ok((CompilerAnswer::Accepted(_), Ok(ir))) => {
            String::from_utf8(ir).map_err(|_| NoListing::Broken("Clang's IR is no text".to_owned()))
        }
        Ok((CompilerAnswer::Accepted(_), Err(error))) => Err(NoListing::Broken(format!("Clang wrote no IR: {error}"))),
        Ok((CompilerAnswer::Refused(finished), _)) => Err(refused(first_error(&finished.stderr, &finished.stdout))),
        Ok((CompilerAnswer::Broken(how), _)) => Err(NoListing::Broken(how)),
        Err(error) => Err(NoListing::NotRun { compiler: "Clang", error }),
    }
}

fn ask(
    compiler: &Compiler,
    folder: &Path,
    arguments: &[&str],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> io::Result<CompilerAnswer> {
    ask_in(compiler, folder, folder, arguments, limited, limit)
}

/// Runs a compiler in `working`, with `scratch` as the place for its files.
fn ask_in(
    compiler: &Compiler,
    working: &Path,
    scratch: &Path,
    arguments: &[&str],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> io::Result<CompilerAnswer> {
    let mut command = compiler.command();
    command.args(arguments).env("TMPDIR", scratch);
    // glslang 16.6 touches 12,800 pages for its built-in declarations: with large pages it takes two thirds of the time.
    if std::env::var_os(ALLOCATOR).is_none() {
        command.env(ALLOCATOR, "glibc.malloc.hugetlb=1");
    }
    let view = FileView { readable: compiler.own_places(), writable: vec![scratch.to_owned()] };
    let finished = run(limited(&command, view)?.current_dir(working), limit);
    Ok(compiler.answer(finished))
}

/// Runs glslang with the time limit `limit`, unless `cache` has its answer. `limited` may wrap the
/// command in a process with further limits.
pub fn ask_for_module(
    glslang: &Compiler,
    request: &GlslRequest<'_>,
    cache: Option<&AnswerCache>,
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> GlslAnswer {
    let arguments = arguments(request);
    let slot = cache.and_then(|cache| module_slot(cache, glslang, &arguments, request.text));
    if let Some((known, _)) = slot.as_ref().and_then(CacheSlot::recall) {
        return known_module(glslang, known);
    }

    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = ScratchFolder::new().and_then(|folder| {
        std::fs::write(folder.path().join(SOURCE), request.text)?;
        Ok(match ask(glslang, folder.path(), &arguments, limited, limit)? {
            CompilerAnswer::Accepted(finished) => match regular_file::read(&folder.path().join(MODULE), OUTPUT_LIMIT) {
                Ok(bytes) => {
                    keep(slot.as_ref(), finished, Some(&bytes));
                    GlslAnswer::Module(bytes)
                }
                Err(error) => GlslAnswer::Broken(format!("glslang wrote no module: {error}")),
            },
            CompilerAnswer::Refused(finished) => {
                let errors = errors(&printed_errors(&finished));
                keep_refusal(slot.as_ref(), finished);
                GlslAnswer::Refused(errors)
            }
            CompilerAnswer::Broken(how) => GlslAnswer::Broken(how),
        })
    });
    answer.unwrap_or_else(|error| GlslAnswer::Broken(format!("{} could not be run: {error}", glslang.name())))
}

/// True if glslang takes a text, or took it according to `cache`.
pub fn glslang_takes(
    glslang: &Compiler,
    GlslCheck { text, stage }: &GlslCheck<'_>,
    cache: Option<&AnswerCache>,
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> bool {
    let arguments = ["-S", stage, SOURCE].map(str::to_owned);
    let slot = cache.and_then(|cache| module_slot(cache, glslang, &arguments, text));
    if let Some((known, _)) = slot.as_ref().and_then(CacheSlot::recall) {
        return known.status == 0;
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = ScratchFolder::new().and_then(|folder| {
        std::fs::write(folder.path().join(SOURCE), text)?;
        ask(glslang, folder.path(), &arguments, limited, limit)
    });
    match answer {
        Ok(CompilerAnswer::Accepted(finished)) => {
            keep(slot.as_ref(), finished, None);
            true
        }
        Ok(CompilerAnswer::Refused(finished)) => {
            keep_refusal(slot.as_ref(), finished);
            false
        }
        Ok(CompilerAnswer::Broken(_)) | Err(_) => false,
    }
}

/// The place for glslang's answer; `None` if it may depend on another file.
fn module_slot<'a>(
    cache: &'a AnswerCache,
    glslang: &Compiler,
    arguments: &[String],
    text: &str,
) -> Option<CacheSlot<'a>> {
    let program = &deciding_files(glslang)?;
    let files = BTreeMap::from([(SOURCE.to_owned(), text.as_bytes().to_vec())]);
    let question = ProgramQuestion { kind: EntryKind::Compilation, program, arguments, files: &files, input: b"" };
    is_whole(text).then(|| cache.slot_of_whole(&question))?
}

/// True if no directive of a text can name another file. The words may occur in comments and in names of
/// extensions.
fn is_whole(text: &str) -> bool {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let names_file = |directive: &str| {
        let directive = directive.trim_start();
        ["include", "import", "embed", "/*"].iter().any(|start| directive.starts_with(start))
    };
    !joined.lines().any(|line| line.split('#').skip(1).any(names_file))
}

fn keep(slot: Option<&CacheSlot<'_>>, finished: ProcessOutput, module: Option<&[u8]>) {
    if let (Some(slot), ProcessOutput { end: ProcessEnd::Exited(status), stdout, stderr }) = (slot, finished) {
        let files = module.map(|bytes| (MODULE.to_owned(), bytes.to_vec())).into_iter().collect();
        slot.keep(&AnswerOfProgram { status, stdout, stderr, files });
    }
}

/// Keeps what glslang refuses. The process that limits glslang ends with the same status if it cannot start glslang, which may
/// work the next time.
fn keep_refusal(slot: Option<&CacheSlot<'_>>, finished: ProcessOutput) {
    if printed_errors(&finished).contains(ERROR) {
        keep(slot, finished, None);
    }
}

fn known_module(glslang: &Compiler, known: AnswerOfProgram) -> GlslAnswer {
    let AnswerOfProgram { status, stdout, stderr, mut files } = known;
    match glslang.answer(Ok(ProcessOutput { end: ProcessEnd::Exited(status), stdout, stderr })) {
        CompilerAnswer::Accepted(_) => match files.remove(MODULE) {
            Some(bytes) => GlslAnswer::Module(bytes),
            None => GlslAnswer::Broken("glslang wrote no module".to_owned()),
        },
        CompilerAnswer::Refused(finished) => GlslAnswer::Refused(errors(&printed_errors(&finished))),
        CompilerAnswer::Broken(how) => GlslAnswer::Broken(how),
    }
}

/// Makes glslang choose the bindings and locations that the text omits, so that it does not refuse
/// the text.
fn arguments(request: &GlslRequest<'_>) -> Vec<String> {
    let dialect: &[&str] = match request.dialect {
        // For Vulkan 1.3 and later, glslang writes workgroup sizes as ids, which rspirv does not
        // read.
        GlslDialect::Vulkan => &["-V", "--target-env", "vulkan1.2"],
        GlslDialect::OpenGl => &["-G"],
    };
    let always = ["--auto-map-bindings", "--auto-map-locations", "-S", request.stage, "-o", MODULE];
    let lines: &[&str] = if request.with_lines { &["-g"] } else { &[] };
    let words = dialect.iter().chain(&always).chain(lines).map(|word| (*word).to_owned());
    words.chain(macros(request.defines)).chain([SOURCE.to_owned()]).collect()
}

fn macros(defines: &[String]) -> impl Iterator<Item = String> {
    defines.iter().map(|define| format!("-D{define}"))
}

/// The reason why slangc wrote no reflection, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum NoReflection {
    #[error("{slangc} refuses the file: {message}")]
    Refused { slangc: String, message: String, number: Option<u32> },
    #[error("{0}")]
    Broken(String),
    #[error("slangc wrote no reflection: {0}")]
    NotWritten(regular_file::ReadError),
    #[error("slangc's reflection is no text")]
    NoText,
    #[error("slangc could not be run: {0}")]
    NotRun(io::Error),
}

impl NoReflection {
    /// True if slangc refuses the file for every target. It numbers its errors by stage, and those that read the file do not
    /// know the target: 1 for an absent file, 15000 on for the preprocessor, 20000 on for the parser, 30000 on for names and
    /// types. Others depend on it: command lines (below 1000), attributes (31000), capabilities (36000), layouts (39000) and
    /// code (40000 on).
    pub fn is_for_every_target(&self) -> bool {
        matches!(self, Self::Refused { number: Some(1 | 10_000..31_000), .. })
    }
}

/// slangc's reflection of a file for this target, as JSON. Nothing is compiled, so that no entry point
/// is needed and parameters without a use are listed.
pub fn ask_for_reflection(
    slangc: &Compiler,
    target: &str,
    arguments: &[String],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> Result<String, NoReflection> {
    let fixed = ["-target", target, "-no-codegen", "-reflection-json", REFLECTION];
    let arguments: Vec<&str> = fixed.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let reflection = ScratchFolder::new().and_then(|folder| {
        Ok(match ask(slangc, folder.path(), &arguments, limited, limit)? {
            CompilerAnswer::Accepted(_) => match regular_file::read(&folder.path().join(REFLECTION), OUTPUT_LIMIT) {
                Ok(bytes) => String::from_utf8(bytes).map_err(|_| NoReflection::NoText),
                Err(error) => Err(NoReflection::NotWritten(error)),
            },
            CompilerAnswer::Refused(finished) => {
                let message = first_error(&finished.stderr, &finished.stdout);
                let number = slang_error_number(&finished.stderr, &finished.stdout);
                Err(NoReflection::Refused { slangc: slangc.title(), message, number })
            }
            CompilerAnswer::Broken(how) => Err(NoReflection::Broken(how)),
        })
    });
    reflection.unwrap_or_else(|error| Err(NoReflection::NotRun(error)))
}

/// slangc's SPIR-V of a file among the arguments, with the line of each instruction.
///
/// # Errors
/// How slangc refused the file, or ended, as a sentence.
pub fn ask_slangc(
    slangc: &Compiler,
    arguments: &[String],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> Result<Vec<u8>, String> {
    // Without -O0 slangc needs a library that its packages for Python lack.
    let fixed = ["-target", "spirv", "-O0", "-g2", "-fvk-use-entrypoint-name", "-o", MODULE];
    let arguments: Vec<&str> = fixed.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let made = ScratchFolder::new().and_then(|folder| {
        Ok(match ask(slangc, folder.path(), &arguments, limited, limit)? {
            CompilerAnswer::Accepted(_) => regular_file::read(&folder.path().join(MODULE), OUTPUT_LIMIT)
                .map_err(|error| format!("slangc wrote no module: {error}")),
            CompilerAnswer::Refused(finished) => {
                Err(format!("slangc refuses the file: {}", first_error(&finished.stderr, &finished.stdout)))
            }
            CompilerAnswer::Broken(how) => Err(how),
        })
    });
    made.unwrap_or_else(|error| Err(format!("slangc could not be run: {error}")))
}

/// The output that DXC writes for HLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DxcOutput {
    /// The listing of its DXIL.
    Listing,
    /// SPIR-V with every parameter, used or not.
    Module,
    /// SPIR-V as programs use it, with the line of each instruction.
    Code,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DxcRefusal {
    /// How DXC refused the file, or ended, as a sentence.
    pub reason: String,
    /// The lines of the given text with errors, from 1.
    pub lines: BTreeSet<usize>,
}

/// DXC's output for `text`, or for a file among the arguments.
pub fn ask_dxc(
    dxc: &Compiler,
    output: DxcOutput,
    text: Option<&str>,
    arguments: &[String],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> Result<Vec<u8>, DxcRefusal> {
    let without_lines = |reason| DxcRefusal { reason, lines: BTreeSet::new() };
    let fixed: &[&str] = match output {
        DxcOutput::Listing => &[],
        DxcOutput::Module => &["-spirv", "-fcgl", "-fspv-target-env=vulkan1.2", "-Fo", MODULE],
        DxcOutput::Code => &["-spirv", "-fspv-target-env=vulkan1.3", "-fspv-debug=line", "-Fo", MODULE],
    };
    let file = text.map(|_| HLSL_SOURCE);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(fixed.iter().copied()).chain(file).collect();
    let made = ScratchFolder::new().and_then(|folder| {
        if let Some(text) = text {
            std::fs::write(folder.path().join(HLSL_SOURCE), text)?;
        }
        Ok(match ask(dxc, folder.path(), &arguments, limited, limit)? {
            CompilerAnswer::Accepted(finished) if output == DxcOutput::Listing => Ok(finished.stdout.into_bytes()),
            CompilerAnswer::Accepted(_) => regular_file::read(&folder.path().join(MODULE), OUTPUT_LIMIT)
                .map_err(|error| without_lines(format!("{} wrote no module: {error}", dxc.title()))),
            CompilerAnswer::Refused(finished) => {
                let first = first_error(&finished.stderr, &finished.stdout);
                let reason = format!("{} refuses the file: {first}", dxc.title());
                Err(DxcRefusal { reason, lines: error_lines(&finished.stderr) })
            }
            CompilerAnswer::Broken(how) => Err(without_lines(how)),
        })
    });
    made.unwrap_or_else(|error| Err(without_lines(format!("{} could not be run: {error}", dxc.title()))))
}

/// DXC's listing of a file among the arguments, which are relative to the folder `working`.
///
/// # Errors
/// DXC could not be run.
pub fn ask_dxc_in(
    dxc: &Compiler,
    working: &Path,
    arguments: &[&str],
    limited: impl Fn(&Command, FileView) -> io::Result<Command>,
    limit: Duration,
) -> io::Result<CompilerAnswer> {
    ask_in(dxc, working, ScratchFolder::new()?.path(), arguments, limited, limit)
}

/// The lines of the text in `shader.hlsl:7:36: error: ...`.
fn error_lines(stderr: &str) -> BTreeSet<usize> {
    let errors = stderr.lines().filter(|line| line.contains(": error: "));
    let places = errors.filter_map(|line| line.rsplit_once(HLSL_SOURCE)?.1.strip_prefix(':')?.split(':').next());
    places.filter_map(|line| line.parse().ok()).collect()
}

/// The stream with glslang's errors: standard output up to version 15, standard error in 16.6.
fn printed_errors(finished: &ProcessOutput) -> String {
    format!("{}\n{}", finished.stdout, finished.stderr)
}

/// Parses glslang's errors, and drops those that only follow from others.
///
/// Source: glslang 12, `ERROR: FILE:LINE: 'TOKEN' : reason`, and `ERROR: ` with a sentence about the whole.
fn errors(printed: &str) -> Vec<GlslError> {
    let said = printed.lines().filter_map(|line| line.trim().strip_prefix(ERROR));
    let errors: Vec<GlslError> = said.filter(|error| !is_summary(error)).map(error).collect();
    let placed: Vec<GlslError> = errors.iter().filter(|error| error.line.is_some()).cloned().collect();
    match (placed.is_empty(), errors.is_empty()) {
        (false, _) => placed,
        (true, false) => errors,
        (true, true) => {
            vec![GlslError { line: None, message: "glslang refuses the text without a message".to_owned() }]
        }
    }
}

fn is_summary(error: &str) -> bool {
    error.ends_with("No code generated.") || error.ends_with("compilation terminated")
}

fn error(said: &str) -> GlslError {
    let placed = said.strip_prefix(SOURCE).and_then(|rest| rest.strip_prefix(':')?.split_once(':'));
    match placed.and_then(|(line, message)| Some((line.parse().ok()?, message))) {
        Some((line, message)) => GlslError { line: Some(line), message: message.trim().to_owned() },
        None => GlslError { line: None, message: said.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_directive_names_a_file() {
        for text in
            ["#extension GL_GOOGLE_include_directive : require\n", "// included\nvoid main() {}", "#define A 1\n"]
        {
            assert!(is_whole(text), "{text}");
        }
        for text in ["#include \"a.glsl\"", "/* */ # include <a>", "#\\\ninclude \"a\"", "#/*\n*/include \"a\""] {
            assert!(!is_whole(text), "{text}");
        }
    }

    #[test]
    fn errors_have_lines_and_what_follows_from_them_is_left_out() {
        // The output of glslang 12.0.0 with `-G` for a shader with an unknown function.
        let printed = "shader.glsl\nERROR: shader.glsl:6: 'foo' : no matching overloaded function found \n\
            ERROR: shader.glsl:6: '' : compilation terminated \nERROR: 2 compilation errors.  No code generated.\n\n\n\
            SPIR-V is not generated for failed compile or link\n";
        let message = "'foo' : no matching overloaded function found".to_owned();
        assert_eq!(errors(printed), [GlslError { line: Some(6), message }]);

        // The output with `-V` for a shader without `main`.
        let printed =
            "shader.glsl\nERROR: Linking compute stage: Missing entry point: Each stage requires one entry point\n";
        let message = "Linking compute stage: Missing entry point: Each stage requires one entry point".to_owned();
        assert_eq!(errors(printed), [GlslError { line: None, message }]);
        assert_eq!(errors("").len(), 1);
    }

    /// The output of DXC 1.7.2308.
    #[test]
    fn lines_with_errors_are_those_of_the_text() {
        let printed = "In file included from shader.hlsl:1:\n/tmp/a.hlsl:4:1: error: unknown type name 'X'\n\
            shader.hlsl:9:36: error: type 'AppendStructuredBuffer<T>' does not provide a subscript operator\n\
            shader.hlsl:13:33: error: use of undeclared identifier 'sn'; did you mean 'N::sn'?\n";
        assert_eq!(error_lines(printed), [9, 13].into());
    }
}
