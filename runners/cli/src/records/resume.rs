//! `layoutproof run --resume`: the records of a run that was cut short in, the checks that are done out.

use anyhow::bail;
use layoutproof_core::results::record::{CheckRecord, RunHeader};

use crate::records::ledger::before_the_end;
use crate::records::recorded::{self, Recorded};

/// The records in the bytes of a file, which must be of the run that `header` begins; the last line may be torn.
///
/// # Errors
/// What is no record or contradicts itself, and all that keeps the two from being one run.
pub(crate) fn read(place: &str, bytes: &[u8], header: &RunHeader) -> anyhow::Result<Vec<CheckRecord>> {
    let Recorded { runs, checks, .. } = recorded::read(place, bytes)?;
    let [earlier] = &runs[..] else {
        bail!("{place} has {} first lines: only the records of one run can be gone on with", runs.len());
    };
    let differences = header.differences(earlier);
    if !differences.is_empty() {
        bail!("{place} is of another run and cannot be gone on with\n  {}", differences.join("\n  "));
    }
    Ok(checks.into_iter().map(before_the_end).collect())
}
