//! One measured quantity of a check: its path, how it was reached, and the number of each witness.

use layoutproof_layout::Quantity;
use serde::{Deserialize, Serialize};

use crate::probe::{AddressSpace, Direction, Form, Stage};

/// One measured thing of a check. `None` where a witness says nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Path, block name first.
    pub path: String,
    /// What is measured.
    pub what: Quantity,
    /// Where the block lived; `None` for rows that no device answers.
    pub space: Option<AddressSpace>,
    /// Which way bytes went.
    pub direction: Option<Direction>,
    /// How the shader reached it.
    pub form: Option<Form>,
    /// In which stage; left out of records for the compute stage.
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
    /// What the device's answer was, in words, where it is not plainly an offset (`0xBADD0030, padding at byte 48`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// True if the device answered in a module that many checks share, where it was right. That says nothing of exact
    /// ranges, and where a hash of the words that were read was all the answer, nothing of padding and guards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fused: bool,
}

impl Row {
    /// Returns true if two witnesses say different things.
    pub fn differs(&self) -> bool {
        let witnesses = [&self.expected, &self.computed, &self.reported, &self.compiled, &self.observed];
        let said: Vec<&RecordValue> = witnesses.into_iter().flatten().collect();
        said.windows(2).any(|neighbours| neighbours[0] != neighbours[1])
    }

    /// A row that no device answers, without any numbers yet.
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
