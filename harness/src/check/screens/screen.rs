//! Screens are modules that answer for probes of many checks at once.
//!
//! The executor runs a device's screens before the jobs of single checks, because one dispatch
//! answers for hundreds of probes. A screen answers a probe in one of two ways: by a correct hash,
//! which proves that the device read every leaf at its place in the layout ([`FusedJob`]), or by a
//! region whose contents are all correct ([`RegionJob`]). Any other answer only means that the
//! probe needs its own jobs.
//!
//! Screens prove nothing about exact ranges, and the hash of a [`FusedJob`] proves nothing about
//! padding and guards.

use std::collections::BTreeMap;

use layoutproof_device::{Job, ReadBack};
use layoutproof_layout::BlockLayout;

use crate::check::check::Check;
use crate::check::probe_id::{ProbeId, ProbeSet};
use crate::check::produce::shader_module::ShaderModule;
use crate::check::screens::candidate::{Candidate, SharingMode, groups};
use layoutproof_probes::generate::spirv::{produce_fused, produce_regions};
use layoutproof_probes::image::nonce_word;
use layoutproof_probes::{
    Fold, FusedCase, FusedGroup, FusedJob, FusedSpace, Interface, PlanShader, RegionCase, RegionJob, RegionPlaces,
};

/// Dispatches of one module that answer for probes of several checks.
#[derive(Clone, Debug)]
pub struct Screen {
    asked: ScreenJob,
    /// For each answer, by its number: the probes that it covers.
    probes: Vec<Vec<ProbeId>>,
    accesses: usize,
}

/// How the probes share the module.
#[derive(Clone, Debug)]
enum ScreenJob {
    Folded(Box<FusedJob>),
    Apart(RegionJob),
}

impl Screen {
    /// Builds the screens for the numbered checks of one device, without the `spared` probes. A
    /// probe that would be alone in its module without gain gets no screen.
    pub fn all(checks: &[(usize, &Check)], spared: &BTreeMap<usize, ProbeSet>) -> Vec<Self> {
        let screens = groups(checks, spared).into_iter().filter_map(|(manner, group)| {
            let asked = match manner {
                SharingMode::Folded(space) => ScreenJob::Folded(Box::new(fold(&group, space)?)),
                SharingMode::Apart { .. } => ScreenJob::Apart(set_apart(&group)?),
            };
            let accesses = group.iter().map(Candidate::accesses).sum();
            Some(Self { asked, probes: group.into_iter().map(|candidate| candidate.probes).collect(), accesses })
        });
        screens.collect()
    }

    /// The jobs that the device runs. All have the same shader.
    pub fn jobs(&self) -> &[Job] {
        match &self.asked {
            ScreenJob::Folded(fused) => std::slice::from_ref(&fused.job),
            ScreenJob::Apart(regions) => &regions.jobs,
        }
    }

    /// Counts the accesses to leaves, each form once, however many probes they answer.
    pub fn accesses(&self) -> usize {
        self.accesses
    }

    /// Iterates over all probes that the screen may answer.
    pub fn probes(&self) -> impl Iterator<Item = &ProbeId> {
        self.probes.iter().flatten()
    }

    /// Iterates over the probes for which these answers are right. There must be one answer per
    /// job.
    pub fn answered(&self, answers: &[ReadBack]) -> impl Iterator<Item = &ProbeId> {
        let wrong = match (&self.asked, answers) {
            (ScreenJob::Folded(fused), [answer]) => fused.wrong(answer),
            (ScreenJob::Folded(fused), _) => (0..fused.answers.len()).collect(),
            (ScreenJob::Apart(regions), _) => regions.wrong(answers),
        };
        let right = self.probes.iter().enumerate().filter(move |(number, _)| !wrong.contains(number));
        right.flat_map(|(_, probes)| probes)
    }
}

fn cases(group: &[Candidate<'_>], layout: fn(&ShaderModule) -> &BlockLayout) -> Vec<FusedCase> {
    let case = |it: &Candidate<'_>| FusedCase { layout: layout(it.module).clone(), plan: it.plan.clone() };
    group.iter().map(case).collect()
}

/// Builds the dispatch of a group with hashes as answers; `None` if it cannot be written.
fn fold(group: &[Candidate<'_>], space: FusedSpace) -> Option<FusedJob> {
    let written = cases(group, |module| module.planted.as_ref().unwrap_or(&module.layout));
    let expected = cases(group, |module| &module.layout);
    let produced = produce_fused(&FusedGroup { cases: &written, space, fold: Fold::Hash }).ok()?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
    FusedJob::new(&FusedGroup { cases: &expected, space, fold: Fold::Hash }, nonce_word(1), shader).ok()
}

/// Builds the dispatches of a group with a region for each probe; `None` if they cannot be written.
fn set_apart(group: &[Candidate<'_>]) -> Option<RegionJob> {
    let alone = group.iter().map(|candidate| candidate.alone.as_ref()).collect::<Option<Vec<_>>>()?;
    let regions = RegionPlaces::of(&alone)?;
    let produced = produce_regions(&cases(group, |module| &module.layout), &regions).ok()?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
    let cases = group.iter().zip(alone);
    let cases = cases.map(|(candidate, probe)| RegionCase { plan: candidate.plan.clone(), probe: probe.clone() });
    RegionJob::new(cases.collect(), regions, shader)
}
