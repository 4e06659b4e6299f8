//! The descriptor sets of one job.

use std::collections::BTreeMap;
use std::rc::Rc;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::device::VulkanDevice;
use crate::failure::failed;
use crate::pipeline_layout::{ArrayShape, PipelineLayout, PipelineShape};

/// The place of a descriptor, and the resource that it refers to.
#[derive(Clone)]
pub(crate) struct BoundDescriptor {
    pub(crate) set: u32,
    pub(crate) binding: u32,
    /// Array element.
    pub(crate) element: u32,
    pub(crate) ty: vk::DescriptorType,
    pub(crate) what: DescriptorContent,
}

impl BoundDescriptor {
    /// The bytes of an inline uniform block; none for other descriptors.
    fn inline(&self) -> &[u8] {
        match &self.what {
            DescriptorContent::Inline(bytes) => bytes,
            DescriptorContent::Range(_) | DescriptorContent::Image(_) | DescriptorContent::Texels(_) => &[],
        }
    }
}

/// The resource that a descriptor refers to. It comes from the device of the descriptor sets.
#[derive(Clone)]
pub(crate) enum DescriptorContent {
    /// Buffer, offset and size in bytes.
    Range(vk::DescriptorBufferInfo),
    /// An image view, a sampler or both.
    Image(vk::DescriptorImageInfo),
    /// The view of a typed buffer.
    Texels(vk::BufferView),
    /// The bytes of an inline uniform block.
    Inline(Vec<u8>),
}

/// A pool with the sets of one job. Dropping it frees them.
pub(crate) struct DescriptorSets {
    /// The sets that the job uses, with their numbers, in ascending order.
    pub(crate) sets: Vec<(u32, vk::DescriptorSet)>,
    pool: vk::DescriptorPool,
    device: Rc<VulkanDevice>,
}

impl DescriptorSets {
    /// Makes the sets of `shape` and writes `bound` to them, which has all of their descriptors.
    pub(crate) fn new(
        device: &Rc<VulkanDevice>,
        layout: &PipelineLayout,
        shape: &PipelineShape,
        bound: &[BoundDescriptor],
    ) -> Result<Self, RunnerError> {
        let mut made = Self::empty(device, shape)?;
        if shape.sets.is_empty() {
            return Ok(made);
        }

        let numbers: Vec<u32> = shape.sets.keys().copied().collect();
        let layouts: Vec<_> = numbers.iter().map(|set| layout.sets[*set as usize].raw).collect();
        let allocate_info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(made.pool).set_layouts(&layouts);
        // SAFETY: the pool was made for exactly these sets, and the layouts come from the same device.
        let sets = unsafe { device.raw.allocate_descriptor_sets(&allocate_info) }
            .map_err(failed("vkAllocateDescriptorSets"))?;

        made.sets = numbers.into_iter().zip(sets).collect();
        made.write(bound);
        Ok(made)
    }

    fn empty(device: &Rc<VulkanDevice>, shape: &PipelineShape) -> Result<Self, RunnerError> {
        let mut made = Self { sets: Vec::new(), pool: vk::DescriptorPool::null(), device: Rc::clone(device) };
        if shape.sets.is_empty() {
            return Ok(made);
        }

        let size = |(ty, count)| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(count);
        let sizes: Vec<_> = shape.counts().into_iter().map(size).collect();
        let max_sets = u32::try_from(shape.sets.len()).expect("set numbers are distinct 32-bit numbers");
        let is_inline = |array: &&ArrayShape| array.ty == vk::DescriptorType::INLINE_UNIFORM_BLOCK;
        let inline = shape.sets.values().flat_map(BTreeMap::values).filter(is_inline).count();
        let mut inline_info = vk::DescriptorPoolInlineUniformBlockCreateInfo::default()
            .max_inline_uniform_block_bindings(u32::try_from(inline).expect("bindings are 32-bit numbers"));
        let mut create_info = vk::DescriptorPoolCreateInfo::default().max_sets(max_sets).pool_sizes(&sizes);
        if inline > 0 {
            create_info = create_info.push_next(&mut inline_info);
        }
        // SAFETY: there is at least one set, and none of the sizes is zero.
        made.pool = unsafe { device.raw.create_descriptor_pool(&create_info, None) }
            .map_err(failed("vkCreateDescriptorPool"))?;
        Ok(made)
    }

    fn write(&self, bound: &[BoundDescriptor]) {
        let handle = |set: u32| {
            let found = self.sets.iter().find(|(number, _)| *number == set);
            found.expect("the shape was made from the same bindings").1
        };

        let inline = bound.iter().map(|bound| vk::WriteDescriptorSetInlineUniformBlock::default().data(bound.inline()));
        let mut inline: Vec<_> = inline.collect();
        let writes: Vec<_> = bound
            .iter()
            .zip(&mut inline)
            .map(|(bound, inline)| {
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(handle(bound.set))
                    .dst_binding(bound.binding)
                    .dst_array_element(bound.element)
                    .descriptor_type(bound.ty);
                match &bound.what {
                    DescriptorContent::Range(range) => write.buffer_info(std::slice::from_ref(range)),
                    DescriptorContent::Image(image) => write.image_info(std::slice::from_ref(image)),
                    DescriptorContent::Texels(view) => write.texel_buffer_view(std::slice::from_ref(view)),
                    DescriptorContent::Inline(_) => write.descriptor_count(inline.data_size).push_next(inline),
                }
            })
            .collect();

        // SAFETY: sets and resources come from this device; offsets and sizes were checked against its limits.
        unsafe { self.device.raw.update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for DescriptorSets {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the sets; the pool may be null.
        unsafe { self.device.raw.destroy_descriptor_pool(self.pool, None) };
    }
}
