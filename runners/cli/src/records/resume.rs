//! Reads the records of a run that was cut short, for `layoutproof run --resume`.

use std::path::Path;

use anyhow::{Context, bail};
use layoutproof_events::{CheckRecord, RecordsFilter, RunHeader};
use layoutproof_records::home::Home;
use layoutproof_records::ledger::before_the_end;
use layoutproof_records::lock;
use layoutproof_records::recorded::{self, RecordedRuns};

use crate::args::{ReportFiles, RunArgs};
use crate::output::warn;
use crate::records::arguments::TypedOptions;
use crate::records::recorded_selection::RecordedSelection;

/// The selection of the run in a records file with the user's own options, and the selection alone. For a user who
/// names nothing but the file, and limits.
pub(crate) fn recorded(path: &Path, typed: &TypedOptions) -> anyhow::Result<(RunArgs, TypedOptions)> {
    let place = path.display().to_string();
    let RecordedRuns { mut runs, .. } = recorded::read(&place, &lock::read(path, warn)?)?;
    Home::here().restore(&mut runs, &mut [], None);
    let Some(run) = runs.first() else { bail!("cannot resume: {place} has no line about a run") };
    let selection = RecordedSelection::of(&run.arguments)?.beside(typed);
    if let Some(note) = selection.note(&place) {
        warn(&format!("note: {note}\n"));
    }
    let args = selection
        .run_args(std::env::args_os())
        .with_context(|| format!("cannot resume {place} without the words of its command"))?;
    let here = args.outputs.files.reports();
    let left = run.outputs.iter().filter(|output| ReportFiles::has_option(output) && !here.contains(output));
    let left: Vec<String> = left.map(|output| format!("--{output}")).collect();
    if !left.is_empty() {
        let verb = if left.len() == 1 { "is" } else { "are" };
        warn(&format!(
            "note: {} of the earlier run {verb} written again only if typed with its file\n",
            left.join(", ")
        ));
    }
    Ok((args, selection.typed()))
}

/// Parses the records in the bytes of a file, whose header must match `header`. The last line may
/// be torn.
///
/// # Errors
/// A line is not a record or contradicts itself, or the two runs differ; the message lists the
/// differences.
///
/// Without `--records` and `--machine`, those of the earlier file hold for the new one: `header` takes them.
pub(crate) fn read(
    place: &str,
    bytes: &[u8],
    header: &mut RunHeader,
    asked: Option<RecordsFilter>,
) -> anyhow::Result<Vec<CheckRecord>> {
    let RecordedRuns { runs, mut checks, .. } = recorded::read(place, bytes)?;
    Home::here().restore(&mut [], &mut checks, None);
    let [earlier] = &runs[..] else {
        bail!("cannot resume: {place} holds the records of {} runs, not of one", runs.len());
    };
    if !earlier.records.has_every_check() {
        bail!("cannot resume: {place} leaves out the checks that agreed (--records failures); run all of them again");
    }
    header.records = asked.unwrap_or(earlier.records);
    header.host.machine = header.host.machine.take().or_else(|| earlier.host.machine.clone());
    if header.records.is_full() && !earlier.records.is_full() {
        bail!("cannot resume: {place} leaves out the numbers of checks that agree; resume it with --records outcomes");
    }
    let differences = header.differences(earlier);
    if !differences.is_empty() {
        bail!("{place} is of another run and cannot be resumed\n  {}", differences.join("\n  "));
    }
    Ok(checks.into_iter().map(before_the_end).collect())
}
