//! Descriptor heaps (`VK_EXT_descriptor_heap`), which ash 0.38 does not know.
//!
//! A heap is memory with the descriptors of a device, at distances that the device states. Shaders find a descriptor by its
//! number, so a job's buffers in the heap are at their elements. A pipeline with a heap has no sets: the descriptors of bound
//! buffers follow in the heap, and the pipeline says where ([`BindingMappings`]).
//!
//! Source: `vulkan_core.h` of the Vulkan registry (header version 361).

use std::ffi::{CStr, c_void};

use ash::vk;
use layoutproof_device::{BufferKind, Job, JobBuffer, RunnerError};

use crate::arena::Arena;
use crate::device::VulkanDevice;
use crate::failure::failed;
use crate::instance::Instance;
use crate::job_memory::HeapRange;

pub(crate) const NAME: &CStr = c"VK_EXT_descriptor_heap";

/// `VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT`
pub(crate) const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(0x1000_0000);
/// `VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT`
pub(crate) const PIPELINE: vk::PipelineCreateFlags2KHR = vk::PipelineCreateFlags2KHR::from_raw(0x10_0000_0000);

/// `VkPhysicalDeviceDescriptorHeapFeaturesEXT`
#[derive(Debug)]
#[repr(C)]
pub(crate) struct HeapFeatures {
    s_type: vk::StructureType,
    pub(crate) p_next: *mut c_void,
    pub(crate) descriptor_heap: vk::Bool32,
    capture_replay: vk::Bool32,
}

impl Default for HeapFeatures {
    fn default() -> Self {
        let s_type = vk::StructureType::from_raw(1_000_135_009);
        Self { s_type, p_next: std::ptr::null_mut(), descriptor_heap: vk::FALSE, capture_replay: vk::FALSE }
    }
}

/// `VkPhysicalDeviceDescriptorHeapPropertiesEXT`
#[derive(Debug)]
#[repr(C)]
struct HeapProperties {
    s_type: vk::StructureType,
    p_next: *mut c_void,
    sampler_heap_alignment: u64,
    resource_heap_alignment: u64,
    max_sampler_heap_size: u64,
    max_resource_heap_size: u64,
    min_sampler_heap_reserved_range: u64,
    min_sampler_heap_reserved_range_with_embedded: u64,
    min_resource_heap_reserved_range: u64,
    sampler_descriptor_size: u64,
    image_descriptor_size: u64,
    buffer_descriptor_size: u64,
    sampler_descriptor_alignment: u64,
    image_descriptor_alignment: u64,
    buffer_descriptor_alignment: u64,
    max_push_data_size: u64,
    image_capture_replay_opaque_data_size: usize,
    max_descriptor_heap_embedded_samplers: u32,
    sampler_ycbcr_conversion_count: u32,
    sparse_descriptor_heaps: vk::Bool32,
    protected_descriptor_heaps: vk::Bool32,
}

/// `VkDeviceAddressRangeEXT`
#[repr(C)]
struct AddressRange {
    address: u64,
    size: u64,
}

/// `VkHostAddressRangeEXT`
#[repr(C)]
struct HostRange {
    address: *mut c_void,
    size: usize,
}

/// `VkResourceDescriptorInfoEXT` of a buffer
#[repr(C)]
struct DescriptorInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    ty: vk::DescriptorType,
    range: *const AddressRange,
}

/// `VkBindHeapInfoEXT`
#[repr(C)]
struct BindHeapInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    heap: AddressRange,
    reserved_offset: u64,
    reserved_size: u64,
}

/// `VkDescriptorMappingSourceConstantOffsetEXT` in the union `VkDescriptorMappingSourceDataEXT`, which
/// `VkDescriptorMappingSourceIndirectIndexEXT` makes 56 bytes long.
#[repr(C)]
struct ConstantOffset {
    heap_offset: u32,
    heap_array_stride: u32,
    embedded_sampler: *const c_void,
    sampler_heap_offset: u32,
    sampler_heap_array_stride: u32,
    rest_of_union: [u64; 4],
}

/// `VkDescriptorSetAndBindingMappingEXT` whose source is a constant offset in the heap.
#[repr(C)]
struct Mapping {
    s_type: vk::StructureType,
    p_next: *const c_void,
    set: u32,
    first_binding: u32,
    binding_count: u32,
    resources: u32,
    source: u32,
    data: ConstantOffset,
}

const _: () = assert!(size_of::<Mapping>() == 96 && std::mem::offset_of!(Mapping, data) == 40);

/// `VkShaderDescriptorSetAndBindingMappingInfoEXT`
#[repr(C)]
struct MappingInfo {
    s_type: vk::StructureType,
    p_next: *const c_void,
    count: u32,
    mappings: *const Mapping,
}

/// A binding whose descriptor is in the heap, at a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MappedBinding {
    set: u32,
    binding: u32,
    number: u32,
}

impl MappedBinding {
    /// The bound buffers of a job with a heap.
    pub(crate) fn of(job: &Job) -> Vec<Self> {
        let numbers = heap_numbers(job);
        let bound = job.buffers.iter().zip(numbers).filter(|(buffer, _)| !is_in_heap(buffer));
        bound.map(|(buffer, number)| Self { set: buffer.set, binding: buffer.binding, number }).collect()
    }
}

/// The places of a stage's bindings, to which the pipeline's creation gets a pointer.
pub(crate) struct BindingMappings {
    mappings: Vec<Mapping>,
}

impl BindingMappings {
    pub(crate) fn new(functions: &HeapFunctions, mapped: &[MappedBinding]) -> Self {
        let mapping = |mapped: &MappedBinding| Mapping {
            s_type: vk::StructureType::from_raw(1_000_135_005),
            p_next: std::ptr::null(),
            set: mapped.set,
            first_binding: mapped.binding,
            binding_count: 1,
            // `VK_SPIRV_RESOURCE_TYPE_ALL_EXT`
            resources: 0x7FFF_FFFF,
            // `VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT`
            source: 0,
            data: ConstantOffset {
                heap_offset: u32::try_from(u64::from(mapped.number) * functions.descriptor)
                    .expect("the numbers of a job's buffers are small"),
                heap_array_stride: 0,
                embedded_sampler: std::ptr::null(),
                sampler_heap_offset: 0,
                sampler_heap_array_stride: 0,
                rest_of_union: [0; 4],
            },
        };
        Self { mappings: mapped.iter().map(mapping).collect() }
    }

    /// Calls `with` with the stage, to which the mappings are added.
    pub(crate) fn add_to<T>(
        &self,
        stage: vk::PipelineShaderStageCreateInfo<'_>,
        with: impl FnOnce(vk::PipelineShaderStageCreateInfo<'_>) -> T,
    ) -> T {
        let info = MappingInfo {
            s_type: vk::StructureType::from_raw(1_000_135_006),
            p_next: stage.p_next,
            count: u32::try_from(self.mappings.len()).expect("a job has few buffers"),
            mappings: self.mappings.as_ptr(),
        };
        with(vk::PipelineShaderStageCreateInfo { p_next: (&raw const info).cast(), ..stage })
    }
}

pub(crate) fn is_in_heap(buffer: &JobBuffer) -> bool {
    matches!(buffer.kind, BufferKind::HeapUniform | BufferKind::HeapStorage)
}

/// The number of each buffer's descriptor in the heap of a job: its element, or for a bound buffer the next free one.
pub(crate) fn heap_numbers(job: &Job) -> Vec<u32> {
    let in_heap = job.buffers.iter().filter(|buffer| is_in_heap(buffer));
    let mut free = in_heap.map(|buffer| buffer.element + 1).max().unwrap_or(0);
    let number = |buffer: &JobBuffer| {
        if is_in_heap(buffer) {
            return buffer.element;
        }
        free += 1;
        free - 1
    };
    job.buffers.iter().map(number).collect()
}

type WriteDescriptors =
    unsafe extern "system" fn(vk::Device, u32, *const DescriptorInfo, *const HostRange) -> vk::Result;
type BindHeap = unsafe extern "system" fn(vk::CommandBuffer, *const BindHeapInfo);

/// The functions of the extension, and the sizes of the device. Numbers are in bytes.
pub(crate) struct HeapFunctions {
    write: WriteDescriptors,
    bind: BindHeap,
    /// The size of a buffer's descriptor, and the distance to the next one.
    descriptor: u64,
    /// What the heap's address is a multiple of.
    alignment: u64,
    /// The part of the heap that the driver needs for itself.
    reserved: u64,
}

impl HeapFunctions {
    /// The functions of a device that was made with the extension.
    pub(crate) fn new(instance: &Instance, physical: vk::PhysicalDevice, device: &ash::Device) -> Option<Self> {
        let load = |name: &CStr| {
            // SAFETY: the device comes from this instance.
            unsafe { instance.raw.get_device_proc_addr(device.handle(), name.as_ptr()) }
        };
        let (write, bind) = (load(c"vkWriteResourceDescriptorsEXT")?, load(c"vkCmdBindResourceHeapEXT")?);
        // SAFETY: all bits zero are valid numbers and null pointers.
        let mut found: HeapProperties = unsafe { std::mem::zeroed() };
        found.s_type = vk::StructureType::from_raw(1_000_135_008);
        let mut properties = vk::PhysicalDeviceProperties2 {
            p_next: (&raw mut found).cast(),
            ..vk::PhysicalDeviceProperties2::default()
        };
        // SAFETY: the handle comes from this instance, and the device knows the structure in the chain.
        unsafe { instance.raw.get_physical_device_properties2(physical, &mut properties) };
        Some(Self {
            // SAFETY: these are the types of functions with these names.
            write: unsafe { std::mem::transmute::<unsafe extern "system" fn(), WriteDescriptors>(write) },
            // SAFETY: as above.
            bind: unsafe { std::mem::transmute::<unsafe extern "system" fn(), BindHeap>(bind) },
            descriptor: found.buffer_descriptor_size,
            alignment: found.resource_heap_alignment,
            reserved: found.min_resource_heap_reserved_range,
        })
    }
}

/// The heap of one job.
pub(crate) struct Heap {
    memory: Arena,
    range: AddressRange,
    reserved: u64,
}

impl Heap {
    /// Makes a heap with these buffers; the descriptors between them are zeros.
    pub(crate) fn new(
        device: &std::rc::Rc<VulkanDevice>,
        functions: &HeapFunctions,
        buffers: &[HeapRange],
    ) -> Result<Self, RunnerError> {
        let HeapFunctions { write, descriptor, alignment, reserved, .. } = *functions;
        let length = buffers.iter().map(|buffer| u64::from(buffer.element) + 1).max().unwrap_or(0) * descriptor;
        let mut bytes = vec![0_u8; usize::try_from(length).expect("the numbers of a job's buffers are small")];
        for buffer in buffers {
            let range = AddressRange { address: buffer.address, size: buffer.size };
            let info = DescriptorInfo {
                s_type: vk::StructureType::from_raw(1_000_135_002),
                p_next: std::ptr::null(),
                ty: buffer.ty,
                range: &raw const range,
            };
            let at = usize::try_from(u64::from(buffer.element) * descriptor).expect("less than the length");
            let place = &mut bytes[at..][..usize::try_from(descriptor).expect("a few bytes")];
            let place = HostRange { address: place.as_mut_ptr().cast(), size: place.len() };
            // SAFETY: the range is in a buffer of this device, and the place has the size that the device states.
            let result = unsafe { write(device.raw.handle(), 1, &raw const info, &raw const place) };
            result.result().map_err(failed("vkWriteResourceDescriptorsEXT"))?;
        }
        // The driver's part comes last, at the alignment of the whole heap.
        let start = length.next_multiple_of(alignment.max(1));
        let mut memory = Arena::new(device, start + reserved + alignment)?;
        let first = memory.address().next_multiple_of(alignment.max(1)) - memory.address();
        memory.write(first, &bytes);
        let range = AddressRange { address: memory.address() + first, size: start + reserved };
        Ok(Self { memory, range, reserved })
    }

    /// Binds the heap for the commands that follow.
    pub(crate) fn bind(&self, functions: &HeapFunctions, commands: vk::CommandBuffer) {
        debug_assert!(self.memory.size() >= self.range.size);
        let AddressRange { address, size } = self.range;
        let info = BindHeapInfo {
            s_type: vk::StructureType::from_raw(1_000_135_003),
            p_next: std::ptr::null(),
            heap: AddressRange { address, size },
            reserved_offset: size - self.reserved,
            reserved_size: self.reserved,
        };
        // SAFETY: recording has begun, and the heap outlives the submission.
        unsafe { (functions.bind)(commands, &raw const info) };
    }
}
