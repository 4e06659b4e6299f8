//! Floors: the least number of leaves that each device must answer for, so that missing proof is a failure.
//!
//! A floor without cell keys counts the leaves of a device's checks. One with keys counts leaves in coverage cells, once
//! per access: every combination of the values that it lists must reach the number, and what it does not list is summed.

use std::collections::BTreeMap;

use wildmatch::WildMatch;

use crate::coverage::{Cell, Cells, Kinds, answered, word};
use crate::diagnostics::{Code, Diagnostic};
use crate::record::{CheckRecord, Outcome, Proves};
use crate::sources::{FileId, SourceMap};
use crate::toml_table::{Problems, Table, parse};

/// One `[[floor]]` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Device ids, each of which must reach the floor.
    pub devices: Vec<String>,
    /// API.
    pub runner: String,
    /// Kind of proof.
    pub proves: Proves,
    /// Values by cell key, in the order of [`CELL_KEYS`]; empty for keys that are summed over.
    pub cells: [Vec<String>; CELL_KEYS.len()],
    /// Least number of leaves.
    pub leaves: u32,
}

/// The keys of a coverage cell; `type` takes patterns with `*` and `?`.
pub const CELL_KEYS: [&str; 6] = ["rules", "space", "direction", "form", "type", "after"];

/// Reads a floors file.
///
/// # Errors
/// Every problem of the file.
pub fn read(file: FileId, sources: &SourceMap) -> Result<Vec<Floor>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut problems = Problems::new(file, Code::BadCase, &mut found);
    let root = parse(sources, &mut problems);
    let mut table = Table::new(&root);
    let entries = table.tables("floor", &mut problems);
    let floors: Vec<Floor> = entries.into_iter().filter_map(|entry| floor(entry, &mut problems)).collect();
    table.finish(&mut problems);
    if found.is_empty() { Ok(floors) } else { Err(found) }
}

fn floor(mut entry: Table<'_, '_>, problems: &mut Problems<'_>) -> Option<Floor> {
    let devices = entry.strings("device", problems);
    if devices.is_empty() {
        problems.report(entry.range(), "`device` names one device or several");
    }
    let mut text = |key| entry.required(key, problems).and_then(|value| crate::toml_table::string(value, problems));
    let [runner, proves] = ["runner", "proves"].map(&mut text);
    let leaves = entry.required("leaves", problems).and_then(|value| crate::toml_table::number(value, problems));
    let cells = CELL_KEYS.map(|key| entry.strings(key, problems));
    let proves = match proves.as_deref() {
        Some("decorations") => Some(Proves::Decorations),
        Some("compiler") => Some(Proves::Compiler),
        Some("native") => Some(Proves::Native),
        Some(_) => {
            problems.report(entry.range(), "`proves` is \"decorations\", \"compiler\" or \"native\"");
            None
        }
        None => None,
    };
    entry.finish(problems);
    Some(Floor { devices, runner: runner?, proves: proves?, cells, leaves: leaves? })
}

/// The floors that a run did not reach, each as a sentence. `kinds` are those of each case under each rule set.
pub fn missed(floors: &[Floor], checks: &[CheckRecord], kinds: &BTreeMap<(String, String), Kinds>) -> Vec<String> {
    let none = Kinds::new();
    let mut cells: BTreeMap<(&str, &str), Cells> = BTreeMap::new();
    for check in checks {
        let of_device = cells.entry((check.device.as_str(), check.runner.as_str())).or_default();
        answered(check, kinds.get(&(check.case.clone(), check.rules.clone())).unwrap_or(&none), of_device);
    }
    let empty = Cells::new();
    let judge = |floor: &Floor, device: &str| -> Vec<String> {
        if floor.cells.iter().all(Vec::is_empty) {
            return floor.missed_by("", device, leaves_of_checks(floor, device, checks)).into_iter().collect();
        }
        let cells = cells.get(&(device, floor.runner.as_str())).unwrap_or(&empty);
        let combinations = combinations(&floor.cells).into_iter();
        combinations
            .filter_map(|wanted| floor.missed_by(&wanted.words(), device, wanted.leaves(floor, cells)))
            .collect()
    };
    floors.iter().flat_map(|floor| floor.devices.iter().flat_map(|device| judge(floor, device))).collect()
}

fn leaves_of_checks(floor: &Floor, device: &str, checks: &[CheckRecord]) -> u32 {
    let counted = checks.iter().filter(|check| {
        check.device == device
            && check.runner.as_str() == floor.runner
            && check.proves == floor.proves
            && matches!(check.outcome, Outcome::Agree | Outcome::Known)
    });
    counted.map(|check| check.leaves).sum()
}

impl Floor {
    fn missed_by(&self, cell: &str, device: &str, found: u32) -> Option<String> {
        let Self { runner, proves, leaves, .. } = self;
        let proof = word(proves);
        (found < *leaves).then(|| {
            format!("{device} via {runner} answered for {found} leaves of proof `{proof}`{cell}, the floor is {leaves}")
        })
    }
}

/// One value or none for each of [`CELL_KEYS`].
#[derive(Clone, Debug)]
struct Combination<'a>([Option<&'a str>; CELL_KEYS.len()]);

/// Every combination of the listed values.
fn combinations(lists: &[Vec<String>; CELL_KEYS.len()]) -> Vec<Combination<'_>> {
    let mut all = vec![Combination([None; CELL_KEYS.len()])];
    for (key, values) in lists.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
        let extended = all.iter().flat_map(|one| {
            values.iter().map(move |value| {
                let mut one = one.clone();
                one.0[key] = Some(value);
                one
            })
        });
        all = extended.collect();
    }
    all
}

impl Combination<'_> {
    fn words(&self) -> String {
        let named = CELL_KEYS.iter().zip(self.0).filter_map(|(key, value)| Some(format!(" {key} `{}`", value?)));
        format!(" in{}", named.collect::<Vec<_>>().join(","))
    }

    fn leaves(&self, floor: &Floor, cells: &Cells) -> u32 {
        let [rules, space, direction, form, ty, after] = self.0;
        let ty = ty.map(WildMatch::new);
        let matches = |cell: &Cell| {
            cell.proves == floor.proves
                && rules.is_none_or(|rules| rules == cell.rules)
                && space.is_none_or(|space| space == word(&cell.space))
                && direction.is_none_or(|direction| direction == word(&cell.direction))
                && form.is_none_or(|form| form == word(&cell.form))
                && ty.as_ref().is_none_or(|ty| ty.matches(&cell.ty))
                && after.is_none_or(|after| after == cell.after.as_str())
        };
        cells.iter().filter(|(cell, _)| matches(cell)).map(|(_, leaves)| *leaves).sum()
    }
}
