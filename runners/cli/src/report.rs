//! `layoutproof report`: records that runs have written in, the report of all of them out.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use layoutproof::floors;
use layoutproof::record::RunEnd;
use layoutproof::report::summary::Exit;
use layoutproof::report::{Style, json_lines};

use crate::files::{self, FileKind};
use crate::final_report::{FinalReport, OutputArgs};
use crate::floors::missed_by_runs;
use crate::lists::lists;
use crate::merge::{Merged, Part, merge};
use crate::output::warn;
use crate::records_file;

/// `layoutproof report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Records of runs (`run --json`), of the shards of one or of several.
    #[arg(required = true, value_name = "RECORDS")]
    pub files: Vec<PathBuf>,
    /// The least number of leaves that each device must answer for, in all runs together.
    #[arg(long, value_name = "FILE")]
    pub floors: Option<PathBuf>,
    /// Where reports go.
    #[command(flatten)]
    pub outputs: OutputArgs,
}

/// Reports what the records say as the run itself would have done, with its exit code.
///
/// # Errors
/// Files that cannot be read, that are no records, or that contradict each other; for floors, what the runs were about as
/// well.
pub(crate) fn report(args: &ReportArgs, style: Style) -> anyhow::Result<Exit> {
    let parts = args.files.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let Merged { runs, devices, records, end, notes, mut missing, cut } = merge(parts)?;
    let floors = lists(args.floors.as_slice(), floors::read)?;
    missing.extend(missed_by_runs(&floors, &runs, &records)?);
    for note in notes {
        warn(&format!("note: {note}\n"));
    }
    let report =
        FinalReport { outputs: &args.outputs, devices: &devices, records: &records, end: &end, seconds: None, style };
    report.print();
    if let Some(path) = &args.outputs.json {
        records_file::write_whole(path, &runs, &records, &end)?;
    }
    report.write_files()?;
    for name in &cut {
        warn(&format!("error: {name}: the run was cut short; `layoutproof run --resume {name}` goes on with it\n"));
    }
    let exit = report.exit(&missing);
    Ok(if cut.is_empty() { exit } else { Exit::CouldNotRun })
}

fn read(path: &Path) -> anyhow::Result<Part> {
    let name = path.display().to_string();
    let bytes = files::read(path, FileKind::Records)?;
    // What is torn may end within a letter.
    let (records, _) = json_lines::read_torn(&String::from_utf8_lossy(&bytes)).with_context(|| name.clone())?;
    if records.runs.is_empty() {
        bail!("{name} has no first line, so these are not the records of a run");
    }
    let ended = records.ends.len() == 1 || records.ends.len() >= records.runs.len();
    let ends = records.ends.into_iter().fold(RunEnd::default(), |mut sum, end| {
        sum.not_done = sum.not_done.saturating_add(end.not_done);
        sum.seen.extend(end.seen);
        sum
    });
    Ok(Part { name, runs: records.runs, checks: records.checks, end: ended.then_some(ends) })
}
