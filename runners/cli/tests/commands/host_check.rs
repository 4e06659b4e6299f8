//! `layoutproof check` of programs that this machine's compilers make here: C++ with DWARF 4 and 5,
//! Windows, Rust.
//!
//! A missing compiler is reported and left out. The host's offsets come from the compilers that
//! run; our code never writes them.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::folder::{Answer, Folder};

const ENGINE_H: &str = include_str!("../files/host_check/engine.h");
const ENGINE_CPP: &str = include_str!("../files/host_check/engine.cpp");
const RIGHT: &str = include_str!("../files/host_check/right.hlsl");
const WRONG: &str = include_str!("../files/host_check/wrong.hlsl");

/// Compilers with their options and output files.
const BUILDS: [[&str; 3]; 7] = [
    ["g++", "-gdwarf-4 -c", "engine.o"],
    ["g++", "-gdwarf-5", "engine"],
    ["g++", "-gdwarf-5 -gsplit-dwarf -c", "engine.o"],
    ["clang++", "-gdwarf-4", "engine"],
    ["clang++-22", "-gdwarf-5 -c", "engine.o"],
    ["clang++-22", "-gdwarf-4 -c", "engine.o"],
    ["x86_64-w64-mingw32-g++", "-g", "engine.exe"],
];

/// Blocks of `wrong.hlsl` with the kind of their first mismatch and a part of the hint.
const MISTAKES: [[&str; 3]; 14] = [
    ["PackedBehind", "offset-moved", "declare `t` as `float t` in the host"],
    ["ArrayStride", "stride-differs", "declare `probes` as `float probes[4][4]` in the host"],
    ["BoolSize", "bool-size", "declare `on` as `uint32_t on` in the host"],
    ["MatrixStride", "stride-differs", "declare `normal` as `float normal[3][4]` in the host"],
    ["doubles", "offset-moved", "insert 4 bytes before `d` in the host"],
    ["halves", "size-differs", "declare `uv` as `uint16_t uv[2]` in the host"],
    [
        "tails",
        "stride-differs",
        "insert 4 bytes at the end of `wrong::TailPadding` or declare `wrong::TailPadding` as `alignas(16)`",
    ],
    ["Swapped", "swapped-names", "exchange `m_view` and `m_proj` in the host"],
    ["ClassDiffers", "class-differs", "declare `count` as `int32_t count` in the host"],
    ["ArrayCount", "count-differs", "give `lights` 8 elements in the host"],
    ["BitField", "bit-field", "declare `flags` as `uint32_t flags`, then remove `layer` in the host"],
    ["EnumSize", "size-differs", "declare `mode` as `uint32_t mode` in the host"],
    ["NestedAlign", "offset-moved", "declare `fog` as `alignas(16)` or insert 12 bytes before `fog` in the host"],
    ["Straddle", "offset-moved", "declare `sunDir` as `alignas(16)` or insert 8 bytes before `sunDir` in the host"],
];

fn engine() -> Folder {
    let files = [("engine.h", ENGINE_H), ("engine.cpp", ENGINE_CPP), ("right.hlsl", RIGHT), ("wrong.hlsl", WRONG)];
    Folder::with(&files).within(std::time::Duration::from_secs(120))
}

/// Compiles a file in the folder; returns false if the compiler was not found.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
pub(crate) fn compiles(folder: &Folder, compiler: &str, words: &str) -> bool {
    let mut command = Command::new(compiler);
    command.args(words.split(' ')).current_dir(folder.path("."));
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{compiler} {words}: {}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(error) => {
            println!("skipped: {compiler} is not here ({error})");
            false
        }
    }
}

/// Compiles the engine; returns false if the compiler was not found.
fn builds(folder: &Folder, [compiler, options, output]: [&str; 3]) -> bool {
    compiles(folder, compiler, &format!("-std=c++17 {options} engine.cpp -o {output}"))
}

fn pairs(answer: &Answer) -> Vec<Value> {
    let json: Value = serde_json::from_str(&answer.out).unwrap();
    json["pairs"].as_array().unwrap().clone()
}

#[test]
fn correct_structs_raise_no_alarm() {
    for build in BUILDS {
        let folder = engine();
        if builds(&folder, build) {
            let answer = folder.run(&format!("check right.hlsl {} --strict", build[2])).exits(0);
            assert!(answer.out.contains("7 blocks agree"), "{build:?}: {}", answer.out);
        }
    }
}

#[test]
fn each_mistake_is_found_with_its_words() {
    for build in BUILDS {
        let folder = engine();
        if !builds(&folder, build) {
            continue;
        }
        let pairs = pairs(&folder.run(&format!("check wrong.hlsl {} --format json", build[2])).exits(1));
        assert_eq!(pairs.len(), MISTAKES.len(), "{build:?}");
        for ([block, kind, hint], pair) in MISTAKES.iter().zip(&pairs) {
            assert_eq!((pair["block"].as_str(), pair["outcome"].as_str()), (Some(*block), Some("differ")), "{build:?}");
            let mismatches = pair["mismatches"].as_array().unwrap();
            assert_eq!(mismatches.len(), 1, "{build:?} {block}: {mismatches:#?}");
            assert_eq!(mismatches[0]["kind"].as_str(), Some(*kind), "{build:?} {block}");
            let found = mismatches[0]["hint"].as_str().unwrap();
            assert!(found.contains(hint), "{build:?} {block}: {found}");
            let at = mismatches[0]["host_at"].as_str().unwrap();
            assert!(at.contains("engine.h:"), "{build:?} {block}: {at}");
        }
    }
}

/// The table at 80 columns, with the first compiler that was found.
#[test]
fn the_table_fits_in_80_columns() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let answer = folder.run("check wrong.hlsl engine.o").exits(1);
    let widest = answer.out.lines().filter(|line| !line.contains("engine.h:")).map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", answer.out);
    for words in [
        "- 16 4 float t + 12 4 float t ! offset moved",
        ". 16 16 float4 c // host: at 20",
        "offset moved: the shader has `t` at byte 12, the host at byte 16; 1 later member moves with it",
    ] {
        assert!(answer.unwrapped().contains(words), "{words}: {}", answer.out);
    }
    assert!(
        answer.unwrapped().contains("Summary 14 of 14 blocks differ from the host; first: PackedBehind.t"),
        "{}",
        answer.out
    );
}

/// The page contains the words of the table, and byte maps of both sides.
#[test]
fn a_page_shows_both_sides() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let answer = folder.run("check wrong.hlsl engine.o --html check.html").exits(1);
    assert!(
        answer.unwrapped().contains("Summary 14 of 14 blocks differ from the host; first: PackedBehind.t"),
        "{}",
        answer.out
    );
    let page = folder.read("check.html").replace("<span>", "").replace("</span>", "");
    for words in [
        "float t · offset 12 · size 4",
        "float t · offset 16 · size 4",
        "offset moved: the shader has <code>t</code> at byte 12, the host at byte 16",
        "14 differ",
        "layoutproof check wrong.hlsl engine.o --html check.html",
        "engine.h:",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let refused = folder.run("check wrong.hlsl engine.o --html missing/check.html").exits(2);
    assert!(refused.err.contains("writing missing/check.html"), "{}", refused.err);
}

#[test]
fn other_formats_say_the_same() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let github = folder.run("check wrong.hlsl engine.o --format github").exits(1).out;
    assert_eq!(github.lines().count(), 10, "{github}");
    assert!(github.starts_with("::error title=layoutproof check::14 of 14 blocks differ"), "{github}");
    assert!(
        github.lines().skip(1).all(|line| line.starts_with("::error file=") && line.contains("engine.h,line=")),
        "{github}"
    );
    let junit = folder.run("check wrong.hlsl engine.o --format junit").exits(1).out;
    assert!(junit.contains(r#"tests="14" skipped="0" failures="14""#), "{junit}");
    let sarif = folder.run("check wrong.hlsl engine.o --format sarif").exits(1).json();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    // More than GitHub shows as annotations: a result for each wrong member.
    assert!(results.len() >= 14, "{sarif}");
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("engine.h"), "{place}");
    assert!(place["region"]["startLine"].as_u64().is_some(), "{place}");
}

#[test]
fn nothing_is_called_matched_that_is_not() {
    let folder = engine();
    folder.write("other.hlsl", b"cbuffer PerFrames { float4 a; };");
    folder.write("strange.txt", b"text");
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let answer = folder.run("check other.hlsl engine.o").exits(4);
    let words = "no host struct has its name; nearest: `right::PerFrame`";
    assert!(answer.unwrapped().contains(words), "{}", answer.out);
    folder.run("check other.hlsl engine.o --strict").exits(1);
    let answer = folder.run("check other.hlsl engine.o --map PerFrames=right::Nothing").exits(2);
    assert!(answer.unwrapped().contains("no host file defines `right::Nothing`"), "{}", answer.out);
    assert!(answer.err.contains("error: block `PerFrames`: no host file defines `right::Nothing`"), "{}", answer.err);
    let answer = folder.run("check other.hlsl engine.o --map PerFrames=right::PerFrane").exits(2);
    assert!(answer.err.contains("nearest: `right::PerFrame`"), "{}", answer.err);
    folder.write("named.hlsl", b"// layoutproof: host=PerFrane\ncbuffer Other { float4 a; };");
    let answer = folder.run("check named.hlsl engine.o").exits(2);
    assert!(answer.err.contains("nearest: `right::PerFrame`"), "{}", answer.err);
    folder.run("check other.hlsl engine.o --map PerFrames=wrong::ArrayCount").exits(0);
    folder.run("check other.hlsl engine.o --map Other=right::PerFrame").exits(2);
    folder.run("check other.hlsl strange.txt").exits(2);
    folder.run("check other.hlsl").exits(2);
    folder.run("check").exits(2);
}

#[test]
fn what_arrives_on_a_device_is_told_in_the_hosts_words() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let answer = folder.run("check right.hlsl engine.o --run --device model").exits(0);
    assert!(answer.out.contains("leaves arrived on devices"), "{}", answer.out);
    assert!(!answer.out.contains("did not"), "{}", answer.out);
    let right = pairs(&folder.run("check right.hlsl engine.o --run --device model --format json").exits(0));
    for pair in &right {
        let proofs = pair["proofs"].as_array().unwrap();
        assert_eq!((proofs.len(), proofs[0]["device"].as_str()), (1, Some("model")), "{pair}");
        assert!(proofs[0]["arrived"].as_u64() > Some(0) && proofs[0]["strays"] == serde_json::json!([]), "{pair}");
    }

    let answer = folder.run("check wrong.hlsl engine.o --run --device model").exits(1);
    for words in [
        "`t` reads byte 12, where the host has no member; the host's `t`, at byte 16, arrives in `c.x`",
        "`view[0][0]` reads the host's `m_proj.columns[0].x` at byte 0; the host's `m_view.columns[0].x`, at byte 64, arrives in `proj[0][0]`",
        "`normal[0][1]` reads the host's `normal.m[4]` at byte 16",
    ] {
        assert!(answer.unwrapped().contains(words), "{words}: {}", answer.out);
    }
    let wrong = pairs(&folder.run("check wrong.hlsl engine.o --run --device model --format json").exits(1));
    let stray = &wrong[0]["proofs"][0]["strays"][0];
    assert_eq!((stray["path"].as_str(), stray["observed"].as_u64()), (Some("t"), Some(12)));
    assert_eq!((stray["host_offset"].as_u64(), stray["host_arrives_in"].as_str()), (Some(16), Some("c.x")));
}

#[test]
fn a_run_needs_a_device_and_a_compiler_that_are_here() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    folder.run("check right.hlsl engine.o --device model").exits(2);
    let answer = folder.run("check right.hlsl engine.o --run --device absent").exits(3);
    assert!(answer.err.contains("error: "), "{}", answer.err);
    let answer = folder.run("check right.hlsl engine.o --run --device model --compiler absent").exits(2);
    assert!(answer.err.contains("unknown compiler `absent`"), "{}", answer.err);
}

#[test]
fn a_named_shader_is_read_in_each_way_that_the_project_says() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let entry = |rules| format!("[[shader]]\nfiles = \"right.*\"\nrules = [\"{rules}\"]\n");
    folder.write("layoutproof.toml", format!("{}{}", entry("hlsl-cbuffer"), entry("std430")).as_bytes());
    let answer = folder.run("check right.hlsl engine.o --format json");
    let checked: Value = serde_json::from_str(&answer.out).unwrap();
    let targets: BTreeSet<&str> =
        checked["pairs"].as_array().unwrap().iter().filter_map(|pair| pair["target"].as_str()).collect();
    assert_eq!(targets, ["hlsl-cbuffer", "std430"].into());
}

#[test]
fn a_project_file_says_everything() {
    let folder = engine();
    if !builds(&folder, BUILDS[0]) {
        return;
    }
    let project =
        "schema = 1\nhost = \"*.o\"\n[[shader]]\nfiles = \"right.*\"\nargs = \"-T cs_6_6 -enable-16bit-types\"\n";
    folder.write("layoutproof.toml", project.as_bytes());
    let answer = folder.run("check").exits(0);
    assert!(answer.out.contains("7 blocks agree"), "{}", answer.out);

    let known = "[[shader]]\nfiles = [\"wrong.hlsl\"]\n[[known]]\nblock = \"Swapped\"\nreason = \"meant\"\n";
    folder.write("layoutproof.toml", format!("host = \"engine.o\"\n{known}").as_bytes());
    let answer = folder.run("check").exits(1);
    assert!(answer.unwrapped().contains("Summary 13 of 14 blocks differ from the host, 1 known;"), "{}", answer.out);

    // What devices read wrongly follows from the known difference, and from no other.
    folder.write("swapped.hlsl", b"cbuffer Swapped { float4x4 view; float4x4 proj; };");
    folder.write(
        "layoutproof.toml",
        format!("host = \"engine.o\"\n{known}").replace("wrong.hlsl", "swapped.hlsl").as_bytes(),
    );
    let answer = folder.run("check --run --device model").exits(0);
    assert!(answer.unwrapped().contains("arrived, 32 did not") && answer.out.contains("Known Swapped"), "{answer}");

    folder.write("layoutproof.toml", b"hosts = 1\nrules = [\"std14\"]\n[[shader]]\n");
    let answer = folder.run("check").exits(2);
    for words in ["unknown key `hosts`", "unknown rule set `std14`", "`files` is missing"] {
        assert!(answer.err.contains(words), "{}", answer.err);
    }

    std::fs::remove_file(folder.path("layoutproof.toml")).unwrap();
    folder.run("init").exits(0);
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("\"engine.o\"") && written.contains("\"*.hlsl\""), "{written}");
    folder.run("init").exits(2);
    folder.run("check").exits(1);
}

const RUST: &str = "
#[repr(C)] pub struct PerFrame { pub view_proj: [[f32; 4]; 4], pub eye: [f32; 3], pub time: f32 }
pub struct PerView { pub a: u8, pub m: [f32; 4], pub b: u8, pub t: f64 }
#[repr(C)] pub struct PerDraw { pub color: [f32; 3], pub size: [f32; 2] }
fn main() {
    let frame = PerFrame { view_proj: [[0.0; 4]; 4], eye: [0.0; 3], time: 0.0 };
    let view = PerView { a: 0, m: [0.0; 4], b: 0, t: 1.0 };
    let draw = PerDraw { color: [0.0; 3], size: [0.0; 2] };
    println!(\"{}\", frame.time + view.m[0] + draw.color[0] + view.t as f32 + view.a as f32 + view.b as f32);
    std::hint::black_box((&frame, &view, &draw, frame.eye, frame.view_proj, draw.size));
}
";

#[test]
fn rust_structs_are_read_and_those_without_repr_have_no_contract() {
    let shader = "cbuffer PerFrame { float4x4 viewProj; float3 eye; float time; };
        cbuffer PerView { float4 m; float t; };
        cbuffer PerDraw { float3 color; float2 size; };";
    let folder = Folder::with(&[("main.rs", RUST), ("frame.hlsl", shader)]);
    if !compiles(&folder, "rustc", "-g --edition 2021 main.rs -o engine") {
        return;
    }
    let pairs = pairs(&folder.run("check frame.hlsl engine --format json").exits(1));
    let kind = |index: usize| pairs[index]["mismatches"][0]["kind"].as_str().map(str::to_owned);
    assert_eq!(pairs[0]["outcome"].as_str(), Some("agree"), "{:#?}", pairs[0]);
    assert_eq!([kind(1).as_deref(), kind(2).as_deref()], [Some("no-contract"), Some("offset-moved")]);
}

/// A vector class that stores its numbers as bytes. Its offsets come from the compiler that runs,
/// the shader's from DXC.
const OWN_VECTORS: &str = "
namespace eng {
template <class T, int N> class Vec {
    alignas(T) unsigned char storage[sizeof(T) * N];
};
}
struct Scene {
    eng::Vec<float, 3> sun;
    float exposure;
};
Scene scene;
";

#[test]
fn vector_types_of_ones_own_are_named_in_the_project() {
    let shader = "cbuffer Scene { float3 sun; float exposure; };";
    let folder = Folder::with(&[("scene.cpp", OWN_VECTORS), ("scene.hlsl", shader)]);
    for compiler in ["g++", "clang++"] {
        if !compiles(&folder, compiler, "-std=c++17 -g -c scene.cpp -o scene.o") {
            continue;
        }
        folder.write("layoutproof.toml", b"schema = 1\n");
        let answer = folder.run("check scene.hlsl scene.o --format json").exits(1);
        let mismatches = pairs(&answer)[0]["mismatches"].clone();
        assert!(mismatches.to_string().contains("size-differs"), "{compiler}: {mismatches:#}");

        let entry = "schema = 1\n[[type]]\nlibrary = \"eng\"\npattern = \"eng::Vec<{component}, {rows}>\"\n";
        folder.write("layoutproof.toml", entry.as_bytes());
        let answer = folder.run("check scene.hlsl scene.o").exits(0);
        assert!(answer.unwrapped().contains("1 block agrees"), "{compiler}: {answer}");

        // The class is compared like any vector: floats are not integers.
        folder.write("wrong.hlsl", b"cbuffer Scene { int3 sun; float exposure; };");
        assert!(folder.run("check wrong.hlsl scene.o").exits(1).out.contains("class differs"), "{compiler}");
    }
}

#[test]
fn a_vector_type_that_nothing_can_match_is_refused_at_its_place() {
    let folder = Folder::with(&[("scene.hlsl", "cbuffer Scene { float3 sun; };")]);
    for (entry, place, message) in [
        ("pattern = \"eng::Vec{n}\"", "3:1", "`{n}` is not one of {component}, {rows} and {columns}"),
        (
            "pattern = \"eng::Vec3\"\nrows = 3",
            "3:1",
            "`component` is missing, and `pattern` has no {component}; known are",
        ),
        ("pattern = \"eng::Vec3\"\ncomponent = \"real\"\nrows = 3", "3:1", "unknown component `real`; known are"),
        ("pattern = \"eng::Vec3\"\ncomponent = \"float\"\nrows = 7", "3:1", "`rows` is a number from 1 to 4"),
        ("rows = 3", "3:1", "`pattern` is missing"),
        ("pattern = \"eng::Vec3\"\nrow = 3", "5:1", "unknown key `row`"),
    ] {
        folder.write("layoutproof.toml", format!("schema = 1\n\n[[type]]\n{entry}\n").as_bytes());
        let answer = folder.run("check scene.hlsl scene.o").exits(2);
        assert!(answer.err.contains(message), "{entry}: {answer}");
        assert!(answer.err.contains(&format!("layoutproof.toml:{place}")), "{entry}: {answer}");
    }
}

/// One struct in three programs: like the shaders', with `vel` and `gradient` swapped, and with 20
/// bytes at a stride of 32.
const BUFFERS_CPP: &str = "
namespace right { struct Particle { float pos[2], vel[2], gradient[4]; }; Particle particles[16]; }
namespace wrong { struct Particle { float pos[2], gradient[4], vel[2]; }; Particle particles[16]; }
namespace whole { struct Particles { right::Particle particles[16]; }; Particles all; }
";
/// Offsets 0, 8 and 16 and a stride of 32 in each: glslang 12's decorations, naga 29's layouter, DXC 1.7.2308's listing.
const BUFFERS: [[&str; 2]; 5] = [
    [
        "particles.wgsl",
        "struct Particle { pos: vec2<f32>, vel: vec2<f32>, gradient: vec4<f32> }
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
@compute @workgroup_size(1) fn main() { particles[0].pos += particles[0].vel; }",
    ],
    [
        "fixed.wgsl",
        "struct Particle { pos: vec2<f32>, vel: vec2<f32>, gradient: vec4<f32> }
@group(0) @binding(0) var<uniform> particles: array<Particle, 8>;
@compute @workgroup_size(1) fn main() { _ = particles[1].vel.x; }",
    ],
    [
        "wrapped.wgsl",
        "struct Particle { pos: vec2<f32>, vel: vec2<f32>, gradient: vec4<f32> }
struct Particles { particles: array<Particle> }
@group(0) @binding(0) var<storage, read_write> all: Particles;
@compute @workgroup_size(1) fn main() { all.particles[0].pos += all.particles[0].vel; }",
    ],
    [
        "particles.comp",
        "#version 450
layout(local_size_x = 1) in;
struct Particle { vec2 pos; vec2 vel; vec4 gradient; };
layout(std430, binding = 0) buffer Particles { Particle particles[]; };
void main() { particles[gl_GlobalInvocationID.x].pos += particles[gl_GlobalInvocationID.x].vel; }",
    ],
    [
        "particles.hlsl",
        "struct Particle { float2 pos; float2 vel; float4 gradient; };
RWStructuredBuffer<Particle> particles;",
    ],
];

#[test]
fn a_buffer_of_structs_is_compared_by_its_elements() {
    let folder = Folder::with(&[&BUFFERS.map(|[name, text]| (name, text))[..], &[("all.cpp", BUFFERS_CPP)]].concat());
    if !compiles(&folder, "g++", "-g -c all.cpp -o all.o") {
        return;
    }
    // SPIR-V from a compiler that keeps the names.
    let mut shaders = BUFFERS.map(|[name, _]| name.to_owned()).to_vec();
    if compiles(&folder, "glslangValidator", "-V particles.comp -o particles.spv") {
        shaders.push("particles.spv".to_owned());
    }
    for shader in &shaders {
        let block = match shader.as_str() {
            "wrapped.wgsl" => "all",
            "particles.comp" | "particles.spv" => "Particles",
            _ => "particles",
        };
        let check = |host: &str, exit| {
            pairs(&folder.run(&format!("check {shader} all.o --map {block}={host} --format json")).exits(exit))
        };
        let right = check("right::Particle", 0);
        assert_eq!((right.len(), right[0]["outcome"].as_str()), (1, Some("agree")), "{shader}: {right:#?}");
        let wrong = check("wrong::Particle", 1);
        let found: Vec<_> =
            wrong[0]["mismatches"].as_array().unwrap().iter().filter_map(|found| found["message"].as_str()).collect();
        assert_eq!(found, ["offset moved: the shader has `vel` at byte 8, the host at byte 24"], "{shader}");
        // The block of `fixed.wgsl` has 8 elements, but the host's array has 16.
        if !["particles.hlsl", "fixed.wgsl"].contains(&shader.as_str()) {
            assert_eq!(check("whole::Particles", 0)[0]["outcome"].as_str(), Some("agree"), "{shader}");
        }
    }

    // The struct is found by the name of the elements, and listed if it is missing.
    folder.write("one.cpp", b"struct Particle { float pos[2], vel[2], gradient[4]; } p[16];");
    folder.write("none.cpp", b"struct Camera { float m[16]; } c;");
    assert!(compiles(&folder, "g++", "-g -c one.cpp -o one.o") && compiles(&folder, "g++", "-g -c none.cpp -o none.o"));
    for shader in &shaders {
        let found = pairs(&folder.run(&format!("check {shader} one.o --strict --format json")).exits(0));
        assert_eq!(found[0]["host"].as_str(), Some("Particle"), "{shader}");
        folder.run(&format!("check {shader} none.o --strict")).exits(1);
    }
}

const COUNTED: &str = "#version 460
layout(local_size_x = 1) in;
struct Sphere { vec3 place; float radius; uint material; };
layout(std430, set = 0, binding = 1) buffer Counted { uint count; Sphere spheres[]; };
void main() { count = spheres[1].material; }";

/// glslang 12 decorates `count` with 0, `spheres` with 16 and a stride of 32.
#[test]
fn a_header_with_elements_behind_it_is_compared_in_each_form_of_c() {
    let folder = Folder::with(&[("counted.comp", COUNTED)]);
    let sphere = "struct Sphere { float place[3]; float radius; unsigned material; unsigned pad[3]; };";
    let counted = |array: &str| {
        format!(
            "{sphere} struct Counted {{ unsigned count; unsigned pad[3]; {array} }}; struct Counted c; struct Sphere s;"
        )
    };
    let check = |text: &str, exit| {
        folder.write("host.c", text.as_bytes());
        compiles(&folder, "gcc", "-g -c host.c -o host.o")
            .then(|| pairs(&folder.run("check counted.comp host.o --strict --format json").exits(exit)))
    };
    for array in [
        "struct Sphere spheres[];",
        "struct Sphere spheres[1];",
        "struct Sphere spheres[0];",
        "struct Sphere spheres[7];",
    ] {
        let Some(pairs) = check(&counted(array), 0) else { return };
        assert_eq!((pairs.len(), pairs[0]["host"].as_str()), (1, Some("Counted")), "{array}: {pairs:#?}");
    }
    // The header alone, with a separate struct for the elements.
    let header = check(&counted(""), 0).unwrap();
    let found: Vec<_> =
        header.iter().map(|pair| (pair["part"].as_str().unwrap_or(""), pair["host"].as_str().unwrap())).collect();
    assert_eq!(found, [("", "Counted"), ("spheres[]", "Sphere")]);
    let remark = "the host struct covers only the part before the elements of `spheres`, which begin at byte 16";
    assert_eq!(header[0]["remarks"][0].as_str(), Some(remark));
    // Wrong elements.
    let short = "struct Sphere { float place[3]; float radius; unsigned material; };";
    let wrong = check(&counted("struct Sphere spheres[];").replace(sphere, short), 1).unwrap();
    let message = wrong[0]["mismatches"][0]["message"].as_str().unwrap();
    assert_eq!(message, "array stride differs: `spheres` has 32 bytes in the shader, 20 in the host");
    let wrong = check(&counted("").replace(sphere, short), 1).unwrap();
    assert_eq!(
        wrong[1]["mismatches"][0]["hint"].as_str(),
        Some("insert 12 bytes at the end of `Sphere` or declare `Sphere` as `alignas(16)` in the host")
    );
    let swapped = "struct Sphere { float place[3]; unsigned material; float radius; unsigned pad[3]; };";
    let wrong = check(&counted("struct Sphere spheres[];").replace(sphere, swapped), 1).unwrap();
    assert_eq!(wrong[0]["mismatches"][0]["path"].as_str(), Some("spheres[].radius"));

    // The header alone, without a struct for the elements: reported, and an error with --strict.
    folder.write("host.c", b"struct Counted { unsigned count; unsigned pad[3]; } c;");
    assert!(compiles(&folder, "gcc", "-g -c host.c -o host.o"));
    let answer = folder.run("check counted.comp host.o").exits(0);
    assert!(answer.unwrapped().contains("No match Counted.spheres[] · GLSL"), "{}", answer.out);
    folder.run("check counted.comp host.o --strict").exits(1);
}

const STRIDES_RS: &str = "
#[repr(C)] #[derive(Clone, Copy)] pub struct Vertex { pub place: [f32; 3], pub p0: u32, pub normal: [f32; 3], pub p1: u32, pub uv: [f32; 2] }
#[repr(C)] #[derive(Clone, Copy)] pub struct Vertices { pub mesh: [Vertex; 3] }
#[repr(C, align(16))] #[derive(Clone, Copy)] pub struct Vec3A(pub [f32; 4]);
#[repr(C)] #[derive(Clone, Copy)] pub struct Job { pub place: Vec3A, pub dir: Vec3A, pub accum: Vec3A, pub depth: u32 }
#[used] pub static VERTICES: core::mem::MaybeUninit<Vertices> = core::mem::MaybeUninit::uninit();
#[used] pub static JOB: core::mem::MaybeUninit<Job> = core::mem::MaybeUninit::uninit();
";

/// The stride is 48 (glslang 12, naga 29), which cannot be an alignment; rustc 1.87 gives `Vertex`
/// 40 bytes, `Job` 64.
#[test]
fn strides_of_rust_structs_have_advice_that_compiles() {
    let vertices = "#version 450
layout(local_size_x = 1) in;
struct Vertex { vec3 place; vec3 normal; vec2 uv; };
layout(std430, set = 0, binding = 2) buffer Vertices { Vertex mesh[]; } vertices;
void main() { vertices.mesh[1].uv.y = vertices.mesh[0].normal.z; }";
    let job = "struct Job { place: vec3<f32>, dir: vec3<f32>, accum: vec3<f32>, depth: u32 }
@group(0) @binding(0) var<storage, read_write> jobs: array<Job>;
@compute @workgroup_size(1) fn main() { jobs[1].depth = u32(jobs[0].accum.z); }";
    let folder = Folder::with(&[("host.rs", STRIDES_RS), ("vertices.comp", vertices), ("job.wgsl", job)]);
    if !compiles(&folder, "rustc", "-g --edition 2021 --crate-type lib --emit obj host.rs -o host.o") {
        return;
    }
    let first = |words: &str| pairs(&folder.run(words).exits(1))[0]["mismatches"][0].clone();
    let whole = first("check vertices.comp host.o --format json");
    assert_eq!(
        whole["message"].as_str(),
        Some("array stride differs: `mesh` has 48 bytes in the shader, 40 in the host")
    );
    let hint = "insert 8 bytes at the end of `host::Vertex` in the host";
    assert_eq!(whole["hint"].as_str(), Some(hint));
    let element = first("check vertices.comp host.o --map vertices=Vertex --format json");
    assert_eq!(element["hint"].as_str(), Some(hint));
    let moved = first("check job.wgsl host.o --format json");
    assert_eq!(moved["message"].as_str(), Some("offset moved: the shader has `depth` at byte 44, the host at byte 48"));
}

/// The output of `show` for the README's example, and for a struct with three layouts in one
/// shader.
#[test]
fn structs_that_show_writes_agree() {
    let scene = "cbuffer Scene { float3 sun; float weights[2]; float exposure; };";
    let lights = "struct Light { float3 pos; float range; float3 color; };
        cbuffer Lit { Light lights[3]; float exposure; float weights[2]; float3 sun; };
        StructuredBuffer<Light> all; ConstantBuffer<Light> one;";
    let folder = Folder::with(&[("scene.hlsl", scene), ("lights.hlsl", lights)]);
    for (shader, blocks) in [("scene.hlsl", 1), ("lights.hlsl", 3)] {
        folder.run(&format!("show {shader} --format cpp-asserts --output host.h")).exits(0);
        let header = folder.read("host.h");
        let names = header.lines().filter_map(|line| line.strip_prefix("struct ")?.strip_suffix(" {"));
        let variables: Vec<String> = names.map(|name| format!("{name} value_{name};\n")).collect();
        folder.write("host.cpp", format!("#include \"host.h\"\n{}", variables.concat()).as_bytes());
        if !compiles(&folder, "g++", "-std=c++11 -g -c host.cpp -o host.o") {
            return;
        }
        let pairs = pairs(&folder.run(&format!("check {shader} host.o --strict --format json")).exits(0));
        assert_eq!(pairs.len(), blocks, "{pairs:#?}");
    }
}

/// DXC 1.7.2308: with `-T cs_6_2` a `half` has 4 bytes, with `-enable-16bit-types` 2.
#[test]
fn the_assumed_size_of_a_half_is_said() {
    let folder = Folder::with(&[
        ("half.hlsl", "cbuffer Halves { half a; half b; float c; };"),
        ("half.cpp", "struct Halves { float a, b, c; } halves;"),
    ]);
    if !compiles(&folder, "g++", "-g -c half.cpp -o half.o") {
        return;
    }
    let answer = folder.run("check half.hlsl half.o").exits(1);
    assert!(answer.err.contains("--16bit off is dxc without that option"), "{answer}");
    for args in ["-HV 2021", "-T cs_6_2"] {
        let answer = folder.run_quoted(&format!("check half.hlsl half.o --args \"{args}\"")).exits(0);
        assert!(!answer.err.contains("assumed-16bit"), "{args}: {answer}");
    }
}
