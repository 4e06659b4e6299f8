//! Places a job's resources in the two buffers of [`DeviceBuffers`](crate::memory::DeviceBuffers).

use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{BufferAfter, ImageKind, Job, JobImage, ResourceClass, RunnerError};

use crate::memory::DeviceBuffers;
use crate::registers::class_of_buffer;
use crate::root_signature::RootLayout;

/// Regions start at multiples of this many bytes. So a range at offset 1 × alignment in its region
/// is at an odd multiple of the alignment in the whole buffer.
const REGION: u32 = 512;

/// `D3D12_CONSTANT_BUFFER_DATA_PLACEMENT_ALIGNMENT`; the size of a view is a multiple of it as
/// well.
pub(crate) const CONSTANT_ALIGNMENT: u32 = 256;

/// `D3D12_RAW_UAV_SRV_BYTE_ALIGNMENT`.
const STORAGE_ALIGNMENT: u32 = 16;

/// Bytes in a texel.
pub(crate) const TEXEL: u32 = 16;

/// The place of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// True if it is in the buffer that shaders write.
    pub(crate) is_written: bool,
    /// Start of its memory, in bytes.
    start: u64,
    placement: BufferPlacement,
}

impl Region {
    /// Start of the bound range, in bytes.
    pub(crate) fn range(&self) -> u64 {
        self.start + u64::from(self.placement.offset)
    }

    /// Bytes in the bound range.
    pub(crate) fn size(&self) -> u32 {
        self.placement.size
    }
}

/// The places of all resources of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct JobRegions {
    /// In the order of the job's buffers.
    pub(crate) buffers: Vec<Region>,
    /// In the order of the job's images; `None` for textures.
    pub(crate) typed: Vec<Option<Region>>,
    /// Bytes that shaders only read.
    pub(crate) read: u64,
    /// Bytes that shaders write.
    pub(crate) written: u64,
}

impl JobRegions {
    /// Places the resources of `job`, whose root signature is `layout`.
    pub(crate) fn new(job: &Job, layout: &RootLayout) -> Result<Self, RunnerError> {
        let strides = strides(job, layout);
        let mut regions = Self::default();
        for (buffer, stride) in job.buffers.iter().zip(strides) {
            let class = class_of_buffer(buffer.kind)?;
            let alignment = match class {
                ResourceClass::ConstantBuffer => CONSTANT_ALIGNMENT,
                ResourceClass::ShaderResource | ResourceClass::UnorderedAccess | ResourceClass::Sampler => {
                    common_multiple(STORAGE_ALIGNMENT, stride)
                }
            };
            let placement = BufferPlacement::of(buffer, alignment)?;
            let region = regions.add(class == ResourceClass::UnorderedAccess, alignment, placement);
            regions.buffers.push(region);
        }

        for image in &job.images {
            let is_written = match image.kind {
                ImageKind::UniformTexels => false,
                ImageKind::StorageTexels => true,
                ImageKind::Sampled | ImageKind::Storage | ImageKind::Combined => {
                    regions.typed.push(None);
                    continue;
                }
            };
            let placement = BufferPlacement { offset: TEXEL, size: TEXEL, total: 2 * TEXEL };
            let region = regions.add(is_written, TEXEL, placement);
            regions.typed.push(Some(region));
        }

        Ok(regions)
    }

    fn add(&mut self, is_written: bool, alignment: u32, placement: BufferPlacement) -> Region {
        let end = if is_written { &mut self.written } else { &mut self.read };
        let start = end.next_multiple_of(u64::from(common_multiple(REGION, alignment)));
        // A constant buffer view ends at a multiple of its alignment.
        *end =
            start + u64::from(placement.total.max(placement.offset + placement.size)) + u64::from(CONSTANT_ALIGNMENT);
        Region { is_written, start, placement }
    }

    pub(crate) fn write(&self, job: &Job, memory: &mut DeviceBuffers) {
        let mut write = |region: &Region, bytes: &[u8]| {
            let target = if region.is_written { &mut memory.before } else { &mut memory.read };
            target.write(region.start, bytes);
        };

        for (buffer, region) in job.buffers.iter().zip(&self.buffers) {
            write(region, &region.placement.image(buffer));
        }

        for (image, region) in job.images.iter().zip(&self.typed) {
            if let Some(region) = region {
                let before = vec![0; region.placement.offset as usize];
                write(region, &[before, texel(image)].concat());
            }
        }
    }

    pub(crate) fn read(&self, memory: &DeviceBuffers) -> Vec<BufferAfter> {
        let read = |region: &Region| {
            let source = if region.is_written { &memory.after } else { &memory.read };
            region.placement.split(&source.read(region.start, region.placement.total))
        };
        self.buffers.iter().map(read).collect()
    }
}

/// The bytes of an image's first texel.
pub(crate) fn texel(image: &JobImage) -> Vec<u8> {
    let words = image.levels.first().copied().unwrap_or_default();
    layoutproof_device::word_bytes(&words)
}

/// The stride of each buffer that is bound as a structured buffer; 1 for all others.
fn strides(job: &Job, layout: &RootLayout) -> Vec<u32> {
    let range_of = |class: ResourceClass, set: u32, register: u32| {
        let ranges = layout.tables().flat_map(|table| &table.ranges).map(|ranged| &ranged.range);
        let mut inside = ranges.filter(move |range| range.class == class && range.space == set);
        inside.find(|range| register >= range.first && range.count.is_none_or(|count| register - range.first < count))
    };
    let stride = |buffer: &layoutproof_device::JobBuffer| {
        let class = class_of_buffer(buffer.kind).ok()?;
        let range = range_of(class, buffer.set, buffer.binding + buffer.element)?;
        (range.stride > 0).then_some(range.stride)
    };
    job.buffers.iter().map(|buffer| stride(buffer).unwrap_or(1)).collect()
}

/// The least common multiple of two sizes.
fn common_multiple(one: u32, other: u32) -> u32 {
    let (mut a, mut b) = (one, other);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    one / a.max(1) * other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_lie_at_elements_of_their_structures() {
        for (one, other, expected) in [(16, 1, 16), (16, 12, 48), (512, 48, 1536), (512, 256, 512)] {
            assert_eq!(common_multiple(one, other), expected, "{one} and {other}");
        }
    }
}
