//! The images, typed buffers and samplers of one job, with those that stand in array elements which the job leaves out.

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

/// An image with the texel of each of its mip levels.
pub(crate) struct FilledImage {
    /// The image.
    pub(crate) image: VulkanImage,
    /// The texels.
    pub(crate) levels: Vec<[u32; 4]>,
}

/// The resources, and the descriptors that refer to them.
#[derive(Default)]
pub(crate) struct VulkanResources {
    /// Images that must be filled before the job.
    pub(crate) images: Vec<FilledImage>,
    /// Descriptors; with those of the buffers they are all of the job's.
    pub(crate) bound: Vec<BoundDescriptor>,
    typed: Vec<TypedBuffer>,
    samplers: Vec<Sampler>,
}

impl VulkanResources {
    /// Makes what `job` names and what its arrays need besides.
    ///
    /// # Errors
    /// `Unsupported` if the device has no such images.
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

/// True if `job` has an image for whose view `imageCubeArray` is needed.
pub(crate) fn has_cube_arrays(job: &Job) -> bool {
    job.images.iter().any(|image| match image.kind {
        ImageKind::Sampled | ImageKind::Storage | ImageKind::Combined => image.view == ImageView::CubeArray,
        ImageKind::UniformTexels | ImageKind::StorageTexels => false,
    })
}

/// True if `job` has an image of depths; only queues with graphics fill them.
pub(crate) fn has_depths(job: &Job) -> bool {
    job.images.iter().any(|image| image.texel == TexelType::Depth)
}
