//! Runs layoutproof's probes on Vulkan devices through ash.
//!
//! [`enumerate`] lists the physical devices of every driver that the loader knows; [`open`] makes a
//! [`Runner`] for one of them. A runner takes jobs and returns the bytes of every buffer. This
//! crate does not decide which bytes are right.
//!
//! The rules come from the Vulkan specification. Driver behaviour beyond it was measured with
//! lavapipe (Mesa 22.3.6) and `SwiftShader` 5.0, and is noted where the code depends on it.

mod arena;
mod commands;
mod descriptors;
mod device;
mod failure;
mod features;
mod image;
mod instance;
mod job_memory;
mod loader_log;
mod physical;
mod pipeline;
mod pipeline_layout;
mod requirements;
mod resources;
mod sampler;
mod session;
mod specialization;
mod spirv;
mod targets;
mod texels;

use std::time::Duration;

use layoutproof_device::devices::number_equal_ids;
use layoutproof_device::{DeviceInfo, Runner, RunnerError, SessionRunner, device_wait};

pub use layoutproof_device::devices::Enumeration;

use instance::{Instance, InstanceError};
use session::VulkanSession;

/// Lists the devices. A missing loader or driver results in a note, not in an error.
///
/// # Errors
/// `Api` if a loader and a driver exist but a call fails.
pub fn enumerate() -> Result<Enumeration, RunnerError> {
    let instance = match Instance::create() {
        Ok(instance) => instance,
        Err(InstanceError::NoVulkan(notes)) => return Ok(Enumeration { devices: Vec::new(), notes }),
        Err(InstanceError::Failed(error)) => return Err(error),
    };
    let found = physical::list(&instance)?;
    let mut devices: Vec<DeviceInfo> = found.devices.into_iter().map(|device| device.info).collect();
    number_equal_ids(&mut devices);
    let mut notes = instance.loader_errors();
    notes.extend(found.notes);
    Ok(Enumeration { devices, notes })
}

/// Opens a device that [`enumerate`] listed, with the time limit `job_limit` for each job.
///
/// # Errors
/// `Api` if the device is gone or a call fails.
pub fn open(info: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
    let instance = Instance::create().map_err(InstanceError::into_runner_error)?;
    let physical = physical::find(&instance, info)?;
    Ok(Box::new(SessionRunner::new(info.clone(), VulkanSession::open(instance, physical, device_wait(job_limit))?)))
}
