//! The pipeline of a job's shader: a compute entry point, the two stages of a draw, or a ray generation
//! with the stage that it reaches.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::rc::Rc;

use ash::vk;
use layoutproof_device::{Draw, Geometry, Job, RecordStage, RunnerError, Trace};

use crate::device::{RayTracing, VulkanDevice};
use crate::failure::{failed, shader_failed};
use crate::heap::{self, BindingMappings};
use crate::pipeline_layout::PipelineLayout;
use crate::requirements::{CLOSEST_HIT, spirv_words};
use crate::specialization::Specialization;
use crate::targets::VulkanTargets;

/// A pipeline and the parts of the job that it was made from.
pub(crate) struct VulkanPipeline {
    pub(crate) raw: vk::Pipeline,
    pub(crate) layout: Rc<PipelineLayout>,
    /// The group handles of a launch of rays: that of the ray generation, then that of the stage that it
    /// reaches.
    pub(crate) handles: Vec<Vec<u8>>,
    source: PipelineSource,
    device: Rc<VulkanDevice>,
}

/// The parts of a job that determine its pipeline.
struct PipelineSource {
    words: Vec<u32>,
    entry: String,
    draw: Option<Draw>,
    trace: Option<Trace>,
    geometry: Option<Geometry>,
    constants: BTreeMap<u32, u32>,
}

/// The layout, shader and targets to make a pipeline for.
pub(crate) struct PipelineUse<'a> {
    pub(crate) layout: &'a Rc<PipelineLayout>,
    /// The words of the shader module.
    pub(crate) words: &'a [u32],
    /// The targets, if the job draws; none without a fragment stage.
    pub(crate) targets: Option<&'a VulkanTargets>,
}

impl VulkanPipeline {
    /// Compiles the entry points of `job`; `used` has the words of its shader.
    pub(crate) fn new(device: &Rc<VulkanDevice>, job: &Job, used: &PipelineUse<'_>) -> Result<Self, RunnerError> {
        let module = VulkanShaderModule::new(device, used.words)?;
        let constants = Specialization::new(&job.constants);
        let entry = c_name(&job.entry)?;
        let info = constants.info();

        let raw = if let (Some(draw), Some(targets)) = (&job.draw, used.targets) {
            let fragment = c_name(&draw.fragment)?;
            let stages = [
                stage(vk::ShaderStageFlags::VERTEX, &module, &entry).specialization_info(&info),
                stage(vk::ShaderStageFlags::FRAGMENT, &module, &fragment).specialization_info(&info),
            ];
            draws(device, &stages, used.layout, targets, false)?
        } else if let (Some(geometry), Some(targets)) = (&job.geometry, used.targets) {
            match geometry {
                Geometry::Vertex => {
                    let vertex = stage(vk::ShaderStageFlags::VERTEX, &module, &entry).specialization_info(&info);
                    draws(device, &[vertex], used.layout, targets, true)?
                }
                Geometry::Mesh { task, task_entry } => {
                    let task = VulkanShaderModule::new(device, spirv_words(task)?)?;
                    let name = c_name(task_entry)?;
                    let stages = [
                        stage(vk::ShaderStageFlags::TASK_EXT, &task, &name),
                        stage(vk::ShaderStageFlags::MESH_EXT, &module, &entry).specialization_info(&info),
                    ];
                    draws(device, &stages, used.layout, targets, true)?
                }
            }
        } else if let (Some(trace), Some(ray_tracing)) = (&job.trace, &device.ray_tracing) {
            let flags = vk::ShaderStageFlags::RAYGEN_KHR;
            match &trace.reached {
                None => {
                    let first = stage(flags, &module, &entry).specialization_info(&info);
                    launches(ray_tracing, &[first], &[general(0)], used.layout)?
                }
                Some(reached) => {
                    let generation = VulkanShaderModule::new(device, spirv_words(&reached.generation)?)?;
                    let name = c_name(&reached.entry)?;
                    let first = stage(flags, &generation, &entry);
                    let second = stage(flags_of(reached.stage), &module, &name).specialization_info(&info);
                    let group = group_of(reached.stage, 1);
                    match &reached.closest_hit {
                        None => launches(ray_tracing, &[first, second], &[general(0), group], used.layout)?,
                        Some(closest_hit) => {
                            let closest_hit = VulkanShaderModule::new(device, spirv_words(closest_hit)?)?;
                            let name = c_name(CLOSEST_HIT)?;
                            let third = stage(vk::ShaderStageFlags::CLOSEST_HIT_KHR, &closest_hit, &name);
                            let groups = [general(0), group.closest_hit_shader(2)];
                            launches(ray_tracing, &[first, second, third], &groups, used.layout)?
                        }
                    }
                }
            }
        } else {
            let stage = stage(vk::ShaderStageFlags::COMPUTE, &module, &entry).specialization_info(&info);
            dispatches(device, stage, used.layout)?
        };

        let source = PipelineSource {
            words: used.words.to_vec(),
            entry: job.entry.clone(),
            draw: job.draw.clone(),
            trace: job.trace.clone(),
            geometry: job.geometry.clone(),
            constants: job.constants.clone(),
        };
        let layout = Rc::clone(used.layout);
        let mut pipeline = Self { raw, layout, handles: Vec::new(), source, device: Rc::clone(device) };
        if let (Some(trace), Some(ray_tracing)) = (&job.trace, &device.ray_tracing) {
            pipeline.handles = group_handles(ray_tracing, raw, 1 + u32::from(trace.reached.is_some()))?;
        }
        Ok(pipeline)
    }

    /// True if this pipeline fits `job` and `used`.
    pub(crate) fn serves(&self, job: &Job, used: &PipelineUse<'_>) -> bool {
        let PipelineSource { words, entry, draw, trace, geometry, constants } = &self.source;
        Rc::ptr_eq(&self.layout, used.layout)
            && *entry == job.entry
            && *draw == job.draw
            && *trace == job.trace
            && *geometry == job.geometry
            && *constants == job.constants
            && words == used.words
    }
}

impl Drop for VulkanPipeline {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the pipeline.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}

fn c_name(entry: &str) -> Result<CString, RunnerError> {
    CString::new(entry)
        .map_err(|_| RunnerError::ShaderRefused("the entry point's name contains a zero byte".to_owned()))
}

fn stage<'a>(
    stage: vk::ShaderStageFlags,
    module: &VulkanShaderModule,
    name: &'a CStr,
) -> vk::PipelineShaderStageCreateInfo<'a> {
    vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module.raw).name(name)
}

fn dispatches(
    device: &VulkanDevice,
    stage: vk::PipelineShaderStageCreateInfo<'_>,
    layout: &PipelineLayout,
) -> Result<vk::Pipeline, RunnerError> {
    let (Some(mapped), Some(functions)) = (&layout.heap, &device.heap) else {
        let create_info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.raw);
        return dispatch(device, &create_info);
    };
    let mut flags = vk::PipelineCreateFlags2CreateInfoKHR::default().flags(heap::PIPELINE);
    BindingMappings::new(functions, mapped).add_to(stage, |stage| {
        dispatch(device, &vk::ComputePipelineCreateInfo::default().stage(stage).push_next(&mut flags))
    })
}

fn dispatch(
    device: &VulkanDevice,
    create_info: &vk::ComputePipelineCreateInfo<'_>,
) -> Result<vk::Pipeline, RunnerError> {
    // SAFETY: module and layout come from this device and live; the module has an entry point with
    // that name. This process cannot know if the module is valid, and drivers may crash on an
    // invalid one. That is why probes run in a separate process.
    let made = unsafe {
        device.raw.create_compute_pipelines(vk::PipelineCache::null(), std::slice::from_ref(create_info), None)
    };
    only("vkCreateComputePipelines", made)
}

/// Makes a pipeline that draws points without vertex data into all targets, or discards what it would draw.
fn draws(
    device: &VulkanDevice,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
    layout: &PipelineLayout,
    targets: &VulkanTargets,
    discards: bool,
) -> Result<vk::Pipeline, RunnerError> {
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let points = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::POINT_LIST);

    let viewports = [vk::Viewport::default().width(1.0).height(1.0).max_depth(1.0)];
    let scissors = [VulkanTargets::area()];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);

    let raster =
        vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0).rasterizer_discard_enable(discards);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let written = vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
    let written = vec![written; targets.count()];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&written);

    let create_info = vk::GraphicsPipelineCreateInfo::default()
        .stages(stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&points)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout.raw)
        .render_pass(targets.render_pass());
    // SAFETY: modules, layout and render pass come from this device and live; for the rest see `dispatches`.
    let made = unsafe {
        device.raw.create_graphics_pipelines(vk::PipelineCache::null(), std::slice::from_ref(&create_info), None)
    };
    only("vkCreateGraphicsPipelines", made)
}

fn flags_of(stage: RecordStage) -> vk::ShaderStageFlags {
    match stage {
        RecordStage::Callable => vk::ShaderStageFlags::CALLABLE_KHR,
        RecordStage::Miss => vk::ShaderStageFlags::MISS_KHR,
        RecordStage::ClosestHit => vk::ShaderStageFlags::CLOSEST_HIT_KHR,
        RecordStage::AnyHit => vk::ShaderStageFlags::ANY_HIT_KHR,
        RecordStage::Intersection => vk::ShaderStageFlags::INTERSECTION_KHR,
    }
}

/// A group of the general stage with this index.
fn general(index: u32) -> vk::RayTracingShaderGroupCreateInfoKHR<'static> {
    vk::RayTracingShaderGroupCreateInfoKHR::default()
        .ty(vk::RayTracingShaderGroupTypeKHR::GENERAL)
        .general_shader(index)
        .closest_hit_shader(vk::SHADER_UNUSED_KHR)
        .any_hit_shader(vk::SHADER_UNUSED_KHR)
        .intersection_shader(vk::SHADER_UNUSED_KHR)
}

/// A group of the one stage with this index.
fn group_of(stage: RecordStage, index: u32) -> vk::RayTracingShaderGroupCreateInfoKHR<'static> {
    let hits = general(vk::SHADER_UNUSED_KHR).ty(vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP);
    match stage {
        RecordStage::Callable | RecordStage::Miss => general(index),
        RecordStage::ClosestHit => hits.closest_hit_shader(index),
        RecordStage::AnyHit => hits.any_hit_shader(index),
        RecordStage::Intersection => {
            hits.ty(vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP).intersection_shader(index)
        }
    }
}

/// Makes a ray-tracing pipeline of these stages and groups.
fn launches(
    ray_tracing: &RayTracing,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
    groups: &[vk::RayTracingShaderGroupCreateInfoKHR<'_>],
    layout: &PipelineLayout,
) -> Result<vk::Pipeline, RunnerError> {
    let create_info = vk::RayTracingPipelineCreateInfoKHR::default()
        .stages(stages)
        .groups(groups)
        .max_pipeline_ray_recursion_depth(1)
        .layout(layout.raw);
    // SAFETY: modules and layout come from this device and live; for the rest see `dispatches`.
    let made = unsafe {
        ray_tracing.functions.create_ray_tracing_pipelines(
            vk::DeferredOperationKHR::null(),
            vk::PipelineCache::null(),
            std::slice::from_ref(&create_info),
            None,
        )
    };
    only("vkCreateRayTracingPipelinesKHR", made)
}

/// The handles of a ray-tracing pipeline with this many groups.
fn group_handles(ray_tracing: &RayTracing, pipeline: vk::Pipeline, groups: u32) -> Result<Vec<Vec<u8>>, RunnerError> {
    let size = ray_tracing.records.handle as usize;
    // SAFETY: the pipeline comes from this device and has this many groups.
    let all = unsafe {
        ray_tracing.functions.get_ray_tracing_shader_group_handles(pipeline, 0, groups, groups as usize * size)
    }
    .map_err(failed("vkGetRayTracingShaderGroupHandlesKHR"))?;
    Ok(all.chunks(size).map(<[u8]>::to_vec).collect())
}

fn only(
    call: &'static str,
    made: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
) -> Result<vk::Pipeline, RunnerError> {
    // A failed pipeline is null, so nothing is left to destroy.
    let pipelines = made.map_err(|(_, result)| shader_failed(call)(result))?;
    Ok(*pipelines.first().expect("the request was for one pipeline"))
}

struct VulkanShaderModule {
    raw: vk::ShaderModule,
    device: Rc<VulkanDevice>,
}

impl VulkanShaderModule {
    fn new(device: &Rc<VulkanDevice>, words: &[u32]) -> Result<Self, RunnerError> {
        let create_info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words have a SPIR-V header and whole instructions; for the rest see `dispatches`.
        let raw = unsafe { device.raw.create_shader_module(&create_info, None) }
            .map_err(shader_failed("vkCreateShaderModule"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for VulkanShaderModule {
    fn drop(&mut self) {
        // SAFETY: a pipeline does not need its module once it is made.
        unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
    }
}
