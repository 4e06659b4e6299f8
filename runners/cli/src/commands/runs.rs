//! `layoutproof runs DIR`: the history of the runs in a folder. See [`layoutproof_report::run_history`].

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use chrono::{DateTime, NaiveDate, Utc};
use clap::{Args, ValueEnum};
use layoutproof_core::results::quarantine::{self, QuarantineEntry};
use layoutproof_device::DeviceInfo;
use layoutproof_events::RunHeader;
use layoutproof_events::summary::Exit;
use layoutproof_records::merge::{RecordedPart, merge};
use layoutproof_records::output_files::{check_file, write_file};
use layoutproof_report::html::runs_page;
use layoutproof_report::run_history::{Finding, PastAnswer, RunHistory};
use layoutproof_show::{Style, counted};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde_json::json;

use super::compare::runs::{is_record_file, record_files};
use crate::output::{print, print_json, warn};
use crate::select::lists::lists;

/// `layoutproof runs`.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// A folder of records: files of `run --json`, or a folder for the parts of a run.
    ///
    /// Runs are in the order of their names, and 9 comes before 10.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Checks that may be wrong or flaky until a day.
    ///
    /// A TOML file with [[quarantine]] entries: `check`, a pattern for names of checks, `until` and `reason`. They are
    /// counted apart.
    #[arg(long, value_name = "FILE|DIR")]
    pub quarantine: Vec<PathBuf>,
    /// Show which machines answer alike: a column for each set of devices and drivers, a row for each set of checks.
    #[arg(long)]
    pub matrix: bool,
    /// Write a page for browsers, with the matrix.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print every check.
    #[arg(short, long)]
    pub verbose: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = RunsFormat::Text)]
    pub format: RunsFormat,
}

/// How the history is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunsFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For an issue or the summary of a job.
    Markdown,
    /// Annotations of GitHub Actions.
    Github,
}

/// What the history needs of a run.
struct ReadRun {
    headers: Vec<RunHeader>,
    devices: Vec<DeviceInfo>,
    answers: Vec<PastAnswer>,
    digest: u64,
    /// Why the run is not complete.
    gaps: Vec<String>,
}

/// Prints the history. The exit code is 1 if a check is wrong that was right, is wrong in another way or is flaky, and no
/// entry of a quarantine covers it; 2 if a run was left out or is not complete; 4 if there is nothing to tell.
///
/// # Errors
/// The folder or a quarantine cannot be read, or the folder has no records.
pub(crate) fn runs(args: &RunsArgs, style: Style) -> anyhow::Result<Exit> {
    args.html.as_deref().map_or(Ok(()), check_file)?;
    let quarantine = lists(&args.quarantine, quarantine::read)?;
    let names = run_names(&args.folder)?;
    let mut history = RunHistory::default();
    let mut digests: BTreeMap<u64, String> = BTreeMap::new();
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    // A few runs at a time, so that 200 of them do not fill the memory.
    for names in names.chunks(rayon::current_num_threads()) {
        let read: Vec<anyhow::Result<ReadRun>> = names.par_iter().map(|path| read(path)).collect();
        for (path, run) in names.iter().zip(read) {
            let name = path.strip_prefix(&args.folder).unwrap_or(path).display().to_string();
            match run {
                Err(error) => problems.push(format!("left out: {error:#}")),
                Ok(run) if digests.contains_key(&run.digest) => {
                    notes.push(format!("{name} is a copy of {} and not counted", digests[&run.digest]));
                }
                Ok(ReadRun { headers, devices, answers, digest, gaps }) => {
                    problems.extend(gaps);
                    history.add(&name, &headers, &devices, answers);
                    digests.insert(digest, name);
                }
            }
        }
    }

    let mut findings = history.findings();
    let quarantined = apart(&mut findings, &quarantine, today(), &mut notes);
    let taken = quarantined.iter().map(|(_, checks)| checks).sum();
    if let Some(path) = &args.html {
        write_file(path, &runs_page(&history, &findings, taken, &problems))?;
    }
    match args.format {
        RunsFormat::Markdown => print(&history.markdown(&findings, taken)),
        RunsFormat::Github => print(&history.annotations(&findings, taken)),
        RunsFormat::Text => {
            if args.matrix {
                print(&format!("{}\n", history.matrix().text()));
            }
            print(&history.text(&findings, taken, args.verbose, style));
            for (entry, checks) in &quarantined {
                let checks = counted(*checks as u64, "check");
                print(&format!("quarantined until {}: {checks}: {}\n", entry.until, entry.reason));
            }
        }
        RunsFormat::Json => {
            let mut json = history.json(&findings);
            let entries = quarantined.iter().map(|(entry, checks)| {
                let QuarantineEntry { until, reason, .. } = entry;
                json!({"check": entry.pattern(), "until": until.to_string(), "reason": reason, "checks": checks})
            });
            if args.matrix {
                json["matrix"] = history.matrix().json();
            }
            json["quarantined"] = entries.collect();
            json["notes"] = notes.clone().into();
            json["problems"] = problems.clone().into();
            print_json(&format!("{json}\n"));
        }
    }
    for sentence in &notes {
        warn(&format!("note: {sentence}\n"));
    }
    for sentence in &problems {
        warn(&format!("error: {sentence}\n"));
    }
    Ok(if !problems.is_empty() {
        Exit::CouldNotRun
    } else if !history.has_answers() {
        Exit::NothingSelected
    } else if findings.iter().any(Finding::is_failure) {
        Exit::Differ
    } else {
        Exit::Agree
    })
}

/// The runs of a folder in natural order: files of records, and folders that have some.
fn run_names(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || folder.display().to_string();
    let entries: Result<Vec<PathBuf>, _> =
        fs::read_dir(folder).with_context(context)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut runs = Vec::new();
    for path in entries.with_context(context)? {
        let has_parts = path.is_dir() && record_files(&path)?.is_some();
        if has_parts || is_record_file(&path) {
            runs.push(path);
        }
    }
    if runs.is_empty() {
        bail!("{} has no records of runs: files that `layoutproof run --json` wrote (.jsonl, .jsonl.zst)", context());
    }
    runs.sort_by_cached_key(|path| natural_key(&path.display().to_string()));
    Ok(runs)
}

/// A key that sorts `run-9` before `run-10`: for each number in the name its length, its digits, and the text after it.
fn natural_key(name: &str) -> Vec<(usize, String, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let letters = after.find(|letter: char| letter.is_ascii_digit()).unwrap_or(after.len());
        let (text, next) = after.split_at(letters);
        let number = number.trim_start_matches('0');
        parts.push((number.len(), number.to_owned(), text.to_owned()));
        rest = next;
    }
    parts
}

fn read(path: &Path) -> anyhow::Result<ReadRun> {
    let files = record_files(path)?.unwrap_or_default();
    let parts = files.iter().map(|file| RecordedPart::read(file)).collect::<anyhow::Result<Vec<_>>>()?;
    if parts.iter().any(RecordedPart::is_filtered) {
        bail!("the records leave out the checks that agreed (--records failures)");
    }
    let merged = merge(parts)?;
    let mut hasher = DefaultHasher::new();
    for file in &files {
        fs::read(file)?.hash(&mut hasher);
    }
    let answers = merged.records.iter().map(PastAnswer::of).collect();
    let gaps = merged.cut.into_iter().chain(merged.missing).collect();
    Ok(ReadRun { headers: merged.runs, devices: merged.devices, answers, digest: hasher.finish(), gaps })
}

fn today() -> NaiveDate {
    DateTime::<Utc>::from(SystemTime::now()).date_naive()
}

/// Takes the failures that entries cover out of the findings, and returns the entries with their number of checks. Adds notes
/// about entries that no longer hold or are no longer needed.
fn apart<'a>(
    findings: &mut Vec<Finding>,
    quarantine: &'a [QuarantineEntry],
    today: NaiveDate,
    notes: &mut Vec<String>,
) -> Vec<(&'a QuarantineEntry, usize)> {
    let mut quarantined = Vec::new();
    for entry in quarantine {
        if entry.until < today {
            notes.push(format!("the quarantine of {} ended on {}", entry.pattern(), entry.until));
            continue;
        }
        let failures = findings.iter_mut().filter(|finding| finding.is_failure());
        let taken = failures.filter_map(|finding| finding.split_off(|check| entry.matches(check)));
        let checks: usize = taken.map(|finding| finding.check_count()).sum();
        if checks > 0 {
            quarantined.push((entry, checks));
        } else {
            notes.push(format!("the quarantine of {} is no longer needed", entry.pattern()));
        }
    }
    findings.retain(|finding| !finding.is_empty());
    quarantined
}
