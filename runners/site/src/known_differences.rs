//! Groups known differences by mechanism; each mechanism has a page.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{GivenNames, slug, slug_of_sentence};
use layoutproof_core::results::known::KnownFailure;

/// A list of known differences: all of one compiler or of one driver.
#[derive(Clone, Debug)]
pub struct KnownList {
    /// Name of the file without its extension: `dxc`.
    pub name: String,
    /// Display name of the compiler or driver.
    pub title: String,
    /// The compiler's name in cases, which selects its toolchains; `None` for a driver, and for
    /// compilers without options.
    pub compiler: Option<String>,
    /// The comment at the start of the file.
    pub introduction: String,
    /// Its entries, one for each case that an entry names.
    pub entries: Vec<KnownFailure>,
}

/// A difference of a compiler or driver, for one reason.
#[derive(Clone, Debug)]
pub struct Mechanism<'a> {
    /// A unique name: the list, then the first words of the reason (`dxc/dxc-lists-a-matrix`).
    pub id: String,
    /// Address of its page.
    pub path: String,
    /// The list that contains it.
    pub list: &'a KnownList,
    /// The reason as written in the list.
    pub reason: &'a str,
    /// The entries with this reason; at least one.
    pub entries: Vec<&'a KnownFailure>,
}

/// Addresses of mechanisms by the place of an entry.
pub(super) type MechanismPaths<'a> = BTreeMap<EntryPlace<'a>, &'a str>;

/// The place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryPlace<'a> {
    /// The list: `ci/known/dxc.toml`.
    pub file: &'a str,
    /// From 1.
    pub line: u32,
}

impl Mechanism<'_> {
    /// True if an entry names this case or a pattern for it. An entry about all cases may not
    /// concern this one.
    pub fn names(&self, case: &str) -> bool {
        self.entries.iter().any(|entry| entry.names_cases() && entry.is_about_case(case))
    }

    /// The address of the report to the compiler's developers.
    pub fn upstream_link(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| entry.link.as_deref())
    }

    /// How a source avoids the difference.
    pub fn workaround(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| entry.workaround.as_deref())
    }

    /// When the compiler's public tracker was searched for a report, with which words, and the
    /// closest thread.
    pub fn searches(&self) -> BTreeSet<&str> {
        self.entries.iter().filter_map(|entry| entry.searched.as_deref()).collect()
    }

    /// The newest build that differs, and the first later one that does not; several if entries
    /// name different ones.
    pub fn builds(&self) -> Vec<SeenBuilds<'_>> {
        let mut builds: Vec<SeenBuilds<'_>> = Vec::new();
        for entry in &self.entries {
            let seen = entry.seen.as_deref().map(|newest| SeenBuilds { newest, gone: entry.gone.as_deref() });
            builds.extend(seen.filter(|seen| !builds.contains(seen)));
        }
        builds
    }
}

/// The builds between which a difference disappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenBuilds<'a> {
    /// The newest build with the difference.
    pub newest: &'a str,
    /// The build in which it was gone.
    pub gone: Option<&'a str>,
}

/// The mechanisms of all lists, in the order of the lists.
pub fn mechanisms(lists: &[KnownList]) -> Vec<Mechanism<'_>> {
    let mut names = GivenNames::default();
    let mut all: Vec<Mechanism<'_>> = Vec::new();

    for list in lists {
        let first = all.len();
        for entry in &list.entries {
            if let Some(mechanism) = all[first..].iter_mut().find(|mechanism| mechanism.reason == entry.reason) {
                mechanism.entries.push(entry);
            } else {
                let name = names.give(&format!("{}/{}", slug(&list.name), slug_of_sentence(&entry.reason)));
                let path = format!("compilers/{name}.html");
                all.push(Mechanism { id: name, path, list, reason: &entry.reason, entries: vec![entry] });
            }
        }
    }
    all
}

/// The page of each entry's mechanism.
pub(super) fn mechanism_paths<'a>(mechanisms: &'a [Mechanism<'_>]) -> MechanismPaths<'a> {
    let places = mechanisms.iter().flat_map(|mechanism| {
        let place = |entry: &&'a KnownFailure| EntryPlace { file: &entry.file, line: entry.line };
        mechanism.entries.iter().map(place).map(|place| (place, mechanism.path.as_str()))
    });
    places.collect()
}
