//! `layoutproof check` finds the struct of each block, or proposes one. GCC compiles the programs, so
//! the host's offsets are its own; without it, the tests print a note and end.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;

use super::folder::{Answer, Folder};

/// A folder with a shader and `host.o`, the compiled `host`; `None` without a compiler.
fn folder_of(shader: (&str, &str), host: &str) -> Option<Folder> {
    let folder = Folder::with(&[shader, ("host.cpp", host)]);
    compile(&folder, "host").then_some(folder)
}

/// Compiles `NAME.cpp` to `NAME.o`; false without a compiler.
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn compile(folder: &Folder, name: &str) -> bool {
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-g", "-c", &format!("{name}.cpp"), "-o", &format!("{name}.o")]);
    match compiler.current_dir(folder.path(".")).status() {
        Ok(status) => {
            assert!(status.success(), "{name}");
            true
        }
        Err(error) => {
            println!("skipped: g++ is not here ({error})");
            false
        }
    }
}

/// Each pair as `block host outcome`.
fn pairs(answer: &Answer) -> Vec<String> {
    let words = |pair: &Value| ["block", "host", "outcome"].map(|key| pair[key].as_str().unwrap().to_owned()).join(" ");
    answer.json()["pairs"].as_array().unwrap().iter().map(words).collect()
}

#[test]
fn unnamed_structs_are_found_by_their_variables() {
    let shader = "cbuffer uboVS { float4x4 projection; float4x4 view; }; cbuffer globals { float a, b; }; \
                  cbuffer params { float a, b; };";
    let host = "struct Mat4 { float m[16]; }; struct Example { struct { Mat4 projection, view; } uboVS; }; Example e; \
                struct { float a, b; } globals; struct { int other; } params; const void* all[] = {&globals, &params};";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    // A variable of the name with other members is no host struct.
    assert_eq!(pairs(&answer), ["uboVS Example::uboVS agree", "globals globals agree"]);
    folder.run("check a.hlsl host.o --map uboVS=Example::uboVS").exits(0);
}

#[test]
fn structs_of_functions_are_told_apart() {
    let shader = "struct Push { float4x4 mvp; float roughness; uint samples; }; [[vk::push_constant]] Push consts;";
    let host = "struct Mat4 { float m[16]; }; void push(const void*); \
                namespace gpu { struct Pass { void blur(); void draw(); }; } \
                void gpu::Pass::blur() { struct Push { Mat4 mvp; float dPhi, dTheta; } b{}; push(&b); } \
                void gpu::Pass::draw() { struct Push { Mat4 mvp; float roughness; unsigned samples; } b{}; push(&b); }";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --target vulkan --format json").exits(1);
    let proposals = &answer.json()["unmatched_blocks"][0]["proposals"];
    assert_eq!((&proposals[0]["host"], &proposals[0]["members_placed"]), (&"gpu::Pass::draw::Push".into(), &3.into()));
    assert_eq!((&proposals[1]["host"], &proposals[1]["members_placed"]), (&"gpu::Pass::blur::Push".into(), &1.into()));
    let words = "check a.hlsl host.o --target vulkan --map consts=gpu::Pass::draw::Push --format json";
    assert_eq!(pairs(&folder.run(words).exits(0)), ["consts gpu::Pass::draw::Push agree"]);
}

/// DXC 1.7.2308 ignores the attribute for DXIL, and slangc 2026.14.1 makes a constant of it for
/// SPIR-V, WGSL and Metal.
#[test]
fn specialization_constants_are_globals_only_for_d3d() {
    let shader = "[[vk::constant_id(0)]] const int SAMPLES = 8; cbuffer PerFrame { float exposure; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct PerFrame { float exposure; } p;") else { return };
    for (target, blocks) in [("d3d12", 1), ("vulkan", 0), ("metal", 0), ("webgpu", 0)] {
        let answer = folder.run(&format!("check a.hlsl host.o --target {target} --format json")).exits(0);
        assert_eq!(answer.json()["unmatched_blocks"].as_array().unwrap().len(), blocks, "{target}");
    }
}

#[test]
fn a_struct_is_pushed_at_its_offset() {
    let shader = "#version 450\nlayout(push_constant) uniform Material { layout(offset = 12) float roughness; \
                  layout(offset = 16) float metallic; } material;\nvoid main() {}\n";
    let Some(folder) = folder_of(("a.frag", shader), "struct Material { float roughness, metallic; } m;") else {
        return;
    };
    let answer = folder.run("check a.frag host.o --format json").exits(0);
    assert_eq!(
        (pairs(&answer), &answer.json()["pairs"][0]["host_start"]),
        (vec!["material Material agree".to_owned()], &12.into())
    );
    // Where the user states another place, that one counts.
    let map = "schema = 1\n[[map]]\nblock = \"material\"\nshader = \"*.frag\"\nhost = \"Material\"\noffset = 4\n";
    folder.write("layoutproof.toml", map.as_bytes());
    assert_eq!(pairs(&folder.run("check a.frag host.o --format json").exits(1)), ["material Material differ"]);
    folder.write("layoutproof.toml", map.replace("*.frag", "*.vert").as_bytes());
    assert_eq!(pairs(&folder.run("check a.frag host.o --format json").exits(0)), ["material Material agree"]);
    folder.write("layoutproof.toml", format!("{map}{}", &map["schema = 1\n".len()..]).as_bytes());
    assert!(folder.run("check a.frag host.o").exits(2).err.contains("block `material` has an entry already"));
}

const MEMBERS: &str = "cbuffer Camera { float4x4 view; float3 eye; float time; }; \
                       cbuffer Shade { float4x4 light; float bias; float size; float fade; }; \
                       cbuffer Greek { float alpha; float beta; float gamma; }; cbuffer Other { float4 q; float4 r; };";
const HOSTS: &str = "struct Mat4 { float m[16]; }; namespace eng { struct Stuff { Mat4 view; float eye[3]; float time; } a; \
                     struct ShadowA { Mat4 light; float bias, size, fade; } b; \
                     struct ShadowB { Mat4 light; float bias, size, other; } c; \
                     struct Moved { float alpha, beta, pad, gamma; } d; struct Object { void* next; float q[4], r[4]; } e; }";

/// A struct that alone has all members is taken. Two that come near, one with a mistake, and one that
/// programs do not upload are not.
#[test]
fn structs_are_found_by_their_members() {
    let Some(folder) = folder_of(("a.hlsl", MEMBERS), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["Camera eng::Stuff agree"]);
    assert_eq!(answer.json()["pairs"][0]["paired_by"], "members");
    let unmatched = answer.json()["unmatched_blocks"].clone();
    let hosts = |block: usize| {
        let proposals = unmatched[block]["proposals"].as_array().unwrap().clone();
        proposals.iter().map(|proposal| proposal["host"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (hosts(0), hosts(1)),
        (vec!["eng::ShadowA".to_owned(), "eng::ShadowB".to_owned()], vec!["eng::Moved".to_owned()])
    );
    assert_eq!(hosts(2), [""; 0]);
    let moved = unmatched[1]["proposals"][0]["difference"].as_str().unwrap();
    assert_eq!(moved, "offset moved: the shader has `gamma` at byte 8, the host at byte 12");
    assert_eq!(unmatched[0]["proposals"][0]["difference"], Value::Null);
}

/// `Camera` of a renderer is a class of its own, and not the block `camera`. Under the block's exact name,
/// or if it is stated, it is compared.
/// Programs of one repository use the same names for different structs. The folder of the shader says whose
/// it is.
#[test]
fn the_struct_of_the_shaders_own_program_is_taken() {
    let ubo =
        |members: &str| format!("#version 450\nlayout(binding = 0) uniform UBO {{ {members} }};\nvoid main() {{}}\n");
    let host = |name: &str, members: &str| {
        format!("struct Mat4 {{ float m[16]; }}; class Example {{ public: struct {name} {{ {members} }} u; }} e;")
    };
    let folder = Folder::with(&[]);
    for (file, text) in [
        ("shaders/bloom/a.vert", &ubo("mat4 projection; float scale; float strength; float time;")),
        ("shaders/shadow/a.vert", &ubo("mat4 projection; mat4 model; vec4 light;")),
        ("shaders/other/a.vert", &ubo("mat4 projection; mat4 model; vec4 light; float far;")),
        ("samples/bloom/main.cpp", &host("UBO", "Mat4 projection; float scale, strength, time;")),
        ("samples/shadow/main.cpp", &host("Data", "Mat4 projection, modelView; float light[4];")),
        ("samples/text/main.cpp", &host("Data", "Mat4 projection; float size[2];")),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !["bloom", "shadow", "text"].iter().all(|sample| compile(&folder, &format!("samples/{sample}/main"))) {
        return;
    }
    let hosts = "samples/text/main.o samples/bloom/main.o samples/shadow/main.o --format json";
    let answer = folder.run(&format!("check shaders/bloom/a.vert shaders/shadow/a.vert {hosts}")).exits(0);
    assert_eq!(pairs(&answer), ["UBO Example::UBO agree", "UBO Example::Data agree"]);
    assert_eq!(answer.json()["pairs"][1]["host_file"], "samples/shadow/main.o");
    // Without a folder in common, the generic name is all there is.
    let answer = folder.run(&format!("check shaders/other/a.vert {hosts}"));
    assert_ne!(answer.json()["pairs"][0]["host"], "Example::Data");
}

/// One or two members are enough in the shader's own program. In another one, the name needs all of them.
#[test]
fn structs_of_other_programs_need_all_members() {
    let block = |name: &str, kind: &str, members: &str| {
        format!("#version 450\nlayout({kind}) uniform {name} {{ {members} }} block;\nvoid main() {{}}\n")
    };
    let folder = Folder::with(&[]);
    let matrices = block("UBOMatrices", "binding = 0", "mat4 projection; mat4 view; mat4 model;");
    for (file, text) in [
        ("shaders/bloom/a.vert", matrices.as_str()),
        ("shaders/bloom/b.vert", &block("Push", "push_constant", "mat4 mvp; float scale;")),
        ("shaders/bloom/c.vert", &block("Blur", "push_constant", "float strength;")),
        ("shaders/text/a.vert", &matrices),
        (
            "samples/bloom/main.cpp",
            "struct Mat4 { float m[16]; }; struct Cube { Mat4 projection, view, model; } c; \
            struct Constants { Mat4 mvp; float scale; } d; struct Filter { float strength; } f;",
        ),
        (
            "samples/shadow/main.cpp",
            "struct Mat4 { float m[16]; }; struct UBOMatrices { Mat4 projection, model, view; } u; \
            struct Other { Mat4 mvp; float scale; } o; struct Others { Mat4 mvp; float scale, bias; } p; struct Wide { float strength; } w;",
        ),
        ("samples/text/main.cpp", "struct Glyph { float size[2]; } g; struct Camera { float projection[16], fov; } c;"),
    ] {
        std::fs::create_dir_all(folder.path(file).parent().unwrap()).unwrap();
        folder.write(file, text.as_bytes());
    }
    if !["bloom", "shadow", "text"].iter().all(|sample| compile(&folder, &format!("samples/{sample}/main"))) {
        return;
    }
    let hosts = "samples/text/main.o samples/bloom/main.o samples/shadow/main.o --format json";
    let shaders = "shaders/bloom/a.vert shaders/bloom/b.vert shaders/bloom/c.vert";
    let answer = folder.run(&format!("check {shaders} {hosts}")).exits(0);
    assert_eq!(pairs(&answer), ["block Cube agree", "block Constants agree", "block Filter agree"]);

    let answer = folder.run(&format!("check shaders/text/a.vert {hosts}")).exits(4).json();
    let unmatched = &answer["unmatched_blocks"][0];
    assert!(unmatched["reason"].as_str().unwrap().starts_with("`UBOMatrices` has its name, but"), "{unmatched}");
    assert!(unmatched["proposals"].as_array().unwrap().len() <= 2, "{unmatched}");
}

#[test]
fn a_similar_name_with_other_members_is_no_match() {
    let shader = "cbuffer camera { float4x4 projection; float4x4 view; }; cbuffer Exact { float4x4 model; };";
    let host = "struct Camera { float fov; int kind; bool moved; float m[40]; } c; struct Exact { int first; float m[16]; } e;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Exact Exact differ"]);
    let reason = answer.json()["unmatched_blocks"][0]["reason"].clone();
    assert!(reason.as_str().unwrap().starts_with("`Camera` has its name or almost, but not its members"), "{reason}");
    let stated = folder.run("check a.hlsl host.o --map camera=Camera --format json").exits(1);
    assert_eq!(pairs(&stated), ["camera Camera differ", "Exact Exact differ"]);
}

#[test]
fn a_comment_names_the_struct_in_glsl_and_wgsl() {
    let host = "struct Other { float exposure; } o;";
    let glsl = "#version 450\n// layoutproof: host=Other\nlayout(binding = 0) uniform Frame { float exposure; } frame;\nvoid main() {}\n";
    let Some(folder) = folder_of(("a.frag", glsl), host) else { return };
    assert_eq!(pairs(&folder.run("check a.frag host.o --format json").exits(0)), ["frame Other agree"]);
    let wgsl = "struct Frame { exposure: f32 }\n// layoutproof: host=Other\n@group(0) @binding(0)\nvar<uniform> frame: Frame;\n\
                @compute @workgroup_size(1) fn main() { _ = frame.exposure; }\n";
    folder.write("a.wgsl", wgsl.as_bytes());
    assert_eq!(pairs(&folder.run("check a.wgsl host.o --format json").exits(0)), ["frame Other agree"]);
    folder.write("a.wgsl", wgsl.replace("host=Other", "hots=Other").as_bytes());
    assert!(folder.run("check a.wgsl host.o").exits(2).err.contains("`hots=Other`"));
    folder.write("a.wgsl", wgsl.replace("host=Other", "rules=std140").as_bytes());
    assert!(folder.run("check a.wgsl host.o").exits(2).err.contains("the file itself fixes the layout"));
}

/// The blur pass of a sample calls its block `ubo`, and another pass its struct `UBO`: the bytes agree.
#[test]
fn bytes_and_a_similar_name_are_no_match() {
    let shader = "cbuffer ubo { float blurScale; float blurStrength; };";
    let host = "struct UBO { float projection[16], view[16]; } u; struct Blur { float blurScale, blurStrength; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let of_struct = "struct UBO { float blurScale; float blurStrength; }; ConstantBuffer<UBO> b;";
    for shader in [shader, of_struct] {
        folder.write("a.hlsl", shader.as_bytes());
        let answer = folder.run("check a.hlsl host.o --format json").exits(0);
        let block = answer.json()["pairs"][0]["block"].as_str().unwrap().to_owned();
        assert_eq!(pairs(&answer), [format!("{block} Blur agree")], "{shader}");
    }
    // Two structs with these members are one too many.
    folder.write("host.cpp", format!("{host} struct Glow {{ float blurScale, blurStrength; }} g;").as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.hlsl host.o --format json").exits(4).json();
    assert_eq!(answer["unmatched_blocks"][0]["proposals"].as_array().unwrap().len(), 2);
}

#[test]
fn a_block_of_one_member_is_proposed_if_few_structs_have_it() {
    let shader = "cbuffer offscreen { float4x4 depthMVP; }; cbuffer other { float4x4 model; };";
    let host = "struct Mat4 { float m[16]; }; struct Shadow { Mat4 depthMVP; } s; struct A { Mat4 model; } a; \
                struct B { Mat4 model; float x; } b; struct C { Mat4 model; float y; } c;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let unmatched = folder.run("check a.hlsl host.o --format json").exits(4).json()["unmatched_blocks"].clone();
    assert_eq!(unmatched[0]["proposals"][0]["host"], "Shadow");
    assert_eq!(unmatched[1]["proposals"].as_array().unwrap().len(), 0);
}

#[test]
fn proposals_are_written_to_the_project() {
    let Some(folder) = folder_of(("a.hlsl", MEMBERS), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --write-map").exits(0);
    let entries =
        "[[map]]\nblock = \"Greek\"\nhost = \"eng::Moved\"\n\n[[map]]\nblock = \"Shade\"\nhost = \"eng::ShadowA\"\n";
    assert!(answer.out.contains(entries), "{answer}");
    assert_eq!(folder.read("layoutproof.toml"), format!("schema = 1\n\n{entries}"));
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["Camera eng::Stuff agree", "Shade eng::ShadowA agree", "Greek eng::Moved differ"]);
}

#[test]
fn what_rests_on_bytes_alone_is_said() {
    let shader = "cbuffer Frame { float4 eyeAndNear; float4 fog; };";
    let host = "struct Frame { float eye[3]; float nearPlane; float fog[4]; } f;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o").exits(0);
    answer.prints("note 1 of 2 members by bytes alone: the host has no members of their names");
}

/// A crate of this name with traits of these names stands for encase 0.10, of which only the names of
/// functions in the program matter. rustc chooses the order of the members of `Material` and `Wide`; encase
/// writes `Wide` as WGSL and D3D have it: `big` at byte 8, `b` at 16.
#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn a_struct_is_compared_as_a_library_writes_it() {
    let encase = "pub mod core { pub mod traits { pub trait WriteInto { fn write_into(&self, to: &mut Vec<u8>); } } }";
    let main = "pub struct Material { albedo: [f32; 3], flag: u8, power: f32, small: u16 } \
                pub struct Raw { albedo: [f32; 3], flag: u8, power: f32, small: u16 } \
                impl encase::core::traits::WriteInto for Material { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(1) } } \
                pub struct Wide { a: f32, big: f64, b: f32 } \
                impl encase::core::traits::WriteInto for Wide { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.big as u8) } } \
                fn main() { use encase::core::traits::WriteInto; let mut to = Vec::new(); \
                Material { albedo: [1.0; 3], flag: 1, power: 2.0, small: 2 }.write_into(&mut to); \
                Wide { a: 1.0, big: 2.0, b: 3.0 }.write_into(&mut to); \
                let raw = Raw { albedo: [1.0; 3], flag: 1, power: 2.0, small: 2 }; std::hint::black_box(&raw); std::hint::black_box(to); }";
    let members = "albedo: vec3<f32>, flag: u32, power: f32, small: u32";
    let shader = format!(
        "struct Material {{ {members} }} struct Raw {{ {members} }} @group(0) @binding(0) var<uniform> material: Material; \
         @group(0) @binding(1) var<uniform> raw: Raw; @compute @workgroup_size(1) fn main() {{ _ = material.power + raw.power; }}"
    );
    let folder = Folder::with(&[("encase.rs", encase), ("main.rs", main), ("a.wgsl", &shader)]);
    for words in [
        "--edition 2021 --crate-type rlib -g encase.rs",
        "--edition 2021 -g --extern encase=libencase.rlib main.rs -o main",
    ] {
        let mut compiler = Command::new("rustc");
        compiler.args(["-A", "warnings"]).args(words.split(' ')).current_dir(folder.path("."));
        let Ok(status) = compiler.status() else { return println!("skipped: rustc is not here") };
        assert!(status.success(), "{words}");
    }
    let answer = folder.run("check a.wgsl main --format json").exits(1);
    assert_eq!(pairs(&answer), ["raw main::Raw differ"]);
    let unmatched = answer.json()["unmatched_blocks"][0].clone();
    assert_eq!(unmatched["block"], "material");
    assert!(unmatched["reason"].as_str().unwrap().starts_with("encase writes `main::Material`"), "{unmatched}");

    let outcome = |shader: &str, code: i32| {
        folder.write("b.hlsl", shader.as_bytes());
        let answer = folder.run("check b.hlsl main --format json").exits(code).json();
        let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
        (pair["outcome"].clone(), pair["mismatches"][0]["kind"].clone(), unmatched["reason"].clone())
    };
    let agree = outcome("cbuffer Wide { float a; double big; float b; };", 0);
    assert_eq!(agree, ("agree".into(), Value::Null, Value::Null));
    let swapped = outcome("cbuffer Wide { float b; double big; float a; };", 1);
    assert_eq!(swapped, ("differ".into(), "swapped-names".into(), Value::Null));
    // An attribute of the struct could add the padding.
    let (_, _, reason) = outcome("cbuffer Wide { float a; float4 more; double big; float b; };", 4);
    assert!(reason.as_str().unwrap().contains("only attributes that debug information does not have"), "{reason}");
}

/// Crates with the names and symbols of crevice 0.16 and glsl-layout 0.5: the first derives one trait for each
/// layout, the second implements its trait in a module of its own. crevice 0.16 writes `light` at byte 16 and `b`
/// at byte 32 for `std140`, and at 4 and 12 for `std430` (the bytes of `as_std140` and `as_std430`).
#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn a_struct_has_the_layouts_that_its_library_derives() {
    let crevice = "pub mod std140 { pub mod traits { pub trait AsStd140 { fn as_std140(&self) -> u32; } } } \
                   pub mod std430 { pub mod traits { pub trait AsStd430 { fn as_std430(&self) -> u32; } } }";
    let glsl_layout = "pub mod uniform { pub trait Uniform { fn std140(&self) -> u32; } }";
    let implement = |name: &str, path: &str, method: &str| {
        format!("impl {path} for {name} {{ #[inline(never)] fn {method}(&self) -> u32 {{ 1 }} }} ")
    };
    let main = "pub struct Light { range: f32, reach: f32 } pub struct Frame { a: f32, light: Light, b: f32 } \
                pub struct Both { a: f32, light: Light, b: f32 } pub struct Sky { steps: u8, sun: f32 } "
        .to_owned()
        + &implement("Frame", "crevice::std140::traits::AsStd140", "as_std140")
        + &implement("Both", "crevice::std140::traits::AsStd140", "as_std140")
        + &implement("Both", "crevice::std430::traits::AsStd430", "as_std430")
        + &format!("mod glsl {{ {} }} ", implement("super::Sky", "glsl_layout::uniform::Uniform", "std140"))
        + "fn main() { use {crevice::{std140::traits::AsStd140, std430::traits::AsStd430}, glsl_layout::uniform::Uniform}; \
           let light = || Light { range: 1.0, reach: 2.0 }; \
           let frame = Frame { a: 1.0, light: light(), b: 2.0 }; let both = Both { a: 1.0, light: light(), b: 2.0 }; \
           let sky = Sky { steps: 1, sun: 2.0 }; \
           std::hint::black_box((frame.as_std140(), both.as_std140(), both.as_std430(), sky.std140(), &frame, &both, &sky)); }";
    let folder = Folder::with(&[("crevice.rs", crevice), ("glsl_layout.rs", glsl_layout), ("main.rs", &main)]);
    for words in [
        "--crate-type rlib crevice.rs",
        "--crate-type rlib glsl_layout.rs",
        "--extern crevice=libcrevice.rlib --extern glsl_layout=libglsl_layout.rlib main.rs -o main",
    ] {
        let mut compiler = Command::new("rustc");
        compiler.args(["--edition", "2021", "-g", "-A", "warnings"]).args(words.split(' '));
        let Ok(status) = compiler.current_dir(folder.path(".")).status() else {
            return println!("skipped: rustc is not here");
        };
        assert!(status.success(), "{words}");
    }
    let check = |members: &str, block: &str| {
        let light = "struct Light { float range, reach; };";
        folder
            .write("a.comp", format!("#version 450\n{light}\n{block} {{ {members} }};\nvoid main() {{}}\n").as_bytes());
        let answer = folder.run("check a.comp main --format json").json();
        let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
        let remark = pair["remarks"][0].as_str().unwrap_or_default();
        let remark = remark.split(" writes it").next().unwrap_or_default().to_owned();
        (pair["outcome"].as_str().unwrap_or_default().to_owned(), remark, unmatched["reason"].clone())
    };
    let agrees = |library: &str| ("agree".to_owned(), format!("compared as {library}"), Value::Null);
    // `std140` alone is derived, and the block has it: as a buffer too.
    let members = "float a; Light light; float b;";
    assert_eq!(check(members, "layout(std140, binding = 0) uniform Frame"), agrees("crevice"));
    assert_eq!(check(members, "layout(std140, binding = 0) buffer Frame"), agrees("crevice"));
    let (_, _, reason) = check(members, "layout(std430, binding = 0) buffer Frame");
    assert!(reason.as_str().unwrap_or_default().starts_with("crevice writes `main::Frame`"), "{reason}");
    for layout in [
        "layout(std140, binding = 0) uniform",
        "layout(std140, binding = 0) buffer",
        "layout(std430, binding = 0) buffer",
    ] {
        assert_eq!(check(members, &format!("{layout} Both")), agrees("crevice"), "{layout}");
    }
    // One byte is no number of a shader, and the struct is not compared as Rust has it.
    let (outcome, _, reason) = check("uint steps; float sun;", "layout(std140, binding = 0) uniform Sky");
    assert_eq!(outcome, "");
    assert!(reason.as_str().unwrap_or_default().starts_with("glsl-layout writes `main::Sky`"), "{reason}");
}

/// Crates with the names of encase 0.10 and glam 0.29. encase writes as WGSL has it (WGSL, 14.4.1): `color` at byte
/// 16, `radius` at 28. rustc puts `color` at byte 12.
#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn a_struct_that_a_library_writes_is_found_by_its_members() {
    let encase = "pub mod core { pub mod traits { pub trait WriteInto { fn write_into(&self, to: &mut Vec<u8>); } } }";
    let glam =
        "pub mod f32 { pub mod vec3 { #[derive(Default)] pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32 } } }";
    let main = "use glam::f32::vec3::Vec3; use encase::core::traits::WriteInto; \
                #[derive(Default)] pub struct PointLight { position: Vec3, color: Vec3, radius: f32, intensity: f32 } \
                #[derive(Default)] pub struct ShaderPointLight { position: Vec3, color: Vec3, radius: f32 } \
                #[derive(Default)] pub struct Sun { color: Vec3, steps: u16 } \
                #[derive(Default)] pub struct ShaderSun { direction: Vec3, strength: f32, tint: Vec3, reach: f32 } \
                #[derive(Default)] pub struct Haze { begin: f32, colour: Vec3, end: f32 } \
                #[derive(Default)] #[repr(C)] pub struct Mist { near: f32, padding: [f32; 3], tint: [f32; 3], far: f32 } \
                pub trait Kind { type Offsets: Default; } #[derive(Default)] pub struct Pbr; impl Kind for Pbr { type Offsets = [u32; 3]; } \
                #[derive(Default)] pub struct ShaderObject<M: Kind> { center: Vec3, first_index: u32, offsets: M::Offsets } \
                impl WriteInto for ShaderPointLight { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.radius as u8) } } \
                impl WriteInto for ShaderSun { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.reach as u8) } } \
                impl WriteInto for Haze { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.end as u8) } } \
                impl<M: Kind> WriteInto for ShaderObject<M> { #[inline(never)] fn write_into(&self, to: &mut Vec<u8>) { to.push(self.first_index as u8) } } \
                fn main() { let mut to = Vec::new(); ShaderPointLight::default().write_into(&mut to); ShaderSun::default().write_into(&mut to); \
                ShaderObject::<Pbr>::default().write_into(&mut to); Haze::default().write_into(&mut to); \
                std::hint::black_box((to, PointLight::default(), Sun::default(), Mist::default())); }";
    let shader = "struct PointLight { position: vec3<f32>, color: vec3<f32>, radius: f32 } \
                  struct PointLightData { count: u32, data: array<PointLight> } \
                  struct Sun { direction: vec3<f32>, strength: f32, color: vec3<f32>, reach: f32 } \
                  struct Haze { near: f32, tint: vec3<f32>, far: f32 } \
                  struct Object { center: vec3<f32>, first_index: u32, offsets: array<u32, 3> } \
                  @group(0) @binding(0) var<storage> lights: PointLightData; @group(0) @binding(1) var<uniform> light: PointLight; \
                  @group(0) @binding(2) var<uniform> sun: Sun; @group(0) @binding(3) var<storage> objects: array<Object>; \
                  @group(0) @binding(4) var<uniform> haze: Haze; \
                  @compute @workgroup_size(1) fn main() { _ = lights.count; _ = light.radius; _ = sun.reach; _ = objects[0].first_index; _ = haze.far; }";
    let folder = Folder::with(&[("encase.rs", encase), ("glam.rs", glam), ("main.rs", main), ("a.wgsl", shader)]);
    for words in [
        "--crate-type rlib encase.rs",
        "--crate-type rlib glam.rs",
        "--extern encase=libencase.rlib --extern glam=libglam.rlib main.rs -o main",
    ] {
        let mut compiler = Command::new("rustc");
        compiler.args(["--edition", "2021", "-g", "-A", "warnings"]).args(words.split(' '));
        let Ok(status) = compiler.current_dir(folder.path(".")).status() else {
            return println!("skipped: rustc is not here");
        };
        assert!(status.success(), "{words}");
    }
    let answer = folder.run("check a.wgsl main --format json").exits(0);
    assert_eq!(
        pairs(&answer),
        [
            // The elements after `count`, and not the struct of their name that nothing writes.
            "lights main::ShaderPointLight agree",
            "light main::ShaderPointLight agree",
            "sun main::ShaderSun agree",
            "objects main::ShaderObject<main::Pbr> agree",
            // Its members have other names. It agrees as encase writes it (`colour` at byte 16, `end` at 28), and not
            // as it is in memory, so that `main::Mist`, which has the names, does not take its place.
            "haze main::Haze agree",
        ]
    );
    assert_eq!(answer.json()["pairs"][0]["part"], "data[]");
}

/// The engine's own light has the name of the shader's struct, and another one is uploaded.
#[test]
fn a_namesake_with_few_of_the_members_is_no_match_next_to_a_struct_with_all() {
    let shader = "struct PointLight { float4 position; float3 color; float radius; }; \
                  StructuredBuffer<PointLight> lights; cbuffer Fog { float start, end, density, height; };";
    let host = "struct PointLight { float color[3]; int id; bool enabled; } p; \
                struct GpuLight { float position[4]; float color[3]; float radius; } g; \
                struct Fog { float start; float end[2]; float density, height; } f; \
                struct Mist { float start, end, density, height; } m;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    // `Fog` has all members, so that it is the struct of its name with a fault.
    assert_eq!(pairs(&answer), ["Fog Fog differ"]);
    let unmatched = answer.json()["unmatched_blocks"][0].clone();
    assert_eq!((&unmatched["block"], &unmatched["proposals"][0]["host"]), (&"lights".into(), &"GpuLight".into()));
    // Without another, the name decides.
    folder.write("host.cpp", b"struct PointLight { float color[3]; int id; bool enabled; } p;");
    assert!(compile(&folder, "host"));
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(1)), ["lights PointLight differ"]);
}

/// The elements of a buffer's array are found by their members too.
#[test]
fn elements_after_a_header_are_found_by_their_members() {
    let shader = "#version 450\nstruct Particle { vec3 position; float age; vec3 speed; float size; };\n\
                  layout(std430, binding = 0) buffer Particles { uint count; Particle items[]; };\nvoid main() {}\n";
    let host = "struct Spark { float position[3], age, speed[3], size; } s;";
    let Some(folder) = folder_of(("a.comp", shader), host) else { return };
    let answer = folder.run("check a.comp host.o --format json").exits(0).json();
    let (pair, unmatched) = (&answer["pairs"][0], &answer["unmatched_blocks"][0]);
    assert_eq!((&pair["part"], &pair["host"], &pair["outcome"]), (&"items[]".into(), &"Spark".into(), &"agree".into()));
    assert_eq!(unmatched["block"], "Particles");
    // Two that fit are proposed.
    folder
        .write("host.cpp", format!("{host} struct Ember {{ float position[3], age, speed[3], size; }} e;").as_bytes());
    assert!(compile(&folder, "host"));
    let answer = folder.run("check a.comp host.o --format json").exits(4).json();
    let elements = &answer["unmatched_blocks"][1];
    assert_eq!((&elements["block"], &elements["proposals"][1]["host"]), (&"Particles.items[]".into(), &"Spark".into()));
    folder.run("check a.comp host.o --map Particles.items=Ember").exits(0);
}

/// GCC puts `size` at byte 12. D3D packing starts a vector that would cross 16 bytes at the next register, so
/// the shaders read it at 16, and all later members 4 bytes further on.
#[test]
fn a_fault_in_many_shaders_is_one_finding() {
    let frame = "cbuffer Frame {\n float3 eye; float2 size; float a, b, c, d, e, f, g, h, i, j; };";
    let host = "struct Frame {\n float eye[3];\n float size[2];\n float a, b, c, d, e, f, g, h, i, j; } frame;";
    let Some(folder) = folder_of(("a.hlsl", frame), host) else { return };
    for name in ["b.hlsl", "c.hlsl", "d.hlsl", "e.hlsl"] {
        folder.write(name, format!("// Another line.\n{frame}").as_bytes());
    }
    let inputs = "a.hlsl b.hlsl c.hlsl d.hlsl e.hlsl host.o";
    let answer = folder.run(&format!("check {inputs}")).exits(1);
    let words = answer.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "also in 4 shaders: b.hlsl, c.hlsl, d.hlsl and 1 more",
        "offset moved: the shader has `size` at byte 16, the host at byte 12; 10 later members move with it",
        "--- host.cpp: Frame, 60 bytes +++ a.hlsl: cbuffer Frame, 64 bytes 0 12 float3 eye - 12 8 float size[2] \
         + 16 8 float2 size ! offset moved",
        "at shader a.hlsl:2 · host host.cpp:3 . … 10 more members that are 4 bytes earlier in the host",
        "Summary 5 of 5 blocks differ from the host in 1 way; first: Frame.size, host.cpp:3",
    ] {
        assert!(words.contains(part), "{part}: {answer}");
    }
    assert_eq!(answer.out.matches("offset moved").count(), 1, "{answer}");

    let answer = folder.run(&format!("check {inputs} --format github")).exits(1);
    let also = "%0Aat: shader a.hlsl:2 · host host.cpp:3%0Aalso in 4 shaders: b.hlsl, c.hlsl, d.hlsl and 1 more\n";
    assert!(answer.out.starts_with("::error title=layoutproof check::5 of 5 blocks differ from the host"), "{answer}");
    assert!(answer.out.contains("\n::error file=host.cpp,line=3,") && answer.out.ends_with(also), "{answer}");
    assert_eq!(answer.out.lines().count(), 2, "{answer}");

    let answer = folder.run(&format!("check {inputs} --format junit")).exits(1);
    assert!(answer.out.contains(r#"tests="5" skipped="4" failures="1""#), "{answer}");

    let answer = folder.run(&format!("check {inputs} --format json")).exits(1).json();
    assert_eq!(answer["findings"].as_array().unwrap().len(), 1);
    assert_eq!(answer["findings"][0]["pairs"], serde_json::json!([0, 1, 2, 3, 4]));
}

/// GitHub reads annotations from the output of a step, and its summary from a file that several steps share.
#[test]
fn a_check_on_github_reports_by_itself() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Frame { float a, b; };"), "struct Frame { float b, a; } f;")
    else {
        return;
    };
    folder.write("s.md", b"of another program\n");
    let folder = folder.with_variable("GITHUB_ACTIONS", "true").with_variable("GITHUB_STEP_SUMMARY", "s.md");
    let headline = "1 of 1 block differs from the host; first: Frame.a, host.cpp:1";
    let answer = folder.run("check a.hlsl host.o").exits(1);
    assert!(
        answer.out.contains(&format!("Summary {headline}\n::error title=layoutproof check::{headline}\n")),
        "{answer}"
    );
    let start = format!(
        "of another program\n**layoutproof check:** {headline}\n\n| block | host struct | difference | fix |\n"
    );
    let summary = folder.read("s.md");
    assert!(summary.starts_with(&start), "{summary}");
    assert!(summary.ends_with("| exchange `a` and `b` on one side |\n"), "{summary}");

    folder.write("host.cpp", b"struct Frame { float a, b; } f;");
    folder.run("check a.hlsl host.o --format json").exits(1);
    assert_eq!(folder.read("s.md"), summary);
}

/// Another fault of the same struct is another finding, and right blocks are one line.
#[test]
fn only_the_same_result_is_one_finding() {
    let (right, wrong) = ("cbuffer Frame { float a, b; };", "cbuffer Frame { float b, a; };");
    let Some(folder) = folder_of(("a.hlsl", right), "struct Frame { float a, b; } frame;") else { return };
    folder.write("b.hlsl", wrong.as_bytes());
    folder.write("c.hlsl", right.as_bytes());
    folder.write("d.hlsl", b"cbuffer Frame { float a; uint b; };");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o").exits(1);
    let answer =
        answer.prints("Mirrors 4 mirrors of `Frame`, 2 differ; a.hlsl, c.hlsl agree").prints("! swapped names");
    let answer = answer.prints("Summary 2 of 4 blocks differ from the host; first: Frame.b, host.cpp:1");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (0, 2), "{answer}");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o -v").exits(1).prints("also in 1 shader: c.hlsl");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (1, 2), "{answer}");
    let answer = folder.run("check a.hlsl b.hlsl c.hlsl d.hlsl host.o -q").exits(1);
    assert_eq!(answer.out.lines().count(), 1, "{answer}");
}

/// What cannot be read is one line each and exit code 2, and everything else is compared.
#[test]
fn unreadable_files_do_not_hide_the_others() {
    let shader = "cbuffer Frame { float a, b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float b, a; } frame;") else { return };
    folder.write("broken.hlsl", b"cbuffer Broken { flot a; };\ncbuffer More { flot b; };");
    folder.write("damaged.o", b"\x7fELF and nothing else");
    folder.write("strange.txt", b"text");
    let inputs = "a.hlsl broken.hlsl host.o damaged.o strange.txt absent.hlsl";
    let answer = folder.run(&format!("check {inputs}")).exits(2);
    let answer =
        answer.prints("! swapped names").prints("Summary 1 of 1 block differs from the host, 4 files not read; first:");
    for line in [
        "error: broken.hlsl:1:18: ",
        "error: damaged.o: ",
        "error: strange.txt is neither a shader",
        "error: reading absent.hlsl: ",
    ] {
        assert_eq!(answer.err.lines().filter(|found| found.starts_with(line)).count(), 1, "{line}: {answer}");
    }
    let answer = folder.run(&format!("check {inputs} --format json")).exits(2).json();
    let files: Vec<&str> =
        answer["unread"].as_array().unwrap().iter().map(|unread| unread["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["strange.txt", "absent.hlsl", "broken.hlsl", "damaged.o"]);
    assert_eq!(answer["pairs"][0]["outcome"], "differ");
    let answer = folder.run(&format!("check {inputs} --format junit")).exits(2);
    assert_eq!((answer.out.matches("<failure").count(), answer.out.matches("<error").count()), (1, 4), "{answer}");
    let answer = folder.run(&format!("check {inputs} --format github")).exits(2);
    assert_eq!(answer.out.lines().count(), 6, "{answer}");
}

/// What holds for most blocks is written once, and blocks about which there is nothing else to say are counted.
#[test]
fn many_blocks_fit_on_a_screen() {
    let (mut shader, mut host) = (String::new(), String::new());
    for block in 0..24 {
        writeln!(shader, "cbuffer Frame{block} {{ float4x4 view{block}; float4 tint{block}; }};").unwrap();
        writeln!(host, "struct Frame{block} {{ float view{block}[16], tint{block}[4]; }} frame{block};").unwrap();
        writeln!(shader, "cbuffer Lost{block} {{ float4 sun{block}; }};").unwrap();
    }
    for block in 0..8 {
        writeln!(shader, "cbuffer Cloud{block} {{ float density{block}; float height{block}; }};").unwrap();
        writeln!(host, "struct Weather{block} {{ float density{block}, height{block}; }} weather{block};").unwrap();
    }
    host += "struct Nimbus0 { float density0, height0; } nimbus0;\n";
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    for file in 0..12 {
        folder.write(&format!("broken{file:02}.hlsl"), b"#include \"absent.hlsli\"\n");
    }
    let broken: Vec<String> = (0..12).map(|file| format!("broken{file:02}.hlsl")).collect();
    let inputs = format!("check a.hlsl host.o {}", broken.join(" "));

    let answer = folder.run(&inputs).exits(2);
    for (line, count) in [
        ("     Agree Frame", 20),
        ("     Agree 11 more blocks; `--verbose` lists them", 1),
        ("is transposed", 0),
        (
            "      note 7 blocks matched by members: no struct has their names, and only one\n           has all of their members\n",
            1,
        ),
        ("      note whether matrices are transposed is not checked in 24 blocks: debug\n", 1),
        ("  No match Lost", 20),
        ("  No match 4 more blocks; `--verbose` lists them", 1),
        ("     maybe `Nimbus0`", 1),
        ("  Not read broken09.hlsl:1:", 1),
        ("  Not read broken10.hlsl", 0),
        ("  Not read 2 more files; `--verbose` lists them", 1),
    ] {
        assert_eq!(answer.out.matches(line).count(), count, "{line}: {answer}");
    }
    assert!(answer.err.contains("error: 12 files could not be read\n"), "{answer}");
    assert!(!answer.err.contains("broken00.hlsl"), "{answer}");

    let answer = folder.run(&format!("{inputs} --verbose")).exits(2);
    for (line, count) in
        [("     Agree ", 31), ("is transposed", 24), ("  No match Lost", 24), ("  Not read broken", 12), ("more", 0)]
    {
        assert_eq!(answer.out.matches(line).count(), count, "{line}: {answer}");
    }
}

#[test]
fn a_warning_about_an_included_file_is_written_once() {
    let shader = "#include \"ext.slang\"\nConstantBuffer<Frame> frame;";
    let Some(folder) = folder_of(("a.slang", shader), "struct Frame { float a[4], b[4]; } f;") else { return };
    folder.write("b.slang", shader.as_bytes());
    folder
        .write("ext.slang", b"struct Frame { float4 a; float4 b; };\nextension Frame { float one() { return 1; } }\n");
    let answer = folder.run("check a.slang b.slang host.o").exits(0);
    assert_eq!(answer.err.matches("an extension adds no members").count(), 1, "{answer}");
}

/// A repository with many unmatched blocks gets the first entries, and the command that appends them all.
#[test]
fn the_first_of_many_entries_are_printed() {
    let (mut shader, mut host) = (String::new(), String::new());
    for block in 0..9 {
        writeln!(shader, "cbuffer Cloud{block} {{ float density{block}; float height{block}; float4 sun{block}; }};")
            .unwrap();
        writeln!(host, "struct Weather{block} {{ float density{block}, height{block}; }} weather{block};").unwrap();
    }
    let Some(folder) = folder_of(("a.hlsl", &shader), &host) else { return };
    let answer = folder.run("check a.hlsl host.o").exits(4);
    assert_eq!(answer.out.matches("[[map]]").count(), 6, "{answer}");
    assert!(answer.out.contains("host = \"Weather5\"\n\n# and 3 more\n"), "{answer}");
    assert_eq!(folder.run("check a.hlsl host.o -v").exits(4).out.matches("[[map]]").count(), 9);
    folder.run("check a.hlsl host.o --write-map").exits(4).warns("note: wrote 9 entries to layoutproof.toml");
}

#[test]
fn a_shader_without_a_buffer_is_no_error() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Frame { float a; };"), "struct Frame { float a; } f;") else {
        return;
    };
    for name in ["b.vert", "c.vert", "d.vert", "e.vert"] {
        folder.write(name, b"#version 450\nvoid main() { gl_Position = vec4(0); }\n");
    }
    assert_eq!(pairs(&folder.run("check a.hlsl b.vert host.o --format json").exits(0)), ["Frame Frame agree"]);
    let answer = folder.run("check a.hlsl b.vert c.vert d.vert e.vert host.o").exits(0);
    answer
        .prints("Summary 1 block agrees with the host")
        .warns("warning: 4 shaders have no buffer: b.vert, c.vert, d.vert and 1 more");
}

/// GCC makes the program, and ar the library. The mesh has the suffix of an object, and `lib.hlsl` needs the
/// defines of the file that includes it.
#[test]
fn init_looks_into_the_files() {
    let frame = "cbuffer Frame { float a; };";
    let Some(folder) = folder_of(("a.txt", ""), "struct Frame { float a; } f; int main() {}") else { return };
    for inner in ["shaders/deep", "shaders/external", "third_party", "models", "build/shaders", "include/eng"] {
        std::fs::create_dir_all(folder.path(inner)).unwrap();
    }
    let run = |words: &str| {
        let mut words = words.split(' ');
        let mut command = Command::new(words.next().unwrap());
        assert!(command.args(words).current_dir(folder.path(".")).status().unwrap().success());
    };
    folder.write("shaders/a.hlsl", frame.as_bytes());
    folder.write("shaders/deep/b.hlsl", b"#define TYPE float\n#include \"../lib.hlsl\"\n#include <eng/more.hlsli>\n");
    folder.write("include/eng/more.hlsli", b"cbuffer More { float4 b; };");
    folder.write("shaders/lib.hlsl", b"cbuffer Lib { TYPE a; };");
    folder.write("third_party/c.hlsl", b"cbuffer Frame { uint other; };");
    folder.write("shaders/external/c.hlsl", b"cbuffer Frame { uint other; };");
    folder.write("models/mesh.obj", b"# a mesh\nv 0 0 0\n");
    folder.write("build/shaders/a.hlsl", b"cbuffer Frame { uint old; };");
    run("g++ -g host.o -o build/engine");
    run("g++ host.o -s -o build/stripped");
    let answer = folder.run("init").exits(0);
    let answer = answer.prints("wrote ./layoutproof.toml: 2 shaders, 1 host file");
    let answer = answer.prints("left out: 1 shader that cannot be read alone, such as shaders/lib.hlsl: ");
    let answer = answer.prints("left out: 2 folders of other projects, such as shaders/external, third_party");
    answer
        .prints("left out: 1 program without debug information")
        .prints("left out: 1 object or library next to programs");
    let written = folder.read("layoutproof.toml");
    for words in [
        "host = [\n    \"build/engine\",\n]",
        "files = [\n    \"shaders/**/*.hlsl\",\n]",
        "except = [\n    \"shaders/external/**/*\",\n    \"shaders/lib.hlsl\",\n]",
        "include = [\n    \"include\",\n]",
    ] {
        assert!(written.contains(words), "{words}: {written}");
    }
    let answer = folder.run("check --format json").exits(0);
    assert_eq!(pairs(&answer), ["Frame Frame agree"]);
    assert_eq!(answer.json()["unmatched_blocks"][0]["block"], "Lib");
}

/// GCC gives `Frame` 32 bytes, of which the block has 8, and `Light` 16, the stride of the buffer.
/// DXC needs the macros of the build too, or it reports the `#error`.
#[test]
fn init_takes_the_macros_of_the_build() {
    let shader = "#ifndef GPU\n#error \"for GPUs\"\n#endif\ncbuffer cbBlur { float fRadius; LANE fWeight; };";
    let host = "struct BlurConstants { float radius, weight; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    folder.write("CMakeLists.txt", b"set(ARGS -DGPU=1 -DHALF={0,1} -DCMAKE_BUILD_TYPE=Debug -DDIR=${DIR})");
    std::fs::create_dir_all(folder.path("dx")).unwrap();
    folder.write("dx/CMakeLists.txt", b"set(ARGS ${ARGS} \"-DLANE=float\")");
    folder.run("init").exits(0).prints("wrote ./layoutproof.toml: 1 shader, 1 host file");
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("defines = [\n    \"GPU=1\",\n    \"HALF=0\",\n    \"LANE=float\",\n]"), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["cbBlur BlurConstants agree"]);
}

/// A program that compiles its shaders when it runs defines their macros there.
#[test]
fn init_tries_the_macros_that_shaders_ask_for() {
    let shader = "#if !defined(GPU) || !defined(LANES)\n#error \"not set\"\n#endif\n#include \"depth.hlsli\"\n\
                  cbuffer Blur { float radius, weight; float4 rest[LANES]; };";
    let host = "struct Blur { float radius, weight, pad[2], rest[1][4]; } b;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    folder.write("depth.hlsli", b"#ifndef DEPTH\n#error no depth\n#endif\n");
    folder.run("check a.hlsl host.o").exits(2).warns("error: #error: \"not set\"");
    let answer = folder.run("init").exits(0);
    answer.warns(
        "note: 1 shader needs macros whose values are unknown: the file sets each to 1; replace them with the values \
         that your program defines",
    );
    let written = folder.read("layoutproof.toml");
    assert!(written.contains("defines = [\n    \"DEPTH=1\",\n    \"GPU=1\",\n    \"LANES=1\",\n]"), "{written}");
    assert!(written.contains("# HLSL, with macros that the program defines when it runs: their values are guesses"));
    assert_eq!(pairs(&folder.run("check --format json").exits(0)), ["Blur Blur agree"]);
    // Without them, the line of the file names them all, next to what is compared.
    folder.write("b.hlsl", b"cbuffer Blur { float radius, weight; float4 rest[1]; };");
    std::fs::remove_file(folder.path("layoutproof.toml")).unwrap();
    let answer = folder.run("check a.hlsl b.hlsl host.o --format json").exits(2);
    let unread = answer.json()["unread"][0].to_string();
    assert!(unread.contains("give the values that your program defines: -D DEPTH=VALUE -D GPU=VALUE -D LANES=VALUE"));
}

#[test]
fn init_finds_the_folders_of_imports() {
    let shader = "import Lib.Sizes;\nstruct Frame { float4 light; float values[COUNT]; }\nConstantBuffer<Frame> frame;";
    let Some(folder) = folder_of(("a.slang", shader), "struct Frame { float light[4], values[5]; } f;") else { return };
    std::fs::create_dir_all(folder.path("src/Lib")).unwrap();
    folder.write("src/Lib/Sizes.slang", b"public static const int COUNT = 5;");
    folder.run("init").exits(0);
    assert!(folder.read("layoutproof.toml").contains("include = [\n    \"src\",\n]"));
    let answer = folder.run("check --target vulkan --format json").json();
    assert_eq!(answer["unread"].as_array().map(Vec::len), Some(0), "{answer}");
}

#[test]
fn a_stated_contract_is_kept() {
    let shader =
        "cbuffer Frame { float a, b; }; struct Light { float3 color; float range; }; StructuredBuffer<Light> lights;";
    let host = "struct Frame { float a, b, more[6]; } f; struct Light { float color[3], range; } l; struct Same { float a, b; } s;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    for (block, host, contract, outcome) in [
        ("Frame", "Frame", "equal", "differ"),
        ("Frame", "Same", "equal", "agree"),
        ("Frame", "Frame", "prefix", "agree"),
        ("Frame", "Frame", "stride", "differ"),
        ("lights", "Light", "stride", "agree"),
    ] {
        let map = format!("schema = 1\n[[map]]\nblock = \"{block}\"\nhost = \"{host}\"\ncontract = \"{contract}\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        let answer = folder.run("check a.hlsl host.o --format json").exits(i32::from(outcome == "differ")).json();
        let pair = answer["pairs"].as_array().unwrap().iter().find(|pair| pair["block"] == block).unwrap();
        assert_eq!(pair["outcome"], outcome, "{block} {contract}");
        if outcome == "differ" {
            assert_eq!(pair["mismatches"][0]["kind"], "contract-broken", "{block} {contract}");
        }
        assert!(!pair["remarks"].to_string().contains("first 8 bytes of the host") || contract != "prefix", "{pair}");
    }
    folder.write("layoutproof.toml", b"schema = 1\n[[map]]\nblock = \"Frame\"\ncontract = \"same\"\n");
    assert!(folder.run("check a.hlsl host.o").exits(2).err.contains("expected \"equal\", \"prefix\" or \"stride\""));
}

/// A lock file is written, what changes is found, and writing it again accepts the change.
#[test]
fn what_changes_after_the_lock_was_written_is_found() {
    let shader = "cbuffer Frame { float a, b; }; cbuffer Other { float c; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a, b; } f;") else { return };
    folder.write("layoutproof.toml", b"schema = 1\nhost = \"host.o\"\n[[shader]]\nfiles = \"*.hlsl\"\n");
    folder.run("check --lock").exits(2).warns("error: layoutproof.lock does not exist: `check --write-lock` writes it");
    folder.run("check --write-lock").exits(0).warns("note: wrote 2 layouts, 1 pair to layoutproof.lock");
    let lock = folder.read("layoutproof.lock");
    assert!(lock.lines().skip(1).is_sorted(), "{lock}");
    assert!(lock.starts_with("schema\t1\nlayout\ta.hlsl\tFrame\tnative:dxc-dxil\t8 bytes "), "{lock}");
    assert!(lock.contains("\npair\ta.hlsl\tFrame\tnative:dxc-dxil\tFrame\nunmatched\ta.hlsl\tOther\t"), "{lock}");
    folder.run("check --lock").exits(0);

    let changes = |words: &str| {
        let answer = folder.run(&format!("{words} --format json")).exits(1).json();
        let complaints = answer["complaints"].as_array().unwrap().clone();
        complaints.iter().map(|it| it.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // A member moved in the shader, which reads only a part of the struct; and a block is new.
    folder.write("a.hlsl", b"cbuffer Frame { float a; }; cbuffer Other { float c; }; cbuffer New { float d; };");
    let found = changes("check --lock");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0] == "`Frame` of a.hlsl for D3D12 · DXC has another layout: 4 bytes instead of 8 bytes",
        "{found:?}"
    );
    assert!(found[1] == "`New` of a.hlsl for D3D12 · DXC is a new block without a host struct", "{found:?}");
    folder.run("check --lock --format junit").exits(1).prints("<testsuites name=\"layoutproof check\" tests=\"5\"");
    folder.run("check --write-lock").exits(0);
    folder.run("check --lock").exits(0);

    // The block with the struct goes, in another shader that is named.
    folder.write("a.hlsl", b"cbuffer Other { float c; }; cbuffer New { float d; };");
    folder.write("b.hlsl", b"cbuffer Frame { float a; };");
    let found = changes("check --lock");
    assert_eq!(found, ["`Frame` of a.hlsl for D3D12 · DXC is gone, which `Frame` filled"]);
    folder.run("check b.hlsl --lock").exits(0);

    folder.write("layoutproof.lock", format!("{lock}<<<<<<< HEAD\n").as_bytes());
    folder.run("check --lock").exits(2).warns(
        "error: layoutproof.lock:6: not a line of a lock file: `<<<<<<< HEAD`; `check --write-lock` writes it again",
    );
}

/// GCC gives `Header` 16 bytes, `Small` 12 and `Light` 16; GLSL's std430 starts the elements at byte 16.
#[test]
fn a_header_and_elements_fill_a_buffer() {
    let shader = "#version 450\nstruct L { vec3 place; float range; };\nlayout(std430, binding = 0) buffer Lights { uint count; uint first; \
                  uint last; L lights[]; };\nvoid main() { lights[0].range = 1.0; }\n";
    let host = "struct Header { unsigned count, first, last, pad; } h; struct Small { unsigned count, first, last; } s; \
                struct Light { float place[3], range; } l; struct Short { float place[3]; } m; \
                struct Wrong { float range, place[3]; } w;";
    let Some(folder) = folder_of(("a.frag", shader), host) else { return };
    for (stated, kind) in [
        ("Header + Light[]", ""),
        ("Small + Light[]", "offset-moved"),
        ("Header + Short[]", "stride-differs"),
        ("Header + Wrong[]", "offset-moved"),
    ] {
        let map = format!("schema = 1\n[[map]]\nblock = \"Lights\"\nhost = \"{stated}\"\n");
        folder.write("layoutproof.toml", map.as_bytes());
        let answer = folder.run("check a.frag host.o --format json").exits(i32::from(!kind.is_empty()));
        let outcome = if kind.is_empty() { "agree" } else { "differ" };
        assert_eq!(pairs(&answer), [format!("Lights {stated} {outcome}")], "{answer}");
        let found = &answer.json()["pairs"][0]["mismatches"][0]["kind"];
        assert_eq!(found.as_str().unwrap_or_default(), kind, "{answer}");
    }
    for (stated, message) in [
        ("Header + Light", "a host is TYPE, TYPE[2] or HEADER + TYPE[]"),
        ("Header + Absent[]", "no host file defines `Absent`"),
    ] {
        folder.write(
            "layoutproof.toml",
            format!("schema = 1\n[[map]]\nblock = \"Lights\"\nhost = \"{stated}\"\n").as_bytes(),
        );
        assert!(folder.run("check a.frag host.o").exits(2).err.contains(message), "{stated}");
    }
}

/// Two programs fill one block with structs of their own, and one of them has its members in another order.
#[test]
fn several_structs_for_one_block_are_all_compared() {
    let shader = "cbuffer Material { float3 albedo; float roughness; };";
    let host = "namespace game { struct Material { float albedo[3], roughness; } m; } \
                namespace editor { struct Material { float roughness, albedo[3]; } m; } struct Third { float albedo[3], roughness; } t;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let map =
        "schema = 1\n[[map]]\nblock = \"Material\"\nhost = [\"game::Material\", \"editor::Material\", \"Third\"]\n";
    folder.write("layoutproof.toml", map.as_bytes());
    let outcomes = ["Material game::Material agree", "Material editor::Material differ", "Material Third agree"];
    assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(1)), outcomes);
    let answer = folder.run("check a.hlsl host.o").exits(1);
    let answer = answer.prints("Mirrors 3 mirrors of `Material`, 1 differs; Third, game::Material agree");
    assert_eq!((answer.out.matches("Agree ").count(), answer.out.matches("Differ ").count()), (0, 1), "{answer}");
    let words = "--map Material=game::Material --map Material=Third";
    assert_eq!(pairs(&folder.run(&format!("check a.hlsl host.o {words} --format json")).exits(0)).len(), 2);
}

/// One struct of the host, with copies in three languages.
#[test]
fn copies_in_several_languages_are_mirrors() {
    let hlsl = "cbuffer Material { float4 albedo; float roughness; float metallic; };";
    let Some(folder) = folder_of(("a.hlsl", hlsl), "struct Material { float albedo[4], roughness, metallic; } m;")
    else {
        return;
    };
    let glsl = "#version 450\nlayout(binding = 0) uniform Material { vec4 albedo; float metallic; float roughness; };\nvoid main() {}\n";
    let wgsl = "struct Material { albedo: vec4<f32>, roughness: f32, metallic: f32 }\n@group(0) @binding(0) var<uniform> material: Material;\n\
                @compute @workgroup_size(1) fn main() { _ = material.metallic; }\n";
    folder.write("b.frag", glsl.as_bytes());
    folder.write("c.wgsl", wgsl.as_bytes());
    let answer = folder.run("check a.hlsl b.frag c.wgsl host.o").exits(1);
    let answer = answer.prints("Mirrors 3 mirrors of `Material`, 1 differs; a.hlsl, c.wgsl agree");
    answer.prints("! swapped names: `metallic` of the host fills `roughness` of the");
}

/// The host uploads an array of `Light`, each of 16 bytes, and has no struct of the whole block.
#[test]
fn several_structs_in_a_row_fill_a_block() {
    let shader = "struct L { float3 place; float range; }; cbuffer Lights { L lights[2]; };";
    let host = "struct Light { float place[3], range; } l; struct Wrong { float range, place[3]; } w;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    for (stated, outcome) in
        [("Light[2]", "agree"), ("Light[3]", "differ"), ("Light[1]", "differ"), ("Wrong[2]", "differ")]
    {
        let code = i32::from(outcome == "differ");
        let answer = folder.run(&format!("check a.hlsl host.o --map Lights={stated} --format json")).exits(code);
        assert_eq!(pairs(&answer), [format!("Lights {stated} {outcome}")], "{answer}");
    }
    folder.run("check a.hlsl host.o --map Lights=Light[0]").exits(2);
    folder.write("b.hlsl", shader.replace("L lights[2];", "L sun; L moon;").as_bytes());
    let answer = folder.run("check b.hlsl host.o --map Lights=Light[2] --format json").exits(0);
    assert_eq!(pairs(&answer), ["Lights Light[2] agree"]);
}

/// Each program of this kind is one sentence, and does not stop the others.
#[test]
fn programs_that_say_little_are_said() {
    let shader = "cbuffer Frame { float a, b; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct Frame { float a, b; } frame; int main() {}") else {
        return;
    };
    let run = |words: &str| {
        let mut words = words.split(' ');
        let mut command = Command::new(words.next().unwrap());
        assert!(command.args(words).current_dir(folder.path(".")).status().unwrap().success());
    };
    run("g++ -gdwarf-5 -gsplit-dwarf -c host.cpp -o split.o");
    folder.write("other.cpp", b"struct Frame { float c; } frame; int main() {}");
    run("g++ -gdwarf-5 -gsplit-dwarf -c host.cpp -o stale.o");
    run("g++ -gdwarf-5 -gsplit-dwarf -c other.cpp -o other.o");
    std::fs::copy(folder.path("other.dwo"), folder.path("stale.dwo")).unwrap();
    std::fs::remove_file(folder.path("split.dwo")).unwrap();
    run("g++ -g -s host.cpp -o stripped");
    for (name, sentence) in [
        ("split.o", "warning: split.o: its debug information is in `split.dwo`, which was not found"),
        ("stale.o", "warning: stale.dwo: `stale.dwo` belongs to another build"),
        ("stripped", "warning: stripped: no debug information; compile with `-g`"),
    ] {
        let answer = folder.run(&format!("check a.hlsl {name}")).exits(4);
        assert_eq!(answer.err.matches(sentence).count(), 1, "{answer}");
        assert_eq!(answer.err.matches("warning: ").count(), 1, "{answer}");
        assert!(answer.out.contains("Summary nothing was compared, 1 block without a host struct"), "{answer}");
        let answer = folder.run(&format!("check a.hlsl {name} host.o --format json")).exits(0);
        assert_eq!(pairs(&answer), ["Frame Frame agree"]);
    }

    // Debug information that contradicts itself: members that share bytes, and a struct that contains itself.
    let float = "float: .byte 6, 4, 4";
    let member =
        |name: &str, ty: &str, at: u32| format!(".byte 3\n.asciz \"{name}\"\n.long {ty} - start\n.byte {at}\n");
    let overlap = format!("{}{}.byte 0\n{float}", member("a", "float", 0), member("b", "float", 2));
    let cycle = format!("{}.byte 0\nagain: .byte 4\n.asciz \"Again\"\n.long frame - start", member("a", "again", 0));
    for (name, body, sentence) in [
        ("overlap", overlap, "type `Frame` at 0xc: its member `a` and its member `b` share bytes"),
        ("cycle", cycle, "type `Frame` at 0xc contains more than 200 levels of types, or itself"),
    ] {
        folder.write(&format!("{name}.s"), dwarf_unit(&body).as_bytes());
        run(&format!("gcc -c {name}.s -o {name}.o"));
        let answer = folder.run(&format!("check a.hlsl {name}.o --format json")).exits(4);
        assert!(answer.err.contains(&format!("warning: {name}.o: {sentence}")), "{answer}");
        let reason = answer.json()["unmatched_blocks"][0]["reason"].clone();
        assert_eq!(reason, "the debug information of `Frame` contradicts itself, so nothing is compared with it");
    }

    // Files of 2 GiB that take no room on the disk: an object with zeros after it, and zeros alone.
    std::fs::copy(folder.path("host.o"), folder.path("large.o")).unwrap();
    for name in ["large.o", "zeros.o"] {
        let file =
            std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(folder.path(name)).unwrap();
        file.set_len(2 << 30).unwrap();
    }
    assert_eq!(pairs(&folder.run("check a.hlsl large.o --format json").exits(0)), ["Frame Frame agree"]);
    let answer = folder.run("check a.hlsl zeros.o").exits(2);
    assert_eq!(answer.err, "error: zeros.o: not an object file, library, executable or PDB\n");
}

/// A DWARF 4 unit with the struct `Frame` of 8 bytes, as assembler text: its members and what follows it are
/// `body`. Abbreviations: 1 unit, 2 struct, 3 member, 4 typedef, 6 base type (encoding 4 is a float; DWARF 4, 7.8).
fn dwarf_unit(body: &str) -> String {
    format!(
        ".section .debug_abbrev\n\
         .byte 1, 0x11, 1, 0, 0\n\
         .byte 2, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0, 0\n\
         .byte 3, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0, 0\n\
         .byte 4, 0x16, 0, 0x03, 0x08, 0x49, 0x13, 0, 0\n\
         .byte 6, 0x24, 0, 0x0b, 0x0b, 0x3e, 0x0b, 0, 0\n\
         .byte 0\n\
         .section .debug_info\n\
         start: .long end - version\n\
         version: .short 4\n.long 0\n.byte 8\n.byte 1\n\
         frame: .byte 2\n.asciz \"Frame\"\n.byte 8\n{body}\n.byte 0\nend:\n"
    )
}

/// GCC aligns a `double` of a struct to 4 bytes for i386, and to 8 for x86-64.
#[test]
fn programs_of_32_and_64_bits_may_lay_out_structs_differently() {
    let shader = "struct Same { float a; float b; }; struct Other { float a; double b; }; ConstantBuffer<Same> s; \
                  StructuredBuffer<Other> o;";
    let host = "struct Same { float a, b; } s; struct Other { float a; double b; } o;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let narrow = Command::new("g++")
        .args(["-m32", "-g", "-c", "host.cpp", "-o", "narrow.o"])
        .current_dir(folder.path("."))
        .status();
    if !narrow.unwrap().success() {
        return;
    }
    let answer = folder.run("check a.hlsl host.o narrow.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["s Same agree", "o Other differ"]);
    let message = answer.json()["pairs"][1]["mismatches"][0]["message"].clone();
    assert_eq!(message, "several layouts: the host program has another `Other`: 12 bytes in narrow.o");
}

/// In D3D12, `Light` has 24 bytes: DXC packs structured buffers as C++ does. In Vulkan (std430) its vectors start at
/// multiples of 16.
const LIGHTS: &str = "struct Light { float3 position; float3 color; };\nStructuredBuffer<Light> lights;\n";
const PACKED: &str = "struct Light { float position[3], color[3]; } l;";
const ALIGNED: &str = "struct Light { float position[3], pad0, color[3], pad1; } l;";

#[test]
fn the_target_for_which_blocks_agree_is_named() {
    for (shader, host, language, target, title) in [
        ("a.slang", PACKED, "slang", "d3d12", "Target 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang"),
        ("a.hlsl", ALIGNED, "hlsl", "vulkan", "Target 1 of 1 block agrees for Vulkan · DXC, 0 for D3D12 · DXC"),
    ] {
        let Some(folder) = folder_of((shader, LIGHTS), host) else { return };
        let answer = folder.run(&format!("check {shader} host.o --format json")).exits(1).json();
        let better = &answer["better_targets"];
        assert_eq!(
            better,
            &serde_json::json!([{"language": language, "target": target, "agree": 1, "agree_now": 0, "of": 1}])
        );
        assert_eq!(answer["pairs"][0]["agrees_for"][0], target);
        let answer = folder.run(&format!("check {shader} host.o")).exits(1);
        assert!(answer.out.contains(title), "{}", answer.out);

        // A target that something names has no better one.
        let right = folder.run(&format!("check {shader} host.o --target {target} --format json")).exits(0).json();
        assert!(right["better_targets"].is_null() && right["pairs"][0]["agrees_for"].is_null(), "{right}");
        let usual = if target == "d3d12" { "vulkan" } else { "d3d12" };
        let named = format!("check {shader} host.o --target {usual} --format json");
        assert!(folder.run(&named).exits(1).json()["better_targets"].is_null());
        folder.write("layoutproof.toml", format!("schema = 1\ntarget = \"{usual}\"\n").as_bytes());
        let named = folder.run(&format!("check {shader} host.o --format json")).exits(1).json();
        assert!(named["better_targets"].is_null() && named["pairs"][0]["agrees_for"].is_null(), "{named}");
    }
}

/// Each target is right for one of the blocks, so none is better.
#[test]
fn a_block_that_agrees_for_another_target_says_so() {
    let shader = format!("{LIGHTS}struct Probe {{ float3 position; float3 sky; }};\nStructuredBuffer<Probe> probes;\n");
    let host = format!("{PACKED} struct Probe {{ float position[3], pad0, sky[3], pad1; }} p;");
    let Some(folder) = folder_of(("a.slang", &shader), &host) else { return };
    let answer = folder.run("check a.slang host.o --format json").exits(1);
    assert_eq!(pairs(&answer), ["lights Light differ", "probes Probe agree"]);
    assert!(answer.json()["better_targets"].is_null());
    let text = folder.run("check a.slang host.o").exits(1).out;
    assert!(text.contains("agrees for D3D12 · Slang"), "{text}");
    assert!(text.contains("`target = \"d3d12\"`"), "{text}");

    // A mistake is one for every target.
    let wrong = host.replace("color[3]", "other, color[3]");
    folder.write("host.cpp", wrong.as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.slang host.o --format json").exits(1).json();
    assert!(answer["pairs"][0]["agrees_for"].is_null(), "{answer}");
}

#[test]
fn init_chooses_the_target_that_fits() {
    let Some(folder) = folder_of(("a.slang", LIGHTS), PACKED) else { return };
    folder.write("b.hlsl", b"cbuffer Other { float4 a; };");
    let answer = folder.run("init").exits(0);
    answer.prints("target of Slang: 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang");
    let written = folder.read("layoutproof.toml");
    // One block may as well be a mistake, which a target in the file would hide.
    let reason = "# 1 of 1 block agrees for D3D12 · Slang, 0 for Vulkan · Slang. If the program ships for that:\n# target = \"d3d12\"\n";
    assert_eq!((written.matches(reason).count(), written.matches("target =").count()), (1, 1), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(1)), ["lights Light differ"]);
}

/// Three blocks are no accident.
#[test]
fn init_writes_the_target_for_which_several_blocks_agree() {
    let names = ["Light", "Lamp", "Probe"];
    let shader = names.map(|name| {
        format!("struct {name} {{ float3 position; float3 color; }};\nStructuredBuffer<{name}> all{name};\n")
    });
    let host = names.map(|name| format!("struct {name} {{ float position[3], color[3]; }} v{name};\n"));
    let Some(folder) = folder_of(("a.slang", &shader.concat()), &host.concat()) else { return };
    folder.run("init").exits(0);
    let written = folder.read("layoutproof.toml");
    let reason = "# 3 of 3 blocks agree for D3D12 · Slang, 0 for Vulkan · Slang.\ntarget = \"d3d12\"\n";
    assert_eq!((written.matches(reason).count(), written.matches("target =").count()), (1, 1), "{written}");
    assert_eq!(pairs(&folder.run("check --format json").exits(0)).len(), 3);
}

/// A repository of samples, of which only one is compiled: its `PushConstants` is not that of the others.
#[test]
fn a_generic_name_in_a_class_needs_the_blocks_members() {
    let pushed =
        |members: &str| format!("struct PushConstants {{ {members} }}; [[vk::push_constant]] PushConstants pc;");
    let host = "struct Timing { struct PushConstants { float matrix[8]; float color[4]; } p; } t;";
    let Some(folder) = folder_of(("a.hlsl", &pushed("float4 color;")), host) else { return };
    for members in ["float4 color;", "float4x4 model; float4 color;", "uint value;", "float4 rows[2]; uint kind;"] {
        folder.write("a.hlsl", pushed(members).as_bytes());
        let answer = folder.run("check a.hlsl host.o --target vulkan --format json").exits(4).json();
        let reason = answer["unmatched_blocks"][0]["reason"].as_str().unwrap();
        assert!(reason.starts_with("`Timing::PushConstants` has its name"), "{members}: {reason}");
    }
    // All members, one of them elsewhere, are a mistake in the block's own struct.
    folder.write("a.hlsl", pushed("float4 color; float4 matrix[2];").as_bytes());
    let words = "check a.hlsl host.o --target vulkan --format json";
    assert_eq!(pairs(&folder.run(words).exits(1)), ["pc Timing::PushConstants differ"]);
    // So is a struct outside of any class.
    folder.write("a.hlsl", pushed("float4 color;").as_bytes());
    folder.write("host.cpp", b"struct PushConstants { float matrix[8]; float color[4]; } p;");
    compile(&folder, "host");
    assert_eq!(pairs(&folder.run(words).exits(1)), ["pc PushConstants differ"]);
}

/// One name is little evidence: the struct of the shader's own program is taken only if its bytes agree.
#[test]
fn a_block_of_one_member_needs_its_bytes() {
    let Some(folder) = folder_of(("a.txt", ""), "struct Other { unsigned values[1]; } o;") else { return };
    std::fs::create_dir_all(folder.path("demo")).unwrap();
    folder.write("demo/a.hlsl", b"struct Blob { uint4 values[3]; };\nStructuredBuffer<Blob> items;\n");
    for (count, code, found) in [(12, 0, &["items Payload agree"][..]), (20, 4, &[])] {
        folder.write("demo/host.cpp", format!("struct Payload {{ unsigned values[{count}]; }} p;").as_bytes());
        compile(&folder, "demo/host");
        let answer = folder.run("check demo/a.hlsl demo/host.o host.o --format json").exits(code);
        assert_eq!(pairs(&answer), found, "{count}");
    }
}
