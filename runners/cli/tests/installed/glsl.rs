//! GLSL files of Vulkan and OpenGL, as `layoutproof show` reads them through glslang.
//!
//! Expected numbers: glslang 12.0.0, the Offset decorations of the same text in its module (`spirv-dis`).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use layoutproof_compilers::compiler::Compiler;
use layoutproof_executor::tools::MachineTools;
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

type Test = fn(&Path) -> Result<(), Failed>;

const TESTS: [(&str, Test); 28] = [
    ("memory_of_stages_is_listed", memory_of_stages_is_listed),
    ("steps_of_addresses_are_compared_with_promises", steps_of_addresses_are_compared_with_promises),
    ("structs_are_laid_out_by_name", structs_are_laid_out_by_name),
    ("the_newest_build_reads", the_newest_build_reads),
    ("inputs_and_outputs_have_locations", inputs_and_outputs_have_locations),
    ("the_user_chooses_the_build", the_user_chooses_the_build),
    ("inputs_without_an_output_are_named", inputs_without_an_output_are_named),
    ("files_are_included", files_are_included),
    ("missing_files_count_where_they_are_read", missing_files_count_where_they_are_read),
    ("files_outside_of_the_project_are_not_included", files_outside_of_the_project_are_not_included),
    ("stages_go_by_suffix", stages_go_by_suffix),
    ("suffixes_shared_with_hlsl_are_read", suffixes_shared_with_hlsl_are_read),
    ("opengl_has_uniforms_outside_of_blocks", opengl_has_uniforms_outside_of_blocks),
    ("buffers_behind_pointers", buffers_behind_pointers),
    ("shader_records_are_blocks", shader_records_are_blocks),
    ("lengths_may_be_specialized", lengths_may_be_specialized),
    ("old_versions_are_read", old_versions_are_read),
    ("texts_without_main_or_version_are_read", texts_without_main_or_version_are_read),
    ("stages_go_by_words", stages_go_by_words),
    ("members_that_share_bytes_are_named", members_that_share_bytes_are_named),
    ("blocks_need_no_bodies", blocks_need_no_bodies),
    ("shaders_need_no_blocks", shaders_need_no_blocks),
    ("opengl_refuses_what_only_vulkan_has", opengl_refuses_what_only_vulkan_has),
    ("sections_of_godot_are_shaders", sections_of_godot_are_shaders),
    ("parts_of_sokol_are_shaders", parts_of_sokol_are_shaders),
    ("opengl_has_its_own_binding_points", opengl_has_its_own_binding_points),
    ("errors_have_their_places", errors_have_their_places),
    ("a_glslang_that_dies_is_told", a_glslang_that_dies_is_told),
];

pub(crate) fn trials() -> Vec<Trial> {
    let no_compiler = Compiler::named("glslang", None).compiler.is_err().then_some("glslang is not there");
    let tools = MachineTools::find().ok();
    let newest = Compiler::named("glslang-current", tools.as_ref().and_then(MachineTools::folder)).compiler;
    let no_newest = newest.is_err().then_some("glslang-current is not there");
    let trial = |(name, test): (&str, Test)| {
        let needs_newest =
            ["the_newest_build_reads", "the_user_chooses_the_build", "memory_of_stages_is_listed"].contains(&name);
        let no_compiler = no_compiler.or(no_newest.filter(|_| needs_newest));
        let needs_shell = name == "a_glslang_that_dies_is_told" && cfg!(not(unix));
        let no_shell = needs_shell.then_some("no shell of Unix is there");
        let test = move || test(tempfile::tempdir()?.path());
        crate::trial(&format!("glsl::{name}"), no_compiler.or(no_shell).map(str::to_owned), test)
    };
    TESTS.into_iter().map(trial).collect()
}

/// Runs `layoutproof show` in `folder`.
fn show(folder: &Path, words: &str) -> Result<Output, Failed> {
    show_text(folder, &format!("{words} --format json"))
}

fn show_text(folder: &Path, words: &str) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.arg("show").args(words.split(' ')).current_dir(folder);
    Ok(command.env_remove("GLSLANG").output()?)
}

/// The blocks of a file by name, each with the offsets of its members.
fn shown(folder: &Path, words: &str) -> Result<Vec<(String, Vec<u64>)>, Failed> {
    let output = show(folder, words)?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    if !output.status.success() {
        return Err(format!("{words}: {answer}").into());
    }
    let blocks = answer["layouts"][0]["blocks"].as_array().into_iter().flatten().map(|block| {
        let offsets = block["members"].as_array().into_iter().flatten().filter_map(|member| member["offset"].as_u64());
        (block["name"].as_str().unwrap_or_default().to_owned(), offsets.collect())
    });
    Ok(blocks.collect())
}

/// Checks that a file is refused with this message at this place.
fn refuses(folder: &Path, words: &str, (message, place): (&str, &str)) -> Result<(), Failed> {
    let output = show(folder, words)?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) && told.contains(message) && told.contains(&format!("[{place}:")) {
        return Ok(());
    }
    Err(format!("{words}: `{message}` at {place} is expected, not {told}").into())
}

fn equal<T: PartialEq + std::fmt::Debug>(left: &T, right: &T) -> Result<(), Failed> {
    if left == right { Ok(()) } else { Err(format!("{left:?} is not {right:?}").into()) }
}

/// A block by name with the offsets of its members.
fn block(name: &str, offsets: &[u64]) -> (String, Vec<u64>) {
    (name.to_owned(), offsets.to_vec())
}

/// Extensions that glslang 12.0.0 refuses with `extension not supported`.
const NEW_EXTENSIONS: [&str; 3] = ["GL_EXT_bfloat16", "GL_EXT_maximal_reconvergence", "GL_EXT_shader_quad_control"];

fn write_new_extension(folder: &Path, extension: &str) -> Result<(), Failed> {
    let text = format!(
        "#version 460\n#extension {extension} : require\nlayout(local_size_x = 1) in;\n\
         layout(push_constant) uniform P {{ vec3 a; float b; }} p;\n\
         layout(set=0,binding=0,std430) buffer R {{ float v[]; }} r;\nvoid main() {{ r.v[0] = p.a.x + p.b; }}\n"
    );
    Ok(fs::write(folder.join("a.comp"), text)?)
}

/// Expected: glslang 16.6.0, the Offset decorations of the same text.
fn the_newest_build_reads(folder: &Path) -> Result<(), Failed> {
    for extension in NEW_EXTENSIONS {
        write_new_extension(folder, extension)?;
        equal(&shown(folder, "a.comp")?, &vec![block("r", &[0]), block("p", &[0, 12])])?;
    }
    Ok(())
}

fn the_user_chooses_the_build(folder: &Path) -> Result<(), Failed> {
    write_new_extension(folder, NEW_EXTENSIONS[0])?;
    for newest in ["glslang", "glslang-current", "glslang@16", "glslang@16.6"] {
        equal(&shown(folder, &format!("a.comp --compiler {newest}"))?.len(), &2)?;
    }
    let refusal = "glslang 12.0.0 refuses the file; glslang 16.6.0 is newer: `--compiler glslang-current`";
    let told = |words: &str| -> Result<String, Failed> {
        let output = show(folder, words)?;
        equal(&output.status.code(), &Some(2))?;
        // Messages wrap at the width of the terminal.
        let words: Vec<String> =
            String::from_utf8_lossy(&output.stderr).split_whitespace().map(str::to_owned).collect();
        Ok(words.join(" "))
    };
    let old = told("a.comp --compiler glslang@12")?;
    if !old.contains(refusal) {
        return Err(format!("`{refusal}` is expected, not {old}").into());
    }
    let absent = told("a.comp --compiler glslang@13")?;
    if !absent.contains("no glslang 13 is here, only 16.6.0 or 12.0.0") {
        return Err(absent.into());
    }
    Ok(())
}

/// The name and kind of a block, and words for what it lacks, or offsets.
type MemoryWords = &'static [(&'static str, &'static str)];

/// Files and texts with memory that has no declared block.
const MEMORY: [(&str, &str, MemoryWords); 5] = [
    (
        "a.task",
        "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x=1) in;
struct Pay { vec3 a; float b[2]; uint c; }; struct S { vec3 a; bool k; };
taskPayloadSharedEXT Pay pay; shared S s[4]; shared float plain[64];
void main() { pay.c = 1; s[0].a = vec3(plain[1]); EmitMeshTasksEXT(1, 1, 1); }",
        &[("Pay mesh-payload", "24 bytes of values"), ("s workgroup-memory", "the driver chooses")],
    ),
    (
        "a.rchit",
        "#version 460\n#extension GL_EXT_ray_tracing : require\nstruct Pay { vec3 c; float t; };
layout(location=0) rayPayloadInEXT Pay pay; hitAttributeEXT vec2 bary;
void main() { pay.c = bary.xyx; }",
        &[("Pay ray-payload", "16 bytes of values"), ("bary hit-attributes", "8 bytes of values")],
    ),
    (
        "a.rgen",
        "#version 460\n#extension GL_EXT_ray_tracing : require\nstruct Pay { vec3 c; float t; };
layout(location=0) rayPayloadEXT Pay pay; layout(location=1) rayPayloadEXT Pay again;
layout(location=2) rayPayloadEXT Block { vec3 a; mat3 b; } block; layout(location=0) callableDataEXT vec4 called;
layout(binding=0) uniform accelerationStructureEXT scene;
void main() { traceRayEXT(scene, 0, 255, 0, 0, 0, vec3(0), 0.0, vec3(1), 1.0, 0); again = pay; executeCallableEXT(0, 0); }",
        &[
            ("Pay ray-payload", "16 bytes of values"),
            ("called callable-data", "16 bytes of values"),
            ("Block ray-payload", "48 bytes of values"),
        ],
    ),
    (
        "a.mesh",
        "#version 450\n#extension GL_NV_mesh_shader : require
layout(local_size_x=1) in; layout(triangles, max_vertices=3, max_primitives=1) out;
taskNV in Task { vec3 a; float b[2]; uint c; } IN;
void main() { gl_PrimitiveCountNV = IN.c; }",
        &[("Task mesh-payload", "0 12 20")],
    ),
    (
        "a.vert",
        "#version 450
struct T { float a; double b; float c; }; struct V { vec3 n; float w[3]; mat2 m; };
layout(location=0, xfb_buffer=0, xfb_offset=0) out V v;
layout(location=8, xfb_offset=52) out vec2 after;
layout(location=10, xfb_buffer=1, xfb_offset=8) out T t[2];
layout(location=20, xfb_buffer=2, xfb_offset=4) out Block { vec3 a; layout(xfb_offset=20) float c[3]; } block;
layout(xfb_buffer=3) out gl_PerVertex { layout(xfb_offset=16) vec4 gl_Position; };
void main() { v.n = vec3(1); after = vec2(1); t[0].a = 1; block.a = vec3(1); gl_Position = vec4(0); }",
        &[
            ("xfb_buffer_0 transform-feedback", "0 0 12 24 52"),
            ("xfb_buffer_1 transform-feedback", "8 8 16 24"),
            ("xfb_buffer_2 transform-feedback", "4 20"),
            ("xfb_buffer_3 transform-feedback", "16"),
        ],
    ),
];

/// Expected: glslang 16.6.0 writes no Offset for payloads, attributes and `shared` variables; it writes those of `PerTaskNV`
/// members and of captured outputs, whose strides it computes: 60, 56, 32, 32.
fn memory_of_stages_is_listed(folder: &Path) -> Result<(), Failed> {
    for (name, text, expected) in MEMORY {
        fs::write(folder.join(name), text)?;
        let output = show(folder, name)?;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let blocks: Vec<Value> = answer["layouts"][0]["blocks"].as_array().cloned().unwrap_or_default();
        let titles: Vec<String> =
            blocks.iter().map(|it| format!("{} {}", it["name"], it["reach"]).replace('"', "")).collect();
        equal(&titles, &expected.iter().map(|(title, _)| (*title).to_owned()).collect())?;
        for (block, (title, words)) in blocks.iter().zip(expected) {
            let members = block["members"].as_array().into_iter().flatten();
            let offsets: Vec<String> = members.map(|member| member["offset"].to_string()).collect();
            let told = format!("{} {}", offsets.join(" "), block["errors"][0]["message"]);
            if !told.contains(words) {
                return Err(format!("{title}: `{words}` is expected, not {told}").into());
            }
        }
        equal(&output.status.code(), &Some(0))?;
    }
    let answer: Value = serde_json::from_slice(&show(folder, "a.vert")?.stdout)?;
    let strides: Vec<Option<u64>> = (0..4).map(|at| answer["layouts"][0]["blocks"][at]["stride"].as_u64()).collect();
    equal(&strides, &vec![Some(60), Some(56), Some(32), Some(32)])
}

/// Expected: glslang 16.6.0, the Aligned operands of the same text; two addresses that are 4 or 8 bytes apart cannot both be
/// multiples of 16.
fn steps_of_addresses_are_compared_with_promises(folder: &Path) -> Result<(), Failed> {
    let text = |body: &str| {
        format!(
            "#version 450\n#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\nlayout(local_size_x = 32) in;
layout(buffer_reference) buffer Wide {{ float d; }};
layout(buffer_reference, buffer_reference_align = 4) buffer Small {{ float d; }};
layout(push_constant) uniform P {{ uint64_t addr; uint n; }} p;
Wide at(uint64_t base, uint i) {{ return Wide(base + i * 4); }}
void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}\n"
        )
    };
    for (body, step) in [
        ("Wide w = Wide(p.addr + i * 4); w.d = 1.0;", Some(4)),
        ("Wide w = at(p.addr, i); w.d = 1.0;", Some(4)),
        ("Wide w = Wide(p.addr + (uint64_t(i) << 3)); w.d = 1.0;", Some(8)),
        ("Wide w = Wide(p.addr + gl_WorkGroupID.x * 128 + gl_LocalInvocationIndex * 4); w.d = 1.0;", Some(4)),
        ("Wide w = Wide(p.addr + i * 16); w.d = 1.0;", None),
        ("Wide w = Wide(p.addr); w[i].d = 1.0;", None),
        ("Small s = Small(p.addr + i * 4); s.d = 1.0;", None),
        // The steps of these are not known.
        ("Wide w = Wide(p.addr + p.n * 4); w.d = 1.0;", None),
        ("for (uint k = 0; k < p.n; k += 4) { Wide w = Wide(p.addr + k * 4); w.d = 1.0; }", None),
    ] {
        fs::write(folder.join("a.comp"), text(body))?;
        let answer: Value = serde_json::from_slice(&show(folder, "a.comp")?.stdout)?;
        let warnings = answer["warnings"].as_array().into_iter().flatten();
        let found: Vec<&Value> = warnings.filter(|it| it["code"] == "broken-alignment").collect();
        let expected = step.map(|step| format!("its address moves by {step} bytes"));
        let is_right = match (&expected, found.as_slice()) {
            (None, []) => true,
            (Some(expected), [warning]) => warning["message"].to_string().contains(expected),
            _ => false,
        };
        if !is_right {
            return Err(format!("{body}: {expected:?} is expected, not {found:?}").into());
        }
        let open = answer["account"]["open"].as_u64();
        equal(&open, &Some(u64::from(step.is_some())))?;
    }
    Ok(())
}

/// Expected: glslang 16.6.0 `-l sky.vert sky.frag`, "Types must match" for `n` and `k`; Vulkan specification, 15.1.3, for `gone`.
fn inputs_without_an_output_are_named(folder: &Path) -> Result<(), Failed> {
    let vertex =
        "layout(location = 0) out vec3 n; layout(location = 1) out vec2 uv; layout(location = 2) flat out int k;
void main() { n = vec3(0); uv = vec2(0); k = 1; gl_Position = vec4(0); }\n";
    let fragment = "layout(location = 0) in vec4 n; layout(location = 1) in vec2 uv; layout(location = 2) in float k;
layout(location = 3) in float gone; layout(location = 0) out vec4 c; void main() { c = n + k + gone + uv.x; }\n";
    for (name, text) in [("sky.vert", vertex), ("sky.frag", fragment)] {
        fs::write(folder.join(name), format!("#version 450\n{text}"))?;
    }
    let told = String::from_utf8_lossy(&show(folder, "sky.vert sky.frag")?.stderr).into_owned();
    let expected = [
        "warning: input `n` of sky.frag (vec4, location 0) does not match output `n` of sky.vert (vec3)",
        "warning: input `k` of sky.frag (float, location 2) does not match output `k` of sky.vert (int)",
        "warning: input `gone` of sky.frag (float, location 3) has no output in sky.vert",
    ];
    equal(&told.lines().collect::<Vec<_>>(), &expected.to_vec())
}

/// Expected: glslang 12.0.0, the Offset decorations of the struct in a block of each layout.
fn structs_are_laid_out_by_name(folder: &Path) -> Result<(), Failed> {
    let text = "#version 450\nstruct Light { vec3 dir; float k; float w[3]; vec2 last; };
layout(location = 0) out vec4 o; void main() { Light l; l.k = 1; o = vec4(l.k); }\n";
    fs::write(folder.join("a.frag"), text)?;
    let blocks = shown(folder, "a.frag --type Light")?;
    equal(&blocks, &vec![block("as_std140", &[0, 12, 16, 64]), block("as_std430", &[0, 12, 16, 32])])
}

const INTERFACE: &str = "#version 460
layout(location = 0) in dvec3 wide;
layout(location = 2) in mat4 m;
layout(location = 6) in vec2 list[3];
layout(location = 0) out Light { vec3 color; float k[2]; vec4 last; } light;
out Other { layout(location = 8) vec4 p; layout(location = 9, component = 0) vec2 q; layout(location = 9, component = 2) vec2 r; };
void main() { gl_Position = vec4(wide, 1) * m + list[1].xyxy; light.color = vec3(1); light.k[0] = 1; light.last = vec4(1);
p = vec4(1); q = vec2(0); r = vec2(0); }
";

/// Expected: glslang 16.6.0, the Location decorations of the same text; Vulkan specification, 15.1.4 and 15.1.5, and GLSL
/// 4.60, 4.4.1 for the locations that each takes.
fn inputs_and_outputs_have_locations(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("a.vert"), INTERFACE)?;
    let places = |words: &str| -> Result<BTreeSet<String>, Failed> {
        let answer: Value = serde_json::from_slice(&show(folder, words)?.stdout)?;
        let bindings = answer["bindings"].as_array().into_iter().flatten();
        let place =
            |it: &Value| format!("{} {} {}+{}", it["path"], it["unit"], it["index"], it["count"]).replace('"', "");
        Ok(bindings.map(place).collect())
    };
    let expected = |wide: u32| {
        let others = "main.m location-in 2+4, main.list location-in 6+3, main.light.color location-out 0+1, main.light.k \
             location-out 1+2, main.light.last location-out 3+1, main.Other.p location-out 8+1, main.Other.q location-out \
             9+1, main.Other.r location-out 9+1";
        others.split(", ").map(str::to_owned).chain([format!("main.wide location-in 0+{wide}")]).collect()
    };
    equal(&places("a.vert --target vulkan")?, &expected(2))?;
    equal(&places("a.vert --target opengl")?, &expected(1))?;

    // Vulkan gives the dvec3 two locations; spirv-val 2026.4 refuses the module.
    fs::write(folder.join("b.vert"), INTERFACE.replace("location = 2) in mat4 m", "location = 1) in mat4 m"))?;
    let answer: Value = serde_json::from_slice(&show(folder, "b.vert --target vulkan")?.stdout)?;
    let clashes = answer["warnings"].as_array().into_iter().flatten().filter(|it| it["code"] == "binding-overlap");
    equal(&clashes.count(), &1)
}

const INCLUDING: &str = "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"common/light.glsl\"\n\
    #include <shared.h>\nlayout(set = 1, binding = 2) uniform U { Light lights[SIZE]; mat3 m; };\nvoid main() {}\n";

fn files_are_included(folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder.join("common"))?;
    fs::create_dir_all(folder.join("include"))?;
    fs::write(folder.join("common/light.glsl"), "#pragma once\nstruct Light { vec3 p; float r; vec2 q; };\n")?;
    fs::write(folder.join("include/shared.h"), "#include \"../common/light.glsl\"\n")?;
    fs::write(folder.join("a.comp"), INCLUDING)?;
    let offsets = shown(folder, "a.comp -I include -D SIZE=3")?;
    equal(&offsets, &vec![block("U", &[0, 0, 12, 16, 96])])
}

fn missing_files_count_where_they_are_read(folder: &Path) -> Result<(), Failed> {
    let text = "#version 450\n#ifdef X\n#include \"no.h\"\n#endif\nlayout(binding=0) uniform U { float a; };\nvoid main() {}\n";
    fs::write(folder.join("a.comp"), text)?;
    equal(&shown(folder, "a.comp")?, &vec![block("U", &[0])])?;
    refuses(folder, "a.comp -D X", ("included file `no.h` not found", "a.comp:3"))
}

fn files_outside_of_the_project_are_not_included(folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder.join("project/.git"))?;
    fs::write(folder.join("secret.h"), "float secret;\n")?;
    fs::write(folder.join("project/a.comp"), "#version 450\n#include \"../secret.h\"\nvoid main() {}\n")?;
    refuses(folder, "project/a.comp", ("it is outside of the project", "project/a.comp:2"))
}

fn stages_go_by_suffix(folder: &Path) -> Result<(), Failed> {
    let rays = "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(location=0) rayPayloadInEXT vec4 p;\n\
        layout(binding=0) uniform U { vec3 a; float b; vec4 c[2]; };\nvoid main() { p = c[0] * b; }\n";
    let control = "#version 450\nlayout(vertices = 3) out;\nlayout(push_constant) uniform P { mat4 m; float t; } p;\n\
        void main() { gl_TessLevelOuter[0] = p.t; }\n";
    fs::write(folder.join("a.rmiss"), rays)?;
    fs::write(folder.join("b.tesc.glsl"), control)?;
    fs::write(folder.join("c.glsl"), control)?;
    equal(&shown(folder, "a.rmiss")?, &vec![block("U", &[0, 12, 16]), block("p", &[])])?;
    equal(&shown(folder, "b.tesc.glsl")?, &vec![block("p", &[0, 64])])?;
    equal(&shown(folder, "c.glsl")?, &vec![block("p", &[0, 64])])
}

/// The texts have no word of a stage, but for the one that another stage refuses.
fn suffixes_shared_with_hlsl_are_read(folder: &Path) -> Result<(), Failed> {
    let block_of = "layout(std140, binding=0) uniform U { vec3 a; float b; vec4 c[2]; };\n";
    let text = |body: &str| format!("#version 450\n{block_of}void main() {{ {body} }}\n");
    let primitives = "layout(points) in;\nlayout(points, max_vertices = 1) out;\n";
    for (name, body) in [
        ("a.vs", "gl_Position = c[0];"),
        ("a.fs", "discard;"),
        ("a.psh", "discard;"),
        ("a.fs.glsl", "discard;"),
        ("a.glsl.cs", ""),
        ("a.comp.glsl", ""),
        ("a.vp", "gl_Position = c[1];"),
    ] {
        fs::write(folder.join(name), text(body))?;
        equal(&shown(folder, name)?, &vec![block("U", &[0, 12, 16])])?;
    }
    fs::write(folder.join("a.gs"), text("EmitVertex();").replace("450\n", &format!("450\n{primitives}")))?;
    equal(&shown(folder, "a.gs")?, &vec![block("U", &[0, 12, 16])])?;
    // The stage is that of the suffix.
    fs::write(folder.join("b.vs.glsl"), text("discard;"))?;
    let output = show(folder, "b.vs.glsl")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    if said.contains("discard") { Ok(()) } else { Err(format!("a vertex shader discards: {said}").into()) }
}

/// The driver lays out blocks without a layout qualifier, and a warning says so.
fn opengl_has_uniforms_outside_of_blocks(folder: &Path) -> Result<(), Failed> {
    let text = |layout: &str| {
        format!(
            "#version 330\nuniform mat4 mvp;\nuniform sampler2D t;\n{layout}uniform U {{ float a[3]; vec3 b; }};\n\
             in vec3 p;\nvoid main() {{ gl_Position = mvp * vec4(p * b, gl_VertexID); }}\n"
        )
    };
    for (layout, warnings) in [("", 1), ("layout(std140) ", 0)] {
        fs::write(folder.join("a.vert"), text(layout))?;
        equal(&shown(folder, "a.vert")?, &vec![block("U", &[0, 48])])?;
        let answer: Value = serde_json::from_slice(&show(folder, "a.vert")?.stdout)?;
        equal(&answer["warnings"].as_array().map_or(0, Vec::len), &warnings)?;
    }
    Ok(())
}

fn buffers_behind_pointers(folder: &Path) -> Result<(), Failed> {
    let text = "#version 460\n#extension GL_EXT_buffer_reference : require\n\
        #extension GL_EXT_scalar_block_layout : require\n\
        layout(buffer_reference) buffer Node;\n\
        layout(buffer_reference, scalar) buffer Node { vec3 a; float b; Node next; };\n\
        layout(push_constant, scalar) uniform P { vec3 q; Node root; float z; } p;\n\
        layout(scalar, set=2, binding=3) buffer B { vec3 x[]; } b[4];\n\
        void main() { p.root.b = p.z; b[1].x[0] = p.q; }\n";
    fs::write(folder.join("a.comp"), text)?;
    equal(&shown(folder, "a.comp")?, &vec![block("p", &[0, 16, 24]), block("b", &[0]), block("Node", &[0, 12, 16])])?;

    // spirv-val v2023.1: `Memory accesses Aligned operand value 2 is too small, the largest scalar type is 4 bytes`.
    for (alignment, warnings) in [(2, 1), (4, 0)] {
        let text = format!(
            "#version 460\n#extension GL_EXT_buffer_reference : require\n\
             layout(buffer_reference, buffer_reference_align = {alignment}) buffer Cell {{ uint x; }};\n\
             layout(push_constant) uniform Push {{ Cell cell; }};\nvoid main() {{ cell.x = 3; }}\n"
        );
        fs::write(folder.join("a.comp"), text)?;
        let answer: Value = serde_json::from_slice(&show(folder, "a.comp")?.stdout)?;
        let found = answer["warnings"].as_array().into_iter().flatten();
        let found = found.filter(|warning| warning["message"].to_string().contains("promises an alignment of 2"));
        equal(&found.count(), &warnings)?;
    }
    Ok(())
}

fn shader_records_are_blocks(folder: &Path) -> Result<(), Failed> {
    let text = "#version 460\n#extension GL_EXT_ray_tracing : enable\n\
        layout(shaderRecordEXT, std430) buffer Record { float r; vec3 g; float b[2]; };\n\
        layout(location = 0) rayPayloadInEXT vec3 color;\nvoid main() { color = g * r * b[1]; }\n";
    fs::write(folder.join("a.rmiss"), text)?;
    equal(&shown(folder, "a.rmiss")?, &vec![block("Record", &[0, 16, 28]), block("color", &[])])
}

/// Members are placed for the default values. After an array with a computed length, glslang places
/// them as if the length were 1.
fn lengths_may_be_specialized(folder: &Path) -> Result<(), Failed> {
    let text = "#version 450\nlayout(constant_id = 3) const int N = 5;\nlayout(constant_id=4) const uint M = 2;\n\
        layout(set=0, binding=0) uniform B { float a[N]; vec4 b[2]; float c; } b;\n\
        layout(set=0, binding=1) buffer C { float a[M][2]; float c; vec4 d[N * 2 + M]; vec4 e; } c;\n\
        layout(set=0, binding=2) uniform D { float a; } d[N];\nvoid main() {}\n";
    fs::write(folder.join("a.comp"), text)?;
    equal(&shown(folder, "a.comp")?, &vec![block("b", &[0, 80, 112]), block("c", &[0, 16, 32, 48]), block("d", &[0])])?;

    let answer: Value = serde_json::from_slice(&show(folder, "a.comp")?.stdout)?;
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let told: Vec<_> = warnings.map(|warning| (warning["message"].clone(), warning["line"].clone())).collect();
    let expected = [
        ("the length of `b.a` is 5 by default, and depends on specialization constant 3", 2),
        ("the length of `c.a` is 2 by default, and depends on specialization constant 4", 3),
        ("the length of `c.d` is 12 by default, and depends on specialization constants 3, 4", 2),
        ("the length of `d` is 5 by default, and depends on specialization constant 3", 2),
        ("`c.e`: at offset 48 overlaps `d`, which ends at 224", 1),
    ];
    equal(&told, &expected.map(|(message, line)| (Value::from(message), Value::from(line))).to_vec())
}

/// The Offset decorations are those of the same blocks in `#version 310 es` and `#version 330 compatibility`.
fn old_versions_are_read(folder: &Path) -> Result<(), Failed> {
    let block_text = "layout(std140) uniform Light { vec3 pos; float range; mat3 m; } light;\n";
    let es = "out vec4 o; void main() { o = vec4(light.pos * light.m, light.range); }\n";
    let old = "varying vec4 c; void main() { gl_FragColor = c * light.range + texture2D(t, c.xy); }\n";
    for (version, main) in [
        ("#version 300 es\nprecision highp float;\n", es),
        ("#version 310 es\nprecision highp float;\n", es),
        ("#version 120\n#extension GL_ARB_uniform_buffer_object : enable\nuniform sampler2D t;\n", old),
        ("#version 140\nuniform sampler2D t;\n", old),
        ("#version 330 compatibility\nuniform sampler2D t;\n", old),
        ("uniform sampler2D t;\n", old),
    ] {
        fs::write(folder.join("a.frag"), format!("{version}{block_text}{main}"))?;
        equal(&shown(folder, "a.frag")?, &vec![block("light", &[0, 12, 16])])?;
    }
    fs::write(
        folder.join("a.vert"),
        "attribute vec3 p; uniform mat4 m;\nvoid main() { gl_Position = m * nothing; }\n",
    )?;
    refuses(folder, "a.vert", ("'nothing' : undeclared identifier", "a.vert:2"))?;
    fs::write(
        folder.join("b.vert"),
        "attribute vec3 p; uniform mat4 m;\nvoid main() { gl_Position = m * vec4(p, 1.0); }\n",
    )?;
    equal(&shown(folder, "b.vert")?, &Vec::new())
}

/// A file that others include has neither `main` nor a version.
fn texts_without_main_or_version_are_read(folder: &Path) -> Result<(), Failed> {
    let text = "layout(std430, set = 1, binding = 0) buffer B { vec3 a; float b; vec2 c[]; } b;\n";
    for before in ["", "#version 450\n", "#pragma once\n"] {
        fs::write(folder.join("a.glsl"), format!("{before}{text}"))?;
        equal(&shown(folder, "a.glsl")?, &vec![block("b", &[0, 12, 16])])?;
    }
    fs::write(folder.join("a.glsl"), format!("{text}float f() {{\n  return nothing;\n}}\n"))?;
    refuses(folder, "a.glsl", ("'nothing' : undeclared identifier", "a.glsl:3"))?;

    // A macro of the command line may still make a parameter of it.
    fs::write(folder.join("b.glsl"), "KIND U { vec3 a; float b; } u;\n")?;
    equal(&shown(folder, "b.glsl")?, &Vec::new())?;
    equal(&warnings(folder, "b.glsl")?, &vec!["body-not-checked".to_owned()])?;
    equal(&shown(folder, "b.glsl -D KIND=layout(std140,binding=0)uniform")?, &vec![block("u", &[0, 12])])
}

/// Each text is a shader of one stage only.
fn stages_go_by_words(folder: &Path) -> Result<(), Failed> {
    let head = "#version 450\nlayout(std140, binding = 0) uniform U { vec3 a; float b; } u;\n";
    for main in [
        "layout(location = 0) out vec4 o; void main() { if (gl_FragCoord.x > u.b) discard; o = vec4(u.a, 1); }\n",
        "void main() { gl_Position = vec4(u.a, gl_VertexIndex); }\n",
        "layout(local_size_x = 8) in; shared float s; void main() { s = u.b; }\n",
        "layout(points) in; layout(points, max_vertices = 1) out;\n\
         void main() { gl_Position = vec4(u.a, 1); EmitVertex(); }\n",
        "layout(triangles) in; void main() { gl_Position = vec4(u.a * gl_TessCoord, 1); }\n",
    ] {
        fs::write(folder.join("a.glsl"), format!("{head}{main}"))?;
        equal(&shown(folder, "a.glsl")?, &vec![block("u", &[0, 12])])?;
    }
    Ok(())
}

/// spirv-val 2023.1 about the first: "member 2 at offset 16 overlaps previous member ending at
/// offset 39". glslang gives an array four elements because of an index, and places the following
/// members as if it had one.
fn members_that_share_bytes_are_named(folder: &Path) -> Result<(), Failed> {
    let unsized_array = "uint count; vec2 pairs[]; float after; vec3 tail[];";
    let placed = "vec4 a; layout(offset = 8) vec2 pairs[4]; layout(offset = 12) float c;";
    for (members, expected) in [
        (
            unsized_array,
            [
                "`b.after`: at offset 16 overlaps `pairs`, which ends at 40",
                "`b.tail`: at offset 32 overlaps `pairs`, which ends at 40",
            ]
            .as_slice(),
        ),
        (
            placed,
            [
                "`b.pairs`: at offset 8 overlaps `a`, which ends at 16",
                "`b.c`: at offset 12 overlaps `pairs`, which ends at 40",
            ]
            .as_slice(),
        ),
        ("float count; vec2 pairs[4]; layout(offset = 64) vec4 far;", [].as_slice()),
    ] {
        let text = format!(
            "#version 450\nlayout(std430, binding = 0) buffer B {{ {members} }} b;\n\
            void main() {{ b.pairs[3].y = 1.0; }}\n"
        );
        fs::write(folder.join("a.comp"), text)?;
        let answer: Value = serde_json::from_slice(&show(folder, "a.comp")?.stdout)?;
        let warnings = answer["warnings"].as_array().into_iter().flatten();
        let found: Vec<Value> = warnings.map(|warning| warning["message"].clone()).collect();
        equal(&found, &expected.iter().map(|message| Value::from(*message)).collect())?;
    }
    Ok(())
}

/// The codes of the warnings about a file.
fn warnings(folder: &Path, words: &str) -> Result<Vec<String>, Failed> {
    let answer: Value = serde_json::from_slice(&show(folder, words)?.stdout)?;
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    Ok(warnings.map(|warning| warning["code"].as_str().unwrap_or_default().to_owned()).collect())
}

/// Bodies that become no SPIR-V, although glslang takes the files (12.0.0 and 16.6.0 without `-G` and `-V`), and one in an
/// extension that it does not know. Expected: glslang 12.0.0 with `-l -q`.
fn blocks_need_no_bodies(folder: &Path) -> Result<(), Failed> {
    let frame = "layout(std140) uniform Frame { vec3 eye; float time; };\n";
    let bindless = "#version 460 core\n#extension GL_ARB_bindless_texture : require\n\
        struct Material { vec4 tint; sampler2D base; float rough; };\n\
        layout(std430, binding = 0) readonly buffer Materials { Material materials[]; };\nout vec4 color;\n\
        void main() { color = texture(materials[0].base, materials[0].tint.xy); }\n";
    fs::write(folder.join("a.frag"), bindless)?;
    equal(&shown(folder, "a.frag")?, &vec![block("Materials", &[0, 0, 16, 24])])?;
    equal(&warnings(folder, "a.frag")?, &vec!["body-not-checked".to_owned()])?;

    for (name, text) in [
        (
            "b.frag",
            format!(
                "#version 300 es\n#extension GL_OES_EGL_image_external_essl3 : require\nprecision mediump float;\n{frame}\
                 uniform samplerExternalOES camera; out vec4 color;\n\
                 void main() {{ color = texture(camera, eye.xy) * time; }}\n"
            ),
        ),
        (
            "c.frag",
            format!(
                "#version 330 core\n{frame}in vec2 uv; out vec4 color; uniform sampler2D image;\n\
                 vec4 blur(sampler2D image) {{ return texture2D(image, uv) * time; }}\nvoid main() {{ color = blur(image); }}\n"
            ),
        ),
        (
            "d.vert",
            format!(
                "#version 330 compatibility\n{frame}out vec2 uv;\n\
                 void main() {{ uv = (gl_TextureMatrix[0] * gl_MultiTexCoord0).xy * time; gl_Position = ftransform(); }}\n"
            ),
        ),
        (
            "e.frag",
            format!(
                "#version 450\n#extension GL_MADE_up : require\n{frame}out vec4 color;\n\
                 void main() {{ color = made_up(time); }}\n"
            ),
        ),
    ] {
        fs::write(folder.join(name), text)?;
        equal(&shown(folder, name)?, &vec![block("Frame", &[0, 12])])?;
        equal(&warnings(folder, name)?.iter().filter(|code| *code == "body-not-checked").count(), &1)?;
    }

    // Without a block there is a unit, and no error.
    fs::write(
        folder.join("g.frag"),
        "#version 120\nuniform sampler2D texture; varying vec2 uv;\nvoid main() { gl_FragColor = texture2D(texture, uv); }\n",
    )?;
    equal(&shown(folder, "g.frag")?, &Vec::new())?;
    equal(&warnings(folder, "g.frag")?, &vec!["body-not-checked".to_owned()])?;

    // Names that later versions reserve, behind a macro of the command line, too.
    let es = format!("#version 300 es\nprecision mediump float;\n{frame}out vec4 color;\n");
    let main = "void main() { color = twice(vec2(1.0), vec2(time)); }\n";
    for (name, function) in [
        ("h.frag", "vec4 twice(vec2 a, vec2 buffer) { return vec4(a * buffer, eye.xy); }"),
        ("i.frag", "vec4 twice(vec2 buffer, vec2 a) { return vec4(a * buffer, eye.xy); }"),
        (
            "j.frag",
            "vec2 first(vec2 buffer[2]) { return buffer[0]; }\nvec4 twice(vec2 a, vec2 b) { vec2 c[2]; return vec4(first(c), a); }",
        ),
        (
            "k.frag -D TWICE=1",
            "#ifdef TWICE\nvec4 twice(vec2 a, vec2 buffer) { return vec4(a * buffer, eye.xy); }\n#endif",
        ),
    ] {
        fs::write(folder.join(&name[..6]), format!("{es}{function}\n{main}"))?;
        equal(&shown(folder, name)?, &vec![block("Frame", &[0, 12])])?;
        equal(&warnings(folder, name)?.iter().filter(|code| *code == "body-not-checked").count(), &1)?;
    }

    let mistake = format!("#version 330 compatibility\n{frame}void main() {{ gl_Position = nothing * time; }}\n");
    fs::write(folder.join("f.vert"), mistake)?;
    refuses(folder, "f.vert", ("'nothing' : undeclared identifier", "f.vert:3"))
}

fn shaders_need_no_blocks(folder: &Path) -> Result<(), Failed> {
    for (name, text) in [
        ("a.vert", "#version 450\nvoid main() { gl_Position = vec4(0); }\n"),
        ("b.vert", "#version 330\nuniform mat4 m;\nvoid main() { gl_Position = m[0]; }\n"),
        ("c.wgsl", "@fragment fn main() -> @location(0) vec4f { return vec4f(); }\n"),
    ] {
        fs::write(folder.join(name), text)?;
        equal(&shown(folder, name)?, &Vec::new())?;
    }
    // Parts of shaders, which others include.
    fs::write(folder.join("d.wgsl"), "const n = 3;\n")?;
    equal(&shown(folder, "d.wgsl")?, &Vec::new())?;
    equal(&warnings(folder, "d.wgsl")?, &vec!["nothing-declared".to_owned()])?;
    for (name, text) in [
        ("e.glsl", "#version 450\nconst int n = 3;\n"),
        ("f.vert", "vec4 turned(vec4 q, vec3 v) { return vec4(cross(q.xyz, v), q.w); }\n"),
        ("g.glsl", "struct S { vec4 a; };\nvec4 of(S s) { return s.a + meshes; }\n"),
    ] {
        fs::write(folder.join(name), text)?;
        equal(&shown(folder, name)?, &Vec::new())?;
        equal(&warnings(folder, name)?, &vec!["body-not-checked".to_owned()])?;
        equal(&opengl_places(folder, name)?, &Vec::new())?;
    }
    fs::write(folder.join("h.glsl"), "uniform sampler2D image;\nvec4 of(vec2 uv) { return texture(image, uv); }\n")?;
    equal(&shown(folder, "h.glsl")?, &Vec::new())
}

/// glslang 16.6.0 `-G`: `only allowed when using GLSL for Vulkan`, and a syntax error at a separate texture.
fn opengl_refuses_what_only_vulkan_has(folder: &Path) -> Result<(), Failed> {
    for (text, words) in [
        ("layout(push_constant) uniform P { vec2 a; } p;", "'push_constant' : only allowed when using GLSL for Vulkan"),
        ("layout(set = 1, binding = 0) uniform P { vec2 a; } p;", "'descriptor set' : only allowed"),
        ("layout(input_attachment_index = 0, binding = 0) uniform subpassInput s;", "'input_attachment_index'"),
        ("layout(binding = 0) uniform texture2D t; layout(binding = 1) uniform sampler s;", "syntax error"),
    ] {
        fs::write(folder.join("a.frag"), format!("#version 450\n{text}\nvoid main() {{}}\n"))?;
        equal(&show(folder, "a.frag --target vulkan")?.status.code(), &Some(0))?;
        for target in ["opengl", "vulkan,opengl"] {
            let output = show(folder, &format!("a.frag --target {target}"))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code() != Some(2) || !said.contains(words) || !said.contains("refuses the file for OpenGL")
            {
                return Err(format!("{text}: {said}").into());
            }
        }
    }
    Ok(())
}

/// Expected: glslang 12.0.0, the Offset decorations of each section as a file of its own.
fn sections_of_godot_are_shaders(folder: &Path) -> Result<(), Failed> {
    let common =
        "layout(set = 0, binding = 0, std140) uniform Common { vec3 tint; float gain; float taps[3]; } common_;\n";
    let push = "layout(push_constant, std430) uniform P { ivec2 size; float strength; bool inverted; } p;\n";
    let compute =
        format!("#[compute]\n#version 450\n#VERSION_DEFINES\nlayout(local_size_x = 8) in;\n{push}void main() {{}}\n");
    fs::write(folder.join("a.glsl"), &compute)?;
    equal(&shown(folder, "a.glsl")?, &vec![block("p", &[0, 8, 12])])?;
    equal(&warnings(folder, "a.glsl")?, &Vec::new())?;

    fs::write(folder.join("b.glsl"), format!("#[versions]\nwide = \"#define WIDE\";\n{compute}"))?;
    equal(&warnings(folder, "b.glsl")?, &vec!["uncertain-layout".to_owned()])?;

    let both = format!(
        "#[vertex]\n#version 450\n{common}{push}void main() {{ gl_Position = vec4(common_.tint, p.strength); }}\n\
         #[fragment]\n#version 450\n{common}layout(location = 0) out vec4 c;\n\
         layout(set = 0, binding = 1, std140) uniform F {{ vec2 f; vec3 g; }} f;\n\
         void main() {{ c = vec4(common_.tint, f.g.x); }}\n"
    );
    fs::write(folder.join("c.glsl"), &both)?;
    let mut found = shown(folder, "c.glsl")?;
    found.sort();
    equal(&found, &vec![block("common_", &[0, 12, 16]), block("f", &[0, 16]), block("p", &[0, 8, 12])])?;

    fs::write(folder.join("d.glsl"), both.replace("f.g.x", "nothing"))?;
    refuses(folder, "d.glsl", ("'nothing' : undeclared identifier", "d.glsl:11"))?;
    fs::write(folder.join("e.glsl"), "#[versions]\nwide = \"\";\n")?;
    refuses(folder, "e.glsl", ("no section of a stage", "e.glsl:1"))
}

/// Expected: as above; each shader with its blocks as a file of its own.
fn parts_of_sokol_are_shaders(folder: &Path) -> Result<(), Failed> {
    let text = "@ctype vec2 hmm_v2\n@block shared\nuniform both { vec3 a; float b; };\n@end\n@vs v\n@include_block shared\n\
        uniform vs_params { mat4 mvp; vec2 scale; float time; };\nin vec4 position;\n\
        void main() { gl_Position = mvp * position * time * b; }\n@end\n@fs f\n@include_block shared\nout vec4 color;\n\
        layout(binding=1) uniform fs_params { vec3 light; vec3 eye; float power; };\n\
        void main() { color = vec4(light + eye + a, power); }\n@end\n@program p v f\n";
    fs::write(folder.join("a.glsl"), text)?;
    let mut found = shown(folder, "a.glsl")?;
    found.sort();
    equal(&found, &vec![block("both", &[0, 12]), block("fs_params", &[0, 16, 28]), block("vs_params", &[0, 64, 72])])?;
    equal(&warnings(folder, "a.glsl")?, &Vec::new())?;

    fs::write(folder.join("b.glsl"), text.replace("@include_block shared", "@include_block other"))?;
    refuses(folder, "b.glsl", ("no `@block other` is here, which `v` includes", "b.glsl:6"))
}

/// Unit, space, index and count of each parameter in OpenGL, and the number of overlaps; `None` where the place is open.
type OpenGlPlace = (String, Option<String>, usize);

fn opengl_places(folder: &Path, name: &str) -> Result<Vec<OpenGlPlace>, Failed> {
    let answer: Value = serde_json::from_slice(&show(folder, &format!("{name} --target opengl"))?.stdout)?;
    let is_place = |row: &&Value| !row["unit"].as_str().is_some_and(|unit| unit.starts_with("location-"));
    let places = answer["bindings"].as_array().into_iter().flatten().filter(is_place).map(|row| {
        let place = format!("{} {} {} {}", row["unit"], row["space"], row["index"], row["count"]).replace('"', "");
        let overlaps = row["overlaps"].as_array().map_or(0, Vec::len);
        let path = row["path"].as_str().unwrap_or_default().to_owned();
        (path, Some(place).filter(|_| row["uncertain"].is_null()), overlaps)
    });
    Ok(places.collect())
}

/// OpenGL 4.6 (Core Profile), 7.6 to 7.8 and 7.11, GLSL 4.60, 4.4.3 to 4.4.6: each class has its own binding points,
/// elements of arrays and members of structs take consecutive ones, and a counter follows the one before it. The offsets
/// of counters are glslang 12.0.0's.
fn opengl_has_its_own_binding_points(folder: &Path) -> Result<(), Failed> {
    let place = |path: &str, place: &str, overlaps: usize| (path.to_owned(), Some(place.to_owned()), overlaps);
    let open = |path: &str| (path.to_owned(), None, 0);
    fs::write(
        folder.join("a.frag"),
        "#version 450\nlayout(std140, binding = 0) uniform Scene { vec4 tint; };\n\
         layout(std430, binding = 0) buffer Log { float entries[]; };\nlayout(binding = 0) uniform sampler2D albedo;\n\
         layout(binding = 0, rgba8) uniform writeonly image2D target;\nout vec4 c;\n\
         void main() { c = tint * texture(albedo, tint.xy); imageStore(target, ivec2(0), c); entries[0] = 0.0; }\n",
    )?;
    let mut found = opengl_places(folder, "a.frag")?;
    found.sort();
    equal(
        &found,
        &vec![
            place("Log", "storage-buffer 0 0 1", 0),
            place("Scene", "uniform-buffer 0 0 1", 0),
            place("albedo", "texture-unit 0 0 1", 0),
            place("target", "image-unit 0 0 1", 0),
        ],
    )?;

    fs::write(
        folder.join("b.frag"),
        "#version 450\n#define AT(n) layout(binding = n)\nAT(1) uniform sampler2D maps[3];\nAT(3) uniform sampler2D late;\n\
         uniform sampler2D loose;\nlayout(std140, binding = 2) uniform A { vec4 a; } blocks[2];\n\
         layout(std140) uniform Z { vec4 z; };\nstruct L { vec3 p; float r[2]; };\nlayout(location = 5) uniform L light;\n\
         layout(location = 7) uniform vec4 tint;\nuniform vec4 other;\nout vec4 c;\n\
         void main() { c = texture(maps[0], tint.xy) + texture(late, other.xy) + texture(loose, light.p.xy)\n\
         + blocks[0].a + z; }\n",
    )?;
    let mut found = opengl_places(folder, "b.frag")?;
    found.sort();
    equal(
        &found,
        &vec![
            open("Z"),
            place("blocks", "uniform-buffer 0 2 2", 0),
            place("late", "texture-unit 0 3 1", 1),
            place("light", "uniform-location 0 5 3", 1),
            open("loose"),
            place("maps", "texture-unit 0 1 3", 1),
            open("other"),
            place("tint", "uniform-location 0 7 1", 1),
        ],
    )?;
    let text = String::from_utf8(show_text(folder, "b.frag --target opengl")?.stdout)?;
    let line = text.lines().find(|line| line.contains("other ")).unwrap_or_default();
    equal(
        &line.split_whitespace().collect::<Vec<_>>().join(" ").as_str(),
        &"other uniform-location (the driver chooses the location)",
    )?;

    fs::write(
        folder.join("c.comp"),
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0, offset = 4) uniform atomic_uint counts[4];\n\
         layout(binding = 0) uniform atomic_uint next;\nlayout(binding = 0, offset = 40) uniform atomic_uint apart;\n\
         layout(std430, binding = 0) buffer R { uint value[]; };\n\
         void main() { value[0] = atomicCounter(counts[1]) + atomicCounter(next) + atomicCounter(apart); }\n",
    )?;
    let mut found = opengl_places(folder, "c.comp")?;
    found.sort();
    equal(
        &found,
        &vec![
            place("R", "storage-buffer 0 0 1", 0),
            place("apart", "atomic-counter-bytes 0 40 4", 0),
            place("counts", "atomic-counter-bytes 0 4 16", 0),
            place("next", "atomic-counter-bytes 0 20 4", 0),
        ],
    )
}

fn errors_have_their_places(folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("a.h"), "float f() {\n  return nothing;\n}\n")?;
    fs::write(folder.join("a.frag"), "#version 450\n#include \"a.h\"\nvoid main() {}\n")?;
    refuses(folder, "a.frag", ("'nothing' : undeclared identifier", "a.h:2"))
}

/// A glslang that crashes, hangs, fills its memory or writes no module affects only the file.
#[cfg(unix)]
fn a_glslang_that_dies_is_told(folder: &Path) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;

    fs::write(folder.join("a.comp"), "#version 450\nlayout(binding=0) uniform U { float a; };\nvoid main() {}\n")?;
    let memory = "a=x; while :; do a=\"$a$a\"; done";
    for (end, words) in [
        ("kill -SEGV $$", "glslang died of SIGSEGV"),
        (memory, "glslang"),
        ("exit 0", "glslang wrote no module"),
        ("echo 'ERROR: no'; exit 1", "no"),
    ] {
        let script = folder.join("glslang.sh");
        fs::write(&script, format!("#!/bin/sh\n[ \"$1\" = --version ] && {{ echo version 1; exit; }}\n{end}\n"))?;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
        let output = command.args(["show", "a.comp"]).env("GLSLANG", script).current_dir(folder).output()?;
        let told = String::from_utf8_lossy(&output.stderr);
        if output.status.code() != Some(2) || !told.contains(words) || !told.contains("a.comp") {
            return Err(format!("{end}: `{words}` is expected, not {told}").into());
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn a_glslang_that_dies_is_told(_: &Path) -> Result<(), Failed> {
    Err("the script that stands for glslang is a shell's".into())
}
