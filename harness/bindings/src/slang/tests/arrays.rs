//! Arrays of resources and of structs with resources, unsized arrays, resources of two units.

use super::{Case, D3D, METAL, VULKAN, WEBGPU, check};

/// Arrays, combined samplers, counters, input attachments.
const ARRAYS_OF_RESOURCES: &[Case] = &[
    (
        "Texture2D a[4]; Texture2D b; RWStructuredBuffer<float> c[2]; RWTexture2D<float> d; Texture2D \
         e[2][3]; Texture2D f;",
        &[(D3D, "a t0+4, b t4, c u0+2, d u2, e t5+6, f t11"), (VULKAN, "a 0.0, b 0.1, c 0.2, d 0.3, e 0.4, f 0.5")],
    ),
    (
        "struct N{float4 x;}; ConstantBuffer<N> a[3]; ConstantBuffer<N> b;",
        &[(D3D, "a b0+3, b b3"), (VULKAN, "a 0.0, b 0.1")],
    ),
    (
        "Sampler2D a; Sampler2D b[2]; Texture2D c; struct S{Sampler2D x; float y;}; uniform S s[3]; Texture2D \
         d;",
        &[
            (D3D, "$Globals b0, a t0, a s0, b t1+2, b s1+2, c t3, s[].x t4+3, s[].x s3+3, d t7"),
            (VULKAN, "$Globals 0.0, a 0.1, b 0.2, c 0.3, s[].x 0.4, d 0.5"),
            (WEBGPU, "$Globals 0.0, a 0.1+2, b 0.3+2, c 0.5, s[].x 0.6+2, d 0.8"),
            (
                METAL,
                "$Globals buffer0, a texture0, a sampler0, b texture1+2, b sampler1+2, c texture3, s[].x texture4+3, \
                s[].x sampler3+3, d texture7",
            ),
        ],
    ),
    (
        "AppendStructuredBuffer<float> a; ConsumeStructuredBuffer<float> b[2]; RWStructuredBuffer<float> c; \
         RasterizerOrderedTexture2D<float> d; RWByteAddressBuffer e; Buffer<float> f; RWBuffer<float4> g; \
         TextureBuffer<float4> h; ByteAddressBuffer k;",
        &[
            (D3D, "a u0, b u1+2, c u3, d u4, e u5, f t0, g u6, h t1, k t2"),
            (VULKAN, "a 0.0+2, b 0.2+2, c 0.4, d 0.5, e 0.6, f 0.7, g 0.8, h 0.9, k 0.10"),
            (WEBGPU, "a 0.0+2, b 0.2+2, c 0.4, d 0.5, e 0.6, f 0.7, g 0.8, h 0.9, k 0.10"),
            (
                METAL,
                "a buffer0+3, b buffer3+6, c buffer9, d texture0, e buffer10, f texture1, g texture2, h texture3, \
                k buffer11",
            ),
        ],
    ),
    (
        "[[vk::input_attachment_index(2)]] SubpassInput<float4> i; SubpassInput<float4> j; Texture2D t; \
         RaytracingAccelerationStructure r;",
        &[
            (D3D, "i t0, i attach2, j t1, j attach0, t t2, r t3"),
            (VULKAN, "i 0.0, i attach2, j 0.1, j attach0, t 0.2, r 0.3"),
            (WEBGPU, "i 0.0, i attach2, j 0.1, j attach0, t 0.2, r 0.3"),
            (METAL, "i attach2, i texture0, j attach0, j texture1, t texture2, r buffer0"),
        ],
    ),
    (
        "struct I{Texture2D a; float4 x; ConstantBuffer<float> c; StructuredBuffer<float3> s;}; struct O{I i; \
         float y; I k[2];}; ConstantBuffer<float4> a[3]; O o; ",
        &[
            (D3D, "$Globals b0, a b1+3, o.i.a t0, o.i.c b4, o.i.s t1, o.k[].a t2+2, o.k[].c b5+2, o.k[].s t4+2"),
            (VULKAN, "$Globals 0.0, a 0.1, o.i.a 0.2, o.i.c 0.3, o.i.s 0.4, o.k[].a 0.5, o.k[].c 0.6, o.k[].s 0.7"),
            (
                METAL,
                "$Globals buffer0, a buffer1+3, o.i.a texture0, o.i.c buffer4, o.i.s buffer5, o.k[].a texture1+2, o.k[].c buffer6+2, \
                o.k[].s buffer8+2",
            ),
        ],
    ),
];

#[test]
fn arrays_of_resources() {
    check(ARRAYS_OF_RESOURCES);
}

/// Each resource of an array of structs is an array.
const ARRAYS_OF_STRUCTS_ARE_SPLIT: &[Case] = &[
    (
        "struct S{float4 x;Texture2D a;SamplerState s;Texture2D b[2];}; uniform S arr[4]; Texture2D z;",
        &[
            (D3D, "$Globals b0, arr[].a t0+4, arr[].s s0+4, arr[].b t4+8, z t12"),
            (VULKAN, "$Globals 0.0, arr[].a 0.1, arr[].s 0.2, arr[].b 0.3, z 0.4"),
        ],
    ),
    (
        "struct I{Texture2D a,b;}; struct O{I i[2]; Texture2D c;}; O arr[3];",
        &[
            (D3D, "arr[].i[].a t0+6, arr[].i[].b t6+6, arr[].c t12+3"),
            (VULKAN, "arr[].i[].a 0.0, arr[].i[].b 0.1, arr[].c 0.2"),
        ],
    ),
    (
        "struct S{Texture2D a; float b;}; struct R{S s[2][3]; ConstantBuffer<S> c; }; R r; ConstantBuffer<R> \
         q; ParameterBlock<R> p; tbuffer T{S t[2];}",
        &[
            (
                D3D,
                "$Globals b0, r.s[][].a t0+6, r.c b1, r.c.a t6, q b2, q.s[][].a t7+6, q.c b3, q.c.a t13, p b0 space1, \
                p space1, p.s[][].a t0+6 space1, p.c b1 space1, p.c.a t6 space1, T t14, T.t[].a t15+2",
            ),
            (
                VULKAN,
                "$Globals 0.0, r.s[][].a 0.1, r.c 0.2, r.c.a 0.3, q 0.4, q.s[][].a 0.5, q.c 0.6, q.c.a 0.7, p 1.0, \
                p space1, p.s[][].a 1.1, p.c 1.2, p.c.a 1.3, T 0.8, T.t[].a 0.9",
            ),
            (
                WEBGPU,
                "$Globals 0.0, r.s[][].a 0.1, r.c 0.2, r.c.a 0.3, q 0.4, q.s[][].a 0.5, q.c 0.6, q.c.a 0.7, p 1.0, \
                p space1, p.s[][].a 1.1, p.c 1.2, p.c.a 1.3, T 0.8, T.t[].a 0.9",
            ),
            (
                METAL,
                "$Globals buffer0, r.s[][].a texture0+6, r.c buffer1, r.c.a texture6, q buffer2, q.s[][].a texture7+6, \
                q.c buffer3, q.c.a texture13, p buffer4, p.c.a texture14, T texture15, T.t[].a texture16+2",
            ),
        ],
    ),
    (
        "struct B{float3 a;Texture2D t;}; struct D:B{float b; Texture2D u;}; cbuffer C{D d; float e;} uniform \
         D g;",
        &[
            (D3D, "$Globals b0, C b1, C.d.t t0, C.d.u t1, g.t t2, g.u t3"),
            (VULKAN, "$Globals 0.0, C 0.1, C.d.t 0.2, C.d.u 0.3, g.t 0.4, g.u 0.5"),
        ],
    ),
];

#[test]
fn arrays_of_structs_are_split() {
    check(ARRAYS_OF_STRUCTS_ARE_SPLIT);
}

/// Unsized arrays at the end of structs. The spaces are those of slangc's code, which gives the
/// array in a parameter block no space of its own.
const UNSIZED_ARRAYS_IN_STRUCTS: &[Case] = &[(
    "struct S { Texture2D u; Texture2D t[]; }; Texture2D first; ParameterBlock<S> p; ConstantBuffer<S> c; uniform S s; \
     RWStructuredBuffer<float4> o;",
    &[
        (
            D3D,
            "first t0, p space1, p.u t0 space1, p.t t0+inf space1, c.u t1, c.t t1+inf space3, s.u t2, \
             s.t t2+inf space4, o u0",
        ),
        (VULKAN, "first 0.0, p space1, p.u 1.0, p.t 1.1, c.u 0.1, c.t 0.2, s.u 0.3, s.t 0.4, o 0.5"),
    ],
)];

#[test]
fn unsized_arrays_in_structs() {
    check(UNSIZED_ARRAYS_IN_STRUCTS);
}

/// Unsized arrays.
const UNSIZED_ARRAYS_TAKE_SPACES_OF_THEIR_OWN: &[Case] = &[
    (
        "Texture2D a[]; Texture2D b[]; SamplerState s[]; Texture2D c; RWTexture2D<float> d;",
        &[
            (D3D, "a t0+inf space1, b t0+inf space2, s s0+inf space3, c t0, d u0"),
            (VULKAN, "a 0.0, b 0.1, s 0.2, c 0.3, d 0.4"),
            (WEBGPU, "a 0.0, b 0.1, s 0.2, c 0.3, d 0.4"),
        ],
    ),
    (
        "struct S{Texture2D a;Texture2D b;}; S arr[]; Texture2D z[]; Texture2D y[];",
        &[
            (D3D, "arr[].a t0+inf space1, arr[].b t0+inf space2, z t0+inf space3, y t0+inf space4"),
            (VULKAN, "arr[].a 0.0, arr[].b 0.1, z 0.2, y 0.3"),
        ],
    ),
    (
        "struct S{float x;Texture2D a;Texture2D b;}; S arr[]; Texture2D z[];",
        &[
            (D3D, "$Globals b0, arr[].a t0+inf space2, arr[].b t0+inf space3, z t0+inf space3"),
            (VULKAN, "$Globals 0.0, arr[].a 0.1, arr[].b 0.2, z 0.3"),
        ],
    ),
    (
        "[[vk::binding(1)]] ConstantBuffer<float4> cb[]; RWStructuredBuffer<float> q[]; \
         ConstantBuffer<float4> dd;",
        &[
            (D3D, "cb b0+inf space1, q u0+inf space2, dd b0"),
            (VULKAN, "cb 0.1, q 0.0, dd 0.2"),
            (METAL, "cb buffer0+inf space1, q buffer0+inf space2, dd buffer0"),
        ],
    ),
    (
        "struct I{Texture2D a; Texture2D b;}; struct O{Texture2D c; I i; I k[2]; Sampler2D s;}; O arr[]; \
         struct W{O o[2];Texture2D z;}; W w[3];",
        &[(
            D3D,
            "arr[].c t0+inf space1, arr[].i.a t0+inf space2, arr[].i.b t0+inf space3, arr[].k[].a t0+inf space4, \
                arr[].k[].b t0+inf space5, arr[].s t0+inf space6, arr[].s s0+inf space6, w[].o[].c t0+6, \
                w[].o[].i.a t6+6, w[].o[].i.b t12+6, w[].o[].k[].a t18+12, w[].o[].k[].b t30+12, w[].o[].s t42+6, \
                w[].o[].s s0+6, w[].z t48+3",
        )],
    ),
    (
        "struct I{ConstantBuffer<float4> c; Texture2D t;}; I i[]; I j[3];",
        &[
            (D3D, "i[].c b0+inf space1, i[].t t0+inf space1, j[].c b0+3, j[].t t0+3"),
            (VULKAN, "i[].c 0.0, i[].t 0.1, j[].c 0.2, j[].t 0.3"),
            (
                METAL,
                "$Globals buffer0, i[].c buffer0+inf space1, i[].t texture0+inf space1, j[].c buffer1+3, \
                j[].t texture0+3",
            ),
        ],
    ),
];

#[test]
fn unsized_arrays_take_spaces_of_their_own() {
    check(UNSIZED_ARRAYS_TAKE_SPACES_OF_THEIR_OWN);
}
