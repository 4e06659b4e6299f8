//! The blocks of a file that declares their offsets, as its readers return them.

use layoutproof_layout::{BlockLayout, FileId, LayoutWarning, Span, join};

use layoutproof_readers::module_reader::{ModuleReader, glsl_blocks, wgsl_blocks};
use layoutproof_readers::spirv::{DeclaredModule, SpecializedLength};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// The blocks of such a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LaidOutFile {
    pub blocks: Vec<BlockLayout>,
    /// Warnings about the blocks.
    pub warnings: Vec<Diagnostic>,
}

impl LaidOutFile {
    /// The blocks of a file, with the warnings about their layouts at its `start`. Readers of such
    /// files do not report where a member is declared, so the warnings name the member.
    pub fn new(mut blocks: Vec<BlockLayout>, start: Span) -> Self {
        let mut warnings = Vec::new();
        for block in &mut blocks {
            block.warn_of_overlaps();
            for LayoutWarning { path, kind, message } in &block.warnings {
                let message = format!("`{}`: {message}", join(&block.name, path));
                warnings.push(Diagnostic::warning((*kind).into(), start, message));
            }
        }
        Self { blocks, warnings }
    }

    /// The blocks of the WGSL text at `span`; may be empty.
    ///
    /// # Errors
    /// The text needs a preprocessor, or the reader rejects it; each error has its place.
    pub fn of_wgsl(reader: &dyn ModuleReader, span: Span, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let text = &sources.file(span.file).text;
        match unprocessed(text, span.file) {
            Some(problem) => Err(vec![problem]),
            None => wgsl_blocks(reader, text, span.file).map(|blocks| Self::new(blocks, start_of(span))),
        }
    }

    /// The blocks of the GLSL text at `span`, as naga reads it; may be empty.
    ///
    /// # Errors
    /// The reader rejects the text, possibly because naga does not support this GLSL; each error has its place.
    pub fn of_glsl(reader: &dyn ModuleReader, span: Span, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        let blocks = glsl_blocks(reader, &sources.file(span.file).text, span.file);
        blocks.map(|blocks| Self::new(blocks, start_of(span)))
    }

    /// The blocks of a SPIR-V module. Warnings are at `start`, except those about specialization
    /// constants: `place` returns the place of the constant with a `SpecId`.
    pub fn of_module(module: DeclaredModule, start: Span, place: impl Fn(u32) -> Span) -> Self {
        let lengths = module.blocks.iter().flat_map(|block| {
            let lengths = block.specialized.iter();
            lengths.filter_map(|length| may_be_another(&block.layout.name, length, &place))
        });
        let unlisted = module.warnings.iter().map(|warning| Diagnostic::warning(Code::UncertainLayout, start, warning));
        let warnings: Vec<Diagnostic> = lengths.chain(unlisted).collect();

        let mut file = Self::new(module.blocks.into_iter().map(|block| block.layout).collect(), start);
        file.warnings.splice(0..0, warnings);
        file
    }

    /// Checks that the file has blocks.
    ///
    /// # Errors
    /// A file without blocks, at its `start`, with the warnings about it.
    pub fn with_blocks(self, start: Span) -> Result<Self, Vec<Diagnostic>> {
        if self.blocks.is_empty() {
            let message = "this module has no buffer, so there is no layout";
            let error = Diagnostic::error(Code::NothingDeclared, start, message);
            return Err([vec![error], self.warnings].concat());
        }
        Ok(self)
    }
}

fn start_of(span: Span) -> Span {
    Span { end: span.start, ..span }
}

/// Warns that a pipeline may change the length of an array; `None` if none can.
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
        "these are the offsets that the module declares; glslang places the members after an array of a computed length \
         as if that length were 1"
    } else {
        "these are the offsets that the module declares; a pipeline that gives the constant another value does not \
         change them"
    };
    Some(Diagnostic::warning(Code::UncertainLayout, place(*first), message).with_help(help))
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
