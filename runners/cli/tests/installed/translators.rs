//! Translators: their texts are followed to the bytes that they read.

use libtest_mimic::Trial;
use serde_json::Value;

use crate::folder::Folder;
use crate::fuzz::Here;
use crate::trial;

/// OpenGL 4.6, 7.6.2.2: in std140 `b[1]` is at 32 and `c` at 80.
const ARRAY: &str = "cbuffer S { float a; float b[4]; float c; };";

type Test = fn();

pub(crate) fn trials() -> Vec<Trial> {
    let here = Here::look();
    let clang = || here.lacks_compiler("clang-dxc");
    let spirv_cross = || here.lacks_compiler("spirv-cross");
    let glslang = || here.lacks_compiler("glslang");
    let trials: [(&str, Option<String>, Test); 12] = [
        ("naga_drops_strides_in_wgsl", here.lacks_device(), naga_drops_strides_in_wgsl),
        ("naga_drops_strides_in_msl", clang(), naga_drops_strides_in_msl),
        ("spirv_cross_loses_a_stride_in_msl", spirv_cross().or_else(clang), spirv_cross_loses_a_stride_in_msl),
        (
            "the_account_names_each_translator",
            spirv_cross().or_else(glslang).or_else(|| here.lacks_compiler("dxc")),
            the_account_names_each_translator,
        ),
        (
            "spirv_opt_packs_structs_and_leaves_strides",
            here.lacks_compiler("spirv-opt").or_else(|| here.lacks_device()),
            spirv_opt_packs_structs_and_leaves_strides,
        ),
        (
            "members_of_argument_buffers_are_followed",
            spirv_cross().or_else(clang),
            members_of_argument_buffers_are_followed,
        ),
        (
            "slangc_texts_for_metal_have_two_layouts",
            here.lacks_compiler("slangc").or_else(clang),
            slangc_texts_for_metal_have_two_layouts,
        ),
        (
            "a_text_for_metal_is_compared_with_its_module",
            spirv_cross().or_else(clang),
            a_text_for_metal_is_compared_with_its_module,
        ),
        ("another_number_is_no_known_difference", spirv_cross().or_else(clang), another_number_is_no_known_difference),
        (
            "numbers_of_another_rule_set_are_known_and_others_are_not",
            glslang().or_else(|| here.lacks_device()),
            numbers_of_another_rule_set_are_known_and_others_are_not,
        ),
        (
            "a_resource_at_another_binding_is_found",
            spirv_cross().or_else(glslang).or_else(|| here.lacks_device()),
            a_resource_at_another_binding_is_found,
        ),
        (
            "faults_in_a_text_are_found",
            spirv_cross().or_else(glslang).or_else(|| here.lacks_device()),
            faults_in_a_text_are_found,
        ),
    ];
    let passing = |test: Test| {
        move || {
            test();
            Ok(())
        }
    };
    trials
        .into_iter()
        .map(|(name, lacking, test)| trial(&format!("translators::{name}"), lacking, passing(test)))
        .collect()
}

/// The bytes at which the translated code reads a leaf of a uniform block by name, under std140.
fn read_at(translator: &str, declare: &str, exit: i32, path: &str) -> Vec<u64> {
    let folder = Folder::with(&[("a.hlsl", declare)]).with_drivers();
    let words = format!(
        "run a.hlsl --rules std140 --through {translator} --no-known --space uniform --form leaf --json r.jsonl"
    );
    folder.run(&words).exits(exit);
    let records = folder.read("r.jsonl");
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows = records.flat_map(|record| record["rows"].as_array().cloned().unwrap_or_default());
    let rows = rows.filter(|row| row["path"] == path && row["form"] == "leaf");
    rows.filter_map(|row| row["compiled"].as_u64()).collect()
}

/// naga 30.0.1 refuses the uniform block that it would write, whose array has no stride of 16; so the block is in a
/// storage buffer here.
fn naga_drops_strides_in_wgsl() {
    let folder = Folder::with(&[("a.hlsl", ARRAY)]).with_drivers();
    folder.run("run a.hlsl --rules std140 --through naga:wgsl --no-known --space storage --json r.jsonl").exits(1);
    let record =
        folder.read("r.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).find(|record| {
            record["outcome"] == "differ" && record["culprit"] == "compiler" && record["producer"] == "naga:wgsl"
        });
    let record = record.expect("a check differs");
    let rows = record["rows"].as_array().expect("a check has rows");
    let row = rows.iter().find(|row| row["path"] == "S.b[1]" && row["form"] == "leaf").expect("`b[1]` is read");
    // WebGPU Shading Language, 14.4.1: the stride of an array of f32 is 4.
    assert_eq!((row["computed"].as_u64(), row["compiled"].as_u64()), (Some(32), Some(8)));
}

fn naga_drops_strides_in_msl() {
    assert_eq!(read_at("naga:msl", ARRAY, 1, "S.b[1]"), [20]);
}

/// OpenGL 4.6, 7.6.2.2: the elements of `w` are 48 bytes apart, so `w[1]` is at 64. SPIRV-Cross 1.4.357 packs the vector of
/// the inner struct and pads after the array; 1.3.239 pads at the end of the element.
fn spirv_cross_loses_a_stride_in_msl() {
    let nested = "struct V { float p; float3 q; float r; }; struct W { V v; float s; }; cbuffer A { float a; W w[2]; float b; };";
    assert_eq!(read_at("spirv-cross:msl", nested, 1, "A.w[1].v.p"), [52]);
    assert_eq!(read_at("spirv-cross:msl", nested, 1, "A.b"), [112]);
    assert_eq!(read_at("spirv-cross:msl", ARRAY, 0, "S.b[1]"), [32]);
}

/// SPIRV-Cross 1.4.357 refuses elements of 12 bytes in a constant buffer of HLSL: "cannot be expressed with either HLSL
/// packing layout or packoffset".
fn the_account_names_each_translator() {
    let folder = Folder::with(&[("a.hlsl", "struct T { float3 a; }; cbuffer S { T t[2]; float b; };")]).with_drivers();
    let told =
        folder.run("run a.hlsl --rules scalar --space uniform --through spirv-cross:glsl,spirv-cross:hlsl").exits(3);
    let told = told.to_string();
    assert!(told.contains("S through spirv-cross:hlsl") && told.contains("HLSL packing layout"), "{told}");
}

/// spirv-opt 2026.4 moves the members of a block that had the offsets of std140 and leaves the stride of the array, 16 bytes, so
/// `d` ends behind `e`. It says nothing; spirv-val does.
fn spirv_opt_packs_structs_and_leaves_strides() {
    let declared = "cbuffer S { float a; float2 b; float d[3]; float e; float3 c; float g; };";
    let folder = Folder::with(&[("a.hlsl", declared)]).with_drivers();
    let told = folder.run("run a.hlsl --rules std430 --through spirv-opt:packing --no-known").exits(1).unwrapped();
    assert!(told.contains("member 3 at offset 28 overlaps previous member ending at offset 51"), "{told}");
}

/// The numbers are those of std140 (OpenGL 4.6, 7.6.2.2), and Metal reads the buffers by the numbers of the argument buffer's
/// members.
fn members_of_argument_buffers_are_followed() {
    assert_eq!(read_at("spirv-cross:msl:arguments", ARRAY, 0, "S.b[1]"), [32]);
}

/// slangc 2026.14.1 writes `float3` in a constant buffer (Metal Shading Language 3.2, table 2.3: 16 bytes), and `packed_float3` in
/// a structured buffer (table 2.4: aligned to 4 bytes).
fn slangc_texts_for_metal_have_two_layouts() {
    let declared = "struct T { float a; float3 b; float c; }; cbuffer S { T t; }; RWStructuredBuffer<T> u;";
    let folder = Folder::with(&[("a.slang", declared)]).with_drivers();
    folder.run("run a.slang --through slangc:msl --no-known --form leaf --json r.jsonl").exits(0);
    let records = folder.read("r.jsonl");
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<Value> = records.flat_map(|record| record["rows"].as_array().cloned().unwrap_or_default()).collect();
    let compiled = |path: &str| rows.iter().find(|row| row["path"] == path).and_then(|row| row["compiled"].as_u64());
    assert_eq!(["S.t.b.x", "S.t.c", "u.b.x", "u.c"].map(compiled), [Some(16), Some(32), Some(4), Some(16)]);
}

/// The left numbers are the module's own offsets, those of std140 (OpenGL 4.6, 7.6.2.2). SPIRV-Cross 1.4.357 writes `b` of
/// `ARRAY` as `float4 b[4]`, which has room for it, and loses the padding at the end of `W`.
fn a_text_for_metal_is_compared_with_its_module() {
    let nested = "struct V { float p; float3 q; float r; }; struct W { V v; float s; }; cbuffer S { float a; W w[2]; float b; };";
    for (declared, exit, told) in [(ARRAY, 0, &["the same"][..]), (nested, 1, &["stride 48 / 36"])] {
        let folder = Folder::with(&[("a.hlsl", declared)]).with_drivers();
        let run =
            "run a.hlsl --rules std140 --through spirv-cross:msl --no-known --space uniform --form leaf --keep kept";
        folder.run(run).exits(exit);
        let kept = "kept/a.hlsl/spirv-cross-msl-std140/S_uniform";
        let text = folder.run(&format!("diff {kept}/input.spv {kept}/translated.metal")).exits(exit).to_string();
        assert!(told.iter().all(|words| text.contains(words)), "{text}");
        let shown = folder.run(&format!("show {kept}/translated.metal")).exits(0).to_string();
        assert!(shown.contains("uniform-block"), "{shown}");
    }
}

/// The list has the numbers that SPIRV-Cross's text gives a case. The same fault at another number is a new difference.
fn another_number_is_no_known_difference() {
    const CASE: &str = "arrays/struct_elements_are_padded_between_but_not_behind";
    let run = format!("run {CASE} --rules std140 --through spirv-cross:msl --space uniform --form leaf");
    let real = Folder::with(&[]).with_drivers();
    real.run(&format!("{run} --keep kept")).exits(0);
    let text = real.read(&format!("kept/{CASE}/spirv-cross-msl-std140/S_uniform/translated.metal"));
    let with_edit = |edit| with_text(&[], &text, &[(String::new(), edit)]).run(&run);
    let known = with_edit("").exits(0).to_string();
    assert!(known.contains("known bugs only"), "{known}");
    let moved = with_edit("s/float b;/float4 gap[9]; float b;/").exits(1).to_string();
    assert!(moved.contains("FAIL"), "{moved}");
}

/// naga's GLSL has the numbers of std140 for a module with those of `packoffset` (OpenGL 4.6, 7.6.2.2: `c` at 48). The list
/// states this by the rule set, so a program in glslang's place that moves a member is a new difference; in a user's own
/// file, each is one.
fn numbers_of_another_rule_set_are_known_and_others_are_not() {
    let declared = "cbuffer S { float a : packoffset(c0); float4 b[2] : packoffset(c2); float c : packoffset(c8); };";
    let places = "offsets = { \"S.a\" = 0, \"S.b\" = 32, \"S.c\" = 128 }";
    let case = format!(
        "schema = 1\nsummary = \"gaps\"\ndeclare = \"{declared}\"\n[expect.hlsl-cbuffer]\n\
         authority = {{ document = \"wg-hlsl INF-0003, packoffset\" }}\n{places}\npartial = true\n"
    );
    let gap = "s/^    float c;/    float gap; float c;/";
    for (file, edit, exit, told) in
        [("a.toml", "", 0, "known bugs only"), ("a.toml", gap, 1, "FAIL"), ("a.hlsl", "", 1, "FAIL")]
    {
        let run = format!("run {file} --rules hlsl-cbuffer --through naga:glsl --space uniform --form leaf");
        let folder = Folder::with(&[("a.hlsl", declared), ("a.toml", &case)]).with_drivers();
        let glslang = std::env::var("GLSLANG").unwrap_or_else(|_| "glslangValidator".to_owned());
        let script = format!(
            "#!/bin/sh\nfor last; do :; done\n[ -f \"$last\" ] && sed -i -e '{edit}' \"$last\"\nexec {glslang} \"$@\"\n"
        );
        folder.write("glslang", script.as_bytes());
        let program = folder.path("glslang");
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let answer = folder.with_variable("GLSLANG", program.display().to_string()).run(&run).exits(exit).to_string();
        assert!(answer.contains(told), "{answer}");
    }
}

/// The case has `r` at set 2 binding 1, its counter at binding 7 and `U` at set 0 binding 0, as DXC 1.7.2308 decorates them.
/// A row says where a resource is whose name SPIRV-Cross keeps, and that another one is not at its place.
fn a_resource_at_another_binding_is_found() {
    const CASE: &str = "bind/counters/explicit_binding";
    let run = format!("run {CASE} --target vulkan --convention dxc --through spirv-cross:glsl");
    let real = Folder::with(&[]).with_drivers();
    real.run(&format!("{run} --keep kept")).exits(0);
    let text = real.read(&format!("kept/{CASE}/vulkan.dxc/spirv-cross-glsl/translated.comp"));

    let with_edit = |edit| with_text(&[], &text, &[(String::new(), edit)]);
    with_edit("").run(&run).exits(0);
    for (edit, places) in [
        ("s/binding = 0, rgba32f/binding = 5, rgba32f/", ["set 0 binding 5", "set 2 binding 7"]),
        ("s/binding = 7,/binding = 3,/", ["set 0 binding 0", "not bound"]),
    ] {
        let folder = with_edit(edit);
        folder.run(&format!("{run} --json r.jsonl")).exits(1);
        let records = folder.read("r.jsonl");
        let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let rows: Vec<Value> =
            records.flat_map(|record| record["rows"].as_array().cloned().unwrap_or_default()).collect();
        let compiled = ["U", "r.$counter"].map(|path| {
            let row = rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{path}: {rows:?}"));
            row["compiled"].as_str().map(str::to_owned)
        });
        assert_eq!(compiled, places.map(|place| Some(place.to_owned())), "{edit}");
    }
}

/// A folder with a program in SPIRV-Cross's place, which writes this text with the edit whose name the module contains; the
/// name may be empty.
fn with_text(files: &[(&str, &str)], text: &str, edits: &[(String, &str)]) -> Folder {
    let folder = Folder::with(&[files, &[("text", text)]].concat()).with_drivers();
    for (name, edit) in edits {
        folder.write(&format!("edit{name}"), edit.as_bytes());
    }
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --revision ] && echo planted && exit\nname=$(grep -ao 'Fault[0-9]*' \"$1\" | head -n 1)\n\
         for last; do :; done\nsed -f '{}'\"$name\" '{}' > \"$last\"\n",
        folder.path("edit").display(),
        folder.path("text").display()
    );
    folder.write("spirv-cross", script.as_bytes());
    let program = folder.path("spirv-cross");
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    folder.with_variable("SPIRV_CROSS", program.display().to_string())
}

/// Faults in the GLSL of SPIRV-Cross, as edits: wrong offsets, strides, orders, members, elements, words and bindings.
const FAULTS: [&str; 20] = [
    "s/float a;$/layout(offset = 4) float a;/",
    "s/float b\\[3\\]/float b[4]/",
    "s/vec3 c;/float gap; vec3 c;/",
    "s/vec3 c;/layout(offset = 80) vec3 c;/",
    "s/vec3 c;/vec3 c; float gap;/",
    "s/float d;/vec4 gap; float d;/",
    "s/mat4x3 m;/layout(row_major) mat4x3 m;/",
    "s/T t\\[2\\];/uint gap; T t[2];/",
    "s/    float b;$/    vec4 gap; float b;/",
    "s/uint e;/uvec4 gap; uint e;/",
    "s/S_1\\.b\\[1u\\]/S_1.b[2u]/",
    "s/S_1\\.c\\.y/S_1.c.z/",
    "s/S_1\\.d)/S_1.a)/",
    "s/S_1\\.m\\[1u\\]\\.x/S_1.m[0u].y/",
    "s/S_1\\.m\\[3u\\]\\.z/S_1.m[3u].y/",
    "s/S_1\\.t\\[1u\\]\\.b/S_1.t[0u].b/",
    "s/S_1\\.t\\[0u\\]\\.a\\.x/S_1.t[1u].a.x/",
    "s/S_1\\.e\\b/floatBitsToUint(S_1.d)/",
    "s/_output\\.words\\[4u\\]/_output.words[5u]/",
    "s/binding = 0/binding = 3/",
];

/// One run has a file for each fault, and one without: the block's name selects the edit.
fn faults_in_a_text_are_found() {
    const OPTIONS: &str = "--rules std140 --through spirv-cross:glsl --no-known --space uniform --form leaf";
    let shader = |block: &str| {
        format!(
            "struct T {{ float3 a; float b; }};
            cbuffer {block} {{ float a; float b[3]; float3 c; float d; float3x4 m; T t[2]; bool e; }};"
        )
    };
    let real = Folder::with(&[("a.hlsl", &shader("S"))]).with_drivers();
    real.run(&format!("run a.hlsl {OPTIONS} --keep kept")).exits(0);
    let text = real.read("kept/a.hlsl/spirv-cross-glsl-std140/S_uniform/translated.comp");

    let all: Vec<(String, &str)> =
        (0..).zip([""].into_iter().chain(FAULTS)).map(|(number, edit)| (format!("Fault{number}"), edit)).collect();
    let files: Vec<(String, String)> = all.iter().map(|(name, _)| (format!("{name}.hlsl"), shader(name))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let names = files.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    let planted = with_text(&files, &text, &all);
    planted.run(&format!("run {names} {OPTIONS} --json r.jsonl")).exits(1);
    let records = planted.read("r.jsonl");
    let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes = |file: &str| -> Vec<&str> {
        records.iter().filter(|record| record["case"] == file).filter_map(|record| record["outcome"].as_str()).collect()
    };
    let fails = |file: &str| outcomes(file).iter().any(|outcome| ["differ", "broken"].contains(outcome));
    let unseen: Vec<&str> = files.iter().map(|(file, _)| *file).filter(|file| !fails(file)).collect();
    assert_eq!(unseen, ["Fault0.hlsl"], "no check fails");
    assert!(outcomes("Fault0.hlsl").contains(&"agree"), "the text without a fault: {:?}", outcomes("Fault0.hlsl"));
}
