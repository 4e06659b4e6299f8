//! Memory that bodies reach without a declared block.

use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{BlockKind, LayoutOptions, Reach, lay_out};
use layoutproof_preprocess::DeclareOptions;
use layoutproof_source::shader_language::ShaderLanguage;

use super::read_with;
use crate::module::Module;

/// Types of which every member has another offset under most rule sets.
const TYPES: &str = "struct Tint { float scale; float weights[3]; float3 colour; float last; };
struct Item { float3 place; float size; };
RWStructuredBuffer<float> result;
ByteAddressBuffer bytes; RWByteAddressBuffer words;
";

fn read(language: ShaderLanguage, source: &str) -> Module {
    let options = DeclareOptions { views: true, language: Some(language), ..DeclareOptions::default() };
    let (sources, result) = read_with(source, &options);
    result.unwrap_or_else(|problems| panic!("{}", layoutproof_render::render(&problems, &sources, false)))
}

/// The blocks that no parameter declares, as `name: type, reach`, and the types of views without a block.
fn views(language: ShaderLanguage, body: &str) -> (Vec<String>, Vec<String>) {
    let module = read(language, &format!("{TYPES}{body}"));
    let of_views = module.blocks.iter().filter_map(|block| {
        let reach = block.reach.word()?;
        Some(format!("{}: {} {}, {reach}", block.name, block.kind, block.element))
    });
    (of_views.collect(), module.views.iter().map(|view| view.name.clone()).collect())
}

#[track_caller]
fn found(language: ShaderLanguage, body: &str, blocks: &[&str], open: &[&str]) {
    let (found, left) = views(language, body);
    assert_eq!(found, blocks, "{body}");
    assert_eq!(left, open, "{body}");
}

const MAIN: &str = "[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) ";

#[test]
fn buffers_of_the_heap() {
    let heap = |body: &str, blocks: &[&str]| found(ShaderLanguage::Hlsl, &format!("{MAIN}{{ {body} }}"), blocks, &[]);
    heap(
        "ConstantBuffer<Tint> tint = ResourceDescriptorHeap[0]; StructuredBuffer<Item> items; items = ResourceDescriptorHeap[1];",
        &["tint: constant-buffer Tint, descriptor-heap", "items: structured-element Item, descriptor-heap"],
    );
    // The same buffer in two functions is one block; another type of the same name is another one.
    heap(
        "{ ConstantBuffer<Tint> a = ResourceDescriptorHeap[0]; } { ConstantBuffer<Tint> a = ResourceDescriptorHeap[2]; }
         { StructuredBuffer<Tint> a = ResourceDescriptorHeap[NonUniformResourceIndex(id.x)]; }",
        &["a: constant-buffer Tint, descriptor-heap", "a#2: structured-element Tint, descriptor-heap"],
    );
    heap(
        "result[0] = ((StructuredBuffer<Item>)ResourceDescriptorHeap[id.x])[0].size;",
        &["Item: structured-element Item, descriptor-heap"],
    );
    // Assigned to members, elements and in branches.
    let frame = "struct Frame { StructuredBuffer<Item> items; ConstantBuffer<Tint> tints[2]; };";
    let body = "Frame frame; frame.items = ResourceDescriptorHeap[1]; frame.tints[id.x & 1] = ResourceDescriptorHeap[2];
        StructuredBuffer<Tint> either; if (id.x > 1) either = ResourceDescriptorHeap[3]; else either = ResourceDescriptorHeap[4];";
    found(
        ShaderLanguage::Hlsl,
        &format!("{frame}{MAIN}{{ {body} }}"),
        &[
            "items: structured-element Item, descriptor-heap",
            "Tint: constant-buffer Tint, descriptor-heap",
            "either: structured-element Tint, descriptor-heap",
        ],
        &[],
    );
    // Numbers are elements as in a declared buffer; a texture has no layout of its own.
    heap(
        "Texture2D t = ResourceDescriptorHeap[0]; RWStructuredBuffer<uint> r = ResourceDescriptorHeap[1]; ByteAddressBuffer b = ResourceDescriptorHeap[2];",
        &["r: structured-element uint, descriptor-heap"],
    );
}

/// A function template has the types of its calls. Without a call, nothing says what `T` is.
#[test]
fn types_of_templates() {
    let get =
        "template<typename T> T get(uint i) { ConstantBuffer<T> found = ResourceDescriptorHeap[i]; return found; }\n";
    let load = "template<typename T> T at(uint i) { return bytes.Load<T>(i * 64); }\n";
    let main = format!("{MAIN}{{ result[0] = get<Tint>(0).last + get<Item>(1).size; }}");
    let expected = ["found: constant-buffer Tint, descriptor-heap", "found#2: constant-buffer Item, descriptor-heap"];
    found(ShaderLanguage::Hlsl, &format!("{get}{load}{main}"), &expected, &["T"]);

    // The methods of a handle, one of which calls the other.
    let handle = "template<typename B> struct Handle { uint index;
            B get() { B buffer = ResourceDescriptorHeap[index]; return buffer; }
            template<typename T> T load(uint at) { return get().template Load<T>(at); }
            template<typename T> T element(uint i) { return load<T>(i * sizeof(T)); } };
        struct BytesHandle : Handle<ByteAddressBuffer> { using Handle<ByteAddressBuffer>::get; };
        struct Mesh { BytesHandle data; }; StructuredBuffer<Mesh> meshes;\n";
    let main = format!("{MAIN}{{ Mesh mesh = meshes[0]; result[0] = mesh.data.element<Item>(id.x).size; }}");
    let expected = ["Item: structured-element Item, raw-access"];
    found(ShaderLanguage::Hlsl, &format!("{handle}{main}"), &expected, &[]);
}

/// Names of types that are no resources, with those of the calls and of the structs' arguments.
#[test]
fn templates_of_resources() {
    let expected = [
        "Item: structured-element Item, descriptor-heap",
        "Tint: constant-buffer Tint, descriptor-heap",
        "float: structured-element float, descriptor-heap",
    ];
    for get in [
        "T operator[](uint i) { return (T)ResourceDescriptorHeap[i]; }",
        "T operator[](uint i) { return ResourceDescriptorHeap[i]; }",
        "T operator[](uint i) { T found = ResourceDescriptorHeap[i]; return found; }",
    ] {
        let source = format!(
            "template<typename T> struct Bindless {{ {get} }};
            static const Bindless<StructuredBuffer<Item>> items; static const Bindless<ConstantBuffer<Tint>> tints;
            static const Bindless<Texture2D<float4>> textures; static const Bindless<StructuredBuffer<float>> numbers;
            {MAIN}{{ result[0] = items[1][2].size + tints[3].last + textures[1].Load(0).x + numbers[4][0]; }}"
        );
        let (found, left) = views(ShaderLanguage::Hlsl, &source);
        let named =
            |view: &String| view.replace("found#3", "float").replace("found#2", "Tint").replace("found", "Item");
        let found: Vec<String> = found.iter().map(named).collect();
        assert_eq!((found, left), (expected.map(str::to_owned).to_vec(), Vec::new()), "{get}");
    }
    let unused = "template<typename T> T get(uint i) { return (T)ResourceDescriptorHeap[i]; }";
    found(ShaderLanguage::Hlsl, unused, &[], &["ResourceDescriptorHeap"]);
}

/// `Load<Item>(16)` and `Store<Item>(offset, ...)` are one view, which is at a constant address if one of them is.
#[test]
fn addresses_of_raw_accesses_are_constant_or_not() {
    for (address, expected) in [
        ("16", true),
        ("3 * sizeof(Item) + 4", true),
        ("first", true),
        ("id.x * sizeof(Item)", false),
        ("other", false),
    ] {
        let body = format!("uint other = id.x; bytes.Load<Item>(id.y); bytes.Load<Item>({address});");
        let source = format!("{TYPES}static const uint first = 12;\n{MAIN}{{ {body} }}");
        let module = read(ShaderLanguage::Hlsl, &source);
        let reaches: Vec<&Reach> =
            module.blocks.iter().map(|block| &block.reach).filter(|it| it.is_in_code()).collect();
        assert_eq!(reaches, [&Reach::RawAccess { at_constant: expected }], "{address}");
    }
}

#[test]
fn typed_loads_of_bytes() {
    let body =
        "words.Store<Item>(0, bytes.Load<Item>(16)); result[0] = bytes.Load<Tint>(id.x).last + bytes.Load<float>(4);
                vk::RawBufferStore<Tint>(0, bytes.Load<Tint>(0));";
    let expected = [
        "Item: structured-element Item, raw-access",
        "Tint: structured-element Tint, raw-access",
        "Tint#2: pointee Tint, pointer",
    ];
    found(ShaderLanguage::Hlsl, &format!("{MAIN}{{ {body} }}"), &expected, &[]);
    // Arrays have strides, vectors nothing to lay out. DXC loads a matrix by rows and stores it by columns.
    let body = "float3 v[2] = bytes.Load<float3[2]>(0); words.Store<float3>(0, v[1]);
                words.Store<float2x3>(0, bytes.Load<float2x3>(16));";
    let expected = ["float3[2]: structured-element float3[2], raw-access"];
    found(ShaderLanguage::Hlsl, &format!("{MAIN}{{ {body} }}"), &expected, &["float2x3", "float2x3"]);
}

/// A stage's data is of the types of its parameters, or of the variable that a call passes.
#[test]
fn data_of_stages() {
    let source = "struct Pay { float3 c; float t; }; struct Attributes { float2 b; }; struct Call { uint a; }; struct Rec { uint n; };
        RaytracingAccelerationStructure scene;
        [shader(\"closesthit\")] void hit(inout Pay p, in Attributes a) {}
        [shader(\"miss\")] void miss(inout Pay p) {}
        [shader(\"anyhit\")] void any(inout Pay p, in BuiltInTriangleIntersectionAttributes a) {}
        [shader(\"raygeneration\")] void rays() { Pay p; RayDesc r; TraceRay(scene, 0, 255, 0, 1, 0, r, p); Call c; CallShader(0, c); }
        [shader(\"node\")] [NodeLaunch(\"thread\")] void node(ThreadNodeInputRecord<Rec> input) {}";
    let expected = [
        "Pay: stage-data Pay, ray-payload",
        "Attributes: stage-data Attributes, hit-attributes",
        "Call: stage-data Call, callable-data",
        "Rec: stage-data Rec, node-record",
    ];
    found(ShaderLanguage::Hlsl, source, &expected, &[]);

    // Numbers, aliases, members, and functions of the program with such a name.
    let source = "struct Pay { float3 c; float t; }; typedef Pay Alias; struct State { Pay pay; };
        RaytracingAccelerationStructure scene;
        void TraceRay(uint kind, inout uint seen) { seen += kind; }
        [shader(\"callable\")] void call(inout float3 colour) { colour = 1; }
        [shader(\"raygeneration\")] void rays() {
            uint seen; TraceRay(1, seen); RayDesc r; float3 colour; CallShader(0, colour);
            Alias alias; TraceRay(scene, 0, 255, 0, 1, 0, r, alias); State s; TraceRay(scene, 0, 255, 0, 1, 0, r, s.pay);
        }
        [shader(\"intersection\")] void box() { ReportHit(1, 0, (Hit)0); ReportHit(1, 0, 0); } struct Hit { float2 at; };";
    let expected = [
        "colour: stage-data float3, callable-data",
        "Pay: stage-data Pay, ray-payload",
        "Hit: stage-data Hit, hit-attributes",
    ];
    found(ShaderLanguage::Slang, source, &expected, &["pay", "ReportHit"]);
}

/// Structs in workgroup memory, also behind modifiers and in arrays; other variables have no members to lay out.
#[test]
fn structs_of_workgroups() {
    let source = "groupshared Tint a; groupshared Item b[4][2], c; static groupshared Item d[2];
        groupshared float plain[64]; groupshared row_major float3x4 m;
        template<typename T> struct Pair { T one, two; }; groupshared Pair<float> e;";
    let expected = [
        "a: workgroup Tint, workgroup-memory",
        "b: workgroup Item, workgroup-memory",
        "c: workgroup Item, workgroup-memory",
        "d: workgroup Item, workgroup-memory",
        "e: workgroup Pair<float>, workgroup-memory",
    ];
    found(ShaderLanguage::Hlsl, source, &expected, &[]);
    let module = read(ShaderLanguage::Hlsl, &format!("{TYPES}{source}"));
    let counts =
        module.blocks.iter().filter(|block| block.kind == BlockKind::Workgroup).map(|block| block.count.to_string());
    assert_eq!(counts.collect::<Vec<_>>(), ["1", "8", "1", "2", "1"]);
    for name in ["native:dxc-dxil", "native:dxc-spirv", "native:slang-vulkan"] {
        let native = find_native(name).unwrap();
        assert!(module.blocks.iter().all(|block| block.kind != BlockKind::Workgroup || native.rules(block).is_none()));
    }
}

#[test]
fn handles_and_pointees_of_slang() {
    let source = "struct Inner { float3 dir; float k; }; struct Node { Inner* inner; Node* next; };
        struct Push { DescriptorHandle<ConstantBuffer<Tint>> tint; StructuredBuffer<Item>.Handle items; Node* nodes;
            DescriptorHandle<RWStructuredBuffer<uint>> counts; };
        [vk::push_constant] ConstantBuffer<Push> push;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}";
    let expected = [
        "push.nodes: pointee Node, pointer",
        "push.nodes.inner: pointee Inner, pointer",
        "Tint: constant-buffer Tint, descriptor-heap",
        "Item: structured-element Item, descriptor-heap",
        "uint: structured-element uint, descriptor-heap",
    ];
    found(ShaderLanguage::Slang, source, &expected, &[]);

    // The type of a pointer is no other access to what it points to.
    let layouts = "struct Node { float3 a; float b; };
        cbuffer C { LayoutPtr<Node, Std430DataLayout> d; Ptr<Node, Access::ReadWrite, AddressSpace::Device, ScalarDataLayout> s; };
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main() { result[0] = d.b + s.b; }";
    found(ShaderLanguage::Slang, layouts, &["C.d: pointee Node, pointer", "C.s: pointee Node, pointer"], &[]);
}

/// The offsets of the last members of both types, and the sizes.
///
/// DXC 1.7.2308, shader model 6.6: the buffer in the heap has 68 bytes (`annotateHandle`) with `last` in register 4; elements
/// have strides 32 and 16; the payload's metadata says 32 bytes. slangc 2026.14.1 `-target spirv -O0`: std140 in the heap,
/// natural alignment for loads of bytes.
#[test]
fn rules_of_views() {
    let source = format!(
        "{TYPES}{MAIN}{{ ConstantBuffer<Tint> tint = ResourceDescriptorHeap[0]; StructuredBuffer<Tint> list = ResourceDescriptorHeap[1];
         result[0] = bytes.Load<Tint>(0).last; }} [shader(\"miss\")] void miss(inout Tint payload) {{}}"
    );
    let module = read(ShaderLanguage::Hlsl, &source);
    let sizes = |name: &str, native: &str| {
        let native = find_native(native).unwrap();
        let block = module.blocks.iter().find(|block| block.name == name).unwrap();
        let rules = native.rules(block)?;
        lay_out(block, rules, LayoutOptions::default()).result.unwrap().size.finite()
    };
    let all = |native: &str| ["tint", "list", "Tint", "Tint#2"].map(|name| sizes(name, native));
    assert_eq!(all("native:dxc-dxil"), [Some(68), Some(32), Some(32), Some(32)]);
    assert_eq!(all("native:slang-vulkan"), [Some(80), Some(32), None, Some(32)]);
    assert_eq!(all("native:fxc"), [None; 4]);
}

/// Sizes in the metadata of DXC 1.7.2308 with `-enable-16bit-types` and without (shader model 6.7; the mesh payload 6.5), and
/// for the record in that of DXC 1.9.2602.17 (6.8), which has the grid at 36.
#[test]
fn sizes_of_stage_data() {
    let source = "struct In { half h; float3 v; bool b; double d; };
        struct Pay { float3 c; half h; float2x3 m; float w[3]; double d; In i; min16float q; bool e; };
        struct Attributes { float2 b; double d; half h; };
        struct Call { float a; double b; float3 c; half2 h; uint64_t u; };
        struct MeshPay { float3 a; float b[2]; uint c; half h; double d; };
        struct Rec { float3 a; uint n; half h; double d; bool q; uint3 grid : SV_DispatchGrid; };
        [shader(\"closesthit\")] void hit(inout Pay p, in Attributes a) {}
        [shader(\"callable\")] void call(inout Call c) {}
        [shader(\"mesh\")] void mesh(in payload MeshPay p) {}
        [shader(\"node\")] void node(DispatchNodeInputRecord<Rec> input) {}";
    let module = read(ShaderLanguage::Hlsl, source);
    let sizes = |sixteen_bit: SixteenBit| {
        let options = LayoutOptions { sixteen_bit, ..LayoutOptions::default() };
        let native = find_native("native:dxc-dxil").unwrap();
        let of_stages = module.blocks.iter().filter(|block| block.kind == BlockKind::StageData);
        let size = |block| lay_out(block, native.rules(block).unwrap(), options).result.unwrap().size.finite();
        of_stages.map(|block| (block.name.clone(), size(block).unwrap())).collect::<Vec<_>>()
    };
    let expected = |call: u32| {
        let all = [("Pay", 104), ("Attributes", 24), ("Call", call), ("MeshPay", 40), ("Rec", 48)];
        all.map(|(name, size)| (name.to_owned(), size))
    };
    assert_eq!(sizes(SixteenBit::On), expected(40));
    assert_eq!(sizes(SixteenBit::Off), expected(48));
    let record = module.blocks.iter().find(|block| block.name == "Rec").unwrap();
    let rules = find_native("native:dxc-dxil").unwrap().rules(record).unwrap();
    let layout = lay_out(record, rules, LayoutOptions::default());
    assert_eq!(layout.rows().last().map(|row| (row.path.clone(), row.offset)), Some(("grid".to_owned(), 36)));
}

#[test]
fn words_of_views_may_stand_alone() {
    for text in [".Handle", "x.Handle", "ResourceDescriptorHeap[", "DescriptorHandle<", "TraceRay(", "Ptr<"] {
        let options =
            DeclareOptions { views: true, language: Some(ShaderLanguage::Slang), ..DeclareOptions::default() };
        let (_, result) = read_with(text, &options);
        assert!(result.map_or(true, |module| module.blocks.is_empty()), "{text}");
    }
}
