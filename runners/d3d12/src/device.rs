//! An open device and the objects that it makes: the methods of `ID3D12Device`.

use std::ffi::c_void;
use std::mem::size_of;
use std::ptr;

use layoutproof_device::RunnerError;

use crate::com::{ComObject, Guid, OutPointer, method_type};
use crate::failure::{HResult, check, name};
use crate::library::Functions;
use crate::structures::{
    BufferShaderView, BufferWritableView, CommandQueueDesc, ComputePipelineDesc, ConstantBufferView, DepthStencilDesc,
    DescriptorHeapDesc, FEATURE_LEVEL_11_0, GraphicsPipelineDesc, HeapProperties, HeapType, InputLayoutDesc,
    RasterizerDesc, ResourceDesc, RootSignatureDesc, SamplerDesc, ShaderBytecode, TargetBlendDesc, TextureShaderView,
    format, interfaces,
};

pub(crate) type CpuDescriptor = usize;

pub(crate) const TARGET_FORMAT: u32 = format::R32G32B32A32_UINT;

/// Rasterises both sides of everything, without a bias.
const POINTS: RasterizerDesc = RasterizerDesc {
    fill: 3,
    cull: 1,
    front_counterclockwise: 0,
    depth_bias: 0,
    depth_bias_clamp: 0.0,
    sloped_depth_bias: 0.0,
    depth_clip: 1,
    multisample: 0,
    antialiased_lines: 0,
    forced_samples: 0,
    conservative: 0,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawnStages<'a> {
    pub(crate) vertex: &'a [u8],
    pub(crate) pixel: &'a [u8],
}

#[derive(Debug)]
pub(crate) struct Direct3dDevice {
    raw: ComObject,
    functions: Functions,
}

impl Direct3dDevice {
    /// Opens the device of `adapter`; null means the first adapter.
    ///
    /// # Safety
    /// `adapter` is null or an adapter of DXGI.
    pub(crate) unsafe fn open(functions: Functions, adapter: *mut c_void) -> Result<Self, RunnerError> {
        let create = |place: OutPointer| {
            // SAFETY: the arguments are an adapter, as the caller guarantees, a level, an interface
            // and a pointer for the result.
            unsafe { (functions.create_device)(adapter, FEATURE_LEVEL_11_0, &raw const interfaces::DEVICE, place) }
        };
        // SAFETY: the call stores a device.
        let raw = unsafe { ComObject::made("D3D12CreateDevice", create) }?;
        Ok(Self { raw, functions })
    }

    /// Queries the support structure `T` with this number; `None` if the device does not know it.
    ///
    /// # Safety
    /// `T` is the structure of `feature`.
    pub(crate) unsafe fn support<T>(&self, feature: u32, mut answer: T) -> Option<T> {
        type CheckFeatureSupport = method_type!((u32, *mut c_void, u32) -> HResult);
        // SAFETY: slot 13 of `ID3D12Device` is `CheckFeatureSupport`.
        let ask = unsafe { self.raw.method::<CheckFeatureSupport>(13) };
        let size = u32::try_from(size_of::<T>()).expect("structures of support are small");
        // SAFETY: the caller guarantees that the structure belongs to the feature; it lives until
        // the call returns.
        let code = unsafe { ask(self.raw.as_ptr(), feature, (&raw mut answer).cast(), size) };
        (code >= 0).then_some(answer)
    }

    #[cfg(windows)]
    pub(crate) fn interface(&self, interface: &Guid) -> Result<ComObject, RunnerError> {
        // SAFETY: slot 0 of every interface is `QueryInterface`.
        let query = unsafe { self.raw.method::<method_type!((*const Guid, OutPointer) -> HResult)>(0) };
        self.make("QueryInterface", |device, place| {
            // SAFETY: the arguments are an interface and a pointer for the result.
            unsafe { query(device, interface, place) }
        })
    }

    /// Makes a queue for all kinds of commands.
    pub(crate) fn command_queue(&self) -> Result<ComObject, RunnerError> {
        type CreateCommandQueue = method_type!((*const CommandQueueDesc, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 8 of `ID3D12Device` is `CreateCommandQueue`.
        let create = unsafe { self.raw.method::<CreateCommandQueue>(8) };
        let desc = CommandQueueDesc::default();
        self.make("CreateCommandQueue", |device, place| {
            // SAFETY: the description lives until the call returns.
            unsafe { create(device, &raw const desc, &raw const interfaces::COMMAND_QUEUE, place) }
        })
    }

    /// Makes memory for commands.
    pub(crate) fn command_allocator(&self) -> Result<ComObject, RunnerError> {
        type CreateCommandAllocator = method_type!((u32, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 9 of `ID3D12Device` is `CreateCommandAllocator`.
        let create = unsafe { self.raw.method::<CreateCommandAllocator>(9) };
        self.make("CreateCommandAllocator", |device, place| {
            // SAFETY: 0 is the kind of the queue above.
            unsafe { create(device, 0, &raw const interfaces::COMMAND_ALLOCATOR, place) }
        })
    }

    /// Makes a list of commands in the memory of `allocator`, ready for recording.
    pub(crate) fn command_list(&self, allocator: &ComObject) -> Result<ComObject, RunnerError> {
        type CreateCommandList = method_type!((u32, u32, *mut c_void, *mut c_void, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 12 of `ID3D12Device` is `CreateCommandList`.
        let create = unsafe { self.raw.method::<CreateCommandList>(12) };
        self.make("CreateCommandList", |device, place| {
            let interface = &raw const interfaces::GRAPHICS_COMMAND_LIST;
            // SAFETY: the allocator comes from this device and is of the same kind.
            unsafe { create(device, 0, 0, allocator.as_ptr(), ptr::null_mut(), interface, place) }
        })
    }

    /// Makes a fence with value 0.
    pub(crate) fn fence(&self) -> Result<ComObject, RunnerError> {
        type CreateFence = method_type!((u64, u32, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 36 of `ID3D12Device` is `CreateFence`.
        let create = unsafe { self.raw.method::<CreateFence>(36) };
        self.make("CreateFence", |device, place| {
            // SAFETY: the arguments are plain numbers, an interface and a pointer for the result.
            unsafe { create(device, 0, 0, &raw const interfaces::FENCE, place) }
        })
    }

    /// Makes a resource with separate memory.
    pub(crate) fn resource(&self, heap: HeapType, desc: &ResourceDesc, state: u32) -> Result<ComObject, RunnerError> {
        type CreateCommittedResource = method_type!(
            (
                *const HeapProperties,
                u32,
                *const ResourceDesc,
                u32,
                *const c_void,
                *const Guid,
                OutPointer,
            ) -> HResult
        );
        // SAFETY: slot 27 of `ID3D12Device` is `CreateCommittedResource`.
        let create = unsafe { self.raw.method::<CreateCommittedResource>(27) };

        let heap = HeapProperties { kind: heap, cpu_pages: 0, pool: 0, creation_nodes: 1, visible_nodes: 1 };
        self.make("CreateCommittedResource", |device, place| {
            let interface = &raw const interfaces::RESOURCE;
            // SAFETY: the descriptions live until the call returns; there is no clear value.
            unsafe { create(device, &raw const heap, 0, desc, state, ptr::null(), interface, place) }
        })
    }

    pub(crate) fn root_signature(&self, desc: &RootSignatureDesc) -> Result<ComObject, RunnerError> {
        /// `D3D_ROOT_SIGNATURE_VERSION_1_0`.
        const VERSION: u32 = 1;
        type CreateRootSignature = method_type!((u32, *const c_void, usize, *const Guid, OutPointer) -> HResult);
        let (mut blob, mut words) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: everything in the description lives until the call returns.
        let code = unsafe { (self.functions.serialize_root_signature)(desc, VERSION, &raw mut blob, &raw mut words) };
        if code < 0 {
            // SAFETY: the call stored null or a blob.
            let words = unsafe { ComObject::adopt("D3D12SerializeRootSignature", words) };
            let said = words.map_or_else(|_| String::new(), |words| format!(": {}", text(&words)));
            return Err(RunnerError::Api {
                call: "D3D12SerializeRootSignature".to_owned(),
                reason: format!("{}{said}", name(code)),
            });
        }
        // SAFETY: the call stored a blob.
        let blob = unsafe { ComObject::adopt("D3D12SerializeRootSignature", blob) }?;

        // SAFETY: slot 16 of `ID3D12Device` is `CreateRootSignature`.
        let create = unsafe { self.raw.method::<CreateRootSignature>(16) };
        let (bytes, size) = blob_range(&blob);
        self.make("CreateRootSignature", |device, place| {
            // SAFETY: the blob lives until the call returns.
            unsafe { create(device, 0, bytes, size, &raw const interfaces::ROOT_SIGNATURE, place) }
        })
    }

    /// Makes a pipeline of one compute shader.
    pub(crate) fn compute_pipeline(&self, root_signature: &ComObject, code: &[u8]) -> Result<ComObject, RunnerError> {
        type CreateComputePipelineState =
            method_type!((*const ComputePipelineDesc, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 11 of `ID3D12Device` is `CreateComputePipelineState`.
        let create = unsafe { self.raw.method::<CreateComputePipelineState>(11) };

        let desc = ComputePipelineDesc {
            root_signature: root_signature.as_ptr(),
            code: code.as_ptr(),
            code_size: code.len(),
            nodes: 0,
            cached: ptr::null(),
            cached_size: 0,
            flags: 0,
        };
        self.make("CreateComputePipelineState", |device, place| {
            // SAFETY: root signature and code live until the call returns.
            unsafe { create(device, &raw const desc, &raw const interfaces::PIPELINE_STATE, place) }
        })
    }

    /// Makes a pipeline that draws points into one target of [`TARGET_FORMAT`] without writing to
    /// it.
    pub(crate) fn graphics_pipeline(
        &self,
        root_signature: &ComObject,
        stages: DrawnStages<'_>,
    ) -> Result<ComObject, RunnerError> {
        type CreateGraphicsPipelineState =
            method_type!((*const GraphicsPipelineDesc, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 10 of `ID3D12Device` is `CreateGraphicsPipelineState`.
        let create = unsafe { self.raw.method::<CreateGraphicsPipelineState>(10) };

        let mut target_formats = [format::UNKNOWN; 8];
        target_formats[0] = TARGET_FORMAT;
        let desc = GraphicsPipelineDesc {
            root_signature: root_signature.as_ptr(),
            vertex: ShaderBytecode::of(stages.vertex),
            pixel: ShaderBytecode::of(stages.pixel),
            others: [ShaderBytecode::none(); 3],
            stream_declaration: ptr::null(),
            stream_entries: 0,
            stream_strides: ptr::null(),
            stream_stride_count: 0,
            rasterized_stream: 0,
            alpha_to_coverage: 0,
            independent_blend: 0,
            blends: [TargetBlendDesc::default(); 8],
            sample_mask: u32::MAX,
            rasterizer: POINTS,
            depth_stencil: DepthStencilDesc::default(),
            input_layout: InputLayoutDesc { elements: ptr::null(), count: 0 },
            strip_cut: 0,
            topology: 1,
            targets: 1,
            target_formats,
            depth_format: format::UNKNOWN,
            samples: 1,
            quality: 0,
            nodes: 0,
            cached: ptr::null(),
            cached_size: 0,
            flags: 0,
        };
        self.make("CreateGraphicsPipelineState", |device, place| {
            // SAFETY: root signature and code live until the call returns.
            unsafe { create(device, &raw const desc, &raw const interfaces::PIPELINE_STATE, place) }
        })
    }

    /// Writes the view of a render target.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of render targets.
    pub(crate) unsafe fn write_target_view(&self, texture: &ComObject, at: CpuDescriptor) {
        type CreateRenderTargetView = method_type!((*mut c_void, *const c_void, CpuDescriptor));
        // SAFETY: slot 20 of `ID3D12Device` is `CreateRenderTargetView`.
        let create = unsafe { self.raw.method::<CreateRenderTargetView>(20) };
        // SAFETY: the caller guarantees `at`; without a description it is the view of the whole
        // texture.
        unsafe { create(self.raw.as_ptr(), texture.as_ptr(), ptr::null(), at) };
    }

    /// Makes a heap of `count` shader-visible descriptors: views or samplers.
    pub(crate) fn descriptor_heap(&self, desc: &DescriptorHeapDesc) -> Result<ComObject, RunnerError> {
        type CreateDescriptorHeap = method_type!((*const DescriptorHeapDesc, *const Guid, OutPointer) -> HResult);
        // SAFETY: slot 14 of `ID3D12Device` is `CreateDescriptorHeap`.
        let create = unsafe { self.raw.method::<CreateDescriptorHeap>(14) };
        self.make("CreateDescriptorHeap", |device, place| {
            // SAFETY: the description lives until the call returns.
            unsafe { create(device, desc, &raw const interfaces::DESCRIPTOR_HEAP, place) }
        })
    }

    /// Bytes from one descriptor of a heap of this kind to the next.
    pub(crate) fn descriptor_size(&self, kind: u32) -> u32 {
        type GetDescriptorHandleIncrementSize = method_type!((u32) -> u32);
        // SAFETY: slot 15 of `ID3D12Device` is `GetDescriptorHandleIncrementSize`.
        let get = unsafe { self.raw.method::<GetDescriptorHandleIncrementSize>(15) };
        // SAFETY: the argument is a plain number.
        unsafe { get(self.raw.as_ptr(), kind) }
    }

    /// Writes a constant buffer view.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of views.
    pub(crate) unsafe fn write_constant_view(&self, view: &ConstantBufferView, at: CpuDescriptor) {
        type CreateConstantBufferView = method_type!((*const ConstantBufferView, CpuDescriptor));
        // SAFETY: slot 17 of `ID3D12Device` is `CreateConstantBufferView`.
        let create = unsafe { self.raw.method::<CreateConstantBufferView>(17) };
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), view, at) };
    }

    /// Writes a read-only view of a buffer. If `resource` is `None`, it is a null view, which reads
    /// as zeros.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of views.
    pub(crate) unsafe fn write_shader_view(
        &self,
        resource: Option<&ComObject>,
        view: &BufferShaderView,
        at: CpuDescriptor,
    ) {
        type CreateShaderResourceView = method_type!((*mut c_void, *const BufferShaderView, CpuDescriptor));
        // SAFETY: slot 18 of `ID3D12Device` is `CreateShaderResourceView`.
        let create = unsafe { self.raw.method::<CreateShaderResourceView>(18) };
        let resource = resource.map_or(ptr::null_mut(), ComObject::as_ptr);
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), resource, view, at) };
    }

    /// Writes a view of a texture: of the part that `view` describes, or of the whole.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of views.
    pub(crate) unsafe fn write_texture_view(
        &self,
        texture: &ComObject,
        view: Option<&TextureShaderView>,
        at: CpuDescriptor,
    ) {
        type CreateShaderResourceView = method_type!((*mut c_void, *const TextureShaderView, CpuDescriptor));
        // SAFETY: slot 18 of `ID3D12Device` is `CreateShaderResourceView`.
        let create = unsafe { self.raw.method::<CreateShaderResourceView>(18) };
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), texture.as_ptr(), view.map_or(ptr::null(), ptr::from_ref), at) };
    }

    /// Writes a writable view of a whole texture.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of views.
    pub(crate) unsafe fn write_writable_texture_view(&self, texture: &ComObject, at: CpuDescriptor) {
        type CreateUnorderedAccessView =
            method_type!((*mut c_void, *mut c_void, *const BufferWritableView, CpuDescriptor));
        // SAFETY: slot 19 of `ID3D12Device` is `CreateUnorderedAccessView`.
        let create = unsafe { self.raw.method::<CreateUnorderedAccessView>(19) };
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), texture.as_ptr(), ptr::null_mut(), ptr::null(), at) };
    }

    /// Writes a sampler.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of samplers.
    pub(crate) unsafe fn write_sampler(&self, sampler: &SamplerDesc, at: CpuDescriptor) {
        type CreateSampler = method_type!((*const SamplerDesc, CpuDescriptor));
        // SAFETY: slot 22 of `ID3D12Device` is `CreateSampler`.
        let create = unsafe { self.raw.method::<CreateSampler>(22) };
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), sampler, at) };
    }

    /// Writes a writable view of a buffer, without a counter. If `resource` is `None`, it is a null
    /// view.
    ///
    /// # Safety
    /// `at` is a descriptor of a heap of views.
    pub(crate) unsafe fn write_writable_view(
        &self,
        resource: Option<&ComObject>,
        view: &BufferWritableView,
        at: CpuDescriptor,
    ) {
        type CreateUnorderedAccessView =
            method_type!((*mut c_void, *mut c_void, *const BufferWritableView, CpuDescriptor));
        // SAFETY: slot 19 of `ID3D12Device` is `CreateUnorderedAccessView`.
        let create = unsafe { self.raw.method::<CreateUnorderedAccessView>(19) };
        let resource = resource.map_or(ptr::null_mut(), ComObject::as_ptr);
        // SAFETY: the caller guarantees `at`.
        unsafe { create(self.raw.as_ptr(), resource, ptr::null_mut(), view, at) };
    }

    /// Returns the reason why the device is gone, if it is.
    pub(crate) fn check_alive(&self) -> Result<(), RunnerError> {
        type GetDeviceRemovedReason = method_type!(() -> HResult);
        // SAFETY: slot 37 of `ID3D12Device` is `GetDeviceRemovedReason`.
        let get = unsafe { self.raw.method::<GetDeviceRemovedReason>(37) };
        // SAFETY: the object still exists even if the device is removed.
        let reason = unsafe { get(self.raw.as_ptr()) };
        check("GetDeviceRemovedReason", reason).map_err(|error| RunnerError::DeviceLost(error.to_string()))
    }

    fn make(
        &self,
        call: &str,
        make: impl FnOnce(*mut c_void, OutPointer) -> HResult,
    ) -> Result<ComObject, RunnerError> {
        // SAFETY: every method that this is used with stores an object if it succeeds.
        unsafe { ComObject::made(call, |place| make(self.raw.as_ptr(), place)) }
    }
}

/// Pointer to the bytes of a blob, and their number.
fn blob_range(blob: &ComObject) -> (*const c_void, usize) {
    // SAFETY: slot 3 of `ID3DBlob` is `GetBufferPointer`.
    let pointer = unsafe { blob.method::<method_type!(() -> *const c_void)>(3) };
    // SAFETY: slot 4 of `ID3DBlob` is `GetBufferSize`.
    let size = unsafe { blob.method::<method_type!(() -> usize)>(4) };
    // SAFETY: the blob is alive.
    let pointer = unsafe { pointer(blob.as_ptr()) };
    // SAFETY: the blob is alive.
    (pointer, unsafe { size(blob.as_ptr()) })
}

fn text(blob: &ComObject) -> String {
    let (pointer, size) = blob_range(blob);
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the blob has this many bytes there, and lives as long as they are read.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).trim_end_matches('\0').trim().to_owned()
}
