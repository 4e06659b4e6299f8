//! The render targets of a draw: targets of one texel, cleared before each draw, and the memory to
//! read them from.

use std::rc::Rc;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::arena::Arena;
use crate::device::VulkanDevice;
use crate::failure::failed;
use crate::image::{ImageRecipe, VulkanImage};

/// Format of every target; every device can draw into it (Vulkan, "Required Format Support").
const FORMAT: vk::Format = vk::Format::R32G32B32A32_UINT;

/// Bytes of a target's texel.
const TEXEL: u32 = 16;

/// A number of targets with a render pass and a framebuffer.
pub(crate) struct VulkanTargets {
    framebuffer: vk::Framebuffer,
    pass: RenderPass,
    images: Vec<VulkanImage>,
    read_back: Arena,
}

impl VulkanTargets {
    /// Makes `count` targets, at most as many as the device can draw into at once.
    pub(crate) fn new(device: &Rc<VulkanDevice>, count: u32) -> Result<Self, RunnerError> {
        let recipe = ImageRecipe {
            format: FORMAT,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC,
            ..ImageRecipe::default()
        };
        let images = (0..count).map(|_| VulkanImage::new(device, &recipe)).collect::<Result<Vec<_>, _>>()?;

        let pass = RenderPass::new(device, images.len())?;
        let views: Vec<_> = images.iter().map(|image| image.view).collect();
        let create_info =
            vk::FramebufferCreateInfo::default().render_pass(pass.raw).attachments(&views).width(1).height(1).layers(1);
        let read_back = Arena::new(device, 0)?;
        // SAFETY: pass and views come from this device, and the pass was made for this number of
        // attachments with this format.
        let framebuffer =
            unsafe { device.raw.create_framebuffer(&create_info, None) }.map_err(failed("vkCreateFramebuffer"))?;
        Ok(Self { framebuffer, pass, images, read_back })
    }

    /// The area to draw into: the only texel.
    pub(crate) fn area() -> vk::Rect2D {
        vk::Rect2D::default().extent(vk::Extent2D { width: 1, height: 1 })
    }

    /// Number of targets.
    pub(crate) fn count(&self) -> usize {
        self.images.len()
    }

    /// The render pass: one subpass, which clears all targets first.
    pub(crate) fn render_pass(&self) -> vk::RenderPass {
        self.pass.raw
    }

    /// Begins the render pass.
    pub(crate) fn begin(&self, commands: vk::CommandBuffer) {
        let clear = vk::ClearValue { color: vk::ClearColorValue { uint32: [0; 4] } };
        let clears = vec![clear; self.images.len()];
        let begin_info = vk::RenderPassBeginInfo::default()
            .render_pass(self.pass.raw)
            .framebuffer(self.framebuffer)
            .render_area(Self::area())
            .clear_values(&clears);
        let raw = &self.pass.device.raw;
        // SAFETY: recording has begun, outside of any render pass; pass and framebuffer outlive the submission.
        unsafe { raw.cmd_begin_render_pass(commands, &begin_info, vk::SubpassContents::INLINE) };
    }

    /// Ends the render pass, and copies the targets to the host's memory.
    pub(crate) fn end(&self, commands: vk::CommandBuffer) {
        let raw = &self.pass.device.raw;
        // SAFETY: `begin` has begun the render pass.
        unsafe { raw.cmd_end_render_pass(commands) };
        for (offset, image) in (0..).step_by(TEXEL as usize).zip(&self.images) {
            let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
            let region = vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(layers)
                .image_extent(vk::Extent3D { width: 1, height: 1, depth: 1 });
            let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            // SAFETY: the render pass left the image in that layout, and its last dependency makes
            // the texel visible. No device draws into enough targets at once to fill the smallest
            // arena with their texels.
            unsafe { raw.cmd_copy_image_to_buffer(commands, image.raw, layout, self.read_back.handle(), &[region]) };
        }
    }

    /// Reads the texels after the submission has ended.
    pub(crate) fn read(&self) -> Vec<[u32; 4]> {
        let word = |start: u64| {
            let bytes = self.read_back.read(start, 4).try_into().expect("the read has four bytes");
            u32::from_ne_bytes(bytes)
        };
        let starts = (0..).step_by(TEXEL as usize).take(self.images.len());
        starts.map(|start| [0, 4, 8, 12].map(|at| word(start + at))).collect()
    }
}

impl Drop for VulkanTargets {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the framebuffer.
        unsafe { self.pass.device.raw.destroy_framebuffer(self.framebuffer, None) };
    }
}

struct RenderPass {
    raw: vk::RenderPass,
    device: Rc<VulkanDevice>,
}

impl RenderPass {
    fn new(device: &Rc<VulkanDevice>, count: usize) -> Result<Self, RunnerError> {
        let attachment = vk::AttachmentDescription::default()
            .format(FORMAT)
            .samples(vk::SampleCountFlags::TYPE_1)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let attachments = vec![attachment; count];
        let reference = |attachment| {
            let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
            vk::AttachmentReference::default().attachment(attachment).layout(layout)
        };
        let references: Vec<_> = (0..).take(count).map(reference).collect();

        let subpasses = [vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&references)];
        let dependencies = [vk::SubpassDependency::default()
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];

        let create_info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        // SAFETY: the subpass refers to the given attachments.
        let raw = unsafe { device.raw.create_render_pass(&create_info, None) }.map_err(failed("vkCreateRenderPass"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for RenderPass {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the pass.
        unsafe { self.device.raw.destroy_render_pass(self.raw, None) };
    }
}
