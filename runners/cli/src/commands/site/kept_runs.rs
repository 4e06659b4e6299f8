//! Reads the results of devices that the program contains.

use anyhow::Context;
use layoutproof_built_in::DEVICE_RUNS;
use layoutproof_core::results::known;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_core::results::record::RunEnd;
use layoutproof_site::{KeptRun, KnownList};

use crate::records::recorded::{self, RecordedRuns};

/// The kept runs, with the known differences of `lists`: a device is often seen before its faults are
/// understood.
///
/// # Errors
/// A file contradicts itself, or is not of one run.
pub(crate) fn kept_runs(lists: &[KnownList]) -> anyhow::Result<Vec<KeptRun>> {
    let known: Vec<KnownFailure> = lists.iter().flat_map(|list| list.entries.iter().cloned()).collect();
    let mut kept = Vec::new();
    for file in DEVICE_RUNS {
        let path = format!("ci/devices/{}.jsonl.zst", file.name);
        let RecordedRuns { runs, mut checks, end } = recorded::read(&path, file.bytes)?;
        let run = runs.into_iter().next().with_context(|| format!("{path} has no first line"))?;
        for check in &mut checks {
            known::explain(&known, check, &run.devices);
        }
        let end: RunEnd = end.with_context(|| format!("{path} is of a run that was cut short"))?;
        kept.push(KeptRun { name: file.name.to_owned(), run, checks, end });
    }
    Ok(kept)
}
