//! The compute pipeline of a shader's entry point.

use std::ffi::CString;
use std::rc::Rc;

use ash::vk;
use layoutproof::runner::RunnerError;

use crate::device::Device;
use crate::failure::shader_failed;
use crate::pipeline_layout::PipelineLayout;

/// A pipeline with what it was made from.
pub(crate) struct Pipeline {
    /// The pipeline.
    pub(crate) raw: vk::Pipeline,
    /// Its layout.
    pub(crate) layout: Rc<PipelineLayout>,
    words: Vec<u32>,
    entry: String,
    device: Rc<Device>,
}

impl Pipeline {
    /// Compiles entry point `entry` of the module `words`.
    pub(crate) fn new(
        device: &Rc<Device>,
        layout: &Rc<PipelineLayout>,
        words: &[u32],
        entry: &str,
    ) -> Result<Self, RunnerError> {
        let name = CString::new(entry)
            .map_err(|_| RunnerError::ShaderRefused("the entry point's name holds a zero byte".to_owned()))?;
        let module = ShaderModule::new(device, words)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.raw)
            .name(&name);
        let create_info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.raw);
        // SAFETY: module and layout come from this device and live; the module has an entry point of that name.
        // Whether the module is valid cannot be known here; drivers may crash on one that is not, which is why probes
        // run in a process of their own.
        let made = unsafe {
            device.raw.create_compute_pipelines(vk::PipelineCache::null(), std::slice::from_ref(&create_info), None)
        };
        // A pipeline that failed is null, so nothing is left to destroy.
        let pipelines = made.map_err(|(_, result)| shader_failed("vkCreateComputePipelines")(result))?;
        let raw = *pipelines.first().expect("one pipeline was asked for");
        let (layout, device) = (Rc::clone(layout), Rc::clone(device));
        Ok(Self { raw, layout, words: words.to_vec(), entry: entry.to_owned(), device })
    }

    /// Whether this is the pipeline of `entry` in `words` with `layout`.
    pub(crate) fn serves(&self, layout: &Rc<PipelineLayout>, words: &[u32], entry: &str) -> bool {
        Rc::ptr_eq(&self.layout, layout) && self.entry == entry && self.words == words
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`), so nothing uses the pipeline.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}

struct ShaderModule {
    raw: vk::ShaderModule,
    device: Rc<Device>,
}

impl ShaderModule {
    fn new(device: &Rc<Device>, words: &[u32]) -> Result<Self, RunnerError> {
        let create_info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words have a SPIR-V header and whole instructions; for the rest see `Pipeline::new`.
        let raw = unsafe { device.raw.create_shader_module(&create_info, None) }
            .map_err(shader_failed("vkCreateShaderModule"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for ShaderModule {
    fn drop(&mut self) {
        // SAFETY: a pipeline does not need its module after it was made.
        unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
    }
}
