//! Names for the probes of checks: the executor numbers checks, [`ProbeId`] finds one probe of them again, and
//! [`AnsweredEntries`] keeps those of one check that need no jobs of their own.

use std::collections::BTreeSet;

use crate::probe::ProbeEntry;

/// The probes of a check that screens have answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnsweredEntries(BTreeSet<(usize, String)>);

impl AnsweredEntries {
    /// Adds a probe.
    pub fn add(&mut self, ProbeId { module, entry, .. }: &ProbeId) {
        self.0.insert((*module, entry.clone()));
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
    pub(super) fn new(check: usize, module: usize, entry: &ProbeEntry) -> Self {
        Self { check, module, entry: entry.name.clone() }
    }
}
