//! Accounts of runs with the compilers and devices of this machine.

use layoutproof_compilers::compiler::Compiler;
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

/// An array that no probe needs. DXC 1.7.2308 leaves its capability in each module, and llvmpipe 22.3.6 lacks the feature.
const NEXT_TO_TEXTURES: &str = "Texture2D t[] : register(t0, space1); SamplerState s;
struct M { float3 a; uint t; }; StructuredBuffer<M> ms; cbuffer C { float3 c; float d; };
float4 main(float2 uv : UV, uint i : I) : SV_Target { return t[NonUniformResourceIndex(ms[i].t)].Sample(s, uv) + c.x + d; }
";

/// WGSL and HLSL have no type of 8 bits. slangc 2026.14.1 ends with an exception (SLANG-35) unless the struct has a half, too.
const BYTES: &str =
    "struct M { float3 a; float16_t rough; uint8_t flags; }; StructuredBuffer<M> ms; RWStructuredBuffer<float> o;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = ms[1].a.x; }
";

/// Branches that declare other members. slangc does not define the macro.
const BRANCHES: &str = "#ifdef __spirv__
cbuffer A { float3 a; float2 b; };
#else
cbuffer A { float3 a; float b; };
#endif
float4 main() : SV_Target { return float4(a, b.x); }
";

/// A block that leaves its layout to the driver.
const OF_DRIVER: &str = "#version 330 core
uniform Block { vec4 a; vec3 v; float b[3]; mat3 m; vec4 c; float l; };
out vec4 o;
void main() { o = a + vec4(v, b[2]) + vec4(m[1], l) + c; }
";

/// A trial that fails by a panic.
fn passes(test: fn()) -> impl FnOnce() -> Result<(), Failed> {
    move || {
        test();
        Ok(())
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let listing = Folder::with(&[]).with_drivers().run("doctor devices --format json").json();
    let has_driver = listing["devices"].as_array().unwrap().iter().any(|device| device["id"] == "llvmpipe-gl");
    let no_driver = (!has_driver).then(|| "no OpenGL driver is there".to_owned());
    let dxc = || here.lacks("dxc-dxil");
    let no_glslang = Compiler::named("glslang", None).compiler.err().map(|absent| absent.to_string());
    vec![
        trial("accounts::a_block_that_no_device_reads_is_named", None, passes(a_block_that_no_device_reads_is_named)),
        trial(
            "accounts::a_block_that_naga_has_elsewhere_is_named",
            None,
            passes(a_block_that_naga_has_elsewhere_is_named),
        ),
        trial("accounts::options_choose_among_the_checks", dxc(), passes(options_choose_among_the_checks)),
        trial("accounts::the_option_that_helps_is_named", dxc(), passes(the_option_that_helps_is_named)),
        trial("accounts::opengl_text_counts_as_opengl", no_glslang, passes(opengl_text_counts_as_opengl)),
        trial("accounts::a_driver_lays_out_a_block", no_driver, passes(a_driver_lays_out_a_block)),
        trial("accounts::textures_without_end_hinder_no_block", dxc(), passes(textures_without_end_hinder_no_block)),
        trial(
            "accounts::a_type_that_a_target_lacks_is_named",
            here.lacks("slang-webgpu"),
            passes(a_type_that_a_target_lacks_is_named),
        ),
        trial("accounts::each_compiler_has_its_branch", dxc(), passes(each_compiler_has_its_branch)),
        trial(
            "accounts::a_cbuffer_of_push_constants_is_read",
            here.lacks("slang-vulkan"),
            passes(a_cbuffer_of_push_constants_is_read),
        ),
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

fn a_block_that_no_device_reads_is_named() {
    let vectors = TWO_BLOCKS.replace("m: mat3x3<f16>", "m: vec4<f16>");
    let folder = folder(&[("b.wgsl", &vectors)]);
    let run = folder.run("run b.wgsl --device swiftshader --api vulkan");
    run.exits(3).prints("incomplete 1 of 2 blocks compared; `halves`: no device here read it");
    folder.run("run b.wgsl --device lavapipe").exits(0).prints("ok 2 of 2 blocks compared");
}

/// naga 30.0.1 forgets the `@align` of a member of a nested struct: it gives `b.n` the offset 4, WGSL 14.4.1 32.
fn a_block_that_naga_has_elsewhere_is_named() {
    let folder = folder(&[(
        "a.wgsl",
        "struct A { @align(32) a: f32 }\nstruct B { h: f32, @size(64) n: A, z: u32 }\n\
         @group(0) @binding(0) var<storage> b: B;\n@compute @workgroup_size(1) fn main() { let z = b.z; }\n",
    )]);
    let run = folder.run("run a.wgsl --compiler naga");
    run.exits(3).prints(
        "incomplete 0 of 1 block compared; `b`: no device here read it (naga 30.0.1 gives `b.n` the offset 4, WGSL 32)",
    );
}

fn options_choose_among_the_checks() {
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
}

fn the_option_that_helps_is_named() {
    let buffer = "struct T { float16_t h; float3 a; }; StructuredBuffer<T> t; RWStructuredBuffer<float> o;
        [numthreads(1, 1, 1)] void main() { o[0] = t[0].a.x + t[0].h; }";
    let folder = folder(&[("a.hlsl", HALVES), ("b.hlsl", buffer)]);
    for words in ["a.hlsl", "a.hlsl --16bit off", "b.hlsl", "a.hlsl --api dxil"] {
        let answer = folder.run(&format!("run {words} --target d3d12")).exits(3);
        let refused = "for D3D12 · DXC: refused by dxc-dxil: unknown type name 'float16_t";
        let said = answer.unwrapped();
        assert!(said.contains(refused) && said.contains("pass `-enable-16bit-types`"), "{words}: {answer}");
        assert!(said.contains("D3D12 · DXC (1.7.4006) refuses"), "{words}: {answer}");
    }
    for (words, all) in [("a.hlsl --16bit on", "1 of 1 block"), ("b.hlsl --args=-enable-16bit-types", "2 of 2 blocks")]
    {
        let answer = folder.run(&format!("run {words} --target d3d12 --api dxil")).exits(0);
        answer.prints(&format!("ok {all} compared, "));
        // A device without these types lacks them; DXC takes the file.
        let answer = folder.run(&format!("run {words} --target d3d12"));
        let said = format!("{} {}", answer.unwrapped(), answer.err);
        assert!(!said.contains("refuse") && !said.contains("pass `-enable"), "{words}: {answer}");
    }
}

/// OpenGL 4.6, 7.6.2.1: the layouts `shared` and `packed` are the driver's, and std140's size rule holds for the others.
fn opengl_text_counts_as_opengl() {
    let text = |layout: &str| {
        format!(
            "#version 330 core\nlayout({layout}) uniform L {{ vec4 k; float z; }};\nout vec4 o;\nvoid main() {{ o = k * z; }}\n"
        )
    };
    let folder =
        folder(&[("a.frag", &text("shared")), ("b.frag", &text("row_major, packed")), ("c.frag", &text("std140"))]);
    for file in ["a.frag", "b.frag"] {
        let shown = folder.run(&format!("show {file} --format json")).exits(0).json();
        assert_eq!(shown["account"]["open"], 1, "{shown}");
    }
    folder.write("h.cpp", b"struct L { float k[4]; float z; } l;");
    let built = std::process::Command::new("g++").args(["-g", "-c", "h.cpp"]).current_dir(folder.path("")).status();
    if built.is_ok_and(|status| status.success()) {
        let answer = folder.run("check c.frag h.o --map L=L").exits(1);
        assert!(answer.out.contains("UNIFORM_BLOCK_DATA_SIZE"), "{answer}");
    }
}

/// Mesa 22.3.6, `glGetActiveUniformsiv` in a program of its own: `b` at 28 with a stride of 4, then 48, 96 and 112. std140
/// would give 32 with a stride of 16, then 80, 128 and 144.
fn a_driver_lays_out_a_block() {
    let folder = folder(&[("a.frag", OF_DRIVER)]);
    let answer = folder.run("run a.frag --device llvmpipe-gl --json r.jsonl").exits(0);
    assert!(answer.out.contains("  Block: 128 bytes; a 0, v 16, b 28, m 48, c 96, l 112\n"), "{answer}");
    answer.prints("ok 1 of 1 block compared, by the layouts of their drivers");
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    let layout = &end["sources"][0]["layouts"][0];
    assert!(layout["authority"].as_str().unwrap().starts_with("glGetProgramResourceiv of llvmpipe-gl"), "{end}");
    let row = layout["blocks"][0]["members"].as_array().unwrap().iter().find(|row| row["path"] == "b").unwrap();
    assert_eq!((&row["offset"], &row["array_stride"]), (&28.into(), &4.into()), "{row}");
    let other = folder.run("run a.frag --device lavapipe").exits(3);
    assert!(other.err.contains("`Block`: the OpenGL driver lays it out, and no OpenGL device is here"), "{other}");
}

fn textures_without_end_hinder_no_block() {
    let folder = folder(&[("a.hlsl", NEXT_TO_TEXTURES)]);
    folder.run("run a.hlsl --target vulkan").exits(0).prints("ok 2 of 2 blocks compared, ");
}

fn a_type_that_a_target_lacks_is_named() {
    let folder = folder(&[("a.slang", BYTES)]);
    let answer = folder.run("run a.slang --json r.jsonl").exits(3);
    for reason in [
        "not possible for WebGPU · Slang: `flags` (uint8_t) has a type that WGSL lacks",
        "not possible for D3D12 · Slang: `flags` (uint8_t) has an 8-bit type",
    ] {
        assert!(answer.out.contains(reason), "{answer}");
    }
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    assert_eq!((&end["broken"], &end["differ"]), (&0.into(), &0.into()), "{end}");
    assert!(end["agree"].as_u64().unwrap() > 0, "{end}");
}

fn each_compiler_has_its_branch() {
    let folder = folder(&[("a.hlsl", BRANCHES)]);
    let answer = folder.run("run a.hlsl").exits(0).prints("ok 1 of 1 block compared, ");
    assert!(!answer.err.contains("__spirv__"), "{answer}");
}

fn a_cbuffer_of_push_constants_is_read() {
    let folder = folder(&[("a.slang", PUSHED)]);
    let answer = folder.run("run a.slang --target vulkan").exits(0);
    answer.prints("ok 1 of 1 block compared, ");
}
