//! The jobs of a check that its device can do, and why there are none for the others.

use std::collections::BTreeSet;

use layoutproof_device::Job;

use crate::check::check::Check;
use crate::check::probe_id::ProbeSet;
use crate::check::produce::feature_split::Share;
use crate::check::produce::shader_module::ShaderModule;
use crate::check::verdict::Validation;
use crate::probe::{AddressSpace, PlanShader, ProbeJob, jobs};
use crate::results::record::DEVICE_LACKS;

/// A probe of a check with the module that it comes from.
#[derive(Clone, Debug)]
pub(super) struct CheckProbe {
    /// Index into [`SubjectShaders::modules`](crate::check::SubjectShaders::modules).
    pub(super) module: usize,
    pub(super) probe: ProbeJob,
    /// Leaves of the plan.
    pub(super) leaves: usize,
    /// True if a fused module has answered for it, so that it has no jobs of its own.
    pub(super) fused: bool,
}

/// The jobs of a check, and why some are missing.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    pub(super) probes: Vec<CheckProbe>,
    /// Reasons why the device cannot do the others.
    pub lacking: BTreeSet<String>,
}

impl Jobs {
    /// The jobs in the order in which the device gets them.
    pub fn jobs(&self) -> impl Iterator<Item = &Job> {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        own.flat_map(|probe| &probe.probe.runs).map(|run| &run.job)
    }

    /// For each of the jobs, in the same order, whether it is of a probe in `probes`.
    pub fn are_of(&self, probes: &ProbeSet) -> Vec<bool> {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        let of_probe = own.map(|it| (it.probe.runs.len(), probes.contains(it.module, &it.probe.entry.name)));
        of_probe.flat_map(|(runs, is_one)| std::iter::repeat_n(is_one, runs)).collect()
    }

    /// Accesses to leaves in these jobs, each form once.
    pub fn accesses(&self) -> usize {
        let own = self.probes.iter().filter(|probe| !probe.fused);
        own.map(|probe| probe.leaves * probe.probe.entry.forms.len()).sum()
    }

    /// The same without the jobs of those probes that fused modules have answered.
    #[must_use]
    pub fn without(mut self, answered: &ProbeSet) -> Self {
        for probe in &mut self.probes {
            probe.fused = answered.contains(probe.module, &probe.probe.entry.name);
        }
        self
    }
}

impl Check {
    /// The modules of which the device can run the entry points, each with its index, as far as their features tell.
    pub fn runnable(&self) -> impl Iterator<Item = (usize, &ShaderModule)> {
        let runs = |module: &ShaderModule| self.takes(module) && module.requires.is_subset(&self.device.features);
        self.produced.modules.iter().enumerate().filter(move |(_, module)| runs(module))
    }

    /// The jobs that the device can do.
    pub fn jobs(&self) -> Jobs {
        let mut all = Jobs::default();
        for (index, module) in self.produced.modules.iter().enumerate().filter(|(_, module)| self.takes(module)) {
            let shader = module.shader(self.device.runner);
            let shader = PlanShader { shader: &shader, requires: &module.requires, interface: module.interface };

            let mut probes = match jobs(&module.layout, &module.plan, shader) {
                Ok(probes) => probes,
                Err(error) => {
                    all.lacking.insert(error.to_string());
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

            for probe in probes.into_iter().filter(|probe| self.bindable(probe, module)) {
                match self.lacks(&probe) {
                    Some(reason) => drop(all.lacking.insert(reason)),
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

    /// Returns true if the device gets the module: one that stands in for another only where the device cannot take that.
    fn takes(&self, module: &ShaderModule) -> bool {
        let usable = |module: &ShaderModule| {
            let followed = module.compiled_for(&self.device).is_some_and(|compiled| !compiled.is_empty());
            followed && !matches!(module.validation, Validation::Invalid(_))
        };
        // Of a plan in parts each has modules of its own that stand in for it.
        let has_its_leaves =
            |other: &ShaderModule| module.plan.leaves.first().is_none_or(|leaf| other.plan.leaves.contains(leaf));
        let better = |other: &ShaderModule| {
            other.share == Share::All
                && has_its_leaves(other)
                && other.access() == module.access()
                && (other.block, &other.layout) == (module.block, &module.layout)
                && usable(other)
                && other.requires.is_subset(&self.device.features)
        };
        match module.share {
            Share::All => usable(module),
            Share::Part => usable(module) && !self.produced.modules.iter().any(better),
        }
    }

    /// WGSL binds no less than its own size of the block, so ranges that are shorter have no job.
    fn bindable(&self, probe: &ProbeJob, module: &ShaderModule) -> bool {
        let least = module.least_binding(&self.device, &probe.entry.name);
        probe.image.owners.len() >= least as usize
    }

    /// The feature, or the room for the block, that the device lacks for a probe; `None` if it can do it.
    pub(super) fn lacks(&self, probe: &ProbeJob) -> Option<String> {
        let device = &self.device;
        let mut required = probe.runs.iter().flat_map(|run| &run.job.requires);
        if let Some(feature) = required.find(|feature| !device.features.contains(feature)) {
            return Some(format!("{DEVICE_LACKS}{feature}"));
        }

        let bytes = probe.image.owners.len();
        let beyond = |limit: u32| u32::try_from(bytes).map_or(true, |bytes| bytes > limit);
        match probe.entry.space {
            AddressSpace::Uniform | AddressSpace::UniformElement if beyond(device.max_uniform_range) => {
                Some(format!("device binds {} bytes of uniform buffer, not {bytes}", device.max_uniform_range))
            }
            AddressSpace::PushConstant if !probe.interface.has_root_constants && beyond(device.max_push_constants) => {
                Some(format!("device has {} bytes of push constants, not {bytes}", device.max_push_constants))
            }
            AddressSpace::Uniform
            | AddressSpace::UniformElement
            | AddressSpace::Storage
            | AddressSpace::StorageElement
            | AddressSpace::PushConstant
            | AddressSpace::Address => None,
        }
    }
}
