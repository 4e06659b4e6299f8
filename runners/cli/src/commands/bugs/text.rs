//! The list of known bugs, the description of one, and their JSON.

use std::fmt::Write;

use layoutproof_events::SCHEMA;
use layoutproof_facts::bug_state::{Bug, BugState};
use layoutproof_facts::builds::PastedSource;
use layoutproof_show::style::{Style, TextLines, Tone, cut, one_line, pad, width, wrapped};
use serde_json::json;

/// Width of the text in columns, unless a name is longer.
const COLUMNS: usize = 80;

/// Column at which titles begin.
const TITLE_COLUMN: usize = 12;

/// Cases that the description names.
const NAMED_CASES: usize = 4;

/// The bugs by list, each with its state, id and title. Without `shows_all`, only those that are here. Titles are cut at
/// `columns`, the width of a terminal.
pub(super) fn listing(bugs: &[Bug<'_>], shows_all: bool, tried: bool, columns: Option<usize>, style: Style) -> String {
    let mut text = TextLines::default();
    let (mut list, mut ids) = ("", 0);
    for bug in bugs.iter().filter(|bug| shows_all || bug.state() == BugState::Here) {
        if bug.difference.list.name != list {
            if !list.is_empty() {
                text.push("");
            }
            list = &bug.difference.list.name;
            let own = bugs.iter().filter(|bug| bug.difference.list.name == list);
            ids = own.map(|bug| width(bug.difference.id)).max().unwrap_or(0);
            text.push(&heading(bugs, bug, style));
        }
        let state = bug.state();
        let state = style.paint(tone(state), &pad(state.as_str(), TITLE_COLUMN - 2));
        let title = one_line(&bug.title());
        let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(TITLE_COLUMN + ids + 2));
        text.push(&format!("{state}  {}  {}", pad(bug.difference.id, ids), cut(&title, room, style)));
        text.push(&format!(
            "{:indent$}{}",
            "",
            style.paint(Tone::Dim, &details(bug, style)),
            indent = TITLE_COLUMN + ids + 2
        ));
    }

    let mut text = text.into_text();
    if !text.is_empty() {
        text.push('\n');
    }
    text += &totals(bugs, style);
    if !tried {
        text += "by the recorded versions; --try compiles the bugs' sources with the compilers that are here\n";
    }
    let all = if shows_all { "" } else { ", `bugs --all` every one" };
    text + &format!("`bugs ID` describes one; `bugs dxc` lists those of DXC{all}\n")
}

/// How many bugs of each list are in each state.
fn totals(bugs: &[Bug<'_>], style: Style) -> String {
    let mut lists: Vec<&str> = bugs.iter().map(|bug| bug.difference.list.title.as_str()).collect();
    lists.dedup();
    let columns = lists.iter().map(|title| width(title)).max().unwrap_or(0);
    let mut text = String::new();
    for title in lists {
        let own: Vec<&Bug<'_>> = bugs.iter().filter(|bug| bug.difference.list.title == title).collect();
        let count = |state| own.iter().filter(|bug| bug.state() == state).count();
        let counts = [BugState::Here, BugState::Fixed, BugState::NotTried].map(|state| (count(state), state));
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(count, state)| style.paint(tone(*state), &format!("{count} {}", state.as_str()))).collect();
        writeln!(text, "{}  {}", pad(title, columns), counts.join(", ")).expect("a String takes every write");
    }
    text
}

/// The list's name, with the builds of this machine that it is about.
fn heading(bugs: &[Bug<'_>], first: &Bug<'_>, style: Style) -> String {
    let list = first.difference.list;
    let own = bugs.iter().filter(|bug| bug.difference.list.name == list.name);
    let mut builds: Vec<&str> = own.flat_map(|bug| &bug.builds).map(|build| build.build.as_str()).collect();
    builds.sort_unstable();
    builds.dedup();
    let builds = if builds.is_empty() { String::new() } else { format!(" ({})", builds.join(", ")) };
    format!("{}{}", style.paint(Tone::Strong, &list.title), style.paint(Tone::Dim, &builds))
}

fn tone(state: BugState) -> Tone {
    match state {
        BugState::Here => Tone::Disagree,
        BugState::Fixed => Tone::Agree,
        BugState::NotTried => Tone::Dim,
    }
}

/// The bug's targets, the builds that have it where others do not, its versions, and whether it is reported or can be.
fn details(bug: &Bug<'_>, style: Style) -> String {
    let gone = bug.difference.builds().into_iter().find_map(|builds| builds.gone);
    let seen = bug.difference.builds().into_iter().map(|builds| builds.newest).next();
    let versions = match (seen, gone) {
        (_, Some(gone)) => format!("fixed in {gone}"),
        (Some(seen), None) => format!("up to {seen}"),
        (None, None) => String::new(),
    };
    let reported = if bug.difference.upstream_link().is_some() { "reported" } else { "" };
    let here: Vec<String> =
        bug.builds.iter().filter(|it| it.state == BugState::Here).map(|it| it.build.clone()).collect();
    let is_in_some = !here.is_empty() && here.len() < bug.builds.len();
    let builds = if is_in_some { format!("here in {}", here.join(", ")) } else { String::new() };
    let issue = if bug.sources.is_empty() { "" } else { "repro: --issue" };
    let details = [bug.targets().join(", "), builds, versions, reported.to_owned(), issue.to_owned()]
        .into_iter()
        .filter(|it| !it.is_empty());
    one_line(&details.collect::<Vec<_>>().join(&format!(" {} ", style.dot())))
}

/// Everything that is known about a bug.
pub(super) fn description(bug: &Bug<'_>, style: Style) -> String {
    let difference = bug.difference;
    let mut text = TextLines::default();
    text.push(&style.paint(Tone::Strong, difference.id));
    paragraph(&bug.title(), "", &mut text);
    if !bug.sources.is_empty() {
        paragraph(difference.reason, "", &mut text);
    }
    text.push("");

    let mut row = |label: &str, value: &str| {
        if !value.is_empty() {
            text.push(&format!("  {}{}", style.paint(Tone::Dim, &pad(label, TITLE_COLUMN)), one_line(value)));
        }
    };
    row("compiler", &difference.list.title);
    row("target", &bug.targets().join(", "));
    let builds: Vec<String> =
        bug.builds.iter().map(|it| format!("{}: {} ({})", it.build, it.state.as_str(), it.how)).collect();
    for (index, build) in builds.iter().enumerate() {
        row(if index == 0 { "state" } else { "" }, build);
    }
    if builds.is_empty() {
        let how =
            if difference.is_about_devices() { "a run on that device shows it" } else { "no such compiler is here" };
        row("state", &format!("not tried: {how}"));
    }
    for builds in difference.builds() {
        let gone =
            builds.gone.map_or("no later build is known to be right".to_owned(), |gone| format!("fixed in {gone}"));
        row("versions", &format!("up to {}; {gone}", builds.newest));
    }
    row("reported", difference.upstream_link().unwrap_or("no report is known"));
    difference.searches().into_iter().for_each(|searched| row("searched", searched));
    row("workaround", difference.workaround().unwrap_or_default());
    row("cases", &cases(bug));
    if let Some(entry) = difference.entries.first() {
        row("entry", &format!("{}:{}", entry.file, entry.line));
    }

    for source in bug.sources.iter().take(1) {
        let reduced = &source.reduced;
        if let Ok(pasted) = PastedSource::of(reduced) {
            text.push(&format!("\n{}", style.paint(Tone::Strong, "example")));
            pasted.text.lines().for_each(|line| text.push(&format!("  {line}")));
            text.push(&format!("\n  $ {}", reduced.command));
        }
        text.push(&format!("\n{}", style.paint(Tone::Strong, "what goes wrong")));
        paragraph(&reduced.means, "  ", &mut text);
        text.push(&format!("\n{}", style.paint(Tone::Strong, "what should happen")));
        paragraph(&reduced.expected, "  ", &mut text);
        text.push("\n`--issue` writes the text of an issue about it.");
    }
    text.into_text()
}

/// The first cases that the bug's entries name, and the number of the others.
fn cases(bug: &Bug<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for entry in &bug.difference.entries {
        let name = entry.case_id().or_else(|| entry.shape.as_ref().and_then(|shape| shape.pinned_by.as_deref()));
        names.extend(name.filter(|name| !names.contains(name)));
    }
    let more = names.len().saturating_sub(NAMED_CASES);
    names.truncate(NAMED_CASES);
    let text = names.join(", ");
    if more > 0 { format!("{text}, and {more} more") } else { text }
}

fn paragraph(text: &str, indent: &str, lines: &mut TextLines) {
    for line in wrapped(indent, indent, one_line(text.trim()).split_whitespace(), COLUMNS) {
        lines.push(&line);
    }
}

pub(super) fn json(bugs: &[Bug<'_>]) -> String {
    let listed = bugs.iter().map(|bug| {
        let difference = bug.difference;
        let builds = bug.builds.iter().map(|it| json!({"build": it.build, "state": it.state.as_str(), "how": it.how}));
        let versions = difference
            .builds()
            .into_iter()
            .map(|it| json!({"seen": it.newest.to_string(), "gone": it.gone.map(ToString::to_string)}));
        json!({
            "id": difference.id,
            "list": difference.list.name,
            "title": bug.title(),
            "reason": difference.reason,
            "state": bug.state().as_str(),
            "targets": bug.targets(),
            "builds": builds.collect::<Vec<_>>(),
            "versions": versions.collect::<Vec<_>>(),
            "link": difference.upstream_link(),
            "workaround": difference.workaround(),
            "has_issue": !bug.sources.is_empty(),
        })
    });
    let mut text = String::new();
    let listed: Vec<_> = listed.collect();
    writeln!(text, "{}", json!({"schema": SCHEMA, "bugs": listed})).expect("a String takes every write");
    text
}
