//! Finds the macros with which a project's build compiles its shaders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use layoutproof_compilers::regular_file::read_text;

/// Names and suffixes of files with the commands of a build.
const BUILD_FILES: [&str; 7] = ["CMakeLists.txt", ".bat", ".build", ".cmake", ".ps1", ".py", ".sh"];

/// Longest file to search, in bytes.
const LONGEST: u64 = 1 << 20;

/// Maximum number of sets.
const MOST_SETS: usize = 8;

/// The sets of macros, as `NAME=VALUE`, that belong together: those of one file and those of the files in
/// the folders above it. If a build has several values for a macro, the first is taken.
pub(super) fn define_sets(folder: &Path, files: &BTreeSet<String>) -> Vec<Vec<String>> {
    let is_build_file = |file: &&String| BUILD_FILES.iter().any(|end| file.ends_with(end));
    let mut by_folder: BTreeMap<PathBuf, BTreeMap<String, String>> = BTreeMap::new();
    for file in files.iter().filter(is_build_file) {
        let Ok(text) = read_text(&folder.join(file), LONGEST) else { continue };
        let own = by_folder.entry(Path::new(file).parent().unwrap_or(Path::new("")).to_owned()).or_default();
        for (name, value) in
            text.split(|letter: char| letter.is_whitespace() || "\"'();,".contains(letter)).filter_map(defined)
        {
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

/// The macro of a word such as `-DGPU=1`. The first value of `-DHALF={0,1}` counts, whose rest is another
/// word.
fn defined(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.strip_prefix("-D")?.split_once('=').unwrap_or((word.strip_prefix("-D")?, "1"));
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let value = value.trim_start_matches('{').trim_end_matches('}');
    let is_plain = !value.is_empty() && value.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '.');
    let is_own = !name.starts_with("CMAKE_");
    (is_name(name) && is_own && is_plain).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_commands_define_macros() {
        for (word, found) in [
            ("-DGPU=1", Some(("GPU", "1"))),
            ("-DWAVE", Some(("WAVE", "1"))),
            ("-DHALF={0", Some(("HALF", "0"))),
            ("-DPATH=${DIR}/x", None),
            ("-D", None),
            ("-deps=gcc", None),
        ] {
            assert_eq!(defined(word), found, "{word}");
        }
    }
}
