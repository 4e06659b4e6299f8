//! A declaration that cannot be read hides no block that needs nothing of it. The file counts as not read.

use super::{compile, folder_of, one_line, pairs};

const HOSTS: &str = "struct Frame { float view[16], sun[3], exposure; } f; struct Draw { unsigned count, first; float scale; } d; \
                     struct Other { float a[4]; } o;";

/// What needs no unknown name is compared, whatever else the file has.
#[test]
fn blocks_that_need_no_unknown_name_are_compared() {
    let Some(folder) = folder_of(("a.hlsl", ""), HOSTS) else { return };
    let frame = "cbuffer Frame { float4x4 view; float3 sun; float exposure; };\n";
    let glsl = "#version 450\nlayout(local_size_x = 1) in;\nlayout(push_constant) uniform Draw { uint count; uint first; float scale; } p;\n";
    let wgsl =
        "struct Frame { view: mat4x4f, sun: vec3f, exposure: f32 }\n@group(0) @binding(0) var<uniform> frame: Frame;\n";
    for (file, text, expected, advice) in [
        (
            "a.hlsl",
            format!("{frame}StructuredBuffer<PARTICLE_TYPE> particles;\nREAL twice(REAL x) {{ return x * 2; }}\n"),
            "Frame Frame",
            "-D PARTICLE_TYPE=VALUE",
        ),
        (
            "a.hlsl",
            format!(
                "struct Item {{ Real a; float b; }};\nstruct Outer {{ Item i; }};\ncbuffer Other {{ Outer a; }};\n{frame}"
            ),
            "Frame Frame",
            "",
        ),
        (
            "a.hlsl",
            format!("static const uint n = COUNT;\ncbuffer Other {{ float4 a[n]; }};\n{frame}"),
            "Frame Frame",
            "-D COUNT=VALUE",
        ),
        (
            "a.slang",
            format!(
                "StructuredBuffer<Particle> particles;\n{frame}[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {{}}\n"
            ),
            "Frame Frame",
            "",
        ),
        (
            "k.comp",
            format!(
                "{glsl}layout(binding = 0) buffer A {{ A_TYPE a[]; }};\nlayout(binding = 1) buffer B {{ B_TYPE b[]; }};\nvoid main() {{ b[p.first] = B_TYPE(FLOAT_TYPE(a[0])); }}\n"
            ),
            "p Draw",
            "-D A_TYPE=VALUE -D B_TYPE=VALUE",
        ),
        (
            "k.comp",
            format!(
                "{glsl}layout(binding = 0) buffer A {{ float a[]; }};\nvoid main() {{ a[0] = missing(p.scale); }}\n"
            ),
            "p Draw",
            "",
        ),
        ("a.wgsl", format!("{wgsl}@group(0) @binding(1) var<storage> all: array<Particle>;\n"), "frame Frame", ""),
    ] {
        folder.write(file, text.as_bytes());
        let answer = folder.run(&format!("check {file} host.o --format json")).exits(2);
        assert_eq!(pairs(&answer), [format!("{expected} agree")], "{text}\n{answer}");
        let unread = answer.json()["unread"][0]["reason"].as_str().unwrap().to_owned();
        assert!(unread.contains(" compared") && unread.contains(advice), "{text}\n{unread}");
    }
}

/// A difference is found at its member as in a file that can be read whole.
#[test]
fn differences_in_a_part_are_found() {
    let shader =
        "cbuffer Frame { float3 sun; float exposure; float4x4 view; };\nStructuredBuffer<Particle> particles;\n";
    let Some(folder) = folder_of(("a.hlsl", shader), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(2).json();
    assert_eq!(answer["pairs"][0]["outcome"], "differ");
    assert_eq!(answer["pairs"][0]["mismatches"][0]["path"], "sun");
    assert!(
        one_line(&folder.run("check a.hlsl host.o").exits(2))
            .contains("no type is named `Particle`; 1 block that does not need it is compared")
    );
}

/// The problem is in a file that several shaders include.
#[test]
fn included_files_are_read_in_part() {
    let Some(folder) = folder_of(
        ("common.hlsli", "Texture2D<MAPPED> map;\ncbuffer Frame { float4x4 view; float3 sun; float exposure; };\n"),
        HOSTS,
    ) else {
        return;
    };
    folder.write("a.hlsl", b"#include \"common.hlsli\"\ncbuffer Other { float4 a; };\n");
    let answer = folder.run("check a.hlsl host.o --format json").exits(2);
    assert_eq!(pairs(&answer), ["Frame Frame agree", "Other Other agree"]);
}

/// What stays must not be read in another way than in the whole file.
#[test]
fn parts_with_uncertain_ends_are_not_read() {
    let Some(folder) = folder_of(("a.hlsl", ""), HOSTS) else { return };
    folder.write("members.hlsli", b"float4 a;\nUnknown b;\n");
    for (file, text) in [
        // The macros hide that the member belongs to a block.
        ("a.hlsl", "#define BEGIN(n) cbuffer n {\n#define END };\nBEGIN(Other) float4 a; Unknown b; END\n"),
        (
            "a.hlsl",
            "cbuffer Other {\n#include \"members.hlsli\"\n};\ncbuffer Frame { float4x4 view; float3 sun; float exposure; };\n",
        ),
        ("a.hlsl", "cbuffer Other { float4 a; Unknown b; };\n"),
        // The default order of matrices, whose text glslang refuses.
        (
            "a.frag",
            "#version 450\nlayout(row_major, UNKNOWN) uniform;\nlayout(binding = 0) uniform Frame { mat4 view; vec3 sun; float exposure; };\nvoid main() {}\n",
        ),
    ] {
        folder.write(file, text.as_bytes());
        assert_eq!(folder.run(&format!("check {file} host.o")).exits(2).out, "", "{text}");
    }
}

/// `check` names the macros with which a file has more blocks, and counts those as not asked for.
#[test]
fn blocks_behind_conditions_are_counted() {
    let shader = "cbuffer Frame { float4x4 view; float3 sun; float exposure; };\n#ifdef PSO__SHADOW\ncbuffer Shadow { float4x4 light; };\n\
                  #if defined(PSO__BLUR)\ncbuffer Blur { float4 taps; };\n#endif\n#endif\n#ifdef OTHER\nfloat4 none() { return 0; }\n#endif\n\
                  #ifndef GUARD\n#define GUARD\n#endif\n";
    let Some(folder) = folder_of(("a.hlsl", shader), HOSTS) else { return };
    let answer = folder.run("check a.hlsl host.o --format json").exits(0);
    let answer = answer.warns("note: a.hlsl has 1 more block with -D PSO__SHADOW=1: `Shadow`");
    let answer = answer.warns("note: a.hlsl has 1 more block with -D PSO__BLUR=1 -D PSO__SHADOW=1: `Blur`").json();
    let entries = answer["account"]["entries"].as_array().unwrap();
    let hidden: Vec<_> = entries.iter().filter(|entry| entry["why"]["reason"] == "not-asked").collect();
    assert_eq!(hidden.len(), 2, "{answer}");
    assert_eq!((&hidden[0]["name"], &hidden[0]["why"]["option"]), (&"Shadow".into(), &"-D PSO__SHADOW=1".into()));
    let all = folder.run("check a.hlsl host.o -D PSO__SHADOW -D PSO__BLUR").exits(0);
    assert!(!all.err.contains("more block"), "{all}");
    // A build compiles the file for each of its stages: what another file shows is not hidden.
    folder.write("b.hlsl", b"cbuffer Shadow { float4x4 light; };");
    let both = folder.run("check a.hlsl b.hlsl host.o --format json");
    assert!(!both.err.contains("`Shadow`") && both.err.contains("`Blur`"), "{both}");

    folder.write("host.cpp", b"struct Draw { unsigned count; } d;");
    compile(&folder, "host");
    folder.write("a.comp", b"#version 450\nlayout(push_constant) uniform Draw { uint count; } p;\n#if WIDE\nlayout(binding = 0) buffer Wide { vec4 a[]; } w;\n#endif\nvoid main() {}\n");
    folder.run("check a.comp host.o").exits(0).warns("note: a.comp has 1 more block with -D WIDE=1: `w`");
}

/// Engines keep the stages of a shader behind macros and put headers before the text, so that no block can be read without
/// both. The note counts the blocks and names what they need.
#[test]
fn hidden_blocks_that_cannot_be_read_are_counted() {
    let shader = "#version 450\n#if defined(COMPUTE_CULL)\nlayout(set = MATERIAL_SET, binding = 1) buffer Visible { uint a[]; };\n\
                  layout(set = MATERIAL_SET, binding = 2) uniform Frame { mat4 view; };\n#endif\n#ifdef FRAGMENT_SKY\n\
                  layout(binding = 3) uniform Lights { GpuLight lights[4]; };\n#endif\nvoid main() {}\n";
    let Some(folder) = folder_of(("cull.glsl", shader), HOSTS) else { return };
    folder.write("frame.comp", b"#version 450\nlayout(push_constant) uniform Frame { mat4 view; vec3 sun; float exposure; } p;\nvoid main() {}\n");
    let answer = folder.run("check cull.glsl frame.comp host.o --format json").exits(0);
    let answer = answer
        .warns("note: cull.glsl has 2 more blocks with -D COMPUTE_CULL=1 -D MATERIAL_SET=VALUE: `Frame`, `Visible`");
    let answer = answer.warns(
        "note: cull.glsl has 1 more block with -D FRAGMENT_SKY=1: `Lights`; the file cannot be read with that: ",
    );
    let entries = answer.json()["account"]["entries"].as_array().unwrap().clone();
    assert_eq!(entries.iter().filter(|entry| entry["why"]["reason"] == "not-asked").count(), 3, "{entries:?}");

    // One text for uniforms and buffers, and the other side of a condition.
    let shader = "#version 450\n#define BUFFER_OR_UNIFORM uniform\n#ifndef UNIFORM_BUFFERS\nlayout(location = 0) uniform float old;\n#else\n\
                  layout(std140, binding = 0) BUFFER_OR_UNIFORM Draws { vec4 all[DRAW_COUNT]; };\n#endif\n\
                  #if !defined(PLAIN) && defined(LIT)\nlayout(std140, binding = 1) uniform Lit { vec4 light; };\n#endif\nvoid main() {}\n";
    folder.write("draw.vert", shader.as_bytes());
    let answer = folder.run("check draw.vert frame.comp host.o");
    let answer = answer.warns("note: draw.vert has 1 more block with -D LIT=1: `Lit`");
    answer.warns("note: draw.vert has 1 more block with -D UNIFORM_BUFFERS=1 -D DRAW_COUNT=VALUE: `Draws`");
}

/// Engines keep the stages of a shader in one file, each under a macro. Without one, no stage has an entry point, and the
/// blocks outside of the conditions are compared.
#[test]
fn a_file_for_several_stages_is_read_without_its_stages() {
    let shader = "#version 450\nlayout(push_constant) uniform Draw { uint count; uint first; float scale; } p;\n\
                  #if defined(VERTEX)\nvoid main() { gl_Position = vec4(p.scale); }\n#endif\n\
                  #if defined(FRAGMENT)\nvoid main() { if (gl_FragCoord.x > p.scale) discard; }\n#endif\n\
                  #if defined(MESH)\nlayout(triangles, max_vertices = 3, max_primitives = 1) out;\n\
                  void main() { SetMeshOutputsEXT(3, 1); }\n#endif\n";
    let Some(folder) = folder_of(("draw.glsl", shader), HOSTS) else { return };
    assert_eq!(pairs(&folder.run("check draw.glsl host.o --format json").exits(0)), ["p Draw agree"]);
    // Other errors stay.
    folder.write("draw.glsl", shader.replace("float scale", "Float scale").as_bytes());
    folder.run("check draw.glsl host.o").exits(2);
}
