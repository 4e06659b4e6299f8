//! Runs layoutproof's probes on wgpu adapters: Vulkan and OpenGL, Direct3D 12 on Windows, Metal on macOS.
//!
//! [`Wgpu`] lists the adapters, and makes a [`Runner`] for one of them. A runner takes jobs with WGSL
//! and returns the bytes of every buffer. wgpu adds naga, its shader compiler, to the path. SPIR-V
//! passthrough would only repeat the Vulkan runner's path, so this crate does not support it.
#![forbid(unsafe_code)]

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

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{DeviceApi, DeviceInfo, Runner, RunnerError, RunnerKind, SessionRunner, device_wait};

use adapters::Adapters;
use session::WgpuSession;

/// Several APIs through wgpu.
#[derive(Clone, Copy, Debug)]
pub struct Wgpu;

impl DeviceApi for Wgpu {
    fn kind(&self) -> RunnerKind {
        RunnerKind::Wgpu
    }

    /// Lists the adapters. An API without adapters results in a note. If a driver fails, wgpu lists
    /// one adapter less.
    fn discover(&self) -> Result<Enumeration, RunnerError> {
        let adapters = Adapters::list();
        let devices = adapters.devices().into_iter().zip(adapters.buses());
        Ok(Enumeration::on_buses(devices.collect(), adapters.notes()))
    }

    fn open(&self, device: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        let adapter = Adapters::find(device)?;
        let session = WgpuSession::open(&adapter, device_wait(job_limit))?;
        Ok(Box::new(SessionRunner::new(device.clone(), session)))
    }

    fn variables(&self) -> &'static [&'static str] {
        &[
            "WGPU_BACKEND",
            "WGPU_ADAPTER_NAME",
            "WGPU_DX12_COMPILER",
            "WGPU_DX12_AGILITY_SDK_PATH",
            "WGPU_GLES_MINOR_VERSION",
            "WGPU_VALIDATION",
            "WGPU_DEBUG",
            "WGPU_GPU_BASED_VALIDATION",
        ]
    }
}
