//! Texts for GitHub Actions: one annotation per distinct failure, and the run as a sentence and a
//! Markdown table.

use std::collections::BTreeMap;

use crate::failure::block::gist;
use crate::failure::cause::{FailureCause, FailureGroup, causes, place};
use crate::headline::Headline;
use crate::matrix;
use crate::reporter::{Destination, FinishedRun, Reporter};
use crate::source_root::SourceRoot;
use layoutproof_events::summary::{add, add_left_out};
use layoutproof_events::{
    AccountEntry, CheckId, CheckRecord, Culprit, LeftOutChecks, NotCompared, OutcomeKind, RunEnd,
};
use layoutproof_show::style::{Tone, counted, grouped, one_line};

/// GitHub shows ten annotations of one kind per step and drops the rest.
pub(crate) const MAX_ANNOTATIONS: usize = 10;

/// Most rows of the table of failing checks.
const MAX_CAUSES: usize = 50;

/// The rule of the sentence about the whole job.
const HEADLINE: &str = "headline";

/// The summary of a job, which GitHub shows on the page of the workflow's run.
#[derive(Clone, Copy, Debug)]
pub struct GithubSummary;

impl Reporter for GithubSummary {
    fn destination(&self) -> Destination {
        Destination::FileOfVariable("GITHUB_STEP_SUMMARY")
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        let left_out = &run.end.left_out;
        let matrix = if run.has_compilers() { matrix::markdown(run.checks, left_out) } else { String::new() };
        let headline = cell(&Headline::of(run).sentence_with_lead());
        let shortfalls: Vec<String> = run.shortfalls().map(|sentence| format!("- {}\n", cell(&sentence))).collect();
        let lists =
            [shortfalls.concat(), failing(run.checks)].map(|list| if list.is_empty() { list } else { list + "\n" });
        let table = if run.end.checks == 0 { String::new() } else { markdown(run.checks, left_out) };
        format!("**layoutproof run:** {headline}\n\n{}{table}{matrix}", lists.concat())
    }
}

/// Annotations of the source, which GitHub takes from the output of a step.
#[derive(Clone, Copy, Debug)]
pub struct GithubAnnotations;

impl Reporter for GithubAnnotations {
    fn destination(&self) -> Destination {
        Destination::OutputIf("GITHUB_ACTIONS")
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        shown(&of_run(run), run.root)
    }
}

/// The headline of a run, then an annotation for each cause of failures and for each thing that was not compared.
pub(crate) fn of_run<'a>(run: &'a FinishedRun<'_>) -> Vec<Annotation<'a>> {
    let headline = Headline::of(run);
    let is_error = headline.tone != Tone::Agree;
    let mut found = vec![Annotation::headline("layoutproof run", is_error, headline.sentence_with_lead())];
    found.extend(of_checks(run.checks));
    // The headline says how many checks an interrupted run lacks.
    let lacks = run.end.failed_listings.iter().chain(run.lacks);
    found.extend(lacks.map(|sentence| Annotation::without_place("incomplete-run", one_line(sentence))));
    found.extend(run.end.account.iter().flat_map(|account| account.open()).map(of_open));
    found
}

/// The annotations that GitHub shows.
pub(crate) fn shown(found: &[Annotation<'_>], root: Option<&SourceRoot>) -> String {
    found.iter().take(MAX_ANNOTATIONS).map(|annotation| annotation.command(root)).collect()
}

/// What a run found and did not compare, at its line.
pub(crate) fn of_open(entry: &AccountEntry) -> Annotation<'_> {
    let target = entry.target.as_ref().map(|target| format!(" for {target}")).unwrap_or_default();
    let (rule, text) = match entry.state.why() {
        Some(NotCompared::Unread { message }) => ("unread-input", message.clone()),
        _ => ("not-compared", format!("not compared: {}{target}: {}", entry.name, entry.state)),
    };
    Annotation { file: Some(&entry.file), line: entry.line, ..Annotation::without_place(rule, one_line(&text)) }
}

/// One per cause, each with the case file's line, the wrong answers and the verdict.
fn of_checks<'a>(checks: &'a [CheckRecord]) -> Vec<Annotation<'a>> {
    let line = |cause: FailureCause<'a>| {
        let record = cause.failures[0].record;
        let place = record.outcome.story().map(|story| &story.place);

        Annotation {
            is_error: true,
            rule: match record.outcome.kind() {
                OutcomeKind::Broken => "no-result",
                _ => record.outcome.culprit().unwrap_or(Culprit::Unclear).as_str(),
            },
            file: place.map(|place| place.file.as_str()).filter(|file| !file.is_empty()),
            line: place.and_then(|place| place.line),
            title: format!("{} {} {}", record.id.case, record.id.rules, record.id.producer),
            text: cause.short_text(),
        }
    };
    causes(checks).into_iter().map(line).collect()
}

/// A table with a failing check of each cause; empty if all agree.
fn failing(checks: &[CheckRecord]) -> String {
    let causes = causes(checks);
    let row = |cause: &FailureCause<'_>| {
        let others = match cause.failures.len() - 1 {
            0 => String::new(),
            others => format!(" and {} like it", grouped(others as u64)),
        };
        let FailureGroup { record, devices } = cause.first();
        let CheckId { case, rules, producer, .. } = &record.id;
        let check = format!("{case} · {rules} · {producer} · {}{others}", devices.join("; "));
        format!("| {} | {} |\n", cell(&check), cell(&gist(record)))
    };
    let rows: String = causes.iter().take(MAX_CAUSES).map(row).collect();
    let more = match causes.len().saturating_sub(MAX_CAUSES) {
        0 => String::new(),
        more => format!("\nand {}\n", counted(more as u64, "more cause")),
    };
    if rows.is_empty() { rows } else { format!("| failing check | difference |\n|---|---|\n{rows}{more}") }
}

/// A table with one line per device and runner, and the totals.
pub fn markdown(checks: &[CheckRecord], left_out: &[LeftOutChecks]) -> String {
    let mut places: BTreeMap<String, RunEnd> = BTreeMap::new();
    let mut all = RunEnd::default();
    for check in checks {
        add(places.entry(place(check.id.device.as_ref())).or_default(), check);
        add(&mut all, check);
    }
    for group in left_out {
        add_left_out(places.entry(place(group.device.as_ref())).or_default(), group);
        add_left_out(&mut all, group);
    }

    let mut text = String::from(
        "| device | checks | agree | differ | stale | broken | known | skipped | leaves |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (place, end) in &places {
        text += &table_row(&cell(place), end);
    }
    text + &table_row("**all**", &all)
}

fn table_row(name: &str, end: &RunEnd) -> String {
    let counts = [end.checks, end.agree, end.differ, end.stale, end.broken, end.known, end.skipped, end.leaves];
    let cells = counts.map(|count| grouped(count.into())).join(" | ");
    format!("| {name} | {cells} |\n")
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// A workflow command of GitHub Actions that shows a text at a line of the source.
pub(crate) struct Annotation<'a> {
    pub is_error: bool,
    /// The kind of the problem, by which people filter SARIF.
    pub rule: &'static str,
    pub file: Option<&'a str>,
    pub line: Option<u32>,
    /// May be empty.
    pub title: String,
    pub text: String,
}

impl Annotation<'_> {
    /// The sentence about the whole job.
    pub(crate) fn headline(title: &str, is_error: bool, text: String) -> Self {
        Self { is_error, title: title.to_owned(), ..Self::without_place(HEADLINE, text) }
    }

    /// A problem that is at no line of a file.
    pub(crate) fn without_place(rule: &'static str, text: String) -> Self {
        Self { is_error: true, rule, file: None, line: None, title: String::new(), text }
    }

    pub(crate) fn command(&self, root: Option<&SourceRoot>) -> String {
        // A colon and a comma would end a property.
        let message = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        let property = |text: &str| message(text).replace(':', "%3A").replace(',', "%2C");

        let file = self.file.map(|file| root.map_or_else(|| file.to_owned(), |root| root.path(file)));
        let mut properties: Vec<String> = file.iter().map(|file| format!("file={}", property(file))).collect();
        properties.extend(self.line.map(|line| format!("line={line}")));
        properties.extend((!self.title.is_empty()).then(|| format!("title={}", property(&self.title))));
        let level = if self.is_error { "error" } else { "notice" };
        let space = if properties.is_empty() { "" } else { " " };
        format!("::{level}{space}{}::{}\n", properties.join(","), message(&self.text))
    }
}
