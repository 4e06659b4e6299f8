//! Names for the probes of checks: the executor numbers checks, [`ProbeId`] finds one probe of them again, and
//! [`ProbeSet`] keeps some of one check.

use std::collections::BTreeSet;

use crate::probe::ProbeEntry;

/// Some of the probes of a check: those that screens have answered, or those that go without screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeSet(BTreeSet<(usize, String)>);

impl ProbeSet {
    /// Adds a probe.
    pub fn add(&mut self, ProbeId { module, entry, .. }: &ProbeId) {
        self.0.insert((*module, entry.clone()));
    }

    /// Returns true if the probe is among them.
    pub fn has(&self, ProbeId { module, entry, .. }: &ProbeId) -> bool {
        self.contains(*module, entry)
    }

    /// The names of the entry points, each once.
    pub fn entries(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(_, entry)| entry.as_str()).collect()
    }

    /// Returns true if the entry point of that module is among them.
    pub(super) fn contains(&self, module: usize, entry: &str) -> bool {
        self.0.contains(&(module, entry.to_owned()))
    }
}

/// A probe of one of several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeId {
    /// The check, as the caller numbers it.
    pub check: usize,
    /// Index into [`SubjectShaders::modules`](crate::check::SubjectShaders::modules).
    module: usize,
    /// Name of the entry point.
    entry: String,
}

impl ProbeId {
    /// Names the probe of one entry point of a module.
    pub fn new(check: usize, module: usize, entry: &ProbeEntry) -> Self {
        Self { check, module, entry: entry.name.clone() }
    }
}
