//! The tree of layouts: offsets in all units, sizes, alignments, containers and elements.
//!
//! Authority: slangc 2026.14.1, `-no-codegen -reflection-json`, `-target` as named, on D3D `-profile sm_6_6`.

use std::fmt::Write;

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::{Count, Type};

use super::{D3D, METAL, VULKAN, WEBGPU, module, request};
use crate::slang::layout;
use crate::tree::{TypeParts, VariableLayout};
use crate::{BindingRequest, Target};

/// One line for each variable: `name unit offset+amount,space ...`, indented.
fn tree(source: &str, request: &BindingRequest) -> String {
    let program = layout(&module(source), request).unwrap();
    let mut text = String::new();
    let scopes = program.entry_points.iter().map(|entry| &entry.scope);
    for parameter in std::iter::once(&program.globals).chain(scopes).flat_map(parameters) {
        variable(parameter, "", &mut text);
    }
    text
}

fn parameters(scope: &VariableLayout) -> &[VariableLayout] {
    match &scope.layout.parts {
        TypeParts::Fields(fields) => fields,
        TypeParts::Contained { element, .. } => parameters(element),
        other => panic!("{other:?}"),
    }
}

fn variable(variable: &VariableLayout, indent: &str, out: &mut String) {
    writeln!(out, "{indent}{}{}", variable.name.as_deref().unwrap_or_default(), offsets(variable)).unwrap();
    parts(&variable.layout.parts, &variable.layout.ty, &format!("{indent}  "), out);
}

fn parts(found: &TypeParts, ty: &Type, indent: &str, out: &mut String) {
    match found {
        TypeParts::None | TypeParts::Memory(_) | TypeParts::Stream(_) | TypeParts::Patch(_) => {}
        TypeParts::Fields(fields) => fields.iter().for_each(|field| variable(field, indent, out)),
        TypeParts::Elements { element, stride } => {
            let bytes = stride.get(LayoutUnit::Bytes);
            let stride = if bytes == Count::Finite(0) { String::new() } else { format!(" stride {}", count(bytes)) };
            let Type::Array { count: length, .. } = ty else { panic!("{ty} is no array") };
            writeln!(out, "{indent}[{length}]{stride}").unwrap();
            parts(&element.parts, &element.ty, indent, out);
        }
        TypeParts::Contained { container, element } => {
            writeln!(out, "{indent}container{}", offsets(container)).unwrap();
            writeln!(out, "{indent}element{}", offsets(element)).unwrap();
            parts(&element.layout.parts, &element.layout.ty, &format!("{indent}  "), out);
        }
    }
}

fn offsets(variable: &VariableLayout) -> String {
    let mut text = String::new();
    for at in &variable.offsets {
        let amount = count(variable.layout.usage.get(at.unit));
        let space = if at.space > 0 { format!(",{}", at.space) } else { String::new() };
        write!(text, " {} {}+{amount}{space}", at.unit, at.offset).unwrap();
    }
    text
}

fn count(count: Count) -> String {
    match count {
        Count::Finite(count) => count.to_string(),
        Count::Unbounded => "inf".to_owned(),
    }
}

fn check(source: &str, target: Target, expected: &str) {
    assert_eq!(tree(source, &request(target)).trim_end(), expected.trim_matches('\n'), "{target}: {source}");
}

const MATERIAL_D3D: &str = "
first t 0+1
material b 0+1 t 1+1 s 0+1
  container b 0+1
  element bytes 0+52 t 0+1 s 0+1
    tint bytes 0+16
    albedo t 0+1
    linearSampler s 0+1
    weights bytes 16+36
      [3] stride 16
block space 1+1
  container b 0+1 space 0+1
  element bytes 0+52 t 0+1 s 0+1
    tint bytes 0+16
    albedo t 0+1
    linearSampler s 0+1
    weights bytes 16+36
      [3] stride 16
";

const MATERIAL_VULKAN: &str = "
first binding 0+1
material binding 1+3
  container binding 0+1
  element bytes 0+64 binding 1+2
    tint bytes 0+16
    albedo binding 0+1
    linearSampler binding 1+1
    weights bytes 16+48
      [3] stride 16
block space 1+1
  container binding 0+1 space 0+1
  element bytes 0+64 binding 1+2
    tint bytes 0+16
    albedo binding 0+1
    linearSampler binding 1+1
    weights bytes 16+48
      [3] stride 16
";

const MATERIAL_WEBGPU: &str = "
first binding 0+1
material binding 1+3
  container binding 0+1
  element bytes 0+64 binding 1+2
    tint bytes 0+16
    albedo binding 0+1
    linearSampler binding 1+1
    weights bytes 16+48
      [3] stride 16
block space 1+1
  container binding 0+1 space 0+1
  element bytes 0+64 binding 1+2
    tint bytes 0+16
    albedo binding 0+1
    linearSampler binding 1+1
    weights bytes 16+48
      [3] stride 16
";

const MATERIAL_METAL: &str = "
first metal-texture 0+1
material metal-buffer 0+1 metal-texture 1+1 metal-sampler 0+1
  container metal-buffer 0+1
  element bytes 0+32 metal-texture 0+1 metal-sampler 0+1
    tint bytes 0+16
    albedo metal-texture 0+1
    linearSampler metal-sampler 0+1
    weights bytes 16+12
      [3] stride 4
block metal-buffer 1+1
  container metal-buffer 0+1
  element metal-argument 0+6
    tint bytes 0+16
    albedo bytes 16+8
    linearSampler bytes 24+8
    weights bytes 32+12
      [3] stride 4
";

#[test]
fn resources_and_bytes_of_a_struct() {
    let source = "struct Material { float4 tint; Texture2D albedo; SamplerState linearSampler; float weights[3]; \
                  }; Texture2D first; ConstantBuffer<Material> material; ParameterBlock<Material> block;";
    check(source, D3D, MATERIAL_D3D);
    check(source, VULKAN, MATERIAL_VULKAN);
    check(source, WEBGPU, MATERIAL_WEBGPU);
    check(source, METAL, MATERIAL_METAL);
}

const NESTED_D3D: &str = "
outer space 0+2
  container b 0+1 space 0+1
  element bytes 0+24 b 1+1 t 0+4 space 1+1
    x bytes 0+12
    t t 0+2
      [2]
    cb b 0+1 t 2+1
      container b 0+1
      element bytes 0+4 t 0+1
        y bytes 0+4
        t t 0+1
    pb space 0+1
      container b 0+1 space 0+1
      element bytes 0+4 t 0+1
        y bytes 0+4
        t t 0+1
    sb t 3+1
    w bytes 16+8
";

const NESTED_VULKAN: &str = "
outer space 0+2
  container binding 0+1 space 0+1
  element bytes 0+32 binding 1+4 space 1+1
    x bytes 0+12
    t binding 0+1
      [2]
    cb binding 1+2
      container binding 0+1
      element bytes 0+16 binding 1+1
        y bytes 0+4
        t binding 0+1
    pb space 0+1
      container binding 0+1 space 0+1
      element bytes 0+16 binding 1+1
        y bytes 0+4
        t binding 0+1
    sb binding 3+1
    w bytes 16+8
";

const NESTED_METAL: &str = "
outer metal-buffer 0+1 metal-texture 0+1
  container metal-buffer 0+1
  element metal-texture 0+1 metal-argument 0+6
    x bytes 0+16
    t bytes 16+16
      [2] stride 8
    cb bytes 32+8 metal-texture 0+1
      container bytes 0+8
      element bytes 0+4 metal-texture 0+1
        y bytes 0+4
        t metal-texture 0+1
    pb bytes 40+8
      container bytes 0+8
      element metal-argument 0+2
        y bytes 0+4
        t bytes 8+8
    sb bytes 48+8
    w bytes 56+8
";

#[test]
fn blocks_hold_buffers_and_blocks() {
    let source = "struct Inner { float y; Texture2D t; }; struct Outer { float3 x; Texture2D t[2]; \
                  ConstantBuffer<Inner> cb; ParameterBlock<Inner> pb; StructuredBuffer<float> sb; float2 w; }; \
                  ParameterBlock<Outer> outer;";
    check(source, D3D, NESTED_D3D);
    check(source, VULKAN, NESTED_VULKAN);
    check(source, METAL, NESTED_METAL);
}

const SPLIT_D3D: &str = "
arr bytes 0+44 t 0+15
  [3] stride 16
  pos bytes 0+12
  i t 0+4
    [2]
    a t 0+1
    b t 6+1
  c t 12+1
after bytes 44+4
";

const SPLIT_VULKAN: &str = "
arr bytes 0+48 binding 1+3
  [3] stride 16
  pos bytes 0+12
  i binding 0+2
    [2]
    a binding 0+1
    b binding 1+1
  c binding 2+1
after bytes 48+4
";

#[test]
fn arrays_of_structs_spread_their_fields() {
    let source = "struct I { Texture2D a; Texture2D b; }; struct O { float3 pos; I i[2]; Texture2D c; }; O \
                  arr[3]; uniform float after;";
    check(source, D3D, SPLIT_D3D);
    check(source, VULKAN, SPLIT_VULKAN);
}

const UNSIZED_D3D: &str = "
arr space 1+6
  []
  c t 0+1
  i t 0+2,1
    a t 0+1
    b t 0+1,1
  k t 0+4,3
    [2]
    a t 0+1
    b t 0+1,1
  s t 0+1,5 s 0+1,5
z t 0+inf,7
  []
";

#[test]
fn unsized_arrays_of_structs() {
    let source = "struct I { Texture2D a; Texture2D b; }; struct O { Texture2D c; I i; I k[2]; Sampler2D s; }; O \
                  arr[]; Texture2D z[];";
    check(source, D3D, UNSIZED_D3D);
}

const BITS_D3D: &str = "
d b 0+1 t 0+1 s 0+1
  container b 0+1
  element bytes 0+28 t 0+1 s 0+1
    $base bytes 0+12 t 0+1
      a bytes 0+12
      t t 0+1
    b bytes 12+4
    $bit_field_backing_0 bytes 16+4
    e bytes 20+4
    $bit_field_backing_1 bytes 24+4
    s s 0+1
";

const BITS_VULKAN: &str = "
d binding 0+3
  container binding 0+1
  element bytes 0+32 binding 1+2
    $base bytes 0+16 binding 0+1
      a bytes 0+12
      t binding 0+1
    b bytes 16+4
    $bit_field_backing_0 bytes 20+4
    e bytes 24+4
    $bit_field_backing_1 bytes 28+4
    s binding 1+1
";

#[test]
fn bases_and_bit_fields() {
    let source = "struct Base { float3 a; Texture2D t; }; struct Derived : Base { float b; int c : 3; uint d : 5; \
                  float e; int f : 20; SamplerState s; }; ConstantBuffer<Derived> d;";
    check(source, D3D, BITS_D3D);
    check(source, VULKAN, BITS_VULKAN);
}

const ENTRY_D3D: &str = "
x bytes 0+16
y bytes 16+12
z bytes 28+4
t t 0+1
";

const ENTRY_VULKAN: &str = "
x bytes 0+16
y bytes 16+12
z bytes 28+4
t binding 0+1
";

const ENTRY_WEBGPU: &str = "
x bytes 0+16
y bytes 16+12
z bytes 28+4
t binding 1+1
";

#[test]
fn parameters_of_an_entry_point() {
    let source = "[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float4 x, uniform float3 y, \
                  uniform float z, uniform Texture2D t) {}";
    check(source, D3D, ENTRY_D3D);
    check(source, VULKAN, ENTRY_VULKAN);
    check(source, WEBGPU, ENTRY_WEBGPU);
}

const ARGUMENTS_METAL: &str = "
p space 1+1 metal-buffer 0+2
  container metal-buffer 0+1
  element space 0+1 metal-buffer 1+1 metal-argument 0+8
    m bytes 0+48
    a bytes 48+16 metal-buffer 0+1
    c bytes 64+8
      container bytes 0+8
      element bytes 0+16
    s bytes 72+16
    t bytes 88+16
      [] stride 8
";

#[test]
fn argument_buffers_hold_handles() {
    let source = "struct S { float3x3 m; AppendStructuredBuffer<float> a; ConstantBuffer<float4> c; Sampler2D s; \
                  Texture2D t[]; }; ParameterBlock<S> p;";
    check(source, METAL, ARGUMENTS_METAL);
}
