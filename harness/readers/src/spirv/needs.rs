//! Finds the device features that a module needs, from the capabilities and the types that it declares.
//!
//! Source: SPIR-V specification, "Capability"; Vulkan specification, "Features" and "SPIR-V
//! Capabilities".

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::Feature;
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Capability, Op, StorageClass};

use super::load;
use crate::ReadError;

/// The features for the capabilities of a module.
///
/// # Errors
/// A capability that no supported device is known to have, or words that are not a module.
pub fn features_of(words: &[u32]) -> Result<BTreeSet<Feature>, ReadError> {
    let module = load(words)?;
    let declared = module.capabilities.iter().flat_map(|instruction| &instruction.operands);
    let mut features = BTreeSet::new();
    for operand in declared {
        if let Operand::Capability(capability) = operand {
            features.extend(feature(*capability)?);
        }
    }
    if has_pointers_in_buffers(&module) {
        features.insert(Feature::PointersInBuffers);
    }
    Ok(features)
}

/// True if a struct has a pointer to a physical address among its members, apart from the struct of the push
/// constants, through which probes pass addresses.
fn has_pointers_in_buffers(module: &Module) -> bool {
    let pointers: BTreeMap<u32, (StorageClass, u32)> = module
        .types_global_values
        .iter()
        .filter_map(|instruction| match (instruction.class.opcode, instruction.operands.as_slice()) {
            (Op::TypePointer, [Operand::StorageClass(class), Operand::IdRef(pointee)]) => {
                Some((instruction.result_id?, (*class, *pointee)))
            }
            _ => None,
        })
        .collect();
    let is_address =
        |id: &u32| pointers.get(id).is_some_and(|(class, _)| *class == StorageClass::PhysicalStorageBuffer);
    let is_pushed =
        |id: Option<u32>| pointers.values().any(|(class, to)| *class == StorageClass::PushConstant && Some(*to) == id);

    module.types_global_values.iter().any(|instruction| {
        instruction.class.opcode == Op::TypeStruct
            && !is_pushed(instruction.result_id)
            && instruction.operands.iter().any(|member| matches!(member, Operand::IdRef(id) if is_address(id)))
    })
}

/// The feature for a capability; `None` for capabilities that every Vulkan 1.1 device has, and for those of textures,
/// arrays of descriptors, subgroups and the memory model, which no probe uses: a user's own code brings them. The runner
/// compares those with the device.
///
/// Source: Vulkan 1.3, "Vulkan Environment for SPIR-V", Capabilities: those without a requirement.
fn feature(capability: Capability) -> Result<Option<Feature>, ReadError> {
    Ok(match capability {
        Capability::Matrix
        | Capability::Shader
        | Capability::InputAttachment
        | Capability::Sampled1D
        | Capability::Image1D
        | Capability::SampledBuffer
        | Capability::ImageBuffer
        | Capability::ImageQuery
        | Capability::DerivativeControl
        | Capability::UniformBufferArrayDynamicIndexing
        | Capability::SampledImageArrayDynamicIndexing
        | Capability::StorageBufferArrayDynamicIndexing
        | Capability::StorageImageArrayDynamicIndexing
        | Capability::SampledCubeArray
        | Capability::ImageCubeArray
        | Capability::StorageImageExtendedFormats
        | Capability::StorageImageReadWithoutFormat
        | Capability::StorageImageWriteWithoutFormat
        | Capability::RuntimeDescriptorArray
        | Capability::ShaderNonUniform
        | Capability::UniformBufferArrayNonUniformIndexing
        | Capability::SampledImageArrayNonUniformIndexing
        | Capability::StorageBufferArrayNonUniformIndexing
        | Capability::StorageImageArrayNonUniformIndexing
        | Capability::ImageGatherExtended
        | Capability::VulkanMemoryModel
        | Capability::VulkanMemoryModelDeviceScope
        | Capability::GroupNonUniform
        | Capability::GroupNonUniformVote
        | Capability::GroupNonUniformArithmetic
        | Capability::GroupNonUniformBallot
        | Capability::GroupNonUniformShuffle
        | Capability::GroupNonUniformShuffleRelative
        | Capability::GroupNonUniformClustered
        | Capability::GroupNonUniformQuad => None,
        Capability::Int8 => Some(Feature::Int8),
        Capability::Int16 => Some(Feature::Int16),
        Capability::Int64 => Some(Feature::Int64),
        Capability::Float16 => Some(Feature::Float16),
        Capability::Float64 => Some(Feature::Float64),
        Capability::StorageBuffer8BitAccess => Some(Feature::StorageBuffer8),
        Capability::UniformAndStorageBuffer8BitAccess => Some(Feature::UniformBuffer8),
        Capability::StoragePushConstant8 => Some(Feature::PushConstant8),
        Capability::StorageBuffer16BitAccess => Some(Feature::StorageBuffer16),
        Capability::UniformAndStorageBuffer16BitAccess => Some(Feature::UniformBuffer16),
        Capability::StoragePushConstant16 => Some(Feature::PushConstant16),
        Capability::PhysicalStorageBufferAddresses => Some(Feature::BufferDeviceAddress),
        Capability::RayTracingKHR => Some(Feature::RayTracingPipeline),
        Capability::WorkgroupMemoryExplicitLayoutKHR => Some(Feature::WorkgroupLayout),
        Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR => Some(Feature::Workgroup8),
        Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR => Some(Feature::Workgroup16),
        Capability::UntypedPointersKHR => Some(Feature::UntypedPointers),
        Capability::DescriptorHeapEXT => Some(Feature::DescriptorHeap),
        other => return Err(ReadError::Capability(other)),
    })
}

/// The module without the capability of 16-bit inputs and outputs, if it has none: naga 30 declares it for each module
/// with 16-bit floats, and many devices lack it.
pub fn without_unused_interface(words: &[u32]) -> Vec<u32> {
    const HEADER: usize = 5;
    let (header, body) = words.split_at(words.len().min(HEADER));
    let mut kept = header.to_vec();
    let mut unused: Option<std::ops::Range<usize>> = None;
    // Types with 16-bit parts. Types come after those that they contain.
    let mut narrow: BTreeSet<u32> = BTreeSet::new();
    let mut rest = body;
    while let Some(first) = rest.first() {
        let length = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, behind) = rest.split_at(length);
        match (Op::from_u32(first & 0xFFFF), &instruction[1..]) {
            (Some(Op::Capability), [capability]) if *capability == Capability::StorageInputOutput16 as u32 => {
                unused = Some(kept.len()..kept.len() + length);
            }
            (Some(Op::TypeInt | Op::TypeFloat), [id, 16, ..]) => drop(narrow.insert(*id)),
            (
                Some(Op::TypeVector | Op::TypeMatrix | Op::TypeArray | Op::TypeRuntimeArray | Op::TypeStruct),
                [id, parts @ ..],
            ) if parts.iter().any(|part| narrow.contains(part)) => drop(narrow.insert(*id)),
            (Some(Op::TypePointer), [_, class, pointee])
                if [StorageClass::Input as u32, StorageClass::Output as u32].contains(class)
                    && narrow.contains(pointee) =>
            {
                return words.to_vec();
            }
            _ => {}
        }
        kept.extend(instruction);
        rest = behind;
    }
    if let Some(unused) = unused {
        kept.drain(unused);
    }
    kept
}

/// The name that `spirv-val --target-env` has for the earliest Vulkan version with the SPIR-V version
/// of a module; at least Vulkan 1.1.
pub fn target_environment(words: &[u32]) -> &'static str {
    let [_, major, minor, _] = words.get(1).copied().unwrap_or_default().to_be_bytes();
    match (major, minor) {
        (0, _) | (1, ..=3) => "vulkan1.1",
        (1, 4 | 5) => "vulkan1.2",
        (_, _) => "vulkan1.3",
    }
}

/// The extension of unbounded arrays of descriptors, and all of its capabilities.
const DESCRIPTOR_INDEXING: &str = "SPV_EXT_descriptor_indexing";
const OF_DESCRIPTOR_INDEXING: std::ops::RangeInclusive<u32> =
    Capability::ShaderNonUniform as u32..=Capability::StorageTexelBufferArrayNonUniformIndexing as u32;

/// The module without words that no device needs.
///
/// Removes `OpSource` and `OpSourceExtension`, which name the source language: validators reject modules whose language
/// they do not know. Removes the capability of unbounded arrays of descriptors from a module without such an array: DXC
/// 1.7.2308 leaves it there after it has removed an array that no code uses, and a device without the feature would have
/// to refuse the module.
pub fn for_devices(words: &[u32]) -> Vec<u32> {
    const HEADER: usize = 5;
    let (header, body) = words.split_at(words.len().min(HEADER));
    let mut instructions: Vec<&[u32]> = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.first() {
        let length = ((first >> 16) as usize).clamp(1, rest.len());
        let (instruction, behind) = rest.split_at(length);
        instructions.push(instruction);
        rest = behind;
    }

    let unused = unused_descriptor_array(&instructions);
    let is_kept = |instruction: &&[u32]| match Op::from_u32(instruction[0] & 0xFFFF) {
        Some(Op::Source | Op::SourceExtension) => false,
        Some(Op::Capability) => !unused || instruction.get(1) != Some(&(Capability::RuntimeDescriptorArray as u32)),
        Some(Op::Extension) => {
            let name: Vec<u8> = instruction[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
            !unused || !name.starts_with(DESCRIPTOR_INDEXING.as_bytes())
        }
        _ => true,
    };
    let kept = instructions.iter().copied().filter(is_kept);
    std::iter::once(header).chain(kept).flatten().copied().collect()
}

/// True if unbounded arrays of descriptors are the only thing of their extension that the module declares, and it has none.
fn unused_descriptor_array(instructions: &[&[u32]]) -> bool {
    let of = |op: Op| instructions.iter().filter(move |instruction| instruction[0] & 0xFFFF == op as u32);
    let is_only = of(Op::Capability)
        .filter_map(|capability| capability.get(1))
        .filter(|capability| OF_DESCRIPTOR_INDEXING.contains(*capability))
        .eq([&(Capability::RuntimeDescriptorArray as u32)]);
    let arrays: BTreeSet<u32> = of(Op::TypeRuntimeArray).filter_map(|array| array.get(1).copied()).collect();
    let pointers: BTreeSet<u32> = of(Op::TypePointer)
        .filter(|pointer| pointer.get(3).is_some_and(|pointee| arrays.contains(pointee)))
        .filter_map(|pointer| pointer.get(1).copied())
        .collect();
    is_only && !of(Op::Variable).any(|variable| variable.get(1).is_some_and(|ty| pointers.contains(ty)))
}
