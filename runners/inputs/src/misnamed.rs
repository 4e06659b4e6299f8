//! Advice about words that name no input: files that are no shaders, folders, and names that are almost
//! those of files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layoutproof_events::shell::shell_word;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::nearest_name::nearest_name;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::files::entries;
use crate::shared_suffixes::is_shared;

/// Suffixes of the texts of programs, which `check` reads as compiled by their own compilers.
const HOST_TEXTS: [&str; 12] = ["c", "cc", "cpp", "cs", "cxx", "h", "hh", "hpp", "hxx", "m", "mm", "rs"];

/// Suffixes of programs and their parts.
const HOST_PROGRAMS: [&str; 9] = ["a", "dll", "dylib", "elf", "exe", "lib", "o", "obj", "pdb"];

/// Suffixes of shaders in the languages of engines: what a file is, what of it can be read, and how.
const OTHER_SHADERS: [(&[&str], &str); 5] = [
    (
        &["usf", "ush"],
        "is HLSL of Unreal Engine, which adds generated files and macros: --lang hlsl reads what stands on its own, with \
         -I and -D for the rest",
    ),
    (
        &["cginc", "compute"],
        "is HLSL of Unity, which adds include files and macros: --lang hlsl reads it, with -I for the files of the \
         render pipeline and -D for keywords",
    ),
    (
        &["shader"],
        "is ShaderLab of Unity: copy the HLSL between HLSLPROGRAM and ENDHLSL into a file of its own, and name that",
    ),
    (
        &["gdshader", "gdshaderinc"],
        "is in Godot's own language, whose uniforms Godot places itself: a shader that declares blocks is a `.glsl` file \
         with `#[compute]` or `#[vertex]`",
    ),
    (&["sc"], "is in the language of bgfx: name the GLSL or SPIR-V that its shaderc writes"),
];

/// True for the text of a program, by its suffix.
pub fn is_host_text(path: &Path) -> bool {
    let suffix = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    HOST_TEXTS.contains(&suffix.as_str())
}

/// What a file is whose suffix names no language, and which command reads it.
pub fn file_of_unknown_language(word: &str) -> String {
    let suffix = Path::new(word).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let suffix = suffix.as_str();
    if is_host_text(Path::new(word)) {
        format!(
            "{word} is the text of a program, not a shader: `layoutproof check SHADER OBJECT` compares its structs, as \
             they are in the compiled object"
        )
    } else if HOST_PROGRAMS.contains(&suffix) {
        let quoted = shell_word(word);
        format!("{word} is a program, not a shader: `layoutproof check SHADER {quoted}` compares its structs")
    } else if suffix == "metallib" {
        format!("{word} is a library for Metal, which is not read: name the .metal text that it was made from")
    } else if let Some((_, sentence)) = OTHER_SHADERS.iter().find(|(suffixes, _)| suffixes.contains(&suffix)) {
        format!("{word} {sentence}")
    } else if is_shared(Path::new(word)) {
        format!("{word} may be GLSL or HLSL, and its text does not tell: name it with --lang glsl or --lang hlsl")
    } else if matches!(suffix, "json" | "jsonl" | "zst") {
        format!("{word} is no shader: `layoutproof report {}` reads the records of runs", shell_word(word))
    } else {
        format!("the suffix of {word} names no language: name it with --lang {}", ShaderLanguage::names())
    }
}

/// How to name the shaders or cases in a folder.
pub fn folder(word: &str) -> String {
    let name = word.trim_end_matches(['/', '\\']);
    match usual_suffix(Path::new(word)) {
        Some(suffix) => format!("{word} is a folder: name files, as `{name}/*.{suffix}`"),
        None if has_lists(Path::new(word)) => format!("{word} is a folder: `--cases {name}` adds the cases in it"),
        None => format!("{word} is a folder without shaders: name files, as `{name}/*.hlsl`"),
    }
}

/// True if a folder or one in it has `.toml` files, as a folder of cases does.
fn has_lists(folder: &Path) -> bool {
    let is_list = |path: &PathBuf| path.extension().is_some_and(|suffix| suffix == "toml");
    let inside = entries(folder).unwrap_or_default();
    inside.iter().any(is_list) || inside.iter().any(|below| entries(below).unwrap_or_default().iter().any(is_list))
}

/// The suffix of most shaders in a folder; `None` if it has no shaders.
pub fn usual_suffix(folder: &Path) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries(folder).unwrap_or_default() {
        if FrontEnd::of(None, &entry).is_some() {
            *counts.entry(entry.extension().unwrap_or_default().to_string_lossy().into_owned()).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(suffix, _)| suffix)
}

/// The end of a message about an absent file: the file beside it with the nearest name.
pub fn near_file(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = entries(named.unwrap_or(Path::new("."))).unwrap_or_default();
    let names: Vec<String> = beside
        .iter()
        .filter(|entry| entry.is_file())
        .filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()))
        .collect();
    let near = nearest_name(&name, names.iter().map(String::as_str)).map(|near| path.with_file_name(near));
    near.map(|near| format!(": did you mean `{}`?", near.display())).unwrap_or_default()
}
