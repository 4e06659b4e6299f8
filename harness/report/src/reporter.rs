//! The formats in which a run is reported.
//!
//! [`REPORTERS`] is the one list of them. `run` takes its options from it, checks and empties the files
//! before the first check, and writes them after the last; `report` does the same with saved records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, Event, RunEnd, RunHeader, ToolBuild};

use crate::deqp_csv::DeqpCsv;
use crate::formats::sarif::Sarif;
use crate::github::{GithubAnnotations, GithubSummary};
use crate::html::RunPage;
use crate::json_lines::JsonLines;
use crate::junit::Junit;
use crate::source_root::SourceRoot;
use crate::terminal::{Terminal, View};

/// All reporters, in the order in which `run` offers their options and writes or prints their texts.
pub const REPORTERS: [&dyn Reporter; 8] =
    [&JsonLines, &Junit, &Sarif, &RunPage, &DeqpCsv, &GithubSummary, &Terminal, &GithubAnnotations];

/// Reports a run in one format. It implements one of the two methods that return text.
pub trait Reporter: Sync {
    fn destination(&self) -> Destination;

    /// The text for one event, if the format can be written while the run goes on. Most cannot: only the
    /// end of a run shows which entries of known differences are stale.
    fn on_event(&self, _: &Event<'_>) -> String {
        String::new()
    }

    fn text(&self, run: &FinishedRun<'_>) -> String {
        run.events().map(|event| self.on_event(&event)).collect()
    }
}

/// The file, option or stream for the text of a reporter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To the file that the user names with `--name FILE`, event by event. A run can be resumed from it.
    Records {
        name: &'static str,
        help: &'static str,
        details: &'static str,
    },
    /// To the file that the user names with `--name FILE`.
    FileOfOption {
        name: &'static str,
        help: &'static str,
    },
    /// To the end of the file that this environment variable names, to which others may write too.
    FileOfVariable(&'static str),
    Output,
    /// To standard output if this environment variable is `true`.
    OutputIf(&'static str),
}

/// A run whose checks have ended, or the saved records of some runs: all events with what their reports
/// need besides.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// Versions and settings; several if records of several runs are shown, and none if they are unknown.
    pub runs: &'a [RunHeader],
    /// Builds of compilers by name.
    pub tools: &'a BTreeMap<String, ToolBuild>,
    pub commands: &'a [String],
    /// The devices, one entry per API that lists them.
    pub devices: &'a [DeviceInfo],
    /// All checks in the order of the run, or those in a filtered records file.
    pub checks: &'a [CheckRecord],
    /// The totals, including checks that a filtered file leaves out.
    pub end: &'a RunEnd,
    /// Wall time; `None` when saved records are shown.
    pub time: Option<Duration>,
    /// Name of this machine, if known.
    pub hostname: Option<&'a str>,
    /// What is required and missing, or truncated, a sentence each: the run fails even if all checks agree.
    pub lacks: &'a [String],
    /// Where code hosts count paths from; `None` leaves paths as they are.
    pub root: Option<&'a SourceRoot>,
    pub view: View<'a>,
}

static NO_TOOLS: BTreeMap<String, ToolBuild> = BTreeMap::new();

impl<'a> FinishedRun<'a> {
    /// A run of which only the records are known.
    pub fn of(checks: &'a [CheckRecord], end: &'a RunEnd) -> Self {
        Self {
            runs: &[],
            tools: &NO_TOOLS,
            commands: &[],
            devices: &[],
            checks,
            end,
            time: None,
            hostname: None,
            lacks: &[],
            root: None,
            view: View::default(),
        }
    }

    /// The events of the run, without the checks that its records leave out.
    pub fn events(&self) -> impl Iterator<Item = Event<'a>> {
        let Self { runs, checks, end, .. } = *self;
        // Merged runs have one filter.
        let filter = runs.first().map(|run| run.records).unwrap_or_default();
        let started = runs.iter().map(|run| Event::RunStarted(Cow::Borrowed(run)));
        let finished = checks.iter().filter_map(move |check| check.kept_by(filter)).map(Event::CheckFinished);
        started.chain(finished).chain([Event::RunFinished(Cow::Borrowed(end))])
    }

    /// Why the run is not over, if it was interrupted. A run that stops at its first failure is over.
    pub fn interrupted(&self) -> Option<String> {
        let RunEnd { not_done, fail_fast, .. } = *self.end;
        let is_interrupted = not_done > 0 && !(fail_fast && self.end.has_failed());
        let checks = if not_done == 1 { "check" } else { "checks" };
        is_interrupted.then(|| format!("the run was interrupted: {not_done} {checks} not done"))
    }

    /// Why the run says less than it should, a sentence each. No format may be green then.
    pub(crate) fn shortfalls(&self) -> impl Iterator<Item = String> {
        let known = self.end.failed_listings.iter().chain(self.lacks).cloned();
        known.chain(self.interrupted())
    }

    pub(crate) fn has_compilers(&self) -> bool {
        let of_records = self.checks.iter().map(|record| &record.id.producer);
        let mut producers = of_records.chain(self.end.left_out.iter().map(|group| &group.producer));
        producers.any(|producer| matches!(producer.producer(), Some(Producer::Compiler(_))))
    }
}
