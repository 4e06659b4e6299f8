//! The textures and samplers of one job, including those for array elements that the job leaves
//! out.

use std::collections::BTreeMap;

use layoutproof_device::descriptors::{DescriptorType, Descriptors};
use layoutproof_device::{ImageKind, ImageView, Job, JobImage, JobSampler, RunnerError, TexelType};
use wgpu::util::{DeviceExt, TextureDataOrder};
use wgpu::{
    CompareFunction, Device, DownlevelFlags, Extent3d, Features, Queue, Sampler, SamplerDescriptor, TextureDescriptor,
    TextureDimension, TextureUsages, TextureView, TextureViewDescriptor,
};

use crate::layouts::{dimension, format};

/// Views and samplers by group and binding, one per array element.
#[derive(Default)]
pub(crate) struct WgpuResources {
    pub(crate) views: BTreeMap<(u32, u32), Vec<TextureView>>,
    pub(crate) samplers: BTreeMap<(u32, u32), Vec<Sampler>>,
}

/// The properties of an adapter that decide which images it supports.
#[derive(Clone, Copy)]
pub(crate) struct AdapterSupport {
    /// The parts of WebGPU's core that it supports.
    pub(crate) core: DownlevelFlags,
    /// True if the adapter uses OpenGL.
    pub(crate) opengl: bool,
}

/// Checks that the device supports the job's kinds of images, and arrays of them.
pub(crate) fn check(device: &Device, offered: AdapterSupport, descriptors: &Descriptors) -> Result<(), RunnerError> {
    let lacks = |what: &str| Err(RunnerError::Unsupported(what.to_owned()));
    for binding in descriptors.iter() {
        let is_array = binding.length() > 1;
        let (view, kind, texel) = match binding.ty {
            DescriptorType::Buffer(_) => continue,
            DescriptorType::Sampler { .. } => (None, None, None),
            DescriptorType::Image { kind, view, texel } => (Some(view), Some(kind), Some(texel)),
        };

        if is_array && !device.features().contains(Features::TEXTURE_BINDING_ARRAY) {
            return lacks("TEXTURE_BINDING_ARRAY");
        }
        if is_array
            && kind == Some(ImageKind::Storage)
            && !device.features().contains(Features::STORAGE_RESOURCE_BINDING_ARRAY)
        {
            return lacks("STORAGE_RESOURCE_BINDING_ARRAY");
        }

        if view == Some(ImageView::CubeArray) && !offered.core.contains(DownlevelFlags::CUBE_ARRAY_TEXTURES) {
            return lacks("CUBE_ARRAY_TEXTURES");
        }
        // WebGPU, "Depth-stencil formats": copies cannot write to depth32float.
        if texel == Some(TexelType::Depth) {
            return lacks("copies to images of depths");
        }
        // Measured with wgpu 30 on llvmpipe: every load returns (0, 0, 0, 1).
        if view == Some(ImageView::D1) && offered.opengl {
            return lacks("one-dimensional images on OpenGL");
        }
    }
    Ok(())
}

impl WgpuResources {
    /// Makes the resources of `job`, and those that its arrays need in addition. [`check`] must
    /// have succeeded.
    ///
    /// # Errors
    /// `Unsupported` for images that WebGPU lacks.
    pub(crate) fn new(
        device: &Device,
        queue: &Queue,
        job: &Job,
        descriptors: &Descriptors,
    ) -> Result<Self, RunnerError> {
        let mut made = Self::default();
        for (place, array) in descriptors.placed() {
            match array.ty {
                DescriptorType::Buffer(_) => {}
                DescriptorType::Image { .. } => {
                    let images = array.images(job);
                    let views = images.iter().map(|image| view(device, queue, image));
                    made.views.insert(place, views.collect::<Result<_, _>>()?);
                }
                DescriptorType::Sampler { .. } => {
                    let samplers = array.samplers(job);
                    made.samplers.insert(place, samplers.iter().map(|one| sampler(device, one)).collect());
                }
            }
        }
        Ok(made)
    }
}

/// Makes and fills the texture of `image`, and returns its view. The texture lives as long as the
/// view.
fn view(device: &Device, queue: &Queue, image: &JobImage) -> Result<TextureView, RunnerError> {
    let levels = u32::try_from(image.levels.len()).expect("a few levels, which was checked");
    let dimension = dimension(image.view)?;
    if image.view == ImageView::D1 && levels > 1 {
        return Err(RunnerError::Unsupported("mip levels of one-dimensional images".to_owned()));
    }

    let usage = match image.kind {
        ImageKind::Storage => TextureUsages::STORAGE_BINDING,
        ImageKind::Sampled | ImageKind::Combined | ImageKind::UniformTexels | ImageKind::StorageTexels => {
            TextureUsages::TEXTURE_BINDING
        }
    };
    let size = extent(image.view, levels);
    let descriptor = TextureDescriptor {
        label: None,
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: texture_dimension(image.view),
        format: format(image.texel),
        usage,
        view_formats: &[],
    };

    let mut data = Vec::new();
    for (level, texel) in (0..).zip(&image.levels) {
        let size = size.mip_level_size(level, descriptor.dimension);
        let texels = size.width * size.height * size.depth_or_array_layers;
        let bytes = texel.map(u32::to_ne_bytes).concat();
        data.extend(bytes.repeat(texels as usize));
    }

    let texture = device.create_texture_with_data(queue, &descriptor, TextureDataOrder::MipMajor, &data);
    Ok(texture.create_view(&TextureViewDescriptor { dimension: Some(dimension), ..TextureViewDescriptor::default() }))
}

fn texture_dimension(view: ImageView) -> TextureDimension {
    match view {
        ImageView::D1 | ImageView::D1Array => TextureDimension::D1,
        ImageView::D2 | ImageView::D2Array | ImageView::Cube | ImageView::CubeArray => TextureDimension::D2,
        ImageView::D3 => TextureDimension::D3,
    }
}

/// A cube has six faces, an array has two elements.
fn extent(view: ImageView, levels: u32) -> Extent3d {
    let side = 1 << (levels - 1);
    let (height, depth_or_array_layers) = match view {
        ImageView::D1 => (1, 1),
        ImageView::D1Array => (1, 2),
        ImageView::D2 => (side, 1),
        ImageView::D2Array => (side, 2),
        ImageView::D3 => (side, side),
        ImageView::Cube => (side, 6),
        ImageView::CubeArray => (side, 12),
    };
    Extent3d { width: side, height, depth_or_array_layers }
}

/// Makes a sampler without filtering that clamps to its level.
fn sampler(device: &Device, sampler: &JobSampler) -> Sampler {
    // Images have few levels; 16 bits hold any sensible level.
    let level = f32::from(u16::try_from(sampler.level).unwrap_or(u16::MAX));
    device.create_sampler(&SamplerDescriptor {
        lod_min_clamp: level,
        lod_max_clamp: level,
        compare: sampler.comparison.then_some(CompareFunction::LessEqual),
        ..SamplerDescriptor::default()
    })
}
