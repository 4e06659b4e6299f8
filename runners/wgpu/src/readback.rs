//! Waits for a submission, and reads the staging buffer that it filled.

use std::sync::mpsc;
use std::time::Duration;

use layoutproof_device::RunnerError;
use wgpu::{Buffer, Device, MapMode, PollError, PollType, SubmissionIndex};

use crate::errors::api_error;

/// Returns the bytes of `staging` once `submission` is done. The time limit `longest` includes the
/// compilation of the shader (lavapipe compiles at the first dispatch).
///
/// # Errors
/// After `Timeout` the dispatch may still run, so the caller must not use or drop anything of the
/// device.
pub(crate) fn read(
    device: &Device,
    staging: &Buffer,
    submission: SubmissionIndex,
    longest: Duration,
) -> Result<Vec<u8>, RunnerError> {
    let (sender, receiver) = mpsc::channel();
    staging.map_async(MapMode::Read, .., move |result| {
        // The receiver is gone only if this function gave up earlier.
        let _ = sender.send(result);
    });

    let wait = PollType::Wait { submission_index: Some(submission), timeout: Some(longest) };
    device.poll(wait).map_err(|error| match error {
        PollError::Timeout => RunnerError::Timeout(u64::try_from(longest.as_millis()).unwrap_or(u64::MAX)),
        PollError::WrongSubmissionIndex(..) => api_error("poll", error.to_string()),
    })?;

    match receiver.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(api_error("map_async", error.to_string())),
        Err(error) => return Err(api_error("map_async", error.to_string())),
    }

    let view = staging.get_mapped_range(..).map_err(|error| api_error("get_mapped_range", error.to_string()))?;
    Ok(view.to_vec())
}
