//! Features that some devices lack: those that jobs can require, and those that every job needs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A device feature that a job can require.
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
    BufferDeviceAddress,
    /// Pointers among the members of buffers.
    PointersInBuffers,
    /// Draw calls.
    Graphics,
    /// Storage buffers written by the vertex stage.
    VertexStores,
    /// Storage buffers written by the fragment stage.
    FragmentStores,
    /// Arrays of uniform buffers, indexed by constants.
    UniformBufferArray,
    /// Arrays of storage buffers, indexed by constants.
    StorageBufferArray,
    /// Ray-tracing pipelines with shader records (`rayTracingPipeline`).
    RayTracingPipeline,
    /// Blocks with explicit offsets in the memory of a workgroup.
    WorkgroupLayout,
    /// Such blocks under scalar rules.
    WorkgroupScalarLayout,
    /// 8-bit members of such blocks.
    Workgroup8,
    /// 16-bit members of such blocks.
    Workgroup16,
    /// Pointers without the type of what they point to (`shaderUntypedPointers`).
    UntypedPointers,
    /// Uniform blocks whose bytes are in the descriptor set (`inlineUniformBlock`).
    InlineUniformBlock,
    /// Mesh shaders, and the task shaders that start them (`meshShader`, `taskShader`).
    MeshShader,
    /// Buffers that take the outputs of vertices (`transformFeedback`).
    TransformFeedback,
    /// Descriptors that shaders find by their number (`descriptorHeap`).
    DescriptorHeap,
}

impl Feature {
    pub const ALL: [Self; 31] = [
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
        Self::PointersInBuffers,
        Self::Graphics,
        Self::VertexStores,
        Self::FragmentStores,
        Self::UniformBufferArray,
        Self::StorageBufferArray,
        Self::RayTracingPipeline,
        Self::WorkgroupLayout,
        Self::WorkgroupScalarLayout,
        Self::Workgroup8,
        Self::Workgroup16,
        Self::UntypedPointers,
        Self::InlineUniformBlock,
        Self::MeshShader,
        Self::TransformFeedback,
        Self::DescriptorHeap,
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
            Self::PointersInBuffers => "pointers in buffers",
            Self::Graphics => "graphics pipelines",
            Self::VertexStores => "vertexPipelineStoresAndAtomics",
            Self::FragmentStores => "fragmentStoresAndAtomics",
            Self::UniformBufferArray => "arrays of uniform buffers",
            Self::StorageBufferArray => "arrays of storage buffers",
            Self::RayTracingPipeline => "rayTracingPipeline",
            Self::WorkgroupLayout => "workgroupMemoryExplicitLayout",
            Self::WorkgroupScalarLayout => "workgroupMemoryExplicitLayoutScalarBlockLayout",
            Self::Workgroup8 => "workgroupMemoryExplicitLayout8BitAccess",
            Self::Workgroup16 => "workgroupMemoryExplicitLayout16BitAccess",
            Self::UntypedPointers => "shaderUntypedPointers",
            Self::InlineUniformBlock => "inlineUniformBlock",
            Self::MeshShader => "meshShader",
            Self::TransformFeedback => "transformFeedback",
            Self::DescriptorHeap => "descriptorHeap",
        })
    }
}

/// A feature that every probe needs. A device without it is listed, and all of its checks are
/// skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BasicFeature {
    ComputeShaders,
    StorageBuffers,
}

impl BasicFeature {
    pub const ALL: [Self; 2] = [Self::ComputeShaders, Self::StorageBuffers];
}

impl fmt::Display for BasicFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ComputeShaders => "compute shaders",
            Self::StorageBuffers => "storage buffers",
        })
    }
}
