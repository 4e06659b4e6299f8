//! Runs the layout tests of wgpu's repository, `struct_layout.rs`, on lavapipe through Vulkan. `ci/prey/run` puts the functions
//! that make the tests into `wgpu_tests.rs`; this file has what they use of wgpu's test program. Each group of tests that
//! fails has a line with its name.

#[path = "wgpu_tests.rs"]
mod wgpu_tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    Backends, BindGroupDescriptor, BindGroupEntry, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    Buffer, BufferBindingType, BufferUsages, CommandEncoderDescriptor, ComputePassDescriptor,
    ComputePipelineDescriptor, Device, DeviceDescriptor, Features, Instance, InstanceDescriptor, Limits, MapMode,
    PipelineLayoutDescriptor, PollType, Queue, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

/// Bytes of each buffer and of the immediates.
const MAX_BUFFER_SIZE: u64 = 128;

const BYTES: usize = 128;

/// A word of the output to which the shader stores nothing.
const UNTOUCHED: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq)]
enum InputStorageType {
    Uniform,
    Storage,
    Immediate,
}

/// A shader that copies words from its input to its output.
struct ShaderTest {
    name: String,
    header: String,
    members: String,
    body: String,
    input: Vec<u32>,
    output: Vec<u32>,
}

impl ShaderTest {
    fn new(name: String, members: String, body: String, input: &[u32], output: &[u32]) -> Self {
        Self { name, header: String::new(), members, body, input: input.to_vec(), output: output.to_vec() }
    }

    fn header(self, header: String) -> Self {
        Self { header, ..self }
    }

    /// The backends on which the test fails. Vulkan is none of them.
    fn failures(self, backends: Backends) -> Self {
        assert!(!backends.contains(Backends::VULKAN), "{} fails on Vulkan", self.name);
        self
    }

    fn shader(&self, storage: InputStorageType) -> String {
        let Self { header, members, body, .. } = self;
        let input = match storage {
            InputStorageType::Uniform => "@group(0) @binding(0) var<uniform>",
            InputStorageType::Storage => "@group(0) @binding(0) var<storage>",
            InputStorageType::Immediate => "var<immediate>",
        };
        format!(
            "{header}
            struct CustomStruct {{ {members} }}
            {input} input: CustomStruct;
            @group(0) @binding(1) var<storage, read_write> output: array<u32>;
            @compute @workgroup_size(1) fn cs_main() {{ {body} }}"
        )
    }
}

/// lavapipe.
struct Gpu {
    device: Device,
    queue: Queue,
}

impl Gpu {
    fn open(features: Features) -> Option<Self> {
        let instance =
            InstanceDescriptor { backends: Backends::VULKAN, ..InstanceDescriptor::new_without_display_handle() };
        let adapters = pollster::block_on(Instance::new(instance).enumerate_adapters(Backends::VULKAN));
        let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name.contains("llvmpipe"))?;
        let immediates = if features.contains(Features::IMMEDIATES) { BYTES as u32 } else { 0 };
        let request = DeviceDescriptor {
            required_features: features,
            required_limits: Limits { max_immediate_size: immediates, ..Limits::downlevel_defaults() },
            ..DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&request)).ok()?;
        Some(Self { device, queue })
    }

    fn buffer(&self, words: &[u32], usage: BufferUsages) -> Buffer {
        let mut contents: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        contents.resize(BYTES, 0);
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents: &contents, usage })
    }

    fn passes(&self, test: &ShaderTest, storage: InputStorageType) -> bool {
        let device = &self.device;
        let source = ShaderSource::Wgsl(test.shader(storage).into());
        let module = device.create_shader_module(ShaderModuleDescriptor { label: Some(&test.name), source });
        let input = self.buffer(&test.input, BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let output = self.buffer(&[UNTOUCHED; BYTES / 4], BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let read = self.buffer(&[], BufferUsages::COPY_DST | BufferUsages::MAP_READ);

        let input_type = match storage {
            InputStorageType::Uniform => Some(BufferBindingType::Uniform),
            InputStorageType::Storage => Some(BufferBindingType::Storage { read_only: true }),
            InputStorageType::Immediate => None,
        };
        let layout_entry = |binding, ty| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let mut types = vec![layout_entry(1, BufferBindingType::Storage { read_only: false })];
        types.extend(input_type.map(|ty| layout_entry(0, ty)));
        let types = device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &types });
        let mut entries = vec![BindGroupEntry { binding: 1, resource: output.as_entire_binding() }];
        entries.extend(input_type.map(|_| BindGroupEntry { binding: 0, resource: input.as_entire_binding() }));
        let group = device.create_bind_group(&BindGroupDescriptor { label: None, layout: &types, entries: &entries });
        let is_immediate = storage == InputStorageType::Immediate;
        let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&types)],
            immediate_size: if is_immediate { BYTES as u32 } else { 0 },
        });
        let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(&test.name),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("cs_main"),
            compilation_options: Default::default(),
            cache: None,
        });

        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor { label: None });
        {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor { label: None, timestamp_writes: None });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            if is_immediate {
                let bytes: Vec<u8> = test.input.iter().flat_map(|word| word.to_le_bytes()).collect();
                pass.set_immediates(0, &bytes);
            }
            pass.dispatch_workgroups(1, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&output, 0, &read, 0, MAX_BUFFER_SIZE);
        self.queue.submit([encoder.finish()]);
        read.slice(..).map_async(MapMode::Read, |mapped| mapped.expect("a buffer that can be mapped"));
        device.poll(PollType::wait_indefinitely()).expect("lavapipe ends");
        let mapped = read.slice(..).get_mapped_range().expect("a mapped buffer");
        let stored: Vec<u8> = test.output.iter().flat_map(|word| word.to_le_bytes()).collect();
        mapped.starts_with(&stored)
    }
}

fn main() -> ExitCode {
    use InputStorageType::{Immediate, Storage, Uniform};
    use wgpu_tests::{create_64bit_struct_layout_tests, create_struct_layout_tests};
    let groups = [
        ("uniform", Uniform, Features::empty(), create_struct_layout_tests(Uniform)),
        ("storage", Storage, Features::empty(), create_struct_layout_tests(Storage)),
        ("immediate", Immediate, Features::IMMEDIATES, create_struct_layout_tests(Immediate)),
        ("storage-int64", Storage, Features::SHADER_INT64, create_64bit_struct_layout_tests()),
        (
            "immediate-int64",
            Immediate,
            Features::SHADER_INT64 | Features::IMMEDIATES,
            create_64bit_struct_layout_tests(),
        ),
    ];
    let mut failed = false;
    for (name, storage, features, tests) in groups {
        let gpu = Gpu::open(features).expect("lavapipe, with 64-bit integers and push constants");
        // wgpu panics at errors of its own, such as a module that does not pass validation.
        let passes = |test| catch_unwind(AssertUnwindSafe(|| gpu.passes(test, storage))).unwrap_or(false);
        if !tests.iter().all(passes) {
            println!("    {name}");
            failed = true;
        }
    }
    ExitCode::from(u8::from(failed))
}
