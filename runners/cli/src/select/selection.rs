//! The subjects of a run: cases and files under rule sets and conventions.
//!
//! [`selecting`](crate::select::selecting) builds a [`Selection`] from the words of the command
//! line; [`user_choice`](crate::select::user_choice) adds single cases and files.

use std::sync::Arc;

use layoutproof_core::check::binding_shaders::producer_for;
use layoutproof_core::check::{BindingCheck, Proof, Subject};
use layoutproof_random::stable_hash::stable_hash;
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::sources::SourceMap;

use crate::select::run_part::RunPart;

/// The subjects of a run.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Cases and files, each under one rule set.
    pub subjects: Vec<Arc<Subject>>,
    /// Cases and files, each with its parameters placed by one convention; no cases if the user
    /// names rule sets.
    pub placed: Vec<BindingCheck>,
    /// Number of cases.
    pub cases: usize,
    pub warnings: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// Name and hash of every selected text, of all shards.
    pub texts: String,
    /// The part of the run to carry out.
    pub part: RunPart,
}

impl Selection {
    /// The ids of everything read so far.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        let subjects = self.subjects.iter().map(|subject| subject.source.id.as_str());
        subjects.chain(self.placed.iter().map(|placed| placed.source.id.as_str()))
    }

    /// Hashes the texts that a run reads, the selection and `known_text` (the lists of known
    /// differences), as hexadecimal digits. All shards of a run have the same hash.
    pub(crate) fn hash(&self, known_text: &str) -> String {
        format!("{:016x}", stable_hash(&format!("{}{known_text}", self.texts)))
    }

    /// How the selection uses devices. A binding with an expected place is checked against the
    /// rules even without a device.
    pub(crate) fn device_use(&self) -> DeviceUse {
        let by_our_shaders = |placed: &BindingCheck| producer_for(placed.request.target).is_some();
        let by_registers = |placed: &&BindingCheck| Proof::of_registers(placed).is_some();
        let mut proved_by_registers = self.placed.iter().filter(by_registers).peekable();

        if !self.subjects.is_empty() || self.placed.iter().any(by_our_shaders) {
            DeviceUse::Required
        } else if proved_by_registers.peek().is_none() {
            DeviceUse::None
        } else if proved_by_registers.any(|placed| placed.expected.is_none()) {
            DeviceUse::Required
        } else {
            DeviceUse::Optional
        }
    }
}

/// How a selection uses devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceUse {
    /// Not at all.
    None,
    /// Devices prove placements that are also checked without them.
    Optional,
    /// Without a device, a part of the selection is not checked at all.
    Required,
}
