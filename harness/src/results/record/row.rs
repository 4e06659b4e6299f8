//! One measured quantity of a check: its path, the form of access, and the number from each
//! witness.

use layoutproof_layout::Quantity;
use serde::{Deserialize, Serialize};

use layoutproof_probes::{AddressSpace, Direction, Form, Stage};

/// One measured quantity of a check. `None` if a witness gives no value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Path, block name first.
    pub path: String,
    pub what: Quantity,
    /// The block's address space; `None` for rows that need no device.
    pub space: Option<AddressSpace>,
    /// Direction of the access.
    pub direction: Option<Direction>,
    /// The form of access.
    pub form: Option<Form>,
    /// The shader's stage; omitted from records for the compute stage.
    #[serde(default, skip_serializing_if = "Stage::is_compute")]
    pub stage: Stage,
    /// From the case.
    pub expected: Option<RecordValue>,
    /// From our rules.
    pub computed: Option<RecordValue>,
    /// From the compiler's reflection or listing.
    pub reported: Option<RecordValue>,
    /// From the compiler's code.
    pub compiled: Option<RecordValue>,
    /// From the device.
    pub observed: Option<RecordValue>,
    /// A description of the device's answer if it is not simply an offset (`0xBADD0030, padding at
    /// byte 48`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// True if the device gave the right answer in a module that many checks share. That proves
    /// nothing about exact ranges and, if the answer was only a hash of the words that were read,
    /// nothing about padding and guards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fused: bool,
}

impl Row {
    /// True if two witnesses disagree.
    pub fn differs(&self) -> bool {
        let witnesses = [&self.expected, &self.computed, &self.reported, &self.compiled, &self.observed];
        let said: Vec<&RecordValue> = witnesses.into_iter().flatten().collect();
        said.windows(2).any(|neighbours| neighbours[0] != neighbours[1])
    }

    /// A row that needs no device, without any numbers yet.
    pub fn of_no_device(path: &str, what: Quantity) -> Self {
        Self {
            path: path.to_owned(),
            what,
            space: None,
            direction: None,
            form: None,
            stage: Stage::Compute,
            expected: None,
            computed: None,
            reported: None,
            compiled: None,
            observed: None,
            note: None,
            fused: false,
        }
    }
}

/// A witness's number, or a binding's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordValue {
    /// Bytes.
    Number(u32),
    /// A binding string.
    Text(String),
}
