//! What the site's pages show: every built-in case, including those whose declarations must be refused; the worked
//! example of each rule set under it and its nearest neighbours; and the records of runs, of the program or of files.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use chrono::DateTime;
use layoutproof_built_in::{CASES, DEVICE_RUNS};
use layoutproof_core::check::Source;
use layoutproof_core::results::known;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_events::{RecordedSource, RunEnd};
use layoutproof_frontend::DeclareOptions;
use layoutproof_inputs::all_cases::Cases;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_layout::rules::HomeBuffer;
use layoutproof_layout::{LayoutOptions, RuleSet, Span, lay_out, table};
use layoutproof_records::merge::{MergedRuns, RecordedPart, merge};
use layoutproof_records::recorded;
use layoutproof_records::recorded::RecordedRuns;
use layoutproof_show::shown_columns::{BlockPresence, ColumnName, ShownColumn};
use layoutproof_show::{LaidOutBlock, RuleSetLayouts};
use layoutproof_site::{
    CaseFacts, ExplorerText, KeptRun, KnownList, RecordedFile, RuleSetFacts, ShownNeighbour, SiteRecords,
};
use layoutproof_source::sources::SourceMap;

/// The cases by id, each with its declarations from `read` and its layouts from `recorded`.
pub fn case_facts(read: &[Arc<Source>], recorded: Vec<RecordedSource>) -> anyhow::Result<Vec<CaseFacts>> {
    let all = Cases::load(&[])?;
    let mut sources = SourceMap::default();
    let mut diagnostics = Vec::new();
    let cases = all.read(&all.matching(&[]), &mut sources, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(RefusedInput { diagnostics, sources }.into());
    }

    let texts: HashMap<&str, &str> = CASES.iter().map(|case| (case.name, case.text)).collect();
    let mut layouts: HashMap<String, RecordedSource> =
        recorded.into_iter().map(|source| (source.case.clone(), source)).collect();
    let explored = |id: &str| read.iter().find(|source| source.id == id).and_then(|source| ExplorerText::of(source));
    let facts = cases.into_iter().map(|case| CaseFacts {
        text: texts.get(case.id.as_str()).copied().unwrap_or_default().to_owned(),
        source: layouts.remove(&case.id),
        explored: explored(&case.id),
        id: case.id,
        summary: case.summary,
        bugs: case.bugs,
    });
    Ok(facts.collect())
}

/// The facts of every rule set, in the order of the table.
pub fn rule_set_facts() -> anyhow::Result<Vec<RuleSetFacts>> {
    table().iter().map(facts).collect()
}

fn facts(rules: &'static RuleSet) -> anyhow::Result<RuleSetFacts> {
    let source = example(rules)?;
    let neighbours = RuleSetFacts::nearest(rules);
    let neighbour = |other: &'static RuleSet| ShownNeighbour { rules: other, example: column_of(&source, other) };
    Ok(RuleSetFacts {
        rules,
        example: column_of(&source, rules),
        neighbours: neighbours.into_iter().map(neighbour).collect(),
    })
}

/// Parses the example. If it declares no buffer, adds one that holds its struct.
fn example(rules: &RuleSet) -> anyhow::Result<Source> {
    let declaration = rules.example.declaration;
    let buffer = match (declaration.contains("cbuffer"), rules.home) {
        (true, _) => "",
        (false, HomeBuffer::Uniform) => "ConstantBuffer<T> t;",
        (false, HomeBuffer::Storage) => "StructuredBuffer<T> t;",
    };

    let mut sources = SourceMap::default();
    let text = format!("{declaration} {buffer}");
    let end = u32::try_from(text.len())?;
    let span = Span { file: sources.add(rules.name, text), start: 0, end };
    Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources)
        .map_err(|diagnostics| RefusedInput { diagnostics, sources }.into())
}

/// Lays out all blocks of a source under a rule set.
fn column_of(source: &Source, rules: &RuleSet) -> ShownColumn {
    let block = |layout| LaidOutBlock { layout, presence: BlockPresence::Present, declared: None };
    let blocks = source.module.blocks.iter().map(|it| lay_out(it, rules, source.options)).map(block);
    RuleSetLayouts {
        name: ColumnName::of_rules(rules.name),
        choice: None,
        version: None,
        read_by: None,
        blocks: blocks.collect(),
        targets: Vec::new(),
    }
    .column()
}

/// The kept runs, with the known differences of `lists`: a device is often seen before its faults are
/// understood.
///
/// # Errors
/// A file contradicts itself, or is not of one run.
pub fn kept_runs(lists: &[KnownList]) -> anyhow::Result<Vec<KeptRun>> {
    let known: Vec<KnownFailure> = lists.iter().flat_map(|list| list.entries.iter().cloned()).collect();
    let mut kept = Vec::new();
    for file in DEVICE_RUNS {
        let path = format!("ci/devices/{}.jsonl.zst", file.name);
        let RecordedRuns { runs, mut checks, end } = recorded::read(&path, file.bytes)?;
        let mut runs = runs.into_iter();
        let (Some(run), None) = (runs.next(), runs.next()) else { bail!("{path} is not of one run") };
        for check in &mut checks {
            known::explain(&known, check, &run.devices);
        }
        let end: RunEnd = end.with_context(|| format!("{path} is of a run that was cut short"))?;
        let (name, date) = file.name.rsplit_once('.').unwrap_or_default();
        ensure!(is_day(date), "{path}: the name lacks the day of the run, as in nvidia-h200.2026-11-26.jsonl.zst");
        kept.push(KeptRun { name: name.to_owned(), date: date.to_owned(), run, checks, end });
    }
    Ok(kept)
}

/// True for a day such as `2026-11-26`.
fn is_day(text: &str) -> bool {
    let is_dash = |at: usize| [4, 7].contains(&at);
    let is_right = |(at, byte): (usize, u8)| if is_dash(at) { byte == b'-' } else { byte.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

/// Merges the records of all files into one run.
///
/// # Errors
/// A file cannot be read, is not a records file, or contradicts itself or another one.
pub fn site_records(paths: &[PathBuf]) -> anyhow::Result<SiteRecords> {
    let mut parts = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let part = RecordedPart::read(path)?;
        files.push(RecordedFile { name: file_name(path), written: day_of_writing(path), runs: part.runs.clone() });
        parts.push(part);
    }

    let MergedRuns { devices, records, end, mut notes, missing, cut, .. } = merge(parts)?;
    notes.extend(missing.into_iter().chain(cut));
    Ok(SiteRecords { files, devices, checks: records, left_out: end.left_out, notes })
}

/// Omits the folder: the site must not reveal folders of this machine.
fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn day_of_writing(path: &Path) -> Option<String> {
    fs::metadata(path).and_then(|facts| facts.modified()).ok().and_then(day)
}

/// For example `2026-11-23`, in UTC; `None` for a time outside chrono's calendar.
fn day(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let stamp = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(stamp.date_naive().to_string())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use layoutproof_site::seen_on;

    use super::*;
    use crate::known_lists::known_lists;

    /// The expected numbers are those of the table, which the table's crate checks with its own
    /// parser of the examples.
    #[test]
    fn examples_are_laid_out_as_the_table_says() {
        for RuleSetFacts { rules, example, .. } in rule_set_facts().unwrap() {
            let [block] = &example.blocks[..] else { panic!("{} shows {} blocks", rules.name, example.blocks.len()) };
            let outermost = block.shown.members.iter().filter(|member| !member.path.contains(['.', '[']));
            let offsets: Vec<u32> = outermost.map(|member| member.offset).collect();
            assert_eq!(
                (&offsets[..], block.shown.size),
                (rules.example.offsets, Some(rules.example.size)),
                "{}",
                rules.name
            );
        }
    }

    const README: &str = include_str!("../../../README.md");

    #[test]
    fn the_readme_names_every_device() {
        let runs = kept_runs(&known_lists().unwrap()).unwrap();
        let [others @ .., last] = &seen_on(&runs)[..] else { panic!("no device") };
        let sentence = format!("Every case has been run on {} and {last};", others.join(", "));
        assert!(README.contains(&sentence), "README.md lacks `{sentence}`");
    }

    #[test]
    fn the_faults_of_a_device_are_known_today() {
        let runs = kept_runs(&known_lists().unwrap()).unwrap();
        let gpu = runs.iter().find(|run| run.name == "nvidia-h200").unwrap();
        let vulkan = &gpu.devices()[0];
        assert_eq!(vulkan.info.name, "NVIDIA H200");
        assert_eq!((vulkan.counts.differ, vulkan.counts.broken), (0, 0));
        assert!(vulkan.wrong.iter().any(|check| check.outcome.entry().is_some_and(|it| it.file.contains("nvidia"))));
    }

    // `date -u -d @1795392000 +%F`
    #[test]
    fn a_time_is_shown_as_its_day() {
        let at = |seconds| day(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0).as_deref(), Some("1970-01-01"));
        assert_eq!(at(1_795_392_000).as_deref(), Some("2026-11-23"));
        assert_eq!(at(u64::MAX / 4), None);
    }
}
