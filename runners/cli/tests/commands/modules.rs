//! `layoutproof run` of files with their own layouts, `.spv`, `.wgsl` and `.glsl`: the model reads
//! at the module's offsets.
//!
//! The WGSL's offsets follow WGSL, 14.4 Memory Layout, the GLSL's follow OpenGL 4.6, 7.6.2.2. Those
//! of the frozen module, which glslang 12 made, are its decorations as `spirv-dis` lists them.

use std::collections::BTreeMap;

use layoutproof_layout::table;
use serde_json::Value;

use super::folder::Folder;

/// A struct with a `vec3f` may lie only at multiples of 16; `c` uses the word that a `vec3f` leaves
/// free.
const WGSL: &str = "struct In { v: vec3f, w: f32, m: mat2x3f }
struct S { a: vec3f, c: f32, b: array<vec4f, 2>, i: In, n: u32 }
@group(0) @binding(0) var<uniform> s: S;
struct T { k: u32, @align(32) j: u32, list: array<In> }
@group(0) @binding(1) var<storage, read_write> t: T;
";

const GLSL: &str = "#version 450
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform S { vec3 a; float b[2]; float c; mat3 m; } s;
layout(std430, binding = 1) buffer T { vec3 a; float b[2]; float c; } t;
void main() { t.c = s.c; }
";

const MODULE: &[u8] = include_bytes!("../../../../harness/tests/frozen/std140_matrices.spv");

/// The offset at which the model device read each leaf, by path.
fn observed(records: &str) -> BTreeMap<String, u64> {
    let lines = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut found = BTreeMap::new();
    for check in lines.filter(|line| line["type"] == "check") {
        assert_eq!(check["rules"], "declared");
        for row in check["rows"].as_array().unwrap() {
            if let Some(offset) = row["observed"].as_u64() {
                found.insert(row["path"].as_str().unwrap().to_owned(), offset);
            }
        }
    }
    found
}

/// Runs a file on the model and compares the offsets of these leaves.
#[track_caller]
fn reads(folder: &Folder, name: &str, expected: &[(&str, u64)]) {
    let words = format!("run {name} --device model --json r.jsonl -v");
    let answer = folder.run(&words).exits(0).prints("Cases 1, 1 rule set, 1 producer (rspirv): 1 check");
    let answer = answer.prints(&format!("note: the offsets of {name} were checked in generated test shaders;"));
    assert!(!answer.out.contains("no compiler was run"), "{answer}");
    let words = answer.unwrapped();
    assert!(words.contains(" compared, 1 check agrees"), "{answer}");
    let found = observed(&folder.read("r.jsonl"));
    for (path, offset) in expected {
        assert_eq!(found.get(*path), Some(offset), "{path} of {name} in {found:?}");
    }
}

#[test]
fn a_wgsl_file_is_read_where_wgsl_says() {
    let folder = Folder::with(&[("a.wgsl", WGSL)]);
    let expected = [
        ("s.a.z", 8),
        ("s.c", 12),
        ("s.b[1].x", 32),
        ("s.i.w", 60),
        ("s.i.m[2][1]", 88),
        ("s.n", 96),
        ("t.k", 0),
        ("t.j", 32),
        ("t.list[0].w", 60),
        ("t.list[1].w", 108),
    ];
    reads(&folder, "a.wgsl", &expected);
}

#[test]
fn a_glsl_file_is_read_by_the_rules_of_each_block() {
    let folder = Folder::with(&[("a.glsl", GLSL)]);
    let expected = [("s.b[1]", 32), ("s.c", 48), ("s.m[2][1]", 88), ("t.b[0]", 12), ("t.b[1]", 16), ("t.c", 20)];
    reads(&folder, "a.glsl", &expected);
}

#[test]
fn a_module_is_read_where_its_decorations_say() {
    let folder = Folder::with(&[]);
    folder.write("a.spv", MODULE);
    // `r` is RowMajor at 80 and `m` an array of such matrices at 160, 32 bytes apart; matrix vectors are 16 apart.
    let expected = [("s.b[1]", 32), ("s.r[1][0]", 96), ("s.r[0][1]", 84), ("s.s[1].q", 156), ("s.m[1][1][0]", 208)];
    reads(&folder, "a.spv", &expected);
}

/// glslang 12.0.0 with `-gVS`, of `S { vec3 a; vec2 b[3]; float c; }` in std140; its decorations by `spirv-dis`.
#[test]
fn a_module_with_debug_information_is_read_where_its_decorations_say() {
    let folder = Folder::with(&[]);
    folder.write("a.spv", include_bytes!("../../../../harness/tests/debug_modules/glslang.spv"));
    reads(&folder, "a.spv", &[("S.a.z", 8), ("S.b[1].y", 36), ("S.c", 64)]);
}

/// WGSL, 14.4.1: the attribute of member `b` aligns the struct `Inner`. Tint's SPIR-V has the same
/// offsets (Dawn for Node 0.6.2); naga 30 has 4, 20, 36, 100.
#[test]
fn an_alignment_in_a_nested_struct_counts() {
    let text = "struct Inner { a: u32, @align(16) b: f32, c: f32 }
struct Outer { head: u32, inner: Inner, many: array<Inner, 2>, tail: u32 }
@group(0) @binding(0) var<storage, read_write> outer: Outer;
";
    let folder = Folder::with(&[("a.wgsl", text)]);
    let expected = [("inner.a", 16), ("inner.b", 32), ("many[0].a", 48), ("many[1].b", 96), ("tail", 112)];
    let expected = expected.map(|(path, offset)| (format!("outer.{path}"), offset));
    let expected: Vec<(&str, u64)> = expected.iter().map(|(path, offset)| (path.as_str(), *offset)).collect();
    reads(&folder, "a.wgsl", &expected);
}

/// WGSL, 14.4.5: a struct in a uniform buffer is at a multiple of 16, and so is what follows it.
#[test]
fn a_member_that_a_uniform_buffer_may_not_hold_is_named() {
    let text = "struct Inner { a: f32 }
struct Outer { b: vec2<f32>, c: Inner, d: f32 }
@group(0) @binding(0) var<uniform> outer: Outer;
";
    let folder = Folder::with(&[("a.wgsl", text)]);
    let answer = folder.run("show a.wgsl --format json").exits(2);
    let error = &answer.json()["errors"][0];
    assert_eq!((&error["code"], &error["line"], &error["column"]), (&"bad-module".into(), &2.into(), &30.into()));
    assert_eq!(error["message"], "`outer.c` is at offset 8, but wgsl-uniform requires a multiple of 16");

    // Tint of Dawn for Node 0.6.2 takes the file as it is, with these offsets.
    let block = &answer.json()["layouts"][0]["blocks"][0];
    let offsets: Vec<u64> =
        block["members"].as_array().unwrap().iter().map(|it| it["offset"].as_u64().unwrap()).collect();
    assert_eq!((&block["size"], offsets), (&16.into(), vec![0, 8, 8, 12]));
    assert_eq!(block["forbidden"][0]["message"], "is at offset 8, but wgsl-uniform requires a multiple of 16");
    folder.run("show a.wgsl").exits(2).prints("Forbidden outer.c under declared").prints("16 bytes");
    folder.run("show a.wgsl --target webgpu").exits(2).prints("16 bytes").prints("var<uniform> outer: Outer");
    folder.run("diff a.wgsl a.wgsl").exits(0).warns("warning: `outer.c` is at offset 8");
    folder.run("run a.wgsl --device model").exits(3);

    // WGSL, 4.1.2: the language feature lifts the constraint; naga 30 does not know it.
    folder.write("b.wgsl", format!("requires uniform_buffer_standard_layout;\n{text}").as_bytes());
    folder
        .run("run b.wgsl --device model")
        .exits(3)
        .prints("incomplete 0 of 1 block compared; `outer`: refused by naga: ");
    folder.run("run b.wgsl --device model --producer rspirv --json r.jsonl").exits(0);
    let found = observed(&folder.read("r.jsonl"));
    for (path, offset) in [("outer.b.x", 0), ("outer.c.a", 8), ("outer.d", 12)] {
        assert_eq!(found.get(path), Some(&offset), "{path}: {found:?}");
    }
    folder.run("show b.wgsl").exits(0).warns("warning: naga");
}

/// naga's offsets are those of naga 30's layouter; the help names who uses them.
#[test]
fn a_member_that_naga_has_elsewhere_is_named() {
    let text = "struct Inner { a: u32, @align(16) b: f32 }
struct Outer { head: u32, inner: Inner }
@group(0) @binding(0) var<storage, read_write> outer: Outer;
";
    let shown = Folder::with(&[("a.wgsl", text)]).run("show a.wgsl --format json").exits(0).json();
    let warning = &shown["warnings"][0];
    assert_eq!(
        (&warning["code"], &warning["line"], &warning["column"]),
        (&"compiler-differs".into(), &2.into(), &27.into())
    );
    let message = warning["message"].as_str().unwrap();
    assert!(message.ends_with("gives `outer.inner` the offset 4, WGSL 16"), "{message}");
}

/// The bindings that the text states, those of one entry point, and those that one entry point uses twice.
#[test]
fn wgsl_states_its_bindings() {
    let text = "@group(0) @binding(0) var<uniform> scene: vec4f;
@group(0) @binding(0) var<storage, read> lights: array<vec4f>;
@group(1) @binding(1) var albedo: texture_2d<f32>;
@group(1) @binding(1) var other: texture_2d<f32>;
@id(3) override gain: f32 = 1.0;
@compute @workgroup_size(1) fn one() { _ = scene.x; _ = lights[0]; }
@fragment fn two() -> @location(0) vec4f { return textureLoad(albedo, vec2i(0), 0); }
@fragment fn three() -> @location(0) vec4f { return textureLoad(other, vec2i(0), 0); }
";
    let folder = Folder::with(&[("a.wgsl", text), ("b.wgsl", "@group(2) @binding(3) var t: texture_2d<f32>;\n")]);
    let all = folder.run("show a.wgsl --target webgpu --format json").exits(2).json();
    assert_eq!(
        all["errors"][0]["message"],
        "`lights` has group 0 and binding 0, which `scene` has, too, and `one` uses both"
    );
    assert_eq!((&all["target"], &all["convention"]), (&"webgpu".into(), &"declared".into()));
    let binding = |index: usize| {
        let row = &all["bindings"][index];
        let overlaps = row.get("overlaps").cloned().unwrap_or(Value::Null);
        (row["path"].clone(), row["unit"].clone(), row["space"].clone(), row["index"].clone(), overlaps)
    };
    let expected = |path: &str, unit: &str, space: u32, index: u32, overlaps: Value| {
        (path.into(), unit.into(), space.into(), index.into(), overlaps)
    };
    assert_eq!(binding(1), expected("lights", "binding", 0, 0, serde_json::json!(["scene"])));
    assert_eq!(binding(3), expected("other", "binding", 1, 1, Value::Null));
    assert_eq!(binding(4), expected("gain", "constant-id", 0, 3, Value::Null));

    let two = folder.run("show a.wgsl --target webgpu --entry two").exits(2);
    two.prints("WebGPU · entry two (also one, three: --entry)").prints("not used by two: scene, lights, other");
    folder
        .run("show a.wgsl --target webgpu --entry four")
        .exits(2)
        .warns("error: the module has no entry point `four`; it has: one, two, three");
    // Bindings without any block.
    folder.run("show b.wgsl --target webgpu").exits(0).prints("var t: texture_2d<f32> group 2 binding 3");
    folder.run("show b.wgsl").exits(2).warns("error: this module has no buffer");
    folder
        .run("show b.wgsl --target webgpu --entry main")
        .exits(2)
        .warns("error: the module has no entry points, so none is named `main`");
}

/// The sets and bindings of a module's decorations (`spirv-dis` shows them).
#[test]
fn modules_state_their_bindings() {
    let folder = Folder::with(&[]);
    folder.write("a.spv", MODULE);
    let answer = folder.run("show a.spv --target vulkan").exits(0);
    answer.prints("storage block o set 0 binding 1").prints("uniform block s set 0 binding 0");
    folder.run("show a.spv --target webgpu").exits(2);
    folder
        .run("show a.spv --target vulkan --entry main")
        .exits(2)
        .warns("error: layoutproof does not read which bindings an entry point of this file uses; leave out --entry");
}

/// naga, which reads GLSL where there is no glslang, only gives layouts.
#[test]
fn glsl_without_glslang_says_that_its_bindings_are_not_read() {
    let folder = Folder::with(&[("a.comp", GLSL)]).with_variable("GLSLANG", "none");
    let note = "note: layoutproof reads the bindings of GLSL through glslang, which was not found, so they are not \
                shown (`layoutproof setup glslang` fetches one)";
    folder.run("show a.comp --target vulkan").exits(0).warns(note);
    folder.run("show a.comp --target vulkan --format json").exits(0).warns(note);
    assert_eq!(folder.run("show a.comp").exits(0).err, "");
}

/// Codes and messages of the warnings from `show` and `run` for a file.
#[track_caller]
fn warnings(name: &str, bytes: &[u8]) -> Vec<(String, String)> {
    let folder = Folder::with(&[]);
    folder.write(name, bytes);
    let shown = folder.run(&format!("show {name} --format json")).exits(0).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let warnings = shown["warnings"].as_array().unwrap().iter();
    let found: Vec<_> = warnings.map(|warning| (text(&warning["code"]), text(&warning["message"]))).collect();
    let run = folder.run(&format!("run {name} --device model"));
    for (code, _) in &found {
        assert!(run.err.contains(&format!("[{code}]")), "{run}");
    }
    found
}

/// spirv-val refuses such a module: the members of a block must not overlap.
#[test]
fn a_member_that_begins_in_the_one_before_is_named() {
    // `q` of `Inner { vec3 p; float q; }` of the frozen module, moved from byte 12 to 0: the operand of the first decoration
    // of a member 1 with `Offset`.
    let mut words: Vec<u32> =
        MODULE.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let (member_decorate, offset) = ((5 << 16) | 0x48, 35);
    let mut moved = 0;
    for start in 5..words.len() - 4 {
        if words[start] == member_decorate && words[start + 2] == 1 && words[start + 3] == offset && moved == 0 {
            words[start + 4] = 0;
            moved += 1;
        }
    }
    assert_eq!(moved, 1);
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let message = "`s.s[].q`: at offset 0 overlaps `p`, which ends at 12";
    assert_eq!(warnings("a.spv", &bytes), [("offset-overlap".to_owned(), message.to_owned())]);
}

#[test]
fn a_module_knows_no_rule_set_but_its_own() {
    let folder = Folder::with(&[("a.wgsl", WGSL), ("a.hlsl", "cbuffer S { float4 a; };")]);
    folder.run("run a.wgsl --rules declared --device model").exits(0);
    let refused = "error: a.wgsl declares its own offsets: it has them under `declared`, not under `std140`";
    for words in ["run a.wgsl --rules std140", "run a.wgsl a.hlsl --rules std140", "show a.wgsl --rules std140"] {
        folder.run(words).exits(2).warns(refused);
    }
    for words in ["run a.hlsl --rules declared", "show a.hlsl --rules declared", "run --rules declared"] {
        folder
            .run(words)
            .exits(2)
            .warns("error: `declared` is what .glsl, .wgsl, .spv, .dxil, .cso or .metal files declare");
    }
    folder.run("run a.wgsl --plant-rules std140").exits(2).warns("error: a.wgsl declares its own offsets");
    let both = folder.run("run a.wgsl a.hlsl --device model -v").exits(0);
    // The rules of the targets that HLSL ships for, and `declared`.
    both.prints("Cases 2, 4 rule sets, 1 producer (rspirv): 4 checks");
    let all = folder.run("run a.wgsl a.hlsl --all --device model -v").exits(0);
    let count = 1 + table().iter().filter(|rules| rules.is_bare()).count();
    all.prints(&format!("Cases 2, {count} rule sets, 1 producer (rspirv): {count} checks"));
}

#[test]
fn a_device_that_misreads_a_module_is_blamed() {
    let folder = Folder::with(&[("a.wgsl", WGSL)]);
    let answer = folder.run("run a.wgsl --device model --plant-misreading array-stride-four").exits(1);
    let answer = answer.prints("Disagree a.wgsl · declared · rspirv · model via model");
    answer.prints("verdict device:").prints("again layoutproof run a.wgsl --rules declared");
}

#[test]
fn a_bad_module_is_refused() {
    let folder = Folder::with(&[("a.wgsl", "struct S { a: Unknown };"), ("b.wgsl", "fn f() {}")]);
    folder.write("a.spv", b"this is no module at all");
    for name in ["a.wgsl", "a.spv"] {
        let answer = folder.run(&format!("run {name} --device model")).exits(2);
        assert!(answer.err.starts_with("error: ") && answer.err.contains("[bad-module]"), "{answer}");
    }
    folder.run("run b.wgsl --device model").exits(2).warns("error: this module has no buffer");
    folder.run("run c.spv --device model").exits(2).warns("error: reading c.spv:");
}

/// Bevy's shaders of 2026 are WESL, those before are `naga_oil`'s: imports are linked, with the places of members in their
/// own files. Numbers: naga 30.0.1 on the text that wesl 0.4.4 writes.
#[test]
fn modules_of_wesl_and_naga_oil_are_linked() {
    let folder = Folder::with(&[
        (
            "shaders/main.wesl",
            "import super::common::view;\n@fragment fn main() -> @location(0) vec4f { return view.tint; }\n",
        ),
        (
            "shaders/common.wesl",
            "struct View {\n    time: f32,\n    @if(NEAR) near: vec3f,\n    tint: vec4f,\n}\n\
             @group(1) @binding(2) var<uniform> view: View;\n",
        ),
        (
            "bevy/main.wgsl",
            "#import bevy_pbr::view::view\n@fragment fn main() -> @location(0) vec4f { return view.tint; }\n",
        ),
        (
            "bevy/view.wgsl",
            "#define_import_path bevy_pbr::view\nstruct View {\n    time: f32,\n#ifdef NEAR\n    near: vec3f,\n#endif\n\
                 tint: vec4f,\n}\n@group(1) @binding(2) var<uniform> view: View;\n",
        ),
        ("bad.wesl", "import super::broken::view;\nfn f() { _ = view; }\n"),
        ("broken.wesl", "\n@group(0) @binding(0) var<uniform> view: Missing;\n"),
    ]);
    for file in ["shaders/main.wesl", "bevy/main.wgsl"] {
        let offsets = |options: &str| {
            let answer = folder.run(&format!("show {file}{options} --format json")).exits(0).json();
            let members = answer["layouts"][0]["blocks"][0]["members"].as_array().unwrap().clone();
            members.iter().map(|row| row["offset"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!((offsets(""), offsets(" -D NEAR")), (vec![0, 16], vec![0, 16, 32]), "{file}");
        folder
            .run(&format!("show {file}"))
            .exits(0)
            .warns("warning: conditions of declarations take names that are not set as false: `NEAR`");
        let bindings = folder.run(&format!("show {file} -D NEAR --target webgpu")).exits(0);
        bindings.prints("var<uniform> view: View group 1 binding 2");
        let checked = folder.run(&format!("run {file} -D NEAR --device model")).exits(0);
        checked.prints("ok 1 of 1 block compared, 1 check agrees on the CPU model");
        folder
            .run(&format!("accesses {file}"))
            .exits(0)
            .prints(&format!("load view.tint vec4<f32> 16, 16 bytes {file}:2:52"));
    }
    folder.run("show bad.wesl").exits(2).warns("╭─[broken.wesl:2:42]");
    let typed = folder.run("show shaders/common.wesl --type View --format json").exits(0).json();
    assert_eq!(typed["layouts"][0]["blocks"][0]["members"][1]["offset"], 16);
}

/// A part of a shader is not an error, and says what it is.
#[test]
fn files_for_others_to_include_are_named() {
    let folder = Folder::with(&[
        ("a.hlsli", "struct Light { float3 at; float range; };\nfloat3 lit(Light l) { return l.at; }\n"),
        ("a.slang", "#define PI 3.14\n"),
        ("a.wgsl", "fn lit(a: vec3f) -> vec3f { return a; }\n"),
    ]);
    for file in ["a.hlsli", "a.slang", "a.wgsl"] {
        let answer = folder.run(&format!("show {file}")).exits(0);
        answer.warns("warning: this declares no parameter and no entry point: it is for other files to include");
    }
    folder.run("show a.hlsli --type Light").exits(0).prints("float3 at");
    folder.run("run a.hlsli --device model").exits(2).warns("error: this declares no shader parameter");
}
