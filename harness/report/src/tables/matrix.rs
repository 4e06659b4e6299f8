//! The matrix of compilers: which ones agree, and what the differences have in common.
//!
//! One line per producer that chose offsets itself. After that come the checks that differ,
//! including known ones, grouped by explanation: the rule set whose offsets these are, or the
//! reason in a list of known differences.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_events::{CheckRecord, LeftOutChecks, OutcomeKind, Proves, ReasonKind};
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_show::style::{Style, TextLines, Tone, counted, grouped, one_line, pad, pad_left, width};

/// Cases to name per group.
const EXAMPLES: usize = 3;

/// Columns before a number.
const GAP: usize = 2;

/// The headings of the numbers. The last four count leaves by what they prove.
const HEADS: [&str; 11] = [
    "agree",
    "known",
    "differ",
    "stale",
    "refused",
    "broken",
    "skipped",
    "compiled leaves",
    "evaluated",
    "translated",
    "native",
];

/// The outcomes of one compiler's checks with one option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    agree: u64,
    known: u64,
    differ: u64,
    stale: u64,
    /// Skipped because the compiler does not accept the declaration.
    refused: u64,
    broken: u64,
    /// Skipped for other reasons.
    skipped: u64,
    /// Leaves at offsets that a compiler chose, in code that a Vulkan device ran.
    compiler: u64,
    /// Leaves in Direct3D code that our evaluators followed.
    evaluated: u64,
    /// Leaves in Direct3D code that was translated.
    translated: u64,
    /// Leaves in native code.
    native: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct MatrixGroup<'a> {
    producer: &'a str,
    culprit: &'static str,
    cause: String,
    is_known: bool,
    checks: u64,
    /// Case and rule set.
    places: BTreeSet<(&'a str, &'a str)>,
}

/// The table; empty if no producer chose offsets itself.
pub fn matrix(checks: &[CheckRecord], left_out: &[LeftOutChecks], style: Style) -> String {
    let rows = rows(checks, left_out);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = TextLines::default();
    let columns = rows.keys().map(|name| width(&title(name))).max().unwrap_or(0);
    let line = |name: &str, numbers: [String; HEADS.len()]| {
        let cells = numbers.iter().zip(HEADS);
        let numbers: Vec<String> = cells.map(|(number, head)| pad_left(number, width(head) + GAP)).collect();
        format!("  {}{}", pad(name, columns), numbers.concat())
    };
    text.push(&style.paint(Tone::Strong, &line("", HEADS.map(str::to_owned))));
    for (name, counts) in &rows {
        text.push(&line(&title(name), counts.numbers().map(grouped)));
    }
    text.into_text()
}

/// The groups of differences, two lines each.
pub fn differences(checks: &[CheckRecord], style: Style) -> String {
    groups(checks).iter().map(|group| group.text(style)).collect()
}

/// The same content as Markdown tables; empty if no producer chose offsets itself.
pub fn markdown(checks: &[CheckRecord], left_out: &[LeftOutChecks]) -> String {
    let rows = rows(checks, left_out);
    if rows.is_empty() {
        return String::new();
    }

    let head = format!("\n| compiler | {} |\n|---|{}\n", HEADS.join(" | "), "---:|".repeat(HEADS.len()));
    let rows = rows.iter().map(|(name, counts)| {
        let numbers = counts.numbers().map(grouped).join(" | ");
        format!("| {} | {numbers} |\n", cell(&title(name)))
    });
    let mut text: Vec<String> = std::iter::once(head).chain(rows).collect();

    let groups = groups(checks);
    if !groups.is_empty() {
        text.push("\n| compiler | culprit | cause | checks | cases |\n|---|---|---|---:|---|\n".to_owned());
    }
    text.extend(groups.iter().map(|group| {
        let (producer, cause) = (cell(&title(group.producer)), cell(&group.cause));
        let (culprit, checks, examples) = (group.culprit, grouped(group.checks), cell(&group.examples()));
        format!("| {producer} | {culprit} | {cause} | {checks} | {examples} |\n")
    }));
    text.concat()
}

/// A producer in the words of `show`: `Vulkan · DXC (dx)`.
fn title(producer: &str) -> String {
    let toolchain = toolchains().iter().find(|toolchain| toolchain.name == producer);
    let column = toolchain.and_then(Toolchain::column);
    column.map_or_else(|| one_line(producer), |column| column.to_string())
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// The checks of producers that choose offsets.
fn compiled(checks: &[CheckRecord]) -> impl Iterator<Item = &CheckRecord> {
    checks.iter().filter(|check| check.proves.is_of_compiler())
}

fn rows<'a>(checks: &'a [CheckRecord], left_out: &'a [LeftOutChecks]) -> BTreeMap<&'a str, Counts> {
    let mut rows: BTreeMap<&str, Counts> = BTreeMap::new();
    for check in compiled(checks) {
        let is_refused = check.outcome.reasons().is_some_and(|reasons| reasons.first.is_refusal());
        let counts = rows.entry(check.id.producer.as_str()).or_default();
        *counts.of_outcome(check.outcome.kind(), is_refused) += 1;
        counts.add_leaves(check.proves, check.leaves);
    }
    for group in left_out.iter().filter(|group| group.proves.is_of_compiler()) {
        let is_refused = group.skip_reason.as_ref().is_some_and(ReasonKind::is_refusal);
        let counts = rows.entry(group.producer.as_str()).or_default();
        *counts.of_outcome(group.outcome, is_refused) += u64::from(group.checks);
        counts.add_leaves(group.proves, group.leaves);
    }
    rows
}

impl Counts {
    fn of_outcome(&mut self, outcome: OutcomeKind, is_refused: bool) -> &mut u64 {
        match outcome {
            OutcomeKind::Agree => &mut self.agree,
            OutcomeKind::Known => &mut self.known,
            OutcomeKind::Differ => &mut self.differ,
            OutcomeKind::Stale => &mut self.stale,
            OutcomeKind::Skipped if is_refused => &mut self.refused,
            OutcomeKind::Skipped => &mut self.skipped,
            OutcomeKind::Broken => &mut self.broken,
        }
    }

    fn add_leaves(&mut self, proves: Proves, leaves: u32) {
        match proves {
            Proves::Compiler => self.compiler += u64::from(leaves),
            Proves::Evaluated => self.evaluated += u64::from(leaves),
            Proves::Translated => self.translated += u64::from(leaves),
            Proves::Native => self.native += u64::from(leaves),
            Proves::Decorations => {}
        }
    }

    /// In the order of [`HEADS`].
    fn numbers(self) -> [u64; HEADS.len()] {
        let Self { agree, known, differ, stale, refused, broken, skipped, .. } = self;
        let Self { compiler, evaluated, translated, native, .. } = self;
        [agree, known, differ, stale, refused, broken, skipped, compiler, evaluated, translated, native]
    }
}

/// The groups, with those of one producer together, the largest first.
fn groups(checks: &[CheckRecord]) -> Vec<MatrixGroup<'_>> {
    let mut groups: Vec<MatrixGroup<'_>> = Vec::new();
    let differs = |check: &&CheckRecord| matches!(check.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Known);
    for check in compiled(checks).filter(differs) {
        let (culprit, cause) = (check.outcome.culprit().map_or("unclear", |culprit| culprit.as_str()), cause(check));
        let is_known = check.outcome.kind() == OutcomeKind::Known;
        let same = |group: &&mut MatrixGroup<'_>| {
            (group.producer, group.culprit, &group.cause, group.is_known)
                == (check.id.producer.as_str(), culprit, &cause, is_known)
        };
        let place = (check.id.case.as_str(), check.id.rules.as_str());
        if let Some(group) = groups.iter_mut().find(same) {
            group.checks += 1;
            group.places.insert(place);
        } else {
            let (producer, places) = (check.id.producer.as_str(), [place].into());
            groups.push(MatrixGroup { producer, culprit, cause, is_known, checks: 1, places });
        }
    }

    groups.sort_by(|a, b| {
        let key = |group: &MatrixGroup<'_>| (std::cmp::Reverse(group.checks), group.culprit);
        a.producer.cmp(b.producer).then(key(a).cmp(&key(b))).then(a.cause.cmp(&b.cause))
    });
    groups
}

/// The explanation of a difference, as far as the record has one.
fn cause(check: &CheckRecord) -> String {
    let story = check.outcome.story();
    let known = check.outcome.entry().map(|entry| entry.reason.clone());
    let hint = story.and_then(|story| story.hint.clone());
    let verdict = story.map(|story| story.verdict.as_str()).filter(|verdict| !verdict.is_empty());
    // The validator's own text has line numbers, so it cannot identify a cause.
    let invalid = check.validation.is_rejection();
    let verdict =
        verdict.map(|verdict| verdict.split(": error").next().filter(|_| invalid).unwrap_or(verdict).to_owned());
    known.or(hint).or(verdict).unwrap_or_else(|| "no rule set explains all rows".to_owned())
}

impl MatrixGroup<'_> {
    fn text(&self, style: Style) -> String {
        let (tone, word) = if self.is_known { (Tone::Known, "Known") } else { (Tone::Disagree, "Disagree") };
        let dot = format!(" {} ", style.dot());
        let (verb, producer, cause) = (style.verb(tone, word), title(self.producer), one_line(&self.cause));
        let checks = counted(self.checks, "check");
        let indent = " ".repeat(width("  Disagree "));
        format!("{verb} {producer}{dot}{}{dot}{checks}: {cause}\n{indent}{}\n", self.culprit, self.examples())
    }

    /// `arrays/a (std140), arrays/b (scalar) and 7 more`.
    fn examples(&self) -> String {
        let named = self.places.iter().take(EXAMPLES);
        let named: Vec<String> = named.map(|(case, rules)| format!("{} ({rules})", one_line(case))).collect();
        match self.places.len().saturating_sub(EXAMPLES) {
            0 => named.join(", "),
            more => format!("{} and {} more", named.join(", "), grouped(more as u64)),
        }
    }
}
