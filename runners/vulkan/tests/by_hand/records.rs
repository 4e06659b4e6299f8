//! Shader records: that of the ray generation, and those of each stage that it reaches.

use layoutproof_device::{
    BufferKind, DeviceInfo, Feature, Job, JobBuffer, ReachedStage, RecordStage, RunnerError, Shader, Trace, words_of,
};
use libtest_mimic::Failed;
use rspirv::spirv::{AddressingModel, Capability, ExecutionModel, StorageClass};

use super::module::{Module, block, variable};
use crate::suite::{Api, buffer, buffers_of, ensure_eq, job, output, run};

/// Each stage with its execution model, the mask of the ray that reaches it, and the ray's flags (1 for
/// opaque, 2 for not opaque).
const STAGES: [(RecordStage, ExecutionModel, u32, u32); 5] = [
    (RecordStage::Callable, ExecutionModel::CallableKHR, 0, 0),
    (RecordStage::Miss, ExecutionModel::MissKHR, 0, 0),
    (RecordStage::ClosestHit, ExecutionModel::ClosestHitKHR, 1, 1),
    (RecordStage::AnyHit, ExecutionModel::AnyHitKHR, 1, 2),
    (RecordStage::Intersection, ExecutionModel::IntersectionKHR, 2, 0),
];

/// The record that each stage is reached by. It is neither the first nor the last of the table.
const REACHED: u32 = 2;

/// The bits of 1.0 and 10.0 in IEEE 754.
const ONE: u32 = 0x3F80_0000;
const TEN: u32 = 0x4120_0000;

/// The second record is longer than the others, so that all are further apart than their own bytes ask for.
pub(crate) fn records(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let own = Trace { reached: None };
    let mut jobs = vec![launch(own, ExecutionModel::RayGenerationKHR, vec![record(0, &[0x10, 0x11, 0x12])])?];
    for (stage, model, mask, flags) in STAGES {
        let generation = Shader::Spirv(generation(stage, mask, flags)?);
        let reached = Some(ReachedStage { stage, entry: "main".to_owned(), generation, closest_hit: None });
        let table = vec![
            record(3, &[0x40, 0x41, 0x42]),
            record(1, &[0x20; 30]),
            record(REACHED, &[0x30, 0x31, 0x32]),
            record(0, &[0x10, 0x11, 0x12]),
        ];
        jobs.push(launch(Trace { reached }, model, table)?);
    }

    let results = run(api, info, jobs)?;
    if !info.features.contains(&Feature::RayTracingPipeline) {
        let lack = RunnerError::Unsupported("rayTracingPipeline".to_owned());
        return results.iter().try_for_each(|result| ensure_eq(result, &Err(lack.clone()), "result"));
    }
    let [output, _] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &vec![0x11, 0x12], "the record of the ray generation")?;
    for ((stage, ..), result) in STAGES.iter().zip(&results[1..]) {
        let [output, records @ ..] = buffers_of::<5>(result)?;
        ensure_eq(&words_of(&output.bytes), &vec![0x31, 0x32], stage.as_str())?;
        ensure_eq(&words_of(&records[2].bytes), &vec![0x30, 0x31, 0x32], "the record afterwards")?;
    }
    Ok(())
}

fn record(element: u32, words: &[u32]) -> JobBuffer {
    JobBuffer { element, ..buffer(0, BufferKind::ShaderRecord, words) }
}

/// A launch with an output of two words. Its push constants have room for the address that rays need.
fn launch(trace: Trace, model: ExecutionModel, records: Vec<JobBuffer>) -> Result<Job, Failed> {
    let buffers = [output(2)].into_iter().chain(records).collect();
    let mut launch = job(Shader::Spirv(reader(model)?), buffers);
    launch.push_constants = vec![0; 8];
    launch.trace = Some(trace);
    Ok(launch)
}

fn begin() -> Module {
    let mut module = Module::begin(AddressingModel::Logical, &[Capability::RayTracingKHR]);
    module.builder.set_version(1, 4);
    module.builder.extension("SPV_KHR_ray_tracing");
    module
}

/// A stage that writes the words at bytes 4 and 8 of its record.
fn reader(model: ExecutionModel) -> Result<Vec<u32>, Failed> {
    let mut module = begin();
    let class = StorageClass::ShaderRecordBufferKHR;
    let uint = module.uint;
    let ty = block(&mut module.builder, &[(uint, 4), (uint, 8)]);
    let record = variable(&mut module.builder, ty, class);
    for member in 0..2 {
        let pointer = module.pointer(record, class, uint, &[member]);
        let word = module.builder.load(uint, None, pointer, None, [])?;
        module.put(member, word);
    }
    Ok(module.end_as(model))
}

/// A ray generation that reaches [`REACHED`] by a call or by a ray along the z axis. Objects that rays hit
/// add 1 to their records.
fn generation(stage: RecordStage, mask: u32, flags: u32) -> Result<Vec<u32>, Failed> {
    let mut module = begin();
    let uint = module.uint;
    let class = if stage.needs_ray() { StorageClass::RayPayloadKHR } else { StorageClass::CallableDataKHR };
    let passed = variable(&mut module.builder, uint, class);
    if !stage.needs_ray() {
        let record = module.number(REACHED);
        module.builder.execute_callable_khr(record, passed)?;
        return Ok(module.end_as(ExecutionModel::RayGenerationKHR));
    }

    let words = module.builder.type_vector(uint, 2);
    let pushed = block(&mut module.builder, &[(words, 0)]);
    let pushed = variable(&mut module.builder, pushed, StorageClass::PushConstant);
    let address = module.pointer(pushed, StorageClass::PushConstant, words, &[0]);
    let address = module.builder.load(words, None, address, None, [])?;
    let structure = module.builder.type_acceleration_structure_khr();
    let structure = module.builder.convert_u_to_acceleration_structure_khr(structure, None, address)?;

    let float = module.builder.type_float(32, None);
    let vector = module.builder.type_vector(float, 3);
    let [zero, one, ten] = [0, ONE, TEN].map(|bits| module.builder.constant_bit32(float, bits));
    let origin = module.builder.constant_composite(vector, [zero, zero, zero]);
    let direction = module.builder.constant_composite(vector, [zero, zero, one]);
    let [flags, mask, hit, stride, miss] =
        [flags, mask, REACHED - 1, 0, if mask == 0 { REACHED } else { 0 }].map(|number| module.number(number));
    module.builder.trace_ray_khr(structure, flags, mask, hit, stride, miss, origin, zero, direction, ten, passed)?;
    Ok(module.end_as(ExecutionModel::RayGenerationKHR))
}
