//! The outcomes of mutants: the lines that `layoutproof mutants` prints.

use serde::Serialize;

/// The outcomes of all mutants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MutantTable {
    /// Version of the format.
    pub schema: u32,
    /// Rule mutants, by rule set in the table's order.
    pub rules: Vec<RuleLine>,
    pub devices: Vec<DeviceLine>,
    /// Explanations that no longer hold, each as a sentence.
    pub stale: Vec<String>,
}

impl MutantTable {
    /// True if every mutant is killed or explained, and every explanation holds.
    pub fn is_clean(&self) -> bool {
        self.stale.is_empty()
            && !self.rules.iter().any(RuleLine::survives)
            && !self.devices.iter().any(DeviceLine::survives)
    }
}

/// A rule mutant and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleLine {
    pub rules: String,
    /// For example `members.straddle`.
    pub parameter: String,
    /// The rule set's value.
    pub from: String,
    /// The mutant's value.
    pub to: String,
    /// Cases that detect the mutant.
    pub killers: Killers,
    /// Why no case can detect it, if the list explains it.
    pub equivalent: Option<String>,
}

impl RuleLine {
    /// True if no case kills the mutant and the list of equivalent mutants does not explain it.
    pub fn survives(&self) -> bool {
        self.killers.is_empty() && self.equivalent.is_none()
    }
}

/// A misreading and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceLine {
    pub name: String,
    /// A description of the misreading.
    pub what: String,
    /// Cases in which the verdict names the device.
    pub killers: Killers,
    /// Checks that broke, or that differ and name another culprit, with its name.
    pub misnamed: Vec<String>,
}

impl DeviceLine {
    /// True if no case detects the misreading, or if a verdict names the wrong culprit.
    pub fn survives(&self) -> bool {
        self.killers.is_empty() || !self.misnamed.is_empty()
    }
}

/// The cases that killed a mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Killers {
    /// Ids, in the order in which they were tried.
    pub cases: Vec<String>,
    /// True if the search stopped early because enough cases were found.
    pub stopped: bool,
}

impl Killers {
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}
