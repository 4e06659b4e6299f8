//! Plans the places of a job's buffers in the arena, writes the buffers there and reads them back.
//!
//! Array elements that the job leaves out get separate bytes.

use std::collections::BTreeMap;

use ash::vk;
use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{AddressHolder, BufferAfter, BufferKind, Job, JobBuffer, RecordStage, Trace};

use crate::arena::{Arena, REGION, regions};
use crate::descriptors::{BoundDescriptor, DescriptorContent};
use crate::heap::heap_numbers;
use crate::physical::RecordAlignments;
use crate::pipeline_layout::descriptor_type;

/// A part of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArenaRange {
    /// First byte in the arena.
    pub(crate) start: u64,
    /// In bytes.
    pub(crate) size: u32,
}

/// A buffer in the heap of resources.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapRange {
    /// The number of its descriptor.
    pub(crate) element: u32,
    pub(crate) ty: vk::DescriptorType,
    pub(crate) address: u64,
    /// In bytes.
    pub(crate) size: u64,
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

/// Shader records in the arena. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RecordTable {
    start: u64,
    stride: u64,
    count: u64,
}

/// The tables of a launch of rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LaunchTables {
    generation: RecordTable,
    /// The records of the stage that the ray generation reaches; empty if there is none.
    reached: RecordTable,
    /// One record of zeros for a ray that misses although its stage is one of a hit. No stage runs then.
    nothing: RecordTable,
}

/// The places of a launch's tables, as the command takes them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchRegions {
    pub(crate) generation: vk::StridedDeviceAddressRegionKHR,
    pub(crate) miss: vk::StridedDeviceAddressRegionKHR,
    pub(crate) hit: vk::StridedDeviceAddressRegionKHR,
    pub(crate) callable: vk::StridedDeviceAddressRegionKHR,
}

/// The parts of the arena that a job uses.
pub(crate) struct JobMemory {
    /// In the order of the job's buffers.
    placed: Vec<PlacedBuffer>,
    /// `None` if the job launches no rays.
    tables: Option<LaunchTables>,
    /// By set and binding.
    left_out: BTreeMap<(u32, u32), LeftOutElements>,
}

impl JobMemory {
    /// Plans the memory of `job`, and returns it with the required size of the arena in bytes.
    /// `records` has the alignments of the device's shader records.
    pub(crate) fn plan(
        job: &Job,
        descriptors: &Descriptors,
        placements: Vec<BufferPlacement>,
        records: Option<RecordAlignments>,
    ) -> (Self, u64) {
        let left_out = descriptors.left_out_ranges(job);
        // Shader records are in the regions of their tables.
        let is_record = |buffer: &JobBuffer| buffer.kind == BufferKind::ShaderRecord;
        let own = job.buffers.iter().zip(&placements);
        let totals = own.map(|(buffer, placement)| if is_record(buffer) { 0 } else { placement.total });
        let (starts, size) = regions(totals.chain(left_out.values().map(|bytes| size_of_range(bytes))));
        let launch = job.trace.as_ref().zip(records);
        let (tables, size) = launch.map_or((None, size), |(trace, records)| {
            let (tables, size) = LaunchTables::plan(trace, job, &placements, records, size);
            (Some(tables), size)
        });

        let (own, others) = starts.split_at(placements.len());
        let placed = job.buffers.iter().zip(placements).zip(own).map(|((buffer, placement), start)| {
            let records = tables.map(LaunchTables::records).filter(|_| is_record(buffer));
            let start = records.map_or(*start, |records| records.start + records.stride * u64::from(buffer.element));
            PlacedBuffer { placement, start }
        });
        let others = left_out.into_iter().zip(others);
        let left_out =
            others.map(|((place, bytes), start)| (place, LeftOutElements { bytes, start: *start })).collect();
        (Self { placed: placed.collect(), tables, left_out }, size)
    }

    /// Writes the initial contents of the job's buffers.
    pub(crate) fn write(&self, job: &Job, arena: &mut Arena) {
        for (index, (buffer, placed)) in job.buffers.iter().zip(&self.placed).enumerate() {
            let mut image = placed.placement.image(buffer);
            let bytes = &mut image[placed.placement.offset as usize..][..buffer.bytes.len()];
            job.write_buffer_addresses(index, bytes, |index| self.address_of(index, arena));
            arena.write(placed.start, &image);
        }
        for left_out in self.left_out.values() {
            arena.write(left_out.start, &left_out.bytes);
        }
    }

    /// The device address of the first byte of a buffer's range.
    fn address_of(&self, buffer: usize, arena: &Arena) -> u64 {
        let PlacedBuffer { placement, start } = &self.placed[buffer];
        arena.address() + start + u64::from(placement.offset)
    }

    pub(crate) fn descriptors(&self, job: &Job, descriptors: &Descriptors, arena: &Arena) -> Vec<BoundDescriptor> {
        let mut bound = Vec::new();
        for ((set, number), array) in descriptors.placed() {
            match array.ty {
                DescriptorType::Buffer(_) => {}
                DescriptorType::Image { .. } | DescriptorType::Sampler { .. } => continue,
            }

            bound.extend(array.elements().map(|element| {
                let ty = descriptor_type(array.ty);
                if array.inline_size(job).is_some() {
                    let what = DescriptorContent::Inline(job.buffers[array.named[&element]].bytes.clone());
                    return BoundDescriptor { set, binding: number, element, ty, what };
                }
                let range = self.range(set, number, array, element);
                let info = vk::DescriptorBufferInfo::default()
                    .buffer(arena.handle())
                    .offset(range.start)
                    .range(range.size.into());
                BoundDescriptor { set, binding: number, element, ty, what: DescriptorContent::Range(info) }
            }));
        }
        bound
    }

    /// The ranges of the buffers for captured outputs, by number.
    pub(crate) fn captured(&self, job: &Job) -> Vec<(u32, ArenaRange)> {
        let own = job.buffers.iter().zip(&self.placed).filter(|(buffer, _)| buffer.kind == BufferKind::Captured);
        let range = |(buffer, placed): (&JobBuffer, &PlacedBuffer)| {
            let start = placed.start + u64::from(placed.placement.offset);
            (buffer.binding, ArenaRange { start, size: placed.placement.size })
        };
        own.map(range).collect()
    }

    /// The buffers of a job with a heap: those in the heap, and the bound ones.
    pub(crate) fn heap(&self, job: &Job, arena: &Arena) -> Vec<HeapRange> {
        let range = |((buffer, placed), element): ((&JobBuffer, &PlacedBuffer), u32)| HeapRange {
            element,
            ty: descriptor_type(DescriptorType::Buffer(buffer.kind)),
            address: arena.address() + placed.start + u64::from(placed.placement.offset),
            size: placed.placement.size.into(),
        };
        job.buffers.iter().zip(&self.placed).zip(heap_numbers(job)).map(range).collect()
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

    /// Returns true if shaders or the launch reach a part of the memory by its address.
    pub(crate) fn has_addresses(&self, job: &Job) -> bool {
        self.tables.is_some() || job.buffers.iter().any(|buffer| matches!(buffer.kind, BufferKind::Address { .. }))
    }

    /// The job's push constants, with the addresses of the buffers and of the scene that are passed there.
    pub(crate) fn push_constants(&self, job: &Job, arena: &Arena, scene: Option<u64>) -> Vec<u8> {
        let mut bytes = job.push_constants.clone();
        if let Some(scene) = scene {
            bytes[..8].copy_from_slice(&scene.to_le_bytes());
        }
        job.write_addresses(AddressHolder::PushConstants, &mut bytes, |index| self.address_of(index, arena));
        bytes
    }

    /// Writes the group handles of a launch into its shader records: that of the ray generation, and
    /// that of the stage that it reaches if there is one.
    pub(crate) fn write_handles(&self, handles: &[Vec<u8>], arena: &mut Arena) {
        let Some(tables) = &self.tables else { return };
        let zeros = vec![0; handles[0].len()];
        let handles = handles.iter().chain(std::iter::repeat(&zeros));
        for (table, handle) in [tables.generation, tables.reached, tables.nothing].into_iter().zip(handles) {
            for record in 0..table.count {
                arena.write(table.start + table.stride * record, handle);
            }
        }
    }

    /// The tables of a launch.
    pub(crate) fn launch(&self, job: &Job, arena: &Arena) -> Option<LaunchRegions> {
        let region = |table: RecordTable| {
            let empty = vk::StridedDeviceAddressRegionKHR::default();
            if table.count == 0 {
                return empty;
            }
            empty.device_address(arena.address() + table.start).stride(table.stride).size(table.stride * table.count)
        };
        let LaunchTables { generation, reached, nothing } = self.tables?;
        let stage = job.trace.as_ref()?.reached.as_ref().map(|reached| reached.stage);
        let empty = vk::StridedDeviceAddressRegionKHR::default();
        let mut regions =
            LaunchRegions { generation: region(generation), miss: region(nothing), hit: empty, callable: empty };
        match stage {
            None => {}
            Some(RecordStage::Callable) => regions.callable = region(reached),
            Some(RecordStage::Miss) => regions.miss = region(reached),
            Some(RecordStage::ClosestHit | RecordStage::AnyHit | RecordStage::Intersection) => {
                regions.hit = region(reached);
            }
        }
        Some(regions)
    }

    /// Reads the job's buffers. `handles` are the group handles that were written.
    pub(crate) fn read(&self, job: &Job, handles: &[Vec<u8>], arena: &Arena) -> Vec<BufferAfter> {
        let read = |(index, (buffer, placed)): (usize, (&JobBuffer, &PlacedBuffer))| {
            let mut after = placed.placement.split(&arena.read(placed.start, placed.placement.total));
            // The handle takes the place of the fill, and must be unchanged like it.
            if buffer.kind == BufferKind::ShaderRecord && handles.last() == Some(&after.before) {
                after.before = placed.placement.split(&placed.placement.image(buffer)).before;
            }
            job.restore_addresses(index, &mut after.bytes, |index| self.address_of(index, arena));
            after
        };
        job.buffers.iter().zip(&self.placed).enumerate().map(read).collect()
    }
}

impl LaunchTables {
    /// Plans the tables after the first `end` bytes of the arena, and returns them with the arena's
    /// new size. Every table is at an odd multiple of its alignment, and its records are as close as
    /// the device allows.
    fn plan(
        trace: &Trace,
        job: &Job,
        placements: &[BufferPlacement],
        alignments: RecordAlignments,
        end: u64,
    ) -> (Self, u64) {
        let own = job.buffers.iter().zip(placements);
        let records = own.filter(|(buffer, _)| buffer.kind == BufferKind::ShaderRecord);
        let longest = records.clone().map(|(_, placement)| placement.total).max().unwrap_or(0);
        let count = records.map(|(buffer, _)| u64::from(buffer.element) + 1).max().unwrap_or(0);
        let stride = |bytes: u32| u64::from(bytes.max(alignments.handle).next_multiple_of(alignments.record));

        let (of_generation, reached) = if trace.reached.is_some() { (0, count) } else { (longest, 0) };
        let mut end = end;
        let mut table = |stride: u64, count: u64| {
            let start = end.next_multiple_of(REGION) + u64::from(alignments.table);
            end = start + stride * count;
            RecordTable { start, stride, count }
        };
        let generation = table(stride(of_generation), 1);
        let reached = table(stride(longest), reached);
        let has_ray = trace.reached.as_ref().is_some_and(|reached| reached.stage.needs_ray());
        let nothing = table(stride(0), u64::from(has_ray));
        (Self { generation, reached, nothing }, end)
    }

    /// The table with the job's own records.
    fn records(self) -> RecordTable {
        if self.reached.count == 0 { self.generation } else { self.reached }
    }
}

fn size_of_range(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("as long as a range that was placed, so below 2^32 bytes")
}

#[cfg(test)]
mod tests {
    use layoutproof_device::{JobBuffer, ReachedStage, Shader};

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
        let (memory, size) = JobMemory::plan(&job, &descriptors, placements, None);

        // Regions start at multiples of 512 bytes, and each range starts at offset 1 × alignment in
        // its region.
        let range = |binding| memory.range(0, binding, &descriptors.sets[&0][&binding], 0);
        assert_eq!(range(0), ArenaRange { start: 256, size: 48 });
        assert_eq!(range(1), ArenaRange { start: 512 + 16, size: 8 });
        assert!(size >= 512 + 16 + 8 + 16, "{size}");
    }

    /// More room between records, or a table that is aligned to more than it has to be, could hide a
    /// wrong stride or start.
    #[test]
    fn records_are_as_close_as_the_device_allows() {
        let record = |element, bytes: usize| JobBuffer {
            set: 0,
            binding: 0,
            element,
            kind: BufferKind::ShaderRecord,
            bytes: vec![0; bytes],
            after: vec![0; 4],
            before_word: 0,
        };
        let alignments = RecordAlignments { handle: 32, record: 32, table: 64, stride: 4096 };
        let plan = |stage: Option<RecordStage>, records: Vec<JobBuffer>| {
            let placements = records.iter().map(|record| BufferPlacement::of(record, 32).expect("whole words"));
            let placements: Vec<BufferPlacement> = placements.collect();
            let mut job = Job::compute(Shader::Spirv(Vec::new()), "main", records);
            let generation = Shader::Spirv(Vec::new());
            let reached =
                stage.map(|stage| ReachedStage { stage, entry: "reached".to_owned(), generation, closest_hit: None });
            job.trace = Some(Trace { reached });
            let descriptors = Descriptors::of(&job).expect("records have no descriptors");
            let (memory, size) = JobMemory::plan(&job, &descriptors, placements, Some(alignments));
            let starts: Vec<u64> = memory.placed.iter().map(|placed| placed.start).collect();
            (memory.tables.expect("the job launches rays"), starts, size)
        };

        // 32 + 28 + 4 bytes fill 64.
        let (tables, starts, size) = plan(None, vec![record(0, 28)]);
        assert_eq!(tables.generation, RecordTable { start: 64, stride: 64, count: 1 });
        assert_eq!((tables.reached.count, starts), (0, vec![64]));
        assert!(size >= 128, "{size}");

        // The longest record decides for all: 32 + 32 + 4 bytes take 96.
        let (tables, starts, size) = plan(Some(RecordStage::Callable), vec![record(0, 8), record(1, 32)]);
        assert_eq!(tables.generation, RecordTable { start: 64, stride: 32, count: 1 });
        assert_eq!(tables.reached, RecordTable { start: 512 + 64, stride: 96, count: 2 });
        assert_eq!(starts, [512 + 64, 512 + 64 + 96]);
        assert!(size >= 512 + 64 + 192, "{size}");
    }
}
