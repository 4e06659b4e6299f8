//! Reads files that declare their own offsets: `.spv`, `.wgsl`, `.glsl`, and containers of compiled HLSL.
//!
//! Their blocks are laid out under one name, `declared`, without any rule set. Third-party code
//! parses the files, so it runs in a separate process.

use std::path::Path;

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;

use layoutproof_executor::tools::MachineTools;
use layoutproof_layout::{DECLARED, Span};
use layoutproof_readers::module_reader::spirv_blocks;
use layoutproof_show::LaidOutFile;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::args::DeclareArgs;
use crate::select::files::{self, FileKind};
use crate::select::inputs::add_text;
use crate::select::shader_file::reader_process::ReaderProcess;
use crate::select::shader_file::spirv_words::words_of;
use crate::select::shader_file::{container_file, glsl_file};

/// Checks that the user names no rule set for such a file except `declared`.
///
/// # Errors
/// A message about the first other name.
pub(crate) fn check_rules(path: &Path, names: &[String]) -> anyhow::Result<()> {
    match names.iter().find(|name| *name != DECLARED) {
        None => Ok(()),
        Some(name) => {
            bail!("{} declares its own offsets: it has them under `{DECLARED}`, not under `{name}`", path.display())
        }
    }
}

/// The blocks of the file. The inner error holds the problems of its content.
///
/// # Errors
/// The file cannot be read.
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
        return Ok(
            read.and_then(|container| LaidOutFile::new(container.blocks, container.start).with_blocks(container.start))
        );
    }

    let span = add_text(path, sources)?;
    let read = match ShaderLanguage::of(declare.lang, path) {
        Some(ShaderLanguage::Glsl) => read_glsl(path, span, declare, &reader, sources)?,
        _ => LaidOutFile::of_wgsl(&reader, span, sources),
    };
    Ok(read.and_then(|file| file.with_blocks(Span { end: span.start, ..span })))
}

/// The blocks of a GLSL text. Uses glslang if it was found, otherwise naga, which supports a part
/// of the language.
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

    let help = format!("naga parsed this, which supports a part of GLSL; glslang supports all of it, but {absent}");
    let explained = |problem: Diagnostic| match problem.code {
        Code::BadModule => problem.with_help(&help),
        _ => problem,
    };
    let read = LaidOutFile::of_glsl(reader, span, sources);
    Ok(read.map_err(|problems| problems.into_iter().map(explained).collect()))
}

/// The text of the WGSL file that was read last.
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
    Ok(layouts.and_then(|blocks| LaidOutFile::of_module(blocks, start, |_| start).with_blocks(start)))
}
