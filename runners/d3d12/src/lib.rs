//! Runs layoutproof's probes on Direct3D 12 devices: GPUs and WARP on Windows, and vkd3d's device
//! on Vulkan on Linux.
//!
//! [`Direct3d12`] lists the adapters, and makes a [`Runner`] for one of them. A runner takes jobs with
//! DXBC or DXIL containers and returns the bytes of every buffer. This crate does not decide which
//! bytes are right.
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

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{DeviceApi, DeviceInfo, Runner, RunnerError, RunnerKind, SessionRunner, device_wait};

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

/// Direct3D 12 through its COM interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Direct3d12;

impl DeviceApi for Direct3d12 {
    fn kind(&self) -> RunnerKind {
        RunnerKind::D3d12
    }

    /// Lists the devices. A machine without the library has none.
    fn discover(&self) -> Result<Enumeration, RunnerError> {
        let Ok(functions) = Functions::load() else { return Ok(Enumeration::default()) };
        let AdapterListing { devices, notes } = adapters::list(functions)?;
        Ok(Enumeration::new(devices, notes))
    }

    fn open(&self, device: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        let functions = Functions::load()?;
        let session = Direct3dSession::new(adapters::open(functions, device)?, device_wait(job_limit))?;
        Ok(Box::new(SessionRunner::new(device.clone(), session)))
    }

    fn variables(&self) -> &'static [&'static str] {
        &["VKD3D_CONFIG", "VKD3D_VULKAN_DEVICE"]
    }

    fn loads_vkd3d(&self) -> bool {
        true
    }
}
