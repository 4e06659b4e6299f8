//! Records and submits one dispatch, draw or launch of rays at a time, and waits for it.

use std::rc::Rc;
use std::time::Duration;

use ash::vk;
use layoutproof_device::RunnerError;

use crate::descriptors::DescriptorSets;
use crate::device::{RayTracing, VulkanDevice};
use crate::failure::failed;
use crate::heap::Heap;
use crate::image::VulkanImage;
use crate::job_memory::{ArenaRange, LaunchRegions};
use crate::pipeline::VulkanPipeline;
use crate::pipeline_layout::PipelineLayout;
use crate::resources::FilledImage;
use crate::targets::VulkanTargets;

/// One dispatch, draw or launch with everything it needs.
pub(crate) struct VulkanSubmission<'a> {
    pub(crate) pipeline: &'a VulkanPipeline,
    pub(crate) sets: &'a DescriptorSets,
    /// The descriptor heap in place of sets.
    pub(crate) heap: Option<&'a Heap>,
    /// Images to fill before the start.
    pub(crate) images: &'a [FilledImage],
    /// Push constants; may be empty.
    pub(crate) push_constants: &'a [u8],
    /// True for a dispatch with the inverted push constants before the actual one.
    pub(crate) inverts_push_constants_first: bool,
    pub(crate) start: Start<'a>,
}

/// The command that starts a pipeline.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    /// A dispatch of workgroups in x, y, z.
    Dispatch([u32; 3]),
    /// A draw of one point into these targets.
    Draw(&'a VulkanTargets),
    /// A draw of one point without a fragment stage. The ranges of the buffer take its outputs, by their numbers.
    Captured { targets: &'a VulkanTargets, buffer: vk::Buffer, ranges: &'a [(u32, ArenaRange)] },
    /// One workgroup of a task shader.
    Mesh(&'a VulkanTargets),
    /// A launch of one ray generation with these tables.
    Trace(LaunchRegions),
}

/// Pipeline stages and their kind of memory access.
#[derive(Clone, Copy)]
struct StageAccess {
    stages: vk::PipelineStageFlags,
    access: vk::AccessFlags,
}

/// A command buffer and the fence that signals its completion.
pub(crate) struct VulkanCommands {
    buffer: vk::CommandBuffer,
    pool: CommandPool,
    fence: Fence,
    /// Time limit of a dispatch or a draw, including the compilation of its shader (lavapipe
    /// compiles at the first dispatch).
    longest: Duration,
}

impl VulkanCommands {
    /// Makes a command buffer for the queue family of the device's queue.
    pub(crate) fn new(device: &Rc<VulkanDevice>, queue_family: u32, longest: Duration) -> Result<Self, RunnerError> {
        let fence = Fence::new(device)?;
        let pool = CommandPool::new(device, queue_family)?;
        let allocate_info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool.raw)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool comes from this device.
        let buffers = unsafe { device.raw.allocate_command_buffers(&allocate_info) }
            .map_err(failed("vkAllocateCommandBuffers"))?;
        let buffer = *buffers.first().expect("the request was for one command buffer");
        Ok(Self { buffer, pool, fence, longest })
    }

    /// Runs `work` to its end. Its writes are then visible to the host.
    ///
    /// # Errors
    /// After `Timeout` and `DeviceLost` the work may still run, so the caller must not use or
    /// destroy anything of the device.
    pub(crate) fn run(&self, work: &VulkanSubmission<'_>) -> Result<(), RunnerError> {
        self.run_recorded(|_, _| self.record(work))
    }

    /// Runs the commands that `record` adds to the command buffer, like [`Self::run`].
    pub(crate) fn run_recorded(&self, record: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<(), RunnerError> {
        let raw = &self.pool.device.raw;
        let begin_info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in flight, and its pool allows resetting it.
        unsafe { raw.begin_command_buffer(self.buffer, &begin_info) }.map_err(failed("vkBeginCommandBuffer"))?;
        record(raw, self.buffer);
        // SAFETY: recording has begun.
        unsafe { raw.end_command_buffer(self.buffer) }.map_err(failed("vkEndCommandBuffer"))?;

        let device = &self.pool.device;
        let fences = [self.fence.raw];
        // SAFETY: no submission with this fence is in flight.
        unsafe { device.raw.reset_fences(&fences) }.map_err(failed("vkResetFences"))?;

        let buffers = [self.buffer];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the command buffer is fully recorded and not in flight; queue and fence come from
        // this device, and only one thread uses the device.
        unsafe { device.raw.queue_submit(device.queue, &submits, self.fence.raw) }.map_err(failed("vkQueueSubmit"))?;

        let nanoseconds = u64::try_from(self.longest.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the fence comes from this device.
        unsafe { device.raw.wait_for_fences(&fences, true, nanoseconds) }.map_err(|result| match result {
            vk::Result::TIMEOUT => RunnerError::Timeout(u64::try_from(self.longest.as_millis()).unwrap_or(u64::MAX)),
            // Whatever the reason, the work may still be running.
            other => RunnerError::DeviceLost(format!("vkWaitForFences: {other:?}")),
        })
    }

    fn record(&self, work: &VulkanSubmission<'_>) {
        let raw = &self.pool.device.raw;
        if !work.images.is_empty() {
            self.fill(work.images);
        }

        let written = match work.start {
            Start::Dispatch([x, y, z]) => {
                self.bind(work, vk::PipelineBindPoint::COMPUTE);
                let shader = StageAccess {
                    stages: vk::PipelineStageFlags::COMPUTE_SHADER,
                    access: vk::AccessFlags::SHADER_WRITE,
                };
                if work.inverts_push_constants_first {
                    let inverted: Vec<u8> = work.push_constants.iter().map(|byte| !byte).collect();
                    self.push(work, &inverted);
                    // SAFETY: as for the dispatch below.
                    unsafe { raw.cmd_dispatch(self.buffer, x, y, z) };
                    self.barrier(shader, shader);
                    self.push(work, work.push_constants);
                }
                // SAFETY: pipeline, descriptor sets and push constants are bound; counts were checked against the
                // limits.
                unsafe { raw.cmd_dispatch(self.buffer, x, y, z) };
                shader
            }
            Start::Draw(targets) => {
                self.bind(work, vk::PipelineBindPoint::GRAPHICS);
                targets.begin(self.buffer);
                // SAFETY: everything is bound, and the pipeline was made for this render pass.
                unsafe { raw.cmd_draw(self.buffer, 1, 1, 0, 0) };
                targets.end(self.buffer);
                let shaders = vk::PipelineStageFlags::VERTEX_SHADER | vk::PipelineStageFlags::FRAGMENT_SHADER;
                let access = vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE;
                StageAccess { stages: shaders | vk::PipelineStageFlags::TRANSFER, access }
            }
            Start::Captured { targets, buffer, ranges } => {
                self.bind(work, vk::PipelineBindPoint::GRAPHICS);
                let feedback = self.pool.device.feedback.as_ref().expect("the device has what the job needs").fp();
                for (number, ArenaRange { start, size }) in ranges {
                    let (buffers, starts, sizes) = ([buffer], [*start], [u64::from(*size)]);
                    let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
                    // SAFETY: recording has begun; the range is in the buffer, which was made for this use.
                    unsafe { bind(self.buffer, *number, 1, buffers.as_ptr(), starts.as_ptr(), sizes.as_ptr()) };
                }
                targets.begin(self.buffer);
                let none = (std::ptr::null(), std::ptr::null());
                // SAFETY: the render pass has begun, and the buffers are bound.
                unsafe { (feedback.cmd_begin_transform_feedback_ext)(self.buffer, 0, 0, none.0, none.1) };
                // SAFETY: everything is bound, and the pipeline was made for this render pass.
                unsafe { raw.cmd_draw(self.buffer, 1, 1, 0, 0) };
                // SAFETY: the capture has begun.
                unsafe { (feedback.cmd_end_transform_feedback_ext)(self.buffer, 0, 0, none.0, none.1) };
                targets.end(self.buffer);
                StageAccess {
                    stages: vk::PipelineStageFlags::TRANSFORM_FEEDBACK_EXT,
                    access: vk::AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT,
                }
            }
            Start::Mesh(targets) => {
                self.bind(work, vk::PipelineBindPoint::GRAPHICS);
                targets.begin(self.buffer);
                let mesh = self.pool.device.mesh.as_ref().expect("the device has what the job needs");
                // SAFETY: everything is bound, and the pipeline was made for this render pass.
                unsafe { mesh.cmd_draw_mesh_tasks(self.buffer, 1, 1, 1) };
                targets.end(self.buffer);
                StageAccess {
                    stages: vk::PipelineStageFlags::TASK_SHADER_EXT | vk::PipelineStageFlags::MESH_SHADER_EXT,
                    access: vk::AccessFlags::SHADER_WRITE,
                }
            }
            Start::Trace(LaunchRegions { generation, miss, hit, callable }) => {
                self.bind(work, vk::PipelineBindPoint::RAY_TRACING_KHR);
                let RayTracing { functions, .. } =
                    self.pool.device.ray_tracing.as_ref().expect("the pipeline was made with its functions");
                // SAFETY: everything is bound; the tables are in the arena, at the device's alignments, and
                // all that the ray generation reaches have handles of this pipeline or zeros.
                unsafe { functions.cmd_trace_rays(self.buffer, &generation, &miss, &hit, &callable, 1, 1, 1) };
                StageAccess {
                    stages: vk::PipelineStageFlags::RAY_TRACING_SHADER_KHR,
                    access: vk::AccessFlags::SHADER_WRITE,
                }
            }
        };
        let host = StageAccess { stages: vk::PipelineStageFlags::HOST, access: vk::AccessFlags::HOST_READ };
        self.barrier(written, host);
    }

    /// Fills each mip level of the images with its texel, and leaves them in the general layout.
    fn fill(&self, images: &[FilledImage]) {
        let raw = &self.pool.device.raw;
        let layout = vk::ImageLayout::GENERAL;
        let barriers: Vec<_> = images
            .iter()
            .map(|filled| {
                vk::ImageMemoryBarrier::default()
                    .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
                    .new_layout(layout)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(filled.image.raw)
                    .subresource_range(filled.image.range)
            })
            .collect();
        let (from, to) = (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER);
        let flags = vk::DependencyFlags::empty();
        // SAFETY: recording has begun; the images outlive the submission, and nothing used them before.
        unsafe { raw.cmd_pipeline_barrier(self.buffer, from, to, flags, &[], &[], &barriers) };

        for filled in images {
            for (level, texel) in (0..).zip(&filled.levels) {
                self.fill_level(&filled.image, level, *texel);
            }
        }
        self.barrier(
            StageAccess { stages: vk::PipelineStageFlags::TRANSFER, access: vk::AccessFlags::TRANSFER_WRITE },
            StageAccess {
                stages: vk::PipelineStageFlags::ALL_COMMANDS,
                access: vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE,
            },
        );
    }

    fn fill_level(&self, image: &VulkanImage, level: u32, texel: [u32; 4]) {
        let raw = &self.pool.device.raw;
        let layout = vk::ImageLayout::GENERAL;
        let range = image.range.base_mip_level(level).level_count(1);
        if range.aspect_mask == vk::ImageAspectFlags::DEPTH {
            let depth = vk::ClearDepthStencilValue { depth: f32::from_bits(texel[0]), stencil: 0 };
            // SAFETY: the image is in this layout and was made as a transfer target; the queue
            // supports graphics.
            unsafe { raw.cmd_clear_depth_stencil_image(self.buffer, image.raw, layout, &depth, &[range]) };
        } else {
            // The bits of the texel, whatever its type: all texel types have 32-bit components.
            let color = vk::ClearColorValue { uint32: texel };
            // SAFETY: the image is in this layout and was made as a transfer target.
            unsafe { raw.cmd_clear_color_image(self.buffer, image.raw, layout, &color, &[range]) };
        }
    }

    /// Makes the writes of `written` visible to `read`.
    fn barrier(&self, written: StageAccess, read: StageAccess) {
        let barriers = [vk::MemoryBarrier::default().src_access_mask(written.access).dst_access_mask(read.access)];
        let flags = vk::DependencyFlags::empty();
        let raw = &self.pool.device.raw;
        // SAFETY: recording has begun, outside of any render pass, and the callers' stages support
        // those accesses.
        unsafe { raw.cmd_pipeline_barrier(self.buffer, written.stages, read.stages, flags, &barriers, &[], &[]) };
    }

    fn bind(&self, work: &VulkanSubmission<'_>, point: vk::PipelineBindPoint) {
        let raw = &self.pool.device.raw;
        let pipeline = work.pipeline;
        let layout = pipeline.layout.raw;
        // SAFETY: recording has begun; the pipeline comes from this device and outlives the submission.
        unsafe { raw.cmd_bind_pipeline(self.buffer, point, pipeline.raw) };

        if let (Some(heap), Some(functions)) = (work.heap, &self.pool.device.heap) {
            heap.bind(functions, self.buffer);
        }
        for (number, set) in &work.sets.sets {
            // SAFETY: recording has begun; the set was made with this layout's set of that number.
            unsafe { raw.cmd_bind_descriptor_sets(self.buffer, point, layout, *number, &[*set], &[]) };
        }

        if !work.push_constants.is_empty() {
            self.push(work, work.push_constants);
        }
    }

    /// Sets the push constants to `bytes`, as many as those of `work`.
    fn push(&self, work: &VulkanSubmission<'_>, bytes: &[u8]) {
        let PipelineLayout { raw: layout, stages, .. } = *work.pipeline.layout;
        // SAFETY: recording has begun; the layout's range was made as long as these push constants.
        unsafe { self.pool.device.raw.cmd_push_constants(self.buffer, layout, stages, 0, bytes) };
    }
}

struct CommandPool {
    raw: vk::CommandPool,
    device: Rc<VulkanDevice>,
}

impl CommandPool {
    fn new(device: &Rc<VulkanDevice>, queue_family: u32) -> Result<Self, RunnerError> {
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
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`); this frees the command buffer, too.
        unsafe { self.device.raw.destroy_command_pool(self.raw, None) };
    }
}

struct Fence {
    raw: vk::Fence,
    device: Rc<VulkanDevice>,
}

impl Fence {
    fn new(device: &Rc<VulkanDevice>) -> Result<Self, RunnerError> {
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(failed("vkCreateFence"))?;
        Ok(Self { raw, device: Rc::clone(device) })
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        // SAFETY: no submission is in flight (see `VulkanDevice::drop`).
        unsafe { self.device.raw.destroy_fence(self.raw, None) };
    }
}
