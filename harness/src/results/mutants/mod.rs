//! Tests the cases themselves: plants faults one at a time and collects the cases that notice each, for
//! `layoutproof mutants`.
//!
//! [`rules`] changes one parameter of a rule row at a time and asks which cases expect other numbers then. [`devices`]
//! makes the model device misread in one way at a time and asks in which checks the verdict names the device. A rule
//! mutant that no case kills must be explained in a list that [`equivalent`] reads; an explanation that no longer holds
//! is stale. Which case is right is not decided here: cases that differ without a fault take no part.

pub mod devices;
pub mod equivalent;
pub mod rules;

use serde::Serialize;

use devices::DeviceLine;
use rules::RuleLine;

/// Which cases killed a mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Killers {
    /// Ids, in the order in which they were tried.
    pub cases: Vec<String>,
    /// Whether the search stopped at these, because so many were enough.
    pub stopped: bool,
}

impl Killers {
    /// Whether no case noticed.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}

/// What became of all mutants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutantTable {
    /// Version of the format.
    pub schema: u32,
    /// Rule mutants, by rule set in the table's order.
    pub rules: Vec<RuleLine>,
    /// Misreading devices.
    pub devices: Vec<DeviceLine>,
    /// Explanations that no longer hold, each as a sentence.
    pub stale: Vec<String>,
}

impl MutantTable {
    /// Whether every mutant is killed or explained, and every explanation holds.
    pub fn is_clean(&self) -> bool {
        self.stale.is_empty()
            && !self.rules.iter().any(RuleLine::survives)
            && !self.devices.iter().any(DeviceLine::survives)
    }
}
