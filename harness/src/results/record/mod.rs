//! Records of a run: JSON lines for other programs, with everything that the reporters need.
//!
//! The format is schema 1 of the command-line contract.

mod check;
mod header;
mod outcome;
mod reason;
mod rerun;
mod row;
mod run_end;
mod saved;
mod saved_text;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use check::{BoundCount, CheckRecord, KnownEntry, RecordedShader, Story, StoryBlock};
pub use header::{RecordsFilter, RunHeader, ToolBuild};
pub use outcome::{Culprit, Outcome, OutcomeKind, Proves, SkipKind};
pub use reason::{Reason, ReasonKind, Reasons};
pub use rerun::{CommandOption, RerunCommand};
pub use row::{Access, RecordValue, Row, Witness, Witnesses};
pub use run_end::{
    CellRow, DeviceCells, LeftOutCases, LeftOutChecks, RecordedCacheUse, RecordedLayout, RecordedSource, RunEnd,
    SeenEntry,
};
pub use saved::{Contradiction, SavedLine};

/// Version of the record format.
pub const SCHEMA: u32 = 1;

/// The events of a run, in order. Each event is a line of a records file, so saved records can be
/// reported like the run itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Event<'a> {
    #[serde(rename = "run")]
    RunStarted(Cow<'a, RunHeader>),
    #[serde(rename = "check")]
    CheckFinished(Cow<'a, CheckRecord>),
    #[serde(rename = "end")]
    RunFinished(Cow<'a, RunEnd>),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn are_none(leaves: &u64) -> bool {
    *leaves == 0
}
