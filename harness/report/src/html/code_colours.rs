//! Colours of code in pages: comments, directives, numbers, keywords and types of the shader languages, C,
//! C++ and Rust. It knows words, not grammar.

use maud::{Markup, html};

const KEYWORDS: &str = "struct cbuffer tbuffer class interface enum uniform buffer layout row_major column_major register packoffset \
    const static in out inout readonly writeonly coherent restrict return if else for while namespace typedef \
    import extension var let fn override alias push_constant std140 std430 scalar set binding storage private \
    workgroup void using template typename public private static_assert alignas constexpr sizeof offsetof use pub \
    impl mod self";
/// Types of the languages, without dimensions such as `4` or `3x4`.
const SCALARS: &str = "bool int uint float half double min16float min16int min16uint int8_t uint8_t int16_t uint16_t int32_t uint32_t \
    int64_t uint64_t float16_t float32_t float64_t vec bvec ivec uvec dvec mat dmat vector matrix array atomic ptr \
    size_t char unsigned usize u8 u16 u64 i8 i16 i64 f64";
const WGSL_SCALARS: &str = "f16 f32 i32 u32";
const RESOURCES: &[&str] = &["Buffer", "Block", "SamplerState", "Texture1D", "Texture2D", "Texture3D", "TextureCube"];

/// A run of letters that has one colour.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    Plain,
    Keyword,
    Type,
    Comment,
    Text,
    Number,
    Directive,
}

impl Colour {
    const fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Keyword => Some("hk"),
            Self::Type => Some("ht"),
            Self::Comment => Some("hc"),
            Self::Text => Some("hs"),
            Self::Number => Some("hn"),
            Self::Directive => Some("hd"),
        }
    }
}

/// The text with its colours, if the language after the fence of a block of Markdown has some.
pub fn coloured_as(text: &str, language: &str) -> Markup {
    let has_colours = matches!(language, "hlsl" | "slang" | "glsl" | "wgsl" | "c" | "cpp" | "rust");
    if has_colours {
        coloured(text)
    } else {
        html! { (text) }
    }
}

/// The text with its colours.
fn coloured(text: &str) -> Markup {
    html! {
        @for (colour, run) in runs(text) {
            @match colour.class() { Some(class) => { span class=(class) { (run) } }, None => { (run) } }
        }
    }
}

/// The text in runs of one colour; neighbours have different ones.
fn runs(text: &str) -> Vec<(Colour, &str)> {
    let mut runs: Vec<(Colour, &str)> = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let (colour, length) = token(&text[at..]);
        if colour != Colour::Plain {
            if start < at {
                runs.push((Colour::Plain, &text[start..at]));
            }
            runs.push((colour, &text[at..at + length]));
            start = at + length;
        }
        at += length;
    }
    if start < text.len() {
        runs.push((Colour::Plain, &text[start..]));
    }
    runs
}

/// The colour of the text's first token, and its length in bytes.
fn token(text: &str) -> (Colour, usize) {
    let line = || text.find('\n').unwrap_or(text.len());
    let word = || text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    let first = text.chars().next().unwrap_or(' ');
    match first {
        '/' if text.starts_with("//") => (Colour::Comment, line()),
        '/' if text.starts_with("/*") => (Colour::Comment, text.find("*/").map_or(text.len(), |end| end + 2)),
        '#' => (Colour::Directive, line()),
        '"' => (Colour::Text, text[1..].find(['"', '\n']).map_or(text.len(), |end| end + 2)),
        '0'..='9' => {
            let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '.').unwrap_or(text.len());
            (Colour::Number, end)
        }
        _ if first.is_alphabetic() || first == '_' => (colour_of_word(&text[..word()]), word()),
        _ => (Colour::Plain, first.len_utf8()),
    }
}

fn colour_of_word(word: &str) -> Colour {
    let without_dimensions = word.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == 'x');
    let is_in = |words: &str, word: &str| words.split(' ').any(|known| known == word);
    let is_resource = RESOURCES.iter().any(|end| word.ends_with(end)) && word.starts_with(char::is_uppercase);
    if is_in(KEYWORDS, word) {
        Colour::Keyword
    } else if is_resource || is_in(SCALARS, word) || is_in(SCALARS, without_dimensions) || is_in(WGSL_SCALARS, word) {
        Colour::Type
    } else {
        Colour::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_colours_and_the_text_stays() {
        let text =
            "cbuffer S { row_major float3x4 m; /* a */ uint2 b[2]; }; // \u{e4}\n#if X\nStructuredBuffer<Light> f32_;";
        let found = runs(text);
        assert_eq!(found.iter().map(|(_, run)| *run).collect::<String>(), text);
        let of = |colour| found.iter().filter(|run| run.0 == colour).map(|run| run.1).collect::<Vec<_>>();
        assert_eq!(of(Colour::Keyword), ["cbuffer", "row_major"]);
        assert_eq!(of(Colour::Type), ["float3x4", "uint2", "StructuredBuffer"]);
        assert_eq!(of(Colour::Comment), ["/* a */", "// \u{e4}"]);
        assert_eq!(of(Colour::Directive), ["#if X"]);
        assert_eq!(of(Colour::Number), ["2"]);
    }

    #[test]
    fn host_code_has_colours_and_messages_have_none() {
        for (language, text) in [("cpp", "alignas(16) float a;"), ("rust", "pub a: f32,")] {
            assert_eq!(
                coloured_as(text, language).into_string().matches("<span").count(),
                2 + usize::from(language == "cpp")
            );
        }
        assert_eq!(coloured_as("float", "console").into_string(), "float");
    }

    #[test]
    fn markup_stays_text() {
        let shown = coloured("<script> \"<b>").into_string();
        assert!(!shown.contains("<script") && !shown.contains("<b>"), "{shown}");
    }
}
