//! Collects the messages of the Vulkan loader while it loads drivers.
//!
//! The loader continues when a driver fails to load, and only its messages report that. They come
//! through `VK_EXT_debug_utils`, from a messenger that is chained to the creation of the instance.
//! It receives messages during the creation and destruction of the instance only.

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use ash::vk;

/// The errors that the loader reported, in order.
#[derive(Debug, Default)]
pub(crate) struct LoaderLog {
    errors: Mutex<Vec<String>>,
}

impl LoaderLog {
    /// The messenger to chain to `VkInstanceCreateInfo`. It points to `self` until the instance is
    /// destroyed, so `self` must not move or be dropped before.
    pub(crate) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::GENERAL)
            .pfn_user_callback(Some(record))
            .user_data(std::ptr::from_ref(self).cast_mut().cast())
    }

    /// The errors so far.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.errors.lock().map(|errors| errors.clone()).unwrap_or_default()
    }

    fn push(&self, message: String) {
        if let Ok(mut errors) = self.errors.lock() {
            errors.push(message);
        }
    }
}

/// The callback: keeps the message and lets the call continue.
unsafe extern "system" fn record(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    log: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `LoaderLog::messenger` set the user data to a log that outlives the instance and is
    // only borrowed shared.
    let log = unsafe { log.cast::<LoaderLog>().as_ref() };
    // SAFETY: the loader passes null or callback data that live through the call.
    let data = unsafe { data.as_ref() };

    if let (Some(log), Some(data)) = (log, data.filter(|data| !data.p_message.is_null())) {
        // SAFETY: the specification requires a null-terminated message, and null was excluded above.
        let message = unsafe { CStr::from_ptr(data.p_message) };
        log.push(message.to_string_lossy().trim().to_owned());
    }
    vk::FALSE
}
