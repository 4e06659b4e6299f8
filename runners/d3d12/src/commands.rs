//! Records and submits one dispatch or draw at a time, and waits for it.

use std::ffi::c_void;
use std::thread;
use std::time::{Duration, Instant};

use layoutproof_device::{Job, ResourceClass, RunnerError};

use crate::com::{ComObject, method_type};
use crate::device::{CpuDescriptor, Direct3dDevice};
use crate::failure::{HResult, check};
use crate::heaps::Heaps;
use crate::memory::{DeviceBuffers, address};
use crate::placement::JobRegions;
use crate::root_signature::{RootBinding, RootLayout};
use crate::structures::{CopyLocation, CopySource, Rectangle, Transition, Viewport, state};
use crate::target::DrawTarget;
use crate::textures::{FilledTexture, LevelCopy};

/// The longest pause between two checks of the fence.
const PAUSE: Duration = Duration::from_millis(2);

/// One dispatch or draw with everything it needs.
pub(crate) struct Direct3dSubmission<'a> {
    pub(crate) job: &'a Job,
    pub(crate) layout: &'a RootLayout,
    pub(crate) root_signature: &'a ComObject,
    pub(crate) pipeline: &'a ComObject,
    pub(crate) heaps: &'a Heaps,
    pub(crate) memory: &'a DeviceBuffers,
    pub(crate) regions: &'a JobRegions,
    pub(crate) textures: &'a [Option<FilledTexture>],
    /// The target of a draw; `None` for a dispatch.
    pub(crate) target: Option<&'a DrawTarget>,
}

impl Direct3dSubmission<'_> {
    /// The slot of a method that command lists have twice: for dispatches, and in the next slots
    /// for draws.
    fn slot(&self, of_dispatch: usize) -> usize {
        of_dispatch + usize::from(self.target.is_some())
    }
}

/// A command list with its queue, and the fence that signals its completion.
#[derive(Debug)]
pub(crate) struct Direct3dCommands {
    queue: ComObject,
    allocator: ComObject,
    list: CommandList,
    fence: ComObject,
    /// The value that the fence reaches when the last list is done.
    submitted: u64,
    /// Time limit of a dispatch, including the compilation of its shader (lavapipe compiles at the
    /// first dispatch).
    longest: Duration,
}

impl Direct3dCommands {
    /// Makes a closed list.
    pub(crate) fn new(device: &Direct3dDevice, longest: Duration) -> Result<Self, RunnerError> {
        let queue = device.command_queue()?;
        let allocator = device.command_allocator()?;
        let list = CommandList(device.command_list(&allocator)?);
        list.close()?;
        Ok(Self { queue, allocator, list, fence: device.fence()?, submitted: 0, longest })
    }

    /// Runs `work` to its end. Its writes are then in the memory that the host reads.
    ///
    /// # Errors
    /// After `Timeout` and `DeviceLost` the work may still run, so the caller must not use or
    /// release anything of the device.
    pub(crate) fn run(&mut self, device: &Direct3dDevice, work: &Direct3dSubmission<'_>) -> Result<(), RunnerError> {
        self.list.reset(&self.allocator, work.pipeline)?;
        self.list.record(work);
        self.list.close()?;

        let lists = [self.list.0.as_ptr()];
        // SAFETY: slot 10 of `ID3D12CommandQueue` is `ExecuteCommandLists`.
        let execute = unsafe { self.queue.method::<method_type!((u32, *const *mut c_void))>(10) };
        // SAFETY: the list is closed, and its resources live until it is done, or are leaked.
        unsafe { execute(self.queue.as_ptr(), 1, lists.as_ptr()) };
        self.submitted += 1;
        // SAFETY: slot 14 of `ID3D12CommandQueue` is `Signal`.
        let signal = unsafe { self.queue.method::<method_type!((*mut c_void, u64) -> HResult)>(14) };
        // SAFETY: the fence comes from the queue's device.
        let code = unsafe { signal(self.queue.as_ptr(), self.fence.as_ptr(), self.submitted) };
        // Whatever the reason, the work may still be running.
        check("Signal", code).map_err(|error| RunnerError::DeviceLost(error.to_string()))?;
        self.wait(device)
    }

    fn wait(&self, device: &Direct3dDevice) -> Result<(), RunnerError> {
        let started = Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            // SAFETY: slot 8 of `ID3D12Fence` is `GetCompletedValue`.
            let completed = unsafe { self.fence.method::<method_type!(() -> u64)>(8) };
            // SAFETY: the fence is alive.
            let value = unsafe { completed(self.fence.as_ptr()) };

            // Every fence of a removed device has this value.
            if value == u64::MAX {
                device.check_alive()?;
                return Err(RunnerError::DeviceLost("its fence reports the loss without a reason".to_owned()));
            }
            if value >= self.submitted {
                return device.check_alive();
            }

            if started.elapsed() > self.longest {
                let limit = u64::try_from(self.longest.as_millis()).unwrap_or(u64::MAX);
                return Err(RunnerError::Timeout(limit));
            }
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSE);
        }
    }
}

/// The methods of `ID3D12GraphicsCommandList`.
#[derive(Debug)]
struct CommandList(ComObject);

impl CommandList {
    fn close(&self) -> Result<(), RunnerError> {
        // SAFETY: slot 9 of `ID3D12GraphicsCommandList` is `Close`.
        let close = unsafe { self.0.method::<method_type!(() -> HResult)>(9) };
        // SAFETY: the list is recording.
        check("Close", unsafe { close(self.0.as_ptr()) })
    }

    fn reset(&self, allocator: &ComObject, pipeline: &ComObject) -> Result<(), RunnerError> {
        // SAFETY: slot 8 of `ID3D12CommandAllocator` is `Reset`.
        let reset = unsafe { allocator.method::<method_type!(() -> HResult)>(8) };
        // SAFETY: no list of the allocator is running.
        check("ID3D12CommandAllocator::Reset", unsafe { reset(allocator.as_ptr()) })?;
        // SAFETY: slot 10 of `ID3D12GraphicsCommandList` is `Reset`.
        let reset = unsafe { self.0.method::<method_type!((*mut c_void, *mut c_void) -> HResult)>(10) };
        // SAFETY: the list is closed, and this is its allocator.
        check("ID3D12GraphicsCommandList::Reset", unsafe {
            reset(self.0.as_ptr(), allocator.as_ptr(), pipeline.as_ptr())
        })
    }

    fn record(&self, work: &Direct3dSubmission<'_>) {
        let Direct3dSubmission { memory, regions, .. } = work;
        let written = memory.written.resource();
        if regions.written > 0 {
            self.copy(written, memory.before.resource(), regions.written);
            self.transition(written, state::COPY_DEST, state::UNORDERED_ACCESS);
        }

        for texture in work.textures.iter().flatten() {
            self.fill(texture);
        }
        self.set_heaps(work.heaps);
        // SAFETY: slots 29 and 30 of `ID3D12GraphicsCommandList` are `SetComputeRootSignature` and `SetGraphicsRootSignature`.
        let set = unsafe { self.0.method::<method_type!((*mut c_void))>(work.slot(29)) };
        // SAFETY: the root signature lives until the list is done.
        unsafe { set(self.0.as_ptr(), work.root_signature.as_ptr()) };
        for (index, parameter) in (0..).zip(&work.layout.parameters) {
            self.set_parameter(index, parameter, work);
        }

        match work.target {
            None => self.dispatch(work.job.workgroups),
            Some(target) => self.draw_point(target),
        }

        if regions.written > 0 {
            self.transition(written, state::UNORDERED_ACCESS, state::COPY_SOURCE);
            self.copy(memory.after.resource(), written, regions.written);
            // The next job copies to the resource again.
            self.transition(written, state::COPY_SOURCE, state::COPY_DEST);
        }
    }

    /// Records the dispatch. The pipeline, the root signature and all its parameters are set.
    fn dispatch(&self, workgroups: [u32; 3]) {
        let [x, y, z] = workgroups;
        // SAFETY: slot 14 of `ID3D12GraphicsCommandList` is `Dispatch`.
        let dispatch = unsafe { self.0.method::<method_type!((u32, u32, u32))>(14) };
        // SAFETY: everything it needs is set.
        unsafe { dispatch(self.0.as_ptr(), x, y, z) };
    }

    /// Records the draw of one point into `target`. The pipeline, the root signature and all its
    /// parameters are set.
    fn draw_point(&self, target: &DrawTarget) {
        type SetRenderTargets = method_type!((u32, *const CpuDescriptor, u32, *const CpuDescriptor));
        /// `D3D_PRIMITIVE_TOPOLOGY_POINTLIST`.
        const POINTS: u32 = 1;
        // SAFETY: slot 20 of `ID3D12GraphicsCommandList` is `IASetPrimitiveTopology`.
        let set_topology = unsafe { self.0.method::<method_type!((u32))>(20) };
        // SAFETY: the argument is a plain number.
        unsafe { set_topology(self.0.as_ptr(), POINTS) };

        let viewport = Viewport { left: 0.0, top: 0.0, width: 1.0, height: 1.0, nearest: 0.0, farthest: 1.0 };
        // SAFETY: slot 21 of `ID3D12GraphicsCommandList` is `RSSetViewports`.
        let set_viewports = unsafe { self.0.method::<method_type!((u32, *const Viewport))>(21) };
        // SAFETY: the viewport is copied.
        unsafe { set_viewports(self.0.as_ptr(), 1, &raw const viewport) };

        let texel = Rectangle { left: 0, top: 0, right: 1, bottom: 1 };
        // SAFETY: slot 22 of `ID3D12GraphicsCommandList` is `RSSetScissorRects`.
        let set_scissors = unsafe { self.0.method::<method_type!((u32, *const Rectangle))>(22) };
        // SAFETY: the rectangle is copied.
        unsafe { set_scissors(self.0.as_ptr(), 1, &raw const texel) };

        let view = target.view();
        // SAFETY: slot 46 of `ID3D12GraphicsCommandList` is `OMSetRenderTargets`.
        let set_targets = unsafe { self.0.method::<SetRenderTargets>(46) };
        // SAFETY: the target lives until the list is done; there is no depth view.
        unsafe { set_targets(self.0.as_ptr(), 1, &raw const view, 0, std::ptr::null()) };

        // SAFETY: slot 12 of `ID3D12GraphicsCommandList` is `DrawInstanced`.
        let draw = unsafe { self.0.method::<method_type!((u32, u32, u32, u32))>(12) };
        // SAFETY: everything it needs is set.
        unsafe { draw(self.0.as_ptr(), 1, 1, 0, 0) };
    }

    fn set_heaps(&self, heaps: &Heaps) {
        let heaps: Vec<*mut c_void> =
            [&heaps.views, &heaps.samplers].into_iter().flatten().map(|heap| heap.raw().as_ptr()).collect();
        if heaps.is_empty() {
            return;
        }
        let count = u32::try_from(heaps.len()).expect("there are two kinds of heaps");
        // SAFETY: slot 28 of `ID3D12GraphicsCommandList` is `SetDescriptorHeaps`.
        let set = unsafe { self.0.method::<method_type!((u32, *const *mut c_void))>(28) };
        // SAFETY: the heaps live until the list is done, and are of two different kinds.
        unsafe { set(self.0.as_ptr(), count, heaps.as_ptr()) };
    }

    fn set_parameter(&self, index: u32, parameter: &RootBinding, work: &Direct3dSubmission<'_>) {
        match parameter {
            RootBinding::Table(table) => {
                let first = work.heaps.of(table.heap).gpu(table.first);
                // SAFETY: slots 31 and 32 of `ID3D12GraphicsCommandList` are `SetComputeRootDescriptorTable` and
                // `SetGraphicsRootDescriptorTable`.
                let set = unsafe { self.0.method::<method_type!((u32, u64))>(work.slot(31)) };
                // SAFETY: the heap is set, and has all descriptors of the table.
                unsafe { set(self.0.as_ptr(), index, first) };
            }
            RootBinding::Constants { buffer, words, .. } => {
                let bytes = &work.job.buffers[*buffer].bytes;
                // SAFETY: slots 35 and 36 of `ID3D12GraphicsCommandList` are `SetComputeRoot32BitConstants` and
                // `SetGraphicsRoot32BitConstants`.
                let set = unsafe { self.0.method::<method_type!((u32, u32, *const u8, u32))>(work.slot(35)) };
                // SAFETY: the buffer has this many words, and the call copies them.
                unsafe { set(self.0.as_ptr(), index, *words, bytes.as_ptr(), 0) };
            }
            RootBinding::Descriptor { range, buffer } => {
                let region = work.regions.buffers[*buffer];
                let holder =
                    if region.is_written { work.memory.written.resource() } else { work.memory.read.resource() };
                let slot = match range.class {
                    ResourceClass::ConstantBuffer => 37,
                    ResourceClass::ShaderResource | ResourceClass::Sampler => 39,
                    ResourceClass::UnorderedAccess => 41,
                };
                // SAFETY: these slots of `ID3D12GraphicsCommandList` are
                // `SetComputeRootConstantBufferView`, `SetComputeRootShaderResourceView` and
                // `SetComputeRootUnorderedAccessView`; the next slot of each is the one for draws.
                let set = unsafe { self.0.method::<method_type!((u32, u64))>(work.slot(slot)) };
                // SAFETY: the memory lives until the list is done.
                unsafe { set(self.0.as_ptr(), index, address(holder) + region.range()) };
            }
        }
    }

    /// Fills a texture and transitions it for shaders.
    fn fill(&self, texture: &FilledTexture) {
        type CopyTextureRegion = method_type!((*const CopyLocation, u32, u32, u32, *const CopyLocation, *const c_void));
        // SAFETY: slot 16 of `ID3D12GraphicsCommandList` is `CopyTextureRegion`.
        let copy = unsafe { self.0.method::<CopyTextureRegion>(16) };
        for LevelCopy { subresource, footprint } in &texture.copies {
            let place = CopySource { subresource: *subresource };
            let to = CopyLocation { resource: texture.resource.as_ptr(), kind: 0, place };
            let place = CopySource { footprint: *footprint };
            let from = CopyLocation { resource: texture.staging.resource().as_ptr(), kind: 1, place };
            // SAFETY: the texture has the subresource, its memory the footprint, and both live until the list is done.
            unsafe { copy(self.0.as_ptr(), &raw const to, 0, 0, 0, &raw const from, std::ptr::null()) };
        }
        self.transition(&texture.resource, state::COPY_DEST, texture.state);
    }

    fn copy(&self, to: &ComObject, from: &ComObject, size: u64) {
        type CopyBufferRegion = method_type!((*mut c_void, u64, *mut c_void, u64, u64));
        // SAFETY: slot 15 of `ID3D12GraphicsCommandList` is `CopyBufferRegion`.
        let copy = unsafe { self.0.method::<CopyBufferRegion>(15) };
        // SAFETY: both buffers have this many bytes, and live until the list is done.
        unsafe { copy(self.0.as_ptr(), to.as_ptr(), 0, from.as_ptr(), 0, size) };
    }

    fn transition(&self, resource: &ComObject, before: u32, after: u32) {
        let barrier = Transition::new(resource.as_ptr(), before, after);
        // SAFETY: slot 26 of `ID3D12GraphicsCommandList` is `ResourceBarrier`.
        let barriers = unsafe { self.0.method::<method_type!((u32, *const Transition))>(26) };
        // SAFETY: the resource is in the state `before` at that point.
        unsafe { barriers(self.0.as_ptr(), 1, &raw const barrier) };
    }
}
