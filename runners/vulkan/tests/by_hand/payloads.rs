//! Structs that stages pass to each other, in the code of compilers: what a caller writes its callee reads, and the other way.
//!
//! The device chooses where the members are, so this shows that members arrive, not where they are in between.

use layoutproof_device::{
    BufferKind, DeviceInfo, Feature, Geometry, Job, JobBuffer, ReachedStage, RecordStage, RunnerError, Shader, Trace,
    words_of,
};
use libtest_mimic::Failed;

use crate::suite::{Api, buffer, buffers_of, ensure_eq, job, output, run};

/// The words of the struct.
const WORDS: u32 = 19;

macro_rules! module {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../payloads/", $name, ".spv")) as &[u8])
    };
}

type Module = (&'static str, &'static [u8]);

/// Each stage with the modules that reach it, and those that are it.
const CALLS: [(RecordStage, &[Module], &[Module]); 3] = [
    (
        RecordStage::Callable,
        &[module!("glslang_caller"), module!("dxc_caller"), module!("slang_caller")],
        &[module!("glslang_callable"), module!("dxc_callable"), module!("slang_callable")],
    ),
    (
        RecordStage::Miss,
        &[module!("glslang_miss_caller")],
        &[module!("glslang_miss"), module!("dxc_miss"), module!("slang_miss")],
    ),
    (
        RecordStage::ClosestHit,
        &[module!("glslang_hit_caller")],
        &[module!("glslang_hit"), module!("dxc_hit"), module!("slang_hit")],
    ),
];

/// Every caller with every callee, also those of two compilers.
pub(crate) fn payloads(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    // Numbers between 1 and 2, each of which names its word.
    let words: Vec<u32> = (0..2 * WORDS).map(|word| 0x3F80_0000 + 0x101 * word).collect();
    let (mut names, mut jobs) = (Vec::new(), Vec::new());
    for (stage, callers, callees) in CALLS {
        for (caller, generation) in callers {
            for (callee, reached) in callees {
                names.push(format!("{caller} with {callee}"));
                jobs.push(call(stage, spirv(generation), spirv(reached), &words));
            }
        }
    }

    let results = run(api, info, jobs)?;
    for (name, result) in names.iter().zip(&results) {
        if !info.features.contains(&Feature::RayTracingPipeline) {
            let lack = RunnerError::Unsupported("rayTracingPipeline".to_owned());
            ensure_eq(result, &Err(lack), name)?;
            continue;
        }
        let [output, ..] = buffers_of::<5>(result)?;
        ensure_eq(&words_of(&output.bytes), &words, name)?;
    }
    Ok(())
}

/// Every task shader with every mesh shader. DXC 1.7.2308 has none here: it makes a variable of each member of the payload,
/// and a stage may have one.
pub(crate) fn mesh_payloads(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let words: Vec<u32> = (0..WORDS).map(|word| 0x3F80_0000 + 0x101 * word).collect();
    let (mut names, mut jobs) = (Vec::new(), Vec::new());
    for (first, task) in [module!("glslang_task"), module!("slang_task")] {
        for (second, mesh) in [module!("glslang_mesh"), module!("slang_mesh")] {
            names.push(format!("{first} with {second}"));
            let buffers = vec![output(words.len()), buffer(2, BufferKind::StorageRead, &words)];
            let geometry = Geometry::Mesh { task: spirv(task), task_entry: "main".to_owned() };
            jobs.push(Job { geometry: Some(geometry), ..job(spirv(mesh), buffers) });
        }
    }
    let results = run(api, info, jobs)?;
    for (name, result) in names.iter().zip(&results) {
        if !info.features.contains(&Feature::MeshShader) {
            ensure_eq(result, &Err(RunnerError::Unsupported("meshShader".to_owned())), name)?;
            continue;
        }
        let [output, _] = buffers_of::<2>(result)?;
        ensure_eq(&words_of(&output.bytes), &words, name)?;
    }
    Ok(())
}

/// A call through the third of three records.
fn call(stage: RecordStage, generation: Shader, reached: Shader, words: &[u32]) -> Job {
    let records = (0..3).map(|element| JobBuffer { element, ..buffer(0, BufferKind::ShaderRecord, &[0]) });
    let buffers = [output(words.len()), buffer(2, BufferKind::StorageRead, words)].into_iter().chain(records);
    let mut job = job(reached, buffers.collect());
    job.push_constants = vec![0; 8];
    let entry = "main".to_owned();
    job.trace = Some(Trace { reached: Some(ReachedStage { stage, entry, generation, closest_hit: None }) });
    job
}

/// Every intersection with every closest-hit stage, in the group of a box: the attributes that the first reports the second
/// reads.
pub(crate) fn hit_attributes(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let words: Vec<u32> = (0..8).map(|word| 0x3F80_0000 + 0x101 * word).collect();
    let (_, ray) = module!("glslang_ray");
    let (mut names, mut jobs) = (Vec::new(), Vec::new());
    for (first, report) in [module!("glslang_report"), module!("dxc_report"), module!("slang_report")] {
        for (second, reported) in [module!("glslang_reported"), module!("dxc_reported"), module!("slang_reported")] {
            names.push(format!("{first} with {second}"));
            let mut job = call(RecordStage::Intersection, spirv(ray), spirv(report), &words);
            if let Some(reached) = job.trace.as_mut().and_then(|trace| trace.reached.as_mut()) {
                reached.closest_hit = Some(spirv(reported));
            }
            jobs.push(job);
        }
    }
    let results = run(api, info, jobs)?;
    for (name, result) in names.iter().zip(&results) {
        if !info.features.contains(&Feature::RayTracingPipeline) {
            ensure_eq(result, &Err(RunnerError::Unsupported("rayTracingPipeline".to_owned())), name)?;
            continue;
        }
        let [output, ..] = buffers_of::<5>(result)?;
        ensure_eq(&words_of(&output.bytes), &words, name)?;
    }
    Ok(())
}

pub(crate) fn spirv(bytes: &[u8]) -> Shader {
    Shader::Spirv(words_of(bytes))
}
