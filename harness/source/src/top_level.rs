//! Splits a shader's text into the declarations at its top level, so that some can be left out.

use std::ops::Range;

use crate::shader_language::ShaderLanguage;
use crate::text_limits::tokens::{LimitTokenKind, Tokens};

/// The declarations at the top level of a text, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TopLevel {
    pub declarations: Vec<Declaration>,
    /// True if a file is included inside of a declaration, so that its own text has parts of one.
    pub includes_parts: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub range: Range<usize>,
    /// True for a function with a body, if its parameters end right before that.
    pub is_function: bool,
    /// The last word or sign before its end.
    last: Range<usize>,
}

impl TopLevel {
    /// `None` if brackets do not pair, or macros have one of a pair, so that it is not known where declarations end.
    pub fn new(text: &str, language: ShaderLanguage) -> Option<Self> {
        let mut found = Self::default();
        let mut depth = 0_usize;
        let (mut start, mut is_function) = (None, false);
        let (mut previous, mut before) = (0..0, 0..0);
        let mut tokens = Tokens::new(text, language).peekable();
        while let Some(token) = tokens.next() {
            if token.kind == LimitTokenKind::Directive {
                found.includes_parts |= start.is_some() && token.text.contains("include");
                if token.text.contains("define") && !has_whole_pairs(token.text) {
                    return None;
                }
                continue;
            }
            let start_here = *start.get_or_insert(token.start);
            match token.text {
                "{" | "(" | "[" => {
                    is_function |= depth == 0 && token.text == "{" && &text[previous.clone()] == ")";
                    depth += 1;
                }
                "}" | ")" | "]" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            before = std::mem::replace(&mut previous, token.start..token.start + token.text.len());
            let is_end = match token.text {
                ";" => true,
                "}" if language == ShaderLanguage::Glsl => is_function,
                "}" => tokens.peek().is_none_or(|next| next.text != ";"),
                _ => false,
            };
            if is_end && depth == 0 {
                let range = start_here..previous.end;
                found.declarations.push(Declaration { range, is_function, last: before.clone() });
                (start, is_function) = (None, false);
            }
        }
        if let Some(start) = start {
            found.declarations.push(Declaration { range: start..text.len(), is_function, last: before });
        }
        Some(found)
    }
}

impl Declaration {
    /// True if others depend on it without its name: `layout(row_major) uniform;`, `requires ...;`.
    pub fn is_default(&self, text: &str) -> bool {
        let first = text[self.range.clone()].split_whitespace().next().unwrap_or_default();
        ["uniform", "buffer", "in", "out"].contains(&&text[self.last.clone()])
            || ["precision", "enable", "requires", "using", "template"].iter().any(|word| first.starts_with(word))
    }
}

/// A text with blanks in these ranges of it, except for directives. Places stay the same.
pub fn without(text: &str, ranges: impl Iterator<Item = Range<usize>>, language: ShaderLanguage) -> String {
    let mut blanked = text.as_bytes().to_vec();
    for at in ranges.flatten().filter(|at| text.as_bytes()[*at] != b'\n') {
        blanked[at] = b' ';
    }
    for directive in Tokens::new(text, language).filter(|token| token.kind == LimitTokenKind::Directive) {
        blanked[directive.start..directive.start + directive.text.len()].copy_from_slice(directive.text.as_bytes());
    }
    String::from_utf8(blanked).expect("ranges of declarations have whole characters")
}

fn has_whole_pairs(directive: &str) -> bool {
    let count = |sign: char| directive.matches(sign).count();
    count('{') == count('}') && count('(') == count(')') && count('[') == count(']')
}

/// Names in a text that read as macros and that nothing in it declares, among those of a part of it.
pub fn undefined_macros(text: &str, part: Range<usize>, language: ShaderLanguage) -> Vec<&str> {
    let tokens: Vec<_> = Tokens::new(text, language).collect();
    let defined = |name: &str| {
        tokens.iter().enumerate().any(|(index, token)| match token.kind {
            LimitTokenKind::Directive => Tokens::of_directive(*token)
                .collect::<Vec<_>>()
                .windows(2)
                .any(|words| words[0].text == "define" && words[1].text == name),
            _ if token.text != name => false,
            _ => {
                let next = tokens.get(index + 1).map_or("", |token| token.text);
                let previous = index.checked_sub(1).map_or("", |index| tokens[index].text);
                // `set = MATERIAL_SET, binding = 0` uses it.
                let is_value = ["=", "(", "[", "+", "-", "*", "/"].contains(&previous);
                (["=", "{", ";", ","].contains(&next) && !is_value)
                    || ["uniform", "buffer", "struct", "."].contains(&previous)
            }
        })
    };
    let mut names: Vec<&str> = Vec::new();
    for token in tokens.iter().filter(|token| part.contains(&token.start) && is_like_macro(token.text)) {
        if !names.contains(&token.text) && !defined(token.text) {
            names.push(token.text);
        }
    }
    names
}

/// True for a name of capitals, such as `A_TYPE`.
pub fn is_like_macro(name: &str) -> bool {
    name.len() > 2
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.chars().all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, language: ShaderLanguage) -> Option<Vec<&str>> {
        let found = TopLevel::new(text, language)?;
        Some(found.declarations.into_iter().map(|declaration| &text[declaration.range]).collect())
    }

    #[test]
    fn declarations_end_where_the_language_ends_them() {
        let glsl = "#version 450\nlayout(binding = 0) uniform A { vec4 a; } a[2]; // }\nstruct S { vec4 b; };\nvoid f(int i) { if (i > 1) { } }\nfloat g() { return 1.0; }\nconst float t[2] = { 1, 2 };";
        assert_eq!(
            split(glsl, ShaderLanguage::Glsl).unwrap(),
            [
                "layout(binding = 0) uniform A { vec4 a; } a[2];",
                "struct S { vec4 b; };",
                "void f(int i) { if (i > 1) { } }",
                "float g() { return 1.0; }",
                "const float t[2] = { 1, 2 };"
            ]
        );
        let hlsl = "cbuffer A : register(b0) { float4 a; }\nfloat4 main() : SV_Target { return a; }\nstruct S { float b; };\nSTRUCT(T)\ncbuffer B { T t; };";
        assert_eq!(
            split(hlsl, ShaderLanguage::Hlsl).unwrap(),
            [
                "cbuffer A : register(b0) { float4 a; }",
                "float4 main() : SV_Target { return a; }",
                "struct S { float b; };",
                "STRUCT(T)\ncbuffer B { T t; };"
            ]
        );
    }

    /// What stays must not become part of another declaration.
    #[test]
    fn texts_whose_declarations_have_no_certain_end_are_not_split() {
        for text in [
            "#define BEGIN(n) cbuffer n {\nBEGIN(A) float4 a; X b; };",
            "#ifdef X\nstruct S { float a;\n};\n#else\n};\n#endif",
            "float4 a; }",
        ] {
            assert_eq!(split(text, ShaderLanguage::Hlsl), None, "{text}");
        }
        let whole = "#if A\nstruct S {\n#else\nstruct S : T {\n#endif\nfloat a; };\nfloat4 b;";
        assert_eq!(split(whole, ShaderLanguage::Hlsl).unwrap().len(), 1);
        let part = "struct S {\n#include \"members.h\"\n};";
        assert!(TopLevel::new(part, ShaderLanguage::Hlsl).unwrap().includes_parts);
    }

    #[test]
    fn a_blank_declaration_keeps_places_and_directives() {
        let text = "float a;\nX b[\n#if 1\n2 /* é */];\n#endif\nfloat c;";
        let found = TopLevel::new(text, ShaderLanguage::Hlsl).unwrap();
        let ranges = std::iter::once(found.declarations[1].range.clone());
        let blank = without(text, ranges, ShaderLanguage::Hlsl);
        assert_eq!(blank.len(), text.len());
        assert_eq!(blank.split_whitespace().collect::<Vec<_>>().join(" "), "float a; #if 1 #endif float c;");
    }

    #[test]
    fn defaults_are_no_declarations_of_their_own() {
        for text in ["layout(std140) uniform;", "layout(row_major)  buffer ;", "precision highp float;"] {
            assert!(TopLevel::new(text, ShaderLanguage::Glsl).unwrap().declarations[0].is_default(text), "{text}");
        }
        let block = "layout(std140) uniform A { vec4 a; };";
        assert!(!TopLevel::new(block, ShaderLanguage::Glsl).unwrap().declarations[0].is_default(block));
    }

    #[test]
    fn names_of_capitals_without_a_declaration_are_macros() {
        let text = "#define USED 1\nuniform UBO { vec4 a; } u;\nconst int MAX = 2;\nbuffer B { A_TYPE b[USED], c[MAX]; }; UBO x; u.NE00 = D_TYPE(1);";
        let all = undefined_macros(text, 0..text.len(), ShaderLanguage::Glsl);
        assert_eq!(all, ["A_TYPE", "D_TYPE"]);
    }
}
