//! Floors: the least number of leaves that each device must answer for, so that missing proof is a failure.

use crate::diagnostics::{Code, Diagnostic};
use crate::record::{CheckRecord, Outcome, Proves};
use crate::sources::{FileId, SourceMap};
use crate::toml_table::{Problems, Table, parse};

/// One `[[floor]]` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floor {
    /// Device id.
    pub device: String,
    /// API.
    pub runner: String,
    /// Kind of proof.
    pub proves: Proves,
    /// Least number of leaves.
    pub leaves: u32,
}

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
    let mut text = |key| entry.required(key, problems).and_then(|value| crate::toml_table::string(value, problems));
    let [device, runner, proves] = ["device", "runner", "proves"].map(&mut text);
    let leaves = entry.required("leaves", problems).and_then(|value| crate::toml_table::number(value, problems));
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
    Some(Floor { device: device?, runner: runner?, proves: proves?, leaves: leaves? })
}

/// The floors that a run did not reach, each as a sentence.
pub fn missed(floors: &[Floor], checks: &[CheckRecord]) -> Vec<String> {
    let reached = |floor: &Floor| -> u32 {
        let counted = checks.iter().filter(|check| {
            check.device == floor.device
                && check.runner.as_str() == floor.runner
                && check.proves == floor.proves
                && matches!(check.outcome, Outcome::Agree | Outcome::Known)
        });
        counted.map(|check| check.leaves).sum()
    };
    let sentence = |floor: &Floor| {
        let found = reached(floor);
        (found < floor.leaves).then(|| {
            let Floor { device, runner, proves, leaves } = floor;
            let proves = proves.as_str();
            format!("{device} via {runner} answered for {found} leaves that prove `{proves}`, the floor is {leaves}")
        })
    };
    floors.iter().filter_map(sentence).collect()
}
