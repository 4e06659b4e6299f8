//! Prints what a compiler build changed, as text and as JSON, for `layoutproof compare`.
//!
//! One cause changes many decisions: a member moves everything after it, under several targets, in
//! every file that includes it. The text names the first change of a group and counts the others;
//! `-v` prints all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};

use layoutproof_core::results::frozen::accepted::AcceptedEntry;
use layoutproof_core::results::frozen::{BuildComparison, BuildDifference, ChangeKind, FrozenQuestion};
use layoutproof_events::{Account, SCHEMA};
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_show::style::{Style, Tone, counted, cut, grouped, one_line, width};

/// Width of the text in columns, unless a name is longer.
const COLUMNS: usize = 80;

/// Number of groups that the text shows without `-v`, so that it fits on a screen.
const SHOWN_GROUPS: usize = 6;

#[derive(Clone, Debug)]
pub struct BuildSide {
    /// As the user named it: `dxc@1.9`, `dxc=build/bin/dxc`.
    pub word: String,
    /// The version that the compiler prints.
    pub says: String,
    /// The compiler's file, or the folder of its saved decisions.
    pub place: String,
}

#[expect(missing_debug_implementations, reason = "a function has none")]
pub struct BuildChanges<'a> {
    pub old: BuildSide,
    pub new: BuildSide,
    /// All differences; accepted ones are marked.
    pub comparison: &'a BuildComparison,
    /// Accepted changes that no longer occur.
    pub stale: &'a [&'a AcceptedEntry],
    /// What is compared: `case`, `file`, or `source` for both.
    pub noun: &'static str,
    /// What the user's files have, and what was compared of it.
    pub account: &'a Account,
    /// The file and line of a member or parameter of a user's file; `None` for a case.
    pub place_of: &'a dyn Fn(&str, &str) -> Option<String>,
}

impl BuildChanges<'_> {
    /// True if something other than messages changed, or an accepted change no longer occurs.
    pub fn is_failure(&self) -> bool {
        !self.stale.is_empty() || self.comparison.unaccepted().any(|found| found.kind != ChangeKind::Messages)
    }

    /// Text for people: totals, then the changes; all of them with `verbose`.
    pub fn text(&self, verbose: bool, style: Style) -> String {
        let mut text = self.heading(verbose, style);
        let changes = self.changes();
        text += &self.totals(&changes, style);

        let mut left_out = 0;
        if verbose {
            text += &self.all(&changes, style);
        } else {
            let groups = self.groups(&changes, style);
            let (shown, hidden) = chosen(&groups);
            left_out = hidden;
            let mut kind = None;
            for group in shown {
                if kind.replace(group.kind) != Some(group.kind) {
                    writeln!(text, "\n{}", style.paint(Tone::Strong, title(group.kind))).expect(INFALLIBLE);
                }
                text += &group.text(self.noun, style);
            }
        }

        for entry in self.stale {
            let what = one_line(&format!("{} (accepted: {}) no longer differs", entry.pattern, entry.reason));
            writeln!(text, "\n{} {what}", style.paint(Tone::Disagree, "stale")).expect(INFALLIBLE);
        }
        text += &self.not_compared(verbose);
        if left_out > 0 {
            writeln!(text, "\n{} more; -v prints every change", counted(left_out as u64, "group")).expect(INFALLIBLE);
        }
        text
    }

    fn heading(&self, verbose: bool, style: Style) -> String {
        let side = |label: &str, side: &BuildSide| {
            let name = style.paint(Tone::Strong, &one_line(&side.word));
            let place = format!(", {}", one_line(&side.place));
            let place = if verbose && side.place != side.word { style.paint(Tone::Dim, &place) } else { String::new() };
            format!("{label}  {name}  {}{place}\n", one_line(&side.says))
        };
        side("old", &self.old) + &side("new", &self.new)
    }

    /// One line per kind of change.
    fn totals(&self, changes: &[Change<'_>], style: Style) -> String {
        let comparison = self.comparison;
        let mut lines = Vec::new();
        for kind in ChangeKind::all() {
            let own: Vec<&Change<'_>> = changes.iter().filter(|change| change.kind == *kind).collect();
            if !own.is_empty() {
                let sources: BTreeSet<&str> = own.iter().map(|change| change.source).collect();
                let count = counted_of(own.len(), sources.len(), self.noun);
                let tone = if *kind == ChangeKind::Messages { Tone::Plain } else { Tone::Disagree };
                lines.push((title(*kind), count, tone));
            }
        }
        let accepted = comparison.differences.len() - comparison.unaccepted().count();
        if accepted > 0 {
            lines.push(("accepted", counted(accepted as u64, "decision"), Tone::Plain));
        }
        if !comparison.refused_by_both.is_empty() {
            lines.push(("both reject", self.refused_by_both(), Tone::Plain));
        }

        let (tone, verdict) = match (self.is_failure(), accepted) {
            (true, _) => (Tone::Disagree, format!("{} changed", grouped(changes.len() as u64))),
            (false, 0) if changes.is_empty() => (Tone::Agree, "no change".to_owned()),
            (false, 0) => (Tone::Agree, "only messages changed".to_owned()),
            (false, _) => (Tone::Agree, "only accepted changes".to_owned()),
        };
        let mut text = format!(
            "\ncompared {} of {}: {}\n",
            counted(comparison.compared as u64, "decision"),
            counted(comparison.cases as u64, self.noun),
            style.paint(tone, &verdict)
        );
        for (title, count, tone) in lines {
            let count = cut(&one_line(&count), COLUMNS - 19, style);
            writeln!(text, "  {}  {count}", style.paint(tone, &format!("{title:<15}"))).expect(INFALLIBLE);
        }
        text
    }

    /// How much neither build accepts. For the user's files, with the most frequent message: there
    /// it often means that an option is missing.
    fn refused_by_both(&self) -> String {
        let refused = &self.comparison.refused_by_both;
        let sources: BTreeSet<&str> = refused.iter().map(|refused| refused.case.as_str()).collect();
        let count = counted_of(refused.len(), sources.len(), self.noun);
        if self.noun == "case" {
            return count;
        }
        let mut by_words: BTreeMap<&str, usize> = BTreeMap::new();
        for refused in refused {
            *by_words.entry(&refused.said).or_default() += 1;
        }
        let most = by_words.into_iter().max_by_key(|(_, number)| *number);
        most.map_or(count.clone(), |(words, _)| format!("{count}: {words}"))
    }

    /// The unaccepted changes; targets and questions with the same change are merged.
    fn changes(&self) -> Vec<Change<'_>> {
        let mut merged: BTreeMap<ChangeKey<'_>, Change<'_>> = BTreeMap::new();
        for difference in self.comparison.unaccepted() {
            let key = ChangeKey::of(difference);
            let change = merged.entry(key).or_insert_with(|| Change::of(difference));
            change.targets.insert(&difference.toolchain);
            change.questions.insert(&difference.question);
            change.is_offset |= difference.what == "offset";
        }
        merged.into_values().collect()
    }

    /// Every change, by source.
    fn all(&self, changes: &[Change<'_>], style: Style) -> String {
        let mut text = String::new();
        let mut source = None;
        for change in changes {
            if source.replace(change.source) != Some(change.source) {
                let name = style.paint(Tone::Strong, &one_line(change.source));
                writeln!(text, "\n{name}").expect(INFALLIBLE);
            }
            let place = (self.place_of)(change.source, change.path);
            let place = place.map_or(String::new(), |place| format!("{}, ", one_line(&place)));
            let (kind, targets) = (title(change.kind), self.targets(&change.targets));
            let about = format!("{place}{targets}");
            writeln!(text, "  {kind:<15}  {}", change.described(style)).expect(INFALLIBLE);
            writeln!(text, "  {:<15}  {}", "", style.paint(Tone::Dim, &about)).expect(INFALLIBLE);
        }
        text
    }

    /// The changes by cause, the most widespread ones of each kind first.
    fn groups(&self, changes: &[Change<'_>], style: Style) -> Vec<Group> {
        // First within a source: the changes of a block, or the answers with the same words.
        let mut by_cause: BTreeMap<CauseKey<'_>, Vec<&Change<'_>>> = BTreeMap::new();
        for change in changes {
            by_cause.entry(CauseKey::of(change)).or_default().push(change);
        }

        // Then over sources that show the same.
        let mut merged: BTreeMap<(ChangeKind, String, String), Vec<String>> = BTreeMap::new();
        for mut causes in by_cause.into_values() {
            causes.sort_by_key(|change| change.order());
            let first = causes[0];
            let mut line = first.described(style);
            let root = if first.path.is_empty() { "" } else { root(first.path) };
            match causes.len() - 1 {
                0 => {}
                more if first.kind == ChangeKind::Moved => {
                    write!(line, ", and {} more in {root}", grouped(more as u64)).expect(INFALLIBLE);
                }
                more => write!(line, ", and {} more", grouped(more as u64)).expect(INFALLIBLE),
            }
            let targets = self.targets(&first.targets);
            let place = (self.place_of)(first.source, first.path);
            let place = place.unwrap_or_else(|| first.source.to_owned());
            merged.entry((first.kind, line, targets)).or_default().push(place);
        }

        let group = |((kind, line, targets), places)| Group { kind, line, targets, places };
        let mut groups: Vec<Group> = merged.into_iter().map(group).collect();
        groups.sort_by_key(|group| (group.kind, std::cmp::Reverse(group.places.len())));
        groups
    }

    /// Targets as people type them; `every target` for all that are compared.
    fn targets(&self, names: &BTreeSet<&str>) -> String {
        let compared: BTreeSet<&str> = self.comparison.toolchains_compared.iter().map(String::as_str).collect();
        if *names == compared && names.len() > 1 {
            return "every target".to_owned();
        }
        let is_vulkan = |name: &&str| target(name).starts_with("vulkan");
        let vulkan: BTreeSet<&str> = compared.iter().copied().filter(is_vulkan).collect();
        let has_all = vulkan.len() > 1 && vulkan.is_subset(names);
        let others = names.iter().copied().filter(|name| !(has_all && vulkan.contains(name))).map(target);
        let words: Vec<String> = others.chain(has_all.then(|| "vulkan, every layout".to_owned())).collect();
        words.join(", ")
    }

    fn not_compared(&self, verbose: bool) -> String {
        let comparison = self.comparison;
        let lists = [
            ("only NEW has decisions", &comparison.new),
            ("changed since the decisions were saved", &comparison.changed),
            ("only OLD has decisions", &comparison.gone),
            ("a target of one build", &comparison.toolchains),
        ];
        let mut text = String::new();
        for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
            let listed = if verbose { names.join(", ") } else { listed(names, COLUMNS - what.len() - 16) };
            writeln!(text, "not compared, {what}: {}", one_line(&listed)).expect(INFALLIBLE);
        }
        if text.is_empty() { text } else { format!("\n{text}") }
    }

    /// Every change, for programs.
    pub fn json(&self) -> Value {
        let comparison = self.comparison;
        let side = |side: &BuildSide| json!({"name": side.word, "says": side.says, "place": side.place});
        let changes = self.changes();
        let totals = ChangeKind::all().iter().map(|kind| {
            let own: Vec<&Change<'_>> = changes.iter().filter(|change| change.kind == *kind).collect();
            let sources: BTreeSet<&str> = own.iter().map(|change| change.source).collect();
            (kind.as_str().to_owned(), json!({"changes": own.len(), "sources": sources.len()}))
        });
        let differences = comparison.differences.iter().map(|difference| {
            let BuildDifference { case, toolchain, question, path, what, old, new, kind, accepted } = difference;
            json!({
                "name": difference.name(), "source": case, "at": (self.place_of)(case, path), "toolchain": toolchain,
                "target": target(toolchain), "question": question.to_string(), "path": path, "what": what, "kind": kind.as_str(),
                "old": old, "new": new, "accepted": accepted,
            })
        });
        json!({
            "schema": SCHEMA,
            "old": side(&self.old),
            "new": side(&self.new),
            "totals": totals.collect::<serde_json::Map<_, _>>(),
            "changes": differences.collect::<Vec<_>>(),
            "stale": self.stale.iter().map(|entry| entry.pattern.as_str()).collect::<Vec<_>>(),
            "sources": {
                "compared": comparison.cases,
                "new": comparison.new,
                "changed": comparison.changed,
                "gone": comparison.gone,
            },
            "toolchains_of_one_side": comparison.toolchains,
            "compared": comparison.compared,
            "account": self.account,
            "refused_by_both": comparison.refused_by_both.len(),
        })
    }
}

const INFALLIBLE: &str = "a String takes every write";

fn title(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Moved => "moved",
        ChangeKind::Bindings => "bindings",
        ChangeKind::Rejected => "newly rejected",
        ChangeKind::Crashes => "crashes",
        ChangeKind::Accepted => "newly accepted",
        ChangeKind::Messages => "message changed",
    }
}

/// A toolchain's target as people type it; the name itself if it is no toolchain of ours.
fn target(toolchain: &str) -> String {
    let known = toolchains().iter().find(|known| known.name == toolchain);
    known.map_or_else(|| toolchain.to_owned(), Toolchain::target)
}

/// `12 in 3 cases`.
fn counted_of(number: usize, sources: usize, noun: &str) -> String {
    format!("{} in {}", grouped(number as u64), counted(sources as u64, noun))
}

/// The block or parameter that a path leads into: `S` of `S.a[1].b`.
fn root(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or(path)
}

/// A path for people. SPIR-V wraps the elements of a storage buffer in a struct with one member
/// that has no name.
fn shown_path(path: &str) -> String {
    one_line(&path.replacen("._0[]", "[]", 1))
}

/// As many names as fit into `columns`, and the number of the others.
fn listed(names: &[String], columns: usize) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let rest = names.len() - index;
        if index > 0 && width(&text) + width(name) + 2 > columns {
            return format!("{text}, and {} more", grouped(rest as u64));
        }
        text = if index == 0 { name.clone() } else { format!("{text}, {name}") };
    }
    text
}

/// What makes two differences one change.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ChangeKey<'a> {
    source: &'a str,
    kind: ChangeKind,
    path: &'a str,
    what: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
}

impl<'a> ChangeKey<'a> {
    fn of(difference: &'a BuildDifference) -> Self {
        let BuildDifference { case, path, what, old, new, kind, .. } = difference;
        // A scalar's offset and the byte that code reads are one number for its author.
        let what = if *what == "code" { "offset" } else { what };
        Self { source: case, kind: *kind, path, what, old: old.as_deref(), new: new.as_deref() }
    }
}

/// One change of a source, under all targets that show it.
struct Change<'a> {
    source: &'a str,
    kind: ChangeKind,
    /// Empty for an answer.
    path: &'a str,
    /// The word of a fact, or `answer`.
    what: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
    targets: BTreeSet<&'a str>,
    questions: BTreeSet<&'a FrozenQuestion>,
    /// True if the compiler reports the offset, false if only its code shows it.
    is_offset: bool,
}

impl<'a> Change<'a> {
    fn of(difference: &'a BuildDifference) -> Self {
        let BuildDifference { case, path, what, old, new, kind, .. } = difference;
        Self {
            source: case,
            kind: *kind,
            path,
            what,
            old: old.as_deref(),
            new: new.as_deref(),
            targets: BTreeSet::new(),
            questions: BTreeSet::new(),
            is_offset: false,
        }
    }

    /// Sorts the changes of a block: numbers that both builds have, by offset, then the others.
    fn order(&self) -> (bool, bool, u64, &'a str) {
        let old = self.old.and_then(|old| old.parse().ok());
        let is_offset = self.what == "offset" || self.what == "code";
        (self.old.is_none() || self.new.is_none(), !is_offset, old.unwrap_or(u64::MAX), self.path)
    }

    /// `S.b  4 → 8 (+4)`, `refused before: no such type`.
    fn described(&self, style: Style) -> String {
        let arrow = if style.ascii { "->" } else { "→" };
        let [old, new] = [self.old, self.new].map(|value| value.map(one_line));
        let path = shown_path(self.path);
        match self.what {
            "answer" => self.answer_described(old, new),
            "unread" => match (old, new) {
                (_, Some(reason)) => format!("{path}  layoutproof cannot read on: {reason}"),
                (reason, None) => {
                    format!("{path}  layoutproof could not read on before: {}", reason.unwrap_or_default())
                }
            },
            what => {
                let label = match what {
                    "offset" | "code" if self.is_offset => String::new(),
                    "offset" | "code" => "read at ".to_owned(),
                    "bound" => String::new(),
                    what => format!("{} ", what.replace('-', " ")),
                };
                let number = |value: &Option<String>| value.as_ref().and_then(|value| value.parse::<i64>().ok());
                let by = match (number(&old), number(&new)) {
                    (Some(old), Some(new)) => format!(" ({:+})", new - old),
                    _ => String::new(),
                };
                let [old, new] = [old, new].map(|value| value.unwrap_or_else(|| "none".to_owned()));
                format!("{path}  {label}{old} {arrow} {new}{by}")
            }
        }
    }

    fn answer_described(&self, old: Option<String>, new: Option<String>) -> String {
        let [old, new] = [old, new].map(|value| value.unwrap_or_else(|| "not run".to_owned()));
        let answers = match self.kind {
            ChangeKind::Accepted => format!("before: {old}"),
            ChangeKind::Rejected => new,
            ChangeKind::Crashes | ChangeKind::Messages | ChangeKind::Moved | ChangeKind::Bindings => {
                format!("{new}; before: {old}")
            }
        };
        match self.probed_blocks() {
            Some(blocks) => format!("{answers}; in our shader that reads {blocks}"),
            None => answers,
        }
    }

    /// The blocks whose probes the answer is about; `None` if it is also about the source as it is.
    fn probed_blocks(&self) -> Option<String> {
        let block = |question: &&FrozenQuestion| match question {
            FrozenQuestion::Block(block) => Some(format!("`{}`", one_line(block))),
            FrozenQuestion::Entry(_) | FrozenQuestion::Program => None,
        };
        let blocks: Vec<String> = self.questions.iter().map(block).collect::<Option<_>>()?;
        Some(match blocks.as_slice() {
            [first, _, _, ..] => format!("{first} and {} more", blocks.len() - 1),
            few => few.join(" and "),
        })
    }
}

/// What makes several changes of one source a group.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CauseKey<'a> {
    source: &'a str,
    kind: ChangeKind,
    /// The block of a member, or the words of an answer.
    of: [&'a str; 2],
    targets: &'a BTreeSet<&'a str>,
}

impl<'a> CauseKey<'a> {
    fn of(change: &'a Change<'_>) -> Self {
        let of = match change.kind {
            _ if change.path.is_empty() => [change.old.unwrap_or_default(), change.new.unwrap_or_default()],
            ChangeKind::Moved => [root(change.path), ""],
            _ => ["", ""],
        };
        Self { source: change.source, kind: change.kind, of, targets: &change.targets }
    }
}

struct Group {
    kind: ChangeKind,
    /// The first change and the number of those after it.
    line: String,
    targets: String,
    /// Where it shows, one place per source.
    places: Vec<String>,
}

impl Group {
    fn text(&self, noun: &str, style: Style) -> String {
        let line = cut(&self.line, COLUMNS - 2, style);
        let targets = one_line(&self.targets);
        let is_wide = width(&line) + width(&targets) + 6 > COLUMNS;
        let count = match self.places.len() {
            1 => String::new(),
            several => format!("{}: ", counted(several as u64, noun)),
        };
        let before = if is_wide { format!("{targets}: {count}") } else { count };
        let places = one_line(&listed(&self.places, COLUMNS.saturating_sub(width(&before) + 6 + MORE.len())));
        let after = if is_wide { String::new() } else { format!("    {}", style.paint(Tone::Dim, &targets)) };
        format!("  {line}{after}\n      {}\n", style.paint(Tone::Dim, &format!("{before}{places}")))
    }
}

/// The longest end of a list of names.
const MORE: &str = ", and 1,000 more";

/// The groups that the text shows, in order, and the number of the others. Every kind has its turn,
/// so that many harmless changes do not hide a harmful one. Messages have none.
fn chosen(groups: &[Group]) -> (Vec<&Group>, usize) {
    let mut shown: Vec<(usize, &Group)> = Vec::new();
    let mut rank = 0;
    let mut is_found = true;
    while is_found && shown.len() < SHOWN_GROUPS {
        is_found = false;
        for kind in ChangeKind::all().iter().filter(|kind| **kind != ChangeKind::Messages) {
            let next = groups.iter().enumerate().filter(|(_, group)| group.kind == *kind).nth(rank);
            is_found |= next.is_some();
            shown.extend(next.filter(|_| shown.len() < SHOWN_GROUPS));
        }
        rank += 1;
    }
    shown.sort_by_key(|(index, _)| *index);
    let left_out = groups.len() - shown.len();
    (shown.into_iter().map(|(_, group)| group).collect(), left_out)
}
