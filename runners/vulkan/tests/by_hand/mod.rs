//! Features that WGSL cannot express: arrays of uniform buffers, buffers by address, typed buffers,
//! combined images, untyped pointers, shader records, payloads, attributes of hits, descriptor heaps, captured outputs and tiles
//! of cooperative matrices.

mod module;
mod payloads;
mod records;
mod views;

pub(crate) use payloads::{hit_attributes, mesh_payloads, payloads};
pub(crate) use records::records;
pub(crate) use views::{captured_outputs, heaps, heaps_and_bindings, tiles};

use layoutproof_device::{
    AddressHolder, BufferKind, DeviceInfo, Feature, ImageKind, ImageView, Job, JobAddress, JobBuffer, JobImage,
    JobSampler, RunnerError, Shader, TexelType, word_bytes, words_of,
};
use libtest_mimic::Failed;
use module::{Module, block, variable};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, Dim, ImageFormat, ImageOperands, MemoryAccess, Op, StorageClass,
};

use crate::suite::{Api, BEFORE, FILL, buffer, buffers_of, ensure_eq, job, output, run};

/// The left-out element holds the word before the first named range.
pub(crate) fn uniform_arrays(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let mut module = Module::begin(AddressingModel::Logical, &[]);
    let (uint, four) = (module.uint, module.number(4));
    let vector = module.builder.type_vector(uint, 4);
    let ty = block(&mut module.builder, &[(vector, 0)]);
    let array = module.builder.type_array(ty, four);
    let blocks = variable(&mut module.builder, array, StorageClass::Uniform);
    module.bind(blocks, 2, 5);
    for element in 0..4 {
        let pointer = module.pointer(blocks, StorageClass::Uniform, uint, &[element, 0, 0]);
        let word = module.builder.load(uint, None, pointer, None, [])?;
        module.put(element, word);
    }
    let block = |element, word| {
        let block = buffer(5, BufferKind::Uniform, &[word, 0, 0, 0]);
        JobBuffer { set: 2, element, ..block }
    };
    let buffers = vec![output(4), block(3, 0x503), block(0, 0x500), block(1, 0x501)];
    let results = run(api, info, vec![job(Shader::Spirv(module.end()), buffers)])?;
    let [output, ..] = buffers_of::<4>(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &vec![0x500, 0x501, BEFORE, 0x503], "output")
}

/// The shader reads one buffer and writes another, through the addresses at bytes 8 and 16 of the
/// push constants.
pub(crate) fn addresses(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let addressed = |words: &[u32]| buffer(1, BufferKind::Address { alignment: 4 }, words);
    let buffers = vec![addressed(&[FILL; 3]), output(2), addressed(&[0x800, 0x801])];
    let holder = AddressHolder::PushConstants;
    let addresses = [(16, 0), (8, 2)].map(|(at, buffer)| JobAddress { holder, at, buffer, target: 0 });
    let pushed = word_bytes(&[0x7777, 0, 0, 0, 0, 0]);
    let job = job(Shader::Spirv(address_module()?), buffers);
    let job = Job { push_constants: pushed, addresses: addresses.into(), ..job };
    let results = run(api, info, vec![job])?;
    if !info.features.contains(&Feature::BufferDeviceAddress) {
        let lack = RunnerError::Unsupported("bufferDeviceAddress".to_owned());
        return ensure_eq(&results[0], &Err(lack), "result");
    }
    let [written, output, read] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &vec![0x7777, 0x801], "output")?;
    ensure_eq(&words_of(&written.bytes), &vec![FILL, FILL, 0xADD], "the buffer written")?;
    ensure_eq(&words_of(&read.bytes), &vec![0x800, 0x801], "the buffer read")
}

/// Reads a word of the push constants and word 1 at one address, and writes word 2 at the other.
fn address_module() -> Result<Vec<u32>, Failed> {
    let mut module =
        Module::begin(AddressingModel::PhysicalStorageBuffer64, &[Capability::PhysicalStorageBufferAddresses]);
    module.builder.extension("SPV_KHR_physical_storage_buffer");
    let (uint, class) = (module.uint, StorageClass::PhysicalStorageBuffer);
    let pointee = module::words(&mut module.builder, uint);
    let address = module.builder.type_pointer(None, class, pointee);
    let pushed = block(&mut module.builder, &[(uint, 0), (address, 8), (address, 16)]);
    let pushed = variable(&mut module.builder, pushed, StorageClass::PushConstant);
    let aligned = || (Some(MemoryAccess::ALIGNED), [Operand::LiteralBit32(4)]);

    let first = module.pointer(pushed, StorageClass::PushConstant, uint, &[0]);
    let first = module.builder.load(uint, None, first, None, [])?;
    module.put(0, first);
    let (access, alignment) = aligned();
    let read = module.pointer(pushed, StorageClass::PushConstant, address, &[1]);
    let read = module.builder.load(address, None, read, None, [])?;
    let read = module.pointer(read, class, uint, &[0, 1]);
    let read = module.builder.load(uint, None, read, access, alignment)?;
    module.put(1, read);
    let (access, alignment) = aligned();
    let written = module.pointer(pushed, StorageClass::PushConstant, address, &[2]);
    let written = module.builder.load(address, None, written, None, [])?;
    let written = module.pointer(written, class, uint, &[0, 2]);
    let value = module.number(0xADD);
    module.builder.store(written, value, access, alignment)?;
    Ok(module.end())
}

/// The buffer is declared as words. Access chains reach it by that type, and by a struct whose first
/// member is at byte 8.
pub(crate) fn untyped_pointers(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let buffers = vec![output(2), buffer(2, BufferKind::Storage, &[0x900, 0x901, 0x902, FILL])];
    let results = run(api, info, vec![job(Shader::Spirv(untyped_module()?), buffers)])?;
    if !info.features.contains(&Feature::UntypedPointers) {
        let lack = RunnerError::Unsupported("shaderUntypedPointers".to_owned());
        return ensure_eq(&results[0], &Err(lack), "result");
    }
    let [output, read] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &vec![0x901, 0x902], "output")?;
    ensure_eq(&words_of(&read.bytes), &vec![0x900, 0x901, 0x902, 0xADD], "the buffer")
}

/// Reads word 1 as an element, and words 2 and 3 as members.
fn untyped_module() -> Result<Vec<u32>, Failed> {
    let mut module = Module::begin(AddressingModel::Logical, &[Capability::UntypedPointersKHR]);
    module.builder.extension("SPV_KHR_untyped_pointers");
    let (uint, class) = (module.uint, StorageClass::StorageBuffer);
    let words = module::words(&mut module.builder, uint);
    let members = block(&mut module.builder, &[(uint, 8), (uint, 12)]);
    let pointer = module.builder.type_untyped_pointer_khr(class);
    let variable = module.builder.id();
    let operands = vec![Operand::StorageClass(class), Operand::IdRef(words)];
    let declaration = Instruction::new(Op::UntypedVariableKHR, Some(pointer), Some(variable), operands);
    module.builder.module_mut().types_global_values.push(declaration);
    module.bind(variable, 0, 2);

    let numbers = [0, 1].map(|index| module.number(index));
    let element = module.builder.untyped_access_chain_khr(pointer, None, words, variable, numbers)?;
    let word = module.builder.load(uint, None, element, None, [])?;
    module.put(0, word);
    let [first, second] =
        numbers.map(|index| module.builder.untyped_access_chain_khr(pointer, None, members, variable, [index]));
    let word = module.builder.load(uint, None, first?, None, [])?;
    module.put(1, word);
    let value = module.number(0xADD);
    module.builder.store(second?, value, None, [])?;
    Ok(module.end())
}

/// A read-only typed buffer, a written one, and an image whose own sampler sees level 0 whatever
/// level the shader requests.
pub(crate) fn typed_and_combined(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let floats = |first: f32| [first, first + 1.0, first + 2.0, first + 3.0].map(f32::to_bits);
    let (uniform, storage) = (floats(1.5), [0x5700, 0x5701, 0x5702, 0x5703]);
    let levels = [floats(21.5), floats(41.5)];
    let image = |binding, (kind, texel), levels: &[[u32; 4]]| {
        let (view, levels) = (ImageView::D2, levels.to_vec());
        JobImage { set: 1, binding, element: 0, kind, view, texel, format: None, levels }
    };
    let mut job = job(Shader::Spirv(texel_module()?), vec![output(12)]);
    job.images = vec![
        image(2, (ImageKind::Combined, TexelType::Float), &levels),
        image(0, (ImageKind::UniformTexels, TexelType::Float), &[uniform]),
        image(1, (ImageKind::StorageTexels, TexelType::Uint), &[storage]),
    ];
    let results = run(api, info, vec![job])?;
    let [output] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &[uniform, storage, levels[0]].concat(), "output")
}

fn texel_module() -> Result<Vec<u32>, Failed> {
    let mut module = Module::begin(AddressingModel::Logical, &[Capability::SampledBuffer, Capability::ImageBuffer]);
    let uint = module.uint;
    let builder = &mut module.builder;
    let float = builder.type_float(32, None);
    let (floats, uints) = (builder.type_vector(float, 4), builder.type_vector(uint, 4));
    let coordinates = builder.type_vector(float, 2);
    let uniform = builder.type_image(float, Dim::DimBuffer, 0, 0, 0, 1, ImageFormat::Unknown, None);
    let storage = builder.type_image(uint, Dim::DimBuffer, 0, 0, 0, 2, ImageFormat::Rgba32ui, None);
    let image = builder.type_image(float, Dim::Dim2D, 0, 0, 0, 1, ImageFormat::Unknown, None);
    let combined = builder.type_sampled_image(image);
    let types = [uniform, storage, combined];
    let [of_uniform, of_storage, of_combined] = types.map(|ty| variable(builder, ty, StorageClass::UniformConstant));
    let (half, last) =
        (builder.constant_bit32(float, 0.5_f32.to_bits()), builder.constant_bit32(float, 1.0_f32.to_bits()));
    let middle = builder.constant_composite(coordinates, [half, half]);
    for (binding, variable) in (0..).zip([of_uniform, of_storage, of_combined]) {
        module.bind(variable, 1, binding);
    }
    module.builder.decorate(of_storage, Decoration::NonWritable, []);

    let zero = module.number(0);
    let uniform = module.builder.load(uniform, None, of_uniform, None, [])?;
    let texel = module.builder.image_fetch(floats, None, uniform, zero, None, [])?;
    module.put_texel(0, texel, float);
    let storage = module.builder.load(storage, None, of_storage, None, [])?;
    let texel = module.builder.image_read(uints, None, storage, zero, None, [])?;
    module.put_texel(4, texel, uint);
    let combined = module.builder.load(combined, None, of_combined, None, [])?;
    let level = [Operand::IdRef(last)];
    let texel = module.builder.image_sample_explicit_lod(floats, None, combined, middle, ImageOperands::LOD, level)?;
    module.put_texel(8, texel, float);
    Ok(module.end())
}

/// Comparison samplers see their own level, too: a reference between the texels of two levels
/// distinguishes them.
pub(crate) fn comparison(api: Api, info: &DeviceInfo) -> Result<(), Failed> {
    let levels = [0.25_f32, 0.75].map(|depth| [depth.to_bits(), 0, 0, 0]);
    let (kind, view, texel) = (ImageKind::Sampled, ImageView::D2, TexelType::Depth);
    let mut job = job(Shader::Spirv(comparison_module()?), vec![output(2)]);
    job.images =
        vec![JobImage { set: 1, binding: 0, element: 0, kind, view, texel, format: None, levels: levels.to_vec() }];
    let sampler = |binding, level| JobSampler { set: 1, binding, element: 0, level, comparison: true };
    job.samplers = vec![sampler(1, 1), sampler(2, 0)];
    let results = run(api, info, vec![job])?;
    let [output] = buffers_of(&results[0])?;
    ensure_eq(&words_of(&output.bytes), &[1.0_f32, 0.0].map(f32::to_bits).to_vec(), "output")
}

/// Compares 0.5 with the image through both samplers, always requesting level 0.
fn comparison_module() -> Result<Vec<u32>, Failed> {
    let mut module = Module::begin(AddressingModel::Logical, &[]);
    let uint = module.uint;
    let builder = &mut module.builder;
    let float = builder.type_float(32, None);
    let coordinates = builder.type_vector(float, 2);
    let image_type = builder.type_image(float, Dim::Dim2D, 1, 0, 0, 1, ImageFormat::Unknown, None);
    let (sampler_type, both) = (builder.type_sampler(), builder.type_sampled_image(image_type));
    let image = variable(builder, image_type, StorageClass::UniformConstant);
    let samplers = [0; 2].map(|_| variable(builder, sampler_type, StorageClass::UniformConstant));
    let (half, zero) = (builder.constant_bit32(float, 0.5_f32.to_bits()), builder.constant_bit32(float, 0));
    let middle = builder.constant_composite(coordinates, [half, half]);
    module.bind(image, 1, 0);
    for (index, sampler) in (0..).zip(samplers) {
        module.bind(sampler, 1, index + 1);
        let builder = &mut module.builder;
        let image = builder.load(image_type, None, image, None, [])?;
        let sampler = builder.load(sampler_type, None, sampler, None, [])?;
        let pair = builder.sampled_image(both, None, image, sampler)?;
        let level = [Operand::IdRef(zero)];
        let passes =
            builder.image_sample_dref_explicit_lod(float, None, pair, middle, half, ImageOperands::LOD, level)?;
        let word = builder.bitcast(uint, None, passes)?;
        module.put(index, word);
    }
    Ok(module.end())
}
