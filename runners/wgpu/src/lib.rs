//! Runs layoutproof's probes on wgpu adapters: Vulkan and OpenGL, Direct3D 12 on Windows, Metal on macOS.
//!
//! [`enumerate`] lists the adapters; [`open`] makes a [`Runner`] of one of them. Jobs with WGSL go in, the bytes of every
//! buffer come out. What wgpu adds to the path is naga, its shader compiler; SPIR-V passthrough would be the Vulkan
//! runner's path again and is not offered.
#![forbid(unsafe_code)]

mod access;
mod adapters;
mod errors;
mod layouts;
mod memory;
mod program;
mod readback;
mod resources;
mod session;
mod targets;

use std::time::Duration;

use layoutproof_device::devices::number_equal_ids;
use layoutproof_device::{DeviceInfo, Runner, RunnerError, SessionRunner, device_wait};

pub use layoutproof_device::devices::Enumeration;

use adapters::Adapters;
use session::WgpuSession;

/// Lists the adapters; an API without adapters gives a note.
///
/// # Errors
/// None today: wgpu answers a driver that fails with one adapter less.
pub fn enumerate() -> Result<Enumeration, RunnerError> {
    let adapters = Adapters::list();
    let mut devices = adapters.devices();
    number_equal_ids(&mut devices);
    Ok(Enumeration { devices, notes: adapters.notes() })
}

/// Opens, for jobs that may take `job_limit` each, a device that [`enumerate`] listed.
///
/// # Errors
/// `Api` if the adapter is no longer there or gives no device.
pub fn open(info: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
    let adapter = Adapters::find(info)?;
    Ok(Box::new(SessionRunner::new(info.clone(), WgpuSession::open(&adapter, device_wait(job_limit))?)))
}
