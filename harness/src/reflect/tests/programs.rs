//! Whole programs, against what slangc 2026.14.1 prints of them.
//!
//! Each `NAME.TARGET.json` beside the sources is slangc's `-reflection-json`: `-target hlsl -profile sm_6_6` for `d3d12`,
//! `-target spirv` for `vulkan`, `-matrix-layout-row-major`, and `-no-codegen` for all but `used`.

use serde_json::Value;

use crate::bind::slang::layout;
use crate::bind::{Convention, Request, Target};
use crate::declare::{DeclareOptions, declare};
use crate::reflect::{Used, slang_json, yaml};
use crate::shape::MatrixOrder;
use crate::sources::{SourceMap, Span};

/// What we print of `text`: JSON, YAML.
fn print(text: &str, target: Target) -> (Value, String) {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap();
    let span = Span { file: sources.add("test.slang", text), start: 0, end };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let profile = (target == Target::D3d12).then(|| "sm_6_6".to_owned());
    let options = vec!["-matrix-layout-row-major".to_owned()];
    let request = Request { profile, options, ..Request::new(target, Convention::Slang) };
    let program = layout(&module, &request).unwrap();
    let used = Used::new(&module, &request);
    (serde_json::from_str(&slang_json(&program, &used)).unwrap(), yaml(&program, &used, MatrixOrder::Row))
}

/// The paths at which two answers differ, with both values.
fn differences(found: &Value, expected: &Value, path: &str, list: &mut Vec<String>) {
    match (found, expected) {
        (Value::Object(left), Value::Object(right)) => {
            for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                let at = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or_default();
                differences(&at(left), &at(right), &format!("{path}.{key}"), list);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                let name = left["name"].as_str().map_or_else(|| index.to_string(), str::to_owned);
                differences(left, right, &format!("{path}[{name}]"), list);
            }
        }
        _ if found == expected => {}
        _ => list.push(format!("{path}: {found} for {expected}")),
    }
}

fn agrees(text: &str, target: Target, expected: &str) {
    let expected: Value = serde_json::from_str(expected).unwrap();
    let (mut found, _) = print(text, target);
    for (index, entry) in expected["entryPoints"].as_array().into_iter().flatten().enumerate() {
        if entry.get("bindings").is_none() {
            found["entryPoints"][index].as_object_mut().unwrap().remove("bindings");
        }
    }
    let mut list = Vec::new();
    differences(&found, &expected, "", &mut list);
    assert!(list.is_empty(), "{target}\n{}", list.join("\n"));
}

macro_rules! programs {
    ($($name:ident: $file:literal, $target:ident, $json:literal;)*) => {
        $(#[test]
        fn $name() {
            agrees(include_str!(concat!("slangc/", $file, ".slang")), Target::$target, include_str!(concat!("slangc/", $json)));
        })*
    };
}

programs! {
    frame_params_on_d3d12: "frame_params", D3d12, "frame_params.d3d12.json";
    frame_params_on_vulkan: "frame_params", Vulkan, "frame_params.vulkan.json";
    resources_on_d3d12: "resources", D3d12, "resources.d3d12.json";
    resources_on_vulkan: "resources", Vulkan, "resources.vulkan.json";
    bytes_on_d3d12: "bytes", D3d12, "bytes.d3d12.json";
    bytes_on_vulkan: "bytes", Vulkan, "bytes.vulkan.json";
    blocks_on_d3d12: "blocks", D3d12, "blocks.d3d12.json";
    blocks_on_vulkan: "blocks", Vulkan, "blocks.vulkan.json";
    varyings_on_vulkan: "varying", Vulkan, "varying.vulkan.json";
    what_is_used_on_d3d12: "used", D3d12, "used.d3d12.json";
}
