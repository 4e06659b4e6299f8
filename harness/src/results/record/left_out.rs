//! What the last line of a filtered records file says of the checks that the file leaves out, so that its totals are those of
//! the whole run.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::RunnerKind;
use serde::{Deserialize, Serialize};

use super::bound_count::BoundCount;
use super::end::{Outcome, Proves, SkipKind};
use crate::probe::{AddressSpace, Direction, Form, Stage};
use crate::results::coverage::kind::After;

/// Totals of checks that agree, or that do not apply, and have this in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOutChecks {
    /// Rule set.
    pub rules: String,
    /// Shader producer.
    pub producer: String,
    /// Device id, as in a check.
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    /// What agreement proves.
    pub proves: Proves,
    /// How they ended.
    pub outcome: Outcome,
    /// What kind of skip they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_kind: Option<SkipKind>,
    /// What the reasons for the skips have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    /// How many they are.
    pub checks: u32,
    /// Wall time of all in milliseconds.
    pub ms: u64,
    /// Leaves that a device answered for.
    pub leaves: u32,
    /// Leaves that no shader reads or writes.
    #[serde(default)]
    pub leaves_not_probed: u64,
    /// Bound resources; absent from checks of bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<BoundCount>,
    /// How many of the checks were carried out in part.
    #[serde(default)]
    pub partly: u32,
    /// How many of the checks lack a part for a reason of this kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_checked: BTreeMap<String, u32>,
}

/// Ids of the cases of which checks are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutCases {
    /// All of them.
    pub all: BTreeSet<String>,
    /// Those of which a shader ran that a producer made from declarations.
    pub ran: BTreeSet<String>,
    /// Those of these that a compiler had a part in.
    pub by_compiler: BTreeSet<String>,
}

impl LeftOutCases {
    /// True if no check is left out.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// What a device answered, by coverage cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceCells {
    /// Device id.
    pub device: String,
    /// API.
    pub runner: RunnerKind,
    /// The cells that are not empty.
    pub cells: Vec<CellRow>,
}

/// Cells that differ in nothing but the type of the member and what lies before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRow {
    /// Rule set.
    pub rules: String,
    /// Where the block lives.
    pub space: AddressSpace,
    /// In which stage the shader runs.
    pub stage: Stage,
    /// Which way bytes go.
    pub direction: Direction,
    /// How the shader reaches the leaf.
    pub form: Form,
    /// What agreement proves.
    pub proves: Proves,
    /// Leaves, once per access, by the type of the member and by what lies before it.
    pub leaves: BTreeMap<String, BTreeMap<After, u32>>,
}
