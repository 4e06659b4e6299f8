//! What became of mutants: the lines that `layoutproof mutants` prints.

use serde::Serialize;

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
    /// Returns true if every mutant is killed or explained, and every explanation holds.
    pub fn is_clean(&self) -> bool {
        self.stale.is_empty()
            && !self.rules.iter().any(RuleLine::survives)
            && !self.devices.iter().any(DeviceLine::survives)
    }
}

/// A rule mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleLine {
    /// Rule set.
    pub rules: String,
    /// Parameter: `members.straddle`.
    pub parameter: String,
    /// The row's value.
    pub from: String,
    /// The mutant's value.
    pub to: String,
    /// Cases that notice.
    pub killers: Killers,
    /// Why no case can notice, where that is known.
    pub equivalent: Option<String>,
}

impl RuleLine {
    /// True if no case kills the mutant and the list of equivalent mutants does not explain it.
    pub fn survives(&self) -> bool {
        self.killers.is_empty() && self.equivalent.is_none()
    }
}

/// A misreading and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceLine {
    /// Name of the misreading.
    pub name: String,
    /// What the device does.
    pub what: String,
    /// Cases in which the verdict names the device.
    pub killers: Killers,
    /// Checks that differ and name somebody else, with the name; or that broke.
    pub misnamed: Vec<String>,
}

impl DeviceLine {
    /// Returns true if no case notices, or a verdict names the wrong culprit.
    pub fn survives(&self) -> bool {
        self.killers.is_empty() || !self.misnamed.is_empty()
    }
}

/// Which cases killed a mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Killers {
    /// Ids, in the order in which they were tried.
    pub cases: Vec<String>,
    /// True if the search stopped at these, because so many were enough.
    pub stopped: bool,
}

impl Killers {
    /// Returns true if no case noticed.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }
}
