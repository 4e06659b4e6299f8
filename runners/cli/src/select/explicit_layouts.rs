//! Reads files that declare their own offsets: `.spv`, `.wgsl` and `.glsl`.
//!
//! Their blocks are laid out under one name, `declared`, without any rule set. Third-party code reads the files, so it
//! runs in a process of its own.

use std::path::Path;

use anyhow::bail;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_core::input::diagnostics::{Code, Diagnostic};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::inspect::module_reader::{glsl_blocks, spirv_blocks, wgsl_blocks};
use layoutproof_core::inspect::spirv::{DeclaredBlock, SpecializedLength};
use layoutproof_executor::tools::MachineTools;
use layoutproof_layout::{BlockLayout, DECLARED, FileId, Span, join};

use crate::args::{DeclareArgs, ShaderLanguage};
use crate::select::files::{self, FileKind};
use crate::select::glsl_file;
use crate::select::inputs::add_text;
use crate::select::reader_process::ReaderProcess;

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// The blocks of such a file.
#[derive(Debug)]
pub(crate) struct LaidOutFile {
    /// Its blocks.
    pub(crate) blocks: Vec<BlockLayout>,
    /// What the user should know of them.
    pub(crate) warnings: Vec<Diagnostic>,
}

impl From<Vec<BlockLayout>> for LaidOutFile {
    fn from(blocks: Vec<BlockLayout>) -> Self {
        Self { blocks, warnings: Vec::new() }
    }
}

impl LaidOutFile {
    /// Takes the blocks of a SPIR-V module; `place` tells where the specialization constant with a `SpecId` stands.
    pub(crate) fn of_module(blocks: Vec<DeclaredBlock>, place: impl Fn(u32) -> Span) -> Self {
        let warnings = blocks.iter().flat_map(|block| {
            let lengths = block.specialized.iter();
            lengths.filter_map(|length| may_be_another(&block.layout.name, length, &place))
        });
        Self { warnings: warnings.collect(), blocks: blocks.into_iter().map(|block| block.layout).collect() }
    }
}

/// The warning that a pipeline may give an array another length; `None` where none can.
fn may_be_another(block: &str, length: &SpecializedLength, place: impl Fn(u32) -> Span) -> Option<Diagnostic> {
    let first = length.constants.first()?;
    let path = join(block, &length.path);
    let named: Vec<String> = length.constants.iter().map(u32::to_string).collect();
    let plural = if named.len() == 1 { "" } else { "s" };
    let message = format!(
        "the length of `{path}` is {} by default, and depends on specialization constant{plural} {}",
        length.length,
        named.join(", ")
    );
    let help = if length.is_computed {
        "shown are the offsets that the module declares; glslang places what follows an array of a computed length as if \
         that were 1"
    } else {
        "shown are the offsets that the module declares; a pipeline that gives the constant another value leaves them as \
         they are"
    };
    Some(Diagnostic::warning(Code::UncertainLayout, place(*first), message).with_help(help))
}

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
    Ok(match Compiler::named("glslang", tools.folder()).compiler {
        Ok(glslang) => glsl_file::read(&glslang, path, span, declare, sources),
        Err(absent) => {
            glsl_blocks(reader, &sources.file(span.file).text, span.file).map(LaidOutFile::from).map_err(|problems| {
                let help = format!("naga read this, which knows a part of GLSL; glslang reads all of it, but {absent}");
                let explained = |problem: Diagnostic| match problem.code {
                    Code::BadModule => problem.with_help(&help),
                    _ => problem,
                };
                problems.into_iter().map(explained).collect()
            })
        }
    })
}

/// The problem with a text that is to go through a preprocessor before it is WGSL.
fn unprocessed(text: &str, file: FileId) -> Option<Diagnostic> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (indent, content) = (line.len() - line.trim_start().len(), line.trim());
        if let Some(word) = content.strip_prefix('#').and_then(|rest| rest.split(char::is_whitespace).next()) {
            let begin = u32::try_from(start + indent).unwrap_or(u32::MAX);
            let end = begin.saturating_add(u32::try_from(content.len()).unwrap_or(0));
            let message =
                format!("`#{word}` is a directive of naga_oil, the preprocessor of Bevy's shaders, and no WGSL");
            let help = "compose the shader with naga_oil first, and give the WGSL or SPIR-V that this makes";
            let problem = Diagnostic::error(Code::BadModule, Span { file, start: begin, end }, message);
            return Some(problem.with_help(help));
        }
        start += line.len();
    }
    None
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

/// What a file says that has some blocks.
fn some(file: LaidOutFile, start: Span) -> Result<LaidOutFile, Vec<Diagnostic>> {
    if file.blocks.is_empty() {
        let message = "this module has no buffer, so there is no layout";
        return Err(vec![Diagnostic::error(Code::NothingDeclared, start, message)]);
    }
    Ok(file)
}

/// The words of a SPIR-V file, which may be of either byte order.
pub(crate) fn words_of(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let swapped = words.clone().next().is_some_and(|first| u32::from_be_bytes(first) == SPIRV_MAGIC);
    let words: Vec<u32> = words.map(if swapped { u32::from_be_bytes } else { u32::from_le_bytes }).collect();
    if words.first().is_some_and(|first| *first == SPIRV_MAGIC) && !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes, expected a multiple of 4: the SPIR-V file is truncated", bytes.len()));
    }
    Ok(words)
}
