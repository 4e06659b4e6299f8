//! The memory in which a job's buffers lie: one resource for all that shaders only read, one for all that they write,
//! and one to read that back.
//!
//! What is only read lies in memory that the host writes and reads. What shaders write is copied there from it, and back.

use std::ffi::c_void;
use std::ptr::NonNull;

use layoutproof_device::RunnerError;

use crate::com::{HResult, Object, method_type};
use crate::device::Device;
use crate::failure::check;
use crate::structures::{HeapType, ResourceDesc, state};

/// Least size of a buffer, in bytes.
const LEAST: u64 = 64 * 1024;

/// A buffer that the host has mapped as long as it lives.
#[derive(Debug)]
pub(crate) struct Mapped {
    resource: Object,
    address: NonNull<u8>,
    size: u64,
}

impl Mapped {
    /// A buffer of at least `size` bytes that the host writes, or reads.
    pub(crate) fn new(device: &Device, heap: HeapType, size: u64) -> Result<Self, RunnerError> {
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

    /// The resource.
    pub(crate) fn resource(&self) -> &Object {
        &self.resource
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
        unsafe { self.address.add(start) }
    }
}

/// A buffer that shaders write.
#[derive(Debug)]
pub(crate) struct Writable {
    resource: Object,
    size: u64,
}

impl Writable {
    /// A buffer of at least `size` bytes, to be copied to.
    pub(crate) fn new(device: &Device, size: u64) -> Result<Self, RunnerError> {
        let size = size.next_power_of_two().max(LEAST);
        let desc = ResourceDesc::buffer(size, true);
        Ok(Self { resource: device.resource(HeapType::Default, &desc, state::COPY_DEST)?, size })
    }

    /// The resource.
    pub(crate) fn resource(&self) -> &Object {
        &self.resource
    }
}

/// The buffers of a device, which grow to what the largest job so far needed.
#[derive(Debug)]
pub(crate) struct Memory {
    /// What shaders only read.
    pub(crate) read: Mapped,
    /// What the host writes for shaders to write on, and what it reads then.
    pub(crate) before: Mapped,
    /// What shaders write.
    pub(crate) written: Writable,
    /// The same when they are done.
    pub(crate) after: Mapped,
}

impl Memory {
    /// Small buffers.
    pub(crate) fn new(device: &Device) -> Result<Self, RunnerError> {
        Ok(Self {
            read: Mapped::new(device, HeapType::Upload, 0)?,
            before: Mapped::new(device, HeapType::Upload, 0)?,
            written: Writable::new(device, 0)?,
            after: Mapped::new(device, HeapType::Readback, 0)?,
        })
    }

    /// Makes room for so many bytes that are read, and written.
    pub(crate) fn grow(&mut self, device: &Device, read: u64, written: u64) -> Result<(), RunnerError> {
        if read > self.read.size() {
            self.read = Mapped::new(device, HeapType::Upload, read)?;
        }
        if written > self.written.size {
            self.before = Mapped::new(device, HeapType::Upload, written)?;
            self.written = Writable::new(device, written)?;
            self.after = Mapped::new(device, HeapType::Readback, written)?;
        }
        Ok(())
    }
}

/// The device's address of a buffer.
pub(crate) fn address(resource: &Object) -> u64 {
    // SAFETY: slot 11 of `ID3D12Resource` is `GetGPUVirtualAddress`.
    let get = unsafe { resource.method::<method_type!(() -> u64)>(11) };
    // SAFETY: the resource is alive, and a buffer.
    unsafe { get(resource.as_ptr()) }
}
