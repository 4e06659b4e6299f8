//! Splits the plan of a block into shares: a device that cannot take the module with all leaves and entry points gets
//! modules with those that it can take.

use std::collections::BTreeSet;

use layoutproof_device::Feature;

use crate::probe::{ProbeEntry, ProbePlan, needs};

/// The plans of the modules of a block: one for each set of features that spaces and stages need, so that a device that
/// lacks some still gets the others.
pub(super) fn accesses(plan: &ProbePlan) -> Vec<ProbePlan> {
    let needed: BTreeSet<_> = plan.entries.iter().map(ProbeEntry::requires).collect();
    let with = |features: BTreeSet<Feature>| {
        let entries = plan.entries.iter().filter(|entry| entry.requires() == features);
        ProbePlan { entries: entries.cloned().collect(), ..plan.clone() }
    };
    needed.into_iter().map(with).collect()
}

/// The part of a block that a module holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// All leaves that can be probed.
    All,
    /// The leaves of one device feature, or those that need none; stands in for the module with all of them on devices
    /// that cannot take that.
    Part,
}

/// The plan of the module with all leaves, and those of the modules that stand in for it.
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
