//! The blocks of a module: names, kinds, counts.

use layoutproof_layout::native::find_native;
use layoutproof_layout::resource::DataLayout;
use layoutproof_layout::shape::{Count, Type};
use layoutproof_layout::{Argument, Block, BlockKind, PointerPlace, ViewId};

use super::{DeclareOptions, read, read_with, structure};
use crate::module::{Module, ParameterKind};
use layoutproof_source::diagnostics::Code;
use layoutproof_source::shader_language::ShaderLanguage;

/// Formats each block as `name kind element count`.
fn blocks(module: &Module) -> Vec<String> {
    let count = |count: Count| match count {
        Count::Finite(1) => String::new(),
        Count::Finite(count) => format!(" x{count}"),
        Count::Unbounded => " unbounded".to_owned(),
    };
    module.blocks.iter().map(|b| format!("{} {} {}{}", b.name, b.kind, b.element, count(b.count))).collect()
}

#[test]
fn every_kind_of_block() {
    let module = read(
        "struct M { float4 x; }; struct P { float4 y; };
        cbuffer A : register(b1) { float a; Texture2D t; } cbuffer A { float b; }
        namespace N { cbuffer B { M m; } tbuffer T { float c; } }
        ConstantBuffer<M> cb[2][3]; TextureBuffer<float4> tb; StructuredBuffer<float3> sb;
        RWStructuredBuffer<M, Std430DataLayout> rw[]; AppendStructuredBuffer<M> ap;
        [[vk::push_constant]] P pc; [[vk::push_constant]] ConstantBuffer<P> pd;
        ByteAddressBuffer raw; Buffer<float4> typed; Texture2D<float4> tex;",
    );
    assert_eq!(
        blocks(&module),
        [
            "A cbuffer A",
            "A#2 cbuffer A",
            "N::B cbuffer N::B",
            "N::T tbuffer N::T",
            "cb constant-buffer M x6",
            "tb texture-buffer float4",
            "sb structured-element float3",
            "rw structured-element M unbounded",
            "ap structured-element M",
            "pc push-constant P",
            "pd push-constant P",
        ]
    );
    assert!(module.blocks[7].data_layout.is_some());
    assert_eq!(module.blocks[0].annotations.registers[0].index, Some(1));
}

#[test]
fn blocks_inside_structs_and_blocks() {
    let module = read(
        "struct I { float a; Texture2D t; };
        struct O { ParameterBlock<I> inner; ConstantBuffer<I> cb; float data; StructuredBuffer<int> list[2]; };
        struct D : O { float more; };
        ParameterBlock<O> p; D s[4];
        cbuffer C { float x; ConstantBuffer<I> nested; cbuffer Own { float y; } }",
    );
    assert_eq!(
        blocks(&module),
        [
            "p parameter-block O",
            "p.inner parameter-block I",
            "p.cb constant-buffer I",
            "p.list structured-element int x2",
            "$Globals globals $Globals",
            "s[].inner parameter-block I x4",
            "s[].cb constant-buffer I x4",
            "s[].list structured-element int x8",
            "Own cbuffer Own",
            "C cbuffer C",
            "C.nested constant-buffer I",
        ]
    );
}

/// DXC 1.7.2308 and Slang 2026.14.1 put every global into `$Globals` that is not a resource,
/// `static` or `groupshared`, including `const` ones.
#[test]
fn globals() {
    let module = read(
        "static float a; groupshared float b[64]; static const int n = 2;
        float c : register(c4); uniform float3 d = float3(1, 2, 3), e[n]; const float f; Texture2D t;
        struct Mixed { float g; Texture2D h; }; Mixed m; struct Pure { Texture2D i; }; Pure q;
        namespace N { float g; } float u[] = { 1, 2, 3 };",
    );
    let names: Vec<String> =
        structure(&module, "$Globals").members.iter().map(|m| format!("{} {}", m.ty, m.name)).collect();
    assert_eq!(names, ["float c", "float3 d", "float3[2] e", "float f", "Mixed m", "float N::g", "float[3] u"]);
    let kinds: Vec<ParameterKind> = module.parameters.iter().map(|parameter| parameter.kind).collect();
    let (global, variable) = (ParameterKind::Global, ParameterKind::Variable);
    assert_eq!(kinds, [global, global, global, global, variable, variable, variable, global, global]);
    assert_eq!(module.parameters[0].annotations.constant_register(), Some(4));
}

/// Slang 2026.14.1 treats compute parameters without a semantic as uniform (E38040), but those of a
/// vertex shader as varying.
#[test]
fn entry_points() {
    let source = "struct M { float4 x; }; struct V { float4 p : SV_Position; float2 uv : TEXCOORD; };
        [shader(\"compute\")] [numthreads(8, 4, 1)]
        void compute(uint3 id : SV_DispatchThreadID, uniform float a, ConstantBuffer<M> c, float b, uniform M* p) {}
        [shader(\"vertex\")] V vertex(V v, float3 n, uniform row_major float2x3 m) { return v; }
        float helper(float x) { return x; }";
    let module = read(source);
    assert_eq!(
        blocks(&module),
        [
            "$Entry.compute entry-uniforms $Entry.compute",
            "c constant-buffer M",
            "p pointee M",
            "$Entry.vertex entry-uniforms $Entry.vertex",
        ]
    );
    let members = |name: &str| -> Vec<String> {
        structure(&module, name).members.iter().map(|member| member.name.clone()).collect()
    };
    assert_eq!(members("$Entry.compute"), ["a", "b", "p"]);
    assert_eq!(members("$Entry.vertex"), ["m"]);
    assert_eq!(module.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [Code::ImplicitUniform]);
    let compute = &module.entry_points[0];
    assert_eq!(compute.parameters[0].annotations.semantic.as_deref(), Some("SV_DispatchThreadID"));
    let threads = compute.annotations.attribute(None, "numthreads").unwrap();
    assert_eq!(threads.arguments, [Argument::Integer(8), Argument::Integer(4), Argument::Integer(1)]);
    assert_eq!(module.entry_points[1].result.as_ref().map(ToString::to_string).as_deref(), Some("V"));
}

#[test]
fn parameters_keep_their_text() {
    let module = read(
        "#define OF(T) uniform T
        struct S { float a; }; [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(OF(float3)v[2], /* the id */ uint3 id:SV_DispatchThreadID, uniform vector<float,2>w=float2(1,-2), S s) {}",
    );
    let text: Vec<&str> = module.entry_points[0].parameters.iter().map(|parameter| parameter.text.as_str()).collect();
    let expected =
        ["uniform float3 v[2]", "uint3 id:SV_DispatchThreadID", "uniform vector<float,2>w=float2(1,-2)", "S s"];
    assert_eq!(text, expected);
    assert_eq!(module.entry_points[0].uniform_parameters(), [expected[0], expected[2], expected[3]].join(", "));
}

#[test]
fn the_entry_point_that_is_asked_for() {
    let source = "void main() {} void other(uniform float a) {}";
    assert_eq!(read(source).entry_points[0].name, "main");
    let options = |entry: &str| DeclareOptions { entry: Some(entry.into()), ..DeclareOptions::default() };
    let (_, module) = read_with(source, &options("other"));
    assert_eq!(blocks(&module.unwrap()), ["$Entry.other entry-uniforms $Entry.other"]);
    let (_, missing) = read_with(source, &options("none"));
    assert_eq!(missing.unwrap_err()[0].code, Code::UnknownPath);
}

#[test]
fn pointees() {
    let module = read("struct Node { Node* next; float v; }; Node* list; float4** deep; namespace N { Node* a[2]; }");
    assert_eq!(
        blocks(&module),
        ["$Globals globals $Globals", "list pointee Node", "deep pointee float4*", "N::a pointee Node x2"]
    );
}

#[test]
fn places_are_places_in_the_file() {
    let text = "declare = \"\"\"\ncbuffer S { float a; };\n\"\"\"\n";
    let mut sources = layoutproof_source::sources::SourceMap::default();
    let file = sources.add("case.toml", text);
    let start = u32::try_from(text.find("cbuffer").unwrap()).unwrap();
    let span = layoutproof_layout::Span { file, start, end: start + 23 };
    let module = crate::declare(&mut sources, span, &DeclareOptions::default()).unwrap();
    let position = sources.position(structure(&module, "S").members[0].span);
    assert_eq!((position.line, position.column), (2, 19));
}

/// DXC 1.7.2308 (`-T cs_6_6`): `pc` is at offset 16 of `$Globals`, `h` at 48. Slang 2026.14.1: `h`
/// is at offset 16 of its `$Globals`, which does not contain `pc`.
#[test]
fn push_constants_among_globals() {
    let declared = "struct P { float4 a; float b; }; float4 g; [[vk::push_constant]] P pc; float h;";
    let (_, module) = read_with(declared, &DeclareOptions::default());
    let module = module.expect("a warning is no error");
    assert_eq!(blocks(&module), ["$Globals globals $Globals", "$Globals#2 globals $Globals", "pc push-constant P"]);
    assert_eq!(member_names(&module.blocks[0]), ["g", "pc", "h"]);
    assert_eq!(member_names(&module.blocks[1]), ["g", "h"]);
    assert_eq!(makers(&module.blocks[0]), ["native:dxc-dxil", "native:dxc-spirv"]);
    assert_eq!(makers(&module.blocks[1]), ["native:slang-vulkan"]);
    assert_eq!(makers(&module.blocks[2]), ["native:dxc-spirv", "native:slang-vulkan"]);
    let messages: Vec<&str> = module.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(messages, ["DXC reads `pc` from $Globals on D3D12 because there are other globals"]);
    assert_eq!(
        blocks(&read("struct P { float4 a; }; [[vk::push_constant]] P pc; cbuffer C { float c; }"))[0],
        "pc push-constant P"
    );
}

/// DXC 1.7.2308 (`-T cs_6_6 -spirv`) makes no push constant; `pc` is in `$Globals`.
#[test]
fn a_push_constant_before_all_other_globals() {
    let declared = "struct P { float4 a; float b; }; [[vk::push_constant]] P pc; float4 g; float h;";
    let module = read_with(declared, &DeclareOptions::default()).1.expect("a warning is no error");
    assert_eq!(blocks(&module), ["$Globals globals $Globals", "$Globals#2 globals $Globals", "pc push-constant P"]);
    assert_eq!(makers(&module.blocks[2]), ["native:slang-vulkan"]);
}

/// slangc 2026.14.1 puts `g` at offset 0 and `h` at 16, in HLSL, SPIR-V, WGSL and Metal.
#[test]
fn slang_has_no_push_constants_among_globals() {
    let declared = "struct P { float4 a; float b; }; float4 g; [[vk::push_constant]] P pc; float h;";
    let options = DeclareOptions { language: Some(ShaderLanguage::Slang), ..DeclareOptions::default() };
    let module = read_with(declared, &options).1.expect("it is read");
    assert_eq!(blocks(&module), ["$Globals globals $Globals", "pc push-constant P"]);
    assert_eq!(member_names(&module.blocks[0]), ["g", "h"]);
    assert!(module.warnings.is_empty(), "{:?}", module.warnings);
}

fn member_names(block: &Block) -> Vec<&str> {
    let Type::Struct(structure) = &block.element else { panic!("{block:?}") };
    structure.members.iter().map(|member| member.name.as_str()).collect()
}

/// Returns those of these compilers that have the block.
fn makers(block: &Block) -> Vec<&'static str> {
    let natives = ["native:dxc-dxil", "native:dxc-spirv", "native:slang-vulkan"].map(|name| find_native(name).unwrap());
    natives.into_iter().filter(|native| native.rules(block).is_some()).map(|native| native.name).collect()
}

#[test]
fn shader_records() {
    let records =
        "struct S { float a; }; [[vk::shader_record]] ConstantBuffer<S> a; layout(shaderRecordEXT) ConstantBuffer<S> b;
        [[vk::shader_record_ext]] ConstantBuffer<S> c; [[vk::shader_record_nv]] cbuffer d { float x; }";
    assert_eq!(
        blocks(&read(records)),
        ["a shader-record S", "b shader-record S", "c shader-record S", "d shader-record d"]
    );
}

/// Slang 2026.14.1 needs no `;` after a struct.
#[test]
fn an_attribute_behind_a_struct_is_one_of_the_next_declaration() {
    let module = read("struct S { float4 a; } [shader(\"compute\")] [numthreads(2, 1, 1)] void main() {}");
    let [entry] = module.entry_points.as_slice() else { panic!("{:?}", module.entry_points) };
    assert_eq!(entry.annotations.attributes.len(), 2);
    let module = read("struct S { float4 a; } [[vk::binding(3)]] Texture2D t;");
    assert_eq!(module.parameters[0].annotations.attributes.len(), 1);
}

/// DXC since release 1.8.2505: the pointee follows the rules of storage buffers (`LowerTypeVisitor.cpp`).
#[test]
fn pointers_of_dxc_have_pointees() {
    let source = "struct Leaf { float4 a; }; struct Node { float3 centre; vk::BufferPointer<Node> next;
        vk::BufferPointer<Leaf, 16> leaf; }; typedef vk::BufferPointer<Node, 16> NodePtr;
        struct Push { uint count; NodePtr nodes; }; [[vk::push_constant]] Push push;";
    let module = read(source);
    let names: Vec<_> = module.blocks.iter().map(|block| (block.name.as_str(), block.kind)).collect();
    let pointees = [("push.nodes", BlockKind::Pointee), ("push.nodes.leaf", BlockKind::Pointee)];
    assert_eq!(names, [&[("push", BlockKind::PushConstant)], pointees.as_slice()].concat());
    assert!(module.warnings.iter().all(|warning| warning.message.contains("1.8.2505")), "{:?}", module.warnings);
    let alignments: Vec<_> = module.blocks.iter().map(|block| block.pointer().and_then(|it| it.alignment)).collect();
    assert_eq!(alignments, [None, Some(16), Some(16)]);
}

#[test]
fn pointees_have_the_place_of_their_pointer() {
    let source = "struct Leaf { float a; }; struct Inner { vk::BufferPointer<Leaf> leaves[2]; };
        struct Node { vk::BufferPointer<Node> next; Inner inner; }; struct Push { vk::BufferPointer<Node> first; };
        [[vk::push_constant]] Push push;";
    let module = read(source);
    let place = |block: &Block| block.pointer().map(|pointer| pointer.place.clone());
    let pointers: Vec<_> = module.blocks.iter().map(|block| (block.name.as_str(), place(block))).collect();
    let member = |holder, path: &[&str]| {
        let path = path.iter().map(|name| (*name).to_owned()).collect();
        Some(PointerPlace::Member { holder: ViewId(holder), path })
    };
    let leaves = ("push.first.inner.leaves[]", member(1, &["inner", "leaves"]));
    assert_eq!(pointers, [("push", None), ("push.first", member(0, &["first"])), leaves]);

    let source =
        "struct S { float a; }; S* one; [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform S* two) {}";
    let module = read(source);
    let pointees = module.blocks.iter().filter(|block| block.kind == BlockKind::Pointee);
    let pointers: Vec<_> = pointees.map(|block| (block.entry_point, place(block))).collect();
    let parameter = |name: &str| Some(PointerPlace::Parameter { name: name.to_owned() });
    assert_eq!(pointers, [(None, parameter("one")), (Some(0), parameter("two"))]);
}

#[test]
fn pointees_have_the_data_layout_of_the_pointer() {
    let source = "struct S { float3 a; }; Ptr<S, Access.Read, AddressSpace.Device, Std430DataLayout> a; S* b;
        LayoutPtr<S, CDataLayout> c;";
    let module = read(source);
    let layouts: Vec<_> = module.blocks.iter().skip(1).map(|block| block.data_layout).collect();
    assert_eq!(layouts, [Some(DataLayout::Std430DataLayout), None, Some(DataLayout::CDataLayout)]);
}

/// slangc 2026.14.1 refuses `(*p).a = 1` through a pointer with another access than `ReadWrite`.
#[test]
fn pointees_have_the_access_of_the_pointer() {
    let source =
        "struct S { float3 a; }; Ptr<S, Access.Read> a; Ptr<S, Access.Immutable> b; Ptr<S, Access.ReadWrite> c;
        S* d; ImmutablePtr<S, AddressSpace.Device, CDataLayout> e;";
    let module = read(source);
    let blocks = || module.blocks.iter().skip(1);
    let are_read_only: Vec<_> = blocks().map(|block| block.pointer().unwrap().is_read_only).collect();
    assert_eq!(are_read_only, [true, true, false, false, true]);
    assert_eq!(blocks().last().unwrap().data_layout, Some(DataLayout::CDataLayout));
}
