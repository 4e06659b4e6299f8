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
        let sampler = match kind {
            ImageKind::Combined => self.sampler(device, 0, false)?,
            ImageKind::Sampled | ImageKind::Storage | ImageKind::UniformTexels | ImageKind::StorageTexels => {
                vk::Sampler::null()
            }
        };

        let make = |image: &JobImage| {
            let recipe = ImageRecipe {
                format: format(image.texel),
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
            let made = TypedBuffer::new(device, format(image.texel), image.kind, &image.levels)?;
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

fn format(texel: TexelType) -> vk::Format {
    match texel {
        TexelType::Float => vk::Format::R32G32B32A32_SFLOAT,
        TexelType::Sint => vk::Format::R32G32B32A32_SINT,
        TexelType::Uint => vk::Format::R32G32B32A32_UINT,
        TexelType::Depth => vk::Format::D32_SFLOAT,
    }
}

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
