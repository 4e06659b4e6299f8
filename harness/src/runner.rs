//! What executes a probe, and what goes in and comes out.
//!
//! A [`Job`] is one shader entry point with its buffers; a [`Runner`] executes a batch of jobs on one device and
//! returns the bytes of every buffer afterwards. Devices know nothing of layouts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A shader in the form in which a device takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shader {
    /// SPIR-V words.
    Spirv(Vec<u32>),
    /// WGSL text.
    Wgsl(String),
    /// DXBC container.
    Dxbc(Vec<u8>),
    /// DXIL container.
    Dxil(Vec<u8>),
    /// Metal shading language text.
    Msl(String),
}

/// What a device must be able to do for a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// Uniform blocks under std430 rules (`uniformBufferStandardLayout`).
    UniformBufferStandardLayout,
    /// Blocks under scalar rules (`scalarBlockLayout`).
    ScalarBlockLayout,
    /// Push constants (wgpu: immediates).
    PushConstants,
    /// 8-bit integers in shaders.
    Int8,
    /// 16-bit integers in shaders.
    Int16,
    /// 64-bit integers in shaders.
    Int64,
    /// 16-bit floats in shaders.
    Float16,
    /// 64-bit floats in shaders.
    Float64,
    /// 8-bit members in storage blocks.
    StorageBuffer8,
    /// 8-bit members in uniform blocks.
    UniformBuffer8,
    /// 8-bit members in push-constant blocks.
    PushConstant8,
    /// 16-bit members in storage blocks.
    StorageBuffer16,
    /// 16-bit members in uniform blocks.
    UniformBuffer16,
    /// 16-bit members in push-constant blocks.
    PushConstant16,
    /// Buffer device addresses.
    BufferDeviceAddress,
    /// Draws.
    Graphics,
    /// Storage buffers written by the vertex stage.
    VertexStores,
    /// Storage buffers written by the fragment stage.
    FragmentStores,
    /// Arrays of uniform buffers, indexed by constants.
    UniformBufferArray,
    /// Arrays of storage buffers, indexed by constants.
    StorageBufferArray,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Self; 20] = [
        Self::UniformBufferStandardLayout,
        Self::ScalarBlockLayout,
        Self::PushConstants,
        Self::Int8,
        Self::Int16,
        Self::Int64,
        Self::Float16,
        Self::Float64,
        Self::StorageBuffer8,
        Self::UniformBuffer8,
        Self::PushConstant8,
        Self::StorageBuffer16,
        Self::UniformBuffer16,
        Self::PushConstant16,
        Self::BufferDeviceAddress,
        Self::Graphics,
        Self::VertexStores,
        Self::FragmentStores,
        Self::UniformBufferArray,
        Self::StorageBufferArray,
    ];
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UniformBufferStandardLayout => "uniformBufferStandardLayout",
            Self::ScalarBlockLayout => "scalarBlockLayout",
            Self::PushConstants => "push constants",
            Self::Int8 => "shaderInt8",
            Self::Int16 => "shaderInt16",
            Self::Int64 => "shaderInt64",
            Self::Float16 => "shaderFloat16",
            Self::Float64 => "shaderFloat64",
            Self::StorageBuffer8 => "storageBuffer8BitAccess",
            Self::UniformBuffer8 => "uniformAndStorageBuffer8BitAccess",
            Self::PushConstant8 => "storagePushConstant8",
            Self::StorageBuffer16 => "storageBuffer16BitAccess",
            Self::UniformBuffer16 => "uniformAndStorageBuffer16BitAccess",
            Self::PushConstant16 => "storagePushConstant16",
            Self::BufferDeviceAddress => "bufferDeviceAddress",
            Self::Graphics => "graphics pipelines",
            Self::VertexStores => "vertexPipelineStoresAndAtomics",
            Self::FragmentStores => "fragmentStoresAndAtomics",
            Self::UniformBufferArray => "arrays of uniform buffers",
            Self::StorageBufferArray => "arrays of storage buffers",
        })
    }
}

/// How a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BufferKind {
    /// Uniform buffer.
    Uniform,
    /// Storage buffer that shaders only read.
    StorageRead,
    /// Storage buffer that shaders write.
    Storage,
    /// No descriptor at all: the 64-bit device address of the range is written, little-endian, at byte `at` of the
    /// push constants. Set, binding and element mean nothing.
    Address {
        /// Byte of the push constants, a multiple of 8.
        at: u32,
    },
}

/// A buffer of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobBuffer {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is none. The array ends with the last element.
    pub element: u32,
    /// How it is bound.
    pub kind: BufferKind,
    /// The bytes of the bound range, a multiple of 4; the descriptor's range is exactly this long.
    pub bytes: Vec<u8>,
    /// Bytes behind the bound range, in the same memory but out of bounds: guards. A multiple of 4.
    pub after: Vec<u8>,
    /// The 32-bit word that fills the memory before the bound range. The runner binds the range at an odd multiple of
    /// the device's minimum offset alignment (at least one multiple), so that nothing is right by over-alignment.
    pub before_word: u32,
}

/// How an image is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageKind {
    /// Sampled image (`Texture2D`).
    Sampled,
    /// Storage image (`RWTexture2D`).
    Storage,
    /// Sampled image with a sampler of its own (`Sampler2D`); the sampler sees mip level 0.
    Combined,
    /// Typed buffer that shaders only read (`Buffer`).
    UniformTexels,
    /// Typed buffer that shaders write (`RWBuffer`).
    StorageTexels,
}

/// The shape of an image's view; typed buffers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each variant is the view of that name")]
pub enum ImageView {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// What a texel's 32-bit components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TexelType {
    /// `rgba32float`.
    Float,
    /// `rgba32sint`.
    Sint,
    /// `rgba32uint`.
    Uint,
    /// `d32float`, which samplers that compare need: the first word is the depth, from 0 to 1, the others mean nothing.
    Depth,
}

/// An image of a job. All its texels of mip level `n` are `levels[n]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobImage {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is none.
    pub element: u32,
    /// How it is bound.
    pub kind: ImageKind,
    /// View.
    pub view: ImageView,
    /// Type of the components.
    pub texel: TexelType,
    /// The texel of each mip level as four 32-bit words; one level for storage images and typed buffers. The image is
    /// as small as its levels allow: 2^(levels - 1) texels in each of its dimensions, and two elements in an array.
    pub levels: Vec<[u32; 4]>,
}

/// A sampler of a job. It filters nothing and sees one mip level only, so that what it reads tells which sampler it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSampler {
    /// Descriptor set (WGSL group).
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Element of the descriptor array at that binding; 0 where it is none.
    pub element: u32,
    /// The mip level to which it clamps.
    pub level: u32,
    /// Whether it compares (`SamplerComparisonState`), with `less-or-equal`.
    pub comparison: bool,
}

/// What makes a job a draw rather than a dispatch: one point, into targets of one texel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw {
    /// Entry point of the fragment stage; [`Job::entry`] is that of the vertex stage. Both are in the job's shader.
    pub fragment: String,
    /// `rgba32uint` targets, from location 0 on, cleared to zeros.
    pub targets: u32,
}

/// One dispatch, or one draw of a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The shader.
    pub shader: Shader,
    /// Entry point.
    pub entry: String,
    /// Draws instead of dispatching.
    pub draw: Option<Draw>,
    /// Buffers; no two share set, binding and element.
    pub buffers: Vec<JobBuffer>,
    /// Images.
    pub images: Vec<JobImage>,
    /// Samplers.
    pub samplers: Vec<JobSampler>,
    /// Values of specialization constants, by `SpecId`.
    pub constants: BTreeMap<u32, u32>,
    /// Push-constant bytes, a multiple of 4; empty for none.
    pub push_constants: Vec<u8>,
    /// Workgroups in x, y, z; means nothing for a draw.
    pub workgroups: [u32; 3],
    /// What the device must be able to do.
    pub requires: BTreeSet<Feature>,
}

impl Job {
    /// One workgroup of `entry` with these buffers, and nothing else.
    pub fn compute(shader: Shader, entry: impl Into<String>, buffers: Vec<JobBuffer>) -> Self {
        Self {
            shader,
            entry: entry.into(),
            draw: None,
            buffers,
            images: Vec::new(),
            samplers: Vec::new(),
            constants: BTreeMap::new(),
            push_constants: Vec::new(),
            workgroups: [1, 1, 1],
            requires: BTreeSet::new(),
        }
    }
}

/// A buffer after the dispatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferAfter {
    /// Memory before the bound range.
    pub before: Vec<u8>,
    /// The bound range.
    pub bytes: Vec<u8>,
    /// Memory behind the bound range, as long as [`JobBuffer::after`].
    pub after: Vec<u8>,
}

/// What a job left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBack {
    /// Buffers in the job's order.
    pub buffers: Vec<BufferAfter>,
    /// The texel of each of [`Draw::targets`].
    pub targets: Vec<[u32; 4]>,
}

/// Jobs that are given to a device together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The jobs.
    pub jobs: Vec<Job>,
}

/// Why a job has no read-back.
#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunnerError {
    /// The device cannot do this: a skip, with the reason.
    #[error("device lacks {0}")]
    Unsupported(String),
    /// The device or its process is gone.
    #[error("device lost: {0}")]
    DeviceLost(String),
    /// The device did not finish in time.
    #[error("no answer within {0} ms")]
    Timeout(u64),
    /// A call of the API failed.
    #[error("{call}: {reason}")]
    Api {
        /// The call.
        call: String,
        /// Its error.
        reason: String,
    },
    /// The API refused the shader.
    #[error("shader refused: {0}")]
    ShaderRefused(String),
}

/// Which API drives the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunnerKind {
    /// Vulkan through ash.
    Ash,
    /// wgpu.
    Wgpu,
    /// The CPU model in this crate.
    Model,
}

impl RunnerKind {
    /// The name in trial names and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ash => "ash",
            Self::Wgpu => "wgpu",
            Self::Model => "model",
        }
    }
}

/// A device as seen through one API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Short name for trial names and filters: `lavapipe`, `swiftshader`, `llvmpipe-gl`, or a slug of the full name.
    pub id: String,
    /// Full name as the driver gives it.
    pub name: String,
    /// Driver name and version.
    pub driver: String,
    /// API and version: `Vulkan 1.3.230`, `OpenGL 4.5`.
    pub api: String,
    /// Which API drives it.
    pub runner: RunnerKind,
    /// Position in the runner's enumeration; opens the device.
    pub index: u32,
    /// Whether the device is hardware rather than a CPU.
    pub hardware: bool,
    /// What it can do.
    pub features: BTreeSet<Feature>,
    /// Largest range of a uniform buffer, in bytes.
    pub max_uniform_range: u32,
    /// Largest push-constant block, in bytes; 0 for none.
    pub max_push_constants: u32,
}

impl DeviceInfo {
    /// Whether the device is driven through OpenGL or OpenGL ES, and so gets its shaders as GLSL.
    pub fn is_opengl(&self) -> bool {
        self.api.starts_with("OpenGL")
    }
}

/// Executes jobs on one device.
pub trait Runner: fmt::Debug {
    /// The device.
    fn device(&self) -> &DeviceInfo;

    /// Executes the jobs in order; one result per job. After `DeviceLost` or `Timeout` the device must not be used
    /// again, and the rest of the batch has the same error.
    fn run(&mut self, batch: &Batch) -> Vec<Result<ReadBack, RunnerError>>;
}
