//! The result of a check, with everything that reports need from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::are_none;
use crate::check_id::CheckId;
use crate::fault::Fault;
use crate::header::RecordsFilter;
use crate::outcome::{Culprit, Outcome, OutcomeKind, Proves};
use crate::reason::Reason;
use crate::rerun::RerunCommand;
use crate::row::Row;
use crate::validation::Validation;
use layoutproof_probes::AddressSpace;
use layoutproof_source::sources::LinePlace;

/// The result of a check. The module `saved` has its form in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckRecord {
    pub id: CheckId,
    pub proves: Proves,
    pub outcome: Outcome,
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
    /// Faults of the device, its workers and the compiler during the check, also those that a repeat hid.
    pub faults: Vec<Fault>,
    /// Wall time in milliseconds.
    pub ms: u64,
    /// Leaves with a result from a device.
    pub leaves: u32,
    /// Leaves in array elements that no shader reads or writes, because other elements were probed
    /// instead.
    pub leaves_not_probed: u64,
    /// Bound resources that a device was to read back; `None` for checks of bytes.
    pub bound: Option<BoundCount>,
    /// The blocks of a user's file that the check is about; empty for a case.
    pub blocks: Vec<BlockReading>,
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
            faults: Vec::new(),
            ms: 0,
            leaves: 0,
            leaves_not_probed: 0,
            bound: None,
            blocks: Vec::new(),
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

    /// True if a file with this filter holds the check. A file of failures has those that are not plain.
    pub fn is_kept_by(&self, filter: RecordsFilter) -> bool {
        match filter {
            RecordsFilter::Full | RecordsFilter::Outcomes => true,
            RecordsFilter::Failures => !self.is_plain(),
            RecordsFilter::Devices => self.is_wrong_on_the_device(),
        }
    }

    /// The check as a file with this filter holds it; `None` if it does not.
    pub fn kept_by(&self, filter: RecordsFilter) -> Option<Cow<'_, Self>> {
        match filter {
            RecordsFilter::Outcomes if !self.needs_rows() && !self.rows.is_empty() => {
                Some(Cow::Owned(Self { rows: Vec::new(), ..self.clone() }))
            }
            _ => self.is_kept_by(filter).then_some(Cow::Borrowed(self)),
        }
    }

    /// True if its numbers say more than its outcome and its leaves: it differs (known or not), is broken, agreed only when it was
    /// rerun, had faults, or the device answered nothing but lengths of arrays.
    pub fn needs_rows(&self) -> bool {
        match self.outcome.kind() {
            _ if !self.faults.is_empty() || self.retries > 0 => true,
            OutcomeKind::Differ | OutcomeKind::Known | OutcomeKind::Broken => true,
            OutcomeKind::Agree | OutcomeKind::Skipped | OutcomeKind::Stale => {
                let is_observed = self.rows.iter().any(|row| row.witnesses.observed.is_some());
                self.leaves == 0 && self.bound.is_none() && is_observed
            }
        }
    }

    /// True if it says nothing new: it agrees, or neither this machine nor a compiler is the reason why it was skipped, as for
    /// all checks of a device that can run no probe.
    fn is_plain(&self) -> bool {
        match &self.outcome {
            _ if self.needs_rows() => false,
            Outcome::Skipped { kind, .. } => kind.is_some(),
            outcome => outcome.kind() == OutcomeKind::Agree,
        }
    }

    /// True if the device is to blame, or nothing shows that another witness is.
    fn is_wrong_on_the_device(&self) -> bool {
        let is_wrong = match self.outcome.culprit() {
            Some(Culprit::Device | Culprit::Unclear) => true,
            Some(_) => false,
            None => match self.outcome.kind() {
                OutcomeKind::Agree => self.retries > 0 || !self.faults.is_empty(),
                OutcomeKind::Known | OutcomeKind::Broken => self.has_failed_to_run(),
                OutcomeKind::Differ | OutcomeKind::Stale | OutcomeKind::Skipped => false,
            },
        };
        is_wrong && self.id.device.is_some()
    }
}

/// What a device read of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockReading {
    pub block: String,
    /// Number of leaves to read: of long arrays, those in the elements that stand for the others.
    pub leaves: u64,
    /// Paths of the leaves without a result.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub unread: BTreeSet<String>,
    /// Why leaves have no result; for a block without leaves, why it has no layout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// The bound resources that a device was to read back. Each array element and each location counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundCount {
    /// Resources that were read back, correctly or not.
    pub read: u32,
    /// Number of parameters that were not read in full, by reason.
    pub not_read: BTreeMap<Reason, u32>,
}

/// An entry of a list of known differences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KnownEntry {
    /// The list: `ci/known/lavapipe.toml`.
    pub file: String,
    /// Line of the entry, from 1.
    pub line: u32,
    /// Short stable id of the bug: `DXC-17`; absent in lists of users. Several entries may be about one bug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bug: Option<String>,
    /// Why the difference is known.
    pub reason: String,
    /// Address of the report to the developers; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// True if the entry is for untested drivers or compilers. The difference is then not analysed, so
    /// it proves nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untried: bool,
}

/// The text parts of a failure block, so that reporters compute no layout and run nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    pub summary: String,
    #[serde(with = "crate::saved_text::place")]
    pub place: LinePlace,
    /// The authority as a phrase.
    pub authority: String,
    /// The declared members per block. The witnesses' numbers are in `CheckRecord::rows`.
    pub blocks: Vec<StoryBlock>,
    /// A rule set that explains all rows, if there is one.
    pub hint: Option<String>,
    /// For a translator, the rule sets that explain all rows of an address space if they take the place of the module's
    /// offsets. Only spaces with a difference have some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub moved_by: BTreeMap<AddressSpace, BTreeSet<String>>,
    /// A known difference of another device that this one resembles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resembles: Option<KnownEntry>,
    pub again: RerunCommand,
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
    pub members: Vec<layoutproof_layout::MemberRow>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedShader {
    /// The block that it reads or writes; for a proof of bindings, the parameters.
    pub block: String,
    /// Entry points that probe it.
    pub entries: Vec<String>,
    /// `HLSL`, `WGSL`, `SPIR-V (disassembly)` ...
    pub form: String,
    /// The text, or its start.
    pub text: String,
    /// Bytes of the text after `text` that are left out; absent if there are none.
    #[serde(default, skip_serializing_if = "are_none")]
    pub left_out: u64,
}
