use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Block, LayoutOptions, Span};

use super::declare::declaration;
use super::types::GlslTypeNames;
use super::{GlslDeclaration, space_of};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

use layoutproof_probes::AddressSpace;

fn block(text: &str) -> Block {
    let mut sources = SourceMap::default();
    let file = sources.add("test.hlsl", text);
    let end = u32::try_from(text.len()).unwrap();
    let declared = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default());
    declared.unwrap().blocks.remove(0)
}

fn said(text: &str, rules: &str) -> Result<String, String> {
    said_in(None, text, rules)
}

/// The declaration in a space; in that of its kind if `None`.
fn said_in(space: Option<AddressSpace>, text: &str, rules: &str) -> Result<String, String> {
    said_of(false, space, text, rules)
}

/// The declaration of a block, or of an array of such blocks.
fn said_of(elements: bool, space: Option<AddressSpace>, text: &str, rules: &str) -> Result<String, String> {
    let block = block(text);
    let options =
        LayoutOptions { matrix: MatrixOrder::Column, sixteen_bit: SixteenBit::On, ..LayoutOptions::default() };
    let space = space.unwrap_or_else(|| space_of(block.kind, rules));
    let declared =
        GlslDeclaration { block: &block, elements, rules, space, address_alignment: 16, shared_words: 40, options };
    declaration(&declared).map_err(|error| error.to_string())
}

#[test]
fn types_have_the_names_of_the_language() {
    let float = GlslTypeNames::of(Scalar::Float32, SixteenBit::On).unwrap();
    assert_eq!(float.vector(3), "vec3");
    // The OpenGL Shading Language 4.60, 4.1: "mat2x3: a 2-column, 3-row floating-point matrix".
    assert_eq!(float.matrix(3, 2).unwrap(), "mat2x3");
    assert_eq!(float.matrix(1, 3), None);
    assert_eq!(GlslTypeNames::of(Scalar::Int32, SixteenBit::On).unwrap().matrix(2, 2), None);
    assert_eq!(GlslTypeNames::of(Scalar::Half, SixteenBit::Off).unwrap().vector(1), "float");
    assert!(GlslTypeNames::of(Scalar::Min16Float, SixteenBit::On).is_err());
}

#[test]
fn a_block_is_said_again() {
    let text = "struct L { float3 input; half h[2]; }; cbuffer S { row_major float2x3 m; L l[2][3]; bool b; };";
    let expected = "#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
struct Sm0_L {
    vec3 m0_input;
    float16_t m1_h[2];
};
layout(scalar, set = 0, binding = 0) uniform LayoutproofBlock {
    layout(row_major) mat3x2 m0_m;
    Sm0_L m1_l[2][3];
    bool m2_b;
} layoutproof_block;
";
    assert_eq!(said(text, "scalar").unwrap(), expected);
}

#[test]
fn std430_is_for_storage_blocks() {
    let text = said("cbuffer S { float a; };", "std430").unwrap();
    assert!(text.contains("layout(std430, set = 0, binding = 0) readonly buffer"), "{text}");
    let text = said("[[vk::push_constant]] struct { float a; } p;", "std430").unwrap();
    assert!(text.contains("layout(std430, push_constant) uniform"), "{text}");
}

#[test]
fn a_block_at_an_address_is_a_buffer_reference() {
    let text = said_in(Some(AddressSpace::Address), "cbuffer S { float3 a; };", "std430").unwrap();
    let expected = "#version 460
#extension GL_EXT_buffer_reference : require
layout(std430, buffer_reference, buffer_reference_align = 16) readonly buffer LayoutproofBlock {
    vec3 m0_a;
};
layout(push_constant) uniform LayoutproofAddress { LayoutproofBlock layoutproof_block; };
";
    assert_eq!(text, expected);
}

/// `GL_EXT_buffer_reference2`: a reference has arithmetic, as a pointer to one block.
#[test]
fn elements_at_an_address_are_behind_a_reference_to_one() {
    let text = said_of(true, Some(AddressSpace::Address), "cbuffer S { float3 a; };", "scalar").unwrap();
    assert!(text.contains("#extension GL_EXT_buffer_reference2 : require"), "{text}");
    assert!(text.contains("buffer LayoutproofBlock {\n    vec3 m0_a;\n};"), "{text}");
}

#[test]
fn workgroup_memory_is_a_shared_block() {
    let text = said_in(Some(AddressSpace::Workgroup), "cbuffer S { float a; };", "std430").unwrap();
    let expected = "#version 440
#extension GL_EXT_shared_memory_block : require
layout(std430) shared LayoutproofBlock {
    float m0_a;
} layoutproof_block;
";
    assert_eq!(text, expected);
}

#[test]
fn what_the_language_cannot_say_is_refused_with_its_place() {
    for (text, expected) in [
        ("cbuffer S { float1x3 m; };", "`m`, no matrix like `float1x3`"),
        ("struct E {}; cbuffer S { E e; float a; };", "`e`, an empty struct"),
        ("struct B { float a; }; struct D : B { float b; }; cbuffer S { D d; };", "`d`, the base struct `B`"),
        ("struct L { vector<float, 5> v; }; StructuredBuffer<L> S;", "`v`, a vector of more than four components"),
        ("struct B { uint a : 3; }; cbuffer S { B b; };", "`b.a`, a bit-field"),
        ("struct T { row_major float2x2 a; float2x2 b; }; cbuffer S { T t; };", "`t`, matrices of both orders"),
        ("cbuffer S { float a : packoffset(c1); float b; };", "the block, packoffset on some members only"),
    ] {
        let error = said(text, "std140").unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
