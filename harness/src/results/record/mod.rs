//! Records of a run: JSON lines for other programs, with everything that the reporters need.
//!
//! The format is schema 1 of the command-line contract.

mod bound_count;
mod cache_use;
mod end;
mod header;
mod left_out;
mod reason;
mod recorded_shader;
mod row;
mod saved;
mod saved_text;
mod source;

use serde::{Deserialize, Serialize};

use crate::check::check_id::CheckId;
use crate::check::verdict::Validation;

pub use bound_count::BoundCount;
pub use cache_use::RecordedCacheUse;
pub use end::{Culprit, Outcome, OutcomeKind, Proves, SkipKind};
pub use header::{RecordsFilter, RunHeader};
pub use left_out::{CellRow, DeviceCells, LeftOutCases, LeftOutChecks};
pub use reason::{Reason, ReasonKind, Reasons, kind_of_text};
pub use recorded_shader::RecordedShader;
pub use row::{Access, RecordValue, Row, Witness, Witnesses};
pub use saved::{Contradiction, SavedLine};
pub use source::{RecordedLayout, RecordedSource};

/// Version of the record format.
pub const SCHEMA: u32 = 1;

/// One line of a records file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum RecordLine {
    /// First line.
    Run(RunHeader),
    /// One per check.
    Check(Box<CheckRecord>),
    /// Last line.
    End(RunEnd),
}

/// The result of a check. [`saved`] has its form in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRecord {
    pub id: CheckId,
    pub proves: Proves,
    pub outcome: Outcome,
    /// The validator's result.
    pub validation: Validation,
    /// Reasons why parts of a completed check were left out: blocks and leaves without a shader,
    /// forms of access that a compiler does not accept, missing device features.
    pub not_checked: Vec<Reason>,
    /// Messages of a debug layer or driver during the check, without duplicates. They do not affect
    /// the outcome.
    pub driver_messages: Vec<String>,
    /// True if the driver compiled the shaders with settings for speed instead of its defaults.
    pub fast: bool,
    /// Entry points that ran without shared modules and with the driver's default settings,
    /// although the others of the check ran fast.
    pub thorough: Vec<String>,
    /// True if a compilation or validation for the check came from the cache.
    pub cached: bool,
    /// Number of reruns after failures.
    pub retries: u32,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Leaves with a result from a device.
    pub leaves: u32,
    /// Leaves in array elements that no shader reads or writes, because other elements were probed
    /// instead.
    pub leaves_not_probed: u64,
    /// Bound resources that a device was to read back; `None` for checks of bytes.
    pub bound: Option<BoundCount>,
    /// The measured quantities.
    pub rows: Vec<Row>,
}

impl CheckRecord {
    /// A check without rows, of which nothing else is known.
    pub fn new(id: CheckId, proves: Proves, validation: Validation, outcome: Outcome) -> Self {
        Self {
            id,
            proves,
            outcome,
            validation,
            not_checked: Vec::new(),
            driver_messages: Vec::new(),
            fast: false,
            thorough: Vec::new(),
            cached: false,
            retries: 0,
            ms: 0,
            leaves: 0,
            leaves_not_probed: 0,
            bound: None,
            rows: Vec::new(),
        }
    }

    /// Turns a failure into the known one that an entry describes.
    pub fn excuse(&mut self, entry: KnownEntry) {
        let failure = std::mem::replace(&mut self.outcome, Outcome::Agrees);
        self.outcome = failure.explained_by(entry);
    }

    /// True if the device could not do all of the check. Agreement then does not cover the rest.
    pub fn lacks_a_part(&self) -> bool {
        self.not_checked.iter().any(|reason| matches!(reason, Reason::DeviceLacks(_)))
    }

    /// True if a file with this filter holds the check: one that differs (known or not), is broken,
    /// got no result from this machine or a compiler, or agreed only when it was rerun.
    pub fn is_kept_by(&self, filter: RecordsFilter) -> bool {
        let is_plain = match &self.outcome {
            Outcome::Agrees => self.retries == 0,
            Outcome::Skipped { kind, .. } => *kind == Some(SkipKind::NotApplicable),
            Outcome::Differs { .. } | Outcome::Known { .. } | Outcome::Stale(_) | Outcome::Broken { .. } => false,
        };
        match filter {
            RecordsFilter::All => true,
            RecordsFilter::Failures => !is_plain,
        }
    }
}

/// An entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownEntry {
    /// The list: `ci/known/lavapipe.toml`.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
    /// Why the difference is known.
    pub reason: String,
    /// Address of the report to the developers; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// True if the entry is for untested drivers. The difference is then not analysed, so it proves
    /// nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untried: bool,
}

/// The text parts of a failure block, so that reporters never call the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// The case's summary.
    pub summary: String,
    /// `cases/a/b.toml:9`.
    pub place: String,
    /// The authority as a phrase.
    pub authority: String,
    /// The declared members per block. The witnesses' numbers are in `CheckRecord::rows`.
    pub blocks: Vec<StoryBlock>,
    /// A rule set that explains all rows, if there is one.
    pub hint: Option<String>,
    /// The command that runs this check again.
    pub again: String,
    /// One sentence about the culprit.
    pub verdict: String,
    /// Shaders in which something differs; for a known difference only the first. Absent from
    /// records of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shaders: Vec<RecordedShader>,
}

/// A block of a [`Story`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryBlock {
    pub name: String,
    /// Computed size in bytes; `None` for unbounded.
    pub size: Option<u32>,
    /// The computed members.
    pub members: Vec<layoutproof_layout::MemberRow>,
}

/// Totals of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Number of completed checks.
    pub checks: u32,
    /// Number of selected checks that an interrupted run did not do; absent if the run finished.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_done: u32,
    /// True if the run stopped early because of `--fail-fast`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fail_fast: bool,
    pub agree: u32,
    pub differ: u32,
    pub known: u32,
    /// Number of known differences on untested drivers; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub untried: u32,
    pub stale: u32,
    pub skipped: u32,
    /// Number of skipped checks that are not applicable; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_applicable: u32,
    pub broken: u32,
    /// Leaves with a result from a device.
    pub leaves: u32,
    /// Leaves in array elements that no shader of the checks reads or writes; absent if there are
    /// none.
    #[serde(default, skip_serializing_if = "are_none")]
    pub leaves_not_probed: u64,
    /// Devices that returned results, as `id via runner`.
    pub devices: Vec<String>,
    /// Leaves by kind of proof.
    pub proves: std::collections::BTreeMap<Proves, u32>,
    /// The state of Mesa's shader cache on disk: `off`, `cold`, `warm` or `partly warm`; absent
    /// without a Mesa device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader_cache: Option<String>,
    /// Use of the compiler cache; absent if the run had none or needed no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Box<RecordedCacheUse>>,
    /// Bound resources that were read back, by device, as `id via runner`.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub bound: std::collections::BTreeMap<String, u32>,
    /// A sentence for each API whose devices could not be listed, so that none took part; absent if
    /// all APIs worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_listings: Vec<String>,
    /// In one shard of a run, its findings about the entries that only all shards together can
    /// declare stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<SeenEntry>,
    /// In a file of failures, totals of the checks that it leaves out. The numbers above count
    /// these, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutChecks>,
    /// In a file of failures, the cases of the checks that it leaves out.
    #[serde(default, skip_serializing_if = "LeftOutCases::is_empty")]
    pub left_out_cases: LeftOutCases,
    /// In a file of failures, results of devices in all checks of the run that agree or are known,
    /// by coverage cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<DeviceCells>,
    /// The declarations of the checks, by case. A file of failures has only the cases of its
    /// checks. Absent from records of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<RecordedSource>,
}

/// One shard's findings about an entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenEntry {
    pub entry: KnownEntry,
    /// The maker of the shaders in these checks: a compiler, of which there may be several builds,
    /// or our own producer.
    #[serde(default)]
    pub compiler: String,
    /// True if a check of this shard differs as the entry states.
    pub differs: bool,
    /// The checks that the entry covers and that agree; empty if one differs.
    pub agreeing: Vec<CheckId>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn are_none(leaves: &u64) -> bool {
    *leaves == 0
}
