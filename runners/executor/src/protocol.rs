//! The messages between the command and its worker processes, each with its length in front. They
//! go over a separate `connection`, because drivers print to the standard streams.

use std::io::{self, Read, Write};
use std::time::Duration;

use layoutproof_device::devices::Enumeration;
use layoutproof_device::{Batch, DeviceInfo, ReadBack, RunnerError, RunnerKind};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::fault::{FaultKind, WorkerFault};

/// A message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum WorkerRequest {
    /// List the devices of this API, optionally with a planted fault.
    Discover(RunnerKind, Option<FaultKind>),
    /// Open this device for the batches that follow. The duration is the time limit of one job.
    Open(Box<DeviceInfo>, Duration),
    /// Run these jobs, optionally with a planted fault. The worker answers each with one
    /// [`WorkerAnswer::Job`] as soon as it is done.
    Run(Batch, Option<WorkerFault>),
}

/// A message from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum WorkerAnswer {
    /// The devices and the API's notes on missing or broken drivers; or the call that failed.
    Devices(Result<Enumeration, RunnerError>),
    /// The device is open, or the reason why it is not.
    Opened(Result<(), RunnerError>),
    Job(Result<ReadBack, RunnerError>),
}

/// The error for a worker whose answer does not fit its request.
pub fn out_of_turn() -> RunnerError {
    RunnerError::DeviceLost("the worker sent an answer that fits no request".to_owned())
}

/// Longest message, in bytes. A longer one comes from a broken peer, not from a batch.
const MAX_MESSAGE: u32 = 1 << 30;

/// Sends one message.
///
/// # Errors
/// The other process is gone, or the message is too long.
pub fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(&bytes)?;
    stream.flush()
}

/// Receives one message.
pub fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE {
        return Err(io::Error::other(format!("a message of {length} bytes")));
    }
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}
