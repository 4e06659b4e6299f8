//! `slang-documented`: the user guide where slangc differs from it.
//!
//! Authority: Slang user guide, Parameter Layout Rules (sections named at each test) and Using the Reflection API.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

use super::{D3D, METAL, VULKAN, errors, module, request, row};
use crate::slang::layout;
use crate::tree::{TypeLayout, TypeParts, VariableLayout};
use crate::{BindingRequest, Convention, Target, bind};
use layoutproof_source::diagnostics::Code;

fn documented(target: Target) -> BindingRequest {
    BindingRequest { convention: Convention::SlangDocumented, ..request(target) }
}

fn rows(source: &str, target: Target) -> String {
    let bound = bind(&module(source), &documented(target)).unwrap();
    bound.bindings.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// The only global parameter of `source`.
fn parameter(source: &str, request: &BindingRequest) -> VariableLayout {
    let program = layout(&module(source), request).unwrap();
    let parameters = match &program.globals.layout.parts {
        TypeParts::Contained { element, .. } => element.layout.parts.clone(),
        parts => parts.clone(),
    };
    match parameters {
        TypeParts::Fields(fields) => fields.into_iter().next().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn amount(layout: &TypeLayout, unit: LayoutUnit) -> Count {
    layout.usage.get(unit)
}

/// Processing Explicit Binding Modifiers: "If two parameters reserve overlapping ranges, we currently issue an error".
#[test]
fn overlaps_are_errors() {
    let source = "Texture2D a[4] : register(t3); Texture2D mid : register(t5);";
    assert_eq!(errors(source, &documented(D3D)), [Code::BindingOverlap]);
}

/// The same: "Traditional HLSL `register` modifiers only apply for D3D targets".
#[test]
fn registers_are_for_d3d() {
    let source = "Texture2D a : register(t1); Texture2D b;";
    assert_eq!(rows(source, D3D), "a t1, b t0");
    assert_eq!(rows(source, VULKAN), "a 0.0, b 0.1");
    assert_eq!(rows(source, METAL), "a texture0, b texture1");
}

/// Splitting of Arrays: "The \"stride\" of the `gPairs` array will be reported as one", `b` at 8.
#[test]
fn pairs_have_a_stride_of_one() {
    let source = "struct Pair { Texture2D a; Texture2D b; }; Pair gPairs[8];";
    assert_eq!(rows(source, D3D), "gPairs[].a t0+8, gPairs[].b t8+8");
    let stride = |request| match &parameter(source, &request).layout.parts {
        TypeParts::Elements { stride, .. } => stride.get(LayoutUnit::ShaderResource),
        other => panic!("{other:?}"),
    };
    assert_eq!(stride(documented(D3D)), Count::Finite(1));
    // slangc 2026.14.1: the registers of an element.
    assert_eq!(stride(request(D3D)), Count::Finite(2));
}

/// Structures: "the final resource usage of a `struct` is rounded up to a multiple of the alignment", 16 for D3D; Sized
/// Arrays: "the total size of the array is then the stride times the element count".
#[test]
fn structs_and_arrays_are_padded() {
    let bytes = |source, request| match &parameter(source, &request).layout.parts {
        TypeParts::Contained { element, .. } => amount(&element.layout, LayoutUnit::Bytes),
        other => panic!("{other:?}"),
    };
    let directions = "cbuffer C { float3 a; float3 b; }";
    assert_eq!(bytes(directions, documented(D3D)), Count::Finite(32));
    // slangc 2026.14.1, -target hlsl -profile sm_6_6.
    assert_eq!(bytes(directions, request(D3D)), Count::Finite(28));
    let array = "cbuffer C { float a[3]; }";
    assert_eq!(bytes(array, documented(D3D)), Count::Finite(48));
    assert_eq!(bytes(array, request(D3D)), Count::Finite(36));
}

/// Using the Reflection API, Wrapped in a Parameter Block If Needed: an explicit binding claims
/// space 0, so the other parameters get space 1.
#[test]
fn the_default_space_is_the_first_free_one() {
    let source = "Texture2D diffuseMap; [[vk::binding(1, 0)]] TextureCube envMap; SamplerState linearSampler;";
    assert_eq!(rows(source, VULKAN), "diffuseMap 1.0, envMap 0.1, linearSampler 1.1");
}
