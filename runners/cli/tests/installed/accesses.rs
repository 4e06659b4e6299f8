//! `layoutproof accesses` on GLSL, HLSL and Slang, through glslang, DXC and slangc: planted faults are found at their
//! lines, and the same code without them has none.
//!
//! Lines are those of the texts. Offsets: glslang 16.6.0, DXC 1.7.2308 and slangc 2026.14.1, the Offset decorations of the
//! same texts.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::fuzz::Here;

pub(crate) fn trials() -> Vec<Trial> {
    let lacks = |compiler| Here::look().lacks_compiler(compiler);
    vec![
        crate::trial("accesses::faults_of_glsl_are_found", lacks("glslang"), faults_of_glsl_are_found),
        crate::trial("accesses::faults_of_kernels_are_found", lacks("glslang"), faults_of_kernels_are_found),
        crate::trial("accesses::members_without_an_access_are_listed", lacks("glslang"), unread_members_are_listed),
        crate::trial("accesses::sound_glsl_has_no_fault", lacks("glslang"), sound_glsl_has_no_fault),
        crate::trial("accesses::included_files_have_their_lines", lacks("glslang"), included_files_have_their_lines),
        crate::trial("accesses::hlsl_goes_through_dxc", lacks("dxc"), hlsl_goes_through_dxc),
        crate::trial("accesses::elements_have_their_indices", lacks("glslang"), elements_have_their_indices),
        crate::trial("accesses::slangc_compiles_hlsl", lacks("slangc"), slangc_compiles_hlsl),
        crate::trial("accesses::heaps_of_early_dxc_are_refused", lacks("dxc"), heaps_of_early_dxc_are_refused),
        crate::trial("accesses::slang_goes_through_slangc", lacks("slangc"), slang_goes_through_slangc),
    ]
}

/// What the command says about a text, and its exit code.
fn accesses(name: &str, text: &str, more: &[&str]) -> Result<(Value, Option<i32>), Failed> {
    let folder = tempfile::tempdir()?;
    accesses_in(folder.path(), name, text, more)
}

fn accesses_in(folder: &Path, name: &str, text: &str, more: &[&str]) -> Result<(Value, Option<i32>), Failed> {
    fs::write(folder.join(name), text)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    command.args(["accesses", name, "--format", "json"]).args(more).current_dir(folder);
    let output = command.output()?;
    let answer = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((answer, output.status.code()))
}

/// The names and lines of the faults.
fn faults(answer: &Value) -> Vec<(String, u64)> {
    let faults = answer["files"][0]["faults"].as_array().into_iter().flatten();
    let named = |fault: &Value| {
        (fault["fault"].as_str().unwrap_or_default().to_owned(), fault["line"].as_u64().unwrap_or_default())
    };
    faults.map(named).collect()
}

fn equal<T: PartialEq + std::fmt::Debug>(left: &T, right: &T) -> Result<(), Failed> {
    if left == right { Ok(()) } else { Err(format!("{left:?} is not {right:?}").into()) }
}

/// Lines before those of the bodies below.
const GLSL: &str = "#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Wide { float d; };
layout(buffer_reference, buffer_reference_align = 4) buffer Narrow { float d; };
struct Item { vec4 place; uint kind; };
layout(buffer_reference, std430) buffer Items { Item items[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Head { vec4 place; uint kind; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Other { uint place; uint more[3]; uint kind; };
layout(push_constant) uniform Push { uint64_t at; uint n; uint step; Head head; } push;
layout(binding = 0, std430) buffer Table { float first[8]; float second[8]; } table;
layout(binding = 1, std430) buffer A { float count; vec3 colour; } a;
layout(binding = 1, scalar) buffer B { float count; vec3 colour; } b;
layout(binding = 2, std430) buffer C { Item items[]; } c;
layout(binding = 2, scalar) buffer D { Item items[]; } d;
uint twice(uint x) { return x * 2; }
";

/// A body, and the faults that it has on its first line.
const FAULTS: [(&str, &[&str]); 25] = [
    // The report of September 2026, and others of its kind.
    ("Wide w = Wide(push.at + gl_GlobalInvocationID.x * 4); w.d = 1.0;", &["alignment"]),
    ("Wide(push.at + uint64_t(gl_GlobalInvocationID.x) * 8).d = 1.0;", &["alignment"]),
    ("uint i = gl_LocalInvocationID.x; i = i << 2; Wide(push.at + i).d = 1.0;", &["alignment"]),
    ("Wide(push.at + 16 * gl_WorkGroupID.x + 4).d = 1.0;", &["alignment"]),
    ("for (uint i = 0; i < push.n; i += 4) { Wide(push.at + i).d = 1.0; }", &["alignment"]),
    ("Wide(push.at + twice(gl_GlobalInvocationID.x)).d = 1.0;", &["alignment"]),
    ("Wide(push.at + 4 * (gl_GlobalInvocationID.x / push.n)).d = 1.0;", &["alignment"]),
    ("Wide(push.at + 4 * (gl_GlobalInvocationID.x % push.n)).d = 1.0;", &["alignment"]),
    ("uvec2 i = gl_GlobalInvocationID.xy * uvec2(4, 16); Wide(push.at + i.x + i.y).d = 1.0;", &["alignment"]),
    ("Wide(uint64_t(push.head) + 4).d = 1.0;", &["alignment"]),
    ("table.first[gl_LocalInvocationID.x + 8] = 1.0;", &["beyond-end"]),
    ("uint i = 8 + push.n; table.second[i] = 1.0;", &["beyond-end"]),
    // 32 invocations, and loops, of which each gets there.
    ("table.first[gl_LocalInvocationID.x] = 1.0;", &["beyond-end"]),
    ("table.first[gl_LocalInvocationID.x & 15] = 1.0;", &["beyond-end"]),
    ("table.first[7 - gl_LocalInvocationID.x] = 1.0;", &["beyond-end"]),
    ("if (push.n > 3) a.count = 1.0; table.first[gl_GlobalInvocationID.x / 2] = 1.0;", &["beyond-end"]),
    ("for (int k = 0; k <= 8; k++) table.first[k] = 1.0;", &["beyond-end"]),
    ("for (uint k = 0; 3 > k; k++) for (int j = 0; j < 4; j++) table.first[4 * k + j] = 1.0;", &["beyond-end"]),
    ("Wide(push.at + (gl_GlobalInvocationID.x * 16 | 4)).d = 1.0;", &["alignment"]),
    ("int i = 3; int j = i - 4; table.first[j] = 1.0;", &["beyond-end"]),
    ("Head(push.at + 16 * gl_GlobalInvocationID.x).kind = 1;", &["stride"]),
    ("Other(push.head).place = 1;", &["other-type"]),
    ("Other(push.head).more[0] = 1;", &["other-type"]),
    ("a.colour = vec3(1.0); b.colour = vec3(1.0);", &["views"]),
    ("c.items[0].kind = 1; d.items[0].kind = 1;", &["views"]),
];

const LINE: u64 = 20;

fn with_body(body: &str) -> String {
    format!("{GLSL}void main() {{\n{body}\n}}\n")
}

fn faults_of_glsl_are_found() -> Result<(), Failed> {
    for (body, expected) in FAULTS {
        let (answer, code) = accesses("a.comp", &with_body(body), &[])?;
        let expected: Vec<(String, u64)> = expected.iter().map(|name| ((*name).to_owned(), LINE)).collect();
        if faults(&answer) != expected || code != Some(1) {
            return Err(format!("{body}: {expected:?} is expected, not {answer}").into());
        }
    }
    Ok(())
}

/// Neighbours of the faults that keep what they promise.
const SOUND: [&str; 26] = [
    "Narrow(push.at + gl_GlobalInvocationID.x * 4).d = 1.0;",
    "Wide(push.at + gl_GlobalInvocationID.x * 16).d = 1.0;",
    "Wide(push.at + gl_GlobalInvocationID.x * push.step).d = 1.0;",
    "Wide(push.at + (gl_GlobalInvocationID.x * 4 & ~15u)).d = 1.0;",
    "for (uint i = 0; i < push.n; i += 16) { Wide(push.at + i).d = 1.0; }",
    "Wide(push.at + 8 * twice(gl_GlobalInvocationID.x)).d = 1.0;",
    "Wide(push.at + gl_LocalInvocationID.y * 4).d = 1.0;",
    "uvec2 i = gl_GlobalInvocationID.xy * uvec2(32, 16); Wide(push.at + i.x + i.y).d = 1.0;",
    "Items(push.at).items[gl_GlobalInvocationID.x].kind = 1;",
    "Head(push.at + 32 * gl_GlobalInvocationID.x).kind = 1;",
    "push.head.kind = 1;",
    "Other(push.head).kind = 1;",
    "uint i = gl_LocalInvocationID.x + 1; if (i < 8) table.first[i] = 1.0;",
    "table.first[push.n & 7] = 1.0; table.first[7 - (gl_LocalInvocationID.x & 7)] = 1.0;",
    // Something decides whether code gets there.
    "if (push.n > 3) table.first[gl_LocalInvocationID.x] = 1.0;",
    "if (gl_LocalInvocationID.x >= 8) return; table.first[gl_LocalInvocationID.x] = 1.0;",
    "for (uint i = gl_LocalInvocationID.x; i < 8; i += 32) table.first[i] = 1.0;",
    "for (int k = 0; k <= 8; k++) { if (k == 8) break; table.first[k] = 1.0; }",
    "for (int k = 0; k <= 8; k++) { if (push.n == k) continue; table.first[k] = 1.0; }",
    "for (int k = 0; k < 8; k++) table.first[k] = 1.0;",
    "for (int k = 7; k >= 0; k--) table.first[k] = 1.0;",
    "int k = 0; table.first[k] = 1.0; for (; k < 99; k++) a.count += 1.0;",
    "table.first[min(gl_LocalInvocationID.x, 7)] = 1.0;",
    "table.first[gl_LocalInvocationID.x < 8 ? gl_LocalInvocationID.x : 0] = 1.0;",
    "a.count = 1.0;",
    "c.items[gl_GlobalInvocationID.x].place = vec4(1.0);",
];

fn sound_glsl_has_no_fault() -> Result<(), Failed> {
    for body in SOUND {
        let (answer, code) = accesses("a.comp", &with_body(body), &[])?;
        if code != Some(0) || answer["account"]["accesses"] != answer["account"]["followed"] {
            return Err(format!("{body}: {answer}").into());
        }
    }
    Ok(())
}

/// Lines before those of the kernels below.
const KERNEL: &str = "#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
struct Body { vec4 place; vec3 speed; float mass; };
struct Draw { uint count; uint instances; uint first; int vertex; uint base; };
layout(buffer_reference) buffer Floats { float d; };
layout(buffer_reference, buffer_reference_align = 2) buffer Halves { float16_t d; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Vectors { vec4 v[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Bodies { vec4 place; vec3 speed; float mass; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Draws { uint count; uint instances; uint first; int vertex; uint base; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Camera { mat4 view; vec3 eye; layout(offset = 80) float near; };
layout(buffer_reference, std430, buffer_reference_align = 16, row_major) buffer CameraRows { mat4 view; vec3 eye; layout(offset = 80) float near; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer CameraWords { vec2 a[8]; float b[4]; uint near; };
layout(push_constant) uniform Push { uint64_t src; uint64_t dst; uint rows; uint columns; uint stride; uint offset; Camera camera; Draws draws; } p;
layout(binding = 0, std430) buffer Weights { float tile[16][16]; float bias[16]; uint bins[256]; } weights;
layout(binding = 1, std430) buffer A { uint n; vec3 axis; Body bodies[]; } a;
layout(binding = 1, scalar) buffer B { uint n; vec3 axis; Body bodies[]; } b;
layout(binding = 2, std140) uniform C { vec4 planes[6]; mat4 view; } c;
shared float tile[64];
uint row_of(uint i) { return i / 16; }
void main() {
";

/// A kernel, with what stands for `{}` in the faulty and in the sound one, and the fault with its line in the kernel.
const KERNELS: [(&str, &str, &str, &str, u64); 22] = [
    (
        "uint i = gl_GlobalInvocationID.x;
uint row = i / p.columns, column = i % p.columns;
Floats(p.dst + {} * (row + column)).d = 1.0;",
        "4",
        "16",
        "alignment",
        2,
    ),
    (
        "uint pair = gl_GlobalInvocationID.x * 2;
float x = Floats(p.src + pair * {}).d;
weights.bias[0] = x;",
        "4",
        "8",
        "alignment",
        1,
    ),
    (
        "float most = 0.0;
for (uint k = gl_LocalInvocationID.x; k < p.columns; k += 64)
    most = max(most, Floats(p.src + k * {}).d);
tile[0] = most;",
        "4",
        "16",
        "alignment",
        2,
    ),
    (
        "for (uint k = 0; k < p.rows; ++k) {
    Vectors v = Vectors(p.src + {} + k * 16);
    v.v[0] = vec4(0);
}",
        "4",
        "32",
        "alignment",
        2,
    ),
    (
        "uint i = gl_GlobalInvocationID.x;
Vectors(p.dst + i * {}).v[0] = vec4(1);",
        "12",
        "48",
        "alignment",
        1,
    ),
    (
        "uint i = gl_GlobalInvocationID.x;
uint64_t at = p.dst + i * (p.rows > 4 ? {} : 48);
Floats(at).d = 1.0;",
        "8",
        "16",
        "alignment",
        2,
    ),
    (
        "uvec2 at = gl_WorkGroupID.xy * uvec2(64, {});
Floats(p.src + at.x + at.y).d = 0.0;",
        "20",
        "16",
        "alignment",
        1,
    ),
    ("Floats(uint64_t(p.camera) + {}).d = 1.0;", "8", "80", "alignment", 0),
    (
        "uint i = gl_GlobalInvocationID.x;
Bodies(p.src + i * {}).mass = 1.0;",
        "16",
        "32",
        "stride",
        1,
    ),
    (
        "for (uint i = 0; i < p.rows; ++i) {
    Bodies body = Bodies(p.src + uint64_t(i) * {});
    body.place += vec4(body.speed, 0);
}",
        "16",
        "64",
        "stride",
        2,
    ),
    ("Draws(p.dst + gl_GlobalInvocationID.x * {}).count = 3;", "16", "20", "stride", 0),
    (
        "uint slot = atomicAdd(a.n, 1);
Draws d = Draws(p.dst + slot * 4 + gl_LocalInvocationID.x * {});
d.count = 3;",
        "12",
        "20",
        "stride",
        2,
    ),
    (
        "uint x = gl_LocalInvocationID.x % 16, y = gl_LocalInvocationID.x / 16;
weights.tile[y][x{}] = 0.0;",
        " + 16",
        "",
        "beyond-end",
        1,
    ),
    (
        "for (uint k = 0; k < {}; ++k)
    weights.bias[k] = 0.0;",
        "17",
        "16",
        "beyond-end",
        1,
    ),
    (
        "uint bin = 255 + p.offset;
atomicAdd(weights.bins[bin {} 1], 1u);",
        "+",
        "-",
        "beyond-end",
        1,
    ),
    (
        "vec4 plane = c.planes[{} + (gl_LocalInvocationID.x & 1)];
tile[0] = plane.x;",
        "6",
        "4",
        "beyond-end",
        0,
    ),
    (
        "int k = 2;
weights.bias[k - {}] = 0.0;",
        "3",
        "2",
        "beyond-end",
        1,
    ),
    (
        "uint i = row_of(gl_GlobalInvocationID.x){};
weights.tile[i][0] = 1.0;",
        " + 16",
        "",
        "beyond-end",
        1,
    ),
    (
        "Camera{} camera = Camera{}(p.camera);
mat4 view = camera.view;
tile[0] = view[1].x;",
        "Rows",
        "",
        "other-order",
        1,
    ),
    (
        "Camera{} camera = Camera{}(p.camera);
camera.near = 1;",
        "Words",
        "",
        "other-type",
        1,
    ),
    (
        "CameraWords words = CameraWords(p.camera);
tile[1] = words.b[{}];",
        "3",
        "2",
        "padding",
        1,
    ),
    (
        "a.bodies[0].mass = 1.0;
{}.bodies[0].mass = 1.0;",
        "b",
        "a",
        "views",
        1,
    ),
];

/// Each kernel has its fault at its line, and the same kernel with the other number has none.
fn faults_of_kernels_are_found() -> Result<(), Failed> {
    let first = KERNEL.lines().count() as u64 + 1;
    for (body, faulty, sound, kind, line) in KERNELS {
        let text = |number: &str| format!("{KERNEL}{}\n}}\n", body.replace("{}", number));
        let (answer, code) = accesses("a.comp", &text(faulty), &[])?;
        if faults(&answer) != [(kind.to_owned(), first + line)] || code != Some(1) {
            return Err(format!("{body} with {faulty}: {kind} in line {line} is expected, not {answer}").into());
        }
        let (answer, code) = accesses("a.comp", &text(sound), &[])?;
        if code != Some(0) {
            return Err(format!("{body} with {sound}: {answer}").into());
        }
    }
    Ok(())
}

/// A kernel with what stands for `{}` in one that forgets a member and in one that does not, the view and the member.
const FORGETFUL: [(&str, &str, &str, &str, &str); 4] = [
    (
        "uint i = gl_LocalInvocationID.x;\na.bodies[i].place += vec4(a.bodies[i].{}, 0);",
        "place.xyz",
        "speed",
        "a",
        "bodies[].speed",
    ),
    ("tile[0] = c.{}[0].x;", "planes", "view", "c", "view"),
    ("for (uint k = 0; k < p.{}; ++k)\n    weights.bias[k] = 0.0;", "columns", "rows", "p", "rows"),
    ("p.camera.{} = 1.0;", "eye.x", "near", "Camera(p.camera)", "near"),
];

fn unread_members_are_listed() -> Result<(), Failed> {
    for (body, forgetful, sound, view, member) in FORGETFUL {
        for (member_in_code, is_listed) in [(forgetful, true), (sound, false)] {
            let text = format!("{KERNEL}{}\n}}\n", body.replace("{}", member_in_code));
            let (answer, code) = accesses("a.comp", &text, &[])?;
            let views = answer["files"][0]["views"].as_array().into_iter().flatten();
            let mut untouched =
                views.filter(|it| it["name"] == view).flat_map(|it| it["untouched"].as_array().into_iter().flatten());
            if untouched.any(|it| it == member) != is_listed || code != Some(0) {
                return Err(format!("{view} and {member} with {member_in_code}: {answer}").into());
            }
        }
    }
    Ok(())
}

fn included_files_have_their_lines() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("put.glsl"), "\nvoid put(uint i) {\n    r.v[i + 4] = 1.0;\n}\n")?;
    let text = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer R { float v[4]; } r;\n\
                #include \"put.glsl\"\nvoid main() { put(gl_WorkGroupID.x); }\n";
    let (answer, _) = accesses_in(folder.path(), "a.comp", text, &[])?;
    equal(&faults(&answer), &vec![("beyond-end".to_owned(), 3)])?;
    equal(&answer["files"][0]["faults"][0]["file"].as_str(), &Some("put.glsl"))
}

/// The members that code accesses, in its order.
fn members(answer: &Value) -> Vec<&str> {
    let accesses = answer["files"][0]["accesses"].as_array().into_iter().flatten();
    accesses.filter_map(|access| access["member"].as_str()).collect()
}

fn elements_have_their_indices() -> Result<(), Failed> {
    let text = "#version 450\nlayout(local_size_x = 1) in;
struct Cone { float w[3]; };
layout(binding = 0, std430) buffer L { vec4 dir[2][3]; uint ids[4]; Cone cones[2]; mat2 turn; } l;
void main() {
    uint i = gl_WorkGroupID.x & 1;
    l.dir[1][2] = vec4(1);
    l.dir[i][2].y = 1;
    l.ids[2] = i;
    l.ids[i] = 1;
    l.cones[1].w[i] = 1;
    l.turn[1].x = 1;
}\n";
    let (answer, code) = accesses("a.comp", text, &[])?;
    let expected = ["dir[1][2]", "dir[][2].y", "ids[2]", "ids[]", "cones[1].w[]", "turn[1].x"];
    equal(&(members(&answer).as_slice(), code), &(&expected[..], Some(0)))?;
    // All members are touched, whatever the index.
    equal(&answer["files"][0]["views"][0]["untouched"].as_array().map(Vec::len), &Some(0))
}

/// DXC's SPIR-V is the usual one for HLSL. Other compilers are refused, not ignored.
fn slangc_compiles_hlsl() -> Result<(), Failed> {
    let text = "RWStructuredBuffer<uint> o;
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { o[id.x] = 1; }\n";
    let (answer, code) = accesses("a.hlsl", text, &["--compiler", "slangc"])?;
    let compiler = answer["files"][0]["compiler"].as_str().unwrap_or_default();
    equal(&(compiler.starts_with("Slang "), members(&answer), code), &(true, vec!["[]"], Some(0)))?;
    let wgsl = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() { o[0] = 1u; }\n";
    for (name, text, compiler) in [
        ("a.wgsl", wgsl, "tint"),
        ("a.comp", "#version 450\nvoid main() {}\n", "naga"),
        ("a.hlsl", text, "clang"),
        ("a.slang", text, "dxc"),
    ] {
        let (answer, code) = accesses(name, text, &["--compiler", compiler])?;
        let said = answer.to_string();
        equal(&(said.contains(&format!("--compiler {compiler}")), code), &(true, Some(2)))
            .map_err(|_| format!("{name}: {said}"))?;
    }
    Ok(())
}

/// DXC 1.7.2308 dies of SIGSEGV where code that runs uses a heap, and not where unused code names one.
fn heaps_of_early_dxc_are_refused() -> Result<(), Failed> {
    let text = |body: &str| {
        format!(
            "RWStructuredBuffer<float4> o : register(u0);
float4 of(uint i) {{ ByteAddressBuffer b = ResourceDescriptorHeap[i]; return b.Load<float4>(0); }}
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {{ o[id.x] = {body}; }}\n"
        )
    };
    let (answer, code) = accesses("a.hlsl", &text("1"), &[])?;
    equal(&code, &Some(0))?;
    let compiler = answer["files"][0]["compiler"].as_str().unwrap_or_default();
    if !compiler.contains(" 1.7.") {
        return Ok(());
    }
    for more in [&[][..], &["--args", "-T cs_6_6 -E main"]] {
        let (answer, code) = accesses("a.hlsl", &text("of(1)"), more)?;
        let error = &answer["errors"][0];
        let is_it = error["message"].as_str().is_some_and(|it| it.contains("makes no SPIR-V of descriptor heaps"));
        equal(&(is_it, error["line"].as_u64(), code), &(true, Some(2), Some(2))).map_err(|_| answer.to_string())?;
    }
    Ok(())
}

/// DXC promises 4 bytes for `vk::RawBufferLoad` unless the code says more.
const HLSL: &str = "struct Particle { float3 place; float mass; };
StructuredBuffer<Particle> particles : register(t0);
RWStructuredBuffer<float4> result : register(u1);
cbuffer Frame : register(b2) { float4 tint; float4 unused; uint64_t address; };
[numthreads(64, 1, 1)] void CSMain(uint3 id : SV_DispatchThreadID) {
    float4 loaded = vk::RawBufferLoad<float4>(address + id.x * 4, 16);
    result[id.x] = tint * particles[id.x].mass + loaded;
}
";

fn hlsl_goes_through_dxc() -> Result<(), Failed> {
    let (answer, code) = accesses("a.hlsl", HLSL, &[])?;
    equal(&code, &Some(1))?;
    equal(&faults(&answer), &vec![("alignment".to_owned(), 6)])?;
    let members = members(&answer);
    let expected = ["address", "", "tint", "[].mass", "[]"];
    if expected.iter().any(|member| !members.contains(member)) {
        return Err(format!("{members:?}").into());
    }
    let sound = HLSL.replace("id.x * 4", "id.x * 16");
    equal(&accesses("a.hlsl", &sound, &[])?.1, &Some(0))?;
    // The build's bindings.
    let (answer, _) = accesses("a.hlsl", &sound, &["--args", "-T cs_6_6 -E CSMain -spirv -fvk-t-shift 10 0"])?;
    let views = answer["files"][0]["views"].as_array().into_iter().flatten();
    let mut named = views.filter(|view| view["name"] == "particles").map(|view| view["binding"].as_u64());
    equal(&named.next().flatten(), &Some(10))?;
    // A pixel shader has no attribute that says so.
    let pixel = "cbuffer Frame : register(b0) { float4 tint; };\nfloat4 PSMain() : SV_Target { return tint; }\n";
    let (answer, code) = accesses("p.hlsl", pixel, &["--args", "-T ps_6_0 -E PSMain"])?;
    equal(&(code, answer["account"]["followed"].as_u64()), &(Some(0), Some(1)))
}

const SLANG: &str = "struct Item { float3 place; uint kind; };
RWStructuredBuffer<Item> items;
struct Push { float* at; uint count; };
[[vk::push_constant]] ConstantBuffer<Push> push;
[shader(\"compute\")] [numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    float table[4] = { 1, 2, 3, 4 };
    items[id.x].kind = push.count;
    push.at[id.x] = table[id.x & 3];
}
";

fn slang_goes_through_slangc() -> Result<(), Failed> {
    let (answer, code) = accesses("a.slang", SLANG, &[])?;
    equal(&code, &Some(0))?;
    let accesses = answer["files"][0]["accesses"].as_array().cloned().unwrap_or_default();
    let store = |line: u64| accesses.iter().find(|access| access["kind"] == "store" && access["line"] == line);
    let (Some(kind), Some(at)) = (store(7), store(8)) else { return Err(format!("{answer}").into()) };
    equal(&(kind["member"].as_str(), kind["offset"].as_i64()), &(Some("[].kind"), Some(12)))?;
    equal(&kind["strides"][0]["bytes"].as_i64(), &Some(16))?;
    equal(&at["strides"][0]["bytes"].as_i64(), &Some(4))
}
