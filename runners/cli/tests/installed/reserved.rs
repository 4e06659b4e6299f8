//! Users' files that contain every name, number, space and macro that probes would use: compilers
//! bind and read them like any others.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::fuzz::Here;

/// Uses the names, register spaces and bindings of a probe, including those of its copy of a block
/// (set 0, binding 3), and defines words of its statements as macros.
const TAKEN: &str = "#define Store Stored
#define Load(x) Loaded
#define asuint bits
#define uint2 int2
#define u0 u9
#define space1000 space3
struct read_uniform { float3 a; float b[2]; };
[[vk::binding(989, 0)]] cbuffer layoutproof_input : register(b2, space1001) { float3 a; float layoutproof_value; float b[2]; };
[[vk::binding(990, 0)]] RWStructuredBuffer<float> layoutproof_bytes : register(u1, space1000);
[[vk::binding(991, 0)]] StructuredBuffer<float2> at991 : register(t0, space1000);
[[vk::binding(992, 0)]] RWStructuredBuffer<read_uniform> at992 : register(u5, space1000);
[[vk::binding(0, 0)]] RWStructuredBuffer<float2> at0 : register(u3);
[[vk::binding(1, 0)]] RWStructuredBuffer<float> at1 : register(u2);
[[vk::binding(2, 0)]] StructuredBuffer<int> at2 : register(t2);
[[vk::binding(3, 0)]] RWStructuredBuffer<float4> at3 : register(u6);
static float layoutproof_index0;
float write_storage(float layoutproof_sum) { return layoutproof_sum; }
float read_storage() { return 1; }
float layoutproof_whole0(float x) { return x; }
groupshared float layoutproof_shared0;
void layoutproof_other_stage() {}
[numthreads(1, 1, 1)] void read_bindings() { at0[0] = a.xy * b[1]; at1[0] = layoutproof_value; at3[0] = 1; }
";

/// The same for WGSL, with the probe's group number left free.
const TAKEN_IN_WGSL: &str = "struct layoutproof_input { a: vec3<f32>, b: f32 }
@group(0) @binding(3) var<storage, read_write> layoutproof_output: array<layoutproof_input>;
@group(3) @binding(0) var<uniform> u: layoutproof_input;
@group(2) @binding(1) var<storage, read_write> r: array<u32>;
fn read_storage() -> f32 { return u.b; }
@compute @workgroup_size(1) fn read_uniform() { layoutproof_output[1].b = read_storage(); r[0] = 1u; }
";

/// Writable buffers that get the same place as a probe's, without using its names: by the order, by
/// a register.
const BOUND_ALIKE: [&str; 3] = [
    "StructuredBuffer<float> a; StructuredBuffer<float> b; StructuredBuffer<float> c; RWStructuredBuffer<float> result;",
    "RWStructuredBuffer<float> result : register(u3);",
    "[[vk::binding(3)]] RWStructuredBuffer<float2> result; RWStructuredBuffer<float> other : register(u1);",
];

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let of_compiler = |(name, toolchain): (&'static str, &str)| {
        let lacking = here.lacks(toolchain);
        let trial = |what: &str, test: fn(&str) -> Result<(), Failed>| {
            crate::trial(&format!("reserved::{what}::{name}"), lacking.clone(), move || test(name))
        };
        [trial("taken", taken), trial("included", included), trial("bound_alike", bound_alike)]
    };
    let taken_in_wgsl = crate::trial("reserved::taken::tint", here.lacks("tint"), || {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("a.wgsl"), TAKEN_IN_WGSL)?;
        all_agree(folder.path(), "a.wgsl", "tint", &[])
    });
    let of_compilers = [("dxc", "dxc-spirv"), ("slangc", "slang-vulkan")].into_iter().flat_map(of_compiler);
    of_compilers.chain([taken_in_wgsl]).collect()
}

fn taken(compiler: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("a.hlsl"), TAKEN)?;
    all_agree(folder.path(), "a.hlsl", compiler, &[])
}

/// The same names in a header and on the command line.
fn included(compiler: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("taken.h"), TAKEN)?;
    fs::write(folder.path().join("a.hlsl"), "#include \"taken.h\"\n")?;
    all_agree(folder.path(), "a.hlsl", compiler, &["-D", "numthreads=threads", "-D", "read_uniform=reader"])
}

fn bound_alike(compiler: &str) -> Result<(), Failed> {
    for text in BOUND_ALIKE {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join("a.hlsl"), text)?;
        all_agree(folder.path(), "a.hlsl", compiler, &[])?;
    }
    Ok(())
}

/// Runs a file with a compiler: something agrees for each of its outputs, and nothing differs.
fn all_agree(folder: &Path, file: &str, compiler: &str, words: &[&str]) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.args(["run", file, "--json", "r.jsonl", "--compiler", compiler]).args(words).current_dir(folder);
    let output = command.env("LAYOUTPROOF_CACHE", folder.join("cache")).output()?;
    let told = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));

    let records = fs::read_to_string(folder.join("r.jsonl")).map_err(|error| format!("{error}: {}", told()))?;
    let lines = records.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    let prefix = if compiler == "slangc" { "slang" } else { compiler };
    let of_compiler = |line: &&Value| {
        line["type"] == "check" && line["producer"].as_str().is_some_and(|producer| producer.starts_with(prefix))
    };
    let checks: Vec<&Value> = lines.iter().filter(of_compiler).collect();
    let agree: Vec<&str> = checks
        .iter()
        .filter(|check| check["outcome"] == "agree")
        .filter_map(|check| check["producer"].as_str())
        .collect();
    let outputs = ["", "-dxil", "-spirv", "-d3d12", "-vulkan"];
    let is_proved = outputs.iter().any(|output| agree.contains(&&*format!("{prefix}{output}")));
    let differs = checks.iter().any(|check| matches!(check["outcome"].as_str(), Some("differ" | "broken")));
    if is_proved && !differs { Ok(()) } else { Err(told().into()) }
}
