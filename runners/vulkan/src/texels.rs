//! Makes typed buffers: memory that shaders see as texels.

use std::rc::Rc;

use ash::vk;
use layoutproof_device::{ImageKind, RunnerError};

use crate::arena::Arena;
use crate::device::VulkanDevice;
use crate::failure::failed;

/// A typed buffer with its memory.
pub(crate) struct TypedBuffer {
    view: vk::BufferView,
    device: Rc<VulkanDevice>,
    // Dropped after `Drop::drop` has destroyed the view.
    _memory: Arena,
}

impl TypedBuffer {
    /// Makes a buffer of `texels` with this format; `Unsupported` if the device does not support
    /// this use.
    pub(crate) fn new(
        device: &Rc<VulkanDevice>,
        format: vk::Format,
        kind: ImageKind,
        texels: &[[u32; 4]],
    ) -> Result<Self, RunnerError> {
        let needed = match kind {
            ImageKind::StorageTexels => vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER,
            ImageKind::UniformTexels | ImageKind::Sampled | ImageKind::Storage | ImageKind::Combined => {
                vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER
            }
        };

        // SAFETY: the physical device comes from this instance.
        let has = unsafe { device.instance.raw.get_physical_device_format_properties(device.physical, format) };
        if !has.buffer_features.contains(needed) {
            return Err(RunnerError::Unsupported(format!("typed buffers of {format:?} for {needed:?}")));
        }

        let bytes: Vec<u8> = texels.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect();
        let mut memory = Arena::new(device, bytes.len() as u64)?;
        memory.write(0, &bytes);

        let create_info =
            vk::BufferViewCreateInfo::default().buffer(memory.handle()).format(format).range(bytes.len() as u64);
        // SAFETY: the buffer has the usages of both kinds and is at least as long as the range.
        let view =
            unsafe { device.raw.create_buffer_view(&create_info, None) }.map_err(failed("vkCreateBufferView"))?;
        Ok(Self { view, device: Rc::clone(device), _memory: memory })
    }

    /// The view, valid as long as `self` lives.
    pub(crate) fn view(&self) -> vk::BufferView {
        self.view
    }
}

impl Drop for TypedBuffer {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the view.
        unsafe { self.device.raw.destroy_buffer_view(self.view, None) };
    }
}
