//! Reads the block of a shader's text.

use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{BlockLayout, Column, LayoutOptions, MemberRow, Span, find, table};
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_show::front_ends::{
    FrontEnd, Glslang, InputTools, NoGlslang, NoListing, Purpose, ReadOptions, TextFrontEnd,
};
use layoutproof_show::{RuleChoice, ShowInput, ShownRules};
use layoutproof_source::diagnostics::render;
pub(crate) use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::{Shader, ShaderBlock};

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
    let language = block.shader.language;
    let front_end = TextFrontEnd::of(language);
    let fixes_offsets = FrontEnd::Text(front_end).fixes_offsets();
    let rules = match block.rules {
        Some(rules) if fixes_offsets => {
            return Err(BlockError::OwnRules { language: language.title(), rules: rules.to_owned() });
        }
        Some(rules) => ShownRules::Columns(vec![rule_choice(rules)?.into()]),
        None if fixes_offsets => ShownRules::Shipping,
        None => return Err(BlockError::NoRules { language: language.title() }),
    };

    let layout = layout_options(language, block.shader)?;
    let mut declare = DeclareOptions::default();
    let mut text = block.shader.text.to_owned();
    match language {
        ShaderLanguage::Hlsl | ShaderLanguage::Slang => {
            declare.defines = block.shader.defines.iter().map(|&(name, value)| (name.into(), value.into())).collect();
        }
        ShaderLanguage::Glsl => define_in_glsl(&mut text, block.shader.defines),
        ShaderLanguage::Wgsl if block.shader.defines.is_empty() => {}
        ShaderLanguage::Wgsl => {
            return Err(BlockError::NoSuchOption { language: language.title(), option: "defines" });
        }
    }

    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let file = sources.add(format!("shader.{}", language.as_str()), text);
    let options = ReadOptions { layout, declare, macros: &[], purpose: Purpose::Layouts, tools: &NoTools };
    let read = front_end.read(Span { file, start: 0, end }, &options, &mut sources);
    let content = read.map_err(|problems| BlockError::Unread(render(&problems, &sources, false)))?;
    let input = ShowInput { content, language: Some(language), assumes_sixteen_bit: false };

    let layouts = input.layouts(&rules);
    let blocks: Vec<&BlockLayout> = layouts.iter().flat_map(|column| &column.blocks).map(|it| &it.layout).collect();
    let title = layouts.first().map_or_else(String::new, |column| column.name.to_string());
    let Some(found) = blocks.iter().find(|layout| layout.name == block.name) else {
        let known: Vec<String> = blocks.iter().map(|layout| format!("`{}`", layout.name)).collect();
        return Err(BlockError::UnknownBlock { name: block.name.to_owned(), known: known.join(", ") });
    };
    match &found.result {
        Ok(root) => Ok(ReadBlock { title, size: root.size.finite(), rows: found.rows() }),
        Err(reasons) => {
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            Err(BlockError::Refused { rules: title, block: block.name.to_owned(), reasons: reasons.join("; ") })
        }
    }
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

/// Defines macros after the line with `#version`, which must be the first directive.
fn define_in_glsl(text: &mut String, defines: &[(&str, &str)]) {
    let lines: Vec<String> = defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    let defines = lines.concat();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        start += line.len();
        if line.trim_start().starts_with("#version") {
            text.insert_str(start, &defines);
            return;
        }
    }
    text.insert_str(0, &defines);
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

/// No tools besides those that are linked into the test.
#[derive(Clone, Copy, Debug)]
struct NoTools;

impl InputTools for NoTools {
    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }

    fn glslang(&self) -> Result<Glslang, NoGlslang> {
        Err(NoGlslang("`layoutproof check` uses glslang, which supports all of it".to_owned()))
    }

    fn list_container(&self, _container: &[u8]) -> Result<String, NoListing> {
        Err(NoListing { reason: "a test reads texts only".to_owned(), help: "use `layoutproof check`".to_owned() })
    }

    fn compile_metal(&self, _text: &str) -> Result<String, NoListing> {
        Err(NoListing { reason: "a test starts no Clang".to_owned(), help: "use `layoutproof show`".to_owned() })
    }
}
