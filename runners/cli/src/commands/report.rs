//! `layoutproof report`: prints the report of the records of one or several runs.

use std::path::Path;

use anyhow::{Context, bail};
use layoutproof_events::left_out::DeviceResults;
use layoutproof_events::summary::Exit;
use layoutproof_events::{CheckRecord, RunEnd, RunHeader};
use layoutproof_records::home::Home;
use layoutproof_records::merge::{MergedRuns, RecordedPart, merge};
use layoutproof_records::participants::{Asked, Participants};
use layoutproof_records::records_file::RecordsTarget;
use layoutproof_report::causes;
use layoutproof_report::reporter::FinishedRun;
use layoutproof_report::source_root::SourceRoot;
use layoutproof_show::{Style, counted};

use crate::args::ReportArgs;
use crate::commands::repro::Repro;
use crate::commands::site::site;
use crate::output::{print, warn};
use crate::records::arguments;
use crate::records::final_report::{FinalReport, check_outputs, hostname, view};
use crate::records::floors::missed_by_runs;
use crate::select::lists::floors;

/// Prints the report that the run itself would have printed, with the same exit code. With `--site`,
/// writes a site instead.
pub(crate) fn report(args: &ReportArgs, style: Style) -> anyhow::Result<Exit> {
    if let Some(out) = &args.site {
        return site(out, &args.files, args.explorer.as_deref());
    }
    check_outputs(&args.outputs)?;
    let parts = args.files.iter().map(|path| RecordedPart::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let MergedRuns { mut runs, devices, mut records, mut end, notes, mut missing, cut } = merge(parts)?;
    if let Some(name) = &args.repro {
        for note in notes {
            warn(&format!("note: {note}\n"));
        }
        Home::here().restore(&mut runs, &mut records, Some(&mut end));
        let typed = &args.typed;
        return Repro { name, folder: &args.out, typed, runs: &runs, records: &records, end: &end }.carry_out(style);
    }
    let floors = floors(&args.floors)?;
    missing.extend(missed_by_runs(&floors, &runs, &args.typed, &records, &end)?);
    // An incomplete record cannot show that a device or a compiler returned no result.
    if missing.is_empty() && cut.is_empty() && end.not_done == 0 {
        missing.extend(Participants::of(Asked::of_records(&runs), &records, &end.left_out).silent());
    }

    let target = args.outputs.files.records().map(|path| RecordsTarget::open(path, warn)).transpose()?;
    if let Some(path) = &args.device_results {
        write_device_results(path, &runs, &records, &end)?;
    }
    for note in notes {
        warn(&format!("note: {note}\n"));
    }

    let sources = args.outputs.files.records().map_or(&args.files[..], std::slice::from_ref);
    let records_file = sources.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ");
    let hostname = hostname();
    let root = SourceRoot::find();
    let lacks: Vec<String> = cut.iter().chain(&missing).cloned().collect();
    let shown = runs.iter().map(|header| arguments::without_programs(&header.arguments));
    let commands: Vec<String> = shown.map(|arguments| arguments::command(&arguments)).collect();
    let tools = runs.iter().flat_map(|run| run.tools.clone()).collect();
    let run = FinishedRun {
        runs: &runs,
        tools: &tools,
        commands: &commands,
        devices: &devices,
        checks: &records,
        end: &end,
        time: None,
        hostname: hostname.as_deref(),
        lacks: &lacks,
        root: Some(&root),
        view: view(&args.outputs, style, Some(&records_file)),
    };
    let report = FinalReport { outputs: &args.outputs, run };
    let group = args.group.map(|number| group(&records, number, style)).transpose()?;
    let written = [target.map_or(Ok(()), |target| target.write_whole(&run)), report.write_files()];
    let written: anyhow::Result<()> = written.into_iter().collect();
    match group {
        None => report.print(written.is_ok()),
        Some(text) => print(&text),
    }
    written?;

    for sentence in &cut {
        warn(&format!("error: {sentence}\n"));
    }
    let exit = report.exit(&missing);
    Ok(if cut.is_empty() { exit } else { Exit::CouldNotRun })
}

/// Writes the file for `ci/devices`.
fn write_device_results(path: &Path, runs: &[RunHeader], records: &[CheckRecord], end: &RunEnd) -> anyhow::Result<()> {
    let [run] = runs else { bail!("--device-results takes the records of one run") };
    let DeviceResults { run, checks, end } = DeviceResults::of(run, records, end);
    let run = FinishedRun { runs: &[run], ..FinishedRun::of(&checks, &end) };
    RecordsTarget::open(path, warn)?.write_whole(&run)
}

/// One group of failures with all of its checks.
fn group(records: &[CheckRecord], number: usize, style: Style) -> anyhow::Result<String> {
    let causes = causes(records);
    let count = counted(causes.len() as u64, "group");
    let cause = causes.iter().find(|cause| cause.number == number);
    Ok(cause.with_context(|| format!("no group {number}: these records have {count} of failures"))?.list(style))
}
