//! The memory for a job's buffers: one resource for everything that shaders only read, one for
//! everything that they write, and one to read the latter back.
//!
//! The host can write and read the memory that shaders only read. The memory that shaders write is
//! filled by a copy from such memory, and copied back into it.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::slice;

use layoutproof_device::{RunnerError, mapped};

use crate::com::{ComObject, method_type};
use crate::device::Direct3dDevice;
use crate::failure::{HResult, check};
use crate::structures::{HeapType, ResourceDesc, state};

/// Smallest size of a buffer, in bytes.
const LEAST: u64 = 64 * 1024;

/// A buffer that stays mapped for the host for its whole life.
#[derive(Debug)]
pub(crate) struct MappedBuffer {
    resource: ComObject,
    address: NonNull<u8>,
    size: u64,
}

impl MappedBuffer {
    /// Makes a buffer of at least `size` bytes that the host writes or reads.
    pub(crate) fn new(device: &Direct3dDevice, heap: HeapType, size: u64) -> Result<Self, RunnerError> {
        type Map = method_type!((u32, *const c_void, *mut *mut u8) -> HResult);
        let size = size.next_power_of_two().max(LEAST);
        let first = match heap {
            HeapType::Readback => state::COPY_DEST,
            HeapType::Upload | HeapType::Default => state::GENERIC_READ,
        };
        let resource = device.resource(heap, &ResourceDesc::buffer(size, false), first)?;

        // SAFETY: slot 8 of `ID3D12Resource` is `Map`.
        let map = unsafe { resource.method::<Map>(8) };
        let mut address = std::ptr::null_mut();
        // SAFETY: a buffer has one subresource; without a range the host may read all of it.
        check("Map", unsafe { map(resource.as_ptr(), 0, std::ptr::null(), &raw mut address) })?;

        let address = NonNull::new(address).ok_or_else(|| RunnerError::Api {
            call: "Map".to_owned(),
            reason: "the driver mapped the memory at address 0".to_owned(),
        })?;
        Ok(Self { resource, address, size })
    }

    pub(crate) fn resource(&self) -> &ComObject {
        &self.resource
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Copies `bytes` to `start`.
    pub(crate) fn write(&mut self, start: u64, bytes: &[u8]) {
        // SAFETY: this many bytes are mapped there as long as `self` lives. No work is in flight
        // when the host writes, so nothing else has access.
        let memory = unsafe { slice::from_raw_parts_mut(self.address.as_ptr(), self.length()) };
        mapped::write(memory, start, bytes);
    }

    /// Copies `size` bytes from `start`.
    pub(crate) fn read(&self, start: u64, size: u32) -> Vec<u8> {
        // SAFETY: this many bytes are mapped there as long as `self` lives. No work is in flight
        // when the host reads, so nothing writes.
        let memory = unsafe { slice::from_raw_parts(self.address.as_ptr(), self.length()) };
        mapped::read(memory, start, size)
    }

    /// Size in bytes as a `usize`, for slices.
    fn length(&self) -> usize {
        usize::try_from(self.size).expect("what is mapped fits the address space")
    }
}

#[derive(Debug)]
pub(crate) struct WritableBuffer {
    resource: ComObject,
    size: u64,
}

impl WritableBuffer {
    /// Makes a buffer of at least `size` bytes, in the state of a copy destination.
    pub(crate) fn new(device: &Direct3dDevice, size: u64) -> Result<Self, RunnerError> {
        let size = size.next_power_of_two().max(LEAST);
        let desc = ResourceDesc::buffer(size, true);
        Ok(Self { resource: device.resource(HeapType::Default, &desc, state::COPY_DEST)?, size })
    }

    pub(crate) fn resource(&self) -> &ComObject {
        &self.resource
    }
}

/// The buffers of a device. They grow to the size of the largest job so far.
#[derive(Debug)]
pub(crate) struct DeviceBuffers {
    /// Bytes that shaders only read.
    pub(crate) read: MappedBuffer,
    /// Initial contents of the buffer that shaders write.
    pub(crate) before: MappedBuffer,
    /// Bytes that shaders write.
    pub(crate) written: WritableBuffer,
    /// The same bytes, for the host to read after the shaders.
    pub(crate) after: MappedBuffer,
}

impl DeviceBuffers {
    /// Makes small buffers.
    pub(crate) fn new(device: &Direct3dDevice) -> Result<Self, RunnerError> {
        Ok(Self {
            read: MappedBuffer::new(device, HeapType::Upload, 0)?,
            before: MappedBuffer::new(device, HeapType::Upload, 0)?,
            written: WritableBuffer::new(device, 0)?,
            after: MappedBuffer::new(device, HeapType::Readback, 0)?,
        })
    }

    /// Makes room for this many bytes that shaders read and write.
    pub(crate) fn grow(&mut self, device: &Direct3dDevice, read: u64, written: u64) -> Result<(), RunnerError> {
        if read > self.read.size() {
            self.read = MappedBuffer::new(device, HeapType::Upload, read)?;
        }
        if written > self.written.size {
            self.before = MappedBuffer::new(device, HeapType::Upload, written)?;
            self.written = WritableBuffer::new(device, written)?;
            self.after = MappedBuffer::new(device, HeapType::Readback, written)?;
        }
        Ok(())
    }
}

pub(crate) fn address(resource: &ComObject) -> u64 {
    // SAFETY: slot 11 of `ID3D12Resource` is `GetGPUVirtualAddress`.
    let get = unsafe { resource.method::<method_type!(() -> u64)>(11) };
    // SAFETY: the resource is alive, and a buffer.
    unsafe { get(resource.as_ptr()) }
}
