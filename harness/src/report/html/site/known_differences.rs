//! Known differences by their mechanism, each of which has a page.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{GivenNames, slug, slug_of_sentence};
use crate::results::known::KnownFailure;

/// A list of known differences: all of one compiler or of one driver.
#[derive(Clone, Debug)]
pub struct KnownList {
    /// Name of the file without its suffix: `dxc`.
    pub name: String,
    /// What people call the compiler or driver that it is about.
    pub title: String,
    /// The compiler's name in cases, whose toolchains are the list's; none for a driver, and for what has no options.
    pub compiler: Option<String>,
    /// What the file says of itself at its start.
    pub introduction: String,
    /// Its entries, one for each case that an entry names.
    pub entries: Vec<KnownFailure>,
}

/// What a compiler or a driver does otherwise, for one reason.
#[derive(Clone, Debug)]
pub struct Mechanism<'a> {
    /// Its name, which tells it from all others: the list, then the first words of the reason (`dxc/dxc-lists-a-matrix`).
    pub id: String,
    /// Address of its page.
    pub path: String,
    /// The list that it is from.
    pub list: &'a KnownList,
    /// The reason, as the list says it.
    pub reason: &'a str,
    /// The entries with this reason; at least one.
    pub entries: Vec<&'a KnownFailure>,
}

/// Addresses of mechanisms by the place of an entry.
pub(super) type MechanismPaths<'a> = BTreeMap<EntryPlace<'a>, &'a str>;

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EntryPlace<'a> {
    /// The list: `ci/known/dxc.toml`.
    pub file: &'a str,
    /// Line, from 1.
    pub line: u32,
}

impl Mechanism<'_> {
    /// Whether an entry names this case, or a pattern for it. What is about all cases may say nothing of this one.
    pub fn names(&self, case: &str) -> bool {
        self.entries.iter().any(|entry| entry.names_cases() && entry.is_about_case(case))
    }

    /// The address of its report to the compiler's makers.
    pub fn upstream_link(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| entry.link.as_deref())
    }

    /// When the compiler's public tracker was searched for a report, with which words, and the thread that came closest.
    pub fn searches(&self) -> BTreeSet<&str> {
        self.entries.iter().filter_map(|entry| entry.searched.as_deref()).collect()
    }

    /// The newest build that differs, and the first behind it that does not; several where entries name different ones.
    pub fn builds(&self) -> Vec<SeenBuilds<'_>> {
        let mut builds: Vec<SeenBuilds<'_>> = Vec::new();
        for entry in &self.entries {
            let seen = entry.seen.as_deref().map(|newest| SeenBuilds { newest, gone: entry.gone.as_deref() });
            builds.extend(seen.filter(|seen| !builds.contains(seen)));
        }
        builds
    }
}

/// The builds between which a difference went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenBuilds<'a> {
    /// The newest one that was seen to differ.
    pub newest: &'a str,
    /// The one that was seen to differ no more.
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

/// Where each entry's mechanism has its page.
pub(super) fn mechanism_paths<'a>(mechanisms: &'a [Mechanism<'_>]) -> MechanismPaths<'a> {
    let places = mechanisms.iter().flat_map(|mechanism| {
        let place = |entry: &&'a KnownFailure| EntryPlace { file: &entry.file, line: entry.line };
        mechanism.entries.iter().map(place).map(|place| (place, mechanism.path.as_str()))
    });
    places.collect()
}
