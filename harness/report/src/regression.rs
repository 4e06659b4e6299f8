//! Prints how a compiler build differs from a frozen one, as text and as JSON, for `layoutproof
//! regress`.
//!
//! A difference that several toolchains share is printed once.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use layoutproof_core::results::frozen::accepted::AcceptedEntry;
use layoutproof_core::results::frozen::{BuildComparison, BuildDifference};
use layoutproof_core::results::record::SCHEMA;
use layoutproof_show::style::{Style, Tone, one_line};

/// One of the two builds.
#[derive(Clone, Debug)]
pub struct RegressionSide<'a> {
    /// The version that the compiler prints.
    pub says: &'a str,
    /// Path of the compiler or of its frozen set.
    pub place: String,
}

/// A comparison of two builds and everything to report about it.
#[derive(Clone, Debug)]
pub struct Regression<'a> {
    /// The build under test.
    pub new: RegressionSide<'a>,
    /// The frozen build.
    pub old: RegressionSide<'a>,
    /// All differences; accepted ones are marked.
    pub comparison: &'a BuildComparison,
    /// Accepted differences that no longer occur.
    pub stale: &'a [&'a AcceptedEntry],
}

/// Text for people: a table per case, then what is accepted and why, then the totals. `verbose`
/// lists accepted differences too.
pub fn text(regression: &Regression<'_>, verbose: bool, style: Style) -> String {
    let Regression { new, old, comparison, stale } = regression;
    let side = |side: &RegressionSide<'_>| format!("{} ({})", one_line(side.says), one_line(&side.place));
    let mut text = format!("{}\nagainst {}\n", side(new), side(old));
    text += &differences(comparison.unaccepted(), style);

    let accepted = || comparison.differences.iter().filter(|difference| difference.accepted.is_some());
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in accepted().filter_map(|difference| difference.accepted.as_deref()) {
        *reasons.entry(reason).or_default() += 1;
    }
    if !reasons.is_empty() {
        text += "\naccepted\n";
        for (reason, count) in &reasons {
            writeln!(text, "  {count:>5}  {}", one_line(reason)).expect("a String takes every write");
        }
    }
    if verbose {
        text += &differences(accepted(), style);
    }

    for entry in *stale {
        let verb = style.verb(Tone::Disagree, "Stale");
        writeln!(
            text,
            "{verb} {} no longer differs",
            one_line(&format!("{} (accepted: {})", entry.pattern, entry.reason))
        )
        .expect("a String takes every write");
    }

    text += &other_cases(comparison);
    text + &totals(regression, style)
}

/// One block of lines per case.
fn differences<'a>(all: impl Iterator<Item = &'a BuildDifference>, style: Style) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<RegressionRow<'_>, Vec<&str>>> = BTreeMap::new();
    for difference in all {
        let toolchains = rows.entry(&difference.case).or_default().entry(RegressionRow::of(difference)).or_default();
        toolchains.push(&difference.toolchain);
    }

    let mut text = String::new();
    for (case, rows) in rows {
        writeln!(text, "\n{}", style.paint(Tone::Strong, &one_line(case))).expect("a String takes every write");
        let width = rows.keys().map(|row| row.place().chars().count()).max().unwrap_or(0);
        for (row, toolchains) in rows {
            let [old, new] = [row.old, row.new].map(|value| one_line(value.unwrap_or("nothing")));
            let (place, arrow) = (row.place(), if style.ascii { "->" } else { "→" });
            writeln!(text, "  {place:<width$}  {:<13}  {old} {arrow} {new}", row.what)
                .expect("a String takes every write");
            writeln!(text, "  {:<width$}  {}", "", style.paint(Tone::Dim, &one_line(&toolchains.join(" "))))
                .expect("a String takes every write");
        }
    }
    text
}

/// A difference without its toolchain: the key by which toolchains are merged.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RegressionRow<'a> {
    question: &'a str,
    path: &'a str,
    what: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
}

impl<'a> RegressionRow<'a> {
    fn of(difference: &'a BuildDifference) -> Self {
        let BuildDifference { question, path, what, old, new, .. } = difference;
        Self { question, path, what, old: old.as_deref(), new: new.as_deref() }
    }

    fn place(&self) -> String {
        one_line(&if self.path.is_empty() {
            self.question.to_owned()
        } else {
            format!("{} of {}", self.path, self.question)
        })
    }
}

fn other_cases(comparison: &BuildComparison) -> String {
    let lists = [
        ("not in the frozen set", &comparison.new),
        ("changed since they were frozen", &comparison.changed),
        ("in the frozen set, but no longer a case", &comparison.gone),
        ("toolchains that only one side has", &comparison.toolchains),
    ];
    let told = lists.iter().filter(|(_, names)| !names.is_empty());
    let lines: Vec<String> = told.map(|(what, names)| format!("  {what}: {}", one_line(&names.join(", ")))).collect();
    if lines.is_empty() { String::new() } else { format!("\nnot compared\n{}\n", lines.join("\n")) }
}

fn totals(regression: &Regression<'_>, style: Style) -> String {
    let comparison = regression.comparison;
    let differ = comparison.unaccepted().count();
    let accepted = comparison.differences.len() - differ;
    let (tone, word) =
        if differ + regression.stale.len() > 0 { (Tone::Disagree, "Differ") } else { (Tone::Agree, "Same") };
    format!(
        "\n{} {} decisions of {} cases: {differ} differ, {accepted} accepted, {} stale\n",
        style.verb(tone, word),
        comparison.compared,
        comparison.cases,
        regression.stale.len(),
    )
}

pub fn json(regression: &Regression<'_>) -> Value {
    let Regression { new, old, comparison, stale } = regression;
    let side = |side: &RegressionSide<'_>| json!({"says": side.says, "place": side.place});
    let differences = comparison.differences.iter().map(|difference| {
        let BuildDifference { case, toolchain, question, path, what, old, new, accepted, .. } = difference;
        json!({
            "name": difference.name(), "case": case, "toolchain": toolchain, "question": question, "path": path,
            "what": what, "old": old, "new": new, "accepted": accepted,
        })
    });

    json!({
        "schema": SCHEMA,
        "new": side(new),
        "old": side(old),
        "differences": differences.collect::<Vec<_>>(),
        "stale": stale.iter().map(|entry| entry.pattern.as_str()).collect::<Vec<_>>(),
        "cases": {
            "compared": comparison.cases,
            "new": comparison.new,
            "changed": comparison.changed,
            "gone": comparison.gone,
        },
        "toolchains_of_one_side": comparison.toolchains,
        "compared": comparison.compared,
        "differ": comparison.unaccepted().count(),
    })
}
