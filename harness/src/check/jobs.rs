//! Builds the jobs of a check that its device can run, and collects the reasons why the others are
//! missing.

use layoutproof_layout::ViewId;
use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::Job;

use crate::check::check::Check;
use crate::check::produce::feature_split::Share;
use crate::check::produce::shader_module::ShaderModule;
use crate::check::verdict::Validation;
use layoutproof_events::Reason;
use layoutproof_generators::spirv::caller;
use layoutproof_probes::{AddressSpace, PlanShader, ProbeEntry, ProbeJob, jobs};

/// Names a probe within its check: the index of its module in
/// [`SubjectShaders::modules`](crate::check::SubjectShaders::modules), and its entry point.
pub type ProbeName = (usize, String);

/// A probe of a check, with the module that it comes from.
#[derive(Clone, Debug)]
pub(super) struct CheckProbe {
    /// Index into [`SubjectShaders::modules`](crate::check::SubjectShaders::modules).
    pub(super) module: usize,
    pub(super) probe: ProbeJob,
    pub(super) leaves: usize,
    /// True if a job of several checks has answered this probe, so that it needs no jobs.
    pub(super) fused: bool,
}

impl CheckProbe {
    fn is_among(&self, probes: &BTreeSet<ProbeName>) -> bool {
        probes.contains(&(self.module, self.probe.entry.name.clone()))
    }
}

/// The jobs of a check, and the reasons why some are missing.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    pub(super) probes: Vec<CheckProbe>,
    /// Why the device cannot run the other jobs.
    pub lacking: BTreeSet<Reason>,
    /// The same by block.
    pub(super) lacking_of: BTreeMap<ViewId, BTreeSet<Reason>>,
}

impl Jobs {
    /// Iterates over the jobs in the order in which the device runs them.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        own.flat_map(|probe| &probe.probe.runs).map(|run| &run.job)
    }

    /// For each job, in the same order, returns true if it belongs to one of these probes.
    pub fn are_of(&self, probes: &BTreeSet<ProbeName>) -> Vec<bool> {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        own.flat_map(|probe| std::iter::repeat_n(probe.is_among(probes), probe.probe.runs.len())).collect()
    }

    fn lack(&mut self, view: ViewId, reason: Reason) {
        self.lacking_of.entry(view).or_default().insert(reason.clone());
        self.lacking.insert(reason);
    }

    /// Counts the accesses to leaves in these jobs, each form once.
    pub fn accesses(&self) -> usize {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        own.map(|probe| probe.leaves * probe.probe.entry.forms.len()).sum()
    }

    /// Removes the jobs of these probes: jobs of several checks have shown that the device reads and
    /// writes every leaf at its place.
    #[must_use]
    pub fn without(mut self, answered: &BTreeSet<ProbeName>) -> Self {
        for probe in &mut self.probes {
            probe.fused = probe.is_among(answered);
        }
        self
    }
}

impl Check {
    /// Iterates over the modules, with their indices, that the device has the features to run.
    pub fn runnable(&self) -> impl Iterator<Item = (usize, &ShaderModule)> {
        let runs = |module: &ShaderModule| self.takes(module) && module.requires.is_subset(&self.device.features);
        self.produced.modules.iter().enumerate().filter(move |(_, module)| runs(module))
    }

    /// Builds the jobs that the device can run.
    pub fn jobs(&self) -> Jobs {
        let mut all = Jobs::default();
        if let Some(what) = self.device.unfit() {
            all.lacking.insert(Reason::DeviceLacks(what));
            return all;
        }
        for module in self.produced.modules.iter().filter(|module| module.is_foreign_to(&self.device)) {
            all.lack(module.layout.view, Reason::DeviceLacks("WGSL with `uniform_buffer_standard_layout`".to_owned()));
        }
        for module in self.produced.modules.iter().filter(|_| self.device.is_opengl()) {
            module.no_glsl.iter().for_each(|reason| all.lack(module.layout.view, reason.clone()));
        }
        for (index, module) in self.produced.modules.iter().enumerate().filter(|(_, module)| self.takes(module)) {
            let shader = module.shader(self.device.runner);
            let shader =
                PlanShader { shader: &shader, requires: &module.requires, interface: module.interface, caller };

            let mut probes = match jobs(&module.layout, &module.plan, shader) {
                Ok(probes) => probes,
                Err(error) => {
                    all.lack(module.layout.view, error.to_string().into());
                    continue;
                }
            };
            if module.other_stage.is_some() {
                for probe in &mut probes {
                    for run in &mut probe.runs {
                        run.job = module.with_other_stage(run.job.clone(), probe.entry.stage);
                    }
                }
            }

            let outgrown = module.plan.entries.iter().filter_map(|entry| self.outgrown(module, entry, &probes));
            outgrown.for_each(|reason| all.lack(module.layout.view, reason));
            probes.retain(|probe| self.bindable(probe, module));
            for probe in probes {
                match self.lacks(&probe) {
                    Some(reason) => all.lack(module.layout.view, reason),
                    None => all.probes.push(CheckProbe {
                        module: index,
                        probe,
                        leaves: module.plan.leaves.len(),
                        fused: false,
                    }),
                }
            }
        }
        all
    }

    /// Returns true if the device gets the module. It gets a substitute only if it cannot run the
    /// module with all leaves.
    fn takes(&self, module: &ShaderModule) -> bool {
        let usable = |module: &ShaderModule| {
            let has_code = self.compiled_of(module).is_some_and(|compiled| !compiled.is_empty());
            let is_taken = (has_code || self.is_translated_by_device()) && !module.is_foreign_to(&self.device);
            is_taken && !matches!(self.validation_of(module), Validation::Invalid(_))
        };
        // Each part of a split plan has its own substitutes.
        let has_its_leaves =
            |other: &ShaderModule| module.plan.leaves.first().is_none_or(|leaf| other.plan.leaves.contains(leaf));
        let better = |other: &ShaderModule| {
            other.share == Share::All
                && has_its_leaves(other)
                && other.access() == module.access()
                && other.layout == module.layout
                && usable(other)
                && other.requires.is_subset(&self.device.features)
        };
        match module.share {
            Share::All => usable(module),
            Share::Part => usable(module) && !self.produced.modules.iter().any(better),
        }
    }

    /// WGSL requires a binding of at least the block's size in WGSL, so shorter ranges have no job.
    fn bindable(&self, probe: &ProbeJob, module: &ShaderModule) -> bool {
        let least = module.least_binding(&self.device, &probe.entry.name);
        probe.image.owners.len() >= least as usize
    }

    /// Returns the reason why `entry` does not run if the block is longer in OpenGL's layout than in WGSL's, and thus than each
    /// of its ranges.
    fn outgrown(&self, module: &ShaderModule, entry: &ProbeEntry, probes: &[ProbeJob]) -> Option<Reason> {
        let least = module.least_binding(&self.device, &entry.name);
        let mut own = probes.iter().filter(|probe| probe.entry.name == entry.name).peekable();
        let is_outgrown = least > module.binding_size && own.peek().is_some();
        let runs = own.any(|probe| self.bindable(probe, module));
        (is_outgrown && !runs).then(|| {
            let space = entry.space.as_str();
            format!(
                "the {space} block not probed, which takes {least} bytes in the device's layout, more than its buffer"
            )
            .into()
        })
    }

    /// Returns the feature that the device lacks for a probe, or the limit that the block exceeds;
    /// `None` if the device can run it.
    pub fn lacks(&self, probe: &ProbeJob) -> Option<Reason> {
        let device = &self.device;
        let mut required = probe.runs.iter().flat_map(|run| &run.job.requires);
        if let Some(feature) = required.find(|feature| !device.features.contains(feature)) {
            return Some(Reason::DeviceLacks(feature.to_string()));
        }

        let bytes = probe.image.owners.len();
        let beyond = |limit: u32| u32::try_from(bytes).map_or(true, |bytes| bytes > limit);
        match probe.entry.space {
            AddressSpace::Uniform | AddressSpace::UniformElement | AddressSpace::HeapUniform
                if beyond(device.max_uniform_range) =>
            {
                Some(Reason::UniformBufferTooSmall { has: device.max_uniform_range, needed: bytes })
            }
            AddressSpace::PushConstant if !probe.interface.has_root_constants && beyond(device.max_push_constants) => {
                Some(Reason::PushConstantsTooSmall { has: device.max_push_constants, needed: bytes })
            }
            AddressSpace::Uniform
            | AddressSpace::UniformElement
            | AddressSpace::InlineUniform
            | AddressSpace::HeapUniform
            | AddressSpace::HeapStorage
            | AddressSpace::Storage
            | AddressSpace::StorageElement
            | AddressSpace::PushConstant
            | AddressSpace::Address
            | AddressSpace::ShaderRecord
            | AddressSpace::Workgroup => None,
        }
    }
}
