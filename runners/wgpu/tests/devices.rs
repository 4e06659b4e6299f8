//! Runs the common runner suite on each wgpu adapter, plus the checks of WGSL.

#[path = "../../tests/suite.rs"]
mod suite;

#[path = "../../../harness/tests/fixture/bound.rs"]
mod bound;
#[path = "../../tests/placements.rs"]
mod placements;
#[path = "../../tests/wgsl.rs"]
mod wgsl;

use std::process::ExitCode;

use layoutproof_device::{DeviceApi, Shader};
use layoutproof_wgpu::Wgpu;
use libtest_mimic::{Arguments, Trial};
use suite::Api;
use wgsl::WgslApi;

const API: WgslApi = WgslApi {
    api: Api { devices: &Wgpu, shader: |wgsl| Shader::Wgsl(wgsl.to_owned()) },
    on_spirv: "SPIR-V: the wgpu runner accepts only WGSL",
    // OpenGL ES has no one-dimensional images.
    unbound: &["t1", "w1"],
};

fn main() -> ExitCode {
    // All trials run in this thread. When a thread ends, the GL driver frees the data of that
    // thread, and the process does not wait for it: once the process died of a double free after
    // all trials had passed.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = match Wgpu.discover() {
        Ok(mut found) => {
            // They are listed, and run no job.
            found.devices.retain(|device| device.lacks.is_empty());
            let mut trials = suite::trials(&found, API.api);
            trials.extend(found.devices.iter().flat_map(|device| wgsl::trials(API, device)));
            trials
        }
        Err(error) => vec![Trial::test("enumerate", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}
