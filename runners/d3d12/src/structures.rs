//! The structures and numbers of Direct3D 12 that this crate uses.
//!
//! Source: Windows SDK, `d3d12.h`; vkd3d's `vkd3d_d3d12.idl` has the same.

use std::ffi::c_void;

use crate::com::Guid;

/// Identifiers of interfaces.
pub(crate) mod interfaces {
    use super::Guid;

    pub(crate) static DEVICE: Guid =
        Guid(0x1898_19f1, 0x1db6, 0x4b57, [0xbe, 0x54, 0x18, 0x21, 0x33, 0x9b, 0x85, 0xf7]);
    pub(crate) static COMMAND_QUEUE: Guid =
        Guid(0x0ec8_70a6, 0x5d7e, 0x4c22, [0x8c, 0xfc, 0x5b, 0xaa, 0xe0, 0x76, 0x16, 0xed]);
    pub(crate) static COMMAND_ALLOCATOR: Guid =
        Guid(0x6102_dee4, 0xaf59, 0x4b09, [0xb9, 0x99, 0xb4, 0x4d, 0x73, 0xf0, 0x9b, 0x24]);
    pub(crate) static GRAPHICS_COMMAND_LIST: Guid =
        Guid(0x5b16_0d0f, 0xac1b, 0x4185, [0x8b, 0xa8, 0xb3, 0xae, 0x42, 0xa5, 0xa4, 0x55]);
    pub(crate) static ROOT_SIGNATURE: Guid =
        Guid(0xc54a_6b66, 0x72df, 0x4ee8, [0x8b, 0xe5, 0xa9, 0x46, 0xa1, 0x42, 0x92, 0x14]);
    pub(crate) static PIPELINE_STATE: Guid =
        Guid(0x765a_30f3, 0xf624, 0x4c6f, [0xa8, 0x28, 0xac, 0xe9, 0x48, 0x62, 0x24, 0x45]);
    pub(crate) static RESOURCE: Guid =
        Guid(0x6964_42be, 0xa72e, 0x4059, [0xbc, 0x79, 0x5b, 0x5c, 0x98, 0x04, 0x0f, 0xad]);
    pub(crate) static FENCE: Guid = Guid(0x0a75_3dcf, 0xc4d8, 0x4b91, [0xad, 0xf6, 0xbe, 0x5a, 0x60, 0xd9, 0x5a, 0x76]);
    pub(crate) static DESCRIPTOR_HEAP: Guid =
        Guid(0x8efb_471d, 0x616c, 0x4f49, [0x90, 0xf7, 0x12, 0x7b, 0xb7, 0x63, 0xfa, 0x51]);
}

/// `D3D_FEATURE_LEVEL_11_0`, the minimum for Direct3D 12.
pub(crate) const FEATURE_LEVEL_11_0: u32 = 0xb000;

/// `D3D12_FEATURE`: the queries that a device answers.
pub(crate) mod feature {
    pub(crate) const OPTIONS: u32 = 0;
    pub(crate) const FEATURE_LEVELS: u32 = 2;
    pub(crate) const SHADER_MODEL: u32 = 7;
    pub(crate) const OPTIONS1: u32 = 8;
    pub(crate) const OPTIONS4: u32 = 23;
}

/// `D3D12_COMMAND_QUEUE_DESC`.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct CommandQueueDesc {
    /// 0: draws, dispatches and copies.
    pub(crate) kind: u32,
    pub(crate) priority: i32,
    pub(crate) flags: u32,
    pub(crate) nodes: u32,
}

/// `D3D12_HEAP_TYPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum HeapType {
    /// Memory of the device.
    Default = 1,
    /// Memory that the host writes.
    Upload = 2,
    /// Memory that the host reads.
    Readback = 3,
}

/// `D3D12_HEAP_PROPERTIES`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct HeapProperties {
    pub(crate) kind: HeapType,
    pub(crate) cpu_pages: u32,
    pub(crate) pool: u32,
    pub(crate) creation_nodes: u32,
    pub(crate) visible_nodes: u32,
}

/// `D3D12_RESOURCE_STATES`.
pub(crate) mod state {
    pub(crate) const RENDER_TARGET: u32 = 0x4;
    pub(crate) const UNORDERED_ACCESS: u32 = 0x8;
    pub(crate) const COPY_DEST: u32 = 0x400;
    pub(crate) const COPY_SOURCE: u32 = 0x800;
    /// A texture that any stage reads.
    pub(crate) const SHADER_RESOURCE: u32 = 0xc0;
    pub(crate) const GENERIC_READ: u32 = 0xac3;
}

/// `D3D12_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct ResourceDesc {
    /// 1: buffer.
    pub(crate) dimension: u32,
    pub(crate) alignment: u64,
    pub(crate) width: u64,
    pub(crate) height: u32,
    pub(crate) depth: u16,
    pub(crate) levels: u16,
    pub(crate) format: u32,
    pub(crate) samples: u32,
    pub(crate) quality: u32,
    /// 1: row by row, the layout of buffers.
    pub(crate) layout: u32,
    /// 1: a render target, 4: shaders may write it.
    pub(crate) flags: u32,
}

impl ResourceDesc {
    pub(crate) fn buffer(size: u64, is_written: bool) -> Self {
        Self {
            dimension: 1,
            alignment: 0,
            width: size,
            height: 1,
            depth: 1,
            levels: 1,
            format: format::UNKNOWN,
            samples: 1,
            quality: 0,
            layout: 1,
            flags: if is_written { 4 } else { 0 },
        }
    }
}

/// `DXGI_FORMAT`.
pub(crate) mod format {
    pub(crate) const UNKNOWN: u32 = 0;
    pub(crate) const R32G32B32A32_FLOAT: u32 = 2;
    pub(crate) const R32G32B32A32_UINT: u32 = 3;
    pub(crate) const R32G32B32A32_SINT: u32 = 4;
    pub(crate) const R32_TYPELESS: u32 = 39;
    pub(crate) const R32_FLOAT: u32 = 41;
}

/// `D3D12_DESCRIPTOR_RANGE`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DescriptorRange {
    /// 0: `t`, 1: `u`, 2: `b`, 3: `s`.
    pub(crate) kind: u32,
    /// `u32::MAX`: unbounded.
    pub(crate) count: u32,
    pub(crate) register: u32,
    pub(crate) space: u32,
    /// Index in the table.
    pub(crate) offset: u32,
}

/// `D3D12_ROOT_PARAMETER_TYPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum RootParameterType {
    Table = 0,
    Constants = 1,
    ConstantBuffer = 2,
    ShaderResource = 3,
    UnorderedAccess = 4,
}

/// `D3D12_ROOT_DESCRIPTOR_TABLE`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RootTable {
    pub(crate) count: u32,
    pub(crate) ranges: *const DescriptorRange,
}

/// `D3D12_ROOT_CONSTANTS`; `D3D12_ROOT_DESCRIPTOR` is the same without the number of words.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RootRegister {
    pub(crate) register: u32,
    pub(crate) space: u32,
    pub(crate) words: u32,
}

/// The content of a root parameter, by its type.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union RootParameterValue {
    pub(crate) table: RootTable,
    pub(crate) register: RootRegister,
}

/// `D3D12_ROOT_PARAMETER`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RootParameter {
    pub(crate) kind: RootParameterType,
    pub(crate) value: RootParameterValue,
    /// 0: all stages.
    pub(crate) visibility: u32,
}

/// `D3D12_ROOT_SIGNATURE_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RootSignatureDesc {
    pub(crate) parameters: u32,
    pub(crate) first_parameter: *const RootParameter,
    pub(crate) static_samplers: u32,
    pub(crate) first_static_sampler: *const c_void,
    pub(crate) flags: u32,
}

/// `D3D12_COMPUTE_PIPELINE_STATE_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ComputePipelineDesc {
    pub(crate) root_signature: *mut c_void,
    pub(crate) code: *const u8,
    pub(crate) code_size: usize,
    pub(crate) nodes: u32,
    pub(crate) cached: *const c_void,
    pub(crate) cached_size: usize,
    pub(crate) flags: u32,
}

/// `D3D12_SHADER_BYTECODE`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShaderBytecode {
    pub(crate) code: *const u8,
    pub(crate) size: usize,
}

impl ShaderBytecode {
    /// The bytes of a container, which must outlive this value.
    pub(crate) fn of(code: &[u8]) -> Self {
        Self { code: code.as_ptr(), size: code.len() }
    }

    pub(crate) fn none() -> Self {
        Self { code: std::ptr::null(), size: 0 }
    }
}

/// `D3D12_RENDER_TARGET_BLEND_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TargetBlendDesc {
    /// Switches, factors and operations, which have no effect without blending.
    pub(crate) blending: [u32; 9],
    /// Bit mask of the components that a pixel shader writes.
    pub(crate) write_mask: u8,
}

/// `D3D12_RASTERIZER_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RasterizerDesc {
    /// 3: solid.
    pub(crate) fill: u32,
    /// 1: none.
    pub(crate) cull: u32,
    pub(crate) front_counterclockwise: u32,
    pub(crate) depth_bias: i32,
    pub(crate) depth_bias_clamp: f32,
    pub(crate) sloped_depth_bias: f32,
    pub(crate) depth_clip: u32,
    pub(crate) multisample: u32,
    pub(crate) antialiased_lines: u32,
    pub(crate) forced_samples: u32,
    pub(crate) conservative: u32,
}

/// `D3D12_DEPTH_STENCIL_DESC`; all zeros means neither depth nor stencil.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DepthStencilDesc {
    pub(crate) depth: [u32; 3],
    pub(crate) stencil: u32,
    pub(crate) stencil_masks: [u8; 2],
    pub(crate) faces: [u32; 8],
}

/// `D3D12_INPUT_LAYOUT_DESC`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputLayoutDesc {
    pub(crate) elements: *const c_void,
    pub(crate) count: u32,
}

/// `D3D12_GRAPHICS_PIPELINE_STATE_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct GraphicsPipelineDesc {
    pub(crate) root_signature: *mut c_void,
    pub(crate) vertex: ShaderBytecode,
    pub(crate) pixel: ShaderBytecode,
    /// Domain, hull and geometry shader.
    pub(crate) others: [ShaderBytecode; 3],
    pub(crate) stream_declaration: *const c_void,
    pub(crate) stream_entries: u32,
    pub(crate) stream_strides: *const u32,
    pub(crate) stream_stride_count: u32,
    pub(crate) rasterized_stream: u32,
    pub(crate) alpha_to_coverage: u32,
    pub(crate) independent_blend: u32,
    pub(crate) blends: [TargetBlendDesc; 8],
    pub(crate) sample_mask: u32,
    pub(crate) rasterizer: RasterizerDesc,
    pub(crate) depth_stencil: DepthStencilDesc,
    pub(crate) input_layout: InputLayoutDesc,
    pub(crate) strip_cut: u32,
    /// 1: points.
    pub(crate) topology: u32,
    pub(crate) targets: u32,
    pub(crate) target_formats: [u32; 8],
    pub(crate) depth_format: u32,
    pub(crate) samples: u32,
    pub(crate) quality: u32,
    pub(crate) nodes: u32,
    pub(crate) cached: *const c_void,
    pub(crate) cached_size: usize,
    pub(crate) flags: u32,
}

/// `D3D12_VIEWPORT`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewport {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) nearest: f32,
    pub(crate) farthest: f32,
}

/// `D3D12_RECT`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

/// `D3D12_RESOURCE_BARRIER` of a transition.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Transition {
    /// 0: a transition.
    pub(crate) kind: u32,
    pub(crate) flags: u32,
    pub(crate) resource: *mut c_void,
    pub(crate) subresource: u32,
    pub(crate) before: u32,
    pub(crate) after: u32,
}

impl Transition {
    /// A transition of all subresources.
    pub(crate) fn new(resource: *mut c_void, before: u32, after: u32) -> Self {
        Self { kind: 0, flags: 0, resource, subresource: u32::MAX, before, after }
    }
}

/// `D3D12_PLACED_SUBRESOURCE_FOOTPRINT`: the place of a subresource's texels in a buffer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TexelFootprint {
    pub(crate) offset: u64,
    pub(crate) format: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    /// Bytes from one row to the next.
    pub(crate) pitch: u32,
}

impl TexelFootprint {
    /// Bytes in all rows.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.pitch) * u64::from(self.height) * u64::from(self.depth)
    }
}

/// The part of a resource to copy, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) union CopySource {
    pub(crate) footprint: TexelFootprint,
    pub(crate) subresource: u32,
}

/// `D3D12_TEXTURE_COPY_LOCATION`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct CopyLocation {
    pub(crate) resource: *mut c_void,
    /// 0: a subresource of a texture, 1: a footprint in a buffer.
    pub(crate) kind: u32,
    pub(crate) place: CopySource,
}

/// `D3D12_SAMPLER_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct SamplerDesc {
    /// 0: no filter; 0x80: no filter, comparison.
    pub(crate) filter: u32,
    /// 3: clamps to the edge.
    pub(crate) addresses: [u32; 3],
    pub(crate) level_bias: f32,
    pub(crate) anisotropy: u32,
    /// 1: never; 4: if the reference is less or equal.
    pub(crate) comparison: u32,
    pub(crate) border: [f32; 4],
    pub(crate) least_level: f32,
    pub(crate) most_level: f32,
}

/// `D3D12_SHADER_RESOURCE_VIEW_DESC` of a texture.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct TextureShaderView {
    pub(crate) format: u32,
    pub(crate) dimension: u32,
    /// [`COMPONENTS`].
    pub(crate) components: u32,
    pub(crate) reserved: u32,
    /// Numbers that depend on the dimension: first level, levels, ...
    pub(crate) words: [u32; 6],
}

/// `D3D12_DESCRIPTOR_HEAP_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct DescriptorHeapDesc {
    /// 0: views, 1: samplers, 2: render targets.
    pub(crate) kind: u32,
    pub(crate) count: u32,
    /// 1: shaders see it.
    pub(crate) flags: u32,
    pub(crate) nodes: u32,
}

/// `D3D12_CONSTANT_BUFFER_VIEW_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct ConstantBufferView {
    pub(crate) address: u64,
    pub(crate) size: u32,
}

/// `D3D12_BUFFER_SRV` in its `D3D12_SHADER_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct BufferShaderView {
    pub(crate) format: u32,
    /// 1: buffer.
    pub(crate) dimension: u32,
    /// [`COMPONENTS`].
    pub(crate) components: u32,
    pub(crate) first: u64,
    pub(crate) count: u32,
    pub(crate) stride: u32,
    /// 1: raw.
    pub(crate) flags: u32,
}

/// `D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING`.
pub(crate) const COMPONENTS: u32 = 0x1688;

/// `D3D12_BUFFER_UAV` in its `D3D12_UNORDERED_ACCESS_VIEW_DESC`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct BufferWritableView {
    pub(crate) format: u32,
    /// 1: buffer.
    pub(crate) dimension: u32,
    pub(crate) first: u64,
    pub(crate) count: u32,
    pub(crate) stride: u32,
    pub(crate) counter_offset: u64,
    /// 1: raw.
    pub(crate) flags: u32,
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// Sizes from MinGW's `d3d12.h` for x86-64.
    #[test]
    fn structures_are_as_long_as_those_of_the_sdk() {
        let sizes = [
            size_of::<HeapProperties>(),
            size_of::<ResourceDesc>(),
            size_of::<DescriptorRange>(),
            size_of::<RootParameter>(),
            size_of::<RootSignatureDesc>(),
            size_of::<ComputePipelineDesc>(),
            size_of::<Transition>(),
            size_of::<DescriptorHeapDesc>(),
            size_of::<ConstantBufferView>(),
            size_of::<BufferShaderView>(),
            size_of::<BufferWritableView>(),
            size_of::<TextureShaderView>(),
            size_of::<SamplerDesc>(),
            size_of::<CopyLocation>(),
            size_of::<TargetBlendDesc>(),
            size_of::<RasterizerDesc>(),
            size_of::<DepthStencilDesc>(),
            size_of::<GraphicsPipelineDesc>(),
            size_of::<Viewport>(),
            size_of::<Rectangle>(),
        ];
        assert_eq!(sizes, [20, 56, 20, 32, 40, 56, 32, 16, 16, 40, 40, 40, 52, 48, 40, 44, 52, 656, 24, 16]);
    }
}
