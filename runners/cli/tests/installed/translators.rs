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
    let trials: [(&str, Option<String>, Test); 4] = [
        ("naga_drops_strides_in_wgsl", here.lacks_device(), naga_drops_strides_in_wgsl),
        ("naga_drops_strides_in_msl", clang(), naga_drops_strides_in_msl),
        ("spirv_cross_loses_a_stride_in_msl", spirv_cross().or_else(clang), spirv_cross_loses_a_stride_in_msl),
        (
            "the_account_names_each_translator",
            spirv_cross().or_else(|| here.lacks_compiler("glslang")).or_else(|| here.lacks_compiler("dxc")),
            the_account_names_each_translator,
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
