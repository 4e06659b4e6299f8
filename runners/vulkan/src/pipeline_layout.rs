//! Makes the descriptor-set layouts and the pipeline layout for a job's shape.

use std::collections::BTreeMap;
use std::rc::Rc;

use ash::vk;
use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::{BufferKind, Geometry, ImageKind, Job, RunnerError};

use crate::device::VulkanDevice;
use crate::failure::failed;
use crate::heap::{MappedBinding, is_in_heap};

/// The parts of a job that determine its layouts. Jobs with equal shapes share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PipelineShape {
    /// Descriptors by descriptor set and binding.
    pub(crate) sets: BTreeMap<u32, BTreeMap<u32, ArrayShape>>,
    /// Size of the push-constant range in bytes; 0 for none.
    pub(crate) push_constants: u32,
    /// The stages that see descriptors and push constants.
    pub(crate) stages: vk::ShaderStageFlags,
    /// The bindings of a pipeline that has a descriptor heap in place of sets.
    pub(crate) heap: Option<Vec<MappedBinding>>,
}

/// The descriptors of one binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArrayShape {
    pub(crate) ty: vk::DescriptorType,
    /// Array length; the size of an inline uniform block in bytes.
    pub(crate) length: u32,
}

impl PipelineShape {
    /// The shape of `job` with its `descriptors`. Both are within the device's limits.
    pub(crate) fn of(job: &Job, descriptors: &Descriptors) -> Self {
        let shape = |array: &DescriptorArray| ArrayShape {
            ty: descriptor_type(array.ty),
            length: match array.inline_size(job) {
                Some(size) => size,
                None => u32::try_from(array.length()).expect("within the device's limit"),
            },
        };
        let in_set = |arrays: &BTreeMap<u32, DescriptorArray>| {
            arrays.iter().map(|(binding, array)| (*binding, shape(array))).collect()
        };
        let has_heap = job.buffers.iter().any(is_in_heap);
        let sets = descriptors.sets.iter().filter(|_| !has_heap);
        Self {
            sets: sets.map(|(set, arrays)| (*set, in_set(arrays))).collect(),
            push_constants: u32::try_from(job.push_constants.len()).expect("within the device's limit"),
            stages: stages(job),
            heap: has_heap.then(|| MappedBinding::of(job)),
        }
    }

    /// The number of descriptors of each type that occurs.
    pub(crate) fn counts(&self) -> BTreeMap<vk::DescriptorType, u32> {
        let mut counts = BTreeMap::new();
        for array in self.sets.values().flat_map(BTreeMap::values) {
            *counts.entry(array.ty).or_default() += array.length;
        }
        counts
    }
}

/// The stages of a launch of rays.
const TRACED: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::RAYGEN_KHR.as_raw()
        | vk::ShaderStageFlags::MISS_KHR.as_raw()
        | vk::ShaderStageFlags::CLOSEST_HIT_KHR.as_raw()
        | vk::ShaderStageFlags::ANY_HIT_KHR.as_raw()
        | vk::ShaderStageFlags::INTERSECTION_KHR.as_raw()
        | vk::ShaderStageFlags::CALLABLE_KHR.as_raw(),
);

fn stages(job: &Job) -> vk::ShaderStageFlags {
    match (&job.draw, &job.trace) {
        (None, None) => match job.geometry {
            None => vk::ShaderStageFlags::COMPUTE,
            Some(Geometry::Vertex) => vk::ShaderStageFlags::VERTEX,
            Some(Geometry::Mesh { .. }) => vk::ShaderStageFlags::TASK_EXT | vk::ShaderStageFlags::MESH_EXT,
        },
        (None, Some(_)) => TRACED,
        (Some(_), _) => vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
    }
}

pub(crate) fn descriptor_type(ty: DescriptorType) -> vk::DescriptorType {
    match ty {
        DescriptorType::Buffer(kind) => match kind {
            BufferKind::Uniform | BufferKind::HeapUniform => vk::DescriptorType::UNIFORM_BUFFER,
            BufferKind::InlineUniform => vk::DescriptorType::INLINE_UNIFORM_BLOCK,
            BufferKind::StorageRead
            | BufferKind::Storage
            | BufferKind::HeapStorage
            | BufferKind::Captured
            | BufferKind::Address { .. }
            | BufferKind::ShaderRecord => vk::DescriptorType::STORAGE_BUFFER,
        },
        DescriptorType::Image { kind, .. } => match kind {
            ImageKind::Sampled => vk::DescriptorType::SAMPLED_IMAGE,
            ImageKind::Storage => vk::DescriptorType::STORAGE_IMAGE,
            ImageKind::Combined => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            ImageKind::UniformTexels => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            ImageKind::StorageTexels => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        },
        DescriptorType::Sampler { .. } => vk::DescriptorType::SAMPLER,
    }
}

/// The layouts of a shape.
pub(crate) struct PipelineLayout {
    pub(crate) raw: vk::PipelineLayout,
    /// Layouts of set 0 to the last used set; unused sets have empty layouts.
    pub(crate) sets: Vec<SetLayout>,
    /// The stages that see the push constants.
    pub(crate) stages: vk::ShaderStageFlags,
    /// The bindings of a pipeline that has a descriptor heap in place of sets, and so no layout.
    pub(crate) heap: Option<Vec<MappedBinding>>,
    device: Rc<VulkanDevice>,
}

impl PipelineLayout {
    pub(crate) fn new(device: &Rc<VulkanDevice>, shape: &PipelineShape) -> Result<Self, RunnerError> {
        let count = shape.sets.last_key_value().map_or(0, |(set, _)| set + 1);
        let none = BTreeMap::new();
        let stages = shape.stages;
        let sets = (0..count)
            .map(|set| SetLayout::new(device, shape.sets.get(&set).unwrap_or(&none), stages))
            .collect::<Result<Vec<_>, _>>()?;

        let handles: Vec<_> = sets.iter().map(|set| set.raw).collect();
        let ranges = [vk::PushConstantRange::default().stage_flags(stages).size(shape.push_constants)];
        let ranges = if shape.push_constants == 0 { &[] } else { &ranges[..] };

        let create_info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles).push_constant_ranges(ranges);
        // SAFETY: the set layouts come from this device and live; sizes were checked against the device's limits.
        let raw = unsafe { device.raw.create_pipeline_layout(&create_info, None) }
            .map_err(failed("vkCreatePipelineLayout"))?;
        Ok(Self { raw, sets, stages, heap: shape.heap.clone(), device: Rc::clone(device) })
    }

    /// True if the pipeline has a descriptor heap in place of sets.
    pub(crate) fn has_heap(&self) -> bool {
        self.heap.is_some()
    }
}

impl Drop for PipelineLayout {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the layout.
        unsafe { self.device.raw.destroy_pipeline_layout(self.raw, None) };
    }
}

pub(crate) struct SetLayout {
    pub(crate) raw: vk::DescriptorSetLayout,
    device: Rc<VulkanDevice>,
}

impl SetLayout {
    fn new(
        device: &Rc<VulkanDevice>,
        bindings: &BTreeMap<u32, ArrayShape>,
        stages: vk::ShaderStageFlags,
    ) -> Result<Self, RunnerError> {
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(binding, array)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*binding)
                    .descriptor_type(array.ty)
                    .descriptor_count(array.length)
                    .stage_flags(stages)
            })
            .collect();

        let create_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: binding numbers are distinct, because they are keys of a map.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&create_info, None) }
            .map_err(failed("vkCreateDescriptorSetLayout"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for SetLayout {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the layout.
        unsafe { self.device.raw.destroy_descriptor_set_layout(self.raw, None) };
    }
}
