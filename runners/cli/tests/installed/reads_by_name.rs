//! Users' files with members that a shader reads in words of its own, or cannot name at all: a run compares what can be
//! read, says why the rest is not, and fails for none of it.
//!
//! The offsets are those that slangc 2026.14.1 reflects for these texts, `-target spirv -O0` and `-target hlsl`.

use std::collections::BTreeSet;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::folder::{Answer, Folder};
use crate::fuzz::Here;
use crate::trial;

const OPTIONALS: &str = "struct D { Optional<float3> n; float z; Optional<uint> m[2]; };
StructuredBuffer<D> c; RWStructuredBuffer<float> o; RWStructuredBuffer<D> w;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = c[0].n.value.x + c[0].z; w[0].z = 1; }
";

const ATOMICS: &str = "struct S { Atomic<uint> a; float b; Atomic<int> c[3]; };
RWStructuredBuffer<Atomic<uint>> c; RWStructuredBuffer<S> s; StructuredBuffer<S> r;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { c[0].add(1); s[0].a.add(1); s[0].c[1].add(2); s[0].b = r[0].b; }
";

const HIDDEN: &str = "struct I { private float2 q; float r; };
struct D { property float v { get { return x; } } private float x; internal float3 y; float w; I i; private I j; float last; };
ConstantBuffer<D> c; RWStructuredBuffer<float> o;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = c.v + c.w; }
";

const MODULE: &str = "module m;
public struct D { public float x; internal float2 y; float z; public float w; }
";

const IMPORTS: &str = "import m;
ConstantBuffer<D> d; RWStructuredBuffer<float> o;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = d.x + d.w; }
";

const STREAMS: &str = "struct D { float3 x; float y; };
AppendStructuredBuffer<D> app : register(u1); ConsumeStructuredBuffer<D> con : register(u2);
AppendStructuredBuffer<float> af : register(u3); cbuffer C { float4 k; };
[numthreads(1, 1, 1)] void main() { D q = con.Consume(); q.y = k.x; app.Append(q); af.Append(k.y); }
";

/// slangc writes `unknown` for the number of elements of `a`, and for what follows it.
const LINKED: &str = "extern static const int N = 4;
struct Arr { float a[N]; float b; }
ConstantBuffer<Arr> arr; ConstantBuffer<float4> other; RWStructuredBuffer<float> o;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { o[0] = arr.b + arr.a[1] + other.x; }
";

/// Pointers, and one that leads back to its own struct: at that, slangc ends without code for all targets but Vulkan.
const POINTERS: &str = "struct P { float3 pos; P* next; };
struct Q { float3 pos; float life; };
struct U { float3 g; float dt; Q* extra; };
struct V { float a; P* head; };
ConstantBuffer<U> u; ConstantBuffer<V> v; RWStructuredBuffer<Q> ps;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main() { ps[0].pos = u.g * u.dt + u.extra[0].pos + v.head.next.pos * v.a; }
";

/// Half matrices of three and of four rows in uniform blocks, in a nested struct and in an array.
const HALF_MATRICES: &str = "enable f16;
struct N { p: vec4f, m: mat2x4h }
struct G { a: vec4f, m23: mat2x3h, n: N, k: array<mat4x3h, 2> }
@group(0) @binding(0) var<uniform> g: G;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(1) fn main() { o[0] = f32(g.m23[1].y) + g.a.x; }
";

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let slang = || here.lacks("slang-vulkan").or_else(|| here.lacks("slang-d3d12"));
    let listing = Folder::with(&[]).with_drivers().run("doctor devices --format json").json();
    let has_driver = listing["devices"].as_array().unwrap().iter().any(|device| device["id"] == "llvmpipe-gl");
    let no_driver = (!has_driver).then(|| "no OpenGL driver is there".to_owned());
    let passes = |name: &str, lacking: Option<String>, test: fn()| {
        trial(&format!("reads_by_name::{name}"), lacking, move || {
            test();
            Ok(())
        })
    };
    vec![
        passes("optionals", slang(), optionals),
        passes("atomics", slang(), atomics),
        passes("hidden_members", slang(), hidden_members),
        passes("members_of_modules", slang(), members_of_modules),
        passes("streams", here.lacks("dxc-spirv"), streams),
        passes("numbers_of_the_linker", slang(), numbers_of_the_linker),
        passes("pointers", slang(), pointers),
        passes("half_matrices", no_driver, half_matrices),
    ]
}

/// Runs a file on all devices; nothing in it is at fault.
fn sound_run(folder: &Folder, words: &str) -> Answer {
    let answer = folder.run(&format!("run {words} --json r.jsonl"));
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    assert_eq!((&end["broken"], &end["differ"]), (&0.into(), &0.into()), "{answer}");
    answer
}

/// The offsets at which a device read leaves of `block` by their names, from the code of this producer.
fn read_offsets(folder: &Folder, producer: &str, block: &str) -> BTreeSet<(String, u64)> {
    let text = folder.read("r.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut found = BTreeSet::new();
    for check in lines.filter(|line| line["type"] == "check" && line["producer"] == producer) {
        for row in check["rows"].as_array().into_iter().flatten() {
            let path = row["path"].as_str().unwrap();
            let is_inside =
                path.strip_prefix(block).is_some_and(|rest| rest.starts_with(['.', '[']) || rest.is_empty());
            if let (true, "leaf", Some(offset)) =
                (is_inside, row["form"].as_str().unwrap_or_default(), row["observed"].as_u64())
            {
                found.insert((path.to_owned(), offset));
            }
        }
    }
    found
}

fn has(found: &BTreeSet<(String, u64)>, expected: &[(&str, u64)]) {
    for (path, offset) in expected {
        assert!(found.contains(&((*path).to_owned(), *offset)), "{path} {offset}: {found:?}");
    }
}

/// The reasons of a run's account for blocks that it did not compare.
fn reasons(answer: &Answer, expected: &[&str]) {
    let said = answer.unwrapped();
    for reason in expected {
        assert!(said.contains(reason), "{reason}: {answer}");
    }
}

fn optionals() {
    let folder = Folder::with(&[("a.slang", OPTIONALS)]).with_drivers();
    let answer = sound_run(&folder, "a.slang");
    for (producer, block) in [("slang-vulkan", "c"), ("slang-vulkan", "w"), ("slang-d3d12", "c")] {
        let found = read_offsets(&folder, producer, block);
        let member = |name: &str| format!("{block}.{name}");
        let all = ["n.value.x", "n.value.z", "n.hasValue", "z", "m[0].value", "m[0].hasValue", "m[1].hasValue"];
        for (name, offset) in all.into_iter().zip([0, 8, 12, 16, 20, 24, 32]) {
            has(&found, &[(&member(name), offset)]);
        }
    }
    reasons(&answer, &["`n.hasValue` (bool) has a bool: slangc writes `bool`, which WGSL does not allow in buffers"]);
    let shown = folder.run("show a.slang --target vulkan").exits(0);
    assert!(shown.out.contains("Optional<float3> n") && !shown.out.contains("Tuple"), "{shown}");
}

fn atomics() {
    let folder = Folder::with(&[("a.slang", ATOMICS)]).with_drivers();
    let answer = sound_run(&folder, "a.slang --target d3d12 --target vulkan");
    for producer in ["slang-vulkan", "slang-d3d12"] {
        has(&read_offsets(&folder, producer, "c"), &[("c", 0), ("c[1]", 4)]);
        let members = [("s.a", 0), ("s.b", 4), ("s.c[0]", 8), ("s.c[2]", 16)];
        has(&read_offsets(&folder, producer, "s"), &members);
        assert_eq!(
            read_offsets(&folder, producer, "r"),
            BTreeSet::from([("r.b".to_owned(), 4), ("r[1].b".to_owned(), 24)]),
            "{answer}"
        );
    }
    reasons(&answer, &["an `Atomic` is read only in a writable buffer"]);
}

fn hidden_members() {
    let folder = Folder::with(&[("a.slang", HIDDEN)]).with_drivers();
    let answer = sound_run(&folder, "a.slang --target d3d12 --target vulkan");
    let of_vulkan = [("c.y.x", 16), ("c.y.y", 20), ("c.y.z", 24), ("c.w", 28), ("c.i.r", 40), ("c.last", 64)];
    let of_d3d12 = [("c.y.x", 4), ("c.y.y", 8), ("c.y.z", 12), ("c.w", 16), ("c.i.r", 40), ("c.last", 60)];
    for (producer, all) in [("slang-vulkan", of_vulkan), ("slang-d3d12", of_d3d12)] {
        let all = all.map(|(path, offset)| (path.to_owned(), offset));
        assert_eq!(read_offsets(&folder, producer, "c"), BTreeSet::from(all), "{answer}");
    }
    reasons(&answer, &["6 of 12 leaves", "`j` is private, so a shader cannot name it"]);
}

fn members_of_modules() {
    let folder = Folder::with(&[("a.slang", IMPORTS), ("m.slang", MODULE)]).with_drivers();
    let answer = sound_run(&folder, "a.slang --target vulkan");
    let all = [("d.x".to_owned(), 0), ("d.w".to_owned(), 20)];
    assert_eq!(read_offsets(&folder, "slang-vulkan", "d"), BTreeSet::from(all), "{answer}");
    reasons(&answer, &["`y` is not public in its module, so a shader cannot name it"]);
}

fn streams() {
    let folder = Folder::with(&[("a.hlsl", STREAMS)]).with_drivers();
    let answer = sound_run(&folder, "a.hlsl --target vulkan").exits(3);
    has(&read_offsets(&folder, "dxc-spirv", "C"), &[("C.k.x", 0), ("C.k.w", 12)]);
    reasons(&answer, &["`app`, `af` for Vulkan · DXC: no device here read it (the buffer has only `Append`"]);
    reasons(&answer, &["1 of 4 blocks compared"]);
}

fn numbers_of_the_linker() {
    let folder = Folder::with(&[("a.slang", LINKED)]).with_drivers();
    sound_run(&folder, "a.slang --target d3d12 --target vulkan").prints("ok 3 of 3 blocks compared");
    for producer in ["slang-vulkan", "slang-d3d12"] {
        has(&read_offsets(&folder, producer, "arr"), &[("arr.a[1]", 16), ("arr.a[3]", 48)]);
    }
    has(&read_offsets(&folder, "slang-d3d12", "arr"), &[("arr.b", 52)]);
}

fn pointers() {
    let folder = Folder::with(&[("a.slang", POINTERS)]).with_drivers();
    for (target, title, language) in [("webgpu", "WebGPU", "WGSL"), ("d3d12", "D3D12", "HLSL")] {
        let answer = sound_run(&folder, &format!("a.slang --target {target}")).exits(3);
        for member in ["`extra` (Q*)", "`head` (P*)"] {
            let what = format!("{member} is a pointer: slangc writes {language} that no compiler accepts");
            reasons(&answer, &[&format!("not possible for {title} · Slang: {what}")]);
        }
    }
    let answer = sound_run(&folder, "a.slang --target vulkan");
    has(&read_offsets(&folder, "slang-vulkan", "u"), &[("u.g.z", 8), ("u.dt", 12)]);
    assert!(!answer.out.contains("not possible"), "{answer}");
}

/// spirv-val 2026.4: `Matrix with a stride 8 not satisfying alignment to 16`. OpenGL gets GLSL, for which naga 30.0.1 has no
/// halves.
fn half_matrices() {
    let folder = Folder::with(&[("a.wgsl", HALF_MATRICES)]).with_drivers();
    sound_run(&folder, "a.wgsl --device lavapipe").exits(0).prints("known a.wgsl · declared · naga");
    let answer = sound_run(&folder, "a.wgsl --device llvmpipe-gl");
    assert!(answer.out.contains("naga writes no GLSL") && !answer.out.contains("known"), "{answer}");
}
