//! Runs layoutproof's probes on Direct3D 12 devices: GPUs and WARP on Windows, and vkd3d's device
//! on Vulkan on Linux.
//!
//! [`enumerate`] lists the adapters; [`open`] makes a [`Runner`] for one of them. A runner takes
//! jobs with DXBC or DXIL containers and returns the bytes of every buffer. This crate does not
//! decide which bytes are right.
//!
//! The interfaces are called through their method tables (`com`), since the `windows` crate uses
//! another calling convention on Linux than vkd3d. The rules come from Microsoft's Direct3D 12
//! programming guide and reference. vkd3d's behaviour beyond it was measured with version 2.1, and
//! is noted where the code depends on it.

mod adapters;
mod com;
mod commands;
mod container;
mod device;
mod failure;
mod heaps;
mod library;
mod memory;
mod messages;
mod placement;
mod refusal;
mod registers;
mod root_signature;
mod session;
mod structures;
mod support;
mod target;
mod textures;

use std::time::Duration;

use layoutproof_device::devices::number_equal_ids;
use layoutproof_device::{DeviceInfo, Runner, RunnerError, SessionRunner, device_wait};

pub use layoutproof_device::devices::Enumeration;

use adapters::AdapterListing;
use library::Functions;
use session::Direct3dSession;

/// Wine's version if this is a Windows program under Wine, which invents the names of GPUs; else
/// `None`.
#[cfg(windows)]
pub fn wine_version() -> Option<String> {
    adapters::wine_version()
}

/// `None`: only a Windows program can run under Wine.
#[cfg(not(windows))]
pub fn wine_version() -> Option<String> {
    None
}

/// Lists the devices. A machine without the library has none.
///
/// # Errors
/// `Api` if the library exists but a call fails.
pub fn enumerate() -> Result<Enumeration, RunnerError> {
    let Ok(functions) = Functions::load() else { return Ok(Enumeration::default()) };
    let AdapterListing { devices, notes } = adapters::list(functions)?;
    let mut devices: Vec<DeviceInfo> = devices.into_iter().map(|adapter| adapter.info).collect();
    number_equal_ids(&mut devices);
    Ok(Enumeration { devices, notes })
}

/// Opens a device that [`enumerate`] listed, with the time limit `job_limit` for each job.
///
/// # Errors
/// `Api` if the device is gone or a call fails.
pub fn open(info: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
    let functions = Functions::load().map_err(|reason| RunnerError::Api { call: library::NAME.to_owned(), reason })?;
    let device = adapters::open(functions, info)?;
    Ok(Box::new(SessionRunner::new(info.clone(), Direct3dSession::new(device, device_wait(job_limit))?)))
}
