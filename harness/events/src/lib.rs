//! What happens in a run, as values: checks by their ids, outcomes with reasons, rows with witnesses, totals.
//!
//! A run is a stream of [`Event`]s. Each is a line of a records file (schema 1, JSON lines for other programs) and
//! has everything that the reporters need. Nothing here reads a case, makes a shader or judges.
#![forbid(unsafe_code)]

pub mod account;
mod check;
pub mod check_id;
mod compare_by;
mod fault;
mod header;
pub mod left_out;
mod outcome;
pub mod producer;
mod reason;
mod rerun;
mod row;
mod run_end;
mod saved;
mod saved_text;
pub mod seen_cases;
pub mod shell;
pub mod summary;
mod validation;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use account::{Account, AccountEntry, AccountState, FoundKind, NotCompared};
pub use check::{BlockReading, BoundCount, CheckRecord, KnownEntry, RecordedShader, Story, StoryBlock};
pub use check_id::{CheckDevice, CheckId, CheckRules, ShaderMaker};
pub use fault::{ChangedAnswer, Fault, FaultCause, FaultCount, FaultKind, FaultPlace, SharedAnswer, add_count};
pub use header::{Host, RecordsFilter, RunHeader, ToolBuild, is_limit};
pub use outcome::{Culprit, Outcome, OutcomeKind, Proves, SkipKind};
pub use reason::{Reason, ReasonKind, Reasons};
pub use rerun::{CommandOption, RerunCommand};
pub use row::{Access, NOWHERE, RecordValue, Row, Witness, Witnesses};
pub use run_end::{
    CellRow, DeviceCells, LeftOutCases, LeftOutChecks, RecordedCacheUse, RecordedLayout, RecordedSource, RunEnd,
    SeenEntry, add_cells,
};
pub use saved::{Contradiction, SavedLine};
pub use validation::Validation;

pub const SCHEMA: u32 = 1;

/// The events of a run, in order. Each event is a line of a records file, so saved records can be
/// reported like the run itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[expect(clippy::large_enum_variant, reason = "a run ends once")]
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
