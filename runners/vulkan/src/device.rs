//! The logical device: opened for compute, and for draws if it supports them, with every feature
//! enabled that [`DeviceInfo`] lists.
//!
//! [`DeviceInfo`]: layoutproof_device::DeviceInfo

use std::ffi::CStr;

use ash::vk;
use layoutproof_device::{Feature, RunnerError};

use crate::failure::failed;
use crate::features::FeatureStructures;
use crate::heap::HeapFunctions;
use crate::instance::Instance;
use crate::physical::{Physical, RecordAlignments};

/// An open device and its one queue. Every object made from it holds it in an `Rc`, so it is
/// destroyed last.
pub(crate) struct VulkanDevice {
    /// The functions of the device.
    pub(crate) raw: ash::Device,
    /// The queue of [`Physical::queue_family`].
    pub(crate) queue: vk::Queue,
    /// Memory types and heaps.
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
    pub(crate) physical: vk::PhysicalDevice,
    /// The source of the function for buffer addresses; `None` if the device has none.
    addresses: Option<Addresses>,
    /// The functions of ray-tracing pipelines, with the alignments of their records; `None` if the
    /// device has none.
    pub(crate) ray_tracing: Option<RayTracing>,
    /// The functions of mesh shaders, of captured outputs and of descriptor heaps; `None` if the device has none.
    pub(crate) mesh: Option<ash::ext::mesh_shader::Device>,
    pub(crate) feedback: Option<ash::ext::transform_feedback::Device>,
    pub(crate) heap: Option<HeapFunctions>,
    /// The instance that listed the device. `Drop::drop` destroys the device before this field is
    /// dropped.
    pub(crate) instance: Instance,
}

pub(crate) struct RayTracing {
    pub(crate) functions: ash::khr::ray_tracing_pipeline::Device,
    /// The functions of acceleration structures.
    pub(crate) structures: ash::khr::acceleration_structure::Device,
    pub(crate) records: RecordAlignments,
}

/// The source of the function for buffer addresses.
enum Addresses {
    /// Vulkan 1.2.
    Core,
    /// `VK_KHR_buffer_device_address`.
    Extension(ash::khr::buffer_device_address::Device),
}

impl VulkanDevice {
    /// Opens a device that `instance` listed.
    pub(crate) fn open(instance: Instance, physical: &Physical) -> Result<Self, RunnerError> {
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(physical.queue_family).queue_priorities(&[1.0])];
        let mut extensions = physical.known.extensions(physical.version);
        if physical.portability {
            extensions.push(ash::khr::portability_subset::NAME);
        }
        let names: Vec<_> = extensions.into_iter().map(CStr::as_ptr).collect();
        let mut structures = FeatureStructures::with(&physical.info.features, &physical.capabilities);
        let create_info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(structures.chain(physical.known));

        // SAFETY: the handle comes from this instance; everything `create_info` points to lives to
        // the end of this function.
        let raw = unsafe { instance.raw.create_device(physical.handle, &create_info, None) }
            .map_err(failed("vkCreateDevice"))?;
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { raw.get_device_queue(physical.queue_family, 0) };
        // SAFETY: the handle comes from this instance.
        let memory = unsafe { instance.raw.get_physical_device_memory_properties(physical.handle) };

        let addresses = physical.info.features.contains(&Feature::BufferDeviceAddress).then(|| {
            if physical.version >= vk::API_VERSION_1_2 {
                Addresses::Core
            } else {
                Addresses::Extension(ash::khr::buffer_device_address::Device::new(&instance.raw, &raw))
            }
        });
        let ray_tracing = physical.records.map(|records| RayTracing {
            functions: ash::khr::ray_tracing_pipeline::Device::new(&instance.raw, &raw),
            structures: ash::khr::acceleration_structure::Device::new(&instance.raw, &raw),
            records,
        });
        let has = |feature| physical.info.features.contains(&feature);
        let mesh = has(Feature::MeshShader).then(|| ash::ext::mesh_shader::Device::new(&instance.raw, &raw));
        let feedback =
            has(Feature::TransformFeedback).then(|| ash::ext::transform_feedback::Device::new(&instance.raw, &raw));
        let heap =
            if has(Feature::DescriptorHeap) { HeapFunctions::new(&instance, physical.handle, &raw) } else { None };
        let physical = physical.handle;
        Ok(Self { raw, queue, memory, physical, addresses, ray_tracing, mesh, feedback, heap, instance })
    }

    /// True if the device has buffer addresses.
    pub(crate) fn has_addresses(&self) -> bool {
        self.addresses.is_some()
    }

    /// The address of a buffer of this device that has memory and the usage
    /// `SHADER_DEVICE_ADDRESS`; 0 if the device has no buffer addresses.
    pub(crate) fn address(&self, buffer: vk::Buffer) -> vk::DeviceAddress {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        match &self.addresses {
            None => 0,
            // SAFETY: the feature is on, and the caller guarantees the buffer's usage.
            Some(Addresses::Core) => unsafe { self.raw.get_buffer_device_address(&info) },
            // SAFETY: as above.
            Some(Addresses::Extension(functions)) => unsafe { functions.get_buffer_device_address(&info) },
        }
    }
}

impl Drop for VulkanDevice {
    fn drop(&mut self) {
        // SAFETY: this is the last owner, so every object made from the device is destroyed, and no
        // work is in flight: every submission was waited for, or the device was leaked.
        unsafe { self.raw.destroy_device(None) };
    }
}
