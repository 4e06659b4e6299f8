//! `layoutproof compare OLD NEW` with the records of two runs: what a driver, a compiler or this program changed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use layoutproof_events::summary::Exit;
use layoutproof_records::merge::{MergedRuns, RecordedPart, merge};
use layoutproof_report::run_changes::{RunChanges, RunSide};
use layoutproof_show::Style;

use crate::commands::compare::{CompareArgs, CompareFormat};
use crate::output::{print, print_json, warn};

/// The record files at a path: a file, or those of a folder. `None` if there are none.
pub(in crate::commands) fn record_files(path: &Path) -> anyhow::Result<Option<Vec<PathBuf>>> {
    if is_record_file(path) {
        return Ok(Some(vec![path.to_owned()]));
    }
    if !path.is_dir() {
        return Ok(None);
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let files: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut files: Vec<PathBuf> =
        files.with_context(|| path.display().to_string())?.into_iter().filter(|file| is_record_file(file)).collect();
    files.sort();
    Ok(if files.is_empty() { None } else { Some(files) })
}

pub(in crate::commands) fn is_record_file(path: &Path) -> bool {
    match path.extension().and_then(OsStr::to_str) {
        Some("jsonl") => true,
        Some("zst") => path.file_stem().is_some_and(|stem| Path::new(stem).extension() == Some(OsStr::new("jsonl"))),
        Some(_) | None => false,
    }
}

/// Compares two runs. The exit code is 1 if something is wrong that was not, is wrong in another way, is flaky, or is no
/// longer checked; 3 if a shard is missing; 4 if the runs have no check in common.
///
/// # Errors
/// A file cannot be read, contradicts another one of its side, or leaves out the checks that agreed.
pub(super) fn compare_runs(args: &CompareArgs, old: &[PathBuf], new_word: &str, style: Style) -> anyhow::Result<Exit> {
    let Some(new) = record_files(Path::new(new_word))? else {
        bail!("{} has the records of a run, and {new_word} has none: name two runs", args.old);
    };
    if !args.inputs.is_empty() {
        bail!("two runs are compared as a whole: name no file and no case");
    }
    let (old, new) = (read(old)?, read(&new)?);
    let changes = RunChanges::of(side(&args.old, &old), side(new_word, &new));
    let cut: Vec<&String> = old.cut.iter().chain(&new.cut).collect();
    let missing: Vec<&String> = old.missing.iter().chain(&new.missing).collect();
    match args.format {
        CompareFormat::Text => print(&changes.text(args.verbose, style)),
        CompareFormat::Markdown => print(&changes.markdown()),
        CompareFormat::Junit => print(&changes.junit(cut.iter().chain(&missing).copied())),
        CompareFormat::Json => print_json(&format!("{}\n", changes.json())),
    }
    for note in old.notes.iter().chain(&new.notes) {
        warn(&format!("note: {note}\n"));
    }
    for sentence in cut.iter().chain(&missing) {
        warn(&format!("error: {sentence}\n"));
    }
    Ok(if !cut.is_empty() {
        Exit::CouldNotRun
    } else if !missing.is_empty() {
        Exit::Missing
    } else if changes.has_nothing_in_common() {
        Exit::NothingSelected
    } else if changes.is_failure() {
        Exit::Differ
    } else {
        Exit::Agree
    })
}

fn side<'a>(name: &'a str, run: &'a MergedRuns) -> RunSide<'a> {
    RunSide { name, runs: &run.runs, devices: &run.devices, checks: &run.records }
}

/// One side: the shards of a run, or runs of several devices.
fn read(files: &[PathBuf]) -> anyhow::Result<MergedRuns> {
    let parts = files.iter().map(|file| RecordedPart::read(file)).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(part) = parts.iter().find(|part| part.is_filtered()) {
        bail!("{} leaves out the checks that agreed (--records failures): a comparison needs all of them", part.name);
    }
    merge(parts)
}
