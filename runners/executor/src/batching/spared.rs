//! Chooses the probes that are spared from sharing: they have jobs of their own, compiled with the
//! driver's own settings.
//!
//! Shared modules and fast settings are not what a driver's users have. So one probe per access kind
//! is spared, a different one in each run: from run to run, every probe of a kind has its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_core::check::{Check, DeviceCheck, ProbeName, ProofCheck};
use layoutproof_device::RunnerKind;
use layoutproof_events::producer::Producer;
use layoutproof_layout::{Component, Scalar};
use layoutproof_probes::{Form, ProbeEntry, ProbePlan};
use layoutproof_source::stable_hash::stable_hash;

use super::CheckProbes;

/// At most one in this many probes is spared.
const PROBES_OF_ONE_SPARED: usize = 8;

/// After this many runs in a row, every check of bindings has run once with the driver's own
/// settings.
const TURNS: u64 = 16;

/// A kind of access on a device, by shaders of one producer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AccessKind {
    device: String,
    runner: RunnerKind,
    producer: Producer,
    /// Name of the entry point, which encodes space, stage and direction.
    entry: String,
    forms: Vec<Form>,
    // What decides how a shader loads and stores a component.
    is_bool: bool,
    component_bytes: u32,
}

/// A probe that may be spared: a hash of the names of check and probe, which orders the probes of a
/// kind, the check, and the probe.
type Candidate = (u64, usize, ProbeName);

/// Returns true if a check of bindings runs with the driver's own settings in the run with this
/// number.
pub(super) fn is_turn(turn: u64, check: &ProofCheck) -> bool {
    // The upper half of the hash depends on every character.
    (stable_hash(&check.id().to_string()) >> 32) % TURNS == turn % TURNS
}

/// Chooses the probes of `checks` that are spared in run number `turn`. Adds their access kinds to
/// `covered`, and spares no probe for a kind that is already there.
pub(super) fn choose(turn: u64, checks: &[DeviceCheck], covered: &mut BTreeSet<AccessKind>) -> CheckProbes {
    let (kinds, probes) = candidates(checks);
    let mut lacking: Vec<(AccessKind, Candidate)> = Vec::new();
    for (kind, mut candidates) in kinds.into_iter().filter(|(kind, _)| !covered.contains(kind)) {
        candidates.sort_unstable();
        let place = usize::try_from(turn % candidates.len() as u64).unwrap_or(0);
        lacking.push((kind, candidates.swap_remove(place)));
    }
    // If there are too few probes for all kinds, each run leaves out different kinds.
    lacking.sort_by_key(|(_, candidate)| stable_hash(&format!("{turn} {}", candidate.0)));

    let mut spared = CheckProbes::new();
    let mut count = 0;
    for (kind, (_, check, probe)) in lacking {
        let is_new = spared.get(&check).is_none_or(|probes| !probes.contains(&probe));
        if is_new && count == probes / PROBES_OF_ONE_SPARED {
            continue;
        }
        count += usize::from(is_new);
        spared.entry(check).or_default().insert(probe);
        covered.insert(kind);
    }
    spared
}

/// The probes of every access kind, and the number of all probes. Checks that share their shaders
/// count once, under the first of them.
fn candidates(checks: &[DeviceCheck]) -> (BTreeMap<AccessKind, Vec<Candidate>>, usize) {
    let mut kinds: BTreeMap<AccessKind, Vec<Candidate>> = BTreeMap::new();
    let mut probes = 0;
    let mut counted = BTreeSet::new();
    for (index, check) in checks.iter().enumerate() {
        let DeviceCheck::Bytes(check) = check else { continue };
        if !counted.insert((Arc::as_ptr(&check.produced), &check.device.id, check.device.runner)) {
            continue;
        }
        let name = check.id();
        for (number, module) in check.runnable() {
            for entry in &module.plan.entries {
                probes += 1;
                let order = stable_hash(&format!("{name} {number} {}", entry.name));
                for kind in kinds_of(check, &module.plan, entry) {
                    let probe = (number, entry.name.clone());
                    kinds.entry(kind).or_default().push((order, index, probe));
                }
            }
        }
    }
    (kinds, probes)
}

fn kinds_of(check: &Check, plan: &ProbePlan, entry: &ProbeEntry) -> BTreeSet<AccessKind> {
    let kind = |component: Component| AccessKind {
        device: check.device.id.clone(),
        runner: check.device.runner,
        producer: check.produced.producer,
        entry: entry.name.clone(),
        forms: entry.forms.clone(),
        is_bool: component.scalar == Scalar::Bool,
        component_bytes: component.size,
    };
    plan.leaves.iter().map(|leaf| kind(leaf.component)).collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_core::check::{CompiledAccesses, Settings, Source, Subject, SubjectShaders};
    use layoutproof_device::Runner as _;
    use layoutproof_events::producer::Generator;
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};
    use layoutproof_model::Model;
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// A check of a case with this name, on the model.
    fn check(name: &str, text: &str) -> DeviceCheck {
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).expect("a short text");
        let span = Span { file: sources.add(name, text), start: 0, end };
        let (layout, declare) = (LayoutOptions::default(), DeclareOptions::default());
        let source = Source::of_file(span, layout, &declare, &mut sources).expect("the text is HLSL");
        let subject = Subject::new(Arc::new(source), find("std430").expect("a row of the table"));
        let settings = Settings {
            forms: Form::ALL.into(),
            spaces: None,
            stages: None,
            compiled: CompiledAccesses::All,
            elements: ElementChoice::Sample,
            planted_rules: None,
        };
        let produced = SubjectShaders::new(&subject, Generator::Rspirv, &settings);
        let (subject, produced) = (Arc::new(subject), Arc::new(produced));
        DeviceCheck::Bytes(Check { subject, produced, device: Model::new().device().clone() })
    }

    /// Checks of 64 cases with floats, one with a bool and one with 16-bit numbers.
    fn checks() -> Vec<DeviceCheck> {
        let floats = (0..64).map(|it| check(&format!("{it}.hlsl"), "cbuffer S { float a; };"));
        let bools = check("bool.hlsl", "cbuffer S { float a; bool b; };");
        let halves = check("half.hlsl", "cbuffer S { float a; half b[2]; half3 c[2]; };");
        floats.chain([bools, halves]).collect()
    }

    fn count(spared: &CheckProbes) -> usize {
        spared.values().map(BTreeSet::len).sum()
    }

    #[test]
    fn a_probe_of_every_kind_of_access_is_spared() {
        let checks = checks();
        let (all, probes) = candidates(&checks);
        for turn in 0..20 {
            let mut covered = BTreeSet::new();
            let spared = choose(turn, &checks, &mut covered);
            assert!(count(&spared) <= probes / PROBES_OF_ONE_SPARED, "{spared:?} of {probes}");
            assert!(all.keys().eq(covered.iter()), "{turn}: {covered:?}");
            assert!(spared.contains_key(&64) && spared.contains_key(&65), "bools and halves: {spared:?}");
        }
    }

    #[test]
    fn every_probe_of_a_kind_has_its_turn() {
        let checks: Vec<DeviceCheck> = checks().into_iter().take(64).collect();
        let turns = (0..64).map(|turn| choose(turn, &checks, &mut BTreeSet::new()));
        let taken: BTreeSet<usize> = turns.flat_map(BTreeMap::into_keys).collect();
        assert_eq!(taken, (0..64).collect());
    }

    #[test]
    fn few_probes_are_spared_at_most_by_an_eighth() {
        let one = [check("one.hlsl", "cbuffer S { float a; bool b; half c[2]; };")];
        let (_, probes) = candidates(&one);
        let spared = choose(0, &one, &mut BTreeSet::new());
        assert_eq!(count(&spared), probes / PROBES_OF_ONE_SPARED, "{spared:?} of {probes}");
    }

    /// The second part of a run spares none where the first has had every kind of access.
    #[test]
    fn kinds_that_an_earlier_part_has_spared_are_not_spared_again() {
        let checks = checks();
        let mut kinds = BTreeSet::new();
        choose(0, &checks, &mut kinds);
        assert!(choose(1, &checks, &mut kinds).is_empty());
    }
}
