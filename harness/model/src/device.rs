//! The model as a [`Runner`].

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::devices::Enumeration;
use layoutproof_device::limits::{Limits, check_features, needed_features};
use layoutproof_device::{
    Batch, BufferAfter, BufferKind, DeviceApi, DeviceInfo, Feature, Job, ReachedStage, ReadBack, Runner, RunnerError,
    RunnerKind, Shader, Stage, Trace,
};

use super::descriptors::{DescriptorTable, bind, buffer_address};
use super::machine::ModelMachine;
use super::memory::ModelMemory;
use super::misreading::{Disturbance, Misreading, OUTPUT};
use super::model_error::ModelError;
use super::program::ModelProgram;

/// The limits of the model. It also runs jobs whose ranges and push constants are longer than
/// [`Model::new`] reports, because they cost nothing. Ranges start at byte 16 of their memory.
const LIMITS: Limits = Limits {
    uniform_alignment: 16,
    storage_alignment: 16,
    uniform_range: u32::MAX,
    storage_range: u32::MAX,
    uniform_buffers: MAX_DESCRIPTORS,
    storage_buffers: MAX_DESCRIPTORS,
    sampled_images: MAX_DESCRIPTORS,
    storage_images: MAX_DESCRIPTORS,
    samplers: MAX_DESCRIPTORS,
    sets: u32::MAX,
    push_constants: u32::MAX,
    workgroups: [1; 3],
    targets: 0,
    inline_uniform: 256,
    record_handle: 32,
    record: u32::MAX,
};

/// What only code that our generators do not write needs.
const LACKS: [Feature; 2] = [Feature::MeshShader, Feature::TransformFeedback];

/// Maximum number of descriptors of one type.
const MAX_DESCRIPTORS: u32 = 1 << 12;

/// The model device, optionally with a planted fault.
#[derive(Clone, Debug)]
pub struct Model {
    device: DeviceInfo,
    misreading: Option<Misreading>,
    /// The bytes of the probe's output after the previous dispatch.
    last_output: Option<Vec<u8>>,
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
            features: Feature::ALL.into_iter().filter(|feature| !LACKS.contains(feature)).collect(),
            lacks: BTreeSet::new(),
            max_uniform_range: 1 << 16,
            max_push_constants: 256,
            direct3d: None,
            webgpu: None,
        };
        Self { device, misreading: None, last_output: None }
    }

    pub fn with_misreading(misreading: Misreading) -> Self {
        Self { misreading: Some(misreading), ..Self::new() }
    }

    fn dispatch(&mut self, job: &Job, program: &Result<ModelProgram, RunnerError>) -> Result<ReadBack, RunnerError> {
        let misreading = self.misreading.filter(|misreading| misreading.concerns(job));
        let rewired = misreading.map(|misreading| misreading.rewired(job));
        let job = rewired.as_ref().unwrap_or(job);
        let descriptors = Descriptors::of(job)?;
        check_features(&self.device, &needed_features(job, &descriptors))?;
        let placements = LIMITS.place(job, &descriptors)?;

        let program = program.as_ref().map_err(RunnerError::clone)?;
        let memories = if let Some(misreading) = misreading {
            self.misread(misreading, program, job, &descriptors)
        } else {
            let (table, memories) = bind(job, &descriptors);
            run_program(program, job, table, memories, None)
        };

        let buffers = job.buffers.iter().zip(placements).zip(memories?).enumerate();
        let buffers = buffers.map(|(index, ((buffer, placement), memory))| {
            let mut after = BufferAfter { bytes: memory.bytes, ..placement.split(&placement.image(buffer)) };
            job.restore_addresses(index, &mut after.bytes, |index| buffer_address(job, index));
            if let Some(misreading) = misreading {
                misreading.around(buffer.set, buffer.binding, &mut after);
            }
            after
        });
        let buffers: Vec<BufferAfter> = buffers.collect();

        let output = job.buffers.iter().position(|buffer| (buffer.set, buffer.binding) == OUTPUT);
        self.last_output = output.map(|index| buffers[index].bytes.clone());
        Ok(ReadBack { buffers, targets: Vec::new(), messages: Vec::new() })
    }

    /// Runs a job with a fault.
    fn misread(
        &self,
        misreading: Misreading,
        program: &ModelProgram,
        job: &Job,
        descriptors: &Descriptors,
    ) -> Result<Vec<ModelMemory>, ModelError> {
        let (table, found) = bind(job, descriptors);
        let mut memories = found.clone();

        misreading.before(&program.types, &mut memories);
        if !misreading.is_idle() {
            memories = run_program(program, job, table, memories, Some(misreading))?;
        }
        misreading.after(&mut memories, &found, self.last_output.as_deref());
        Ok(memories)
    }

    /// Reads the shader of `job` and plants the fault in it.
    fn program(&self, job: &Job) -> Result<ModelProgram, RunnerError> {
        let Shader::Spirv(words) = &job.shader else {
            return Err(RunnerError::Unsupported(job.shader.form().to_string()));
        };

        let mut program = ModelProgram::new(words, &job.constants)?;
        if let Some(misreading) = self.misreading.filter(|misreading| misreading.concerns(job)) {
            let in_heap = program.heap_blocks();
            misreading.plant(&mut program.types, &in_heap);
        }
        Ok(program)
    }
}

/// The API of the model: one device, which any process can open.
#[derive(Clone, Copy, Debug)]
pub struct ModelApi;

impl DeviceApi for ModelApi {
    fn kind(&self) -> RunnerKind {
        RunnerKind::Model
    }

    fn discover(&self) -> Result<Enumeration, RunnerError> {
        Ok(Enumeration::new(vec![Model::new().device], Vec::new()))
    }

    fn open(&self, _: &DeviceInfo, _: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        Ok(Box::new(Model::new()))
    }
}

/// True if two jobs can share a program with this fault.
fn same_program(misreading: Option<Misreading>, one: &Job, next: &Job) -> bool {
    let concerns = |job| misreading.is_some_and(|misreading| misreading.concerns(job));
    one.shader == next.shader && one.constants == next.constants && concerns(one) == concerns(next)
}

/// Runs a job and returns its memories afterwards.
fn run_program(
    program: &ModelProgram,
    job: &Job,
    table: DescriptorTable,
    memories: Vec<ModelMemory>,
    misreading: Option<Misreading>,
) -> Result<Vec<ModelMemory>, ModelError> {
    let found: Vec<Vec<u8>> = memories.iter().map(|memory| memory.bytes.clone()).collect();
    let record = match &job.trace {
        Some(Trace { reached: Some(ReachedStage { generation: Shader::Spirv(words), .. }) }) => {
            let generation = ModelProgram::new(words, &BTreeMap::new())?;
            let mut machine = ModelMachine::new(&generation, table.clone(), memories.clone(), Disturbance::default());
            machine.run_generation(&job.entry)?
        }
        Some(_) | None => 0,
    };
    let total = if misreading.is_some_and(Misreading::counts_stores) {
        let mut machine = ModelMachine::new(program, table.clone(), memories.clone(), Disturbance::default());
        run_stages(&mut machine, job, record)?;
        Some(machine.disturbance.stores)
    } else {
        None
    };

    let mut machine = ModelMachine::new(program, table, memories, Disturbance::new(misreading, total));
    run_stages(&mut machine, job, record)?;

    let is_writable = |kind| matches!(kind, BufferKind::Storage | BufferKind::HeapStorage | BufferKind::Address { .. });
    let read_only = |index: usize| !is_writable(job.buffers[index].kind);
    let written =
        (0..job.buffers.len()).find(|index| read_only(*index) && machine.memories[*index].bytes != found[*index]);
    match written {
        Some(index) => Err(ModelError::ReadOnly(job.buffers[index].binding)),
        None => Ok(machine.memories),
    }
}

/// Runs the compute stage, the ray generation, the stage of the shader record that it reached, or the
/// vertex and fragment stages of a draw. Each runs once, and no data passes between them.
fn run_stages(machine: &mut ModelMachine<'_>, job: &Job, record: usize) -> Result<(), ModelError> {
    if let Some(trace) = &job.trace {
        let Some(reached) = &trace.reached else {
            return machine.run(Stage::RayGeneration, &job.entry, &job.constants);
        };
        machine.set_record(record);
        return machine.run(Stage::Record(reached.stage), &reached.entry, &job.constants);
    }
    match &job.draw {
        None => machine.run(Stage::Compute, &job.entry, &job.constants),
        Some(draw) => {
            machine.run(Stage::Vertex, &job.entry, &job.constants)?;
            machine.run(Stage::Fragment, &draw.fragment, &job.constants)
        }
    }
}

impl Runner for Model {
    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        // The jobs of a plan share a shader, which is read once for all of them.
        let mut answers = Vec::with_capacity(batch.jobs.len());
        let misreading = self.misreading;
        for jobs in batch.jobs.chunk_by(|one, next| same_program(misreading, one, next)) {
            let program = self.program(&jobs[0]);
            answers.extend(jobs.iter().map(|job| self.dispatch(job, &program)));
        }
        answers
    }
}
