//! The requirements on every runner, as trials. Each crate of a device API runs them on each device
//! that it lists.
//!
//! Shaders are WGSL; a runner's test converts them to a [`Shader`] that the runner accepts. The
//! expected memory contents follow from the Vulkan and WGSL specifications and are literals here.

pub(crate) mod resources;

use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{
    Batch, BufferAfter, BufferKind, DeviceApi, DeviceInfo, Feature, JOB_LIMIT, Job, JobBuffer, ReadBack, RunnerError,
    Shader, device_wait, word_bytes, words_of,
};
use libtest_mimic::{Failed, Trial};

/// Fills the memory before each bound range.
pub(crate) const BEFORE: u32 = 0xBEF0_BEF0;
/// Fills the guards after each bound range.
const AFTER: u32 = 0xAF7E_AF7E;
/// Fills the output before a job runs.
pub(crate) const FILL: u32 = 0xDEAD_F111;

/// A runner under test.
#[derive(Clone, Copy)]
pub(crate) struct Api {
    /// Opens devices.
    pub(crate) devices: &'static dyn DeviceApi,
    /// Makes a shader from WGSL.
    pub(crate) shader: fn(&str) -> Shader,
}

/// A check of one device.
pub(crate) type Check = fn(Api, &DeviceInfo) -> Result<(), Failed>;

/// The checks that any device must pass.
const CHECKS: [(&str, Check); 9] = [
    ("ranges_are_bound_exactly_and_oddly", ranges),
    ("guards_stay_and_all_invocations_run", fill),
    ("sets_and_bindings", sets),
    ("push_constants", push_constants),
    ("each_job_starts_afresh", refill),
    ("equal_shapes_with_other_shaders", other_shaders),
    ("a_large_buffer_between_small_ones", large),
    ("missing_features_are_named", features),
    ("bad_jobs_are_refused_and_the_device_goes_on", bad_jobs),
];

/// One trial per check and device. Without a device, one ignored trial with the reason.
pub(crate) fn trials(found: &Enumeration, api: Api) -> Vec<Trial> {
    if found.devices.is_empty() {
        let reason = format!("no device: {}", found.notes.join("; "));
        return vec![skipped("every_device", &reason)];
    }
    let mut trials = Vec::new();
    for device in &found.devices {
        trials.extend(CHECKS.into_iter().chain(resources::CHECKS).map(|check| trial(device, api, check)));
        let slow = format!("{}::a_slow_job_times_out", device.id);
        let info = device.clone();
        trials.push(match not_slowed(device) {
            None => Trial::test(slow, move || timeout(api, &info)),
            Some(reason) => skipped(&slow, reason),
        });
    }
    trials
}

/// Wraps a check of a device as a trial.
pub(crate) fn trial(device: &DeviceInfo, api: Api, (name, check): (&str, Check)) -> Trial {
    let info = device.clone();
    Trial::test(format!("{}::{name}", device.id), move || check(api, &info))
}

/// An ignored trial with its reason, which fails if it is run anyway.
fn skipped(name: &str, reason: &str) -> Trial {
    let failure = Failed::from(reason);
    Trial::test(name, move || Err(failure)).with_kind(reason).with_ignored_flag(true)
}

/// The reason for not giving a device a job of seconds; `None` for the device that is known to go on afterwards.
fn not_slowed(device: &DeviceInfo) -> Option<&'static str> {
    match device.id.as_str() {
        "swiftshader" => None,
        "lavapipe" | "llvmpipe-gl" => Some("llvmpipe ends loops after 65535 iterations"),
        _ => Some("a watchdog may reset the device"),
    }
}

/// Runs the jobs as one batch on a fresh device.
pub(crate) fn run(api: Api, info: &DeviceInfo, jobs: Vec<Job>) -> Result<Vec<Result<ReadBack, RunnerError>>, Failed> {
    let mut runner = api.devices.open(info, JOB_LIMIT)?;
    ensure_eq(&runner.device().id, &info.id, "the opened device")?;
    let count = jobs.len();
    let results = runner.run(&Batch { jobs });
    ensure_eq(&results.len(), &count, "results")?;
    Ok(results)
}

/// A job with a shader and buffers only.
pub(crate) fn job(shader: Shader, buffers: Vec<JobBuffer>) -> Job {
    Job::compute(shader, "main", buffers)
}

/// A buffer of `words` at set 0, with a guard of 3 words.
pub(crate) fn buffer(binding: u32, kind: BufferKind, words: &[u32]) -> JobBuffer {
    let (bytes, after) = (word_bytes(words), word_bytes(&[AFTER; 3]));
    JobBuffer { set: 0, binding, element: 0, kind, bytes, after, before_word: BEFORE }
}

/// An output of `count` words at set 0 binding 1.
pub(crate) fn output(count: usize) -> JobBuffer {
    buffer(1, BufferKind::Storage, &vec![FILL; count])
}

fn ranges(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let block: Vec<u32> = (0..16).map(|i| 0xC0DE_0000 + i).collect();
    let mut input = buffer(2, BufferKind::StorageRead, &[77, 1, 2, 3, 4]);
    input.after = Vec::new();
    let buffers = vec![buffer(0, BufferKind::Uniform, &block), output(21), input];
    let results = run(api, info, vec![job((api.shader)(include_str!("shaders/copy.wgsl")), buffers)])?;
    let [block_after, output_after, input_after] = buffers_of(&results[0])?;
    let mut expected = vec![77, 21, 5];
    expected.extend(&block);
    expected.extend([FILL, FILL]);
    ensure_eq(&words_of(&output_after.bytes), &expected, "output")?;
    ensure_eq(&words_of(&block_after.bytes), &block, "block")?;
    ensure_eq(&words_of(&input_after.bytes), &vec![77, 1, 2, 3, 4], "input")?;
    ensure_eq(&input_after.after.len(), &0, "guard of the input")?;
    for after in [block_after, output_after] {
        ensure_eq(&words_of(&after.after), &vec![AFTER; 3], "guard")?;
    }
    for (after, alignment) in [block_after, output_after, input_after].into_iter().zip(alignments(info)) {
        ensure(!after.before.is_empty(), "nothing lies before a range")?;
        ensure(words_of(&after.before).iter().all(|word| *word == BEFORE), "memory before a range was written")?;
        if let Some(alignment) = alignment {
            ensure_eq(&after.before.len(), &alignment, "bytes before a range")?;
        }
    }
    Ok(())
}

/// Minimum offset alignments of a uniform, a storage and a storage buffer, as vulkaninfo and wgpu-info report them for
/// Mesa 22.3.6 and `SwiftShader` 5.0; wgpu raises alignments below 32 to 32.
fn alignments(info: &DeviceInfo) -> [Option<usize>; 3] {
    match (info.id.as_str(), info.runner.as_str()) {
        ("lavapipe", "ash") => [Some(16); 3],
        ("lavapipe", _) => [Some(32); 3],
        ("swiftshader" | "dawn", _) => [Some(256); 3],
        _ => [None; 3],
    }
}

fn fill(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let mut job = job((api.shader)(include_str!("shaders/fill.wgsl")), vec![output(24)]);
    job.workgroups = [2, 3, 4];
    let results = run(api, info, vec![job])?;
    let [after] = buffers_of(&results[0])?;
    let expected: Vec<u32> = (0..24).map(|i| 0x1000 + i % 2 + 16 * (i / 2 % 3) + 256 * (i / 6)).collect();
    ensure_eq(&words_of(&after.bytes), &expected, "output")?;
    ensure_eq(&words_of(&after.after), &vec![AFTER; 3], "guard")?;
    ensure(words_of(&after.before).iter().all(|word| *word == BEFORE), "memory before the range was written")
}

fn sets(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let place = |set, buffer: JobBuffer| JobBuffer { set, ..buffer };
    let buffers = vec![
        place(3, buffer(2, BufferKind::StorageRead, &[302])),
        place(1, buffer(4, BufferKind::Uniform, &[104, 0, 0, 0])),
        place(0, buffer(7, BufferKind::Storage, &[FILL; 3])),
        place(1, buffer(0, BufferKind::Uniform, &[100, 0, 0, 0])),
    ];
    let results = run(api, info, vec![job((api.shader)(include_str!("shaders/sets.wgsl")), buffers)])?;
    let [_, _, output, _] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &vec![100, 104, 302], "output")
}

fn push_constants(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let pushed: Vec<u32> = (1..=8).map(|i| 0x0BAD_0000 + i).collect();
    let mut job = job((api.shader)(include_str!("shaders/push.wgsl")), vec![output(8)]);
    job.push_constants = word_bytes(&pushed);
    job.requires.insert(Feature::PushConstants);
    let too_long = Job { push_constants: vec![0; info.max_push_constants as usize + 4], ..job.clone() };
    let results = run(api, info, vec![job, too_long])?;
    ensure(matches!(results[1], Err(RunnerError::Unsupported(_))), "more than the device's push constants")?;
    if !info.features.contains(&Feature::PushConstants) {
        return ensure_eq(&results[0], &Err(RunnerError::Unsupported("push constants".to_owned())), "result");
    }
    let [output] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &pushed, "output")
}

fn refill(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let jobs = [(11, 21), (12, 19), (13, 30)].map(|(nonce, length)| {
        let buffers = vec![
            buffer(0, BufferKind::Uniform, &[nonce; 16]),
            output(length),
            buffer(2, BufferKind::StorageRead, &[nonce]),
        ];
        job((api.shader)(include_str!("shaders/copy.wgsl")), buffers)
    });
    let results = run(api, info, jobs.into())?;
    for (result, (nonce, length)) in results.iter().zip([(11, 21_u32), (12, 19), (13, 30)]) {
        let [_, output, _] = buffers_of(result)?;
        let mut expected = vec![nonce, length, 1];
        expected.extend([nonce; 16]);
        expected.resize(length as usize, FILL);
        ensure_eq(&words_of(&output.bytes), &expected, "output")?;
    }
    Ok(())
}

fn other_shaders(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let fill = include_str!("shaders/fill.wgsl");
    let values = [0x1000_u32, 0x2000, 0x1000];
    let jobs = values.map(|value| {
        let wgsl = fill.replace("0x1000u", &format!("{value:#x}u"));
        job((api.shader)(&wgsl), vec![output(1)])
    });
    for (result, value) in run(api, info, jobs.into())?.iter().zip(values) {
        let [after] = buffers_of(result)?;
        ensure_eq(&words_of(&after.bytes), &vec![value], "output")?;
    }
    Ok(())
}

fn large(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let jobs = [4, 100_000, 4].map(|count| {
        let mut job = job((api.shader)(include_str!("shaders/fill.wgsl")), vec![output(count)]);
        job.workgroups = [4, 1, 1];
        job
    });
    for (result, count) in run(api, info, jobs.into())?.iter().zip([4, 100_000, 4]) {
        let [after] = buffers_of(result)?;
        let mut expected = vec![0x1000, 0x1001, 0x1002, 0x1003];
        expected.resize(count, FILL);
        ensure(words_of(&after.bytes) == expected, "four words are written and the rest is left")?;
        ensure_eq(&words_of(&after.after), &vec![AFTER; 3], "guard")?;
    }
    Ok(())
}

fn features(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let buffers = vec![output(2), buffer(2, BufferKind::StorageRead, &[0xffff_fff0, 0x20])];
    let mut job = job((api.shader)(include_str!("shaders/int64.wgsl")), buffers);
    job.requires.insert(Feature::Int64);
    let results = run(api, info, vec![job])?;
    if info.features.contains(&Feature::Int64) {
        let [output, _] = buffers_of(&results[0])?;
        ensure_eq(&words_of(&output.bytes), &vec![1, 0x10], "output")
    } else {
        ensure_eq(&results[0], &Err(RunnerError::Unsupported("shaderInt64".to_owned())), "result")
    }
}

fn bad_jobs(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let mut good = job((api.shader)(include_str!("shaders/fill.wgsl")), vec![output(1)]);
    good.workgroups = [1, 1, 1];
    let mut jobs = vec![good.clone(); 6];
    "absent".clone_into(&mut jobs[0].entry);
    jobs[1].buffers = vec![output(1), output(1)];
    jobs[2].buffers[0].bytes = vec![0; 6];
    jobs[3].buffers.clear();
    jobs[4].shader = Shader::ClangIr(String::new());
    let results = run(api, info, jobs)?;
    ensure(matches!(results[0], Err(RunnerError::ShaderRefused(_))), &format!("absent entry: {:?}", results[0]))?;
    for malformed in &results[1..4] {
        ensure(matches!(malformed, Err(RunnerError::Api { .. })), &format!("a malformed job: {malformed:?}"))?;
    }
    ensure(matches!(results[4], Err(RunnerError::Unsupported(_))), &format!("a form: {:?}", results[4]))?;
    let [after] = buffers_of(&results[5])?;
    ensure_eq(&words_of(&after.bytes), &vec![0x1000], "the good job behind the bad ones")
}

/// The slow job ends by itself, after seconds.
fn timeout(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let shader = (api.shader)(include_str!("shaders/slow.wgsl"));
    let with = |count: u32| job(shader.clone(), vec![output(1), buffer(2, BufferKind::StorageRead, &[count])]);
    let limit = Duration::from_millis(600);
    let wait = u64::try_from(device_wait(limit).as_millis())?;
    let mut runner = api.devices.open(info, limit)?;
    let results = runner.run(&Batch { jobs: vec![with(1), with(u32::MAX), with(1)] });
    buffers_of::<2>(&results[0])?;
    ensure_eq(&results[1], &Err(RunnerError::Timeout(wait)), "the slow job")?;
    ensure_eq(&results[2], &Err(RunnerError::Timeout(wait)), "a job behind it")?;
    let results = run(api, info, vec![with(1)])?;
    buffers_of::<2>(&results[0]).map(|_| ())
}

/// The buffers of a successful job.
pub(crate) fn buffers_of<const N: usize>(result: &Result<ReadBack, RunnerError>) -> Result<&[BufferAfter; N], Failed> {
    let read_back = result.as_ref().map_err(|error| format!("the job failed: {error}"))?;
    Ok(read_back.buffers.as_slice().try_into().map_err(|_| "another number of buffers came back")?)
}

/// Fails with `what` unless `holds`.
pub(crate) fn ensure(holds: bool, what: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// Fails with both values unless they are equal.
pub(crate) fn ensure_eq<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T, what: &str) -> Result<(), Failed> {
    ensure(found == expected, &format!("{what}: found {found:x?}, expected {expected:x?}"))
}
