//! The evaluator and the type reader on IR from Clang.
//! Clang 22.1.8 (`clang-dxc -T cs_6_6 -enable-16bit-types -Xclang -emit-llvm`) made
//! `clang_ir/probe.ll` from `clang_ir/probe.hlsl` with `-Od -Xclang -disable-llvm-passes`, and
//! `clang_ir/probe.optimised.ll` with `-O3`. In the second, LLVM itself converted the indices to
//! bytes, so both must read the same. Clang 23.1.4 made `clang_ir/constant_buffer.ll` from
//! `clang_ir/constant_buffer.hlsl`, with the options of `probe.ll`, and `clang_ir/probe.vulkan.ll` from
//! `clang_ir/probe.hlsl`, with `-spirv -Vd -fspv-target-env=vulkan1.3`, too. Clang 22.1.8 made `clang_ir/kernel.ll` from
//! `clang_ir/kernel.metal`, as the drivers compile the Metal Shading Language of translators. `clang_ir/blocks.ll` is the debug
//! information (`-g`) about the parameters of `clang_ir/blocks.metal`, which SPIRV-Cross 1.4.357 wrote with `--msl
//! --msl-version 30100 --msl-decoration-binding`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use layoutproof_device::{Batch, BufferKind, Job, ReadBack, Runner, RunnerError, Shader, word_bytes, words_of};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::{BlockKind, LayoutOptions, Quantity, Span, find, lay_out};
use layoutproof_readers::clang_ir::{constant_buffers, reported, resources};
use layoutproof_readers::evaluator::Evaluator;
use layoutproof_readers::metal::metal_blocks;
use layoutproof_source::sources::SourceMap;

use crate::fixture::numbered::{buffer, numbered, word};

const SOURCE: &str = include_str!("clang_ir/probe.hlsl");
const PLAIN: &str = include_str!("clang_ir/probe.ll");
const VULKAN: &str = include_str!("clang_ir/probe.vulkan.ll");
const CONSTANT_BUFFER: &str = include_str!("clang_ir/constant_buffer.ll");
const KERNEL: &str = include_str!("clang_ir/kernel.ll");
const OPTIMISED: &str = include_str!("clang_ir/probe.optimised.ll");

/// Byte of `on`, which must be a truth value: the type places it after `[6 x float]` at 80.
const ON: usize = 104;

fn run(text: &str, given: [u32; 2]) -> Result<ReadBack, RunnerError> {
    run_with(text, ON, given)
}

/// Runs a probe with a truth value at this byte of the constants.
fn run_with(text: &str, on: usize, given: [u32; 2]) -> Result<ReadBack, RunnerError> {
    let mut constants = numbered(128);
    constants[on..on + 4].copy_from_slice(&1_u32.to_le_bytes());
    let buffers = vec![
        buffer(BufferKind::Uniform, 2, 3, constants),
        buffer(BufferKind::StorageRead, 0, 4, numbered(256)),
        buffer(BufferKind::StorageRead, 0, 7, word_bytes(&given)),
        buffer(BufferKind::Storage, 0, 1, vec![0xEE; 40]),
    ];
    let job = Job::compute(Shader::ClangIr(text.to_owned()), "probe", buffers);
    Evaluator::new().run(&Batch { jobs: vec![job] }).remove(0)
}

fn told(text: &str, given: [u32; 2]) -> Vec<u32> {
    let after = run(text, given).unwrap().buffers.remove(3).bytes;
    words_of(&after)
}

/// The type of `B`: v 4, its z 12; arr 16 with stride 16; p 64, its h 68, y of it 70; m 80, and
/// `[2][1]` is the last of six floats; d 112. The type of `Light`: range 16, stride 20.
#[test]
fn loads_are_followed_to_their_bytes() {
    for text in [PLAIN, OPTIMISED] {
        let untouched = 0xEEEE_EEEE;
        let expected = [word(12), word(32), 35, word(100), 1, word(116), word(36), word(24), 7, untouched];
        assert_eq!(told(text, [0, 1]), expected);
        let third = told(text, [1, 2]);
        assert_eq!([third[1], third[6], third[8]], [word(48), word(56), 9]);
    }
}

/// The type of `B` for Vulkan: m 80 with stride 16, so `[2][1]` is at 104, on 108, d 112. The type of
/// `Light`: range 12, stride 16.
#[test]
fn the_ir_for_vulkan_is_followed_alike() {
    let after = run_with(VULKAN, 108, [0, 1]).unwrap().buffers.remove(3).bytes;
    let expected = [word(12), word(32), 35, word(104), 1, word(116), word(28), word(20), 7, 0xEEEE_EEEE];
    assert_eq!(words_of(&after), expected);

    let buffers = constant_buffers(VULKAN).unwrap();
    assert_eq!((buffers[0].name.as_str(), buffers[0].size), ("B", 120));
    let offsets: Vec<u32> = buffers[0].members.iter().map(|(_, offset)| *offset).collect();
    assert_eq!(offsets, [0, 4, 16, 64, 80, 108, 112]);
}

#[test]
fn types_say_where_members_are() {
    let mut sources = SourceMap::default();
    let file = sources.add("probe.hlsl", SOURCE);
    let span = Span { file, start: 0, end: u32::try_from(SOURCE.len()).unwrap() };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let numbers = |block: &str, rules: &str| {
        let block = module.blocks.iter().find(|known| known.name == block).unwrap();
        reported(PLAIN, &lay_out(block, find(rules).unwrap(), LayoutOptions::default())).unwrap()
    };
    let b = numbers("B", "hlsl-cbuffer");
    let offset = |path: &str| b.get(Quantity::Offset, path);
    assert_eq!(["B.v", "B.arr", "B.p", "B.p.h", "B.m", "B.d"].map(offset), [4, 16, 64, 68, 80, 112].map(Some));
    assert_eq!((offset("B.m[0][1]"), offset("B.m[2][1]")), (Some(92), Some(100)));
    assert_eq!((b.get(Quantity::ArrayStride, "B.arr"), b.get(Quantity::Size, "B")), (Some(16), Some(120)));
    let lights = numbers("lights", "hlsl-structured");
    assert_eq!(lights.get(Quantity::Offset, "lights.range"), Some(16));
    assert_eq!(lights.get(Quantity::ArrayStride, "lights"), Some(20));
}

#[test]
fn resources_are_listed_with_their_registers() {
    let told: Vec<String> = resources(PLAIN)
        .unwrap()
        .into_iter()
        .map(|(name, place)| format!("{name} {}", place.map_or("later".to_owned(), |place| place.to_string())))
        .collect();
    assert_eq!(told, ["B b3 space2", "lights t4", "given t7", "told u1"]);
    let implicit = PLAIN
        .replace("handlefrombinding.tdx.CBuffer", "handlefromimplicitbinding.tdx.CBuffer")
        .replace("(i32 2, i32 3, i32 1, i32 0, ptr @B.str)", "(i32 0, i32 2, i32 1, i32 0, ptr @B.str)");
    assert_eq!(resources(&implicit).unwrap()[0], ("B".to_owned(), None));
    let buffers = constant_buffers(PLAIN).unwrap();
    assert_eq!((buffers[0].name.as_str(), buffers[0].size), ("B", 120));
    assert_eq!(buffers[0].members[6], ("d".to_owned(), 112));
}

/// The type of a `ConstantBuffer<T>` is that of its handle, and the code finds the members from the
/// start of the buffer: inner 16 with stride 16, its b 4, v 48.
#[test]
fn constant_buffers_have_members_at_their_start() {
    let after = run(CONSTANT_BUFFER, [0, 1]).unwrap().buffers.remove(3).bytes;
    assert_eq!(words_of(&after)[..3], [word(40), word(56), word(16)]);

    let mut sources = SourceMap::default();
    let text = include_str!("clang_ir/constant_buffer.hlsl");
    let file = sources.add("constant_buffer.hlsl", text);
    let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let layout = lay_out(&module.blocks[0], find("hlsl-cbuffer").unwrap(), LayoutOptions::default());
    let numbers = reported(CONSTANT_BUFFER, &layout).unwrap();
    let offset = |path: &str| numbers.get(Quantity::Offset, path);
    assert_eq!(["frame.x", "frame.inner", "frame.v"].map(offset), [0, 16, 48].map(Some));
    assert_eq!(numbers.get(Quantity::ArrayStride, "frame.inner"), Some(16));
    assert_eq!(numbers.get(Quantity::Size, "frame"), Some(60));

    let of_storage = CONSTANT_BUFFER.replace("getpointer.p0.tdx.RawBuffer_i32_0_0t.i32", "getbasepointer.p0");
    let of_storage = of_storage
        .replace("target(\"dx.RawBuffer\", i32, 0, 0) %8, i32 %9)", "target(\"dx.RawBuffer\", i32, 0, 0) %8)");
    let refused = Err(RunnerError::ShaderRefused("the start of a resource that is no constant buffer".to_owned()));
    assert_eq!(run(&of_storage, [0, 1]).map(|_| ()), refused);
}

/// The evaluator names what it does not understand, and what is not bound.
#[test]
fn what_is_not_understood_is_refused() {
    let refusal = |text: &str| match run(text, [0, 0]) {
        Err(RunnerError::ShaderRefused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    };
    assert_eq!(refusal("nothing"), "no data layout");
    assert!(refusal(&OPTIMISED.replace("@probe(", "@other(")).contains("no function `probe`"));
    assert!(refusal(&OPTIMISED.replace("lshr", "spoon")).contains("spoon"));
    assert!(refusal(&OPTIMISED.replace("zext", "uitofp")).contains("uitofp"));
    assert!(refusal(&OPTIMISED.replace("resource.getpointer", "resource.sample")).contains("sample"));
    assert!(refusal(&OPTIMISED.replace("\"dx.RawBuffer\"", "\"dx.Sampler\"")).contains("dx.Sampler"));
    let texture = OPTIMISED.replace("\"dx.RawBuffer\"", "\"dx.Texture\"");
    assert_eq!(refusal(&texture), "the address of an element that has none");
    assert_eq!(
        refusal(&OPTIMISED.replace("i32 2, i32 3, i32 1", "i32 2, i32 5, i32 1")),
        "nothing is bound at b5, space2"
    );
}

/// A missing member of a struct has no byte. Clang 22.1.8 requests one where it counts members as
/// C++ does.
#[test]
fn a_member_that_is_not_there_is_nowhere() {
    let beyond = OPTIMISED.replace("(i8, ptr addrspace(2) @p, i32 6)", "(%Pair, ptr addrspace(2) @p, i32 0, i32 2)");
    assert_eq!(told(&beyond, [0, 0])[2], 0);
}

/// Metal Shading Language Specification 3.2, tables 2.3 and 2.4: a `float3` has 16 bytes, a `packed_float3` 12 at a multiple
/// of 4. So `i` is at 16 with elements of 32 bytes, `i[1].q.y` at 16 + 32 + 16 + 4, and `z` at 80 + 12.
#[test]
fn a_kernel_of_metal_gets_the_buffers_of_its_annotations() {
    let job = |places: [u32; 2]| {
        let buffers = vec![
            buffer(BufferKind::Uniform, 0, places[0], numbered(128)),
            buffer(BufferKind::Storage, 0, places[1], vec![0xEE; 8]),
        ];
        Job::compute(Shader::ClangIr(KERNEL.to_owned()), "read_x", buffers)
    };
    let answers = Evaluator::new().run(&Batch { jobs: vec![job([2, 1]), job([3, 1])] });
    let [read, unbound] = answers.try_into().unwrap();
    assert_eq!(words_of(&read.unwrap().buffers[1].bytes), [word(68), word(92)]);
    assert!(unbound.is_err());
}

/// Metal Shading Language Specification 3.2, tables 2.3 to 2.5. SPIRV-Cross makes the vectors packed where the module has no
/// padding, and loses the padding of `T`, whose elements are 32 bytes apart in the module.
#[test]
fn a_text_for_metal_declares_its_blocks() {
    let blocks = metal_blocks(include_str!("clang_ir/blocks.metal"), include_str!("clang_ir/blocks.ll"));
    let found: Vec<(&str, BlockKind)> = blocks.iter().map(|block| (block.name.as_str(), block.kind)).collect();
    assert_eq!(found, [("s", BlockKind::UniformBlock), ("o", BlockKind::StorageBlock)]);

    let rows = |index: usize| {
        let rows = blocks[index].rows();
        let words = rows.iter().map(|row| {
            format!("{} {} {} {:?} {:?}", row.path, row.type_name, row.offset, row.array_stride, row.matrix_stride)
        });
        words.collect::<Vec<_>>()
    };
    assert_eq!(
        rows(0),
        [
            "a float 0 None None",
            "b float4[3] 16 Some(16) None",
            "c float3 64 None None",
            "d float 76 None None",
            "m float3x4 80 None Some(16)",
            "t T[2] 144 Some(24) None",
            "t[].p float3 144 None None",
            "t[].w float 156 None None",
            "t[].uv float2 160 None None",
            "k float4x2 208 None Some(16)",
            "e uint 240 None None",
        ]
    );
    assert_eq!(rows(1), ["n uint 0 None None", "v float3[4] 16 Some(16) None", "last float[1] 80 Some(4) None"]);
}
