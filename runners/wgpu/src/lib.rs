//! Runs layoutproof's probes on wgpu adapters: Vulkan and OpenGL, Direct3D 12 on Windows, Metal on macOS.
//!
//! [`enumerate`] lists the adapters; [`open`] makes a [`Runner`] for one of them. A runner takes
//! jobs with WGSL and returns the bytes of every buffer. wgpu adds naga, its shader compiler, to
//! the path. SPIR-V passthrough would only repeat the Vulkan runner's path, so this crate does not
//! support it.
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

/// Lists the adapters. An API without adapters results in a note.
///
/// # Errors
/// Never fails today: if a driver fails, wgpu lists one adapter less.
pub fn enumerate() -> Result<Enumeration, RunnerError> {
    let adapters = Adapters::list();
    let mut devices = adapters.devices();
    number_equal_ids(&mut devices);
    Ok(Enumeration { devices, notes: adapters.notes() })
}

/// Opens a device that [`enumerate`] listed, with the time limit `job_limit` for each job.
///
/// # Errors
/// `Api` if the adapter is gone or opens no device.
pub fn open(info: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
    let adapter = Adapters::find(info)?;
    Ok(Box::new(SessionRunner::new(info.clone(), WgpuSession::open(&adapter, device_wait(job_limit))?)))
}
