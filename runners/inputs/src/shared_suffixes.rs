//! The language of files whose suffix several languages share, as `water.vs`.

use std::path::Path;

use layoutproof_source::host_text::language_of;
use layoutproof_source::shader_language::{SHORT_STAGES, ShaderLanguage};

use crate::files::{FileKind, read_text};

/// Words that only GLSL has, and words that only HLSL has.
const WORDS_OF_GLSL: [&str; 7] =
    ["#version ", "gl_Position", "gl_Frag", "void main()", "layout(", "sampler2D ", "vec4 "];
const WORDS_OF_HLSL: [&str; 7] = ["cbuffer ", ": SV_", ":SV_", "register(", "Texture2D", "SamplerState", "float4 "];

/// True if only the text of a file tells its language. The text of a `.cs` file does not: it may be a program in C#
/// with a shader in a string.
pub fn is_shared(path: &Path) -> bool {
    let suffix = path.extension().map(|suffix| suffix.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_stage = suffix != "cs" && SHORT_STAGES.iter().any(|(short, _)| *short == suffix);
    is_stage && ShaderLanguage::of(None, path).is_none()
}

/// `named`, or else the language that the suffix of `path` tells, or else the one that its text tells.
pub fn language_of_file(named: Option<ShaderLanguage>, path: &Path) -> Option<ShaderLanguage> {
    named.or_else(|| ShaderLanguage::of(None, path)).or_else(|| {
        let text = is_shared(path).then(|| read_text(path, FileKind::Shader).ok()).flatten()?;
        language_of(&text).or_else(|| language_of_words(&text))
    })
}

/// The language whose words a text contains; `None` if it has words of both, or of neither.
fn language_of_words(text: &str) -> Option<ShaderLanguage> {
    let has = |words: [&str; 7]| words.iter().any(|word| text.contains(word));
    match (has(WORDS_OF_GLSL), has(WORDS_OF_HLSL)) {
        (true, false) => Some(ShaderLanguage::Glsl),
        (false, true) => Some(ShaderLanguage::Hlsl),
        (true, true) | (false, false) => None,
    }
}
