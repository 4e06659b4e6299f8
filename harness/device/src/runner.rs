//! The interface to devices: batches of jobs, and the bytes read back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{BasicFeature, Feature, Job, RunnerKind};

/// A buffer after the dispatch, in three parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferAfter {
    /// Memory before the bound range.
    pub before: Vec<u8>,
    /// The bound range.
    pub bytes: Vec<u8>,
    /// Memory after the bound range, as long as `JobBuffer::after`.
    pub after: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// Buffers in the job's order.
    pub buffers: Vec<BufferAfter>,
    /// The texel of each target of the draw.
    pub targets: Vec<[u32; 4]>,
    /// Messages of a debug layer, or of the driver itself, while the job ran.
    pub messages: Vec<String>,
}

/// Jobs that a device gets together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    pub jobs: Vec<Job>,
}

/// The reason that a job has no read-back.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunnerError {
    /// The device cannot do this. The check is skipped with this reason.
    #[error("device lacks {0}")]
    Unsupported(String),
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The device did not finish in time.
    #[error("no answer within {0} ms (--time-limit sets the limit for a job)")]
    Timeout(u64),
    #[error("{call}: {reason}")]
    Api { call: String, reason: String },
    #[error("shader refused: {0}")]
    ShaderRefused(String),
    /// The device did not get the job, since earlier ones failed.
    #[error("not run: {0}")]
    NotRun(String),
}

/// A device as seen through one API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Short name for trial names and filters: `lavapipe`, `swiftshader`, `llvmpipe-gl`, or a slug of the full name.
    pub id: String,
    /// Full name from the driver.
    pub name: String,
    pub driver: String,
    /// API and version: `Vulkan 1.3.230`, `OpenGL 4.5`.
    pub api: String,
    /// The API that drives it.
    pub runner: RunnerKind,
    /// Position in the runner's enumeration; opens the device.
    pub index: u32,
    /// True for hardware, false for a CPU implementation.
    pub hardware: bool,
    pub features: BTreeSet<Feature>,
    /// Features that it lacks and every probe needs, so all of its checks are skipped. Empty for almost
    /// every device.
    #[serde(default)]
    pub lacks: BTreeSet<BasicFeature>,
    /// Largest range of a uniform buffer, in bytes.
    pub max_uniform_range: u32,
    /// Largest push-constant block, in bytes; 0 for none.
    pub max_push_constants: u32,
    /// Facts that only devices of Direct3D 12 have.
    #[serde(default)]
    pub direct3d: Option<Direct3d>,
    /// Facts that only devices of WebGPU in JavaScript have.
    #[serde(default)]
    pub webgpu: Option<WebGpuFacts>,
}

/// What an implementation of WebGPU reports about its adapter, by WebGPU's names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebGpuFacts {
    pub features: BTreeSet<String>,
    /// The language features of WGSL.
    pub language_features: BTreeSet<String>,
    pub limits: BTreeMap<String, u64>,
}

/// Facts that a Direct3D 12 device reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Direct3d {
    /// The library that translates Direct3D to another API, with its version: `vkd3d 2.1`; `None`
    /// for a Direct3D driver.
    pub translator: Option<String>,
    pub shader_model: ShaderModel,
    pub binding_tier: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShaderModel {
    pub major: u8,
    pub minor: u8,
}

impl fmt::Display for ShaderModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl DeviceInfo {
    /// True if the device is driven through OpenGL or OpenGL ES and therefore gets its shaders as
    /// GLSL.
    pub fn is_opengl(&self) -> bool {
        self.api.starts_with("OpenGL")
    }

    /// Names what the device lacks that every probe needs (`compute shaders and storage buffers`);
    /// `None` if it can run probes.
    pub fn unfit(&self) -> Option<String> {
        let lacks: Vec<String> = self.lacks.iter().map(ToString::to_string).collect();
        (!lacks.is_empty()).then(|| lacks.join(" and "))
    }

    /// True if wgpu drives the device through Direct3D 12 and therefore gives it naga's HLSL.
    pub fn takes_naga_hlsl(&self) -> bool {
        self.runner == RunnerKind::Wgpu && self.api.starts_with("Direct3D 12")
    }
}

pub trait Runner: fmt::Debug {
    fn device(&self) -> &DeviceInfo;

    /// Executes the jobs in order, with one result per job. After `DeviceLost` or `Timeout` the
    /// caller must not use the device again; the remaining jobs of the batch get the same error.
    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>>;
}
