//! Identifies the probes of checks. The executor numbers the checks, a [`ProbeId`] names one probe
//! of one check, and a [`ProbeSet`] holds some probes of a single check.

use std::collections::BTreeSet;

use layoutproof_probes::ProbeEntry;

/// Some of the probes of a check: for example the ones that screens have answered, or the ones that
/// run without screens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeSet(BTreeSet<(usize, String)>);

impl ProbeSet {
    pub fn add(&mut self, ProbeId { module, entry, .. }: &ProbeId) {
        self.0.insert((*module, entry.clone()));
    }

    /// Returns true if the set has the probe.
    pub fn has(&self, ProbeId { module, entry, .. }: &ProbeId) -> bool {
        self.contains(*module, entry)
    }

    /// Returns the names of the entry points without duplicates.
    pub fn entries(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(_, entry)| entry.as_str()).collect()
    }

    /// Returns true if the set has this entry point of the module.
    pub(super) fn contains(&self, module: usize, entry: &str) -> bool {
        self.0.contains(&(module, entry.to_owned()))
    }
}

/// A probe of one of several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeId {
    /// The check's number, as the caller assigns it.
    pub check: usize,
    /// Index into [`SubjectShaders::modules`](crate::check::SubjectShaders::modules).
    module: usize,
    entry: String,
}

impl ProbeId {
    /// Names the probe of one entry point of a module.
    pub fn new(check: usize, module: usize, entry: &ProbeEntry) -> Self {
        Self { check, module, entry: entry.name.clone() }
    }
}
