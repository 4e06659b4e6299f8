//! Finds the floors that the records of a run, or of all its shards, do not reach.
//!
//! Records do not contain the type of a leaf and its predecessor, so their subjects are laid out
//! again.

use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_core::check::Subject;
use layoutproof_core::results::coverage::{AnsweredLeaves, subject_kinds};
use layoutproof_core::results::floors::{self, Floor, FloorAnswers};
use layoutproof_events::producer::Producer;
use layoutproof_events::{CheckRecord, DeviceCells, RecordsFilter, RunEnd, RunHeader};
use layoutproof_readers::toolchain::Toolchain;

use crate::args::RecordedArgs;
use crate::output::warn;
use crate::records::recorded_selection::RecordedSelection;
use crate::select::lists::{known_of_run, text_of};
use crate::select::selection::select;

/// A counter of the answers about these subjects.
pub(crate) fn leaves_of(subjects: &[Arc<Subject>]) -> AnsweredLeaves {
    let kinds = subjects.iter().map(|subject| {
        let check = (subject.source.id.clone(), subject.rules.to_owned());
        (check, subject_kinds(subject))
    });
    AnsweredLeaves::new(kinds.collect())
}

/// A message for each floor that the records do not reach. `cells` count the leaves of all their checks.
pub(crate) fn missed(floors: &[Floor], cells: &[DeviceCells], records: &[CheckRecord], end: &RunEnd) -> Vec<String> {
    let missed = floors::missed(floors, FloorAnswers { checks: records, left_out: &end.left_out, cells });
    missed.into_iter().map(|floor| format!("floor not met: {floor}")).collect()
}

/// A message for each floor that the records of these runs do not reach. Reads the runs' cases and
/// files again, unless the records contain the coverage themselves.
pub(crate) fn missed_by_runs(
    floors: &[Floor],
    runs: &[RunHeader],
    typed: &RecordedArgs,
    records: &[CheckRecord],
    end: &RunEnd,
) -> anyhow::Result<Vec<String>> {
    if !floors.is_empty() && runs.iter().any(|run| run.records == RecordsFilter::Devices) {
        bail!("floors need the records of all checks or of failures, not the results of devices alone");
    }
    let has_cells = floors.iter().any(Floor::counts_by_cell);
    if !has_cells || !end.cells.is_empty() {
        return Ok(missed(floors, &end.cells, records, end));
    }
    if runs.iter().any(|run| run.records == RecordsFilter::Outcomes) && records.iter().any(|record| record.leaves > 0) {
        bail!(
            "floors by type of leaf need the numbers, and these records leave them out: name complete records of \
             separate parts, or run with --records full"
        );
    }
    let mut leaves = leaves_of(&subjects(runs, typed, records)?);
    for record in records {
        leaves.add(record);
    }
    Ok(missed(floors, &leaves.by_device(), records, end))
}

/// Selects the subjects of the runs again.
fn subjects(runs: &[RunHeader], typed: &RecordedArgs, records: &[CheckRecord]) -> anyhow::Result<Vec<Arc<Subject>>> {
    // Include the rule sets that only compilers use.
    let of_compiler = |record: &CheckRecord| match record.id.producer.producer()? {
        Producer::Generator(_) => None,
        Producer::Compiler(toolchain) => Some(toolchain),
    };
    let mut toolchains: Vec<&'static Toolchain> = Vec::new();
    for toolchain in records.iter().filter_map(of_compiler) {
        if !toolchains.contains(&toolchain) {
            toolchains.push(toolchain);
        }
    }

    let mut found = Vec::new();
    for run in runs {
        let selected = RecordedSelection::of(&run.arguments)?.with_files_here();
        if let Some(note) = selected.note("the records") {
            warn(&format!("note: {note}\n"));
        }
        let args = typed.complete(selected.run_args([]).context("floors by type of leaf")?)?;
        let selection = select(&args, &toolchains)?;
        let known = known_of_run(&args)?;
        if selection.hash(&text_of(&known)) != run.inputs {
            bail!("floors count leaves by type, but the cases, files or lists here differ from the recorded ones");
        }
        found.extend(selection.subjects);
    }
    Ok(found)
}
