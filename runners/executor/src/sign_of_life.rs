//! The smallest job of each driver's API: a shader that does nothing, which shows whether a device is
//! still alive.
//!
//! [`crate::pool`] runs it after several jobs in a row ended their workers. Either the jobs are to
//! blame or the device is gone; a device that does not even run this job is gone.

use layoutproof_device::{BufferKind, Job, JobBuffer, RunnerKind, Shader, ShaderForm};

/// A module whose only instruction is `OpReturn`, assembled by spirv-as 2023.1: SPIR-V 1.3,
/// `GLCompute "main"`, local size 1.
const SPIRV: [u32; 35] = [
    0x0723_0203,
    0x0001_0300,
    0x0007_0000,
    0x5,
    0x0,
    0x0002_0011,
    0x1,
    0x0003_000E,
    0x0,
    0x1,
    0x0005_000F,
    0x5,
    0x1,
    0x6E69_616D,
    0x0,
    0x0006_0010,
    0x1,
    0x11,
    0x1,
    0x1,
    0x1,
    0x0002_0013,
    0x2,
    0x0003_0021,
    0x3,
    0x2,
    0x0005_0036,
    0x2,
    0x1,
    0x0,
    0x3,
    0x0002_00F8,
    0x4,
    0x0001_00FD,
    0x0001_0038,
];

/// FXC 10.0.22621's output for `[numthreads(1, 1, 1)] void main() {}` with `/T cs_5_0`, which every
/// Direct3D 12 device accepts.
const DXBC: &[u8] = include_bytes!("sign_of_life.dxbc");

const WGSL: &str = "@compute @workgroup_size(1) fn main() {}\n";

/// The smallest shader of a form. Devices that take DXIL also take DXBC, and drivers take no IR.
fn smallest(form: ShaderForm) -> Option<Shader> {
    match form {
        ShaderForm::Spirv => Some(Shader::Spirv(SPIRV.to_vec())),
        ShaderForm::Wgsl => Some(Shader::Wgsl(WGSL.to_owned())),
        ShaderForm::Dxbc => Some(Shader::Dxbc(DXBC.to_vec())),
        ShaderForm::Dxil | ShaderForm::ClangIr => None,
    }
}

/// A job that does nothing, for devices that workers open.
pub(crate) fn job(runner: RunnerKind) -> Job {
    let shader = runner.forms().iter().find_map(|form| smallest(*form)).expect("a test makes the job of each API");
    // The shader does not use the buffer, but runners need one to read back.
    let buffer = JobBuffer {
        set: 0,
        binding: 0,
        element: 0,
        kind: BufferKind::Storage,
        bytes: vec![0; 4],
        after: Vec::new(),
        before_word: 0,
    };
    Job::compute(shader, "main", vec![buffer])
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{Batch, Runner};
    use layoutproof_model::Model;

    use super::*;

    #[test]
    fn every_driver_has_a_sign_of_life() {
        for api in RunnerKind::driven() {
            assert!(api.accepts(job(api).shader.form()), "{}", api.as_str());
        }
    }

    #[test]
    fn the_model_lives() {
        let [Ok(read_back)] = &Model::new().run(&Batch { jobs: vec![job(RunnerKind::Model)] })[..] else {
            panic!("the model is gone")
        };
        assert_eq!(read_back.buffers[0].bytes, [0; 4]);
    }
}
