//! Modules that answer probes of many checks at once.
//!
//! Each probe has a region of larger buffers ([`RegionJob`]), and its answer shows what a job of its
//! own would show, except for the behaviour at the end of an exact range. Any wrong answer only
//! means that the probe needs its own jobs.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_core::check::{Check, ProbeName, ShaderModule};
use layoutproof_device::{DeviceInfo, Job, ReadBack, Shader};
use layoutproof_events::producer::{Generator, Producer};
use layoutproof_generators::spirv::{self, caller};
use layoutproof_generators::wgsl;
use layoutproof_layout::Extent;
use layoutproof_probes::image::encoding::WordCode;
use layoutproof_probes::{
    AddressSpace, Form, PUSH_BYTES, PlanShader, ProbeEntry, ProbeJob, ProbePlan, REGION_BYTES, RegionAnswer,
    RegionCase, RegionJob, has_regions, jobs,
};

use super::CheckProbes;

/// Most accesses to leaves in a module, each form once. A pipeline costs lavapipe as much as some
/// hundred accesses; fewer, larger modules gain less than 5% more, and one wrong module then costs
/// more reruns.
const ACCESSES: usize = 128;

/// Most bytes of a module's storage buffer.
const STORAGE_BYTES: u32 = 1 << 20;

/// Most bytes of blocks that a module copies to workgroup memory: half of the size that Vulkan
/// guarantees, since a device may align the memory freely.
const WORKGROUP_BYTES: u32 = 1 << 13;

/// Returns true if the check can share modules with other checks of the same device and producer.
/// Sharing pays only where a driver compiles: the model and the evaluators have nothing to save.
pub(super) fn shares_modules(check: &Check) -> bool {
    check.device.runner.is_driven() && check.produced.producer.can_share_modules(&check.device)
}

/// A module for probes of several checks.
#[derive(Clone, Debug)]
pub(super) struct SharedModule {
    regions: RegionJob,
    /// For each region: the checks that it answers, and the name of the probe in each.
    probes: Vec<Vec<(usize, ProbeName)>>,
    accesses: usize,
}

/// The probes of a module by its answers.
pub(super) struct JudgedModule {
    pub(super) right: CheckProbes,
    /// For each wrong answer, the probes that it is about.
    pub(super) wrong: Vec<CheckProbes>,
}

impl SharedModule {
    /// Writes the modules for the numbered checks of one device, without the `spared` probes.
    pub(super) fn all(checks: &[(usize, &Check)], spared: &CheckProbes) -> Vec<Self> {
        let Some((_, first)) = checks.first() else { return Vec::new() };
        let groups = candidates(checks, spared).into_values().flat_map(|alike| cut(alike, &first.device));
        let modules = groups.filter_map(|group| {
            // Alone in a module, a probe gains nothing, unless it stores less than by itself.
            let stores_all = |it: &Candidate| RegionAnswer::of(&it.case.probe.entry) == RegionAnswer::Nonce;
            if group.len() == 1 && group.iter().all(stores_all) {
                return None;
            }
            let accesses = group.iter().map(Candidate::accesses).sum();
            let (cases, probes) = group.into_iter().map(|it| (it.case, it.probes)).unzip();
            let regions = match first.produced.producer {
                Producer::Generator(Generator::Naga) => wgsl::region_job(cases),
                _ => spirv::region_job(cases),
            };
            Some(Self { regions: regions?, probes, accesses })
        });
        modules.collect()
    }

    /// The jobs that the device runs. All have the same shader.
    pub(super) fn jobs(&self) -> &[Job] {
        &self.regions.jobs
    }

    /// The number of accesses to leaves, each form once, however many checks they answer.
    pub(super) fn accesses(&self) -> usize {
        self.accesses
    }

    #[cfg(test)]
    pub(super) fn regions(&self) -> usize {
        self.probes.len()
    }

    /// The probes that the module may answer.
    pub(super) fn all_probes(&self) -> CheckProbes {
        self.of_regions(0..self.probes.len())
    }

    fn of_regions(&self, regions: impl IntoIterator<Item = usize>) -> CheckProbes {
        let mut probes = CheckProbes::new();
        for (check, probe) in regions.into_iter().flat_map(|region| &self.probes[region]) {
            probes.entry(*check).or_default().insert(probe.clone());
        }
        probes
    }

    /// The checks that the module may answer.
    pub(super) fn checks(&self) -> impl Iterator<Item = usize> {
        self.probes.iter().flatten().map(|(check, _)| *check)
    }

    /// The probes for which these answers are right, and those of each wrong answer. There must be one answer
    /// per job.
    pub(super) fn judged(&self, answers: &[ReadBack]) -> JudgedModule {
        let wrong = self.regions.wrong(answers);
        let right = (0..self.probes.len()).filter(|region| !wrong.iter().any(|wrong| wrong.contains(region)));
        JudgedModule {
            right: self.of_regions(right),
            wrong: wrong.into_iter().map(|regions| self.of_regions(regions)).collect(),
        }
    }
}

/// Probes that share one region: the same entry point of the same shader, with the same expected
/// offsets.
#[derive(Debug)]
struct Candidate<'a> {
    module: &'a ShaderModule,
    case: RegionCase,
    probes: Vec<(usize, ProbeName)>,
}

impl Candidate<'_> {
    fn is_same(&self, module: &ShaderModule, entry: &ProbeEntry) -> bool {
        let offsets = |plan: &ProbePlan| plan.leaves.iter().map(|leaf| leaf.offset).collect::<Vec<_>>();
        self.case.probe.entry == *entry
            && self.module.code == module.code
            && offsets(&self.module.plan) == offsets(&module.plan)
    }

    fn accesses(&self) -> usize {
        self.case.plan.leaves.len() * self.case.probe.entry.forms.len()
    }

    /// The bytes of its region.
    fn bytes(&self) -> usize {
        let ProbeJob { entry, runs, .. } = &self.case.probe;
        runs.first().map_or(0, |run| match entry.space {
            AddressSpace::PushConstant => run.job.push_constants.len().next_multiple_of(PUSH_BYTES),
            _ => {
                let lengths = run.job.buffers.iter().map(|buffer| buffer.bytes.len() + buffer.after.len());
                lengths.max().unwrap_or(0) + REGION_BYTES
            }
        })
    }
}

/// Most bytes of the blocks in a module of entry points like this one.
fn most_bytes(entry: &ProbeEntry, device: &DeviceInfo) -> usize {
    let bytes = match entry.space {
        _ if entry.forms.iter().any(|form| matches!(form, Form::Workgroup | Form::Sized)) => WORKGROUP_BYTES,
        AddressSpace::PushConstant => device.max_push_constants,
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform => device.max_uniform_range,
        AddressSpace::Storage
        | AddressSpace::StorageElement
        | AddressSpace::HeapStorage
        | AddressSpace::Address
        | AddressSpace::ShaderRecord
        | AddressSpace::Workgroup => STORAGE_BYTES,
    };
    bytes as usize
}

/// The probes that may share a module, by the name of their entry point, and apart where a dispatch
/// is repeated in several inks.
fn candidates<'a>(
    checks: &[(usize, &'a Check)],
    spared: &CheckProbes,
) -> BTreeMap<(&'a str, bool), Vec<Candidate<'a>>> {
    let nothing = BTreeSet::new();
    let mut all: BTreeMap<(&str, bool), Vec<Candidate<'a>>> = BTreeMap::new();
    for &(number, check) in checks {
        let spared = spared.get(&number).unwrap_or(&nothing);
        for (index, module) in check.runnable() {
            for entry in &module.plan.entries {
                let name: ProbeName = (index, entry.name.clone());
                if spared.contains(&name) {
                    continue;
                }
                let is_repeated = module.plan.leaves.iter().any(|leaf| WordCode::of(leaf.component).is_some());
                let known = all.entry((&entry.name, is_repeated)).or_default();
                match known.iter_mut().find(|known| known.is_same(module, entry)) {
                    Some(same) => same.probes.push((number, name)),
                    None => known.extend(region_case(check, module, entry).map(|case| Candidate {
                        module,
                        case,
                        probes: vec![(number, name)],
                    })),
                }
            }
        }
    }
    all
}

/// The probe of an entry point as a case of a module with regions; `None` if it cannot be one: the
/// block must have an end, and the shader must follow the expected layout.
fn region_case(check: &Check, module: &ShaderModule, entry: &ProbeEntry) -> Option<RegionCase> {
    let ends = module.layout.result.as_ref().is_ok_and(|block| matches!(block.size, Extent::Finite(_)));
    let is_naga = check.produced.producer == Producer::Generator(Generator::Naga);
    let fits = has_regions(entry) && (!is_naga || wgsl::fits_region(&module.layout, entry));
    if module.planted.is_some() || !ends || !fits {
        return None;
    }
    let plan = ProbePlan { entries: vec![entry.clone()], ..module.plan.clone() };
    // The shared module is written later, once the group is complete.
    let shader = Shader::Spirv(Vec::new());
    let shader = PlanShader { shader: &shader, requires: &module.requires, interface: module.interface, caller };
    // The first job has the longer range.
    let probe = jobs(&module.layout, &plan, shader).ok()?.into_iter().next()?;
    check.lacks(&probe).is_none().then(|| RegionCase { layout: module.layout.clone(), plan, probe })
}

/// Cuts candidates into groups that fit a module.
fn cut<'a>(candidates: Vec<Candidate<'a>>, device: &DeviceInfo) -> Vec<Vec<Candidate<'a>>> {
    let mut groups: Vec<Vec<Candidate<'a>>> = Vec::new();
    let (mut accesses, mut bytes) = (0, 0);
    for candidate in candidates {
        (accesses, bytes) = (accesses + candidate.accesses(), bytes + candidate.bytes());
        let fits = accesses <= ACCESSES && bytes <= most_bytes(&candidate.case.probe.entry, device);
        match groups.last_mut().filter(|_| fits) {
            Some(group) => group.push(candidate),
            None => {
                (accesses, bytes) = (candidate.accesses(), candidate.bytes());
                groups.push(vec![candidate]);
            }
        }
    }
    groups
}
