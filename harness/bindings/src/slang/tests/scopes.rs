//! Loose globals, entry points, varyings, imported modules, profiles and options.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Case, D3D, METAL, VULKAN, WEBGPU, check, module_with, request, row, rows};
use crate::{BindingRequest, Convention, bind};
use layoutproof_frontend::DeclareOptions;

/// The buffer of loose globals, push constants, specialization constants.
const LOOSE_GLOBALS_COME_FIRST: &[Case] = &[
    (
        "Texture2D a; uniform float x; cbuffer C{float y;} uniform float3 z;",
        &[
            (D3D, "$Globals b0, a t0, C b1"),
            (VULKAN, "$Globals 0.0, a 0.1, C 0.2"),
            (WEBGPU, "$Globals 0.0, a 0.1, C 0.2"),
        ],
    ),
    (
        "struct P{float3 a;float b;float2 c[2];}; [[vk::push_constant]] ConstantBuffer<P> pc; \
         [[vk::push_constant]] cbuffer Q{float z;} Texture2D t;",
        &[(D3D, "pc b0, Q b1, t t0"), (VULKAN, "pc push0, Q push1, t 0.0")],
    ),
    (
        "[vk::constant_id(7)] const int A=1; [SpecializationConstant] const int B=2; [SpecializationConstant] \
         const int C=3;",
        &[(D3D, "$Globals b0"), (VULKAN, "A id7, B id0, C id1"), (METAL, "A id7, B id0, C id1")],
    ),
    (
        "[vk::constant_id(7)] const int A=1; [vk::specialization_constant] const int B=2; [SpecializationConstant] \
         const int C=3;",
        &[(D3D, "$Globals b0"), (VULKAN, "A id7, B id0, C id1"), (METAL, "A id7, B id0, C id1")],
    ),
    (
        "tbuffer TB{float3 a;float b;float c[2];} TextureBuffer<float4> tt;",
        &[(D3D, "TB t0, tt t1"), (VULKAN, "TB 0.0, tt 0.1")],
    ),
    (
        "struct N{float3 a[2]; float b;}; ConstantBuffer<N,ScalarDataLayout> s; \
         ConstantBuffer<N,Std430DataLayout> q; ConstantBuffer<N> d; ConstantBuffer<N,CDataLayout> c;",
        &[(D3D, "s b0, q b1, d b2, c b3"), (VULKAN, "s 0.0, q 0.1, d 0.2, c 0.3")],
    ),
];

/// slangc 2026.14.1, `-target hlsl -profile sm_6_6`: level by level, with namespaces in the order
/// of their first declaration and the contents of all declarations of a namespace together.
const NAMESPACES_COME_LEVEL_BY_LEVEL: &[Case] = &[
    (
        "Texture2D a; namespace N { Texture2D b; namespace M { Texture2D d; } Texture2D e; } Texture2D c; \
         namespace P { Texture2D f; cbuffer CB { float4 q; } } cbuffer CA { float4 r; } namespace N { Texture2D g; }",
        &[(D3D, "a t0, c t1, CA b0, N::b t2, N::e t3, N::g t4, P::f t5, P::CB b1, N::M::d t6")],
    ),
    (
        "namespace P { float h(float a) { return a; } } namespace N { Texture2D b; namespace Z { Texture2D zz; } } \
         namespace P { Texture2D f; namespace Y { Texture2D yy; } } Texture2D last;",
        &[(D3D, "last t0, P::f t1, N::b t2, P::Y::yy t3, N::Z::zz t4")],
    ),
];

#[test]
fn namespaces_come_level_by_level() {
    check(NAMESPACES_COME_LEVEL_BY_LEVEL);
}

#[test]
fn loose_globals_come_first() {
    check(LOOSE_GLOBALS_COME_FIRST);
}

/// Uniform parameters of entry points come after all of the source's own globals, as one block
/// each.
const ENTRY_POINTS: &[Case] = &[
    (
        "Texture2D a; [shader(\"compute\")] [numthreads(1, 1, 1)] \
         void main(uniform float4 x, uniform float3 y, uniform float z, uniform Texture2D t) {}",
        &[
            (D3D, "a t0, $Entry.main b0, main.t t1"),
            (VULKAN, "a 0.0, $Entry.main push0, main.t 0.1"),
            (WEBGPU, "a 0.0, $Entry.main 0.1, main.t 0.2"),
        ],
    ),
    (
        "[shader(\"raygeneration\")] void main(uniform float4 x, uniform float3 y) {}",
        &[(D3D, "$Entry.main b0"), (VULKAN, "$Entry.main record0")],
    ),
    (
        "struct M { float4 x; Texture2D t; }; ParameterBlock<M> pb; ConstantBuffer<M> cb; RWStructuredBuffer<float> o; \
         uniform float g; [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float k) {}",
        &[
            (D3D, "$Globals b0, pb b0 space1, pb space1, pb.t t0 space1, cb b1, cb.t t0, o u0, $Entry.main b2"),
            (VULKAN, "$Globals 0.0, pb 1.0, pb space1, pb.t 1.1, cb 0.1, cb.t 0.2, o 0.3, $Entry.main push0"),
            (WEBGPU, "$Globals 0.0, pb 1.0, pb space1, pb.t 1.1, cb 0.1, cb.t 0.2, o 0.3, $Entry.main 0.4"),
        ],
    ),
    (
        "uniform float g; cbuffer C { float4 x; } Texture2D z[]; struct Q { float y; Texture2D t; }; \
         ConstantBuffer<Q> c; RWStructuredBuffer<float4> o; [shader(\"compute\")] [numthreads(1, 1, 1)] \
         void main(uniform float k, uniform Texture2D t, uniform ConstantBuffer<Q> d) {}",
        &[
            (
                D3D,
                "$Globals b0, C b1, z t0+inf space1, c b2, c.t t0, o u0, \
                 $Entry.main b3, main.t t1, main.d b4, main.d.t t2",
            ),
            (
                VULKAN,
                "$Globals 0.0, C 0.1, z 0.2, c 0.3, c.t 0.4, o 0.5, \
                 $Entry.main push0, main.t 0.6, main.d 0.7, main.d.t 0.8",
            ),
            (
                WEBGPU,
                "$Globals 0.0, C 0.1, z 0.2, c 0.3, c.t 0.4, o 0.5, \
                 $Entry.main 0.6, main.t 0.7, main.d 0.8, main.d.t 0.9",
            ),
        ],
    ),
    // An unsized array takes a space among those of the whole entry point, and its slot comes after
    // those before it.
    (
        "struct S { Texture2D t; float x; }; Texture2D g0; Texture2D g1; ParameterBlock<S> p; \
         RWStructuredBuffer<float4> o; [shader(\"compute\")] [numthreads(1, 1, 1)] \
         void main(uniform ConstantBuffer<S> c, Texture2D t[], uniform RWTexture2D<float4> u) {}",
        &[(
            VULKAN,
            "g0 0.0, g1 0.1, p 1.0, p space1, p.t 1.1, o 0.2, main.c 0.3, main.c.t 0.4, main.t 0.5, main.u 0.6",
        )],
    ),
    // A parameter with its own binding does not count with the others.
    (
        "Texture2D g0; Texture2D g1; RWStructuredBuffer<float4> o; [shader(\"compute\")] [numthreads(1, 1, 1)] void main(\
         [[vk::binding(3, 1)]] uniform Texture2D t, uniform Texture2D r, [[vk::binding(3, 0)]] uniform Texture2D q) {}",
        &[
            (VULKAN, "g0 0.0, g1 0.1, o 0.2, main.t 1.3, main.r 0.4, main.q 0.3"),
            (WEBGPU, "g0 0.0, g1 0.1, o 0.2, main.t 1.3, main.r 0.4, main.q 0.3"),
            (D3D, "g0 t0, g1 t1, o u0, main.t t2, main.r t3, main.q t4"),
        ],
    ),
    // Each entry point is its own block.
    (
        "[shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float k, uniform Texture2D t) {} \
         [shader(\"compute\")] [numthreads(1, 1, 1)] void main2(uniform float k, uniform Texture2D t) {}",
        &[
            (D3D, "$Entry.main b0, main.t t0, $Entry.main2 b1, main2.t t1"),
            (VULKAN, "$Entry.main push0, main.t 0.0, $Entry.main2 push1, main2.t 0.1"),
        ],
    ),
];

#[test]
fn entry_points_are_blocks_behind_the_globals() {
    check(ENTRY_POINTS);
}

const VARYINGS: &[Case] = &[
    (
        "struct V { float4 p : SV_Position; float3 n : NORMAL; float2 uv[2] : TEXCOORD0; float3x2 m : M; double3 d : D; }; \
         struct I { float4 p : POSITION; float2 t : TEXCOORD1; int id : SV_InstanceID; }; \
         [shader(\"vertex\")] V main(I i, float3x2 inst : INST, uint vid : SV_VertexID, float z : Z) {}",
        &[(
            D3D,
            "main.i.p in0, main.i.t in1, main.inst in2+2, main.z in4, main.$result.n out0, main.$result.uv out1+2, \
             main.$result.m out3+2, main.$result.d out5",
        )],
    ),
    // The number of a render target does not count, and the result comes last.
    (
        "[shader(\"fragment\")] float4 main(float4 p : SV_Position, float a : A, out float4 t1 : SV_Target1, \
         out float t3 : SV_Target3, out float depth : SV_Depth, inout float4 io : COLOR) : SV_Target0 {}",
        &[
            (D3D, "main.a in0, main.t1 out0, main.t3 out1, main.io in1, main.io out2, main.$result out3"),
            (VULKAN, "main.a in0, main.t1 out0, main.t3 out1, main.io in1, main.io out2, main.$result out3"),
        ],
    ),
    (
        "struct V { [[vk::location(4)]] float3 n : NORMAL; [[vk::location(2)]] float4x4 m : M; }; [shader(\"vertex\")] \
         float4 main([[vk::location(1)]] float z : Z, float y : Y, V v, float4 w[2] : W) : SV_Position {}",
        &[
            (D3D, "main.z in0, main.y in1, main.v.n in2, main.v.m in3+4, main.w in7+2"),
            (VULKAN, "main.z in1, main.y in0, main.v.n in6, main.v.m in4+4, main.w in8+2"),
            (WEBGPU, "main.z in1, main.y in0, main.v.n in6, main.v.m in4+4, main.w in8+2"),
        ],
    ),
];

#[test]
fn varyings_have_locations() {
    check(VARYINGS);
}

/// Returns the rows of `source` with options, or with another profile on D3D.
fn with(source: &str, target: crate::Target, profile: Option<&str>, options: &[&str]) -> String {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    rows(source, &BindingRequest { profile: profile.map(str::to_owned), options, ..request(target) })
}

/// `-profile sm_5_0`, and no profile at all: parameter blocks have no spaces, render targets take `u` registers.
#[test]
fn old_profiles_have_no_spaces() {
    let source = "struct M { float4 x; Texture2D t; }; Texture2D a : register(t0, space1); ParameterBlock<M> p1; \
                  ParameterBlock<M> p2; Texture2D d;";
    let expected = "a t0 space1, p1 b0, p1.t t0, p2 b1, p2.t t1, d t2";
    assert_eq!(with(source, D3D, Some("sm_5_0"), &[]), expected);
    assert_eq!(with(source, D3D, None, &[]), expected);
    let source = "RWTexture2D<float> u; RWTexture2D<float> w; struct O { float4 c : SV_Target0; float4 d : SV_Target2; }; \
                  [shader(\"fragment\")] O main(float4 p : SV_Position) {}";
    let outputs = "main.$result.c out0, main.$result.d out1";
    assert_eq!(with(source, D3D, Some("ps_5_0"), &[]), format!("u u1, w u3, {outputs}"));
    assert_eq!(with(source, D3D, Some("ps_5_1"), &[]), format!("u u0, w u1, {outputs}"));
}

/// `-fvk-t-shift 10 all -fvk-s-shift 20 0 -fvk-b-shift 30 all -fvk-u-shift 40 all`: registers are
/// given out by class, then shifted. Combined samplers and the contents of parameter blocks are not
/// shifted.
#[test]
fn shifts_keep_register_classes_apart() {
    let source = "Texture2D a : register(t0); SamplerState s : register(s0); cbuffer C : register(b0) { float4 x; } \
                  RWTexture2D<float> u : register(u1); Texture2D n[3]; Sampler2D k; Texture2D o; \
                  struct S { Texture2D a; float y; SamplerState s; }; ConstantBuffer<S> cs; ParameterBlock<S> ps; \
                  uniform float g; AppendStructuredBuffer<float> ap; StructuredBuffer<float> sb;";
    let options = ["-fvk-t-shift 10 all", "-fvk-s-shift 20 0", "-fvk-b-shift 30 all", "-fvk-u-shift 40 all"];
    let expected = "$Globals 0.31, a 0.10, s 0.20, C 0.30, u 0.41, n 0.11, k 0.0, o 0.12, cs 0.32, cs.a 0.13, cs.s 0.21, \
                    ps 1.0, ps space1, ps.a 1.0, ps.s 1.0, ap 0.42+2, sb 0.14";
    assert_eq!(with(source, VULKAN, None, &options), expected);
    // Registers of classes and spaces without a shift have no meaning then.
    let source = "Texture2D a : register(t0); SamplerState s : register(s0); cbuffer C : register(b0) { float4 x; } \
                  RWTexture2D<float> u : register(u1); Texture2D n[3]; RWTexture2D<float> v; \
                  Texture2D r : register(t3, space2);";
    let expected = "a 0.10, s 0.0, C 0.1, u 0.2, n 0.11, v 0.3, r 0.12";
    assert_eq!(with(source, VULKAN, None, &["-fvk-t-shift 10 0"]), expected);
}

/// `-fvk-bind-globals 1 0`, as WGSL code shows it.
#[test]
fn the_buffer_of_loose_globals_can_be_pinned() {
    let source = "uniform float g; cbuffer C { float4 x; } Texture2D t; RWStructuredBuffer<float4> o;";
    let expected = "$Globals 0.1, C 0.0, t 0.2, o 0.3";
    assert_eq!(with(source, WEBGPU, None, &["-fvk-bind-globals 1 0"]), expected);
    let expected = "$Globals 2.5, C 0.0, t 0.1, o 0.2";
    assert_eq!(with(source, WEBGPU, None, &["-fvk-bind-globals 5 2"]), expected);
}

/// The source's own globals come first, then those of imported modules in the order of import, then
/// entry points.
#[test]
fn imported_globals_come_behind_own_ones() {
    let files = [
        ("moda.slang", "module moda; import modc; public Texture2D a1; public Texture2D a2;"),
        ("modb.slang", "module modb; public uniform float4 bf; public Texture2D b1;"),
        ("modc.slang", "module modc; public Texture2D c1;"),
    ];
    let files: BTreeMap<String, String> = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let options = DeclareOptions { files: Arc::new(files), ..DeclareOptions::default() };
    let source = "import moda; Texture2D u1; import modb; Texture2D u2; uniform float u3; [shader(\"compute\")] \
                  [numthreads(1, 1, 1)] void main(uniform float4 q, uniform Texture2D et) {}";
    let module = module_with(source, &options);
    let bound = bind(&module, &request(D3D)).unwrap();
    let rows: Vec<String> = bound.bindings.iter().map(row).collect();
    let expected =
        ["$Globals b0", "u1 t0", "u2 t1", "a1 t2", "a2 t3", "b1 t4", "c1 t5", "$Entry.main b1", "main.et t6"];
    assert_eq!(rows, expected);
    // Slang user guide, Parameter Layout Rules, Ordering: imported modules come after all of the
    // user's code.
    let documented = BindingRequest { convention: Convention::SlangDocumented, ..request(D3D) };
    let rows: Vec<String> = bind(&module, &documented).unwrap().bindings.iter().map(row).collect();
    let expected =
        ["$Globals b0", "u1 t0", "u2 t1", "$Entry.main b1", "main.et t2", "a1 t3", "a2 t4", "b1 t5", "c1 t6"];
    assert_eq!(rows, expected);
}
