//! An open device: runs one job after the other and keeps objects that the next job may reuse.

use std::time::Duration;

use layoutproof_device::limits::check_features;
use layoutproof_device::{DeviceInfo, DeviceSession, Feature, Job, ReadBack, RunnerError, Shader};

use crate::com::ComObject;
use crate::commands::{Direct3dCommands, Direct3dSubmission};
use crate::container::signed;
use crate::device::{Direct3dDevice, DrawnStages};
use crate::heaps::{DescriptorSources, Heaps};
use crate::memory::DeviceBuffers;
use crate::messages::{DriverLog, DriverWords};
use crate::placement::JobRegions;
use crate::refusal::{self, TOLD};
use crate::registers::Registers;
use crate::root_signature::RootLayout;
use crate::target::DrawTarget;
use crate::textures::FilledTexture;

/// An open device with its reusable objects.
#[derive(Debug)]
pub(crate) struct Direct3dSession {
    // The last job's program. Compiling takes the time, and consecutive jobs often differ only in
    // their buffers.
    program: Option<Direct3dProgram>,
    commands: Direct3dCommands,
    memory: DeviceBuffers,
    /// The target of draws, made by the first draw.
    target: Option<DrawTarget>,
    log: DriverLog,
    device: Direct3dDevice,
}

/// A pipeline with its root signature.
#[derive(Debug)]
struct Direct3dProgram {
    shader: Shader,
    /// The shader of a draw's fragment stage.
    fragment: Option<Shader>,
    layout: RootLayout,
    root_signature: ComObject,
    pipeline: ComObject,
}

impl Direct3dSession {
    /// Opens a session on `device` with the time limit `longest` for each job.
    pub(crate) fn new(device: Direct3dDevice, longest: Duration) -> Result<Self, RunnerError> {
        Ok(Self {
            program: None,
            commands: Direct3dCommands::new(&device, longest)?,
            memory: DeviceBuffers::new(&device)?,
            target: None,
            log: DriverLog::of(&device),
            device,
        })
    }
}

impl DeviceSession for Direct3dSession {
    fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        // Earlier messages are not about this job.
        drop(self.log.take());
        let result = self.run_job(job, info);
        let DriverWords { messages, details } = self.log.take();
        match result {
            Ok(read_back) => Ok(ReadBack { messages, ..read_back }),
            Err(error) => Err(with_words(error, messages.iter().chain(&details).next())),
        }
    }
}

impl Direct3dSession {
    fn run_job(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
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

        if job.draw.is_some() && self.target.is_none() {
            self.target = Some(DrawTarget::new(&self.device)?);
        }
        let work = Direct3dSubmission {
            job,
            layout: &program.layout,
            root_signature: &program.root_signature,
            pipeline: &program.pipeline,
            heaps: &heaps,
            memory: &self.memory,
            regions: &regions,
            textures: &textures,
            target: self.target.as_ref().filter(|_| job.draw.is_some()),
        };
        if let Err(error) = self.commands.run(&self.device, &work) {
            // The work may still use them; the caller leaks the rest.
            std::mem::forget((program, heaps, textures));
            return Err(error);
        }

        self.program = Some(program);
        Ok(ReadBack { buffers: regions.read(&self.memory), targets: Vec::new(), messages: Vec::new() })
    }
}

impl Direct3dSession {
    /// Returns the last program if it fits, else a new one. The caller owns it.
    fn program(&mut self, job: &Job, layout: RootLayout) -> Result<Direct3dProgram, RunnerError> {
        let fragment = job.draw.as_ref().and_then(|draw| draw.fragment_shader.as_ref());
        let is_same = |last: &mut Direct3dProgram| {
            last.shader == job.shader && last.fragment.as_ref() == fragment && last.layout == layout
        };
        if let Some(last) = self.program.take_if(is_same) {
            return Ok(last);
        }

        let code = code_of(&job.shader)?;
        let fragment_code = fragment.map(code_of).transpose()?;
        let root_signature = layout.root_signature(&self.device)?;
        let made = match &fragment_code {
            None => self.device.compute_pipeline(&root_signature, &code),
            Some(pixel) => self.device.graphics_pipeline(&root_signature, DrawnStages { vertex: &code, pixel }),
        };

        let pipeline = made.map_err(|error| match error {
            RunnerError::Api { call, reason } => {
                refused(job, &code, fragment_code.as_deref(), &format!("{call}: {reason}"))
            }
            other @ (RunnerError::Unsupported(_)
            | RunnerError::DeviceLost(_)
            | RunnerError::Timeout(_)
            | RunnerError::ShaderRefused(_)
            | RunnerError::NotRun(_)) => other,
        })?;
        Ok(Direct3dProgram {
            shader: job.shader.clone(),
            fragment: fragment.cloned(),
            layout,
            root_signature,
            pipeline,
        })
    }
}

/// Adds the driver's message to an error, unless the error already has one.
fn with_words(error: RunnerError, words: Option<&String>) -> RunnerError {
    let Some(first) = words else { return error };
    let told = |reason: String| if reason.contains(TOLD) { reason } else { format!("{reason} ({first})") };
    match error {
        RunnerError::Unsupported(reason) => RunnerError::Unsupported(told(reason)),
        RunnerError::DeviceLost(reason) => RunnerError::DeviceLost(told(reason)),
        RunnerError::ShaderRefused(reason) => RunnerError::ShaderRefused(told(reason)),
        RunnerError::Api { call, reason } => RunnerError::Api { call, reason: told(reason) },
        other @ (RunnerError::Timeout(_) | RunnerError::NotRun(_)) => other,
    }
}

/// The container of a shader, with a hash.
fn code_of(shader: &Shader) -> Result<Vec<u8>, RunnerError> {
    let (Shader::Dxil(container) | Shader::Dxbc(container)) = shader else {
        return Err(RunnerError::Unsupported("shaders that are not containers of DXBC or DXIL".to_owned()));
    };
    signed(container)
}

/// The error after making a pipeline failed for this reason, with the driver's message for one of
/// its stages.
fn refused(job: &Job, code: &[u8], fragment_code: Option<&[u8]>, reason: &str) -> RunnerError {
    let of_first = refusal::of_shader(&job.shader, code, reason);
    let fragment = job.draw.as_ref().and_then(|draw| draw.fragment_shader.as_ref());
    match (of_first, fragment.zip(fragment_code)) {
        // The driver does not refuse the first stage.
        (RunnerError::ShaderRefused(words), Some((shader, code))) if words == reason => {
            refusal::of_shader(shader, code, reason)
        }
        (of_first, _) => of_first,
    }
}

/// Checks that the device can run such a job.
fn accept(info: &DeviceInfo, job: &Job) -> Result<(), RunnerError> {
    check_features(info, &job.requires)?;

    let unsupported = |what: &str| Err(RunnerError::Unsupported(what.to_owned()));
    if job.geometry.is_some() {
        return unsupported("draws without a fragment stage");
    }
    if let Some(draw) = &job.draw {
        if draw.fragment_shader.is_none() {
            return unsupported("draws whose stages share a shader: a container has one entry point");
        }
        if draw.targets > 0 {
            return unsupported("render targets that are read back");
        }
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
        Shader::DxilListing(_) | Shader::ClangIr(_) => {
            unsupported("listings: Direct3D 12 accepts only containers of DXIL")
        }
        other => unsupported(&format!("{}: Direct3D 12 accepts only containers of DXBC and DXIL", other.form())),
    }
}
