//! Files that come laid out: `.spv`, `.wgsl` and `.glsl`.
//!
//! A path in, the blocks with the offsets that the module says itself out, under the one name `declared`. No rule set of
//! ours has a part in them. What reads the files is not ours either, so it does that in a process of its own.

use std::path::Path;

use anyhow::bail;
use layoutproof::diagnostics::{Code, Diagnostic};
use layoutproof::layout::{BlockLayout, DECLARED};
use layoutproof::module_reader::{glsl_blocks, spirv_blocks, wgsl_blocks};
use layoutproof::sources::{FileId, SourceMap, Span};

use crate::files::{self, FileKind};
use crate::inputs::{ShaderLanguage, add_text};
use crate::reader_process::ReaderProcess;

/// First word of every SPIR-V module.
const SPIRV_MAGIC: u32 = 0x0723_0203;

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
    named: Option<ShaderLanguage>,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<Vec<BlockLayout>, Vec<Diagnostic>>> {
    let reader = ReaderProcess::of_this_program()?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if extension.as_deref() == Some("spv") {
        return read_spirv(path, &reader, sources);
    }
    let span = add_text(path, sources)?;
    let text = &sources.file(span.file).text;
    let glsl = ShaderLanguage::of(named, path) == Some(ShaderLanguage::Glsl);
    if let Some(problem) = unprocessed(text, span.file).filter(|_| !glsl) {
        return Ok(Err(vec![problem]));
    }
    let read = if glsl { glsl_blocks(&reader, text, span.file) } else { wgsl_blocks(&reader, text, span.file) };
    Ok(read.and_then(|layouts| some(layouts, Span { end: span.start, ..span })))
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
) -> anyhow::Result<Result<Vec<BlockLayout>, Vec<Diagnostic>>> {
    let name = path.display().to_string();
    let bytes = files::read(path, FileKind::Shader)?;
    let file = sources.add(name, "");
    let start = Span { file, ..Span::default() };
    let problem = |reason| vec![Diagnostic::error(Code::BadModule, start, reason)];
    let layouts = words_of(&bytes).map_err(problem).and_then(|words| spirv_blocks(reader, words, file));
    Ok(layouts.and_then(|layouts| some(layouts, start)))
}

/// The layouts of a module that has some.
fn some(layouts: Vec<BlockLayout>, start: Span) -> Result<Vec<BlockLayout>, Vec<Diagnostic>> {
    if layouts.is_empty() {
        let message = "this module has no buffer, so there is no layout";
        return Err(vec![Diagnostic::error(Code::NothingDeclared, start, message)]);
    }
    Ok(layouts)
}

/// The words of a SPIR-V file, which may be of either byte order.
fn words_of(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let swapped = words.clone().next().is_some_and(|first| u32::from_be_bytes(first) == SPIRV_MAGIC);
    let words: Vec<u32> = words.map(if swapped { u32::from_be_bytes } else { u32::from_le_bytes }).collect();
    if words.first().is_some_and(|first| *first == SPIRV_MAGIC) && !bytes.len().is_multiple_of(4) {
        return Err(format!("{} bytes are no whole number of 4-byte words: the file is truncated", bytes.len()));
    }
    Ok(words)
}
