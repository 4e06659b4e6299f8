//! Prints the report of a run, writes the requested files and chooses the exit code.
//!
//! `run` reports its own records, `report` those of files.

use std::fs;
use std::path::PathBuf;

use layoutproof_core::results::known::baseline;
use layoutproof_events::summary::{Exit, Shortfalls, exit_of_run};
use layoutproof_events::{Account, OutcomeKind, RunEnd};
use layoutproof_facts::known_lists::known_lists;
use layoutproof_inputs::refused_input::{FirstProblem, RefusedInput};
use layoutproof_records::output_files::{append_to_file, check_file, write_file};
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_report::reporter::{Destination, FinishedRun, REPORTERS, Reporter};
use layoutproof_report::source_root::SourceRoot;
use layoutproof_report::terminal::{KnownBug, Terminal, View};
use layoutproof_show::Style;
use layoutproof_site::mechanisms;

use crate::args::OutputArgs;
use crate::output::{print, warn_of_end};
use crate::select::selection::unread_file;
use crate::step_events;

/// Checks that every output file can be written, before the command starts its work.
pub(crate) fn check_outputs(outputs: &OutputArgs) -> anyhow::Result<()> {
    let reports = REPORTERS.into_iter().filter_map(|reporter| file_of(reporter, outputs));
    reports.chain(outputs.save_known.clone()).try_for_each(|path| check_file(&path))
}

/// Empties the files of reports, which are written at the end of a run. A file of an earlier run then
/// cannot pass for this one's, and a full disk or a read-only folder is noticed before an hour's work.
pub(crate) fn begin_outputs(outputs: &OutputArgs) -> anyhow::Result<()> {
    let is_written_at_end =
        |reporter: &&dyn Reporter| matches!(reporter.destination(), Destination::FileOfOption { .. });
    let named = REPORTERS.into_iter().filter(is_written_at_end).filter_map(|reporter| outputs.files.of(reporter));
    named.into_iter().try_for_each(|path| write_file(path, ""))
}

/// Writes the reports of a run that could not begin, so that no file of an earlier run passes for one of this. Records
/// stay: nothing was checked.
pub(crate) fn write_refusal(outputs: &OutputArgs, error: &anyhow::Error, style: Style) {
    if check_outputs(outputs).is_err() {
        return;
    }
    let refused = error.downcast_ref::<RefusedInput>();
    let problems = refused.map(RefusedInput::errors).unwrap_or_default();
    let entry = |problem: FirstProblem| {
        let file = problem.place.as_ref().map(|place| place.file.clone()).unwrap_or_default();
        unread_file(&file, problem)
    };
    let entries: Vec<_> = problems.into_iter().map(entry).collect();
    let lacks = if entries.is_empty() { vec![format!("{error:#}")] } else { Vec::new() };
    let account = (!entries.is_empty()).then(|| Box::new(Account { entries }));
    let end = RunEnd { account, ..RunEnd::default() };
    let root = SourceRoot::find();
    let view = view(outputs, style, None);
    let run = FinishedRun { lacks: &lacks, root: Some(&root), view, ..FinishedRun::of(&[], &end) };
    let report = FinalReport { outputs: &OutputArgs { save_known: None, ..outputs.clone() }, run };
    if let Err(error) = report.write_files() {
        warn_of_end(&format!("{error:#}"));
    }
    report.print_annotations();
}

/// The file that a reporter writes in this run, if any.
fn file_of(reporter: &dyn Reporter, outputs: &OutputArgs) -> Option<PathBuf> {
    match reporter.destination() {
        Destination::Records { .. } | Destination::FileOfOption { .. } => outputs.files.of(reporter).cloned(),
        Destination::FileOfVariable(variable) => std::env::var_os(variable).map(PathBuf::from),
        Destination::Output | Destination::OutputIf(_) => None,
    }
}

/// How the terminal shows the run. `records_file` is the file with the records, for the commands in the
/// report.
pub(crate) fn view<'a>(outputs: &OutputArgs, style: Style, records_file: Option<&'a str>) -> View<'a> {
    View { style, verbose: outputs.verbose, quiet: outputs.quiet, records_file, bugs: &[] }
}

/// A finished run with the options for its report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FinalReport<'a> {
    pub outputs: &'a OutputArgs,
    pub run: FinishedRun<'a>,
}

impl FinalReport<'_> {
    /// Prints the report. Unless all files are written, it does not say that all is well.
    pub(crate) fn print(&self, is_written: bool) {
        let has_known = self.run.checks.iter().any(|check| check.outcome.kind() == OutcomeKind::Known);
        let bugs = if has_known { known_bugs() } else { Vec::new() };
        let view = View { bugs: &bugs, ..self.run.view };
        let unwritten = ["a file could not be written".to_owned()];
        let lacks = if is_written || !self.run.lacks.is_empty() { self.run.lacks } else { &unwritten };
        let run = FinishedRun { lacks, view, ..self.run };
        step_events::conclude(&Terminal::headline(&run));
        for reporter in REPORTERS.into_iter().filter(|reporter| reporter.destination() == Destination::Output) {
            print(&reporter.text(&run));
        }
        FinalReport { run, ..*self }.print_annotations();
    }

    /// Prints what a CI service takes from the output.
    fn print_annotations(&self) {
        for reporter in REPORTERS {
            let Destination::OutputIf(variable) = reporter.destination() else { continue };
            if std::env::var_os(variable).is_some_and(|value| value == "true") {
                print(&reporter.text(&self.run));
            }
        }
    }

    /// Writes the files, except the records. A file that cannot be written does not prevent the
    /// others.
    pub(crate) fn write_files(&self) -> anyhow::Result<()> {
        let mut written = match &self.outputs.save_known {
            Some(path) => write_file(path, &baseline(self.run.checks, self.run.devices, self.run.tools)),
            None => Ok(()),
        };
        for reporter in REPORTERS {
            let Some(path) = file_of(reporter, self.outputs) else { continue };
            let now = match reporter.destination() {
                Destination::FileOfVariable(_) => append_to_file(&path, &reporter.text(&self.run)),
                Destination::FileOfOption { .. } => write_file(&path, &reporter.text(&self.run)),
                Destination::Records { .. } | Destination::Output | Destination::OutputIf(_) => Ok(()),
            };
            written = written.and(now);
        }
        written
    }

    /// Prints the unmet requirements, and returns the exit code. Checks that were not done are an
    /// error by themselves, even if all others agree.
    pub(crate) fn exit(&self, missing: &[String]) -> Exit {
        let FinishedRun { checks, end, .. } = self.run;
        let interrupted = self.run.interrupted();
        let incomplete = &end.failed_listings;
        for sentence in incomplete.iter().chain(missing).chain(&interrupted) {
            warn_of_end(sentence);
        }

        let shortfalls =
            Shortfalls { could_not_run: interrupted.is_some(), missing: !incomplete.is_empty() || !missing.is_empty() };
        let exit = exit_of_run(end, shortfalls);
        if exit == Exit::NothingSelected {
            warn_of_end(&Participants::of(Asked::default(), checks, &end.left_out).why_nothing_is_proved());
        }
        exit
    }
}

/// The names of the built-in known differences, and the builds in which they are gone.
fn known_bugs() -> Vec<KnownBug> {
    // The built-in lists are read without problems, as a test checks.
    let lists = known_lists().unwrap_or_default();
    let known = mechanisms(&lists);
    let bugs = known.iter().flat_map(|difference| {
        difference
            .entries
            .iter()
            .map(|entry| KnownBug { id: difference.id.to_owned(), gone: entry.gone.as_ref().map(ToString::to_string) })
    });
    bugs.collect()
}

/// The name of this machine according to Linux, Windows or the shell; `None` elsewhere.
pub(crate) fn hostname() -> Option<String> {
    let of_kernel = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let of_variables = ["COMPUTERNAME", "HOSTNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = of_kernel.or(of_variables)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
