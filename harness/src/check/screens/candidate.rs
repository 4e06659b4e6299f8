//! Decides which probes of checks can share a module, and groups them.

use std::collections::BTreeMap;

use layoutproof_device::{DeviceInfo, Shader};
use layoutproof_layout::Extent;

use crate::check::check::Check;
use crate::check::probe_id::{ProbeId, ProbeSet};
use crate::check::produce::shader_module::ShaderModule;
use layoutproof_probes::image::encoding::WordCode;
use layoutproof_probes::image::image_size;
use layoutproof_probes::{
    AddressSpace, Form, FusedSpace, PUSH_BYTES, PlanShader, ProbeEntry, ProbeJob, ProbePlan, REGION_BYTES,
    RegionAnswer, Tuning, fusable, jobs,
};

/// Limit on a group's storage buffer, in bytes.
const STORAGE_BYTES: u32 = 1 << 20;

/// A block with more bytes than this counts as long.
const LONG_BLOCK: u32 = 1 << 10;

/// Limit on the bytes of blocks that a group copies to workgroup memory: half of the size that
/// Vulkan guarantees, since a device may align the memory freely.
const WORKGROUP_BYTES: u32 = 1 << 13;

/// How the probes of a group share a module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharingMode {
    /// All blocks read the same buffer, and each has a hash as its answer.
    Folded(FusedSpace),
    /// Each block has its own region.
    Apart {
        entry: String,
        /// True if the dispatch is repeated in several inks.
        repeated: bool,
    },
}

/// Probes that share one answer: the same entry point of the same shader, with the same expected
/// offsets.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    pub(super) module: &'a ShaderModule,
    /// A plan with the one entry point.
    pub(super) plan: ProbePlan,
    /// The job that runs the entry point alone; `None` for folded candidates.
    pub(super) alone: Option<ProbeJob>,
    pub(super) probes: Vec<ProbeId>,
}

impl Candidate<'_> {
    fn is_same(&self, module: &ShaderModule, plan: &ProbePlan) -> bool {
        let offsets = |plan: &ProbePlan| plan.leaves.iter().map(|leaf| leaf.offset).collect::<Vec<_>>();
        self.plan.entries == plan.entries && self.module.code == module.code && offsets(&self.plan) == offsets(plan)
    }

    fn is_of_long_block(&self) -> bool {
        let block = self.module.layout.result.as_ref().ok();
        block.and_then(|block| block.size.finite()).is_none_or(|size| size > LONG_BLOCK)
    }

    /// Counts the accesses to leaves, each form once.
    pub(super) fn accesses(&self) -> usize {
        self.plan.leaves.len() * self.plan.entries.iter().map(|entry| entry.forms.len()).sum::<usize>()
    }

    /// Returns true if a separate module answers for the candidate at less cost than its own jobs.
    fn is_worth_a_module(&self, manner: &SharingMode) -> bool {
        match manner {
            SharingMode::Folded(_) => self.accesses() > LONG,
            SharingMode::Apart { .. } => self.plan.entries.iter().all(|it| RegionAnswer::of(it) != RegionAnswer::Nonce),
        }
    }

    /// Returns the room that the candidate needs in a module.
    fn cost(&self) -> ModuleRoom {
        let loads = self.accesses();
        let Some((alone, run)) = self.alone.as_ref().and_then(|alone| Some((alone, alone.runs.first()?))) else {
            return ModuleRoom { loads, bytes: 0, input: 0 };
        };
        let bytes = match alone.entry.space {
            AddressSpace::PushConstant => run.job.push_constants.len().next_multiple_of(PUSH_BYTES),
            AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::UniformElement
            | AddressSpace::StorageElement
            | AddressSpace::Address => {
                let blocks = run.job.buffers.iter().map(|block| block.bytes.len() + block.after.len());
                blocks.max().unwrap_or(0) + REGION_BYTES
            }
        };
        let input = 4 * alone.wiring.input() as usize;
        ModuleRoom { loads, bytes, input }
    }
}

/// The room in a module: available to its group, or needed by one candidate.
#[derive(Clone, Copy, Debug)]
struct ModuleRoom {
    /// The number of loads or stores.
    loads: usize,
    /// Bytes of the block's buffer.
    bytes: usize,
    /// Bytes of the input.
    input: usize,
}

impl ModuleRoom {
    /// Returns the room in a module for this device.
    fn of(device: &DeviceInfo, manner: &SharingMode, first: &Candidate<'_>) -> Self {
        let space = first.plan.entries.first().map(|entry| entry.space);
        let is_shared = first.plan.entries.iter().any(|entry| entry.forms.contains(&Form::Workgroup));
        let limit = match (manner, space) {
            (SharingMode::Folded(_), _) | (SharingMode::Apart { .. }, None) => 0,
            (SharingMode::Apart { .. }, Some(_)) if is_shared => WORKGROUP_BYTES,
            (SharingMode::Apart { .. }, Some(AddressSpace::PushConstant)) => device.max_push_constants,
            (SharingMode::Apart { .. }, Some(AddressSpace::Uniform | AddressSpace::UniformElement)) => {
                device.max_uniform_range
            }
            (
                SharingMode::Apart { .. },
                Some(AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::Address),
            ) => STORAGE_BYTES,
        };

        let loads = match manner {
            SharingMode::Folded(space) => {
                let tuning = Tuning::of(&device.id, *space);
                if first.is_of_long_block() { tuning.loads_of_long_block } else { tuning.loads }
            }
            SharingMode::Apart { .. } => Tuning::accesses(&device.id),
        };
        Self { loads, bytes: limit as usize, input: device.max_uniform_range as usize }
    }

    /// Subtracts a cost; `None` if the cost does not fit.
    fn without(self, cost: Self) -> Option<Self> {
        Some(Self {
            loads: self.loads.checked_sub(cost.loads)?,
            bytes: self.bytes.checked_sub(cost.bytes)?,
            input: self.input.checked_sub(cost.input)?,
        })
    }
}

/// With more loads than this, a hash is cheaper than one store per load, even if it answers for a
/// single probe.
const LONG: usize = 64;

/// Groups the probes of one device's checks that can share a module.
///
/// A probe that would be alone in its group is left out, unless a hash can answer for it: the hash
/// of its own region, or one for many loads. The `spared` probes are left out too.
pub(super) fn groups<'a>(
    checks: &[(usize, &'a Check)],
    spared: &BTreeMap<usize, ProbeSet>,
) -> Vec<(SharingMode, Vec<Candidate<'a>>)> {
    let Some((_, first)) = checks.first() else { return Vec::new() };
    let by_manner = candidates(checks, spared).into_iter().flat_map(|(manner, candidates)| {
        let groups = cut(candidates, |candidate| ModuleRoom::of(&first.device, &manner, candidate));
        groups.into_iter().map(move |group| (manner.clone(), group)).collect::<Vec<_>>()
    });
    by_manner.filter(|(manner, group)| group.len() > 1 || group.iter().all(|it| it.is_worth_a_module(manner))).collect()
}

/// Collects the probes of the checks that can share modules. Rule sets that agree on a layout
/// become one candidate.
fn candidates<'a>(
    checks: &[(usize, &'a Check)],
    spared: &BTreeMap<usize, ProbeSet>,
) -> BTreeMap<SharingMode, Vec<Candidate<'a>>> {
    let mut all: BTreeMap<SharingMode, Vec<Candidate<'a>>> = BTreeMap::new();
    let modules = checks.iter().flat_map(|(number, check)| check.shareable().map(move |it| (*number, *check, it)));
    let probes = modules.flat_map(|(number, check, (index, module))| {
        let entries = module.plan.entries.iter();
        entries.map(move |entry| (check, module, entry, ProbeId::new(number, index, entry)))
    });

    let is_spared = |probe: &ProbeId| spared.get(&probe.check).is_some_and(|spared| spared.has(probe));
    for (check, module, entry, probe) in probes.filter(|(.., probe)| !is_spared(probe)) {
        let plan = ProbePlan { entries: vec![entry.clone()], ..module.plan.clone() };
        let manner = folded(&plan, entry).map_or_else(|| apart(&plan, entry), SharingMode::Folded);
        let known = all.entry(manner.clone()).or_default();
        match known.iter_mut().find(|known| known.is_same(module, &plan)) {
            Some(same) => same.probes.push(probe),
            None => known.extend(check.candidate(module, plan, &manner, probe)),
        }
    }
    all
}

/// Returns the space in which a hash can answer for all of an entry point.
fn folded(plan: &ProbePlan, entry: &ProbeEntry) -> Option<FusedSpace> {
    let space = FusedSpace::ALL.into_iter().find(|space| space.space() == entry.space)?;
    let part = fusable(plan, space)?;
    (part.leaves == plan.leaves && part.entries == plan.entries).then_some(space)
}

/// Returns the mode for an entry point that gets its own region.
fn apart(plan: &ProbePlan, entry: &ProbeEntry) -> SharingMode {
    let repeated = plan.leaves.iter().any(|leaf| WordCode::of(leaf.component).is_some());
    SharingMode::Apart { entry: entry.name.clone(), repeated }
}

/// Cuts candidates into groups that fit a module.
fn cut<'a>(candidates: Vec<Candidate<'a>>, room_for: impl Fn(&Candidate<'a>) -> ModuleRoom) -> Vec<Vec<Candidate<'a>>> {
    let mut groups: Vec<Vec<Candidate<'a>>> = Vec::new();
    // The room left in the last group's module.
    let mut room: Option<ModuleRoom> = None;

    for candidate in candidates {
        let left = room.and_then(|room| room.without(candidate.cost()));
        if let Some(group) = groups.last_mut().filter(|_| left.is_some()) {
            room = left;
            group.push(candidate);
        } else {
            room = room_for(&candidate).without(candidate.cost());
            groups.push(vec![candidate]);
        }
    }
    groups
}

impl Check {
    /// Iterates over the modules, with their indices, that may share a module with other checks.
    fn shareable(&self) -> impl Iterator<Item = (usize, &ShaderModule)> {
        let is_ours = self.produced.producer.can_share_modules();
        self.runnable().filter(move |_| is_ours)
    }

    /// Makes the candidate for a plan; `None` if it cannot share a module.
    fn candidate<'a>(
        &self,
        module: &'a ShaderModule,
        plan: ProbePlan,
        manner: &SharingMode,
        probe: ProbeId,
    ) -> Option<Candidate<'a>> {
        let alone = match manner {
            SharingMode::Folded(space) if self.holds(module, &plan, *space) => None,
            SharingMode::Folded(_) => return None,
            SharingMode::Apart { .. } => Some(self.alone(module, &plan)?),
        };
        Some(Candidate { module, plan, alone, probes: vec![probe] })
    }

    /// Returns true if the device can bind the block in `space`.
    fn holds(&self, module: &ShaderModule, plan: &ProbePlan, space: FusedSpace) -> bool {
        let limit = match space {
            FusedSpace::Uniform => self.device.max_uniform_range,
            FusedSpace::Storage => u32::MAX,
        };
        image_size(&module.layout, plan).is_ok_and(|size| u32::try_from(size).is_ok_and(|size| size <= limit))
    }

    /// Builds the job that runs a plan alone. The block must have an end, and the shader must use
    /// the expected layout.
    fn alone(&self, module: &ShaderModule, plan: &ProbePlan) -> Option<ProbeJob> {
        let ends = module.layout.result.as_ref().is_ok_and(|block| matches!(block.size, Extent::Finite(_)));
        if module.planted.is_some() || !ends || !plan.entries.iter().all(has_regions) {
            return None;
        }
        // The group's module is written later, once the group is complete.
        let shader = Shader::Spirv(Vec::new());
        let shader = PlanShader { shader: &shader, requires: &module.requires, interface: module.interface };
        // The first job has the longer range.
        let probe = jobs(&module.layout, plan, shader).ok()?.into_iter().next()?;
        self.lacks(&probe).is_none().then_some(probe)
    }
}

/// Returns true if the entry point's block can be a part of a larger one.
fn has_regions(entry: &ProbeEntry) -> bool {
    entry.forms.iter().all(|form| match form {
        Form::Leaf
        | Form::Vector
        | Form::Whole
        | Form::Parameter
        | Form::Indexed
        | Form::Divergent
        | Form::Copied
        | Form::Private
        | Form::Workgroup => true,
        Form::Length | Form::ByteAddress => false,
    })
}
