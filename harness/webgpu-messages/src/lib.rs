//! Jobs in the words of WebGPU, as messages to `host.mjs`, and what comes back: descriptions of adapters, and the words of
//! buffers.
//!
//! The program sends them to Node.js and to browsers; the site's page has this code in WebAssembly. Nothing here starts a
//! process or knows a connection.
#![forbid(unsafe_code)]

pub mod access;
mod adapter;
mod message;

use layoutproof_device::descriptors::Descriptors;
use layoutproof_device::limits::{Limits, check_features, needed_features};
use layoutproof_device::placement::BufferPlacement;
use layoutproof_device::{DeviceInfo, Job, ReadBack, RunnerError, Shader};

pub use adapter::{describe, limits, visitor_program};
pub use message::{Adapter, Answer, Failed, JobMessage, Message, Numbered, Opened, Reply};

/// The script that runs jobs with WebGPU, in Node.js and in pages.
pub const SCRIPT: &str = include_str!("host.mjs");

/// A job that a device can run, as a message.
#[derive(Debug)]
pub struct PreparedJob<'a> {
    pub message: JobMessage<'a>,
    job: &'a Job,
    placements: Vec<BufferPlacement>,
}

impl<'a> PreparedJob<'a> {
    /// Prepares a job for the device that `info` describes, whose adapter has these limits.
    ///
    /// # Errors
    /// What the device or WebGPU lacks for the job; `ShaderRefused` if naga does not read its shader.
    pub fn new(job: &'a Job, info: &DeviceInfo, limits: &Limits) -> Result<Self, RunnerError> {
        let Shader::Wgsl(wgsl) = &job.shader else {
            return Err(RunnerError::Unsupported(format!("{}: WebGPU accepts only WGSL", job.shader.form())));
        };
        let descriptors = Descriptors::of(job)?;
        check_features(info, &needed_features(job, &descriptors))?;
        let placements = limits.place(job, &descriptors)?;
        // Tint refuses them (Dawn for Node 0.6.2, Chromium 156), naga takes them.
        if access::has_arrays_in_immediates(job, wgsl)? {
            return Err(RunnerError::Unsupported("arrays in immediates".to_owned()));
        }
        let message = JobMessage::new(job, wgsl, &descriptors, &placements)?;
        Ok(Self { message, job, placements })
    }

    /// The job's read-back, from the words that the host returns.
    ///
    /// # Errors
    /// `DeviceLost` for another number of words than the job has: the host does not keep to the messages.
    pub fn read_back(&self, words: &[u32]) -> Result<ReadBack, RunnerError> {
        message::read_back(self.job, &self.placements, words)
    }
}
