//! The unit that a resource takes on each target, and the amount.
//!
//! Returns the [`Usage`] of each resource kind. Buffers with a layout inside (`ConstantBuffer<T>`
//! and similar types) have one unit for themselves: [`SlangSettings::buffer_unit`]. Source:
//! measured with Slang 2026.12 and 2026.14.1.

use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Usage};

use super::bytes::ByteRoom;
use super::settings::SlangSettings;
use crate::Target;

impl SlangSettings {
    /// Returns the units of a resource without a layout inside.
    pub(super) fn resource(&self, kind: ResourceKind, room: ByteRoom) -> Usage {
        let mut usage = Usage::default();
        if room == ByteRoom::Arguments {
            // A handle has no index, but Slang 2026.14.1 counts a buffer for the counter, which
            // Metal does not have.
            if has_counter(kind) {
                usage.add(LayoutUnit::MetalBuffer, Count::Finite(1));
            }
            return usage;
        }

        for register in kind.register_classes() {
            let unit = self.unit(*register, kind);
            let is_second = unit == LayoutUnit::Binding && usage.get(unit) != Count::Finite(0);
            if !is_second || self.splits_combined(room) {
                usage.add(unit, Count::Finite(self.descriptors(kind)));
            }
        }

        if let ResourceKind::SubpassInput { .. } = kind {
            usage.add(LayoutUnit::InputAttachment, Count::Finite(1));
        }
        usage
    }

    /// True if a texture with its sampler takes two bindings. WebGPU has no such type. In parameter
    /// blocks Slang 2026.14.1 still gives it one binding, and its code omits it.
    fn splits_combined(&self, room: ByteRoom) -> bool {
        self.target == Target::Webgpu && room != ByteRoom::Block
    }

    /// Returns the unit that a constant buffer, a texture buffer or a parameter block takes for its
    /// own buffer.
    pub(super) fn buffer_unit(&self, kind: ResourceKind) -> LayoutUnit {
        let is_texture = kind == ResourceKind::TextureBuffer;
        self.unit(if is_texture { LayoutUnit::ShaderResource } else { LayoutUnit::ConstantBuffer }, kind)
    }

    fn unit(&self, register: LayoutUnit, kind: ResourceKind) -> LayoutUnit {
        match self.target {
            Target::D3d12 => register,
            Target::Vulkan | Target::Webgpu if self.is_shifted(register) && !is_combined(kind) => register,
            Target::Vulkan | Target::Webgpu => LayoutUnit::Binding,
            Target::Metal => metal_unit(register, kind),
        }
    }

    /// Returns the number of registers or descriptors in each class of a resource. Append and
    /// consume buffers also have a counter.
    fn descriptors(&self, kind: ResourceKind) -> u32 {
        let has_counter = has_counter(kind);
        match self.target {
            Target::Vulkan | Target::Webgpu if has_counter => 2,
            // Observed with Slang 2026.14.1, although Metal has no such buffers.
            Target::Metal if has_counter => 3,
            Target::D3d12 | Target::Vulkan | Target::Webgpu | Target::Metal => 1,
        }
    }

    /// True if an array of resources takes the unit once for each element.
    pub(super) fn multiplies(&self, unit: LayoutUnit) -> bool {
        match unit {
            // All elements of an array of interface values have one type.
            LayoutUnit::Binding | LayoutUnit::ExistentialType => false,
            _ => !unit.is_register() || !self.speaks_spirv(),
        }
    }
}

fn has_counter(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::StructuredBuffer(Access::Append | Access::Consume))
}

pub(super) fn is_combined(kind: ResourceKind) -> bool {
    matches!(kind, ResourceKind::CombinedSampler(_))
}

/// True if fields of this unit move when their struct is in an array, so that each field becomes
/// its own array.
pub(super) fn is_register(unit: LayoutUnit) -> bool {
    let metal = [LayoutUnit::MetalBuffer, LayoutUnit::MetalTexture, LayoutUnit::MetalSampler];
    unit.is_register() || metal.contains(&unit)
}

/// Returns Metal's index unit of a resource: buffers of any access share one, textures of any
/// access another.
fn metal_unit(register: LayoutUnit, kind: ResourceKind) -> LayoutUnit {
    match (register, kind) {
        (LayoutUnit::Sampler, _) => LayoutUnit::MetalSampler,
        (
            _,
            ResourceKind::ConstantBuffer
            | ResourceKind::ParameterBlock
            | ResourceKind::StructuredBuffer(_)
            | ResourceKind::ByteAddressBuffer(_)
            | ResourceKind::AccelerationStructure,
        ) => LayoutUnit::MetalBuffer,
        _ => LayoutUnit::MetalTexture,
    }
}
