//! The descriptor heaps of a job. They have every descriptor of every table; those for which the
//! job has no resource are null.

use layoutproof_device::{ImageKind, Job, JobImage, JobSampler, RegisterRange, ResourceClass, RunnerError};

use crate::com::{ComObject, method_type};
use crate::device::{CpuDescriptor, Direct3dDevice};
use crate::memory::{DeviceBuffers, address};
use crate::placement::{CONSTANT_ALIGNMENT, JobRegions, Region};
use crate::registers::{JobResource, Registers};
use crate::root_signature::{HeapKind, RootLayout, Table};
use crate::structures::{
    BufferShaderView, BufferWritableView, COMPONENTS, ConstantBufferView, DescriptorHeapDesc, SamplerDesc, format,
};
use crate::textures::{FilledTexture, TexelFormat};

#[derive(Debug)]
pub(crate) struct Heap {
    raw: ComObject,
    /// Bytes from one descriptor to the next.
    step: u32,
}

impl Heap {
    fn new(device: &Direct3dDevice, kind: HeapKind, count: u32) -> Result<Self, RunnerError> {
        let kind = match kind {
            HeapKind::Views => 0,
            HeapKind::Samplers => 1,
        };
        let raw = device.descriptor_heap(&DescriptorHeapDesc { kind, count, flags: 1, nodes: 0 })?;
        Ok(Self { raw, step: device.descriptor_size(kind) })
    }

    /// Makes a heap of one render target, which shaders do not see.
    pub(crate) fn of_target(device: &Direct3dDevice) -> Result<Self, RunnerError> {
        const TARGETS: u32 = 2;
        let raw = device.descriptor_heap(&DescriptorHeapDesc { kind: TARGETS, count: 1, flags: 0, nodes: 0 })?;
        Ok(Self { raw, step: device.descriptor_size(TARGETS) })
    }

    /// The heap as an argument of command lists.
    pub(crate) fn raw(&self) -> &ComObject {
        &self.raw
    }

    /// CPU handle of the descriptor with this number, for writing it.
    pub(crate) fn cpu(&self, number: u32) -> CpuDescriptor {
        type GetCpuStart = method_type!((*mut CpuDescriptor) -> *mut CpuDescriptor);
        // SAFETY: slot 9 of `ID3D12DescriptorHeap` is `GetCPUDescriptorHandleForHeapStart`, which returns its structure
        // through a pointer.
        let get = unsafe { self.raw.method::<GetCpuStart>(9) };
        let mut start = 0;
        // SAFETY: the result lives until the call returns.
        unsafe { get(self.raw.as_ptr(), &raw mut start) };
        start + number as usize * self.step as usize
    }

    /// GPU handle of the descriptor with this number, for command lists.
    pub(crate) fn gpu(&self, number: u32) -> u64 {
        type GetGpuStart = method_type!((*mut u64) -> *mut u64);
        // SAFETY: slot 10 of `ID3D12DescriptorHeap` is `GetGPUDescriptorHandleForHeapStart`, which returns its structure
        // through a pointer.
        let get = unsafe { self.raw.method::<GetGpuStart>(10) };
        let mut start = 0;
        // SAFETY: the result lives until the call returns.
        unsafe { get(self.raw.as_ptr(), &raw mut start) };
        start + u64::from(number) * u64::from(self.step)
    }
}

/// The heaps of a job; `None` if the job does not need a heap of that kind.
#[derive(Debug, Default)]
pub(crate) struct Heaps {
    pub(crate) views: Option<Heap>,
    pub(crate) samplers: Option<Heap>,
}

/// The resources that descriptors refer to.
pub(crate) struct DescriptorSources<'a> {
    pub(crate) job: &'a Job,
    pub(crate) registers: &'a Registers,
    pub(crate) regions: &'a JobRegions,
    pub(crate) memory: &'a DeviceBuffers,
    /// In the order of the job's images; `None` for typed buffers.
    pub(crate) textures: &'a [Option<FilledTexture>],
}

impl Heaps {
    /// Makes and fills the heaps for `layout`.
    ///
    /// # Errors
    /// `Unsupported` for resources that this runner does not bind.
    pub(crate) fn new(
        device: &Direct3dDevice,
        layout: &RootLayout,
        bound: &DescriptorSources<'_>,
    ) -> Result<Self, RunnerError> {
        let heap = |kind, count| if count == 0 { Ok(None) } else { Heap::new(device, kind, count).map(Some) };
        let heaps =
            Self { views: heap(HeapKind::Views, layout.views)?, samplers: heap(HeapKind::Samplers, layout.samplers)? };
        for table in layout.tables() {
            bound.fill(device, heaps.of(table.heap), table)?;
        }
        Ok(heaps)
    }

    /// The heap of this kind, which holds a table.
    pub(crate) fn of(&self, kind: HeapKind) -> &Heap {
        let heap = match kind {
            HeapKind::Views => &self.views,
            HeapKind::Samplers => &self.samplers,
        };
        heap.as_ref().expect("a layout counts the descriptors of its tables")
    }
}

impl DescriptorSources<'_> {
    fn fill(&self, device: &Direct3dDevice, heap: &Heap, table: &Table) -> Result<(), RunnerError> {
        for ranged in &table.ranges {
            let mut resources = self.registers.in_range(&ranged.range).peekable();
            for place in 0..ranged.length {
                let at = heap.cpu(table.first + ranged.offset + place);
                match resources.next_if(|(named, _)| *named == place) {
                    Some((_, resource)) => self.write_resource(device, &ranged.range, resource, at)?,
                    None => self.write(device, &ranged.range, None, at),
                }
            }
        }
        Ok(())
    }

    /// Writes the descriptor of a resource in `range` to `at`.
    fn write_resource(
        &self,
        device: &Direct3dDevice,
        range: &RegisterRange,
        resource: JobResource,
        at: CpuDescriptor,
    ) -> Result<(), RunnerError> {
        match resource {
            JobResource::Buffer(index) => {
                let view = RegionView::of_buffer(self.regions.buffers[index], range.stride);
                self.write(device, range, Some(view), at);
            }
            JobResource::Image(index) => match &self.textures[index] {
                Some(texture) => write_texture(device, &self.job.images[index], texture, at),
                None => self.write(device, range, Some(self.view_of_image(index)?), at),
            },
            JobResource::Sampler(index) => {
                let JobSampler { level, comparison, .. } = self.job.samplers[index];
                write_sampler(device, SamplerBehavior { level, comparison }, at);
            }
        }
        Ok(())
    }

    fn view_of_image(&self, index: usize) -> Result<RegionView, RunnerError> {
        let image = &self.job.images[index];
        match (image.kind, self.regions.typed[index]) {
            (ImageKind::UniformTexels | ImageKind::StorageTexels, Some(region)) => {
                let TexelFormat { format, bytes } = TexelFormat::of(image.texel);
                Ok(RegionView { region, format, element: bytes, stride: 0, flags: 0 })
            }
            _ => Err(RunnerError::Unsupported("textures".to_owned())),
        }
    }

    /// Writes a descriptor of the class of `range` to `at`, a place in a heap of views. Without a
    /// view, the descriptor is null.
    fn write(&self, device: &Direct3dDevice, range: &RegisterRange, view: Option<RegionView>, at: CpuDescriptor) {
        let first = view.map_or(0, |view| view.region.range() / u64::from(view.element));
        let count = view.map_or(0, |view| view.region.size() / view.element);
        let (format, stride, flags) =
            view.map_or((format::R32_TYPELESS, 0, 1), |view| (view.format, view.stride, view.flags));

        match range.class {
            ResourceClass::ConstantBuffer => {
                let view = match view {
                    Some(RegionView { region, .. }) => ConstantBufferView {
                        address: address(self.memory.read.resource()) + region.range(),
                        size: region.size().next_multiple_of(CONSTANT_ALIGNMENT),
                    },
                    None => ConstantBufferView { address: 0, size: 0 },
                };
                // SAFETY: `at` is a place in a heap of views.
                unsafe { device.write_constant_view(&view, at) };
            }
            ResourceClass::ShaderResource => {
                let resource = view.map(|_| self.memory.read.resource());
                let view =
                    BufferShaderView { format, dimension: 1, components: COMPONENTS, first, count, stride, flags };
                // SAFETY: `at` is a place in a heap of views.
                unsafe { device.write_shader_view(resource, &view, at) };
            }
            ResourceClass::UnorderedAccess => {
                let resource = view.map(|_| self.memory.written.resource());
                let view = BufferWritableView { format, dimension: 1, first, count, stride, counter_offset: 0, flags };
                // SAFETY: `at` is a place in a heap of views.
                unsafe { device.write_writable_view(resource, &view, at) };
            }
            // It sees a level that no texture of a job has.
            ResourceClass::Sampler => {
                write_sampler(device, SamplerBehavior { level: UNSEEN_LEVEL, comparison: false }, at);
            }
        }
    }
}

/// Writes the view of a texture to `at`, a place in a heap of views.
fn write_texture(device: &Direct3dDevice, image: &JobImage, texture: &FilledTexture, at: CpuDescriptor) {
    if image.kind == ImageKind::Storage {
        // SAFETY: `at` is a place in a heap of views.
        unsafe { device.write_writable_texture_view(&texture.resource, at) };
    } else {
        // SAFETY: `at` is a place in a heap of views.
        unsafe { device.write_texture_view(&texture.resource, texture.cube_view().as_ref(), at) };
    }
}

/// The mip level of the samplers for array elements that a job leaves out.
const UNSEEN_LEVEL: u32 = 15;

/// The behaviour of a sampler without filtering.
#[derive(Clone, Copy, Debug)]
struct SamplerBehavior {
    /// The sampler clamps to this mip level.
    level: u32,
    /// True for a comparison sampler, which compares with less-or-equal.
    comparison: bool,
}

/// Writes a sampler to `at`.
fn write_sampler(device: &Direct3dDevice, behavior: SamplerBehavior, at: CpuDescriptor) {
    let level = u16::try_from(behavior.level).map_or(f32::from(u16::MAX), f32::from);
    let sampler = SamplerDesc {
        filter: if behavior.comparison { 0x80 } else { 0 },
        addresses: [3; 3],
        level_bias: 0.0,
        anisotropy: 1,
        comparison: if behavior.comparison { 4 } else { 1 },
        border: [0.0; 4],
        least_level: level,
        most_level: level,
    };

    // SAFETY: sampler registers only occur in heaps of samplers.
    unsafe { device.write_sampler(&sampler, at) };
}

#[derive(Clone, Copy, Debug)]
struct RegionView {
    region: Region,
    format: u32,
    /// Bytes in an element, the unit in which the view counts.
    element: u32,
    stride: u32,
    /// 1: raw.
    flags: u32,
}

impl RegionView {
    /// Views a structured buffer, or a raw one if `stride` is 0.
    fn of_buffer(region: Region, stride: u32) -> Self {
        match stride {
            0 => Self { region, format: format::R32_TYPELESS, element: 4, stride: 0, flags: 1 },
            stride => Self { region, format: format::UNKNOWN, element: stride, stride, flags: 0 },
        }
    }
}
