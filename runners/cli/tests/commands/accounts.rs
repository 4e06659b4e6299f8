//! Accounts: what an answer found and did not compare is named, with its line, and no answer about it is green.

use serde_json::Value;

use super::folder::{Answer, Folder};
use super::host_check::compiles;

/// Direct3D code with a declared block, a resource and memory of each kind that no block declares. The last function is
/// never called, so nothing says what `T` is.
const VIEWS: &str = "struct Tint { float scale; float weights[3]; float3 colour; float last; };
struct Item { float3 place; float size; };
struct Root { uint tintIndex; uint resultIndex; };
ConstantBuffer<Root> root : register(b0);
ByteAddressBuffer bytes : register(t0);
Texture2D picture : register(t1);
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    ConstantBuffer<Tint> tint = ResourceDescriptorHeap[root.tintIndex];
    RWStructuredBuffer<float> result = ResourceDescriptorHeap[root.resultIndex];
    Texture2D other = ResourceDescriptorHeap[3];
    StructuredBuffer<Item> items;
    items = ResourceDescriptorHeap[NonUniformResourceIndex(4)];
    Item item = bytes.Load<Item>(id.x * 16);
    result[id.x] = tint.last + item.size + bytes.Load<uint>(0) + vk::RawBufferLoad<Item>(0).size;
}
template<typename T> T element(uint index) { return bytes.Load<T>(index * sizeof(T)); }
";

/// The entries of an account as `kind name line state`.
fn entries(account: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = account["entries"].as_array().unwrap().iter();
    let text =
        |it: &Value| format!("{} {} {} {}", word(&it["kind"]), word(&it["name"]), it["line"], word(&it["state"]));
    entries.map(text).collect()
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(answer.out.trim()).unwrap()
}

#[test]
fn show_lists_what_a_file_has() {
    let folder = Folder::with(&[("a.hlsl", VIEWS)]);
    let account = json(&folder.run("show a.hlsl --format json").exits(0))["account"].clone();
    assert_eq!(
        entries(&account),
        [
            "block root 4 compared",
            "block tint 9 compared",
            "block result 10 compared",
            "block items 13 compared",
            "block Item 14 compared",
            "block Item#2 15 compared",
            "parameter bytes 5 compared",
            "parameter picture 6 compared",
            "raw-access T 17 not-compared",
            "entry-point main 8 compared",
        ]
    );
    let answer = folder.run("show a.hlsl").exits(0);
    let last = answer.out.trim_end().lines().last().unwrap_or_default();
    let expected = "6 of 7 blocks laid out; T (raw load or store, line 17): its type is not known";
    assert_eq!(last, expected, "{answer}");
}

/// DXC 1.7.2308 loads `colour` from byte 16 of an item for Direct3D, and for Vulkan with either layout.
#[test]
fn a_target_has_the_views_of_the_file() {
    let text = "struct Item { float3 place; float size; float3 colour; };\nByteAddressBuffer bytes;\nRWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = bytes.Load<Item>(32).colour.x; }\n";
    let folder = Folder::with(&[("a.hlsl", text)]);
    for target in ["d3d12", "vulkan", "vulkan/scalar", "d3d12,vulkan"] {
        let shown = folder.run(&format!("show a.hlsl --target {target}")).exits(0);
        shown.prints("Item (raw load or store)").prints("float3 colour 12 16");
    }
    let shown = json(&folder.run("show a.hlsl --format json --target vulkan").exits(0));
    assert_eq!(entries(&shown["account"])[..2], ["block o 3 compared", "block Item 4 compared"]);
}

/// DXC 1.7.2308 `-spirv` reads word 0, 3 and 6 of this load, and word 36 for the weight.
#[test]
fn strides_that_code_does_not_step_by_are_not_compared() {
    let text = "struct Probe { float3 sh[9]; float weight; };\nByteAddressBuffer bytes;\nRWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { Probe p = bytes.Load<Probe>(0); o[0] = p.sh[1].x + p.weight; }\n";
    let host = "struct Probe { float sh[9][4]; float weight; } probe;";
    let folder = Folder::with(&[("a.hlsl", text), ("host.cpp", host)]);
    let words = "1 of 2 blocks laid out; `Probe`: code that loads or stores it steps through it by 12 bytes, not by 16";
    let answer = folder.run("show a.hlsl --target vulkan").exits(0);
    assert!(answer.unwrapped().contains(words), "{answer}");
    let of_direct3d = json(&folder.run("show a.hlsl --target d3d12 --format json").exits(0));
    assert_eq!(entries(&of_direct3d["account"])[1], "block Probe 4 compared");
    if compiles(&folder, "g++", "-g -c host.cpp -o host.o") {
        let answer = folder.run("check a.hlsl host.o --target vulkan").exits(4);
        assert!(answer.unwrapped().contains("nothing was compared"), "{answer}");
    }
}

/// What a pointer in a member points to is a block, once for each type.
#[test]
fn pointees_of_members_are_blocks() {
    let text = "struct Inner { float3 dir; float k; };
struct Push { Inner* p; uint n; };
ConstantBuffer<Push> pc;
RWStructuredBuffer<float> o;
[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform Push* q) { o[0] = pc.p.k * q.n; }
";
    let folder = Folder::with(&[("a.slang", text)]);
    let account = json(&folder.run("show a.slang --format json").exits(0))["account"].clone();
    let expected = ["pc 3", "o 4", "$Entry.main 5", "q 5", "pc.p 3"].map(|block| format!("block {block} compared"));
    assert_eq!(entries(&account)[..5], expected, "{account}");
    let run = folder.run("run a.slang --device model").exits(3);
    run.prints("incomplete 4 of 5 blocks compared; Inner (pointer, line 2): no probe reads it");
}

#[test]
fn a_file_without_views_has_a_plain_end() {
    let folder = Folder::with(&[("a.hlsl", "cbuffer S { float3 a; float b[2]; };")]);
    let answer = folder.run("show a.hlsl").exits(0);
    assert!(!answer.out.contains("laid out"), "{answer}");
    let account = json(&folder.run("show a.hlsl --format json").exits(0))["account"].clone();
    assert_eq!((&account["found"], &account["open"]), (&1.into(), &0.into()), "{account}");
}

/// The model reads every block, and is a device only for a user who names it alone.
#[test]
fn a_view_makes_a_run_incomplete() {
    let folder = Folder::with(&[("a.hlsl", VIEWS), ("b.hlsl", "cbuffer S { float3 a; float b[2]; };")]);
    let answer = folder.run("run a.hlsl --device model --json r.jsonl --junit r.xml").exits(3);
    let answer = answer.prints("incomplete 1 of 7 blocks compared; Tint (descriptor heap, line 9)");
    let end: Value = serde_json::from_str(folder.read("r.jsonl").lines().last().unwrap()).unwrap();
    assert_eq!(end["account"]["open"], 6, "{answer}");
    let junit = folder.read("r.xml");
    assert!(junit.contains("<testsuite name=\"account\"") && junit.contains("type=\"incomplete\""), "{junit}");
    folder.run("report r.jsonl").exits(3).prints("incomplete 1 of 7 blocks compared");

    folder.run("run b.hlsl --device model").exits(0).prints("ok 1 of 1 block compared, ");
}

#[test]
fn annotations_have_the_line_of_what_is_not_compared() {
    let folder = Folder::with(&[("a.hlsl", VIEWS)]).with_variable("GITHUB_ACTIONS", "true");
    let answer = folder.run("run a.hlsl --device model").exits(3);
    answer.prints("::error file=a.hlsl,line=9::not compared: Tint: no probe reads it");
}

/// `check` compares memory that no parameter holds, and names what it cannot see. DXC 1.7.2308 gives the buffer in the heap
/// 68 bytes, with `colour` at 52.
#[test]
fn check_compares_views_and_names_what_it_cannot_see() {
    let host = "struct Root { unsigned tintIndex, resultIndex; }; Root root;
struct Tint { float scale, pad[3], weights[3][4], colour[3], last; } tint;
struct Item { float place[3], size; } item;";
    let folder = Folder::with(&[("a.hlsl", VIEWS), ("host.cpp", host)]);
    if !compiles(&folder, "g++", "-g -c host.cpp -o host.o") {
        return;
    }
    let answer = folder.run("check a.hlsl host.o").exits(1);
    let answer =
        answer.prints("Differ tint").prints("! offset moved: the shader has `colour` at byte 52, the host at byte");
    let answer = answer.prints("Agree items").prints("also as `Item`");
    // Direct3D has no pointers.
    let words = "not compared: T (raw load or store, line 17): its type is not known; Item#2 (pointer, line 15): \
                 native:dxc-dxil has no layout for it";
    assert!(answer.unwrapped().contains(words), "{answer}");
    let fixed = host.replace("weights[3][4], colour[3], last", "weights[2][4], weights_last, colour[3], last");
    folder.write("host.cpp", fixed.as_bytes());
    assert!(compiles(&folder, "g++", "-g -c host.cpp -o host.o"));
    folder.run("check a.hlsl host.o").exits(0).prints("Agree tint");
    folder.run("check a.hlsl host.o --strict").exits(1);
    let checked = json(&folder.run("check a.hlsl host.o --format json").exits(0));
    let entries = entries(&checked["account"]);
    assert_eq!(entries[0], "block root null compared");
    assert!(entries.contains(&"raw-access T 17 not-compared".to_owned()), "{entries:?}");
}

#[test]
fn a_comparison_of_two_targets_names_what_it_cannot_see() {
    let folder = Folder::with(&[("a.hlsl", VIEWS), ("b.hlsl", "cbuffer S { float3 a; float b[2]; };")]);
    let answer = folder.run("diff a.hlsl d3d12 vulkan");
    assert!(answer.unwrapped().contains("T (raw load or store, line 17): its type is not known"), "{answer}");
    assert_eq!(json(&folder.run("diff a.hlsl d3d12 vulkan --format json"))["account"]["open"], 2);
    let plain = folder.run("diff b.hlsl d3d12 vulkan");
    assert!(!plain.out.contains("compared"), "{plain}");
}

/// The format is slangc's, which has no place for an account.
#[test]
fn a_reflection_names_what_it_cannot_hold() {
    let folder = Folder::with(&[("a.hlsl", VIEWS)]);
    let answer = folder.run("show a.hlsl --target d3d12 --format slang-json").exits(0);
    assert!(answer.err.contains("note: not in the reflection: Tint (descriptor heap, line 9)"), "{answer}");
}

/// WGSL, 14.4.1: in uniform memory, the member after a struct is at a multiple of 16.
#[test]
fn a_block_that_the_language_forbids_is_one_of_the_answers() {
    let text = "struct Fog { start: f32, falloff: f32 }
struct Frame { fog: Fog, exposure: f32 }
@group(0) @binding(0) var<uniform> tint: vec4f;
@group(0) @binding(1) var<uniform> frame: Frame;
@group(0) @binding(2) var<storage, read> list: array<Frame>;
";
    let folder = Folder::with(&[("a.wgsl", text)]);
    let answer = folder.run("show a.wgsl").exits(2);
    assert!(answer.out.contains("tint") && answer.out.contains("list"), "{answer}");
    assert!(answer.err.contains("`frame.exposure` is at offset 8 after a struct"), "{answer}");
    let shown = json(&folder.run("show a.wgsl --format json").exits(2));
    assert_eq!((&shown["account"]["found"], &shown["account"]["compared"]), (&3.into(), &3.into()), "{shown}");
    assert!(answer.out.contains("exposure: f32") && answer.out.contains("Forbidden frame.exposure"), "{answer}");
    // naga, which makes the code of wgpu's programs, refuses the file.
    folder.run("run a.wgsl --device model").exits(3);
}

/// A shader of the bindless kind declares nothing: its memory is in the descriptor heap, which no probe reads. DXC 1.7.2308
/// gives the buffer 20 bytes.
#[test]
fn a_file_of_views_alone_has_layouts_and_no_green_run() {
    let text = "struct Tint { float4 a; float b; };
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
    ConstantBuffer<Tint> tint = ResourceDescriptorHeap[id.x];
    RWByteAddressBuffer o = ResourceDescriptorHeap[1];
    o.Store<float>(0, tint.b);
}
";
    let folder = Folder::with(&[("a.hlsl", text), ("host.cpp", "struct Tint { float a[4], b; } t;")]);
    let shown = folder.run("show a.hlsl").exits(0);
    shown.prints("ConstantBuffer<Tint> tint (descriptor heap)").prints("20 / 32 bytes");
    let run = folder.run("run a.hlsl --device model").exits(3);
    assert!(run.err.contains("Tint (descriptor heap, line 4)"), "{run}");
    if compiles(&folder, "g++", "-g -c host.cpp -o host.o") {
        folder.run("check a.hlsl host.o --strict").exits(0).prints("Agree tint");
    }
}

/// Every reason for which something is left out, each by a command that meets it.
#[cfg(unix)]
/// naga 30.0.1 and Tint refuse the module; its blocks are declarations that we read.
#[test]
fn a_module_that_its_compiler_refuses_is_not_ok() {
    let block = "struct S { a: vec3f, b: f32 } @group(0) @binding(0) var<uniform> s: S;\n";
    for body in ["let q: i32 = 1.5;", "missing(s.a);"] {
        let text = format!("{block}@compute @workgroup_size(1) fn main() {{ {body} }}");
        let folder = Folder::with(&[("a.wgsl", &text)]);
        let answer = folder.run("run a.wgsl --device model").exits(3);
        answer.prints("incomplete 0 of 1 block compared; `s`: refused by naga: ");
        folder.run("run a.wgsl --device model --producer rspirv").exits(0);
    }
}

#[test]
fn every_reason_is_met() {
    use std::collections::BTreeSet;

    use layoutproof_events::NotCompared;
    use strum::VariantNames;

    use super::bad_compilers::{REFUSES, with_dxc};
    use super::bindings::RANGE;

    let folder = with_dxc(REFUSES).with_variable("SLANGC", "/nonexistent/slangc");
    for (name, text) in [
        ("views.hlsl", VIEWS),
        ("range.hlsl", RANGE),
        ("pair.hlsl", "cbuffer S { float a; float2 b; };\nTexture2D t;\n"),
        ("scene.hlsl", "RaytracingAccelerationStructure scene : register(t0);\ncbuffer C { float4 c; };\n"),
        ("broken.hlsl", "cbuffer S { flot a; };\n"),
        (
            "forbidden.wgsl",
            "@group(0) @binding(0) var<uniform> a: array<f32, 3>;\n@group(0) @binding(1) var<uniform> b: f32;\n",
        ),
        ("shared.hlsl", "struct S { float3 a; };\ngroupshared S s;\n"),
        ("host.cpp", "struct Other { float a; } o;"),
    ] {
        folder.write(name, text.as_bytes());
    }
    let mut met: BTreeSet<String> = BTreeSet::new();
    let mut add = |account: &Value| {
        let reasons =
            account["entries"].as_array().into_iter().flatten().filter_map(|entry| entry["why"]["reason"].as_str());
        met.extend(reasons.map(str::to_owned));
    };
    for words in [
        "views.hlsl",
        "shared.hlsl --rules native:dxc-dxil",
        "forbidden.wgsl",
        "range.hlsl --target d3d12 --convention dxc",
    ] {
        add(&json(&folder.run(&format!("show {words} --format json")))["account"]);
    }
    for words in [
        "views.hlsl --device model",
        "pair.hlsl --runner dxil",
        "pair.hlsl --target d3d12 --runner dxil",
        "scene.hlsl --target vulkan --convention dxc --used scene,C --bindings --device model",
    ] {
        let answer = folder.run(&format!("run {words} --json r.jsonl"));
        let text = std::fs::read_to_string(folder.path("r.jsonl")).unwrap_or_default();
        let end = text.lines().last().unwrap_or_else(|| panic!("no records of {answer}"));
        add(&serde_json::from_str::<Value>(end).unwrap()["account"]);
    }
    if !compiles(&folder, "g++", "-g -c host.cpp -o host.o") {
        return;
    }
    add(&json(&folder.run("check pair.hlsl broken.hlsl host.o --map S=Nothing --format json"))["account"]);
    // Without any device, a run does not start.
    folder.run("run pair.hlsl").exits(3).warns("error: no device:");
    met.insert("no-device".to_owned());
    let all: BTreeSet<String> = NotCompared::VARIANTS.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(met, all);
}

/// No probe reads the records that a host fills, nor what a ray's stages hand to each other. Workgroup memory is in no
/// stage's interface.
#[test]
fn a_run_names_data_of_stages() {
    let node = "struct Rec { float3 a; uint n; }; struct Pay { float4 c; }; cbuffer S { float4 s; }; groupshared Rec g;
[Shader(\"node\")] [NodeLaunch(\"thread\")] void n(ThreadNodeInputRecord<Rec> input) {}
[shader(\"miss\")] void m(inout Pay p) { p.c = s; }
";
    let folder = Folder::with(&[("a.hlsl", node)]);
    let run = folder.run("run a.hlsl --device model").exits(3);
    run.prints(
        "incomplete 1 of 3 blocks compared; Pay (data of a stage, line 3), Rec (data of a stage, line 2): no probe reads it",
    );
}
