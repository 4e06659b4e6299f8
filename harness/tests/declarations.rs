//! Reads a whole file with every kind of declaration, only through the public interface.

use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::Span;
use layoutproof_layout::shape::Type;
use layoutproof_render::render;
use layoutproof_source::sources::SourceMap;

/// Every declaration except resources.
const DATA: &str = r#"
#pragma once
import scene.lights;
static const uint N = 2, M = N * 2 + 1;
enum Mode { Off, On = 5, Auto };
enum class Wide : uint64_t { X = 1 << 3, Y };
typedef float3 Position;
using Color = float4;
struct Scalars {
    bool a; int b; uint c; dword d; half e; float f; double g;
    min16float h; min16int i; min16uint j; min10float k; min12int l;
    float16_t m; float32_t n; float64_t o; int16_t p; uint16_t q; int32_t r; uint32_t s; int64_t t; uint64_t u;
    int8_t v; uint8_t w; unsigned int x; Mode y; Wide z;
};
struct Shapes {
    float1 a; float2 b; vector<float, 3> c; vector d; float2x3 e; matrix<float, 3, 2> f; matrix g;
    float1x4 h; row_major float4x1 i; column_major int2x4 j; Position k[N][M]; Color l; unorm float4 m;
};
template<typename T, int K> struct Pair { T first; T second[K]; };
struct Base { float3 n; };
struct Derived : Base {
    struct Inner { uint low : 3; uint : 5; uint high : (N + 1); } inner;
    Pair<half2, M> pair;
    [[vk::offset(64)]] float4 placed;
    float dot(float3 v) { return n.x * v.x; }
};
cbuffer Direct : register(b1, space2) {
    Scalars scalars : packoffset(c0);
    Shapes shapes : packoffset(c16);
    float tail : packoffset(c80.w);
};
tbuffer Table : register(t4) { float4 rows[8]; }
namespace Outer { namespace Inner { cbuffer Named { Derived d; } } }
struct Material { ConstantBuffer<Base> base; Texture2D<float4> albedo[4]; SamplerState samplers; float roughness; };
uniform float4 tint = float4(1, 1, 1, 1), more[N]; float loose : register(c4);
static float scratch; groupshared float tile[64];
Base* pointer;
float helper(float x) { if (false) { return positions[0].x; } return typed[N].x + x; }
[shader("compute")] [numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID, uniform row_major float2x3 transform, Texture2D local) {
    typedOut[id.x] = helper(transform[0][1]) + Outer::Inner::d.n.x;
}
"#;

/// Resources in this project's spelling, one declaration each.
const RESOURCES: &str = "ParameterBlock<Material> material; ConstantBuffer<Derived> derived; TextureBuffer<Base> bases;
    StructuredBuffer<float3> positions; RWStructuredBuffer<Derived> output; AppendStructuredBuffer<Base> appended;
    ConsumeStructuredBuffer<Base> consumed; RasterizerOrderedStructuredBuffer<uint> ordered;
    ByteAddressBuffer raw; RWByteAddressBuffer rawOut; RasterizerOrderedByteAddressBuffer rawOrdered;
    Buffer<float4> typed; RWBuffer<uint> typedOut; Texture1D t1; Texture1DArray<float> t1a; Texture2D t2;
    Texture2DArray t2a; Texture2DMS<float4> t2m; Texture2DMSArray<float4> t2ma; Texture3D t3; TextureCube tc;
    TextureCubeArray tca; RWTexture1D<float> u1; RWTexture2D<float4> u2; RWTexture3D<int> u3;
    RasterizerOrderedTexture2D<uint> ro; FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> feedback; SamplerState state;
    SamplerComparisonState comparison; Sampler2D combined; SamplerCubeArray<float4> cubes;
    RaytracingAccelerationStructure scene; SubpassInput<float4> subpass; SubpassInputMS<float4> subpassMs";

fn read(text: &str) -> Module {
    let mut sources = SourceMap::default();
    let file = sources.add("everything.hlsl", text);
    let end = u32::try_from(text.len()).expect("the text is short");
    let result = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default());
    result.unwrap_or_else(|problems| panic!("{}", render(&problems, &sources, false)))
}

/// All declarations, with the parts that are not in a type's name: arrays, attributes, registers,
/// sample counts.
fn everything() -> Module {
    let resources = RESOURCES
        .replace("> derived", "> derived[3]")
        .replace("> output", "> output[]")
        .replace("Texture2DMS<float4>", "Texture2DMS<float4, 4>")
        .replace("RWTexture2D<float4>", "[[vk::binding(3, 1)]] RWTexture2D<unorm float4>")
        .replace("SamplerState state", "sampler state : register(s3)")
        .replace("SubpassInput<", "[[vk::input_attachment_index(0)]] SubpassInput<")
        .replace("TextureBuffer", "layout(binding = 3, set = 1) TextureBuffer");
    read(&format!("{DATA}{resources}; [[vk::push_constant]] ConstantBuffer<Base> push;"))
}

/// Block names and kinds as the command line documents them.
#[test]
fn all_blocks_are_found() {
    let module = everything();
    let blocks: Vec<String> = module.blocks.iter().map(|block| format!("{} {}", block.name, block.kind)).collect();
    let expected = [
        "Direct cbuffer",
        "Table tbuffer",
        "Outer::Inner::Named cbuffer",
        "$Globals globals",
        "pointer pointee",
        "material parameter-block",
        "material.base constant-buffer",
        "derived constant-buffer",
        "bases texture-buffer",
        "positions structured-element",
        "output structured-element",
        "appended structured-element",
        "consumed structured-element",
        "ordered structured-element",
        "push push-constant",
        "$Entry.main entry-uniforms",
    ];
    assert_eq!(blocks, expected);
    assert_eq!(module.warnings, []);
    assert_eq!(module.imports, ["scene.lights"]);
}

#[test]
fn all_scalars_and_shapes_have_their_types() {
    let module = everything();
    let Type::Struct(direct) = &module.blocks[0].element else { panic!("a cbuffer is a struct") };
    let types = |index: usize| -> String {
        let Type::Struct(ty) = &direct.members[index].ty else { panic!("a struct") };
        ty.members.iter().map(|member| member.ty.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        types(0),
        "bool int uint uint half float double min16float min16int min16uint min10float min12int float16_t float double \
         int16_t uint16_t int uint int64_t uint64_t int8_t uint8_t uint Mode Wide"
    );
    assert_eq!(
        types(1),
        "float1 float2 float3 float4 float2x3 float3x2 float4x4 float1x4 float4x1 int2x4 float3[2][5] float4 float4"
    );
    assert_eq!(direct.members[2].annotations.packoffset.and_then(|place| place.offset()), Some(80 * 16 + 12));
}

#[test]
fn all_resources_come_back_as_they_are_spelled() {
    let module = everything();
    let is_resource = |ty: &Type| matches!(ty.dimensions().0, Type::Resource(_));
    let found: Vec<String> = module
        .parameters
        .iter()
        .filter(|parameter| is_resource(&parameter.ty))
        .map(|parameter| format!("{} {}", parameter.ty.dimensions().0, parameter.name))
        .collect();
    let mut expected: Vec<String> = RESOURCES.split(';').map(|text| text.trim().to_owned()).collect();
    expected.push("ConstantBuffer<Base> push".to_owned());
    assert_eq!(found, expected);
}
