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
    let expected = [9, 10].map(|line| (Some("your-code"), Some("beyond-end"), Some(line)));
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

/// 64 elements are made at first, and the code wants 101.
fn buffers_grow_with_the_code() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<vec4f>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { data[id.x * 50u].x = 1.0; }\n";
    let (answer, code) = own(folder.path(), "a.wgsl", text, &["--dispatch", "3"])?;
    expect(&bytes(&answer)?, &vec![row("store of `data[].x`", 3, 0, 1600)], &answer)?;
    expect(&(answer["buffers"][0]["bytes"].as_u64(), code), &(Some(1616), Some(0)), &answer)
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

/// `m` of the cbuffer is at 16, its elements are 16 bytes apart.
fn hlsl_is_executed() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "struct P { float3 a; uint n; };
RWStructuredBuffer<P> data; ByteAddressBuffer raw; cbuffer C { float4 k; uint m[4]; };
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
    // That of the static answer is certain.
    expect(&faults[0]["culprit"].as_str(), &Some("your-code"), &answer)?;
    for device in answer["devices"].as_array().into_iter().flatten().filter(|device| device["outcome"] == "ran") {
        let last = &device["accesses"][5];
        let found = (last["count"].as_u64(), last["misaligned"].as_u64(), device["plain"].as_str());
        expect(&found, &(Some(8), Some(6), Some("not-run")), &answer)?;
    }
    Ok(())
}

/// Each is exit 2 with the reason, and nothing is executed.
fn what_is_not_executed_is_named() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for (name, text, reason) in [
        ("a.frag", "layout(location = 0) out vec4 o; void main() { o = vec4(1); }", "only compute shaders"),
        ("a.comp", "layout(binding = 3) uniform sampler2D t; void main() { vec4 a = texture(t, vec2(0)); }", "`t`"),
        ("b.comp", "layout(local_size_x = 1) in; void main() {}", "no access"),
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
