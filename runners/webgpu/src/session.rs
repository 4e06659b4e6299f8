//! A host with its open device.

use std::time::{Duration, Instant};

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::limits::{Limits, check_features, needed_features};
use layoutproof_device::{DeviceInfo, DeviceSession, Job, ReadBack, RunnerError, Shader};
use layoutproof_wgpu::access::has_arrays_in_immediates;

use crate::adapter;
use crate::host::{Host, HostProcess};
use crate::message::{Answer, JobMessage, Message, Opened, read_back};
use crate::server::Server;

/// Interval at which a wait for an answer checks if the host still runs.
const LOOK_UP: Duration = Duration::from_millis(100);

/// A browser needs seconds to start, a busy machine many.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(50);

#[derive(Debug)]
pub(crate) struct WebGpuSession {
    server: Server,
    process: HostProcess,
    limits: Limits,
    /// Time limit of a job.
    longest: Duration,
}

impl WebGpuSession {
    /// Starts a host, and opens its device.
    ///
    /// # Errors
    /// A sentence about what is missing, or what happened instead.
    pub(crate) fn open(host: Host, fallback: bool, longest: Duration) -> Result<(Self, Opened), String> {
        let server = Server::start().map_err(|error| format!("no server on the loopback address: {error}"))?;
        let process = host.start(server.url())?;
        let mut session = Self { server, process, limits: adapter::limits(&Opened::default()), longest };
        match session.ask(&Message::Open { fallback }, START_LIMIT) {
            Ok(Answer::Opened(opened)) => {
                session.limits = adapter::limits(&opened);
                Ok((session, opened))
            }
            Ok(Answer::Failed(failed)) => Err(RunnerError::from(failed).to_string()),
            Ok(Answer::Ran { .. }) => Err("an answer that fits no message".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn ask(&mut self, message: &Message<'_>, limit: Duration) -> Result<Answer, RunnerError> {
        let message = serde_json::to_string(message).expect("a message has only numbers and texts");
        let deadline = Instant::now() + limit;
        self.server.send(message);
        loop {
            if let Some(answer) = self.server.answer(LOOK_UP) {
                let unreadable = |error| RunnerError::DeviceLost(format!("an answer that is no answer: {error}"));
                return serde_json::from_str(&answer).map_err(unreadable);
            }
            if let Some(end) = self.process.end() {
                return Err(RunnerError::DeviceLost(end));
            }
            if Instant::now() >= deadline {
                return Err(RunnerError::Timeout(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)));
            }
        }
    }
}

impl DeviceSession for WebGpuSession {
    fn run(&mut self, job: &Job, info: &DeviceInfo) -> Result<ReadBack, RunnerError> {
        let Shader::Wgsl(wgsl) = &job.shader else {
            return Err(RunnerError::Unsupported(format!("{}: WebGPU accepts only WGSL", job.shader.form())));
        };
        let descriptors = Descriptors::of(job)?;
        check_features(info, &needed_features(job, &descriptors))?;
        let placements = self.limits.place(job, &descriptors)?;
        // Tint refuses them (Dawn for Node 0.6.2, Chromium 156), naga takes them.
        if has_arrays_in_immediates(job, wgsl)? {
            return Err(RunnerError::Unsupported("arrays in immediates".to_owned()));
        }
        let message = JobMessage::new(job, wgsl, &descriptors, &placements)?;

        match self.ask(&Message::Run(Box::new(message)), self.longest)? {
            Answer::Ran { words } => read_back(job, &placements, &words),
            Answer::Failed(failed) => Err(failed.into()),
            Answer::Opened(_) => Err(RunnerError::DeviceLost("an answer that fits no message".to_owned())),
        }
    }
}
