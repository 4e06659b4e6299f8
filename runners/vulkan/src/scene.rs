//! The scene for rays: a triangle and a box, each in an acceleration structure of its own, and one structure
//! above both. [`RecordStage`](layoutproof_device::RecordStage) says how a ray chooses.
//!
//! Source: Vulkan specification, "Acceleration Structures".

use std::rc::Rc;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::arena::{Arena, regions};
use crate::commands::VulkanCommands;
use crate::device::{RayTracing, VulkanDevice};
use crate::failure::failed;

/// Counter-clockwise around the z axis, as x, y, z.
const TRIANGLE: [f32; 9] = [-1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 0.0, 1.0, 1.0];

/// The least and the greatest x, y, z.
const BOX: [f32; 6] = [-1.0, -1.0, 1.0, 1.0, 1.0, 2.0];

/// Size of an instance in memory.
const INSTANCE: u32 = 64;

/// The record of an instance in the table of hit groups, to which a ray adds its own.
const RECORD: u32 = 1;

/// The acceleration structures, with their memory.
pub(crate) struct Scene {
    /// The one above the others comes last.
    structures: Vec<vk::AccelerationStructureKHR>,
    arena: Arena,
    device: Rc<VulkanDevice>,
}

/// The contents of a structure.
#[derive(Clone, Copy, Debug)]
enum Contents {
    Triangle,
    Box,
    /// An instance of each of the structures before it.
    Instances,
}

impl Contents {
    /// In the order of the structures. Those that the last one contains come first.
    const ALL: [Self; 3] = [Self::Triangle, Self::Box, Self::Instances];

    fn level(self) -> vk::AccelerationStructureTypeKHR {
        match self {
            Self::Triangle | Self::Box => vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
            Self::Instances => vk::AccelerationStructureTypeKHR::TOP_LEVEL,
        }
    }

    /// The number of triangles, boxes or instances.
    fn count(self) -> u32 {
        match self {
            Self::Triangle | Self::Box => 1,
            Self::Instances => 2,
        }
    }

    /// The geometry, whose data are at `address`.
    fn geometry(self, address: vk::DeviceAddress) -> vk::AccelerationStructureGeometryKHR<'static> {
        let data = vk::DeviceOrHostAddressConstKHR { device_address: address };
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .flags(vk::GeometryFlagsKHR::NO_DUPLICATE_ANY_HIT_INVOCATION);
        match self {
            Self::Triangle => {
                let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
                    .vertex_format(vk::Format::R32G32B32_SFLOAT)
                    .vertex_data(data)
                    .vertex_stride(12)
                    .max_vertex(2)
                    .index_type(vk::IndexType::NONE_KHR);
                let geometry = geometry.geometry_type(vk::GeometryTypeKHR::TRIANGLES);
                geometry.geometry(vk::AccelerationStructureGeometryDataKHR { triangles })
            }
            Self::Box => {
                let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR::default().data(data).stride(24);
                let geometry = geometry.geometry_type(vk::GeometryTypeKHR::AABBS);
                geometry.geometry(vk::AccelerationStructureGeometryDataKHR { aabbs })
            }
            Self::Instances => {
                let instances = vk::AccelerationStructureGeometryInstancesDataKHR::default().data(data);
                let geometry = geometry.geometry_type(vk::GeometryTypeKHR::INSTANCES);
                geometry.geometry(vk::AccelerationStructureGeometryDataKHR { instances })
            }
        }
    }
}

impl Scene {
    /// Builds the structures on the device.
    ///
    /// # Errors
    /// After `Timeout` and `DeviceLost` the device may still build them, and their memory is leaked.
    pub(crate) fn new(
        device: &Rc<VulkanDevice>,
        ray_tracing: &RayTracing,
        commands: &VulkanCommands,
    ) -> Result<Self, RunnerError> {
        let sizes = Contents::ALL.map(|contents| build_sizes(ray_tracing, contents));
        let size_in = |bytes: vk::DeviceSize| u32::try_from(bytes).expect("a structure of two objects is small");
        let data = [TRIANGLE.len() * 4, BOX.len() * 4, 2 * INSTANCE as usize].map(|bytes| size_in(bytes as u64));
        let structures = sizes.map(|sizes| size_in(sizes.acceleration_structure_size));
        let scratch = sizes.map(|sizes| size_in(sizes.build_scratch_size));
        let (starts, size) = regions([data, structures, scratch].concat());

        let mut scene = Self { structures: Vec::new(), arena: Arena::new(device, size)?, device: Rc::clone(device) };
        scene.arena.check_address()?;
        for ((contents, sizes), start) in Contents::ALL.into_iter().zip(&sizes).zip(&starts[3..]) {
            let create_info = vk::AccelerationStructureCreateInfoKHR::default()
                .buffer(scene.arena.handle())
                .offset(*start)
                .size(sizes.acceleration_structure_size)
                .ty(contents.level());
            // SAFETY: the buffer has the usage and the room, and the offset is a multiple of 256.
            let structure = unsafe { ray_tracing.structures.create_acceleration_structure(&create_info, None) }
                .map_err(failed("vkCreateAccelerationStructureKHR"))?;
            scene.structures.push(structure);
        }

        scene.arena.write(starts[0], &bytes_of(&TRIANGLE));
        scene.arena.write(starts[1], &bytes_of(&BOX));
        let instances = [(0, 1_u32 << 0), (1, 1 << 1)].map(|(index, mask)| instance(mask, scene.address_of(index)));
        scene.arena.write(starts[2], &instances.concat());

        let built = commands.run_recorded(|raw, buffer| scene.build(raw, buffer, ray_tracing, &starts));
        if let Err(error) = built {
            std::mem::forget(scene);
            return Err(error);
        }
        Ok(scene)
    }

    /// The address of the structure that rays are traced in.
    pub(crate) fn address(&self) -> vk::DeviceAddress {
        self.address_of(Contents::ALL.len() - 1)
    }

    fn address_of(&self, structure: usize) -> vk::DeviceAddress {
        let ray_tracing = self.device.ray_tracing.as_ref().expect("the scene was made with its functions");
        let info =
            vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(self.structures[structure]);
        // SAFETY: the structure comes from this device, and its buffer has memory.
        unsafe { ray_tracing.structures.get_acceleration_structure_device_address(&info) }
    }

    /// Records the commands that build the structures. `starts` has the places of their data, of the
    /// structures and of their scratch memory in the arena.
    fn build(&self, raw: &ash::Device, buffer: vk::CommandBuffer, ray_tracing: &RayTracing, starts: &[u64]) {
        for (index, contents) in Contents::ALL.into_iter().enumerate() {
            let address = |place: usize| self.arena.address() + starts[place];
            let geometries = [contents.geometry(address(index))];
            let info = build_info(contents, &geometries)
                .dst_acceleration_structure(self.structures[index])
                .scratch_data(vk::DeviceOrHostAddressKHR { device_address: address(6 + index) });
            let range = vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(contents.count());
            // SAFETY: recording has begun; all addresses are in the arena, with the room that the device
            // asked for.
            unsafe { ray_tracing.structures.cmd_build_acceleration_structures(buffer, &[info], &[&[range]]) };

            let barrier = vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::ACCELERATION_STRUCTURE_WRITE_KHR)
                .dst_access_mask(vk::AccessFlags::ACCELERATION_STRUCTURE_READ_KHR);
            let stages = vk::PipelineStageFlags::ACCELERATION_STRUCTURE_BUILD_KHR;
            let later = stages | vk::PipelineStageFlags::RAY_TRACING_SHADER_KHR;
            let flags = vk::DependencyFlags::empty();
            // SAFETY: recording has begun, outside of any render pass.
            unsafe { raw.cmd_pipeline_barrier(buffer, stages, later, flags, &[barrier], &[], &[]) };
        }
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let Some(ray_tracing) = &self.device.ray_tracing else { return };
        for structure in &self.structures {
            // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses it.
            unsafe { ray_tracing.structures.destroy_acceleration_structure(*structure, None) };
        }
    }
}

fn build_info<'a>(
    contents: Contents,
    geometries: &'a [vk::AccelerationStructureGeometryKHR<'a>],
) -> vk::AccelerationStructureBuildGeometryInfoKHR<'a> {
    vk::AccelerationStructureBuildGeometryInfoKHR::default()
        .ty(contents.level())
        .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
        .geometries(geometries)
}

fn build_sizes(ray_tracing: &RayTracing, contents: Contents) -> vk::AccelerationStructureBuildSizesInfoKHR<'static> {
    let geometries = [contents.geometry(0)];
    let info = build_info(contents, &geometries);
    let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
    // SAFETY: the device is alive. It reads no address here.
    unsafe {
        ray_tracing.structures.get_acceleration_structure_build_sizes(
            vk::AccelerationStructureBuildTypeKHR::DEVICE,
            &info,
            &[contents.count()],
            &mut sizes,
        );
    }
    sizes
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    bytemuck::cast_slice(numbers).to_vec()
}

/// The bytes of a `VkAccelerationStructureInstanceKHR` that stays where it is.
fn instance(mask: u32, structure: vk::DeviceAddress) -> Vec<u8> {
    let mut bytes = bytes_of(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bytes.extend((mask << 24).to_le_bytes());
    bytes.extend(RECORD.to_le_bytes());
    bytes.extend(structure.to_le_bytes());
    bytes
}
