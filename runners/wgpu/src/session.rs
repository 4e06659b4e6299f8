//! An open device: runs one job after the other and keeps the last program, which the next job may
//! reuse.

use std::time::Duration;

use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::limits::{Limits, check_features, needed_features};
use layoutproof_device::{DeviceInfo, DeviceSession, Job, ReadBack, RunnerError, Shader};
use wgpu::{
    Adapter, BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, BufferBinding, ComputePassDescriptor,
    Device, DeviceDescriptor, Queue, Sampler, SubmissionIndex, TextureView,
};

use crate::adapters::{limits, switchable};
use crate::errors::{Mailbox, api_error, checked, failed};
use crate::memory::JobBuffers;
use crate::program::{WgpuPipeline, WgpuProgram};
use crate::readback::read;
use crate::resources::{self, AdapterSupport, WgpuResources};
use crate::targets::WgpuTargets;

/// An open device.
pub(crate) struct WgpuSession {
    device: Device,
    queue: Queue,
    limits: Limits,
    offered: AdapterSupport,
    mailbox: Mailbox,
    /// Time limit of a job.
    longest: Duration,
    // The last job's program. Compiling takes the time, and consecutive jobs often differ only in
    // their buffers.
    program: Option<WgpuProgram>,
}

/// One dispatch or draw with everything it needs.
struct WgpuSubmission<'a> {
    job: &'a Job,
    program: &'a WgpuProgram,
    groups: &'a [(u32, BindGroup)],
    targets: Option<&'a WgpuTargets>,
}

/// The resources at one binding, by array element.
enum Elements<'a> {
    Buffers(Vec<BufferBinding<'a>>),
    Views(Vec<&'a TextureView>),
    Samplers(Vec<&'a Sampler>),
}

impl WgpuSession {
    /// Opens a device of `adapter` with all of the adapter's limits, and the time limit `longest`
    /// for each job.
    pub(crate) fn open(adapter: &Adapter, longest: Duration) -> Result<Self, RunnerError> {
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
        let offered = AdapterSupport {
            core: adapter.get_downlevel_capabilities().flags,
            opengl: adapter.get_info().backend == wgpu::Backend::Gl,
        };
        Ok(Self { device, queue, limits, offered, mailbox, longest, program: None })
    }
}

impl DeviceSession for WgpuSession {
    fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let result = self.run_checked(job, info);
        match result {
            // The device must then be leaked, whatever other errors there are.
            Err(RunnerError::Timeout(_)) => result,
            // An error from outside of a call explains a failed call, and a job during which it
            // arrives proves nothing.
            other => self.mailbox.take().map_or(other, Err),
        }
    }
}

impl WgpuSession {
    fn run_checked(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let wgsl = accept_shader(&job.shader)?;
        let descriptors = Descriptors::of(job)?;
        check_features(info, &needed_features(job, &descriptors))?;
        let placements = self.limits.place(job, &descriptors)?;
        resources::check(&self.device, self.offered, &descriptors)?;

        let program = self.program(job, &descriptors, wgsl)?;
        let (device, queue) = (&self.device, &self.queue);
        let memory = checked(&self.device, || JobBuffers::new(device, queue, job, &descriptors, placements))
            .map_err(failed("create_buffer"))?;
        let resources = checked(&self.device, || WgpuResources::new(device, queue, job, &descriptors))
            .map_err(failed("create_texture"))??;
        let targets =
            checked(&self.device, || job.draw.as_ref().map(|draw| WgpuTargets::new(&self.device, draw.targets)))
                .map_err(failed("create_texture"))?;
        let groups = checked(&self.device, || self.bind(&descriptors, &program, &memory, &resources))
            .map_err(failed("create_bind_group"))?;

        let work = WgpuSubmission { job, program: &program, groups: &groups, targets: targets.as_ref() };
        let submission = checked(&self.device, || self.submit(&work, &memory)).map_err(failed("submit"))?;
        let bytes = read(&self.device, &memory.staging, submission, self.longest)?;

        self.program = Some(program);
        Ok(memory.split(&bytes))
    }

    /// Returns the last program if it fits, else a new one. The caller owns it.
    fn program(&mut self, job: &Job, descriptors: &Descriptors, wgsl: &str) -> Result<WgpuProgram, RunnerError> {
        match self.program.take().filter(|last| last.serves(job, descriptors, wgsl)) {
            Some(last) => Ok(last),
            None => WgpuProgram::new(&self.device, job, descriptors, wgsl),
        }
    }

    fn bind(
        &self,
        descriptors: &Descriptors,
        program: &WgpuProgram,
        memory: &JobBuffers,
        resources: &WgpuResources,
    ) -> Vec<(u32, BindGroup)> {
        let elements = |place: (u32, u32), binding: &DescriptorArray| match binding.ty {
            DescriptorType::Buffer(_) => {
                let range = |element| memory.range(binding.named.get(&element).copied(), place.0, place.1);
                Elements::Buffers(binding.elements().map(range).collect())
            }
            DescriptorType::Image { .. } => Elements::Views(resources.views[&place].iter().collect()),
            DescriptorType::Sampler { .. } => Elements::Samplers(resources.samplers[&place].iter().collect()),
        };

        let group = |(group, layout): (&u32, &wgpu::BindGroupLayout)| {
            let arrays = descriptors.sets[group].iter();
            let bound: Vec<_> =
                arrays.map(|(number, binding)| (*number, elements((*group, *number), binding))).collect();
            let entries: Vec<_> = bound
                .iter()
                .map(|(binding, elements)| BindGroupEntry { binding: *binding, resource: resource(elements) })
                .collect();
            let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
            (*group, self.device.create_bind_group(&descriptor))
        };
        program.layouts.groups.iter().map(group).collect()
    }

    /// Submits the dispatch or the draw, and the copies to the staging buffer.
    fn submit(&self, work: &WgpuSubmission<'_>, memory: &JobBuffers) -> SubmissionIndex {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let immediates = &work.job.push_constants;

        match (&work.program.pipeline, work.targets) {
            (WgpuPipeline::Render(pipeline), Some(targets)) => {
                let mut pass = targets.begin(&mut encoder);
                pass.set_pipeline(pipeline);
                for (group, bind_group) in work.groups {
                    pass.set_bind_group(*group, bind_group, &[]);
                }
                if !immediates.is_empty() {
                    pass.set_immediates(0, immediates);
                }
                pass.draw(0..1, 0..1);
            }
            (WgpuPipeline::Compute(pipeline), _) => {
                let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
                pass.set_pipeline(pipeline);
                for (group, bind_group) in work.groups {
                    pass.set_bind_group(*group, bind_group, &[]);
                }
                let [x, y, z] = work.job.workgroups;
                if work.job.inverts_push_constants_first {
                    let inverted: Vec<u8> = immediates.iter().map(|byte| !byte).collect();
                    pass.set_immediates(0, &inverted);
                    pass.dispatch_workgroups(x, y, z);
                }
                if !immediates.is_empty() {
                    pass.set_immediates(0, immediates);
                }
                pass.dispatch_workgroups(x, y, z);
            }
            (WgpuPipeline::Render(_), None) => unreachable!("a draw has targets, and only a draw has this pipeline"),
        }

        memory.copy_to_staging(&mut encoder, work.targets);
        self.queue.submit([encoder.finish()])
    }
}

/// Binds an array if there are several elements, else the only one.
fn resource<'a>(elements: &'a Elements<'a>) -> BindingResource<'a> {
    match elements {
        Elements::Buffers(ranges) => match ranges.as_slice() {
            [only] => BindingResource::Buffer(only.clone()),
            all => BindingResource::BufferArray(all),
        },
        Elements::Views(views) => match views.as_slice() {
            [only] => BindingResource::TextureView(only),
            all => BindingResource::TextureViewArray(all),
        },
        Elements::Samplers(samplers) => match samplers.as_slice() {
            [only] => BindingResource::Sampler(only),
            all => BindingResource::SamplerArray(all),
        },
    }
}

/// Returns the shader's WGSL; other languages would need wgpu features that this crate leaves off.
fn accept_shader(shader: &Shader) -> Result<&str, RunnerError> {
    let Shader::Wgsl(wgsl) = shader else {
        return Err(RunnerError::Unsupported(format!("{}: the wgpu runner accepts only WGSL", shader.form())));
    };
    Ok(wgsl)
}
