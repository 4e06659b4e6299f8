//! The descriptor sets of one job.

use std::rc::Rc;

use ash::vk;
use layoutproof::runner::RunnerError;

use crate::device::Device;
use crate::failure::failed;
use crate::pipeline_layout::{PipelineLayout, Shape};

/// A buffer's place among the descriptors and the range behind it.
#[derive(Debug)]
pub(crate) struct BoundRange {
    /// Descriptor set.
    pub(crate) set: u32,
    /// Binding.
    pub(crate) binding: u32,
    /// Descriptor type.
    pub(crate) ty: vk::DescriptorType,
    /// Buffer, offset and size in bytes.
    pub(crate) range: vk::DescriptorBufferInfo,
}

/// A pool with the sets of one job; dropping it frees them.
pub(crate) struct DescriptorSets {
    /// Each set that the job uses with its number, ascending.
    pub(crate) sets: Vec<(u32, vk::DescriptorSet)>,
    pool: vk::DescriptorPool,
    device: Rc<Device>,
}

impl DescriptorSets {
    /// Makes the sets of `shape`, which uses at least one, and points them at `ranges`.
    pub(crate) fn new(
        device: &Rc<Device>,
        layout: &PipelineLayout,
        shape: &Shape,
        ranges: &[BoundRange],
    ) -> Result<Self, RunnerError> {
        let mut made = Self::empty(device, shape)?;
        let numbers: Vec<u32> = shape.sets.keys().copied().collect();
        let layouts: Vec<_> = numbers.iter().map(|set| layout.sets[*set as usize].raw).collect();
        let allocate_info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(made.pool).set_layouts(&layouts);
        // SAFETY: the pool was made for exactly these sets, and the layouts come from the same device.
        let sets = unsafe { device.raw.allocate_descriptor_sets(&allocate_info) }
            .map_err(failed("vkAllocateDescriptorSets"))?;
        made.sets = numbers.into_iter().zip(sets).collect();
        made.write(ranges);
        Ok(made)
    }

    fn empty(device: &Rc<Device>, shape: &Shape) -> Result<Self, RunnerError> {
        let size = |ty| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(shape.count(ty));
        let mut sizes = vec![size(vk::DescriptorType::UNIFORM_BUFFER), size(vk::DescriptorType::STORAGE_BUFFER)];
        sizes.retain(|size| size.descriptor_count > 0);
        let max_sets = u32::try_from(shape.sets.len()).expect("set numbers are distinct 32-bit numbers");
        let create_info = vk::DescriptorPoolCreateInfo::default().max_sets(max_sets).pool_sizes(&sizes);
        // SAFETY: neither the sets nor any of the sizes are zero.
        let pool = unsafe { device.raw.create_descriptor_pool(&create_info, None) }
            .map_err(failed("vkCreateDescriptorPool"))?;
        Ok(Self { sets: Vec::new(), pool, device: Rc::clone(device) })
    }

    fn write(&self, ranges: &[BoundRange]) {
        let handle = |set: u32| {
            let found = self.sets.iter().find(|(number, _)| *number == set);
            found.expect("the shape was made from the same buffers").1
        };
        let writes: Vec<_> = ranges
            .iter()
            .map(|bound| {
                vk::WriteDescriptorSet::default()
                    .dst_set(handle(bound.set))
                    .dst_binding(bound.binding)
                    .descriptor_type(bound.ty)
                    .buffer_info(std::slice::from_ref(&bound.range))
            })
            .collect();
        // SAFETY: sets and buffers come from this device; offsets and sizes were checked against its limits.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for DescriptorSets {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), so nothing uses the sets.
        unsafe { self.device.raw.destroy_descriptor_pool(self.pool, None) };
    }
}
