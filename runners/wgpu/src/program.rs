//! Compiles entry points and makes their layouts.

use std::collections::BTreeMap;

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::{Draw, Job, RunnerError};
use layoutproof_webgpu_messages::access::accesses;
use wgpu::{
    ComputePipeline, ComputePipelineDescriptor, Device, FragmentState, MultisampleState, PipelineCompilationOptions,
    PrimitiveState, PrimitiveTopology, RenderPipeline, RenderPipelineDescriptor, ShaderModule, ShaderModuleDescriptor,
    ShaderSource, VertexState,
};

use crate::errors::{checked, shader_failed};
use crate::layouts::{BindingShape, WgpuLayouts};
use crate::targets::color_states;

/// A pipeline and the parts of the job that it was made from.
pub(crate) struct WgpuProgram {
    pub(crate) pipeline: WgpuPipeline,
    pub(crate) layouts: WgpuLayouts,
    shape: BindingShape,
    wgsl: String,
    entry: String,
    draw: Option<Draw>,
    constants: BTreeMap<u32, u32>,
}

/// The pipeline of a job.
pub(crate) enum WgpuPipeline {
    /// A dispatch.
    Compute(ComputePipeline),
    /// A draw of points.
    Render(RenderPipeline),
}

struct PipelineParts<'a> {
    layouts: &'a WgpuLayouts,
    module: &'a ShaderModule,
    options: PipelineCompilationOptions<'a>,
}

impl WgpuProgram {
    /// Compiles the entry points of `job`, whose shader is `wgsl`. The job is within the device's
    /// limits.
    pub(crate) fn new(device: &Device, job: &Job, descriptors: &Descriptors, wgsl: &str) -> Result<Self, RunnerError> {
        let shape = BindingShape::of(job, descriptors);
        let layouts = WgpuLayouts::new(device, &shape, &accesses(job, wgsl)?)?;
        let source = ShaderSource::Wgsl(wgsl.into());
        let module = checked(device, || device.create_shader_module(ShaderModuleDescriptor { label: None, source }))
            .map_err(shader_failed("create_shader_module"))?;

        let names: Vec<(String, f64)> =
            job.constants.iter().map(|(id, value)| (id.to_string(), f64::from(*value))).collect();
        let constants: Vec<(&str, f64)> = names.iter().map(|(id, value)| (id.as_str(), *value)).collect();
        let options = PipelineCompilationOptions { constants: &constants, ..PipelineCompilationOptions::default() };
        let parts = PipelineParts { layouts: &layouts, module: &module, options };

        let pipeline = match &job.draw {
            None => WgpuPipeline::Compute(
                checked(device, || parts.compute(device, &job.entry))
                    .map_err(shader_failed("create_compute_pipeline"))?,
            ),
            Some(draw) => WgpuPipeline::Render(
                checked(device, || parts.render(device, &job.entry, draw))
                    .map_err(shader_failed("create_render_pipeline"))?,
            ),
        };

        Ok(Self {
            pipeline,
            layouts,
            shape,
            wgsl: wgsl.to_owned(),
            entry: job.entry.clone(),
            draw: job.draw.clone(),
            constants: job.constants.clone(),
        })
    }

    /// True if this is the program for `job` with its `descriptors` and the shader `wgsl`.
    pub(crate) fn serves(&self, job: &Job, descriptors: &Descriptors, wgsl: &str) -> bool {
        self.entry == job.entry
            && self.draw == job.draw
            && self.constants == job.constants
            && self.shape == BindingShape::of(job, descriptors)
            && self.wgsl == wgsl
    }
}

impl PipelineParts<'_> {
    fn compute(&self, device: &Device, entry: &str) -> ComputePipeline {
        device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: Some(&self.layouts.pipeline),
            module: self.module,
            entry_point: Some(entry),
            compilation_options: self.options.clone(),
            cache: None,
        })
    }

    fn render(&self, device: &Device, entry: &str, draw: &Draw) -> RenderPipeline {
        device.create_render_pipeline(&RenderPipelineDescriptor {
            label: None,
            layout: Some(&self.layouts.pipeline),
            vertex: VertexState {
                module: self.module,
                entry_point: Some(entry),
                compilation_options: self.options.clone(),
                buffers: &[],
            },
            primitive: PrimitiveState { topology: PrimitiveTopology::PointList, ..PrimitiveState::default() },
            depth_stencil: None,
            multisample: MultisampleState::default(),
            fragment: Some(FragmentState {
                module: self.module,
                entry_point: Some(&draw.fragment),
                compilation_options: self.options.clone(),
                targets: &color_states(draw.targets),
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
