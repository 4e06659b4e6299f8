//! The proposals' examples, and Clang's types for the same declarations.

use layoutproof_layout::{BlockLayout, LayoutOptions, Span, find, lay_out};

use super::{LlvmForm, llvm_types};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;

/// The text for all blocks of `text`.
fn print(text: &str, rules: &str, form: LlvmForm) -> String {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap();
    let span = Span { file: sources.add("test.hlsl", text), start: 0, end };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let rules = find(rules).unwrap();
    let blocks: Vec<_> = module.blocks.iter().map(|block| lay_out(block, rules, LayoutOptions::default())).collect();
    llvm_types(&blocks, form)
}

/// The lines of `text` that are not comments.
fn code(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with(';') && !line.is_empty()).collect()
}

/// The comment lines of `text` after the first one.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(';')).skip(1).collect()
}

const SIMPLE: &str = "struct simple1 { float x; float y; }; struct simple2 { float3 x; float y; };";

fn layouts(text: &str, rules: &str) -> String {
    code(&print(&format!("{SIMPLE} {text}"), rules, LlvmForm::TargetLayout)).join("\n")
}

/// Types with explicit layouts in DXIL and SPIR-V, Examples, first listing. The listing has `float`
/// as `i32` in `simple1`, lacks the word `type` twice, and has `nested` as `%__layout_nested` once.
#[test]
fn structs_under_structured_buffer_rules() {
    let found = layouts("struct nested { simple2 s2; simple1 s1; }; StructuredBuffer<nested> s;", "hlsl-structured");
    let expected = "%__hlsl_simple2 = type { <3 x float>, float }
target(\"dx.Layout\", %__hlsl_simple2, 16, 0, 12)
%__hlsl_simple1 = type { float, float }
target(\"dx.Layout\", %__hlsl_simple1, 8, 0, 4)
%__hlsl_nested = type { target(\"dx.Layout\", %__hlsl_simple2, 16, 0, 12), target(\"dx.Layout\", %__hlsl_simple1, 8, 0, 4) }
target(\"dx.Layout\", %__hlsl_nested, 24, 0, 16)";
    assert_eq!(found, expected);
}

const ARRAY_STRUCT: &str = "struct array_struct { float x[4]; float y; };";

/// The same, second listing: `array_struct`, `nested2`.
#[test]
fn the_same_struct_in_a_structured_buffer() {
    let found = layouts(&format!("{ARRAY_STRUCT} StructuredBuffer<array_struct> s;"), "hlsl-structured");
    let expected = "%__hlsl_array_struct = type { [4 x float], float }\n\
        target(\"dx.Layout\", %__hlsl_array_struct, 20, 0, 16)";
    assert_eq!(found, expected);
    let text = "struct nested2 { simple1 s1; simple2 s2; }; StructuredBuffer<nested2> s;";
    let found = layouts(text, "hlsl-structured");
    assert!(found.ends_with("target(\"dx.Layout\", %__hlsl_nested2, 24, 0, 8)"), "{found}");
}

/// The same listing: `array_cbuf1`, `array_cbuf2`, `nested_cbuf`. The document gives a buffer of
/// one struct the layout of that struct; here the buffer has one member at 0, and the struct's
/// layout is on a separate line.
#[test]
fn the_same_structs_in_a_constant_buffer() {
    let text = format!(
        "{ARRAY_STRUCT} cbuffer array_cbuf2 {{ array_struct s; }} cbuffer array_cbuf1 {{ float x[4]; float y; }}"
    );
    let expected = "%__hlsl_array_struct = type { [4 x float], float }
target(\"dx.Layout\", %__hlsl_array_struct, 56, 0, 52)
target(\"dx.Layout\", { target(\"dx.Layout\", %__hlsl_array_struct, 56, 0, 52) }, 56, 0)
target(\"dx.Layout\", %__hlsl_array_struct, 56, 0, 52)";
    assert_eq!(layouts(&text, "hlsl-cbuffer"), expected);
    let found = layouts("cbuffer nested_cbuf { simple1 s1; simple2 s2; }", "hlsl-cbuffer");
    let members =
        "{ target(\"dx.Layout\", %__hlsl_simple1, 8, 0, 4), target(\"dx.Layout\", %__hlsl_simple2, 16, 0, 12) }";
    assert!(found.ends_with(&format!("target(\"dx.Layout\", {members}, 32, 0, 16)")), "{found}");
}

/// The same, third and fourth listing, where `float` is `i32`.
#[test]
fn packoffset_moves_members_and_keeps_their_order() {
    let text = "cbuffer packoffset1 { float x : packoffset(c1.x); float y : packoffset(c2.y); }";
    assert_eq!(layouts(text, "hlsl-cbuffer"), "target(\"dx.Layout\", { float, float }, 40, 16, 36)");
    let text = "cbuffer packoffset1 { float x : packoffset(c2.y); float y : packoffset(c1.x); }";
    assert_eq!(layouts(text, "hlsl-cbuffer"), "target(\"dx.Layout\", { float, float }, 40, 36, 16)");
}

/// The same, last listing. There the first size is 12, which ends in the middle of `b`; the second
/// type has the first one's name; and `complex` is written out, while `nested` above has a layout
/// type.
#[test]
fn vk_offset_is_spirv() {
    let text = "struct vkoffset1 { float2 a; [[vk::offset(8)]] float2 b; }; StructuredBuffer<vkoffset1> s;";
    let found = layouts(text, "scalar@dxc");
    let expected = "%__hlsl_vkoffset1 = type { <2 x float>, <2 x float> }\n\
        target(\"spirv.Layout\", %__hlsl_vkoffset1, 16, 0, 8)";
    assert_eq!(found, expected);
    let text = "struct complex { float r; float i; }; struct vkoffset2 { float2 a; [[vk::offset(8)]] complex b; };
        StructuredBuffer<vkoffset2> s;";
    let found = layouts(text, "scalar@dxc");
    assert!(found.ends_with("target(\"spirv.Layout\", %__hlsl_vkoffset2, 16, 0, 8)"), "{found}");
}

fn registers(text: &str) -> String {
    comments(&print(text, "hlsl-cbuffer", LlvmForm::TargetLayout)).join("\n")
}

/// INF-0003, packoffset, packoffset on layout struct. There the third padding has no number.
#[test]
fn gaps_are_members_of_the_register_struct() {
    let text = "cbuffer CB { float a : packoffset(c2); float b : packoffset(c4); float2 c : packoffset(c2.z); }";
    let expected = "; struct CBLayout {
;   float4 padding0[2];  // c0/c1
;   float a;             // c2.x
;   float padding1;      // c2.y
;   float2 c;            // c2.zw
;   float4 padding2;     // c3
;   float b;             // c4.x
; }";
    assert_eq!(registers(text), expected);
}

/// INF-0003, Introduction (`MyBuffer`), the valid members of limitation 4, and `A` of Layout struct for cbuffer.
#[test]
fn the_other_examples_as_register_structs() {
    let text = "cbuffer MyBuffer { float4 Element1 : packoffset(c0); float1 Element2 : packoffset(c12);
        float1 Element3 : packoffset(c1.y); }";
    let expected = "; struct MyBufferLayout {
;   float4 Element1;      // c0
;   float padding0;       // c1.x
;   float1 Element3;      // c1.y
;   float2 padding1;      // c1.zw
;   float4 padding2[10];  // c2 to c11
;   float1 Element2;      // c12.x
; }";
    assert_eq!(registers(text), expected);
    let text = "struct S { float a; }; cbuffer A { S s2 : packoffset(c12); int a2[2] : packoffset(c13);
        float2x2 m2 : packoffset(c16); }";
    let expected = "; struct ALayout {
;   float4 padding0[12];  // c0 to c11
;   S s2;                 // c12.x
;   float3 padding1;      // c12.yzw
;   int a2[2];            // c13/c14
;   float3 padding2;      // c14.yzw
;   float4 padding3;      // c15
;   float2x2 m2;          // c16/c17
; }";
    assert_eq!(registers(text), expected);
    let expected = "; struct ALayout {\n;   float a;  // c0.x\n;   float b;  // c0.y\n; }";
    assert_eq!(registers("cbuffer A { float a; float b; }"), expected);
}

/// Clang 22.1.8 has the same two bytes of padding: `<{ <4 x float>, i32, half, target("dx.Padding", 2), float }>`.
#[test]
fn sixteen_bit_members_leave_two_bytes() {
    let text = "cbuffer one { float4 a; bool b; half c; float d; }";
    let expected = "; struct oneLayout {
;   float4 a;       // c0
;   bool b;         // c1.x
;   half c;         // c1, bytes 4 to 5
;   half padding0;  // c1, bytes 6 to 7
;   float d;        // c1.z
; }";
    assert_eq!(registers(text), expected);
}

fn padded(text: &str, rules: &str) -> String {
    code(&print(&format!("{SIMPLE} {ARRAY_STRUCT} {text}"), rules, LlvmForm::Padded)).join("\n")
}

/// Clang 22.1.8, `-cc1 -triple dxil-pc-shadermodel6.3-compute -fnative-half-type
/// -fnative-int16-type -emit-llvm -disable-llvm-passes`: the type definitions that it prints, in
/// its order except for a struct inside another one.
#[test]
fn padding_stands_where_clang_puts_it() {
    for (text, expected) in [
        (
            "cbuffer array_cbuf1 { float x[4]; float y; }",
            "%__cblayout_array_cbuf1 = type <{ <{ [3 x <{ float, target(\"dx.Padding\", 12) }>], float }>, float }>",
        ),
        (
            "cbuffer array_cbuf2 { array_struct s; }",
            "%__cblayout_array_cbuf2 = type <{ %array_struct }>
%array_struct = type <{ <{ [3 x <{ float, target(\"dx.Padding\", 12) }>], float }>, float }>",
        ),
        (
            "cbuffer nested_cbuf { simple1 s1; simple2 s2; }",
            "%__cblayout_nested_cbuf = type <{ %simple1, target(\"dx.Padding\", 8), %simple2 }>
%simple1 = type <{ float, float }>
%simple2 = type <{ <3 x float>, float }>",
        ),
        (
            "cbuffer packoffset2 { float x : packoffset(c2.y); float y : packoffset(c1.x); }",
            "%__cblayout_packoffset2 = type <{ target(\"dx.Padding\", 16), float, target(\"dx.Padding\", 16), float }>",
        ),
        (
            "cbuffer CB { float a : packoffset(c2); float b : packoffset(c4); float2 c : packoffset(c2.z); }",
            "%__cblayout_CB = type <{ target(\"dx.Padding\", 32), float, target(\"dx.Padding\", 4), <2 x float>, \
             target(\"dx.Padding\", 16), float }>",
        ),
        (
            "cbuffer MyBuffer { float4 Element1 : packoffset(c0); float1 Element2 : packoffset(c12);
                float1 Element3 : packoffset(c1.y); }",
            "%__cblayout_MyBuffer = type <{ <4 x float>, target(\"dx.Padding\", 4), <1 x float>, \
             target(\"dx.Padding\", 168), <1 x float> }>",
        ),
        (
            "cbuffer one { float4 a; bool b; half c; float d; }",
            "%__cblayout_one = type <{ <4 x float>, i32, half, target(\"dx.Padding\", 2), float }>",
        ),
        (
            "cbuffer cross { float2 a; float3 b; float2 c; uint64_t d; float e; double2 f; }",
            "%__cblayout_cross = type <{ <2 x float>, target(\"dx.Padding\", 8), <3 x float>, target(\"dx.Padding\", 4), \
             <2 x float>, i64, float, target(\"dx.Padding\", 12), <2 x double> }>",
        ),
    ] {
        assert_eq!(padded(text, "hlsl-cbuffer"), expected);
    }
}

/// The same version and flags.
#[test]
fn arrays_bases_and_names_are_clangs() {
    for (text, expected) in [
        (
            "struct nested2 { simple1 s1; simple2 s2; };
             cbuffer arrs { double3 c2[2]; half c3[2][2]; nested2 nn[3]; int4 c5[2][3]; float last; }",
            "%__cblayout_arrs = type <{ <{ [1 x <{ <3 x double>, target(\"dx.Padding\", 8) }>], <3 x double> }>, \
             target(\"dx.Padding\", 8), <{ [1 x <{ <{ [1 x <{ half, target(\"dx.Padding\", 14) }>], half }>, \
             target(\"dx.Padding\", 14) }>], <{ [1 x <{ half, target(\"dx.Padding\", 14) }>], half }> }>, \
             target(\"dx.Padding\", 14), [3 x %nested2], [2 x [3 x <4 x i32>]], float }>
%nested2 = type <{ %simple1, target(\"dx.Padding\", 8), %simple2 }>
%simple1 = type <{ float, float }>
%simple2 = type <{ <3 x float>, float }>",
        ),
        (
            "namespace N { struct S { float q; }; } cbuffer ns { N::S s; float z; }",
            "%__cblayout_ns = type <{ %\"N::S\", float }>\n%\"N::S\" = type <{ float }>",
        ),
        (
            "struct Base { float3 b; }; struct Der : Base { float d; float e; }; cbuffer der { Der d; float after; }",
            "%__cblayout_der = type <{ %Der, float }>\n%Der = type <{ <3 x float>, float, float }>",
        ),
        (
            "struct E {}; struct WithEmpty { simple1 s; float f; E e; }; cbuffer we { WithEmpty w; }",
            "%__cblayout_we = type <{ %__cblayout_WithEmpty }>
%__cblayout_WithEmpty = type <{ %simple1, float }>
%simple1 = type <{ float, float }>",
        ),
        (
            "float a; float4 b : register(c3);",
            "%\"__cblayout_$Globals\" = type <{ target(\"dx.Padding\", 48), <4 x float>, float }>",
        ),
    ] {
        assert_eq!(padded(text, "hlsl-cbuffer"), expected);
    }
}

/// LLVM's own test of matrices in constant buffers, clang/test/CodeGenHLSL: `row_major float2x3`
/// and `column_major float2x3`. Clang 22.1.8 still has `[6 x float]` for both.
#[test]
fn matrices_are_arrays_of_vectors() {
    let vectors = |count, length, padding| {
        let vector = format!("<{length} x float>");
        format!("<{{ [{count} x <{{ {vector}, target(\"dx.Padding\", {padding}) }}>], {vector} }}>")
    };
    let expected = format!("%__cblayout_RM = type <{{ {} }}>", vectors(1, 3, 4));
    assert_eq!(padded("cbuffer RM { row_major float2x3 m; }", "hlsl-cbuffer"), expected);
    let expected = format!("%__cblayout_CM = type <{{ {} }}>", vectors(2, 2, 8));
    assert_eq!(padded("cbuffer CM { column_major float2x3 m; }", "hlsl-cbuffer"), expected);
}

/// A module may give its types any name.
#[test]
fn a_name_ends_no_comment() {
    let mut sources = SourceMap::default();
    let text = "struct P { float x; float3 y; }; StructuredBuffer<float> one; cbuffer C { P p; };";
    let end = u32::try_from(text.len()).unwrap();
    let span = Span { file: sources.add("test.hlsl", text), start: 0, end };
    let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    for form in [LlvmForm::Padded, LlvmForm::TargetLayout] {
        let blocks = module.blocks.iter().map(|block| {
            let layout = lay_out(block, find("hlsl-cbuffer").unwrap(), LayoutOptions::default());
            BlockLayout { name: format!("{}\nend \\\nnext", layout.name), ..layout }
        });
        let text = llvm_types(&blocks.collect::<Vec<_>>(), form);
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with([';', '%']) && !line.starts_with("target(");
        assert_eq!(text.lines().find(is_code), None, "{text}");
        assert!(text.contains("one / end \\ / next"), "{text}");
    }
}
