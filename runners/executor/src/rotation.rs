//! Chooses the checks that go through the screen, fused modules and settings that make a driver fast: none of them, or all
//! but a share that is another one in the next run.
//!
//! The screen leaves out what a driver's users have, and what a hash does not see, so it is good for finding candidates:
//! a share of the checks goes without, and so does again what fails with it. In a run of many cases every kind of access is
//! in that share, by other checks in each run.

use std::collections::BTreeSet;
use std::sync::Arc;

use layoutproof_core::check::{Check, Producer, SubjectShaders};
use layoutproof_core::probe::{AddressSpace, Direction, Form, ProbePlan, Stage};
use layoutproof_core::stable_hash::stable_hash;
use layoutproof_device::RunnerKind;
use layoutproof_layout::{Component, Scalar};

/// After so many runs in a row every check has had the driver's own settings once.
const TURNS: u64 = 128;

/// Of so many groups of checks one at most is spared because of the kinds of access that it has.
const GROUPS_OF_ONE_SPARED: usize = 8;

/// The share of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Every check goes without the screen.
    All,
    /// Those go without whose turn it is in the run of this number, and few cheap ones that have what those lack.
    Turn(u64),
}

/// A kind of access on a device, by shaders of one producer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AccessCell {
    device: String,
    runner: RunnerKind,
    producer: Producer,
    space: AddressSpace,
    stage: Stage,
    direction: Direction,
    form: Form,
    component: ComponentKind,
}

/// What decides how a component is loaded and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ComponentKind {
    is_bool: bool,
    /// Bytes.
    size: u32,
}

/// The kinds of access that a run of many parts has run without the screen so far.
#[derive(Clone, Debug, Default)]
pub struct SparedKinds(BTreeSet<AccessCell>);

/// What a group of checks costs without the screen, and what that shows.
struct SparedGroup {
    /// Index of the group.
    index: usize,
    /// True if it has its turn.
    is_due: bool,
    cells: BTreeSet<AccessCell>,
    /// Accesses of all rule sets that do not share their shaders, at least 1.
    accesses: usize,
    /// Decides between groups of like cost, in each run otherwise.
    draw: u64,
}

impl Rotation {
    /// Those of `groups`, indices of checks of one case, producer and device each, that go without the screen. Their kinds of
    /// access are added to `covered`, and no group is spared for one that is there already.
    pub(crate) fn spared(
        self,
        checks: &[Check],
        groups: &[Vec<usize>],
        SparedKinds(covered): &mut SparedKinds,
    ) -> BTreeSet<usize> {
        let Self::Turn(turn) = self else { return (0..groups.len()).collect() };
        let most = groups.len() / GROUPS_OF_ONE_SPARED;
        let groups = groups.iter().enumerate().map(|(index, group)| SparedGroup::new(checks, group, index, turn));
        let (due, others): (Vec<_>, Vec<_>) = groups.partition(|group| group.is_due);
        let mut spared: BTreeSet<usize> = due.iter().map(|group| group.index).collect();
        covered.extend(due.into_iter().flat_map(|group| group.cells));

        while spared.len() < most {
            let lacking = others.iter().filter(|group| !group.cells.is_subset(covered));
            let Some(next) = lacking.min_by_key(|group| (group.cost(covered), group.draw)) else { break };
            spared.insert(next.index);
            covered.extend(next.cells.iter().cloned());
        }
        spared
    }
}

/// The name of a group: all rule sets of a case share their jobs, and so their turn.
fn group_name(Check { subject, produced, device }: &Check) -> String {
    format!("{}::{}::{}::{}", subject.source.id, produced.producer, device.id, device.runner.as_str())
}

fn is_turn(turn: u64, group: &str) -> bool {
    // The upper half of the hash depends on every letter.
    (stable_hash(group) >> 32) % TURNS == turn % TURNS
}

impl SparedGroup {
    fn new(checks: &[Check], group: &[usize], index: usize, turn: u64) -> Self {
        let mut cells = BTreeSet::new();
        let mut accesses: usize = 1;
        let mut counted: Vec<&Arc<SubjectShaders>> = Vec::new();
        for check in group.iter().map(|index| &checks[*index]) {
            if counted.iter().any(|shaders| Arc::ptr_eq(shaders, &check.produced)) {
                continue;
            }
            counted.push(&check.produced);
            for plan in check.produced.modules.iter().map(|module| &module.plan) {
                let forms = plan.entries.iter().map(|entry| entry.forms.len()).sum::<usize>();
                accesses += plan.leaves.len() * forms;
                cells.extend(cells_of(check, plan));
            }
        }

        let name = group_name(&checks[group[0]]);
        Self { index, is_due: is_turn(turn, &name), cells, accesses, draw: stable_hash(&format!("{turn} {name}")) }
    }

    /// Accesses for each kind that is not `covered`, as a power of two in sixteenths; it has one such kind at least.
    fn cost(&self, covered: &BTreeSet<AccessCell>) -> u32 {
        let kinds = self.cells.difference(covered).count();
        (16 * self.accesses / kinds).checked_ilog2().unwrap_or(0)
    }
}

/// The kinds of access that the shader of a plan has.
fn cells_of(check: &Check, plan: &ProbePlan) -> BTreeSet<AccessCell> {
    let kind = |component: Component| ComponentKind { is_bool: component.scalar == Scalar::Bool, size: component.size };
    let components: BTreeSet<ComponentKind> = plan.leaves.iter().map(|leaf| kind(leaf.component)).collect();

    let mut cells = BTreeSet::new();
    for entry in &plan.entries {
        for form in &entry.forms {
            cells.extend(components.iter().map(|component| AccessCell {
                device: check.device.id.clone(),
                runner: check.device.runner,
                producer: check.produced.producer,
                space: entry.space,
                stage: entry.stage,
                direction: entry.direction,
                form: *form,
                component: *component,
            }));
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use layoutproof_core::check::{Generator, Settings, Source, Subject, SubjectShaders};
    use layoutproof_core::declare::DeclareOptions;
    use layoutproof_core::input::sources::SourceMap;
    use layoutproof_core::model::Model;
    use layoutproof_device::Runner as _;
    use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};

    use super::*;

    /// A check on the model, whose case has this name.
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
            elements: ElementChoice::Sample,
            planted_rules: None,
        };
        let produced = SubjectShaders::new(&subject, Generator::Rspirv, &settings);
        Check { subject: Arc::new(subject), produced: Arc::new(produced), device: Model::new().device().clone() }
    }

    /// Of 64 cases with floats, two with bools and two with 16-bit numbers, one of which is large, at most 8 are spared, every
    /// kind of access among them, and never the large one unless it has its turn.
    #[test]
    fn every_kind_of_access_is_spared_somewhere() {
        let mut checks: Vec<Check> =
            (0..64).map(|it| check(&format!("{it}.hlsl"), "cbuffer S { float a; };")).collect();
        checks.push(check("bool.hlsl", "cbuffer S { float a; bool b; };"));
        checks.push(check("half.hlsl", "cbuffer S { float a; half b[2]; half3 c[2]; };"));
        checks.push(check("large.hlsl", "cbuffer S { float a; half b[40]; half3 c[40]; };"));
        let groups: Vec<Vec<usize>> = (0..checks.len()).map(|index| vec![index]).collect();
        let cells = |group: usize| SparedGroup::new(&checks, &groups[group], group, 0).cells;
        let all: BTreeSet<AccessCell> = (0..groups.len()).flat_map(cells).collect();

        for turn in 0..TURNS {
            let spared = Rotation::Turn(turn).spared(&checks, &groups, &mut SparedKinds::default());
            let due = |group: &usize| is_turn(turn, &group_name(&checks[*group]));
            assert!(spared.len() <= 8.max((0..checks.len()).filter(due).count()), "{spared:?}");
            let only_there: Vec<_> = cells(66).into_iter().filter(|cell| !cells(65).contains(cell)).collect();
            assert!(!spared.contains(&66) || due(&66), "{spared:?}: {only_there:?}");
            assert_eq!(spared.iter().flat_map(|group| cells(*group)).collect::<BTreeSet<_>>(), all, "{turn}");
        }
    }

    /// The second part of a run spares those of its own turn alone where the first has had every kind of access.
    #[test]
    fn kinds_that_an_earlier_part_has_spared_are_not_spared_again() {
        let checks: Vec<Check> = (0..64).map(|it| check(&format!("{it}.hlsl"), "cbuffer S { float a; };")).collect();
        let groups: Vec<Vec<usize>> = (0..checks.len()).map(|index| vec![index]).collect();
        let mut kinds = SparedKinds::default();
        Rotation::Turn(0).spared(&checks, &groups, &mut kinds);
        for turn in 0..TURNS {
            let due = |group: &usize| is_turn(turn, &group_name(&checks[*group]));
            let spared = Rotation::Turn(turn).spared(&checks, &groups, &mut kinds);
            assert_eq!(spared, (0..checks.len()).filter(due).collect());
        }
    }

    #[test]
    fn every_group_has_its_turn_once() {
        let mut shares = [0; 128];
        for name in (0..12_800).map(|number| format!("arrays/case_{number}::rspirv::lavapipe::ash")) {
            let turns = (0..TURNS).filter(|turn| is_turn(*turn, &name)).collect::<Vec<_>>();
            let [turn] = turns[..] else { panic!("{name}: {turns:?}") };
            assert!(is_turn(turn + TURNS, &name));
            shares[usize::try_from(turn).unwrap()] += 1;
        }
        assert!(shares.iter().all(|share| (60..140).contains(share)), "{shares:?} of 12800");
    }
}
