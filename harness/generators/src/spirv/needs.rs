//! Lists the needs of types on a device: the capability and extension to declare, and the feature
//! to enable.
//!
//! Source: SPIR-V specification, "Capability"; `SPV_KHR_8bit_storage`, which is core from SPIR-V
//! 1.5 on; Vulkan specification, "Features".

use std::collections::BTreeSet;

use layoutproof_device::Feature;
use rspirv::spirv::Capability;

use super::kind::{ScalarKind, ScalarMeaning};
use layoutproof_probes::AddressSpace;

/// The extension for blocks in workgroup memory.
pub(super) const WORKGROUP_EXTENSION: &str = "SPV_KHR_workgroup_memory_explicit_layout";

/// The extension for descriptors in a heap.
pub(super) const HEAP_EXTENSION: &str = "SPV_EXT_descriptor_heap";

/// The extension for pointers without a type.
pub(super) const UNTYPED_EXTENSION: &str = "SPV_KHR_untyped_pointers";

/// One need of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) capability: Capability,
    pub(super) feature: Feature,
    pub(super) extension: Option<&'static str>,
}

/// Lists the needs of a block of `kinds` in `spaces`, each capability once.
pub(super) fn of(kinds: &BTreeSet<ScalarKind>, spaces: &BTreeSet<AddressSpace>) -> Vec<Need> {
    let in_memory = kinds.iter().flat_map(|kind| spaces.iter().filter_map(|space| storage(*kind, *space)));
    let mut needs: Vec<Need> = Vec::new();
    for need in kinds.iter().flat_map(|kind| arithmetic(*kind)).chain(in_memory) {
        if !needs.contains(&need) {
            needs.push(need);
        }
    }
    needs
}

/// Lists the needs of values of a type. The bits of a 16-bit float are read through a 16-bit
/// integer.
fn arithmetic(kind: ScalarKind) -> Vec<Need> {
    let plain = |capability, feature| Need { capability, feature, extension: None };
    let int16 = plain(Capability::Int16, Feature::Int16);
    match (kind.bits, kind.numeric) {
        (8, _) => vec![plain(Capability::Int8, Feature::Int8)],
        (16, ScalarMeaning::Float) => vec![plain(Capability::Float16, Feature::Float16), int16],
        (16, ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Bool) => vec![int16],
        (64, ScalarMeaning::Float) => vec![plain(Capability::Float64, Feature::Float64)],
        (64, ScalarMeaning::Uint | ScalarMeaning::Int | ScalarMeaning::Bool) => {
            vec![plain(Capability::Int64, Feature::Int64)]
        }
        (_, _) => Vec::new(),
    }
}

/// Finds the needs of members of a type in a block. At an address and in a shader record, the rules
/// of storage buffers apply.
fn storage(kind: ScalarKind, space: AddressSpace) -> Option<Need> {
    use AddressSpace::{
        Address, HeapStorage, HeapUniform, InlineUniform, PushConstant, ShaderRecord, Storage, StorageElement, Uniform,
        UniformElement, Workgroup,
    };
    let (capability, feature) = match (kind.bits, space) {
        (8, Storage | StorageElement | HeapStorage | Address | ShaderRecord) => {
            (Capability::StorageBuffer8BitAccess, Feature::StorageBuffer8)
        }
        (8, Uniform | UniformElement | InlineUniform | HeapUniform) => {
            (Capability::UniformAndStorageBuffer8BitAccess, Feature::UniformBuffer8)
        }
        (8, PushConstant) => (Capability::StoragePushConstant8, Feature::PushConstant8),
        (16, Storage | StorageElement | HeapStorage | Address | ShaderRecord) => {
            (Capability::StorageBuffer16BitAccess, Feature::StorageBuffer16)
        }
        (16, Uniform | UniformElement | InlineUniform | HeapUniform) => {
            (Capability::UniformAndStorageBuffer16BitAccess, Feature::UniformBuffer16)
        }
        (16, PushConstant) => (Capability::StoragePushConstant16, Feature::PushConstant16),
        (8, Workgroup) => (Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR, Feature::Workgroup8),
        (16, Workgroup) => (Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR, Feature::Workgroup16),
        (
            _,
            Storage | StorageElement | HeapStorage | Address | ShaderRecord | Uniform | UniformElement | InlineUniform
            | HeapUniform | PushConstant | Workgroup,
        ) => return None,
    };
    let extension = match (kind.bits, space) {
        (_, Workgroup) => Some(WORKGROUP_EXTENSION),
        (8, _) => Some("SPV_KHR_8bit_storage"),
        (_, _) => None,
    };
    Some(Need { capability, feature, extension })
}
