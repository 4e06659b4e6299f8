//! Runs the suite of all runners on each wgpu adapter, and checks what is wgpu's own.

#[path = "../../tests/suite.rs"]
mod suite;

use std::process::ExitCode;

use layoutproof::runner::{BufferKind, DeviceInfo, RunnerError, Shader};
use libtest_mimic::{Arguments, Failed, Trial};

use suite::{Api, buffer, ensure, ensure_eq, job, output, run};

const API: Api = Api { open: layoutproof_wgpu::open, shader: |wgsl| Shader::Wgsl(wgsl.to_owned()) };

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match layoutproof_wgpu::enumerate() {
        Ok(found) => {
            let mut trials = suite::trials(&found, API);
            trials.extend(found.devices.iter().map(|device| {
                let info = device.clone();
                Trial::test(format!("{}::broken_shaders_are_refused", device.id), move || broken_shaders(&info))
            }));
            trials
        }
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// wgpu's complaints come back as errors; they neither panic nor end the device.
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
    let spirv = RunnerError::Unsupported("SPIR-V: wgpu is given WGSL only".to_owned());
    ensure_eq(&results[4], &Err(spirv), "SPIR-V")?;
    ensure(results[5].is_ok(), &format!("the good job behind the bad ones: {:?}", results[5]))
}
