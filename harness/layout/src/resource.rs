//! Kinds of resources. A shader reads them through a binding, not from a block's own bytes.
//!
//! A [`Resource`] has an element type, so [`crate::shape`] defines it next to the types.

use std::fmt;

use crate::LayoutUnit;
pub use crate::shape::Resource;

/// Slang's explicit data layouts of buffers; each variant is the Slang type of that name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataLayout {
    Std140DataLayout,
    Std430DataLayout,
    ScalarDataLayout,
    CDataLayout,
    DefaultDataLayout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `Texture2D`, `StructuredBuffer`.
    Read,
    /// `RW...`.
    ReadWrite,
    /// Slang's `W...`: textures that a shader only writes.
    Write,
    /// `RasterizerOrdered...`.
    RasterizerOrdered,
    Append,
    Consume,
    /// `Feedback...`.
    Feedback,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    ConstantBuffer,
    TextureBuffer,
    ParameterBlock,
    /// `StructuredBuffer<T>` and its RW, append, consume and rasterizer-ordered forms.
    StructuredBuffer(Access),
    /// `ByteAddressBuffer` and its RW and rasterizer-ordered forms.
    ByteAddressBuffer(Access),
    /// `Buffer<T>`: typed.
    Buffer(Access),
    Texture(Texture),
    /// `Sampler2D` and the like: a texture and a sampler in one.
    CombinedSampler(Texture),
    /// `SamplerState`, `sampler`.
    Sampler,
    SamplerComparison,
    AccelerationStructure,
    /// `SubpassInput` (`multisample` for `SubpassInputMS`).
    SubpassInput {
        multisample: bool,
    },
}

impl ResourceKind {
    /// Its D3D registers, at least one; a texture with its sampler has two.
    pub fn register_classes(self) -> &'static [LayoutUnit] {
        let view = |access| match access {
            Access::Read => &[LayoutUnit::ShaderResource][..],
            Access::ReadWrite
            | Access::Write
            | Access::RasterizerOrdered
            | Access::Append
            | Access::Consume
            | Access::Feedback => &[LayoutUnit::UnorderedAccess],
        };
        match self {
            Self::ConstantBuffer | Self::ParameterBlock => &[LayoutUnit::ConstantBuffer],
            Self::TextureBuffer | Self::AccelerationStructure | Self::SubpassInput { .. } => {
                &[LayoutUnit::ShaderResource]
            }
            Self::StructuredBuffer(access) | Self::ByteAddressBuffer(access) | Self::Buffer(access) => view(access),
            Self::Texture(texture) => view(texture.access),
            Self::CombinedSampler(_) => &[LayoutUnit::ShaderResource, LayoutUnit::Sampler],
            Self::Sampler | Self::SamplerComparison => &[LayoutUnit::Sampler],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texture {
    pub dimension: Dimension,
    /// True for `...Array`.
    pub array: bool,
    /// True for `...MS`.
    pub multisample: bool,
    pub access: Access,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    One,
    Two,
    Three,
    Cube,
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConstantBuffer => f.write_str("ConstantBuffer"),
            Self::TextureBuffer => f.write_str("TextureBuffer"),
            Self::ParameterBlock => f.write_str("ParameterBlock"),
            Self::StructuredBuffer(access) => write!(f, "{}StructuredBuffer", access.prefix()),
            Self::ByteAddressBuffer(access) => write!(f, "{}ByteAddressBuffer", access.prefix()),
            Self::Buffer(access) => write!(f, "{}Buffer", access.prefix()),
            Self::Texture(texture) => write!(f, "{}Texture{}", texture.access.prefix(), texture.suffix()),
            Self::CombinedSampler(texture) => write!(f, "{}Sampler{}", texture.access.prefix(), texture.suffix()),
            Self::Sampler => f.write_str("SamplerState"),
            Self::SamplerComparison => f.write_str("SamplerComparisonState"),
            Self::AccelerationStructure => f.write_str("RaytracingAccelerationStructure"),
            Self::SubpassInput { multisample } => {
                f.write_str(if *multisample { "SubpassInputMS" } else { "SubpassInput" })
            }
        }
    }
}

impl Access {
    fn prefix(self) -> &'static str {
        match self {
            Self::Read => "",
            Self::ReadWrite => "RW",
            Self::Write => "W",
            Self::RasterizerOrdered => "RasterizerOrdered",
            Self::Append => "Append",
            Self::Consume => "Consume",
            Self::Feedback => "Feedback",
        }
    }
}

impl Texture {
    fn suffix(self) -> String {
        let dimension = match self.dimension {
            Dimension::One => "1D",
            Dimension::Two => "2D",
            Dimension::Three => "3D",
            Dimension::Cube => "Cube",
        };
        format!("{dimension}{}{}", if self.multisample { "MS" } else { "" }, if self.array { "Array" } else { "" })
    }
}
