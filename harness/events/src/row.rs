//! One measured quantity of a check: its path, how a shader reached it, and the number from each
//! witness.

use std::fmt;

use layoutproof_layout::Quantity;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use layoutproof_probes::{AddressSpace, Direction, Form, Stage};

/// One measured quantity of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Path, block name first.
    pub path: String,
    pub what: Quantity,
    /// `None` for rows that need no device.
    pub access: Option<Access>,
    pub witnesses: Witnesses,
    /// A description of the device's answer if it is not simply an offset (`0xBADD0030, padding at
    /// byte 48`).
    pub note: Option<String>,
    /// True if the device gave the right answer in a module that many checks share. That proves
    /// nothing about exact ranges and, if the answer was only a hash of the words that were read,
    /// nothing about padding and guards.
    pub fused: bool,
}

/// The access by which a shader measured a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: AddressSpace,
    pub stage: Stage,
    pub direction: Direction,
    /// `None` for guards, which all forms of an entry point share.
    pub form: Option<Form>,
}

impl Row {
    /// A row that needs no device.
    pub fn new(path: impl Into<String>, what: Quantity, witnesses: Witnesses) -> Self {
        Self { path: path.into(), what, access: None, witnesses, note: None, fused: false }
    }

    /// The form of access to a leaf.
    pub fn form(&self) -> Option<Form> {
        self.access.and_then(|access| access.form)
    }

    pub fn direction(&self) -> Option<Direction> {
        self.access.map(|access| access.direction)
    }

    /// True if a device measures it: every leaf whose block has a space. A binding has an answer, or the device did not
    /// read it.
    pub fn is_probed(&self) -> bool {
        match self.what {
            Quantity::Binding => self.witnesses.observed.is_some(),
            _ => self.access.is_some(),
        }
    }

    /// True if a device did something else than the shader says: it read or wrote other bytes than the compiler's
    /// code or, without that, our rules give, or no byte of the block.
    pub fn is_misread(&self) -> bool {
        let Witnesses { computed, compiled, observed, .. } = &self.witnesses;
        let shader_says = compiled.as_ref().or(computed.as_ref());
        self.is_probed() && shader_says.is_some() && shader_says != observed.as_ref()
    }

    /// True if two witnesses disagree.
    pub fn differs(&self) -> bool {
        let said: Vec<&RecordValue> =
            Witness::ALL.into_iter().filter_map(|witness| self.witnesses.of(witness)).collect();
        said.windows(2).any(|neighbours| neighbours[0] != neighbours[1])
    }
}

/// Each witness's value for a quantity; `None` if it gives none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witnesses {
    pub expected: Option<RecordValue>,
    pub computed: Option<RecordValue>,
    pub reported: Option<RecordValue>,
    pub compiled: Option<RecordValue>,
    pub observed: Option<RecordValue>,
}

/// A source of numbers, in the order of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Witness {
    Expected,
    /// Our rules.
    Computed,
    /// The compiler's reflection or listing.
    Reported,
    /// The compiler's code.
    Compiled,
    Observed,
}

impl Witness {
    pub const ALL: [Self; 5] = [Self::Expected, Self::Computed, Self::Reported, Self::Compiled, Self::Observed];

    /// The key in records and the heading in tables.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Witnesses {
    pub fn of(&self, witness: Witness) -> Option<&RecordValue> {
        match witness {
            Witness::Expected => self.expected.as_ref(),
            Witness::Computed => self.computed.as_ref(),
            Witness::Reported => self.reported.as_ref(),
            Witness::Compiled => self.compiled.as_ref(),
            Witness::Observed => self.observed.as_ref(),
        }
    }

    /// These witnesses, and `others` for those that say nothing here.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            expected: self.expected.or(others.expected),
            computed: self.computed.or(others.computed),
            reported: self.reported.or(others.reported),
            compiled: self.compiled.or(others.compiled),
            observed: self.observed.or(others.observed),
        }
    }
}

/// The value for an answer that is no byte of the block: zero, bytes of two words, or none at all.
pub const NOWHERE: &str = "nowhere";

/// A witness's number, or a binding's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordValue {
    /// Bytes.
    Number(u32),
    /// A binding string.
    Text(String),
}

impl fmt::Display for RecordValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl RecordValue {
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}
