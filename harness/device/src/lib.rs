//! The interface between checks and devices: jobs, read-back bytes, descriptors, and the limits and
//! features of devices.
//!
//! A [`Job`] is a shader entry point with its buffers; a [`Runner`] executes a batch of jobs on one
//! device and returns the bytes of every buffer afterwards. To add a device API, implement
//! [`DeviceApi`], and [`DeviceSession`] for its open devices. This needs only this crate: devices do
//! not depend on layouts, cases or reports.
#![forbid(unsafe_code)]

pub mod descriptors;
mod device_api;
pub mod devices;
mod feature;
mod job;
mod job_limit;
pub mod limits;
pub mod mapped;
pub mod placement;
mod runner;
mod runner_kind;
mod session_runner;
mod stage;
mod words;

pub use device_api::DeviceApi;
pub use feature::{BasicFeature, Feature};
pub use job::{
    AddressHolder, BufferKind, Draw, Geometry, ImageKind, ImageView, Job, JobAddress, JobBuffer, JobImage, JobSampler,
    ReachedStage, RegisterRange, ResourceClass, RootParameters, RootSignature, Shader, ShaderForm, TexelType, Trace,
};
pub use job_limit::{JOB_LIMIT, device_wait};
pub use runner::{Batch, BufferAfter, DeviceInfo, Direct3d, ReadBack, Runner, RunnerError, ShaderModel, WebGpuFacts};
pub use runner_kind::{Provider, RunnerKind};
pub use session_runner::{DeviceSession, SessionRunner};
pub use stage::{RecordStage, Stage};
pub use words::{word_bytes, words_of};
