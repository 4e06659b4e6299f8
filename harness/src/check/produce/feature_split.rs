//! Splits the plan of a block by device features. A device that cannot run the module with all
//! leaves and entry points gets modules with the ones that it can run.

use std::collections::BTreeSet;

use layoutproof_device::Feature;

use layoutproof_probes::{ProbeEntry, ProbePlan, needs};

/// Splits the plan by the features that its spaces and stages need, one plan per set of features,
/// so a device without some feature still gets the other plans.
pub(super) fn accesses(plan: &ProbePlan) -> Vec<ProbePlan> {
    let needed: BTreeSet<_> = plan.entries.iter().map(ProbeEntry::requires).collect();
    let with = |features: BTreeSet<Feature>| {
        let entries = plan.entries.iter().filter(|entry| entry.requires() == features);
        ProbePlan { entries: entries.cloned().collect(), ..plan.clone() }
    };
    needed.into_iter().map(with).collect()
}

/// The part of a block in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All leaves that can be probed.
    All,
    /// The leaves of one device feature, or the leaves that need none. Replaces the full module on
    /// devices that cannot run it.
    Part,
}

/// Returns the plan with all leaves, and the plans of the modules that replace it.
pub(super) fn shares(plan: &ProbePlan) -> Vec<(Share, ProbePlan)> {
    let needed: BTreeSet<Option<Feature>> = plan.leaves.iter().map(|leaf| needs(leaf.component)).collect();
    let part = |feature: &Option<Feature>| {
        plan.clone().without(|leaf| {
            let other = needs(leaf.component);
            (other != *feature).then(|| match other {
                Some(other) => format!("needs {other}"),
                None => "needs nothing that the others do".to_owned(),
            })
        })
    };

    let parts: Vec<_> = if needed.len() > 1 { needed.iter().map(part).collect() } else { Vec::new() };
    let parts = parts.into_iter().map(|part| (Share::Part, part));
    std::iter::once((Share::All, plan.clone())).chain(parts).collect()
}
