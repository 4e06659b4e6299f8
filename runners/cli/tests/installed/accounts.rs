//! Accounts of runs with the compilers and devices of this machine.

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::folder::Folder;
use crate::fuzz::Here;
use crate::trial;

/// Push constants in a `cbuffer`, which slangc 2026.14.1 accepts for SPIR-V, WGSL and HLSL.
const PUSHED: &str = "[vk::push_constant] cbuffer Push { float4x4 mvp; uint id; float2 uv; }
[shader(\"fragment\")] float4 fragMain() : SV_Target { return mvp[0] + id + uv.x; }
";

/// DXC has these types only with -enable-16bit-types.
const HALVES: &str = "cbuffer S { float16_t2 a; float b; };
[numthreads(1, 1, 1)] void main() { float c = a.x + b; }
";

const PLAIN: &str = "cbuffer S { float3 a; float b[2]; };
[numthreads(1, 1, 1)] void main() { float c = a.x + b[1]; }
";

/// No WebGPU device here has `shader-f16`.
const TWO_BLOCKS: &str = "enable f16;
struct Halves { a: f16, m: mat3x3<f16> }
@group(0) @binding(0) var<uniform> halves: Halves;
@group(0) @binding(1) var<uniform> plain: vec4f;
";

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let dxc = || here.lacks("dxc-dxil");
    vec![
        trial("accounts::a_block_that_no_device_reads_is_named", None, a_block_that_no_device_reads_is_named),
        trial("accounts::options_choose_among_the_checks", dxc(), options_choose_among_the_checks),
        trial("accounts::the_option_that_helps_is_named", dxc(), the_option_that_helps_is_named),
        trial("accounts::our_own_shader_is_at_fault", here.lacks("slang-vulkan"), our_own_shader_is_at_fault),
    ]
}

fn folder(files: &[(&str, &str)]) -> Folder {
    Folder::with(files).with_drivers()
}

/// The ids of the checks in a records file, sorted.
fn checks(folder: &Folder) -> Vec<String> {
    let text = folder.read("r.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let keys = ["case", "rules", "producer", "device", "runner"];
    let id = |check: Value| keys.map(|key| check[key].as_str().unwrap().to_owned()).join("::");
    let mut found: Vec<String> = lines.filter(|line| line["type"] == "check").map(id).collect();
    found.sort();
    found
}

fn a_block_that_no_device_reads_is_named() -> Result<(), Failed> {
    let folder = folder(&[("a.wgsl", TWO_BLOCKS)]);
    folder.run("run a.wgsl").exits(3).prints("incomplete 1 of 2 blocks compared; `halves`: no device here read it");
    Ok(())
}

fn options_choose_among_the_checks() -> Result<(), Failed> {
    let folder = folder(&[("a.hlsl", PLAIN), ("b.slang", PLAIN)]);
    folder.run("run a.hlsl b.slang --json r.jsonl");
    let all = checks(&folder);
    assert!(all.iter().all(|id| !id.contains("::rspirv::") && !id.contains("::naga::")), "{all:?}");
    for options in ["--target d3d12", "--args \"-T cs_6_6\"", "--compiler dxc", "--target vulkan --compiler slangc"] {
        folder.run_quoted(&format!("run a.hlsl b.slang --json r.jsonl {options}"));
        let found = checks(&folder);
        assert!(!found.is_empty() && found.iter().all(|id| all.contains(id)), "{options}: {found:?}");
    }
    folder.run("run a.hlsl --target d3d12").exits(0).prints("ok 1 of 1 block compared, ");
    Ok(())
}

fn the_option_that_helps_is_named() -> Result<(), Failed> {
    let folder = folder(&[("a.hlsl", HALVES)]);
    let answer = folder.run("run a.hlsl --target d3d12 --16bit off").exits(3);
    answer
        .prints("incomplete 0 of 1 block compared; `S` for D3D12 · DXC: refused by dxc-dxil: unknown type name")
        .prints("pass `-enable-16bit-types`");
    folder.run("run a.hlsl --target d3d12 --api dxil").exits(0).prints("ok 1 of 1 block compared, ");
    Ok(())
}

fn our_own_shader_is_at_fault() -> Result<(), Failed> {
    let folder = folder(&[("a.slang", PUSHED)]);
    let answer = folder.run("run a.slang --target vulkan");
    assert!(!answer.out.contains("refuses a.slang"), "{answer}");
    Ok(())
}
