//! The last line of a records file: the totals of a run, its declarations, and the checks that a
//! filtered file leaves out.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::RunnerKind;
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::check::{BoundCount, KnownEntry, StoryBlock};
use crate::check_id::{CheckDevice, CheckId, CheckRules, ShaderMaker};
use crate::fault::{FaultCount, FaultKind};
use crate::outcome::{OutcomeKind, Proves, SkipKind};
use crate::reason::ReasonKind;
use crate::saved::device_keys;
use crate::{are_none, is_zero};
use layoutproof_probes::leaf_kind::After;
use layoutproof_source::sources::LinePlace;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// [`crate::SCHEMA`].
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
    /// Number of known differences on untested drivers and of untested compilers; absent if there are
    /// none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub untried: u32,
    pub stale: u32,
    pub skipped: u32,
    /// Number of skipped checks that are not applicable; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_applicable: u32,
    pub broken: u32,
    /// Number of checks of which an answer changed on repeat; absent if there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flaky: u32,
    /// Faults of devices, workers and compilers, by place and kind, also those that a repeat hid.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<FaultCount>,
    /// The number of absorbed faults that do not fail the run (`--allow-restarts`).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub allowed_restarts: u32,
    /// Wall time in milliseconds: of the last process if the run was resumed, and the sum if there were
    /// several runs. Absent from records of earlier versions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ms: u32,
    /// Leaves with a result from a device.
    pub leaves: u32,
    /// Leaves in array elements that no shader of the checks reads or writes; absent if there are
    /// none.
    #[serde(default, skip_serializing_if = "are_none")]
    pub leaves_not_probed: u64,
    /// Devices that returned results, as `id via runner`.
    pub devices: Vec<String>,
    /// Leaves by kind of proof.
    pub proves: BTreeMap<Proves, u32>,
    /// Use of the compiler cache; absent if the run had none or needed no answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<Box<RecordedCacheUse>>,
    /// Bound resources that were read back, by device, as `id via runner`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bound: BTreeMap<String, u32>,
    /// A sentence for each API whose devices could not be listed, so that none took part; absent if
    /// all APIs worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_listings: Vec<String>,
    /// What was found in the user's files and what was compared of it; absent from runs of cases and from records of
    /// earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Box<Account>>,
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

impl RunEnd {
    /// The number of faults that a repeat hid, so that no outcome shows them. Changed answers have their own
    /// count. A device that opened at the second attempt had no job yet that could have gone wrong.
    pub fn restarts(&self) -> u32 {
        let counts = |kind| !matches!(kind, FaultKind::AnswerChanged | FaultKind::NotOpened);
        let hidden = self.faults.iter().filter(|fault| counts(fault.kind));
        hidden.fold(0, |sum, fault| sum.saturating_add(fault.absorbed))
    }

    /// True if more faults were absorbed than the user allows.
    pub fn has_too_many_restarts(&self) -> bool {
        self.restarts() > self.allowed_restarts
    }

    /// True if a check failed, an answer changed on repeat, or too many faults were absorbed.
    pub fn has_failed(&self) -> bool {
        [self.differ, self.stale, self.broken, self.flaky].iter().any(|count| *count > 0)
            || self.has_too_many_restarts()
    }
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

/// The number of answers that a run needed, and how many came from the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCacheUse {
    /// Answers of compilers.
    pub compilations: u32,
    /// Those from the cache.
    pub compilations_cached: u32,
    /// Answers of the validator.
    pub validations: u32,
    /// Those from the cache.
    pub validations_cached: u32,
}

impl RecordedCacheUse {
    /// The sum over several runs.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            compilations: self.compilations.saturating_add(other.compilations),
            compilations_cached: self.compilations_cached.saturating_add(other.compilations_cached),
            validations: self.validations.saturating_add(other.validations),
            validations_cached: self.validations_cached.saturating_add(other.validations_cached),
        }
    }

    /// True if the run needed no answers.
    pub fn is_empty(&self) -> bool {
        self.compilations == 0 && self.validations == 0
    }
}

/// A case or a user's file with its layouts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedSource {
    /// Case id, or file name, as in the checks.
    pub case: String,
    /// The claim; empty for a file.
    pub summary: String,
    #[serde(with = "crate::saved_text::place")]
    pub place: LinePlace,
    /// The declarations as written; absent if there is no text or if it is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declaration: Option<String>,
    /// One per rule set that lays it out.
    pub layouts: Vec<RecordedLayout>,
}

impl RecordedSource {
    /// A file without declarations of its own in the records.
    pub fn of_file(file: &str, layouts: Vec<RecordedLayout>) -> Self {
        let place = LinePlace { file: file.to_owned(), line: None };
        Self { case: file.to_owned(), summary: String::new(), place, declaration: None, layouts }
    }
}

/// A source under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedLayout {
    pub rules: String,
    /// The source of the expected numbers; empty for a file.
    pub authority: String,
    /// The computed blocks that the rule set allows.
    pub blocks: Vec<StoryBlock>,
}

/// Totals of checks that agree or do not apply, and that are equal in these fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOutChecks {
    pub rules: CheckRules,
    pub producer: ShaderMaker,
    #[serde(flatten, with = "device_keys")]
    pub device: Option<CheckDevice>,
    pub proves: Proves,
    pub outcome: OutcomeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_kind: Option<SkipKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<ReasonKind>,
    pub checks: u32,
    /// Wall time of all in milliseconds.
    pub ms: u64,
    /// Leaves with a result from a device.
    pub leaves: u32,
    /// Leaves that no shader reads or writes.
    #[serde(default)]
    pub leaves_not_probed: u64,
    /// Bound resources; absent for checks of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundCount>,
    /// Number of checks that were carried out in part.
    #[serde(default)]
    pub partly: u32,
    /// Number of checks that lack a part for a reason of this kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_checked: BTreeMap<ReasonKind, u32>,
}

/// Ids of the cases with omitted checks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutCases {
    pub all: BTreeSet<String>,
    /// Cases of which a shader ran that a producer made from declarations.
    pub ran: BTreeSet<String>,
    /// Those of `ran` in which a compiler took part.
    pub by_compiler: BTreeSet<String>,
}

impl LeftOutCases {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The results of a device, by coverage cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCells {
    pub device: String,
    pub runner: RunnerKind,
    /// The cells that are not empty.
    pub cells: Vec<CellRow>,
}

/// Adds the results of other checks.
pub fn add_cells(sum: &mut Vec<DeviceCells>, more: &[DeviceCells]) {
    for device in more {
        let is_it = |known: &&mut DeviceCells| (&known.device, known.runner) == (&device.device, device.runner);
        match sum.iter_mut().find(is_it) {
            Some(known) => {
                for row in &device.cells {
                    known.add(row);
                }
            }
            None => sum.push(device.clone()),
        }
    }
}

impl DeviceCells {
    fn add(&mut self, more: &CellRow) {
        let Some(row) = self.cells.iter_mut().find(|row| row.has_key_of(more)) else {
            self.cells.push(more.clone());
            return;
        };
        for (ty, leaves) in &more.leaves {
            let of_type = row.leaves.entry(ty.clone()).or_default();
            for (after, count) in leaves {
                let sum = of_type.entry(*after).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
    }
}

impl CellRow {
    fn has_key_of(&self, other: &Self) -> bool {
        let key = |row: &Self| (row.space, row.stage, row.direction, row.form, row.proves);
        self.rules == other.rules && key(self) == key(other)
    }
}

/// Cells that differ only in the type of the member and its predecessor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRow {
    pub rules: String,
    pub space: AddressSpace,
    pub stage: Stage,
    /// Read or write.
    pub direction: Direction,
    pub form: Form,
    pub proves: Proves,
    /// Leaves, once per access, by the type of the member and its predecessor.
    pub leaves: BTreeMap<String, BTreeMap<After, u32>>,
}
