//! Parameter blocks, constant buffers, texture buffers.

use super::{Case, D3D, METAL, VULKAN, WEBGPU, check};

/// Blocks get spaces in order, around those that are taken.
const PARAMETER_BLOCKS_TAKE_THE_FIRST_FREE_SPACES: &[Case] = &[
    (
        "struct M{float4 x; Texture2D t;}; [[vk::binding(0,1)]] Texture2D a; Texture2D b; ParameterBlock<M> \
         pb;",
        &[(VULKAN, "a 1.0, b 0.0, pb 2.0, pb space2, pb.t 2.1"), (WEBGPU, "a 1.0, b 0.0, pb 2.0, pb space2, pb.t 2.1")],
    ),
    (
        "struct M{float4 x; Texture2D t;}; [[vk::binding(0,0)]] Texture2D a; ParameterBlock<M> p1; \
         ParameterBlock<M> p2;",
        &[
            (VULKAN, "a 0.0, p1 1.0, p1 space1, p1.t 1.1, p2 2.0, p2 space2, p2.t 2.1"),
            (WEBGPU, "a 0.0, p1 1.0, p1 space1, p1.t 1.1, p2 2.0, p2 space2, p2.t 2.1"),
        ],
    ),
    (
        "struct M{float4 x; Texture2D t;}; Texture2D a:register(t0,space1); ParameterBlock<M> p1; \
         ParameterBlock<M> p2; Texture2D d;",
        &[
            (
                D3D,
                "a t0 space1, p1 b0 space2, p1 space2, p1.t t0 space2, p2 b0 space3, p2 space3, p2.t t0 space3, d t0",
            ),
            (VULKAN, "a 1.0, p1 2.0, p1 space2, p1.t 2.1, p2 3.0, p2 space3, p2.t 3.1, d 0.0"),
        ],
    ),
    (
        "struct M{float4 x; Texture2D t;}; [[vk::binding(0,3)]] ParameterBlock<M> p1; ParameterBlock<M> p2; \
         Texture2D z; ParameterBlock<M> p3; ParameterBlock<M> p4;",
        &[
            (
                VULKAN,
                "p1 3.0, p1 space3, p1.t 3.1, p2 1.0, p2 space1, p2.t 1.1, z 0.0, p3 2.0, p3 space2, p3.t 2.1, p4 4.0, \
                p4 space4, p4.t 4.1",
            ),
            (
                WEBGPU,
                "p1 3.0, p1 space3, p1.t 3.1, p2 1.0, p2 space1, p2.t 1.1, z 0.0, p3 2.0, p3 space2, p3.t 2.1, p4 4.0, \
                p4 space4, p4.t 4.1",
            ),
        ],
    ),
    (
        "struct M{float4 x; Texture2D t;}; ParameterBlock<M> p1:register(space3); ParameterBlock<M> p2; \
         Texture2D t;",
        &[
            (D3D, "p1 b0 space3, p1 space3, p1.t t0 space3, p2 b0 space1, p2 space1, p2.t t0 space1, t t0"),
            (VULKAN, "p1 1.0, p1 space1, p1.t 1.1, p2 2.0, p2 space2, p2.t 2.1, t 0.0"),
        ],
    ),
    (
        "struct M{float4 x; Texture2D t;}; [[vk::binding(0,0)]] ParameterBlock<M> p:register(space0); \
         Texture2D t;",
        &[(D3D, "p b0, p space0, p.t t0, t t0"), (VULKAN, "p 0.0, p space0, p.t 0.1, t 0.0")],
    ),
];

#[test]
fn parameter_blocks_take_the_first_free_spaces() {
    check(PARAMETER_BLOCKS_TAKE_THE_FIRST_FREE_SPACES);
}

/// Nested blocks.
const BLOCKS_INSIDE_BLOCKS_HAVE_SPACES_BEHIND: &[Case] = &[
    (
        "struct I{float4 x;Texture2D t;}; struct O{ParameterBlock<I> i; Texture2D u; float y;}; \
         ParameterBlock<O> o; Texture2D z;",
        &[
            (D3D, "o b0 space1, o space1, o.i b0 space2, o.i space2, o.i.t t0 space2, o.u t0 space1, z t0"),
            (VULKAN, "o 1.0, o space1, o.i 2.0, o.i space2, o.i.t 2.1, o.u 1.1, z 0.0"),
        ],
    ),
    (
        "struct I{float4 x;Texture2D t;}; struct O{ParameterBlock<I> i; ParameterBlock<I> j;}; \
         ParameterBlock<O> o; Texture2D z;",
        &[
            (D3D, "o.i b0 space1, o.i space1, o.i.t t0 space1, o.j b0 space2, o.j space2, o.j.t t0 space2, z t0"),
            (VULKAN, "o.i 1.0, o.i space1, o.i.t 1.1, o.j 2.0, o.j space2, o.j.t 2.1, z 0.0"),
        ],
    ),
    (
        "struct I{Texture2D t;float y;}; struct Q{float3 x; Texture2D t[2]; ConstantBuffer<I> cb; \
         ParameterBlock<I> pb; StructuredBuffer<float> sb;float2 w;}; ParameterBlock<Q> q; ConstantBuffer<Q> \
         c; Texture2D z;",
        &[
            (
                D3D,
                "q b0 space1, q space1, q.t t0+2 space1, q.cb b1 space1, q.cb.t t2 space1, q.pb b0 space2, \
                q.pb space2, q.pb.t t0 space2, q.sb t3 space1, c b0, c.t t0+2, c.cb b1, c.cb.t t2, c.pb b0 space3, \
                c.pb space3, c.pb.t t0 space3, c.sb t3, z t4",
            ),
            (
                VULKAN,
                "q 1.0, q space1, q.t 1.1, q.cb 1.2, q.cb.t 1.3, q.pb 2.0, q.pb space2, q.pb.t 2.1, q.sb 1.4, c 0.0, \
                c.t 0.1, c.cb 0.2, c.cb.t 0.3, c.pb 3.0, c.pb space3, c.pb.t 3.1, c.sb 0.4, z 0.5",
            ),
            (
                WEBGPU,
                "q 1.0, q space1, q.t 1.1, q.cb 1.2, q.cb.t 1.3, q.pb 2.0, q.pb space2, q.pb.t 2.1, q.sb 1.4, c 0.0, \
                c.t 0.1, c.cb 0.2, c.cb.t 0.3, c.pb 3.0, c.pb space3, c.pb.t 3.1, c.sb 0.4, z 0.5",
            ),
            (
                METAL,
                "q buffer0, q.cb.t texture0, c buffer1, c.t texture1+2, c.cb buffer2, c.cb.t texture3, c.pb buffer3, \
                c.sb buffer4, z texture4",
            ),
        ],
    ),
    (
        "struct S{Texture2D t; float y;}; struct P{ParameterBlock<S> b; }; ParameterBlock<P> z; struct R{P p; \
         P q; ConstantBuffer<P> r; Texture2D u;}; ParameterBlock<R> rr; R plain; ConstantBuffer<R> cc;",
        &[
            (
                D3D,
                "z.b b0 space1, z.b space1, z.b.t t0 space1, rr space2, rr.p.b b0 space3, rr.p.b space3, \
                rr.p.b.t t0 space3, rr.q.b b0 space4, rr.q.b space4, rr.q.b.t t0 space4, rr.r.b b0 space5, \
                rr.r.b space5, rr.r.b.t t0 space5, rr.u t0 space2, plain.p.b b0 space6, plain.p.b space6, \
                plain.p.b.t t0 space6, plain.q.b b0 space7, plain.q.b space7, plain.q.b.t t0 space7, \
                plain.r.b b0 space8, plain.r.b space8, plain.r.b.t t0 space8, plain.u t0, cc.p.b b0 space9, \
                cc.p.b space9, cc.p.b.t t0 space9, cc.q.b b0 space10, cc.q.b space10, cc.q.b.t t0 space10, \
                cc.r.b b0 space11, cc.r.b space11, cc.r.b.t t0 space11, cc.u t1",
            ),
            (
                VULKAN,
                "z.b 1.0, z.b space1, z.b.t 1.1, rr space2, rr.p.b 3.0, rr.p.b space3, rr.p.b.t 3.1, rr.q.b 4.0, \
                rr.q.b space4, rr.q.b.t 4.1, rr.r.b 5.0, rr.r.b space5, rr.r.b.t 5.1, rr.u 2.0, plain.p.b 6.0, \
                plain.p.b space6, plain.p.b.t 6.1, plain.q.b 7.0, plain.q.b space7, plain.q.b.t 7.1, plain.r.b 8.0, \
                plain.r.b space8, plain.r.b.t 8.1, plain.u 0.0, cc.p.b 9.0, cc.p.b space9, cc.p.b.t 9.1, cc.q.b 10.0, \
                cc.q.b space10, cc.q.b.t 10.1, cc.r.b 11.0, cc.r.b space11, cc.r.b.t 11.1, cc.u 0.1",
            ),
            (
                METAL,
                "z buffer0, rr buffer1, rr.r.b buffer2, plain.p.b buffer3, plain.q.b buffer4, plain.r buffer5, \
                plain.r.b buffer6, plain.u texture0, cc buffer7, cc.p.b buffer8, cc.q.b buffer9, cc.r buffer10, \
                cc.r.b buffer11, cc.u texture1",
            ),
        ],
    ),
];

#[test]
fn blocks_inside_blocks_have_spaces_behind() {
    check(BLOCKS_INSIDE_BLOCKS_HAVE_SPACES_BEHIND);
}

/// The units that a buffer takes itself depend on its content.
const BUFFERS_WITHOUT_BYTES_TAKE_NOTHING: &[Case] = &[
    (
        "struct E{}; ConstantBuffer<E> a; ParameterBlock<E> b; cbuffer C{} ; struct F{Texture2D t;}; \
         ConstantBuffer<F> c; ParameterBlock<F> d; uniform E e; Texture2D z; E ea[4];",
        &[
            (D3D, "c.t t0, d space1, d.t t0 space1, z t1"),
            (VULKAN, "c.t 0.0, d space1, d.t 1.0, z 0.1"),
            (WEBGPU, "c.t 0.0, d space1, d.t 1.0, z 0.1"),
            (METAL, "a buffer0, b buffer1, C buffer2, c buffer3, c.t texture0, d buffer4, z texture1"),
        ],
    ),
    (
        "tbuffer TB{float3 a;float b;float c[2];Texture2D t;}; TextureBuffer<float4> tt; struct F{Texture2D \
         t;}; TextureBuffer<F> tf;",
        &[
            (D3D, "TB t0, TB.t t1, tt t2, tf.t t3"),
            (VULKAN, "TB 0.0, TB.t 0.1, tt 0.2, tf.t 0.3"),
            (WEBGPU, "TB 0.0, TB.t 0.1, tt 0.2, tf.t 0.3"),
            (METAL, "TB texture0, TB.t texture1, tt texture2, tf texture3, tf.t texture4"),
        ],
    ),
    (
        "struct I{Texture2D t;float y;}; struct Q{float3 x; float4x4 m; float a[3]; Sampler2D c; Texture2D \
         t[2]; ConstantBuffer<I> cb; ParameterBlock<I> pb; StructuredBuffer<float> sb;float2 w;}; \
         ParameterBlock<Q> q;",
        &[(METAL, "q buffer0, q.cb.t texture0")],
    ),
];

#[test]
fn buffers_without_bytes_take_nothing() {
    check(BUFFERS_WITHOUT_BYTES_TAKE_NOTHING);
}
