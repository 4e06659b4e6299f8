//! Explicit registers and bindings, and the places that remain for the other parameters.

use super::{Case, D3D, METAL, VULKAN, WEBGPU, check};

/// Explicit slots are reserved, and the other parameters take the first gaps.
const REGISTERS_AND_BINDINGS_ARE_RESERVED_FIRST: &[Case] = &[
    (
        "Texture2D a; SamplerState s; cbuffer C{float4 c;} RWTexture2D<float4> u; Texture2D b; \
         StructuredBuffer<float> sb;",
        &[
            (D3D, "a t0, s s0, C b0, u u0, b t1, sb t2"),
            (VULKAN, "a 0.0, s 0.1, C 0.2, u 0.3, b 0.4, sb 0.5"),
            (WEBGPU, "a 0.0, s 0.1, C 0.2, u 0.3, b 0.4, sb 0.5"),
            (METAL, "a texture0, s sampler0, C buffer0, u texture1, b texture2, sb buffer1"),
        ],
    ),
    (
        "Texture2D a:register(t1); Texture2D b; Texture2D c[2]; Texture2D d;",
        &[
            (D3D, "a t1, b t0, c t2+2, d t4"),
            (VULKAN, "a 0.1, b 0.0, c 0.2, d 0.3"),
            (WEBGPU, "a 0.1, b 0.0, c 0.2, d 0.3"),
        ],
    ),
    (
        "[[vk::binding(1)]] Texture2D a; Texture2D b; Texture2D c; [[vk::binding(5,0)]] Texture2D e; \
         Texture2D f[3]; SamplerState g; cbuffer D{float x;}",
        &[
            (D3D, "a t0, b t1, c t2, e t3, f t4+3, g s0, D b0"),
            (VULKAN, "a 0.1, b 0.0, c 0.2, e 0.5, f 0.3, g 0.4, D 0.6"),
            (WEBGPU, "a 0.1, b 0.0, c 0.2, e 0.5, f 0.3, g 0.4, D 0.6"),
        ],
    ),
    (
        "struct T{Texture2D a,b,c;}; [[vk::binding(2)]] Texture2D e:register(t2); T s; Texture2D f;",
        &[
            (D3D, "e t2, s.a t3, s.b t4, s.c t5, f t0"),
            (VULKAN, "e 0.2, s.a 0.3, s.b 0.4, s.c 0.5, f 0.0"),
            (WEBGPU, "e 0.2, s.a 0.3, s.b 0.4, s.c 0.5, f 0.0"),
        ],
    ),
    (
        "[[vk::binding(1)]] Texture2D a:register(t1); [[vk::binding(1)]] Texture2D b:register(t1);",
        &[(D3D, "a t1, b t1"), (VULKAN, "a 0.1, b 0.1"), (WEBGPU, "a 0.1, b 0.1")],
    ),
    (
        "Texture2D a:register(t3); SamplerState s:register(s3); Texture2D c;",
        &[(D3D, "a t3, s s3, c t0"), (VULKAN, "a 0.3, s 0.3, c 0.0"), (WEBGPU, "a 0.3, s 0.3, c 0.0")],
    ),
    (
        "Texture2D a:register(t3,space2); Texture2D c;",
        &[(D3D, "a t3 space2, c t0"), (VULKAN, "a 2.3, c 0.0"), (WEBGPU, "a 2.3, c 0.0")],
    ),
    (
        "cbuffer C:register(b0){float y;} uniform float x;",
        &[(D3D, "$Globals b1, C b0"), (VULKAN, "$Globals 0.1, C 0.0")],
    ),
    (
        "[[vk::binding(2)]] Texture2D a[]:register(t4); Texture2D b;",
        &[(D3D, "a t4+inf, b t0"), (VULKAN, "a 0.2, b 0.0")],
    ),
    (
        "struct V{float3 a;TextureCube e;SamplerState s;}; [[vk::binding(4,1)]] ConstantBuffer<V> \
         v:register(b2); Texture2D z;",
        &[(D3D, "v b2, v.e t0, v.s s0, z t1"), (VULKAN, "v 1.4, v.e 1.5, v.s 1.6, z 0.0")],
    ),
    (
        "Texture2D a4[4]:register(t3); Texture2D mid:register(t5);",
        &[(D3D, "a4 t3+4, mid t5"), (VULKAN, "a4 0.3, mid 0.5")],
    ),
    (
        "struct S{Texture2D t; SamplerState s;float y;}; S s:register(t3):register(s2); Texture2D z; S \
         s2:register(u3); cbuffer C:register(b2){float x; Texture2D q;} ",
        &[
            (D3D, "$Globals b0, s.t t3, s.s s2, z t0, s2.t t1, s2.s s0, C b2, C.q t2"),
            (VULKAN, "$Globals 0.0, s.t 0.3, s.s 0.4, z 0.1, s2.t 0.3, s2.s 0.4, C 0.2, C.q 0.3"),
            (
                METAL,
                "$Globals buffer0, s.t texture3, s.s sampler2, z texture0, s2.t texture1, s2.s sampler0, C buffer2, \
                C.q texture2",
            ),
        ],
    ),
    (
        "struct S{Texture2D t; SamplerState s;float y;}; S s:register(t3,space2); Texture2D z; S \
         s2[2]:register(s3); Sampler2D k:register(t7); Sampler2D l:register(s1):register(t9);",
        &[
            (D3D, "$Globals b0, s.t t3 space2, s.s s0, z t0, s2[].t t1+2, s2[].s s3+2, k t7, k s2, l t9, l s1"),
            (VULKAN, "$Globals 0.0, s.t 2.3, s.s 2.4, z 0.1, s2[].t 0.3, s2[].s 0.4, k 0.2, l 0.4"),
            (
                METAL,
                "$Globals buffer0, s.t texture3 space2, s.s sampler0, z texture0, s2[].t texture1+2, \
                s2[].s sampler3+2, k texture7, k sampler2, l texture9, l sampler1",
            ),
        ],
    ),
    (
        "struct S{float3 a; Texture2D t;}; [[vk::binding(4,1)]] ConstantBuffer<S> v:register(b2); \
         [[vk::binding(1,2)]] uniform S us; [[vk::binding(3,2)]] uniform float g; [[vk::binding(1,2)]] \
         Texture2D q[4]; [[vk::binding(0,7)]] float h; ",
        &[
            (D3D, "$Globals b0, v b2, v.t t0, us.t t1, q t2+4"),
            (VULKAN, "$Globals 0.0, v 1.4, v.t 1.5, us.t 2.1, q 2.1"),
            (METAL, "$Globals buffer0, v buffer2, v.t texture0, us.t texture1, q texture2+4"),
        ],
    ),
    (
        "struct S{Texture2D t; SamplerState s; float4 x;}; [[vk::binding(3,2)]] ConstantBuffer<S> c; \
         [[vk::binding(0,2)]] ParameterBlock<S> p; [[vk::binding(1,0)]] SamplerState k; Texture2D a,b,d; ",
        &[
            (D3D, "c b0, c.t t0, c.s s0, p b0 space1, p space1, p.t t0 space1, p.s s0 space1, k s1, a t1, b t2, d t3"),
            (VULKAN, "c 2.3, c.t 2.4, c.s 2.5, p 2.0, p space2, p.t 2.1, p.s 2.2, k 0.1, a 0.0, b 0.2, d 0.3"),
            (WEBGPU, "c 2.3, c.t 2.4, c.s 2.5, p 2.0, p space2, p.t 2.1, p.s 2.2, k 0.1, a 0.0, b 0.2, d 0.3"),
        ],
    ),
    (
        "[[vk::binding(2)]] AppendStructuredBuffer<float> a; ConsumeStructuredBuffer<float> b; \
         [[vk::binding(3)]] Sampler2D c; Sampler2D d[4]; SubpassInput<float4> e;",
        &[
            (D3D, "a u0, b u1, c t0, c s0, d t1+4, d s1+4, e t5, e attach0"),
            (VULKAN, "a 0.2+2, b 0.0+2, c 0.3, d 0.4, e 0.5, e attach0"),
            (WEBGPU, "a 0.2+2, b 0.0+2, c 0.3+2, d 0.5+2, e 0.7, e attach0"),
            (
                METAL,
                "a buffer0+3, b buffer3+3, c texture0, c sampler0, d texture1+4, d sampler1+4, e attach0, e texture5",
            ),
        ],
    ),
    (
        "layout(binding=2,set=1) Texture2D a; layout(set=1,binding=2) Texture2D b; layout(binding=4) cbuffer \
         C{float x;} layout(set=3) Texture2D c; [[vk::binding(7)]] struct {Texture2D x; Texture2D y;} s;",
        &[
            (D3D, "a t0, b t1, C b0, c t2, s.x t3, s.y t4"),
            (VULKAN, "a 1.2, b 1.2, C 0.4, c 3.0, s.x 0.7, s.y 0.8"),
            (WEBGPU, "a 1.2, b 1.2, C 0.4, c 3.0, s.x 0.7, s.y 0.8"),
            (METAL, "a texture0, b texture1, C buffer0, c texture2, s.x texture3, s.y texture4"),
        ],
    ),
    (
        "Texture2D a:register(t3); StructuredBuffer<float> b:register(t5); RWStructuredBuffer<float> \
         c:register(u2); RWTexture2D<float> d:register(u1); cbuffer C:register(b0){float x;} uniform float g; \
         SamplerState s:register(s4); RaytracingAccelerationStructure r:register(t7);",
        &[(METAL, "$Globals buffer1, a texture3, b buffer5, c buffer2, d texture0, C buffer0, s sampler4, r buffer7")],
    ),
];

#[test]
fn registers_and_bindings_are_reserved_first() {
    check(REGISTERS_AND_BINDINGS_ARE_RESERVED_FIRST);
}
