//! vkd3d's adapters: the Vulkan devices of this machine. Each vkd3d device uses one of
//! them.
//!
//! vkd3d does not report which Vulkan device it uses, so this module queries Vulkan. The variable
//! `VKD3D_VULKAN_DEVICE` selects the device; the user's own choice wins.

use std::env;
use std::ffi::{CStr, c_char, c_uint};

use ash::vk;
use layoutproof_device::RunnerError;
use layoutproof_device::devices::{NativeApi, VKD3D_ON, device_id};

use super::AdapterNames;
use crate::device::Direct3dDevice;
use crate::library::{self, Functions};

/// The variable with the number of the Vulkan device that vkd3d uses.
const CHOICE: &str = "VKD3D_VULKAN_DEVICE";

/// Number of a Vulkan device.
pub(super) type Adapter = u32;

/// Lists Vulkan's devices; none without a loader.
pub(super) fn list_adapters() -> Result<Vec<(Adapter, AdapterNames)>, RunnerError> {
    let chosen: Option<u32> = env::var(CHOICE).ok().and_then(|number| number.trim().parse().ok());
    let version = version();
    let adapters = (0..).zip(vulkan_devices()?);
    let adapters = adapters.filter(|(number, _)| chosen.is_none_or(|chosen| chosen == *number));
    Ok(adapters.map(|(number, device)| (number, device.names(&version))).collect())
}

/// Opens vkd3d's device on a Vulkan device.
pub(super) fn open_adapter(functions: Functions, adapter: &Adapter) -> Result<Direct3dDevice, RunnerError> {
    // SAFETY: a worker's other thread waits for requests and reads no variable, and drivers only
    // run on this thread.
    unsafe { env::set_var(CHOICE, adapter.to_string()) };
    // SAFETY: without an adapter vkd3d uses the chosen device.
    unsafe { Direct3dDevice::open(functions, std::ptr::null_mut()) }
}

/// A Vulkan device.
struct UnderlyingDevice {
    name: String,
    driver: String,
    hardware: bool,
}

impl UnderlyingDevice {
    fn names(&self, version: &str) -> AdapterNames {
        let Self { name, driver, hardware } = self;
        AdapterNames {
            id: device_id(name, NativeApi::Vkd3d),
            name: format!("{VKD3D_ON}{name}"),
            driver: format!("{version} on {driver}"),
            translator: Some(version.to_owned()),
            hardware: *hardware,
        }
    }
}

fn vulkan_devices() -> Result<Vec<UnderlyingDevice>, RunnerError> {
    let failed = |call: &str| {
        let call = call.to_owned();
        move |result: vk::Result| RunnerError::Api { call, reason: format!("{result:?}") }
    };
    // SAFETY: the loader's initialisers have no requirements.
    let Ok(entry) = (unsafe { ash::Entry::load() }) else { return Ok(Vec::new()) };
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let create_info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the structures live until the call returns.
    let instance = match unsafe { entry.create_instance(&create_info, None) } {
        Ok(instance) => instance,
        // The loader returns this if no driver is installed.
        Err(vk::Result::ERROR_INCOMPATIBLE_DRIVER) => return Ok(Vec::new()),
        Err(result) => return Err(failed("vkCreateInstance")(result)),
    };
    // SAFETY: the instance is alive.
    let devices = match unsafe { instance.enumerate_physical_devices() } {
        Ok(devices) => devices,
        Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
        Err(result) => return Err(failed("vkEnumeratePhysicalDevices")(result)),
    };
    let described = devices.into_iter().map(|device| describe(&instance, device)).collect();
    // SAFETY: nothing of the instance is used after this.
    unsafe { instance.destroy_instance(None) };
    Ok(described)
}

fn describe(instance: &ash::Instance, device: vk::PhysicalDevice) -> UnderlyingDevice {
    // SAFETY: the device comes from this instance.
    let properties = unsafe { instance.get_physical_device_properties(device) };
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    if properties.api_version >= vk::API_VERSION_1_2 {
        let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the device comes from this instance and supports 1.2; the chain lives until the
        // call returns.
        unsafe { instance.get_physical_device_properties2(device, &mut chain) };
    }

    let text = |text: Result<&CStr, _>| text.unwrap_or_default().to_string_lossy().into_owned();
    let named = text(driver.driver_name_as_c_str());
    UnderlyingDevice {
        name: text(properties.device_name_as_c_str()),
        driver: match named.as_str() {
            "" => format!("driver version {:#x}", properties.driver_version),
            named => format!("{named} {}", text(driver.driver_info_as_c_str())),
        },
        hardware: properties.device_type != vk::PhysicalDeviceType::CPU,
    }
}

/// vkd3d's version: `vkd3d 2.1`.
fn version() -> String {
    type GetVkd3dVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> *const c_char;
    let Ok(library) = library::open("libvkd3d-shader.so.1") else { return "vkd3d".to_owned() };
    // SAFETY: the function has this type in `vkd3d_shader.h`.
    let Ok(get) = (unsafe { library.get::<GetVkd3dVersion>(b"vkd3d_shader_get_version\0") }) else {
        return "vkd3d".to_owned();
    };
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both places live until the call returns.
    unsafe { get(&raw mut major, &raw mut minor) };
    format!("vkd3d {major}.{minor}")
}
