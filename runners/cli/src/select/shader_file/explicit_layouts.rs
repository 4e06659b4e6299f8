//! Reads files that declare their own offsets: `.spv`, `.wgsl`, `.glsl`, and containers of compiled HLSL.
//!
//! Their blocks are laid out under one name, `declared`, without any rule set. Third-party code reads the files, so it
//! runs in a process of its own.

use std::path::Path;

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_core::input::diagnostics::{Code, Diagnostic};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::inspect::module_reader::{glsl_blocks, spirv_blocks, wgsl_blocks};
use layoutproof_executor::tools::MachineTools;
use layoutproof_layout::{DECLARED, FileId, Span};

use crate::args::{DeclareArgs, ShaderLanguage};
use crate::select::files::{self, FileKind};
use crate::select::inputs::add_text;
use crate::select::shader_file::container_file;
use crate::select::shader_file::glsl_file;
use crate::select::shader_file::laid_out_file::{LaidOutFile, words_of};
use crate::select::shader_file::reader_process::ReaderProcess;

/// Checks that the user names no rule set for such a file but `declared`.
///
/// # Errors
/// A sentence about the first other name.
pub(crate) fn check_rules(path: &Path, names: &[String]) -> anyhow::Result<()> {
    match names.iter().find(|name| *name != DECLARED) {
        None => Ok(()),
        Some(name) => {
            bail!("{} says its own offsets: it has them under `{DECLARED}`, not under `{name}`", path.display())
        }
    }
}

/// The blocks of the file, or why it is refused.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn read(
    path: &Path,
    declare: &DeclareArgs,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<LaidOutFile, Vec<Diagnostic>>> {
    let reader = ReaderProcess::of_this_program()?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if extension.as_deref() == Some("spv") {
        return read_spirv(path, &reader, sources);
    }
    if extension.is_some_and(|extension| container_file::SUFFIXES.contains(&extension.as_str())) {
        let read = container_file::read(path, sources)?;
        return Ok(read.and_then(|container| some(LaidOutFile::from(container.blocks), container.start)));
    }

    let span = add_text(path, sources)?;
    let read = match ShaderLanguage::of(declare.lang, path) {
        Some(ShaderLanguage::Glsl) => read_glsl(path, span, declare, &reader, sources)?,
        _ => read_wgsl(span, &reader, sources),
    };
    Ok(read.and_then(|file| some(file, Span { end: span.start, ..span })))
}

fn read_wgsl(span: Span, reader: &ReaderProcess, sources: &SourceMap) -> Result<LaidOutFile, Vec<Diagnostic>> {
    let text = &sources.file(span.file).text;
    match unprocessed(text, span.file) {
        Some(problem) => Err(vec![problem]),
        None => wgsl_blocks(reader, text, span.file).map(LaidOutFile::from),
    }
}

/// The blocks of a GLSL text: by glslang where it is there, else by naga, which knows a part of the language.
fn read_glsl(
    path: &Path,
    span: Span,
    declare: &DeclareArgs,
    reader: &ReaderProcess,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<LaidOutFile, Vec<Diagnostic>>> {
    let tools = MachineTools::find()?;
    let absent = match Compiler::named("glslang", tools.folder()).compiler {
        Ok(glslang) => return Ok(glsl_file::read(&glslang, path, span, declare, sources)),
        Err(absent) => absent,
    };

    let help = format!("naga read this, which knows a part of GLSL; glslang reads all of it, but {absent}");
    let explained = |problem: Diagnostic| match problem.code {
        Code::BadModule => problem.with_help(&help),
        _ => problem,
    };
    let blocks = glsl_blocks(reader, &sources.file(span.file).text, span.file);
    let read = blocks.map(LaidOutFile::from);
    Ok(read.map_err(|problems| problems.into_iter().map(explained).collect()))
}

/// The problem with a text that is to go through a preprocessor before it is WGSL.
fn unprocessed(text: &str, file: FileId) -> Option<Diagnostic> {
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let (indent, content) = (line.len() - line.trim_start().len(), line.trim());
        if let Some(directive) = content.strip_prefix('#') {
            let start = u32::try_from(line_start + indent).unwrap_or(u32::MAX);
            let end = start.saturating_add(u32::try_from(content.len()).unwrap_or(0));
            return Some(of_naga_oil(directive, Span { file, start, end }));
        }
        line_start += line.len();
    }
    None
}

/// The problem with a line that begins with `#`; `directive` is what follows.
fn of_naga_oil(directive: &str, place: Span) -> Diagnostic {
    let word = directive.split(char::is_whitespace).next().unwrap_or_default();
    let message = format!("`#{word}` is a directive of naga_oil, the preprocessor of Bevy's shaders, and no WGSL");
    let help = "compose the shader with naga_oil first, and give the WGSL or SPIR-V that this makes";
    Diagnostic::error(Code::BadModule, place, message).with_help(help)
}

/// The text of a WGSL file that was just read.
pub(crate) fn wgsl_text(path: &Path, named: Option<ShaderLanguage>, sources: &SourceMap) -> Option<String> {
    let is_wgsl = ShaderLanguage::of(named, path) == Some(ShaderLanguage::Wgsl);
    sources.files().last().filter(|_| is_wgsl).map(|file| file.text.clone())
}

fn read_spirv(
    path: &Path,
    reader: &ReaderProcess,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<LaidOutFile, Vec<Diagnostic>>> {
    let name = path.display().to_string();
    let bytes = files::read(path, FileKind::Shader)?;
    let file = sources.add(name, "");
    let start = Span { file, ..Span::default() };
    let problem = |reason| vec![Diagnostic::error(Code::BadModule, start, reason)];
    let layouts = words_of(&bytes).map_err(problem).and_then(|words| spirv_blocks(reader, words, file));
    Ok(layouts.and_then(|blocks| some(LaidOutFile::of_module(blocks, |_| start), start)))
}

/// Refuses a file without blocks.
fn some(file: LaidOutFile, start: Span) -> Result<LaidOutFile, Vec<Diagnostic>> {
    if file.blocks.is_empty() {
        let message = "this module has no buffer, so there is no layout";
        return Err(vec![Diagnostic::error(Code::NothingDeclared, start, message)]);
    }
    Ok(file)
}
