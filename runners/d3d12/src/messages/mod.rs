//! Messages about jobs besides their results: from Direct3D's debug layer on Windows, from vkd3d's
//! log elsewhere.
//!
//! The debug layer is turned on wherever it is installed (on Windows it is the optional feature
//! "Graphics Tools"). GPU-based validation rewrites shaders, so the device would no longer run the
//! compiler's output. Users can turn it on with `d3dconfig`, and its messages arrive in the same
//! queue. Neither was ever run with this code, since no Windows was available.

#[cfg(windows)]
mod info_queue;
#[cfg(not(windows))]
mod vkd3d_log;

/// The messages during a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DriverWords {
    /// Messages for the record.
    pub(crate) messages: Vec<String>,
    /// Messages that only matter if the job failed.
    pub(crate) details: Vec<String>,
}

#[cfg(windows)]
pub(crate) use info_queue::{DriverLog, begin};
#[cfg(not(windows))]
pub(crate) use vkd3d_log::{DriverLog, begin};
