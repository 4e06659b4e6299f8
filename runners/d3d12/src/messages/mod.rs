//! What is said about jobs besides their results: by Direct3D's debug layer on Windows, in vkd3d's log elsewhere.
//!
//! The debug layer is turned on wherever it is installed (Windows has it as the optional feature "Graphics Tools"). GPU-based
//! validation rewrites shaders, so that the device no longer runs what the compiler made; who wants it turns it on with
//! `d3dconfig`, and its messages come through the same queue. Neither was ever run with this code: there was no Windows.

#[cfg(windows)]
mod info_queue;
#[cfg(not(windows))]
mod vkd3d_log;

/// What was said during a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DriverWords {
    /// What belongs into the record.
    pub(crate) messages: Vec<String>,
    /// What matters only where the job failed.
    pub(crate) details: Vec<String>,
}

#[cfg(windows)]
pub(crate) use info_queue::{DriverLog, begin};
#[cfg(not(windows))]
pub(crate) use vkd3d_log::{DriverLog, begin};
