//! A device in use: runs one job after the other and keeps the last program, which the next job may need again.

use layoutproof::limits::{Limits, check_features};
use layoutproof::placement::Placement;
use layoutproof::runner::{DeviceInfo, Job, JobBuffer, ReadBack, RunnerError, Shader};
use wgpu::{
    Adapter, BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, BufferDescriptor,
    BufferSize, BufferUsages, CommandEncoder, ComputePassDescriptor, Device, DeviceDescriptor, Queue, SubmissionIndex,
};

use crate::adapters::{limits, switchable};
use crate::errors::{Mailbox, api_error, checked, failed};
use crate::program::Program;
use crate::readback::read;

/// An open device.
pub(crate) struct Session {
    device: Device,
    queue: Queue,
    limits: Limits,
    mailbox: Mailbox,
    // The last job's; compiling is what takes the time, and jobs in a row often differ in their buffers only.
    program: Option<Program>,
}

/// A job's buffers on the device, and the buffer from which the host reads them.
struct Memory {
    placements: Vec<Placement>,
    buffers: Vec<Buffer>,
    staging: Buffer,
}

/// What is dispatched.
struct Dispatch<'a> {
    job: &'a Job,
    program: &'a Program,
    groups: &'a [(u32, BindGroup)],
}

impl Session {
    /// Opens a device of `adapter`, with its own limits.
    pub(crate) fn open(adapter: &Adapter) -> Result<Self, RunnerError> {
        let required_limits = adapter.limits();
        let limits = limits(&required_limits);
        let descriptor = DeviceDescriptor {
            required_features: adapter.features() & switchable(),
            required_limits,
            ..DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|error| api_error("request_device", error.to_string()))?;
        let mailbox = Mailbox::of(&device);
        Ok(Self { device, queue, limits, mailbox, program: None })
    }

    /// Runs one job for the device that `info` describes. After `Timeout` and `DeviceLost` the session must be leaked.
    pub(crate) fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let result = self.run_checked(job, info);
        match result {
            // The device must then be leaked, whatever else is said of it.
            Err(RunnerError::Timeout(_)) => result,
            // What came outside of a call explains a failed call, and a job during which it came proves nothing.
            other => self.mailbox.take().map_or(other, Err),
        }
    }

    fn run_checked(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let wgsl = accept_shader(&job.shader)?;
        check_features(info, &job.requires)?;
        let placements = self.limits.place(job)?;
        let program = self.program(job, wgsl)?;
        let memory = checked(&self.device, || self.upload(job, placements)).map_err(failed("create_buffer"))?;
        let groups =
            checked(&self.device, || self.bind(job, &program, &memory)).map_err(failed("create_bind_group"))?;
        let dispatch = Dispatch { job, program: &program, groups: &groups };
        let submission = checked(&self.device, || self.submit(&dispatch, &memory)).map_err(failed("submit"))?;
        let bytes = read(&self.device, &memory.staging, submission)?;
        self.program = Some(program);
        Ok(memory.split(&bytes))
    }

    /// The last program if it fits, else a new one; either way it is the caller's.
    fn program(&mut self, job: &Job, wgsl: &str) -> Result<Program, RunnerError> {
        match self.program.take().filter(|last| last.serves(job, wgsl)) {
            Some(last) => Ok(last),
            None => Program::new(&self.device, job, wgsl),
        }
    }

    /// Makes the job's buffers and fills them.
    fn upload(&self, job: &Job, placements: Vec<Placement>) -> Memory {
        let buffer = |size, usage| {
            self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let usage = BufferUsages::UNIFORM | BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let make = |(job_buffer, placement): (&JobBuffer, &Placement)| {
            let made = buffer(placement.total.into(), usage);
            self.queue.write_buffer(&made, 0, &placement.image(job_buffer));
            made
        };
        let buffers = job.buffers.iter().zip(&placements).map(make).collect();
        let total = placements.iter().map(|placement| u64::from(placement.total)).sum();
        let staging = buffer(total, BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        Memory { placements, buffers, staging }
    }

    /// Makes the bind groups, each range exactly as long as the job says.
    fn bind(&self, job: &Job, program: &Program, memory: &Memory) -> Vec<(u32, BindGroup)> {
        let entry = |index: usize| BindGroupEntry {
            binding: job.buffers[index].binding,
            resource: BindingResource::Buffer(BufferBinding {
                buffer: &memory.buffers[index],
                offset: memory.placements[index].offset.into(),
                size: BufferSize::new(memory.placements[index].size.into()),
            }),
        };
        let group = |(group, layout): (&u32, &wgpu::BindGroupLayout)| {
            let members = (0..job.buffers.len()).filter(|index| job.buffers[*index].set == *group);
            let entries: Vec<_> = members.map(entry).collect();
            let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
            (*group, self.device.create_bind_group(&descriptor))
        };
        program.layouts.iter().map(group).collect()
    }

    /// Submits the dispatch and the copies to the staging buffer.
    fn submit(&self, dispatch: &Dispatch<'_>, memory: &Memory) -> SubmissionIndex {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            pass.set_pipeline(&dispatch.program.pipeline);
            for (group, bind_group) in dispatch.groups {
                pass.set_bind_group(*group, bind_group, &[]);
            }
            if !dispatch.job.push_constants.is_empty() {
                pass.set_immediates(0, &dispatch.job.push_constants);
            }
            let [x, y, z] = dispatch.job.workgroups;
            pass.dispatch_workgroups(x, y, z);
        }
        memory.copy_to_staging(&mut encoder);
        self.queue.submit([encoder.finish()])
    }
}

impl Memory {
    fn copy_to_staging(&self, encoder: &mut CommandEncoder) {
        let mut offset = 0;
        for (buffer, placement) in self.buffers.iter().zip(&self.placements) {
            let size = u64::from(placement.total);
            encoder.copy_buffer_to_buffer(buffer, 0, &self.staging, offset, size);
            offset += size;
        }
    }

    /// Cuts the staging buffer's bytes into the job's buffers.
    fn split(&self, mut bytes: &[u8]) -> ReadBack {
        let cut = |placement: &Placement| {
            let (own, rest) = bytes.split_at(placement.total as usize);
            bytes = rest;
            placement.split(own)
        };
        ReadBack { buffers: self.placements.iter().map(cut).collect(), targets: Vec::new() }
    }
}

/// The shader's WGSL; other languages would need wgpu features that this crate leaves off.
fn accept_shader(shader: &Shader) -> Result<&str, RunnerError> {
    let other = |language: &str| Err(RunnerError::Unsupported(format!("{language}: wgpu is given WGSL only")));
    match shader {
        Shader::Wgsl(wgsl) => Ok(wgsl),
        Shader::Spirv(_) => other("SPIR-V"),
        Shader::Dxbc(_) => other("DXBC"),
        Shader::Dxil(_) => other("DXIL"),
        Shader::Msl(_) => other("MSL"),
    }
}
