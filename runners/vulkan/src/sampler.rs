//! Makes samplers that see a single mip level.

use std::rc::Rc;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::device::VulkanDevice;
use crate::failure::failed;

pub(crate) struct Sampler {
    raw: vk::Sampler,
    device: Rc<VulkanDevice>,
}

impl Sampler {
    /// Makes a sampler without filtering that clamps to `level`. A comparison sampler compares with
    /// less-or-equal.
    pub(crate) fn new(device: &Rc<VulkanDevice>, level: u32, comparison: bool) -> Result<Self, RunnerError> {
        let level = u16::try_from(level).map_err(|_| RunnerError::Api {
            call: "job".to_owned(),
            reason: format!("a sampler of mip level {level}"),
        })?;

        let clamp = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let create_info = vk::SamplerCreateInfo::default()
            .mag_filter(vk::Filter::NEAREST)
            .min_filter(vk::Filter::NEAREST)
            .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
            .address_mode_u(clamp)
            .address_mode_v(clamp)
            .address_mode_w(clamp)
            .compare_enable(comparison)
            .compare_op(vk::CompareOp::LESS_OR_EQUAL)
            .min_lod(level.into())
            .max_lod(level.into());

        // SAFETY: the device is alive, and the levels are in order.
        let raw = unsafe { device.raw.create_sampler(&create_info, None) }.map_err(failed("vkCreateSampler"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }

    /// The handle, valid as long as `self` lives.
    pub(crate) fn raw(&self) -> vk::Sampler {
        self.raw
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`), so nothing uses the sampler.
        unsafe { self.device.raw.destroy_sampler(self.raw, None) };
    }
}
