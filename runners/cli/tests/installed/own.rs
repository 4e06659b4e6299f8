//! `layoutproof run FILE --own` on the Vulkan devices that are here: the bytes that the code touches, indices that are out
//! of range, and what is not executed.
//!
//! The bytes are those of the declarations under std140, std430 and the languages' own rules; which invocation touches
//! which is in the texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::fuzz::Here;

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let lacks = |compiler: Option<&str>| here.lacks_device().or_else(|| here.lacks_compiler(compiler?));
    vec![
        crate::trial("own::wgsl_touches_its_bytes", lacks(None), wgsl_touches_its_bytes),
        crate::trial("own::buffers_grow_with_the_code", lacks(None), buffers_grow_with_the_code),
        crate::trial("own::an_index_out_of_range_is_your_code", lacks(None), an_index_out_of_range_is_your_code),
        crate::trial("own::glsl_is_executed", lacks(Some("glslang")), glsl_is_executed),
        crate::trial("own::hlsl_is_executed", lacks(Some("dxc")), hlsl_is_executed),
        crate::trial("own::slang_is_executed", lacks(Some("slangc")), slang_is_executed),
        crate::trial("own::addresses_are_made", lacks(Some("glslang")), addresses_are_made),
        crate::trial("own::arrays_behind_addresses_end", lacks(Some("glslang")), arrays_behind_addresses_end),
        crate::trial("own::a_broken_promise_is_your_code", lacks(Some("glslang")), a_broken_promise_is_your_code),
        crate::trial("own::buffers_at_one_binding_share_bytes", lacks(Some("glslang")), one_binding_has_one_memory),
        crate::trial("own::subgroups_are_executed", lacks(Some("glslang")), subgroups_are_executed),
        crate::trial("own::textures_are_made", lacks(Some("glslang")), textures_are_made),
        crate::trial("own::memory_of_a_workgroup_is_executed", lacks(None), memory_of_a_workgroup_is_executed),
        crate::trial("own::textures_of_wgsl_are_made", lacks(None), textures_of_wgsl_are_made),
        crate::trial("own::textures_of_hlsl_are_made", lacks(Some("dxc")), textures_of_hlsl_are_made),
        crate::trial("own::what_is_made_up_decides", lacks(Some("glslang")), what_is_made_up_decides),
        crate::trial("own::capabilities_of_code_are_met", lacks(Some("glslang")), capabilities_of_code_are_met),
        crate::trial("own::faults_of_numbers_are_found", lacks(Some("glslang")), faults_of_numbers_are_found),
        crate::trial("own::entry_points_have_their_resources", lacks(None), entry_points_have_their_resources),
        crate::trial("own::a_full_log_is_followed_by_a_larger_one", lacks(None), logs_grow_with_the_code),
        crate::trial("own::what_is_not_executed_is_named", lacks(Some("glslang")), what_is_not_executed_is_named),
    ]
}

/// Of 64 numbers modulo 12, five times four are 8 or more.
fn arrays_behind_addresses_end() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Cells { uint count; uint c[8]; uint after; };
layout(push_constant) uniform P { Cells cells; };
layout(set = 0, binding = 0, std430) buffer Out { uint head[8]; uint last; } o;
void main() {
    uint i = gl_LocalInvocationIndex;
    cells.c[i % 12u] = i;
    o.head[i % 12u] = i;
}\n";
    let (answer, code) = own(folder.path(), "a.comp", text, &["--device", "lavapipe"])?;
    let faults = answer["faults"].as_array().into_iter().flatten();
    let found: Vec<_> = faults.map(|it| (it["culprit"].as_str(), it["fault"].as_str(), it["line"].as_u64())).collect();
    // Those of the code, and those of the run.
    let expected = [9, 10, 9, 10].map(|line| (Some("your-code"), Some("beyond-end"), Some(line)));
    expect(&(found.as_slice(), code), &(expected.as_slice(), Some(1)), &answer)?;
    let beyond: Vec<_> = answer["devices"][0]["accesses"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|access| access["beyond"].as_u64().unwrap_or_default())
        .collect();
    expect(&beyond, &vec![0, 20, 20], &answer)
}

fn own(folder: &Path, name: &str, text: &str, more: &[&str]) -> Result<(Value, Option<i32>), Failed> {
    fs::write(folder.join(name), text)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.args(["run", name, "--own=json", "--no-progress"]).args(more).current_dir(folder);
    let output = command.output()?;
    let answer = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((answer, output.status.code()))
}

/// How often each access of each device was executed, with its smallest and its largest byte. All devices that run it
/// have the same.
fn bytes(answer: &Value) -> Result<Vec<(String, u64, u64, u64)>, Failed> {
    let devices = answer["devices"].as_array().into_iter().flatten().filter(|device| device["outcome"] == "ran");
    let number = |value: &Value| value.as_u64().unwrap_or(u64::MAX);
    let mut all = devices.map(|device| {
        let accesses = device["accesses"].as_array().into_iter().flatten();
        let row = |access: &Value| {
            let name = access["access"].as_str().unwrap_or_default().to_owned();
            (name, number(&access["count"]), number(&access["least"]), number(&access["most"]))
        };
        accesses.map(row).collect::<Vec<_>>()
    });
    let first = all.next().ok_or_else(|| format!("no device ran it: {answer}"))?;
    if all.all(|other| other == first) { Ok(first) } else { Err(format!("devices differ: {answer}").into()) }
}

fn row(name: &str, count: u64, least: u64, most: u64) -> (String, u64, u64, u64) {
    (name.to_owned(), count, least, most)
}

fn expect<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T, answer: &Value) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{expected:?} is expected, not {found:?}: {answer}").into()) }
}

const WGSL: &str = "struct P { a: vec3f, n: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<P>;
@group(0) @binding(1) var<uniform> u: P;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    data[id.x].n = u.n;
    data[id.x].a.y = u.a.z;
}\n";

/// `P` has `a` at 0 and `n` at 12, and elements of 16 bytes.
fn wgsl_touches_its_bytes() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (answer, code) = own(folder.path(), "a.wgsl", WGSL, &["--dispatch", "2"])?;
    let expected = vec![
        row("load of `u.n`", 16, 12, 12),
        row("store of `data[].n`", 16, 12, 15 * 16 + 12),
        row("load of `u.a.z`", 16, 8, 8),
        row("store of `data[].a.y`", 16, 4, 15 * 16 + 4),
    ];
    expect(&bytes(&answer)?, &expected, &answer)?;
    let is_same = |device: &Value| device["outcome"] != "ran" || device["plain"] == "same";
    let same = answer["devices"].as_array().into_iter().flatten().all(is_same);
    expect(&(same, code), &(true, Some(0)), &answer)
}

/// naga 30.0.1 writes a stride for the array of the workgroup, which spirv-val rejects and no device cares for.
fn memory_of_a_workgroup_is_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
struct Tile { a: array<u32, 8>, b: vec2u }
var<workgroup> tile: Tile;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {
    tile.a[i] = i;
    workgroupBarrier();
    o[i] = tile.a[7u - i];
}\n";
    let (answer, code) = own(folder.path(), "a.wgsl", text, &[])?;
    expect(&bytes(&answer)?, &vec![row("store of `o[]`", 8, 0, 28)], &answer)?;
    let said = answer["account"]["not_validated"].as_str().is_some_and(|said| said.contains("workgroup"));
    expect(&(said, code), &(true, Some(0)), &answer)
}

/// 64 elements are made at first, and the code wants 101.
fn buffers_grow_with_the_code() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<vec4f>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x * 50u].x = 1.0; }\n";
    let (answer, code) = own(folder.path(), "a.wgsl", text, &["--dispatch", "3"])?;
    expect(&bytes(&answer)?, &vec![row("store of `data[].x`", 3, 0, 1600)], &answer)?;
    expect(&(answer["buffers"][0]["bytes"].as_u64(), code), &(Some(1616), Some(0)), &answer)
}

/// At first there is room for 4,096 accesses.
fn logs_grow_with_the_code() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() { for (var i = 0u; i < 5000u; i++) { data[i] = i; } }\n";
    let (answer, code) = own(folder.path(), "a.wgsl", text, &[])?;
    expect(&bytes(&answer)?, &vec![row("store of `data[]`", 5000, 0, 4 * 4999)], &answer)?;
    expect(&code, &Some(0), &answer)
}

/// `--count` says that there are 4 elements; an array of 4 has them by its type.
fn an_index_out_of_range_is_your_code() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    data[id.x] = id.x;
}\n";
    let sized = text.replace("array<u32>", "array<u32, 4>");
    for (text, more) in [(text, &["--count", "data=4"][..]), (sized.as_str(), &[])] {
        let (answer, code) = own(folder.path(), "a.wgsl", text, more)?;
        expect(&bytes(&answer)?, &vec![row("store of `data[]`", 8, 0, 28)], &answer)?;
        let fault = &answer["faults"][0];
        let found = (fault["culprit"].as_str(), fault["fault"].as_str(), fault["line"].as_u64(), code);
        expect(&found, &(Some("your-code"), Some("beyond-end"), Some(3), Some(1)), &answer)?;
        let device = &answer["devices"][0];
        expect(
            &(device["accesses"][0]["beyond"].as_u64(), device["plain"].as_str()),
            &(Some(4), Some("not-run")),
            &answer,
        )?;
    }
    Ok(())
}

/// A file gives the push constants, so `base` is 3 and `steps` is 2. `Item` is 32 bytes in std430.
fn glsl_is_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("push"), [3, 0, 0, 0, 2, 0, 0, 0])?;
    let text = "#version 450\nlayout(local_size_x = 4) in;
struct Item { vec4 place; uint kind; float w[3]; };
layout(std430, binding = 0) buffer In { uint n; Item items[]; } src;
layout(std430, binding = 1) writeonly buffer Out { float data[]; } dst;
layout(std140, binding = 2) uniform U { vec4 scale; uint table[4]; } u;
layout(push_constant) uniform P { uint base; uint steps; } p;
void main() {
    uint i = gl_GlobalInvocationID.x;
    float s = src.items[p.base + i].w[i % 3];
    for (uint k = 0; k < p.steps; ++k) s += float(u.table[k]);
    dst.data[i * 2 + 1] = s;
}\n";
    let (answer, code) = own(folder.path(), "a.comp", text, &["--buffer", "p=push"])?;
    let expected = vec![
        row("load of `p.base`", 4, 0, 0),
        row("load of `src.items[].w[]`", 4, 16 + 3 * 32 + 20, 16 + 6 * 32 + 20),
        row("load of `p.steps`", 12, 4, 4),
        row("load of `u.table[]`", 8, 16, 32),
        row("store of `dst.data[]`", 4, 4, 28),
    ];
    expect(&bytes(&answer)?, &expected, &answer)?;
    expect(&code, &Some(0), &answer)
}

/// `m` of the cbuffer is at 16, its elements are 16 bytes apart. DXC binds all three resources to 0, unless shifts part them.
fn hlsl_is_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "struct P { float3 a; uint n; };
RWStructuredBuffer<P> data : register(u0); ByteAddressBuffer raw : register(t0);
cbuffer C : register(b0) { float4 k; uint m[4]; };
[numthreads(8, 2, 1)] void main(uint3 id : SV_DispatchThreadID, uint gi : SV_GroupIndex) {
    data[id.x + id.y * 8].n = raw.Load(gi * 4) + m[gi & 3];
}\n";
    let (answer, code) = own(folder.path(), "a.hlsl", text, &[])?;
    let found = bytes(&answer)?;
    let has = |name: &str, least, most| {
        found.iter().any(|row| row.0.contains(name) && (row.1, row.2, row.3) == (16, least, most))
    };
    let all = [has("data[].n", 12, 15 * 16 + 12), has("raw[]", 0, 60), has("C.m[]", 16, 64)];
    expect(&(all, code), &([true; 3], Some(0)), &answer)
}

fn slang_is_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "struct P { float3 a; uint n; };
RWStructuredBuffer<P> data; ConstantBuffer<P> c;
[shader(\"compute\")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { data[id.x].n = c.n; }\n";
    let (answer, code) = own(folder.path(), "a.slang", text, &[])?;
    let expected = vec![row("load of `c.n`", 8, 12, 12), row("store of `data[].n`", 8, 12, 7 * 16 + 12)];
    expect(&bytes(&answer)?, &expected, &answer)?;
    expect(&code, &Some(0), &answer)
}

const POINTERS: &str = "#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(buffer_reference) buffer Wide { float d; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Small { float d[]; };
layout(push_constant) uniform Push { uint64_t at; uint n; Small small; } push;
layout(std430, binding = 0) buffer Out { float sum; Small next; } o;
void main() {
    uint i = gl_GlobalInvocationID.x;
    push.small.d[i] = o.next.d[i + 2];
    Wide(push.at + i * STEP).d = 1.0;
}
";

/// Addresses in push constants at 0 and 16, and in a buffer at 8. A device without 64-bit integers skips it.
fn addresses_are_made() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (answer, code) = own(folder.path(), "a.comp", &POINTERS.replace("STEP", "16"), &[])?;
    let ran = answer["devices"].as_array().into_iter().flatten().any(|device| device["outcome"] == "ran");
    if !ran {
        return expect(&code, &Some(4), &answer);
    }
    let expected = vec![
        row("load of `push.small`", 8, 16, 16),
        row("load of `o.next`", 8, 8, 8),
        row("load of `Small(o.next).d[]`", 8, 8, 36),
        row("store of `Small(push.small).d[]`", 8, 0, 28),
        row("load of `push.at`", 8, 0, 0),
        row("store of `Wide(push.at).d`", 8, 0, 112),
    ];
    expect(&bytes(&answer)?, &expected, &answer)?;
    let same = answer["devices"].as_array().into_iter().flatten().all(|device| device["plain"] != "varies");
    expect(&(same, code), &(true, Some(0)), &answer)
}

/// The kind of a report of September 2026: `Aligned 16` through steps of 4. Three of four addresses break it.
fn a_broken_promise_is_your_code() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let (answer, code) = own(folder.path(), "a.comp", &POINTERS.replace("STEP", "4"), &[])?;
    expect(&code, &Some(1), &answer)?;
    let faults: Vec<&Value> = answer["faults"].as_array().into_iter().flatten().collect();
    let is_it = |fault: &&&Value| fault["fault"] == "alignment" && fault["line"] == 12;
    expect(&(faults.iter().filter(is_it).count() == faults.len()), &true, &answer)?;
    // The address is made, and keeps what the host would keep.
    expect(&faults.iter().all(|fault| fault["culprit"] == "your-code"), &true, &answer)?;
    for device in answer["devices"].as_array().into_iter().flatten().filter(|device| device["outcome"] == "ran") {
        let last = &device["accesses"][5];
        let found = (last["count"].as_u64(), last["misaligned"].as_u64(), device["plain"].as_str());
        expect(&found, &(Some(8), Some(6), Some("not-run")), &answer)?;
    }
    Ok(())
}

/// Kernels of ggml look at one buffer through several types. The size of one is that of all.
fn one_binding_has_one_memory() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("bytes"), [2, 0, 0, 0, 7, 0, 0, 0].repeat(8))?;
    let text = "#version 450\nlayout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 0) readonly buffer B { uvec4 b[]; };
layout(std430, binding = 1) buffer Out { uint o[]; };
void main() { uint i = gl_LocalInvocationIndex; o[a[4 * i] + b[i].y] = 1; }\n";
    let (answer, code) = own(folder.path(), "a.comp", text, &["--buffer", "B=bytes"])?;
    let expected = vec![
        row("load of `A.a[]`", 4, 0, 48),
        row("load of `B.b[].y`", 4, 4, 52),
        row("store of `Out.o[]`", 4, 4 * (2 + 7), 4 * (2 + 7)),
    ];
    expect(&bytes(&answer)?, &expected, &answer)?;
    let buffers = answer["buffers"].as_array().into_iter().flatten().filter(|it| it["binding"] == 0);
    let sizes: Vec<_> = buffers.map(|it| it["bytes"].as_u64()).collect();
    expect(&(sizes, code), &(vec![Some(64), Some(64)], Some(0)), &answer)
}

fn subgroups_are_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require\nlayout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Out { uint o[]; };
void main() { uint all = subgroupAdd(1u); if (subgroupElect()) o[3] = all; }\n";
    let (answer, code) = own(folder.path(), "a.comp", text, &["--args", "--target-env vulkan1.1"])?;
    let found = bytes(&answer)?;
    expect(&(found[0].0.as_str(), found[0].2, found[0].3, code), &("store of `Out.o[3]`", 12, 12, Some(0)), &answer)
}

/// Every texel is a half, or 1 of integers, and each side has 64 of them: the code writes to bytes that tell so.
const HALVES: [u64; 4] = [4 * 4, 64 * 4, 5 * 4, 6 * 4];

fn textures_are_made() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "#version 450\nlayout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D t; layout(binding = 1, r32ui) uniform uimage2D u;
layout(binding = 2, rgba8) writeonly uniform image2D w; layout(binding = 3) uniform sampler2DShadow s;
layout(binding = 4) uniform sampler2D two[2];
layout(std430, binding = 5) buffer Out { uint o[]; };
void main() {
    o[uint(textureLod(t, vec2(0.3), 0).x * 8.0)] = 1;
    o[imageSize(u).x] = 1;
    o[4 + imageLoad(u, ivec2(63, 63)).x] = 1;
    o[5 + uint(textureLod(s, vec3(0.3, 0.3, 0.4), 0)) * uint(2.0 * textureLod(two[1], vec2(0.3), 0).y)] = 1;
    imageStore(w, ivec2(gl_GlobalInvocationID.xy), vec4(1));
}\n";
    made(&own(folder.path(), "a.comp", text, &[])?)
}

fn textures_of_wgsl_are_made() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
@group(1) @binding(0) var u: texture_3d<u32>; @group(1) @binding(1) var d: texture_depth_2d;
@group(1) @binding(2) var c: sampler_comparison; @group(1) @binding(3) var w: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
    o[u32(textureSampleLevel(t, s, vec2f(0.3), 0.0).x * 8.0)] = 1u;
    o[textureDimensions(u).x] = 1u;
    o[4u + textureLoad(u, vec3u(63u), 0).x] = 1u;
    o[5u + u32(textureSampleCompareLevel(d, c, vec2f(0.3), 0.4))] = 1u;
    textureStore(w, id.xy, vec4f(1.0));
}\n";
    made(&own(folder.path(), "a.wgsl", text, &[])?)
}

fn textures_of_hlsl_are_made() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "Texture2D<float4> t; SamplerState s; RWTexture2D<uint> u; Texture2D<float> d; SamplerComparisonState c;
RWStructuredBuffer<uint> o;
float compared(Texture2D<float> of) { return of.SampleCmpLevelZero(c, float2(0.3, 0.3), 0.4); }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    o[uint(t.SampleLevel(s, float2(0.3, 0.3), 0).x * 8.0)] = 1;
    uint width, height;
    u.GetDimensions(width, height);
    o[width] = 1;
    o[4 + u[uint2(63, 63)]] = 1;
    o[5 + uint(compared(d))] = 1;
    u[id.xy] = 2;
}\n";
    made(&own(folder.path(), "a.hlsl", text, &[])?)
}

/// The bytes of the stores, each of a constant index that the run shows.
fn made((answer, code): &(Value, Option<i32>)) -> Result<(), Failed> {
    let found: Vec<(u64, u64)> = bytes(answer)?.iter().map(|row| (row.2, row.3)).collect();
    expect(&found, &HALVES.map(|byte| (byte, byte)).to_vec(), answer)?;
    expect(code, &Some(0), answer)
}

/// Binding 1 is a texture of one entry point, an image of another and a uniform of a third.
fn entry_points_have_their_resources() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(1) var w: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(1) var<uniform> u: vec4u;
@compute @workgroup_size(1) fn reads() { o[u32(textureLoad(t, vec2u(), 0).x * 8.0)] = 1u; }
@compute @workgroup_size(1) fn writes() { textureStore(w, vec2u(), vec4f()); o[5] = 1u; }
@compute @workgroup_size(1) fn numbers() { o[6] = u.y; }\n";
    for (entry, store, byte) in
        [("reads", "store of `o[]`", 16), ("writes", "store of `o[5]`", 20), ("numbers", "store of `o[6]`", 24)]
    {
        let (answer, code) = own(folder.path(), "a.wgsl", text, &["--entry", entry])?;
        let last = bytes(&answer)?.pop().ok_or("no access")?;
        expect(&(last, code), &(row(store, 1, byte, byte), Some(0)), &answer)?;
    }
    Ok(())
}

/// Bodies, and whether only the code decides that they leave an array. The words of the uniforms are 0 and 4, and that of
/// `o.n` is 32: each is the number of its first byte.
const DECIDED: [(&str, bool); 11] = [
    ("o.x[i] = k;", true),
    ("for (int j = 0; j <= 8; j++) o.x[j] += k;", true),
    ("uint at = i; if (at > 7) { o.x[at] = float(o.n); }", true),
    ("if (m == 4) { o.more[0] = m; } o.x[i] = k;", true),
    ("uint j = m; j = i; o.more[twice(i)] = o.n;", true),
    ("o.x[m * 2] = k;", false),
    ("if (m > 3) o.x[i] = k;", false),
    ("if (m < 3) return; o.x[i] = k;", false),
    ("for (uint j = 0; j < o.n; j++) o.x[j] = k;", false),
    ("uint at = 0; if (m == 4) at = 8; o.x[at] = k;", false),
    ("o.more[twice(m)] = 1;", false),
];

/// An access that a branch or an index from made-up memory leads to is open, and others are certain.
fn what_is_made_up_decides() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for (body, is_certain) in DECIDED {
        let text = format!(
            "#version 450\nlayout(local_size_x = 64) in;
layout(std430, binding = 0) buffer O {{ float x[8]; uint n; uint more[8]; }} o;
layout(std140, binding = 1) uniform U {{ float k; uint m; }};
uint twice(uint x) {{ return 2 * x; }}
void main() {{ uint i = gl_LocalInvocationID.x; {body} }}\n"
        );
        let (answer, code) = own(folder.path(), "a.comp", &text, &[])?;
        let faults = answer["faults"].as_array().into_iter().flatten();
        let found: Vec<_> = faults
            .filter(|fault| fault["fault"] == "beyond-end" && !fault["device"].is_null())
            .map(|fault| fault["culprit"] == "your-code")
            .collect();
        let is_it = !found.is_empty() && found.iter().all(|certain| *certain == is_certain);
        if !is_it || code != Some(if is_certain { 1 } else { 4 }) {
            return Err(format!("{body}: {is_certain} is expected, not {found:?} and {code:?}: {answer}").into());
        }
    }
    Ok(())
}

/// naga declares 16-bit inputs and outputs that no code has. A device that lacks another capability skips the module.
fn capabilities_of_code_are_met() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let half = "enable f16;\n@group(0) @binding(0) var<storage, read_write> x: array<vec2h, 8>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { x[i].y = x[i].x * 2h; }\n";
    let non_uniform = "#version 450\n#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint x[8]; } b[4];
void main() { uint i = gl_LocalInvocationID.x; b[nonuniformEXT(i & 3u)].x[i] = i; }\n";
    for (name, text) in [("a.wgsl", half), ("a.comp", non_uniform)] {
        let (answer, code) = own(folder.path(), name, text, &[])?;
        let devices: Vec<&Value> = answer["devices"].as_array().into_iter().flatten().collect();
        let ran = devices.iter().any(|device| device["outcome"] == "ran");
        expect(&devices.iter().all(|device| device["outcome"] != "broken"), &true, &answer)?;
        expect(&code, &Some(if ran { 0 } else { 4 }), &answer)?;
    }
    Ok(())
}

/// Lines before those of the kernels below.
const KERNEL: &str = "#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 8) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Wide { float d; };
layout(push_constant) uniform Push { uint64_t at; uint n; uint step; } p;
layout(binding = 0, std430) buffer Table { uint head[8]; uint tail[8]; } t;
layout(binding = 1, std430) buffer Indices { uint of[8]; } index;
void main() {
uint i = gl_LocalInvocationID.x;
";

type OfNumbers = (&'static str, [u32; 3], [u32; 3], &'static str, u64);

/// Kernels whose faults only numbers of the host show: `n`, `step` and the indices of the faulty and of the sound run, and
/// the fault with its line in the kernel.
const OF_NUMBERS: [OfNumbers; 6] = [
    ("t.head[index.of[i]] = 1;", [0, 0, 8], [0, 0, 7], "beyond-end", 0),
    ("for (uint k = 0; k < p.n; ++k)\n    t.tail[k] = k;", [9, 0, 0], [8, 0, 0], "beyond-end", 1),
    ("uint at = i * p.step;\nt.head[at / 4] = i;", [0, 8, 0], [0, 4, 0], "beyond-end", 1),
    ("Wide(p.at + i * p.step).d = 1.0;", [0, 4, 0], [0, 16, 0], "alignment", 0),
    ("uint at = index.of[7 - i];\nWide w = Wide(p.at + at);\nw.d = 1.0;", [0, 0, 24], [0, 0, 32], "alignment", 2),
    ("Wide(p.at + (i << p.n)).d = 1.0;", [3, 0, 0], [4, 0, 0], "alignment", 0),
];

fn faults_of_numbers_are_found() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let line_of_body = KERNEL.lines().count() as u64 + 1;
    for (body, faulty, sound, kind, line) in OF_NUMBERS {
        for (numbers, expected) in [(faulty, vec![(kind, line_of_body + line)]), (sound, Vec::new())] {
            let [n, step, index] = numbers;
            let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
            fs::write(folder.path().join("push"), words(&[0, 0, n, step]))?;
            fs::write(folder.path().join("indices"), words(&[index; 8]))?;
            let text = format!("{KERNEL}{body}\n}}\n");
            let more = ["--device", "lavapipe", "--buffer", "p=push", "--buffer", "index=indices"];
            let given = if body.contains("index") { &more[..] } else { &more[..4] };
            let (answer, code) = own(folder.path(), "a.comp", &text, given)?;
            let faults = answer["faults"].as_array().into_iter().flatten();
            let found: Vec<_> = faults.filter_map(|it| Some((it["fault"].as_str()?, it["line"].as_u64()?))).collect();
            expect(&(found, code), &(expected.clone(), Some(i32::from(!expected.is_empty()))), &answer)?;
        }
    }
    Ok(())
}

/// Each is exit 2 with the reason, and nothing is executed.
fn what_is_not_executed_is_named() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for (name, text, reason) in [
        ("a.frag", "layout(location = 0) out vec4 o; void main() { o = vec4(1); }", "only compute shaders"),
        (
            "a.comp",
            "layout(binding = 3) uniform samplerBuffer t; void main() { vec4 a = texelFetch(t, 0); }",
            "texel buffer",
        ),
        (
            "c.comp",
            "layout(binding = 3) uniform sampler2DMS t; void main() { vec4 a = texelFetch(t, ivec2(0), 0); }",
            "multisampled",
        ),
        (
            "d.comp",
            "layout(binding = 3) uniform sampler2D t[4]; void main() { vec4 a = texture(t[gl_WorkGroupID.x], vec2(0)); }",
            "`t` is an array",
        ),
        ("b.comp", "layout(local_size_x = 1) in; void main() {}", "no access"),
        (
            "f.comp",
            "layout(binding = 4) uniform texture2D t; layout(binding = 4) uniform sampler s; \
             layout(binding = 0) buffer B { vec4 o; } b; void main() { b.o = textureLod(sampler2D(t, s), vec2(0), 0); }",
            "`s` is at the binding of another resource",
        ),
        (
            "e.comp",
            "layout(binding = 3) uniform U { uint n; } u; layout(binding = 3) buffer B { uint n; } b; void main() { b.n = u.n; }",
            "is at the binding of another resource",
        ),
    ] {
        fs::write(folder.path().join(name), format!("#version 450\n{text}\n"))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
        let output = command.args(["run", name, "--own", "--no-progress"]).current_dir(folder.path()).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(2) || !said.contains(reason) || !output.stdout.is_empty() {
            return Err(format!("{name}: {reason} is expected, not {said}").into());
        }
    }
    Ok(())
}
