//! Checks before any call that a device can run a job's shader: its language, SPIR-V version and
//! features.
//!
//! A capability that the device lacks is `Unsupported`, with its name. A module that no device
//! could run is `ShaderRefused`.

use ash::vk;
use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::limits::{check_features, needed_features};
use layoutproof_device::{Geometry, Job, ReachedStage, RecordStage, RunnerError, Shader, Stage, Trace};

use crate::features::{NON_UNIFORM, SUBGROUPS, SWITCHES};
use crate::physical::Physical;
use crate::spirv::{self, ExecutionModel, MESH, ModuleFacts, TASK, model_of};

/// The entry point of [`ReachedStage::closest_hit`].
pub(crate) const CLOSEST_HIT: &str = "main";

impl Physical {
    /// Returns the shader's words if this device can run them.
    pub(crate) fn accept_shader<'a>(&self, job: &'a Job, descriptors: &Descriptors) -> Result<&'a [u32], RunnerError> {
        let unsupported = |what: String| Err(RunnerError::Unsupported(what));
        let words = spirv_words(&job.shader)?;
        let mut facts = spirv::read(words)?;
        match (&job.draw, &job.trace) {
            (None, None) => match &job.geometry {
                None => check_entry(&facts, model_of(Stage::Compute), &job.entry)?,
                Some(Geometry::Vertex) => check_entry(&facts, model_of(Stage::Vertex), &job.entry)?,
                Some(Geometry::Mesh { task, task_entry }) => {
                    check_entry(&facts, MESH, &job.entry)?;
                    let task = spirv::read(spirv_words(task)?)?;
                    check_entry(&task, TASK, task_entry)?;
                    facts.add_needs(task);
                }
            },
            (None, Some(Trace { reached: None })) => check_entry(&facts, model_of(Stage::RayGeneration), &job.entry)?,
            (None, Some(Trace { reached: Some(ReachedStage { stage, entry, generation, closest_hit }) })) => {
                check_entry(&facts, model_of(Stage::Record(*stage)), entry)?;
                let generation = spirv::read(spirv_words(generation)?)?;
                check_entry(&generation, model_of(Stage::RayGeneration), &job.entry)?;
                facts.add_needs(generation);
                if let Some(closest_hit) = closest_hit {
                    let closest_hit = spirv::read(spirv_words(closest_hit)?)?;
                    check_entry(&closest_hit, model_of(Stage::Record(RecordStage::ClosestHit)), CLOSEST_HIT)?;
                    facts.add_needs(closest_hit);
                }
            }
            (Some(draw), _) => {
                check_entry(&facts, model_of(Stage::Vertex), &job.entry)?;
                check_entry(&facts, model_of(Stage::Fragment), &draw.fragment)?;
            }
        }

        let newest = newest_spirv(self.version);
        if facts.version > newest {
            let ((major, minor), (most, least)) = (facts.version, newest);
            return unsupported(format!("SPIR-V {major}.{minor} (the device accepts up to {most}.{least})"));
        }

        check_features(&self.info, needed_features(job, descriptors).iter().chain(&facts.features))?;
        match facts.capabilities.iter().find_map(|capability| self.missing(*capability)) {
            Some(name) => unsupported(name.to_owned()),
            None => Ok(words),
        }
    }

    /// The feature that `capability` needs, if the device does not support it.
    pub(crate) fn missing(&self, capability: u32) -> Option<&'static str> {
        let switches = SWITCHES.iter().map(|switch| (switch.capability, switch.name));
        let mut known = switches.chain([NON_UNIFORM]).chain(SUBGROUPS.map(|(capability, _, name)| (capability, name)));
        let (_, name) = known.find(|(known, _)| *known == capability)?;
        (!self.capabilities.contains(&capability)).then_some(name)
    }
}

/// The words of a shader, if it is in the only language that Vulkan accepts.
pub(crate) fn spirv_words(shader: &Shader) -> Result<&[u32], RunnerError> {
    match shader {
        Shader::Spirv(words) => Ok(words),
        other => Err(RunnerError::Unsupported(format!("{}: Vulkan accepts only SPIR-V", other.form()))),
    }
}

fn check_entry(facts: &ModuleFacts, (model, stage): ExecutionModel, entry: &str) -> Result<(), RunnerError> {
    let known: Vec<&str> = facts.entries.iter().filter(|(of, _)| *of == model).map(|(_, name)| name.as_str()).collect();
    if known.contains(&entry) {
        return Ok(());
    }
    let known = known.join(", ");
    Err(RunnerError::ShaderRefused(format!("no {stage} entry point {entry}; the module has: {known}")))
}

/// The newest SPIR-V version that a Vulkan version accepts (Vulkan, "Vulkan Environment for
/// SPIR-V").
fn newest_spirv(vulkan: u32) -> (u8, u8) {
    match (vk::api_version_major(vulkan), vk::api_version_minor(vulkan)) {
        (1, 0) => (1, 0),
        (1, 1) => (1, 3),
        (1, 2) => (1, 5),
        _ => (1, 6),
    }
}
