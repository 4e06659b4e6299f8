//! A [`Runner`] on an open device, which also handles hanging and lost devices.
//!
//! The runner of each device API wraps its session in a [`SessionRunner`].

use std::fmt;

use crate::{Batch, DeviceInfo, Job, ReadBack, Runner, RunnerError};

/// A device in use. It runs one job after another.
pub trait DeviceSession {
    /// Runs one job on the device that `info` describes.
    ///
    /// # Errors
    /// Any [`RunnerError`]. After `Timeout` and `DeviceLost` the caller leaks the session, because
    /// the device may still use the resources that a drop would release.
    fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError>;
}

/// Runs jobs in a session until the device hangs or is lost.
pub struct SessionRunner<S> {
    info: DeviceInfo,
    state: SessionState<S>,
}

enum SessionState<S> {
    Ready(Box<S>),
    /// The device is gone for this reason. Every further job gets the same error.
    Gone(RunnerError),
}

impl<S: DeviceSession> SessionRunner<S> {
    pub fn new(info: DeviceInfo, session: S) -> Self {
        Self { info, state: SessionState::Ready(Box::new(session)) }
    }

    fn run_job(&mut self, job: &Job) -> Result<ReadBack, RunnerError> {
        let result = match &mut self.state {
            SessionState::Ready(session) => session.run(job, &self.info),
            SessionState::Gone(error) => Err(error.clone()),
        };
        if let Err(error @ (RunnerError::Timeout(_) | RunnerError::DeviceLost(_))) = &result {
            // Dropping the session would wait for an endless shader (wgpu) or hang forever
            // (SwiftShader).
            std::mem::forget(std::mem::replace(&mut self.state, SessionState::Gone(error.clone())));
        }
        result
    }
}

impl<S> fmt::Debug for SessionRunner<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gone = match &self.state {
            SessionState::Ready(_) => None,
            SessionState::Gone(error) => Some(error),
        };
        f.debug_struct("SessionRunner").field("info", &self.info).field("gone", &gone).finish_non_exhaustive()
    }
}

impl<S: DeviceSession> Runner for SessionRunner<S> {
    fn device(&self) -> &DeviceInfo {
        &self.info
    }

    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>> {
        batch.jobs.iter().map(|job| self.run_job(job)).collect()
    }
}
