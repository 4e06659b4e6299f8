//! Texts for GitHub Actions: one annotation per distinct failure, and the run as a sentence and a
//! Markdown table.

use std::collections::BTreeMap;

use crate::failure::cause::{FailureCause, causes};
use crate::failure::group::place;
use crate::headline::Headline;
use crate::matrix;
use crate::reporter::{Destination, FinishedRun, Reporter};
use layoutproof_core::results::record::{CheckRecord, LeftOutChecks, RunEnd};
use layoutproof_core::results::summary::{add, add_left_out};
use layoutproof_show::style::{Style, Tone, grouped, one_line};

/// GitHub shows ten annotations of one kind per step and drops the rest.
const MAX_ANNOTATIONS: usize = 10;

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
        format!("**layoutproof run:** {headline}\n\n{}{matrix}", markdown(run.checks, left_out))
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
        let headline = Headline::of(run);
        let level = if headline.tone == Tone::Agree { "notice" } else { "error" };
        let first = format!("::{level} title=layoutproof run::{}\n", message(&headline.sentence_with_lead()));
        first + &annotations(run.checks)
    }
}

/// `::error` lines, one per cause, each with the case file's line and the failure block as its text.
/// With the headline there are at most ten.
pub fn annotations(checks: &[CheckRecord]) -> String {
    let causes = causes(checks);
    let line = |cause: &FailureCause<'_>| {
        let failure = cause.first();
        let record = failure.record;
        let place = record.outcome.story().map(|story| story.place.as_str()).unwrap_or_default();
        let (file, line) = match place.rsplit_once(':') {
            Some((file, line)) if line.parse::<u32>().is_ok() => (file, Some(line)),
            Some(_) | None => (place, None),
        };

        let mut properties = Vec::new();
        if !file.is_empty() {
            properties.push(format!("file={}", property(file)));
        }
        properties.extend(line.map(|line| format!("line={line}")));
        let title = format!("{} {} {}", record.id.case, record.id.rules, record.id.producer);
        properties.push(format!("title={}", property(&title)));
        format!("::error {}::{}\n", properties.join(","), message(&cause.text(None, Style::PLAIN)))
    };
    causes.iter().take(MAX_ANNOTATIONS - 1).map(line).collect()
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

/// Escapes the text of a GitHub Actions workflow command.
pub(crate) fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Also escapes the two characters that would end a property.
pub(crate) fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
