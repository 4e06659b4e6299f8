//! The kinds of space that a parameter can use: bytes, registers, descriptors, locations.
//!
//! The binding rules (`layoutproof-bindings`) count in these units: a struct of a texture and a float uses
//! bytes and a `t` register.
//!
//! Source: Slang user guide, Parameter Layout Rules and Using the Reflection API. The names are
//! those on the command line.

use std::collections::BTreeMap;

use strum::{Display, EnumString, IntoStaticStr};

use crate::shape::Count;

/// A kind of space.
#[derive(Clone, Copy, Debug, Display, EnumString, IntoStaticStr, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[strum(serialize_all = "kebab-case")]
pub enum LayoutUnit {
    /// Bytes of ordinary data.
    Bytes,
    /// D3D constant buffer registers.
    #[strum(serialize = "b")]
    ConstantBuffer,
    /// D3D shader resource registers.
    #[strum(serialize = "t")]
    ShaderResource,
    /// D3D unordered access registers.
    #[strum(serialize = "u")]
    UnorderedAccess,
    /// D3D sampler registers.
    #[strum(serialize = "s")]
    Sampler,
    /// Bindings of a descriptor set (Vulkan) or a group (WebGPU).
    Binding,
    /// Register spaces (D3D), descriptor sets (Vulkan) or groups (WebGPU).
    Space,
    PushConstant,
    ConstantId,
    /// Locations of varying inputs.
    LocationIn,
    /// Locations of varying outputs.
    LocationOut,
    /// Shader records of ray-tracing stages.
    ShaderRecord,
    RayPayload,
    HitAttributes,
    /// Slots of the payloads of callable shaders.
    CallablePayload,
    InputAttachment,
    MetalBuffer,
    MetalTexture,
    MetalSampler,
    /// Elements of a Metal argument buffer.
    MetalArgument,
    /// Types that Slang's interfaces leave open, which a program is specialised by.
    ExistentialType,
    /// Values of such types, which are bound when the type is chosen.
    ExistentialObject,
    /// Binding points of uniform blocks in OpenGL.
    UniformBuffer,
    /// Binding points of storage blocks in OpenGL.
    StorageBuffer,
    /// Texture image units of OpenGL.
    TextureUnit,
    /// Image units of OpenGL.
    ImageUnit,
    /// Bytes of OpenGL's buffers of atomic counters. The space is the binding point of the buffer.
    AtomicCounterBytes,
    /// Locations of uniforms outside of blocks in OpenGL.
    UniformLocation,
}

impl LayoutUnit {
    /// The name on the command line and in cases.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// True for the registers of D3D, whose name is a letter: `b`, `t`, `u` and `s`.
    pub fn is_register(self) -> bool {
        matches!(self, Self::ConstantBuffer | Self::ShaderResource | Self::UnorderedAccess | Self::Sampler)
    }

    /// True if each register space, set or group counts the unit separately.
    pub fn has_space(self) -> bool {
        matches!(
            self,
            Self::ConstantBuffer
                | Self::ShaderResource
                | Self::UnorderedAccess
                | Self::Sampler
                | Self::Binding
                | Self::MetalBuffer
                | Self::MetalTexture
                | Self::MetalSampler
                | Self::UniformBuffer
                | Self::StorageBuffer
                | Self::TextureUnit
                | Self::ImageUnit
                | Self::AtomicCounterBytes
                | Self::UniformLocation
        )
    }
}

/// The amount of each unit that a type or parameter uses. Units that it does not use have no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage(BTreeMap<LayoutUnit, Count>);

impl FromIterator<(LayoutUnit, Count)> for Usage {
    fn from_iter<I: IntoIterator<Item = (LayoutUnit, Count)>>(amounts: I) -> Self {
        let mut usage = Self::default();
        amounts.into_iter().for_each(|(unit, count)| usage.add(unit, count));
        usage
    }
}

impl Usage {
    pub fn of(unit: LayoutUnit, count: Count) -> Self {
        let mut usage = Self::default();
        usage.add(unit, count);
        usage
    }

    /// The amount of `unit`; zero if the type does not use it.
    pub fn get(&self, unit: LayoutUnit) -> Count {
        self.0.get(&unit).copied().unwrap_or(Count::Finite(0))
    }

    /// Adds `count` of `unit`. Unbounded stays unbounded; a finite sum saturates at 2^32 - 1.
    pub fn add(&mut self, unit: LayoutUnit, count: Count) {
        let sum = match (self.get(unit), count) {
            (Count::Finite(have), Count::Finite(more)) => Count::Finite(have.saturating_add(more)),
            (Count::Unbounded, _) | (_, Count::Unbounded) => Count::Unbounded,
        };
        if sum != Count::Finite(0) {
            self.0.insert(unit, sum);
        }
    }

    pub fn set(&mut self, unit: LayoutUnit, count: Count) {
        self.0.remove(&unit);
        self.add(unit, count);
    }

    pub fn add_all(&mut self, other: &Self) {
        for (unit, count) in other.iter() {
            self.add(unit, count);
        }
    }

    /// The used units, in the order of [`LayoutUnit`].
    pub fn iter(&self) -> impl Iterator<Item = (LayoutUnit, Count)> {
        self.0.iter().map(|(unit, count)| (*unit, *count))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
