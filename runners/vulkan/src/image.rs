//! One image with its memory and its view.

use std::rc::Rc;

use ash::vk;
use layoutproof_device::{ImageView, RunnerError};

use crate::device::VulkanDevice;
use crate::failure::failed;

/// The format, use and shape of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageRecipe {
    pub(crate) format: vk::Format,
    pub(crate) usage: vk::ImageUsageFlags,
    /// Shape of the view.
    pub(crate) view: ImageView,
    /// Number of mip levels. The first level has 2^(levels - 1) texels in each dimension, the last
    /// has one texel.
    pub(crate) levels: u32,
}

/// An image of one texel, without any usage.
impl Default for ImageRecipe {
    fn default() -> Self {
        let (format, usage) = (vk::Format::UNDEFINED, vk::ImageUsageFlags::empty());
        Self { format, usage, view: ImageView::D2, levels: 1 }
    }
}

impl ImageRecipe {
    fn ty(&self) -> vk::ImageType {
        match self.view {
            ImageView::D1 | ImageView::D1Array => vk::ImageType::TYPE_1D,
            ImageView::D2 | ImageView::D2Array | ImageView::Cube | ImageView::CubeArray => vk::ImageType::TYPE_2D,
            ImageView::D3 => vk::ImageType::TYPE_3D,
        }
    }

    fn flags(&self) -> vk::ImageCreateFlags {
        match self.view {
            ImageView::Cube | ImageView::CubeArray => vk::ImageCreateFlags::CUBE_COMPATIBLE,
            ImageView::D1 | ImageView::D1Array | ImageView::D2 | ImageView::D2Array | ImageView::D3 => {
                vk::ImageCreateFlags::empty()
            }
        }
    }

    fn view_type(&self) -> vk::ImageViewType {
        match self.view {
            ImageView::D1 => vk::ImageViewType::TYPE_1D,
            ImageView::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
            ImageView::D2 => vk::ImageViewType::TYPE_2D,
            ImageView::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
            ImageView::D3 => vk::ImageViewType::TYPE_3D,
            ImageView::Cube => vk::ImageViewType::CUBE,
            ImageView::CubeArray => vk::ImageViewType::CUBE_ARRAY,
        }
    }

    /// A cube has six faces, an array has two elements.
    fn layers(&self) -> u32 {
        match self.view {
            ImageView::D1 | ImageView::D2 | ImageView::D3 => 1,
            ImageView::D1Array | ImageView::D2Array => 2,
            ImageView::Cube => 6,
            ImageView::CubeArray => 12,
        }
    }

    fn extent(&self) -> vk::Extent3D {
        let side = 1 << (self.levels - 1);
        let ty = self.ty();
        let height = if ty == vk::ImageType::TYPE_1D { 1 } else { side };
        let depth = if ty == vk::ImageType::TYPE_3D { side } else { 1 };
        vk::Extent3D { width: side, height, depth }
    }

    fn aspect(&self) -> vk::ImageAspectFlags {
        if self.format == vk::Format::D32_SFLOAT { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
    }

    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect())
            .level_count(self.levels)
            .layer_count(self.layers())
    }

    /// Checks that the device supports such images.
    fn check(&self, device: &VulkanDevice) -> Result<(), RunnerError> {
        let tiling = vk::ImageTiling::OPTIMAL;
        // SAFETY: the physical device comes from this instance.
        let found = unsafe {
            device.instance.raw.get_physical_device_image_format_properties(
                device.physical,
                self.format,
                self.ty(),
                tiling,
                self.usage,
                self.flags(),
            )
        };

        let (view, extent) = (self.view, self.extent());
        let lacks = |what: String| Err(RunnerError::Unsupported(what));
        match found {
            Ok(has) if has.max_mip_levels < self.levels || has.max_extent.width < extent.width => {
                lacks(format!("{view:?} images of {:?} with {} mip levels", self.format, self.levels))
            }
            Ok(_) => Ok(()),
            Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => {
                lacks(format!("{view:?} images of {:?} for {:?}", self.format, self.usage))
            }
            Err(result) => Err(failed("vkGetPhysicalDeviceImageFormatProperties")(result)),
        }
    }
}

/// An image, its memory and a view of the whole image.
pub(crate) struct VulkanImage {
    /// The image. Its texels are undefined at first.
    pub(crate) raw: vk::Image,
    pub(crate) view: vk::ImageView,
    /// All mip levels and layers.
    pub(crate) range: vk::ImageSubresourceRange,
    memory: vk::DeviceMemory,
    device: Rc<VulkanDevice>,
}

impl VulkanImage {
    /// Makes an image; `Unsupported` if the device does not support its kind.
    pub(crate) fn new(device: &Rc<VulkanDevice>, recipe: &ImageRecipe) -> Result<Self, RunnerError> {
        recipe.check(device)?;
        let create_info = vk::ImageCreateInfo::default()
            .flags(recipe.flags())
            .image_type(recipe.ty())
            .format(recipe.format)
            .extent(recipe.extent())
            .mip_levels(recipe.levels)
            .array_layers(recipe.layers())
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(recipe.usage);

        // SAFETY: the device supports images of this kind, as checked above.
        let raw = unsafe { device.raw.create_image(&create_info, None) }.map_err(failed("vkCreateImage"))?;
        // Owned from here on, so that a failure below destroys it; the destroy calls ignore null
        // handles.
        let mut image = Self {
            raw,
            view: vk::ImageView::null(),
            range: recipe.range(),
            memory: vk::DeviceMemory::null(),
            device: Rc::clone(device),
        };
        image.bind()?;

        let view_info = vk::ImageViewCreateInfo::default()
            .image(raw)
            .view_type(recipe.view_type())
            .format(recipe.format)
            .subresource_range(image.range);
        // SAFETY: the image was made for views of this kind and has memory.
        image.view = unsafe { device.raw.create_image_view(&view_info, None) }.map_err(failed("vkCreateImageView"))?;
        Ok(image)
    }

    /// Binds memory to the image, device-local if possible.
    fn bind(&mut self) -> Result<(), RunnerError> {
        let device = &self.device;
        // SAFETY: the image comes from this device.
        let needs = unsafe { device.raw.get_image_memory_requirements(self.raw) };
        let allocate_info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(memory_type(device, needs.memory_type_bits));
        // SAFETY: the device listed this memory type.
        self.memory =
            unsafe { device.raw.allocate_memory(&allocate_info, None) }.map_err(failed("vkAllocateMemory"))?;
        // SAFETY: image and memory come from this device, are unbound and fit each other.
        unsafe { device.raw.bind_image_memory(self.raw, self.memory, 0) }.map_err(failed("vkBindImageMemory"))
    }
}

impl Drop for VulkanImage {
    fn drop(&mut self) {
        let raw = &self.device.raw;
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the view; it may be null.
        unsafe { raw.destroy_image_view(self.view, None) };
        // SAFETY: as above, and the view is gone.
        unsafe { raw.destroy_image(self.raw, None) };
        // SAFETY: as above, and the image is gone; the memory may be null.
        unsafe { raw.free_memory(self.memory, None) };
    }
}

/// The first device-local memory type of `allowed`, else the first allowed one; the specification
/// guarantees that there is one.
fn memory_type(device: &VulkanDevice, allowed: u32) -> u32 {
    let types = (0_u32..).zip(device.memory.memory_types_as_slice());
    let own = types
        .filter(|(index, _)| allowed & (1 << index) != 0)
        .find(|(_, ty)| ty.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL));
    own.map_or(allowed.trailing_zeros(), |(index, _)| index)
}
