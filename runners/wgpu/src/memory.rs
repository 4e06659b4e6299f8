//! A job's buffers on the device, and the buffer from which the host reads the results.

use std::collections::BTreeMap;

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{Job, JobBuffer, ReadBack};
use wgpu::{
    Buffer, BufferBinding, BufferDescriptor, BufferSize, BufferUsages, CommandEncoder, Device, Extent3d, Queue,
    TexelCopyBufferInfo, TexelCopyBufferLayout,
};

use crate::targets::{TEXEL, WgpuTargets};

pub(crate) struct JobBuffers {
    placements: Vec<BufferPlacement>,
    buffers: Vec<Buffer>,
    /// By group and binding, the buffer for the elements that an array leaves out.
    left_out: BTreeMap<(u32, u32), Buffer>,
    /// The targets' texels, then the buffers.
    pub(crate) staging: Buffer,
}

impl JobBuffers {
    /// Makes the buffers of `job` at their `placements`, and fills them.
    pub(crate) fn new(
        device: &Device,
        queue: &Queue,
        job: &Job,
        descriptors: &Descriptors,
        placements: Vec<BufferPlacement>,
    ) -> Self {
        let buffer = |size, usage| {
            device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let filled = |bytes: &[u8]| {
            let usage = BufferUsages::UNIFORM | BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
            let made = buffer(bytes.len() as u64, usage);
            queue.write_buffer(&made, 0, bytes);
            made
        };
        let make = |(job_buffer, placement): (&JobBuffer, &BufferPlacement)| filled(&placement.image(job_buffer));

        let buffers = job.buffers.iter().zip(&placements).map(make).collect();
        let left_out = descriptors.left_out_ranges(job);
        let left_out = left_out.into_iter().map(|(place, bytes)| (place, filled(&bytes))).collect();

        let targets = job.draw.as_ref().map_or(0, |draw| u64::from(draw.targets) * TEXEL);
        let total: u64 = placements.iter().map(|placement| u64::from(placement.total)).sum();
        let staging = buffer(targets + total, BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        Self { placements, buffers, left_out, staging }
    }

    /// The range of the job's buffer with this index, exactly as long as the job specifies. Without
    /// an index, the range of the buffer for the binding's left-out elements.
    pub(crate) fn range(&self, index: Option<usize>, set: u32, number: u32) -> BufferBinding<'_> {
        match index {
            Some(index) => {
                let placement = &self.placements[index];
                let size = BufferSize::new(placement.size.into());
                BufferBinding { buffer: &self.buffers[index], offset: placement.offset.into(), size }
            }
            None => self.left_out[&(set, number)].as_entire_buffer_binding(),
        }
    }

    /// Records the copies into the staging buffer.
    pub(crate) fn copy_to_staging(&self, encoder: &mut CommandEncoder, targets: Option<&WgpuTargets>) {
        let mut offset = 0;
        for texture in targets.map_or(&[][..], WgpuTargets::textures) {
            let layout = TexelCopyBufferLayout { offset, bytes_per_row: None, rows_per_image: None };
            let to = TexelCopyBufferInfo { buffer: &self.staging, layout };
            encoder.copy_texture_to_buffer(texture.as_image_copy(), to, Extent3d::default());
            offset += TEXEL;
        }

        for (buffer, placement) in self.buffers.iter().zip(&self.placements) {
            let size = u64::from(placement.total);
            encoder.copy_buffer_to_buffer(buffer, 0, &self.staging, offset, size);
            offset += size;
        }
    }

    /// Splits the staging buffer's bytes into the job's results.
    pub(crate) fn split(&self, bytes: &[u8]) -> ReadBack {
        let total: usize = self.placements.iter().map(|placement| placement.total as usize).sum();
        let (texels, mut bytes) = bytes.split_at(bytes.len() - total);
        let word = |at: &[u8]| u32::from_ne_bytes(at.try_into().expect("chunks of four bytes"));
        let texel = |texel: &[u8]| [0, 4, 8, 12].map(|at| word(&texel[at..at + 4]));

        let cut = |placement: &BufferPlacement| {
            let (own, rest) = bytes.split_at(placement.total as usize);
            bytes = rest;
            placement.split(own)
        };
        ReadBack {
            buffers: self.placements.iter().map(cut).collect(),
            targets: texels.chunks_exact(16).map(texel).collect(),
            messages: Vec::new(),
        }
    }
}
