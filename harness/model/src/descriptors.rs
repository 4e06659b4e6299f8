//! The descriptors of a job by set, binding and element: its resources, and the contents of the
//! elements that it leaves out.
//!
//! `device` binds them before each run; `machine` looks them up.

use std::collections::BTreeMap;

use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::{AddressHolder, BufferKind, ImageKind, ImageView, Job, JobBuffer};

use super::memory::ModelMemory;
use super::value::ModelDescriptor;

/// Set and binding of memory without a descriptor, and of descriptors in the heap.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A device address is the memory's index, counted from 1, shifted left by this many bits; the low
/// bits are the byte, counted from [`ModelMemory::first`].
const ADDRESS_BITS: u32 = 32;

/// Set, binding and element.
pub(super) type DescriptorKey = (u32, u32, u32);

/// An image. All texels of a mip level are equal, so this stores one per level.
#[derive(Clone, Debug)]
pub(super) struct ModelImage {
    /// `None` for a typed buffer.
    pub(super) view: Option<ImageView>,
    pub(super) levels: Vec<[u32; 4]>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct DescriptorTable {
    pub(super) at: BTreeMap<DescriptorKey, ModelDescriptor>,
    pub(super) images: Vec<ModelImage>,
    /// The memories of the shader records, in the order of the table.
    pub(super) records: Vec<usize>,
}

/// The descriptors of `job`, which must be within the model's limits, and its initial memories: its
/// buffers, then the ranges in left-out elements, then the push constants. Addresses are in the push
/// constants or in the shader records.
pub(super) fn bind(job: &Job, descriptors: &Descriptors) -> (DescriptorTable, Vec<ModelMemory>) {
    let mut table = DescriptorTable::default();
    let mut memories: Vec<ModelMemory> = Vec::new();
    let address_of = |index| buffer_address(job, index);

    for (index, buffer) in job.buffers.iter().enumerate() {
        let (mut set, mut binding) = (buffer.set, buffer.binding);
        match buffer.kind {
            BufferKind::Address { .. } => (set, binding) = (NOWHERE, NOWHERE),
            BufferKind::ShaderRecord => table.records.push(index),
            BufferKind::Uniform | BufferKind::InlineUniform | BufferKind::StorageRead | BufferKind::Storage => {}
            BufferKind::HeapUniform | BufferKind::HeapStorage => {
                table.at.insert((NOWHERE, NOWHERE, buffer.element), ModelDescriptor::Memory(index));
            }
            BufferKind::Captured => unreachable!("the model lacks the feature"),
        }
        let mut bytes = buffer.bytes.clone();
        job.write_buffer_addresses(index, &mut bytes, address_of);
        memories.push(ModelMemory { set, binding, first: first_byte(buffer), bytes });
    }

    table.records.sort_by_key(|index| job.buffers[*index].element);
    for (set, in_set) in &descriptors.sets {
        for (number, binding) in in_set {
            let found = match binding.ty {
                DescriptorType::Buffer(_) => buffers(job, binding, *set, *number, &mut memories),
                DescriptorType::Image { kind, .. } => table.add_images(job, binding, kind),
                DescriptorType::Sampler { .. } => {
                    binding.samplers(job).iter().map(|sampler| ModelDescriptor::Sampler(sampler.level)).collect()
                }
            };
            let at = binding.elements().map(|element| (*set, *number, element));
            table.at.extend(at.zip(found));
        }
    }

    let mut bytes = job.push_constants.clone();
    job.write_addresses(AddressHolder::PushConstants, &mut bytes, address_of);
    memories.push(ModelMemory { set: NOWHERE, binding: NOWHERE, first: 0, bytes });
    (table, memories)
}

fn buffers(
    job: &Job,
    binding: &DescriptorArray,
    set: u32,
    number: u32,
    memories: &mut Vec<ModelMemory>,
) -> Vec<ModelDescriptor> {
    let left_out = memories.len();
    memories.extend(binding.left_out_range(job).map(|bytes| ModelMemory { set, binding: number, first: 0, bytes }));
    let buffer = |element| ModelDescriptor::Memory(binding.named.get(&element).copied().unwrap_or(left_out));
    binding.elements().map(buffer).collect()
}

impl DescriptorTable {
    fn add_images(&mut self, job: &Job, binding: &DescriptorArray, kind: ImageKind) -> Vec<ModelDescriptor> {
        let first = self.images.len();
        let has_view = match kind {
            ImageKind::Sampled | ImageKind::Storage | ImageKind::Combined => true,
            ImageKind::UniformTexels | ImageKind::StorageTexels => false,
        };

        let images = binding.images(job).into_iter();
        self.images
            .extend(images.map(|image| ModelImage { view: has_view.then_some(image.view), levels: image.levels }));

        let is_combined = kind == ImageKind::Combined;
        let descriptor =
            |index| if is_combined { ModelDescriptor::Combined(index) } else { ModelDescriptor::Image(index) };
        (first..self.images.len()).map(descriptor).collect()
    }
}

/// The device address of the first byte of a buffer of `job`.
pub(super) fn buffer_address(job: &Job, buffer: usize) -> u64 {
    ((buffer as u64 + 1) << ADDRESS_BITS) + u64::from(first_byte(&job.buffers[buffer]))
}

/// The low bits of the address of a buffer's first byte, which promise no more than the alignment.
fn first_byte(buffer: &JobBuffer) -> u32 {
    match buffer.kind {
        BufferKind::Address { alignment } => alignment,
        _ => 0,
    }
}

/// The memory of a device address, and the address's low bits; `None` for memory 0, which does not
/// exist.
pub(super) fn at_address(address: u64) -> Option<(usize, u64)> {
    let memory = usize::try_from(address >> ADDRESS_BITS).ok()?.checked_sub(1)?;
    Some((memory, address & u64::from(u32::MAX)))
}
