//! Lists the devices of this machine, through each API.
//!
//! Each API is asked in a process of its own, because drivers may crash, and one must not take the other's devices along.
//! A process that crashes or hangs is started once more; then the API's devices are missing, which is an error: nobody
//! knows what they would have said.

use layoutproof_device::{DeviceInfo, RunnerKind};

use crate::launch::Launch;
use crate::protocol::{WorkerAnswer, WorkerRequest, out_of_turn};
use crate::worker::{Worker, WorkerDeath};

/// How often an API is asked for its devices before it counts as failed.
const ATTEMPTS: usize = 2;

/// The devices that APIs list, with notes and failures.
#[derive(Debug, Default)]
pub struct DeviceListing {
    /// The devices, API by API.
    pub devices: Vec<DeviceInfo>,
    /// Sentences for the user about drivers that are missing, broken or not trusted.
    pub notes: Vec<String>,
    /// A sentence for each API whose devices could not be listed. A command ends with exit code 3 then, whatever it finds
    /// out without them.
    pub failures: Vec<String>,
}

impl DeviceListing {
    /// Asks these APIs, all at once.
    pub fn of(apis: &[RunnerKind], launch: &Launch) -> Self {
        let mut listing = Self::default();
        if !apis.is_empty() {
            listing.notes.extend_from_slice(launch.drivers.notes());
        }
        if apis.contains(&RunnerKind::D3d12) {
            listing.notes.extend(launch.vkd3d_note.clone());
        }

        std::thread::scope(|scope| {
            let threads: Vec<_> = apis.iter().map(|api| scope.spawn(|| list(*api, launch))).collect();
            for thread in threads {
                match thread.join() {
                    Ok(listed) => listing.add(listed),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        listing
    }

    fn add(&mut self, other: Self) {
        self.devices.extend(other.devices);
        self.notes.extend(other.notes);
        self.failures.extend(other.failures);
    }
}

/// The devices of one API; asked again where the process that lists them dies.
fn list(api: RunnerKind, launch: &Launch) -> DeviceListing {
    let name = api.as_str();
    let mut notes = Vec::new();
    let mut last = String::new();
    for attempt in 1..=ATTEMPTS {
        match list_once(api, launch) {
            Ok(listing) => {
                notes.extend(listing.notes);
                return DeviceListing { notes, ..listing };
            }
            Err(reason) if attempt < ATTEMPTS && !launch.interrupt.is_set() => {
                notes.push(format!("listing the devices of {name} failed and was tried again: {reason}"));
            }
            Err(reason) => last = reason,
        }
    }

    let failure = format!("the devices of {name} could not be listed, in {ATTEMPTS} attempts: {last}");
    DeviceListing { failures: vec![failure], ..DeviceListing::default() }
}

fn list_once(api: RunnerKind, launch: &Launch) -> Result<DeviceListing, String> {
    let mut worker = Worker::start(launch, api, &[]).map_err(|error| error.to_string())?;
    let planted = launch.fault.as_ref().and_then(|fault| fault.planted_in_listing(api));
    match worker.ask_and_wait(&WorkerRequest::Enumerate(api, planted), launch.open_limit()) {
        Ok(WorkerAnswer::Devices(Ok((devices, notes)))) => Ok(DeviceListing { devices, notes, failures: Vec::new() }),
        Ok(WorkerAnswer::Devices(Err(error))) => Err(error.to_string()),
        Ok(WorkerAnswer::Opened(_) | WorkerAnswer::Job(_)) => Err(out_of_turn().to_string()),
        Err(WorkerDeath::Hung(limit)) => Err(format!("no answer within {} s", limit.as_secs())),
        Err(WorkerDeath::Died(how)) => Err(how),
        Err(WorkerDeath::Interrupted) => Err("interrupted".to_owned()),
    }
}
