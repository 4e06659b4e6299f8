//! WGSL, whose layout the language defines: naga computes it.

use layoutproof_layout::{FileId, ShaderTarget, Span};
use layoutproof_readers::module_reader::wgsl_blocks;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use super::{FixedLayout, ReadBlocks, ReadOptions, TextFrontEnd, TextReading, start_of};
use crate::laid_out_file::LaidOutFile;

pub(super) static WGSL: TextFrontEnd = TextFrontEnd {
    language: ShaderLanguage::Wgsl,
    reads: TextReading::LaidOut {
        read,
        fixes: FixedLayout {
            native: "native:wgsl",
            targets: &[ShaderTarget::Webgpu],
            rules: &["wgsl-uniform", "wgsl-storage"],
        },
    },
};

/// Refuses a text that needs a preprocessor, or reads its blocks.
fn read(span: Span, options: &ReadOptions<'_>, sources: &mut SourceMap) -> ReadBlocks {
    let text = &sources.file(span.file).text;
    if let Some(problem) = unprocessed(text, span.file) {
        return Err(vec![problem]);
    }
    let blocks = wgsl_blocks(options.tools.reader(), text, span.file)?;
    Ok(LaidOutFile::new(blocks, start_of(span)))
}

/// The error for a text that needs a preprocessor before it is WGSL.
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

/// The error for a line that starts with `#`; `directive` is the rest of the line.
fn of_naga_oil(directive: &str, place: Span) -> Diagnostic {
    let word = directive.split(char::is_whitespace).next().unwrap_or_default();
    let message = format!("`#{word}` is a directive of naga_oil, the preprocessor of Bevy's shaders, not WGSL");
    let help = "compose the shader with naga_oil first, and pass the resulting WGSL or SPIR-V";
    Diagnostic::error(Code::BadModule, place, message).with_help(help)
}
