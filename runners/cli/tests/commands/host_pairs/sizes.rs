//! The sizes that APIs require of host structs, and those that the user states.

use super::super::folder::Folder;
use super::{compile, pairs};

/// Compares a shader with a host struct; `None` without a compiler. The answer has the outcome and the first mismatch.
fn compared(shader: (&str, &str), host: &str, words: &str) -> Option<(String, String)> {
    let folder = Folder::with(&[shader, ("host.cpp", host)]);
    compile(&folder, "host").then(|| {
        let answer = folder.run(format!("check {} host.o --format json {words}", shader.0).trim_end());
        let pair = answer.json()["pairs"][0].clone();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        (text(&pair["outcome"]), text(&pair["mismatches"][0]["message"]))
    })
}

const WGSL: &str = "struct U { a: vec4f, b: f32, c: u32, d: u32, _padding: u32 }\n\
                    @group(0) @binding(0) var<uniform> u: U;\n@fragment fn main() -> @location(0) vec4f { return u.a; }\n";

const TAIL: &str = "struct S { a: array<vec4f, 9>, b: f32 }\n@group(0) @binding(0) var<storage> s: S;\n\
                    @fragment fn main() -> @location(0) vec4f { return s.a[0]; }\n";

const PUSH: &str = "#version 450\nlayout(push_constant) uniform Push { uint index; uvec3 _reserved; } pc;\n\
                    layout(location = 0) out vec4 o;\nvoid main() { o = vec4(pc.index); }\n";

const ES: &str = "#version 300 es\nprecision highp float;\nlayout(std140) uniform Light { vec3 dir; float k; float tail; };\n\
                  out vec4 c;\nvoid main() { c = vec4(dir * k, tail); }\n";

const VULKAN: &str = "#version 450\nlayout(set = 0, binding = 0, std140) uniform Light { vec3 dir; float k; float tail; };\n\
                      layout(location = 0) out vec4 c;\nvoid main() { c = vec4(dir * k, tail); }\n";

const D3D: &str = "cbuffer Block { float4 a[16]; float b; float3 _reserved; float4 pad0; };";

/// Dawn for Node 0.6.2 refuses 44 of 48 and 148 of 160 bytes; llvmpipe of Mesa 22.3.6 wants 32 for 20;
/// VUID-VkGraphicsPipelineCreateInfo-layout-10069 wants the whole block; views of D3D12 have multiples of 256 bytes.
#[test]
fn apis_require_sizes() {
    let light = "struct Light { float dir[3], k, tail; } l;";
    for (shader, host, words, message) in [
        (("a.wgsl", WGSL), "struct U { float a[4], b; unsigned c, d; } u;", "", "too small: WebGPU needs 32 bytes"),
        (("a.wgsl", WGSL), "struct U { float a[4], b; unsigned c, d, e; } u;", "", ""),
        (("b.wgsl", TAIL), "struct S { float a[9][4], b; } s;", "", "too small: WebGPU needs 160 bytes"),
        (("b.wgsl", TAIL), "struct S { float a[9][4], b, more[3]; } s;", "", ""),
        (
            ("a.frag", PUSH),
            "struct Push { unsigned index, _reserved[3]; } p;",
            "",
            "too small: Vulkan needs 28 bytes for this block (push constant range), the host struct has 16",
        ),
        (("a.frag", PUSH), "struct Push { unsigned index, gap[3], _reserved[3]; } p;", "", ""),
        (("es.frag", ES), light, "", "too small: OpenGL needs 32 bytes for this block (UNIFORM_BLOCK_DATA_SIZE)"),
        (("es.frag", ES), "struct alignas(16) Light { float dir[3], k, tail; } l;", "", ""),
        (("vk.frag", VULKAN), light, "", ""),
        (("vk.frag", VULKAN), light, "--target opengl", "too small: OpenGL needs 32 bytes"),
        (("a.hlsl", "cbuffer Light { float3 dir; float k, tail; };"), light, "", ""),
        (("b.hlsl", D3D), "struct Block { float a[16][4]; float b; } b;", "", ""),
        (
            ("b.hlsl", "cbuffer Block { float4 a[16]; float3 _reserved; float4 pad0; };"),
            "struct Block { float a[16][4]; } b;",
            "",
            "too small: D3D12 needs 257 bytes for this block (constant buffer view)",
        ),
        (
            ("b.hlsl", "cbuffer Block { float4 a[16]; float3 _reserved; float4 pad0; };"),
            "struct Block { float a[16][4]; } b;",
            "--target vulkan",
            "",
        ),
    ] {
        let Some((outcome, found)) = compared(shader, host, words) else { return };
        assert!(found.starts_with(message), "{shader:?}\n{host}\n{found}");
        assert_eq!(outcome, if message.is_empty() { "agree" } else { "differ" }, "{shader:?}\n{host}\n{found}");
    }
}

/// The block has 20 bytes.
#[test]
fn equal_sizes_are_equal() {
    let shader = "#version 450\nlayout(push_constant) uniform Waves { uvec2 size; float depth; float spread; uint cascade; } waves;\n\
                  layout(location = 0) out vec4 c;\nvoid main() { c = vec4(waves.depth); }\n";
    for (size, is_equal) in [(20, true), (24, false), (28, false), (32, false)] {
        let host = format!(
            "struct Waves {{ unsigned size[2]; float depth, spread; unsigned cascade; char more[{}]; }} w; struct W {{ \
             unsigned size[2]; float depth, spread; unsigned cascade; }} v;",
            (size - 20).max(1)
        );
        let folder = Folder::with(&[("a.frag", shader), ("host.cpp", &host)]);
        if !compile(&folder, "host") {
            return;
        }
        let name = if size == 20 { "W" } else { "Waves" };
        let map = format!("schema = 1\n[[map]]\nblock = \"waves\"\nhost = \"{name}\"\ncontract = \"equal\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        let answer = folder.run("check a.frag host.o --format json").exits(i32::from(!is_equal));
        let outcome = if is_equal { "agree" } else { "differ" };
        assert_eq!(pairs(&answer), [format!("waves {name} {outcome}")], "{size}");
    }
}
