//! Turns a failed Vulkan call into a [`RunnerError`].

use ash::vk;
use layoutproof_device::RunnerError;

/// The error of a failed `call`: a lost device, or the name of the result.
pub(crate) fn failed(call: &'static str) -> impl Fn(vk::Result) -> RunnerError {
    move |result| match result {
        vk::Result::ERROR_DEVICE_LOST => RunnerError::DeviceLost(call.to_owned()),
        other => RunnerError::Api { call: call.to_owned(), reason: format!("{other:?}") },
    }
}

/// The error of a failed `call` that compiles a shader. Running out of memory and losing the device
/// are the device's fault, everything else is the shader's. Drivers return various results for a
/// broken module (lavapipe: `ERROR_UNKNOWN`).
pub(crate) fn shader_failed(call: &'static str) -> impl Fn(vk::Result) -> RunnerError {
    move |result| match result {
        vk::Result::ERROR_DEVICE_LOST
        | vk::Result::ERROR_OUT_OF_HOST_MEMORY
        | vk::Result::ERROR_OUT_OF_DEVICE_MEMORY => failed(call)(result),
        other => RunnerError::ShaderRefused(format!("{call}: {other:?}")),
    }
}
