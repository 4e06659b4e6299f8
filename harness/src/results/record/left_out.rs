//! The checks that a filtered records file leaves out. Its last line has their totals, so that
//! totals stay those of the whole run.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::RunnerKind;
use serde::{Deserialize, Serialize};

use super::bound_count::BoundCount;
use super::end::{OutcomeKind, Proves, SkipKind};
use super::reason::ReasonKind;
use super::saved::device_keys;
use crate::check::check_id::{CheckDevice, CheckRules, ShaderMaker};
use layoutproof_probes::leaf_kind::After;
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};

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
    /// The kind of the reasons for the skips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<ReasonKind>,
    /// Number of checks.
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
    /// True if no check is left out.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The results of a device, by coverage cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCells {
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    /// The cells that are not empty.
    pub cells: Vec<CellRow>,
}

/// Cells that differ only in the type of the member and its predecessor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRow {
    pub rules: String,
    /// The block's address space.
    pub space: AddressSpace,
    /// The shader's stage.
    pub stage: Stage,
    /// Read or write.
    pub direction: Direction,
    /// The form of access.
    pub form: Form,
    pub proves: Proves,
    /// Leaves, once per access, by the type of the member and its predecessor.
    pub leaves: BTreeMap<String, BTreeMap<After, u32>>,
}
