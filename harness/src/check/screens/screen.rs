//! Screens: modules that answer for probes of many checks at once.
//!
//! The executor asks a device for screens before it runs the jobs of single checks, because one dispatch answers for
//! hundreds of probes. A probe is answered by a hash that is right, so that the device read every leaf where the layout
//! has it ([`FusedJob`]), or by a region in which all is as it should be ([`RegionJob`]). Any other answer only means that
//! the probe needs its own jobs. Screens say nothing about exact ranges, and the hash
//! of a [`FusedJob`] says nothing about padding and guards.

use std::collections::BTreeMap;

use layoutproof_device::{Job, ReadBack};
use layoutproof_layout::BlockLayout;

use crate::check::check::Check;
use crate::check::probe_id::{ProbeId, ProbeSet};
use crate::check::produce::shader_module::ShaderModule;
use crate::check::screens::candidate::{Candidate, SharingMode, groups};
use crate::generate::spirv::{produce_fused, produce_regions};
use crate::probe::image::nonce_word;
use crate::probe::{
    Fold, FusedCase, FusedGroup, FusedJob, FusedSpace, Interface, PlanShader, RegionCase, RegionJob, RegionPlaces,
};

/// Dispatches of one module that answer for probes of several checks.
#[derive(Clone, Debug)]
pub struct Screen {
    asked: ScreenJob,
    /// By the number of the answer: the probes that it is for.
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
    /// The screens of checks of one device, each with its number, but for the probes that are `spared`. Nor is a probe in one
    /// that would be alone in its module without gain.
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

    /// The jobs that the device gets, all with the same shader.
    pub fn jobs(&self) -> &[Job] {
        match &self.asked {
            ScreenJob::Folded(fused) => std::slice::from_ref(&fused.job),
            ScreenJob::Apart(regions) => &regions.jobs,
        }
    }

    /// Accesses to leaves, each form once, however many probes they answer.
    pub fn accesses(&self) -> usize {
        self.accesses
    }

    /// All probes that it may answer.
    pub fn probes(&self) -> impl Iterator<Item = &ProbeId> {
        self.probes.iter().flatten()
    }

    /// The probes that these answers are right for, one for each job.
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

/// The dispatch of a group whose answers are hashes; `None` where it cannot be written.
fn fold(group: &[Candidate<'_>], space: FusedSpace) -> Option<FusedJob> {
    let written = cases(group, |module| module.planted.as_ref().unwrap_or(&module.layout));
    let expected = cases(group, |module| &module.layout);
    let produced = produce_fused(&FusedGroup { cases: &written, space, fold: Fold::Hash }).ok()?;
    let (shader, requires) = (produced.shader(), produced.requires());
    let shader = PlanShader { shader: &shader, requires: &requires, interface: Interface::default() };
    FusedJob::new(&FusedGroup { cases: &expected, space, fold: Fold::Hash }, nonce_word(1), shader).ok()
}

/// The dispatches of a group with a region for each; `None` where they cannot be written.
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
