//! Reads a list of known differences.

use std::ops::Range;

use layoutproof_layout::{FileId, find};
use wildmatch::WildMatch;

use super::compiler_versions::CompilerVersions;
use super::drivers::Drivers;
use super::entry::{CasePattern, KnownFailure, RulesPattern, RunScope};
use super::instead::Instead;
use super::named_builds::NamedBuilds;
use super::shape_entry::ShapeEntry;
use crate::check::struct_packing::STRUCT_PACKING;
use crate::toml_table::{FileProblems, TomlTable, parse, string};
use layoutproof_probes::AddressSpace;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

#[derive(Clone, Debug)]
pub struct KnownFile {
    /// Display name of the compiler or driver.
    pub title: Option<String>,
    /// The compiler's name in cases; `None` for a driver, and for compilers without options.
    pub compiler: Option<String>,
    /// One for each case that an entry names.
    pub entries: Vec<KnownFailure>,
}

/// Reads the entries of a list of known differences.
pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<KnownFailure>, Vec<Diagnostic>> {
    read_file(file, sources).map(|known| known.entries)
}

pub fn read_file(file: FileId, sources: &SourceMap) -> Result<KnownFile, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = FileProblems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = TomlTable::new(&root);
    let [title, compiler] = ["title", "compiler"].map(|key| table.string(key, &mut problems));
    let states_numbers = table.boolean("states_numbers", &mut problems).unwrap_or(false);
    let entries = table.tables("known", &mut problems);
    let mut entries: Vec<KnownFailure> =
        entries.into_iter().flat_map(|entry| entries_of(entry, sources, &mut problems)).collect();
    if states_numbers {
        for entry in entries.iter_mut().filter(|entry| entry.excuses_numbers()) {
            entry.instead.get_or_insert_default();
        }
    }
    table.finish(&mut problems);
    if found.is_empty() { Ok(KnownFile { title, compiler, entries }) } else { Err(found) }
}

/// One entry for each case that a table names, so that each of them can be stale.
fn entries_of(mut entry: TomlTable<'_, '_>, sources: &SourceMap, problems: &mut FileProblems<'_>) -> Vec<KnownFailure> {
    let cases = cases(&mut entry, problems);
    let producers = entry.strings("producer", problems);
    let [rules, version, device, runner, driver, says, validation] =
        ["rules", "version", "device", "runner", "driver", "says", "validation"].map(|key| entry.string(key, problems));
    let space = space(&mut entry, problems);

    let patterns = [&rules, &device, &runner, &driver, &says, &validation].into_iter().flatten();
    let is_narrowed = patterns.chain(&producers).any(|pattern| narrows(pattern)) || entry.value("shape").is_some();
    if !is_narrowed && cases.iter().any(|(_, case)| !narrows(case)) {
        let message = "the entry is about every check: `case`, `rules`, `producer`, `device`, `runner`, `driver`, `says`, \
                       `validation` or `shape` says which it is about";
        problems.report(entry.range(), message);
    }

    if says.as_ref().is_some_and(|says| !says.chars().any(char::is_alphanumeric)) {
        problems.report(entry.range(), "`says` needs a word of the message of the checks that broke");
    }

    let driver: Option<Drivers> =
        driver.and_then(|text| text.parse().map_err(|error| problems.report(entry.range(), format!("{error}"))).ok());

    let versions: Option<CompilerVersions> = version.and_then(|text| {
        CompilerVersions::read(&text).map_err(|error| problems.report(entry.range(), format!("{error}"))).ok()
    });
    if versions.is_some() && producers.is_empty() {
        problems.report(entry.range(), "`version` needs `producer`: the compilers with these versions");
    }

    let untried = entry.boolean("untried", problems).unwrap_or(false);
    if untried && driver.is_none() && versions.is_none() {
        problems.report(entry.range(), "`untried` needs `driver` or `version`: the untested versions");
    }

    let culprit = entry.string("culprit", problems);
    let numbers_of = rule_sets(&mut entry, problems);
    let instead = Instead::read(&mut entry, problems);
    let shape = ShapeEntry::read(&mut entry, says.is_some(), problems);
    let reason = entry.required("reason", problems).and_then(|value| {
        let reason = string(value, problems)?;
        if reason.trim().is_empty() {
            problems.report(value.span(), "`reason` says why the checks may differ; it is blank");
        }
        Some(reason)
    });

    let [bug, title, seen, gone, workaround, link, searched] =
        ["bug", "title", "seen", "gone", "workaround", "link", "searched"].map(|key| entry.string(key, problems));
    if gone.is_some() && seen.is_none() {
        problems.report(entry.range(), "`gone` needs `seen`: the newest build that was seen to differ");
    }

    let file = sources.file(problems.span(entry.range()).file).name.clone();
    entry.finish(problems);
    let reason = reason.unwrap_or_default();
    let pattern_or_all = |pattern: Option<String>| WildMatch::new(pattern.as_deref().unwrap_or("*"));

    let whole = KnownFailure {
        case: CasePattern::of("*"),
        rules: rules.as_deref().map(RulesPattern::of),
        producers: producers.iter().map(|pattern| WildMatch::new(pattern)).collect(),
        versions,
        device: pattern_or_all(device),
        runner: pattern_or_all(runner),
        driver,
        culprit,
        says: says.map(|says| WildMatch::new(&says)),
        validation: validation.map(|validation| WildMatch::new(&validation)),
        space,
        instead,
        numbers_of,
        untried,
        shape,
        bug,
        reason,
        title,
        seen: seen.as_deref().map(NamedBuilds::of),
        gone: gone.as_deref().map(NamedBuilds::of),
        workaround,
        link,
        searched,
        file,
        line: 0,
        // It is not a failure if untested drivers and compilers agree.
        scope: if untried { RunScope::Narrowed } else { RunScope::Whole },
    };

    let of_case = |(place, case): (Range<usize>, String)| {
        let start = sources.position(problems.span(place));
        KnownFailure { case: CasePattern::of(&case), line: start.line, ..whole.clone() }
    };
    cases.into_iter().map(of_case).collect()
}

/// The rule sets of `numbers_of`.
fn rule_sets(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for name in entry.strings("numbers_of", problems) {
        match find(&name).map(|rules| rules.name).or((name == STRUCT_PACKING).then_some(STRUCT_PACKING)) {
            Some(name) => found.push(name),
            None => problems.report(entry.range(), format!("`{name}` is not a rule set")),
        }
    }
    found
}

fn space(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Option<AddressSpace> {
    let value = entry.value("space")?;
    let name = string(value, problems)?;
    let space = AddressSpace::ALL.into_iter().find(|space| space.as_str() == name);
    if space.is_none() {
        let names = AddressSpace::ALL.map(AddressSpace::as_str).join(", ");
        problems.report(value.span(), format!("`{name}` is not an address space; the address spaces are {names}"));
    }
    space
}

/// True if a pattern does not match everything.
fn narrows(pattern: &str) -> bool {
    pattern.chars().any(|c| c != '*')
}

/// The patterns of cases with their places. If the table names one case or none, the place is the
/// whole table.
fn cases(entry: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Vec<(Range<usize>, String)> {
    let whole = entry.range();
    let all = |case: Option<String>| vec![(whole.clone(), case.unwrap_or_else(|| "*".to_owned()))];
    let Some(value) = entry.value("case") else { return all(None) };
    let Some(array) = value.get_ref().as_array() else { return all(string(value, problems)) };
    if array.is_empty() {
        problems.report(value.span(), "`case` is an empty list; name a case or leave `case` out");
    }
    array.iter().filter_map(|item| Some((item.span(), string(item, problems)?))).collect()
}
