//! Makes the evaluator of LLVM text a [`Runner`], so that checks use it like a device.

use std::collections::BTreeSet;
use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{
    Batch, BufferAfter, DeviceApi, DeviceInfo, Feature, Job, JobBuffer, ReadBack, Runner, RunnerError, RunnerKind,
    Shader,
};

use crate::llvm::{BoundBuffer, IrError, Program, RegisterSite};

/// Executes DXIL's listing, or Clang's IR for Direct3D, on the CPU.
///
/// A job's sets are register spaces, and its bindings are registers of the buffer's class: `b` for
/// uniform, `t` for read-only and `u` for writable storage buffers. A storage buffer also replaces
/// a missing one of the other class.
#[derive(Clone, Debug)]
pub struct Evaluator {
    device: DeviceInfo,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new()
    }
}

impl Evaluator {
    pub fn new() -> Self {
        let device = DeviceInfo {
            id: "dxil".into(),
            name: "layoutproof's evaluator of DXIL".into(),
            driver: concat!("layoutproof ", env!("CARGO_PKG_VERSION")).into(),
            api: "DXIL 1.6".into(),
            runner: RunnerKind::Dxil,
            index: 0,
            hardware: false,
            features: BTreeSet::from([Feature::Int16, Feature::Int64, Feature::Float16, Feature::Float64]),
            lacks: BTreeSet::new(),
            max_uniform_range: 1 << 16,
            max_push_constants: 0,
            direct3d: None,
            webgpu: None,
        };
        Self { device }
    }
}

impl Runner for Evaluator {
    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        // The jobs of a plan share a shader, so it is parsed only once for all of them.
        let mut answers = Vec::with_capacity(batch.jobs.len());
        for jobs in batch.jobs.chunk_by(|one, next| one.shader == next.shader && one.entry == next.entry) {
            let program = program(&jobs[0]);
            answers.extend(jobs.iter().map(|job| dispatch(job, &program)));
        }
        answers
    }
}

/// The API of the evaluator: one device, which any process can open.
#[derive(Clone, Copy, Debug)]
pub struct EvaluatorApi;

impl DeviceApi for EvaluatorApi {
    fn kind(&self) -> RunnerKind {
        RunnerKind::Dxil
    }

    fn discover(&self) -> Result<Enumeration, RunnerError> {
        Ok(Enumeration::new(vec![Evaluator::new().device], Vec::new()))
    }

    fn open(&self, _: &DeviceInfo, _: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        Ok(Box::new(Evaluator::new()))
    }
}

fn program(job: &Job) -> Result<Program, RunnerError> {
    let (Shader::DxilListing(text) | Shader::ClangIr(text)) = &job.shader else {
        return Err(RunnerError::Unsupported("shaders that are neither a listing of DXIL nor Clang's IR".into()));
    };
    Ok(Program::read(text, &job.entry)?)
}

impl From<IrError> for RunnerError {
    fn from(error: IrError) -> Self {
        Self::ShaderRefused(error.to_string())
    }
}

fn dispatch(job: &Job, program: &Result<Program, RunnerError>) -> Result<ReadBack, RunnerError> {
    let only_buffers = job.draw.is_none()
        && job.images.is_empty()
        && job.samplers.is_empty()
        && job.constants.is_empty()
        && job.push_constants.is_empty();
    if job.workgroups != [1, 1, 1] || !only_buffers {
        return Err(RunnerError::Unsupported("anything but one workgroup with buffers".into()));
    }

    let program = program.as_ref().map_err(RunnerError::clone)?;
    let mut buffers: Vec<BoundBuffer> = job.buffers.iter().map(bound).collect();
    program.run(&mut buffers)?;

    let after = job.buffers.iter().zip(buffers).map(|(buffer, bound)| BufferAfter {
        before: buffer.before_word.to_le_bytes().to_vec(),
        bytes: bound.bytes,
        after: buffer.after.clone(),
    });
    Ok(ReadBack { buffers: after.collect(), targets: Vec::new(), messages: Vec::new() })
}

fn bound(buffer: &JobBuffer) -> BoundBuffer {
    let site = RegisterSite { class: buffer.kind.class(), space: buffer.set, register: buffer.binding };
    BoundBuffer { site, bytes: buffer.bytes.clone() }
}
