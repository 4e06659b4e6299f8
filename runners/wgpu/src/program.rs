//! A compiled entry point with the layouts of its bind groups.

use std::collections::BTreeMap;

use layoutproof::runner::{BufferKind, Job, RunnerError};
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, Device, PipelineLayout, PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource,
    ShaderStages,
};

use crate::errors::{checked, failed, shader_failed};

/// Per bind group, per binding, how the buffer is bound.
type Groups = BTreeMap<u32, BTreeMap<u32, BufferKind>>;

/// A pipeline with what it was made from.
pub(crate) struct Program {
    /// The pipeline.
    pub(crate) pipeline: ComputePipeline,
    /// The layout of each bind group that the job uses.
    pub(crate) layouts: BTreeMap<u32, BindGroupLayout>,
    groups: Groups,
    immediates: u32,
    wgsl: String,
    entry: String,
}

impl Program {
    /// Compiles the entry point of `job`, whose shader is `wgsl`; the job is within the device's limits.
    pub(crate) fn new(device: &Device, job: &Job, wgsl: &str) -> Result<Self, RunnerError> {
        let groups = groups(job);
        let immediates = immediates(job);
        let layouts: BTreeMap<u32, BindGroupLayout> = checked(device, || {
            groups.iter().map(|(group, bindings)| (*group, bind_group_layout(device, bindings))).collect()
        })
        .map_err(failed("create_bind_group_layout"))?;
        let layout = checked(device, || pipeline_layout(device, &layouts, immediates))
            .map_err(failed("create_pipeline_layout"))?;
        let source = ShaderSource::Wgsl(wgsl.into());
        let module = checked(device, || device.create_shader_module(ShaderModuleDescriptor { label: None, source }))
            .map_err(shader_failed("create_shader_module"))?;
        let descriptor = ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some(&job.entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        };
        let pipeline = checked(device, || device.create_compute_pipeline(&descriptor))
            .map_err(shader_failed("create_compute_pipeline"))?;
        Ok(Self { pipeline, layouts, groups, immediates, wgsl: wgsl.to_owned(), entry: job.entry.clone() })
    }

    /// Whether this is the program of `job`, whose shader is `wgsl`.
    pub(crate) fn serves(&self, job: &Job, wgsl: &str) -> bool {
        self.groups == groups(job) && self.immediates == immediates(job) && self.entry == job.entry && self.wgsl == wgsl
    }
}

fn groups(job: &Job) -> Groups {
    let mut groups = Groups::new();
    for buffer in &job.buffers {
        groups.entry(buffer.set).or_default().insert(buffer.binding, buffer.kind);
    }
    groups
}

fn immediates(job: &Job) -> u32 {
    u32::try_from(job.push_constants.len()).expect("within the device's limit")
}

fn bind_group_layout(device: &Device, bindings: &BTreeMap<u32, BufferKind>) -> BindGroupLayout {
    let entries: Vec<_> = bindings
        .iter()
        .map(|(binding, kind)| BindGroupLayoutEntry {
            binding: *binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty: binding_type(*kind), has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn binding_type(kind: BufferKind) -> BufferBindingType {
    match kind {
        BufferKind::Uniform => BufferBindingType::Uniform,
        BufferKind::StorageRead => BufferBindingType::Storage { read_only: true },
        BufferKind::Storage | BufferKind::Address { .. } => BufferBindingType::Storage { read_only: false },
    }
}

/// Bind groups that the job leaves out are `None`.
fn pipeline_layout(device: &Device, layouts: &BTreeMap<u32, BindGroupLayout>, immediate_size: u32) -> PipelineLayout {
    let count = layouts.last_key_value().map_or(0, |(group, _)| group + 1);
    let bind_group_layouts: Vec<_> = (0..count).map(|group| layouts.get(&group)).collect();
    device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &bind_group_layouts,
        immediate_size,
    })
}
