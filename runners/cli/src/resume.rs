//! `layoutproof run --resume`: the records of a run that was cut short in, the checks that are done out.

use std::path::Path;

use anyhow::{Context, bail};
use layoutproof::record::{CheckRecord, RunHeader};
use layoutproof::report::json_lines;

use crate::files::{self, FileKind};
use crate::ledger::before_the_end;

/// The records in `path`, which must be of the run that `header` begins; the last line may be torn.
///
/// # Errors
/// What cannot be read, and all that keeps the two from being one run.
pub(crate) fn read(path: &Path, header: &RunHeader) -> anyhow::Result<Vec<CheckRecord>> {
    let place = path.display();
    let bytes = files::read(path, FileKind::Records)?;
    // What is torn may end within a letter.
    let (records, _) = json_lines::read_torn(&String::from_utf8_lossy(&bytes)).with_context(|| format!("{place}"))?;
    let [earlier] = &records.runs[..] else {
        bail!("{place} has {} first lines: only the records of one run can be gone on with", records.runs.len());
    };
    let differences = header.differences(earlier);
    if !differences.is_empty() {
        bail!("{place} is of another run and cannot be gone on with\n  {}", differences.join("\n  "));
    }
    Ok(records.checks.into_iter().map(before_the_end).collect())
}
