//! Reads the block of a shader's text.

use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{
    Block, BlockLayout, Column, DECLARED, FileId, LayoutOptions, MemberRow, RuleChoice, Span, find, lay_out, table,
};
use layoutproof_source::diagnostics::Diagnostic;
pub(crate) use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::plain_text::escape_controls;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_wgsl::{LinkSearch, WgslLayouts, link, needs_linking};

use crate::{Shader, ShaderBlock};

/// The most problems of a text in an error.
const MOST_PROBLEMS: usize = 20;

/// Why a block has no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The problems of the text, each with its line.
    #[error("the shader cannot be read:\n{0}")]
    Unread(String),
    #[error("{language} needs rules: `.under(\"d3d12.dxc\")`, `.under(\"std140\")`, ...")]
    NoRules { language: &'static str },
    #[error("{language} fixes its own offsets: leave out `.under(\"{rules}\")`")]
    OwnRules { language: &'static str, rules: String },
    /// `option` is a method of [`Shader`](crate::Shader).
    #[error("{language} has no such option: leave out `.{option}()`")]
    NoSuchOption { language: &'static str, option: &'static str },
    #[error("no rule set is called `{name}`{meant}")]
    UnknownRules { name: String, meant: String },
    #[error("no block is called `{name}`; there are {known}")]
    UnknownBlock { name: String, known: String },
    #[error("the shader declares no block, so none is called `{name}`")]
    NoBlocks { name: String },
    #[error("{rules} does not allow the block `{block}`: {reasons}")]
    Refused { rules: String, block: String, reasons: String },
}

/// A block as its rules lay it out.
#[derive(Clone, Debug)]
pub(crate) struct ReadBlock {
    /// The rule set, or the compiler and its target.
    pub title: String,
    /// In bytes; `None` if the block ends with an array without a length.
    pub size: Option<u32>,
    pub rows: Vec<MemberRow>,
}

/// Reads a block of a text.
///
/// # Errors
/// The text is refused, or has no such block, or the rules are unknown or do not allow it.
pub(crate) fn layout(block: ShaderBlock<'_>) -> Result<ReadBlock, BlockError> {
    let ShaderBlock { shader, name, rules } = block;
    let language = shader.language;
    let options = layout_options(language, shader)?;
    let (title, blocks) = match (language, rules) {
        (ShaderLanguage::Hlsl | ShaderLanguage::Slang, Some(rules)) => {
            let choice = rule_choice(rules)?;
            let title = choice.column().map_or_else(|| choice.name().to_owned(), |column| column.to_string());
            let declared = declared_blocks(shader)?;
            let blocks = declared.iter().map(|block| lay_out_under(block, choice, &title, options)).collect();
            (title, blocks)
        }
        (ShaderLanguage::Hlsl | ShaderLanguage::Slang, None) => {
            return Err(BlockError::NoRules { language: language.title() });
        }
        (ShaderLanguage::Wgsl | ShaderLanguage::Glsl, Some(rules)) => {
            return Err(BlockError::OwnRules { language: language.title(), rules: rules.to_owned() });
        }
        (ShaderLanguage::Wgsl, None) => (DECLARED.to_owned(), wgsl_blocks(shader)?),
        #[cfg(feature = "glsl")]
        (ShaderLanguage::Glsl, None) => (DECLARED.to_owned(), crate::glsl::blocks(shader)?),
        #[cfg(not(feature = "glsl"))]
        (ShaderLanguage::Glsl, None) => unreachable!("without the feature, no constructor makes GLSL"),
    };

    let Some(found) = blocks.iter().find(|layout| layout.name == name) else {
        let name = name.to_owned();
        let known: Vec<String> = blocks.iter().map(|layout| format!("`{}`", layout.name)).collect();
        return Err(if known.is_empty() {
            BlockError::NoBlocks { name }
        } else {
            BlockError::UnknownBlock { name, known: known.join(", ") }
        });
    };
    match &found.result {
        Ok(root) => Ok(ReadBlock { title, size: root.size.finite(), rows: found.rows() }),
        Err(reasons) => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            Err(BlockError::Refused { rules: title, block: name.to_owned(), reasons: reasons.join("; ") })
        }
    }
}

/// The blocks of HLSL or Slang, which have no offsets.
fn declared_blocks(shader: Shader<'_>) -> Result<Vec<Block>, BlockError> {
    let defines = shader.defines.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let options = DeclareOptions { defines, ..DeclareOptions::default() };
    let (mut sources, span) = opened(shader.language, shader.text.to_owned());
    let module = declare(&mut sources, span, &options).map_err(|problems| unread(&problems, &sources))?;
    Ok(module.blocks)
}

fn lay_out_under(block: &Block, choice: RuleChoice, title: &str, options: LayoutOptions) -> BlockLayout {
    // The options decide the size of `half` for a rule set; some compilers fix it.
    let is_fixed = matches!(choice, RuleChoice::Native(native) if native.has_fixed_half());
    let options = if is_fixed { LayoutOptions { sixteen_bit: SixteenBit::On, ..options } } else { options };
    let made = choice.block(block);
    match made.as_deref().and_then(|block| choice.rules(block).map(|rules| lay_out(block, rules, options))) {
        Some(layout) => layout,
        None => {
            let message = format!("{title} has no layout for {} `{}`", block.kind, block.name);
            BlockLayout::refused(block, title, message)
        }
    }
}

/// The blocks of WGSL, under the language's own rules.
fn wgsl_blocks(shader: Shader<'_>) -> Result<Vec<BlockLayout>, BlockError> {
    if !shader.defines.is_empty() {
        return Err(BlockError::NoSuchOption { language: shader.language.title(), option: "defines" });
    }
    let (mut sources, span) = opened(shader.language, shader.text.to_owned());
    let read = wgsl_layouts(span.file, &mut sources).map_err(|problems| unread(&problems, &sources))?;
    let WgslLayouts { module, blocks, forbidden, restricted } = read;
    let forbidden = [forbidden, module.clashes].concat();
    if forbidden.is_empty() { Ok(blocks) } else { Err(unread(&[forbidden, restricted].concat(), &sources)) }
}

fn wgsl_layouts(file: FileId, sources: &mut SourceMap) -> Result<WgslLayouts, Vec<Diagnostic>> {
    if !needs_linking(&sources.file(file).text) {
        return WgslLayouts::read(&sources.file(file).text, file);
    }
    let DeclareOptions { include_paths: folders, files, .. } = &DeclareOptions::default();
    let search = LinkSearch { macros: &[], folders, files: &**files };
    let linked = link(file, &search, sources).map_err(|problem| vec![problem])?;
    WgslLayouts::read_linked(&linked, sources)
}

/// A text as the only file, and its place.
pub(crate) fn opened(language: ShaderLanguage, text: String) -> (SourceMap, Span) {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let file = sources.add(format!("shader.{}", language.as_str()), text);
    (sources, Span { file, start: 0, end })
}

/// Why a text cannot be read: a line for each problem, and another for its help.
pub(crate) fn unread(problems: &[Diagnostic], sources: &SourceMap) -> BlockError {
    let lines = problems.iter().take(MOST_PROBLEMS).map(|problem| {
        let help = problem.help.as_ref().map(|help| format!("  help: {}\n", escape_controls(help)));
        format!("{}\n{}", problem.line(sources), help.unwrap_or_default())
    });
    BlockError::Unread(lines.collect())
}

fn layout_options(language: ShaderLanguage, shader: Shader<'_>) -> Result<LayoutOptions, BlockError> {
    let require = |option, languages: &[ShaderLanguage]| {
        let is_known = languages.contains(&language);
        is_known.then_some(()).ok_or(BlockError::NoSuchOption { language: language.title(), option })
    };
    let mut options = LayoutOptions::default();
    if shader.is_row_major {
        require("row_major", &[ShaderLanguage::Hlsl, ShaderLanguage::Slang])?;
        options.matrix = MatrixOrder::Row;
    }
    if shader.half_is_float {
        // `half` of Slang always has 2 bytes.
        require("half_is_float", &[ShaderLanguage::Hlsl])?;
        options.sixteen_bit = SixteenBit::Off;
    }
    Ok(options)
}

fn rule_choice(word: &str) -> Result<RuleChoice, BlockError> {
    let of_column = || Column::parse(word).ok().and_then(Native::of_column);
    let choice =
        find(word).map(RuleChoice::Rules).or_else(|| find_native(word).or_else(of_column).map(RuleChoice::Native));
    choice.ok_or_else(|| {
        let meant = did_you_mean(word, table().iter().map(|rules| rules.name));
        BlockError::UnknownRules { name: word.to_owned(), meant }
    })
}
