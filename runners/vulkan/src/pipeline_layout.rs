//! Descriptor-set layouts and the pipeline layout of a job's shape.

use std::collections::BTreeMap;
use std::rc::Rc;

use ash::vk;
use layoutproof::runner::{BufferKind, Job, RunnerError};

use crate::device::Device;
use crate::failure::failed;

/// What of a job decides its layouts; jobs with equal shapes share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    /// Per descriptor set, per binding, the descriptor type.
    pub(crate) sets: BTreeMap<u32, BTreeMap<u32, vk::DescriptorType>>,
    /// Size of the push-constant range in bytes; 0 for none.
    pub(crate) push_constants: u32,
}

impl Shape {
    /// The shape of `job`, whose buffers have distinct places and whose push constants are within the limits.
    pub(crate) fn of(job: &Job) -> Self {
        let push_constants = u32::try_from(job.push_constants.len()).expect("within the device's limit");
        let mut shape = Self { sets: BTreeMap::new(), push_constants };
        for buffer in &job.buffers {
            shape.sets.entry(buffer.set).or_default().insert(buffer.binding, descriptor_type(buffer.kind));
        }
        shape
    }

    /// How many descriptors have type `ty`.
    pub(crate) fn count(&self, ty: vk::DescriptorType) -> u32 {
        let all = self.sets.values().flat_map(BTreeMap::values);
        u32::try_from(all.filter(|found| **found == ty).count()).expect("a job has fewer than 2^32 buffers")
    }
}

/// The descriptor type of a buffer.
pub(crate) fn descriptor_type(kind: BufferKind) -> vk::DescriptorType {
    match kind {
        BufferKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        BufferKind::StorageRead | BufferKind::Storage | BufferKind::Address { .. } => {
            vk::DescriptorType::STORAGE_BUFFER
        }
    }
}

/// The layouts of a shape.
pub(crate) struct PipelineLayout {
    /// The pipeline layout.
    pub(crate) raw: vk::PipelineLayout,
    /// Layouts of sets 0 to the last one used; unused sets have empty layouts.
    pub(crate) sets: Vec<SetLayout>,
    device: Rc<Device>,
}

impl PipelineLayout {
    /// Makes the layouts of `shape`.
    pub(crate) fn new(device: &Rc<Device>, shape: &Shape) -> Result<Self, RunnerError> {
        let count = shape.sets.last_key_value().map_or(0, |(set, _)| set + 1);
        let none = BTreeMap::new();
        let sets = (0..count)
            .map(|set| SetLayout::new(device, shape.sets.get(&set).unwrap_or(&none)))
            .collect::<Result<Vec<_>, _>>()?;
        let handles: Vec<_> = sets.iter().map(|set| set.raw).collect();
        let ranges =
            [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(shape.push_constants)];
        let ranges = if shape.push_constants == 0 { &[] } else { &ranges[..] };
        let create_info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles).push_constant_ranges(ranges);
        // SAFETY: the set layouts come from this device and live; sizes were checked against the device's limits.
        let raw = unsafe { device.raw.create_pipeline_layout(&create_info, None) }
            .map_err(failed("vkCreatePipelineLayout"))?;
        Ok(Self { raw, sets, device: Rc::clone(device) })
    }
}

impl Drop for PipelineLayout {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), so nothing uses the layout.
        unsafe { self.device.raw.destroy_pipeline_layout(self.raw, None) };
    }
}

/// The layout of one descriptor set.
pub(crate) struct SetLayout {
    /// The layout.
    pub(crate) raw: vk::DescriptorSetLayout,
    device: Rc<Device>,
}

impl SetLayout {
    fn new(device: &Rc<Device>, bindings: &BTreeMap<u32, vk::DescriptorType>) -> Result<Self, RunnerError> {
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(binding, ty)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*binding)
                    .descriptor_type(*ty)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let create_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: binding numbers are distinct: they are a map's keys.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&create_info, None) }
            .map_err(failed("vkCreateDescriptorSetLayout"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for SetLayout {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), so nothing uses the layout.
        unsafe { self.device.raw.destroy_descriptor_set_layout(self.raw, None) };
    }
}
