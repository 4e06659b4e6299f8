//! The main loop of a worker process, the only process that loads drivers.
//!
//! It receives requests over a connection and sends answers. The parent's end is
//! [`worker`](crate::worker).

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{Batch, Job, ReadBack, Runner, RunnerError};

use crate::connection::{Stream, connect_to_parent};
use crate::protocol::{WorkerAnswer, WorkerRequest, receive, send};
use crate::{device_apis, interrupt};

/// Time for a worker to finish its last job after the parent has closed the connection.
const GRACE: Duration = Duration::from_secs(2);

/// Runs as a worker until the parent closes the connection.
pub fn serve() -> anyhow::Result<()> {
    let mut stream = connect_to_parent()?;
    interrupt::leave_to_the_parent()?;

    let mut runner: Option<Box<dyn Runner>> = None;
    let mut jobs_done = 0;
    for request in requests(stream.try_clone()?) {
        match request {
            WorkerRequest::Discover(kind, planted) => {
                if let Some(fault) = planted {
                    fault.strike();
                }
                let found = device_apis::of(kind).discover().map(without_made_up_hardware);
                send(&mut stream, &WorkerAnswer::Devices(found))?;
            }
            WorkerRequest::Open(info, job_limit) => {
                let opened = device_apis::of(info.runner).open(&info, job_limit);
                let opened = opened.map(|open| runner = Some(open));
                send(&mut stream, &WorkerAnswer::Opened(opened))?;
            }
            WorkerRequest::Run(batch, planted) => {
                for job in batch.jobs {
                    jobs_done += 1;
                    let work = || run_one(runner.as_deref_mut(), job);
                    let result = match planted {
                        Some(planted) => planted.strike(jobs_done, work),
                        None => work(),
                    };
                    send(&mut stream, &WorkerAnswer::Job(result))?;
                }
            }
        }
    }

    // Some drivers hang or crash when a device is destroyed; the process ends here anyway.
    std::mem::forget(runner);
    Ok(())
}

/// Reads the parent's requests on a separate thread. If the parent is gone, for example killed, a
/// driver that hangs cannot keep this process alive.
fn requests(mut stream: Stream) -> Receiver<WorkerRequest> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok(request) = receive(&mut stream) {
            if sender.send(request).is_err() {
                return;
            }
        }
        drop(sender);
        std::thread::sleep(GRACE);
        // An orderly exit would call the driver, which may hang.
        std::process::abort();
    });
    receiver
}

fn run_one(runner: Option<&mut (dyn Runner + 'static)>, job: Job) -> Result<ReadBack, RunnerError> {
    let Some(runner) = runner else {
        return Err(RunnerError::Api { call: "run".to_owned(), reason: "no device is open".to_owned() });
    };
    let results = runner.run(&Batch { jobs: vec![job] }).pop();
    results.unwrap_or_else(|| Err(RunnerError::DeviceLost("the runner gave no result".to_owned())))
}

/// Under Wine no device of Direct3D 12 is hardware: Wine gives its translator the name of a GPU.
fn without_made_up_hardware(mut listed: Enumeration) -> Enumeration {
    if layoutproof_d3d12::wine_version().is_some() {
        for device in listed.devices.iter_mut().filter(|device| device.api.starts_with("Direct3D 12")) {
            device.hardware = false;
        }
    }
    listed
}
