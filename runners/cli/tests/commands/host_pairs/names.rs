//! Blocks and structs are paired by their names, and by the comments of shaders.

use std::process::Command;

use super::{compile, folder_of, pairs};

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
    let answer = folder.run("check a.hlsl host.o --target vulkan --format json").exits(0);
    assert_eq!(pairs(&answer), ["consts gpu::Pass::draw::Push agree"]);
    let other = &answer.json()["pairs"][0]["alternatives"][0];
    assert_eq!((&other["host"], &other["members_placed"]), (&"gpu::Pass::blur::Push".into(), &1.into()));
    let words = "check a.hlsl host.o --target vulkan --map consts=gpu::Pass::draw::Push --format json";
    assert_eq!(pairs(&folder.run(words).exits(0)), ["consts gpu::Pass::draw::Push agree"]);
}

/// DXC 1.7.2308 ignores the attribute for DXIL, and slangc 2026.14.1 makes a constant of it for
/// SPIR-V, WGSL and Metal.
#[test]
fn specialization_constants_are_globals_only_for_d3d() {
    let shader = "[[vk::constant_id(0)]] const int SAMPLES = 8; cbuffer PerFrame { float exposure; };";
    let Some(folder) = folder_of(("a.hlsl", shader), "struct alignas(16) PerFrame { float exposure; } p;") else {
        return;
    };
    for (target, blocks) in [("d3d12", 1), ("vulkan", 0), ("metal", 0), ("webgpu", 0)] {
        let answer = folder.run(&format!("check a.hlsl host.o --target {target} --format json")).exits(0);
        assert_eq!(answer.json()["unmatched_blocks"].as_array().unwrap().len(), blocks, "{target}");
    }
}

/// `Camera` of a renderer is a class of its own, and not the block `camera`. Under the block's exact name,
/// or if it is stated, it is compared.
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

#[test]
fn what_rests_on_bytes_alone_is_said() {
    let shader = "cbuffer Frame { float4 eyeAndNear; float4 fog; };";
    let host = "struct Frame { float eye[3]; float nearPlane; float fog[4]; } f;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o").exits(0);
    answer.prints("note 1 of 2 members by offsets only: the host lacks their names");
}

/// One struct of the host, with copies in three languages.
#[test]
fn copies_in_several_languages_are_mirrors() {
    let hlsl = "cbuffer Material { float4 albedo; float roughness; float metallic; };";
    let Some(folder) =
        folder_of(("a.hlsl", hlsl), "struct alignas(16) Material { float albedo[4], roughness, metallic; } m;")
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

/// Each host has a struct with the block's name, and another one with its members at their places.
#[test]
fn members_come_before_names() {
    let config = "#version 450\nlayout(push_constant) uniform Config { float ssaoRadius; float ssaoStrength; } config;\n\
                  layout(location = 0) out vec4 o;\nvoid main() { o = vec4(config.ssaoRadius); }\n";
    let counts = "#version 450\nlayout(push_constant) uniform parameter { uint ne0; uint ne1; uint nb0; uint nb1; uint first; } p;\n\
                  void main() {}\n";
    let sky = "cbuffer SkyConstants : register(b0) { float4x4 ProjInverse; float4 Horizon; };\n\
               float4 main() : SV_Position { return mul(ProjInverse, Horizon); }\n";
    for (shader, host, expected) in [
        (
            ("a.frag", config),
            "namespace app { struct Config { unsigned width, height; bool vsync; } c; }\n\
             namespace ssao { struct ConfigUniform { float ssao_radius, ssao_strength; } u; }",
            "config ssao::ConfigUniform agree",
        ),
        (
            ("a.comp", counts),
            "struct count_push_constants { unsigned ne0, ne1, nb0, nb1, first; } a;\n\
             struct upscale_push_constants { unsigned ne, first, other, ne0, ne1, nb0, nb1; } b;",
            "p count_push_constants agree",
        ),
        (
            ("a.hlsl", sky),
            "struct M { float m[16]; }; struct V { float v[4]; };\n\
             struct SkyConstants { M modelToProjection; V viewer; } c; struct SkyDome { M ProjInverse; V Horizon; } d;",
            "SkyConstants SkyDome agree",
        ),
    ] {
        let Some(folder) = folder_of(shader, host) else { return };
        let answer = folder.run(&format!("check {} host.o --format json", shader.0)).exits(0);
        assert_eq!(pairs(&answer), [expected], "{host}");
    }
}

const LIGHTS: &str = "#version 450\nstruct Light { vec3 position; float radius; vec3 color; float intensity; };\n\
                      layout(set = 0, binding = 0) readonly buffer Lights { Light lights[]; };\nvoid main() {}\n";

/// The program has a `Light` of its own, and uploads another struct. The one that fits is taken; if none does, the
/// nearest is compared. The other one is named.
#[test]
fn the_uploaded_form_of_a_struct_is_taken() {
    let wgsl = "struct Light { position: vec3f, radius: f32, color: vec3f, intensity: f32 }\n\
                @group(0) @binding(0) var<storage> lights: array<Light>;\n\
                @compute @workgroup_size(1) fn main() { _ = lights[0].radius; }\n";
    let hlsl = "struct Shade { float bias; float fade; float far; }; struct Light { float3 position; float radius; float3 color; \
                float intensity; Shade shade; float rest; };\nStructuredBuffer<Light> lights;\n";
    let counted = "#version 450\nstruct Light { vec3 position; float radius; vec3 color; float intensity; };\n\
                   layout(std430, binding = 0) buffer Lights { uint count; uint more[3]; Light lights[]; };\nvoid main() {}\n";
    let own = "float position[3], radius, color[3]; int tile; float intensity;";
    let right = "float position[3], radius, color[3], intensity;";
    let wrong = "float position[3], radius, intensity, color[3];";
    let shade = "float bias, fade, far;";
    let Some(folder) = folder_of(("a.comp", LIGHTS), "") else { return };
    folder.write("a.wgsl", wgsl.as_bytes());
    folder.write("a.hlsl", hlsl.as_bytes());
    folder.write("b.comp", counted.as_bytes());
    for (shader, host, taken, other) in [
        ("a.comp", format!("struct Light {{ {own} }} a; struct GpuLight {{ {right} }} b;"), "GpuLight agree", "Light"),
        (
            "a.wgsl",
            format!("struct Light {{ {own} }} a; struct LightUniform {{ {right} }} b;"),
            "LightUniform agree",
            "Light",
        ),
        (
            "b.comp",
            format!("struct Light {{ {own} }} a; struct LightGPUData {{ {right} }} b;"),
            "LightGPUData agree",
            "Light",
        ),
        (
            "a.hlsl",
            format!(
                "struct Shade {{ {shade} }}; struct Light {{ {own} Shade shade; float rest; }} a; \
                     namespace gpu {{ struct RawLight {{ {right} Shade shade; float rest; }} b; }}"
            ),
            "gpu::RawLight agree",
            "Light",
        ),
        // Neither fits: the uploaded one if it is as near, else the other.
        ("a.comp", format!("struct Light {{ {own} }} a; struct GpuLight {{ {wrong} }} b;"), "GpuLight differ", "Light"),
        (
            "a.comp",
            "struct Light { float position[3]; int radius; float color[3], intensity; } a; \
             struct GpuLight { float color[3], radius, position[3], intensity, more; } b;"
                .to_owned(),
            "Light differ",
            "GpuLight",
        ),
        // The program's own fits, and nothing tells that it is not uploaded.
        (
            "a.comp",
            format!("struct Light {{ {right} }} a; struct GpuLight {{ {wrong} }} b;"),
            "Light agree",
            "GpuLight",
        ),
        // A name that only contains the other one says less.
        (
            "a.comp",
            format!("struct Light {{ {own} }} a; struct LightRecord {{ {right} }} b;"),
            "LightRecord agree",
            "Light",
        ),
        ("a.comp", format!("struct Light {{ {own} }} a; struct LightRecord {{ {wrong} }} b;"), "Light differ", ""),
    ] {
        folder.write("host.cpp", host.as_bytes());
        compile(&folder, "host");
        let answer = folder.run(&format!("check {shader} host.o --format json"));
        let answer = answer.exits(i32::from(taken.ends_with("differ"))).json();
        let pair = &answer["pairs"][0];
        assert_eq!(
            format!("{} {}", pair["host"].as_str().unwrap(), pair["outcome"].as_str().unwrap()),
            taken,
            "{host}"
        );
        assert_eq!(pair["alternatives"][0]["host"].as_str().unwrap_or_default(), other, "{host}");
    }
    folder.write("host.cpp", format!("struct Light {{ {own} }} a; struct GpuLight {{ {right} }} b;").as_bytes());
    compile(&folder, "host");
    folder
        .run("check a.comp host.o")
        .exits(0)
        .prints("maybe `Light`: 3 of 4 members have their place there; it would differ");
    for (map, code) in [("GpuLight", 0), ("Light", 1), ("GpuLight[]", 0), ("Nope", 2)] {
        folder.run(&format!("check a.comp host.o --map Lights.lights[]={map}")).exits(code);
    }
    let map = "schema = 1\n[[map]]\nblock = \"Lights.lights[]\"\nhost = \"Light\"\n";
    folder.write("layoutproof.toml", map.as_bytes());
    assert_eq!(pairs(&folder.run("check a.comp host.o --format json").exits(1)), ["Lights Light differ"]);
}

/// Of structs with one name, those with the same bytes are one, and the one that fits is taken. Otherwise the user must
/// choose, and sees where each is.
#[test]
fn structs_of_one_name_are_told_apart_by_their_members() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Ratio { float u; float v; };"), "") else { return };
    let both = |color: &str, msaa: &str| {
        format!(
            "namespace color {{ struct Ratio {{ {color} }} r; }}\nnamespace msaa {{ struct Ratio {{ {msaa} }} r; }}"
        )
    };
    for (color, msaa, code, pair) in [
        ("float u, v, pad[2];", "float u, v, pad[2];", 0, "Ratio color::Ratio agree"),
        ("float v, u, pad[2];", "float v, u, pad[2];", 1, "Ratio color::Ratio differ"),
        ("float v, u;", "float u, v;", 0, "Ratio msaa::Ratio agree"),
        ("float u; int v;", "float u, v, more;", 0, "Ratio msaa::Ratio agree"),
    ] {
        folder.write("host.cpp", both(color, msaa).as_bytes());
        compile(&folder, "host");
        assert_eq!(pairs(&folder.run("check a.hlsl host.o --format json").exits(code)), [pair], "{color} {msaa}");
    }
    folder.write("host.cpp", both("float v, u;", "float u; int v;").as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.hlsl host.o --format json").exits(1);
    let reason = answer.json()["unmatched_blocks"][0]["reason"].as_str().unwrap().to_owned();
    let places = "`color::Ratio` (host.cpp:1), `msaa::Ratio` (host.cpp:2)";
    assert_eq!(reason, format!("several host structs have its name: {places}; choose one with --map BLOCK=TYPE"));
}

/// Units spell a vector as an array, a class, or a class with several names for a component, as glm does. Exchanged members and
/// other numbers are other layouts.
#[test]
fn structs_of_one_name_with_the_same_bytes_are_one() {
    let shader = "struct Light { float3 eye; float near; float4x4 view; }; StructuredBuffer<Light> lights;";
    let Some(folder) = folder_of(("a.hlsl", shader), "") else { return };
    let unit =
        |types: &str, eye: &str, view: &str| format!("{types} struct Light {{ {eye} float near; {view} }} light;");
    let array = unit("", "float eye[3];", "float view[4][4];");
    let glm = "struct V3 { union { float x, r, s; }; union { float y, g, t; }; union { float z, b, p; }; }; \
               struct V4 { float x, y, z, w; }; struct M4 { V4 value[4]; };";
    let exchanged = ["from, to", "to, from"].map(|members| {
        unit(&format!("struct Range {{ float {members}; }};"), "Range eye; float more;", "float view[4][4];")
    });
    for (one, other, code) in [
        (&array, unit(glm, "V3 eye;", "M4 view;"), 0),
        (&array, unit("struct V3 { float x, y, z; };", "V3 eye;", "float view[16];"), 0),
        (&unit("struct V3 { float r, g, b; };", "V3 eye;", "float view[16];"), unit(glm, "V3 eye;", "M4 view;"), 0),
        (&array, unit("", "int eye[3];", "float view[4][4];"), 1),
        (&array, unit("", "float eye[3];", "double view[2][4];"), 1),
        (&exchanged[0], exchanged[1].clone(), 1),
    ] {
        folder.write("host.cpp", one.as_bytes());
        folder.write("main.cpp", format!("{}\nint main() {{}}", other.replace("} light;", "} other;")).as_bytes());
        compile(&folder, "host");
        compile(&folder, "main");
        let linked = Command::new("g++").args(["host.o", "main.o", "-o", "app"]).current_dir(folder.path(".")).status();
        assert!(linked.unwrap().success());
        for hosts in ["host.o main.o", "app"] {
            let answer = folder.run(&format!("check a.hlsl {hosts} --format json")).exits(code).json();
            let mismatches = answer["pairs"][0]["mismatches"].as_array().unwrap();
            let is_several = mismatches.iter().any(|it| it["message"].to_string().contains("several layouts"));
            assert_eq!(is_several, code == 1, "{hosts}: {other}");
        }
    }
}

/// As in `UnrealEngineSkyAtmosphere`: the block's name is that of a buffer that the program only declares. A struct that alone has
/// all members is the block's; one with a mistake is proposed, since the other may be meant.
#[test]
fn a_struct_with_all_members_wins_over_a_declaration() {
    let Some(folder) = folder_of(("a.hlsl", "cbuffer Sky { float3 sun; float size; float2 wind; };"), "") else {
        return;
    };
    for (members, found, code) in
        [("float sun[3], size, wind[2];", &["Sky SkyStructure agree"][..], 0), ("float size, sun[3], wind[2];", &[], 4)]
    {
        let host = format!(
            "struct Sky; struct SkyStructure {{ {members} }}; struct Game {{ Sky* sky; SkyStructure now; }} game;"
        );
        folder.write("host.cpp", host.as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.hlsl host.o --format json").exits(code);
        assert_eq!(pairs(&answer), found, "{members}");
        assert_eq!(answer.json()["unmatched_blocks"].as_array().unwrap().is_empty(), code == 0, "{members}");
    }
}

/// A program's own `Camera` is no host of a block with that name and none of its members. One with as many members may be.
#[test]
fn a_name_alone_makes_no_pair_of_different_things() {
    let shader = "#version 450\nlayout(push_constant) uniform Camera { mat4 viewProj; } camera;\nvoid main() {}\n";
    let Some(folder) = folder_of(("a.vert", shader), "") else { return };
    for (members, expected, code) in [
        ("float position[3], direction[3], fov, aspect, near_clip, far_clip;", None, 4),
        ("float fov, aspect, far_clip, view_proj[16];", Some("differ"), 1),
        ("unsigned pad; float matrix[16];", Some("differ"), 1),
        ("float matrix[16];", Some("agree"), 0),
    ] {
        folder.write("host.cpp", format!("struct Camera {{ {members} }} c;").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.vert host.o --format json").exits(code).json();
        assert_eq!(answer["pairs"][0]["outcome"].as_str(), expected, "{members}");
    }
}

/// Of four structs with the block's name, one agrees and has most of its members: its matrix has another name. The one with
/// padding agrees by its bytes alone.
#[test]
fn the_only_agreeing_one_of_several_is_taken() {
    let shader = "struct Uniforms { projection: mat4x4f, camera_pos: vec4f, light_color: vec4f }\n@group(0) @binding(0) var<uniform> uniforms: Uniforms;\n";
    let others = "namespace quad { struct Uniforms { float transform[16], scale, pad[3]; } u; } namespace image { struct Uniforms { float transform[16]; } u; } \
                  namespace triangle { struct Uniforms { float transform[16], pad[48]; } u; }";
    let Some(folder) = folder_of(("a.wgsl", shader), "") else { return };
    for (members, code) in
        [("camera_pos[4], light_color[4]", 0), ("light_color[4], camera_pos[4]", 1), ("first[4], second[4]", 1)]
    {
        let scene = format!("namespace scene {{ struct Uniforms {{ float camera_proj[16], {members}; }} u; }}");
        folder.write("host.cpp", format!("{others} {scene}").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.wgsl host.o --format json").exits(code);
        let expected: &[&str] = if code == 0 { &["uniforms scene::Uniforms agree"] } else { &[] };
        assert_eq!(pairs(&answer), expected, "{members}");
    }
}

/// A mistake in the uploaded struct is found there, and not in a struct of the program that has only the block's name.
#[test]
fn a_mistake_is_found_in_the_struct_with_the_members() {
    let shader = "#version 450\nlayout(push_constant) uniform Config { float radius; float strength; } config;\nvoid main() {}\n";
    let Some(folder) = folder_of(("a.frag", shader), "") else { return };
    let own = "struct Config { unsigned width, height, samples, mode, vsync, env; } c;";
    for (members, code) in
        [("float strength, radius;", 1), ("float pad, radius, strength;", 1), ("float radius, strength;", 0)]
    {
        folder.write("host.cpp", format!("{own} struct ConfigUniform {{ {members} }} u;").as_bytes());
        compile(&folder, "host");
        let answer = folder.run("check a.frag host.o --format json").exits(code);
        let outcome = ["agree", "differ"][usize::from(code == 1)];
        assert_eq!(pairs(&answer), [format!("config ConfigUniform {outcome}")], "{members}");
    }
}

/// The members of the block alone have its name as their first word. Of another struct they would be other members.
#[test]
fn members_may_repeat_the_name_of_their_block() {
    let shader = "cbuffer Light { float3 light_position; float light_range; float3 light_color; };";
    let host = |members: &str| {
        format!("struct Float3 {{ float x, y, z; }}; struct LightUniform {{ {members} }}; LightUniform light;")
    };
    let same = host("Float3 position; float range; Float3 color; unsigned padding;");
    let Some(folder) = folder_of(("a.hlsl", shader), &same) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    assert_eq!(pairs(&answer), ["Light LightUniform agree"]);
    folder.write("host.cpp", host("Float3 anchor; float reach; Float3 tint; unsigned padding;").as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.hlsl host.o --format json").exits(4);
    assert!(pairs(&answer).is_empty(), "{answer}");
}

/// Many structs have a member like the only one of a block: one is proposed, and compared only if it is stated.
#[test]
fn structs_with_the_only_member_of_a_block_are_proposed() {
    let shader = "cbuffer Exposure { float ev100; }; cbuffer Camera { float4x4 world_to_clip; };";
    let host = "struct Mat4 { float m[16]; }; struct Tone { float ev100; } t; struct View { Mat4 world_to_clip; } v;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(4);
    assert!(pairs(&answer).is_empty(), "{answer}");
    let blocks = answer.json()["unmatched_blocks"].clone();
    let proposed = blocks.as_array().unwrap().iter().map(|block| block["proposals"][0]["host"].clone());
    assert_eq!(proposed.collect::<Vec<_>>(), ["Tone", "View"]);
    let stated = folder.run("check a.hlsl host.o --map Exposure=Tone --map Camera=View --format json").exits(0);
    assert_eq!(pairs(&stated), ["Exposure Tone agree", "Camera View agree"]);
    // Of many with it, that which is named after the file.
    let host = "struct Mat4 { float m[16]; }; namespace triangle { struct Uniforms { Mat4 transform; } u; } \
                namespace image { struct Uniforms { Mat4 transform; } u; } struct Node { Mat4 transform; } n;";
    folder.write("host.cpp", host.as_bytes());
    compile(&folder, "host");
    for (file, proposed) in [("triangle.hlsl", &["triangle::Uniforms"][..]), ("scene.hlsl", &[])] {
        folder.write(file, b"cbuffer Globals { float4x4 transform; };");
        let answer = folder.run(&format!("check {file} host.o --format json")).exits(4);
        let proposals = answer.json()["unmatched_blocks"][0]["proposals"].clone();
        let hosts = proposals.as_array().unwrap().iter().map(|proposal| proposal["host"].clone());
        assert_eq!(hosts.collect::<Vec<_>>(), proposed, "{file}");
    }
}

/// Members may be packed, so that the shader has none of their names: the struct's name and that of the shader's file are left.
#[test]
fn structs_may_be_named_after_the_file_and_the_struct_in_it() {
    let draw = "#version 450\nstruct DrawUniform { uvec4 idsAndCounts; };\n\
                layout(std140, binding = 0) uniform Draw { DrawUniform draws[8]; };\n\
                layout(location = 0) out vec4 o;\nvoid main() { o = vec4(draws[0].idsAndCounts); }\n";
    let params = "struct Params { float4 curve; }; ConstantBuffer<Params> params;";
    let host = "struct PhongDrawUniform { unsigned material, object, offset, count; } a; \
                struct FlatDrawUniform { unsigned material, object, first, last; } b; \
                struct BloomParams { float threshold, knee, clamp, scatter; } c; \
                struct ToneParams { float exposure, white; } d;";
    let Some(folder) = folder_of(("Phong.frag", draw), host) else { return };
    for file in ["flat.frag", "line.frag"] {
        folder.write(file, draw.as_bytes());
    }
    for file in ["bloom.hlsl", "tone.hlsl", "sky.hlsl"] {
        folder.write(file, params.as_bytes());
    }
    for (file, pair) in [
        ("Phong.frag", Some("Draw PhongDrawUniform agree")),
        ("flat.frag", Some("Draw FlatDrawUniform agree")),
        ("line.frag", None),
        ("bloom.hlsl", Some("params BloomParams agree")),
        // A struct of such a name that differs may be another one, and is proposed.
        ("tone.hlsl", None),
        ("sky.hlsl", None),
    ] {
        let answer =
            folder.run(&format!("check {file} host.o --format json")).exits(if pair.is_some() { 0 } else { 4 });
        assert_eq!(pairs(&answer), pair.as_slice(), "{file}");
        let proposed = answer.json()["unmatched_blocks"][0]["proposals"][0]["host"].clone();
        assert_eq!(proposed == "ToneParams", file == "tone.hlsl", "{file}");
    }
}

/// A struct that alone has most of the block's members is taken if its other bytes agree too.
#[test]
fn other_names_for_a_few_members_are_no_obstacle() {
    let shader = "cbuffer Surroundings { float4x4 viewProjection; float3 eyePosition; float exposure; float4 fogColor; \
                  float4 scaleAndBias; };";
    let start = "struct Mat4 { float m[16]; }; struct Scene { Mat4 viewProjection; float eyePosition[3]; float exposure; \
                 float fogColor[4];";
    let view = "struct View { Mat4 viewProjection; float eyePosition[3]; float exposure; float fogColor[4]; } v;";
    for (rest, pair) in [
        ("float scale[2], bias[2]; } s;".to_owned(), Some("Surroundings Scene agree")),
        // Another struct has as many, or the bytes differ.
        (format!("float scale[2], bias[2]; }} s; {view}"), None),
        ("int first, count; float bias[2]; } s;".to_owned(), None),
    ] {
        let Some(folder) = folder_of(("a.hlsl", shader), &format!("{start} {rest}")) else { return };
        let answer = folder.run("check a.hlsl host.o --format json").exits(if pair.is_some() { 0 } else { 4 });
        assert_eq!(pairs(&answer), pair.as_slice(), "{rest}");
        let proposals = answer.json()["unmatched_blocks"].as_array().unwrap().len();
        assert_eq!(proposals, usize::from(pair.is_none()), "{rest}");
    }
}

/// Most members are there, and a few that only the host has: that is a mistake and no other struct.
#[test]
fn a_few_members_that_only_the_host_has_are_a_mistake() {
    let members = |range: std::ops::Range<u32>, kind: &str, array: &str| -> String {
        let members: Vec<String> = range.map(|index| format!("{kind} coefficient{index}{array}; ")).collect();
        members.concat()
    };
    let shader = format!("cbuffer Atmosphere {{ {} }};", members(0..16, "float4", ""));
    for (others, pair) in
        [("float more[4], rest[4];", Some("Atmosphere Sky differ")), ("float a[4], b[4], c[4], d[4], e[4];", None)]
    {
        let (start, end) = (members(0..14, "float", "[4]"), members(14..16, "float", "[4]"));
        let Some(folder) = folder_of(("a.hlsl", &shader), &format!("struct Sky {{ {start} {others} {end} }} s;"))
        else {
            return;
        };
        let answer = folder.run("check a.hlsl host.o --format json").exits(if pair.is_some() { 1 } else { 4 });
        assert_eq!(pairs(&answer), pair.as_slice(), "{others}");
    }
}

/// If a struct is named as one that the program uploads, the bytes count where no member has the shader's name.
#[test]
fn uploads_with_a_similar_name_and_the_same_bytes_are_proposed() {
    let shader = "struct MeshInstanceDraw { float4x4 model; float4x4 inverseModel; uint draw; uint3 pad0; }; \
                  StructuredBuffer<MeshInstanceDraw> draws; \
                  struct Position { float3 place; float weight; }; StructuredBuffer<Position> positions;";
    let host = "struct Mat4 { float m[16]; }; struct GpuMeshInstanceData { Mat4 world, toLocal; unsigned mesh, rest[3]; } a; \
                struct GpuMeshletPosition { float x, y, z, w; } b; struct GpuTexture { float u, v, s, t; } c; \
                struct MeshPosition { float r, g, b, a; } d;";
    let Some(folder) = folder_of(("a.hlsl", shader), host) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(4);
    let blocks = answer.json()["unmatched_blocks"].clone();
    let proposed: Vec<&serde_json::Value> =
        blocks.as_array().unwrap().iter().map(|block| &block["proposals"]).collect();
    let hosts = |of: usize| -> Vec<&str> {
        proposed[of].as_array().unwrap().iter().map(|proposal| proposal["host"].as_str().unwrap()).collect()
    };
    assert_eq!((hosts(0), hosts(1)), (vec!["GpuMeshInstanceData"], vec!["GpuMeshletPosition"]));
    let text = folder.run("check a.hlsl host.o").exits(4).out;
    assert!(text.contains("maybe `GpuMeshletPosition`: its bytes agree, under other names"), "{text}");
    // With other bytes, the name says nothing.
    folder.write("host.cpp", host.replace("x, y, z, w", "x, y").as_bytes());
    compile(&folder, "host");
    let answer = folder.run("check a.hlsl host.o --format json").exits(4);
    assert_eq!(answer.json()["unmatched_blocks"][1]["proposals"], serde_json::json!([]));
}

/// A copy of a block that was not changed with the other is a mistake, and a block of another name with such members is
/// probably filled by another struct.
#[test]
fn a_copy_of_a_block_keeps_its_struct() {
    let block = |name: &str, more: &str| {
        format!(
            "cbuffer {name} {{ float4 sunDirection; float4 rayleigh; {more} float4 camera; float4 shadow; float4 ground; float4 extent; }};"
        )
    };
    let host = "struct SkyConstantsStructure { float sunDirection[4], rayleigh[4], mie[4], camera[4], shadow[4], ground[4], extent[4]; } s;";
    for (name, code, outcome) in
        [("Atmosphere", 1, Some("Atmosphere SkyConstantsStructure differ")), ("Distance", 0, None)]
    {
        let Some(folder) = folder_of(("a.hlsl", &block("Atmosphere", "float4 mie;")), host) else { return };
        folder.write("b.hlsl", block(name, "").as_bytes());
        let answer = folder.run("check a.hlsl b.hlsl host.o --format json").exits(code);
        let found: Vec<String> =
            ["Atmosphere SkyConstantsStructure agree"].into_iter().chain(outcome).map(str::to_owned).collect();
        assert_eq!(pairs(&answer), found, "{name}");
    }
}
