//! A device in use: runs one job after the other and keeps what the next one may need again.

use std::time::Duration;

use layoutproof_device::limits::check_features;
use layoutproof_device::{DeviceInfo, DeviceSession, Feature, Job, ReadBack, RunnerError, Shader};

use crate::com::ComObject;
use crate::commands::{Direct3dCommands, Direct3dSubmission};
use crate::container::signed;
use crate::device::Direct3dDevice;
use crate::heaps::{DescriptorSources, Heaps};
use crate::memory::DeviceBuffers;
use crate::placement::JobRegions;
use crate::refusal;
use crate::registers::Registers;
use crate::root_signature::RootLayout;
use crate::textures::FilledTexture;

/// An open device with its reusable objects.
#[derive(Debug)]
pub(crate) struct Direct3dSession {
    // The last job's; compiling is what takes the time, and jobs in a row often differ in their buffers only.
    program: Option<Direct3dProgram>,
    commands: Direct3dCommands,
    memory: DeviceBuffers,
    device: Direct3dDevice,
}

/// A pipeline with its root signature.
#[derive(Debug)]
struct Direct3dProgram {
    shader: Shader,
    layout: RootLayout,
    root_signature: ComObject,
    pipeline: ComObject,
}

impl Direct3dSession {
    /// A session on `device` that waits `longest` for each job.
    pub(crate) fn new(device: Direct3dDevice, longest: Duration) -> Result<Self, RunnerError> {
        Ok(Self {
            program: None,
            commands: Direct3dCommands::new(&device, longest)?,
            memory: DeviceBuffers::new(&device)?,
            device,
        })
    }
}

impl DeviceSession for Direct3dSession {
    fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        accept(info, job)?;
        let registers = Registers::of(job)?;
        let layout = RootLayout::new(job, &registers)?;
        let regions = JobRegions::new(job, &layout)?;
        self.memory.grow(&self.device, regions.read, regions.written)?;
        regions.write(job, &mut self.memory);
        let lacks_arrays = registers.has_arrays() && !info.features.contains(&Feature::StorageBufferArray);
        let program = self.program(job, layout).map_err(|error| match error {
            RunnerError::Api { .. } | RunnerError::ShaderRefused(_) if lacks_arrays => {
                RunnerError::Unsupported(format!("arrays of registers: {error}"))
            }
            other => other,
        })?;

        let textures = FilledTexture::of_job(&self.device, &job.images)?;
        let bound = DescriptorSources {
            job,
            registers: &registers,
            regions: &regions,
            memory: &self.memory,
            textures: &textures,
        };
        let heaps = Heaps::new(&self.device, &program.layout, &bound)?;

        let work = Direct3dSubmission {
            job,
            layout: &program.layout,
            root_signature: &program.root_signature,
            pipeline: &program.pipeline,
            heaps: &heaps,
            memory: &self.memory,
            regions: &regions,
            textures: &textures,
        };
        if let Err(error) = self.commands.run(&self.device, &work) {
            // The work may still use them; the caller leaks the rest.
            std::mem::forget((program, heaps, textures));
            return Err(error);
        }

        self.program = Some(program);
        Ok(ReadBack { buffers: regions.read(&self.memory), targets: Vec::new() })
    }
}

impl Direct3dSession {
    /// The last program if it fits, else a new one; either way it is the caller's.
    fn program(&mut self, job: &Job, layout: RootLayout) -> Result<Direct3dProgram, RunnerError> {
        if let Some(last) = self.program.take_if(|last| last.shader == job.shader && last.layout == layout) {
            return Ok(last);
        }
        let (Shader::Dxil(container) | Shader::Dxbc(container)) = &job.shader else {
            return Err(RunnerError::Unsupported("shaders that are not containers of DXBC or DXIL".to_owned()));
        };

        let code = signed(container)?;
        let root_signature = layout.root_signature(&self.device)?;
        let pipeline = self.device.compute_pipeline(&root_signature, &code).map_err(|error| match error {
            RunnerError::Api { call, reason } => refusal::of_shader(&job.shader, &code, &format!("{call}: {reason}")),
            other @ (RunnerError::Unsupported(_)
            | RunnerError::DeviceLost(_)
            | RunnerError::Timeout(_)
            | RunnerError::ShaderRefused(_)) => other,
        })?;
        Ok(Direct3dProgram { shader: job.shader.clone(), layout, root_signature, pipeline })
    }
}

/// Checks that the device can run such a job at all.
fn accept(info: &DeviceInfo, job: &Job) -> Result<(), RunnerError> {
    check_features(info, &job.requires)?;

    let unsupported = |what: &str| Err(RunnerError::Unsupported(what.to_owned()));
    if job.draw.is_some() {
        return unsupported("draws: a container has one entry point");
    }
    if !job.constants.is_empty() {
        return unsupported("specialization constants");
    }
    if !job.push_constants.is_empty() {
        return unsupported("push constants without a register");
    }
    if job.buffers.is_empty() {
        let (call, reason) = ("job".to_owned(), "without buffers there is nothing to read back".to_owned());
        return Err(RunnerError::Api { call, reason });
    }

    match &job.shader {
        Shader::Dxil(_) | Shader::Dxbc(_) => Ok(()),
        Shader::Spirv(_) => unsupported("SPIR-V: Direct3D 12 takes containers of DXBC and DXIL"),
        Shader::Wgsl(_) => unsupported("WGSL: Direct3D 12 takes containers of DXBC and DXIL"),
        Shader::DxilListing(_) | Shader::ClangIr(_) => unsupported("listings: Direct3D 12 takes containers of DXIL"),
        Shader::Msl(_) => unsupported("Metal's language: Direct3D 12 takes containers of DXBC and DXIL"),
    }
}
