//! Blocks of bytes, which a rule set lays out as a whole.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::resource::DataLayout;
use crate::shape::{Count, Type};
use crate::{Annotations, Span};

/// The kinds of blocks, as the command-line contract names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// `cbuffer S`.
    Cbuffer,
    /// `ConstantBuffer<T>`.
    ConstantBuffer,
    /// `tbuffer S`.
    Tbuffer,
    /// `TextureBuffer<T>`.
    TextureBuffer,
    /// Ordinary data of a `ParameterBlock<T>`.
    ParameterBlock,
    /// An element of the `StructuredBuffer` family.
    StructuredElement,
    /// `[[vk::push_constant]]`.
    PushConstant,
    /// Loose globals.
    Globals,
    /// Slang's `[[vk::shader_record]]`, DXC's `[[vk::shader_record_ext]]`.
    ShaderRecord,
    /// Uniform parameters of an entry point.
    EntryUniforms,
    /// The pointee of a pointer parameter.
    Pointee,
    /// A uniform block of WGSL or GLSL.
    UniformBlock,
    /// A storage block of WGSL or GLSL.
    StorageBlock,
}

/// One of the blocks of a source that declares a push constant of plain data (`[[vk::push_constant]] P pc;`) beside other
/// globals. Compilers do not make the same blocks of these: see [`GlobalPushConstants`](crate::native::GlobalPushConstants).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MixedGlobals {
    /// `$Globals` with the push constants among its members.
    WithPushConstants,
    /// `$Globals` without them.
    WithoutPushConstants,
    /// A push constant that no other global stands before.
    FirstPushConstant,
    /// A push constant behind another global.
    LaterPushConstant,
}

/// A block of bytes, which one rule set lays out as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Name: `S`, `cb`, `$Globals`, `$Entry.main`, `p.inner`, `S#2`.
    pub name: String,
    /// Kind.
    pub kind: BlockKind,
    /// The type that the block holds: a struct of its members, or for `StructuredBuffer<float3>` the element itself.
    pub element: Type,
    /// Elements of an array of blocks; 1 for a single block.
    pub count: Count,
    /// Slang's explicit data layout.
    pub data_layout: Option<DataLayout>,
    /// Which block it is of a source that mixes push constants with other globals; not every compiler has it.
    pub mixed_globals: Option<MixedGlobals>,
    /// Annotations of the whole block.
    pub annotations: Annotations,
    /// Where it is declared; the default where it has no source text.
    pub span: Span,
}

impl Block {
    /// A single block without annotations.
    pub fn new(name: impl Into<String>, kind: BlockKind, element: impl Into<Type>) -> Self {
        Self {
            name: name.into(),
            kind,
            element: element.into(),
            count: Count::Finite(1),
            data_layout: None,
            mixed_globals: None,
            annotations: Annotations::default(),
            span: Span::default(),
        }
    }

    /// Where the member at `path` (`lights[].position`) is declared; the block itself for a path that leads to none.
    pub fn place_of(&self, path: &str) -> Span {
        let mut ty = &self.element;
        let mut place = self.span;
        for step in path.split('.') {
            let name = step.split('[').next().unwrap_or(step);
            let Type::Struct(structure) = ty.dimensions().0 else { break };
            let Some(member) = structure.member(name) else { break };
            (ty, place) = (&member.ty, member.span);
        }
        place
    }

    /// A uniform block of GLSL or WGSL that holds `element`.
    pub fn uniform(name: impl Into<String>, element: impl Into<Type>) -> Self {
        Self::new(name, BlockKind::UniformBlock, element)
    }

    /// A storage block of GLSL or WGSL that holds `element`.
    pub fn storage(name: impl Into<String>, element: impl Into<Type>) -> Self {
        Self::new(name, BlockKind::StorageBlock, element)
    }
}

impl BlockKind {
    /// True if members are declared directly in the block rather than in a struct type.
    pub(crate) fn has_direct_members(self) -> bool {
        match self {
            Self::Cbuffer | Self::Tbuffer | Self::Globals => true,
            Self::ConstantBuffer
            | Self::TextureBuffer
            | Self::ParameterBlock
            | Self::StructuredElement
            | Self::PushConstant
            | Self::ShaderRecord
            | Self::EntryUniforms
            | Self::Pointee
            | Self::UniformBlock
            | Self::StorageBlock => false,
        }
    }

    /// The name in the command-line contract.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cbuffer => "cbuffer",
            Self::ConstantBuffer => "constant-buffer",
            Self::Tbuffer => "tbuffer",
            Self::TextureBuffer => "texture-buffer",
            Self::ParameterBlock => "parameter-block",
            Self::StructuredElement => "structured-element",
            Self::PushConstant => "push-constant",
            Self::ShaderRecord => "shader-record",
            Self::Globals => "globals",
            Self::EntryUniforms => "entry-uniforms",
            Self::Pointee => "pointee",
            Self::UniformBlock => "uniform-block",
            Self::StorageBlock => "storage-block",
        }
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
