//! Prints the report of a run, writes the requested files and chooses the exit code.
//!
//! `run` reports its own records, `report` those of files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use layoutproof_core::check::Producer;
use layoutproof_core::results::record::{CheckRecord, RunEnd};
use layoutproof_core::results::summary::{Exit, Shortfalls, exit_of_run};
use layoutproof_device::DeviceInfo;
use layoutproof_report::html::{RunPageFacts, run_page};
use layoutproof_report::junit::JunitFacts;
use layoutproof_report::terminal::{RunFacts, check_line, failure_report, known_blocks, known_report, summary};
use layoutproof_report::{deqp_csv, github, junit, matrix};
use layoutproof_show::Style;

use crate::args::OutputArgs;
use crate::output::{print, warn};
use crate::records::output_files::{check_file, write_file};
use crate::records::participants::{Asked, Participants};

/// The file that GitHub shows as the summary of a job.
fn github_summary() -> Option<OsString> {
    std::env::var_os("GITHUB_STEP_SUMMARY")
}

/// Checks that every output file can be written, before the command starts its work.
///
/// # Errors
/// The first file that cannot be written.
pub(crate) fn check_outputs(outputs: &OutputArgs) -> anyhow::Result<()> {
    let github = github_summary().map(PathBuf::from);
    [&outputs.json, &outputs.junit, &outputs.html, &outputs.csv, &github]
        .into_iter()
        .flatten()
        .try_for_each(|path| check_file(path))
}

/// Empties the files that are written at the end of a run. A file of an earlier run then cannot
/// pass for this one's, and a full disk or a read-only folder is noticed before an hour's work.
///
/// # Errors
/// The first file that cannot be written.
pub(crate) fn begin_outputs(outputs: &OutputArgs) -> anyhow::Result<()> {
    [&outputs.junit, &outputs.html, &outputs.csv].into_iter().flatten().try_for_each(|path| write_file(path, ""))
}

/// Records with the other facts that the report needs.
#[derive(Debug)]
pub(crate) struct FinalReport<'a> {
    pub outputs: &'a OutputArgs,
    /// The devices through each API.
    pub devices: &'a [DeviceInfo],
    /// The records, in the order of the run.
    pub records: &'a [CheckRecord],
    /// Their totals.
    pub end: &'a RunEnd,
    /// Wall time in seconds, for a run.
    pub seconds: Option<f64>,
    pub style: Style,
    /// True if a requirement was not met, or a records file was cut short.
    pub is_short: bool,
    /// The file with these records, for the commands in the report.
    pub records_file: Option<&'a str>,
}

impl FinalReport<'_> {
    pub(crate) fn print(&self) {
        let Self { outputs, devices, records, end, seconds, style, is_short, records_file } = *self;
        let is_detailed = outputs.verbose > 0;
        if is_detailed {
            for record in records {
                print(&check_line(record, style));
            }
        }
        if outputs.verbose > 1 {
            print(&known_blocks(records, style));
        } else if !outputs.quiet {
            print(&known_report(records, is_of_own_file, style));
        }

        print(&failure_report(records, records_file, style));
        if !outputs.quiet {
            if self.has_compilers() {
                print(&format!("{}\n", matrix::matrix(records, &end.left_out, style)));
                let differences = if is_detailed { matrix::differences(records, style) } else { String::new() };
                print(&differences);
            }
            print(&summary(&RunFacts { devices, checks: records, end, seconds, is_detailed, is_short }, style));
        }

        if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            print(&github::annotations(records));
        }
    }

    /// True if compilers took part.
    fn has_compilers(&self) -> bool {
        let of_records = self.records.iter().map(|record| &record.id.producer);
        let mut producers = of_records.chain(self.end.left_out.iter().map(|group| &group.producer));
        producers.any(|producer| matches!(producer.producer(), Some(Producer::Compiler(_))))
    }

    fn junit(&self) -> String {
        let hostname = hostname();
        let time = self.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let facts = JunitFacts { devices: self.devices, hostname: hostname.as_deref(), time };
        junit::junit(self.records, facts)
    }

    fn page_facts(&self) -> RunPageFacts<'_> {
        RunPageFacts { devices: self.devices, checks: self.records, end: self.end }
    }

    /// Writes the files, except the records. A file that cannot be written does not prevent the
    /// others.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(crate) fn write_files(&self) -> anyhow::Result<()> {
        let junit = self.outputs.junit.as_ref().map(|path| write_file(path, &self.junit()));
        let html = self.outputs.html.as_ref().map(|path| write_file(path, &run_page(&self.page_facts())));
        let csv = self.outputs.csv.as_ref().map(|path| write_file(path, &deqp_csv::results(self.records)));
        let github = github_summary().map(|path| {
            let left_out = &self.end.left_out;
            let matrix = if self.has_compilers() { matrix::markdown(self.records, left_out) } else { String::new() };
            write_file(Path::new(&path), &(github::markdown(self.records, left_out) + &matrix))
        });
        [junit, html, csv, github].into_iter().flatten().collect()
    }

    /// Prints the unmet requirements, and returns the exit code. Checks that were not done are an
    /// error by themselves, even if all others agree.
    pub(crate) fn exit(&self, missing: &[String]) -> Exit {
        let incomplete = &self.end.failed_listings;
        for sentence in incomplete.iter().chain(missing) {
            warn(&format!("error: {sentence}\n"));
        }

        let not_done = self.end.not_done;
        let has_failed = [self.end.differ, self.end.stale, self.end.broken].iter().any(|count| *count > 0);
        let is_interrupted = not_done > 0 && !(self.end.fail_fast && has_failed);
        if is_interrupted {
            let checks = if not_done == 1 { "check" } else { "checks" };
            warn(&format!("error: the run was interrupted: {not_done} {checks} not done\n"));
        }

        let shortfalls =
            Shortfalls { could_not_run: is_interrupted, missing: !incomplete.is_empty() || !missing.is_empty() };
        let exit = exit_of_run(self.end, shortfalls);
        if exit == Exit::NothingSelected {
            warn(&format!(
                "error: {}\n",
                Participants::of(Asked::default(), self.records, &self.end.left_out).why_nothing_is_proved()
            ));
        }
        exit
    }
}

/// The name of this machine according to Linux, Windows or the shell; `None` elsewhere.
fn hostname() -> Option<String> {
    let of_kernel = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let of_variables = ["COMPUTERNAME", "HOSTNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = of_kernel.or(of_variables)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// True if a check is about a user's file. Its id is the file name; ids of cases have no suffix.
fn is_of_own_file(record: &CheckRecord) -> bool {
    Path::new(&record.id.case).extension().is_some() || record.id.case == "-"
}
