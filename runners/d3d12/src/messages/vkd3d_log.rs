//! vkd3d's log: missing features of vkd3d, and errors that it finds.
//!
//! The log is kept in memory instead of being printed. vkd3d also writes its warnings, unless the
//! user sets a level in these variables: the reason why a pipeline cannot be made is a warning.

use std::env;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::DriverWords;
use crate::device::Direct3dDevice;

/// The text since the last read.
static LOG: Mutex<String> = Mutex::new(String::new());

/// Longest text per call, in bytes.
const LONGEST: usize = 4096;

/// The variables with the log levels of vkd3d and of its shader compiler.
const LEVELS: [&str; 2] = ["VKD3D_DEBUG", "VKD3D_SHADER_DEBUG"];

/// `PFN_vkd3d_log`: a format string and its arguments as a `va_list`.
type LogCallback = extern "C" fn(*const c_char, *mut c_void) -> c_int;

unsafe extern "C" {
    /// From the C library. On the machines for which vkd3d is fetched, a `va_list` argument is a
    /// pointer.
    fn vsnprintf(text: *mut c_char, size: usize, format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// Redirects vkd3d's messages to the log. A vkd3d that is too old for that prints them.
pub(crate) fn begin(library: &Library) {
    type SetLogCallback = unsafe extern "C" fn(LogCallback);
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    for variable in LEVELS.into_iter().filter(|variable| env::var_os(variable).is_none()) {
        // SAFETY: a worker's other thread waits for requests and reads no variable, and drivers
        // only run on this thread.
        unsafe { env::set_var(variable, "warn") };
    }

    // SAFETY: the function has this type in `vkd3d_utils.h`.
    if let Ok(set) = unsafe { library.get::<SetLogCallback>(b"vkd3d_utils_set_log_callback\0") } {
        // SAFETY: the callback lives as long as the program.
        unsafe { set(write) };
    }
}

/// Adds a text to the log.
extern "C" fn write(format: *const c_char, arguments: *mut c_void) -> c_int {
    let mut text = [0_u8; LONGEST];
    // SAFETY: vkd3d calls with a format and its arguments, and the buffer has this many bytes.
    let length = unsafe { vsnprintf(text.as_mut_ptr().cast(), text.len(), format, arguments) };

    let length = usize::try_from(length).unwrap_or(0).min(LONGEST - 1);
    let text = String::from_utf8_lossy(&text[..length]);
    LOG.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    c_int::try_from(length).unwrap_or(0)
}

/// The log of a device. All devices of the process share it.
#[derive(Debug)]
pub(crate) struct DriverLog;

impl DriverLog {
    pub(crate) fn of(_: &Direct3dDevice) -> Self {
        Self
    }

    /// The messages since the last call.
    #[expect(clippy::unused_self, reason = "on Windows each device has a queue of its own")]
    pub(crate) fn take(&self) -> DriverWords {
        let text = std::mem::take(&mut *LOG.lock().unwrap_or_else(PoisonError::into_inner));
        words(&text)
    }
}

/// Parses lines into messages without program and process:
/// `vkd3d:21766:fixme:vkd3d:resource_init Ignoring flags.`
fn words(text: &str) -> DriverWords {
    let mut words = DriverWords::default();
    for line in text.lines() {
        let Ok([_, _, level, rest]) = <[&str; 4]>::try_from(line.splitn(4, ':').collect::<Vec<_>>()) else { continue };
        let told: Vec<&str> = rest.split_whitespace().filter(|word| !is_digest(word)).collect();
        let told = format!("{level}:{}", told.join(" "));
        match level {
            "err" | "fixme" => words.messages.push(told),
            "warn" => words.details.push(told),
            _ => {}
        }
    }
    words
}

/// Returns true if a word is vkd3d's name of a shader: its MD5 and a colon.
fn is_digest(word: &str) -> bool {
    let digits = word.strip_suffix(':').unwrap_or_default();
    digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_their_level_and_no_process() {
        let text = "vkd3d:21766:fixme:vkd3d:count_descriptors The device does not.\n\
                    vkd3d:21766:trace:vkd3d:d3d12_device_AddRef 0x1 increasing.\n\
                    vkd3d:21767:warn:vkd3d:get_descriptor_binding 19b00df92bfca2330b00df92bfca2333: E2000: Could not find it.\nno line of vkd3d's\n";
        let DriverWords { messages, details } = words(text);
        assert_eq!(messages, ["fixme:vkd3d:count_descriptors The device does not."]);
        assert_eq!(details, ["warn:vkd3d:get_descriptor_binding E2000: Could not find it."]);
    }
}
