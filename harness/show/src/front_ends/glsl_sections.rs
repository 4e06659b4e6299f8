//! Files that hold several shaders in GLSL: Godot's with `#[vertex]` and `#[compute]`, and sokol-shdc's with `@vs` and
//! `@block`.
//!
//! Each shader becomes a text of its own in which the lines of the others are blank, so that places stay.
//!
//! Source: Godot 4, `RDShaderFile::parse_versions_from_text`; sokol-shdc's documentation, "Shader Tags Reference".

use std::collections::BTreeSet;
use std::ops::Range;

/// A shader of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GlslSection {
    /// As glslang names stages.
    pub stage: &'static str,
    /// As long as the file's text.
    pub text: String,
}

/// The shaders of a file, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sections {
    pub shaders: Vec<GlslSection>,
    /// The first byte of the first version of Godot's that defines a macro.
    pub versions: Option<usize>,
}

/// A tag that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadSection {
    /// Its first byte.
    pub start: usize,
    pub message: String,
}

/// The sections of Godot that are shaders, with their stages.
const GODOT: [(&str, &str); 10] = [
    ("vertex", "vert"),
    ("fragment", "frag"),
    ("tesselation_control", "tesc"),
    ("tesselation_evaluation", "tese"),
    ("compute", "comp"),
    ("raygen", "rgen"),
    ("any_hit", "rahit"),
    ("closest_hit", "rchit"),
    ("miss", "rmiss"),
    ("intersection", "rint"),
];

/// A section of Godot.
#[derive(Clone, Copy, Debug)]
enum GodotTag {
    Shader(&'static str),
    /// Macros for variants of the shaders.
    Versions,
}

/// The tags of sokol-shdc that open a shader, with its stage, or a part for several shaders.
const SOKOL: [(&str, Option<&str>); 4] =
    [("vs", Some("vert")), ("fs", Some("frag")), ("cs", Some("comp")), ("block", None)];

/// Which tool splits a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionStyle {
    Godot,
    Sokol,
}

impl SectionStyle {
    /// `None` for a plain text.
    pub(super) fn of(text: &str) -> Option<Self> {
        let opens =
            |tag: Option<(&str, &str)>| tag.is_some_and(|(name, _)| SOKOL.iter().any(|(known, _)| *known == name));
        if text.lines().any(|line| godot_tag(line).is_some()) {
            Some(Self::Godot)
        } else if text.lines().any(|line| opens(sokol_tag(line))) {
            Some(Self::Sokol)
        } else {
            None
        }
    }

    /// The shaders in a text of this style, in order.
    ///
    /// # Errors
    /// A tag that cannot be followed.
    pub(super) fn sections(self, text: &str) -> Result<Sections, BadSection> {
        match self {
            Self::Godot => godot_sections(text),
            Self::Sokol => Ok(Sections { shaders: sokol_sections(text)?, versions: None }),
        }
    }
}

/// The lines of a text with their places.
fn lines(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let range = start..start + line.len();
        start = range.end;
        (range, line)
    })
}

/// The text with spaces in place of all lines but these.
fn only<'a>(text: &str, kept: impl Iterator<Item = &'a Range<usize>>) -> String {
    let mut bytes: Vec<u8> =
        text.bytes().map(|byte| if byte == b'\n' || byte == b'\r' { byte } else { b' ' }).collect();
    for range in kept {
        bytes[range.clone()].copy_from_slice(&text.as_bytes()[range.clone()]);
    }
    String::from_utf8(bytes).expect("whole lines of a text and spaces are a text")
}

/// The section that a line opens.
fn godot_tag(line: &str) -> Option<GodotTag> {
    match line.trim().strip_prefix("#[")?.strip_suffix(']')?.trim() {
        "versions" => Some(GodotTag::Versions),
        name => GODOT.iter().find(|(known, _)| *known == name).map(|(_, stage)| GodotTag::Shader(stage)),
    }
}

fn godot_sections(text: &str) -> Result<Sections, BadSection> {
    let mut found: Vec<(&'static str, Vec<Range<usize>>)> = Vec::new();
    let mut versions = None;
    let mut reads_versions = false;
    for (range, line) in lines(text) {
        let start = range.start;
        let word = line.trim();
        match godot_tag(line) {
            Some(GodotTag::Shader(stage)) if found.iter().any(|(known, _)| *known == stage) => {
                return Err(BadSection { start, message: format!("`{word}` is here for the second time") });
            }
            Some(GodotTag::Shader(stage)) => {
                found.push((stage, Vec::new()));
                reads_versions = false;
            }
            Some(GodotTag::Versions) => reads_versions = true,
            None if reads_versions => {
                if word.contains("#define") {
                    versions.get_or_insert(start);
                }
            }
            // Godot puts the macros of a version here.
            None if word == "#VERSION_DEFINES" => {}
            None => match found.last_mut() {
                Some((_, lines)) => lines.push(range),
                None if word.is_empty() || word.starts_with("//") || word.starts_with("/*") => {}
                None => {
                    let message = format!("`{word}` is in no section such as `#[compute]`, and Godot refuses it");
                    return Err(BadSection { start, message });
                }
            },
        }
    }
    if found.is_empty() {
        let message = "no section of a stage, such as `#[compute]`, is in this file".to_owned();
        return Err(BadSection { start: 0, message });
    }
    let section =
        |(stage, lines): (&'static str, Vec<Range<usize>>)| GlslSection { stage, text: only(text, lines.iter()) };
    Ok(Sections { shaders: found.into_iter().map(section).collect(), versions })
}

/// The word after `@` and the rest of the line; also after `#pragma sokol`.
fn sokol_tag(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("#pragma sokol").map_or(line, str::trim_start);
    let (name, rest) = line.strip_prefix('@')?.split_once(char::is_whitespace).unwrap_or((line.strip_prefix('@')?, ""));
    Some((name, rest.trim()))
}

/// A shader or block of sokol-shdc.
struct SokolPart<'a> {
    name: &'a str,
    stage: Option<&'static str>,
    lines: Vec<Range<usize>>,
    /// The blocks that it includes, each with the first byte of its tag.
    includes: Vec<(usize, &'a str)>,
}

fn sokol_sections(text: &str) -> Result<Vec<GlslSection>, BadSection> {
    let mut parts: Vec<SokolPart<'_>> = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (range, line) in lines(text) {
        let bad = |message: String| Err(BadSection { start: range.start, message });
        match sokol_tag(line) {
            Some((tag @ ("vs" | "fs" | "cs" | "block"), name)) => {
                if let Some((_, before)) = open.replace((range.start, name)) {
                    return bad(format!("`@{tag} {name}` begins before the `@end` of `{before}`"));
                }
                let stage = SOKOL.iter().find(|(known, _)| *known == tag).and_then(|(_, stage)| *stage);
                parts.push(SokolPart { name, stage, lines: Vec::new(), includes: Vec::new() });
            }
            Some(("end", _)) => open = None,
            Some(("include_block", name)) => match parts.last_mut().filter(|_| open.is_some()) {
                Some(part) => part.includes.push((range.start, name)),
                None => return bad(format!("`@include_block {name}` is in no shader and no block")),
            },
            Some(("include", file)) => {
                return bad(format!("layoutproof does not read `@include {file}`: insert the file's text here"));
            }
            Some(_) => {}
            None => {
                if let Some(part) = parts.last_mut().filter(|_| open.is_some()) {
                    part.lines.push(range);
                }
            }
        }
    }
    if let Some((start, name)) = open {
        return Err(BadSection { start, message: format!("`{name}` has no `@end`") });
    }

    let mut sections = Vec::new();
    for part in parts.iter().filter(|part| part.stage.is_some()) {
        let mut included = BTreeSet::new();
        let mut waiting = part.includes.clone();
        while let Some((start, name)) = waiting.pop() {
            let Some(block) = parts.iter().find(|block| block.stage.is_none() && block.name == name) else {
                let message = format!("no `@block {name}` is here, which `{}` includes", part.name);
                return Err(BadSection { start, message });
            };
            if included.insert(name) {
                waiting.extend(&block.includes);
            }
        }
        let blocks = parts.iter().filter(|block| block.stage.is_none() && included.contains(block.name));
        let lines = blocks.flat_map(|block| &block.lines).chain(&part.lines);
        sections.extend(part.stage.map(|stage| GlslSection { stage, text: only(text, lines) }));
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stages and the words of the shaders.
    fn of(text: &str) -> Vec<(&'static str, String)> {
        let sections = SectionStyle::of(text).unwrap().sections(text).unwrap().shaders;
        assert!(sections.iter().all(|section| section.text.len() == text.len()));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        sections.iter().map(|section| (section.stage, words(&section.text))).collect()
    }

    #[test]
    fn sections_of_godot_are_shaders() {
        assert_eq!(of("#[compute]\n#version 450\nA;\n"), [("comp", "#version 450 A;".to_owned())]);
        let text = "// Text\n#[versions]\nm = \"\";\n#[vertex]\n\n#version 450\r\n#VERSION_DEFINES\nA;\n#[ fragment ]\n\
            #version 450\nö;\n";
        assert_eq!(of(text), [("vert", "#version 450 A;".to_owned()), ("frag", "#version 450 ö;".to_owned())]);
        let versions = |text: &str| SectionStyle::Godot.sections(text).unwrap().versions;
        assert_eq!(versions(text), None);
        assert_eq!(versions("#[versions]\na = \"\";\nb = \"#define B\";\n#[compute]\n#define C\n"), Some(20));
        for (text, message) in [
            ("#[versions]\na = \"\";\n", "no section of a stage, such as `#[compute]`, is in this file"),
            ("#[vertex]\n#[vertex]\n", "`#[vertex]` is here for the second time"),
            ("int a;\n#[vertex]\n", "`int a;` is in no section such as `#[compute]`, and Godot refuses it"),
        ] {
            assert_eq!(SectionStyle::Godot.sections(text).unwrap_err().message, message);
        }
        assert_eq!(SectionStyle::of("#version 450\n#[unknown]\n"), None);
        assert_eq!(SectionStyle::of("#version 450\nvoid main() {}\n"), None);
    }

    #[test]
    fn parts_of_sokol_are_shaders_with_their_blocks() {
        let text = "@ctype mat4 m\n@block a\nA;\n@end\n@block b\n@include_block a\nB;\n@end\n@vs v\n@include_block b\nV;\n@end\n\
            #pragma sokol @fs f\nF;\n#pragma sokol @end\n@program p v f\n";
        assert_eq!(of(text), [("vert", "A; B; V;".to_owned()), ("frag", "F;".to_owned())]);
        assert_eq!(of("@cs c\nC;\n@end"), [("comp", "C;".to_owned())]);
        for (text, message) in [
            ("@vs v\nV;", "`v` has no `@end`"),
            ("@vs v\n@fs f\n@end", "`@fs f` begins before the `@end` of `v`"),
            ("@vs v\n@include_block x\n@end", "no `@block x` is here, which `v` includes"),
            (
                "@include a.glsl\n@vs v\n@end",
                "layoutproof does not read `@include a.glsl`: insert the file's text here",
            ),
        ] {
            let bad = SectionStyle::Sokol.sections(text).unwrap_err();
            assert_eq!(bad.message, message);
        }
    }
}
