//! The kinds of space that a parameter can use: bytes, registers, descriptors, locations.
//!
//! The binding rules in the main crate count in these units: a struct of a texture and a float uses
//! bytes and a `t` register.
//!
//! Source: Slang user guide, Parameter Layout Rules and Using the Reflection API. The names are
//! those on the command line.

use std::collections::BTreeMap;
use std::fmt;

use crate::shape::Count;

macro_rules! units {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)*) => {
        /// A kind of space.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum LayoutUnit { $($(#[doc = $doc])+ $variant,)* }

        impl LayoutUnit {
            /// All units, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the command line and in cases.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

units! {
    /// Bytes of ordinary data.
    Bytes = "bytes",
    /// D3D constant buffer registers.
    ConstantBuffer = "b",
    /// D3D shader resource registers.
    ShaderResource = "t",
    /// D3D unordered access registers.
    UnorderedAccess = "u",
    /// D3D sampler registers.
    Sampler = "s",
    /// Bindings of a descriptor set (Vulkan) or a group (WebGPU).
    Binding = "binding",
    /// Register spaces (D3D), descriptor sets (Vulkan) or groups (WebGPU).
    Space = "space",
    /// Push-constant buffers.
    PushConstant = "push-constant",
    /// Specialization constants.
    ConstantId = "constant-id",
    /// Locations of varying inputs.
    LocationIn = "location-in",
    /// Locations of varying outputs.
    LocationOut = "location-out",
    /// Shader records of ray-tracing stages.
    ShaderRecord = "shader-record",
    /// Slots of ray payloads.
    RayPayload = "ray-payload",
    /// Slots of hit attributes.
    HitAttributes = "hit-attributes",
    /// Slots of the payloads of callable shaders.
    CallablePayload = "callable-payload",
    /// Input attachments.
    InputAttachment = "input-attachment",
    /// Metal buffer indices.
    MetalBuffer = "metal-buffer",
    /// Metal texture indices.
    MetalTexture = "metal-texture",
    /// Metal sampler indices.
    MetalSampler = "metal-sampler",
    /// Elements of a Metal argument buffer.
    MetalArgument = "metal-argument",
    /// Types that Slang's interfaces leave open, which a program is specialised by.
    ExistentialType = "existential-type",
    /// Values of such types, which are bound when the type is chosen.
    ExistentialObject = "existential-object",
}

impl LayoutUnit {
    /// The unit of a D3D register class: `b`, `t`, `u` or `s`.
    pub fn of_class(class: char) -> Option<Self> {
        match class {
            'b' => Some(Self::ConstantBuffer),
            't' => Some(Self::ShaderResource),
            'u' => Some(Self::UnorderedAccess),
            's' => Some(Self::Sampler),
            _ => None,
        }
    }

    /// True if each register space, set or group counts the unit separately.
    pub fn has_space(self) -> bool {
        match self {
            Self::ConstantBuffer
            | Self::ShaderResource
            | Self::UnorderedAccess
            | Self::Sampler
            | Self::Binding
            | Self::MetalBuffer
            | Self::MetalTexture
            | Self::MetalSampler => true,
            Self::Bytes
            | Self::Space
            | Self::PushConstant
            | Self::ConstantId
            | Self::LocationIn
            | Self::LocationOut
            | Self::ShaderRecord
            | Self::RayPayload
            | Self::HitAttributes
            | Self::CallablePayload
            | Self::InputAttachment
            | Self::MetalArgument
            | Self::ExistentialType
            | Self::ExistentialObject => false,
        }
    }
}

impl fmt::Display for LayoutUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
    /// `count` of `unit` and nothing else.
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

    /// Replaces the amount of `unit` by `count`.
    pub fn set(&mut self, unit: LayoutUnit, count: Count) {
        self.0.remove(&unit);
        self.add(unit, count);
    }

    /// Adds all amounts of `other`.
    pub fn add_all(&mut self, other: &Self) {
        for (unit, count) in other.iter() {
            self.add(unit, count);
        }
    }

    /// The used units, in the order of [`LayoutUnit::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (LayoutUnit, Count)> {
        self.0.iter().map(|(unit, count)| (*unit, *count))
    }

    /// True if the type uses no unit.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
