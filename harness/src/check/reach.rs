//! Reach: in which spaces and stages a subject is probed.
//!
//! Uniform buffers, storage buffers and push constants, in the compute stage, are for every subject. The other spaces and
//! stages each cost pipelines, and what drivers do with offsets hardly depends on them. So a run in which nobody asks for
//! them probes a core there: each case under one of its rule sets, chosen by the case's id, in the buffers that the rule
//! set is for (uniform ones if it aligns arrays to 16 bytes or is WGSL's). Who asks for a space or a stage by name gets it
//! for every subject.

use std::collections::BTreeSet;

use crate::check::produce::Settings;
use crate::check::subject::Subject;
use crate::layout::rules::Forbid;
use crate::layout::{RuleSet, find};
use crate::record::{Space, Stage};
use crate::stable_hash::stable_hash;

/// Bytes to which rule sets for uniform buffers align arrays.
const REGISTER_BYTES: u32 = 16;

/// The spaces and stages for `subject`, of which not all go together.
pub(super) fn reach(subject: &Subject, settings: &Settings) -> BTreeSet<(Space, Stage)> {
    let core = is_core(subject);
    let uniform = is_for_uniform(subject.rules);
    let by_default = |space: Space| match space {
        Space::Uniform | Space::Storage | Space::PushConstant => true,
        Space::UniformElement => core && uniform,
        Space::StorageElement | Space::Address => core && !uniform,
    };
    let has_space = |space: &Space| settings.spaces.as_ref().map_or(by_default(*space), |asked| asked.contains(space));
    let home = if uniform { Space::Uniform } else { Space::Storage };
    let has_stage = |(space, stage): &(Space, Stage)| match &settings.stages {
        Some(asked) => asked.contains(stage),
        None => *stage == Stage::Compute || (core && *space == home),
    };
    let spaces = Space::ALL.into_iter().filter(has_space);
    spaces.flat_map(|space| Stage::ALL.map(|stage| (space, stage))).filter(has_stage).collect()
}

/// Whether a subject is the one of its case that is probed everywhere; a user's file is under every rule set.
fn is_core(subject: &Subject) -> bool {
    let expect = &subject.source.expect;
    // The lowest bits of the hash depend on the lowest bits of every letter only.
    let number = stable_hash(&subject.source.id) >> 8;
    match number.checked_rem(expect.len() as u64) {
        None => true,
        Some(chosen) => (0..).zip(expect).any(|(index, it): (u64, _)| index == chosen && it.rules == subject.rules),
    }
}

fn is_for_uniform(rules: &str) -> bool {
    let for_uniform = |rules: &RuleSet| {
        rules.array_alignment.bytes() >= REGISTER_BYTES || rules.forbids.contains(&Forbid::WgslUniform)
    };
    find(rules).is_some_and(for_uniform)
}
