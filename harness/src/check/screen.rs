//! Screens: modules that answer for probes of many checks at once.
//!
//! Checks of one device in, dispatches with an answer for every probe out, and of what comes back the probes that are
//! answered: by a hash that is right, so that the device read every leaf where the layout has it ([`FusedJob`]), or by
//! a region in which all is as it should be ([`RegionJob`]). Any other answer says nothing but that the probe needs its
//! own jobs. Nothing is said of exact ranges, and by a hash nothing of padding and guards.

use std::collections::BTreeSet;

use layoutproof_device::{Job, ReadBack};
use layoutproof_layout::BlockLayout;

use crate::check::candidate::{Candidate, Manner, groups};
use crate::check::check::Check;
use crate::check::producer::{Generator, Producer};
use crate::check::shader_module::ShaderModule;
use crate::generate::spirv::{produce_fused, produce_regions};
use crate::probe::image::nonce_word;
use crate::probe::{
    Fold, FusedCase, FusedGroup, FusedJob, FusedSpace, Interface, PlanShader, ProbeEntry, RegionJob, Regions,
};

/// The probes of a check that screens have answered.
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

impl ProbeId {
    pub(super) fn new(check: usize, module: usize, entry: &ProbeEntry) -> Self {
        Self { check, module, entry: entry.name.clone() }
    }
}

/// A dispatch that answers for probes of several checks.
#[derive(Clone, Debug)]
pub struct Screen {
    asked: Asked,
    /// By the number of the answer: the probes that it is for.
    probes: Vec<Vec<ProbeId>>,
}

/// How the probes share the dispatch.
#[derive(Clone, Debug)]
enum Asked {
    Folded(FusedJob),
    Apart(RegionJob),
}

impl Screen {
    /// The screens of checks of one device, each with its number. A probe that would be alone in its module is in none.
    pub fn all(checks: &[(usize, &Check)]) -> Vec<Self> {
        let screens = groups(checks).into_iter().filter_map(|(manner, group)| {
            let asked = match manner {
                Manner::Folded(space) => Asked::Folded(fold(&group, space)?),
                Manner::Apart(_) => Asked::Apart(set_apart(&group)?),
            };
            Some(Self { asked, probes: group.into_iter().map(|candidate| candidate.probes).collect() })
        });
        screens.collect()
    }

    /// Whether modules can hold what this producer writes elsewhere.
    pub fn holds(producer: Producer) -> bool {
        producer == Producer::Generator(Generator::Rspirv)
    }

    /// What the device gets.
    pub fn job(&self) -> &Job {
        match &self.asked {
            Asked::Folded(fused) => &fused.job,
            Asked::Apart(regions) => &regions.job,
        }
    }

    /// All probes that it may answer.
    pub fn probes(&self) -> impl Iterator<Item = &ProbeId> {
        self.probes.iter().flatten()
    }

    /// The probes that this answer is right for.
    pub fn answered(&self, read_back: &ReadBack) -> impl Iterator<Item = &ProbeId> {
        let wrong = match &self.asked {
            Asked::Folded(fused) => fused.wrong(read_back),
            Asked::Apart(regions) => regions.wrong(read_back),
        };
        let right = self.probes.iter().enumerate().filter(move |(number, _)| !wrong.contains(number));
        right.flat_map(|(_, probes)| probes)
    }
}

fn cases(group: &[Candidate<'_>], layout: fn(&ShaderModule) -> &BlockLayout) -> Vec<FusedCase> {
    let case = |it: &Candidate<'_>| FusedCase { layout: layout(it.module).clone(), plan: it.plan.clone() };
    group.iter().map(case).collect()
}

/// The dispatch of a group whose answers are hashes; `None` where it cannot be written.
fn fold(group: &[Candidate<'_>], space: FusedSpace) -> Option<FusedJob> {
    let written = cases(group, |module| module.planted.as_ref().unwrap_or(&module.layout));
    let expected = cases(group, |module| &module.layout);
    let produced = produce_fused(&FusedGroup { cases: &written, space, fold: Fold::Hash }).ok()?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
    FusedJob::new(&FusedGroup { cases: &expected, space, fold: Fold::Hash }, nonce_word(1), shader).ok()
}

/// The dispatch of a group with a region for each; `None` where it cannot be written.
fn set_apart(group: &[Candidate<'_>]) -> Option<RegionJob> {
    let alone = group.iter().map(|candidate| candidate.alone.as_ref()).collect::<Option<Vec<_>>>()?;
    let regions = Regions::of(&alone)?;
    let produced = produce_regions(&cases(group, |module| &module.layout), &regions).ok()?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
    let plans = group.iter().map(|candidate| candidate.plan.clone());
    RegionJob::new(plans.zip(alone.into_iter().cloned()).collect(), shader)
}
