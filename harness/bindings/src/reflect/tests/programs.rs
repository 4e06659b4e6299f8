//! Whole programs, compared with the output of slangc 2026.14.1.
//!
//! Each `NAME.TARGET.json` next to the sources is slangc's `-reflection-json`, with `-target hlsl
//! -profile sm_6_6` for `d3d12`, `-target hlsl` for `d3d12-no-profile`, `-target spirv` for
//! `vulkan`, `-target metal` for `metal` and `-target wgsl` for `webgpu`. All use
//! `-matrix-layout-row-major`, and all but `used`, `used_parts` and `named_buffers.d3d12` use `-no-codegen`.

use layoutproof_layout::Span;
use layoutproof_layout::shape::MatrixOrder;
use serde_json::Value;

use super::without;
use crate::reflect::{ParameterUses, slang_json, yaml, yaml_of_json};
use crate::slang::layout;
use crate::{BindingRequest, Convention, Target};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

/// Returns our JSON and YAML for `text`.
fn print(text: &str, target: Target) -> (Value, String) {
    let profile = (target == Target::D3d12).then_some("sm_6_6");
    print_with(text, target, profile, &[])
}

/// The same with a profile and options.
fn print_with(text: &str, target: Target, profile: Option<&str>, options: &[&str]) -> (Value, String) {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap();
    let span = Span { file: sources.add("test.slang", text), start: 0, end };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let profile = profile.map(str::to_owned);
    let options = ["-matrix-layout-row-major"].iter().chain(options).map(|option| (*option).to_owned()).collect();
    let request = BindingRequest { profile, options, ..BindingRequest::new(target, Convention::Slang) };
    let program = layout(&module, &request).unwrap();
    let used = ParameterUses::new(&module, &request);
    (
        serde_json::from_str(&slang_json(&program, &used, &module.generated_names)).unwrap(),
        yaml(&program, &used, MatrixOrder::Row),
    )
}

/// Lists the paths at which two answers differ, with both values.
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
    is_equal(print(text, target).0, target, expected);
}

fn is_equal(mut found: Value, target: Target, expected: &str) {
    let expected: Value = serde_json::from_str(expected).unwrap();
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
    frame_params_on_metal: "frame_params", Metal, "frame_params.metal.json";
    resources_on_d3d12: "resources", D3d12, "resources.d3d12.json";
    resources_on_vulkan: "resources", Vulkan, "resources.vulkan.json";
    bytes_on_d3d12: "bytes", D3d12, "bytes.d3d12.json";
    bytes_on_vulkan: "bytes", Vulkan, "bytes.vulkan.json";
    blocks_on_d3d12: "blocks", D3d12, "blocks.d3d12.json";
    blocks_on_vulkan: "blocks", Vulkan, "blocks.vulkan.json";
    tuples_on_d3d12: "tuples", D3d12, "tuples.d3d12.json";
    pointers_on_vulkan: "pointers", Vulkan, "pointers.vulkan.json";
    tuples_on_vulkan: "tuples", Vulkan, "tuples.vulkan.json";
    varyings_on_vulkan: "varying", Vulkan, "varying.vulkan.json";
    payloads_on_vulkan: "payloads", Vulkan, "payloads.vulkan.json";
    payloads_on_d3d12: "payloads", D3d12, "payloads.d3d12.json";
    stages_on_vulkan: "stages", Vulkan, "stages.vulkan.json";
    stages_on_d3d12: "stages", D3d12, "stages.d3d12.json";
    bindings_of_entry_points_on_vulkan: "entry_bindings", Vulkan, "entry_bindings.vulkan.json";
    bindings_of_entry_points_on_webgpu: "entry_bindings", Webgpu, "entry_bindings.webgpu.json";
    bindings_of_entry_points_on_d3d12: "entry_bindings", D3d12, "entry_bindings.d3d12.json";
    registers_on_vulkan: "registers", Vulkan, "registers.vulkan.json";
    registers_on_webgpu: "registers", Webgpu, "registers.webgpu.json";
    registers_on_metal: "registers", Metal, "registers.metal.json";
    argument_buffers_on_metal: "argument_buffers", Metal, "argument_buffers.metal.json";
    declared_attributes_on_vulkan: "attributes", Vulkan, "attributes.vulkan.json";
    what_only_code_honours_on_vulkan: "reflection_only", Vulkan, "reflection_only.vulkan.json";
    textures_on_vulkan: "textures", Vulkan, "textures.vulkan.json";
    textures_on_d3d12: "textures", D3d12, "textures.d3d12.json";
    values_of_interfaces_on_vulkan: "interfaces", Vulkan, "interfaces.vulkan.json";
    values_of_interfaces_on_d3d12: "interfaces", D3d12, "interfaces.d3d12.json";
    values_of_interfaces_on_metal: "interfaces", Metal, "interfaces.metal.json";
    generic_entry_points_on_vulkan: "generic_entries", Vulkan, "generic_entries.vulkan.json";
    generic_entry_points_on_d3d12: "generic_entries", D3d12, "generic_entries.d3d12.json";
    generic_entry_points_on_metal: "generic_entries", Metal, "generic_entries.metal.json";
    handles_on_vulkan: "handles", Vulkan, "handles.vulkan.json";
    handles_on_d3d12: "handles", D3d12, "handles.d3d12.json";
    handles_on_metal: "handles", Metal, "handles.metal.json";
    attachments_of_entry_points_on_vulkan: "attachments", Vulkan, "attachments.vulkan.json";
    attachments_of_entry_points_on_webgpu: "attachments", Webgpu, "attachments.webgpu.json";
    attachments_of_entry_points_on_d3d12: "attachments", D3d12, "attachments.d3d12.json";
    bindings_of_parameters_alone_on_vulkan: "only_own_bindings", Vulkan, "only_own_bindings.vulkan.json";
    bindings_of_parameters_alone_on_webgpu: "only_own_bindings", Webgpu, "only_own_bindings.webgpu.json";
    spellings_on_vulkan: "spellings", Vulkan, "spellings.vulkan.json";
    spellings_on_d3d12: "spellings", D3d12, "spellings.d3d12.json";
    spellings_on_metal: "spellings", Metal, "spellings.metal.json";
    payloads_of_callables_on_vulkan: "callables", Vulkan, "callables.vulkan.json";
    payloads_of_callables_on_webgpu: "callables", Webgpu, "callables.webgpu.json";
    shader_records_on_vulkan: "shader_records", Vulkan, "shader_records.vulkan.json";
    resources_between_stages_on_vulkan: "passed_resources", Vulkan, "passed_resources.vulkan.json";
    resources_between_stages_on_d3d12: "passed_resources", D3d12, "passed_resources.d3d12.json";
    shader_records_on_webgpu: "shader_records", Webgpu, "shader_records.webgpu.json";
    argument_buffers_in_each_other_on_metal: "nested_argument_buffers", Metal, "nested_argument_buffers.metal.json";
    named_buffers_on_d3d12: "named_buffers", D3d12, "named_buffers.d3d12.json";
    named_buffers_on_vulkan: "named_buffers", Vulkan, "named_buffers.vulkan.json";
    named_buffers_on_metal: "named_buffers", Metal, "named_buffers.metal.json";
    unnamed_declarations_on_vulkan: "unnamed", Vulkan, "unnamed.vulkan.json";
    unnamed_declarations_on_d3d12: "unnamed", D3d12, "unnamed.d3d12.json";
    unsized_arguments_on_metal: "unsized_arguments", Metal, "unsized_arguments.metal.json";
    unsized_arguments_on_vulkan: "unsized_arguments", Vulkan, "unsized_arguments.vulkan.json";
    interface_values_as_arguments_on_metal: "interface_arguments", Metal, "interface_arguments.metal.json";
    registers_and_bindings_on_metal: "both_places", Metal, "both_places.metal.json";
    registers_and_bindings_on_vulkan: "both_places", Vulkan, "both_places.vulkan.json";
    registers_and_bindings_on_d3d12: "both_places", D3d12, "both_places.d3d12.json";
    registers_and_bindings_on_webgpu: "both_places", Webgpu, "both_places.webgpu.json";
    what_is_used_on_d3d12: "used", D3d12, "used.d3d12.json";
    what_is_used_of_buffers_on_d3d12: "used_parts", D3d12, "used_parts.d3d12.json";
}

/// Without a profile `slangc -target hlsl` stays below shader model 5.1.
#[test]
fn render_targets_take_views_without_a_profile() {
    let (found, _) = print_with(include_str!("slangc/render_targets.slang"), Target::D3d12, None, &[]);
    is_equal(found, Target::D3d12, include_str!("slangc/render_targets.d3d12-no-profile.json"));
}

/// Render targets in registers leave their space free for unsized arrays.
#[test]
fn render_targets_take_no_space() {
    let (found, _) = print_with(include_str!("slangc/render_target_space.slang"), Target::D3d12, None, &[]);
    is_equal(found, Target::D3d12, include_str!("slangc/render_target_space.d3d12-no-profile.json"));
}

/// A handle makes slangc assume shader model 6.6. Other programs have no bindless resources without
/// a profile.
#[test]
fn handles_bring_bindless_resources_without_a_profile() {
    let (found, _) = print_with(include_str!("slangc/handles.slang"), Target::D3d12, None, &[]);
    is_equal(found, Target::D3d12, include_str!("slangc/handles.d3d12-no-profile.json"));
}

/// In `used.slang`, `first` reaches `a` through a function, `second` reaches the texture of
/// `buffer`, and neither reaches `unused`.
#[test]
fn stages_stand_beside_what_they_use() {
    let (_, yaml) = print(include_str!("slangc/used.slang"), Target::D3d12);
    let used = |name: &str| {
        let item = format!("- name: \"{name}\"");
        let mut lines =
            yaml.lines().skip_while(|line| line.trim() != item).skip_while(|line| !line.contains("used by"));
        let key = lines.next().unwrap().trim();
        (key.to_owned(), lines.next().unwrap().trim().to_owned())
    };
    assert_eq!(used("a"), ("used by stages:".to_owned(), "- compute".to_owned()));
    assert_eq!(used("t").0, "used by stages: []", "the block's own, which comes first");
    assert_eq!(used("unused").0, "used by stages: []");
    assert_eq!(used("buffer").0, "used by stages:");
}

/// Keys that only structure the YAML.
const SHAPE: [&str; 7] =
    ["global scope", "entry points", "parameters", "type layout", "fields", "offset", "cumulative"];

/// Returns every cumulative offset in a YAML text, one line each: path, value, unit, and the space
/// if the unit has one.
fn cumulative(text: &str) -> Vec<String> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut list: Vec<String> = Vec::new();
    for line in text.lines() {
        let item = line.trim_start();
        let start = line.len() - item.len();
        let Some((key, value)) = item.trim_start_matches("- ").split_once(':') else { continue };
        open.retain(|(outer, _)| *outer < start);
        match (key, value.trim(), open.last().is_some_and(|(_, key)| *key == "cumulative")) {
            ("name", name, _) if item.starts_with("- ") => open.push((start + 1, name.trim_matches('"'))),
            (_, "", _) => open.push((start, key)),
            ("value", value, true) => {
                let names = open.iter().map(|(_, key)| *key).filter(|key| !SHAPE.contains(key));
                list.push(format!("{} {value}", names.collect::<Vec<_>>().join(".")));
            }
            ("unit" | "space", value, true) => {
                let offset = list.last_mut().unwrap();
                *offset = format!("{offset} {}", value.split(' ').next().unwrap());
            }
            _ => {}
        }
    }
    list
}

/// The chapter's walk over `spReflection...` of Slang 2026.14.1, except that the buffer of a block
/// counts in the block's own space, where slangc's SPIR-V has it. The chapter's walk would leave it
/// in the outer space.
#[test]
fn offsets_add_up_as_in_the_chapter() {
    for (text, target, expected) in [
        (
            include_str!("slangc/frame_params.slang"),
            Target::Vulkan,
            include_str!("slangc/frame_params.vulkan.cumulative"),
        ),
        (include_str!("slangc/blocks.slang"), Target::D3d12, include_str!("slangc/blocks.d3d12.cumulative")),
        (include_str!("slangc/blocks.slang"), Target::Vulkan, include_str!("slangc/blocks.vulkan.cumulative")),
        (include_str!("slangc/varying.slang"), Target::Vulkan, include_str!("slangc/varying.vulkan.cumulative")),
        (include_str!("slangc/bytes.slang"), Target::D3d12, include_str!("slangc/bytes.d3d12.cumulative")),
    ] {
        let (_, yaml) = print(text, target);
        assert_eq!(cumulative(&yaml), expected.lines().collect::<Vec<_>>(), "{target}");
    }
}

/// A YAML text without what slangc's JSON does not state.
fn stated(yaml: &str) -> String {
    let (globals, entries) = yaml.split_once("entry points:").unwrap();
    let yaml = format!("{globals}entry points:{}", without(entries, "cumulative:"));
    let keys =
        ["automatically-introduced constant buffer:", "automatically-introduced parameter block:", "used by stages:"];
    let yaml = keys.iter().fold(yaml, |text, key| without(&text, key));
    let lines: Vec<&str> = yaml.lines().collect();
    let is_named_resource = |index: usize| {
        let next = lines.get(index + 1).map_or("", |next| next.trim());
        lines[index].trim_start().starts_with("name:") && ["kind: Resource", "kind: SamplerState"].contains(&next)
    };
    let is_stated = |index: &usize| {
        let line = lines[*index].trim();
        !is_named_resource(*index)
            && !line.starts_with("matrix layout mode")
            && !["used by stages: []", "cumulative: []"].contains(&line)
    };
    let kept: Vec<&str> = (0..lines.len()).filter(is_stated).map(|index| lines[index]).collect();
    kept.join("\n")
}

/// slangc's JSON gives the tree that our layout gives, as far as it states it.
#[test]
fn the_json_of_slangc_becomes_the_chapters_tree() {
    macro_rules! program {
        ($name:literal, $target:ident, $json:literal) => {
            (
                include_str!(concat!("slangc/", $name, ".slang")),
                Target::$target,
                include_str!(concat!("slangc/", $name, ".", $json, ".json")),
            )
        };
    }
    for (text, target, json) in [
        program!("frame_params", D3d12, "d3d12"),
        program!("frame_params", Vulkan, "vulkan"),
        program!("resources", D3d12, "d3d12"),
        program!("resources", Vulkan, "vulkan"),
        program!("bytes", D3d12, "d3d12"),
        program!("bytes", Vulkan, "vulkan"),
        program!("pointers", Vulkan, "vulkan"),
        program!("varying", Vulkan, "vulkan"),
        program!("entry_bindings", Vulkan, "vulkan"),
        program!("entry_bindings", Webgpu, "webgpu"),
        program!("entry_bindings", D3d12, "d3d12"),
        program!("registers", Metal, "metal"),
        program!("interfaces", Vulkan, "vulkan"),
        program!("attachments", Vulkan, "vulkan"),
        program!("named_buffers", Vulkan, "vulkan"),
        program!("unsized_arguments", Vulkan, "vulkan"),
        program!("both_places", Metal, "metal"),
    ] {
        let of_json = yaml_of_json(json, target).unwrap();
        assert_eq!(stated(&of_json), stated(&print(text, target).1), "{target}");
    }
    let newer = r#"{"parameters": [{"name": "a", "binding": {"kind": "slot", "index": 0}}]}"#;
    let problem = yaml_of_json(newer, Target::Vulkan).unwrap_err();
    assert_eq!(problem.to_string(), "slangc's reflection counts in `slot`, a unit that is not known");
}
