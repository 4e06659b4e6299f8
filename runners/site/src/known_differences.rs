//! Groups known differences by mechanism; each mechanism has a page.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{GivenNames, slug, slug_of_sentence};
use layoutproof_core::results::known::{KnownFailure, NamedBuilds};
use layoutproof_events::CheckRecord;
use layoutproof_layout::Column;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_report::html::known_part::link_to;
use layoutproof_show::style::one_line;
use maud::{Markup, html};

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
    /// Its short stable id: `DXC-17`.
    pub id: &'a str,
    /// A readable name: the list, then the first words of the reason (`dxc/dxc-lists-a-matrix`). It changes with them.
    pub name: String,
    /// Address of its page.
    pub path: String,
    pub list: &'a KnownList,
    /// The reason as written in the list.
    pub reason: &'a str,
    /// A line for lists: the title of its issue or entry, or the start of the reason.
    pub title: String,
    /// The entries with this reason; at least one.
    pub entries: Vec<&'a KnownFailure>,
}

/// Names each difference by the title of its issue, if it has one. Where several in a list have one
/// title, the later ones have their whole reason.
pub(super) fn use_issue_titles(mechanisms: &mut [Mechanism<'_>], issue_titles: &BTreeMap<String, String>) {
    let mut taken: BTreeSet<(String, String)> = BTreeSet::new();
    for mechanism in mechanisms {
        if let Some(title) = issue_titles.get(mechanism.id) {
            // The target is next to the title.
            let title = title.split_once("] ").map_or(title.as_str(), |(_, title)| title);
            mechanism.title = capitalized(&one_line(title));
        }
        if !taken.insert((mechanism.list.name.clone(), mechanism.title.clone())) {
            mechanism.title = capitalized(&one_line(mechanism.reason));
        }
    }
}

/// A link to a report, with the tracker's short name for it: `microsoft/DirectXShaderCompiler#7253`.
pub(super) fn report_link(address: &str) -> Markup {
    let Some((repository, number)) =
        address.strip_prefix("https://github.com/").and_then(|path| path.split_once("/issues/"))
    else {
        return link_to(address);
    };
    html! { a href=(address) rel="noopener noreferrer" { (one_line(repository)) "#" (one_line(number)) } }
}

impl Mechanism<'_> {
    /// True if the check's entry is one of this difference.
    pub(super) fn explains(&self, check: &CheckRecord) -> bool {
        check.outcome.entry().and_then(|known| known.bug.as_deref()) == Some(self.id)
    }

    /// True if an entry names this case or a pattern for it. An entry about all cases may not
    /// concern this one.
    pub fn names(&self, case: &str) -> bool {
        self.entries.iter().any(|entry| entry.names_cases() && entry.is_about_case(case))
    }

    /// True if every entry is limited to some devices.
    pub fn is_about_devices(&self) -> bool {
        self.entries.iter().all(|entry| entry.is_about_devices())
    }

    /// The toolchains that it may concern: those of its list's compiler that an entry names.
    pub fn toolchains(&self) -> impl Iterator<Item = &'static Toolchain> {
        toolchains().iter().filter(|toolchain| self.entries.iter().any(|entry| self.concerns(entry, toolchain)))
    }

    pub fn concerns(&self, entry: &KnownFailure, toolchain: &Toolchain) -> bool {
        let is_own = self.list.compiler.as_ref().is_none_or(|compiler| compiler == toolchain.name_in_cases);
        let names_one = entry.conditions().iter().any(|condition| condition.key == "producer");
        is_own && (names_one || self.list.compiler.is_some()) && entry.is_about_producer(toolchain.name)
    }

    /// The targets that it concerns: `D3D12 · DXC`. A target without options stands for those with
    /// them, and for all builds.
    pub(super) fn columns(&self) -> Vec<String> {
        let plain = |column: Column<'static>| Column { version: None, ..column };
        let all: Vec<Column<'_>> = self.toolchains().filter_map(Toolchain::column).map(plain).collect();
        let mut titles: Vec<String> = Vec::new();
        for column in &all {
            let without = Column { variant: None, ..*column };
            let title = if all.contains(&without) { without } else { *column }.to_string();
            if !titles.contains(&title) {
                titles.push(title);
            }
        }
        titles
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
            let seen = entry.seen.as_ref().map(|newest| SeenBuilds { newest, gone: entry.gone.as_ref() });
            builds.extend(seen.filter(|seen| !builds.contains(seen)));
        }
        builds
    }
}

/// The builds between which a difference disappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenBuilds<'a> {
    pub newest: &'a NamedBuilds,
    /// The build in which it was gone.
    pub gone: Option<&'a NamedBuilds>,
}

/// Names that begin with a small letter, also at the start of a sentence.
const LOWER_CASE_NAMES: [&str; 3] = ["naga", "slangc", "vkd3d"];

/// The text with a capital first letter, unless it begins with such a name or with code.
pub fn capitalized(text: &str) -> String {
    let first_word = text.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_code = text[first_word.len()..].starts_with('(');
    if is_code || LOWER_CASE_NAMES.contains(&first_word) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Shortest beginning of a reason that says what goes wrong, in letters.
const SHORTEST_TITLE: usize = 28;
/// Longer reasons are cut at a comma.
const LONGEST_TITLE: usize = 84;

/// The first clause of a reason.
fn beginning(reason: &str) -> &str {
    let clause = [";", ": "].iter().filter_map(|end| reason.find(end)).filter(|at| *at >= SHORTEST_TITLE).min();
    let clause = clause.map_or(reason, |at| &reason[..at]);
    if clause.chars().count() <= LONGEST_TITLE {
        return clause;
    }
    let comma = clause.match_indices(", ").map(|(at, _)| at);
    let comma = comma.filter(|at| (SHORTEST_TITLE..=LONGEST_TITLE).contains(at)).last();
    comma.map_or(clause, |at| &clause[..at])
}

/// The mechanisms of all lists, in the order of the lists. Entries without the id of a bug are in none; the built-in lists have no
/// such entries.
pub fn mechanisms(lists: &[KnownList]) -> Vec<Mechanism<'_>> {
    let mut names = GivenNames::default();
    let mut all: Vec<Mechanism<'_>> = Vec::new();

    for list in lists {
        let first = all.len();
        for (id, entry) in list.entries.iter().filter_map(|entry| Some((entry.bug.as_deref()?, entry))) {
            if let Some(mechanism) = all[first..].iter_mut().find(|mechanism| mechanism.id == id) {
                mechanism.entries.push(entry);
                continue;
            }
            let name = names.give(&format!("{}/{}", slug(&list.name), slug_of_sentence(&entry.reason)));
            all.push(Mechanism {
                id,
                path: format!("compilers/{name}.html"),
                name,
                list,
                reason: &entry.reason,
                title: capitalized(&one_line(entry.title.as_deref().unwrap_or(beginning(&entry.reason)))),
                entries: vec![entry],
            });
        }
    }
    all
}

/// The mechanism that explains a check; `None` if no list has it today.
pub(super) fn mechanism_of<'a>(check: &CheckRecord, mechanisms: &'a [Mechanism<'a>]) -> Option<&'a Mechanism<'a>> {
    mechanisms.iter().find(|mechanism| mechanism.explains(check))
}
