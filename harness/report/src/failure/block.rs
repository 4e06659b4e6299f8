//! Prints one failure: what was checked, the table, the byte map, the culprit, and the command that
//! repeats the check.
//!
//! The same text, without colour, is the body of a `JUnit` failure.

use indexmap::IndexSet;
use layoutproof_layout::Quantity;

use super::byte_map::{MapSubject, map};
use super::cause::FailureGroup;
use super::located::locate;
use super::table::table;
use super::witness::{Mark, mark, number, reference};
use layoutproof_core::check::verdict::Validation;
use layoutproof_events::{CheckRecord, Culprit, OutcomeKind, Row, Story, Witness};
use layoutproof_probes::Direction;
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, width, wrapped};

/// Most wrong answers of a device to list.
pub(crate) const MAX_ANSWERS: usize = 8;

/// Columns of a line of words.
const PROSE_COLUMNS: usize = 80;

/// The first line: verb, case, rule set, producer and devices.
pub fn heading(failure: &FailureGroup<'_>, style: Style) -> String {
    check_heading(failure.record, &one_line(&failure.devices.join("; ")), style)
}

/// The heading of a check on `devices`.
pub(crate) fn check_heading(record: &CheckRecord, devices: &str, style: Style) -> String {
    let dot = if style.ascii { " | " } else { " · " };
    let parts = [&record.id.case, record.id.rules.as_str(), record.id.producer.as_str()].map(one_line).join(dot);
    format!("{} {parts}{dot}{devices}", style.verb(tone(record.outcome.kind()), verb(record.outcome.kind())))
}

pub fn block(failure: &FailureGroup<'_>, style: Style) -> String {
    let record = failure.record;
    let mut parts = vec![heading(failure, style) + "\n"];

    if is_answered(record) {
        parts.extend(record.outcome.story().map(claim));
        if !record.rows.is_empty() {
            parts.push(table(record, style));
        }
        parts.extend(maps(record, style));
        parts.push(answers(record));
    }

    parts.push(ending(record, style, PROSE_COLUMNS));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// The block without its table and map, for places that wrap lines or have no fixed width.
pub(crate) fn short_block(failure: &FailureGroup<'_>) -> String {
    let parts =
        [heading(failure, Style::PLAIN), answers(failure.record), ending(failure.record, Style::PLAIN, usize::MAX)];
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// True if a compiler or device answered. If it broke before that, there is nothing to compare, and
/// the block shows only the error.
pub(crate) fn is_answered(record: &CheckRecord) -> bool {
    let spoke = |row: &Row| {
        row.witnesses.reported.is_some() || row.witnesses.compiled.is_some() || row.witnesses.observed.is_some()
    };
    record.outcome.kind() != OutcomeKind::Broken || record.rows.iter().any(spoke)
}

/// The verb at the start of the heading.
fn verb(outcome: OutcomeKind) -> &'static str {
    match outcome {
        OutcomeKind::Agree => "Agree",
        OutcomeKind::Differ => "Disagree",
        OutcomeKind::Known => "Known",
        OutcomeKind::Stale => "Stale",
        OutcomeKind::Skipped => "Skipped",
        OutcomeKind::Broken => "Broken",
    }
}

fn tone(outcome: OutcomeKind) -> Tone {
    match outcome {
        OutcomeKind::Agree => Tone::Agree,
        OutcomeKind::Differ | OutcomeKind::Stale | OutcomeKind::Broken => Tone::Disagree,
        OutcomeKind::Known => Tone::Known,
        OutcomeKind::Skipped => Tone::Skip,
    }
}

/// The case's claim, its place and its source.
fn claim(story: &Story) -> String {
    let mut text = TextLines::default();
    if !story.summary.is_empty() {
        text.push(&format!("  {}", sentence(&one_line(&story.summary))));
    }
    let labelled = [("case", &story.place.to_string()), ("source", &story.authority)];
    let parts = labelled.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> = parts.map(|(label, value)| format!("{label:<6} {}", one_line(value))).collect();
    if !parts.is_empty() {
        text.push(&format!("    {}", parts.join("        ")));
    }
    text.into_text()
}

/// Turns a lowercase fragment into a sentence.
pub fn sentence(fragment: &str) -> String {
    let stop = if fragment.ends_with(['.', '!', '?']) { "" } else { "." };
    capitalized(fragment) + stop
}

pub(crate) fn capitalized(fragment: &str) -> String {
    let mut rest = fragment.chars();
    let first: String = rest.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    first + rest.as_str()
}

/// One byte map per block that has a wrong offset.
fn maps(record: &CheckRecord, style: Style) -> Vec<String> {
    let blocks = record.outcome.story().map_or(&[][..], |story| &story.blocks);
    let (located, _) = locate(&record.rows, blocks);
    let picture = |(index, block)| {
        let rows: Vec<_> = located.iter().filter(|row| row.block == index).copied().collect();
        let registers = record.id.rules.rule_set().is_some_and(|rules| rules.has_registers);
        map(MapSubject { block, rows: &rows, culprit: record.outcome.culprit(), registers }, style)
    };
    blocks.iter().enumerate().map(picture).collect()
}

/// The device's answer for each wrong leaf.
fn answers(record: &CheckRecord) -> String {
    let lines = wrong_answers(record);
    let columns = lines.iter().map(|(path, _)| width(path)).max().unwrap_or(0).max(4);
    let mut text = TextLines::default();
    for (path, words) in lines.iter().take(MAX_ANSWERS) {
        text.push(&format!("  {}  {words}", pad(path, columns)));
    }
    if lines.len() > MAX_ANSWERS {
        text.push(&format!("  and {} more", lines.len() - MAX_ANSWERS));
    }
    text.into_text()
}

/// What is wrong in a few words: the first wrong answer (`m[1] read byte 4 instead of byte 20`),
/// else the verdict or the reason.
pub(crate) fn gist(record: &CheckRecord) -> String {
    let answers = wrong_answers(record);
    if let Some((path, words)) = answers.first() {
        return format!("{path} {words}").trim_start().to_owned();
    }
    let story = record.outcome.story().map(|story| story.verdict.clone()).filter(|verdict| !verdict.is_empty());
    one_line(&story.or(record.outcome.reasons().map(ToString::to_string)).unwrap_or_default())
}

/// The path of each wrong leaf, and the device's answer for it.
pub(crate) fn wrong_answers(record: &CheckRecord) -> IndexSet<(String, String)> {
    let blocks = record.outcome.story().map_or(&[][..], |story| &story.blocks);
    let (located, _) = locate(&record.rows, blocks);
    let several = blocks.len() > 1;

    let mut lines: IndexSet<(String, String)> = IndexSet::new();
    for row in located.iter().filter(|located| matches!(located.row.what, Quantity::Offset | Quantity::Guard)) {
        if !matches!(mark(row.row, Witness::Observed, record.outcome.culprit()), Mark::Wrong | Mark::Missing) {
            continue;
        }
        let own = number(reference(row.row, record.outcome.culprit()));
        let words = match (&row.row.note, number(row.row.witnesses.observed.as_ref()), own) {
            (Some(note), _, _) => one_line(note),
            (None, Some(there), Some(own)) => {
                format!("{} byte {there} instead of byte {own}", did(row.row.direction()))
            }
            (None, _, _) => continue,
        };
        let path = if several || row.path.is_empty() { &row.row.path } else { row.path };
        lines.insert((one_line(path), words));
    }
    lines
}

fn did(direction: Option<Direction>) -> &'static str {
    match direction {
        Some(Direction::Read) | None => "read",
        Some(Direction::Write) => "wrote",
    }
}

/// Verdict, validator, reason, hint and the command that repeats the check, which stays one line.
fn ending(record: &CheckRecord, style: Style, columns: usize) -> String {
    let mut text = TextLines::default();
    for Conclusion { label, culprit, words } in conclusions(record) {
        let culprit = culprit.map(Culprit::as_str).unwrap_or_default();
        let sentence = if culprit.is_empty() { words } else { format!("{culprit}: {words}") };
        let start = format!("  {label:<8} ");
        let columns = if label == "again" { usize::MAX } else { columns };
        let mut lines = wrapped(&start, &" ".repeat(width(&start)), sentence.split(' '), columns);
        if !culprit.is_empty() {
            lines[0] = lines[0].replacen(culprit, &style.paint(Tone::Strong, culprit), 1);
        }
        for line in lines {
            text.push(&line);
        }
    }
    text.into_text()
}

/// One line below the tables: something that follows from the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conclusion {
    /// `verdict`, `hint`, `again` ...
    pub label: &'static str,
    /// The culprit that a verdict names before its sentence.
    pub culprit: Option<Culprit>,
    /// One line without control characters.
    pub words: String,
}

/// All conclusions about a check: verdict, known difference, reason, validator, hint, the command
/// that repeats it.
pub(crate) fn conclusions(record: &CheckRecord) -> Vec<Conclusion> {
    let story = record.outcome.story();
    let said = |text: Option<&String>| text.filter(|text| !text.is_empty()).map(|text| one_line(text));
    // In a broken check the answers that arrived may agree, while those that are missing are
    // unknown.
    let judged = story.filter(|_| record.outcome.kind() != OutcomeKind::Broken || record.outcome.culprit().is_some());
    let sentence = said(judged.map(|story| &story.verdict));
    let culprit = record.outcome.culprit();
    let verdict = match sentence {
        Some(words) => Some(Conclusion { label: "verdict", culprit, words }),
        None => {
            culprit.map(|culprit| Conclusion { label: "verdict", culprit: None, words: culprit.as_str().to_owned() })
        }
    };
    let is_shown = record.validation != Validation::Valid && is_answered(record);
    let invalid = is_shown.then(|| record.validation.to_string());
    let entry = record.outcome.entry().filter(|_| record.outcome.kind() == OutcomeKind::Known);
    let known = entry.map(|entry| one_line(&format!("{} ({}:{})", entry.reason, entry.file, entry.line)));

    let resembles = story.and_then(|story| story.resembles.as_ref()).map(|entry| {
        one_line(&format!("resembles a known difference: {} ({}:{})", entry.reason, entry.file, entry.line))
    });

    let lines = [
        ("known", known),
        ("link", said(entry.and_then(|entry| entry.link.as_ref()))),
        ("reason", said(record.outcome.reasons().map(ToString::to_string).as_ref())),
        ("module", said(invalid.as_ref())),
        ("like", resembles),
        ("hint", said(story.and_then(|story| story.hint.as_ref()))),
        ("again", said(story.map(|story| story.again.to_string()).as_ref())),
    ];
    let others =
        lines.into_iter().filter_map(|(label, words)| Some(Conclusion { label, culprit: None, words: words? }));
    verdict.into_iter().chain(others).collect()
}
