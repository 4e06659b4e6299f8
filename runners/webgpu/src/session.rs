//! A host with its open device.

use std::time::{Duration, Instant};

use layoutproof_device::limits::Limits;
use layoutproof_device::{DeviceInfo, DeviceSession, Job, ReadBack, RunnerError};
use layoutproof_webgpu_messages::{Answer, Message, Numbered, Opened, PreparedJob, Reply, limits};

use crate::host::{Host, HostProcess};
use crate::server::Server;

/// Interval at which a wait for an answer checks if the host still runs.
const LOOK_UP: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct WebGpuSession {
    server: Server,
    /// `None` for a browser that the user opens.
    process: Option<HostProcess>,
    /// The number of the last message.
    number: u32,
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
        let server = Server::start(host.page()?.as_deref())
            .map_err(|error| format!("no server on the loopback address: {error}"))?;
        let process = host.start(server.url())?;
        let number = getrandom::u32().map_err(|error| error.to_string())?;
        let mut session = Self { server, process, number, limits: limits(&Opened::default()), longest };
        match session.ask(&Message::Open { fallback }, host.start_limit()) {
            Ok(Answer::Opened(opened)) => {
                session.limits = limits(&opened);
                Ok((session, opened))
            }
            Ok(Answer::Failed(failed)) => Err(RunnerError::from(failed).to_string()),
            Ok(Answer::Ran { .. }) => Err("an answer that fits no message".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn ask(&mut self, message: &Message<'_>, limit: Duration) -> Result<Answer, RunnerError> {
        self.number = self.number.wrapping_add(1);
        let message = Numbered { number: self.number, message };
        let deadline = Instant::now() + limit;
        self.server.send(serde_json::to_string(&message).expect("a message has only numbers and texts"));
        loop {
            if let Some(reply) = self.server.answer(LOOK_UP) {
                let unreadable = |error| RunnerError::DeviceLost(format!("an answer that is no answer: {error}"));
                let Reply { number, answer } = serde_json::from_str(&reply).map_err(unreadable)?;
                if number.is_none_or(|number| number == self.number) {
                    return Ok(answer);
                }
            }
            if let Some(end) = self.process.as_mut().and_then(HostProcess::end) {
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
        let prepared = PreparedJob::new(job, info, &self.limits)?;
        match self.ask(&Message::Run(&prepared.message), self.longest)? {
            Answer::Ran { words } => prepared.read_back(&words),
            Answer::Failed(failed) => Err(failed.into()),
            Answer::Opened(_) => Err(RunnerError::DeviceLost("an answer that fits no message".to_owned())),
        }
    }
}
