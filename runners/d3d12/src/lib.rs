//! Runs layoutproof's probes on Direct3D 12 devices: GPUs and WARP on Windows, and on Linux vkd3d's device above Vulkan.
//!
//! [`enumerate`] lists the adapters; [`open`] makes a [`Runner`] of one of them. Jobs with containers of DXBC or DXIL go
//! in, the bytes of every buffer come out. Which bytes are right is not decided here.
//!
//! The interfaces are called through their tables of methods (`com`), since the `windows` crate has another calling
//! convention on Linux than vkd3d. Source of the rules: Microsoft's Direct3D 12 programming guide and reference; what
//! vkd3d does besides was measured with 2.1 and is said where the code depends on it.

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

/// Wine's version, where this is a Windows program that Wine runs: names of GPUs are made up there. `None` elsewhere.
#[cfg(windows)]
pub fn wine_version() -> Option<String> {
    adapters::wine_version()
}

/// Wine's version; `None` outside of Windows programs.
#[cfg(not(windows))]
pub fn wine_version() -> Option<String> {
    None
}

/// Lists the devices; a machine without the library has none.
///
/// # Errors
/// `Api` if the library is there but a call fails.
pub fn enumerate() -> Result<Enumeration, RunnerError> {
    let Ok(functions) = Functions::load() else { return Ok(Enumeration::default()) };
    let AdapterListing { devices, notes } = adapters::list(functions)?;
    let mut devices: Vec<DeviceInfo> = devices.into_iter().map(|adapter| adapter.info).collect();
    number_equal_ids(&mut devices);
    Ok(Enumeration { devices, notes })
}

/// Opens a device that [`enumerate`] listed, for jobs that may take `job_limit` each.
///
/// # Errors
/// `Api` if the device is no longer there or a call fails.
pub fn open(info: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
    let functions = Functions::load().map_err(|reason| RunnerError::Api { call: library::NAME.to_owned(), reason })?;
    let device = adapters::open(functions, info)?;
    Ok(Box::new(SessionRunner::new(info.clone(), Direct3dSession::new(device, device_wait(job_limit))?)))
}
