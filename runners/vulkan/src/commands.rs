//! Recording, submitting and waiting for one dispatch at a time.

use std::rc::Rc;
use std::time::Duration;

use ash::vk;
use layoutproof::runner::RunnerError;

use crate::descriptors::DescriptorSets;
use crate::device::Device;
use crate::failure::failed;
use crate::pipeline::Pipeline;

/// How long a dispatch may take, its shader's compilation included (lavapipe compiles at the first dispatch).
const LIMIT: Duration = Duration::from_secs(10);

/// What to dispatch.
pub(crate) struct Dispatch<'a> {
    /// The pipeline.
    pub(crate) pipeline: &'a Pipeline,
    /// Its descriptor sets.
    pub(crate) sets: &'a DescriptorSets,
    /// Its push constants; empty for none.
    pub(crate) push_constants: &'a [u8],
    /// Workgroups in x, y, z.
    pub(crate) workgroups: [u32; 3],
}

/// A command buffer and the fence that tells when it is done.
pub(crate) struct Commands {
    buffer: vk::CommandBuffer,
    pool: CommandPool,
    fence: Fence,
}

impl Commands {
    /// Makes a command buffer for the queue family of the device's queue.
    pub(crate) fn new(device: &Rc<Device>, queue_family: u32) -> Result<Self, RunnerError> {
        let fence = Fence::new(device)?;
        let pool = CommandPool::new(device, queue_family)?;
        let allocate_info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool.raw)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool comes from this device.
        let buffers = unsafe { device.raw.allocate_command_buffers(&allocate_info) }
            .map_err(failed("vkAllocateCommandBuffers"))?;
        let buffer = *buffers.first().expect("one command buffer was asked for");
        Ok(Self { buffer, pool, fence })
    }

    /// Runs `dispatch` to its end; what it wrote is then visible to the host.
    ///
    /// # Errors
    /// After `Timeout` and `DeviceLost` the dispatch may still run: nothing of the device may be used or destroyed.
    pub(crate) fn run(&self, dispatch: &Dispatch<'_>) -> Result<(), RunnerError> {
        self.record(dispatch)?;
        let device = &self.pool.device;
        let fences = [self.fence.raw];
        // SAFETY: no submission with this fence is in flight.
        unsafe { device.raw.reset_fences(&fences) }.map_err(failed("vkResetFences"))?;
        let buffers = [self.buffer];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the command buffer is fully recorded and not in flight; queue and fence come from this device, and
        // the device is used from one thread.
        unsafe { device.raw.queue_submit(device.queue, &submits, self.fence.raw) }.map_err(failed("vkQueueSubmit"))?;
        let nanoseconds = u64::try_from(LIMIT.as_nanos()).expect("seconds fit");
        // SAFETY: the fence comes from this device.
        unsafe { device.raw.wait_for_fences(&fences, true, nanoseconds) }.map_err(|result| match result {
            vk::Result::TIMEOUT => {
                RunnerError::Timeout(u64::try_from(LIMIT.as_millis()).expect("milliseconds of seconds fit"))
            }
            // Whatever the reason, the dispatch may be running.
            other => RunnerError::DeviceLost(format!("vkWaitForFences: {other:?}")),
        })
    }

    fn record(&self, dispatch: &Dispatch<'_>) -> Result<(), RunnerError> {
        let raw = &self.pool.device.raw;
        let begin_info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in flight, and its pool allows resetting it.
        unsafe { raw.begin_command_buffer(self.buffer, &begin_info) }.map_err(failed("vkBeginCommandBuffer"))?;
        self.bind(dispatch);
        let [x, y, z] = dispatch.workgroups;
        // SAFETY: pipeline, descriptor sets and push constants are bound; counts were checked against the limits.
        unsafe { raw.cmd_dispatch(self.buffer, x, y, z) };
        let barriers = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        // SAFETY: recording has begun, and the stages fit the access masks.
        unsafe {
            raw.cmd_pipeline_barrier(
                self.buffer,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barriers,
                &[],
                &[],
            );
        }
        // SAFETY: recording has begun.
        unsafe { raw.end_command_buffer(self.buffer) }.map_err(failed("vkEndCommandBuffer"))
    }

    fn bind(&self, dispatch: &Dispatch<'_>) {
        let raw = &self.pool.device.raw;
        let (pipeline, layout) = (dispatch.pipeline.raw, dispatch.pipeline.layout.raw);
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: recording has begun; the pipeline comes from this device and outlives the submission.
        unsafe { raw.cmd_bind_pipeline(self.buffer, point, pipeline) };
        for (number, set) in &dispatch.sets.sets {
            // SAFETY: recording has begun; the set was made with this layout's set of that number.
            unsafe { raw.cmd_bind_descriptor_sets(self.buffer, point, layout, *number, &[*set], &[]) };
        }
        if !dispatch.push_constants.is_empty() {
            let stages = vk::ShaderStageFlags::COMPUTE;
            // SAFETY: recording has begun; the layout's range was made as long as these push constants.
            unsafe { raw.cmd_push_constants(self.buffer, layout, stages, 0, dispatch.push_constants) };
        }
    }
}

struct CommandPool {
    raw: vk::CommandPool,
    device: Rc<Device>,
}

impl CommandPool {
    fn new(device: &Rc<Device>, queue_family: u32) -> Result<Self, RunnerError> {
        let create_info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(queue_family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device was made with this queue family.
        let raw =
            unsafe { device.raw.create_command_pool(&create_info, None) }.map_err(failed("vkCreateCommandPool"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for CommandPool {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`); this frees the command buffer, too.
        unsafe { self.device.raw.destroy_command_pool(self.raw, None) };
    }
}

struct Fence {
    raw: vk::Fence,
    device: Rc<Device>,
}

impl Fence {
    fn new(device: &Rc<Device>) -> Result<Self, RunnerError> {
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(failed("vkCreateFence"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `Device::drop`).
        unsafe { self.device.raw.destroy_fence(self.raw, None) };
    }
}
