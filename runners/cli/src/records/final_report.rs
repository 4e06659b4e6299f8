//! Prints the report of a run, writes the files that the user asked for, and chooses the exit code.
//!
//! `run` calls it with its own records, `report` with those of files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use layoutproof_core::check::Producer;
use layoutproof_core::report::summary::{Exit, Shortfalls, exit_of_run};
use layoutproof_core::report::terminal::{RunFacts, check_line, failure_report, summary};
use layoutproof_core::report::{Style, deqp_csv, github, junit, matrix};
use layoutproof_core::results::record::{CheckRecord, RunEnd};
use layoutproof_device::DeviceInfo;

use crate::args::OutputArgs;
use crate::output::{print, warn};
use crate::records::output_files::check_file;
use crate::records::participants::Participants;

/// The file that a failure report names where the user asked for none.
const DEFAULT_RECORDS: &str = "the records that --json FILE writes";

/// The file that GitHub shows as a summary of the job.
fn github_summary() -> Option<OsString> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
}

/// Checks that every file of the report can be written, before there is anything to write.
///
/// # Errors
/// The first file that cannot be written.
pub(crate) fn check_outputs(outputs: &OutputArgs) -> anyhow::Result<()> {
    let github = github_summary().map(PathBuf::from);
    [&outputs.json, &outputs.junit, &outputs.csv, &github].into_iter().flatten().try_for_each(|path| check_file(path))
}

/// Records with the other facts that the report needs.
#[derive(Debug)]
pub(crate) struct FinalReport<'a> {
    /// Where it goes.
    pub outputs: &'a OutputArgs,
    /// Devices, through each API.
    pub devices: &'a [DeviceInfo],
    /// In the order of the run.
    pub records: &'a [CheckRecord],
    /// Their totals.
    pub end: &'a RunEnd,
    /// Wall time in seconds, of a run.
    pub seconds: Option<f64>,
    /// How to draw.
    pub style: Style,
}

impl FinalReport<'_> {
    /// Prints the report.
    pub(crate) fn print(&self) {
        let Self { outputs, devices, records, end, seconds, style } = *self;
        if outputs.verbose > 0 {
            for record in records {
                print(&check_line(record, style));
            }
        }

        let file = outputs.json.as_ref().map_or(DEFAULT_RECORDS.to_owned(), |path| path.display().to_string());
        print(&failure_report(records, &file, style));
        print(&summary(&RunFacts { devices, checks: records, end, seconds }, style));
        if self.has_compilers() {
            print(&format!("\n{}", matrix::matrix(records, style)));
        }

        if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            print(&github::annotations(records));
        }
    }

    /// True if compilers took part.
    fn has_compilers(&self) -> bool {
        let is_compiler = |name: &str| matches!(Producer::named(name), Some(Producer::Compiler(_)));
        self.records.iter().any(|record| is_compiler(&record.producer))
    }

    /// Writes the files, but for the records. One that cannot be written does not cost the user the others.
    ///
    /// # Errors
    /// The first that cannot be written.
    pub(crate) fn write_files(&self) -> anyhow::Result<()> {
        let junit = self.outputs.junit.as_ref().map(|path| write(path, &junit::junit(self.records)));
        let csv = self.outputs.csv.as_ref().map(|path| write(path, &deqp_csv::results(self.records)));
        let github = github_summary().map(|path| {
            let matrix = if self.has_compilers() { matrix::markdown(self.records) } else { String::new() };
            write(Path::new(&path), &(github::markdown(self.records) + &matrix))
        });
        [junit, csv, github].into_iter().flatten().collect()
    }

    /// Says what is missing, and the exit code of all that is known now. Checks that were not done are an error of their
    /// own: what agrees so far says nothing of them.
    pub(crate) fn exit(&self, missing: &[String]) -> Exit {
        let incomplete = &self.end.failed_listings;
        for sentence in incomplete.iter().chain(missing) {
            warn(&format!("error: {sentence}\n"));
        }

        let not_done = self.end.not_done;
        if not_done > 0 {
            let checks = if not_done == 1 { "check" } else { "checks" };
            warn(&format!("error: the run was interrupted: {not_done} {checks} not done\n"));
        }

        let shortfalls =
            Shortfalls { could_not_run: not_done > 0, missing: !incomplete.is_empty() || !missing.is_empty() };
        let exit = exit_of_run(self.end, shortfalls);
        if exit == Exit::NothingSelected {
            warn(&format!("error: {}\n", Participants::of(&[], self.records).why_nothing_is_proved()));
        }
        exit
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
