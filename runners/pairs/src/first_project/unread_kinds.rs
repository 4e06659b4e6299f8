//! Files with shaders that `init` cannot list, because their language is not read or they are strings in a program.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use layoutproof_compilers::regular_file::read_text;
use layoutproof_show::style::counted;

use super::{examples, slashed};

/// Longest text to search for shaders, in bytes.
const LONGEST_TEXT: u64 = 1 << 20;

/// Most texts of programs to search, so that a large project takes seconds.
const MOST_TEXTS: usize = 5000;

/// Kinds of files by their suffixes, with what they are and what to list instead.
const KINDS: [(&[&str], &str, &str); 6] = [
    (
        &["ezshader", "ezpermvar", "ezshadertemplate"],
        "ezEngine",
        "list the HLSL or SPIR-V that its shader compiler writes",
    ),
    (&["gdshader", "gdshaderinc"], "Godot", "the engine lays out their uniforms itself"),
    (
        &["shader", "cginc", "shadergraph", "shadersubgraph"],
        "Unity or another engine",
        "list the HLSL or SPIR-V that the engine writes",
    ),
    (&["usf", "ush"], "Unreal Engine", "list the HLSL that it writes with r.DumpShaderDebugInfo"),
    (&["azsl", "azsli"], "O3DE", "list the HLSL that its AZSLc writes"),
    (&["metal", "msl"], "Metal", "list the HLSL or Slang from which they are made, with --target metal"),
];

/// Suffixes of the texts of programs that contain shaders as strings.
const PROGRAM_TEXTS: [&str; 18] =
    ["c", "cc", "cpp", "cs", "cxx", "go", "h", "hpp", "js", "kt", "m", "mjs", "mm", "py", "rs", "ts", "tsx", "zig"];

/// Texts that only shaders have, with their language: all of a row.
const SIGNS: [(&[&str], &str); 5] = [
    (&["@group(", "@binding(", "var<"], "WGSL"),
    (&["@compute", "@workgroup_size("], "WGSL"),
    (&["#version ", "void main()"], "GLSL"),
    (&["cbuffer ", ": SV_"], "HLSL"),
    (&["StructuredBuffer<", "[numthreads("], "HLSL"),
];

/// The files by what they are and what to do.
#[derive(Debug, Default)]
pub(super) struct UnreadKinds {
    /// By the noun, the words after it and the advice.
    found: BTreeMap<(String, String, &'static str), Vec<String>>,
    texts: usize,
}

impl UnreadKinds {
    /// Counts a file if it is of such a kind. True for one that is no shader of a language that is read.
    pub(super) fn takes(&mut self, file: &Path, relative: &Path) -> bool {
        let suffix = relative.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let suffix = suffix.as_str();
        if let Some((_, title, advice)) = KINDS.iter().find(|(suffixes, ..)| suffixes.contains(&suffix)) {
            self.add("shader file", format!("of {title}"), advice, relative);
            return true;
        }
        if PROGRAM_TEXTS.contains(&suffix) && self.texts < MOST_TEXTS {
            self.texts += 1;
            let Ok(text) = read_text(file, LONGEST_TEXT) else { return false };
            let has_strings = text.contains(['"', '`']) || text.contains("\\\\");
            // Headers may be HLSL themselves.
            let is_header = suffix.starts_with('h');
            let is_it = |(signs, language): &&(&[&str], &str)| {
                signs.iter().all(|sign| text.contains(sign)) && !(is_header && *language == "HLSL")
            };
            let language = SIGNS.iter().find(is_it);
            if let Some((_, language)) = language.filter(|_| has_strings) {
                let advice = "write each to a file, or list the SPIR-V that the program makes of it";
                self.add(&format!(".{suffix} file"), format!("with {language} in strings"), advice, relative);
            }
        }
        false
    }

    /// True if no file was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn add(&mut self, noun: &str, rest: String, advice: &'static str, relative: &Path) {
        self.found.entry((noun.to_owned(), rest, advice)).or_default().push(slashed(relative));
    }

    /// A sentence for each kind, the most frequent first.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut kinds: Vec<_> = self.found.iter().collect();
        kinds.sort_by_key(|(_, files)| Reverse(files.len()));
        let sentence = |((noun, rest, advice), files): (&(String, String, &str), &Vec<String>)| {
            format!("{} {rest}{}: {advice}", counted(files.len() as u64, noun), examples(files.len(), &files[..1]))
        };
        kinds.into_iter().map(sentence).collect()
    }
}
