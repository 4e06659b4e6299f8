//! The model as a [`Runner`].

use std::collections::BTreeSet;

use super::machine::Machine;
use super::memory::Memory;
use super::misreading::{Disturbance, Misreading};
use super::program::Program;
use crate::runner::{
    Batch, BufferAfter, BufferKind, DeviceInfo, Feature, Job, ReadBack, Runner, RunnerError, RunnerKind, Shader,
};

/// Bytes of memory before each bound range.
const BEFORE_BYTES: usize = 16;

/// The model device, optionally with a planted fault.
#[derive(Clone, Debug)]
pub struct Model {
    device: DeviceInfo,
    misreading: Option<Misreading>,
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// A model that follows every decoration.
    pub fn new() -> Self {
        let device = DeviceInfo {
            id: "model".into(),
            name: "layoutproof's model device".into(),
            driver: concat!("layoutproof ", env!("CARGO_PKG_VERSION")).into(),
            api: "SPIR-V 1.6".into(),
            runner: RunnerKind::Model,
            index: 0,
            hardware: false,
            features: BTreeSet::from(FEATURES),
            max_uniform_range: 1 << 16,
            max_push_constants: 256,
        };
        Self { device, misreading: None }
    }

    /// A model with a fault.
    pub fn with_misreading(misreading: Misreading) -> Self {
        Self { misreading: Some(misreading), ..Self::new() }
    }

    fn dispatch(&self, job: &Job, program: &Result<Program, RunnerError>) -> Result<ReadBack, RunnerError> {
        if let Some(feature) = job.requires.iter().find(|feature| !self.device.features.contains(feature)) {
            return Err(RunnerError::Unsupported(feature.to_string()));
        }
        if job.workgroups != [1, 1, 1] {
            return Err(RunnerError::Unsupported("more than one workgroup".into()));
        }
        let program = program.as_ref().map_err(RunnerError::clone)?;
        let memories = match self.misreading {
            Some(Misreading::Idle) => memories(job),
            Some(_) | None => self.run_program(program, job).map_err(RunnerError::ShaderRefused)?,
        };
        let buffers = job.buffers.iter().zip(memories).map(|(buffer, memory)| BufferAfter {
            before: buffer.before_word.to_le_bytes().into_iter().cycle().take(BEFORE_BYTES).collect(),
            bytes: memory.bytes,
            after: buffer.after.clone(),
        });
        Ok(ReadBack { buffers: buffers.collect() })
    }

    /// Reads a shader and plants the fault in it.
    fn program(&self, shader: &Shader) -> Result<Program, RunnerError> {
        let words = match shader {
            Shader::Spirv(words) => words,
            Shader::Wgsl(_) => return Err(RunnerError::Unsupported("WGSL".into())),
            Shader::Dxbc(_) => return Err(RunnerError::Unsupported("DXBC".into())),
            Shader::Dxil(_) => return Err(RunnerError::Unsupported("DXIL".into())),
            Shader::Msl(_) => return Err(RunnerError::Unsupported("MSL".into())),
        };
        let mut program = Program::new(words).map_err(RunnerError::ShaderRefused)?;
        if let Some(misreading) = self.misreading {
            misreading.plant(&mut program.types);
        }
        Ok(program)
    }

    fn run_program(&self, program: &Program, job: &Job) -> Result<Vec<Memory>, String> {
        let mut machine = Machine::new(program, memories(job), Disturbance::new(self.misreading));
        machine.run(&job.entry)?;
        let read_only = |index: usize| match job.buffers[index].kind {
            BufferKind::Uniform | BufferKind::StorageRead => true,
            BufferKind::Storage => false,
        };
        let written = (0..job.buffers.len())
            .find(|index| read_only(*index) && machine.memories[*index].bytes != job.buffers[*index].bytes);
        match written {
            Some(index) => Err(format!("a store to the read-only buffer at binding {}", job.buffers[index].binding)),
            None => Ok(machine.memories),
        }
    }
}

/// The bound buffers in the job's order, then the push constants.
fn memories(job: &Job) -> Vec<Memory> {
    let buffers = job.buffers.iter();
    let buffers =
        buffers.map(|buffer| Memory { set: buffer.set, binding: buffer.binding, bytes: buffer.bytes.clone() });
    let push_constants = Memory { set: u32::MAX, binding: u32::MAX, bytes: job.push_constants.clone() };
    buffers.chain([push_constants]).collect()
}

impl Runner for Model {
    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        // The jobs of a plan share a shader, which is read once for all of them.
        let same_shader = batch.jobs.chunk_by(|one, next| one.shader == next.shader);
        let answers = same_shader.flat_map(|jobs| {
            let program = self.program(&jobs[0].shader);
            jobs.iter().map(|job| self.dispatch(job, &program)).collect::<Vec<_>>()
        });
        answers.collect()
    }
}

/// All but buffer device addresses.
const FEATURES: [Feature; 14] = [
    Feature::UniformBufferStandardLayout,
    Feature::ScalarBlockLayout,
    Feature::PushConstants,
    Feature::Int8,
    Feature::Int16,
    Feature::Int64,
    Feature::Float16,
    Feature::Float64,
    Feature::StorageBuffer8,
    Feature::UniformBuffer8,
    Feature::PushConstant8,
    Feature::StorageBuffer16,
    Feature::UniformBuffer16,
    Feature::PushConstant16,
];
