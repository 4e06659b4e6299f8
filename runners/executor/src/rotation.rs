//! Chooses the probes that skip the screen, that is, shared modules and fast driver settings:
//! either all probes, or a few that change from run to run.
//!
//! The screen does not use the settings that a driver's users have, and its hashes can miss a
//! difference, so it only finds candidates. One probe per access kind skips it, and each check that
//! fails in the screen is rerun without it. From run to run, every probe of a kind has its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_core::check::{Check, ProbeId, Producer};
use layoutproof_device::RunnerKind;
use layoutproof_layout::{Component, Scalar};
use layoutproof_probes::{Form, ProbeEntry, ProbePlan};
use layoutproof_random::stable_hash::stable_hash;

use crate::screen::CheckProbes;

/// At most one in this many probes is spared.
const PROBES_OF_ONE_SPARED: usize = 8;

/// The part of a run that skips the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Every check.
    All,
    /// One probe of every access kind, but no more than an eighth of all probes. The number is that
    /// of the run.
    Turn(u64),
}

/// A kind of access on a device, by shaders of one producer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AccessCell {
    device: String,
    runner: RunnerKind,
    producer: Producer,
    /// Name of the entry point, which encodes space, stage and direction.
    entry: String,
    forms: Vec<Form>,
    component: ComponentKind,
}

/// The properties of a component that decide how a shader loads and stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ComponentKind {
    is_bool: bool,
    /// In bytes.
    size: u32,
}

/// The access kinds that the parts of a run have run without the screen so far.
#[derive(Clone, Debug, Default)]
pub struct SparedKinds(BTreeSet<AccessCell>);

/// A probe that may be spared.
struct SpareCandidate {
    probe: ProbeId,
    /// Orders the probes of a kind; a hash of the names of check and probe.
    order: u64,
}

/// Chooses the probes of `checks` that skip the screen in run number `turn`. Adds their access
/// kinds to `covered`, and spares no probe for a kind that is already there.
pub(crate) fn spared(turn: u64, checks: &[Check], SparedKinds(covered): &mut SparedKinds) -> CheckProbes {
    let (cells, probes) = candidates(checks);
    let mut lacking: Vec<(AccessCell, SpareCandidate)> = Vec::new();
    for (cell, mut candidates) in cells.into_iter().filter(|(cell, _)| !covered.contains(cell)) {
        candidates.sort_by_key(|candidate| candidate.order);
        let place = usize::try_from(turn % candidates.len() as u64).unwrap_or(0);
        lacking.push((cell, candidates.swap_remove(place)));
    }
    // If there are too few probes for all kinds, each run leaves out different kinds.
    lacking.sort_by_key(|(_, candidate)| stable_hash(&format!("{turn} {}", candidate.order)));

    let mut spared = CheckProbes::new();
    let mut count = 0;
    for (cell, SpareCandidate { probe, .. }) in lacking {
        let is_new = spared.get(&probe.check).is_none_or(|of_check| !of_check.has(&probe));
        if is_new && count == probes / PROBES_OF_ONE_SPARED {
            continue;
        }
        count += usize::from(is_new);
        spared.entry(probe.check).or_default().add(&probe);
        covered.insert(cell);
    }
    spared
}

/// The probes of every access kind, and the number of all probes. Checks that share their shaders
/// count once, under the first of them.
fn candidates(checks: &[Check]) -> (BTreeMap<AccessCell, Vec<SpareCandidate>>, usize) {
    let mut cells: BTreeMap<AccessCell, Vec<SpareCandidate>> = BTreeMap::new();
    let mut probes = 0;
    let mut counted = BTreeSet::new();
    for (index, check) in checks.iter().enumerate() {
        if !counted.insert((Arc::as_ptr(&check.produced), &check.device.id, check.device.runner)) {
            continue;
        }
        let name = check.id();
        for (number, module) in check.runnable() {
            for entry in &module.plan.entries {
                probes += 1;
                let order = stable_hash(&format!("{name} {number} {}", entry.name));
                for cell in cells_of(check, &module.plan, entry) {
                    let probe = ProbeId::new(index, number, entry);
                    cells.entry(cell).or_default().push(SpareCandidate { probe, order });
                }
            }
        }
    }
    (cells, probes)
}

/// The access kinds of an entry point.
fn cells_of(check: &Check, plan: &ProbePlan, entry: &ProbeEntry) -> BTreeSet<AccessCell> {
    let kind = |component: Component| ComponentKind { is_bool: component.scalar == Scalar::Bool, size: component.size };
    let components: BTreeSet<ComponentKind> = plan.leaves.iter().map(|leaf| kind(leaf.component)).collect();
    let cell = |component| AccessCell {
        device: check.device.id.clone(),
        runner: check.device.runner,
        producer: check.produced.producer,
        entry: entry.name.clone(),
        forms: entry.forms.clone(),
        component,
    };
    components.into_iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use layoutproof_core::check::{CompiledAccesses, Generator, Settings, Source, Subject, SubjectShaders};
    use layoutproof_device::Runner as _;
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};
    use layoutproof_model::Model;
    use layoutproof_source::sources::SourceMap;

    use super::*;

    /// A check of a case with this name, on the model.
    fn check(name: &str, text: &str) -> Check {
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
        Check { subject: Arc::new(subject), produced: Arc::new(produced), device: Model::new().device().clone() }
    }

    /// Checks of 64 cases with floats, one with a bool and one with 16-bit numbers.
    fn checks() -> Vec<Check> {
        let floats = (0..64).map(|it| check(&format!("{it}.hlsl"), "cbuffer S { float a; };"));
        let bools = check("bool.hlsl", "cbuffer S { float a; bool b; };");
        let halves = check("half.hlsl", "cbuffer S { float a; half b[2]; half3 c[2]; };");
        floats.chain([bools, halves]).collect()
    }

    fn count(spared: &CheckProbes) -> usize {
        spared.values().map(|probes| probes.entries().len()).sum()
    }

    #[test]
    fn a_probe_of_every_kind_of_access_is_spared() {
        let checks = checks();
        let (all, probes) = candidates(&checks);
        for turn in 0..20 {
            let mut covered = SparedKinds::default();
            let spared = spared(turn, &checks, &mut covered);
            assert!(count(&spared) <= probes / PROBES_OF_ONE_SPARED, "{spared:?} of {probes}");
            assert!(all.keys().eq(covered.0.iter()), "{turn}: {covered:?}");
            assert!(spared.contains_key(&64) && spared.contains_key(&65), "bools and halves: {spared:?}");
        }
    }

    #[test]
    fn every_probe_of_a_kind_has_its_turn() {
        let checks: Vec<Check> = checks().into_iter().take(64).collect();
        let turns = (0..64).map(|turn| spared(turn, &checks, &mut SparedKinds::default()));
        let taken: BTreeSet<usize> = turns.flat_map(BTreeMap::into_keys).collect();
        assert_eq!(taken, (0..64).collect());
    }

    #[test]
    fn few_probes_are_spared_at_most_by_an_eighth() {
        let one = [check("one.hlsl", "cbuffer S { float a; bool b; half c[2]; };")];
        let (_, probes) = candidates(&one);
        let spared = spared(0, &one, &mut SparedKinds::default());
        assert_eq!(count(&spared), probes / PROBES_OF_ONE_SPARED, "{spared:?} of {probes}");
    }

    /// The second part of a run spares none where the first has had every kind of access.
    #[test]
    fn kinds_that_an_earlier_part_has_spared_are_not_spared_again() {
        let checks = checks();
        let mut kinds = SparedKinds::default();
        spared(0, &checks, &mut kinds);
        assert!(spared(1, &checks, &mut kinds).is_empty());
    }
}
