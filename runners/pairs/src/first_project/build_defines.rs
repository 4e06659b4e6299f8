//! Finds the macros with which a project's build compiles its shaders.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use layoutproof_compilers::regular_file::read_text;
use layoutproof_source::shader_language::ShaderLanguage;

/// Names and suffixes of files with the commands of a build.
const BUILD_FILES: [&str; 11] =
    ["CMakeLists.txt", "Makefile", "build.rs", ".bat", ".build", ".cmake", ".cmd", ".mk", ".ps1", ".py", ".sh"];

/// Suffixes of programs that compile shaders in the build and have macros as tables.
const GENERATORS: [&str; 4] = [".cc", ".cpp", ".cxx", ".py"];

/// Longest file to search, in bytes.
pub(super) const LONGEST: u64 = 1 << 20;

/// Maximum number of sets.
pub(super) const MOST_SETS: usize = 8;

/// The sets of macros, as `NAME=VALUE`, that belong together: those of one file and those of the files in
/// the folders above it. If a build has several values for a macro, the first is taken.
pub(super) fn define_sets(folder: &Path, files: &BTreeSet<String>) -> Vec<Vec<String>> {
    let mut by_folder: BTreeMap<PathBuf, BTreeMap<String, String>> = BTreeMap::new();
    for file in files.iter().filter(|file| is_build_file(file)) {
        let Ok(text) = read_text(&folder.join(file), LONGEST) else { continue };
        let own = by_folder.entry(Path::new(file).parent().unwrap_or(Path::new("")).to_owned()).or_default();
        for (name, value) in defined_in(&text) {
            own.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    by_folder.retain(|_, own| !own.is_empty());

    let sets = by_folder.iter().map(|(place, own)| {
        let above = place.ancestors().skip(1).filter_map(|folder| by_folder.get(folder));
        let mut set = own.clone();
        for (name, value) in above.flatten() {
            set.entry(name.clone()).or_insert_with(|| value.clone());
        }
        set.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    });
    sets.take(MOST_SETS).collect()
}

pub(super) fn is_build_file(file: &str) -> bool {
    BUILD_FILES.iter().any(|end| file.ends_with(end))
}

/// Suffixes of files that shaders and programs include.
const HEADERS: [&str; 9] = [".fxh", ".glsl", ".glslh", ".glslinc", ".h", ".hlsli", ".hpp", ".inc", ".slangh"];

/// The values of macros in the headers of a project, which are read when a shader first lacks a macro.
#[derive(Debug)]
pub(super) struct HeaderValues<'a> {
    folder: &'a Path,
    files: &'a BTreeSet<String>,
    values: OnceLock<BTreeMap<String, String>>,
}

impl<'a> HeaderValues<'a> {
    pub(super) fn new(folder: &'a Path, files: &'a BTreeSet<String>) -> Self {
        Self { folder, files, values: OnceLock::new() }
    }

    pub(super) fn get(&self, name: &str) -> Option<&String> {
        self.values.get_or_init(|| values_in_headers(self.folder, self.files)).get(name)
    }
}

/// The macros without parameters that the headers of a project define as a number or a name, each with its only value.
/// Programs put such headers before their shaders.
fn values_in_headers(folder: &Path, files: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut values: BTreeMap<String, Option<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| HEADERS.iter().any(|end| file.ends_with(end))) {
        let Ok(text) = read_text(&folder.join(file), LONGEST) else { continue };
        for line in text.lines().filter(|line| line.trim_start().starts_with('#')) {
            let words: Vec<&str> = line.split("//").next().unwrap_or_default().split_whitespace().collect();
            let (name, value) = match words.as_slice() {
                ["#define", name, value] | ["#", "define", name, value] => (*name, *value),
                ["#define", name, ..] | ["#", "define", name, ..] => (*name, ""),
                _ => continue,
            };
            if is_name(name) {
                let known = values.entry(name.to_owned()).or_insert_with(|| Some(value.to_owned()));
                known.take_if(|known| known.as_str() != value || !is_plain(value));
            }
        }
    }
    values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The macros of all commands in a text, and of calls such as `add_macro_definition("GPU", Some("1"))`, which is shaderc's.
fn defined_in(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text
        .split(|letter: char| letter.is_whitespace() || "\"'();,".contains(letter))
        .filter(|word| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let next = |count: usize| words.get(index + count).copied().unwrap_or_default();
        if ["-D", "/D"].contains(word) {
            found.extend(definition(next(1)));
        } else if word.ends_with(".add_macro_definition") {
            let value = if next(2) == "Some" { next(3) } else { "1" };
            found.extend(Some((next(1), value)).filter(|(name, value)| is_name(name) && is_plain(value)));
        } else {
            found.extend(word.strip_prefix("-D").and_then(definition));
        }
    }
    found
}

/// The sets of macros of single shaders, by the names of their files, from the tables of programs that compile them in the
/// build: `compile("sum.comp", {{"A_TYPE", "float"}})`, or `merge(base, {{"A_TYPE", "float"}})` with a table that has a name.
/// Sets that the program computes are not found.
pub(super) fn sets_of_shaders(folder: &Path, files: &BTreeSet<String>) -> BTreeMap<String, Vec<Vec<String>>> {
    let shaders: BTreeSet<&str> = files.iter().filter_map(|file| Path::new(file).file_name()?.to_str()).collect();
    let mut found: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for file in files.iter().filter(|file| GENERATORS.iter().any(|end| file.ends_with(end))) {
        // Most programs have no such table.
        let Some(text) = read_text(&folder.join(file), LONGEST).ok().filter(|text| text.contains("{{\"")) else {
            continue;
        };
        let strings = strings_of(&text);
        let tables = named_tables(&text);
        for name in &strings {
            let shader = &text[name.clone()];
            if !shaders.contains(shader) || ShaderLanguage::of(None, Path::new(shader)).is_none() {
                continue;
            }
            let call = name.end..end_of_call(&text, &strings, name.end + 1);
            let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let named = text[call.clone()].split(|letter| !is_word(letter)).filter_map(|word| {
                let before = tables.get(word)?.iter().rev().find(|table| table.start < name.start)?;
                Some(before.clone())
            });
            let mut set: BTreeMap<&str, &str> = BTreeMap::new();
            for table in named.chain([call.clone()]) {
                set.extend(rows_of(&text, &strings, &table));
            }
            let set: Vec<String> = set.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            let sets = found.entry(shader.to_owned()).or_default();
            if !set.is_empty() && sets.len() < MOST_SETS && !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    found
}

/// The places of the texts between quotes.
fn strings_of(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let quotes: Vec<usize> = line.match_indices('"').map(|(at, _)| start + at).collect();
        found.extend(quotes.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]));
    }
    found
}

/// The tables with names, `base = {{"A_TYPE", "float"}};`, by their names.
fn named_tables(text: &str) -> BTreeMap<&str, Vec<Range<usize>>> {
    let mut found: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
    for (at, _) in text.match_indices("{{\"") {
        let before = text[..at].trim_end().strip_suffix('=').map_or("", str::trim_end);
        let name = before.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next();
        let end = text[at..].find("}}").map_or(text.len(), |length| at + length);
        found.entry(name.unwrap_or_default()).or_default().push(at..end);
    }
    found.remove("");
    found
}

/// The closing bracket of the call that has the text from `start` on among its arguments.
fn end_of_call(text: &str, strings: &[Range<usize>], start: usize) -> usize {
    let mut depth = 0;
    for (at, letter) in text[start..].char_indices().map(|(at, letter)| (start + at, letter)) {
        let next = strings.partition_point(|string| string.end <= at);
        if strings.get(next).is_some_and(|string| string.contains(&at)) {
            continue;
        }
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            ';' => return at,
            _ => {}
        }
    }
    text.len()
}

/// The rows `{"NAME", "VALUE"}` of a table.
fn rows_of<'t>(text: &'t str, strings: &[Range<usize>], table: &Range<usize>) -> Vec<(&'t str, &'t str)> {
    let first = strings.partition_point(|string| string.start < table.start);
    let inside = strings[first..].iter().take_while(|string| string.end <= table.end);
    let inside: Vec<&Range<usize>> = inside.collect();
    let mut rows = Vec::new();
    for pair in inside.windows(2) {
        let between = text[pair[0].end + 1..pair[1].start - 1].trim();
        let is_row = text[..pair[0].start - 1].trim_end().ends_with('{')
            && between == ","
            && text[pair[1].end + 1..].trim_start().starts_with('}');
        let (name, value) = (&text[pair[0].clone()], &text[pair[1].clone()]);
        if is_row && is_name(name) && !value.is_empty() {
            rows.push((name, value));
        }
    }
    rows
}

/// The macro of a word such as `GPU=1` after `-D`. The first value of `HALF={0,1}` counts, whose rest is another word.
fn definition(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=').unwrap_or((word, "1"));
    let value = value.trim_start_matches('{').trim_end_matches('}');
    (is_name(name) && !name.starts_with("CMAKE_") && is_plain(value)).then_some((name, value))
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

pub(super) fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands_define_macros() {
        for (words, found) in [
            ("-DGPU=1", &[("GPU", "1")][..]),
            ("-DWAVE", &[("WAVE", "1")]),
            ("-DHALF={0,1}", &[("HALF", "0")]),
            ("dxc -D GPU=1 /D WAVE -T cs_6_6", &[("GPU", "1"), ("WAVE", "1")]),
            ("args: ['-DGPU=1', '-D', 'WAVE=64']", &[("GPU", "1"), ("WAVE", "64")]),
            ("list(APPEND ARGS \"-DGPU=1;-DWAVE\")", &[("GPU", "1"), ("WAVE", "1")]),
            ("options.add_macro_definition(\"GPU\", Some(\"4\"));", &[("GPU", "4")]),
            ("options.add_macro_definition(\"GPU\", None);", &[("GPU", "1")]),
            ("-DPATH=${DIR}/x -D -deps=gcc", &[]),
        ] {
            assert_eq!(defined_in(words), found, "{words}");
        }
    }

    #[test]
    fn headers_give_macros_their_only_value() {
        let folder = tempfile::tempdir().unwrap();
        let text = "#pragma once\n#define MATERIAL_SET 1 // of all materials\n#define LANES 4\n#define GUARD\n\
                    #define MAX(a, b) a\n# define KIND uint\n#define SUM 1 + 2\n";
        std::fs::write(folder.path().join("platform.h"), text).unwrap();
        std::fs::write(folder.path().join("other.glsl"), "#define LANES 8\n  #define MATERIAL_SET 1\n").unwrap();
        let values = values_in_headers(folder.path(), &["platform.h", "other.glsl"].map(str::to_owned).into());
        let found: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(found, ["KIND=uint", "MATERIAL_SET=1"]);
    }

    #[test]
    fn tables_of_a_generator_define_macros_of_its_shaders() {
        let folder = tempfile::tempdir().unwrap();
        let generator = "std::map<string, string> base = {{\"FLOAT_TYPE\", \"float\"}, {\"FLOAT_TYPEV2\", \"vec2\"}};\n\
                         compile(\"sum_f32\", \"sum.comp\", merge(base, {{\"A_TYPE\", \"float\"}, {key, \"1\"}}));\n\
                         compile(\"sum_f16\", \"sum.comp\", {{\"A_TYPE\", \"f16(1)\"}, {\"D_TYPE\", f16 ? \"a\" : \"b\"}});\n\
                         compile(\"copy\", \"copy.comp\", {});\n";
        std::fs::write(folder.path().join("gen.cpp"), generator).unwrap();
        let files = ["gen.cpp", "shaders/sum.comp", "shaders/copy.comp"].map(str::to_owned).into();
        let sets = sets_of_shaders(folder.path(), &files);
        let float = ["A_TYPE=float", "FLOAT_TYPE=float", "FLOAT_TYPEV2=vec2"];
        assert_eq!(sets["sum.comp"], [&float[..], &["A_TYPE=f16(1)"]]);
        assert!(sets["copy.comp"].is_empty());
    }
}
