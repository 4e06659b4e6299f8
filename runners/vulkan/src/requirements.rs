//! Whether a job fits a device: features, SPIR-V version and limits, checked before any call.
//!
//! What the device cannot do is `Unsupported`, with the feature's or limit's name; a module that no device could run
//! is `ShaderRefused`.

use ash::vk;
use layoutproof::placement::Placement;
use layoutproof::runner::{BufferKind, Job, RunnerError, Shader};

use crate::physical::Physical;
use crate::pipeline_layout::Shape;
use crate::spirv;

impl Physical {
    /// The shader's words, if this device may be given them.
    pub(crate) fn accept_shader<'a>(&self, job: &'a Job) -> Result<&'a [u32], RunnerError> {
        let words = match &job.shader {
            Shader::Spirv(words) => words,
            Shader::Wgsl(_) => return unsupported("WGSL: Vulkan takes SPIR-V only".to_owned()),
            Shader::Dxbc(_) => return unsupported("DXBC: Vulkan takes SPIR-V only".to_owned()),
            Shader::Dxil(_) => return unsupported("DXIL: Vulkan takes SPIR-V only".to_owned()),
            Shader::Msl(_) => return unsupported("MSL: Vulkan takes SPIR-V only".to_owned()),
        };
        let facts = spirv::read(words).map_err(RunnerError::ShaderRefused)?;
        if !facts.entries.contains(&job.entry) {
            let known = facts.entries.join(", ");
            return Err(RunnerError::ShaderRefused(format!(
                "no compute entry point {}; there are: {known}",
                job.entry
            )));
        }
        let newest = newest_spirv(self.version);
        if facts.version > newest {
            let ((major, minor), (most, least)) = (facts.version, newest);
            return unsupported(format!("SPIR-V {major}.{minor} (it takes up to {most}.{least})"));
        }
        let mut needed = job.requires.iter().chain(&facts.features);
        match needed.find(|feature| !self.info.features.contains(feature)) {
            Some(missing) => unsupported(missing.to_string()),
            None => Ok(words),
        }
    }

    /// Places every buffer of `job`, if the device has room for all that the job binds.
    pub(crate) fn place(&self, job: &Job, shape: &Shape) -> Result<Vec<Placement>, RunnerError> {
        if job.buffers.is_empty() {
            let reason = "a job without buffers leaves nothing to read back".to_owned();
            return Err(RunnerError::Api { call: "job".to_owned(), reason });
        }
        let limits = &self.limits;
        let last_set = shape.sets.last_key_value().map_or(0, |(set, _)| *set);
        within("descriptor set", last_set, limits.max_bound_descriptor_sets.saturating_sub(1))?;
        let uniforms = shape.count(vk::DescriptorType::UNIFORM_BUFFER);
        within("uniform buffers per stage", uniforms, limits.max_per_stage_descriptor_uniform_buffers)?;
        let storages = shape.count(vk::DescriptorType::STORAGE_BUFFER);
        within("storage buffers per stage", storages, limits.max_per_stage_descriptor_storage_buffers)?;
        within("bytes of push constants", shape.push_constants, limits.max_push_constants_size)?;
        for (wanted, most) in job.workgroups.into_iter().zip(limits.max_compute_work_group_count) {
            within("workgroups in one dimension", wanted, most)?;
        }
        job.buffers
            .iter()
            .map(|buffer| {
                let (what, alignment, most) = match buffer.kind {
                    BufferKind::Uniform => (
                        "bytes of uniform buffer range",
                        limits.min_uniform_buffer_offset_alignment,
                        limits.max_uniform_buffer_range,
                    ),
                    BufferKind::StorageRead | BufferKind::Storage => (
                        "bytes of storage buffer range",
                        limits.min_storage_buffer_offset_alignment,
                        limits.max_storage_buffer_range,
                    ),
                };
                let alignment = u32::try_from(alignment).expect("Vulkan's required limits keep it at 256 or less");
                let placement = Placement::of(buffer, alignment)?;
                within(what, placement.size, most).map(|()| placement)
            })
            .collect()
    }
}

/// The newest SPIR-V version of a Vulkan version (Vulkan, "Versions and Formats" of SPIR-V).
fn newest_spirv(vulkan: u32) -> (u8, u8) {
    match (vk::api_version_major(vulkan), vk::api_version_minor(vulkan)) {
        (1, 0) => (1, 0),
        (1, 1) => (1, 3),
        (1, 2) => (1, 5),
        _ => (1, 6),
    }
}

fn within(what: &str, wanted: u32, most: u32) -> Result<(), RunnerError> {
    if wanted > most { unsupported(format!("{wanted} {what} (it has {most})")) } else { Ok(()) }
}

fn unsupported<T>(what: String) -> Result<T, RunnerError> {
    Err(RunnerError::Unsupported(what))
}
