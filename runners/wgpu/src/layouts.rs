//! Makes the layouts of a job's bind groups.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use layoutproof_device::descriptors::{DescriptorArray, DescriptorType, Descriptors};
use layoutproof_device::{BufferKind, ImageKind, ImageView, Job, RunnerError, TexelType};
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BufferBindingType, Device, Features,
    PipelineLayout, PipelineLayoutDescriptor, SamplerBindingType, ShaderStages, StorageTextureAccess, TextureFormat,
    TextureSampleType, TextureViewDimension,
};

use crate::errors::{checked, failed};
use layoutproof_webgpu_messages::access::{self, Accesses};

/// The parts of a job that determine its layouts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BindingShape {
    groups: BTreeMap<u32, BTreeMap<u32, (DescriptorType, u64)>>,
    /// Bytes of immediates.
    immediates: u32,
    draws: bool,
}

impl BindingShape {
    /// The shape of `job` with its `descriptors`. Both are within the device's limits.
    pub(crate) fn of(job: &Job, descriptors: &Descriptors) -> Self {
        let of_binding = |(binding, array): (&u32, &DescriptorArray)| (*binding, (array.ty, array.length()));
        let of_group = |arrays: &BTreeMap<u32, DescriptorArray>| arrays.iter().map(of_binding).collect();
        Self {
            groups: descriptors.sets.iter().map(|(group, arrays)| (*group, of_group(arrays))).collect(),
            immediates: u32::try_from(job.push_constants.len()).expect("within the device's limit"),
            draws: job.draw.is_some(),
        }
    }
}

pub(crate) struct WgpuLayouts {
    pub(crate) groups: BTreeMap<u32, BindGroupLayout>,
    pub(crate) pipeline: PipelineLayout,
}

impl WgpuLayouts {
    /// Makes the layouts of `shape` for a shader with these accesses to its storage images.
    pub(crate) fn new(device: &Device, shape: &BindingShape, accesses: &Accesses) -> Result<Self, RunnerError> {
        let mut groups = BTreeMap::new();
        for (group, bindings) in &shape.groups {
            let entry = |(binding, (ty, length)): (&u32, &(DescriptorType, u64))| {
                let access =
                    accesses.get(&(*group, *binding)).copied().map_or(StorageTextureAccess::ReadOnly, texture_access);
                let count = u32::try_from(*length).ok().filter(|length| *length > 1).and_then(NonZeroU32::new);
                let ty = binding_type(*ty, access)?;
                let visibility = visibility(device, shape, &ty);
                Ok(BindGroupLayoutEntry { binding: *binding, visibility, ty, count })
            };
            let entries = bindings.iter().map(entry).collect::<Result<Vec<_>, RunnerError>>()?;
            let descriptor = BindGroupLayoutDescriptor { label: None, entries: &entries };
            let layout = checked(device, || device.create_bind_group_layout(&descriptor))
                .map_err(failed("create_bind_group_layout"))?;
            groups.insert(*group, layout);
        }

        let pipeline = checked(device, || pipeline_layout(device, &groups, shape.immediates))
            .map_err(failed("create_pipeline_layout"))?;
        Ok(Self { groups, pipeline })
    }
}

/// The stages that see a binding. Written resources are hidden from the vertex stage on devices
/// where it must not write.
fn visibility(device: &Device, shape: &BindingShape, ty: &wgpu::BindingType) -> ShaderStages {
    if !shape.draws {
        return ShaderStages::COMPUTE;
    }

    let is_written = match ty {
        wgpu::BindingType::Buffer { ty, .. } => *ty == BufferBindingType::Storage { read_only: false },
        wgpu::BindingType::StorageTexture { access, .. } => *access != StorageTextureAccess::ReadOnly,
        _ => false,
    };

    if is_written && !device.features().contains(Features::VERTEX_WRITABLE_STORAGE) {
        ShaderStages::FRAGMENT
    } else {
        ShaderStages::VERTEX_FRAGMENT
    }
}

fn texture_access(access: access::StorageTextureAccess) -> StorageTextureAccess {
    match access {
        access::StorageTextureAccess::ReadOnly => StorageTextureAccess::ReadOnly,
        access::StorageTextureAccess::WriteOnly => StorageTextureAccess::WriteOnly,
        access::StorageTextureAccess::ReadWrite => StorageTextureAccess::ReadWrite,
    }
}

fn binding_type(ty: DescriptorType, access: StorageTextureAccess) -> Result<wgpu::BindingType, RunnerError> {
    let lacks = |what: &str| Err(RunnerError::Unsupported(format!("{what}: WGSL has none")));
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };

    Ok(match ty {
        DescriptorType::Buffer(kind) => match kind {
            BufferKind::Uniform => buffer(BufferBindingType::Uniform),
            BufferKind::StorageRead => buffer(BufferBindingType::Storage { read_only: true }),
            BufferKind::Storage => buffer(BufferBindingType::Storage { read_only: false }),
            BufferKind::InlineUniform
            | BufferKind::Address { .. }
            | BufferKind::ShaderRecord
            | BufferKind::HeapUniform
            | BufferKind::HeapStorage
            | BufferKind::Captured => return lacks("buffers of this kind"),
        },
        DescriptorType::Image { kind, view, texel } => match kind {
            ImageKind::Sampled => wgpu::BindingType::Texture {
                sample_type: sample_type(texel),
                view_dimension: dimension(view)?,
                multisampled: false,
            },
            ImageKind::Storage => wgpu::BindingType::StorageTexture {
                access,
                format: format(texel),
                view_dimension: match view {
                    ImageView::Cube | ImageView::CubeArray => return lacks("storage images of cubes"),
                    ImageView::D1 | ImageView::D1Array | ImageView::D2 | ImageView::D2Array | ImageView::D3 => {
                        dimension(view)?
                    }
                },
            },
            ImageKind::Combined => return lacks("images with samplers of their own"),
            ImageKind::UniformTexels | ImageKind::StorageTexels => return lacks("typed buffers"),
        },
        DescriptorType::Sampler { comparison: true } => wgpu::BindingType::Sampler(SamplerBindingType::Comparison),
        DescriptorType::Sampler { comparison: false } => wgpu::BindingType::Sampler(SamplerBindingType::NonFiltering),
    })
}

pub(crate) fn format(texel: TexelType) -> TextureFormat {
    match texel {
        TexelType::Float => TextureFormat::Rgba32Float,
        TexelType::Sint => TextureFormat::Rgba32Sint,
        TexelType::Uint => TextureFormat::Rgba32Uint,
        TexelType::Depth => TextureFormat::Depth32Float,
    }
}

fn sample_type(texel: TexelType) -> TextureSampleType {
    match texel {
        TexelType::Float => TextureSampleType::Float { filterable: false },
        TexelType::Sint => TextureSampleType::Sint,
        TexelType::Uint => TextureSampleType::Uint,
        TexelType::Depth => TextureSampleType::Depth,
    }
}

pub(crate) fn dimension(view: ImageView) -> Result<TextureViewDimension, RunnerError> {
    Ok(match view {
        ImageView::D1 => TextureViewDimension::D1,
        ImageView::D1Array => {
            return Err(RunnerError::Unsupported("arrays of one-dimensional images: WGSL has none".to_owned()));
        }
        ImageView::D2 => TextureViewDimension::D2,
        ImageView::D2Array => TextureViewDimension::D2Array,
        ImageView::D3 => TextureViewDimension::D3,
        ImageView::Cube => TextureViewDimension::Cube,
        ImageView::CubeArray => TextureViewDimension::CubeArray,
    })
}

/// Makes a pipeline layout, with `None` for bind groups that the job leaves out.
fn pipeline_layout(device: &Device, groups: &BTreeMap<u32, BindGroupLayout>, immediate_size: u32) -> PipelineLayout {
    let count = groups.last_key_value().map_or(0, |(group, _)| group + 1);
    let bind_group_layouts: Vec<_> = (0..count).map(|group| groups.get(&group)).collect();
    device.create_pipeline_layout(&PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &bind_group_layouts,
        immediate_size,
    })
}
