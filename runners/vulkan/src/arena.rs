//! The memory in which a job's buffers lie: one mapped, host-visible buffer that jobs fill from the start.
//!
//! Each job buffer gets its own region; the descriptor's range is a part of it (see [`layoutproof_device::placement`]).

use std::ptr::NonNull;
use std::rc::Rc;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::device::Device;
use crate::failure::failed;

/// Regions start at multiples of this many bytes: twice 256, which no minimum offset alignment exceeds (Vulkan,
/// "Required Limits"). So a range at one multiple of the alignment is at an odd multiple in the whole buffer, too.
const REGION: u64 = 512;

/// One buffer with its memory, mapped as long as it lives.
pub(crate) struct Arena {
    buffer: Buffer,
    memory: Memory,
    size: u64,
}

/// Where each of the regions starts, in bytes, and how long the arena must be to hold them.
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
    pub(crate) fn new(device: &Rc<Device>, size: u64) -> Result<Self, RunnerError> {
        let size = size.next_power_of_two().max(64 * 1024);
        let buffer = Buffer::new(device, size)?;
        let memory = Memory::mapped(device, &buffer, size)?;
        Ok(Self { buffer, memory, size })
    }

    /// The buffer that descriptors refer to.
    pub(crate) fn handle(&self) -> vk::Buffer {
        self.buffer.raw
    }

    /// The device address of its first byte; 0 if buffers have no addresses.
    pub(crate) fn address(&self) -> vk::DeviceAddress {
        self.buffer.device.address(self.buffer.raw)
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Copies `bytes` to `start`.
    pub(crate) fn write(&mut self, start: u64, bytes: &[u8]) {
        let target = self.at(start, bytes.len());
        // SAFETY: `at` checked that the bytes lie in the mapped memory; `bytes` is no part of that.
        unsafe { target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
    }

    /// Copies `size` bytes from `start`.
    pub(crate) fn read(&self, start: u64, size: u32) -> Vec<u8> {
        let mut bytes = vec![0_u8; size as usize];
        let source = self.at(start, bytes.len());
        // SAFETY: `at` checked that the bytes lie in the mapped memory; `bytes` is no part of that.
        unsafe { source.copy_to_nonoverlapping(NonNull::from(bytes.as_mut_slice()).cast(), bytes.len()) };
        bytes
    }

    /// The address of `start`, where `size` bytes are known to follow.
    fn at(&self, start: u64, size: usize) -> NonNull<u8> {
        let end = start.checked_add(size as u64).expect("regions are far smaller than 2^64 bytes");
        assert!(end <= self.size, "{size} bytes at {start} do not fit {} bytes", self.size);
        let start = usize::try_from(start).expect("an offset below the size of a mapping fits a pointer");
        // SAFETY: the assertion keeps the address inside the mapping.
        unsafe { self.memory.mapped.add(start) }
    }
}

struct Buffer {
    device: Rc<Device>,
    raw: vk::Buffer,
}

impl Buffer {
    fn new(device: &Rc<Device>, size: u64) -> Result<Self, RunnerError> {
        let mut usage = vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_DST;
        if device.has_addresses() {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        let create_info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive and the size is not zero.
        let raw = unsafe { device.raw.create_buffer(&create_info, None) }.map_err(failed("vkCreateBuffer"))?;
        Ok(Self { device: Rc::clone(device), raw })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), so nothing uses the buffer.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
    }
}

struct Memory {
    device: Rc<Device>,
    raw: vk::DeviceMemory,
    mapped: NonNull<u8>,
}

impl Memory {
    /// Allocates memory for `buffer`, binds it and maps its first `size` bytes.
    fn mapped(device: &Rc<Device>, buffer: &Buffer, size: u64) -> Result<Self, RunnerError> {
        // SAFETY: the buffer comes from this device.
        let needs = unsafe { device.raw.get_buffer_memory_requirements(buffer.raw) };
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let mut allocate_info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type(device, needs.memory_type_bits)?);
        if device.has_addresses() {
            allocate_info = allocate_info.push_next(&mut flags);
        }
        // SAFETY: the memory type is one that the device listed.
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

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), and a buffer that is still bound to this memory is
        // only destroyed; freeing the memory unmaps it.
        unsafe { self.device.raw.free_memory(self.raw, None) };
    }
}

/// A host-visible, coherent memory type, cached if there is one: read-back from uncached memory is slow.
fn memory_type(device: &Device, allowed: u32) -> Result<u32, RunnerError> {
    let coherent = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let find = |wanted: vk::MemoryPropertyFlags| {
        let types = (0_u32..).zip(device.memory.memory_types_as_slice());
        types
            .filter(|(index, _)| allowed & (1 << index) != 0)
            .find(|(_, ty)| ty.property_flags.contains(wanted))
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
