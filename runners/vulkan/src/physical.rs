//! Lists the drivers' physical devices as [`DeviceInfo`], and finds one of them again.

use std::collections::BTreeSet;
use std::ffi::CStr;

use ash::vk;
use layoutproof_device::devices::{NativeApi, device_id};
use layoutproof_device::limits::Limits;
use layoutproof_device::{DeviceInfo, Feature, RunnerError, RunnerKind};

use crate::failure::failed;
use crate::features::{FeatureStructures, KnownStructures, NON_UNIFORM, SUBGROUPS};
use crate::instance::Instance;

/// A physical device that can run compute shaders.
#[derive(Debug)]
pub(crate) struct Physical {
    /// The driver's handle.
    pub(crate) handle: vk::PhysicalDevice,
    /// Facts for listings; equal ids are not numbered yet.
    pub(crate) info: DeviceInfo,
    /// Its Vulkan version, capped at the instance's version.
    pub(crate) version: u32,
    pub(crate) limits: Limits,
    /// The feature structures that the device knows.
    pub(crate) known: KnownStructures,
    /// The capabilities of [`SWITCHES`](crate::features::SWITCHES) and [`SUBGROUPS`] that the device supports.
    pub(crate) capabilities: BTreeSet<u32>,
    /// The first queue family with compute and graphics, or the first with compute if none has
    /// both.
    pub(crate) queue_family: u32,
    /// Its PCI address, as wgpu writes it; empty if it does not report one.
    pub(crate) bus: String,
    /// `None` without ray-tracing pipelines.
    pub(crate) records: Option<RecordAlignments>,
    /// True if it is a layer over another API and has `VK_KHR_portability_subset`, which must then
    /// be enabled.
    pub(crate) portability: bool,
}

/// Where shader records may be. Numbers are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordAlignments {
    /// Size of a group handle.
    pub(crate) handle: u32,
    /// Alignment of a record in its table.
    pub(crate) record: u32,
    /// Alignment of a table.
    pub(crate) table: u32,
    /// Largest distance of two records.
    pub(crate) stride: u32,
}

/// The devices of an instance.
#[derive(Debug)]
pub(crate) struct PhysicalDeviceListing {
    /// The devices that can be opened.
    pub(crate) devices: Vec<Physical>,
    /// The reasons why the others cannot be opened.
    pub(crate) notes: Vec<String>,
}

/// Lists the physical devices in the loader's order.
pub(crate) fn list(instance: &Instance) -> Result<PhysicalDeviceListing, RunnerError> {
    let mut found = PhysicalDeviceListing { devices: Vec::new(), notes: Vec::new() };
    // SAFETY: the instance is alive.
    let handles = match unsafe { instance.raw.enumerate_physical_devices() } {
        Ok(handles) => handles,
        // The loader returns this if drivers are installed and none of them has a device.
        Err(vk::Result::ERROR_INITIALIZATION_FAILED) => {
            found.notes.push("the Vulkan drivers list no device".to_owned());
            return Ok(found);
        }
        Err(result) => return Err(failed("vkEnumeratePhysicalDevices")(result)),
    };

    for (index, handle) in (0_u32..).zip(handles) {
        let physical = describe(instance, handle, index, &mut found.notes)?;
        found.devices.extend(physical);
    }
    Ok(found)
}

pub(crate) fn find(instance: &Instance, info: &DeviceInfo) -> Result<Physical, RunnerError> {
    let devices = list(instance)?.devices;
    let found = devices.into_iter().find(|physical| info.is_same(&physical.info));
    found.ok_or_else(|| info.no_longer_listed("vkEnumeratePhysicalDevices"))
}

/// Describes a device; `None` if it cannot be used, for a reason that is added to `notes`.
fn describe(
    instance: &Instance,
    handle: vk::PhysicalDevice,
    index: u32,
    notes: &mut Vec<String>,
) -> Result<Option<Physical>, RunnerError> {
    // SAFETY: the handle comes from this instance.
    let properties = unsafe { instance.raw.get_physical_device_properties(handle) };
    let name = text(properties.device_name_as_c_str().unwrap_or_default());
    let api = version_text(properties.api_version);
    if properties.api_version < vk::API_VERSION_1_1 {
        notes.push(format!("{name} has Vulkan {api}, but 1.1 is required"));
        return Ok(None);
    }
    let Some((queue_family, draws)) = queue_family(instance, handle) else {
        notes.push(format!("{name} has no compute queue"));
        return Ok(None);
    };

    let version = properties.api_version.min(instance.version);
    // SAFETY: the handle comes from this instance.
    let extensions = unsafe { instance.raw.enumerate_device_extension_properties(handle) }
        .map_err(failed("vkEnumerateDeviceExtensionProperties"))?;
    let has = |name: &CStr| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));

    let known = KnownStructures::of(version, has);
    let mut structures = FeatureStructures::default();
    // SAFETY: the handle comes from this instance; the chain points into `structures`, which stays in place.
    unsafe { instance.raw.get_physical_device_features2(handle, structures.chain(known)) };
    let mut features = structures.features();
    if draws {
        features.insert(Feature::Graphics);
    }
    let driver = driver(instance, handle, version >= vk::API_VERSION_1_2 || has(ash::khr::driver_properties::NAME));
    // NOTE(driver): SwiftShader 5.0.0 has bufferDeviceAddress and takes modules with a pointer among the
    // members of a buffer, and ends the process where a shader loads one.
    if driver.starts_with("SwiftShader") {
        features.remove(&Feature::PointersInBuffers);
    }

    let info = DeviceInfo {
        id: device_id(&name, NativeApi::Vulkan),
        driver,
        api: format!("Vulkan {api}"),
        runner: RunnerKind::Ash,
        index,
        hardware: properties.device_type != vk::PhysicalDeviceType::CPU,
        features,
        lacks: BTreeSet::new(),
        max_uniform_range: properties.limits.max_uniform_buffer_range,
        max_push_constants: properties.limits.max_push_constants_size,
        direct3d: None,
        webgpu: None,
        name,
    };

    let portability = has(ash::khr::portability_subset::NAME);
    let records = info.features.contains(&Feature::RayTracingPipeline).then(|| record_alignments(instance, handle));
    let has_inline = info.features.contains(&Feature::InlineUniformBlock);
    let inline_uniform = if has_inline { largest_inline_block(instance, handle) } else { 0 };
    let limits = Limits { inline_uniform, ..limits(&properties.limits, records) };
    let mut capabilities = structures.capabilities();
    capabilities.extend(subgroup_capabilities(instance, handle));
    capabilities.extend(known.has_indexing().then_some(NON_UNIFORM.0));
    let bus = if has(ash::ext::pci_bus_info::NAME) { bus(instance, handle) } else { String::new() };
    Ok(Some(Physical { handle, info, version, limits, known, capabilities, queue_family, bus, records, portability }))
}

fn limits(limits: &vk::PhysicalDeviceLimits, records: Option<RecordAlignments>) -> Limits {
    let alignment =
        |bytes: vk::DeviceSize| u32::try_from(bytes).expect("Vulkan's required limits keep it at 256 or less");

    Limits {
        uniform_alignment: alignment(limits.min_uniform_buffer_offset_alignment),
        storage_alignment: alignment(limits.min_storage_buffer_offset_alignment),
        uniform_range: limits.max_uniform_buffer_range,
        storage_range: limits.max_storage_buffer_range,
        inline_uniform: 0,
        uniform_buffers: limits.max_per_stage_descriptor_uniform_buffers,
        storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
        sampled_images: limits.max_per_stage_descriptor_sampled_images,
        storage_images: limits.max_per_stage_descriptor_storage_images,
        samplers: limits.max_per_stage_descriptor_samplers,
        sets: limits.max_bound_descriptor_sets,
        push_constants: limits.max_push_constants_size,
        workgroups: limits.max_compute_work_group_count,
        targets: limits.max_color_attachments,
        record_handle: records.map_or(0, |records| records.handle),
        record: records.map_or(0, |records| records.stride),
    }
}

/// The bytes of the largest inline uniform block of a device that has them.
fn largest_inline_block(instance: &Instance, handle: vk::PhysicalDevice) -> u32 {
    let mut found = vk::PhysicalDeviceInlineUniformBlockProperties::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
    // SAFETY: the handle comes from this instance; the chain's structures live to the end of this function.
    unsafe { instance.raw.get_physical_device_properties2(handle, &mut chain) };
    found.max_inline_uniform_block_size
}

/// The alignments of a device with ray-tracing pipelines.
fn record_alignments(instance: &Instance, handle: vk::PhysicalDevice) -> RecordAlignments {
    let mut found = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
    // SAFETY: the handle comes from this instance; the chain's structures live to the end of this function.
    unsafe { instance.raw.get_physical_device_properties2(handle, &mut chain) };
    RecordAlignments {
        handle: found.shader_group_handle_size,
        record: found.shader_group_handle_alignment,
        table: found.shader_group_base_alignment,
        stride: found.max_shader_group_stride,
    }
}

/// The capabilities of the subgroup operations that compute shaders may use.
fn subgroup_capabilities(instance: &Instance, handle: vk::PhysicalDevice) -> Vec<u32> {
    let mut found = vk::PhysicalDeviceSubgroupProperties::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut found);
    // SAFETY: the handle comes from this instance; the chain's structures live to the end of this function.
    unsafe { instance.raw.get_physical_device_properties2(handle, &mut chain) };
    let has = |operation| {
        found.supported_stages.contains(vk::ShaderStageFlags::COMPUTE) && found.supported_operations.contains(operation)
    };
    SUBGROUPS.iter().filter(|(_, operation, _)| has(*operation)).map(|(capability, ..)| *capability).collect()
}

/// The first family with compute and graphics, else the first with compute; and true if it has
/// graphics.
fn queue_family(instance: &Instance, handle: vk::PhysicalDevice) -> Option<(u32, bool)> {
    // SAFETY: the handle comes from this instance.
    let families = unsafe { instance.raw.get_physical_device_queue_family_properties(handle) };
    let with = |flags: vk::QueueFlags| {
        (0_u32..).zip(&families).find(|(_, family)| family.queue_flags.contains(flags)).map(|(at, _)| at)
    };
    let both = with(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS).map(|at| (at, true));
    both.or_else(|| with(vk::QueueFlags::COMPUTE).map(|at| (at, false)))
}

/// Driver name and version; only the version if the device does not report the name.
fn driver(instance: &Instance, handle: vk::PhysicalDevice, tells: bool) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut chain = vk::PhysicalDeviceProperties2::default();
    if tells {
        chain = chain.push_next(&mut driver);
    }
    // SAFETY: the handle comes from this instance; the chain's structures live to the end of this function.
    unsafe { instance.raw.get_physical_device_properties2(handle, &mut chain) };

    let version = chain.properties.driver_version;
    let name = text(driver.driver_name_as_c_str().unwrap_or_default());
    let info = text(driver.driver_info_as_c_str().unwrap_or_default());
    match (name.is_empty(), info.is_empty()) {
        (true, _) => format!("driver version {version:#x}"),
        (false, true) => format!("{name} {}", version_text(version)),
        (false, false) => format!("{name} {info}"),
    }
}

/// The PCI address of a device with `VK_EXT_pci_bus_info`.
fn bus(instance: &Instance, handle: vk::PhysicalDevice) -> String {
    let mut bus = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
    let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut bus);
    // SAFETY: the handle comes from this instance; the chain's structures live to the end of this function.
    unsafe { instance.raw.get_physical_device_properties2(handle, &mut chain) };
    let (domain, number) = (bus.pci_domain, bus.pci_bus);
    format!("{domain:04x}:{number:02x}:{:02x}.{:x}", bus.pci_device, bus.pci_function)
}

fn text(c: &CStr) -> String {
    c.to_string_lossy().into_owned()
}

fn version_text(version: u32) -> String {
    let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
    format!("{major}.{minor}.{}", vk::api_version_patch(version))
}
