//! The images, typed buffers and samplers of one job, including those for array elements that the
//! job leaves out.

use std::rc::Rc;

use ash::vk;
use layoutproof_device::descriptors::{DescriptorType, Descriptors};
use layoutproof_device::{ImageKind, ImageView, Job, JobImage, JobSampler, RunnerError, TexelType};

use crate::descriptors::{BoundDescriptor, DescriptorContent};
use crate::device::VulkanDevice;
use crate::image::{ImageRecipe, VulkanImage};
use crate::pipeline_layout::descriptor_type;
use crate::sampler::Sampler;
use crate::texels::TypedBuffer;

/// An image and the texel of each mip level.
pub(crate) struct FilledImage {
    pub(crate) image: VulkanImage,
    pub(crate) levels: Vec<[u32; 4]>,
}

#[derive(Default)]
pub(crate) struct VulkanResources {
    /// Images to fill before the job.
    pub(crate) images: Vec<FilledImage>,
    /// Descriptors. Together with those of the buffers, they are all descriptors of the job.
    pub(crate) bound: Vec<BoundDescriptor>,
    typed: Vec<TypedBuffer>,
    samplers: Vec<Sampler>,
}

impl VulkanResources {
    /// Makes the resources of `job`, and those that its arrays need in addition.
    ///
    /// # Errors
    /// `Unsupported` if the device does not support such images.
    pub(crate) fn new(device: &Rc<VulkanDevice>, job: &Job, descriptors: &Descriptors) -> Result<Self, RunnerError> {
        let mut made = Self::default();
        for ((set, number), array) in descriptors.placed() {
            let contents = match array.ty {
                DescriptorType::Buffer(_) => continue,
                DescriptorType::Image { kind, .. } => made.images_of(device, kind, &array.images(job))?,
                DescriptorType::Sampler { .. } => made.samplers_of(device, &array.samplers(job))?,
            };

            let ty = descriptor_type(array.ty);
            let bound = array.elements().zip(contents);
            made.bound.extend(bound.map(|(element, what)| BoundDescriptor { set, binding: number, element, ty, what }));
        }
        Ok(made)
    }

    fn images_of(
        &mut self,
        device: &Rc<VulkanDevice>,
        kind: ImageKind,
        images: &[JobImage],
    ) -> Result<Vec<DescriptorContent>, RunnerError> {
        let usage = match kind {
            ImageKind::Sampled | ImageKind::Combined => vk::ImageUsageFlags::SAMPLED,
            ImageKind::Storage => vk::ImageUsageFlags::STORAGE,
            ImageKind::UniformTexels | ImageKind::StorageTexels => return self.typed_of(device, images),
        };
        // The sampler of a combined image sees level 0.
        let comparison = images.iter().any(|image| image.texel == TexelType::Depth);
        let sampler = match kind {
            ImageKind::Combined => self.sampler(device, 0, comparison)?,
            ImageKind::Sampled | ImageKind::Storage | ImageKind::UniformTexels | ImageKind::StorageTexels => {
                vk::Sampler::null()
            }
        };

        let make = |image: &JobImage| {
            let recipe = ImageRecipe {
                format: format(image)?,
                usage: usage | vk::ImageUsageFlags::TRANSFER_DST,
                view: image.view,
                levels: u32::try_from(image.levels.len()).expect("a few levels, which was checked"),
            };
            let made = VulkanImage::new(device, &recipe)?;
            let info = vk::DescriptorImageInfo::default()
                .image_layout(vk::ImageLayout::GENERAL)
                .image_view(made.view)
                .sampler(sampler);
            self.images.push(FilledImage { image: made, levels: image.levels.clone() });
            Ok(DescriptorContent::Image(info))
        };
        images.iter().map(make).collect()
    }

    fn typed_of(
        &mut self,
        device: &Rc<VulkanDevice>,
        images: &[JobImage],
    ) -> Result<Vec<DescriptorContent>, RunnerError> {
        let make = |image: &JobImage| {
            let made = TypedBuffer::new(device, format(image)?, image.kind, &image.levels)?;
            let what = DescriptorContent::Texels(made.view());
            self.typed.push(made);
            Ok(what)
        };
        images.iter().map(make).collect()
    }

    fn samplers_of(
        &mut self,
        device: &Rc<VulkanDevice>,
        samplers: &[JobSampler],
    ) -> Result<Vec<DescriptorContent>, RunnerError> {
        let make = |sampler: &JobSampler| {
            let sampler = self.sampler(device, sampler.level, sampler.comparison)?;
            Ok(DescriptorContent::Image(vk::DescriptorImageInfo::default().sampler(sampler)))
        };
        samplers.iter().map(make).collect()
    }

    fn sampler(&mut self, device: &Rc<VulkanDevice>, level: u32, comparison: bool) -> Result<vk::Sampler, RunnerError> {
        let made = Sampler::new(device, level, comparison)?;
        let raw = made.raw();
        self.samplers.push(made);
        Ok(raw)
    }
}

fn format(image: &JobImage) -> Result<vk::Format, RunnerError> {
    match (image.format, image.texel) {
        (Some(stated), _) => {
            let known = STATED.get(stated as usize).copied().filter(|format| *format != vk::Format::UNDEFINED);
            known.ok_or_else(|| RunnerError::Unsupported(format!("images of SPIR-V's format {stated}")))
        }
        (None, TexelType::Float) => Ok(vk::Format::R32G32B32A32_SFLOAT),
        (None, TexelType::Sint) => Ok(vk::Format::R32G32B32A32_SINT),
        (None, TexelType::Uint) => Ok(vk::Format::R32G32B32A32_UINT),
        (None, TexelType::Depth) => Ok(vk::Format::D32_SFLOAT),
    }
}

/// The formats of SPIR-V, by their numbers.
///
/// Source: Vulkan, "Vulkan Environment for SPIR-V", "Compatibility Between SPIR-V Image Formats and Vulkan Formats".
const STATED: [vk::Format; 42] = [
    vk::Format::UNDEFINED,
    vk::Format::R32G32B32A32_SFLOAT,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R32_SFLOAT,
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SNORM,
    vk::Format::R32G32_SFLOAT,
    vk::Format::R16G16_SFLOAT,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::A2B10G10R10_UNORM_PACK32,
    vk::Format::R16G16_UNORM,
    vk::Format::R8G8_UNORM,
    vk::Format::R16_UNORM,
    vk::Format::R8_UNORM,
    vk::Format::R16G16B16A16_SNORM,
    vk::Format::R16G16_SNORM,
    vk::Format::R8G8_SNORM,
    vk::Format::R16_SNORM,
    vk::Format::R8_SNORM,
    vk::Format::R32G32B32A32_SINT,
    vk::Format::R16G16B16A16_SINT,
    vk::Format::R8G8B8A8_SINT,
    vk::Format::R32_SINT,
    vk::Format::R32G32_SINT,
    vk::Format::R16G16_SINT,
    vk::Format::R8G8_SINT,
    vk::Format::R16_SINT,
    vk::Format::R8_SINT,
    vk::Format::R32G32B32A32_UINT,
    vk::Format::R16G16B16A16_UINT,
    vk::Format::R8G8B8A8_UINT,
    vk::Format::R32_UINT,
    vk::Format::A2B10G10R10_UINT_PACK32,
    vk::Format::R32G32_UINT,
    vk::Format::R16G16_UINT,
    vk::Format::R8G8_UINT,
    vk::Format::R16_UINT,
    vk::Format::R8_UINT,
    vk::Format::R64_UINT,
    vk::Format::R64_SINT,
];

/// True if `job` has an image whose view needs `imageCubeArray`.
pub(crate) fn has_cube_arrays(job: &Job) -> bool {
    job.images.iter().any(|image| match image.kind {
        ImageKind::Sampled | ImageKind::Storage | ImageKind::Combined => image.view == ImageView::CubeArray,
        ImageKind::UniformTexels | ImageKind::StorageTexels => false,
    })
}

/// True if `job` has a depth image; only queues with graphics can fill it.
pub(crate) fn has_depths(job: &Job) -> bool {
    job.images.iter().any(|image| image.texel == TexelType::Depth)
}
