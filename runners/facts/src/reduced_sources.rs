//! The reduced sources that are built into the program.

use layoutproof_built_in::UPSTREAM;
use layoutproof_core::results::known::ReducedSource;

use crate::built_in_lists::read_all;

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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use layoutproof_built_in::CASES;
    use layoutproof_layout::find;
    use layoutproof_readers::toolchain::toolchains;
    use layoutproof_site::mechanisms;

    use super::*;
    use crate::known_lists::known_lists;

    #[test]
    fn each_is_about_a_known_difference_a_case_and_toolchains_that_there_are() {
        let lists = known_lists().unwrap();
        let known: BTreeSet<String> = mechanisms(&lists).into_iter().map(|difference| difference.id).collect();
        let sources = reduced_sources().unwrap();
        assert!(sources.len() >= 10, "{} reduced sources", sources.len());

        for NamedSource { name, reduced } in &sources {
            assert!(reduced.known.iter().all(|id| known.contains(id)), "{name}: {:?}", reduced.known);
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
            for difference in known.iter().filter(|difference| reduced.known.contains(&difference.id)) {
                let is_searched =
                    difference.entries.iter().any(|entry| entry.searched.is_some() || entry.link.is_some());
                assert!(is_searched, "{name}: {}", difference.id);
            }
        }
    }
}
