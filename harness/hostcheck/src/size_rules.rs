//! The sizes that APIs require of the bytes that a program binds to a block.

use layoutproof_layout::{BlockKind, ShaderTarget};

/// What an API compares the bytes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeNeed {
    /// The end of the last member. Padding after it does not count.
    LastMember,
    /// The size of the block, with the padding that its alignment adds.
    WholeBlock,
    /// The end of the last member, rounded up to a multiple of so many bytes.
    RoundedUp(u32),
    /// The size of the block; a view has a multiple of so many bytes, so that a shorter struct may lie in it.
    InViewsOf(u32),
}

/// The size that an API requires for blocks of some kinds.
#[derive(Debug, PartialEq, Eq)]
pub struct SizeRule {
    pub api: ShaderTarget,
    pub kinds: &'static [BlockKind],
    pub need: SizeNeed,
    /// The API's word for the size.
    pub what: &'static str,
    /// The clause or the live answer that says so.
    pub source: &'static str,
}

/// Blocks that programs bind as uniform or constant buffers.
const UNIFORM: &[BlockKind] = &[
    BlockKind::Cbuffer,
    BlockKind::ConstantBuffer,
    BlockKind::ParameterBlock,
    BlockKind::Globals,
    BlockKind::EntryUniforms,
    BlockKind::UniformBlock,
];

/// Without a row, an API only limits what a shader accesses: Vulkan's uniform and storage buffers (Vulkan 1.4,
/// `robustBufferAccess`). Elements of structured buffers have a stride instead of a size.
pub static SIZE_RULES: &[SizeRule] = &[
    SizeRule {
        api: ShaderTarget::Webgpu,
        kinds: UNIFORM,
        need: SizeNeed::WholeBlock,
        what: "minimum binding size",
        source: "WebGPU, 8.2 GPUBindGroup: minBindingSize; Dawn for Node 0.6.2 refuses 148 of 160 and 44 of 48 bytes",
    },
    SizeRule {
        api: ShaderTarget::Webgpu,
        kinds: &[BlockKind::StorageBlock],
        need: SizeNeed::WholeBlock,
        what: "minimum binding size",
        source: "WebGPU, 8.2 GPUBindGroup: minBindingSize; Dawn for Node 0.6.2",
    },
    SizeRule {
        api: ShaderTarget::Vulkan,
        kinds: &[BlockKind::PushConstant],
        need: SizeNeed::LastMember,
        what: "push constant range",
        source: "Vulkan 1.4, VUID-VkGraphicsPipelineCreateInfo-layout-10069: a range covers the block",
    },
    SizeRule {
        api: ShaderTarget::Opengl,
        kinds: &[BlockKind::UniformBlock],
        need: SizeNeed::RoundedUp(16),
        what: "UNIFORM_BLOCK_DATA_SIZE",
        source: "OpenGL 4.6, 7.6.3; llvmpipe of Mesa 22.3.6 reports 32 for 20 bytes and 48 for 40",
    },
    SizeRule {
        api: ShaderTarget::D3d12,
        kinds: &[BlockKind::PushConstant],
        need: SizeNeed::LastMember,
        what: "root constants",
        source: "D3D12_ROOT_CONSTANTS, Num32BitValues: the values of the whole buffer",
    },
    SizeRule {
        api: ShaderTarget::D3d12,
        kinds: UNIFORM,
        need: SizeNeed::InViewsOf(256),
        what: "constant buffer view",
        source: "D3D12_CONSTANT_BUFFER_VIEW_DESC, SizeInBytes: a multiple of 256",
    },
];

impl SizeRule {
    /// The rule of an API for blocks of a kind.
    pub fn find(api: ShaderTarget, kind: BlockKind) -> Option<&'static Self> {
        SIZE_RULES.iter().find(|rule| rule.api == api && rule.kinds.contains(&kind))
    }

    /// The fewest bytes that the API accepts for a block of `size` bytes whose last member ends at `end`.
    pub fn fewest(&self, size: u32, end: u32) -> u32 {
        match self.need {
            SizeNeed::LastMember => end,
            SizeNeed::WholeBlock => size,
            SizeNeed::RoundedUp(multiple) => end.checked_next_multiple_of(multiple).unwrap_or(end),
            // A view of the last multiple holds a struct with one byte in it.
            SizeNeed::InViewsOf(multiple) => size.saturating_sub(1) / multiple * multiple + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The live answers that the sources name, and the multiples of D3D12.
    #[test]
    fn apis_require_sizes() {
        for (api, kind, size, end, fewest) in [
            (ShaderTarget::Webgpu, BlockKind::UniformBlock, 160, 148, Some(160)),
            (ShaderTarget::Webgpu, BlockKind::StorageBlock, 48, 44, Some(48)),
            (ShaderTarget::Opengl, BlockKind::UniformBlock, 20, 20, Some(32)),
            (ShaderTarget::Opengl, BlockKind::UniformBlock, 40, 40, Some(48)),
            (ShaderTarget::Vulkan, BlockKind::PushConstant, 32, 28, Some(28)),
            (ShaderTarget::Vulkan, BlockKind::UniformBlock, 32, 28, None),
            (ShaderTarget::D3d12, BlockKind::Cbuffer, 320, 320, Some(257)),
            (ShaderTarget::D3d12, BlockKind::Cbuffer, 256, 256, Some(1)),
            (ShaderTarget::D3d12, BlockKind::PushConstant, 20, 20, Some(20)),
        ] {
            let found = SizeRule::find(api, kind).map(|rule| rule.fewest(size, end));
            assert_eq!(found, fewest, "{api:?} {kind:?} {size}");
        }
    }
}
