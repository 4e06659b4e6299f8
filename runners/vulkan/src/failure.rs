//! Turns a failed Vulkan call into a [`RunnerError`].

use ash::vk;
use layoutproof_device::RunnerError;

/// The error of a failed `call`: a lost device, or a failed call with the result's name.
pub(crate) fn failed(call: &'static str) -> impl Fn(vk::Result) -> RunnerError {
    move |result| match result {
        vk::Result::ERROR_DEVICE_LOST => RunnerError::DeviceLost(call.to_owned()),
        other => RunnerError::Api { call: call.to_owned(), reason: format!("{other:?}") },
    }
}

/// The error of a failed `call` that takes a shader: running out of memory and losing the device are the device's,
/// all else is the shader's. Drivers answer a broken module with various results (lavapipe: `ERROR_UNKNOWN`).
pub(crate) fn shader_failed(call: &'static str) -> impl Fn(vk::Result) -> RunnerError {
    move |result| match result {
        vk::Result::ERROR_DEVICE_LOST
        | vk::Result::ERROR_OUT_OF_HOST_MEMORY
        | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => failed(call)(result),
        other => RunnerError::ShaderRefused(format!("{call}: {other:?}")),
    }
}
