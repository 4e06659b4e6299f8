//! The lists that are built into the program: known differences, one list for each compiler or driver, and the
//! reduced sources that show them.

use layoutproof_built_in::{BuiltInFile, KNOWN, UPSTREAM};
use layoutproof_core::results::known;
use layoutproof_core::results::known::{KnownFile, ReducedSource};
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::FileId;
use layoutproof_site::KnownList;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

/// The lists, by name.
///
/// # Errors
/// A list has problems; only those of the first such list are returned.
pub fn known_lists() -> anyhow::Result<Vec<KnownList>> {
    read_all("ci/known", KNOWN, |list, file, sources| {
        let KnownFile { title, compiler, entries } = known::read_file(file, sources)?;
        let (name, introduction) = (list.name.to_owned(), introduction(list.text));
        Ok(KnownList { title: title.unwrap_or_else(|| name.clone()), name, compiler, introduction, entries })
    })
}

/// The comment at the start of a list, as one paragraph.
fn introduction(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[derive(Debug)]
pub struct NamedSource {
    /// The file's name without the suffix.
    pub name: &'static str,
    pub reduced: ReducedSource,
}

/// All of them, by name.
///
/// # Errors
/// A file has problems; only those of the first such file are returned.
pub fn reduced_sources() -> anyhow::Result<Vec<NamedSource>> {
    read_all("ci/upstream", UPSTREAM, |file, id, sources| {
        ReducedSource::read(id, sources).map(|reduced| NamedSource { name: file.name, reduced })
    })
}

/// Reads all files of `folder`.
///
/// # Errors
/// A file has problems; only those of the first such file are returned.
pub(crate) fn read_all<T>(
    folder: &str,
    files: &'static [BuiltInFile],
    read: impl Fn(&'static BuiltInFile, FileId, &SourceMap) -> Result<T, Vec<Diagnostic>>,
) -> anyhow::Result<Vec<T>> {
    let mut found = Vec::new();
    let mut sources = SourceMap::default();
    for file in files {
        let id = sources.add(format!("{folder}/{}.toml", file.name), file.text);
        match read(file, id, &sources) {
            Ok(value) => found.push(value),
            Err(diagnostics) => return Err(RefusedInput { diagnostics, sources }.into()),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use layoutproof_built_in::CASES;
    use layoutproof_layout::find;
    use layoutproof_readers::toolchain::{toolchains, translators};
    use layoutproof_site::mechanisms;

    use super::*;
    use crate::known_lists::known_lists;

    #[test]
    fn a_list_says_what_people_call_its_compiler() {
        for list in known_lists().unwrap() {
            let is_known = |name: &String| toolchains().iter().any(|toolchain| toolchain.name_in_cases == name);
            assert!(list.compiler.as_ref().is_none_or(is_known), "{}", list.name);
            assert!(
                KNOWN.iter().any(|file| file.name == list.name && file.text.contains("\ntitle = ")),
                "{}",
                list.name
            );
        }
    }

    /// Ids stay what they are, so each fault has one, and each id one fault.
    #[test]
    fn each_entry_has_the_id_of_its_fault() {
        for list in known_lists().unwrap() {
            let mut reasons: BTreeMap<&str, &str> = BTreeMap::new();
            for entry in &list.entries {
                let id = entry.bug.as_deref().unwrap_or_else(|| panic!("{}:{} lacks `bug`", entry.file, entry.line));
                let number = id.strip_prefix(&list.name.to_uppercase()).and_then(|end| end.strip_prefix('-'));
                assert!(
                    number.is_some_and(|number| number.parse::<u32>().is_ok()),
                    "{}:{}: {id}",
                    entry.file,
                    entry.line
                );
                assert_eq!(
                    *reasons.entry(id).or_insert(&entry.reason),
                    entry.reason,
                    "{}:{}: {id}",
                    entry.file,
                    entry.line
                );
            }
            let faults: BTreeSet<&str> = reasons.values().copied().collect();
            assert_eq!(faults.len(), reasons.len(), "{}: a fault has two ids", list.name);
        }
    }

    #[test]
    fn a_list_begins_with_what_it_is_about() {
        assert_eq!(introduction("# Of A.\n#\n# B.\n\n[[known]]\n# c"), "Of A. B.");
        for list in known_lists().unwrap() {
            assert!(!list.introduction.is_empty(), "{}", list.name);
        }
    }

    /// A translator may move anything, so an entry about one that names neither cases with their numbers, nor the rule sets
    /// that have them, nor a shape, nor the message of a crash or of the validator would excuse whatever it does wrong next. One about a crash has its message and names no case, because no list
    /// keeps an input that ends a program.
    #[test]
    fn entries_about_translators_are_narrow() {
        let lists = known_lists().unwrap();
        let translators: Vec<&str> = translators().iter().map(|translator| translator.name).collect();
        let mut found = 0;
        for entry in lists.iter().flat_map(|list| &list.entries).filter(|entry| !entry.is_about_producer("dxc-dxil")) {
            if translators.iter().any(|name| entry.is_about_producer(name)) {
                let has_numbers = entry.case_id().is_some() && entry.instead.is_some();
                let has_numbers = has_numbers || entry.has_rules_for_numbers();
                let is_about_modules = entry.culprit() == Some("module")
                    && entry.conditions().iter().any(|condition| condition.key == "validation");
                let is_narrow = has_numbers || is_about_modules || entry.shape.is_some() || entry.is_about_breaks();
                assert!(is_narrow, "{}:{}", entry.file, entry.line);
                found += 1;
            }
        }
        assert!(found >= 60, "{found} entries are about translators");
    }

    #[test]
    fn each_is_about_a_known_difference_a_case_and_toolchains_that_there_are() {
        let lists = known_lists().unwrap();
        let known: BTreeSet<&str> = mechanisms(&lists).into_iter().map(|difference| difference.id).collect();
        let sources = reduced_sources().unwrap();
        assert!(sources.len() >= 10, "{} reduced sources", sources.len());

        for NamedSource { name, reduced } in &sources {
            assert!(reduced.known.iter().all(|id| known.contains(id.as_str())), "{name}: {:?}", reduced.known);
            assert!(CASES.iter().any(|case| case.name == reduced.case), "{name}: {}", reduced.case);
            let unknown = |toolchain: &&String| !toolchains().iter().any(|known| known.name == toolchain.as_str());
            assert_eq!(reduced.toolchains.iter().find(unknown), None, "{name}");
            assert!(reduced.rules.as_deref().is_none_or(|rules| find(rules).is_some()), "{name}");
        }
    }

    /// Each entry with a reduced source records a search of the tracker, or a link to the issue.
    #[test]
    fn the_tracker_was_searched_for_each() {
        let lists = known_lists().unwrap();
        let known = mechanisms(&lists);
        for NamedSource { name, reduced } in reduced_sources().unwrap() {
            for difference in known.iter().filter(|difference| reduced.is_about(difference.id)) {
                let is_searched =
                    difference.entries.iter().any(|entry| entry.searched.is_some() || entry.link.is_some());
                assert!(is_searched, "{name}: {}", difference.id);
            }
        }
    }
}
