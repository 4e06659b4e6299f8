//! Runs the common runner suite on each wgpu adapter, plus checks specific to wgpu.

#[path = "../../tests/suite.rs"]
mod suite;

#[path = "../../../harness/tests/fixture/bound.rs"]
mod bound;
#[path = "../../tests/placements.rs"]
mod placements;

use std::process::ExitCode;

use layoutproof_device::{BufferKind, DeviceApi, DeviceInfo, RunnerError, Shader};
use layoutproof_generators::binding::wgsl;
use layoutproof_wgpu::Wgpu;
use libtest_mimic::{Arguments, Failed, Trial};
use placements::Write;
use suite::{Api, buffer, ensure, ensure_eq, job, output, run};

const API: Api = Api { devices: &Wgpu, shader: |wgsl| Shader::Wgsl(wgsl.to_owned()) };

fn main() -> ExitCode {
    // All trials run in this thread. When a thread ends, the GL driver frees the data of that
    // thread, and the process does not wait for it: once the process died of a double free after
    // all trials had passed.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = match Wgpu.discover() {
        Ok(mut found) => {
            // They are listed, and run no job.
            found.devices.retain(|device| device.lacks.is_empty());
            let mut trials = suite::trials(&found, API);
            trials.extend(found.devices.iter().flat_map(own_trials));
            trials
        }
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Check = fn(&DeviceInfo) -> Result<(), Failed>;

/// Checks that only wgpu devices run.
const CHECKS: [(&str, Check); 4] = [
    ("broken_shaders_are_refused", broken_shaders),
    ("every_bound_resource_is_read_back", every_resource),
    ("varyings_and_targets_are_read_back", varyings),
    ("swapped_descriptors_are_named", swaps),
];

fn own_trials(device: &DeviceInfo) -> impl Iterator<Item = Trial> {
    CHECKS.into_iter().map(|(name, check)| {
        let info = device.clone();
        Trial::test(format!("{}::{name}", device.id), move || check(&info))
    })
}

/// Makes the binding probe's shaders for this API.
const PROBE: (Api, Write) = (API, |program| Shader::Wgsl(wgsl::module(program)));

fn every_resource(info: &DeviceInfo) -> Result<(), Failed> {
    let plan = bound::planned(bound::EVERYTHING, bound::EVERYWHERE).without(wgsl::not_expressible);
    // OpenGL ES has no one-dimensional images.
    placements::all_right(PROBE, info, &plan, &["t1", "w1"])
}

fn varyings(info: &DeviceInfo) -> Result<(), Failed> {
    placements::all_right(PROBE, info, &bound::planned(bound::VARYINGS, bound::VARYING_PLACES), &[])
}

fn swaps(info: &DeviceInfo) -> Result<(), Failed> {
    placements::swaps_show(PROBE, info, &bound::planned(bound::SWAPPED_SINGLY, bound::SWAPPED_SINGLY_PLACES))
}

/// wgpu's errors are returned; they neither panic nor end the device.
fn broken_shaders(info: &DeviceInfo) -> Result<(), Failed> {
    let fill = include_str!("../../tests/shaders/fill.wgsl");
    let shader = |wgsl: &str| Shader::Wgsl(wgsl.to_owned());
    let unbound = vec![buffer(0, BufferKind::Storage, &[0])];
    let short = vec![output(20), buffer(0, BufferKind::Uniform, &[0; 4]), buffer(2, BufferKind::StorageRead, &[0])];
    let jobs = vec![
        job(shader("@compute fn"), vec![output(1)]),
        job(shader(&fill.replace("u32", "u33")), vec![output(1)]),
        job(shader(fill), unbound),
        job(shader(include_str!("../../tests/shaders/copy.wgsl")), short),
        job(Shader::Spirv(vec![0x0723_0203]), vec![output(1)]),
        job(shader(fill), vec![output(1)]),
    ];
    let results = run(API, info, jobs)?;
    for refused in &results[..3] {
        ensure(matches!(refused, Err(RunnerError::ShaderRefused(_))), &format!("a broken shader: {refused:?}"))?;
    }
    let short = matches!(results[3], Err(RunnerError::Api { .. }));
    ensure(short, &format!("a range shorter than its block: {:?}", results[3]))?;
    let spirv = RunnerError::Unsupported("SPIR-V: the wgpu runner accepts only WGSL".to_owned());
    ensure_eq(&results[4], &Err(spirv), "SPIR-V")?;
    ensure(results[5].is_ok(), &format!("the good job behind the bad ones: {:?}", results[5]))
}
