//! Lists the devices of this machine, through each API.
//!
//! Each API with drivers is queried in its own process, because a driver may crash and must not take
//! the devices of another API along. A process that crashes or hangs is restarted once. If that
//! fails too, the listing is an error: the devices of that API are unknown.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use layoutproof_device::devices::{CURRENT_LAVAPIPE, Enumeration};
use layoutproof_device::{DeviceInfo, RunnerError, RunnerKind};
use layoutproof_events::{FaultCount, FaultKind, FaultPlace};
use thiserror::Error;

use crate::current_lavapipe::CurrentLavapipe;
use crate::device_apis;
use crate::launch::Launch;
use crate::protocol::{WorkerAnswer, WorkerRequest, out_of_turn};
use crate::worker::{Worker, WorkerDeath};

/// The APIs that drive Vulkan devices of any loader.
const VULKAN: [RunnerKind; 2] = [RunnerKind::Ash, RunnerKind::Wgpu];

/// An API counts as failed after this many failed queries.
const ATTEMPTS: usize = 2;

/// The devices that APIs list, with notes and failures.
#[derive(Debug, Default)]
pub struct DeviceListing {
    /// Ordered by API.
    pub devices: Vec<DeviceInfo>,
    /// Sentences for the user about drivers that are missing, broken or not trusted.
    pub notes: Vec<String>,
    /// One sentence per API whose devices could not be listed. The command then exits with code 3,
    /// whatever it finds without them.
    pub failures: Vec<String>,
    /// The failed listings that succeeded when they were repeated.
    pub faults: Vec<FaultCount>,
}

impl DeviceListing {
    /// Queries these APIs in parallel.
    pub fn of(apis: &[RunnerKind], launch: &Launch) -> Self {
        let mut listing = Self::default();
        if apis.iter().any(|api| api.is_driven()) {
            listing.notes.extend_from_slice(launch.drivers.notes());
        }
        if apis.iter().any(|api| device_apis::of(*api).loads_vkd3d()) {
            listing.notes.extend(launch.vkd3d_note.clone());
        }

        std::thread::scope(|scope| {
            let lavapipe = launch.lavapipe.as_ref();
            let queries = apis.iter().flat_map(|api| {
                let newer = lavapipe.filter(|_| VULKAN.contains(api));
                [Some((*api, None)), newer.map(|newer| (*api, Some(newer)))].into_iter().flatten()
            });
            let threads: Vec<_> =
                queries.map(|(api, lavapipe)| scope.spawn(move || list(api, lavapipe, launch))).collect();
            for thread in threads {
                match thread.join() {
                    Ok(listed) => {
                        listing.devices.extend(listed.devices);
                        listing.notes.extend(listed.notes);
                        listing.failures.extend(listed.failures);
                        listing.faults.extend(listed.faults);
                    }
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        listing
    }
}

/// Lists the devices of one API, and retries if the process that loads its drivers dies.
fn list(api: RunnerKind, lavapipe: Option<&CurrentLavapipe>, launch: &Launch) -> DeviceListing {
    let name = match lavapipe {
        Some(_) => format!("{CURRENT_LAVAPIPE}, through {},", api.as_str()),
        None => api.as_str().to_owned(),
    };
    let mut notes = Vec::new();
    let mut last = String::new();
    let mut faults = Vec::new();
    for attempt in 1..=ATTEMPTS {
        match list_once(api, lavapipe, launch) {
            Ok(found) => {
                notes.extend(found.notes);
                return DeviceListing { devices: found.devices, notes, failures: Vec::new(), faults };
            }
            Err(error) if attempt < ATTEMPTS && !launch.interrupt.is_set() => {
                notes.push(format!("listing the devices of {name} failed and was tried again: {error}"));
                faults.push(FaultCount {
                    kind: FaultKind::ListingFailed,
                    place: FaultPlace::Listing { runner: api },
                    count: 1,
                    absorbed: 1,
                    first: error.to_string(),
                    checks: BTreeSet::new(),
                });
            }
            // The run says that it was interrupted.
            Err(_) if launch.interrupt.is_set() => return DeviceListing::default(),
            Err(error) => last = error.to_string(),
        }
    }

    let failure = format!("the devices of {name} could not be listed, in {ATTEMPTS} attempts: {last}");
    DeviceListing { failures: vec![failure], ..DeviceListing::default() }
}

/// Why the devices of an API could not be listed.
#[derive(Debug, Error)]
enum ListingError {
    #[error(transparent)]
    Api(#[from] RunnerError),
    #[error(transparent)]
    Start(#[from] io::Error),
    #[error("no answer within {} s", .0.as_secs())]
    Hung(Duration),
    #[error("{0}")]
    Died(String),
    #[error("interrupted")]
    Interrupted,
}

fn list_once(
    api: RunnerKind,
    lavapipe: Option<&CurrentLavapipe>,
    launch: &Launch,
) -> Result<Enumeration, ListingError> {
    if !api.is_driven() {
        return Ok(device_apis::of(api).discover()?);
    }
    let mut worker = Worker::start(launch, api, lavapipe, &[])?;
    let planted = launch.fault.as_ref().and_then(|fault| fault.planted_in_listing(api));
    match worker.ask_and_wait(&WorkerRequest::Discover(api, planted), launch.open_limit()) {
        Ok(WorkerAnswer::Devices(found)) => {
            let mut found = found?;
            // A driver that complains while it is loaded may list fewer devices.
            if let Some(first) = worker.end().lines().next() {
                let api = api.as_str();
                found.notes.push(format!("a driver printed while the devices of {api} were listed: {first}"));
            }
            Ok(if lavapipe.is_some() { CurrentLavapipe::listed(found) } else { found })
        }
        Ok(WorkerAnswer::Opened(_) | WorkerAnswer::Job(_)) => Err(out_of_turn().into()),
        Err(WorkerDeath::Hung(limit)) => Err(ListingError::Hung(limit)),
        Err(WorkerDeath::Died(how)) => Err(ListingError::Died(how)),
        Err(WorkerDeath::Interrupted) => Err(ListingError::Interrupted),
    }
}
