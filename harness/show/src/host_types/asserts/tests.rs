use layoutproof_layout::{BlockLayout, LayoutOptions, Span, find, lay_out, table};

use super::host::{HostStruct, HostType};
use super::names::ReservedWords;
use super::{HostLanguage, HostOptions, HostVector, asserts, flatten, typed_views};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

fn module(text: &str) -> Module {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).unwrap();
    let span = Span { file: sources.add("test.hlsl", text), start: 0, end };
    declare(&mut sources, span, &DeclareOptions::default()).unwrap()
}

fn blocks(text: &str, rules: &str) -> Vec<BlockLayout> {
    let rules = find(rules).unwrap();
    module(text).blocks.iter().map(|block| lay_out(block, rules, LayoutOptions::default())).collect()
}

fn rust(text: &str, rules: &str) -> String {
    asserts("test.hlsl", &blocks(text, rules), HostLanguage::Rust, HostOptions::new(ShaderLanguage::Hlsl))
}

/// Checks that the text contains each fragment.
fn contains(text: &str, fragments: &[&str]) {
    for fragment in fragments {
        assert!(text.contains(fragment), "no `{fragment}` in\n{text}");
    }
}

/// The type of the number that starts at this byte of a struct; `None` inside a number.
fn number_at(structs: &[HostStruct], index: usize, offset: u32) -> Option<HostType> {
    let fields = &structs[index].fields;
    let field = fields.iter().find(|field| (field.offset..field.offset + field.size).contains(&offset))?;
    let elements: u32 = field.dimensions.iter().product();
    let size = field.size / elements;
    let inside = (offset - field.offset) % size;
    match field.ty {
        HostType::Struct(index) => number_at(structs, index, inside),
        HostType::Float | HostType::Double | HostType::Signed(_) | HostType::Unsigned(_) => {
            (inside == 0).then_some(field.ty)
        }
        HostType::Vector { .. } => None,
    }
}

// Under `dx-cbuffer` a member after a double matrix overlaps it, so the matrix comes last.
const DECLARATIONS: &[&str] = &[
    "cbuffer S { float3 a; float b[2]; float c; float2 d; };",
    "struct P { double d; float f; }; struct Q { P p[2]; half h; }; cbuffer S { P p; float b; Q q[3]; bool e; };",
    "cbuffer S { float m[2][3]; float3x3 n[2][2]; float x; row_major float2x3 o; float y; half3x3 z; half w; };",
    "struct B { float3 a; }; struct D : B { float b; }; StructuredBuffer<D> s; StructuredBuffer<float3> v;",
    "struct E { }; struct L { float3 p; E e; int16_t r; }; cbuffer S { L l[1]; float a; uint64_t u; double3x2 m; };",
];

// Under every rule set, every leaf of every block is a number of its type in the host struct, and
// fields cover every byte.
#[test]
fn every_leaf_is_a_number_of_the_host_struct() {
    let mut leaves = 0;
    let modules = DECLARATIONS.iter().map(|text| module(text));
    let laid_out = modules.flat_map(|module| {
        let under = |rules| module.blocks.iter().map(|block| lay_out(block, rules, LayoutOptions::default())).collect();
        table().iter().map(under).collect::<Vec<Vec<BlockLayout>>>()
    });
    for block in laid_out.flatten().filter(|block| block.result.is_ok()) {
        let structs = flatten::structs(
            std::slice::from_ref(&block),
            ShaderLanguage::Hlsl,
            ReservedWords::of(HostLanguage::Rust),
            &[],
        );
        for host in &structs {
            let ends = host.fields.iter().map(|field| field.offset + field.size);
            let starts = host.fields.iter().map(|field| field.offset).skip(1).chain([host.size]);
            assert!(ends.eq(starts), "{} {host:?}", block.rules);
        }
        for leaf in block.leaves() {
            let found = number_at(&structs, structs.len() - 1, leaf.offset);
            assert_eq!(found, Some(HostType::of(leaf.component)), "{} {}", block.rules, leaf.path);
            leaves += 1;
        }
    }
    assert!(leaves > 1000, "{leaves}");
}

// OpenGL 4.6, 7.6.2.2, rule 4: array strides of 16 bytes under std140 and of 4 under std430.
#[test]
fn a_struct_under_two_layouts_gets_two_names() {
    let text = "struct L { float a[2]; }; ConstantBuffer<L> c; StructuredBuffer<L> s;";
    let mut both = blocks(text, "std140");
    both[1] = blocks(text, "std430").remove(1);
    let text = asserts("test.hlsl", &both, HostLanguage::Cpp, HostOptions::new(ShaderLanguage::Hlsl));
    contains(
        &text,
        &[
            "struct L_cbuffer {\n    float a[2][4];",
            "struct L_structured {\n    float a[2];",
            "sizeof(L_cbuffer) == 32",
        ],
    );
    contains(&text, &["sizeof(L_structured) == 8"]);
    let same = asserts(
        "test.hlsl",
        &[both.remove(0), blocks("struct L { float a[2]; }; ConstantBuffer<L> d;", "std140").remove(0)],
        HostLanguage::Cpp,
        HostOptions::new(ShaderLanguage::Hlsl),
    );
    contains(
        &same,
        &["// constant-buffer c under std140: 32 bytes\n// constant-buffer d under std140: 32 bytes\nstruct L {"],
    );
}

// Slang user guide, Parameter Layout Rules: bit-fields share a unit from the least significant bit on.
#[test]
fn bit_fields_become_their_unit() {
    let text = rust("struct F { uint a : 3; uint b : 7; float c; }; StructuredBuffer<F> s;", "scalar@slang");
    contains(&text, &["pub a_bits: u32, // a: bits 0 to 2, b: bits 3 to 9", "offset_of!(F, c) == 4"]);
}

// wg-hlsl INF-0003, packoffset: `a` and `b` share the first register here.
#[test]
fn what_no_struct_has_is_said() {
    let text = "cbuffer S { float4 a : packoffset(c0); float2 b : packoffset(c0.z); float c : packoffset(c1); };";
    let text = rust(text, "hlsl-cbuffer");
    contains(
        &text,
        &["// `b` at byte 8 shares bytes with another field, so it has no field here", "offset_of!(S, c) == 16"],
    );
    assert!(!text.contains("pub b"), "{text}");
}

// The buffer decides the number of elements, so only the part before them becomes a struct.
#[test]
fn an_array_without_end_has_no_field() {
    let text = rust("struct L { float3 p; }; cbuffer S { float a; L tail[]; };", "std430");
    contains(&text, &["// `tail` (L[]) starts at byte 16, stride 16: it is runtime-sized, so it has no field"]);
    contains(&text, &["size_of::<S>() == 16", "size_of::<L>() == 16"]);
}

// The buffer's element and the last element of the array have one layout, so it is named after what a
// program uploads. In the array of the
// constant buffer, elements are 32 bytes apart and the last has 20 (DXC 1.7.2308, listing: `ls` at
// 0, `t` at 84; stride of `all` 20).
#[test]
fn layouts_of_one_struct_are_named_by_their_use() {
    let text = "struct L { float3 p; float q; float r; }; cbuffer S { L ls[3]; float t; }; StructuredBuffer<L> all;";
    let rules = |kind: &str| blocks(text, kind);
    let both = [rules("hlsl-cbuffer").remove(0), rules("hlsl-structured").remove(1)];
    let text = asserts("test.hlsl", &both, HostLanguage::Cpp, HostOptions::new(ShaderLanguage::Hlsl));
    contains(
        &text,
        &[
            "struct L_cbuffer {",
            "sizeof(L_cbuffer) == 32",
            "sizeof(L_structured) == 20",
            "L_cbuffer ls[2];",
            "L_structured ls_last;",
        ],
    );
}

// DXC 1.7.2308: `b` at 84, after the last element of the last array; `c` at 120, after the last column.
#[test]
fn fields_say_which_elements_they_hold() {
    let text = rust("cbuffer S { float a[2][3]; float b; float2x2 m; float c; };", "hlsl-cbuffer");
    contains(
        &text,
        &[
            "pub a: [[[f32; 4]; 3]; 1], // float[2][3], stride 48, stride 16: a[0]\n",
            "pub a_last: [[f32; 4]; 2], // float[2][3], stride 48, stride 16: a[1][0] to a[1][1]\n",
            "pub a_end: f32, // float[2][3], stride 48, stride 16: a[1][2]\n",
            "pub m: [[f32; 4]; 1], // float2x2, column stride 16: column 0 of m\n",
            "pub m_last: [f32; 2], // float2x2, column stride 16: column 1 of m\n",
        ],
    );
}

// The words of GLSL for the same layout.
#[test]
fn comments_are_in_the_words_of_the_shader() {
    let text = "cbuffer S { float4x3 m; uint3 n[2]; };";
    let text = asserts("a.vert", &blocks(text, "std140"), HostLanguage::Rust, HostOptions::new(ShaderLanguage::Glsl));
    contains(&text, &["// mat3x4, column stride 16", "// uvec3[2], stride 16"]);
}

// A block of elements without a header: the program needs only the element's struct.
#[test]
fn a_block_of_elements_is_their_struct() {
    let text = rust("struct L { float3 p; }; cbuffer S { L tail[]; };", "std430");
    contains(&text, &["// element of cbuffer S under std430: stride 16\n#[repr(C)]", "size_of::<L>() == 16"]);
    assert!(!text.contains("struct S"), "{text}");
}

// std430: `float3` elements are 16 bytes apart, `float` elements 4.
#[test]
fn padded_elements_of_an_array_without_end_are_a_struct() {
    let text = rust("cbuffer S { float3 tail[]; };", "std430");
    contains(
        &text,
        &["// element of cbuffer S under std430: stride 16", "pub value: [f32; 3]", "size_of::<S>() == 16"],
    );
    let text = rust("cbuffer S { float a; float3 tail[]; };", "std430");
    contains(
        &text,
        &["size_of::<S>() == 16", "// one element float3 with the padding after it", "size_of::<float3>() == 16"],
    );
    assert!(!rust("cbuffer S { float a; float tail[]; };", "std430").contains("one element"));
    let views =
        typed_views("test.hlsl", &blocks("cbuffer S { float a; float3 tail[]; };", "std430"), ShaderLanguage::Hlsl);
    contains(&views, &["S.size = 16;\nS.elements = { offset: 16, stride: 16 };", "float3.size = 16;"]);
}

#[test]
fn foreign_text_stays_in_its_comment() {
    let mut block = blocks("cbuffer S { float a; };", "std140").remove(0);
    block.name = "S\\\nint hidden;\u{1b}[31m".into();
    let text = asserts("a\nb\\", &[block], HostLanguage::Cpp, HostOptions::new(ShaderLanguage::Hlsl));
    contains(&text, &["from a / b/. ", "// cbuffer S/ / int hidden;/u{1b}[31m under std140: 16 bytes\n"]);
}

// A member may have the name of its type; C++ then needs `struct` in front of the type.
#[test]
fn a_member_with_the_name_of_its_type() {
    let text = "struct M { float4 v; }; cbuffer S { M M; };";
    let text = asserts("test.hlsl", &blocks(text, "std140"), HostLanguage::Cpp, HostOptions::new(ShaderLanguage::Hlsl));
    contains(&text, &["    struct M M; // M\n"]);
}

// DXC 1.7.2308, listing: `p` at 0, `w` at 16 with a stride of 16 bytes, `t` at 44, `m` at 48, `n` at 112.
#[test]
fn vectors_without_padding_take_the_types_of_the_user() {
    let text = "cbuffer S { float3 p; float3 w[2]; float t; float4x4 m; float3x3 n; };";
    let types = ["float3=glm::vec3", "float4x4=glm::mat4", "float3x3=glm::mat3"];
    let vectors = types.map(|text| HostVector::parse(text).unwrap());
    let options = HostOptions { vectors: &vectors, ..HostOptions::new(ShaderLanguage::Hlsl) };
    let text = asserts("test.hlsl", &blocks(text, "hlsl-cbuffer"), HostLanguage::Cpp, options);
    contains(&text, &["glm::vec3 p;", "float w[1][4];", "glm::vec3 w_last;", "glm::mat4 m;", "float n[2][4];"]);
    contains(&text, &["static_assert(sizeof(glm::vec3) == 12, \"glm::vec3 has the 12 bytes of float3\");"]);
    assert!(!text.contains("mat3"), "{text}");
    for (text, words) in [("float3", "write TYPE=NAME"), ("flaot3=a", "`flaot3` is no number")] {
        assert!(HostVector::parse(text).unwrap_err().to_string().contains(words), "{text}");
    }
}
