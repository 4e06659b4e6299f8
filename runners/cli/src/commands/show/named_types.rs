//! `show FILE --type NAME`: the layout of a struct, whichever memory it is in.
//!
//! The file is read with blocks of that type after its text, so that each language lays it out by its own rules.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::files::{FileKind, read_text};
use layoutproof_inputs::inputs::InputWord;
use layoutproof_layout::{BlockLayout, FileId, LaidOutShape, Span};
use layoutproof_show::{InputContent, ShowInput};
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::shader_language::ShaderLanguage;

/// A file with blocks of the user's types after its text.
pub(super) struct WithTypes {
    pub(super) declare: DeclareArgs,
    /// The names of the blocks.
    pub(super) names: Vec<String>,
    types: String,
    /// The length of the file's own text.
    own_length: usize,
}

impl WithTypes {
    /// The error about a type, if no problem is in the file's own text. Those of the blocks have places that the user's
    /// file lacks.
    pub(super) fn error(&self, problems: &[Diagnostic]) -> Option<anyhow::Error> {
        let is_added = |problem: &&Diagnostic| {
            let Span { file, start, .. } = problem.span();
            file == FileId::default() && start as usize > self.own_length
        };
        let mut errors = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let first = errors.clone().next().filter(|_| errors.all(|error| is_added(&error)))?;
        Some(match first.code {
            Code::UnknownType => anyhow!("--type {}: {}", self.types, first.message),
            _ => anyhow!("--type {}: this is not the name of a struct that a buffer can hold", self.types),
        })
    }
}

/// Reads the file with blocks of these types.
pub(super) fn with_types(word: &str, declare: &DeclareArgs, types: &[&str]) -> anyhow::Result<WithTypes> {
    let InputWord::Shader(file) = InputWord::of(word, declare.lang) else {
        bail!("--type names a struct of a shader file: {word} is not one");
    };
    let Some(language) = file.front_end.language() else {
        bail!("--type needs the text of a shader: {word} is a module");
    };
    let name = file.path.display().to_string();
    let text = match declare.texts.get(&name).flatten() {
        Some(text) => text.to_owned(),
        None => read_text(Path::new(&name), FileKind::Shader)?,
    };
    let (mut blocks, mut names) = (String::new(), Vec::new());
    for (index, ty) in types.iter().enumerate() {
        let is_name = |part: char| part.is_alphanumeric() || "_:<>,. ".contains(part);
        if !ty.chars().all(is_name) || ty.trim().is_empty() {
            bail!("--type {ty}: write the name of a struct of the file, or TYPE=NAME for types of your own");
        }
        let suffix = if index == 0 { String::new() } else { format!("_{}", index + 1) };
        for (kind, declaration) in declarations(language, &text) {
            let name = format!("{kind}{suffix}");
            let binding = format!("{}", names.len());
            blocks += &declaration.replace("NAME", &name).replace("TYPE", ty).replace("BINDING", &binding);
            blocks.push('\n');
            names.push(name);
        }
    }
    let mut texts = declare.texts.as_ref().clone();
    let own_length = text.len();
    texts.insert(name, format!("{text}\n{blocks}"));
    let declare = DeclareArgs { texts: Arc::new(texts), ..declare.clone() };
    Ok(WithTypes { declare, names, types: types.join(", "), own_length })
}

/// The declarations that lay out a type, by the name of their block.
fn declarations(language: ShaderLanguage, text: &str) -> Vec<(&'static str, &'static str)> {
    match language {
        ShaderLanguage::Hlsl | ShaderLanguage::Slang => vec![
            ("as_constant_buffer", "ConstantBuffer<TYPE> NAME;"),
            ("as_structured_buffer", "StructuredBuffer<TYPE> NAME;"),
        ],
        ShaderLanguage::Glsl => {
            let uniform = ("as_std140", "layout(std140) uniform NAME_block { TYPE value; } NAME;");
            let buffer = ("as_std430", "layout(std430) buffer NAME_block { TYPE value; } NAME;");
            if has_buffers(text) { vec![uniform, buffer] } else { vec![uniform] }
        }
        ShaderLanguage::Wgsl => vec![("as_storage", "@group(3) @binding(90BINDING) var<storage> NAME: TYPE;")],
    }
}

/// True if the version of a GLSL text has storage blocks: 4.30, ES 3.10, or none, which is the newest.
fn has_buffers(text: &str) -> bool {
    let version =
        text.lines().find_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("version"));
    let mut words = version.unwrap_or("460").split_whitespace();
    let number = words.next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(0);
    number >= if words.next() == Some("es") { 310 } else { 430 }
}

/// Keeps the blocks of `--type`, each with the members of its type.
pub(super) fn keep(input: &mut ShowInput, names: &[String]) -> anyhow::Result<()> {
    input.keep_blocks(names).map_err(|error| anyhow!(error)).context("--type")?;
    if let InputContent::LaidOut(file) = &mut input.content {
        file.blocks.iter_mut().for_each(unwrap);
    }
    Ok(())
}

fn unwrap(block: &mut BlockLayout) {
    let Ok(root) = &mut block.result else { return };
    let LaidOutShape::Struct(members) = &mut root.shape else { return };
    if let [only] = members.as_slice()
        && only.name == "value"
    {
        *root = only.layout.clone();
    }
}
