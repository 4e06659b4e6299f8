//! [`Runner`] on a session, and what becomes of it when the device hangs or is lost.

use std::fmt;

use layoutproof_device::{Batch, DeviceInfo, Job, ReadBack, Runner, RunnerError};

use crate::session::Session;

/// A Vulkan device that runs jobs.
pub(crate) struct VulkanRunner {
    info: DeviceInfo,
    state: State,
}

enum State {
    Ready(Box<Session>),
    /// The device is gone for the reason given, and every further job has the same answer.
    Gone(RunnerError),
}

impl VulkanRunner {
    /// A runner on `session`, whose device `info` describes.
    pub(crate) fn new(info: DeviceInfo, session: Session) -> Self {
        Self { info, state: State::Ready(Box::new(session)) }
    }

    fn run_job(&mut self, job: &Job) -> Result<ReadBack, RunnerError> {
        let result = match &mut self.state {
            State::Ready(session) => session.run(job),
            State::Gone(error) => Err(error.clone()),
        };
        if let Err(error @ (RunnerError::Timeout(_) | RunnerError::DeviceLost(_))) = &result {
            // Destroying a device that still runs a shader hangs for ever on SwiftShader, so the session is leaked.
            std::mem::forget(std::mem::replace(&mut self.state, State::Gone(error.clone())));
        }
        result
    }
}

impl fmt::Debug for VulkanRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gone = match &self.state {
            State::Ready(_) => None,
            State::Gone(error) => Some(error),
        };
        f.debug_struct("VulkanRunner").field("info", &self.info).field("gone", &gone).finish_non_exhaustive()
    }
}

impl Runner for VulkanRunner {
    fn device(&self) -> &DeviceInfo {
        &self.info
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        batch.jobs.iter().map(|job| self.run_job(job)).collect()
    }
}
