//! The reflection chapter's own examples as trees, compared with the chapter's listings.

mod programs;

use std::sync::Arc;

use layoutproof_frontend::module::GeneratedNames;
use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder, StructType, Type};
use layoutproof_layout::{Annotations, Span, Usage};
use serde_json::Value;

use super::{ParameterUses, slang_json, yaml};
use crate::tree::{ProgramLayout, TypeLayout, TypeParts, UnitOffset, VariableLayout};
use layoutproof_layout::LayoutUnit::{self, Binding, Bytes, Space};

type Amounts<'a> = &'a [(LayoutUnit, u32)];

fn usage(amounts: Amounts<'_>) -> Usage {
    let mut usage = Usage::default();
    for (unit, amount) in amounts {
        usage.add(*unit, Count::Finite(*amount));
    }
    usage
}

fn layout(ty: Type, amounts: Amounts<'_>, alignment: u32, parts: TypeParts) -> TypeLayout {
    TypeLayout { ty, usage: usage(amounts), alignment, parts }
}

fn variable(name: Option<&str>, offsets: Amounts<'_>, layout: TypeLayout) -> VariableLayout {
    let offset = |(unit, offset): &(LayoutUnit, u32)| UnitOffset { unit: *unit, space: 0, offset: *offset };
    VariableLayout {
        name: name.map(str::to_owned),
        annotations: Annotations::default(),
        offsets: offsets.iter().map(offset).collect(),
        layout: Arc::new(layout),
        span: Span::default(),
    }
}

fn structure(name: &str, amounts: Amounts<'_>, alignment: u32, fields: Vec<VariableLayout>) -> TypeLayout {
    let ty =
        StructType { name: name.to_owned(), base: None, members: Vec::new(), span: Span::default(), is_open: false };
    layout(Type::Struct(Arc::new(ty)), amounts, alignment, TypeParts::Fields(fields))
}

fn resource(kind: ResourceKind, element: Option<Type>) -> Type {
    Type::Resource(Resource { kind, element: element.map(Box::new), data_layout: None })
}

fn texture(name: &str, dimension: Dimension, binding: u32) -> VariableLayout {
    let texture = Texture { dimension, array: false, multisample: false, access: Access::Read };
    let ty = resource(ResourceKind::Texture(texture), None);
    variable(Some(name), &[(Binding, binding)], layout(ty, &[(Binding, 1)], 1, TypeParts::None))
}

fn sampler(name: &str, kind: ResourceKind, binding: u32) -> VariableLayout {
    variable(Some(name), &[(Binding, binding)], layout(resource(kind, None), &[(Binding, 1)], 1, TypeParts::None))
}

/// A vector in std140, which aligns `float3` to 16 bytes.
fn floats(name: &str, length: u32, offset: u32) -> VariableLayout {
    let ty = Type::Vector { scalar: Scalar::Float32, length };
    let alignment = (length * 4).next_power_of_two();
    variable(Some(name), &[(Bytes, offset)], layout(ty, &[(Bytes, length * 4)], alignment, TypeParts::None))
}

fn container(kind: ResourceKind, taken: Amounts<'_>, own: Amounts<'_>, element: VariableLayout) -> TypeLayout {
    let ty = resource(kind, Some(element.layout.ty.clone()));
    let zero: Vec<_> = own.iter().map(|(unit, _)| (*unit, 0)).collect();
    let container = variable(None, &zero, layout(ty.clone(), own, 1, TypeParts::None));
    layout(ty, taken, 1, TypeParts::Contained { container: Box::new(container), element: Box::new(element) })
}

/// The example of Container and Element, on Vulkan, with `params` in descriptor set `space`.
fn frame_params(space: u32) -> ProgramLayout {
    let material = structure(
        "Material",
        &[(Binding, 2), (Bytes, 16)],
        16,
        vec![
            texture("albedoMap", Dimension::Two, 0),
            sampler("sampler", ResourceKind::Sampler, 1),
            floats("uvScale", 2, 0),
            floats("uvBias", 2, 8),
        ],
    );
    let material = variable(None, &[(Bytes, 0), (Binding, 1)], material);
    let material = container(ResourceKind::ConstantBuffer, &[(Binding, 3)], &[(Binding, 1)], material);
    let frame = structure(
        "FrameParams",
        &[(Binding, 6), (Bytes, 64)],
        16,
        vec![
            variable(Some("material"), &[(Binding, 0)], material),
            floats("cameraPos", 3, 0),
            floats("cameraDir", 3, 16),
            texture("envMap", Dimension::Cube, 3),
            floats("sunLightDir", 3, 32),
            floats("sunLightIntensity", 3, 48),
            texture("shadowMap", Dimension::Two, 4),
            sampler("shadowMapSampler", ResourceKind::SamplerComparison, 5),
        ],
    );
    let frame = variable(None, &[(Bytes, 0), (Binding, 1)], frame);
    let own: Amounts<'_> = &[(Binding, 1), (Space, 1)];
    let params = container(ResourceKind::ParameterBlock, &[(Space, 1)], own, frame);
    let params = variable(Some("params"), &[(Space, space)], params);
    let globals = structure("", &[(Space, 1)], 1, vec![params]);
    ProgramLayout {
        globals: variable(None, &[], globals),
        entry_points: Vec::new(),
        bindless_space: Some(1),
        warnings: Vec::new(),
    }
}

/// Returns the lines of `text` from the line `from` on, as long as they are indented at least as
/// deep, without that indentation.
fn block<'a>(text: &'a str, from: &str) -> Vec<&'a str> {
    let mut lines = text.lines().skip_while(|line| line.trim() != from).peekable();
    let depth = lines.peek().map_or(0, |line| line.len() - line.trim_start().len());
    let deep = |line: &&str| line.len() - line.trim_start().len() >= depth;
    lines.take_while(deep).map(|line| &line[depth..]).collect()
}

/// The listings of the chapter's section Container and Element, word for word except for the third,
/// in which `offset` has slipped to the left of its place in the others. Those listings omit the
/// cumulative offsets, which follow the rules of Accumulating Offsets Along An Access Path.
#[test]
fn the_chapter_prints_frame_params() {
    let text = yaml(&frame_params(1), &ParameterUses::default(), MatrixOrder::Row);
    let without_cumulative = without(&text, "cumulative:");
    let head = block(&without_cumulative, "- name: \"params\"");
    let expected = "- name: \"params\"
  offset:
    relative:
      - value: 1
        unit: SubElementRegisterSpace # register spaces / descriptor sets
  used by stages: []
  type layout:
    name: \"ParameterBlock\"
    kind: ParameterBlock
    size:
      - value: 1
        unit: SubElementRegisterSpace # register spaces / descriptor sets
    container:
      offset:
        relative:
          - value: 0
            unit: DescriptorTableSlot # bindings
            space: 0
          - value: 0
            unit: SubElementRegisterSpace # register spaces / descriptor sets
    element:
      offset:
        relative:
          - value: 1
            unit: DescriptorTableSlot # bindings
            space: 0
          - value: 0
            unit: Uniform # bytes
      type layout:
        name: \"FrameParams\"
        kind: Struct
        size:
          - value: 6
            unit: DescriptorTableSlot # bindings
          - value: 64
            unit: Uniform # bytes
        alignment in bytes: 16
        stride in bytes: 64
        fields:
          - name: \"material\"
            offset:
              relative:
                - value: 0
                  unit: DescriptorTableSlot # bindings
                  space: 0";
    assert_eq!(head[..expected.lines().count()].join("\n"), expected);
}

/// Slang 2026.14.1: the sum of `spReflectionVariableLayout_GetOffset` that the chapter describes,
/// plus the space of the block.
#[test]
fn offsets_add_up_to_the_descriptor_set() {
    let text = yaml(&frame_params(1), &ParameterUses::default(), MatrixOrder::Row);
    let sampler = block(&text, "- name: \"sampler\"").join("\n");
    let cumulative =
        "    cumulative:\n      - value: 3\n        unit: DescriptorTableSlot # bindings\n        space: 1\n";
    assert!(sampler.contains(cumulative), "{sampler}");
    let camera = block(&text, "- name: \"cameraDir\"").join("\n");
    assert!(camera.contains("    cumulative:\n      - value: 16\n        unit: Uniform # bytes\n"), "{camera}");
}

/// `slangc frame_params.slang -target spirv -no-codegen -reflection-json`, slangc 2026.14.1.
#[test]
fn json_is_that_of_slangc() {
    let expected: Value = serde_json::from_str(include_str!("slangc/frame_params.vulkan.json")).unwrap();
    let json = slang_json(&frame_params(0), &ParameterUses::default(), &GeneratedNames::default());
    let found: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(found, expected);
}

/// Returns `text` without the lines `key` and everything that is indented deeper below them.
fn without(text: &str, key: &str) -> String {
    let mut dropped: Option<usize> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if dropped.is_some_and(|drop| depth > drop) {
            continue;
        }
        dropped = (line.trim() == key).then_some(depth);
        if dropped.is_none() {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
