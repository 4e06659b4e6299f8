//! The declarations of a GLSL text alone, for a text that glslang refuses.
//!
//! Blocks are declarations: a body that SPIR-V cannot express, or that only another profile or a vendor's driver takes,
//! does not move them. [`declarations`] blanks functions, their prototypes and the values of plain globals. Directives
//! and the places of all other words stay, so that conditions, macros and errors mean the same. It also writes two kinds of
//! types in a form that becomes SPIR-V, without a change of a block's layout:
//!
//! - `samplerExternalOES` becomes `sampler2D`, which takes a unit, too.
//! - With `GL_ARB_bindless_texture`, a sampler or image in a struct or block is a handle of 64 bits, aligned to 8 bytes as
//!   `uvec2` is (glslang 16.6.0, `-l -q`: the offsets of both are the same in std140 and std430).
//!
//! An extension that glslang does not know is no error here; the types that only such an extension declares are.

use layoutproof_source::text_limits::placed_glsl_tokens;

/// The extension for samplers and images as members.
const BINDLESS: &str = "GL_ARB_bindless_texture";

/// The qualifiers of that extension, which glslang knows only with it.
const BINDLESS_QUALIFIERS: [&str; 4] = ["bindless_sampler", "bindless_image", "bound_sampler", "bound_image"];

/// Words of statements that declare parameters, inputs and outputs.
const STORAGES: [&str; 8] = ["uniform", "buffer", "in", "out", "attribute", "varying", "shared", "layout"];

/// A token with its first byte.
type Token<'a> = (usize, &'a str);

/// The text without its functions; `None` if its braces do not match.
pub(super) fn declarations(text: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = placed_glsl_tokens(text).collect();
    let mut cutting = Cutting {
        bytes: text.as_bytes().to_vec(),
        tokens: &tokens,
        is_bindless: tokens.iter().any(|(_, token)| token.starts_with('#') && token.contains(BINDLESS)),
    };
    let mut scan = Scan::default();
    let mut conditions: Vec<(usize, Scan)> = Vec::new();
    for (at, (_, token)) in tokens.iter().enumerate() {
        if token.starts_with('#') {
            cutting.adapt_extension(tokens[at]);
            let is_between_statements =
                |scan: Scan, at| scan.depth == 0 && cutting.words(scan.statement, at).next().is_none();
            match directive_name(token) {
                "if" | "ifdef" | "ifndef" => conditions.push((at, scan)),
                // Each branch starts in the same place.
                "else" | "elif" => {
                    let (before, start) = *conditions.last()?;
                    let statement = if is_between_statements(start, before) { at + 1 } else { start.statement };
                    scan = Scan { statement, ..start };
                }
                "endif" => {
                    conditions.pop()?;
                    if is_between_statements(scan, at) {
                        scan.statement = at + 1;
                    }
                }
                _ => {}
            }
            continue;
        }
        match (*token, scan.depth) {
            ("{", 0) => {
                scan.is_body = cutting.is_body(scan.statement, at);
                if scan.is_body {
                    cutting.blank(scan.statement, at);
                }
                scan.depth = 1;
            }
            ("{", depth) => scan.depth = depth + 1,
            ("}", depth) => {
                scan.depth = depth.checked_sub(1)?;
                if scan.depth == 0 && scan.is_body {
                    cutting.blank(at, at);
                    scan = Scan { statement: at + 1, ..Scan::default() };
                }
            }
            (";", 0) => {
                cutting.statement(scan.statement, at);
                scan.statement = at + 1;
            }
            _ => {}
        }
        if scan.is_body {
            cutting.blank(at, at);
        }
    }
    let text = String::from_utf8(cutting.bytes).ok()?;
    (scan.depth == 0).then_some(text)
}

/// The place of the scan between braces.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    /// The first token of the statement outside of braces.
    statement: usize,
    depth: usize,
    /// True if the outermost brace opens the body of a function.
    is_body: bool,
}

struct Cutting<'a> {
    bytes: Vec<u8>,
    tokens: &'a [Token<'a>],
    is_bindless: bool,
}

impl<'a> Cutting<'a> {
    /// The words from `first` to `last`, without directives.
    fn words(&self, first: usize, last: usize) -> impl DoubleEndedIterator<Item = &'a str> + Clone {
        let tokens = self.tokens.get(first..=last).unwrap_or_default();
        tokens.iter().map(|(_, token)| *token).filter(|token| !token.starts_with('#'))
    }

    /// Replaces the tokens from `first` to `last` by spaces, except for directives.
    fn blank(&mut self, first: usize, last: usize) {
        for (start, token) in self.tokens.get(first..=last).unwrap_or_default() {
            if !token.starts_with('#') {
                self.bytes[*start..start + token.len()].fill(b' ');
            }
        }
    }

    /// Replaces a token by a word that is not longer.
    fn replace(&mut self, (start, token): Token<'_>, word: &str) {
        let place = &mut self.bytes[start..start + token.len()];
        place.fill(b' ');
        place[..word.len()].copy_from_slice(word.as_bytes());
    }

    /// True if the brace at `at`, of a statement that begins at `first`, opens the body of a function. A block whose
    /// macro has parameters, `BLOCK(Frame) { ... };`, ends with a semicolon or the name of an instance.
    fn is_body(&self, first: usize, at: usize) -> bool {
        let words: Vec<&str> = self.words(first, at).collect();
        // A parameter may have the name of a later version's keyword: `buffer` is one since 4.30 and ES 3.10.
        let is_storage = |pair: &[&str]| {
            ["uniform", "buffer", "struct", "="].contains(&pair[0]) && ![",", ")", "["].contains(&pair[1])
        };
        if words.windows(2).any(is_storage) {
            return false;
        }
        if words.iter().rev().nth(1) != Some(&")") {
            return false;
        }
        let after = self.end_of_braces(at).map(|end| self.words(end + 1, end + 2).collect::<Vec<_>>());
        !matches!(after.as_deref(), Some([";", ..] | [_, ";"]))
    }

    fn end_of_braces(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, (_, token)) in self.tokens.iter().enumerate().skip(open) {
            match *token {
                "{" => depth += 1,
                "}" if depth == 1 => return Some(at),
                "}" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// Adapts the statement from `first` to the semicolon at `end`.
    fn statement(&mut self, first: usize, end: usize) {
        let words: Vec<&str> = self.words(first, end).collect();
        let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
        let is_prototype = matches!(words.as_slice(), [_, name, .., ")", ";"] if *name != "(") && !has(&["="]);
        let has_value = has(&["="]) && !has(&["const"]);
        if !has(&STORAGES) && !has(&["struct", "precision"]) && (is_prototype || has_value) {
            return self.blank(first, end);
        }
        let has_braces = has(&["{"]);
        if self.is_bindless && !has_braces && has(&BINDLESS_QUALIFIERS) {
            return self.blank(first, end);
        }
        // Units of the default block are no handles.
        let holds_handles = self.is_bindless && (has_braces || !has(&["uniform"]));
        for at in first..end {
            let (_, word) = self.tokens[at];
            if word == "samplerExternalOES" {
                self.replace(self.tokens[at], "sampler2D");
            } else if holds_handles && is_opaque(word) {
                self.replace(self.tokens[at], "uvec2");
            }
        }
    }

    /// Lets glslang go on without an extension that it does not know, or that it has for OpenGL alone.
    fn adapt_extension(&mut self, directive @ (start, text): Token<'_>) {
        if directive_name(text) != "extension" {
            return;
        }
        if text.contains(BINDLESS) {
            return self.replace(directive, "");
        }
        if let Some(at) = text.rfind("require") {
            self.replace((start + at, "require"), "warn");
        }
    }
}

/// The word after `#`.
fn directive_name(directive: &str) -> &str {
    let text = directive.trim_start_matches('#').trim_start();
    &text[..text.find(|part: char| !part.is_alphanumeric()).unwrap_or(text.len())]
}

/// True for the types of samplers and images: `sampler2DArray`, `uimage3D`.
fn is_opaque(word: &str) -> bool {
    let word = word.strip_prefix(['i', 'u']).filter(|rest| !rest.is_empty()).unwrap_or(word);
    let dimensions = ["sampler", "image", "mage"].iter().find_map(|kind| word.strip_prefix(kind));
    dimensions.is_some_and(|rest| ["1D", "2D", "3D", "Cube", "Buffer"].iter().any(|start| rest.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that remain.
    fn words(text: &str) -> String {
        let left = declarations(text).unwrap();
        assert_eq!(left.len(), text.len());
        left.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn functions_and_values_of_globals_go() {
        assert_eq!(words("uniform U { vec3 a; } u; void main() { if (x) { y = 1; } }"), "uniform U { vec3 a; } u;");
        assert_eq!(
            words("vec4 f(sampler2D s);\nvec4 f(sampler2D s) { return texture2D(s); }\nin vec2 uv;"),
            "in vec2 uv;"
        );
        assert_eq!(
            words("const int N = 3; vec4 k = f(1.0); uniform float t = 1.0;"),
            "const int N = 3; uniform float t = 1.0;"
        );
        assert_eq!(
            words("BLOCK(Frame) { vec3 a; }; BLOCK(A) { vec3 a; } b; DECLARE(x);"),
            "BLOCK(Frame) { vec3 a; }; BLOCK(A) { vec3 a; } b; DECLARE(x);"
        );
        assert_eq!(
            words("struct S { float a; } s; layout(local_size_x = 1) in; precision mediump float;"),
            "struct S { float a; } s; layout(local_size_x = 1) in; precision mediump float;"
        );
        assert_eq!(
            words("const float k[2] = float[2](1, 2); const S s = { 1, 2 };"),
            "const float k[2] = float[2](1, 2); const S s = { 1, 2 };"
        );
    }

    #[test]
    fn directives_stay_and_each_branch_counts_alone() {
        let text =
            "#ifdef A\nvoid main() {\n#else\nvoid other() {\n#endif\n#define N 3\n x(); }\nuniform U { vec3 a[N]; };";
        assert_eq!(words(text), "#ifdef A #else #endif #define N 3 uniform U { vec3 a[N]; };");
        assert_eq!(
            words("void f() {\n#if X\n if (a) {\n#else\n if (b) {\n#endif\n }}\nin vec2 b;"),
            "#if X #else #endif in vec2 b;"
        );
        assert_eq!(
            words(
                "#ifdef A\nin vec2 a; uniform U { vec3 b; };\n#else\nvoid f() { g(); }\nin vec2 c;\n#endif\nin vec2 d;"
            ),
            "#ifdef A in vec2 a; uniform U { vec3 b; }; #else in vec2 c; #endif in vec2 d;"
        );
        assert_eq!(declarations("void f() { {"), None);
        assert_eq!(declarations("}"), None);
    }

    #[test]
    fn handles_have_a_form_in_spirv() {
        let text = "#extension GL_ARB_bindless_texture : require\nstruct M { sampler2D s; uimage3D i; float f; }; uniform sampler2D t;\
            layout(bindless_sampler) uniform; flat in samplerCube c;";
        assert_eq!(words(text), "struct M { uvec2 s; uvec2 i; float f; }; uniform sampler2D t; flat in uvec2 c;");
        assert_eq!(words("uniform samplerExternalOES c;"), "uniform sampler2D c;");
        assert_eq!(words("#extension GL_EXT_none : require\nin vec2 a;"), "#extension GL_EXT_none : warn in vec2 a;");
        assert_eq!(words("struct S { sampler2D s; };"), "struct S { sampler2D s; };");
    }
}
