//! The device features that probes need: detects and enables them.
//!
//! Translates between Vulkan's feature structures and [`Feature`] with one table for both
//! directions, [`FeatureStructures::field`]. `robustBufferAccess` is not in the table and stays
//! off: bounds checks cost time and hide reads that are out of range.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};

use ash::{ext, khr, vk};
use layoutproof_device::Feature;

use crate::heap::{self, HeapFeatures};

/// A SPIR-V capability that no probe requires by name, because its shader declares it. The device's
/// feature for it is enabled wherever the device has it.
pub(crate) struct CapabilitySwitch {
    pub(crate) capability: u32,
    /// Name of the device feature.
    pub(crate) name: &'static str,
    field: fn(&mut FeatureStructures) -> &mut vk::Bool32,
}

/// `ImageCubeArray`: both a shader and a view of cube arrays need it.
pub(crate) const IMAGE_CUBE_ARRAY: u32 = 34;

/// Source: Vulkan, "Vulkan Environment for SPIR-V", "Capabilities".
pub(crate) const SWITCHES: [CapabilitySwitch; 18] = [
    CapabilitySwitch {
        capability: 25,
        name: "shaderImageGatherExtended",
        field: |of| &mut of.core.features.shader_image_gather_extended,
    },
    CapabilitySwitch {
        capability: 28,
        name: "shaderUniformBufferArrayDynamicIndexing",
        field: |of| &mut of.core.features.shader_uniform_buffer_array_dynamic_indexing,
    },
    CapabilitySwitch {
        capability: 29,
        name: "shaderSampledImageArrayDynamicIndexing",
        field: |of| &mut of.core.features.shader_sampled_image_array_dynamic_indexing,
    },
    CapabilitySwitch {
        capability: 30,
        name: "shaderStorageBufferArrayDynamicIndexing",
        field: |of| &mut of.core.features.shader_storage_buffer_array_dynamic_indexing,
    },
    CapabilitySwitch {
        capability: 31,
        name: "shaderStorageImageArrayDynamicIndexing",
        field: |of| &mut of.core.features.shader_storage_image_array_dynamic_indexing,
    },
    CapabilitySwitch {
        capability: IMAGE_CUBE_ARRAY,
        name: "imageCubeArray",
        field: |of| &mut of.core.features.image_cube_array,
    },
    CapabilitySwitch { capability: 45, name: "imageCubeArray", field: |of| &mut of.core.features.image_cube_array },
    CapabilitySwitch {
        capability: 49,
        name: "shaderStorageImageExtendedFormats",
        field: |of| &mut of.core.features.shader_storage_image_extended_formats,
    },
    CapabilitySwitch {
        capability: 55,
        name: "shaderStorageImageReadWithoutFormat",
        field: |of| &mut of.core.features.shader_storage_image_read_without_format,
    },
    CapabilitySwitch {
        capability: 56,
        name: "shaderStorageImageWriteWithoutFormat",
        field: |of| &mut of.core.features.shader_storage_image_write_without_format,
    },
    CapabilitySwitch {
        capability: 5302,
        name: "runtimeDescriptorArray",
        field: |of| &mut of.indexing.runtime_descriptor_array,
    },
    CapabilitySwitch {
        capability: 5306,
        name: "shaderUniformBufferArrayNonUniformIndexing",
        field: |of| &mut of.indexing.shader_uniform_buffer_array_non_uniform_indexing,
    },
    CapabilitySwitch {
        capability: 5307,
        name: "shaderSampledImageArrayNonUniformIndexing",
        field: |of| &mut of.indexing.shader_sampled_image_array_non_uniform_indexing,
    },
    CapabilitySwitch {
        capability: 5308,
        name: "shaderStorageBufferArrayNonUniformIndexing",
        field: |of| &mut of.indexing.shader_storage_buffer_array_non_uniform_indexing,
    },
    CapabilitySwitch {
        capability: 5309,
        name: "shaderStorageImageArrayNonUniformIndexing",
        field: |of| &mut of.indexing.shader_storage_image_array_non_uniform_indexing,
    },
    CapabilitySwitch {
        capability: 5345,
        name: "vulkanMemoryModel",
        field: |of| &mut of.memory_model.vulkan_memory_model,
    },
    CapabilitySwitch {
        capability: 5346,
        name: "vulkanMemoryModelDeviceScope",
        field: |of| &mut of.memory_model.vulkan_memory_model_device_scope,
    },
    CapabilitySwitch { capability: 6022, name: "cooperativeMatrix", field: |of| &mut of.tiles.cooperative_matrix },
];

/// `ShaderNonUniform`, which every device of Vulkan 1.2 or with `VK_EXT_descriptor_indexing` supports. It has no switch.
pub(crate) const NON_UNIFORM: (u32, &str) = (5301, "indices that are not uniform");

/// The capabilities of subgroup operations, for which devices have properties and no switches. Every device of Vulkan 1.1
/// has `GroupNonUniform` in compute shaders.
///
/// Source: Vulkan, "Vulkan Environment for SPIR-V", "Capabilities"; `VkSubgroupFeatureFlagBits`.
pub(crate) const SUBGROUPS: [(u32, vk::SubgroupFeatureFlags, &str); 7] = [
    (62, vk::SubgroupFeatureFlags::VOTE, "votes in subgroups"),
    (63, vk::SubgroupFeatureFlags::ARITHMETIC, "arithmetic in subgroups"),
    (64, vk::SubgroupFeatureFlags::BALLOT, "ballots in subgroups"),
    (65, vk::SubgroupFeatureFlags::SHUFFLE, "shuffles in subgroups"),
    (66, vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE, "relative shuffles in subgroups"),
    (67, vk::SubgroupFeatureFlags::CLUSTERED, "clustered operations in subgroups"),
    (68, vk::SubgroupFeatureFlags::QUAD, "quad operations in subgroups"),
];

/// The feature structures that a device knows: from Vulkan 1.2 on all that are core there; others if
/// it has their extension.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "one switch per structure, named after it")]
pub(crate) struct KnownStructures {
    storage8: bool,
    float16_int8: bool,
    scalar: bool,
    uniform_standard: bool,
    address: bool,
    indexing: bool,
    memory_model: bool,
    ray_tracing: bool,
    workgroup: bool,
    untyped: bool,
    inline_uniform: bool,
    mesh: bool,
    feedback: bool,
    heap: bool,
    tiles: bool,
}

/// `VK_KHR_shader_untyped_pointers`, which ash 0.38 does not know.
const UNTYPED_POINTERS: &CStr = c"VK_KHR_shader_untyped_pointers";

/// `VkPhysicalDeviceShaderUntypedPointersFeaturesKHR`, which ash 0.38 does not have.
///
/// Source: `vk.xml` of the Vulkan registry (header version 359), extension 388.
#[derive(Debug)]
#[repr(C)]
struct UntypedPointersFeatures {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    shader_untyped_pointers: vk::Bool32,
}

impl Default for UntypedPointersFeatures {
    fn default() -> Self {
        Self {
            // VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR
            s_type: vk::StructureType::from_raw(1_000_387_000),
            p_next: std::ptr::null_mut(),
            shader_untyped_pointers: vk::FALSE,
        }
    }
}

/// Ray-tracing pipelines, with the extensions that they require.
const RAY_TRACING: [&CStr; 3] =
    [khr::ray_tracing_pipeline::NAME, khr::acceleration_structure::NAME, khr::deferred_host_operations::NAME];

impl KnownStructures {
    /// The structures known to a device of Vulkan version `version`; `has` returns true for its
    /// extensions.
    pub(crate) fn of(version: u32, has: impl Fn(&CStr) -> bool) -> Self {
        let knows = |name: &CStr| version >= vk::API_VERSION_1_2 || has(name);
        Self {
            storage8: knows(khr::_8bit_storage::NAME),
            float16_int8: knows(khr::shader_float16_int8::NAME),
            scalar: knows(ext::scalar_block_layout::NAME),
            uniform_standard: knows(khr::uniform_buffer_standard_layout::NAME),
            address: knows(khr::buffer_device_address::NAME),
            indexing: knows(ext::descriptor_indexing::NAME),
            memory_model: knows(khr::vulkan_memory_model::NAME),
            // Both need SPIR-V 1.4, which Vulkan 1.2 contains.
            ray_tracing: version >= vk::API_VERSION_1_2 && RAY_TRACING.into_iter().all(&has),
            workgroup: version >= vk::API_VERSION_1_2 && has(khr::workgroup_memory_explicit_layout::NAME),
            untyped: has(UNTYPED_POINTERS),
            inline_uniform: version >= vk::API_VERSION_1_3 || has(ext::inline_uniform_block::NAME),
            // Needs SPIR-V 1.4.
            mesh: version >= vk::API_VERSION_1_2 && has(ext::mesh_shader::NAME),
            feedback: has(ext::transform_feedback::NAME),
            tiles: has(khr::cooperative_matrix::NAME),
            heap: version >= vk::API_VERSION_1_3 && has(heap::NAME) && has(khr::maintenance5::NAME),
        }
    }

    /// True for a device of Vulkan 1.2 or with `VK_EXT_descriptor_indexing`.
    pub(crate) fn has_indexing(self) -> bool {
        self.indexing
    }

    /// The extensions to enable on a device of Vulkan version `version`.
    pub(crate) fn extensions(self, version: u32) -> Vec<&'static CStr> {
        let in_1_2 = [
            (self.storage8, khr::_8bit_storage::NAME),
            (self.float16_int8, khr::shader_float16_int8::NAME),
            (self.scalar, ext::scalar_block_layout::NAME),
            (self.uniform_standard, khr::uniform_buffer_standard_layout::NAME),
            (self.address, khr::buffer_device_address::NAME),
            (self.indexing, ext::descriptor_indexing::NAME),
            (self.memory_model, khr::vulkan_memory_model::NAME),
        ];
        let ray_tracing = RAY_TRACING.map(|name| (self.ray_tracing, name));
        let others = [
            (self.workgroup, khr::workgroup_memory_explicit_layout::NAME),
            (self.untyped, UNTYPED_POINTERS),
            (self.inline_uniform && version < vk::API_VERSION_1_3, ext::inline_uniform_block::NAME),
            (self.mesh, ext::mesh_shader::NAME),
            (self.feedback, ext::transform_feedback::NAME),
            (self.tiles, khr::cooperative_matrix::NAME),
            (self.heap, heap::NAME),
            (self.heap, khr::maintenance5::NAME),
        ];
        let not_core = in_1_2.into_iter().filter(|_| version < vk::API_VERSION_1_2).chain(ray_tracing).chain(others);
        not_core.filter(|(known, _)| *known).map(|(_, name)| name).collect()
    }
}

#[derive(Debug, Default)]
pub(crate) struct FeatureStructures {
    core: vk::PhysicalDeviceFeatures2<'static>,
    storage16: vk::PhysicalDevice16BitStorageFeatures<'static>,
    storage8: vk::PhysicalDevice8BitStorageFeatures<'static>,
    float16_int8: vk::PhysicalDeviceShaderFloat16Int8Features<'static>,
    scalar: vk::PhysicalDeviceScalarBlockLayoutFeatures<'static>,
    uniform_standard: vk::PhysicalDeviceUniformBufferStandardLayoutFeatures<'static>,
    address: vk::PhysicalDeviceBufferDeviceAddressFeatures<'static>,
    indexing: vk::PhysicalDeviceDescriptorIndexingFeatures<'static>,
    memory_model: vk::PhysicalDeviceVulkanMemoryModelFeatures<'static>,
    ray_tracing: vk::PhysicalDeviceRayTracingPipelineFeaturesKHR<'static>,
    acceleration: vk::PhysicalDeviceAccelerationStructureFeaturesKHR<'static>,
    workgroup: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    untyped: UntypedPointersFeatures,
    inline_uniform: vk::PhysicalDeviceInlineUniformBlockFeatures<'static>,
    mesh: vk::PhysicalDeviceMeshShaderFeaturesEXT<'static>,
    feedback: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
    heap: HeapFeatures,
    maintenance5: vk::PhysicalDeviceMaintenance5FeaturesKHR<'static>,
    tiles: vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>,
}

impl FeatureStructures {
    /// Structures with exactly `features` enabled, and those of [`SWITCHES`] whose capabilities are
    /// given.
    pub(crate) fn with(features: &BTreeSet<Feature>, capabilities: &BTreeSet<u32>) -> Self {
        let mut structures = Self::default();
        for feature in features {
            if let Some(field) = structures.field(*feature) {
                *field = vk::TRUE;
            }
        }
        // Rays, mesh shaders and heaps need both, and a device with one has the other.
        structures.acceleration.acceleration_structure = structures.ray_tracing.ray_tracing_pipeline;
        structures.mesh.task_shader = structures.mesh.mesh_shader;
        structures.maintenance5.maintenance5 = structures.heap.descriptor_heap;
        for switch in SWITCHES.iter().filter(|switch| capabilities.contains(&switch.capability)) {
            *(switch.field)(&mut structures) = vk::TRUE;
        }
        structures
    }

    /// Links the known structures into a chain and returns its head, which is valid as long as
    /// `self` does not move.
    pub(crate) fn chain(&mut self, known: KnownStructures) -> &mut vk::PhysicalDeviceFeatures2<'static> {
        // Every device knows this structure, since 1.1 is the minimum version.
        self.storage16.p_next = std::ptr::null_mut();
        let mut next: *mut c_void = std::ptr::from_mut(&mut self.storage16).cast();

        macro_rules! link {
            ($($structure:ident),*) => {$(
                if known.$structure {
                    self.$structure.p_next = next;
                    next = std::ptr::from_mut(&mut self.$structure).cast();
                }
            )*};
        }
        link!(
            storage8,
            float16_int8,
            scalar,
            uniform_standard,
            address,
            indexing,
            memory_model,
            ray_tracing,
            workgroup,
            untyped,
            inline_uniform,
            mesh,
            feedback,
            heap,
            tiles
        );

        if known.ray_tracing {
            self.acceleration.p_next = next;
            next = std::ptr::from_mut(&mut self.acceleration).cast();
        }

        if known.heap {
            self.maintenance5.p_next = next;
            next = std::ptr::from_mut(&mut self.maintenance5).cast();
        }

        self.core.p_next = next;
        &mut self.core
    }

    /// The enabled features. Push constants, and arrays with constant indices, need no feature, nor do pointers
    /// in buffers on devices with addresses.
    pub(crate) fn features(&mut self) -> BTreeSet<Feature> {
        let on = |feature: &Feature| self.field(*feature).is_some_and(|on| *on == vk::TRUE);
        let mut features: BTreeSet<Feature> = Feature::ALL.into_iter().filter(on).collect();
        features.extend([Feature::PushConstants, Feature::UniformBufferArray, Feature::StorageBufferArray]);
        features.extend(features.contains(&Feature::BufferDeviceAddress).then_some(Feature::PointersInBuffers));
        // A launch names its shader records by their address, and heaps are at one.
        if !features.contains(&Feature::BufferDeviceAddress) {
            features.remove(&Feature::RayTracingPipeline);
            features.remove(&Feature::DescriptorHeap);
        }
        features
    }

    /// The capabilities of [`SWITCHES`] whose features are enabled.
    pub(crate) fn capabilities(&mut self) -> BTreeSet<u32> {
        let on = SWITCHES.iter().filter(|switch| *(switch.field)(self) == vk::TRUE);
        on.map(|switch| switch.capability).collect()
    }

    /// The field of a feature; `None` for features without a field.
    fn field(&mut self, feature: Feature) -> Option<&mut vk::Bool32> {
        Some(match feature {
            Feature::PushConstants
            | Feature::PointersInBuffers
            | Feature::Graphics
            | Feature::UniformBufferArray
            | Feature::StorageBufferArray => return None,
            Feature::VertexStores => &mut self.core.features.vertex_pipeline_stores_and_atomics,
            Feature::FragmentStores => &mut self.core.features.fragment_stores_and_atomics,
            Feature::UniformBufferStandardLayout => &mut self.uniform_standard.uniform_buffer_standard_layout,
            Feature::ScalarBlockLayout => &mut self.scalar.scalar_block_layout,
            Feature::Int8 => &mut self.float16_int8.shader_int8,
            Feature::Int16 => &mut self.core.features.shader_int16,
            Feature::Int64 => &mut self.core.features.shader_int64,
            Feature::Float16 => &mut self.float16_int8.shader_float16,
            Feature::Float64 => &mut self.core.features.shader_float64,
            Feature::StorageBuffer8 => &mut self.storage8.storage_buffer8_bit_access,
            Feature::UniformBuffer8 => &mut self.storage8.uniform_and_storage_buffer8_bit_access,
            Feature::PushConstant8 => &mut self.storage8.storage_push_constant8,
            Feature::StorageBuffer16 => &mut self.storage16.storage_buffer16_bit_access,
            Feature::UniformBuffer16 => &mut self.storage16.uniform_and_storage_buffer16_bit_access,
            Feature::PushConstant16 => &mut self.storage16.storage_push_constant16,
            Feature::BufferDeviceAddress => &mut self.address.buffer_device_address,
            Feature::RayTracingPipeline => &mut self.ray_tracing.ray_tracing_pipeline,
            Feature::WorkgroupLayout => &mut self.workgroup.workgroup_memory_explicit_layout,
            Feature::WorkgroupScalarLayout => &mut self.workgroup.workgroup_memory_explicit_layout_scalar_block_layout,
            Feature::Workgroup8 => &mut self.workgroup.workgroup_memory_explicit_layout8_bit_access,
            Feature::Workgroup16 => &mut self.workgroup.workgroup_memory_explicit_layout16_bit_access,
            Feature::UntypedPointers => &mut self.untyped.shader_untyped_pointers,
            Feature::InlineUniformBlock => &mut self.inline_uniform.inline_uniform_block,
            Feature::MeshShader => &mut self.mesh.mesh_shader,
            Feature::TransformFeedback => &mut self.feedback.transform_feedback,
            Feature::DescriptorHeap => &mut self.heap.descriptor_heap,
        })
    }
}
