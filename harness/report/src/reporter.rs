//! The formats in which a finished run is reported, besides the terminal's.
//!
//! [`REPORTERS`] is the one list of them. The command takes its options from it, checks and empties
//! the files before the run, and writes them after it; `report` does the same with saved records.
//! Not in the list are the terminal, which has options of its own, and the records file, which grows
//! with the run and can be resumed.

use std::time::Duration;

use layoutproof_core::check::Producer;
use layoutproof_core::results::record::{CheckRecord, RunEnd, RunHeader};
use layoutproof_device::DeviceInfo;

use crate::deqp_csv::DeqpCsv;
use crate::github::{GithubAnnotations, GithubSummary};
use crate::html::RunPage;
use crate::junit::Junit;

/// All reporters, in the order in which the command offers and writes their files.
pub const REPORTERS: [&dyn Reporter; 5] = [&Junit, &RunPage, &DeqpCsv, &GithubSummary, &GithubAnnotations];

/// Reports a finished run in one format.
///
/// It gets the run as a whole because records arrive in any order, and only the end of a run shows
/// which entries of known differences are stale.
pub trait Reporter: Sync {
    fn destination(&self) -> Destination;

    fn text(&self, run: &FinishedRun<'_>) -> String;
}

/// The file, option or stream for the text of a reporter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To the file that the user names with `--name FILE`.
    FileOfOption { name: &'static str, help: &'static str },
    /// To the end of the file that this environment variable names, to which others may write too.
    FileOfVariable(&'static str),
    /// To standard output, after the terminal's report, if this environment variable is `true`.
    OutputIf(&'static str),
}

/// A run whose checks have ended, or the saved records of some runs.
#[derive(Clone, Copy, Debug)]
pub struct FinishedRun<'a> {
    /// Versions and settings; several if records of several runs are shown, and none if they are unknown.
    pub runs: &'a [RunHeader],
    /// The command of each run.
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
    /// Something required is missing or the records are truncated, so the run fails even if all
    /// checks agree.
    pub is_short: bool,
}

impl<'a> FinishedRun<'a> {
    /// A run of which only the records are known.
    pub fn of(checks: &'a [CheckRecord], end: &'a RunEnd) -> Self {
        Self { runs: &[], commands: &[], devices: &[], checks, end, time: None, hostname: None, is_short: false }
    }

    /// True if compilers took part.
    pub(crate) fn has_compilers(&self) -> bool {
        let of_records = self.checks.iter().map(|record| &record.id.producer);
        let mut producers = of_records.chain(self.end.left_out.iter().map(|group| &group.producer));
        producers.any(|producer| matches!(producer.producer(), Some(Producer::Compiler(_))))
    }
}
