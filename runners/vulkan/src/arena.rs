//! The memory for a job's buffers: one mapped, host-visible buffer that each job fills from the
//! start.
//!
//! Each job buffer gets its own region; the descriptor's range is a part of it (see [`layoutproof_device::placement`]).

use std::ptr::NonNull;
use std::rc::Rc;
use std::slice;

use ash::vk;
use layoutproof_device::limits::MOST_ALIGNED;
use layoutproof_device::{RunnerError, mapped};

use crate::device::VulkanDevice;
use crate::failure::failed;
use crate::heap;

/// Regions start at multiples of this many bytes: twice 256, and no minimum offset alignment
/// exceeds 256 (Vulkan, "Required Limits"). So a range at offset 1 × alignment in its region is at
/// an odd multiple of the alignment in the whole buffer.
pub(crate) const REGION: u64 = 512;

/// One buffer with its memory, mapped for its whole life.
pub(crate) struct Arena {
    buffer: ArenaBuffer,
    memory: MappedMemory,
    size: u64,
}

/// The start of each region in bytes, and the length of an arena that holds them.
pub(crate) fn regions(sizes: impl IntoIterator<Item = u32>) -> (Vec<u64>, u64) {
    let mut end = 0_u64;
    let starts = sizes
        .into_iter()
        .map(|size| {
            let start = end.next_multiple_of(REGION);
            end = start + u64::from(size);
            start
        })
        .collect();
    (starts, end)
}

impl Arena {
    /// Allocates an arena of at least `size` bytes.
    pub(crate) fn new(device: &Rc<VulkanDevice>, size: u64) -> Result<Self, RunnerError> {
        let size = size.next_power_of_two().max(64 * 1024);
        let buffer = ArenaBuffer::new(device, size)?;
        let memory = MappedMemory::mapped(device, &buffer, size)?;
        Ok(Self { buffer, memory, size })
    }

    /// The buffer that descriptors refer to.
    pub(crate) fn handle(&self) -> vk::Buffer {
        self.buffer.raw
    }

    /// The device address of its first byte; 0 if the device has no buffer addresses.
    pub(crate) fn address(&self) -> vk::DeviceAddress {
        self.buffer.device.address(self.buffer.raw)
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Checks that addresses in the buffer are at odd multiples of an alignment where their offsets are.
    ///
    /// # Errors
    /// `Api` if the buffer is not aligned to twice the largest such alignment. Drivers align it, but Vulkan does not
    /// require it.
    pub(crate) fn check_address(&self) -> Result<(), RunnerError> {
        if self.address().is_multiple_of(u64::from(2 * MOST_ALIGNED)) {
            return Ok(());
        }
        let reason = format!("the buffer at {:#x} is not aligned to {} bytes", self.address(), 2 * MOST_ALIGNED);
        Err(RunnerError::Api { call: "vkGetBufferDeviceAddress".to_owned(), reason })
    }

    /// Copies `bytes` to `start`.
    pub(crate) fn write(&mut self, start: u64, bytes: &[u8]) {
        // SAFETY: this many bytes are mapped there as long as `self` lives. No work is in flight
        // when the host writes, so nothing else has access.
        let memory = unsafe { slice::from_raw_parts_mut(self.memory.mapped.as_ptr(), self.length()) };
        mapped::write(memory, start, bytes);
    }

    /// Copies `size` bytes from `start`.
    pub(crate) fn read(&self, start: u64, size: u32) -> Vec<u8> {
        // SAFETY: this many bytes are mapped there as long as `self` lives. No work is in flight
        // when the host reads, so nothing writes.
        let memory = unsafe { slice::from_raw_parts(self.memory.mapped.as_ptr(), self.length()) };
        mapped::read(memory, start, size)
    }

    /// Size in bytes as a `usize`, for slices.
    fn length(&self) -> usize {
        usize::try_from(self.size).expect("what is mapped fits the address space")
    }
}

struct ArenaBuffer {
    device: Rc<VulkanDevice>,
    raw: vk::Buffer,
}

impl ArenaBuffer {
    fn new(device: &Rc<VulkanDevice>, size: u64) -> Result<Self, RunnerError> {
        let mut usage = vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_DST;
        if device.has_addresses() {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        if device.ray_tracing.is_some() {
            usage |= vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR
                | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
                | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        }
        if device.feedback.is_some() {
            usage |= vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        }
        if device.heap.is_some() {
            usage |= heap::USAGE;
        }
        let create_info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive and the size is not zero.
        let raw = unsafe { device.raw.create_buffer(&create_info, None) }.map_err(failed("vkCreateBuffer"))?;
        Ok(Self { device: Rc::clone(device), raw })
    }
}

impl Drop for ArenaBuffer {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the buffer.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
    }
}

struct MappedMemory {
    device: Rc<VulkanDevice>,
    raw: vk::DeviceMemory,
    mapped: NonNull<u8>,
}

impl MappedMemory {
    /// Allocates memory for `buffer`, binds it and maps its first `size` bytes.
    fn mapped(device: &Rc<VulkanDevice>, buffer: &ArenaBuffer, size: u64) -> Result<Self, RunnerError> {
        // SAFETY: the buffer comes from this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut allocate_info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type(device, needs.memory_type_bits)?);
        if device.has_addresses() {
            allocate_info = allocate_info.push_next(&mut flags);
        }

        // SAFETY: the device listed this memory type.
        let raw = unsafe { device.raw.allocate_memory(&allocate_info, None) }.map_err(failed("vkAllocateMemory"))?;
        // Owned from here on, so that a failure below frees it.
        let mut memory = Self { device: Rc::clone(device), raw, mapped: NonNull::dangling() };

        // SAFETY: buffer and memory come from this device, are unbound and fit each other.
        unsafe { device.raw.bind_buffer_memory(buffer.raw, raw, 0) }.map_err(failed("vkBindBufferMemory"))?;
        // SAFETY: the memory is host-visible, not yet mapped, and at least `size` bytes long.
        let address = unsafe { device.raw.map_memory(raw, 0, size, vk::MemoryMapFlags::empty()) }
            .map_err(failed("vkMapMemory"))?;
        memory.mapped = NonNull::new(address.cast()).ok_or_else(|| RunnerError::Api {
            call: "vkMapMemory".to_owned(),
            reason: "the driver mapped the memory at address 0".to_owned(),
        })?;
        Ok(memory)
    }
}

impl Drop for MappedMemory {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), and a buffer that is still
        // bound to this memory is only destroyed from now on. Freeing the memory unmaps it.
        unsafe { self.device.raw.free_memory(self.raw, None) };
    }
}

/// Chooses a host-visible, coherent memory type, preferably a cached one: reading from uncached
/// memory is slow.
fn memory_type(device: &VulkanDevice, allowed: u32) -> Result<u32, RunnerError> {
    let coherent = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let find = |flags: vk::MemoryPropertyFlags| {
        let types = (0_u32..).zip(device.memory.memory_types_as_slice());
        types
            .filter(|(index, _)| allowed & (1 << index) != 0)
            .find(|(_, ty)| ty.property_flags.contains(flags))
            .map(|(index, _)| index)
    };
    find(coherent | vk::MemoryPropertyFlags::HOST_CACHED).or_else(|| find(coherent)).ok_or_else(|| RunnerError::Api {
        call: "vkGetBufferMemoryRequirements".to_owned(),
        reason: "no host-visible, coherent memory type".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_start_at_even_multiples_of_every_alignment() {
        assert_eq!(regions([16, 512, 513, 4]), (vec![0, 512, 1024, 2048], 2052));
        assert_eq!(regions([]), (vec![], 0));
    }
}
