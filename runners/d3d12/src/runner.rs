//! [`Runner`] on a session, and what becomes of it when the device hangs or is lost.

use std::fmt;

use layoutproof_device::{Batch, DeviceInfo, Job, ReadBack, Runner, RunnerError};

use crate::session::Session;

/// A Direct3D 12 device that runs jobs.
pub(crate) struct Direct3dRunner {
    info: DeviceInfo,
    state: State,
}

enum State {
    Ready(Box<Session>),
    /// The device is gone for the reason given, and every further job has the same answer.
    Gone(RunnerError),
}

impl Direct3dRunner {
    /// A runner on `session`, whose device `info` describes.
    pub(crate) fn new(info: DeviceInfo, session: Session) -> Self {
        Self { info, state: State::Ready(Box::new(session)) }
    }

    fn run_job(&mut self, job: &Job) -> Result<ReadBack, RunnerError> {
        let result = match &mut self.state {
            State::Ready(session) => session.run(&self.info, job),
            State::Gone(error) => Err(error.clone()),
        };
        if let Err(error @ (RunnerError::Timeout(_) | RunnerError::DeviceLost(_))) = &result {
            // The device may still use what would be released.
            std::mem::forget(std::mem::replace(&mut self.state, State::Gone(error.clone())));
        }
        result
    }
}

impl fmt::Debug for Direct3dRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gone = match &self.state {
            State::Ready(_) => None,
            State::Gone(error) => Some(error),
        };
        f.debug_struct("Direct3dRunner").field("info", &self.info).field("gone", &gone).finish_non_exhaustive()
    }
}

impl Runner for Direct3dRunner {
    fn device(&self) -> &DeviceInfo {
        &self.info
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        batch.jobs.iter().map(|job| self.run_job(job)).collect()
    }
}
