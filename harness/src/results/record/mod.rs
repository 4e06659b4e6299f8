//! Records of a run: JSON lines that other programs read, with everything that the reporters need.
//!
//! The shape is the command-line contract's, schema 1.

mod bound_count;
mod cache_use;
mod end;
mod header;
mod left_out;
mod recorded_shader;
mod row;
mod source;

use layoutproof_device::RunnerKind;
use serde::{Deserialize, Serialize};

pub use bound_count::BoundCount;
pub use cache_use::RecordedCacheUse;
pub use end::{Culprit, Outcome, Proves, SkipKind};
pub use header::{RecordsFilter, RunHeader};
pub use left_out::{CellRow, DeviceCells, LeftOutCases, LeftOutChecks};
pub use recorded_shader::RecordedShader;
pub use row::{RecordValue, Row};
pub use source::{RecordedLayout, RecordedSource};

/// Version of the record format.
pub const SCHEMA: u32 = 1;

/// What stands before the compiler's name at the start of [`CheckRecord::skip_reason`] where a compiler takes no such
/// declaration.
pub const REFUSED_BY: &str = "refused by ";

/// What stands before the thing that a device lacks, in reasons of [`CheckRecord::not_checked`].
pub const DEVICE_LACKS: &str = "device lacks ";

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

/// Case x rule set x producer x device x runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Case id, or file name for a user's file.
    pub case: String,
    /// Rule set.
    pub rules: String,
    /// Shader producer.
    pub producer: String,
    /// Device id; `none` for a check that no device takes part in.
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    /// What agreement proves.
    pub proves: Proves,
    /// How it ended.
    pub outcome: Outcome,
    /// The witness that contradicts the others.
    pub culprit: Option<Culprit>,
    /// What the validator said: `valid`, `not run: ...`, or its message.
    pub validation: String,
    /// Why it was skipped, or why it broke.
    pub skip_reason: Option<String>,
    /// What kind of skip it is, where that is more than that nothing answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_kind: Option<SkipKind>,
    /// What of a check that was carried out was left out, a reason each: blocks and leaves without a shader, forms of
    /// access that a compiler does not take, what the device lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
    /// What a debug layer, or the driver itself, said while the check ran, each sentence once. It judges nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub driver_messages: Vec<String>,
    /// The entry of a list of known differences that covers the check; for a known or stale one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownEntry>,
    /// True if the driver compiled the shaders with settings that make it fast, not with its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fast: bool,
    /// Entry points that ran without shared modules and with the driver's own settings, though the others of the check ran
    /// fast; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thorough: Vec<String>,
    /// True if a compilation or a validation that the check rests on came from the cache.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// How often the check was run again, because it failed, until it came to this; absent where once was enough.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retries: u32,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Leaves that a device answered for.
    pub leaves: u32,
    /// Leaves in elements of arrays that no shader reads or writes, because others were probed for them; absent where
    /// there are none.
    #[serde(default, skip_serializing_if = "are_none")]
    pub leaves_not_probed: u64,
    /// Bound resources that a device was asked for; absent from checks of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundCount>,
    /// What was measured.
    pub rows: Vec<Row>,
    /// Everything a reporter needs to show a failure; absent on agreement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}

impl CheckRecord {
    /// The name of the check as a trial: `folder::case::rules::producer::device::runner`.
    pub fn name(&self) -> String {
        let Self { rules, producer, device, .. } = self;
        let case = self.case.replace('/', "::");
        // In a check without a device nothing runs.
        let runner = if self.has_device() { self.runner.as_str() } else { NO_DEVICE };
        format!("{case}::{rules}::{producer}::{device}::{runner}")
    }

    /// Returns true if a device takes part in the check.
    pub fn has_device(&self) -> bool {
        self.device != NO_DEVICE
    }

    /// Returns true if the device could not do all of the check: what agrees then says nothing of the rest.
    pub fn lacks_a_part(&self) -> bool {
        self.not_checked.iter().any(|reason| reason.starts_with(DEVICE_LACKS))
    }

    /// Returns true if a file with this filter holds the check: what differs, known or not, what is broken, what this machine
    /// or a compiler could not answer, and what agreed only when it was run again.
    pub fn is_kept_by(&self, filter: RecordsFilter) -> bool {
        let is_plain = match self.outcome {
            Outcome::Agree => self.retries == 0,
            Outcome::Skipped => self.skip_kind == Some(SkipKind::NotApplicable),
            Outcome::Differ | Outcome::Known | Outcome::Stale | Outcome::Broken => false,
        };
        match filter {
            RecordsFilter::All => true,
            RecordsFilter::Failures => !is_plain,
        }
    }
}

/// The device name in the record of a check without a device.
pub const NO_DEVICE: &str = "none";

/// An entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownEntry {
    /// The list: `ci/known/lavapipe.toml`.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
    /// Why the difference is known.
    pub reason: String,
    /// Address of the report to its maker; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// True if the entry is about drivers that nobody has tried: nobody has looked at the difference, so it proves nothing.
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
    /// The authority in words.
    pub authority: String,
    /// The laid-out structs as rows with the witnesses' numbers are in `CheckRecord::rows`; these are the members as
    /// declared, per block: name, size, and the member rows.
    pub blocks: Vec<StoryBlock>,
    /// A rule set that explains all rows, where there is one.
    pub hint: Option<String>,
    /// The command that runs this check again.
    pub again: String,
    /// One sentence on the culprit.
    pub verdict: String,
    /// Shaders in which something differs; of a known difference the first alone. Absent from records of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shaders: Vec<RecordedShader>,
}

/// A block of a [`Story`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoryBlock {
    /// Name.
    pub name: String,
    /// Size in bytes as computed; `None` for unbounded.
    pub size: Option<u32>,
    /// Members as computed.
    pub members: Vec<layoutproof_layout::MemberRow>,
}

/// Totals of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// [`SCHEMA`].
    pub schema: u32,
    /// All checks that were done.
    pub checks: u32,
    /// Checks that were selected and not done, because the run was interrupted; absent from a run that came to its end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_done: u32,
    /// True if the rest was not done because the user wanted an end at the first failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fail_fast: bool,
    /// By outcome.
    pub agree: u32,
    /// By outcome.
    pub differ: u32,
    /// By outcome.
    pub known: u32,
    /// Those of the known whose driver nobody has tried; absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub untried: u32,
    /// By outcome.
    pub stale: u32,
    /// By outcome.
    pub skipped: u32,
    /// Those of the skipped that are not applicable; absent where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_applicable: u32,
    /// By outcome.
    pub broken: u32,
    /// Leaves that devices answered for.
    pub leaves: u32,
    /// Leaves in elements of arrays that no shader of the checks reads or writes; absent where there are none.
    #[serde(default, skip_serializing_if = "are_none")]
    pub leaves_not_probed: u64,
    /// Devices that answered, as `id via runner`.
    pub devices: Vec<String>,
    /// Leaves by kind of proof.
    pub proves: std::collections::BTreeMap<Proves, u32>,
    /// What Mesa's shader cache on the disk was to the run: `off`, `cold`, `warm` or `partly warm`; absent where no
    /// device is Mesa's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shader_cache: Option<String>,
    /// What the cache of compilers' answers was to the run; absent where it had none, or asked nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Box<RecordedCacheUse>>,
    /// Bound resources that were read back, by device, as `id via runner`.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub bound: std::collections::BTreeMap<String, u32>,
    /// A sentence for each API whose devices could not be listed, so that none of them took part; absent where all were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_listings: Vec<String>,
    /// In one shard of a run, what it has seen of the entries that only all shards together can call stale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<SeenEntry>,
    /// In a file of failures, totals of the checks that it leaves out. The numbers above count these, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutChecks>,
    /// In a file of failures, the cases of the checks that it leaves out.
    #[serde(default, skip_serializing_if = "LeftOutCases::is_empty")]
    pub left_out_cases: LeftOutCases,
    /// In a file of failures, what devices answered in all checks of the run that agree or are known, by coverage cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<DeviceCells>,
    /// What the checks are about, by case; of a file of failures, the cases of the checks that it has. Absent from records of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<RecordedSource>,
}

/// One shard's findings about an entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenEntry {
    /// The entry.
    pub entry: KnownEntry,
    /// Who made the shaders of these checks: a compiler, of which there may be several builds, or a producer of ours.
    #[serde(default)]
    pub compiler: String,
    /// True if a check of this shard differs as the entry says.
    pub differs: bool,
    /// Names of the checks that it is about and that agree; none where one differs.
    pub agreeing: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn are_none(leaves: &u64) -> bool {
    *leaves == 0
}
