//! Twelve kinds of mistakes in a host struct, each against the same block in HLSL, Slang, GLSL and WGSL:
//! `layoutproof check` names the member that is wrong, once.
//!
//! GCC compiles the host, so its offsets are GCC's; without it, the test prints a note and ends. The block
//! has the same offsets in all four languages: `std140`, WGSL's and D3D's rules agree about it.

use std::process::Command;

use super::folder::Folder;

/// The block: type and name of each member. A type has its spelling in the host, HLSL, GLSL and WGSL.
const MEMBERS: [(&str, &str); 10] = [
    ("mat4", "view"),
    ("vec3", "eye"),
    ("float", "time"),
    ("vec2", "jitter"),
    ("uint", "count"),
    ("int", "mode"),
    ("vec4", "tints[2]"),
    ("float", "gain"),
    ("float", "bias"),
    ("float", "exposure"),
];

/// What a mistake puts in place of a member: its kind, the member, the host's declarations there, the member
/// that is named and the kind of mismatch.
const MISTAKES: [(&str, &str, &str, &str, &str); 12] = [
    ("left_out", "jitter", "", "jitter", "missing-in-host"),
    ("added", "jitter", "float extra; vec2 jitter;", "jitter", "offset-moved"),
    ("wider", "time", "double time;", "time", "size-differs"),
    ("narrower", "count", "uint16_t count;", "count", "size-differs"),
    ("other_vector", "eye", "vec2 eye;", "eye", "size-differs"),
    ("vector_for_number", "gain", "vec2 gain;", "gain", "size-differs"),
    ("other_meaning", "count", "float count;", "count", "class-differs"),
    ("short_bool", "mode", "bool mode;", "mode", "bool-size"),
    ("one_element_more", "tints", "vec4 tints[3];", "tints", "count-differs"),
    ("dense_elements", "tints", "vec3 tints[2];", "tints", "stride-differs"),
    ("exchanged", "gain", "float bias;", "gain", "swapped-names"),
    ("last_larger", "exposure", "vec3 exposure;", "exposure", "size-differs"),
];

const TYPES: &str = "#include <cstdint>
typedef float mat4[16]; typedef unsigned uint;
struct vec2 { float x, y; }; struct vec3 { float x, y, z; }; struct alignas(16) vec4 { float x, y, z, w; };
";

/// The host structs, one in a namespace for each mistake.
fn host() -> String {
    let structs = MISTAKES.iter().map(|(kind, wrong, instead, ..)| {
        let members = MEMBERS.iter().map(|(ty, name)| match name.split('[').next() {
            Some(own) if own == *wrong => (*instead).to_owned(),
            // The other half of the exchange.
            Some("bias") if *kind == "exchanged" => "float gain;".to_owned(),
            _ => format!("{ty} {name};"),
        });
        format!("namespace {kind} {{ struct Frame {{ {} }} frame; }}\n", members.collect::<String>())
    });
    let right = members(|ty, name| format!("{ty} {name};"));
    format!("{TYPES}namespace right {{ struct Frame {{ {right} }} frame; }}\n{}", structs.collect::<String>())
}

/// All members of the block, as `declare` writes each.
fn members(declare: impl Fn(&str, &str) -> String) -> String {
    MEMBERS.iter().map(|(ty, name)| declare(ty, name)).collect()
}

fn hlsl_type(ty: &str) -> String {
    let spelling = [("mat4", "float4x4"), ("vec2", "float2"), ("vec3", "float3"), ("vec4", "float4")];
    spelling.iter().find(|(own, _)| *own == ty).map_or(ty, |(_, hlsl)| hlsl).to_owned()
}

fn wgsl_member(ty: &str, name: &str) -> String {
    let spelling = [("mat4", "mat4x4f"), ("float", "f32"), ("uint", "u32"), ("int", "i32")];
    let ty = spelling.iter().find(|(own, _)| *own == ty).map_or(format!("{ty}f"), |(_, wgsl)| (*wgsl).to_owned());
    match name.split_once('[') {
        Some((name, _)) => format!("{name}: array<{ty}, 2>, "),
        None => format!("{name}: {ty}, "),
    }
}

fn shaders() -> [(&'static str, String); 4] {
    let hlsl = members(|ty, name| format!("{} {name}; ", hlsl_type(ty)));
    let glsl = members(|ty, name| format!("{ty} {name}; "));
    let wgsl = members(wgsl_member);
    [
        ("a.hlsl", format!("cbuffer Frame {{ {hlsl}}};")),
        ("a.slang", format!("struct Frame {{ {hlsl}}}\nConstantBuffer<Frame> frame;")),
        ("a.comp", format!("#version 450\nlayout(std140, binding = 0) uniform Frame {{ {glsl}}};\nvoid main() {{}}\n")),
        ("a.wgsl", format!("struct Frame {{ {wgsl}}}\n@group(0) @binding(0) var<uniform> frame: Frame;\n")),
    ]
}

#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn each_planted_mistake_names_its_member() {
    let folder = Folder::with(&[("host.cpp", &host())]);
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-g", "-c", "host.cpp", "-o", "host.o"]);
    let Ok(status) = compiler.current_dir(folder.path(".")).status() else {
        return println!("skipped: g++ is not here");
    };
    assert!(status.success());

    for (shader, text) in shaders() {
        folder.write(shader, text.as_bytes());
        let block = if text.contains("frame") { "frame" } else { "Frame" };
        let map = |kind: &str| format!(" --map {block}={kind}::Frame");
        let maps: String = std::iter::once("right").chain(MISTAKES.map(|(kind, ..)| kind)).map(map).collect();
        let answer = folder.run(&format!("check {shader} host.o --format json{maps}")).exits(1).json();
        let pairs = answer["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), MISTAKES.len() + 1, "{shader}: {answer}");
        assert_eq!(pairs[0]["outcome"], "agree", "{shader}: {}", pairs[0]);
        for ((kind, _, _, member, mismatch), pair) in MISTAKES.iter().zip(&pairs[1..]) {
            let found = pair["mismatches"].as_array().unwrap();
            assert_eq!(found.len(), 1, "{shader}, {kind}: {found:#?}");
            let named = (&found[0]["path"], &found[0]["kind"]);
            assert_eq!(named, (&(*member).into(), &(*mismatch).into()), "{shader}, {kind}: {}", found[0]);
        }
    }
}
