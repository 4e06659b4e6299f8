//! Registers of Direct3D: their classes as layout units, and registers in listings.

use layoutproof_device::ResourceClass;
use layoutproof_layout::LayoutUnit;

pub fn unit_of(class: ResourceClass) -> LayoutUnit {
    match class {
        ResourceClass::ConstantBuffer => LayoutUnit::ConstantBuffer,
        ResourceClass::ShaderResource => LayoutUnit::ShaderResource,
        ResourceClass::UnorderedAccess => LayoutUnit::UnorderedAccess,
        ResourceClass::Sampler => LayoutUnit::Sampler,
    }
}

/// The class of a layout unit; `None` for units that are not registers.
pub fn class_of(unit: LayoutUnit) -> Option<ResourceClass> {
    ResourceClass::ALL.into_iter().find(|class| unit_of(*class) == unit)
}

/// Unit, index and space of `cb0`, `t3,space1`.
pub(crate) fn register(text: &str) -> Option<(LayoutUnit, u32, u32)> {
    // A wide place touches the ID column, which is in capitals: `T0t4294967295`.
    let text = &text[text.find(|c: char| c.is_ascii_lowercase())?..];
    let (register, space) = text.split_once(",space").unwrap_or((text, "0"));
    let digits = register.find(|c: char| c.is_ascii_digit())?;
    let unit = match &register[..digits] {
        "cb" => LayoutUnit::ConstantBuffer,
        "t" => LayoutUnit::ShaderResource,
        "u" => LayoutUnit::UnorderedAccess,
        "s" => LayoutUnit::Sampler,
        _ => return None,
    };
    Some((unit, register[digits..].parse().ok()?, space.parse().ok()?))
}
