//! Opens the Vulkan loader and makes an instance.

use std::ffi::CStr;

use ash::{ext, khr, vk};
use layoutproof_device::RunnerError;

use crate::failure::failed;
use crate::loader_log::LoaderLog;

/// The newest Vulkan version to request; devices may support less.
const NEWEST: u32 = vk::API_VERSION_1_3;

/// A Vulkan instance and its loader.
pub(crate) struct Instance {
    /// The functions of the instance.
    pub(crate) raw: ash::Instance,
    /// The Vulkan version of the instance.
    pub(crate) version: u32,
    // Boxed, since the instance's messenger points to it. It outlives the instance, which `drop`
    // destroys.
    log: Box<LoaderLog>,
    // Keeps the loader's library open.
    _entry: ash::Entry,
}

/// The reason why there is no instance.
#[derive(Debug)]
pub(crate) enum InstanceError {
    /// This machine has no usable Vulkan: no loader, or no driver. The list is never empty.
    NoVulkan(Vec<String>),
    /// The machine has Vulkan, but a call failed.
    Failed(RunnerError),
}

impl InstanceError {
    /// Converts the error for a caller that needs a device.
    pub(crate) fn into_runner_error(self) -> RunnerError {
        match self {
            Self::NoVulkan(notes) => RunnerError::Api { call: "vkCreateInstance".to_owned(), reason: notes.join("; ") },
            Self::Failed(error) => error,
        }
    }
}

impl Instance {
    /// Opens the loader and makes an instance of the newest version between Vulkan 1.1 and 1.3 that
    /// the loader supports.
    pub(crate) fn create() -> Result<Self, InstanceError> {
        // SAFETY: opening runs the initialisers of the system's Vulkan loader, which the user
        // trusts.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| InstanceError::NoVulkan(vec![format!("no Vulkan loader: {error}")]))?;

        // SAFETY: the call has no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }
            .map_err(|result| InstanceError::Failed(failed("vkEnumerateInstanceVersion")(result)))?
            .unwrap_or(vk::API_VERSION_1_0)
            .min(NEWEST);
        if version < vk::API_VERSION_1_1 {
            return Err(InstanceError::NoVulkan(vec!["the Vulkan loader has version 1.0 only".to_owned()]));
        }

        let log = Box::<LoaderLog>::default();
        let raw = create_raw(&entry, version, &log)?;
        Ok(Self { raw, version, log, _entry: entry })
    }

    /// The loader's messages about drivers that failed to load.
    pub(crate) fn loader_errors(&self) -> Vec<String> {
        self.log.errors().into_iter().map(|message| format!("Vulkan loader: {message}")).collect()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: every device made from this instance holds it and is destroyed earlier.
        unsafe { self.raw.destroy_instance(None) };
    }
}

fn create_raw(entry: &ash::Entry, version: u32, log: &LoaderLog) -> Result<ash::Instance, InstanceError> {
    // SAFETY: the call has no preconditions.
    let offered = unsafe { entry.enumerate_instance_extension_properties(None) }
        .map_err(|result| InstanceError::Failed(failed("vkEnumerateInstanceExtensionProperties")(result)))?;
    let offers = |name: &CStr| offered.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    let wanted = [ext::debug_utils::NAME, khr::portability_enumeration::NAME];
    let names: Vec<_> = wanted.into_iter().filter(|name| offers(name)).map(CStr::as_ptr).collect();

    let application = vk::ApplicationInfo::default().application_name(c"layoutproof").api_version(version);
    let mut create_info =
        vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&names);
    if offers(khr::portability_enumeration::NAME) {
        // Without this flag the loader hides drivers that are layers over another API, such as
        // MoltenVK.
        create_info = create_info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
    }

    let mut messenger = log.messenger();
    if offers(ext::debug_utils::NAME) {
        create_info = create_info.push_next(&mut messenger);
    }

    // SAFETY: the structures in `create_info` live to the end of this function. The messenger's log
    // outlives the instance (see `Instance::log`).
    unsafe { entry.create_instance(&create_info, None) }.map_err(|result| match result {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => {
            let mut notes = vec!["the Vulkan loader found no driver that it can use".to_owned()];
            notes.extend(log.errors());
            InstanceError::NoVulkan(notes)
        }
        other => InstanceError::Failed(failed("vkCreateInstance")(other)),
    })
}
