//! Plans the places of a job's buffers in the arena, writes the buffers there and reads them back.
//!
//! Array elements that the job leaves out get separate bytes.

use std::collections::BTreeMap;

use ash::vk;
use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{BufferAfter, BufferKind, Job};

use crate::arena::{Arena, regions};
use crate::descriptors::{BoundDescriptor, DescriptorContent};
use crate::pipeline_layout::descriptor_type;

/// A part of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ArenaRange {
    /// First byte in the arena.
    start: u64,
    /// In bytes.
    size: u32,
}

/// Bytes for the elements that the job leaves out of one buffer array.
struct LeftOutElements {
    bytes: Vec<u8>,
    start: u64,
}

/// A buffer of the job, with its place in the arena.
struct PlacedBuffer {
    placement: BufferPlacement,
    /// First byte of its memory in the arena.
    start: u64,
}

/// The parts of the arena that a job uses.
pub(crate) struct JobMemory {
    /// In the order of the job's buffers.
    placed: Vec<PlacedBuffer>,
    /// By set and binding.
    left_out: BTreeMap<(u32, u32), LeftOutElements>,
}

impl JobMemory {
    /// Plans the memory of `job`, and returns it with the required size of the arena in bytes.
    pub(crate) fn plan(job: &Job, descriptors: &Descriptors, placements: Vec<BufferPlacement>) -> (Self, u64) {
        let left_out = descriptors.left_out_ranges(job);
        let totals = placements.iter().map(|placement| placement.total);
        let (starts, size) = regions(totals.chain(left_out.values().map(|bytes| size_of_range(bytes))));

        let (own, others) = starts.split_at(placements.len());
        let placed =
            placements.into_iter().zip(own).map(|(placement, start)| PlacedBuffer { placement, start: *start });
        let others = left_out.into_iter().zip(others);
        let left_out =
            others.map(|((place, bytes), start)| (place, LeftOutElements { bytes, start: *start })).collect();
        (Self { placed: placed.collect(), left_out }, size)
    }

    /// Writes the initial contents of the job's buffers.
    pub(crate) fn write(&self, job: &Job, arena: &mut Arena) {
        for (buffer, PlacedBuffer { placement, start }) in job.buffers.iter().zip(&self.placed) {
            arena.write(*start, &placement.image(buffer));
        }
        for left_out in self.left_out.values() {
            arena.write(left_out.start, &left_out.bytes);
        }
    }

    pub(crate) fn descriptors(&self, descriptors: &Descriptors, arena: &Arena) -> Vec<BoundDescriptor> {
        let mut bound = Vec::new();
        for ((set, number), array) in descriptors.placed() {
            match array.ty {
                DescriptorType::Buffer(_) => {}
                DescriptorType::Image { .. } | DescriptorType::Sampler { .. } => continue,
            }

            bound.extend(array.elements().map(|element| {
                let range = self.range(set, number, array, element);
                let info = vk::DescriptorBufferInfo::default()
                    .buffer(arena.handle())
                    .offset(range.start)
                    .range(range.size.into());
                let ty = descriptor_type(array.ty);
                BoundDescriptor { set, binding: number, element, ty, what: DescriptorContent::Range(info) }
            }));
        }
        bound
    }

    fn range(&self, set: u32, number: u32, binding: &DescriptorArray, element: u32) -> ArenaRange {
        let left_out = || {
            let LeftOutElements { bytes, start } = &self.left_out[&(set, number)];
            ArenaRange { start: *start, size: size_of_range(bytes) }
        };

        binding.named.get(&element).map_or_else(left_out, |index| {
            let PlacedBuffer { placement, start } = &self.placed[*index];
            ArenaRange { start: start + u64::from(placement.offset), size: placement.size }
        })
    }

    /// The job's push constants, with the addresses of the buffers that are passed there.
    pub(crate) fn push_constants(&self, job: &Job, arena: &Arena) -> Vec<u8> {
        let mut bytes = job.push_constants.clone();
        for (buffer, PlacedBuffer { placement, start }) in job.buffers.iter().zip(&self.placed) {
            match buffer.kind {
                BufferKind::Address { at, .. } => {
                    let address = arena.address() + start + u64::from(placement.offset);
                    bytes[at as usize..][..8].copy_from_slice(&address.to_le_bytes());
                }
                BufferKind::Uniform | BufferKind::StorageRead | BufferKind::Storage => {}
            }
        }
        bytes
    }

    pub(crate) fn read(&self, arena: &Arena) -> Vec<BufferAfter> {
        let read = |placed: &PlacedBuffer| placed.placement.split(&arena.read(placed.start, placed.placement.total));
        self.placed.iter().map(read).collect()
    }
}

fn size_of_range(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("as long as a range that was placed, so below 2^32 bytes")
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{JobBuffer, Shader};

    use super::*;

    /// A uniform range does not show its end to the shader, so a device could not reveal a range
    /// that is too long.
    #[test]
    fn a_descriptor_is_about_the_bytes_of_its_buffer() {
        let buffer = |binding, kind, bytes: usize| JobBuffer {
            set: 0,
            binding,
            element: 0,
            kind,
            bytes: vec![0; bytes],
            after: vec![0; 16],
            before_word: 0,
        };
        let buffers = vec![buffer(0, BufferKind::Uniform, 48), buffer(1, BufferKind::Storage, 8)];
        let job = Job::compute(Shader::Spirv(Vec::new()), "main", buffers);
        let descriptors = Descriptors::of(&job).expect("two buffers at two bindings");
        let alignments = [256, 16];
        let placed = job.buffers.iter().zip(alignments);
        let placements = placed.map(|(buffer, alignment)| BufferPlacement::of(buffer, alignment).expect("whole words"));
        let placements: Vec<BufferPlacement> = placements.collect();
        let (memory, size) = JobMemory::plan(&job, &descriptors, placements);

        // Regions start at multiples of 512 bytes, and each range starts at offset 1 × alignment in
        // its region.
        let range = |binding| memory.range(0, binding, &descriptors.sets[&0][&binding], 0);
        assert_eq!(range(0), ArenaRange { start: 256, size: 48 });
        assert_eq!(range(1), ArenaRange { start: 512 + 16, size: 8 });
        assert!(size >= 512 + 16 + 8 + 16, "{size}");
    }
}
