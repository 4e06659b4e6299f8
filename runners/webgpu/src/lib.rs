//! Runs layoutproof's probes with WebGPU: in Node.js with the library of Dawn, and in browsers.
//!
//! [`WebGpu`] lists their devices and makes a [`Runner`] for one of them. A *host* is a program that runs `host.mjs`,
//! which gives jobs to WebGPU and returns the words of every buffer. Everything else stays here: limits, memory images,
//! and what a job means. Dawn and Chromium compile with Tint, Firefox with naga.
#![forbid(unsafe_code)]

mod host;
pub mod loopback;
mod server;
mod session;

use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{
    DeviceApi, DeviceInfo, JOB_LIMIT, Runner, RunnerError, RunnerKind, SessionRunner, device_wait,
};

use host::{ADAPTERS, Host};
use layoutproof_webgpu_messages::describe;
use session::WebGpuSession;

pub use host::{BROWSERS, DAWN, PAGE, VISITOR_LIMIT};
pub use server::page_address;

/// WebGPU as JavaScript programs see it.
#[derive(Clone, Copy, Debug)]
pub struct WebGpu;

impl DeviceApi for WebGpu {
    fn kind(&self) -> RunnerKind {
        RunnerKind::WebGpu
    }

    /// Lists the adapters of each host. A host that is not there, or has no adapter, results in a note.
    fn discover(&self) -> Result<Enumeration, RunnerError> {
        let (mut devices, mut notes) = (Vec::new(), Vec::new());
        for host in Host::listed() {
            for &fallback in host.adapters() {
                match WebGpuSession::open(host, fallback, device_wait(JOB_LIMIT)) {
                    Ok((_, opened)) => match &opened.adapter {
                        Some(adapter) => {
                            let device = describe(
                                &host.program_name(&opened.implementation),
                                index(host, fallback),
                                &opened,
                                adapter,
                            );
                            let is_software = !device.hardware;
                            devices.push(device);
                            // It is the fallback as well.
                            if is_software {
                                break;
                            }
                        }
                        None if !fallback => notes.push(format!("{} found no adapter", opened.implementation)),
                        None => {}
                    },
                    Err(reason) => {
                        notes.push(format!("{} is not listed: {reason}", host.id()));
                        break;
                    }
                }
            }
        }
        Ok(Enumeration::new(devices, notes))
    }

    fn open(&self, device: &DeviceInfo, job_limit: Duration) -> Result<Box<dyn Runner>, RunnerError> {
        let gone = || device.no_longer_listed("requestAdapter");
        let place = device.index as usize;
        let host = *Host::ALL.get(place / ADAPTERS.len()).ok_or_else(gone)?;
        let fallback = ADAPTERS[place % ADAPTERS.len()];
        let failed = |reason| RunnerError::Api { call: host.id().to_owned(), reason };
        let (session, opened) = WebGpuSession::open(host, fallback, device_wait(job_limit)).map_err(failed)?;
        let adapter = opened.adapter.as_ref().ok_or_else(gone)?;
        if !device.is_same(&describe(&host.program_name(&opened.implementation), device.index, &opened, adapter)) {
            return Err(gone());
        }
        Ok(Box::new(SessionRunner::new(device.clone(), session)))
    }

    fn variables(&self) -> &'static [&'static str] {
        &[DAWN]
    }
}

/// The index of a host's adapter.
fn index(host: Host, fallback: bool) -> u32 {
    let place = Host::ALL.iter().position(|it| *it == host).expect("the table has all hosts") * ADAPTERS.len();
    u32::try_from(place + usize::from(fallback)).expect("a few hosts")
}
