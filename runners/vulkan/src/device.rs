//! The logical device: a device opened for compute, with every feature that [`DeviceInfo`] lists switched on.
//!
//! [`DeviceInfo`]: layoutproof::runner::DeviceInfo

use std::ffi::CStr;

use ash::vk;
use layoutproof::runner::RunnerError;

use crate::failure::failed;
use crate::features::Structures;
use crate::instance::Instance;
use crate::physical::Physical;

/// An open device and its one queue. Everything made from it holds it in an `Rc`, so it is destroyed last.
pub(crate) struct Device {
    /// The device's functions.
    pub(crate) raw: ash::Device,
    /// The compute queue.
    pub(crate) queue: vk::Queue,
    /// Memory types and heaps.
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    // Dropped after `Drop::drop` has destroyed the device.
    _instance: Instance,
}

impl Device {
    /// Opens a device that `instance` listed.
    pub(crate) fn open(instance: Instance, physical: &Physical) -> Result<Self, RunnerError> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(physical.queue_family).queue_priorities(&[1.0])];
        let mut extensions =
            if physical.version < vk::API_VERSION_1_2 { physical.known.extensions() } else { Vec::new() };
        if physical.portability {
            extensions.push(ash::khr::portability_subset::NAME);
        }
        let names: Vec<_> = extensions.into_iter().map(CStr::as_ptr).collect();
        let mut structures = Structures::with(&physical.info.features);
        let create_info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(structures.chain(physical.known));
        // SAFETY: the handle comes from this instance; what `create_info` points to lives to the end of this function.
        let raw = unsafe { instance.raw.create_device(physical.handle, &create_info, None) }
            .map_err(failed("vkCreateDevice"))?;
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { raw.get_device_queue(physical.queue_family, 0) };
        // SAFETY: the handle comes from this instance.
        let memory = unsafe { instance.raw.get_physical_device_memory_properties(physical.handle) };
        Ok(Self { raw, queue, memory, _instance: instance })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the last owner goes, so every object made from the device is destroyed, and no work is in flight:
        // each submission was waited for, or the device was leaked.
        unsafe { self.raw.destroy_device(None) };
    }
}
