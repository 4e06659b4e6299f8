//! Screens: fused modules that answer for probes of many checks at once.
//!
//! Checks of one device in, dispatches with a word for every probe out, and of what comes back the probes that are
//! answered: their word is right, so the device read every leaf where the layout has it ([`FusedJob`]). Any other word
//! says nothing but that the probe needs its own jobs. Only probes of our SPIR-V take part that a fused module can answer
//! in full; the others would need their own pipeline all the same. Padding, guards and exact ranges are not looked at.

use std::collections::BTreeSet;

use crate::check::conduct::Check;
use crate::check::producer::{Generator, Producer};
use crate::check::shader_module::ShaderModule;
use crate::generate::spirv::produce_fused;
use crate::image::{image_size, nonce_word};
use crate::layout::BlockLayout;
use crate::probe::{
    Fold, FusedCase, FusedGroup, FusedJob, FusedSpace, Interface, PlanShader, ProbeEntry, ProbePlan, Tuning, fusable,
};
use crate::runner::{Job, ReadBack};

/// The probes of a check that fused modules have answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered(BTreeSet<(usize, String)>);

impl Answered {
    /// Adds a probe.
    pub fn add(&mut self, ProbeId { module, entry, .. }: &ProbeId) {
        self.0.insert((*module, entry.clone()));
    }

    /// Whether the entry point of that module is among them.
    pub(super) fn contains(&self, module: usize, entry: &str) -> bool {
        self.0.contains(&(module, entry.to_owned()))
    }
}

/// A probe of one of several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeId {
    /// The check, as the caller numbers it.
    pub check: usize,
    /// Index into [`Produced::modules`](super::Produced::modules).
    module: usize,
    /// Name of the entry point.
    entry: String,
}

/// A dispatch that answers for probes of several checks.
#[derive(Clone, Debug)]
pub struct Screen {
    fused: FusedJob,
    /// By the number of the answer: the probes that it is for.
    probes: Vec<Vec<ProbeId>>,
}

impl Screen {
    /// The screens of checks of one device, each with its number. A probe that would be alone in its module is in none.
    pub fn all(checks: &[(usize, &Check)]) -> Vec<Self> {
        let Some((_, first)) = checks.first() else { return Vec::new() };
        let of_space = |space: FusedSpace| {
            let loads = Tuning::of(&first.device.id, space).loads;
            let groups = cut(candidates(checks, space), loads).into_iter().filter(|group| group.len() > 1);
            groups.filter_map(move |group| Self::new(&group, space))
        };
        FusedSpace::ALL.into_iter().flat_map(of_space).collect()
    }

    /// The screen of a group; `None` for one that cannot be written.
    fn new(group: &[Candidate<'_>], space: FusedSpace) -> Option<Self> {
        let cases = |layout: fn(&ShaderModule) -> &BlockLayout| -> Vec<FusedCase> {
            let case = |it: &Candidate<'_>| FusedCase { layout: layout(it.module).clone(), plan: it.plan.clone() };
            group.iter().map(case).collect()
        };
        let written = cases(|module| module.planted.as_ref().unwrap_or(&module.layout));
        let expected = cases(|module| &module.layout);
        let produced = produce_fused(&FusedGroup { cases: &written, space, fold: Fold::Hash }).ok()?;
        let (shader, requires) = (produced.shader(), produced.requires());
        let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
        let group_expected = FusedGroup { cases: &expected, space, fold: Fold::Hash };
        let fused = FusedJob::new(&group_expected, nonce_word(1), shader).ok()?;
        Some(Self { fused, probes: group.iter().map(|candidate| candidate.probes.clone()).collect() })
    }

    /// What the device gets.
    pub fn job(&self) -> &Job {
        &self.fused.job
    }

    /// All probes that it may answer.
    pub fn probes(&self) -> impl Iterator<Item = &ProbeId> {
        self.probes.iter().flatten()
    }

    /// The probes that this answer is right for.
    pub fn answered(&self, read_back: &ReadBack) -> impl Iterator<Item = &ProbeId> {
        let wrong = self.fused.wrong(read_back);
        let right = self.probes.iter().enumerate().filter(move |(number, _)| !wrong.contains(number));
        right.flat_map(|(_, probes)| probes)
    }
}

/// Probes that one answer is for: the same entry point of the same shader, with the same offsets expected of it.
#[derive(Debug)]
struct Candidate<'a> {
    module: &'a ShaderModule,
    plan: ProbePlan,
    probes: Vec<ProbeId>,
}

impl Candidate<'_> {
    fn is_same(&self, module: &ShaderModule, plan: &ProbePlan) -> bool {
        let offsets = |plan: &ProbePlan| plan.leaves.iter().map(|leaf| leaf.offset).collect::<Vec<_>>();
        self.plan.entries == plan.entries && self.module.code == module.code && offsets(&self.plan) == offsets(plan)
    }

    fn entry(&self) -> &ProbeEntry {
        &self.plan.entries[0]
    }

    /// What is loaded.
    fn loads(&self) -> usize {
        self.plan.leaves.len() * self.entry().forms.len()
    }
}

/// What of the checks can be answered in a space, rule sets that agree on a layout together.
fn candidates<'a>(checks: &[(usize, &'a Check)], space: FusedSpace) -> Vec<Candidate<'a>> {
    let mut candidates: Vec<Candidate<'a>> = Vec::new();
    for (number, check) in checks {
        for (index, module, plan) in check.in_full(space) {
            let probe = ProbeId { check: *number, module: index, entry: plan.entries[0].name.clone() };
            match candidates.iter_mut().find(|candidate| candidate.is_same(module, &plan)) {
                Some(same) => same.probes.push(probe),
                None => candidates.push(Candidate { module, plan, probes: vec![probe] }),
            }
        }
    }
    candidates
}

/// Cuts candidates into groups of at most so many loads.
fn cut(candidates: Vec<Candidate<'_>>, loads: usize) -> Vec<Vec<Candidate<'_>>> {
    let mut groups: Vec<Vec<Candidate<'_>>> = Vec::new();
    let mut room = 0;
    for candidate in candidates {
        let own = candidate.loads();
        match groups.last_mut() {
            Some(group) if own <= room => {
                room -= own;
                group.push(candidate);
            }
            Some(_) | None => {
                room = loads.saturating_sub(own);
                groups.push(vec![candidate]);
            }
        }
    }
    groups
}

impl Check {
    /// The modules of which the device can run an entry point in `space` that fused modules can answer in full, each with
    /// its index and the plan of that entry point.
    fn in_full(&self, space: FusedSpace) -> impl Iterator<Item = (usize, &ShaderModule, ProbePlan)> {
        let is_ours = self.produced.producer == Producer::Generator(Generator::Rspirv);
        let modules = self.produced.modules.iter().enumerate();
        let runs = |module: &ShaderModule| self.takes(module) && module.requires.is_subset(&self.device.features);
        let usable = modules.filter(move |(_, module)| is_ours && runs(module));
        let planned = usable.filter_map(move |(index, module)| Some((index, module, full(&module.plan, space)?)));
        planned.filter(move |(_, module, plan)| self.holds(module, plan, space))
    }

    /// Whether the device can bind the block in `space`.
    fn holds(&self, module: &ShaderModule, plan: &ProbePlan, space: FusedSpace) -> bool {
        let limit = match space {
            FusedSpace::Uniform => self.device.max_uniform_range,
            FusedSpace::Storage => u32::MAX,
        };
        image_size(&module.layout, plan).is_ok_and(|size| u32::try_from(size).is_ok_and(|size| size <= limit))
    }
}

/// The part of a plan that can be fused, if nothing of its entry point is missing there.
fn full(plan: &ProbePlan, space: FusedSpace) -> Option<ProbePlan> {
    let part = fusable(plan, space)?;
    let complete = part.leaves == plan.leaves && part.entries.iter().all(|entry| plan.entries.contains(entry));
    complete.then_some(part)
}
