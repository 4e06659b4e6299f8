//! Runs layoutproof's probes on Vulkan devices through ash.
//!
//! [`Vulkan`] lists the physical devices of every driver that the loader knows, and makes a [`Runner`]
//! for one of them. A runner takes jobs and returns the bytes of every buffer. This
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
mod heap;
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
mod scene;
mod session;
mod specialization;
mod spirv;
mod targets;
mod texels;

use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{DeviceApi, DeviceInfo, Runner, RunnerError, RunnerKind, SessionRunner, device_wait};

use instance::{Instance, InstanceError};
use session::VulkanSession;

/// Vulkan through ash.
#[derive(Clone, Copy, Debug)]
pub struct Vulkan;

impl DeviceApi for Vulkan {
    fn kind(&self) -> RunnerKind {
        RunnerKind::Ash
    }

    fn discover(&self) -> Result<Enumeration, RunnerError> {
        let instance = match Instance::create() {
            Ok(instance) => instance,
            Err(InstanceError::NoVulkan(notes)) => return Ok(Enumeration { devices: Vec::new(), notes }),
            Err(InstanceError::Failed(error)) => return Err(error),
        };
        let found = physical::list(&instance)?;
        let mut notes = instance.loader_errors();
        notes.extend(found.notes);
        let devices = found.devices.into_iter().map(|device| (device.info, device.bus));
        Ok(Enumeration::on_buses(devices.collect(), notes))
    }

    fn open(&self, device: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        let instance = Instance::create().map_err(InstanceError::into_runner_error)?;
        let physical = physical::find(&instance, device)?;
        let session = VulkanSession::open(instance, physical, device_wait(job_limit))?;
        Ok(Box::new(SessionRunner::new(device.clone(), session)))
    }
}
